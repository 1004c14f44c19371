r"""The model behind a simulated campaign: topics with their documents, and systems that rank them.

**Topics.** Topic :math:`t` has a difficulty :math:`z_t \sim N(0, 1)` and :math:`N` candidate
documents, of which

.. math:: R_t = e^{4.1 - 0.3 z_t + 0.9 u_t}, \quad u_t \sim N(0, 1)

are relevant (at least 3, at most a tenth of the candidates). Their grades are drawn at random, the
higher ones being the rarer ones, and a document of grade 0, 1, 2, 3 gives off a signal :math:`g_d`
= 0, 1, 1.6, 2.

**Systems.** System :math:`s` of team :math:`k` has the quality

.. math:: q_s = 1.2 \, e^{0.12 a_k + 0.10 b_s}, \quad a_k, b_s \sim N(0, 1)

and scores document :math:`d` for topic :math:`t` by

.. math:: x_{std} = q_s \, e^{0.2 c_{st}} \, e^{-0.3 z_t} \, g_d + 0.5 n_{td} + 0.6 m_{ktd} + \sqrt{0.39} \, e_{std}

with :math:`c, n, m, e \sim N(0, 1)`: some systems suit some topics; what misleads everybody
(:math:`n`) and what misleads a team (:math:`m`) is shared, so that runs of one team resemble each
other more than they resemble other runs; and the variance of the noise is 1 whatever is shared. The
system returns its best documents by :math:`x` and prints a score that rises with :math:`x`: like a
term weighting, a log likelihood or a probability, rounded.

**What is odd.** One of the first four systems is broken: it ranks in reverse (by :math:`-x`) or at
random (by
:math:`e` alone). Among the first eight there is also at least one that stops early, one that misses topics, and one
that prints coarse scores and so has many ties; each later system is one of these with probability 0.2.

**Randomness.** Each topic, team, system, and each of their combinations has a stream of its own,
spawned from the seed by its place. A system is therefore the same whatever the number of later
systems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from cranfield.plumbing.lazy import pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cranfield.campaigns.recipe import Parameters

FIRST_TOPIC: Final = 401

_SIGNAL: Final = np.array([0.0, 1.0, 1.6, 2.0])
_SHARE_OF_GRADES: Final = {1: [1.0], 2: [0.7, 0.3], 3: [0.6, 0.28, 0.12]}
_TYPICAL_QUALITY: Final = 1.2
_DOCUMENT_NOISE: Final = 0.5
_TEAM_NOISE: Final = 0.6
_OWN_NOISE: Final = float(np.sqrt(1 - _DOCUMENT_NOISE**2 - _TEAM_NOISE**2))

_TEAMS: Final = (
    "alder", "ash", "aspen", "beech", "birch", "cedar", "cherry", "cypress", "elder", "elm", "fir", "hazel", "holly",
    "juniper", "larch", "laurel", "lime", "maple", "mulberry", "oak", "olive", "pine", "plane", "poplar", "rowan",
    "spruce", "walnut", "willow", "yew",
)  # fmt: skip
_LARGEST_TEAM: Final = 4
_AMONG_FIRST_BROKEN: Final = 4
_AMONG_FIRST_ODD: Final = 8


class Oddity(StrEnum):
    """What is unusual about a system, if anything."""

    NONE = "nothing unusual"
    STOPS_EARLY = "stops early"
    MISSES_TOPICS = "misses topics"
    COARSE = "prints coarse scores, so has many ties"
    REVERSED = "broken: ranks in reverse"
    RANDOM = "broken: ranks at random"


_BROKEN: Final = (Oddity.REVERSED, Oddity.RANDOM)
_HARMLESS: Final = (Oddity.STOPS_EARLY, Oddity.MISSES_TOPICS, Oddity.COARSE)


class Scale(StrEnum):
    """What a system's scores look like."""

    TERM_WEIGHTS = "term weights"
    LOG_LIKELIHOOD = "log likelihood"
    PROBABILITY = "probability"

    def scores(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn the model's x into scores of this kind; a higher x never has a lower score."""
        match self:
            case Scale.TERM_WEIGHTS:
                return 18 + 4 * x
            case Scale.LOG_LIKELIHOOD:
                return x - 8
            case Scale.PROBABILITY:
                return 1 / (1 + np.exp(2 - x))


@dataclass(frozen=True)
class System:
    """A system that takes part: who made it, how good it is, and what is odd about it."""

    place: int
    name: str
    team: int
    contributes: bool  # Whether its run is among those whose first documents are judged
    quality: float
    oddity: Oddity
    scale: Scale
    decimals: int
    lengths: tuple[int, ...]  # How many documents it returns for each topic; none where it misses the topic

    @property
    def broken(self) -> bool:
        """Whether its ranking has nothing to do with relevance, or is upside down."""
        return self.oddity in _BROKEN


@dataclass(frozen=True, eq=False)
class SimulatedCollection:
    """The candidate documents of every topic: arrays of topics by documents, documents by id in byte order."""

    topics: pl.Series
    doc_ids: pl.Series  # The ids of all topics, one topic after the other
    grades: NDArray[np.int64]
    signal: NDArray[np.float64]
    noise: NDArray[np.float64]


def stream(seed: int, what: str, *places: int) -> np.random.Generator:
    """Give the random stream of one topic, team or system, or of a combination of them, whatever else there is."""
    kinds = ("campaign", "topic", "team", "system", "team and topic", "system and topic")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(kinds.index(what), *places)))


def make_collection(parameters: Parameters) -> SimulatedCollection:
    """Draw the topics, their candidate documents, and how relevant and how misleading each of these is."""
    shape = (parameters.topics, parameters.candidates)
    numbers, grades = np.empty(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    signal, noise = np.empty(shape), np.empty(shape)
    for place in range(parameters.topics):
        random = stream(parameters.seed, "topic", place)
        difficulty = random.standard_normal()
        numbers[place] = random.choice(COLLECTION_SIZE, parameters.candidates, replace=False)
        expected = np.exp(4.1 - 0.3 * difficulty + 0.9 * random.standard_normal())
        many = int(np.clip(np.round(expected), 3, parameters.candidates // 10))
        relevant = random.choice(parameters.candidates, many, replace=False)
        shares = _SHARE_OF_GRADES[parameters.top_grade]
        grades[place, relevant] = 1 + random.choice(parameters.top_grade, len(relevant), p=shares)
        signal[place] = np.exp(-0.3 * difficulty) * _SIGNAL[grades[place]]
        noise[place] = random.standard_normal(parameters.candidates)
    topics = pl.Series("query_id", [str(FIRST_TOPIC + place) for place in range(parameters.topics)])
    topic = np.repeat(np.arange(parameters.topics), parameters.candidates)
    ids = pl.DataFrame({"topic": topic, "doc_id": document_ids(pl.Series(numbers.ravel()))})
    return SimulatedCollection(topics, ids.sort("topic", "doc_id")["doc_id"], grades, signal, noise)


def make_systems(parameters: Parameters) -> tuple[System, ...]:
    """Draw the systems, team by team."""
    dealt = _dealt_oddities(parameters.seed)
    systems: list[System] = []
    while len(systems) < parameters.systems:
        team = systems[-1].team + 1 if systems else 0
        random = stream(parameters.seed, "team", team)
        members = int(random.integers(1, _LARGEST_TEAM, endpoint=True))
        quality = _TYPICAL_QUALITY * float(np.exp(0.12 * random.standard_normal()))
        for member in range(members):
            # A team has the first half of its runs judged, as if it had been asked which ones matter to
            # it; of all of them, so that a run's place in the pool does not depend on how many enter.
            contributes, place = 2 * member < members, len(systems)
            name = f"{_team_name(team)}-{'abcd'[member]}"
            system = _make_system(parameters, place, name, team, quality, dealt.get(place), contributes=contributes)
            systems.append(system)
    return tuple(systems[: parameters.systems])


def _team_name(team: int) -> str:
    """Name a team; the names begin again, numbered, when they have all been used.

    >>> _team_name(0), _team_name(29)
    ('alder', 'alder2')
    """
    turn, place = divmod(team, len(_TEAMS))
    return _TEAMS[place] + (str(turn + 1) if turn else "")


def _dealt_oddities(seed: int) -> dict[int, Oddity]:
    """Choose, among the first systems, the broken one and one of each harmless kind.

    >>> places = _dealt_oddities(7)
    >>> len(places), min(place for place in places if places[place] in _BROKEN) < 4
    (4, True)
    """
    random = stream(seed, "campaign")
    broken = int(random.integers(_AMONG_FIRST_BROKEN))
    others = [place for place in range(_AMONG_FIRST_ODD) if place != broken]
    harmless = random.permutation(others)[: len(_HARMLESS)].tolist()
    return {broken: _BROKEN[random.integers(len(_BROKEN))], **dict(zip(harmless, _HARMLESS, strict=True))}


def _make_system(
    parameters: Parameters, place: int, name: str, team: int, of_team: float, dealt: Oddity | None, *, contributes: bool
) -> System:
    random = stream(parameters.seed, "system", place)
    quality = of_team * float(np.exp(0.10 * random.standard_normal()))
    scale = list(Scale)[random.integers(len(Scale))]
    drawn = (Oddity.NONE, *_HARMLESS)[random.choice(4, p=[0.8, 0.06, 0.06, 0.08])]
    oddity = dealt or (drawn if place >= _AMONG_FIRST_ODD else Oddity.NONE)
    return System(
        place=place,
        name=name,
        team=team,
        contributes=contributes,
        quality=quality,
        oddity=oddity,
        scale=scale,
        decimals=4 if oddity is not Oddity.COARSE else 2 if scale is Scale.PROBABILITY else 1,
        lengths=tuple(_lengths(parameters, oddity, random).tolist()),
    )


def _lengths(parameters: Parameters, oddity: Oddity, random: np.random.Generator) -> NDArray[np.int64]:
    lengths = np.full(parameters.topics, parameters.depth)
    if oddity is Oddity.STOPS_EARLY:
        drawn = np.round(parameters.depth * random.beta(2, 5, size=parameters.topics)).astype(np.int64)
        lengths = np.clip(drawn, 1, max(1, parameters.depth - 1))
    if oddity is Oddity.MISSES_TOPICS and parameters.topics > 1:
        missed = min(int(random.integers(1, 2, endpoint=True)), parameters.topics - 1)
        lengths[random.choice(parameters.topics, missed, replace=False)] = 0
    return lengths


def retrieve(
    parameters: Parameters, collection: SimulatedCollection, system: System
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Let a system rank each topic's candidates: the best, by their places, and scores, (topics, depth), x falling."""
    x = _match(parameters, collection, system)
    best = np.argpartition(-x, parameters.depth - 1, axis=1)[:, : parameters.depth]
    order = np.argsort(-np.take_along_axis(x, best, axis=1), axis=1, kind="stable")
    documents = np.take_along_axis(best, order, axis=1)
    return documents, np.round(system.scale.scores(np.take_along_axis(x, documents, axis=1)), system.decimals)


def _match(parameters: Parameters, collection: SimulatedCollection, system: System) -> NDArray[np.float64]:
    """Compute x for one system by the formula: an array of topics by documents."""
    x = np.empty((parameters.topics, parameters.candidates))
    for topic in range(parameters.topics):
        own = stream(parameters.seed, "system and topic", system.place, topic)
        fit = np.exp(0.2 * own.standard_normal())
        own_noise = own.standard_normal(parameters.candidates)
        if system.oddity is Oddity.RANDOM:
            x[topic] = own_noise
            continue
        of_team = stream(parameters.seed, "team and topic", system.team, topic)
        x[topic] = (
            system.quality * fit * collection.signal[topic]
            + _DOCUMENT_NOISE * collection.noise[topic]
            + _TEAM_NOISE * of_team.standard_normal(parameters.candidates)
            + _OWN_NOISE * own_noise
        )
    return -x if system.oddity is Oddity.REVERSED else x


# Size of each source, close to the sizes of the sources on TREC disks 4 and 5.
_FINANCIAL_TIMES: Final = 16 * 13_135
_FBIS: Final = 130_000
_LA_TIMES: Final = 24 * 28 * 196
_FEDERAL_REGISTER: Final = 12 * 28 * 165

COLLECTION_SIZE: Final = _FINANCIAL_TIMES + _FBIS + _LA_TIMES + _FEDERAL_REGISTER


def document_ids(numbers: pl.Series) -> pl.Series:
    """Give the ids of documents by their number in the collection, from 0 to ``COLLECTION_SIZE - 1``, all different.

    >>> document_ids(pl.Series([0, 13_135, 220_000, 400_000, 520_000])).to_list()
    ['FT911-1', 'FT912-1', 'FBIS3-9841', 'LA112689-0061', 'FR941112-0-00114']
    """
    sources: Mapping[int, Callable[[pl.Expr], pl.Expr]] = {
        _FINANCIAL_TIMES: lambda n: pl.format("FT9{}{}-{}", n // (4 * 13_135) + 1, n // 13_135 % 4 + 1, n % 13_135 + 1),
        _FBIS: lambda n: pl.format("FBIS{}-{}", n // (_FBIS // 2) + 3, n % (_FBIS // 2) + 1),
        _LA_TIMES: lambda n: pl.format("LA{}{}-{}", _day(n // 196), n // (336 * 196) + 89, _zeros(n % 196 + 1, 4)),
        _FEDERAL_REGISTER: lambda n: pl.format("FR94{}-0-{}", _day(n // 165), _zeros(n % 165 + 1, 5)),
    }
    cases, start = [], 0
    for size, written in sources.items():
        cases.append(pl.when(pl.col("number") < start + size).then(written(pl.col("number") - start)))
        start += size
    return numbers.cast(pl.Int64).rename("number").to_frame().select(doc_id=pl.coalesce(cases)).to_series()


def _day(day: pl.Expr) -> pl.Expr:
    """Write month and day of months of 28 days."""
    return pl.format("{}{}", _zeros(day // 28 % 12 + 1, 2), _zeros(day % 28 + 1, 2))


def _zeros(number: pl.Expr, width: int) -> pl.Expr:
    return number.cast(pl.String).str.zfill(width)

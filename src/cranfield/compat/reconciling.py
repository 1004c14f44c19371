"""Which way of computing makes these numbers? Every setting of a grid is tried, and those that fit are named."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import compress, product
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, cast

import numpy as np

from cranfield.formats import QrelsLike, RunsLike
from cranfield.formats.files import FilePath
from cranfield.formats.loading import load
from cranfield.judged.rankings import JudgedRankings, ideal_rankings
from cranfield.measures.framework.measure import REGISTRY, Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import shown
from cranfield.plumbing.wording import counted, named
from cranfield.results.result import Result
from cranfield.scoring.judged_runs import JudgedRuns, Progress, join

_ORDERS: Final = {
    "score": "ties by document id, scores in 64 bits",
    "trec9": "ties by document id, scores in 32 bits (trec_eval 9)",
    "stable": "ties in the order of the lines",
    "file": "in the order of the lines, not of the scores",
}
_TOPICS: Final = {
    "all": "all topics of the qrels, a missing one 0",
    "shared": "the topics that the run has",
    "with relevant": "the topics with a relevant document, a missing one 0",
    "shared, with relevant": "the topics that the run has, with a relevant document",
}
ROUNDINGS: Final = ("rounded", "cut off")
MOST_SHOWN: Final = 20
"""Settings that people are shown."""
FEW_DIGITS: Final = 4
"""A single value of fewer digits names no setting alone."""
_CLOSE: Final = 1e-9

Values: TypeAlias = Mapping[tuple[str, str, str], str]
"""What is to be explained, as it was printed: by run, measure and topic; the topic is ``all`` for a mean."""


class Setting(NamedTuple):
    """One point of the grid; the settings come with the most usual first."""

    order: str
    exclude: str
    topics: str
    rel: float | None
    judged_only: bool
    rounding: str

    @property
    def unusual(self) -> int:
        """Count what is not as it usually is."""
        usual = Setting("score", "", "all", None, judged_only=False, rounding="rounded")
        return sum(mine != theirs for mine, theirs in zip(self, usual, strict=True)) - (self.order == "trec9")

    @property
    def says(self) -> str:
        """Say what is not as it usually is."""
        parts = [
            _ORDERS[self.order] if self.order != "score" else "",
            f"over {_TOPICS[self.topics]}" if self.topics != "all" else "",
            f"relevant from grade {self.rel:g}" if self.rel is not None else "",
            "unjudged documents removed" if self.judged_only else "",
            "the topic's own document removed" if self.exclude else "",
            "digits cut off" if self.rounding == "cut off" else "",
        ]
        return "; ".join(filter(None, parts))


@dataclass(frozen=True, eq=False, repr=False)
class Reconciled(Result, keys=2):
    """The ways of computing that make given numbers, the most usual first.

    Attributes
    ----------
    rows
        A row for each way and measure: columns way (numbered from 1, those of all measures together), measure,
        variant, order, exclude, topics, rel, judged_only, rounding, says, alike (how many more ways give the same
        on every topic of these runs).
    values
        How many numbers were to be explained.
    digits
        The fewest digits that any of them has after the point.
    tried
        How many ways were tried, of the measure with the most.
    chance
        Of random numbers from 0 to 1 with as many digits, the share that some way would have met; of several
        numbers the most that it can be.
    parting
        A topic by which the ways that fit can be told apart, and their least and largest value on it; None where
        they agree on every topic, or only one fits.
    """

    rows: pl.DataFrame
    values: int
    digits: int
    tried: int
    chance: float
    parting: tuple[str, str, float, float] | None

    def __repr__(self) -> str:
        return f"Reconciled({counted(self.ways, 'way')} of {self.tried:,})"

    @property
    def ways(self) -> int:
        """How many ways make all the numbers."""
        return self.rows["way"].n_unique()

    @property
    def unsure(self) -> bool:
        """Whether so few digits were given that the answer means little."""
        return self.ways > 0 and self.values == 1 and self.digits < FEW_DIGITS

    def table(self, **which: Any) -> pl.DataFrame:
        """Return the most usual ways."""
        parts = pl.concat_list("variant", "says").list.eval(pl.element().filter(pl.element() != "")).list.join("; ")
        computed = pl.when(parts == "").then(pl.lit("as usual")).otherwise(parts)
        return self.rows.filter(pl.col("way") <= MOST_SHOWN).select(
            "way", "measure", computed.alias("computed"), "alike"
        )

    def caption(self, **which: Any) -> str:
        """Say how many ways there are, and how much that means."""
        what, random = "the number", f"a random number from 0 to 1 of {counted(self.digits, 'digit')}"
        if self.values > 1:
            what, random = f"the {self.values:,} numbers", f"{self.values:,} random numbers of {self.digits} digits"
        if self.ways == 0:
            return f"None of {self.tried:,} ways of computing makes {what}."
        at_most = "at most " if self.values > 1 else ""
        made = (
            f"{counted(self.ways, 'way')} of computing ({self.tried:,} were tried) "
            f"{'make' if self.ways > 1 else 'makes'} {what}; ways that give the same on every topic here count once "
            f"(alike: how many more). As usual: ties by document id, all topics of the qrels, grades above 0 relevant. "
            f"Some way would have met {random} {at_most}{_percent(self.chance)} of the time."
        )
        if self.unsure:
            made += (
                f" A single number of fewer than {FEW_DIGITS} digits names no way alone: give more digits, or a table."
            )
        if self.ways > MOST_SHOWN:
            made += f" The {MOST_SHOWN} most usual are shown."
        if self.parting is not None:
            topic, measure, least, most = self.parting
            made += f" Topic {topic} would part them: by {measure} they say {least:.4f} to {most:.4f}."
        return made


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share >= 1e-4 else "less than 0.01 %"


def reconcile(
    values: str | float | Values | Path,
    qrels: QrelsLike,
    runs: RunsLike,
    measure: str | Measure | None = None,
    *,
    progress: Progress | None = None,
) -> Reconciled:
    """Which way of computing makes these numbers, all of them at once?

    Tried are the order of ties and of documents, the lowest relevant grade, which topics are averaged over, unjudged
    documents removed or not, the topic's own document removed or not, numbers rounded or cut off, and of each measure
    what tools are known to compute under its name: other gains and discounts, an ideal list of what was retrieved,
    other denominators.

    Parameters
    ----------
    values
        One number as it was printed (``"0.4523"``: its digits count), a CSV file with columns run, measure and value,
        and topic where the values are by topic, or ``{(run, measure, topic): text}`` with topic ``"all"`` for a mean.
    qrels, runs
        As for `evaluate`; one run for a single number.
    measure
        What the single number is called, such as ``"nDCG@10"``; of a table it replaces the column.
    progress
        As in `evaluate`.

    Returns
    -------
    The ways that make all numbers, how many were tried, and how many random numbers these would have met.

    Raises
    ------
    InputError
        Where a number is none, a run is not there, or the qrels or runs cannot be read.

    Examples
    --------
    Of a list shorter than 5, precision is divided by what there is:

    >>> found = reconcile("0.5000", {"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}, "P@5")
    >>> found.ways > 0, set(found.rows["variant"])
    (True, {'divided by the length of the list'})
    """
    readings = list(_readings(qrels, runs, progress))
    joined = readings[0][2]
    wanted = _wanted(values, joined.runs, joined.topics, measure)
    found = {name: _ways(parse_measure(name), readings) for name in dict.fromkeys(each.measure for each in wanted)}
    of = {name: [each for each in wanted if each.measure == name] for name in found}
    numbers = {name: np.array([way.numbers(of[name]) for way in ways]) for name, ways in found.items()}
    fitting: dict[Setting, dict[str, list[Way]]] = {}
    for name, ways in found.items():
        for rounding, fits in _fitting(numbers[name], of[name]).items():
            for way in compress(ways, fits.tolist()):
                by_measure = fitting.setdefault(way.setting._replace(rounding=rounding), {})
                by_measure.setdefault(name, []).append(way)
    together = {setting: by for setting, by in fitting.items() if len(by) == len(found)}
    digits = min(each.digits for each in wanted)
    chances = [_met(numbers[name], digits) / (10.0**digits + 1) ** len(of[name]) for name in found]
    return Reconciled(
        _rows(together),
        len(wanted),
        digits,
        max(len(ways) for ways in found.values()) * len(ROUNDINGS),
        math.prod(min(1.0, chance) for chance in chances),
        _parting([(name, way) for by in together.values() for name, ways in by.items() for way in ways]),
    )


class Stated(NamedTuple):
    """A number to be explained, as it was printed: of which run (its place), measure and topic (None for the mean)."""

    run: int
    measure: str
    topic: str | None
    text: str

    @property
    def digits(self) -> int:
        """How many digits stand after the point."""
        return max(0, -int(Decimal(self.text).as_tuple().exponent))


class Way(NamedTuple):
    """A way of computing a measure: its setting, what is unusual about the measure, and what it gives."""

    setting: Setting
    variant: str
    topics: tuple[str, ...]
    values: Floats
    counted: Booleans

    @property
    def means(self) -> Floats:
        """The mean of each run."""
        means: Floats = np.where(self.counted, self.values, 0.0).sum(axis=1) / np.maximum(1, self.counted.sum(axis=1))
        return means

    @property
    def given(self) -> bytes:
        """What it gives, topics and means: equal where two ways are the same on these runs."""
        return (np.column_stack([self.values, self.means]) / _CLOSE).round().tobytes()

    def numbers(self, wanted: Sequence[Stated]) -> list[float]:
        """Return its means, and values by topic."""
        means = self.means
        return [
            float(means[each.run] if each.topic is None else self.values[each.run, self.topics.index(each.topic)])
            for each in wanted
        ]


Reading: TypeAlias = tuple[str, str, JudgedRuns]


def _readings(qrels: QrelsLike, runs: RunsLike, progress: Progress | None) -> Iterator[Reading]:
    """Join the runs in each order, with the topics' own documents and, where there are any, without."""
    for order in _ORDERS:
        joined = join(qrels, runs, order=order, progress=progress)  # type: ignore[arg-type]  # they are orders
        yield order, "", joined
        if any(run.own for run in joined.audit.runs):
            yield order, "self", join(qrels, runs, order=order, exclude="self")  # type: ignore[arg-type]


def _ways(measure: Measure, readings: Sequence[Reading]) -> list[Way]:
    """Compute a measure in all ways."""
    levels: list[float | None] = [None]
    if measure.takes_level:
        grades = np.unique(readings[0][2].judgments.grade)
        levels += [float(grade) for grade in grades[grades > 0][1:]]
    found = []
    for order, exclude, joined in readings:
        for judged_only, rel in product((False, True), levels):
            asked = measure if rel is None else measure.with_level(rel)
            batches = [batch.condensed() if judged_only else batch for batch in joined.batches]
            present = joined.present
            some = np.broadcast_to(joined.judgments.recall_base(rel) > 0, present.shape)
            everywhere = np.ones_like(present)
            counted = dict(zip(_TOPICS, (everywhere, present, some, present & some), strict=True))
            for variant, compute in _variants(asked):
                rows = np.concatenate([np.where(batch.present, compute(batch), 0.0) for batch in batches])
                values = rows.reshape(present.shape)
                found += [
                    Way(Setting(order, exclude, topics, rel, judged_only, ""), variant, joined.topics, values, those)
                    for topics, those in counted.items()
                ]
    return found


def _variants(measure: Measure) -> Iterator[tuple[str, Callable[[JudgedRankings], Floats]]]:
    """Give what tools compute under the name of a measure: first the measure itself, of which nothing is said."""
    yield "", measure.score
    name, k, given = type(measure).__name__, measure.cutoff, measure.given
    for says, changed in _PARAMETERS.get(name, {}).items():
        if not changed.keys() & given.keys():
            yield says, type(measure)(**given, **changed).score
    if name == "nDCG":
        for says, more in {"": {}, "gain 2^grade - 1": {"dcg": "exp-log2"}}.items():
            if not (given.keys() - {"cutoff"}) | (more.keys() & given.keys()):
                gain = REGISTRY["DCG"](**{**given, **more})
                also = f"{says}, " if says else ""
                yield f"{also}ideal list of the retrieved documents", partial(_of_retrieved, gain, None)
                if k is not None:
                    yield f"{also}ideal list of the first {k} retrieved", partial(_of_retrieved, gain, k)
        if k is not None and given.keys() == {"cutoff"}:
            gain = REGISTRY["DCG"](**given)
            yield f"ideal list not cut at {k}", partial(_of_ideal, gain, lambda ideal: REGISTRY["DCG"]().score(ideal))
            yield f"ideal list of {k} documents of the best grade", partial(_of_ideal, gain, partial(_full, k))
    rel = cast("float | None", given.get("rel"))
    if name == "P" and k is not None:
        yield "divided by the length of the list", lambda r: measure.score(r) * k / np.clip(r.length, 1, k)
    if name in {"R", "AP"} and k is not None:
        yield f"divided by at most {k}", lambda r: _rescaled(measure.score(r), r, rel, k)
    if name == "AP" or (name == "R" and k is not None):
        among = k if name == "AP" else None
        yield "divided by the relevant documents retrieved", partial(_of_found, measure, rel, among)


_PARAMETERS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "nDCG": {
        "gain 2^grade - 1": {"dcg": "exp-log2"},
        "discounted by log2(rank) from rank 2": {"base": 2},
        "discounted by log10(rank) from rank 10": {"base": 10},
    },
    "DCG": {
        "gain 2^grade - 1": {"dcg": "exp-log2"},
        "discounted by log2(rank) from rank 2": {"base": 2},
        "discounted by log10(rank) from rank 10": {"base": 10},
    },
    "ERR": {"largest grade 4, as gdeval has it": {"max_rel": 4}},
    "RBP": {"relevant or not": {"rel": 1}},
}
"""Parameters with which tools compute measures of these names."""


def _of_retrieved(gain: Measure, k: int | None, rankings: JudgedRankings) -> Floats:
    """Divide a list's gain by that of its own documents in the best order; those below k are not looked at."""
    best = gain.score(rankings.cut(k).reranked())
    return np.divide(gain.score(rankings), best, out=np.zeros_like(best), where=best > 0)


def _of_ideal(gain: Measure, best: Callable[[JudgedRankings], Floats], rankings: JudgedRankings) -> Floats:
    """Divide a list's gain by what is computed of the ideal lists of its topics."""
    judgments = rankings.judgments
    whole = rankings.of_topics(best(ideal_rankings(judgments, np.nan_to_num(judgments.grade))))
    return np.divide(gain.score(rankings), whole, out=np.zeros_like(whole), where=whole > 0)


def _full(k: int, ideal: JudgedRankings) -> Floats:
    """Give each of k ranks the gain of the best document."""
    first = REGISTRY["DCG"](cutoff=1).score(ideal)
    return first * sum(1 / math.log2(rank + 1) for rank in range(1, k + 1))


def _of_found(measure: Measure, rel: float | None, k: int | None, rankings: JudgedRankings) -> Floats:
    """Divide by the number of relevant documents in the list, and not by the recall base."""
    found = np.maximum(1.0, rankings.cut(k).relevant(rel).count)
    return measure.score(rankings) * rankings.recall_base(rel) / found


def _rescaled(values: Floats, rankings: JudgedRankings, rel: Any, k: int) -> Floats:
    """Divide by k, and no longer by the recall base, where that is larger."""
    base = rankings.recall_base(rel)
    return values * base / np.clip(base, 1, k)


def _fitting(numbers: Floats, wanted: Sequence[Stated]) -> dict[str, Booleans]:
    """Say which ways make all the numbers, by how digits were dropped; what fits rounded is not said to be cut off."""
    unit = np.array([10.0**-each.digits for each in wanted])
    above = numbers - np.array([float(each.text) for each in wanted])
    rounded = (np.abs(above) <= unit / 2 + _CLOSE).all(axis=1)
    cut_off = ((above >= -_CLOSE) & (above < unit - _CLOSE)).all(axis=1)
    return dict(zip(ROUNDINGS, (rounded, cut_off & ~rounded), strict=True))


def _met(numbers: Floats, digits: int) -> int:
    """Count the numbers of so many digits, or tuples of them, that some way prints, halves rounded up or down."""
    units = numbers * 10**digits
    up, down, cut_off = np.floor(units + 0.5 + _CLOSE), np.ceil(units - 0.5 - _CLOSE), np.floor(units + _CLOSE)
    return len(np.unique(np.concatenate([up, down, cut_off]), axis=0))


def _same(ways: Sequence[Way]) -> dict[bytes, list[Way]]:
    """Take together what gives the same, so that measures are not combined over and over."""
    found: dict[bytes, list[Way]] = {}
    for way in ways:
        found.setdefault(way.given, []).append(way)
    return found


def _rows(together: Mapping[Setting, Mapping[str, Sequence[Way]]]) -> pl.DataFrame:
    """Number the ways, those with the least that is unusual first, and take those together that give the same."""
    ways, alike = [], Counter[tuple[bytes, ...]]()
    for setting, by in together.items():
        for choice in product(*(_same(each).values() for each in by.values())):
            first = [same[0] for same in choice]
            given = tuple(each.given for each in first)
            alike[given] += math.prod(len(same) for same in choice)
            ways.append((setting.unusual + sum(bool(each.variant) for each in first), given, setting, first))
    ways.sort(key=lambda way: way[0])
    rows, seen = [], dict[tuple[bytes, ...], int]()
    for _, given, setting, first in ways:
        if given not in seen:
            seen[given] = len(seen) + 1
            shared = {**setting._asdict(), "says": setting.says, "alike": alike[given] - 1}
            rows += [
                {"way": seen[given], "measure": name, "variant": each.variant, **shared}
                for name, each in zip(together[setting], first, strict=True)
            ]
    schema = {"way": pl.Int64, "measure": pl.String, "variant": pl.String, "order": pl.String, "exclude": pl.String,
              "topics": pl.String, "rel": pl.Float64, "judged_only": pl.Boolean, "rounding": pl.String,
              "says": pl.String, "alike": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=schema)


def _parting(ways: Sequence[tuple[str, Way]]) -> tuple[str, str, float, float] | None:
    """Find the topic on which the ways that fit differ most, of any measure."""
    found = None
    for name in dict.fromkeys(name for name, _ in ways):
        of = [way for each, way in ways if each == name]
        values = np.array([way.values for way in of])
        spread = values.max(axis=0) - values.min(axis=0)
        run, topic = np.unravel_index(int(spread.argmax()), spread.shape)
        if spread[run, topic] > _CLOSE and (found is None or spread[run, topic] > found[3] - found[2]):
            least, most = float(values[:, run, topic].min()), float(values[:, run, topic].max())
            found = (of[0].topics[topic], name, least, most)
    return found


def _wanted(values: object, runs: Sequence[str], topics: Sequence[str], measure: str | Measure | None) -> list[Stated]:
    """Read what is to be explained, and refuse what is not there."""
    if isinstance(values, Mapping):
        if not all(isinstance(key, tuple) and len(key) == len(Stated._fields) - 1 for key in values):
            raise InputError("numbers are given by (run, measure, topic), the topic 'all' for a mean")
        given = [(*map(str, key), str(text)) for key, text in values.items()]
    elif isinstance(values, Path) or (isinstance(values, str) and not _is_number(values)):
        given = list(_read(values, None if measure is None else str(measure)))
    else:
        if len(runs) != 1:
            raise InputError(f"a single number is that of one run; {len(runs)} were given: put a table in its place")
        if measure is None:
            raise InputError("say what the number is called: a measure such as nDCG@10")
        given = [(runs[0], str(measure), "all", str(values))]
    if not given:
        raise InputError("there is no number to be explained")
    places = {run: place for place, run in enumerate(runs)}
    for run, _, topic, text in given:
        if run not in places:
            raise InputError(f"there is no run {shown(run)}; there are {named(list(runs))}")
        if topic != "all" and topic not in topics:
            raise InputError(f"the qrels have no topic {shown(topic)}; they have {named(list(topics))}")
        if not _is_number(text):
            raise InputError(f"{shown(text)} is not a number")
    return [Stated(places[run], name, None if topic == "all" else topic, text) for run, name, topic, text in given]


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _read(path: FilePath, measure: str | None) -> Iterator[tuple[str, str, str, str]]:
    """Read a CSV file with columns run, measure, value and perhaps topic: its numbers as they are printed."""
    try:
        held = load(path)
    except InputError as error:
        problem = f"neither a number nor a CSV file that can be read: {error.problem}"
        raise InputError(problem, source=error.source) from None
    [(_, header), *rows] = held.rows(",") or [(1, [])]
    needed = {"run", "value"} | (set() if measure else {"measure"})
    if not rows or not needed <= {*header}:
        raise held.wrong(f"a table of numbers has the columns {named(sorted(needed))}", 1)
    for line, cells in rows:
        if len(cells) != len(header):
            raise held.wrong(f"{counted(len(cells), 'cell')}, where the header has {len(header)}", line)
        row = dict(zip(header, cells, strict=True))
        if not _is_number(row["value"]):
            raise held.wrong(f"{shown(row['value'])} is not a number", line)
        yield row["run"], measure or row["measure"], row.get("topic") or "all", row["value"]

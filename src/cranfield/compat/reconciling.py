"""Which way of computing makes these numbers? Every setting of a grid is tried, and those that fit are named."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from cranfield.compat.printed_numbers import Known, Stated, Stating, Values, stated
from cranfield.compat.ways import MOST_UNUSUAL, ROUNDINGS, Setting, WayOfComputing, readings, ways
from cranfield.formats import QrelsLike, RunsLike
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import SEED
from cranfield.plumbing.wording import counted, named, percent
from cranfield.results.result import Result
from cranfield.scoring.judged_runs import Progress

MOST_SHOWN: Final = 20  # Settings that people are shown
NEAR: Final = 0.003
"""Random numbers like the given ones lie no further than this from what a way makes; of values above 1, the share."""
UNSURE: Final = 0.05  # Numbers that random ones are as often name no way by themselves
_CLOSE: Final = 1e-9
_DRAWS: Final = 4000  # So often random numbers are drawn that move together; what is met four times is 1 in 1,000
_UNIONS: Final = 200_000
"""Up to this many numbers, printed together, are counted once each; for more the sum is an upper bound."""


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
        How often some way, the usual one among them, would make random numbers like these, with as many digits.
    together
        The same of random numbers that move together as these do from topic to topic, such as nDCG@10 and nDCG@20 of
        one run: by simulation, and never less than ``chance``. None where fewer than two move so (means do).
    within
        How far these random numbers are, at most, from what the first way makes (or the nearest, where none fits).
    parting
        A topic by which the ways that fit can be told apart, and their least and largest value on it; None where
        they agree on every topic, or only one fits.
    explained
        How many of the numbers the way that makes most of them makes.
    nearest
        What that way is.
    apart
        The numbers that it does not make: columns run, measure, topic (``all`` for a mean), given, computed.
    usual
        The first number, computed as usual.
    unknown
        Headings of the table that name no run and no measure; their numbers were left out.
    """

    rows: pl.DataFrame
    values: int
    digits: int
    tried: int
    chance: float
    together: float | None
    within: float
    parting: tuple[str, str, float, float] | None
    explained: int
    nearest: str
    apart: pl.DataFrame
    usual: str
    unknown: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Reconciled({counted(self.ways, 'way')} of {self.tried:,})"

    @property
    def ways(self) -> int:
        """How many ways make all the numbers."""
        return self.rows["way"].n_unique()

    @property
    def unsure(self) -> bool:
        """Whether random numbers would be explained so often that the answer means little."""
        return self.ways > 0 and (self.together or self.chance) > UNSURE

    def table(self, **which: Any) -> pl.DataFrame:
        """Return the most usual ways; where none fits, the numbers that stand out."""
        if not self.ways:
            return self.apart if (self.apart["topic"] != "all").any() else self.apart.drop("topic")
        parts = pl.concat_list("variant", "says").list.eval(pl.element().filter(pl.element() != "")).list.join("; ")
        computed = pl.when(parts == "").then(pl.lit("as usual")).otherwise(parts)
        return self.rows.filter(pl.col("way") <= MOST_SHOWN).select(
            "way", "measure", computed.alias("computed"), "alike"
        )

    def caption(self, **which: Any) -> str:
        """Say how many ways there are, and how much that means; where none fits, which numbers stand out."""
        left = f" Left out, naming no run or measure: {named(self.unknown)}." if self.unknown else ""
        what = {1: "the number", 2: "both numbers"}.get(self.values, f"all {self.values:,} numbers")
        if self.ways == 0:
            return f"None of the {self.tried:,} ways tried reproduces {what}. {self._standing_out()}{left}"
        made = (
            f"{self.ways:,} of the {self.tried:,} ways tried {'reproduce' if self.ways > 1 else 'reproduces'} {what}. "
            "Ways with the same value on every topic count once (column alike: how many more). As usual: ties by "
            "document id, all topics of the qrels, grades above 0 relevant. Chance that some way reproduces random "
            f"numbers within {self.within:.2g} of {'this one' if self.values == 1 else 'these'}: {self._odds}."
        )
        if self.unsure:
            made += " A match may be chance: give more digits, or more numbers."
        if self.ways > MOST_SHOWN:
            made += f" The {MOST_SHOWN} most usual are shown."
        if self.parting is not None:
            topic, measure, least, most = self.parting
            made += (
                f" Topic {topic} tells them apart: its {measure} is {least:.4f} to {most:.4f}, depending on the way."
            )
        return made + left

    @property
    def _odds(self) -> str:
        """Say how often random numbers would be made; of several also where they move together."""
        alone = _rate(self.chance)
        if self.together is None:
            return alone
        together = _rate(self.together)
        if alone == together:
            return f"{alone}, whether they vary independently or together, as they do from topic to topic"
        return f"{alone} if they vary independently, {together} if together, as they do from topic to topic"

    def _standing_out(self) -> str:
        """Say which way makes most of the numbers, and which it does not make."""
        apart = self.apart
        usual = self.nearest == "as usual"
        first = "; ".join(
            f"for {measure} of {run}{'' if topic == 'all' else f' on topic {topic}'} it gives {made}, not {given}"
            for run, measure, topic, given, made in apart.head(3).iter_rows()
        )
        if self.values == 1:
            near = "" if usual else f"; {apart['computed'][0]} comes closest ({self.nearest})"
            return f"The usual way gives {self.usual}{near}."
        if not self.explained:
            return f"No way reproduces any of them; {self.nearest} comes closest."
        more = f"; and {apart.height - 3} more" if apart.height > 3 else ""
        way = "The usual way" if usual else f"One way ({self.nearest})"
        return f"{way} reproduces {self.explained} of {self.values:,}; {first}{more}."


def _rate(chance: float) -> str:
    return percent(chance) if chance >= 1e-3 else "less than 1 in 1,000"


def reconcile(
    values: str | float | Values | Path,
    qrels: QrelsLike,
    runs: RunsLike,
    measure: str | Measure | None = None,
    *,
    names: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Reconciled:
    """Which way of computing makes these numbers, all of them at once?

    Tried are the order of ties and of documents, the lowest relevant grade, which topics are averaged over, unjudged
    documents removed or not, the topic's own document removed or not, numbers rounded or cut off, and of each measure
    what tools are known to compute under its name: other gains and discounts, lower grades counting 0, a cutoff one
    rank off, an ideal list of what was retrieved, other denominators. A way departs from the usual one in at most
    three of these.

    Parameters
    ----------
    values
        One number as it was printed (``"0.4523"``: its digits count; ``"45.23"`` is a percentage of a measure that
        ends at 1), a file, or ``{(run, measure, topic): text}`` with topic ``"all"`` for a mean. A file is CSV with
        columns run, measure and value, and topic where the values are by topic; or a table as papers have it, in CSV,
        Markdown or LaTeX, with runs as rows and measures as columns or the reverse, and marks at its numbers.
    qrels, runs
        As for `evaluate`; one run for a single number.
    measure
        What the single number is called, such as ``"nDCG@10"``; of a table it replaces the column.
    names
        Which run or measure a heading of the table means, where it does not say so itself:
        ``{"BM25 (ours)": "bm25", "Quality": "nDCG@10"}``. Rows and columns that name nothing are left out, and said.
    progress
        As in `evaluate`.

    Returns
    -------
    The ways that make all numbers, how many were tried, and how many random numbers like these would have been made;
    where no way fits, the one that makes most of them, and the numbers that stand out.

    Raises
    ------
    InputError
        Where a number is none, a run is not there, or the qrels or runs cannot be read.

    Examples
    --------
    Of a list shorter than 5, precision is divided by what there is:

    >>> found = reconcile("0.5000", {"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}, "P@5")
    >>> found.ways > 0, "divided by the length of the list" in set(found.rows["variant"])
    (True, True)
    """
    read = readings(qrels, runs, progress)
    joined = read[0].joined
    stating = stated(values, Known(joined.runs, joined.topics, names or {}), measure)
    measures = {each.measure: parse_measure(each.measure) for each in stating.numbers}
    leveled = any(each.takes_level for each in measures.values())
    return explained(stating, {name: ways(each, read, leveled=leveled) for name, each in measures.items()}, joined.runs)


def explained(stating: Stating, of: Mapping[str, Sequence[WayOfComputing]], runs: Sequence[str]) -> Reconciled:
    """Say which ways make numbers, of those that were tried of each measure."""
    tried = [
        _Tried(name, [each for each in stating.numbers if each.measure == name], found) for name, found in of.items()
    ]
    fitting: dict[Setting, dict[str, list[WayOfComputing]]] = {}
    for each in tried:
        for rounding, fits in each.fits.items():
            for place in np.flatnonzero(fits.all(axis=1)).tolist():
                way = each.ways[place]
                fitting.setdefault(way.setting._replace(rounding=rounding), {}).setdefault(each.name, []).append(way)
    together = {setting: by for setting, by in fitting.items() if len(by) == len(tried)}
    setting, places = _nearest(tried, most=True)
    if not any(each.fits[setting.rounding][place].any() for each, place in zip(tried, places, strict=True)):
        setting, places = _nearest(tried, most=False)
    near = places if together else _nearest(tried, most=False)[1]
    centre = np.concatenate([each.numbers[place] for each, place in zip(tried, near, strict=True)])
    within, chance = _chance(tried, centre)
    jointly = _together(tried, near, centre, within)
    apart = [row for each, place in zip(tried, places, strict=True) for row in each.apart(place, setting, runs)]
    schema = dict.fromkeys(("run", "measure", "topic", "given", "computed"), pl.String)
    return Reconciled(
        _rows(together),
        len(stating.numbers),
        min(each.digits for each in stating.numbers),
        max(each.count for each in tried),
        chance,
        None if jointly is None else max(chance, jointly),
        within,
        _parting([(name, way) for by in together.values() for name, ways in by.items() for way in ways]),
        len(stating.numbers) - len(apart),
        _said(setting, tried, places),
        pl.DataFrame(apart, schema, orient="row"),
        tried[0].wanted[0].shown(tried[0].numbers[0][0]),
        stating.unknown,
    )


@dataclass(frozen=True)
class _Tried:
    """What was tried of one measure: the numbers that were stated, the ways, and what each of these makes of them."""

    name: str
    wanted: Sequence[Stated]
    ways: Sequence[WayOfComputing]

    @cached_property
    def numbers(self) -> Floats:
        """Array of shape (ways, numbers)."""
        topics, runs = self.ways[0].topics, np.array([each.run for each in self.wanted])
        of = np.array([-1 if each.topic is None else topics.index(each.topic) for each in self.wanted])
        return np.array([np.where(of < 0, way.means[runs], way.values[runs, of]) for way in self.ways])

    @cached_property
    def unit(self) -> Floats:
        """What the last digit of each number stands for."""
        return np.array([10.0**-each.digits for each in self.wanted])

    @cached_property
    def given(self) -> Floats:
        """The numbers that were stated."""
        return np.array([each.number for each in self.wanted])

    @cached_property
    def room(self) -> Booleans:
        """Whether a way may be unusual in its digits, too."""
        return np.array([way.setting.unusual + way.unusual < MOST_UNUSUAL for way in self.ways])

    @property
    def count(self) -> int:
        """How many ways there are, with digits cut off or not."""
        return len(self.ways) + int(self.room.sum())

    @cached_property
    def fits(self) -> Mapping[str, Booleans]:
        """Which numbers each way makes, by how digits were dropped."""
        above = self.numbers - self.given
        rounded = np.abs(above) <= self.unit / 2 + _CLOSE
        cut_off = (above >= -_CLOSE) & (above < self.unit - _CLOSE) & self.room[:, None]
        return dict(zip(ROUNDINGS, (rounded, cut_off), strict=True))

    @cached_property
    def printed(self) -> Mapping[str, Floats]:
        """What each way prints, in units of the last digit."""
        units = self.numbers / self.unit
        return dict(zip(ROUNDINGS, (np.floor(units + 0.5 + _CLOSE), np.floor(units + _CLOSE)), strict=True))

    def met(self, random: Floats) -> Iterator[tuple[Setting, Booleans]]:
        """Tell, for each setting, which draws of random numbers some way makes: array of shape (draws,)."""
        for rounding, printed in self.printed.items():
            by: dict[Setting, set[bytes]] = {}
            for place in np.flatnonzero(self.room | (rounding == ROUNDINGS[0])).tolist():
                by.setdefault(self.ways[place].setting._replace(rounding=rounding), set()).add(printed[place].tobytes())
            known = dict.fromkeys(map(frozenset, by.values()))
            drawn = [row.tobytes() for row in random]
            met = {cells: np.array([each in cells for each in drawn]) for cells in known}
            yield from ((setting, met[frozenset(cells)]) for setting, cells in by.items())

    @cached_property
    def far(self) -> Floats:
        """How far each way is, at most, from what was stated; of values above 1, as a share."""
        far: Floats = (np.abs(self.numbers - self.given) / np.maximum(1, np.abs(self.given))).max(axis=1)
        return far

    def apart(self, place: int, setting: Setting, runs: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Give the numbers that a way does not make, with what it computes."""
        fits = self.fits[setting.rounding][place]
        for each, made, fit in zip(self.wanted, self.numbers[place], fits, strict=True):
            if not fit:
                yield runs[each.run], self.name, each.topic or "all", each.text, each.shown(made)


def _nearest(tried: Sequence[_Tried], *, most: bool) -> tuple[Setting, list[int]]:
    """Find the way that makes most numbers, of these the most usual and the nearest: its place for each measure."""
    best: dict[Setting, dict[str, tuple[int, int, float, int]]] = {}
    for each in tried:
        for rounding, fits in each.fits.items():
            made = fits.sum(axis=1).tolist()
            for place, (way, many, far) in enumerate(zip(each.ways, made, each.far.tolist(), strict=True)):
                if rounding == ROUNDINGS[0] or each.room[place]:
                    of = best.setdefault(way.setting._replace(rounding=rounding), {})
                    best_first = (-many, way.unusual, far, place) if most else (0, 0, far, place)
                    of[each.name] = min(of.get(each.name, best_first), best_first)
    whole = {setting: list(of.values()) for setting, of in best.items() if len(of) == len(tried)}

    def rank(setting: Setting) -> tuple[int, int, float]:
        made = sum(many for many, *_ in whole[setting])
        unusual = setting.unusual + sum(unusual for _, unusual, *_ in whole[setting])
        return made, unusual if most else 0, max(far for *_, far, _ in whole[setting])

    setting = min(whole, key=rank)
    return setting, [place for *_, place in whole[setting]]


def _said(setting: Setting, tried: Sequence[_Tried], places: Sequence[int]) -> str:
    """Say what a way is, of each measure where there are several."""
    variants = {each.name: each.ways[place].variant for each, place in zip(tried, places, strict=True)}
    of_measures = [says if len(tried) == 1 else f"{name}: {says}" for name, says in variants.items() if says]
    return "; ".join([*of_measures, *filter(None, [setting.says])]) or "as usual"


def _chance(tried: Sequence[_Tried], centre: Floats) -> tuple[float, float]:
    """Return how far random numbers lie from a way's, and how often some way makes all of them, digits and all.

    Each number is what the way makes plus what is drawn evenly from both sides, as far as the given ones lie from it
    and at least `NEAR`. What is printed is a cell, so that the chance is a sum over the cells that some way prints.
    """
    given, unit = (np.concatenate([getattr(each, name) for each in tried]) for name in ("given", "unit"))
    scale = np.maximum(1, np.abs(given))
    # Draws from -d to d have the mean square d² / 3, and rounding adds unit² / 12; the way was the nearest of many.
    square = (((given - centre) ** 2 - unit**2 / 12) / scale**2).mean()
    within = max(NEAR, math.sqrt(3 * max(0.0, float(square))) * (1 + 1 / len(given)))
    low, high = centre - within * scale, centre + within * scale
    places = np.cumsum([0, *(len(each.wanted) for each in tried)])
    by: dict[Setting, dict[str, dict[bytes, float]]] = {}
    for each, first, end in zip(tried, places, places[1:], strict=False):
        for rounding, printed in each.printed.items():
            below = np.maximum(low[first:end], (printed - 0.5) * each.unit)
            above = np.minimum(high[first:end], (printed + 0.5) * each.unit)
            share = (np.maximum(0, above - below) / (high - low)[first:end]).prod(axis=1)
            for place in np.flatnonzero((share > 0) & (each.room | (rounding == ROUNDINGS[0]))).tolist():
                of = by.setdefault(each.ways[place].setting._replace(rounding=rounding), {}).setdefault(each.name, {})
                of[printed[place].tobytes()] = float(share[place])
    sets = {tuple(frozenset(of.items()) for of in each.values()) for each in by.values() if len(each) == len(tried)}
    if sum(math.prod(map(len, each)) for each in sets) > _UNIONS:
        return within, min(1.0, sum(math.prod(sum(share for _, share in of) for of in each) for each in sets))
    cells = {
        tuple(cell for cell, _ in chosen): math.prod(share for _, share in chosen)
        for each in sets
        for chosen in product(*each)
    }
    return within, min(1.0, sum(cells.values()))


def _together(tried: Sequence[_Tried], near: Sequence[int], centre: Floats, within: float) -> float | None:
    """Return how often some way makes all of many random numbers that move together, by simulation.

    Each lies as far from the way's number as in `_chance`. They move together as they would if other topics weighed
    more: as they are correlated over the topics. Values of single topics move on their own.
    """
    from scipy.special import ndtr

    over_topics = np.concatenate(
        [[each.ways[place].values[it.run] for it in each.wanted] for each, place in zip(tried, near, strict=True)]
    )
    moving = np.array([it.topic is None for each in tried for it in each.wanted]) & (np.ptp(over_topics, axis=1) > 0)
    if moving.sum() < 2:
        return None
    alike = np.eye(len(centre))
    alike[np.ix_(moving, moving)] = np.corrcoef(over_topics[moving])
    drawn = np.random.default_rng(SEED).multivariate_normal(np.zeros(len(centre)), alike, _DRAWS, method="eigh")
    far = (2 * ndtr(drawn) - 1) * within * np.maximum(1, np.abs(np.concatenate([each.given for each in tried])))
    numbers = np.split(centre + far, np.cumsum([len(each.wanted) for each in tried])[:-1], axis=1)
    made: dict[Setting, list[Booleans]] = {}
    for each, random in zip(tried, numbers, strict=True):
        for setting, met in each.met(np.floor(random / each.unit + 0.5) + 0.0):
            made.setdefault(setting, []).append(met)
    some = [np.logical_and.reduce(met) for met in made.values() if len(met) == len(tried)]
    return float(np.logical_or.reduce(some).mean()) if some else 0.0


def _same(ways: Sequence[WayOfComputing]) -> dict[bytes, list[WayOfComputing]]:
    """Take together what gives the same, so that measures are not combined over and over."""
    found: dict[bytes, list[WayOfComputing]] = {}
    for way in ways:
        found.setdefault(way.given, []).append(way)
    return found


def _rows(together: Mapping[Setting, Mapping[str, Sequence[WayOfComputing]]]) -> pl.DataFrame:
    """Number the ways, those with the least that is unusual first, and take those together that give the same."""
    ways, alike = [], Counter[tuple[bytes, ...]]()
    for setting, by in together.items():
        for choice in product(*(_same(each).values() for each in by.values())):
            first = [same[0] for same in choice]
            given = tuple(each.given for each in first)
            alike[given] += math.prod(len(same) for same in choice)
            ways.append((setting.unusual + sum(each.unusual for each in first), given, setting, first))
    ways.sort(key=lambda way: way[0])
    rows, seen = [], dict[tuple[bytes, ...], int]()
    for _, given, setting, first in ways:
        if given not in seen:
            seen[given] = len(seen) + 1
            shared = {**setting._asdict(), "alike": alike[given] - 1}
            rows += [
                {
                    "way": seen[given],
                    "measure": name,
                    "variant": each.variant,
                    "says": _of(name, setting).says,
                    **shared,
                }
                for name, each in zip(together[setting], first, strict=True)
            ]
    schema = {"way": pl.Int64, "measure": pl.String, "variant": pl.String, "order": pl.String, "exclude": pl.String,
              "topics": pl.String, "rel": pl.Float64, "judged_only": pl.Boolean, "rounding": pl.String,
              "says": pl.String, "alike": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=schema)


def _of(name: str, setting: Setting) -> Setting:
    """Leave out of a setting what a measure does not heed: a level of relevance, where grades count."""
    return setting if parse_measure(name).takes_level or "relevant" in setting.topics else setting._replace(rel=None)


def _parting(ways: Sequence[tuple[str, WayOfComputing]]) -> tuple[str, str, float, float] | None:
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

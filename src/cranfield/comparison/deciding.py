"""Two runs by some measures: the margins, what judging could do to each difference, and what is concluded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from cranfield.measures.framework.measure import Measure
from cranfield.pairs.pair import Pair, Rivals, fewest, resembling
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, did_you_mean, named
from cranfield.scoring.grouping import Group
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel
from cranfield.statistics.conclusions import Conclusions, MeanDifferences, Paired, Together, check_margin, conclude
from cranfield.statistics.intervals import within
from cranfield.statistics.on_paper import side
from cranfield.statistics.usual import FEW_UNITS

BASE, NEW = 0, 1
"""The places of both runs in a panel."""


@dataclass(frozen=True, eq=False)
class OpenLead:
    """What the unjudged documents could do to the difference of two runs by a measure, more being better."""

    least: Floats
    """By topic: the difference where the unjudged documents down to the cutoff, in either list, speak against the new
    run."""
    most: Floats  # Where they speak for it
    bounds: tuple[float, float] | None = None
    """Between what the mean lies, whatever was retrieved counting; None of logarithms, or where nothing is relevant."""
    pair: Pair | None = None  # The new run and the base, where documents can be named

    @classmethod
    def of(cls, rivals: Rivals, measure: Measure, one: int = NEW, other: int = BASE) -> OpenLead:
        """Look at the joint completions of both lists."""
        # Judging these lists says nothing of longer ones: of RBP, say, what could follow their ends stays out.
        pair = rivals.of(measure, one, other).of_what_is_listed()
        first = pair.to_depth()
        ends = first.least_by_topic(), -first.turned().least_by_topic()
        scaled = pair.judgments.top_grade > 0  # where nothing is relevant nobody knows by what gains are scaled
        return cls(*ends, (pair.least(), pair.most()) if scaled else None, pair)


def opened(panel: Panel, rivals: Rivals | None, measures: Sequence[Measure]) -> list[OpenLead]:
    """Ask of each measure what judging could do; nothing where lists are condensed, or are not there (no rivals)."""
    found = []
    for m in range(len(panel.measures)):
        apart = panel.values[m, NEW] - panel.values[m, BASE]
        if rivals is not None and not panel.logarithmic[m]:
            found.append(OpenLead.of(rivals, measures[m]))
        elif rivals is None or panel.limits is None:
            found.append(OpenLead(apart, apart))
        else:
            worst, best = panel.limits[:, m]
            same = rivals.of(measures[m], NEW, BASE).of_what_is_listed().same
            found.append(OpenLead(*np.where(same, 0.0, (worst[NEW] - best[BASE], best[NEW] - worst[BASE]))))
    return found


def completions(panel: Panel, opened: Sequence[OpenLead], seed: int) -> Callable[[int], MeanDifferences | None]:
    """Draw completions of a measure's unjudged documents, given its place, once they are asked for."""

    def drawn(at: int) -> MeanDifferences | None:
        pair = opened[at].pair
        rows = None if pair is None else resembling(pair, seed=seed)
        return None if rows is None else Paired(*panel.by_unit(rows))

    return drawn


class Decided(NamedTuple):
    """What was decided on some parts of the topics: a row for each part and measure, and what it rests on."""

    rows: pl.DataFrame
    found: Conclusions  # Of the parts that are large enough
    opened: list[OpenLead]


def decided(
    joined: JudgedRuns | None, measures: Sequence[Measure], parts: Sequence[Panel], margins: Sequence[Floats],
    alpha: float, seed: int | None, *, least_topics: int,
) -> Decided:  # fmt: skip
    """Compare the new run with the base on parts of the topics, corrected over parts and measures.

    Parts of fewer topics than ``least_topics``, or of a single cluster, have means, and no verdict; without a seed no
    completions are drawn, and without joined runs nothing is unjudged.
    """
    many, laid, draws, leads = len(parts[0].measures), [], [], list[OpenLead]()
    large = [at for at, part in enumerate(parts) if len(part.topics) >= least_topics and part.units > 1]
    for part in (parts[at] for at in large):
        condensed = joined is None or joined.grading.judged_only
        rivals = None if joined is None or condensed else Rivals(joined, part.topics, part.weight_of_topic)
        some = opened(part, rivals, measures)
        judged = part.values[:, NEW] - part.values[:, BASE]
        rows = judged, np.array([each.least for each in some]), np.array([each.most for each in some])
        laid.append([Paired(*part.by_unit(each)) for each in rows])
        draws += [] if seed is None else [partial(completions(part, some, seed), m) for m in range(many)]
        leads += some
    # All parts have rows; what was tested joins those of the large ones, and the others stay empty.
    table = pl.DataFrame(
        {
            "index": np.arange(len(parts) * many),
            "measure": [measure for part in parts for measure in part.measures],
            "base": parts[0].runs[BASE],
            "new": parts[0].runs[NEW],
            "mean_base": np.concatenate([part.means[:, BASE] for part in parts]),
            "mean_new": np.concatenate([part.means[:, NEW] for part in parts]),
            "difference": np.concatenate([part.averages[:, NEW] - part.averages[:, BASE] for part in parts]),
            "margin": np.concatenate(margins),
        }
    )
    if not large:
        none = np.zeros(0)
        nothing = Conclusions((), (), none > 0, none, none, none, none, alpha, 0, (), ())
        untested = [pl.lit(None, pl.String).alias("verdict"), pl.lit(None, pl.Float64).alias("level")]
        return Decided(table.drop("index").with_columns(untested), nothing, [])
    now, least, most = (Together(each) for each in zip(*laid, strict=True))
    allowed, ends = np.concatenate([margins[at] for at in large]), np.concatenate([parts[at].ends for at in large])
    drawn = None if seed is None else lambda at: draws[at]()
    found = conclude(now, allowed, alpha, least=least, most=most, drawn=drawn)
    tested = pl.DataFrame(
        {
            "index": [at * many + m for at in large for m in range(many)],
            "low": within(found.low, ends, differences=True),
            "high": within(found.high, ends, differences=True),
            "level": 1 - found.level,
            "p": np.concatenate([seen.p_of_t for seen, _, _ in laid]),
            "p_adjusted": found.p_adjusted,
            "p_margin": now.p(-allowed),
            "verdict": found.verdicts,
            "on_judged": found.on_judged,
            "holds": found.rungs,
        },
        nan_to_null=True,
    )
    both = table.join(tested, on="index", how="left", maintain_order="left").drop("index")
    ahead = ("measure", "base", "new", "mean_base", "mean_new", "difference", "low", "high", "margin")
    return Decided(both.select(*ahead, pl.exclude(ahead)), found, leads)


def margins_in(panel: Panel, margin: float, *, relative: bool) -> Floats:
    """Return the margin by each measure: in its unit, or as a share of the base's mean.

    A panel holds logarithms of what a geometric mean is of: a loss of a share is a distance of log(1 − share).
    """
    check_margin(margin, narrow(panel, relative=relative), relative=relative)
    if not relative:
        return np.full(len(panel.measures), margin)
    share = np.where(panel.logarithmic, 0.0, margin * np.abs(panel.averages[:, BASE]))
    return np.where(panel.logarithmic, -np.log1p(-margin), share) if panel.logarithmic.any() else share


def narrow(panel: Panel, *, relative: bool = False) -> list[str]:
    """Name the measures by which no run can lose 1 (or, of the base's mean, more than all)."""
    values = panel.direction[:, np.newaxis, np.newaxis] * panel.values
    least, most = values.min(axis=(1, 2)), values.max(axis=(1, 2))
    found = np.where(panel.logarithmic, relative, (least >= 0) & (panel.direction > 0 if relative else most <= 1))
    return [name for name, each in zip(panel.measures, found, strict=True) if each]


def to_reverse(verdict: str, one: OpenLead, margin: float) -> tuple[str, int | None, int] | None:
    """How few unjudged documents of one run, if relevant, undo the verdict on the judged ones?"""
    if one.pair is None or verdict == "undecided" or not one.pair.regradable:
        return None
    new = one.pair
    threshold = 0.0 if verdict == "better" else margin
    documents, whose, way = (new.turned().against(), "new", 1) if verdict == "worse" else (new.against(), "base", -1)
    enough = fewest(documents, lambda some: bool(way * side(new.mean(new.found(some).lead()) + threshold) >= 0))
    return (whose, enough, len(documents)) if len(documents) else None


def obstacle(found: Conclusions, at: int, units: int, unit: str) -> str:
    """Say what keeps an interval that looks decided from a verdict."""
    return {
        "": "",
        "too few units": f"too few {unit}s for any verdict: at least {found.needed}",
        "signs": f"{counted(units, unit)}: below {FEW_UNITS} a t-test needs an exact sign-flip test that agrees",
        "correction": f"not decided after Holm's correction over {counted(len(found.p), 'test')}",
    }[found.obstacles[at]]


def margins_of(asked: float | Mapping[str, float], usual: float, picked: Sequence[Group]) -> list[float]:
    """Return the margin of each group: one for all, or its own, or else the usual one."""
    if not isinstance(asked, Mapping):
        return [asked] * len(picked)
    names = list(dict.fromkeys(group.name for group in picked))
    for name in asked:
        if name not in names:
            hint = did_you_mean(name, names) or f"; choose from {named(names)}"
            raise InputError(f"group_margin names no group {name!r}{hint}")
    return [asked.get(group.name, usual) for group in picked]

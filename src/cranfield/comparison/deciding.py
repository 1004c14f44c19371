"""Two runs by some measures: the margins, what judging could do to each difference, and what is concluded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cranfield.measures.framework.measure import Measure
from cranfield.pairs.pair import Pair, Rivals, fewest
from cranfield.pairs.plausible import resembling
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.wording import counted
from cranfield.scoring.panel import Panel
from cranfield.statistics.conclusions import FEW_UNITS, Conclusions, MeanDifferences, Paired, check_margin
from cranfield.statistics.on_paper import side

BASE, NEW = 0, 1
"""The places of both runs in a panel."""


@dataclass(frozen=True, eq=False)
class OpenLead:
    """What the unjudged documents could do to the difference of two runs by a measure, more being better.

    Attributes
    ----------
    least, most
        Arrays of shape (topics,): the difference where the unjudged documents down to the measure's cutoff, in
        either list, speak against the new run, and for it.
    bounds
        Between what the mean difference lies, all documents that were retrieved counting; None where there is no
        such difference (of means of logarithms), and where no judged document is relevant.
    pair
        The new run and the base, where documents can be named.
    """

    least: Floats
    most: Floats
    bounds: tuple[float, float] | None = None
    pair: Pair | None = None

    @classmethod
    def of(cls, rivals: Rivals, measure: Measure, one: int = NEW, other: int = BASE) -> OpenLead:
        """Look at the joint completions of both lists."""
        pair = rivals.of(measure, one, other)
        first = pair.to_depth()
        ends = first.least_by_topic(), -first.turned().least_by_topic()
        scaled = pair.judgments.top_grade > 0  # where nothing is relevant nobody knows by what gains are scaled
        return cls(*ends, (pair.least(), pair.most()) if scaled else None, pair)


def opened(panel: Panel, rivals: Rivals | None, measures: Sequence[Measure]) -> list[OpenLead]:
    """Ask of each measure what judging could do; nothing where the lists are condensed (no rivals)."""
    found = []
    for m, measure in enumerate(measures):
        apart = panel.values[m, NEW] - panel.values[m, BASE]
        if rivals is None:
            found.append(OpenLead(apart, apart))
        elif panel.logarithmic[m]:
            low, high = (apart, apart) if panel.limits is None else (
                panel.limits[0][m, NEW] - panel.limits[1][m, BASE], panel.limits[1][m, NEW] - panel.limits[0][m, BASE]
            )  # fmt: skip
            found.append(OpenLead(low, high))
        else:
            found.append(OpenLead.of(rivals, measure))
    return found


def differences(panel: Panel, opened: Sequence[OpenLead]) -> tuple[MeanDifferences, MeanDifferences, MeanDifferences]:
    """Lay out the differences as judged, at the least and at the most."""
    rows = (
        panel.values[:, NEW] - panel.values[:, BASE],
        np.array([each.least for each in opened]),
        np.array([each.most for each in opened]),
    )
    judged, least, most = (Paired(each, panel.weight_of_topic) for each in rows)
    return judged, least, most


def completions(panel: Panel, opened: Sequence[OpenLead], seed: int) -> Callable[[int], MeanDifferences | None]:
    """Draw completions of a measure's unjudged documents, given its place, once they are asked for."""

    def drawn(at: int) -> MeanDifferences | None:
        pair = opened[at].pair
        rows = None if pair is None else resembling(pair, seed=seed)
        return None if rows is None else Paired(rows, panel.weight_of_topic)

    return drawn


def margins_in(panel: Panel, margin: float, *, relative: bool) -> Floats:
    """Return the margin by each measure: in its unit, or as a share of the base's mean.

    A panel holds logarithms of what a geometric mean is of: a loss of a share is a distance of log(1 − share).
    """
    inside = bool((panel.values >= 0).all() and (panel.values <= 1).all())
    bounded = bool((panel.logarithmic).any()) if relative else inside
    check_margin(margin, bounded=bounded, relative=relative)
    if not relative:
        return np.full(len(panel.measures), margin)
    share = np.where(panel.logarithmic, 0.0, margin * np.abs(panel.averages[:, BASE]))
    return np.where(panel.logarithmic, -np.log1p(-margin), share) if panel.logarithmic.any() else share


def to_reverse(verdict: str, one: OpenLead, margin: float) -> tuple[str, int | None, int] | None:
    """How few unjudged documents of one run, if relevant, undo what is said of the judged ones?"""
    if one.pair is None or verdict == "undecided" or not one.pair.regradable:
        return None
    new = one.pair
    threshold = 0.0 if verdict == "better" else margin
    if verdict == "worse":
        documents, whose = new.turned().against(), "new"
        enough = fewest(documents, lambda some: bool(side(new.mean(new.found(some).lead()) + threshold) >= 0))
    else:
        documents, whose = new.against(), "base"
        enough = fewest(documents, lambda some: bool(side(new.mean(new.found(some).lead()) + threshold) <= 0))
    return (whose, enough, len(documents)) if len(documents) else None


def obstacle(found: Conclusions, at: int, topics: int) -> str:
    """Say what keeps an interval that looks decided from a verdict."""
    return {
        "": "",
        "too few units": f"too few topics for any verdict: at least {found.needed}",
        "signs": f"{counted(topics, 'topic')}: below {FEW_UNITS} a t-test needs an exact sign-flip test that agrees",
        "correction": f"not decided after Holm's correction over {counted(len(found.p), 'test')}",
    }[found.obstacles[at]]

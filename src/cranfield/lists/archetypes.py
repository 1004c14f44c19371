"""Archetypes: what the curves of cumulated relative position look like, run by run and topic by topic."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gains import GainMap
from cranfield.measures.framework.misplacement import LENGTH, Conflation, Curve
from cranfield.measures.framework.parameters import Parameter
from cranfield.plumbing.arrays import Booleans
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Order, RelevanceLevel, checked
from cranfield.scoring.judged_runs import JudgedRuns, join

_GAINS: Final = Parameter(None, "a gain for each of some grades", kind=GainMap)


class Archetype(StrEnum):
    """What a run is like on a topic (Ferro et al. 2016, figure 4).

    The paper says that excellent runs cannot happen where judgments are binary. They can: of the
    list 0 1, CRP is -1, 0, its balance point is 1 = R, and ρ is 1.
    """

    WORST = "worst"
    FULL_SCALE = "full scale"
    IDEAL = "ideal"
    TYPICAL_B = "typical B"
    EXCELLENT = "excellent or ups-and-downs"
    TYPICAL_A = "typical A"


def archetypes(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    *,
    n: int = LENGTH,
    rel: RelevanceLevel | None = None,
    gains: Mapping[int, float] | Mapping[float, float] | None = None,
    order: Order | None = None,
) -> pl.DataFrame:
    """Which archetype is each run, topic by topic?

    Parameters
    ----------
    qrels, runs, order
        As in `evaluate`.
    n
        The length to which all lists are cut or padded.
    rel, gains
        The grades to distinguish: two kinds, from ``rel`` on and below it, or one for each gain; by
        default, all.

    Returns
    -------
    Table with columns run, topic, archetype, for the topics that a run has and that have a relevant
    document. `share_of_archetypes` counts them.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The twist measure for IR
    evaluation", Table 2.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 1}}
    >>> runs = {"good": {"1": {"a": 2.0, "b": 1.0}}, "lost": {"1": {"x": 1.0}}}
    >>> archetypes(qrels, runs).rows()
    [('good', '1', 'ideal'), ('lost', '1', 'worst')]
    """
    worth = cast("GainMap | None", _GAINS.checked("gains", gains))
    return classify(join(qrels, runs, order=order, rel=rel), n=n, gains=worth)


def classify(runs: JudgedRuns, *, n: int = LENGTH, gains: GainMap | None = None) -> pl.DataFrame:
    """Do the same for runs that are joined with their judgments already, at their relevance level."""
    n, rel = checked("n", n, Count), runs.grading.rel
    found = np.concatenate([archetypes_of(batch, n=n, rel=rel, gains=gains) for batch in runs.batches])
    topics = len(runs.topics)
    rows = np.flatnonzero(runs.present.ravel() & (found != ""))
    return pl.DataFrame(
        {
            "run": [runs.runs[row // topics] for row in rows],
            "topic": [runs.topics[row % topics] for row in rows],
            "archetype": [str(found[row]) for row in rows],
        },
        schema={"run": pl.String, "topic": pl.String, "archetype": pl.String},
    )


def share_of_archetypes(table: pl.DataFrame) -> pl.DataFrame:
    """Count the archetypes over all runs and topics: columns archetype, rankings, share."""
    names = [str(archetype) for archetype in Archetype]
    counts = [table.filter(pl.col("archetype") == name).height for name in names]
    shares = [count / max(table.height, 1) for count in counts]
    return pl.DataFrame({"archetype": names, "rankings": counts, "share": shares})


def kinds_of_documents(rel: float | None) -> str:
    """Say what archetypes tell apart at a relevance level, where Twist tells apart more; nothing without a level."""
    said = f" Archetypes tell apart grades from {rel or 0:g} on and those below, Twist every grade."
    return "" if rel is None else said


def archetypes_of(
    rankings: JudgedRankings, *, n: int = LENGTH, rel: float | None = None, gains: GainMap | None = None
) -> npt.NDArray[np.str_]:
    """Tell of each row which archetype it is, tested in this order.

    ``worst``: nothing relevant was retrieved; ``full scale``: the ideal run reversed; ``ideal``:
    CRP is 0 everywhere; ``typical B``: CRP never returns to 0; ``excellent or ups-and-downs``: its
    balance point is R, so that it is back at rank R + 1 at the latest (it may fall again); ``typical A``:
    it returns later. Where nothing is relevant, there is nothing to retrieve or to misplace: "".
    """
    curve = Curve.of(rankings, Conflation(rel, gains), n)
    point = curve.balance_point("return")
    tests = {
        "": curve.recall_base == 0,
        Archetype.WORST: curve.cells.count == 0,
        Archetype.FULL_SCALE: _is_full_scale(curve),
        Archetype.IDEAL: curve.is_ideal,
        Archetype.TYPICAL_B: np.isinf(point),
        Archetype.EXCELLENT: point == curve.recall_base,
    }
    return np.select(list(tests.values()), [str(name) for name in tests], default=Archetype.TYPICAL_A.value)


def _is_full_scale(curve: Curve) -> Booleans:
    """Tell which rows have all relevant documents, each where the reversed ideal run has one of its grade."""
    from_below = curve.length[curve.cells.row] - curve.cells.rank + 1
    in_place = (curve.first <= from_below) & (from_below <= curve.last)
    return np.asarray(curve.cells.where(in_place).count == curve.recall_base)

"""Which unjudged documents speak for one run against another."""

from __future__ import annotations

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.user_model import UserModel
from cranfield.plumbing.arrays import Floats, Integers


def documents_against(measure: Measure, one: JudgedRankings, other: JudgedRankings, topics: Integers) -> Integers:
    """Which unjudged documents has the other run earlier, so that the one would fall behind if they were relevant?

    Parameters
    ----------
    measure
        By what: its weights of ranks say how much earlier that is, or, where it has none, the discount of
        DCG; below its cutoff nothing counts.
    one, other
        The rankings of two runs, of the same judgments, in which note is taken of what was
        retrieved.
    topics
        The topics that count, by their place.

    Returns
    -------
    Their places in the judgments, the most harmful first.

    Examples
    --------
    Of x, y and z the other run has x earlier, and the one run z:

    >>> from cranfield.scoring.judged_runs import join
    >>> from cranfield.measures import P, RBP
    >>> runs = join({"1": {"a": 1}}, {"one": {"1": {"z": 3.0, "x": 2.0, "y": 1.0}},
    ...                               "other": {"1": {"x": 3.0, "y": 2.0, "a": 1.0}}}, bounds=True)
    >>> one, other = runs.of_run(0), runs.of_run(1)
    >>> one.judgments.ids(documents_against(RBP(p=0.5), one, other, np.array([0])))
    ['x', 'y']
    >>> one.judgments.ids(documents_against(P(cutoff=1), one, other, np.array([0])))
    ['x']
    """
    grade = one.judgments.grade
    ranks = np.full((2, len(grade)), np.inf)
    for row, run in enumerate((one, other)):
        ranks[row, run.judgment] = run.rank
    weight = _weight(measure, ranks)
    harm = np.where(np.isnan(grade) & np.isin(one.judgments.topic, topics), weight[1] - weight[0], 0.0)
    order = np.argsort(-harm, kind="stable")
    return order[: int((harm > 0).sum())]


def _weight(measure: Measure, rank: Floats) -> Floats:
    """Return what a rank weighs; nothing below the cutoff, and where a run has not the document."""
    counts = rank <= min(measure.cutoff or np.inf, rank[np.isfinite(rank)].max(initial=1.0))
    weight = np.zeros(rank.shape)
    seen = rank[counts]
    weight[counts] = measure.weight(seen) if isinstance(measure, UserModel) else 1 / np.log2(1 + seen)
    return weight

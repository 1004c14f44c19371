"""Shares of the list that somebody judged, or nobody did."""

from __future__ import annotations

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import cutoff
from cranfield.plumbing.arrays import Floats, ratio


class Judged(Measure):
    """What share of the top documents was judged?

    Judged@k = (judged documents among the first k) / min(k, n)

    A list of length n shorter than k is measured over its n documents; an empty one has 0.

    Paper: ir_measures, Judged@k; compare Buckley and Voorhees (2004), "Retrieval evaluation with
    incomplete information", SIGIR.

    >>> Judged(cutoff=4).of([1, None, 0, 0, None])  # 3 of 4
    0.75
    """

    looked_for = ("hole rate", "holes", "BEIR")
    cutoff: int | None = cutoff()
    uses_recall_base = False
    of_quality = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Judged cells over length."""
        return ratio(rankings.judged.count, rankings.length.astype(float))


class Unjudged(Measure):
    """What share of the top k ranks holds an unjudged document?

    Unjudged@k = (unjudged documents among the first k) / k

    The places that a short list leaves empty count as judged, as in trec_eval, where documents of
    negative grade (in the pool, but not judged) count as unjudged.

    Paper: trec_eval 10, unj.

    >>> Unjudged(cutoff=4).of([1, None, -1])  # 2 of 4
    0.5
    """

    looked_for = ("hole rate", "holes", "BEIR")
    trec_at = "unj_{at}"
    at_required = True
    at_typical = (5, 10, 20)
    cutoff: int | None = cutoff()
    uses_recall_base = False
    of_quality = False
    rewards_promotion = False
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Length less the judged cells, over the cutoff."""
        judged = rankings.judged
        return (rankings.length - judged.where(judged.grade >= 0).count) / float(self.cutoff or 1)

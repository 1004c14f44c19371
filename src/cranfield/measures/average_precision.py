"""Average precision, and its estimate from incomplete judgments."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, ratio
from cranfield.judgments import is_relevant
from cranfield.measures.machinery.measure import Measure, Summary
from cranfield.measures.machinery.parameters import condensed, cutoff, level
from cranfield.rankings import JudgedRankings


class AveragePrecision(Measure, registered=False):
    """Average precision, whatever way it is averaged over topics."""

    cutoff: int | None = cutoff()
    rel: float | None = level()
    judged_only: bool = condensed()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of the precisions at relevant ranks, over R."""
        relevant = rankings.relevant(self.rel)
        return ratio(relevant.sum(relevant.nth / relevant.rank), rankings.recall_base(self.rel))


class AP(AveragePrecision):
    """How early do the relevant documents come, averaged over all of them?

    AP = (1/R) Σ P@i over the ranks i of the relevant documents

    A relevant document that was not retrieved adds 0. @k counts the first k ranks, and still
    divides by R.

    Paper: Buckley and Voorhees (2005), "Retrieval system evaluation", in "TREC: experiment and
    evaluation in information retrieval", section 3.2; trec_eval, map and map_cut.

    >>> AP().of([1, 0, 1, 0], unretrieved=[1])  # (1/1 + 2/3) / 3
    0.555...
    """

    aliases = ("MAP",)
    trec = "map"
    trec_at = "map_cut_{at}"


class gmAP(AveragePrecision):  # noqa: N801 - as the field writes it
    """How early do the relevant documents come, where a topic that fails badly weighs more than one that shines?

    gmAP = exp(mean over topics of log(max(AP, 0.00001)))

    The value of one topic is its AP.

    Paper: Robertson (2006), "On GMAP: and other transformations", CIKM; trec_eval, gm_map.

    >>> gmAP().of([1, 0, 1, 0], unretrieved=[1])  # (1/1 + 2/3) / 3
    0.555...
    """

    aliases = ("GMAP",)
    trec = "gm_map"
    summary: ClassVar[Summary] = "geometric mean"


class infAP(Measure):  # noqa: N801 - as the field writes it
    """What would AP be, if only a random part of the pool was judged?

    infAP = (1/R) Σ [1/i + ((i-1)/i) · (d/(i-1)) · (r + ε) / (r + n + 2ε)] over the ranks i of the
    relevant documents

    Above rank i stand r relevant and n not relevant documents, and d in the pool: those two and the
    documents of negative grade, which are in the pool and were not judged. ε is 0.00001. At rank 1
    the term is 1.

    Paper: Yilmaz and Aslam (2006), "Estimating average precision with incomplete and imperfect
    judgments", CIKM; trec_eval, infAP.

    >>> round(infAP().of([0, 1, None, 1]), 4)  # 1/2 · [1/2 + 1/2 · 1/1 · 0/1 + 1/4 + 3/4 · 2/3 · 1/2]
    0.5
    """

    trec = "infAP"
    rewards_promotion = False
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Expected precision at relevant ranks, over R."""
        judged, relevant = rankings.judged, rankings.relevant(self.rel)
        sample = judged.where(judged.grade >= 0)
        pooled = judged.above(np.flatnonzero(is_relevant(judged.grade, self.rel)))
        sampled = sample.above(np.flatnonzero(is_relevant(sample.grade, self.rel)))
        epsilon = 0.00001
        rank, found = relevant.rank, relevant.nth - 1.0
        above = rank - 1.0
        expected = ratio(pooled.astype(float), above) * (found + epsilon) / (sampled + 2 * epsilon)
        return ratio(relevant.sum(1 / rank + above / rank * expected), rankings.recall_base(self.rel))

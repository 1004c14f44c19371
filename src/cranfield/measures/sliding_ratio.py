"""Sliding ratios: the first ranks of one retrieved list, against the best or the worst order of the same documents.

Ranks are strict: where systems leave documents tied, the order of the run decides, and no average
over the orders of tied documents is taken.
"""

from __future__ import annotations

import numpy as np

from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.gain_measure import GainMeasure, GivenGains
from cranfield.measures.framework.gains import binary, linear
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import condensed, level, parameter
from cranfield.plumbing.arrays import Floats, ratio


class OfRetrieved(Measure, registered=False):
    """A measure of the first ranks of a list against other orders of the same documents."""

    uses_recall_base = False
    at = "rank"
    at_required = True
    rank: int | None = parameter(None, "how many ranks are compared, from the top", kind=int, at_least=1)
    judged_only: bool = condensed()

    @property
    def depth(self) -> int:
        """How many ranks are compared."""
        return int(self.rank or 1)

    def against_best(self, cells: Cells, gain: Floats) -> Floats:
        """Gain of the first ranks as a share of what they bring if the list's documents are sorted by gain."""
        best = np.where(cells.nth <= self.depth, gain[np.lexsort((-gain, cells.row))], 0.0)
        return ratio(cells.sum(np.where(cells.rank <= self.depth, gain, 0.0)), cells.sum(best))


class SlidingRatio(GivenGains, OfRetrieved):
    """What share of the gain that the retrieved documents could bring in the first k ranks do they bring?

    SlidingRatio@k = Σ_{i ≤ k} g(i)  /  Σ_{i ≤ k} gain at rank i when the same list is sorted by
    gain

    The ideal is the best order of the retrieved documents alone, so that the length of the whole
    list matters (nCG has the ideal of the recall base). The gain g is the grade, or what gains=
    says; one below 0 counts as 0. From the end of the list on it is 1; 0 where nothing retrieved
    has a gain.

    Paper: Pollack (1968), "Measures for the comparison of information retrieval systems", American
    Documentation 19(4); Korfhage (1997), "Information storage and retrieval", Wiley.

    >>> SlidingRatio(rank=2).of([1, 0, 3, 2])  # (1 + 0) / (3 + 2)
    0.2
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Gain of the first ranks over the largest that the same documents could give them."""
        return self.against_best(*self.positive(rankings))


class SatisfactionFrustration(GainMeasure, OfRetrieved, registered=False):
    """Satisfaction comes from relevant documents, by grade; frustration from the others, one like the other."""

    rel: float | None = level()

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """Return the grades that are relevant, and 0 for the others."""
        return linear(grade) * binary(grade, self.rel)

    def satisfaction(self, rankings: JudgedRankings) -> Floats:
        """Share of the most that the first ranks could satisfy."""
        return self.against_best(*self.gainful(rankings))

    def frustration(self, rankings: JudgedRankings) -> Floats:
        """Share of the most that the first ranks could frustrate."""
        relevant = rankings.relevant(self.rel)
        others = rankings.length - relevant.count
        top = np.minimum(rankings.length, self.depth)
        return ratio(top - relevant.sum((relevant.rank <= self.depth).astype(float)), np.minimum(others, top))


class Satisfaction(SatisfactionFrustration):
    """What share of the relevance that the retrieved documents could show in the first k ranks do they show?

    Satisfaction@k = Σ grades of the relevant documents at ranks ≤ k  /  the same when the list is
    sorted by grade

    Only relevant documents satisfy, those from rel= on. As with the sliding ratio the list is
    compared with the best order of the documents that it has. 0 where nothing retrieved is
    relevant.

    Paper: Myaeng and Korfhage (1990), "Integration of user profiles: models and experiments in
    information retrieval", Information Processing & Management 26(6); Korfhage (1997), "Information
    storage and retrieval", Wiley.

    >>> Satisfaction(rank=2, rel=2).of([1, 2, 3, 0])  # (0 + 2) / (3 + 2)
    0.4
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Satisfaction alone."""
        return self.satisfaction(rankings)


class Frustration(SatisfactionFrustration):
    """What share of the frustrating documents possible in the first k ranks is there?

    Frustration@k = (not relevant at ranks ≤ k)  /  (the same when all non-relevant ones come
    first)

    Documents below rel= are not relevant, nor are unjudged ones, and each frustrates by 1. The list
    is compared with the worst order of the documents that it has. The less the better. 0 where
    every retrieved document is relevant.

    Paper: Myaeng and Korfhage (1990), "Integration of user profiles: models and experiments in
    information retrieval", Information Processing & Management 26(6); Korfhage (1997), "Information
    storage and retrieval", Wiley.

    >>> Frustration(rank=3).of([1, 0, 2, 0])  # 1 of ranks 1 to 3, where both of the two could be
    0.5
    """

    graded = False
    rewards_promotion = False
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Frustration alone."""
        return self.frustration(rankings)


class SatisfactionTotal(SatisfactionFrustration):
    """Does the list satisfy more than it frustrates in the first k ranks?

    SatisfactionTotal@k = weight · Satisfaction@k - (1 - weight) · Frustration@k

    Myaeng and Korfhage's total measure: what is relevant is rewarded and what is not is punished.
    With weight 0.5, the same for both, it lies between -0.5 and 0.5.

    Paper: Myaeng and Korfhage (1990), "Integration of user profiles: models and experiments in
    information retrieval", Information Processing & Management 26(6); Korfhage (1997), "Information
    storage and retrieval", Wiley.

    >>> round(SatisfactionTotal(rank=2).of([2, 0, 3, 0]), 4)  # satisfaction 2/5, frustration 1/2: (0.4 - 0.5) / 2
    -0.05
    """

    range = (-1.0, 1.0)
    weight: float = parameter(0.5, "share of satisfaction in the total", at_least=0, at_most=1)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Satisfaction less frustration."""
        return self.weight * self.satisfaction(rankings) - (1 - self.weight) * self.frustration(rankings)

"""Search lengths and the measures of their time: the effort until what is wanted is found, over one retrieved list.

Ranks are strict: where systems leave documents tied, the order of the run decides, and no average over the orders of
tied documents is taken.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from cranfield.arrays import Floats
from cranfield.measures.cumulated_gain import GainMeasure
from cranfield.measures.machinery.measure import Measure, condensed, cutoff, level, parameter, ratio
from cranfield.rankings import Cells, JudgedRankings

Counted: TypeAlias = Literal["examined", "not relevant"]
Weights: TypeAlias = Literal["equal", "reciprocal"]


class InCollection(Measure, registered=False):
    """A measure of the ranks of all relevant documents, those below the end of the list too."""

    rel: float | None = level()
    judged_only: bool = condensed()
    docs: int | None = parameter(
        None,
        "documents in the collection (without it, those retrieved and the relevant ones missed)",
        kind=int,
        at_least=1,
    )

    def missed(self, rankings: JudgedRankings) -> Floats:
        """Return how many relevant documents the list lacks."""
        return rankings.recall_base(self.rel) - rankings.relevant(self.rel).count

    def size(self, rankings: JudgedRankings) -> Floats:
        """Return the size of the collection, which has room for all documents known of."""
        known: Floats = rankings.length + self.missed(rankings)
        return known if self.docs is None else np.maximum(known, float(self.docs))


class ASL(InCollection):
    """At which rank does a relevant document stand, on average?

    ASL = (1/R) Σ rank of each relevant document

    A relevant document that was not retrieved stands anywhere below the end of the list, each rank down to the last of
    the collection being as likely: at (n + 1 + docs) / 2 after n retrieved documents. Without docs= the collection ends
    with the missing relevant documents, right below the list. The fewer the better. 0 where R = 0.

    Paper: Losee (1998), "Text retrieval and filtering: analytic models of performance", Kluwer: the average position
    of a relevant document, measured rather than predicted.

    >>> ASL().of([0, 1, 1, 0], unretrieved=[1])  # (2 + 3 + 5) / 3
    3.333...
    >>> ASL(docs=10).of([0, 1, 1, 0], unretrieved=[1])  # the missing one at (5 + 10) / 2: (2 + 3 + 7.5) / 3
    4.166...
    """

    range = (0.0, math.inf)
    rewards_promotion = False
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of the ranks, known or expected."""
        relevant = rankings.relevant(self.rel)
        below = (rankings.length + 1.0 + self.size(rankings)) / 2
        total = relevant.sum(relevant.rank.astype(float)) + self.missed(rankings) * below
        return ratio(total, rankings.recall_base(self.rel))


class ESL(InCollection):
    """How many documents must be examined to find as many relevant ones as are wanted?

    ESL = rank of the q-th relevant document, q = min(wanted, R); with count='not relevant' minus q

    If the list has fewer than q, s too few, the search goes on below it in random order: after n + s·(d + 1)/(m + 1)
    documents the s-th is expected, d documents of the collection being left with the m relevant ones that are missing.
    Without docs= only those m are left. count='examined' counts all documents, as Korfhage and Järvelin and Kekäläinen
    have it; count='not relevant' counts those examined in vain, as Cooper does. Cooper's lists have ties; here every
    rank has one document. The fewer the better. 0 where R = 0: there is nothing to search for.

    Paper: Cooper (1968), "Expected search length: a single measure of retrieval effectiveness based on the weak
    ordering action of retrieval systems", American Documentation 19(1); Korfhage (1997), "Information storage and
    retrieval", Wiley.

    >>> ESL(wanted=2).of([0, 1, 0, 1])
    4.0
    >>> ESL(wanted=2, count="not relevant").of([0, 1, 0, 1])
    2.0
    >>> ESL(docs=9).of([0, 0, 0], unretrieved=[1])  # after 3, one of the 6 others: 3 + 7/2
    6.5
    """

    range = (0.0, math.inf)
    rewards_promotion = False
    higher_is_better = False
    wanted: int = parameter(1, "how many relevant documents the user wants", kind=int, at_least=1)
    count: Counted = parameter(
        "examined", "which documents are counted", kind=str, choices=("examined", "not relevant")
    )

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Rank of the last relevant document wanted, known or expected."""
        relevant = rankings.relevant(self.rel)
        wanted = np.minimum(rankings.recall_base(self.rel), float(self.wanted))
        lacking = np.maximum(wanted - relevant.count, 0.0)
        left = self.size(rankings) - rankings.length
        below = rankings.length + lacking * (left + 1) / (self.missed(rankings) + 1)
        last = relevant.where(relevant.nth == wanted[relevant.row])
        examined = np.where(lacking > 0, below, last.sum(last.rank.astype(float)))
        return examined - wanted if self.count == "not relevant" else examined


class nRecall(InCollection):  # noqa: N801 - as nDCG is written
    """How near to the front of the collection do the relevant documents come?

    nRecall = 1 - (Σ r(i) - Σ i) / (R (docs - R)), r(i) the rank of the i-th relevant document, i from 1 to R

    The area between the ideal and the actual curve of recall by rank, as a share of the largest that there can be: 1
    for the ideal order, 0 for its reverse. A relevant document that was not retrieved stands at the bottom of the
    collection. Without docs= the collection ends with the missing relevant documents, right below the list. Where
    there are none but relevant documents, the value is the share of them retrieved. 0 where R = 0.

    Paper: Rocchio (1966), "Document retrieval systems: optimization and evaluation", Harvard; Salton and McGill
    (1983), "Introduction to modern information retrieval", McGraw-Hill, section 5.2.

    >>> nRecall().of([1, 0, 1, 0])  # 1 - ((1 + 3) - (1 + 2)) / (2 · 2)
    0.75
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """One minus the share of the area lost."""
        relevant, base, size = rankings.relevant(self.rel), rankings.recall_base(self.rel), self.size(rankings)
        missed = self.missed(rankings)
        # What a document is displaced by: the retrieved ones by what is not relevant above them, the missing ones by
        # all that is not relevant.
        lost = relevant.sum((relevant.rank - relevant.nth).astype(float)) + missed * (size - base)
        found = ratio(relevant.count, base)
        area = base * (size - base)
        return np.where(area > 0, 1 - ratio(lost, area), found)


class OfRetrieved(Measure, registered=False):
    """A measure of the first ranks of a list beside other orders of the same documents."""

    uses_recall_base = False
    at = "rank"
    at_required = True
    rank: int | None = parameter(None, "how many ranks are compared, from the top", kind=int, at_least=1)
    judged_only: bool = condensed()

    @property
    def depth(self) -> int:
        """How many ranks are compared."""
        return int(self.rank or 1)

    def by_rank(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Give the value at every rank from 1 to ``depth``: array of shape (rows, depth)."""
        return np.column_stack([(self @ k).score(rankings) for k in range(1, depth + 1)])

    def against_best(self, cells: Cells, gain: Floats) -> Floats:
        """Gain of the first ranks as a share of what they bring if the list's documents are sorted by gain."""
        order = np.lexsort((-gain, cells.row))
        best = np.where(cells.nth <= self.depth, gain[order], 0.0)
        got = np.where(cells.rank <= self.depth, gain, 0.0)
        return ratio(cells.sum(got), cells.sum(best))


class SlidingRatio(GainMeasure, OfRetrieved):
    """How much of the gain that the retrieved documents could bring in the first k ranks do they bring there?

    SlidingRatio@k = Σ_{i ≤ k} g(i)  /  Σ_{i ≤ k} gain at rank i when the same list is sorted by gain

    The ideal is the best order of the retrieved documents alone, so that the length of the whole list matters (nCG
    has the ideal of the recall base). The gain g is the grade, or what gains= says; one below 0 counts as 0. From the
    end of the list on it is 1; 0 where nothing retrieved has a gain.

    Paper: Pollack (1968), "Measures for the comparison of information retrieval systems", American Documentation
    19(4); Korfhage (1997), "Information storage and retrieval", Wiley.

    >>> SlidingRatio(rank=2).of([1, 0, 3, 2])  # (1 + 0) / (3 + 2)
    0.2
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Gain of the first ranks over the largest that the same documents could give them."""
        cells, gain = self.gainful(rankings)
        kept = gain > 0
        return self.against_best(cells.where(kept), gain[kept])


class SatisfactionFrustration(OfRetrieved, registered=False):
    """Satisfaction comes from relevant documents, by grade; frustration from the others, one like the other."""

    rel: float | None = level()

    def satisfaction(self, rankings: JudgedRankings) -> Floats:
        """Share of the most that the first ranks could satisfy."""
        relevant = rankings.relevant(self.rel)
        return self.against_best(relevant, relevant.grade)

    def frustration(self, rankings: JudgedRankings) -> Floats:
        """Share of the most that the first ranks could frustrate."""
        relevant = rankings.relevant(self.rel)
        others = rankings.length - relevant.count
        top = np.minimum(rankings.length, self.depth)
        vain = top - relevant.sum((relevant.rank <= self.depth).astype(float))
        return ratio(vain, np.minimum(others, top))


class Satisfaction(SatisfactionFrustration):
    """How much of the relevance that the retrieved documents could show in the first k ranks do they show there?

    Satisfaction@k = Σ grades of the relevant documents at ranks ≤ k  /  the same when the list is sorted by grade

    Only relevant documents satisfy, those from rel= on. As with the sliding ratio the list is compared with the best
    order of the documents that it has. 0 where nothing retrieved is relevant.

    Paper: Myaeng and Korfhage (1990), "Integration of user profiles: models and experiments in information retrieval",
    Information Processing & Management 26(6); Korfhage (1997), "Information storage and retrieval", Wiley.

    >>> Satisfaction(rank=2, rel=2).of([1, 2, 3, 0])  # (0 + 2) / (3 + 2)
    0.4
    """

    graded = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Satisfaction alone."""
        return self.satisfaction(rankings)


class Frustration(SatisfactionFrustration):
    """How many of the documents that could frustrate in the first k ranks stand there?

    Frustration@k = (not relevant at ranks ≤ k)  /  (the same when all that are not relevant come first)

    Documents below rel= are not relevant, nor are unjudged ones, and each frustrates by 1. The list is compared with
    the worst order of the documents that it has. The less the better. 0 where every retrieved document is relevant.

    Paper: Myaeng and Korfhage (1990), "Integration of user profiles: models and experiments in information retrieval",
    Information Processing & Management 26(6); Korfhage (1997), "Information storage and retrieval", Wiley.

    >>> Frustration(rank=3).of([1, 0, 2, 0])  # 1 of ranks 1 to 3, where both of the two could be
    0.5
    """

    rewards_promotion = False
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Frustration alone."""
        return self.frustration(rankings)


class SatisfactionTotal(SatisfactionFrustration):
    """Does the list satisfy more than it frustrates in the first k ranks?

    SatisfactionTotal@k = weight · Satisfaction@k - (1 - weight) · Frustration@k

    Myaeng and Korfhage's total measure: what is relevant is rewarded and what is not is punished. With weight 0.5, both
    alike, it lies between -0.5 and 0.5.

    Paper: Myaeng and Korfhage (1990), "Integration of user profiles: models and experiments in information retrieval",
    Information Processing & Management 26(6); Korfhage (1997), "Information storage and retrieval", Wiley.

    >>> round(SatisfactionTotal(rank=2).of([2, 0, 3, 0]), 4)  # satisfaction 2/5, frustration 1/2: (0.4 - 0.5) / 2
    -0.05
    """

    range = (-1.0, 1.0)
    graded = True
    weight: float = parameter(0.5, "share of satisfaction in the total", at_least=0, at_most=1)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Satisfaction less frustration."""
        return self.weight * self.satisfaction(rankings) - (1 - self.weight) * self.frustration(rankings)


class RHL(GainMeasure):
    """At which rank has the list brought half of its gain?

    RHL = (i - 1) + (T/2 - gain above rank i) / g(i), T the gain of the whole list, i the first rank with T/2 or more

    The median of grouped data, each rank being a class. Only what is retrieved counts, so that a short list of a few
    documents can have a low half-life; missing relevant documents are for recall to tell. The less the better. A list
    without gain never gets anywhere: it has its length, the worst for lists of that length. The gain g is the grade,
    or what gains= says; one below 0 counts as 0.

    Paper: Borlund and Ingwersen (1998), "Measures of relative relevance and ranked half-life: performance indicators
    for interactive IR", SIGIR.

    >>> RHL().of([1, 0, 3, 0])  # T/2 = 2, of which 1 above rank 3: 2 + (2 - 1)/3
    2.333...
    """

    range = (0.0, math.inf)
    uses_recall_base = False
    rewards_promotion = False
    higher_is_better = False
    cutoff: int | None = cutoff()
    judged_only: bool = condensed()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Median rank, interpolated within its class."""
        cells, gain = self.gainful(rankings)
        cells, gain = cells.where(gain > 0), gain[gain > 0]
        above, upto = cells.before(gain), cells.running(gain)
        half = cells.sum(gain)[cells.row] / 2
        median = (above < half) & (upto >= half)
        inside = np.where(median, cells.rank - 1 + (half - above) / gain, 0.0)
        return np.where(cells.count > 0, cells.sum(inside), rankings.length.astype(float))


class RelativeRelevance(GainMeasure):
    """How well does the relevance that the system gives the retrieved documents match that of the assessor?

    RelativeRelevance = Σ s(i)·g(i) / √(Σ s(i)² · Σ g(i)²), the cosine of the system's weights and the gains

    The list's documents are two vectors of weights of relevance. Scores of different systems are no such weights, so
    the system's are taken from the list: each retrieved document is relevant to it, s(i) = 1, whatever its rank; or,
    with weights='reciprocal', s(i) = 1/i. Järvelin and Kekäläinen discuss this cosine form; it is an association of
    two assessments, and order does not count in it unless s does. The gain g is the grade, or what gains= says; one
    below 0 counts as 0. 0 where nothing retrieved has a gain.

    Paper: Borlund and Ingwersen (1998), "Measures of relative relevance and ranked half-life: performance indicators
    for interactive IR", SIGIR; the cosine: Borlund (2000), "Evaluation of interactive information retrieval systems",
    Åbo Akademi.

    >>> RelativeRelevance().of([2, 0, 1, 2])  # (2 + 1 + 2) / √(4 · (4 + 1 + 4))
    0.833...
    """

    uses_recall_base = False
    rewards_promotion = False  # a document of more gain that comes above the cutoff can turn the vector away
    cutoff: int | None = cutoff()
    weights: Weights = parameter(
        "equal", "the system's weight of rank i: 1, or 1/i", kind=str, choices=("equal", "reciprocal")
    )
    judged_only: bool = condensed()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Cosine of two vectors."""
        cells, gain = self.gainful(rankings)
        cells, gain = cells.where(gain > 0), gain[gain > 0]
        weight = self.weight_of(np.arange(1, rankings.length.max(initial=0) + 1))
        system = np.append(0.0, np.cumsum(weight**2))[rankings.length]
        return ratio(cells.sum(weight[cells.rank - 1] * gain), np.sqrt(system * cells.sum(gain**2)))

    def weight_of(self, rank: Floats) -> Floats:
        """Return the system's weight of a document at this rank."""
        return np.ones(len(rank)) if self.weights == "equal" else 1.0 / rank

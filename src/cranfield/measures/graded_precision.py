"""Precision, recall and average precision for graded relevance."""

from __future__ import annotations

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.gain_measure import PositiveGains
from cranfield.measures.framework.weighted_share import WeightedShare
from cranfield.plumbing.arrays import Floats, Integers, ratio


class Generalised(PositiveGains, registered=False):
    """A measure of how much of each document is relevant: r in [0, 1], which takes the place of relevant or not."""

    def relevance(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells that are relevant at all, and how much: their gain as a share of the largest."""
        cells, gain = self.positive(rankings)
        return cells, gain / self.largest(rankings.judgments)

    def largest(self, judgments: Judgments) -> float:
        """Return the gain of full relevance: the largest that a grade of the qrels has, or that gains= names."""
        if self.gains is None:
            return judgments.scale
        grades = np.append(np.nan_to_num(judgments.grades), judgments.top_grade)
        return max(float(self.gain_of(grades, judgments.top_grade).max()), *self.gains.values()) or 1.0


class gP(Generalised):  # noqa: N801 - as the field writes it
    """How relevant are the first k documents, on average?

    gP@k = (1/k) Σ_{i ≤ k} r(i)

    Generalised precision: relevance r is the grade as a share of the largest grade of the qrels;
    with gains= it is the gain as a share of the largest gain. For relevant or not it is P. A list
    shorter than k is still divided by k.

    Paper: Kekäläinen and Järvelin (2002), "Using graded relevance assessments in IR evaluation",
    JASIST 53(13).

    >>> gP(cutoff=4).of([3, 0, 1, 2])  # (3/3 + 1/3 + 2/3) / 4
    0.5
    """

    at_required = True
    uses_recall_base = False
    rises_with_grades = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of relevance over k."""
        cells, relevance = self.relevance(rankings)
        return cells.sum(relevance) / float(self.cutoff or 1)


class gR(Generalised, WeightedShare):  # noqa: N801 - as the field writes it
    """What share of the total relevance was retrieved?

    gR@k = Σ_{i ≤ k} r(i)  /  Σ r of all judged documents

    Generalised recall: relevance r is the grade as a share of the largest grade of the qrels; with
    gains= it is the gain as a share of the largest gain. For relevant or not it is R. Without @k
    the whole list counts. 0 where R = 0.

    Paper: Kekäläinen and Järvelin (2002), "Using graded relevance assessments in IR evaluation",
    JASIST 53(13).

    >>> gR(cutoff=2).of([2, 0, 1], unretrieved=[1])  # 1 / (1 + 1/2 + 1/2)
    0.5
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Relevance retrieved over relevance known."""
        got, gain = self.positive(rankings)
        best, known = self.best(rankings)
        return ratio(got.sum(gain), rankings.of_topics(best.sum(known)))

    def rank_weight(self, rank: Integers) -> Floats:
        """Every rank counts the same."""
        return np.ones(len(rank))

    def most(self, count: Integers) -> Floats:
        """All of them."""
        return count.astype(float)


class gAP(Generalised):  # noqa: N801 - as the field writes it
    """How relevant is the list down to each relevant document, on average?

    gAP = (1/R) Σ gP@i over the ranks i of the relevant documents

    Average precision with generalised precision for precision, not interpolated. Every document of
    positive relevance has the same weight in the average, and its degree counts in gP alone; so the
    ideal list has 1 only where all relevant documents are fully so. For relevant or not it is AP. A
    relevant document that was not retrieved adds 0. @k counts the first k ranks, and still divides
    by R. 0 where R = 0. (Graded average precision is GAP.)

    Paper: Kekäläinen and Järvelin (2002), "Using graded relevance assessments in IR evaluation",
    JASIST 53(13).

    >>> gAP().of([2, 0, 1], unretrieved=[1])  # (gP@1 + gP@3 + 0) / 3 = (1 + 1.5/3) / 3
    0.5
    """

    rewards_promotion = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of generalised precision over R."""
        cells, relevance = self.relevance(rankings)
        best, _ = self.best(rankings)
        return ratio(cells.sum(cells.running(relevance) / cells.rank), rankings.of_topics(best.count))


class GAP(PositiveGains):
    """What is AP on average over users with different thresholds of relevance?

    GAP = Σ (1/i) Σ_{j ≤ i} min(s(i), s(j))  /  Σ s over all judged documents, i and j the ranks of
    relevant documents

    s is the share of the users to whom the grade is relevant: all thresholds g up to it, s(grade) =
    Σ_{t ≤ grade} g(t). Without gains= every grade adds the same, so that s is in proportion to the
    grade; gains={1:0.2,2:1} means that one user in five considers grade 1 relevant. (Any unit will
    do.) For relevant or not it is AP. A relevant document that was not retrieved adds 0. @k counts
    the first k ranks, and still divides by all. 0 where R = 0. (AP with generalised precision is
    gAP.)

    Paper: Robertson, Kanoulas and Yilmaz (2010), "Extending average precision to graded relevance
    judgments", SIGIR.

    >>> GAP().of([1, 2])  # (1/1 + (1 + 2)/2) / (1 + 2)
    0.833...
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of graded precision over its largest value."""
        cells, share = self.positive(rankings)
        met = np.zeros(len(cells))
        for highest in np.unique(share):
            here = share == highest
            met[here] = cells.running(np.minimum(share, highest))[here]
        best, known = self.best(rankings)
        return ratio(cells.sum(met / cells.rank), rankings.of_topics(best.sum(known)))

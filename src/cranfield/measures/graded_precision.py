"""Precision, recall and average precision for graded relevance, and other measures that add up utilities by rank."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from cranfield.arrays import Booleans, Floats
from cranfield.judgments import Judgments
from cranfield.measures.cumulated_gain import GainMeasure
from cranfield.measures.machinery.measure import condensed, cutoff, parameter, ratio
from cranfield.rankings import Cells, JudgedRankings

Stop: TypeAlias = Literal["graded", "uniform", "rank-biased"]
Utility: TypeAlias = Literal["blended", "precision"]


class PositiveGains(GainMeasure, registered=False):
    """A measure of the documents with a gain above 0; all others count for nothing."""

    cutoff: int | None = cutoff()
    judged_only: bool = condensed()

    def gaining(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells whose gain is above 0, and the gain."""
        cells, gain = self.gainful(rankings)
        kept = gain > 0
        return cells.where(kept), gain[kept]

    def best(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the same of the ideal list of each topic."""
        return self.gaining(self.ideal(rankings.judgments))


class Generalised(PositiveGains, registered=False):
    """A measure of how much of each document is relevant: r in [0, 1], which takes the place of relevant or not."""

    def relevance(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells that are relevant at all, and how much: their gain as a share of the largest."""
        cells, gain = self.gaining(rankings)
        return cells, gain / self.largest(rankings.judgments)

    def largest(self, judgments: Judgments) -> float:
        """Return the gain of full relevance: the largest that a grade of the qrels has, or that gains= names."""
        if self.gains is None:
            return judgments.top_grade or 1.0
        grades = np.append(np.nan_to_num(judgments.grade), judgments.top_grade)
        return max(float(self.gain_of(grades).max()), *self.gains.values()) or 1.0


class gP(Generalised):  # noqa: N801 - as the field writes it
    """How relevant are the first k documents, on average?

    gP@k = (1/k) Σ_{i ≤ k} r(i)

    Generalised precision: relevance r is the grade as a share of the largest grade of the qrels; with gains= it is the
    gain as a share of the largest gain. For relevant or not it is P. A list shorter than k is still divided by k.

    Paper: Kekäläinen and Järvelin (2002), "Using graded relevance assessments in IR evaluation", JASIST 53(13).

    >>> gP(cutoff=4).of([3, 0, 1, 2])  # (3/3 + 1/3 + 2/3) / 4
    0.5
    """

    at_required = True
    uses_recall_base = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of relevance over k."""
        cells, relevance = self.relevance(rankings)
        return cells.sum(relevance) / float(self.cutoff or 1)


class gR(Generalised):  # noqa: N801 - as the field writes it
    """What share of all the relevance was retrieved?

    gR@k = Σ_{i ≤ k} r(i)  /  Σ r of all judged documents

    Generalised recall: relevance r is the grade as a share of the largest grade of the qrels; with gains= it is the
    gain as a share of the largest gain. For relevant or not it is R. Without @k the whole list counts. 0 where R = 0.

    Paper: Kekäläinen and Järvelin (2002), "Using graded relevance assessments in IR evaluation", JASIST 53(13).

    >>> gR(cutoff=2).of([2, 0, 1], unretrieved=[1])  # 1 / (1 + 1/2 + 1/2)
    0.5
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Relevance retrieved over relevance known."""
        got, gain = self.gaining(rankings)
        best, known = self.best(rankings)
        return ratio(got.sum(gain), rankings.of_topics(best.sum(known)))


class gAP(Generalised):  # noqa: N801 - as the field writes it
    """How relevant is the list down to each relevant document, averaged over all of them?

    gAP = (1/R) Σ gP@i over the ranks i of the relevant documents

    Average precision with generalised precision for precision, not interpolated. Every document of positive relevance
    has the same weight in the average, and its degree counts in gP alone; so the ideal list has 1 only where all
    relevant documents are fully so. For relevant or not it is AP. A relevant document that was not retrieved adds 0.
    @k counts the first k ranks, and still divides by R. 0 where R = 0. (Graded average precision is GAP.)

    Paper: Kekäläinen and Järvelin (2002), "Using graded relevance assessments in IR evaluation", JASIST 53(13).

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
    """What is AP on average over users who set the bar of relevance at different grades?

    GAP = Σ (1/i) Σ_{j ≤ i} min(s(i), s(j))  /  Σ s over all judged documents, i and j the ranks of relevant documents

    s is the share of the users to whom the grade is relevant: all thresholds g up to it, s(grade) = Σ_{t ≤ grade} g(t).
    Without gains= every grade adds the same, so that s is in proportion to the grade; gains={1:0.2,2:1} says that one
    user in five takes grade 1 for relevant. (Any unit will do.) For relevant or not it is AP. A relevant document that
    was not retrieved adds 0. @k counts the first k ranks, and still divides by all. 0 where R = 0. (AP with generalised
    precision is gAP.)

    Paper: Robertson, Kanoulas and Yilmaz (2010), "Extending average precision to graded relevance judgments", SIGIR.

    >>> GAP().of([1, 2])  # (1/1 + (1 + 2)/2) / (1 + 2)
    0.833...
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of graded precision over its largest value."""
        cells, share = self.gaining(rankings)
        met = np.zeros(len(cells))
        for highest in np.unique(share):
            here = share == highest
            met[here] = cells.running(np.minimum(share, highest))[here]
        best, known = self.best(rankings)
        return ratio(cells.sum(met / cells.rank), rankings.of_topics(best.sum(known)))


class BlendedRatio(PositiveGains, registered=False):
    """A measure of precision and normalised cumulated gain in one, the blended ratio, at some relevant documents."""

    beta: float = parameter(1.0, "persistence: the weight of gain beside that of relevant or not", at_least=0)

    def ratio_at(self, rankings: JudgedRankings, cells: Cells, gain: Floats, beta: float) -> Floats:
        """Return the blended ratio at each cell: (C + β·cg) / (rank + β·cg of the ideal list)."""
        best, gained = self.best(rankings)
        longest = int(best.rank.max(initial=0))
        ideal = np.zeros((best.rows, longest + 1))
        ideal[best.row, best.rank] = gained
        ideal = ideal.cumsum(axis=1)
        most = ideal[cells.row % best.rows, np.minimum(cells.rank, longest)]
        blended: Floats = (cells.nth + beta * cells.running(gain)) / (cells.rank + beta * most)
        return blended

    def up_to_preferred(self, cells: Cells, gain: Floats) -> tuple[Booleans, Booleans]:
        """Tell which cells stand no deeper than the first of the largest gain in their row, and which is that one."""
        largest = np.zeros(cells.rows)
        np.maximum.at(largest, cells.row, gain)
        preferred = cells.where(gain == largest[cells.row]).first_rank[cells.row]
        return cells.rank <= preferred, cells.rank == preferred


class OMeasure(BlendedRatio):
    """How good is the first relevant document that the user meets, and how early?

    OMeasure = (1 + β·g(i)) / (i + β·cg*(i)) at the rank i of the first relevant document

    cg*(i) is the gain of the ideal list down to rank i, β is beta= (large: late relevant documents cost less), and the
    gain g is the grade or what gains= says; relevant is what has a gain above 0. With beta=0 it is RR. 0 where nothing
    relevant was retrieved.

    Paper: Sakai (2006), "On the task of finding one highly relevant document with high precision", IPSJ Digital
    Courier 2; Sakai and Kando (2008), "On information retrieval metrics designed for evaluation with incomplete
    relevance assessments", Information Retrieval 11(5), for the blended ratio.

    >>> round(OMeasure().of([0, 1, 3]), 4)  # (1 + 1) / (2 + (3 + 1))
    0.3333
    """

    rewards_promotion = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Blended ratio at the first relevant document."""
        cells, gain = self.gaining(rankings)
        return cells.sum(np.where(cells.nth == 1, self.ratio_at(rankings, cells, gain, self.beta), 0.0))


class PMeasure(BlendedRatio):
    """How good is the list down to the best document that it has?

    PMeasure = (C(p) + β·cg(p)) / (p + β·cg*(p)) at the preferred rank p: the first of the largest gain in the list

    C(p) documents down to rank p are relevant, cg(p) is their gain and cg*(p) that of the ideal list. The gain is the
    grade or what gains= says; relevant is what has a gain above 0. For relevant or not it is OMeasure. 0 where nothing
    relevant was retrieved.

    Paper: Sakai (2006), "Give me just one highly relevant document: P-measure", SIGIR.

    >>> PMeasure().of([0, 1, 3])  # (2 + (1 + 3)) / (3 + (3 + 1))
    0.857...
    """

    rewards_promotion = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Blended ratio at the preferred rank."""
        cells, gain = self.gaining(rankings)
        _, preferred = self.up_to_preferred(cells, gain)
        return cells.sum(np.where(preferred, self.ratio_at(rankings, cells, gain, self.beta), 0.0))


class PPlus(BlendedRatio):
    """How good is the list at each relevant document down to the best one that it has?

    PPlus = mean of (C(i) + β·cg(i)) / (i + β·cg*(i)) over the relevant ranks i down to p, the preferred rank

    Users stop at the preferred rank p, the first of the largest gain in the list, or at one of the relevant documents
    above it, each being as likely. C(i) documents down to rank i are relevant, cg(i) is their gain and cg*(i) that of
    the ideal list. The gain is the grade or what gains= says; relevant is what has a gain above 0. For relevant or not
    it is OMeasure. 0 where nothing relevant was retrieved.

    Paper: Sakai (2006), "Bootstrap-based comparisons of IR metrics for finding one relevant document", AIRS; Sakai
    (2014), "Metrics, statistics, tests", in "Bridging between information retrieval and databases", LNCS 8173.

    >>> round(PPlus().of([0, 1, 3]), 4)  # ((1 + 1) / (2 + 4) + (2 + 4) / (3 + 4)) / 2
    0.5952
    """

    rewards_promotion = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of blended ratios down to the preferred rank."""
        cells, gain = self.gaining(rankings)
        counted, _ = self.up_to_preferred(cells, gain)
        blended = np.where(counted, self.ratio_at(rankings, cells, gain, self.beta), 0.0)
        return ratio(cells.sum(blended), cells.sum(counted.astype(float)))


class NCU(BlendedRatio):
    """What utility does a user get on average, who stops at one of the relevant documents?

    NCU = Σ s(i) · U(i) over the ranks i of the relevant documents

    s(i) is the chance to stop there: in proportion to the gain ('graded'), the same for all ('uniform'), or falling by
    the factor gamma from one relevant document of the list to the next ('rank-biased'); over all known relevant
    documents the chances add up to 1. U(i) is the blended ratio (C(i) + β·cg(i)) / (i + β·cg*(i)) as in PPlus, or with
    utility='precision' C(i)/i. So the default is NCU_gu,BR; 'uniform' with 'precision' is AP, and with 'blended' the
    Q-measure. The gain is the grade or what gains= says; relevant is what has a gain above 0. A relevant document that
    was not retrieved adds 0. 0 where R = 0.

    Paper: Sakai and Robertson (2008), "Modelling a user population for designing information retrieval metrics", EVIA.

    >>> round(NCU().of([0, 3, 1]), 4)  # 3/4 · (1 + 3) / (2 + 4) + 1/4 · (2 + 4) / (3 + 4)
    0.7143
    >>> NCU(stop="uniform", utility="precision").of([0, 3, 1])  # AP: (1/2 + 2/3) / 2
    0.583...
    """

    rewards_promotion = False
    stop: Stop = parameter("graded", "where users stop", kind=str, choices=("graded", "uniform", "rank-biased"))
    utility: Utility = parameter("blended", "what they have then", kind=str, choices=("blended", "precision"))
    gamma: float = parameter(0.95, "what the rank-biased chance falls by", above=0, at_most=1)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Expected utility."""
        cells, gain = self.gaining(rankings)
        utility = self.ratio_at(rankings, cells, gain, self.beta if self.utility == "blended" else 0.0)
        best, known = self.best(rankings)
        chance = self.chance(cells, gain)
        return ratio(cells.sum(chance * utility), rankings.of_topics(best.sum(self.chance(best, known))))

    def chance(self, cells: Cells, gain: Floats) -> Floats:
        """Return, in proportion, the chance to stop at each cell."""
        if self.stop == "graded":
            return gain
        return self.gamma ** (cells.nth - 1.0) if self.stop == "rank-biased" else np.ones(len(cells))

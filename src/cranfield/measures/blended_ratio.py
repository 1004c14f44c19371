"""Blended ratios: precision and normalised cumulated gain in one, at some or all of the relevant documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.gain_measure import GivenGains, PositiveGains
from cranfield.measures.framework.parameters import cutoff, parameter
from cranfield.measures.framework.prefix_sums import PrefixSums, by_topic, sums_by_length
from cranfield.plumbing.arrays import Booleans, Floats, Integers, ratio

Stop: TypeAlias = Literal["graded", "uniform", "rank-biased"]
Utility: TypeAlias = Literal["blended", "precision"]


class BlendedRatio(PositiveGains, registered=False):
    """A measure of precision and normalised cumulated gain in one, the blended ratio, at some relevant documents."""

    rewards_promotion = False
    beta: float = parameter(1.0, "persistence: the weight of gain relative to binary relevance", at_least=0)

    def ratio_at(self, rankings: JudgedRankings, cells: Cells, gain: Floats, beta: float) -> Floats:
        """Return the blended ratio at each cell: (C + β·cg) / (rank + β·cg of the ideal list)."""
        best, gained = self.best(rankings)
        longest = int(best.rank.max(initial=0))
        most = sums_by_length(best, gained, longest)[cells.row % best.rows, np.minimum(cells.rank, longest)]
        return (cells.nth + beta * cells.running(gain)) / (cells.rank + beta * most)

    def up_to_preferred(self, cells: Cells, gain: Floats) -> tuple[Booleans, Booleans]:
        """Tell which cells stand no deeper than the first of the largest gain in their row, and which is that one."""
        largest = np.zeros(cells.rows)
        np.maximum.at(largest, cells.row, gain)
        preferred = cells.where(gain == largest[cells.row]).first_rank[cells.row]
        return cells.rank <= preferred, cells.rank == preferred


class OMeasure(BlendedRatio):
    """How good is the first relevant document, and how early does it come?

    OMeasure = (1 + β·g(i)) / (i + β·cg*(i)) at the rank i of the first relevant document

    cg*(i) is the gain of the ideal list down to rank i, β is beta= (large: late relevant documents
    cost less), and the gain g is the grade or the value in gains=; documents with a gain above 0
    are relevant. With beta=0 it is RR. 0 where nothing relevant was retrieved.

    Paper: Sakai (2006), "On the task of finding one highly relevant document with high precision",
    IPSJ Digital Courier 2; Sakai and Kando (2008), "On information retrieval metrics designed for
    evaluation with incomplete relevance assessments", Information Retrieval 11(5), for the blended
    ratio.

    >>> round(OMeasure().of([0, 1, 3]), 4)  # (1 + 1) / (2 + (3 + 1))
    0.3333
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Blended ratio at the first relevant document."""
        cells, gain = self.positive(rankings)
        return cells.sum(np.where(cells.nth == 1, self.ratio_at(rankings, cells, gain, self.beta), 0.0))


class PMeasure(BlendedRatio):
    """How good is the list down to its best document?

    PMeasure = (C(p) + β·cg(p)) / (p + β·cg*(p)) at the preferred rank p: the first of the largest
    gain in the list

    C(p) documents down to rank p are relevant, cg(p) is their gain and cg*(p) that of the ideal
    list. The gain is the grade or what gains= says; relevant is what has a gain above 0. For
    relevant or not it is OMeasure. 0 where nothing relevant was retrieved.

    Paper: Sakai (2006), "Give me just one highly relevant document: P-measure", SIGIR.

    >>> PMeasure().of([0, 1, 3])  # (2 + (1 + 3)) / (3 + (3 + 1))
    0.857...
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Blended ratio at the preferred rank."""
        cells, gain = self.positive(rankings)
        _, preferred = self.up_to_preferred(cells, gain)
        return cells.sum(np.where(preferred, self.ratio_at(rankings, cells, gain, self.beta), 0.0))


class PPlus(BlendedRatio):
    """How good is the list at each relevant document down to its best one?

    PPlus = mean of (C(i) + β·cg(i)) / (i + β·cg*(i)) over the relevant ranks i down to p, the
    preferred rank

    Users stop at the preferred rank p, the first of the largest gain in the list, or at one of the
    relevant documents above it, each equally likely. C(i) documents down to rank i are relevant,
    cg(i) is their gain and cg*(i) that of the ideal list. The gain is the grade or what gains=
    says; relevant is what has a gain above 0. For relevant or not it is OMeasure. 0 where nothing
    relevant was retrieved.

    Paper: Sakai (2006), "Bootstrap-based comparisons of IR metrics for finding one relevant
    document", AIRS; Sakai (2014), "Metrics, statistics, tests", in "Bridging between information
    retrieval and databases", LNCS 8173.

    >>> round(PPlus().of([0, 1, 3]), 4)  # ((1 + 1) / (2 + 4) + (2 + 4) / (3 + 4)) / 2
    0.5952
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of blended ratios down to the preferred rank."""
        cells, gain = self.positive(rankings)
        counted, _ = self.up_to_preferred(cells, gain)
        blended = np.where(counted, self.ratio_at(rankings, cells, gain, self.beta), 0.0)
        return ratio(cells.sum(blended), cells.sum(counted.astype(float)))


class NCU(BlendedRatio):
    """What is the expected utility for a user who stops at one of the relevant documents?

    NCU = Σ s(i) · U(i) over the ranks i of the relevant documents

    s(i) is the chance to stop there: in proportion to the gain ('graded'), the same for all
    ('uniform'), or falling by the factor gamma from one relevant document of the list to the next
    ('rank-biased'); over all known relevant documents the chances add up to 1. U(i) is the blended
    ratio (C(i) + β·cg(i)) / (i + β·cg*(i)) as in PPlus, or with utility='precision' C(i)/i. So the
    default is NCU_gu,BR; 'uniform' with 'precision' is AP, and with 'blended' the Q-measure. The
    gain is the grade or what gains= says; relevant is what has a gain above 0. A relevant document
    that was not retrieved adds 0. 0 where R = 0.

    Paper: Sakai and Robertson (2008), "Modelling a user population for designing information
    retrieval metrics", EVIA.

    >>> round(NCU().of([0, 3, 1]), 4)  # 3/4 · (1 + 3) / (2 + 4) + 1/4 · (2 + 4) / (3 + 4)
    0.7143
    >>> NCU(stop="uniform", utility="precision").of([0, 3, 1])  # AP: (1/2 + 2/3) / 2
    0.583...
    """

    stop: Stop = parameter("graded", "where users stop", kind=str, choices=("graded", "uniform", "rank-biased"))
    utility: Utility = parameter("blended", "what they have then", kind=str, choices=("blended", "precision"))
    gamma: float = parameter(0.95, "what the rank-biased chance falls by", above=0, at_most=1)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Expected utility."""
        cells, gain = self.positive(rankings)
        utility = self.ratio_at(rankings, cells, gain, self.beta if self.utility == "blended" else 0.0)
        best, known = self.best(rankings)
        chance = self.chance(cells, gain)
        return ratio(cells.sum(chance * utility), rankings.of_topics(best.sum(self.chance(best, known))))

    def chance(self, cells: Cells, gain: Floats) -> Floats:
        """Return, in proportion, the chance to stop at each cell."""
        if self.stop == "graded":
            return gain
        return self.gamma ** (cells.nth - 1.0) if self.stop == "rank-biased" else np.ones(len(cells))


class Q(GivenGains, PrefixSums):
    """What is the average precision at the relevant documents, blended with the gain so far?

    Q@k = (1 / min(k, R)) Σ BR(i) over the relevant ranks i ≤ k, BR(i) = (beta·cg(i) + c(i)) /
    (beta·cg*(i) + i)

    cg(i) is the gain of the first i documents and cg*(i) that of the ideal list, c(i) the number of
    relevant documents among them. The gain is the grade, or is set per grade by gains={1:5,2:10};
    documents with a gain are relevant. With beta = 0 it is average precision (at k as NTCIREVAL
    divides it).

    Paper: Sakai (2004), "New performance metrics based on multigrade relevance: their application
    to question answering", NTCIR-4; NTCIREVAL, Q-measure.

    >>> round(Q().of([0, 3], unretrieved=[1]), 4)  # (3 + 1) / (4 + 2), one of two
    0.3333
    """

    rewards_promotion = False  # a document passed on the way up may have the higher gain
    cutoff: int | None = cutoff()
    beta: float = parameter(1.0, "the weight of the gain relative to the number of relevant documents", at_least=0)

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Blended ratio at each relevant rank."""
        cells, gain = self.gainful(rankings)
        steps, best = self.gainful(self.ideal(rankings.judgments))
        deepest = max(int(rankings.length.max(initial=0)), int(steps.rank.max(initial=0)))
        ideal = sums_by_length(steps, best, deepest)[cells.row % len(rankings.topics), cells.rank]
        relevant = (gain > 0).astype(float)
        blended = (self.beta * cells.running(gain) + cells.running(relevant)) / (self.beta * ideal + cells.rank)
        return cells, (relevant * blended,)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Divide by the number of relevant documents that fit above the cutoff."""
        base = self.ideal(rankings.judgments).length.astype(float)
        return ratio(sums[0], by_topic(rankings, base if self.cutoff is None else np.minimum(base, self.cutoff)))

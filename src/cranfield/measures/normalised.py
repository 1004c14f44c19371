"""Measures of full rankings as a share of what the ideal list has."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from cranfield.arrays import Floats, Integers
from cranfield.measures.cumulated_gain import GainMeasure
from cranfield.measures.machinery.measure import cutoff, parameter
from cranfield.measures.machinery.prefix_sums import (
    PrefixSums,
    best_lists,
    by_topic,
    cascade,
    persistence,
    quotient,
    share_of_top,
    sums_by_length,
    variant,
)
from cranfield.measures.utility import iRBU
from cranfield.rankings import Cells, JudgedRankings


class Normalised(PrefixSums, registered=False):
    """A sum over the cells, as a share of the best list's sum."""

    graded = True
    cutoff: int | None = cutoff()

    @abstractmethod
    def worth(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells that count, and what they add."""

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """One sum."""
        cells, worth = self.worth(rankings)
        return cells, (worth,)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Divide by the sum of the best list, cut at the same rank."""
        best = best_lists(rankings.judgments)
        cells, worth = self.worth(best if self.cutoff is None else best.cut(self.cutoff))
        return quotient(sums[0], by_topic(rankings, cells.sum(worth)))


class nERR(Normalised):  # noqa: N801 - as the field writes it
    """How soon is a user satisfied, beside how soon the best list would have it?

    nERR@k = ERR@k / ERR@k of the best list, ERR@k = Σ_{i ≤ k} (1/i) P(i) Π_{j<i} (1 - P(j))

    P = (2^g - 1) / 2^(largest grade of the qrels). The best list has all relevant documents by falling grade.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.1 ("normalized to the ideal ranking
    score in the same way as in NDCG"); Chapelle et al. (2009), "Expected reciprocal rank for graded relevance", CIKM.

    >>> round(nERR().of([0, 1]), 4)  # (1/2 · 1/2) / (1/2)
    0.5
    """

    def worth(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Reciprocal rank where the user stops."""
        cells, stopped = cascade(rankings)
        return cells, stopped / cells.rank


class nRBP(Normalised):  # noqa: N801 - as the field writes it
    """How much does a user gain who goes on with probability p, beside what the best list would give?

    nRBP@k = RBP@k / RBP@k of the best list, RBP@k = (1 - p) Σ_{i ≤ k} Rel(i) p^(i-1)

    Rel is the grade as a share of the largest grade of the qrels. The best list has all relevant documents by falling
    grade.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.1 ("normalized to the ideal ranking
    score in the same way as in NDCG"); Moffat and Zobel (2008), "Rank-biased precision for measurement of retrieval
    effectiveness", TOIS 27(1).

    >>> round(nRBP(p=0.8).of([0, 1], unretrieved=[1]), 4)  # 0.8 / (1 + 0.8)
    0.4444
    """

    p: float = persistence()

    def worth(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Relevance, weighted by the chance that the rank is seen."""
        cells, relevance = share_of_top(rankings)
        return cells, relevance * self.p ** (cells.rank - 1.0)


class niRBU(Normalised):  # noqa: N801 - as the field writes it
    """How much does a user gain who stops when satisfied or with probability 1 - p, beside what the best list gives?

    niRBU@k = iRBU@k / iRBU@k of the best list, iRBU@k = (1 - p) Σ_{i ≤ k} p^(i-1) P(i) Π_{j<i} (1 - P(j))

    P = (2^g - 1) / 2^(largest grade of the qrels); with mode='ntcir' g / (largest grade + 1). The best list has all
    relevant documents by falling grade.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.1 ("normalized to the ideal ranking
    score in the same way as in NDCG").

    >>> round(niRBU(p=0.8).of([0, 1]), 4)  # (0.2 · 0.8 · 1/2) / (0.2 · 1/2)
    0.8
    """

    p: float = persistence()
    mode: str = variant()

    def worth(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Discounted chance to stop."""
        cells, (worth,) = iRBU(p=self.p, mode=self.mode).terms(rankings)
        return cells, worth


class Q(GainMeasure, PrefixSums):
    """What is precision on average at the relevant documents, if it is blended with the gain so far?

    Q@k = (1 / min(k, R)) Σ BR(i) over the relevant ranks i ≤ k, BR(i) = (beta·cg(i) + c(i)) / (beta·cg*(i) + i)

    cg(i) is the gain of the first i documents and cg*(i) that of the ideal list, c(i) the number of relevant documents
    among them. The gain is the grade; gains={1:5,2:10} says it grade by grade, and what has a gain is relevant. With
    beta = 0 it is average precision (at k as NTCIREVAL divides it).

    Paper: Sakai (2004), "New performance metrics based on multigrade relevance: their application to question
    answering", NTCIR-4; NTCIREVAL, Q-measure.

    >>> round(Q().of([0, 3], unretrieved=[1]), 4)  # (3 + 1) / (4 + 2), one of two
    0.3333
    """

    rewards_promotion = False  # a document passed on the way up may have the higher gain
    cutoff: int | None = cutoff()
    beta: float = parameter(1.0, "how much the gain counts beside the number of relevant documents", at_least=0)

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
        """Divide by the number of relevant documents that there is room for."""
        base = self.ideal(rankings.judgments).length.astype(float)
        return quotient(sums[0], by_topic(rankings, base if self.cutoff is None else np.minimum(base, self.cutoff)))


# Full rankings: the order of a whole collection, in which what was not retrieved shares the last place

"""User models whose value is a share of what the ideal list has."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from cranfield.judged.completions import Bounds, Completions
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.cascades import Mode, Satisfying, stopping, variant
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.measures.framework.parameters import cutoff, persistence
from cranfield.measures.framework.prefix_sums import PrefixSums, best_lists, by_topic
from cranfield.measures.framework.weighted_share import WeightedShare
from cranfield.measures.utility import iRBU
from cranfield.plumbing.arrays import Floats, Integers, ratio


class ShareOfBest(GainMeasure, PrefixSums, registered=False):
    """A sum over the cells, as a share of the best list's sum."""

    bounds_are = "an enclosure"
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
        return ratio(sums[0], by_topic(rankings, self.most_of_best(rankings.judgments)))

    def most_of_best(self, judgments: Judgments) -> Floats:
        """Return the sum of each topic's best list."""
        cells, worth = self.worth(best_lists(judgments).cut(self.cutoff))
        return cells.sum(worth)

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """Sound: the least of the list over the most of the best one, and the other way round."""
        completions = Completions(rankings.cut(self.cutoff))
        nothing, everything = completions.nothing(), completions.everything()
        low, high = (cells.sum(worth) for cells, worth in map(self.worth, (nothing, everything)))
        least, most = (self.most_of_best(completed.judgments) for completed in (nothing, everything))
        return Bounds(ratio(low, most), np.where(high < least, ratio(high, least), high > 0).astype(float), "enclosure")


class nERR(Satisfying, ShareOfBest):  # noqa: N801 - as the field writes it
    """How soon is a user satisfied, relative to the best list?

    nERR@k = ERR@k / ERR@k of the best list, ERR@k = Σ_{i ≤ k} (1/i) P(i) Π_{j<i} (1 - P(j))

    P = (2^g - 1) / 2^(largest grade of the qrels). The best list has all relevant documents by
    falling grade.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.1 ("normalized
    to the ideal ranking score in the same way as in NDCG"); Chapelle et al. (2009), "Expected
    reciprocal rank for graded relevance", CIKM.

    >>> round(nERR().of([0, 1]), 4)  # (1/2 · 1/2) / (1/2)
    0.5
    """

    def worth(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Reciprocal rank where the user stops."""
        cells, chance = self.gainful(rankings)
        return cells, stopping(cells, chance) / cells.rank


class nRBP(WeightedShare, ShareOfBest):  # noqa: N801 - as the field writes it
    """How much does a user gain who goes on with probability p, relative to the best list?

    nRBP@k = RBP@k / RBP@k of the best list, RBP@k = (1 - p) Σ_{i ≤ k} Rel(i) p^(i-1)

    Rel is the grade as a share of the largest grade of the qrels. The best list has all relevant
    documents by falling grade.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.1 ("normalized
    to the ideal ranking score in the same way as in NDCG"); Moffat and Zobel (2008), "Rank-biased
    precision for measurement of retrieval effectiveness", TOIS 27(1).

    >>> round(nRBP(p=0.8).of([0, 1], unretrieved=[1]), 4)  # 0.8 / (1 + 0.8)
    0.4444
    """

    p: float = persistence()

    def worth(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Relevance, weighted by the chance that the rank is seen."""
        cells, relevance = self.gainful(rankings)
        return cells, relevance * self.rank_weight(cells.rank)

    def rank_weight(self, rank: Integers) -> Floats:
        """The chance that the rank is seen."""
        return self.p ** (rank - 1.0)


class niRBU(Satisfying, ShareOfBest):  # noqa: N801 - as the field writes it
    """How much does a user gain who stops when satisfied or with probability 1 - p, relative to the best list?

    niRBU@k = iRBU@k / iRBU@k of the best list, iRBU@k = (1 - p) Σ_{i ≤ k} p^(i-1) P(i) Π_{j<i} (1 -
    P(j))

    P = (2^g - 1) / 2^(largest grade of the qrels); with mode='ntcir' g / (largest grade + 1). The
    best list has all relevant documents by falling grade.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.1 ("normalized
    to the ideal ranking score in the same way as in NDCG").

    >>> round(niRBU(p=0.8).of([0, 1]), 4)  # (0.2 · 0.8 · 1/2) / (0.2 · 1/2)
    0.8
    """

    p: float = persistence()
    mode: Mode = variant()

    def worth(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Discounted chance to stop."""
        cells, (worth,) = iRBU(p=self.p, mode=self.mode).terms(rankings)
        return cells, worth

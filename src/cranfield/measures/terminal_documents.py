"""Truncated rankings, by terminal documents: every list ends with one more, the more relevant the more was found.

By such a measure a list that stops in time can be better than one that goes on.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from cranfield.judged.completions import Bounds, Completions
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.cascades import Satisfying, stopping
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import level, persistence
from cranfield.measures.framework.prefix_steps import Steps, going_on, ranks, units
from cranfield.measures.framework.prefix_sums import PrefixSums, best_lists, by_topic
from cranfield.plumbing.arrays import Floats, Integers, ratio


class TerminalDocument(GainMeasure, PrefixSums, registered=False):
    """A measure of the list with a document after its end, whose relevance is the share of all relevance found."""

    bounds_are = "exact; of a difference, an enclosure"

    def terminal(self, rankings: JudgedRankings, found: Floats) -> Floats:
        """Return the relevance of the document at rank n + 1: what was found out of all, or 1 if there is nothing."""
        whole = self.whole(rankings)
        return np.where(whole > 0, ratio(found, whole), 1.0)

    def whole(self, rankings: JudgedRankings) -> Floats:
        """R: the relevance of all documents of the topic, as a column."""
        # Added up in the order of the best list, so that the order of the qrels does not show in
        # the last bits.
        cells, relevance = self.gainful(best_lists(rankings.judgments))
        return by_topic(rankings, cells.sum(relevance))

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """What is found lifts the value, and what is missed lowers it: one of them all, or nothing at all."""
        completions = Completions(rankings)
        own, others, none = completions.open.own, completions.open.others, 0 * completions.open.own
        corners = ((none, none), (own, none), (none, others), (own, others))
        values = [self.score(completions.judged(*corner, first=True)) for corner in corners]
        return Bounds(np.min(values, axis=0), np.max(values, axis=0), "exact")

    def in_parts(self, rankings: JudgedRankings) -> Floats | None:
        """What each document gains, and the terminal one; the first rank has the weight 1."""
        rank = ranks(rankings)
        cells, relevance = self.gainful(rankings)
        gain = cells.table(relevance, len(rank))
        here, below, _, ratio_of_units = self.fall(rank, gain)
        unit = units(np.broadcast_to(ratio_of_units, gain.shape))
        weight_after = np.hstack([np.ones((rankings.rows, 1)), below * unit])
        last = self.terminal(rankings, gain.sum(axis=1)[:, np.newaxis])
        return np.hstack(
            [gain * here * unit, last * np.take_along_axis(weight_after, rankings.length[:, np.newaxis], axis=1)]
        )

    @abstractmethod
    def fall(self, rank: Integers, gain: Floats) -> tuple[Floats, Floats, Floats, Floats | float]:
        """Say how the weight falls from a rank to the next, the document there having this gain."""

    looked_for = ("silence", "abstain", "unanswerable", "no answer")

    def prefix_steps(self, rankings: JudgedRankings) -> Steps:
        """Each document brings its gain and makes the terminal one more relevant, which moves down by one rank.

        Σ_{i ≤ n} gain(i) w(i) + T(n) w(n + 1) grows by

            gain(n) w(n) + gain(n) / R · w(n + 1) - T(n - 1) · (w(n) - w(n + 1))
        """
        rank = ranks(rankings)
        cells, relevance = self.gainful(rankings)
        gain = cells.table(relevance, len(rank))
        before = np.cumsum(gain, axis=1) - gain
        here, below, difference, unit = self.fall(rank, gain)
        added = gain * here + ratio(gain, self.whole(rankings)) * below
        return Steps.within(rankings, added, self.terminal(rankings, before) * difference, unit)


class NDCGT(TerminalDocument):
    """What share of the best list's gain does the list bring, if it ends with a document as good as what was found?

    NDCGT = [Σ_{i ≤ n} Rel(i) / log2(i + 1) + T / log2(n + 2)] / the same of the best list, with T =
    Σ Rel(i) / R

    Rel is the grade as a share of the largest grade of the qrels, R the sum of Rel over all
    relevant documents of the topic. The terminal document stands at rank n + 1; T is 1 where R = 0,
    so that an empty list then scores 1. The best list has all relevant documents by falling grade
    and then a terminal document of relevance 1. Where grades differ, a list that leaves out
    documents of low grade can have a value above 1.

    Paper: Liu, Moffat, Baldwin and Zhang (2016), "Quit while ahead: evaluating truncated rankings",
    SIGIR; Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 3.2.

    >>> NDCGT().of([1]), round(NDCGT().of([1, 0]), 4)  # (1 + 1/log2(4)) / (1 + 1/log2(3))
    (1.0, 0.9197)
    """

    range = (0.0, math.inf)
    bounds_are = "tried"

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """The best list grows with what is found, too."""
        return Measure.bounds(self, rankings)

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Discounted and plain relevance."""
        cells, relevance = self.gainful(rankings)
        return cells, (relevance / np.log2(cells.rank + 1.0), relevance)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Put the terminal document at the end, and divide."""
        gain, found = sums
        best = best_lists(rankings.judgments)
        cells, (discounted, _) = self.terms(best)
        ideal = cells.sum(discounted) + 1 / np.log2(best.length + 2.0)
        return ratio(gain + self.terminal(rankings, found) / np.log2(length + 2.0), by_topic(rankings, ideal))

    def fall(self, rank: Integers, gain: Floats) -> tuple[Floats, Floats, Floats, Floats | float]:
        """1 / log2(i + 1)."""
        here, below = 1 / np.log2(rank + 1), 1 / np.log2(rank + 2)
        return here, below, here * below * np.log1p(1 / (rank + 1)) / math.log(2), 1.0

    def in_parts(self, rankings: JudgedRankings) -> Floats | None:
        """Each topic has its own best list to be divided by."""
        return None


class ERRT(Satisfying, TerminalDocument):
    """How soon is a user satisfied, if the list ends with a document as satisfying as what was found?

    ERRT = Σ_{i ≤ n} (1/i) P(i) Π_{j<i} (1 - P(j)) + T / (n + 1) · Π_{j ≤ n} (1 - P(j)), with T = Σ
    P(i) / R

    P = (2^g - 1) / 2^(largest grade of the qrels), R the sum of P over all relevant documents of
    the topic. T is 1 where R = 0.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 3.2, after Liu et al. (2016), "Quit while ahead",
    SIGIR, and Chapelle et al. (2009), "Expected reciprocal rank for graded relevance", CIKM.

    >>> ERRT().of([1]), round(ERRT().of([1, 0]), 4)  # P = 1/2: 1/2 + 1/2 · 1/2; 1/2 + 1/3 · 1/2
    (0.75, 0.6667)
    """

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Reciprocal rank where the user stops, the chance to stop, and relevance."""
        cells, chance = self.gainful(rankings)
        stopped = stopping(cells, chance)
        return cells, (stopped / cells.rank, stopped, chance)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Users who have not stopped meet the terminal document."""
        gain, stopped, found = sums
        return gain + (1 - stopped) * self.terminal(rankings, found) / (length + 1)

    def fall(self, rank: Integers, gain: Floats) -> tuple[Floats, Floats, Floats, Floats | float]:
        """1 / i, in units of the users who have not stopped, of whom the document leaves 1 - P."""
        left = going_on(gain)
        return 1 / rank, left / (rank + 1), (gain * rank + 1) / (rank * (rank + 1)), left


class RRT(PrefixSums):
    """At which rank is the first relevant document, if a list for a question without an answer ends with one?

    RRT = 1 / rank of the first relevant document; 1 / (n + 1) if the topic has none

    The terminal document at rank n + 1 has the relevance Σ Rel(i) / R, or 1 where R = 0. It can
    only be the first relevant one where R = 0: else it is relevant only if there is a relevant
    document above it.

    Paper: Liu, Moffat, Baldwin and Zhang (2016), "Quit while ahead: evaluating truncated rankings",
    SIGIR; Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.2.

    >>> RRT().of([0, 1]), RRT().of([0, 0, 0]), RRT().of([0], unretrieved=[1])
    (0.5, 0.25, 0.0)
    """

    rel: float | None = level()

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Reciprocal rank of the first."""
        cells = rankings.relevant(self.rel)
        return cells, (np.where(cells.nth == 1, 1 / cells.rank, 0.0),)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Meet the terminal document where there is nothing else to be found."""
        return np.where(by_topic(rankings, rankings.judgments.recall_base(self.rel)) == 0, 1 / (length + 1), sums[0])


class RBPT(TerminalDocument):
    """How much does a user gain who goes on with probability p, if the list ends with a document as good as it was?

    RBPT = (1 - p) [Σ_{i ≤ n} Rel(i) p^(i-1) + T p^n], with T = Σ Rel(i) / R

    Rel is the grade as a share of the largest grade of the qrels, R the sum of Rel over all
    relevant documents of the topic. T is 1 where R = 0.

    Paper: Liu, Moffat, Baldwin and Zhang (2016), "Quit while ahead: evaluating truncated rankings",
    SIGIR; Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.2.

    >>> round(RBPT(p=0.5).of([1, 0]), 4)  # 1/2 · (1 + 1 · 1/4)
    0.625
    """

    p: float = persistence()

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Discounted and plain relevance."""
        cells, relevance = self.gainful(rankings)
        return cells, (relevance * self.p ** (cells.rank - 1.0), relevance)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Put the terminal document at the end."""
        gain, found = sums
        return (1 - self.p) * (gain + self.terminal(rankings, found) * self.p ** length.astype(float))

    def fall(self, rank: Integers, gain: Floats) -> tuple[Floats, Floats, Floats, Floats | float]:
        """p^(i - 1), in units of itself."""
        one = np.ones(len(rank))
        return one, self.p * one, (1 - self.p) * one, self.p

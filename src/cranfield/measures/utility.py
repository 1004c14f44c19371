"""Truncated rankings, by utility: an effort is taken off for every document of the list."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

import numpy as np

from cranfield.judged.list_costs import sum_until_cost
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.cascades import Mode, Satisfying, stopping, variant
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.measures.framework.measure import Estimator
from cranfield.measures.framework.parameters import parameter, persistence
from cranfield.measures.framework.prefix_steps import Steps, going_on, ranks
from cranfield.measures.framework.prefix_sums import PrefixSums, sum_until
from cranfield.plumbing.arrays import Floats, Integers

Per: TypeAlias = Literal["document", "cost"]
_PERS: Final[tuple[Per, ...]] = ("document", "cost")


def effort() -> float:
    """Declare e."""
    return parameter(0.05, "effort of examining a document, as a share of the best document's gain", at_least=0)


def per_what() -> Per:
    """Declare what the effort is taken off for."""
    return parameter(
        _PERS[0], "what takes the effort e: each document, or each unit of its cost (a token)", kind=str, choices=_PERS
    )


def spent_until(rankings: JudgedRankings, length: Integers, discount: Callable[[Integers], Floats], per: Per) -> Floats:
    """Add up what takes the effort, discounted by the rank, down to each of these lengths of each row."""
    if per == "document":
        return sum_until(length, discount)
    return sum_until_cost(rankings.costs, rankings.length, length, discount)


def taken_by_rank(rankings: JudgedRankings, per: Per) -> Floats:
    """Return what takes the effort at each rank: 1, or the cost of the document."""
    return np.ones((1, 1)) if per == "document" else rankings.costs.table(rankings.length)


class DiscountedUtility(GainMeasure, PrefixSums, registered=False):
    """Gain less an effort e for every document, both discounted by `rank_weight`: Σ_{i ≤ n} (gain(i) - e) f(i).

    With per='cost' the effort is e for each unit of the document's cost: Σ_{i ≤ n} (gain(i) - e c(i)) f(i).
    """

    looked_for = ("silence", "abstain", "unanswerable", "no answer")
    uses_recall_base = False
    rises_with_grades = True
    range = (-math.inf, 1.0)
    estimator: Estimator | None = "sum over ranks"
    e: float = effort()
    per: Per = per_what()

    def check(self) -> None:
        """What documents cost is not in a sample of judgments."""
        if self.per == "cost":
            self.estimator = None

    @property
    def by_cost(self) -> bool:  # type: ignore[override]  # of other measures the same for all parameters
        """Whether the effort is that of a unit of cost."""
        return self.per == "cost"

    def expense(self, length: Integers) -> Floats:
        """Return e Σ f(i) over the documents of the list."""
        return self.e * sum_until(length, self.rank_weight)

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Discounted gain."""
        cells, gain = self.gainful(rankings)
        return cells, (gain * self.rank_weight(cells.rank),)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Take the effort off."""
        return sums[0] - self.e * spent_until(rankings, length, self.rank_weight, self.per)

    def prefix_steps(self, rankings: JudgedRankings) -> Steps:
        """Each document brings its gain and costs the effort."""
        rank = ranks(rankings)
        cells, gain = self.gainful(rankings)
        worth = self.rank_weight(rank)
        loss = self.e * taken_by_rank(rankings, self.per) * worth
        return Steps.within(rankings, cells.table(gain, len(rank)) * worth, loss)


def cascade_steps(
    rankings: JudgedRankings, cells: Cells, chance: Floats, e: Floats | float, weight: Floats, p: float = 1.0
) -> Steps:
    """What does each document add to Σ w(i) p^(i-1) [P(i) Π_{j<i} (1 - P(j)) - e]?

    Without an effort nothing is added to the chance that the user has not stopped yet, which is
    part of the unit then, so it may be arbitrarily small. With one, it is lost against the
    effort when it is small, as it may be.
    """
    depth = len(weight)
    if np.any(e):
        return Steps.within(rankings, cells.table(stopping(cells, chance), depth) * weight, e * weight, p)
    by_rank = cells.table(chance, depth)
    return Steps.within(rankings, by_rank * weight, 0.0, p * going_on(by_rank))


class FlatUtility(DiscountedUtility):
    """What is the list worth, if relevant documents bring gain and every document costs effort?

    FlatUtility = Σ_{i ≤ n} (Rel(i) - e)

    Rel is the grade as a share of the largest grade of the qrels. per='cost' takes e off for each
    unit of a document's cost c (a token, say) instead: Σ_{i ≤ n} (Rel(i) - e c(i)).

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 3.3. The effort by cost is ours.

    >>> round(FlatUtility(e=0.05).of([1, 0, 1]), 4)  # 2 - 3/20
    1.85
    >>> round(FlatUtility(e=0.001, per="cost").of([1, 0, 1], costs=[120, 400, 80]), 4)  # 2 - 600/1000
    1.4
    """

    range = (-math.inf, math.inf)

    def rank_weight(self, rank: Integers) -> Floats:
        """All ranks count the same."""
        return np.ones(len(rank))


class DCGU(DiscountedUtility):
    """What is the list worth, if every document costs effort and both gain and effort are discounted by rank?

    DCGU = Σ_{i ≤ n} (Rel(i) - e) / log2(i + 1)

    Rel is the grade as a share of the largest grade of the qrels. per='cost' takes e off for each
    unit of a document's cost, as in FlatUtility.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 3.3.

    >>> round(DCGU(e=0.05).of([1, 0, 0]), 4)  # 1 - (1 + 1/log2(3) + 1/log2(4)) / 20
    0.8935
    """

    range = (-math.inf, math.inf)


class ERRU(Satisfying, DiscountedUtility):
    """How soon is a user satisfied, less the effort of every document in the list?

    ERRU = Σ_{i ≤ n} (1/i) [P(i) Π_{j<i} (1 - P(j)) - e]

    P = (2^g - 1) / 2^(largest grade of the qrels). The effort of a rank does not depend on what
    stands above it. per='cost' takes e off for each unit of a document's cost, as in FlatUtility.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 3.3.

    >>> round(ERRU(e=0.05).of([0, 1]), 4)  # 1/2 · 1/2 - (1 + 1/2) / 20
    0.175
    """

    estimator = None  # what a document adds depends on those above it

    def rank_weight(self, rank: Integers) -> Floats:
        """1 / i."""
        return 1 / rank

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Discounted chance to stop."""
        cells, chance = self.gainful(rankings)
        return cells, (stopping(cells, chance) * self.rank_weight(cells.rank),)

    def prefix_steps(self, rankings: JudgedRankings) -> Steps:
        """Each document may be the one to stop at, and costs the effort."""
        loss = self.e * taken_by_rank(rankings, self.per)
        return cascade_steps(rankings, *self.gainful(rankings), loss, self.rank_weight(ranks(rankings)))


class RBPU(DiscountedUtility):
    """How much does a user gain who goes on with probability p, less the effort of every document in the list?

    RBPU = (1 - p) Σ_{i ≤ n} (Rel(i) - e) p^(i-1)

    Rel is the grade as a share of the largest grade of the qrels. per='cost' takes e off for each
    unit of a document's cost, as in FlatUtility.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 3.3.

    >>> round(RBPU(p=0.5,e=0.05).of([1, 0]), 4)  # 1/2 · (1 - (1 + 1/2) / 20)
    0.4625
    """

    p: float = persistence()

    def rank_weight(self, rank: Integers) -> Floats:
        """(1 - p) p^(i - 1)."""
        return (1 - self.p) * self.p ** (rank - 1.0)

    def prefix_steps(self, rankings: JudgedRankings) -> Steps:
        """Each document brings its gain and costs the effort, in units of p^(i - 1)."""
        cells, gain = self.gainful(rankings)
        loss = self.e * taken_by_rank(rankings, self.per)
        return Steps.within(rankings, cells.table(gain, len(ranks(rankings))), loss, self.p)


class RankBiasedCascade(Satisfying, PrefixSums, registered=False):
    """The chance that a user stops at a rank, discounted as in RBP."""

    uses_recall_base = False
    rises_with_grades = True
    e: float = 0.0  # parameters of the one that takes it off
    per: Per = "document"
    p: float = persistence()
    mode: Mode = variant()

    def discount(self, rank: Integers) -> Floats:
        """Geometric, from 1 - p or (as NTCIREVAL has it) from p on."""
        weight: Floats = self.p ** rank.astype(float)
        return weight if self.mode == "ntcir" else (1 - self.p) / self.p * weight

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Discounted chance to stop."""
        cells, chance = self.gainful(rankings)
        return cells, (stopping(cells, chance) * self.discount(cells.rank),)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """The sum as it is."""
        return sums[0]

    def prefix_steps(self, rankings: JudgedRankings) -> Steps:
        """Each document may be the one to stop at, and costs the effort where there is one, in units of p^(i - 1)."""
        loss = self.e * taken_by_rank(rankings, self.per)
        return cascade_steps(rankings, *self.gainful(rankings), loss, np.ones(len(ranks(rankings))), self.p)


class iRBU(RankBiasedCascade):  # noqa: N801 - as the field writes it
    """How much does a user gain who stops when satisfied, and otherwise goes on with probability p?

    iRBU = (1 - p) Σ_{i ≤ n} p^(i-1) P(i) Π_{j<i} (1 - P(j)), with P = (2^g - 1) / 2^(largest grade
    of the qrels)

    It is RBU without the effort (e = 0). mode='ntcir' is what NTCIREVAL computes: Σ p^i P(i)
    Π_{j<i} (1 - P(j)), with P = g / (largest grade + 1).

    Paper: Sakai and Zeng (2019), "Which diversity evaluation measures are 'good'?", SIGIR; Amigó,
    Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.1.

    >>> round(iRBU(p=0.8).of([0, 1, 1]), 4)  # P = 1/2: 0.2 · (0.8 · 1/2 + 0.8² · 1/4)
    0.112
    >>> round(iRBU(p=0.8,mode="ntcir").of([0, 1, 1]), 4)  # 0.8² · 1/2 + 0.8³ · 1/4
    0.448
    """


class RBU(RankBiasedCascade):
    """How much does a user gain who stops when satisfied or with probability 1 - p, less the effort of every document?

    RBU = (1 - p) Σ_{i ≤ n} p^(i-1) [P(i) Π_{j<i} (1 - P(j)) - e], with P = (2^g - 1) / 2^(largest
    grade of the qrels)

    The effort of a rank does not depend on what stands above it; per='cost' takes e off for each
    unit of a document's cost, as in FlatUtility. mode='ntcir' has the weights and
    the P of NTCIREVAL's iRBU, Σ p^i [P(i) Π_{j<i} (1 - P(j)) - e] with P = g / (largest grade + 1);
    NTCIREVAL itself knows no effort.

    Paper: Amigó, Spina and Carrillo-de-Albornoz (2018), "An axiomatic analysis of diversity
    evaluation metrics: introducing the rank-biased utility metric", SIGIR; Amigó, Mizzaro and Spina
    (2022), "Ranking interruptus", SIGIR, section 3.3.

    >>> round(RBU(p=0.8,e=0.05).of([0, 1]), 4)  # 0.2 · (0.8 · 1/2 - (1 + 0.8) / 20)
    0.062
    """

    range = (-math.inf, 1.0)
    e: float = effort()
    per: Per = per_what()

    by_cost = DiscountedUtility.by_cost

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Take the effort off."""
        return sums[0] - self.e * spent_until(rankings, length, self.discount, self.per)

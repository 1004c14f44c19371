"""Adaptive user models: whether a user goes on depends on what was found so far.

The terms are those of :mod:`cranfield.measures.framework.user_model`. V(i) changes its course at
the documents that gain something, and only there; so only those are visited, and what lies between
two of them is summed in closed form.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

import numpy as np

from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.cascades import satisfaction, stopping, unsatisfied
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.measures.framework.gains import number
from cranfield.measures.framework.parameters import cutoff, parameter
from cranfield.measures.framework.user_model import ScaledGain, squares_from
from cranfield.plumbing.arrays import Floats, Integers, ratio

MAX_REL_OF_GDEVAL: Final = 4
"""The highest grade that gdeval assumes, and ir_measures, which calls it."""


class AdaptiveUserModel(ScaledGain, registered=False):
    """A measure whose user goes on or not by what was found so far."""

    rises_with_grades = True

    @abstractmethod
    def views(self, cells: Cells, gain: Floats) -> tuple[Floats, Floats]:
        """Return V for the cells with a gain, and ΣV for each row."""

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Gain, weighted by the chance to see it, over the expected depth."""
        cells, gain = self.gainful(rankings)
        view, depth = self.views(cells, gain)
        return ratio(cells.sum(view * gain), depth)


class INST(AdaptiveUserModel):
    """What gain per document does a user see who wants T relevant documents, and stops sooner after finding some?

    INST = Σ W(i) g(i), with C(i) = ((i + T + T_i - 1) / (i + T + T_i))² and T_i = T - Σ_{j ≤ i}
    g(j)

    The gain is (grade - min_rel) / (max_rel - min_rel), and the list infinite, as in the paper.
    With T below 1/2, a probability of going on could exceed 1. Between two documents that gain
    something the chances to go on multiply to a quotient of squares, so that only those are
    visited.

    Paper: Bailey, Moffat, Scholer and Thomas (2015), "User variability and IR system evaluation",
    SIGIR; Moffat, Bailey, Scholer and Thomas (2015), "INST: an adaptive metric for information
    retrieval evaluation", ADCS.

    >>> round(INST().of([1, 0]), 4)  # C(1) = (1/2)², C(2) = (2/3)², ...: V = 1, 1/4, 1/9, ..., ΣV = π²/6
    0.6079
    """

    T: float = parameter(1.0, "the gain that the user wants", at_least=0.5)

    def views(self, cells: Cells, gain: Floats) -> tuple[Floats, Floats]:
        """Go from gain to gain; in between, V(i) falls as the square of 1 / (i - 1 + T + T_j)."""
        wish = 2 * self.T
        aim = wish - cells.running(gain)  # T + T_i after each gain
        first = cells.nth == 1
        # The first gain is reached as if from a rank 0 at which nothing was found.
        rank_before = np.where(first, 0, np.roll(cells.rank, 1))
        aim_before = np.where(first, wish, np.roll(aim, 1))
        stays = np.where(first, wish, rank_before + aim_before - 1) / (cells.rank - 1 + aim_before)
        view = cells.running(np.square(stays), np.multiply)
        after = view * np.square(cells.rank + aim - 1)  # V(i) = after / (i - 1 + aim)² for the ranks that follow
        after *= squares_from(cells.rank + aim) - squares_from(cells.next_rank + aim)
        to_first = wish**2 * (squares_from(np.full(cells.rows, wish)) - squares_from(wish + cells.first_rank))
        return view, to_first + cells.sum(after)


class BPM(AdaptiveUserModel):
    """What gain per document does a user see who stops at k documents or a total gain of T?

    BPM@k = (1/m) Σ_{i ≤ m} g(i), m = min(k, the first rank at which Σ_{j ≤ i} g(j) ≥ T)

    This is the static version: neither limit changes with what is found. The gain is (grade -
    min_rel) / (max_rel - min_rel).

    Paper: Zhang, Liu, Li, Zhang, Xu and Ma (2017), "Evaluating web search with a bejeweled player
    model", SIGIR.

    >>> BPM(cutoff=10).of([0, 1, 1])  # stops at rank 2, with its one document
    0.5
    """

    at_required = True
    rewards_promotion = False
    rises_with_grades = False
    cutoff: int | None = cutoff()
    T: float = parameter(1.0, "the gain at which the user has enough", above=0)

    def views(self, cells: Cells, gain: Floats) -> tuple[Floats, Floats]:
        """See all until there is enough."""
        enough_gain = self.T * (1 - 1e-12)  # ten gains of a tenth are enough for 1, whatever they add up to in bits
        so_far = cells.before(gain)
        seen = so_far < enough_gain
        enough = seen & (so_far + gain >= enough_gain)
        depth = np.full(cells.rows, float(self.cutoff or 1))
        depth[cells.row[enough]] = cells.rank[enough]
        return seen.astype(float), depth


class SurvivalModel(AdaptiveUserModel, registered=False):
    """A measure whose user is satisfied, and stops, with a chance equal to the gain: V(i) = b(i) Π_{j<i} (1 - g(j))."""

    @abstractmethod
    def base(self, rank: Integers) -> Floats:
        """b(i): the chance to see the rank if nothing above it gained anything."""

    @abstractmethod
    def base_until(self, rank: Floats | Integers) -> Floats:
        """Sum of b(1) to b(rank); rank may be infinite."""

    def views(self, cells: Cells, gain: Floats) -> tuple[Floats, Floats]:
        """From one gain to the next the chance not yet to be satisfied stays the same."""
        survived = unsatisfied(cells, gain)
        after = survived * (1 - gain) * (self.base_until(cells.next_rank) - self.base_until(cells.rank))
        return survived * self.base(cells.rank), self.base_until(cells.first_rank) + cells.sum(after)


class NERR8(SurvivalModel):
    """What gain per document does a user see who stops when satisfied, or at rank k?

    NERR8@k = Σ W(i) g(i), with C(i) = 1 - g(i) for i < k and C(k) = 0

    The gain is (grade - min_rel) / (max_rel - min_rel).

    Paper: Azzopardi, Mackenzie and Moffat (2021), "ERR is not C/W/L: exploring the relationship
    between expected reciprocal rank and other metrics", ICTIR, equation 8.

    >>> NERR8(cutoff=4).of([0, 1, 1])  # V = 1, 1, 0
    0.5
    """

    at_required = True
    cutoff: int | None = cutoff()

    def base(self, rank: Integers) -> Floats:
        """Every rank down to k."""
        return np.ones(len(rank))

    def base_until(self, rank: Floats | Integers) -> Floats:
        """All of them, k at most."""
        return np.minimum(rank, float(self.cutoff or 1))


class NERR9(SurvivalModel):
    """What gain per document does a user see who stops when satisfied, loses patience as 1/i, and ends at rank k?

    NERR9@k = Σ W(i) g(i), with C(i) = (i / (i + 1)) (1 - g(i)) for i < k and C(k) = 0

    The gain is (grade - min_rel) / (max_rel - min_rel).

    Paper: Azzopardi, Mackenzie and Moffat (2021), "ERR is not C/W/L", ICTIR, equation 9.

    >>> round(NERR9(cutoff=4).of([0, 1, 1]), 4)  # V = 1, 1/2, 0: (1/2) / (3/2)
    0.3333
    """

    at_required = True
    cutoff: int | None = cutoff()

    def base(self, rank: Integers) -> Floats:
        """1 / i."""
        return 1 / rank

    def base_until(self, rank: Floats | Integers) -> Floats:
        """Harmonic numbers, down to k."""
        harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, (self.cutoff or 1) + 1)))
        return harmonic[np.minimum(rank, len(harmonic) - 1).astype(np.intp)]


class NERR10(SurvivalModel):
    """What gain per document does a user see who stops when satisfied, and otherwise goes on with probability p?

    NERR10 = Σ W(i) g(i), with C(i) = p (1 - g(i))

    The gain is (grade - min_rel) / (max_rel - min_rel).

    Paper: Azzopardi, Mackenzie and Moffat (2021), "ERR is not C/W/L", ICTIR, equation 10.

    >>> round(NERR10(p=0.5).of([0, 1, 1]), 4)  # V = 1, 1/2, 0: (1/2) / (3/2)
    0.3333
    """

    p: float = parameter(0.9, "persistence: the chance of going on to the next document", above=0, below=1)

    def base(self, rank: Integers) -> Floats:
        """p to the power i - 1."""
        return self.p ** (rank - 1.0)

    def base_until(self, rank: Floats | Integers) -> Floats:
        """Geometric sum."""
        return (1 - self.p ** rank.astype(float)) / (1 - self.p)


class NERR11(SurvivalModel):
    """What gain per document does a user see who stops when satisfied, and otherwise goes on as in INSQ?

    NERR11 = Σ W(i) g(i), with C(i) = ((i + 2T - 1) / (i + 2T))² (1 - g(i))

    The gain is (grade - min_rel) / (max_rel - min_rel).

    Paper: Azzopardi, Mackenzie and Moffat (2021), "ERR is not C/W/L", ICTIR, equation 11.

    >>> round(NERR11().of([0, 1, 1]), 4)  # V = 1, (2/3)², 0: (4/9) / (13/9)
    0.3077
    """

    T: float = parameter(1.0, "the gain that the user hopes for", above=0)

    def base(self, rank: Integers) -> Floats:
        """As in INSQ."""
        return (2 * self.T / (rank - 1 + 2 * self.T)) ** 2

    def base_until(self, rank: Floats | Integers) -> Floats:
        """Sum of squares."""
        wish = 2 * self.T
        return wish**2 * (squares_from(np.full(len(rank), wish)) - squares_from(wish + rank))


class ERR(GainMeasure):
    """How soon is a user satisfied who stops at each document with a probability that grows with its grade?

    ERR = Σ (1/i) P(i) Π_{j<i} (1 - P(j)), with P = (2^g - 1) / 2^max_rel

    max_rel defaults to the largest grade of the qrels. The ERR@20 of ir_measures and the err@20 of
    gdeval, which TREC publishes, always use 4: theirs is ERR(max_rel=4)@20. A grade above max_rel
    satisfies with certainty: P is at most 1.

    Paper: Chapelle, Metzler, Zhang and Grinspan (2009), "Expected reciprocal rank for graded
    relevance", CIKM, equation 4.

    >>> ERR().of([0, 1, 1])  # P = 0, 1/2, 1/2: 1/2 · 1/2 + 1/3 · 1/2 · 1/2
    0.333...
    """

    looked_for = ("expected reciprocal rank",)
    uses_recall_base = False
    rises_with_grades = True
    cutoff: int | None = cutoff()
    max_rel: float | None = parameter(None, "the highest grade (without it, the largest of the qrels)", above=0)

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """P: the chance to be satisfied."""
        return np.minimum(satisfaction(grade, self.max_rel or top_grade), 1.0)

    def note(self, top_grade: float) -> str | None:
        """Note that other tools assume another highest grade."""
        if self.max_rel is not None or top_grade == MAX_REL_OF_GDEVAL:
            return None
        theirs = type(self)(**{**self.given, "max_rel": MAX_REL_OF_GDEVAL})
        return (
            f"{self} takes {number(top_grade)}, the largest grade of the qrels, as the highest grade; ir_measures "
            f"and gdeval always take 4, which is {theirs} here"
        )

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Reciprocal rank, weighted by the chance to stop there."""
        cells, chance = self.gainful(rankings)
        return cells.sum(stopping(cells, chance) / cells.rank)

    def in_parts(self, rankings: JudgedRankings) -> Floats | None:
        """The same, rank by rank."""
        cells, chance = self.gainful(rankings)
        return cells.table(stopping(cells, chance) / cells.rank, int(rankings.length.max(initial=0)))

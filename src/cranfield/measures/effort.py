"""Effort: how far documents are from where the ideal run has them, and what that costs the user.

In the ideal run of a topic the documents of each grade fill an interval of ranks: first those of the best grade, then
the next, and after the last relevant one, from rank R + 1 on, what is not relevant. The relative position (RP) of a
document is 0 within the interval of its grade, negative above it (too early) and positive below it (too late). Its
running sum (CRP) is 0 at every rank of the ideal run; wherever it first leaves 0, it goes down.

All of it is computed from the relevant documents alone. Where nothing relevant stands, a run is like the worst run,
whose RP at rank j is min(j - R - 1, 0): up to rank R its curve falls, from there on it is level. So curves rise at
relevant documents only, and only there can they return to 0.

Lists are cut at N, the same for all runs (1000, or k with ``@k``), and padded with documents that are not relevant to
max(N, 2R) ranks. Unjudged documents are not relevant, nor are those whose grade (or gain) is 0 or less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal, NamedTuple, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from cranfield.errors import MeasureError
from cranfield.judgments import Booleans, Floats, Integers, Judgments, is_relevant
from cranfield.measures.gains import GainMap
from cranfield.measures.measure import Measure, condensed, cutoff, level, parameter, ratio
from cranfield.rankings import Cells, JudgedRankings, ideal_rankings

LENGTH = 1000
"""N, unless a measure is given another."""

Crossing: TypeAlias = Literal["return", "definition", "matters"]


class Conflation(NamedTuple):
    """Which grades are told apart: all; relevant or not (``rel``); or those of different gain (``gains``).

    >>> Conflation(gains=GainMap({1: 5, 2: 5})).weight(np.array([0.0, 1.0, 2.0, 3.0, -1.0, np.nan]))
    array([0., 5., 5., 3., 0., 0.])
    """

    rel: float | None = None
    gains: GainMap | None = None

    def weight(self, grade: Floats) -> Floats:
        """Give documents that share an interval one weight, better ones a larger one, and 0 to what is not relevant."""
        known = np.nan_to_num(grade)  # NaN: a judgment that was taken away
        if self.rel is not None:
            weight: Floats = is_relevant(known, self.rel).astype(np.float64)
        else:
            weight = known if self.gains is None else self.gains.of(known)
        return np.where(np.isnan(grade), 0.0, np.maximum(weight, 0.0))


@dataclass(frozen=True)
class Intervals:
    """Where the ideal run has the documents.

    Attributes
    ----------
    ideal
        The relevant documents of each topic, the best first.
    first, last
        For each judgment, the first and the last rank of the ideal run where a document of its grade stands; 0 where
        it is not relevant.
    """

    ideal: JudgedRankings
    first: Integers
    last: Integers

    @classmethod
    def of(cls, judgments: Judgments, conflation: Conflation) -> Intervals:
        """Return the intervals of all topics."""

        def made() -> Intervals:
            weight = conflation.weight(judgments.grade)
            ideal = ideal_rankings(judgments, weight)
            ranked = weight[ideal.judgment]
            begins = (ideal.rank == 1) | np.append(True, ranked[1:] != ranked[:-1])[: len(ranked)]
            interval = np.cumsum(begins) - 1
            first, last = np.zeros(len(judgments), np.int64), np.zeros(len(judgments), np.int64)
            first[ideal.judgment] = ideal.rank[begins][interval]
            last[ideal.judgment] = (ideal.rank[begins] + np.bincount(interval, minlength=begins.sum()) - 1)[interval]
            return cls(ideal, first, last)

        return judgments.remembered(("ideal intervals", conflation), made)


def worst_position(rank: Integers, recall_base: Floats) -> Floats:
    """Return the RP of a document that is not relevant."""
    return np.minimum(rank - recall_base - 1, 0.0)


def worst_cumulated(rank: Integers | Floats, recall_base: Floats) -> Floats:
    """Return the CRP of the worst run: -R, then -R - (R - 1), and so on down to -R(R + 1)/2 at rank R.

    >>> worst_cumulated(np.array([1, 2, 3, 4]), np.array([3.0]))
    array([-3., -5., -6., -6.])
    """
    rank = np.minimum(rank, recall_base)
    return rank * (rank + 1) / 2 - rank * (recall_base + 1)


@dataclass(frozen=True)
class Curve:
    """RP and CRP of a batch of rankings, known at the relevant documents (and so everywhere).

    Attributes
    ----------
    recall_base, length
        For each row, R, and to how many ranks the list is padded.
    cells
        The relevant documents that were retrieved.
    first, last
        For each of them, the interval of its grade.
    position, cumulated
        For each of them, RP and CRP at its rank.
    """

    recall_base: Floats
    length: Floats
    cells: Cells
    first: Integers
    last: Integers
    position: Floats
    cumulated: Floats

    @classmethod
    def of(cls, rankings: JudgedRankings, conflation: Conflation, n: int) -> Curve:
        """Return the curves of the rankings cut at n (made once, whichever measures ask for them)."""
        rankings = rankings.cut(n)
        return rankings.once(("curve", conflation, n), lambda: cls.uncut(rankings, conflation, n))

    @classmethod
    def uncut(cls, rankings: JudgedRankings, conflation: Conflation, n: int) -> Curve:
        """Return the curves of the rankings, padded but not cut."""
        intervals = Intervals.of(rankings.judgments, conflation)
        recall_base = rankings.of_topics(intervals.ideal.length.astype(np.float64))
        first = intervals.first.take(rankings.judgment)
        relevant = np.flatnonzero(first)
        first, last = first.take(relevant), intervals.last.take(rankings.judgment.take(relevant))
        row, rank = rankings.row.take(relevant), rankings.rank.take(relevant)
        cells = Cells(rankings.rows, row, rank, np.ones(len(relevant)))
        position = np.minimum(rank - first, 0.0) + np.maximum(rank - last, 0)
        base = recall_base.take(row)
        cumulated = worst_cumulated(rank, base) + cells.running(position - worst_position(rank, base))
        return cls(recall_base, np.maximum(n, 2 * recall_base), cells, first, last, position, cumulated)

    @classmethod
    def of_full_scale(cls, judgments: Judgments, conflation: Conflation, n: int) -> Curve:
        """Return, for each topic, the curve of the full-scale run: the ideal run, padded and then reversed."""

        def made() -> Curve:
            ideal = Intervals.of(judgments, conflation).ideal
            length = np.maximum(n, 2 * ideal.length)
            rank = length[ideal.row] - ideal.rank + 1
            order = np.lexsort((rank, ideal.row))
            reversed_ideal = JudgedRankings(
                ("full scale",), judgments, length, ideal.present, ideal.row, rank[order], ideal.judgment[order]
            )
            return cls.uncut(reversed_ideal, conflation, n)

        return judgments.remembered(("full scale", conflation, n), made)

    @cached_property
    def before(self) -> Floats:
        """For each relevant document, the CRP one rank above it."""
        return self.cumulated - self.position

    @cached_property
    def gained_on_worst(self) -> Floats:
        """For each relevant document, by how much its RP is above that of a document that is not relevant."""
        return self.position - worst_position(self.cells.rank, self.recall_base.take(self.cells.row))

    @cached_property
    def forward(self) -> Floats:
        """s⁺: the sum of the positive RP."""
        return self.cells.sum(np.maximum(self.position, 0.0))

    @cached_property
    def backward(self) -> Floats:
        """s⁻: the sum of the negative RP, taken positive."""
        worst = worst_position(self.cells.rank, self.recall_base.take(self.cells.row))
        spared = self.cells.sum(np.minimum(self.position, 0.0) - worst)
        return -self.lowest_possible - spared

    @property
    def lowest_possible(self) -> Floats:
        """The least CRP there can be, that of the worst and of the full-scale run at rank R."""
        return -self.recall_base * (self.recall_base + 1) / 2

    @property
    def is_ideal(self) -> Booleans:
        """Whether the curve is 0 everywhere; one that leaves 0 goes down first."""
        ideal: Booleans = self.backward == 0
        return ideal

    def at(self, rank: Integers | Floats) -> Floats:
        """Return the CRP at some rank of each row."""
        within = self.cells.rank <= rank[self.cells.row]
        return worst_cumulated(rank, self.recall_base) + self.cells.sum(np.where(within, self.gained_on_worst, 0.0))

    @property
    def end(self) -> Floats:
        """CRP at the last rank."""
        return self.at(self.length)

    def positions(self, depth: int) -> Floats:
        """Return the RP at ranks 1 to depth: array of shape (rows, depth)."""
        rank = np.arange(1, depth + 1)
        seen = self.cells.rank <= depth
        cells = self.cells.where(seen)
        return worst_position(rank, self.recall_base[:, None]) + cells.table(self.gained_on_worst[seen], depth)

    def returns(self, crossing: Crossing) -> Cells:
        """Return the documents at which the curve comes (back) up to 0; with "matters", at which it rises above 0."""
        if crossing == "matters":
            return self.cells.where((self.before <= 0) & (self.cumulated > 0))
        return self.cells.where((self.before < 0) & (self.cumulated >= 0))

    def balance_point(self, crossing: Crossing) -> Floats:
        """Return β, infinite where the curve does not return."""
        at_once = self.is_ideal
        if crossing == "definition":  # a curve that starts at 0 crosses at rank 1, whatever it does at rank 2
            at_once = at_once | (self.cells.where((self.cells.rank == 1) & (self.position == 0)).count > 0)
        crossed = np.where(at_once, 0.0, self.returns(crossing).first_rank - 1)
        return np.maximum(self.recall_base, crossed)

    @cached_property
    def turn_around(self) -> tuple[Floats, Floats]:
        """The first rank where CRP is least, and that CRP (at rank 0 where R is 0)."""
        # The curve cannot turn but at a relevant document, just before one, or at rank R.
        rows = np.arange(self.cells.rows)
        row = np.concatenate([self.cells.row, self.cells.row, rows])
        rank = np.concatenate([self.cells.rank, self.cells.rank - 1, self.recall_base])
        value = np.concatenate([self.cumulated, self.before, self.at(self.recall_base)])
        value[(rank < 1) & (self.recall_base[row] > 0)] = np.inf  # there is no rank 0
        least, first = np.full(len(rows), np.inf), np.full(len(rows), np.inf)
        np.minimum.at(least, row, value)
        there = value == least[row]
        np.minimum.at(first, row[there], rank[there])
        return first, least

    @cached_property
    def regained(self) -> Floats:
        """b_r: the first rank from the turn-around on where CRP is not negative, at least R; infinite if none."""
        turn = self.turn_around[0]
        back = self.cells.where((self.cells.rank > turn[self.cells.row]) & (self.cumulated >= 0))
        return np.maximum(self.recall_base, np.where(self.is_ideal, 0.0, back.first_rank))


class Effort(Measure, registered=False):
    """A measure of misplacement: of the RP and CRP of a list."""

    graded = True
    rewards_promotion = False  # a document that comes too late weighs the more, the later it comes
    cutoff: int | None = parameter(None, f"N: how many ranks count ({LENGTH} without it)", kind=int, at_least=1)
    rel: float | None = level()
    gains: GainMap | None = parameter(
        None, "gain of each grade; grades of the same gain are not told apart", kind=GainMap
    )
    judged_only: bool = condensed()

    def check(self) -> None:
        """Two ways of conflating grades are one too many."""
        if self.gains is not None and self.rel is not None:
            raise MeasureError(f"{type(self).__name__}: give either gains or rel, not both")

    def with_level(self, rel: float) -> Self:
        """The level of other measures leaves a graded measure graded."""
        return self

    @property
    def conflation(self) -> Conflation:
        """Which grades are told apart."""
        return Conflation(self.rel, self.gains)

    @property
    def n(self) -> int:
        """N: where lists are cut."""
        return LENGTH if self.cutoff is None else self.cutoff

    def curve(self, rankings: JudgedRankings) -> Curve:
        """Return RP and CRP of the rankings."""
        return Curve.of(rankings, self.conflation, self.n)

    def full_scale(self, rankings: JudgedRankings) -> Curve:
        """Return RP and CRP of the full-scale run, for each topic."""
        return Curve.of_full_scale(rankings.judgments, self.conflation, self.n)


class AtRank(Effort, registered=False):
    """A measure that is a value at one rank, the cutoff, and has one at every other."""

    cutoff: int | None = cutoff()
    at_required = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Value at the rank."""
        return self.value_at(rankings, self.n)

    def by_rank(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Return the value at all ranks at once."""
        return self.values(rankings.condensed() if self.judged_only else rankings, depth)

    def value_at(self, rankings: JudgedRankings, rank: int) -> Floats:
        """Return the value at this rank."""
        raise NotImplementedError  # pragma: no cover

    def values(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Return the values at ranks 1 to depth."""
        raise NotImplementedError  # pragma: no cover

    def curve_to(self, rankings: JudgedRankings, rank: int) -> Curve:
        """Return the curves as far as this rank."""
        return Curve.of(rankings, self.conflation, rank)


class RP(AtRank):
    """How far is the document at rank k from where the ideal run has documents of its grade?

    RP[k] = k - min(g) if k < min(g); k - max(g) if k > max(g); else 0

    g is the document's grade, min(g) and max(g) are the first and the last rank of that grade in the ideal run; for
    what is not relevant (or beyond the end of the list) min is R + 1 and max is infinite. Negative: a better document
    belongs here; positive: this one belongs higher up. rel= conflates grades to relevant or not, gains= those that it
    gives the same gain. The value does not depend on N; where the topic has no relevant document, it is 0.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    definition 1.

    >>> [RP(cutoff=k).of([2, 0, 1]) for k in (1, 2, 3)]  # ideal 2 1 0: in place; 2 - 3; 3 - 2
    [0.0, -1.0, 1.0]
    """

    range = (-math.inf, math.inf)

    def value_at(self, rankings: JudgedRankings, rank: int) -> Floats:
        """RP at the rank."""
        curve = self.curve_to(rankings, rank)
        here = curve.cells.where(curve.cells.rank == rank)
        value = worst_position(np.array([rank]), curve.recall_base)
        value[here.row] = curve.position[curve.cells.rank == rank]
        return value

    def values(self, rankings: JudgedRankings, depth: int) -> Floats:
        """RP at every rank."""
        return self.curve_to(rankings, depth).positions(depth)


class CRP(AtRank):
    """How far from the ideal run is the list, all documents down to rank k taken together?

    CRP[k] = RP[1] + ... + RP[k]

    0 is the ideal. Below 0, the user has met documents that should come later, and has not been compensated by late
    good ones; above 0, good documents came so late that they weigh more than what was lost above. It does not depend
    on N; where the topic has no relevant document, it is 0.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    definition 2; Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation", CLEF.

    >>> CRP(cutoff=4).of([0, 1, 0, 2])  # ideal 2 1: (1 - 3) + 0 + 0 + (4 - 1)
    1.0
    """

    range = (-math.inf, math.inf)

    def value_at(self, rankings: JudgedRankings, rank: int) -> Floats:
        """CRP at the rank."""
        curve = self.curve_to(rankings, rank)
        return curve.at(np.full(rankings.rows, rank))

    def values(self, rankings: JudgedRankings, depth: int) -> Floats:
        """CRP at every rank."""
        return self.curve_to(rankings, depth).positions(depth).cumsum(axis=1)


class nCRP(AtRank):  # noqa: N801 - as the field writes it
    """Where between its least and its largest possible value is the cumulated relative position at rank k?

    nCRP[k] = (2·CRP[k] - M - m) / (M - m)

    M and m are the largest and the least CRP of the full-scale run, the reversed ideal run of length N; so values are
    between -1 and 1. (The ideal run has CRP 0, which is not the middle.) The list is cut at N, and ranks below keep
    the value at N. Where the topic has no relevant document, it is 0.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    proposition 2; the authors' toolkit MATTERS has the formula.

    >>> round(nCRP(cutoff=2, N=4).of([0, 1, 0, 2]), 4)  # m = -2 - 1, M = m + (3 - 2) + (4 - 1): (2·(-2) - 1 + 3) / 4
    -0.5
    """

    range = (-1.0, 1.0)
    N: int = parameter(LENGTH, "length of the full-scale run, and where lists are cut", kind=int, at_least=1)

    def value_at(self, rankings: JudgedRankings, rank: int) -> Floats:
        """CRP at the rank, between the bounds."""
        curve = self.curve_to(rankings, min(rank, self.N))
        return self.normalised(rankings, curve.at(np.full(rankings.rows, rank))[:, None])[:, 0]

    def values(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Value at every rank."""
        curve = self.curve_to(rankings, min(depth, self.N))
        return self.normalised(rankings, curve.positions(depth).cumsum(axis=1))

    def normalised(self, rankings: JudgedRankings, cumulated: Floats) -> Floats:
        """Say where between the bounds the values of each row are."""
        full = Curve.of_full_scale(rankings.judgments, self.conflation, self.N)
        low, high = rankings.of_topics(full.lowest_possible)[:, None], rankings.of_topics(full.end)[:, None]
        spread = np.broadcast_to(high - low, cumulated.shape)
        return np.divide(2 * cumulated - high - low, spread, out=np.zeros(cumulated.shape), where=spread > 0)


class Crosser(Effort, registered=False):
    """A measure of when CRP returns to 0."""

    crossing: Crossing = parameter(
        "return",
        "when CRP crosses 0: when it returns from below, to the letter of the paper's definition 3, or as MATTERS has "
        "it, when it rises above 0",
        kind=str,
        choices=get_args(Crossing),
    )


class BalancePoint(Crosser):
    """At which rank has the list made up for what it lost at its beginning?

    BalancePoint = β = max(R, j), j the first rank with CRP[j] < 0 ≤ CRP[j + 1]; R if CRP is never negative

    crossing="definition" is the paper's definition 3 to the letter, CRP[j] ≤ 0 ≤ CRP[j + 1] or the reverse: whoever
    has a right document at rank 1 crosses there. crossing="matters" is what the authors' toolkit computed, CRP[j] ≤ 0 <
    CRP[j + 1]: a list that returns to exactly 0 has not recovered. The paper has infinity where there is no such
    rank; here it is the rank after the end of the padded list, max(N, 2R) + 1, so that there is an average. 0 where
    the topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    definition 3.

    >>> BalancePoint().of([1, 0, 0, 1])  # CRP 0 -1 -1 +1
    3.0
    """

    range = (0.0, math.inf)
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Rank of the first crossing."""
        curve = self.curve(rankings)
        point = curve.balance_point(self.crossing)
        return np.where(np.isinf(point), curve.length + 1, point)


class Crossings(Crosser):
    """How often does the cumulated relative position come back to 0?

    Crossings = number of ranks j with CRP[j] < 0 ≤ CRP[j + 1]

    crossing="matters" counts CRP[j] ≤ 0 < CRP[j + 1]. crossing="definition" is the size of the paper's set of crossings
    to the letter, upwards, downwards and along 0: CRP[j] · CRP[j + 1] ≤ 0, over all ranks of the list padded to
    max(N, 2R). 0 where the topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    definition 3.

    >>> Crossings().of([2, 1, 3])  # ideal 3 2 1, CRP -1 -2 0
    1.0
    """

    range = (0.0, math.inf)
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count the crossings."""
        curve = self.curve(rankings)
        if self.crossing != "definition":
            return curve.returns(self.crossing).count
        cumulated = curve.positions(int(curve.length.max(initial=1))).cumsum(axis=1)
        crossed = cumulated[:, :-1] * cumulated[:, 1:] <= 0
        crossed &= np.arange(2, cumulated.shape[1] + 1) <= curve.length[:, None]
        return np.where(curve.recall_base > 0, crossed.sum(axis=1), 0.0)


class Recovery(Crosser):
    """How close to the end of the recall base does the list recover from what it lost at its beginning?

    Recovery = ρ = R / BalancePoint; 0 if there is no balance point

    1 is a list that recovers within the first R ranks, or has nothing to recover from. For crossing= see BalancePoint:
    of the paper's run a, which returns to exactly 0, ρ is 7/9 with "return", 1 with "definition" and 0 with "matters",
    by which the published figures were computed.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    definition 3.

    >>> round(Recovery().of([1, 0, 0, 1]), 4)  # CRP 0 -1 -1 +1: 2/3
    0.6667
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Recall base over balance point."""
        return recovery(self.curve(rankings), self.crossing)


class ForwardSpace(Effort):
    """How little does the list bring documents too late, compared with the worst that could be?

    ForwardSpace = σ⁺ = 1 - s⁺ / s⁺ of the full-scale run, s⁺ = Σ RP[j] where RP[j] > 0

    The full-scale run is the reversed ideal run of length max(N, 2R). A list with no relevant document has no late one
    either: σ⁺ = 1. 0 where the topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    definition 5.

    >>> ForwardSpace(cutoff=4).of([1, 0, 0, 1])  # full scale 0 0 1 1, R = 2: 1 - (4 - 2) / (3 - 2 + 4 - 2)
    0.33333333333333337
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Share of the positive RP that was avoided."""
        return spaces(self.curve(rankings), self.full_scale(rankings), rankings)[0]


class BackwardSpace(Effort):
    """How little does the list bring documents too early, compared with the worst that could be?

    BackwardSpace = σ⁻ = 1 - s⁻ / s⁻ of the full-scale run, s⁻ = Σ |RP[j]| where RP[j] < 0

    s⁻ of the full-scale run is R(R + 1)/2, and so is that of a list with no relevant document: σ⁻ = 0. 0 also where
    the topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    definition 5.

    >>> round(BackwardSpace().of([1, 0, 0, 1]), 4)  # R = 2: 1 - (3 - 2) / (2 + 1)
    0.6667
    """

    rewards_promotion = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Share of the negative RP that was avoided."""
        return spaces(self.curve(rankings), self.full_scale(rankings), rankings)[1]


class Space(Effort):
    """How much of the detours that a list can send its user on does this one avoid?

    Space = σ = 2·σ⁺·σ⁻ / (σ⁺ + σ⁻), the harmonic mean of ForwardSpace and BackwardSpace; 0 if both are 0

    It depends on N: the longer the full-scale run, the closer σ⁺ is to 1.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    definition 5.

    >>> round(Space(cutoff=4).of([1, 0, 0, 1]), 4)  # σ⁺ = 1/3, σ⁻ = 2/3: 2 · 2/9
    0.4444
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Harmonic mean of the two."""
        return space(self.curve(rankings), self.full_scale(rankings), rankings)


class Twist(Crosser):
    """How little avoidable effort does the list cost its user?

    Twist = τ = (ρ + σ) / 2, the mean of Recovery and Space

    1 is the ideal list, 0 one with nothing relevant. N is 1000, or k with @k; for crossing= see BalancePoint; the
    published figures are those of crossing="matters".

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into account", JASIST 67(3),
    definition 6.

    >>> round(Twist(cutoff=4).of([1, 0, 0, 1]), 4)  # ρ = 2/3, σ = 4/9
    0.5556
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of recovery and space ratio."""
        curve = self.curve(rankings)
        return (recovery(curve, self.crossing) + space(curve, self.full_scale(rankings), rankings)) / 2


class RecoveryValue(Effort):
    """How close to the end of the recall base has the list regained what it lost (the indicator of 2012)?

    RecoveryValue = R / b, b = max(R, first rank with CRP ≥ 0 from the turn-around on); 0 if there is none

    The turn-around is the first rank where CRP is least. Where CRP is never negative, b = R. (Recovery, of 2016, looks
    at the rank before the first return instead.)

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation", CLEF, equation 6.

    >>> RecoveryValue().of([1, 0, 0, 1])  # CRP 0 -1 -1 +1: 2/4
    0.5
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Recall base over the rank where it was regained."""
        curve = self.curve(rankings)
        return ratio(curve.recall_base, curve.regained)


class BalanceRatio(Effort):
    """How much earlier than the reversed ideal list has the list regained what it lost?

    BalanceRatio = 1 - b / b of the full-scale run, b as in RecoveryValue; 0 if there is no b

    Negative for a list that regains it later still, which the paper excludes but can happen: the full-scale run is the
    worst at every rank taken together, not at each. 0 where the topic has no relevant document.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation", CLEF, equation 7.

    >>> round(BalanceRatio(cutoff=6).of([1, 0, 0, 1]), 4)  # b = 4; full scale: CRP -2 -3 -3 -3 0 4, b = 5
    0.2
    """

    range = (-1.0, 1.0)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Compare the two ranks."""
        curve = self.curve(rankings)
        worst = rankings.of_topics(self.full_scale(rankings).regained)
        known = (curve.recall_base > 0) & np.isfinite(curve.regained)
        return np.where(known, 1 - ratio(np.where(known, curve.regained, 0.0), worst), 0.0)


class CRPMin(Effort):
    """How little had the list lost at its lowest point, compared with the reversed ideal list at that rank?

    CRPMin = 1 - CRP[t] / CRP[t] of the full-scale run, t the first rank where CRP is least

    0 where the topic has no relevant document.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation", CLEF, equation 8.

    >>> round(CRPMin().of([1, 0, 0, 1]), 4)  # t = 2: 1 - (-1) / (-2 - 1)
    0.6667
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Compare the two losses."""
        curve = self.curve(rankings)
        rank, least = curve.turn_around
        # It turns at rank R at the latest, and so far the full-scale run has nothing relevant.
        worst = worst_cumulated(rank, curve.recall_base)
        return np.where(curve.recall_base > 0, 1 - ratio(least, worst), 0.0)


class CRPN(Effort):
    """How far from the largest possible cumulated relative position does the list end?

    CRPN = 1 - CRP[N] / CRP[N] of the full-scale run

    1 is a list that ends at 0; one that ends below 0, never having recovered, has more than 1. Where the full-scale run
    ends at 0 itself (no grades told apart, and N ≤ 2R), every list has 1. 0 where the topic has no relevant document.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation", CLEF, equation 9.

    >>> CRPN(cutoff=6).of([1, 0, 0, 1])  # CRP ends at -1 + 2; that of 0 0 0 0 1 1 at -3 + 3 + 4
    0.75
    """

    range = (0.0, math.inf)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Compare the two ends."""
        curve = self.curve(rankings)
        largest = rankings.of_topics(self.full_scale(rankings).end)
        return np.where(curve.recall_base > 0, 1 - ratio(curve.end, largest), 0.0)


def recovery(curve: Curve, crossing: Crossing) -> Floats:
    """Return ρ of each row."""
    return ratio(curve.recall_base, curve.balance_point(crossing))


def spaces(curve: Curve, full_scale: Curve, rankings: JudgedRankings) -> tuple[Floats, Floats]:
    """Return σ⁺ and σ⁻ of each row."""
    some = curve.recall_base > 0
    forward = 1 - ratio(curve.forward, rankings.of_topics(full_scale.forward))
    backward = 1 - ratio(curve.backward, rankings.of_topics(full_scale.backward))
    return np.where(some, forward, 0.0), np.where(some, backward, 0.0)


def space(curve: Curve, full_scale: Curve, rankings: JudgedRankings) -> Floats:
    """Return σ of each row."""
    forward, backward = spaces(curve, full_scale, rankings)
    return ratio(2 * forward * backward, forward + backward)


class Archetype(StrEnum):
    """What a run is like on a topic (Ferro et al. 2016, figure 4)."""

    WORST = "worst"
    FULL_SCALE = "full scale"
    IDEAL = "ideal"
    TYPICAL_B = "typical B"
    EXCELLENT = "excellent or ups-and-downs"
    TYPICAL_A = "typical A"


def archetypes(
    rankings: JudgedRankings, *, n: int = LENGTH, rel: float | None = None, gains: GainMap | None = None
) -> npt.NDArray[np.str_]:
    """Tell of each row which archetype it is, tested in this order.

    ``worst``: nothing relevant was retrieved; ``full scale``: the ideal run reversed; ``ideal``: CRP is 0 everywhere;
    ``typical B``: CRP never returns to 0; ``excellent or ups-and-downs``: it returns within the first R ranks (it may
    fall again); ``typical A``: it returns later.

    Parameters
    ----------
    rankings
        A batch of runs.
    n
        Lists are cut at n, and padded with documents that are not relevant to max(n, 2R).
    rel, gains
        Which grades are told apart; without either, all are.

    Returns
    -------
    The value of an :class:`Archetype` for each row. Rows without anything relevant to be found are ``worst`` too.

    Examples
    --------
    >>> from cranfield.rankings import one_ranking
    >>> [str(archetypes(one_ranking(run))[0]) for run in ([2, 1, 0], [1, 2, 0], [2, 0, 0, 1])]
    ['ideal', 'excellent or ups-and-downs', 'typical A']
    """
    curve = Curve.of(rankings, Conflation(rel, gains), n)
    point = curve.balance_point("return")
    tests = {
        Archetype.WORST: curve.cells.count == 0,
        Archetype.FULL_SCALE: _is_full_scale(curve),
        Archetype.IDEAL: curve.is_ideal,
        Archetype.TYPICAL_B: np.isinf(point),
        Archetype.EXCELLENT: point == curve.recall_base,
    }
    return np.select(list(tests.values()), [name.value for name in tests], default=Archetype.TYPICAL_A.value)


def _is_full_scale(curve: Curve) -> Booleans:
    """Tell which rows have all relevant documents, each where the reversed ideal run has one of its grade."""
    from_below = curve.length[curve.cells.row] - curve.cells.rank + 1
    in_place = (curve.first <= from_below) & (from_below <= curve.last)
    reversed_ideal: Booleans = curve.cells.where(in_place).count == curve.recall_base
    return reversed_ideal

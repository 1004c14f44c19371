"""Relative position: how far documents are from where the ideal run has them, and its running sum, CRP.

In the ideal run of a topic the documents of each grade fill an interval of ranks: first those of
the best grade, then the next, and after the last relevant one, from rank R + 1 on, what is not
relevant. The relative position (RP) of a document is 0 within the interval of its grade, negative
above it (too early) and positive below it (too late). Its running sum (CRP) is 0 at every rank of
the ideal run; wherever it first leaves 0, it goes down.

All of it is computed from the relevant documents alone. Where nothing relevant stands, a run is
like the worst run, whose RP at rank j is min(j - R - 1, 0): up to rank R its curve falls, from
there on it is level. So curves rise at relevant documents only, and only there can they return to
0.

Lists are cut at N, the same for all runs (1000, or k with ``@k``), and padded with documents that
are not relevant to max(N, 2R) ranks. Unjudged documents are not relevant, nor are those whose grade
(or gain) is 0 or less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells, JudgedRankings, full_scale_rankings, ideal_rankings
from cranfield.measures.framework.gains import GainMap, binary, linear
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import condensed, level, parameter
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import MeasureError

LENGTH = 1000
"""N, unless a measure is given another."""

Crossing: TypeAlias = Literal["return", "definition", "matters"]


class Conflation(NamedTuple):
    """Which grades are told apart: all; relevant or not (``rel``); or those of different gain (``gains``)."""

    rel: float | None = None
    gains: GainMap | None = None

    def weight(self, grade: Floats) -> Floats:
        """Give documents that share an interval one weight, better ones a larger one, and 0 to what is not relevant."""
        known = np.nan_to_num(grade)  # NaN: a judgment that was taken away
        if self.rel is not None:
            weight = binary(known, self.rel)
        else:
            weight = linear(known if self.gains is None else self.gains.of(known))
        return np.where(np.isnan(grade), 0.0, weight)


class Intervals(NamedTuple):
    """Where the ideal run has the documents."""

    ideal: JudgedRankings  # the relevant documents of each topic, the best first
    # first, last: for each judgment, the first and the last rank of the ideal run where a document of its grade stands;
    # 0 where it is not relevant
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
    """Return the CRP of the worst run: -R, then -R - (R - 1), and so on down to -R(R + 1)/2 at rank R."""
    rank = np.minimum(rank, recall_base)
    return rank * (rank + 1) / 2 - rank * (recall_base + 1)


@dataclass(frozen=True)
class Curve:
    """RP and CRP of a batch of rankings, known at the relevant documents (and so everywhere)."""

    # recall_base, length: for each row, R, and to how many ranks the list is padded
    recall_base: Floats
    length: Floats
    cells: Cells  # the relevant documents that were retrieved
    # first, last: for each of them, the interval of its grade
    first: Integers
    last: Integers
    # position, cumulated: for each of them, RP and CRP at its rank
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
            return cls.uncut(full_scale_rankings(Intervals.of(judgments, conflation).ideal, n), conflation, n)

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
        return -self.lowest_possible - self.cells.sum(np.minimum(self.position, 0.0) - worst)

    @property
    def lowest_possible(self) -> Floats:
        """The smallest possible CRP, that of the worst and of the full-scale run at rank R."""
        return -self.recall_base * (self.recall_base + 1) / 2

    @property
    def is_ideal(self) -> Booleans:
        """Whether the curve is 0 everywhere; one that leaves 0 goes down first."""
        return np.asarray(self.backward == 0)

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
        return np.maximum(self.recall_base, np.where(at_once, 0.0, self.returns(crossing).first_rank - 1))

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
        back = self.cells.where((self.cells.rank > self.turn_around[0][self.cells.row]) & (self.cumulated >= 0))
        return np.maximum(self.recall_base, np.where(self.is_ideal, 0.0, back.first_rank))


class Misplacement(Measure, registered=False):
    """A measure of misplacement: of the RP and CRP of a list."""

    graded = True
    of_misplacement = True
    shares_level = False  # the level of other measures leaves a graded measure graded
    rewards_promotion = False  # a document that comes too late weighs the more, the later it comes
    cutoff: int | None = parameter(None, f"N: how many ranks count ({LENGTH} without it)", kind=int, at_least=1)
    rel: float | None = level()
    gains: GainMap | None = parameter(
        None, "gain of each grade; grades with the same gain are not distinguished", kind=GainMap
    )
    judged_only: bool = condensed()

    def check(self) -> None:
        """Refuse two ways of conflating grades at once."""
        if self.gains is not None and self.rel is not None:
            raise MeasureError(f"{type(self).__name__}: give either gains or rel, not both")

    @property
    def conflation(self) -> Conflation:
        """Which grades are told apart."""
        return Conflation(self.rel, self.gains)

    @property
    def n(self) -> int:
        """N: where lists are cut."""
        return LENGTH if self.cutoff is None else self.cutoff

    def ideal(self, judgments: Judgments) -> JudgedRankings:
        """Return the relevant documents of each topic, by what is told apart."""
        return Intervals.of(judgments, self.conflation).ideal

    def curve(self, rankings: JudgedRankings) -> Curve:
        """Return RP and CRP of the rankings."""
        return Curve.of(rankings, self.conflation, self.n)

    def full_scale(self, rankings: JudgedRankings) -> Curve:
        """Return RP and CRP of the full-scale run, for each topic."""
        return Curve.of_full_scale(rankings.judgments, self.conflation, self.n)


class Fewer(Misplacement, registered=False):
    """A number of ranks or of crossings; fewer is better."""

    range = (0.0, math.inf)
    higher_is_better = False

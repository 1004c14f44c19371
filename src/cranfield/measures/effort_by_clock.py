"""Effort where ranks do not all count the same: those of an impatient user, and those that take their time.

The paper on Twist leaves such measures to future work, in words: relative positions "boosted or
discounted" by "weighting schemas and/or rank positions" for patient and impatient users, and "a
time-calibrated measure ... by substituting the notion of rank with the notion of time". It has no
formula. Both are read here as one thing: a clock in the place of the rank.

The clock shows T(j) when the user is done with rank j of the list, and T*(j) of the ideal run. Where
documents of a grade stand from rank first to rank last in the ideal run,

    RP[j] = T(j) - T*(first) where that is negative, T(j) - T*(last) where that is positive, else 0

and for what is not relevant first is R + 1 and last infinite. With T(j) = j it is the paper's. All
else is as in Twist, with a full-scale run whose RP are taken by the same clock: discounted RP against
the full-scale run's plain ones would be no share of anything.
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.misplacement import Curve, Intervals, Misplacement
from cranfield.measures.framework.parameters import parameter
from cranfield.plumbing.arrays import Floats, Integers, ratio, sums_within

SUM_ROUNDING = 1e-12
"""What is left of a sum, as a share of what went into it, that is due to rounding and counts as 0."""


class ByClock(Misplacement, registered=False):
    """Twist by a clock, which its kinds declare."""

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of recovery and space ratio, by the clock."""
        forward, backward, recovery = self.ratios(rankings)
        twist = (recovery + ratio(2 * forward * backward, forward + backward)) / 2
        return np.where(self.curve(rankings).recall_base > 0, twist, 0.0)

    def ratios(self, rankings: JudgedRankings) -> tuple[Floats, Floats, Floats]:
        """Return σ⁺, σ⁻ and ρ of each row."""
        curve = self.curve(rankings)
        position, clock = self.by_rank_and_clock(curve)
        most_forward, most_backward = self.most(Intervals.of(rankings.judgments, self.conflation))
        forward = _avoided(np.maximum(position, 0.0), rankings.of_topics(most_forward))
        backward = _avoided(np.maximum(-position, 0.0), rankings.of_topics(most_backward))
        return forward, backward, self.recovery(position, clock, self.ideal_end(curve.recall_base))

    @staticmethod
    def recovery(position: Floats, clock: Floats, ideal_end: Floats) -> Floats:
        """Return T*(R) over T(β), β being the first rank before CRP returns to 0 from below, no sooner than T*(R)."""
        cumulated, moved = position.cumsum(axis=1), np.abs(position).cumsum(axis=1)
        cumulated[np.abs(cumulated) <= SUM_ROUNDING * moved] = 0.0
        back = (cumulated[:, :-1] < 0) & (cumulated[:, 1:] >= 0)
        rows = np.arange(len(position))
        when = np.where(back.any(axis=1), clock[rows, back.argmax(axis=1) if back.shape[1] else 0], np.inf)
        return ratio(ideal_end, np.maximum(ideal_end, np.where((cumulated < 0).any(axis=1), when, 0.0)))

    @abstractmethod
    def by_rank_and_clock(self, curve: Curve) -> tuple[Floats, Floats]:
        """Return RP and T at every rank, down to where everything that follows is in its place: shape (rows, depth)."""

    @abstractmethod
    def ideal_end(self, recall_base: Floats) -> Floats:
        """Return T*(R)."""

    @abstractmethod
    def most(self, intervals: Intervals) -> tuple[Floats, Floats]:
        """Return, for each topic, s⁺ and s⁻ of the full-scale run: no list has more."""


class PatientTwist(ByClock):
    """How little avoidable effort does the list cost a user who sees lower ranks less often?

    PatientTwist = (ρ + σ) / 2 as Twist, with ranks that are T(j) = 1 + p + ... + p^(j-1) apart from
    the top: RP[j] = T(j) - T(first) if j < first; T(j) - T(last) if j > last; else 0; ρ = T(R) / T(β)

    A document that is ten ranks from its place has moved by as much as the user would have looked at
    in between: much at the top of the list, little further down. p = 1 is the user who sees all, and
    Twist itself. The smaller p, the less can late documents make up for early ones: of 1 + p + ... +
    p^(j-1) no more than 1 / (1 - p) is ever left.

    σ⁺ and σ⁻ lie in [0, 1] whatever the weights of the ranks, as long as T rises: at rank j ≤ R
    nothing is earlier than what is not relevant, and the full-scale run has nothing else there; and
    of the relevant documents of any list the i-th from the end is no lower than that of the full-scale
    run, where all are below their place, so that s⁺ is a sum of T there less a sum of T(last).

    This is our reading of a proposal that has no formula. Weights by relevance degree, which the
    proposal names too, are left out: the list of largest s⁻ would not be the full-scale run any more.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), sections "Related Metrics and Discussion" and "Conclusions" (in words).

    The ideal list is 1 1 0 0. T is 1, 3/2, 7/4, 15/8, so that RP is 0, 3/2 - 7/4, 0, 15/8 - 3/2, and
    CRP 0 -1/4 -1/4 1/8 returns after rank 3: ρ = 3/2 / 7/4. At full scale, 0 0 1 1, s⁺ is 1/4 + 3/8,
    and s⁻ 3/4 + 1/4: σ⁺ = 1 - 3/5, σ⁻ = 1 - 1/4.

    >>> round(PatientTwist(p=0.5, cutoff=4).of([1, 0, 0, 1]), 4)
    0.6894
    >>> round((6 / 7 + 2 * (2 / 5) * (3 / 4) / (2 / 5 + 3 / 4)) / 2, 4)
    0.6894
    """

    p: float = parameter(
        0.95, "the chance of going on to the next document; 1 is Twist", above=0, at_most=1, always_shown=True
    )

    def span(self, start: Integers | Floats, end: Integers | Floats) -> Floats:
        """Return T(end) - T(start), to the last bits even where both are close to their limit."""
        if self.p == 1:
            return np.subtract(end, start, dtype=np.float64)
        rate = math.log(self.p)
        seen: Floats = np.exp(start * rate) * np.expm1(np.subtract(end, start) * rate) / (self.p - 1)
        return seen

    def end(self, rank: Integers | Floats) -> Floats:
        """Return T(rank)."""
        return self.span(np.zeros_like(rank), rank)

    def by_rank_and_clock(self, curve: Curve) -> tuple[Floats, Floats]:
        """Below R, what is not relevant is in its place."""
        cells = curve.cells
        depth = int(max(cells.rank.max(initial=1), curve.recall_base.max(initial=1)))
        rank, base = np.arange(1, depth + 1), curve.recall_base[:, None]
        position = -self.span(np.minimum(rank, base + 1), base + 1)
        late, early = np.maximum(cells.rank, curve.last), np.minimum(cells.rank, curve.first)
        position[cells.row, cells.rank - 1] = self.span(curve.last, late) - self.span(early, curve.first)
        return position, np.broadcast_to(self.end(rank), position.shape)

    def ideal_end(self, recall_base: Floats) -> Floats:
        """T(R)."""
        return self.end(recall_base)

    def most(self, intervals: Intervals) -> tuple[Floats, Floats]:
        """All relevant documents at the end of max(N, 2R) ranks; nothing relevant among the first R."""
        row, rank, base, last = _ideal(intervals)
        shift = np.maximum(self.n, 2 * base) - base
        topics = len(intervals.ideal.length)
        forward = sums_within(row, self.span(last, shift + rank), topics)
        return forward, sums_within(row, self.span(rank, base + 1), topics)


class TimedTwist(ByClock):
    """How little avoidable effort does the list cost its user, measured as time?

    TimedTwist = (ρ + σ) / 2 as Twist, with ranks replaced by time: T(j) = j + (t - 1) · (number of
    relevant documents down to rank j), so that a relevant document takes t times as long as another;
    RP[j] = T(j) - T*(first) where that is negative, T(j) - T*(last) where that is positive, else 0,
    T* being the time in the ideal run; ρ = T*(R) / T(β), at most 1

    The length of a second is nothing to it, only how much longer a relevant document takes: with t =
    1 it is Twist. A list without relevant documents is read faster than the ideal one, so its user is
    early for longer than R ranks. t is for whoever has watched users to say; there is no default that
    a paper could be named for. Lists are padded to max(N, R + ⌈tR⌉).

    σ⁺ and σ⁻ lie in [0, 1] for t ≥ 1: at rank j no list is earlier than tR + 1 - j, which is what is
    not relevant after j - 1 others; and the i-th relevant document from the end is done with at L - R
    + t(R - i + 1) at the latest, as in the full-scale run, where all are late.

    This is our reading of a proposal that has no formula.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), section "Conclusions" (in words), after Smucker and Clarke (2012),
    "Time-based calibration of effectiveness measures", SIGIR.

    The ideal list is 1 1 0 0 ..., done with at 2, 4, 5, 6, ...; this one at 2, 3, 4, 6: RP is 0, 3 - 5,
    4 - 5, 6 - 4, and CRP never returns. At full scale, 0 0 0 0 1 1, done with at 1, 2, 3, 4, 6, 8, s⁺
    is 2 + 4 and s⁻ 4 + 3 + 2 + 1: σ⁺ = 1 - 2/6, σ⁻ = 1 - 3/10.

    >>> round(TimedTwist(t=2, cutoff=4).of([1, 0, 0, 1]), 4)
    0.3415
    >>> round((0 + 2 * (4 / 6) * (7 / 10) / (4 / 6 + 7 / 10)) / 2, 4)
    0.3415
    """

    t: float = parameter(
        2.0, "how many times longer a relevant document takes; 1 is Twist", at_least=1, at_most=10, always_shown=True
    )

    def by_rank_and_clock(self, curve: Curve) -> tuple[Floats, Floats]:
        """From T*(R + 1) on, what is not relevant is in its place."""
        cells, base = curve.cells, curve.recall_base
        depth = int(max(cells.rank.max(initial=1), np.ceil(self.t * base.max(initial=1))))
        relevant = cells.table(np.ones(len(cells)), depth).cumsum(axis=1)
        clock = self.t * relevant + (np.arange(1, depth + 1) - relevant)  # in the ideal run t·j, to the last bit
        position = np.minimum(clock - (self.t * base[:, None] + 1), 0.0)
        there = (cells.row, cells.rank - 1)
        done = clock[there]
        position[there] = np.minimum(done - self.t * curve.first, 0.0) + np.maximum(done - self.t * curve.last, 0.0)
        return position, clock

    def ideal_end(self, recall_base: Floats) -> Floats:
        """T*(R)."""
        return self.t * recall_base

    def most(self, intervals: Intervals) -> tuple[Floats, Floats]:
        """All relevant documents at the end; nothing relevant before."""
        row, rank, base, last = _ideal(intervals)
        before = np.maximum(self.n - base, np.ceil(self.t * base))
        forward = sums_within(row, before + self.t * (rank - last), len(intervals.ideal.length))
        base = intervals.ideal.length.astype(np.float64)
        early = np.ceil(self.t * base)
        return forward, early * (self.t * base + 1) - early * (early + 1) / 2


def _ideal(intervals: Intervals) -> tuple[Integers, Integers, Floats, Integers]:
    """Return, for each relevant document, its topic, its rank in the ideal run, R, and the last rank of its grade."""
    ideal = intervals.ideal
    return ideal.row, ideal.rank, ideal.length[ideal.row].astype(np.float64), intervals.last[ideal.judgment]


def _avoided(positions: Floats, most: Floats) -> Floats:
    """Say which share of the most there could be each row avoids, added up so that no row feels how long others are."""
    share = 1 - ratio(positions.cumsum(axis=1)[:, -1], most)
    return np.where(share > SUM_ROUNDING, share, 0.0)

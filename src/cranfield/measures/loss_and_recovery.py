"""Loss and recovery: the points and the four indicators of 2012, read off the curve of cumulated relative position.

The curves are those of :mod:`cranfield.measures.framework.misplacement`. What the paper calls the
worst case is the full-scale run of 2016: the ideal run reversed.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.misplacement import Curve, Fewer, Misplacement, worst_cumulated
from cranfield.measures.framework.parameters import parameter
from cranfield.plumbing.arrays import Floats, ratio

Whose: TypeAlias = Literal["run", "full-scale"]
Point: TypeAlias = Literal["recall-base", "turn-around", "end"]


class TurnAround(Fewer):
    """At which rank is the list's loss largest?

    TurnAround = first rank where CRP is least

    It is R at the latest, and 1 for the ideal list, whose CRP is 0 everywhere. Less counts as
    better, but this is a place on the curve more than a merit: what was lost there is
    CRPAt(point=turn-around). 0 where the topic has no relevant document.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, section 2.2 (min).

    >>> TurnAround().of([1, 0, 0, 1])  # CRP 0 -1 -1 +1
    2.0
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Rank of the least CRP."""
        return self.curve(rankings).turn_around[0]


class OfTwoLists(Misplacement, registered=False):
    """A point of the run's curve, or of the curve that the full-scale run has on the same topic."""

    whose: Whose = parameter(
        "run",
        "the curve of the run, or that of the full-scale run on the same topic",
        kind=str,
        choices=get_args(Whose),
    )

    def regained(self, rankings: JudgedRankings) -> Floats:
        """Return b_r, or b_w of the full-scale run, of each row."""
        if self.whose == "run":
            return self.curve(rankings).regained
        return rankings.of_topics(self.full_scale(rankings).regained)


class RegainedAt(Fewer, OfTwoLists):
    """At which rank has the list regained its loss?

    RegainedAt = b_r = max(R, first rank with CRP ≥ 0 from the turn-around on)

    R where CRP is never negative. The paper has infinity where there is no such rank; here it is
    the rank after the end of the padded list, max(N, 2R) + 1, so that there is an average.
    whose=full-scale is b_w, that of the reversed ideal list. 0 where the topic has no relevant
    document. (BalancePoint, of 2016, is the rank before the first return instead.)

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, section 2.2 (b_r, b_w).

    >>> RegainedAt().of([1, 0, 0, 1])  # CRP 0 -1 -1 +1
    4.0
    >>> RegainedAt(whose="full-scale", cutoff=6).of([1, 0, 0, 1])  # CRP -2 -3 -3 -3 0 4
    5.0
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Rank where what was lost is regained."""
        regained = self.regained(rankings)
        return np.where(np.isinf(regained), self.curve(rankings).length + 1, regained)


class CRPAt(OfTwoLists):
    """How far from the ideal run is the list at a point of its own curve?

    CRPAt = CRP[R], CRP[min] or CRP[N]: at the end of the recall base (point=recall-base: the loss
    value), at the turn-around, where it is least (point=turn-around), or at the last rank of the
    list padded to max(N, 2R) (point=end)

    whose=full-scale is the value of the reversed ideal list at that same rank, CRP(w, ·): the
    turn-around is still the run's. (CRP@k is the value at a fixed rank.) 0 where the topic has no
    relevant document.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, section 2.2.

    >>> [CRPAt(point=point, cutoff=6).of([1, 0, 0, 1]) for point in ("recall-base", "end")]  # CRP 0 -1 -1 1 1 1
    [-1.0, 1.0]
    >>> CRPAt(point="turn-around", whose="full-scale", cutoff=6).of([1, 0, 0, 1])  # at rank 2: -2 - 1
    -3.0
    """

    range = (-math.inf, math.inf)
    point: Point = parameter(
        "recall-base", "the rank: R, that of the run's least CRP, or the last", kind=str, choices=get_args(Point)
    )

    def compute(self, rankings: JudgedRankings) -> Floats:
        """CRP at the point."""
        curve = self.curve(rankings)
        rank = self.rank_of(curve)
        if self.whose == "run":
            return curve.at(rank)
        full = self.full_scale(rankings)
        return np.concatenate([full.at(each) for each in rank.reshape(len(rankings.runs), -1)])

    def rank_of(self, curve: Curve) -> Floats:
        """Return the rank of the point in each row."""
        if self.point == "turn-around":
            return curve.turn_around[0]
        return curve.recall_base if self.point == "recall-base" else curve.length


class RecoveryValue(OfTwoLists):
    """How close to the end of the recall base has the list regained its loss (the 2012 indicator)?

    RecoveryValue = R / b, b = max(R, first rank with CRP ≥ 0 from the turn-around on); 0 if there
    is none

    The turn-around is the first rank where CRP is least. Where CRP is never negative, b = R.
    whose=full-scale is ρ_w, that of the reversed ideal list, which says how hard the topic is
    (figure 3). (Recovery, of 2016, looks at the rank before the first return instead.)

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, equation 6.

    >>> RecoveryValue().of([1, 0, 0, 1])  # CRP 0 -1 -1 +1: 2/4
    0.5
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Recall base over the rank where it was regained."""
        return ratio(self.curve(rankings).recall_base, self.regained(rankings))


class BalanceRatio(Misplacement):
    """How much earlier than the reversed ideal list has the list regained its loss?

    BalanceRatio = 1 - b / b of the full-scale run, b as in RecoveryValue; 0 if there is no b

    Negative for a list that regains it later still, which the paper excludes but can happen: the
    full-scale run is the worst at every rank taken together, not at each. 0 where the topic has no
    relevant document.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, equation 7.

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


class CRPMin(Misplacement):
    """How little had the list lost at its lowest point, compared with the reversed ideal list at that rank?

    CRPMin = 1 - CRP[t] / CRP[t] of the full-scale run, t the first rank where CRP is least

    0 where the topic has no relevant document.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, equation 8.

    >>> round(CRPMin().of([1, 0, 0, 1]), 4)  # t = 2: 1 - (-1) / (-2 - 1)
    0.6667
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Compare the two losses."""
        curve = self.curve(rankings)
        rank, least = curve.turn_around
        # It turns at rank R at the latest, and so far the full-scale run has nothing relevant.
        return np.where(curve.recall_base > 0, 1 - ratio(least, worst_cumulated(rank, curve.recall_base)), 0.0)


class CRPN(Misplacement):
    """How far below the end of the full-scale run does the cumulated relative position of the list end?

    CRPN = 1 - CRP[N] / CRP[N] of the full-scale run

    1 is a list that ends at 0; one that ends below 0, never having recovered, has more than 1; one
    that ends above the full-scale run, which takes N < 3R - 1, has less than 0.
    Where the full-scale run ends at 0 itself (no grades told apart, and N ≤ 2R), every list has 1.
    0 where the topic has no relevant document.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, equation 9.

    >>> CRPN(cutoff=6).of([1, 0, 0, 1])  # CRP ends at -1 + 2; that of 0 0 0 0 1 1 at -3 + 3 + 4
    0.75
    """

    range = (-math.inf, math.inf)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Compare the two ends."""
        curve = self.curve(rankings)
        largest = rankings.of_topics(self.full_scale(rankings).end)
        return np.where(curve.recall_base > 0, 1 - ratio(curve.end, largest), 0.0)

"""Loss and recovery: the four indicators of 2012, read off the curve of cumulated relative position.

The curves are those of :mod:`cranfield.measures.machinery.misplacement`.
"""

from __future__ import annotations

import math

import numpy as np

from cranfield.arrays import Floats, ratio
from cranfield.measures.machinery.misplacement import Misplacement, worst_cumulated
from cranfield.rankings import JudgedRankings


class RecoveryValue(Misplacement):
    """How close to the end of the recall base has the list regained what it lost (the indicator of 2012)?

    RecoveryValue = R / b, b = max(R, first rank with CRP ≥ 0 from the turn-around on); 0 if there
    is none

    The turn-around is the first rank where CRP is least. Where CRP is never negative, b = R.
    (Recovery, of 2016, looks at the rank before the first return instead.)

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, equation 6.

    >>> RecoveryValue().of([1, 0, 0, 1])  # CRP 0 -1 -1 +1: 2/4
    0.5
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Recall base over the rank where it was regained."""
        curve = self.curve(rankings)
        return ratio(curve.recall_base, curve.regained)


class BalanceRatio(Misplacement):
    """How much earlier than the reversed ideal list has the list regained what it lost?

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
        worst = worst_cumulated(rank, curve.recall_base)
        return np.where(curve.recall_base > 0, 1 - ratio(least, worst), 0.0)


class CRPN(Misplacement):
    """How far from the largest possible cumulated relative position does the list end?

    CRPN = 1 - CRP[N] / CRP[N] of the full-scale run

    1 is a list that ends at 0; one that ends below 0, never having recovered, has more than 1.
    Where the full-scale run ends at 0 itself (no grades told apart, and N ≤ 2R), every list has 1.
    0 where the topic has no relevant document.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, equation 9.

    >>> CRPN(cutoff=6).of([1, 0, 0, 1])  # CRP ends at -1 + 2; that of 0 0 0 0 1 1 at -3 + 3 + 4
    0.75
    """

    range = (0.0, math.inf)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Compare the two ends."""
        curve = self.curve(rankings)
        largest = rankings.of_topics(self.full_scale(rankings).end)
        return np.where(curve.recall_base > 0, 1 - ratio(curve.end, largest), 0.0)

"""Effort: what it costs the user that documents are not where the ideal run has them.

The measures are read off the curves of :mod:`cranfield.measures.relative_position`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from enum import StrEnum
from typing import Self, get_args

import numpy as np
import numpy.typing as npt

from cranfield.arrays import Booleans, Floats
from cranfield.errors import MeasureError
from cranfield.measures.machinery.gains import GainMap
from cranfield.measures.machinery.measure import Measure, condensed, cutoff, level, parameter, ratio
from cranfield.measures.relative_position import (
    LENGTH,
    Conflation,
    Crossing,
    Curve,
    worst_cumulated,
    worst_position,
)
from cranfield.rankings import JudgedRankings


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

    @abstractmethod
    def value_at(self, rankings: JudgedRankings, rank: int) -> Floats:
        """Return the value at this rank."""

    @abstractmethod
    def values(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Return the values at ranks 1 to depth."""

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

"""Effort: the cost to the user of documents being out of their ideal place.

The measures are read off the curves of :mod:`cranfield.measures.framework.misplacement`.
"""

from __future__ import annotations

from typing import ClassVar, get_args

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Summary
from cranfield.measures.framework.misplacement import Crossing, Curve, Fewer, Misplacement
from cranfield.measures.framework.parameters import parameter
from cranfield.plumbing.arrays import Booleans, Floats, ratio


class Crosser(Misplacement, registered=False):
    """A measure of when CRP returns to 0."""

    crossing: Crossing = parameter(
        "return",
        "when CRP crosses 0: when it returns from below, to the letter of the paper's definition 3, or as MATTERS has "
        "it, when it rises above 0",
        kind=str,
        choices=get_args(Crossing),
    )


class BalancePoint(Fewer, Crosser):
    """At which rank has the list recovered its early losses?

    BalancePoint = β = max(R, j), j the first rank with CRP[j] < 0 ≤ CRP[j + 1]; R if CRP is never
    negative

    crossing="definition" is the paper's definition 3 to the letter, CRP[j] ≤ 0 ≤ CRP[j + 1] or the
    reverse: whoever has a right document at rank 1 crosses there. crossing="matters" is what the
    authors' toolkit computed, CRP[j] ≤ 0 < CRP[j + 1]: a list that returns to exactly 0 has not
    recovered. If there is no such rank, the paper has infinity; here it is the rank after the end
    of the padded list, max(N, 2R) + 1, so that an average exists. 0 where the topic has no relevant
    document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 3.

    >>> BalancePoint().of([1, 0, 0, 1])  # CRP 0 -1 -1 +1
    3.0
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Rank of the first crossing."""
        curve = self.curve(rankings)
        point = curve.balance_point(self.crossing)
        return np.where(np.isinf(point), curve.length + 1, point)


class Crossings(Fewer, Crosser):
    """How often does the cumulated relative position return to 0?

    Crossings = number of ranks j with CRP[j] < 0 ≤ CRP[j + 1]

    crossing="matters" counts CRP[j] ≤ 0 < CRP[j + 1]. crossing="definition" is the size of the
    paper's set of crossings to the letter, upwards, downwards and along 0: CRP[j] · CRP[j + 1] ≤ 0,
    over all ranks of the list padded to max(N, 2R). 0 where the topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 3.

    >>> Crossings().of([2, 1, 3])  # ideal 3 2 1, CRP -1 -2 0
    1.0
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count the crossings."""
        curve = self.curve(rankings)
        if self.crossing != "definition":
            return curve.returns(self.crossing).count
        return np.where(curve.recall_base > 0, crossings_to_the_letter(curve).sum(axis=1), 0.0)


class CrossingRank(Fewer, Crosser):
    """At which rank does the cumulated relative position return to 0?

    CrossingRank = j, the nth rank with CRP[j] < 0 ≤ CRP[j + 1]

    The ideal list, which never leaves 0, has 1 as its first crossing (the paper's figure 4), and so
    BalancePoint = max(R, CrossingRank). For crossing= see Crossings, which counts them. Where there
    is no nth crossing it is the rank after the end of the padded list, max(N, 2R) + 1. 0 where the
    topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 3 (the elements of x).

    >>> [CrossingRank(nth=n, cutoff=9).of([2, 1, 3]) for n in (1, 2)]  # ideal 3 2 1, CRP -1 -2 0
    [2.0, 10.0]
    """

    nth: int = parameter(1, "which crossing, counted from 1", kind=int, at_least=1)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Rank of the nth crossing."""
        curve = self.curve(rankings)
        if self.crossing == "definition":
            there = crossings_to_the_letter(curve).cumsum(axis=1) == self.nth
            rank = np.where(there.any(axis=1), there.argmax(axis=1) + 1.0, curve.length + 1)
        else:
            rank = curve.length + 1
            found = curve.returns(self.crossing)
            nth = found.where(found.nth == self.nth)
            rank[nth.row] = nth.rank - 1
            if self.nth == 1:
                rank = np.where(curve.is_ideal, 1.0, rank)
        return np.where(curve.recall_base > 0, rank, 0.0)


def crossings_to_the_letter(curve: Curve) -> Booleans:
    """Say of ranks 1, 2, ... whether CRP touches or crosses 0 between there and the next (definition 3)."""
    cumulated = curve.positions(int(curve.length.max(initial=2))).cumsum(axis=1)
    crossed: Booleans = cumulated[:, :-1] * cumulated[:, 1:] <= 0
    return crossed & (np.arange(2, cumulated.shape[1] + 1) <= curve.length[:, None])


class Recovery(Crosser):
    """How close to the end of the recall base does the list recover its early losses?

    Recovery = ρ = R / BalancePoint; 0 if there is no balance point

    1 is a list that recovers within the first R ranks, or has nothing to recover from. For
    crossing= see BalancePoint: of the paper's run a, which returns to exactly 0, ρ is 7/9 with
    "return", 1 with "definition" and 0 with "matters", by which the published figures were
    computed.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 3.

    >>> round(Recovery().of([1, 0, 0, 1]), 4)  # CRP 0 -1 -1 +1: 2/3
    0.6667
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Recall base over balance point."""
        return recovery(self.curve(rankings), self.crossing)


class ForwardSum(Fewer):
    """By how many ranks in total are documents too late?

    ForwardSum = s⁺ = Σ RP[j] where RP[j] > 0

    0 where the topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 4.

    >>> ForwardSum().of([1, 0, 0, 1])  # RP 0 -1 0 +2
    2.0
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of the positive RP."""
        return self.curve(rankings).forward


class BackwardSum(Fewer):
    """By how many ranks in total are documents too early?

    BackwardSum = s⁻ = Σ |RP[j]| where RP[j] < 0

    At most R(R + 1)/2, of a list with nothing relevant among its first R documents. CRP ends at
    ForwardSum - BackwardSum. 0 where the topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 4.

    >>> BackwardSum().of([1, 0, 0, 1])  # RP 0 -1 0 +2
    1.0
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of the negative RP, taken positive."""
        return self.curve(rankings).backward


class ForwardSpace(Misplacement):
    """How little does the list place documents too late, compared with the worst case?

    ForwardSpace = σ⁺ = 1 - s⁺ / s⁺ of the full-scale run, s⁺ = Σ RP[j] where RP[j] > 0

    The full-scale run is the reversed ideal run of length max(N, 2R). A list with no relevant
    document has no late one either: σ⁺ = 1. 0 where the topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 5.

    >>> ForwardSpace(cutoff=4).of([1, 0, 0, 1])  # full scale 0 0 1 1, R = 2: 1 - (4 - 2) / (3 - 2 + 4 - 2)
    0.33333333333333337
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Share of the positive RP that was avoided."""
        return spaces(self.curve(rankings), self.full_scale(rankings), rankings)[0]


class BackwardSpace(Misplacement):
    """How little does the list place documents too early, compared with the worst case?

    BackwardSpace = σ⁻ = 1 - s⁻ / s⁻ of the full-scale run, s⁻ = Σ |RP[j]| where RP[j] < 0

    s⁻ of the full-scale run is R(R + 1)/2, and so is that of a list with no relevant document: σ⁻ =
    0. 0 also where the topic has no relevant document.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 5.

    >>> round(BackwardSpace().of([1, 0, 0, 1]), 4)  # R = 2: 1 - (3 - 2) / (2 + 1)
    0.6667
    """

    rewards_promotion = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Share of the negative RP that was avoided."""
        return spaces(self.curve(rankings), self.full_scale(rankings), rankings)[1]


class Space(Misplacement):
    """What share of the possible detours does the list spare its user?

    Space = σ = 2·σ⁺·σ⁻ / (σ⁺ + σ⁻), the harmonic mean of ForwardSpace and BackwardSpace; 0 if both
    are 0

    It depends on N: the longer the full-scale run, the closer σ⁺ is to 1.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 5.

    >>> round(Space(cutoff=4).of([1, 0, 0, 1]), 4)  # σ⁺ = 1/3, σ⁻ = 2/3: 2 · 2/9
    0.4444
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Harmonic mean of the two."""
        return space(self.curve(rankings), self.full_scale(rankings), rankings)


class Twist(Crosser):
    """How little avoidable effort does the list cost its user?

    Twist = τ = (ρ + σ) / 2, the mean of Recovery and Space

    1 is the ideal list. 0 is one that never returns and has nothing relevant among its first R
    documents, for then σ⁻ is 0 as well: one with nothing relevant at all, and also one whose
    relevant documents come too few and too late. N is 1000, or k with @k; for crossing= see
    BalancePoint; the published figures are those of crossing="matters".

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 6.

    >>> round(Twist(cutoff=4).of([1, 0, 0, 1]), 4)  # ρ = 2/3, σ = 4/9
    0.5556
    >>> Twist().of([0, 0, 0, 1], unretrieved=[1, 1])  # CRP -3 -5 -6 -5 -5 ...: ρ = 0, and σ⁻ = 1 - 6/6
    0.0
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of recovery and space ratio."""
        curve = self.curve(rankings)
        return (recovery(curve, self.crossing) + space(curve, self.full_scale(rankings), rankings)) / 2


class gmTwist(Twist):  # noqa: N801 - as gmAP
    """What is the average Twist, with emphasis on the topics that cost the most effort?

    gmTwist = exp(mean over topics of log(max(Twist, 0.00001)))

    The value of one topic is its Twist. A topic whose list never returns and has nothing relevant
    among its first R documents has Twist 0, which counts as 0.00001; where there are many of them,
    their number decides.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 6; the mean is that of Robertson (2006), "On GMAP: and other
    transformations", CIKM.

    >>> round(gmTwist(cutoff=4).of([1, 0, 0, 1]), 4)  # ρ = 2/3, σ = 4/9
    0.5556
    """

    summary: ClassVar[Summary] = "geometric mean"


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

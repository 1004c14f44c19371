"""Relative position and its running sum: how far at some rank the list is from the ideal run.

The measures are read off the curves of :mod:`cranfield.measures.framework.misplacement`.
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.misplacement import LENGTH, Curve, Misplacement, worst_position
from cranfield.measures.framework.parameters import cutoff, parameter
from cranfield.plumbing.arrays import Floats, ratio


class AtRank(Misplacement, registered=False):
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
    """How far is the document at rank k from the ideal ranks of its grade?

    RP[k] = k - min(g) if k < min(g); k - max(g) if k > max(g); else 0

    g is the document's grade, min(g) and max(g) are the first and the last rank of that grade in
    the ideal run; for what is not relevant (or beyond the end of the list) min is R + 1 and max is
    infinite. Negative: a better document belongs here; positive: this one belongs higher up. rel=
    conflates grades to relevant or not, gains= those that it gives the same gain. The value does
    not depend on N; where the topic has no relevant document, it is 0.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 1.

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
    """How far is the list from the ideal run, summed over the documents down to rank k?

    CRP[k] = RP[1] + ... + RP[k]

    0 is the ideal. Below 0, the user has met documents that should come later, and has not been
    compensated by late good ones; above 0, good documents came so late that they weigh more than
    what was lost above. It does not depend on N; where the topic has no relevant document, it is 0.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definition 2; Angelini et al. (2012), "Cumulated relative position: a
    metric for ranking evaluation", CLEF.

    >>> CRP(cutoff=4).of([0, 1, 0, 2])  # ideal 2 1: (1 - 3) + 0 + 0 + (4 - 1)
    1.0
    """

    cumulates = "positions"
    range = (-math.inf, math.inf)

    def value_at(self, rankings: JudgedRankings, rank: int) -> Floats:
        """CRP at the rank."""
        return self.curve_to(rankings, rank).at(np.full(rankings.rows, rank))

    def values(self, rankings: JudgedRankings, depth: int) -> Floats:
        """CRP at every rank."""
        return self.curve_to(rankings, depth).positions(depth).cumsum(axis=1)


class nCRP(AtRank):  # noqa: N801 - as the field writes it
    """Where does the cumulated relative position at rank k lie between the least and the largest of the full-scale run?

    nCRP[k] = (2·CRP[k] - M - m) / (M - m)

    M and m are the largest and the least CRP of the full-scale run, the reversed ideal run of
    length N. (The ideal run has CRP 0, which is not the middle.) Values are between -1 and 1 where
    N ≥ 3R - 1. With a shorter N the full-scale run does not end highest, and values below 2 occur:
    proposition 2 has its upper bound for every N ≥ 2R, too soon.
    The list is cut at N, and ranks below keep the value at N. Where the topic has no relevant
    document, it is 0.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), proposition 2; the authors' toolkit MATTERS has the formula.

    >>> round(nCRP(cutoff=2, N=4).of([0, 1, 0, 2]), 4)  # m = -2 - 1, M = m + (3 - 2) + (4 - 1): (2·(-2) - 1 + 3) / 4
    -0.5
    """

    range = (-1.0, 2.0)
    N: int = parameter(LENGTH, "length of the full-scale run, and where lists are cut", kind=int, at_least=1)

    def value_at(self, rankings: JudgedRankings, rank: int) -> Floats:
        """CRP at the rank, between the bounds."""
        curve = self.curve_to(rankings, min(rank, self.N))
        return self.normalised(rankings, curve.at(np.full(rankings.rows, rank))[:, None])[:, 0]

    def values(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Value at every rank."""
        return self.normalised(rankings, self.curve_to(rankings, min(depth, self.N)).positions(depth).cumsum(axis=1))

    def normalised(self, rankings: JudgedRankings, cumulated: Floats) -> Floats:
        """Say where between the bounds the values of each row are."""
        full = Curve.of_full_scale(rankings.judgments, self.conflation, self.N)
        low, high = rankings.of_topics(full.lowest_possible)[:, None], rankings.of_topics(full.end)[:, None]
        return ratio(2 * cumulated - high - low, high - low)

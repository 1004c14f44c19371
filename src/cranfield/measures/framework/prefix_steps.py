"""Lists told step by step: what each document adds to the list that ends before it, however little that is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.plumbing.arrays import Floats, Integers


class Steps(NamedTuple):
    """By how much each document changes the value of the list that ended before it.

    Appending the document at rank i adds (gain - loss) · unit. The unit is 1 at the first rank (the
    scale of the values is left open), and the one below is ``ratio`` times as large. So a step says
    what it says even where the unit has become too small to be a number: 0.8^150 is lost against 1,
    and 8^-400 is 0.
    """

    # gain, loss: arrays of shape (rows, depth): what a document adds, and what it takes, none of them negative; 0
    # beyond the end
    gain: Floats
    loss: Floats
    ratio: Floats  # array of the same shape: the unit of the next rank as a share of this rank's, above 0

    @property
    def parts(self) -> Floats:
        """What each document adds, in the unit of the first rank: array of shape (rows, depth)."""
        return (self.gain - self.loss) * units(self.ratio)

    @classmethod
    def within(cls, rankings: JudgedRankings, gain: Floats, loss: Floats | float, ratio: Floats | float = 1.0) -> Steps:
        """Take steps by rank, of which those beyond the end of a list are none."""
        inside = ranks(rankings) <= rankings.length[:, np.newaxis]
        parts = (np.where(inside, gain, 0.0), np.where(inside, loss, 0.0))
        return cls(*parts, np.broadcast_to(np.asarray(ratio, dtype=float), inside.shape))


def units(ratio: Floats) -> Floats:
    """Return the unit of each rank, that of the first being 1: the products of the ratios above it."""
    return np.hstack([np.ones((len(ratio), min(ratio.shape[1], 1))), np.cumprod(ratio, axis=1)[:, :-1]])


def ranks(rankings: JudgedRankings) -> Integers:
    """Return the ranks down to the end of the longest list."""
    return np.arange(1, int(rankings.length.max(initial=0)) + 1)


def going_on(chance: Floats) -> Floats:
    """1 - P: the chance that a document does not satisfy. Never 0, as it never is but for rounding."""
    return np.maximum(1 - chance, np.finfo(float).epsneg)

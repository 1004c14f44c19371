"""The gain at each rank, against that of the ideal list."""

from __future__ import annotations

import math

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gain_measure import GivenGains
from cranfield.measures.framework.parameters import condensed, cutoff
from cranfield.plumbing.arrays import Floats


class DeltaGain(GivenGains):
    """How much more or less does the document at rank k gain than the ideal list's document there?

    DeltaGain@k = g(k) - g(k) of the ideal list

    Negative: a better document belongs here; positive: this one belongs higher up; 0: nothing is
    lost or gained. The gain g is the grade (0 for a negative one), or what gains= says: with gains={-1:-1,0:-1} what is
    not relevant costs the user something (the paper's gains are -1, 1, 2, 3). Unjudged documents
    gain nothing. The ideal list has documents of positive gain alone and gains nothing below them,
    so that a document of negative gain is a loss wherever it stands. The sum of DeltaGain@1 to @k
    is CG@k less that of the ideal list.

    Paper: Angelini et al. (2012), "Cumulated relative position: a metric for ranking evaluation",
    CLEF, section 4 and figure 2b (the Δgain bar).

    >>> [DeltaGain(cutoff=k).of([2, 0, 3]) for k in (1, 2, 3)]  # 2 0 3, and 3 2 0 in the ideal list
    [-1.0, -2.0, 3.0]
    >>> DeltaGain(cutoff=2, gains={0: -1}).of([2, 0, 3])  # -1 - 2
    -3.0
    """

    range = (-math.inf, math.inf)
    rewards_promotion = False  # what is gained at one rank is lost at another
    cutoff: int | None = cutoff()
    judged_only: bool = condensed()
    at_required = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Return the difference at the last rank that is left."""
        return self.differences(rankings, self.cutoff or 1)[:, -1]

    def by_rank(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Return the difference at every rank at once."""
        return self.differences(rankings.condensed() if self.judged_only else rankings, depth)

    def differences(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Return the differences at ranks 1 to depth: array of shape (rows, depth)."""
        ideal = self.gains_by_rank(self.ideal(rankings.judgments), depth)
        by_run = self.gains_by_rank(rankings, depth).reshape(len(rankings.runs), *ideal.shape)
        return (by_run - ideal).reshape(rankings.rows, depth)

    def gains_by_rank(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Return the gain at ranks 1 to depth."""
        cells, gain = self.gainful(rankings.cut(depth))
        return cells.table(gain, depth)

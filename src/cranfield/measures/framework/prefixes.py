"""Prefixes of lists: the values of all of them in one pass, and what each document adds to the one before it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells, JudgedRankings, ideal_rankings
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats, Integers


class PrefixSums(Measure, registered=False):
    """A measure told by the length of the list and by sums over its cells, those down to a rank telling the prefix."""

    @abstractmethod
    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Return some cells and, for each sum, what each cell adds to it."""

    @abstractmethod
    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Return the values of lists of these lengths with these sums: arrays of shape (rows, lists)."""

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Add up the cells."""
        cells, terms = self.terms(rankings)
        sums = [cells.sum(term)[:, np.newaxis] for term in terms]
        return self.value(rankings, rankings.length[:, np.newaxis], sums)[:, 0]

    def by_prefix(self, rankings: JudgedRankings) -> Floats:
        """Add up the cells down to every rank: the values of all prefixes in one pass."""
        if self.judged_only:  # ranks then shift from prefix to prefix
            return super().by_prefix(rankings)
        depth = int(rankings.length.max(initial=0))
        counted = rankings.cut(self.cutoff)
        cells, terms = self.terms(counted)
        sums = [sums_by_length(cells, term, depth) for term in terms]
        return self.value(counted, np.minimum(np.arange(depth + 1), counted.length[:, np.newaxis]), sums)


def sums_by_length(cells: Cells, values: Floats, depth: int) -> Floats:
    """Add up the values of the first 0, 1, ..., depth ranks of each row."""
    table = np.zeros((cells.rows, depth + 1))
    table[cells.row, cells.rank] = values
    return np.cumsum(table, axis=1, out=table)


def sum_until(length: Integers, of_rank: Callable[[Integers], Floats]) -> Floats:
    """Add up a function of the rank from 1 to each of these lengths."""
    ranks = np.arange(1, int(length.max(initial=0)) + 1)
    return np.append(0.0, np.cumsum(of_rank(ranks)))[length]


def by_topic(rankings: JudgedRankings, values: Floats) -> Floats:
    """Spread values by topic over the rows, as a column."""
    return rankings.of_topics(values)[:, np.newaxis]


def best_lists(judgments: Judgments) -> JudgedRankings:
    """Return each topic's relevant documents, the highest grade first."""
    return judgments.remembered(
        "relevant documents by falling grade", lambda: ideal_rankings(judgments, np.nan_to_num(judgments.grade))
    )


class Steps(NamedTuple):
    """By how much each document changes the value of the list that ended before it.

    Appending the document at rank i adds (gain - loss) · unit. The unit is 1 at the first rank (the
    scale of the values is left open), and the one below is ``ratio`` times as large. So a step says
    what it says even where the unit has become too small to be a number: 0.8^150 is lost beside 1,
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
    first = np.ones((len(ratio), min(ratio.shape[1], 1)))
    return np.hstack([first, np.cumprod(ratio, axis=1)[:, :-1]])


def ranks(rankings: JudgedRankings) -> Integers:
    """Return the ranks down to the end of the longest list."""
    return np.arange(1, int(rankings.length.max(initial=0)) + 1)


def going_on(chance: Floats) -> Floats:
    """1 - P: the chance that a document does not satisfy. Never 0, as it never is but for rounding."""
    left: Floats = np.maximum(1 - chance, np.finfo(float).epsneg)
    return left

"""Measures told by the length of a list and by sums over its cells: one pass gives the values of all prefixes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells, JudgedRankings, ideal_rankings
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats, Integers


class PrefixSums(Measure, registered=False):
    """A measure told by the length of the list and by sums of what the cells of the list add, whatever is below them.

    So that the sums down to every rank give the value of every prefix, in one pass.
    """

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
        """Add up the cells down to every rank: the values of all prefixes in one pass.

        >>> from cranfield.measures import FlatUtility
        >>> from cranfield.judged.rankings import one_ranking
        >>> FlatUtility().by_prefix(one_ranking([1, 0, 1])).round(2).tolist()
        [[0.0, 0.95, 0.9, 1.85]]
        """
        depth = int(rankings.length.max(initial=0))
        counted = rankings.cut(self.cutoff)
        cells, terms = self.terms(counted)
        sums = [sums_by_length(cells, term, depth) for term in terms]
        return self.value(counted, np.minimum(np.arange(depth + 1), counted.length[:, np.newaxis]), sums)


def sums_by_length(cells: Cells, values: Floats, depth: int) -> Floats:
    """Add up the values of the first 0, 1, ..., depth ranks of each row.

    >>> sums_by_length(Cells(1, np.array([0, 0]), np.array([1, 3]), np.ones(2)), np.array([5.0, 2.0]), 3)
    array([[0., 5., 5., 7.]])
    """
    table = np.zeros((cells.rows, depth + 1))
    table[cells.row, cells.rank] = values
    return np.cumsum(table, axis=1, out=table)


def sum_until(length: Integers, of_rank: Callable[[Integers], Floats]) -> Floats:
    """Add up a function of the rank from 1 to each of these lengths.

    >>> sum_until(np.array([[0, 3]]), lambda rank: 1 / rank).round(4)
    array([[0.    , 1.8333]])
    """
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

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
    return np.append(0.0, np.cumsum(of_rank(np.arange(1, int(length.max(initial=0)) + 1))))[length]


def by_topic(rankings: JudgedRankings, values: Floats) -> Floats:
    """Spread values by topic over the rows, as a column."""
    return rankings.of_topics(values)[:, np.newaxis]


def best_lists(judgments: Judgments) -> JudgedRankings:
    """Return each topic's relevant documents, the highest grade first."""
    return judgments.remembered(
        "relevant documents by falling grade", lambda: ideal_rankings(judgments, np.nan_to_num(judgments.grade))
    )

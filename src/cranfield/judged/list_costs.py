"""What lists cost whoever reads them, down to every rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from cranfield.judged.condition_files import Costs
from cranfield.plumbing.arrays import Floats, Integers, members, starts
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

_COST_ROUNDING: Final = 1e-9  # A sum of costs is above a budget only if it is so by more than the rounding of a sum


class ListCosts(NamedTuple):
    """What the documents of each row cost, down to every rank."""

    spent: Floats  # List by list: 0, and then what its first, its first two, ... documents cost together.
    start: Integers  # For each row, the place of its 0

    @classmethod
    def of(cls, cost: Floats, length: Integers) -> ListCosts:
        """Add up the costs of documents, which are given list by list."""
        row, nth = members(length)
        start = starts(length + 1)
        spent = np.zeros(int((length + 1).sum()))
        table = np.zeros((len(length), int(length.max(initial=0))))  # so that no list heeds the ones before it
        table[row, nth] = cost
        spent[start[row] + nth + 1] = np.cumsum(table, axis=1)[row, nth]
        return cls(spent, start)

    @classmethod
    def batch(cls, several: Sequence[ListCosts]) -> ListCosts:
        """Put the costs of several batches of lists together."""
        first = np.cumsum([0, *(len(each.spent) for each in several)])
        return cls(
            np.concatenate([each.spent for each in several]),
            np.concatenate([each.start + before for each, before in zip(several, first[:-1], strict=True)]),
        )

    def of_rows(self, rows: Integers | slice) -> ListCosts:
        """Return those of some rows, in this order."""
        return ListCosts(self.spent, self.start[rows])

    def spread(self, rows: Integers, many: int) -> ListCosts:
        """Give its lists to these rows of a number of rows; the others have no document."""
        start = np.full(many, len(self.spent))
        start[rows] = self.start
        return ListCosts(np.append(self.spent, 0.0), start)

    def until(self, length: Integers) -> Floats:
        """Return what the first documents of each row, this many, cost: array of shape (rows,) or (rows, lists)."""
        return self.spent.take((self.start if length.ndim == 1 else self.start[:, np.newaxis]) + length)

    def table(self, length: Integers) -> Floats:
        """Return the cost of each document: array of shape (rows, longest length), 0 beyond the end of a row."""
        ranks = np.arange(int(length.max(initial=0)) + 1)
        return np.diff(self.until(np.minimum(ranks, length[:, np.newaxis])), axis=1)

    def fitting(self, budget: float, length: Integers) -> Integers:
        """Return how many documents of each row fit into a budget: the first that does not fit whole ends the list."""
        row, nth = members(length + 1)
        fits = self.spent.take(self.start[row] + nth) <= budget * (1 + _COST_ROUNDING)
        return np.bincount(row, weights=fits, minlength=len(length)).astype(np.int64) - 1

    def kept(self, length: Integers, row: Integers, rank: Integers) -> ListCosts:
        """Return those of lists of which only these ranks are left, row by row and by rank."""
        at = self.start[row] + rank
        return ListCosts.of(self.spent[at] - self.spent[at - 1], length)


def unit_costs(length: Integers) -> ListCosts:
    """Let every document cost 1, as it does where no costs are given: the cost of a list is its length."""
    return ListCosts(np.arange(int(length.max(initial=0)) + 1.0), np.zeros(len(length), np.int64))


def sum_until_cost(
    costs: ListCosts, lengths: Integers, length: Integers, worth: Callable[[Integers], Floats]
) -> Floats:
    """Add up cost times a function of the rank, from rank 1 to each of these lengths: array of shape (rows, lists).

    >>> costs = ListCosts.of(np.array([100.0, 50.0]), np.array([2]))
    >>> sum_until_cost(costs, np.array([2]), np.array([[0, 1, 2]]), lambda rank: 1 / rank)
    array([[  0., 100., 125.]])
    """
    cost = costs.table(lengths)
    running = np.zeros((len(cost), cost.shape[1] + 1))
    np.cumsum(cost * worth(np.arange(1, cost.shape[1] + 1)), axis=1, out=running[:, 1:])
    return np.take_along_axis(running, np.broadcast_to(length, (len(running), length.shape[1])), axis=1)


def costs_of_lists(
    costs: Costs, run: str, documents: pl.Series, length: Integers, *, missing: float | None, depth: float
) -> tuple[ListCosts, int]:
    """Look up what the lists of a run cost, its documents being given list by list and by rank."""
    cost = costs.of(documents)
    read = members(length)[1] < depth
    lacking = cost.is_null().to_numpy() & read
    lacks = int(lacking.sum())
    if lacks and missing is None:
        verb = "has" if lacks == 1 else "have"
        raise InputError(
            f"{lacks:,} of {counted(int(read.sum()), 'document')} of run {run!r} {verb} no cost, such as "
            f"{documents[int(np.argmax(lacking))]!r}; give each one, or say with --cost-missing (cost_missing=) "
            "what such documents cost",
            source=costs.given,
        )
    return ListCosts.of(cost.fill_null(missing or 0.0).to_numpy(), length), lacks

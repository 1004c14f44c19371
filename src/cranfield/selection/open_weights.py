"""What the open documents of a topic weigh in each run, kept up to date by judgment."""

from __future__ import annotations

import numpy as np

from cranfield.plumbing.arrays import Floats, Integers, nth_within

SPARSE = 4
"""A table with more places than this for each weight in it, since few lists are long, is not worth its memory."""


class OpenWeights:
    """A column for each run with the weights of its documents, in the order of the documents; 0 where one is judged.

    So each sum is formed anew from what is still open, one weight after the other in the same order,
    and is the same to the last bit in whatever order documents were judged and taken back.

    >>> open_weights = OpenWeights(np.array([0, 1, 1]), np.array([0.5, 0.25, 0.5]), 2)
    >>> open_weights.sums()
    array([0.5 , 0.75])
    >>> open_weights.put(slice(0, 2), 0.0)  # the first two cells are those of a document that is judged
    >>> open_weights.sums()
    array([0. , 0.5])
    """

    def __init__(self, run: Integers, weight: Floats, runs: int) -> None:
        self._run = run
        by_run = np.argsort(run.astype(np.min_scalar_type(runs)), kind="stable")  # small numbers are sorted faster
        rows = int(np.bincount(run, minlength=1).max())
        self._row = np.empty(len(run), np.min_scalar_type(rows))
        self._row[by_run] = nth_within(run[by_run])
        self._table = np.zeros((rows, runs))
        self.put(slice(None), weight)

    @staticmethod
    def suit(length: Integers) -> bool:
        """Say whether a table suits lists of these lengths."""
        return len(length) * int(length.max()) <= SPARSE * int(length.sum())

    def put(self, cells: slice, weight: Floats | float) -> None:
        """Give some cells another weight."""
        self._table[self._row[cells], self._run[cells]] = weight

    def sums(self) -> Floats:
        """Return what the open documents of each run weigh together."""
        found: Floats = self._table.sum(axis=0)  # row by row, and not in pairs
        return found

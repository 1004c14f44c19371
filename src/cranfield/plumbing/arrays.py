"""Arrays: what they are called in types, division, and groups, all groups at once.

Groups are given in one of two ways: by the number of the group of each member, or, where the members
of a group lie together and group follows group, by their sizes.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.floating]
Integers: TypeAlias = npt.NDArray[np.signedinteger]
Booleans: TypeAlias = npt.NDArray[np.bool_]
Keys: TypeAlias = npt.NDArray[np.uint64]


class OfNumbers:
    """What an array is made of where it is made of numbers."""

    words = "of numbers"

    def broken_by(self, value: npt.ArrayLike) -> str | None:
        """Say what should have been given, unless it can be an array of numbers.

        >>> OfNumbers().broken_by([1, 2.5]), OfNumbers().broken_by([[1, None], ["x", 2]])
        (None, 'of numbers')
        """
        try:
            np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            return self.words
        return None


Numbers: TypeAlias = Annotated[npt.ArrayLike, OfNumbers()]
"""Numbers in all forms that NumPy makes an array of."""


def ratio(numerator: Floats | Integers | float, denominator: Floats | Integers | float) -> Floats:
    """Divide; what has nothing to be divided by, as where a topic has no relevant document, is 0.

    >>> ratio(np.array([1.0, 1.0]), np.array([2.0, 0.0]))
    array([0.5, 0. ])
    >>> ratio(1.0, np.array([[2.0], [0.0]]))
    array([[0.5],
           [0. ]])
    """
    if np.count_nonzero(denominator) == np.size(denominator):  # as mostly: a division with a mask takes twice as long
        return np.asarray(np.divide(numerator, denominator))
    quotient = np.zeros(np.broadcast(numerator, denominator).shape)
    return np.divide(numerator, denominator, out=quotient, where=np.not_equal(denominator, 0))


def harmonic_mean(precision: Floats, recall: Floats, beta: float) -> Floats:
    """Return F: the harmonic mean of both, in which recall weighs beta times as much; 0 where both are."""
    squared = beta * beta
    return ratio((1 + squared) * precision * recall, squared * precision + recall)


def distinct(values: Floats) -> Floats:
    """Return the different values, rising, as ``np.unique`` does, which loads numpy.ma for that: NaN comes last, once.

    >>> distinct(np.array([2.0, np.nan, 0.0, 2.0, np.nan]))
    array([ 0.,  2., nan])
    """
    rising = np.sort(values)
    again = (rising[1:] == rising[:-1]) | np.isnan(rising[:-1])
    found: Floats = rising[np.append(True, ~again)[: len(rising)]]
    return found


def starts(sizes: Integers) -> Integers:
    """Say where each of the groups of these sizes begins.

    >>> starts(np.array([2, 0, 3]))
    array([0, 2, 2])
    """
    return np.cumsum(sizes) - sizes


def members(sizes: Integers) -> tuple[Integers, Integers]:
    """Go through the members of groups of these sizes: the group of each, and which of its members it is, from 0.

    >>> members(np.array([2, 0, 3]))
    (array([0, 0, 2, 2, 2]), array([0, 1, 0, 1, 2]))
    """
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, nth_within(group)


def nth_within(group: Integers) -> Integers:
    """Say which member of its group each is, from 0, where the members of a group lie together, by rising number.

    >>> nth_within(np.array([0, 0, 2, 2, 2]))
    array([0, 1, 0, 1, 2])
    """
    return np.arange(len(group)) - starts(np.bincount(group))[group]


def places_within(group: Integers, key: Floats | Integers) -> Integers:
    """Say of each key which place it has (from 0) among those of its group, the smallest first.

    >>> places_within(np.array([1, 0, 1]), np.array([7, 5, 3]))
    array([1, 0, 0])
    """
    order = np.lexsort((key, group))
    place = np.empty(len(group), np.int64)
    place[order] = nth_within(group[order])
    return place


def sums_within(group: Integers, values: Floats | Booleans, groups: int) -> Floats:
    """Add up the values of each group.

    >>> sums_within(np.array([1, 0, 1]), np.array([0.5, 1.0, 2.0]), 3)
    array([1. , 2.5, 0. ])
    """
    return np.asarray(np.bincount(group, weights=values, minlength=groups), np.float64)

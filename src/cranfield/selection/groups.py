"""Sums and places within groups, all groups at once."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Booleans, Floats, Integers


def sums_within(group: Integers, values: Floats | Booleans, groups: int) -> Floats:
    """Add up the values of each of so many groups.

    >>> sums_within(np.array([1, 0, 1]), np.array([0.5, 1.0, 2.0]), 3)
    array([1. , 2.5, 0. ])
    """
    return np.asarray(np.bincount(group, weights=values, minlength=groups), np.float64)


def places_within(group: Integers, key: Floats | Integers) -> Integers:
    """Say of each key which place it has (from 0) among those of its group, the smallest first.

    >>> places_within(np.array([1, 0, 1]), np.array([7, 5, 3]))
    array([1, 0, 0])
    """
    order = np.lexsort((key, group))
    sizes = np.bincount(group)
    place = np.empty(len(group), np.int64)
    place[order] = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group[order]]
    return place

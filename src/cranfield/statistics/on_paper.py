"""What is equal on paper: the one tolerance of every function that compares means or ranks by them.

Sums of the same numbers differ in their last bits where they are added in another order, so that
runs whose means are equal on paper seldom have the same floats. A mean of values below 1,000 over
some thousand topics is off by 1e-12 at the most; and two means that differ on paper, by whatever a
rank or a grade is worth, differ by far more than 1e-9, or by what decides nothing.

Two numbers are compared by `side`. To rank many, `levelled` gives those that are equal one
value, and `places` their ranks. `settled` does both to differences topic by topic: none where two
systems are equal, and one size where sizes are. Every test takes them so.
That takes a rule for chains: where a and b are equal, and b and c, then so are a and c, though they
may differ by more. Rounding to a grid would need no such rule, but tells apart what lies on both
sides of one of its edges, however near; and groups around the best of them would tell b from c. In a
chain the last is no further from the first than the tolerance for each of its members, which no
means of real runs come near.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, Integers

EQUAL: Final = 1e-9
"""Numbers that differ by less are equal on paper."""


def side(differences: npt.ArrayLike) -> Floats:
    """On which side of 0 is each difference: 1, -1, or 0 where the two numbers are equal on paper?"""
    values = np.asarray(differences, np.float64)
    return np.where(np.abs(values) < EQUAL, 0.0, np.sign(values))


def levelled(values: npt.ArrayLike) -> Floats:
    """Give numbers that are equal on paper one value, the smallest of theirs, so that they share a rank."""
    given = np.asarray(values, np.float64)
    with np.errstate(invalid="ignore"):  # infinite ones share a rank, too
        gaps = np.diff(np.sort(given, axis=-1), axis=-1)
    level = given.copy()
    near = ((gaps > 0) & (gaps < EQUAL)).any(axis=-1)  # which many tables have in no row, and to sort is fast
    if near.any():
        level[near] = _chains(given[near])
    return level


def _chains(given: Floats) -> Floats:
    """Do that row by row: from one number to the next."""
    order = np.argsort(given, axis=-1)
    rising = np.take_along_axis(given, order, axis=-1)
    with np.errstate(invalid="ignore"):
        begins = np.diff(rising, axis=-1, prepend=-np.inf) >= EQUAL
    first = np.maximum.accumulate(np.where(begins, np.arange(given.shape[-1]), 0), axis=-1)
    level = np.empty_like(given)
    np.put_along_axis(level, order, np.take_along_axis(rising, first, axis=-1), axis=-1)
    return np.where(np.isnan(given), given, level)


def settled(differences: npt.ArrayLike) -> Floats:
    """Give differences that are 0 on paper as 0, and those of one size on paper as equal, so that they are ties."""
    given = np.asarray(differences, np.float64)
    sizes = levelled(np.abs(given))
    return np.where(sizes < EQUAL, 0.0, np.copysign(sizes, given))


def leaders(values: npt.ArrayLike) -> Booleans:
    """Which are the highest on the last axis: all values equal on paper to the highest?"""
    level = levelled(values)
    return np.asarray(level == level.max(axis=-1, keepdims=True))


def places(values: npt.ArrayLike) -> Integers:
    """Which place has each number, from 1, the highest first? Those that are equal on paper share the better one."""
    level = levelled(values)
    return np.asarray(1 + (level[..., np.newaxis, :] > level[..., :, np.newaxis]).sum(axis=-1))


def largest(values: npt.ArrayLike) -> Integers:
    """Where are the largest of some numbers, those that are equal on paper all of them?"""
    return np.flatnonzero(leaders(values)) if np.size(values) else np.zeros(0, np.int64)

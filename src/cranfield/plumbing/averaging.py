"""Averages over topics: the mean, and others that listen more to some topics than to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats, Integers, ratio
from cranfield.plumbing.options import TopicAverage

LEAST_VALUE: Final = 0.00001
"""What a geometric or harmonic mean takes a smaller value for, as trec_eval does for the geometric one."""
WORDS: Final[dict[TopicAverage, str]] = {
    "mean": "mean",
    "median": "median",
    "geometric": "geometric mean",
    "harmonic": "harmonic mean",
}
"""The names of averages next to a measure, and where a measure declares its own."""

_ADDED: Final[dict[str, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]]] = {
    "geometric mean": (np.log, np.exp),
    "harmonic mean": (np.reciprocal, np.reciprocal),
}
"""What is made of values before they are added up, and of their mean afterwards."""


def averaged(values: Floats, counted: Booleans, how: str, weights: Floats | None = None) -> Floats:
    """Average over topics, added one by one in this order; weights do nothing to sums, and suit no median.

    Shapes: values, counted (runs, topics), of which one of each run counts at least; weights (topics,); the result
    (runs,).

    Of 0.1, 0.4 and 0.4 the geometric mean is the cube root of 0.016, and the harmonic one is 3 / (10 + 2.5 + 2.5); a
    fourth topic does not count.

    >>> values, counted = np.array([[0.1, 0.4, 0.4, 0.9]]), np.array([[True, True, True, False]])
    >>> [averaged(values, counted, how).round(3).item() for how in WORDS.values()]
    [0.3, 0.4, 0.252, 0.2]
    >>> averaged(values, counted, "mean", np.array([3.0, 1.0, 0.0, 9.0]))  # (3 · 0.1 + 0.4) / 4
    array([0.175])
    """
    if how == "median":
        return np.array([np.median(row[there]) for row, there in zip(values, counted, strict=True)])
    summed, number = summable(values, how), counted.sum(axis=1)
    if weights is not None and how != "sum":
        summed, number = weights * summed, (weights * counted).sum(axis=1)
    return settled(np.where(counted, summed, 0.0).cumsum(axis=1)[:, -1], number, how)


def settled(total: Floats, number: Integers | Floats, how: str) -> Floats:
    """Make an average of what was added up (see `summable`), and of how many topics it is; not a median.

    >>> settled(np.array([6.0, 6.0]), np.array([3, 4]), "mean")
    array([2. , 1.5])
    """
    if how == "sum":
        return total
    means = ratio(total, number)
    return np.asarray(_ADDED[how][1](means)) if how in _ADDED else means


def summable(values: Floats, how: str) -> Floats:
    """Return what is added up over topics: values; or their logarithms or reciprocals, of 0.00001 at least."""
    return _ADDED[how][0](np.maximum(values, LEAST_VALUE)) if how in _ADDED else values

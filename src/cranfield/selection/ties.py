"""Which documents weigh the same? What differs by rounding alone does not decide what is judged next."""

from __future__ import annotations

import math

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats, Integers

WEIGHT_ROUNDING = 1e-12
"""A weight counts as equal to a larger one if it is smaller by no more than this share of it.

The weights of our own methods are sums and products of numbers that are not negative, so that rounding changes them
by far less. Those of others may be negative.
"""


def lowest_equal(weight: float) -> float:
    """Return the smallest weight that counts as equal to this one, the largest.

    >>> lowest_equal(0.5) < 0.5 - 1e-13, lowest_equal(0.5) < 0.5 - 1e-12
    (True, False)
    >>> lowest_equal(-0.5) < -0.5
    True
    """
    return weight * (1.0 - math.copysign(WEIGHT_ROUNDING, weight))


def near_the_top(weights: Floats, n: int) -> Integers:
    """Say which could be among the n heaviest: those that weigh as much as the n-th, or count as equal to it.

    >>> near_the_top(np.array([0.1, 0.3, 0.1 + 0.2, 0.2, 0.4]), 2), near_the_top(np.array([0.1, 0.3]), 3)
    (array([1, 2, 4]), array([0, 1]))
    """
    if not 0 < n < len(weights):
        return np.arange(len(weights))
    return np.flatnonzero(weights >= lowest_equal(np.partition(weights, -n)[-n]))


def levels(weights: Floats) -> Floats:
    """Return for each weight the largest one that it counts as equal to.

    From the top: the largest weight and all that count as equal to it are one level, the largest of
    the others begins the next.

    >>> levels(np.array([0.25, 0.1 + 0.2, 0.3, 0.0]))
    array([0.25, 0.3 , 0.3 , 0.  ])
    """
    order = np.argsort(-weights, kind="stable")
    level, lowest, of_each = np.inf, np.inf, []
    for weight in weights[order].tolist():
        if weight < lowest:
            level, lowest = weight, lowest_equal(weight)
        of_each.append(level)
    found: Floats = np.empty(len(weights))
    found[order] = of_each
    return found


def heaviest(weights: Floats, open_: Booleans) -> tuple[int, float]:
    """Say which open one is the first that counts as equal to the largest of them, and what the largest weighs.

    >>> heaviest(np.array([0.9, 0.3, 0.1 + 0.2]), np.array([False, True, True]))
    (1, 0.30000000000000004)
    """
    left = np.where(open_, weights, -np.inf)
    largest = float(left.max())
    return int((left >= lowest_equal(largest)).argmax()), largest

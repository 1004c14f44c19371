"""How far from 0 is tau-b by chance? (To load scipy.stats, which knows it too, takes 30 MB and half a second.)"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from math import comb, erfc, factorial, sqrt
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats, Integers

EXACT_TO: Final = 33
"""Systems: with more, only the nearest to the same order or its reverse is counted exactly."""


def two_sided_p(x: Floats, y: Floats) -> float:
    r"""How likely is it that unrelated rankings are at least as alike, or as opposed, as these two?

    Without ties, S = C - D has the distribution of the inversions of a random order, counted for up
    to `EXACT_TO` systems or one inversion. Else S is taken as normal, with the variance under ties

    .. math::
        \frac{m (2n + 5) - \sum t (t - 1)(2t + 5) - \sum u (u - 1)(2u + 5)}{18}
        + \frac{\sum t (t - 1) \sum u (u - 1)}{2 m}
        + \frac{\sum t (t - 1)(t - 2) \sum u (u - 1)(u - 2)}{9 m (n - 2)}, \qquad m = n (n - 1)

    for groups of t systems that x ties, and u that y does.

    Paper: M. G. Kendall (1970), Rank correlation methods, 4th edition, chapters 4 and 5.

    Of the 3! orders of three systems two are as extreme as the same order:

    >>> round(two_sided_p(np.array([3.0, 2.0, 1.0]), np.array([9.0, 5.0, 4.0])), 9) == round(2 / 6, 9)
    True
    """
    n = len(x)
    agreed = float((np.sign(x[:, None] - x) * np.sign(y[:, None] - y)).sum()) / 2
    ties, others = (_tied(each) for each in (x, y))
    if len(ties) == len(others) == 0:
        inversions = round((comb(n, 2) - abs(agreed)) / 2)
        if n <= EXACT_TO or inversions <= 1:
            return min(1.0, 2 * _orders_within(n, inversions) / factorial(n))
    m = n * (n - 1)
    variance = (m * (2 * n + 5) - _spread(ties) - _spread(others)) / 18
    variance += float((ties * (ties - 1)).sum() * (others * (others - 1)).sum()) / (2 * m)
    if n > 2:
        variance += _triples(ties) * _triples(others) / (9 * m * (n - 2))
    return erfc(abs(agreed) / sqrt(2 * variance))


def _tied(scores: Floats) -> Integers:
    """Return the sizes of the groups of equal scores."""
    sizes: Integers = np.unique(scores, return_counts=True)[1]
    return sizes[sizes > 1]


def _spread(sizes: Integers) -> float:
    return float((sizes * (sizes - 1) * (2 * sizes + 5)).sum())


def _triples(sizes: Integers) -> float:
    return float((sizes * (sizes - 1) * (sizes - 2)).sum())


def _orders_within(n: int, inversions: int) -> int:
    """Count the orders of n things with at most so many inversions.

    >>> [_orders_within(3, most) for most in range(4)]
    [1, 3, 5, 6]
    """
    return n if inversions == 1 and n > EXACT_TO else 1 if inversions == 0 else _counted(n)[inversions]


@cache
def _counted(n: int) -> tuple[int, ...]:
    """Count the orders of n things with at most 0, 1, ... inversions: the k-th thing goes before 0 to k - 1 others."""
    orders = [1]
    for k in range(2, n + 1):
        within = [0, *accumulate([*orders, *[0] * (k - 1)])]
        orders = [within[i + 1] - within[max(0, i + 1 - k)] for i in range(len(within) - 1)]
    return tuple(accumulate(orders))

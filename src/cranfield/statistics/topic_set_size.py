"""The number of topics of a collection, by an analysis of variance and by the width of an interval.

By the paired t-test it is `topics_needed` of `cranfield.statistics.power`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from cranfield.plumbing.lazy import special
from cranfield.plumbing.options import Folds, Level, Positive
from cranfield.plumbing.options import checked as option
from cranfield.statistics.power import MOST_TOPICS


def topics_for_anova(
    difference: float, systems: int, variance: float, *, power: float = 0.8, alpha: float = 0.05
) -> int:
    r"""How many topics does a one-way analysis of variance take to find that systems differ?

    The systems differ least, given the distance D of the best mean from the worst, where all others are half-way
    between. F is then noncentral with m − 1 and m (n − 1) degrees of freedom and noncentrality :math:`\lambda = n D^2 /
    (2 \sigma^2)`.

    Paper: Sakai (2016), "Topic set size design", Information Retrieval Journal 19, section 3.2.

    With two systems it is the t-test of two independent groups: to see half a standard deviation at 5% with a chance
    of 80% takes 64 in each, in every textbook.

    >>> topics_for_anova(0.5, systems=2, variance=1.0)
    64
    """
    effect = option("difference", difference, Positive) ** 2 / (2 * option("variance", variance, Positive))
    m, power, alpha = option("systems", systems, Folds), option("power", power, Level), option("alpha", alpha, Level)

    def enough(n: int) -> bool:
        freedom = m * (n - 1)
        return bool(1 - special.ncfdtr(m - 1, freedom, n * effect, special.fdtri(m - 1, freedom, 1 - alpha)) >= power)

    return _least(enough)


def topics_for_interval(width: float, variance: float, *, alpha: float = 0.05) -> int:
    r"""How many topics does it take for a confidence interval to be this narrow on average?

    The interval of Student's t for a mean difference has the expected width

    .. math::
        2\, t_{\alpha / 2}(n - 1) \frac{E(s)}{\sqrt n}, \quad
        E(s) = \sigma \sqrt{\frac{2}{n - 1}} \frac{\Gamma(n / 2)}{\Gamma((n - 1) / 2)}

    Paper: Sakai (2016), section 3.3.

    For large n the width is 2 · 1.96 σ / √n: of width 0.1 with σ = 1 near (2 · 19.6)² = 1536.6; two more for t and
    E(s).

    >>> topics_for_interval(0.1, variance=1.0)
    1539
    """
    width, sigma = option("width", width, Positive), option("variance", variance, Positive) ** 0.5
    alpha = option("alpha", alpha, Level)

    def enough(n: int) -> bool:
        expected = sigma * np.sqrt(2 / (n - 1)) * np.exp(special.gammaln(n / 2) - special.gammaln((n - 1) / 2))
        return bool(2 * special.stdtrit(n - 1, 1 - alpha / 2) * expected / np.sqrt(n) <= width)

    return _least(enough)


def _least(enough: Callable[[int], bool]) -> int:
    """Find the least number, from 2 on, from which on it is enough: double until it is, then halve the distance."""
    high = 2
    while high < MOST_TOPICS and not enough(high):
        high *= 2
    return min(bisect_left(range(high), True, lo=high // 2 + 1, key=enough), MOST_TOPICS)

"""Observations that belong together, such as all that one user did, are drawn again together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.differences import check_choices, check_share


def cluster_interval(
    statistic: Callable[[Floats], npt.ArrayLike],
    clusters: int,
    *,
    resamples: int = 1000,
    seed: int = 7,
    level: float = 0.95,
) -> tuple[Floats, Floats]:
    """What is the confidence interval of a statistic, if clusters are resampled as a whole?

    With θ the statistic of all clusters, and mean* and sd* of those of the draws, each of as many clusters with all
    their observations, the limits are

        θ - (mean* - θ) ∓ z · sd*

    which takes out what drawing adds on average; they are moved out to θ where it is not between them. Observations of
    a cluster may be as alike as they please; clusters are taken for independent.

    Paper: A. C. Davison, D. V. Hinkley (1997), Bootstrap Methods and their Application, sections 3.8 and 5.2.1.

    Three users clicked 9 of 10, 1 of 10 and 5 of 10 documents: 30 observations, but 3 opinions.

    >>> clicks = np.array([9.0, 1.0, 5.0])
    >>> low, high = cluster_interval(lambda drawn: drawn @ clicks / (10 * drawn.sum()), 3)
    >>> low.round(2).item(), high.round(2).item()
    (0.14, 0.87)
    """
    if clusters < 2:
        raise InputError(f"intervals need 2 clusters at least, not {clusters}")

    check_share("level", level)
    check_choices("two-sided", resamples)
    from scipy.special import ndtri

    seen = np.asarray(statistic(np.ones(clusters)), dtype=np.float64)
    drawn = np.array([statistic(counts) for counts in resample_counts(clusters, resamples, seed)], dtype=np.float64)
    middle, margin = 2 * seen - drawn.mean(axis=0), ndtri((1 + level) / 2) * drawn.std(axis=0)
    return np.minimum(middle - margin, seen), np.maximum(middle + margin, seen)


def jackknife_interval(
    statistic: Callable[[Floats], npt.ArrayLike], clusters: int, *, level: float = 0.95
) -> tuple[Floats, Floats]:
    r"""What is the confidence interval of a smooth statistic, if clusters are left out one by one?

    .. math:: \hat\theta \mp t \sqrt{\frac{n - 1}{n} \sum_i (\hat\theta_{(i)} - \bar\theta)^2}

    with θ_(i) the statistic without cluster i, and t Student's quantile with n - 1 degrees of freedom: for a mean of
    clusters of one size it is the t interval. It needs no chance and n calls, and suits ratios and what is made of
    them, such as kappa, but no medians.

    Paper: B. Efron, C. Stein (1981), The jackknife estimate of variance, Annals of Statistics 9(3).

    Three users clicked 9 of 10, 1 of 10 and 5 of 10 documents. Shares without one are .3, .7 and .5:

    >>> clicks = np.array([9.0, 1.0, 5.0])
    >>> low, high = jackknife_interval(lambda drawn: drawn @ clicks / (10 * drawn.sum()), 3)
    >>> round(float(high - 0.5) / 4.302653, 6) == round((2 / 3 * (0.04 + 0.04)) ** 0.5, 6)  # t with 2 degrees
    True
    """
    if clusters < 2:
        raise InputError(f"intervals need 2 clusters at least, not {clusters}")

    check_share("level", level)
    from scipy.special import stdtrit

    seen = np.asarray(statistic(np.ones(clusters)), dtype=np.float64)
    without = np.array([statistic(counts) for counts in 1 - np.eye(clusters)], dtype=np.float64)
    spread = np.sqrt((clusters - 1) / clusters * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    margin = stdtrit(clusters - 1, (1 + level) / 2) * spread
    return seen - margin, seen + margin

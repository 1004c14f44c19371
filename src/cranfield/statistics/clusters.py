"""Observations that belong together, such as those of one user, count as one and are resampled together."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import special
from cranfield.plumbing.wording import counted
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.differences import check_choices, check_share, quotient, standard_deviations
from cranfield.statistics.power import MOST_TOPICS, topics_needed
from cranfield.statistics.weighted_means import weighted_means


class Units(NamedTuple):
    """Differences by unit: by topic or, where topics belong together, the mean of each cluster."""

    rows: Floats  # array of shape (hypotheses, units)
    weights: Floats | None = None  # what each unit counts for; None where all count alike
    variances: Floats | None = None  # in which proportion units vary, were topics independent; None for all alike

    @property
    def as_equals(self) -> Floats:
        """Rows of units of equal weight, with the same mean and about the same error: m + n p (x − m)."""
        if self.weights is None:
            return self.rows
        share = self.weights / self.weights.sum()
        mean = (self.rows @ share)[:, np.newaxis]
        return np.asarray(mean + len(share) * share * (self.rows - mean))

    @property
    def varies(self) -> Booleans:
        """Whether the units that count differ in each row: differences that do not vary do not show how they would."""
        counts = self.rows if self.weights is None else self.rows[:, self.weights > 0]
        return standard_deviations(counts) > 0

    @property
    def spread(self) -> tuple[Floats, int]:
        """The standard deviation of each row, and of how many equal units it is: those that leave as much freedom."""
        if self.weights is None:
            return self.rows.std(axis=1, ddof=1), self.rows.shape[1]
        found = weighted_means(self.rows, self.weights, self.variances)
        many = max(2, int(found.freedom + 1))
        return found.error * np.sqrt(many), many

    def needed(self, difference: float, power: float, alpha: float) -> Integers:
        """How many units like these does it take to find a mean difference of this size? `MOST_TOPICS` if none do."""
        spread, many = self.spread
        effect = np.divide(difference, spread, out=np.full(len(spread), np.inf), where=spread > 0)
        of_these = np.ceil(topics_needed(effect, power, alpha) * (self.rows.shape[1] / many))
        return np.asarray(np.minimum(of_these, MOST_TOPICS).astype(np.int64))


def by_unit(rows: Floats, weights: Floats | None = None, clusters: Integers | None = None) -> Units:
    """What is drawn at random: topics one by one, or clusters of them as a whole?

    The mean over topics is that of the means of clusters, weighted by their sizes. Clusters of one size weigh the same,
    so that nothing is left of them but their means; clusters of one topic each are the topics. Where topics have
    weights, the mean of a cluster is weighted by these, and the cluster counts for their sum; were topics independent
    and equally variable, its mean would vary as Σw² / (Σw)².

    Shapes: rows (hypotheses, topics); weights (topics,); clusters (topics,), equal for topics that belong together.
    """
    if clusters is None:
        return Units(rows, weights)
    code = cluster_codes(clusters, np.shape(rows)[1])
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    each = np.asarray(rows, np.float64)[:, order]
    sizes = np.bincount(code).astype(np.float64)
    if weights is None:
        means = np.add.reduceat(each, starts, axis=1) / sizes
        return Units(means) if (sizes == sizes[0]).all() else Units(means, sizes, 1 / sizes)
    weight = np.asarray(weights, np.float64)[order]
    total = np.add.reduceat(weight, starts)
    counting = np.where(total > 0, total, 1.0)  # where no topic of a cluster counts, neither does the cluster
    means = np.add.reduceat(each * weight, starts, axis=1) / counting
    return Units(means, total, np.where(total > 0, np.add.reduceat(weight**2, starts), 1.0) / counting**2)


def cluster_codes(clusters: npt.ArrayLike, topics: int) -> Integers:
    """Number clusters by their first topics, or say why they are not clusters of this many topics."""
    given = np.asarray(clusters)
    if given.shape != (topics,):
        raise InputError(f"clusters have one entry for each of {topics} topics, not the shape {given.shape}")
    _, first, code = np.unique(given, return_index=True, return_inverse=True)
    if len(first) < 2:
        every = f"{'all ' * (topics > 1)}{counted(topics, 'topic is', 'topics are')}"
        raise InputError(f"{every} in one cluster; at least two clusters are needed")
    return np.argsort(np.argsort(first))[code]


def clustered_effect(rows: Floats, clusters: Integers, weights: Floats | None = None) -> Floats:
    """How many standard deviations of a single topic is the mean difference away from 0, if topics belong together?

    The mean square of topics around their mean is too small by the variance of that mean, which is the square of its
    cluster-robust error and is added: where topics are independent, that is s². Both are weighted where topics are.

    >>> clustered_effect(np.array([[1.0, 2.0, 3.0]]), np.array([0, 1, 2])).round(9)  # 2 / √(2/3 + 1/3)
    array([2.])
    """
    spread, many = by_unit(rows, weights, clusters).spread
    mean = np.average(rows, axis=1, weights=weights)
    squares = np.average(np.square(rows - mean[:, np.newaxis]), axis=1, weights=weights)
    return quotient(mean, np.sqrt(squares + spread**2 / many))


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
    a cluster may depend on each other in any way; clusters are assumed independent.

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
    seen = np.asarray(statistic(np.ones(clusters)), dtype=np.float64)
    drawn = np.array([statistic(counts) for counts in resample_counts(clusters, resamples, seed)], dtype=np.float64)
    middle, margin = 2 * seen - drawn.mean(axis=0), special.ndtri((1 + level) / 2) * drawn.std(axis=0)
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
    seen = np.asarray(statistic(np.ones(clusters)), dtype=np.float64)
    without = np.array([statistic(counts) for counts in 1 - np.eye(clusters)], dtype=np.float64)
    spread = np.sqrt((clusters - 1) / clusters * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    margin = special.stdtrit(clusters - 1, (1 + level) / 2) * spread
    return seen - margin, seen + margin

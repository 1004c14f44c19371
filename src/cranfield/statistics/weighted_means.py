"""Means over topics some of which count for more than others: how sure they are, and tests of weighted differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import special
from cranfield.statistics.differences import ROUNDING, Alternative, check_share, checked, quotient, sides, towards
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.paired_tests import PairedResult, randomisation_test, t_test

_PAIRWISE: Final = 1000
"""Up to this many, pairs are summed one by one, which no single large weight makes inexact; users may be 100,000."""


def effective_topics(weights: npt.ArrayLike) -> float:
    """How many equally weighted topics would be as informative as these? (Σw)² / Σw².

    The variance of a weighted mean is that of the mean of this many topics, where all topics have the same spread.

    Paper: Kish (1965), "Survey sampling", section 11.7.

    >>> effective_topics([1, 1, 1, 1]), round(effective_topics([3, 1, 0]), 3)  # 16 / 4, 16 / 10
    (4.0, 1.6)
    """
    values = np.asarray(weights, np.float64)
    values = values / values.max()
    return float(values.sum() ** 2 / (values**2).sum())


@dataclass(frozen=True, eq=False)
class WeightedMeans:
    """Weighted means of some rows, and how sure they are."""

    # mean, error: for each row Σpx, with p = w / Σw, and its standard error
    mean: Floats
    error: Floats
    freedom: float  # the degrees of freedom of the errors, which hang on the weights alone


def weighted_means(
    rows: npt.ArrayLike, weights: npt.ArrayLike, variances: npt.ArrayLike | None = None
) -> WeightedMeans:
    r"""What is the weighted mean over topics, and how much would it vary with other topics?

    .. math::
        m = \sum p_i x_i, \quad
        v = \sum \frac{p_i^2 (x_i - m)^2}{1 - 2 p_i + \sum p_j^2 v_j / v_i}, \quad p_i = w_i / \sum w_j

    The sum without the denominator is the variance of a ratio, linearised. The denominator makes it right on average
    where values spread in proportion to the variances v (equal by default: with equal weights it is then 1 − 1/n,
    and v = s²/n). The degrees of freedom are Satterthwaite's, n − 1 with equal weights. Of means of clusters, weights
    being sizes and variances 1 by size, this is CR2, the bias-reduced cluster-robust variance of a mean, and the
    denominator 1 − p.

    Shapes: rows (hypotheses, topics); weights and variances (topics,).

    Paper: Bell and McCaffrey (2002), "Bias reduction in standard errors for linear regression with multi-stage
    samples", Survey Methodology 28; Satterthwaite (1946).

    Of 0 and 1 with weights 1 and 3, m = 3/4, and Σp² = 10/16. v is (1/16)(9/16) / (1 - 2/4 + 10/16) + (9/16)(1/16) / (1
    - 6/4 + 10/16) = 9/256 (8/9 + 8).

    >>> found = weighted_means([[0.0, 1.0]], [1, 3])
    >>> found.mean, found.error**2 * 256 / 9
    (array([0.75]), array([8.88888889]))
    """
    values, p = checked(rows), np.asarray(weights, np.float64)
    spread = np.ones(len(p)) if variances is None else np.asarray(variances, np.float64)
    kept = p > 0
    if int(kept.sum()) < 2:
        raise InputError("fewer than two topics have a weight above 0; the uncertainty of a mean needs at least two")
    values, p, spread = values[:, kept], p[kept] / p[kept].max(), spread[kept]
    p = p / p.sum()
    squares = float((p**2 * spread).sum())
    mean = values @ p
    share = p**2 * spread / ((1 - 2 * p) * spread + squares)
    constant = np.ptp(values, axis=1) <= ROUNDING * np.abs(values).max(axis=1)
    error = np.where(constant, 0.0, np.sqrt((values - mean[:, np.newaxis]) ** 2 @ share))
    return WeightedMeans(mean, error, _freedom(p, spread, share, squares))


def _freedom(p: Floats, spread: Floats, share: Floats, squares: float) -> float:
    """Satterthwaite's degrees of freedom of Σ share (x − m)², were all x normal with variances in that proportion.

    That is a quadratic form of expectation Σp²v; twice the sum of its squared coefficients is its variance.
    """
    own, apart = (1 - 2 * p) * spread + squares, p * spread - squares / 2  # coefficients are −(apart_i + apart_j)
    if len(p) <= _PAIRWISE:
        between = -apart[:, np.newaxis] - apart
        np.fill_diagonal(between, own)
        return float(squares**2 / (share @ between**2 @ share))
    every = 2 * share.sum() * (share @ apart**2) + 2 * (share @ apart) ** 2
    return max(1.0, float(squares**2 / (every + share**2 @ (own**2 - 4 * apart**2))))


def weighted_t_interval(
    rows: npt.ArrayLike, weights: npt.ArrayLike | None, level: float = 0.95, variances: npt.ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Between which limits does the weighted mean lie, if values are about normal? Without weights as `t_interval`.

    >>> low, high = weighted_t_interval([[0.0, 0.5, 1.0]], [1, 1, 1])
    >>> low.round(4), high.round(4)  # 0.5 ± 4.3027 · 0.5 / √3
    (array([-0.7421]), array([1.7421]))
    """
    if weights is None:
        return t_interval(rows, level)
    check_share("level", level)
    found = weighted_means(rows, weights, variances)
    margin = special.stdtrit(found.freedom, (1 + level) / 2) * found.error
    return found.mean - margin, found.mean + margin


def weighted_t_test(
    differences: Floats, weights: npt.ArrayLike | None, alternative: Alternative, variances: npt.ArrayLike | None = None
) -> PairedResult:
    """Is the weighted mean difference large for its standard error? Without weights as `t_test`.

    >>> weighted_t_test(np.array([[0.1, 0.2, 0.3]]), [2, 2, 2], "two-sided").statistic.round(4)  # 0.2 / (0.1 / √3)
    array([3.4641])
    """
    if weights is None:
        return t_test(differences, alternative, 1, 0)
    rows = checked(differences)
    found = weighted_means(rows, weights, variances)
    t = quotient(found.mean, found.error)
    p = sides(alternative) * special.stdtr(found.freedom, -towards(alternative, t))
    return PairedResult(t, np.where((rows * (np.asarray(weights) > 0)).any(axis=1), p, 1.0), exact=False)


def weighted_randomisation_test(
    differences: npt.ArrayLike, weights: npt.ArrayLike, alternative: Alternative, resamples: int, seed: int
) -> PairedResult:
    """Could the two runs' labels be exchanged? Signs are flipped of differences times weights.

    >>> weighted_randomisation_test([[0.1, 0.2, -0.1]], [1, 1, 0], "greater", 100, 7).p  # 1 of 4 patterns of signs
    array([0.25])
    """
    rows, w = checked(differences), np.asarray(weights, np.float64)
    return randomisation_test(rows * (len(w) * w / w.sum()), alternative, resamples, seed)


def weighted_effect(differences: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """How many weighted standard deviations is the weighted mean difference away from 0?

    The variance is Σp(x − m)² / (1 − Σp²), s² with equal weights.

    >>> weighted_effect([[1.0, 2.0, 3.0]], [5, 5, 5])
    array([2.])
    """
    rows, p = checked(differences), np.asarray(weights, np.float64)
    found, p = weighted_means(rows, p), p / p.sum()
    spread = np.sqrt((rows - found.mean[:, np.newaxis]) ** 2 @ p / (1 - (p**2).sum()))
    return quotient(found.mean, np.where(found.error == 0, 0.0, spread))

"""How large is the difference, and how sure of that can one be? Confidence intervals over topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.statistics.bootstrap import resample_counts, resampled_topics
from cranfield.statistics.differences import (
    ROUNDING,
    check_choices,
    check_share,
    checked,
    quotient,
    slices_that_fit,
    standard_deviations,
)


def t_interval(differences: npt.ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Between which limits does the mean difference lie, if differences are about normal?

    mean ± t s / √n, with t the (1 + level)/2 quantile of Student's distribution with n − 1 degrees
    of freedom.

    Parameters
    ----------
    differences
        Array of shape (hypotheses, topics).
    level
        Confidence, above 0 and below 1.

    Returns
    -------
    The lower and the upper limits, in the unit of the scores. The interval excludes 0 where
    `paired_test` "t" gives a two-sided p below 1 − level.

    Raises
    ------
    InputError
        If the level is out of range, topics are fewer than 2, or differences are not finite.

    Paper: Student (1908), "The probable error of a mean".

    Examples
    --------
    >>> low, high = t_interval([[-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4]])
    >>> low.round(4), high.round(4)
    (array([-2.4599]), array([-0.7001]))
    """
    from scipy.special import stdtrit

    differences = checked(differences)
    check_share("level", level)
    topics = differences.shape[1]
    means = differences.mean(axis=1)
    margin = stdtrit(topics - 1, (1 + level) / 2) * standard_deviations(differences) / np.sqrt(topics)
    return means - margin, means + margin


def bootstrap_interval(
    differences: npt.ArrayLike,
    level: float = 0.95,
    *,
    resamples: int = 10_000,
    seed: int = 7,
    kind: Literal["bca", "percentile"] = "bca",
) -> tuple[Floats, Floats]:
    """Between which limits does the mean difference lie, by resampling topics?

    ``"percentile"`` takes the (1 ∓ level)/2 quantiles of the means of the resamples. ``"bca"``
    corrects these for bias, z₀ = Φ⁻¹(share of those means below the mean), and for skewness, a = Σ
    d³ / (6 (Σ d²)^1.5) with d the centred differences: the quantile for z is at Φ(z₀ + (z₀ + z)/(1
    − a(z₀ + z))).

    Parameters
    ----------
    differences
        Array of shape (hypotheses, topics).
    level
        Confidence, above 0 and below 1.
    resamples
        How many times topics are drawn; the same draws for all hypotheses.
    seed
        Seed of the draws.
    kind
        ``"bca"`` (bias-corrected and accelerated) or ``"percentile"``.

    Returns
    -------
    The lower and the upper limits, in the unit of the scores; both the mean where all differences
    are equal.

    Raises
    ------
    InputError
        If a choice is out of range, topics are fewer than 2, or differences are not finite.

    Paper: Efron (1987), "Better bootstrap confidence intervals", both kinds.

    Examples
    --------
    >>> sleep = [[-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4]]
    >>> low, high = bootstrap_interval(sleep)
    >>> low.round(1), high.round(1)  # t_interval, which knows nothing of the skewness, has -2.5 and -0.7
    (array([-2.7]), array([-1.]))
    """
    differences = checked(differences)
    check_share("level", level)
    check_choices("two-sided", resamples)
    if kind not in {"bca", "percentile"}:
        raise InputError(f"kind must be 'bca' or 'percentile', not {kind!r}")
    counts = resample_counts(differences.shape[1], resamples, seed)
    limits = np.empty((2, len(differences)))
    for block in slices_that_fit(len(differences), resamples):
        rows = differences[block]
        means = np.sort(rows @ counts.T / rows.shape[1], axis=1)
        limits[:, block] = _quantiles(means, _shares(rows, means, level, kind))
    constant = standard_deviations(differences) == 0
    low, high = np.where(constant, differences.mean(axis=1), limits)
    return low, high


def percentile_interval(
    statistic: Callable[[Integers], npt.ArrayLike],
    topics: int,
    *,
    resamples: int = 1000,
    seed: int = 7,
    level: float = 0.95,
) -> tuple[Floats, Floats]:
    """Between which limits does any statistic of the topics lie, by resampling them?

    Parameters
    ----------
    statistic
        Called once for each resample with the indices of its topics (some several times, some
        never); returns a number, or an array of always the same shape.
    topics
        How many topics there are.
    resamples
        How many times topics are drawn.
    seed
        Seed of the draws.
    level
        Confidence, above 0 and below 1.

    Returns
    -------
    The lower and the upper limits, of the shape that the statistic has.

    Raises
    ------
    InputError
        If the level is out of range, or there are no topics or resamples.

    Paper: Efron (1987), "Better bootstrap confidence intervals" (the percentile interval).

    Examples
    --------
    >>> scores = np.array([0.1, 0.5, 0.4, 0.3, 0.2])
    >>> low, high = percentile_interval(lambda drawn: np.median(scores[drawn]), 5)
    >>> low, high
    (array(0.1), array(0.5))
    """
    check_share("level", level)
    check_choices("two-sided", resamples)
    if topics < 1:
        raise InputError(f"topics must be at least 1, not {topics!r}")
    drawn = resampled_topics(topics, resamples, seed)
    values = np.array([statistic(indices) for indices in drawn], dtype=np.float64)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.asarray(low), np.asarray(high)


def _shares(rows: Floats, means: Floats, level: float, kind: str) -> Floats:
    """Say which quantiles of the resampled means are the limits: array of shape (2, hypotheses)."""
    plain = np.array([[(1 - level) / 2], [(1 + level) / 2]])
    if kind == "percentile":
        return np.broadcast_to(plain, (2, len(rows)))
    from scipy.special import ndtr, ndtri

    seen = rows.mean(axis=1, keepdims=True)
    rounding = ROUNDING * np.abs(rows).max(axis=1, keepdims=True)
    # Half of those that are equal count as below.
    below = ((means < seen - rounding).mean(axis=1) + (means <= seen + rounding).mean(axis=1)) / 2
    few = 0.5 / means.shape[1]
    shift = ndtri(np.clip(below, few, 1 - few))
    centred = rows - seen
    skewness = quotient((centred**3).sum(axis=1), np.square(centred).sum(axis=1) ** 1.5) / 6
    shifted = shift + ndtri(plain)
    shares: Floats = ndtr(shift + shifted / (1 - skewness * shifted))
    return shares


def _quantiles(ordered: Floats, shares: Floats) -> Floats:
    """Read quantiles, another of each sorted row, interpolating as np.quantile does."""
    places = shares * (ordered.shape[1] - 1)
    lower = np.floor(places).astype(np.intp)
    rows = np.arange(len(ordered))
    below, above = ordered[rows, lower], ordered[rows, np.ceil(places).astype(np.intp)]
    quantiles: Floats = below + (places - lower) * (above - below)
    return quantiles

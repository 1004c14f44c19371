"""Estimates for claims: each with an interval over topics, or over draws, whose coverage has been looked at.

Means over topics have a t interval. Correlations of run orders, and other numbers that do not follow
from a mean, have the averaged over collections of as many topics for what they estimate: drawing
topics adds their noise once more, so that nothing sharp can be said of endless topics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import SEED
from cranfield.reproductions.claims import Estimate, level
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.rank_correlation import interval, kendall_tau, resampled_correlation

CLAIM_DRAWS: Final = 1000
"""How often topics are drawn."""
NO_FEWER: Final = 5
"""Of fewer topics, or draws, no interval is given."""


def estimated(by: Callable[..., Estimate], values: Mapping[str, Any]) -> dict[str, Estimate]:
    """Estimate the numbers of a claim, so that all intervals hold together; a value may be a tuple of arguments."""
    sure = level(len(values))
    return {name: by(*(of if isinstance(of, tuple) else (of,)), sure) for name, of in values.items()}


def mean_of(by_topic: npt.ArrayLike, sure: float = 0.95) -> Estimate:
    """Estimate a mean over the topics that have a value, with its t interval; infinite for fewer than `NO_FEWER`."""
    values = np.asarray(by_topic, dtype=np.float64)
    values = values[~np.isnan(values)]
    if len(values) < NO_FEWER:
        return Estimate(float(values.mean()) if len(values) else 0.0)
    low, high = t_interval(values[np.newaxis], sure)
    return Estimate(float(values.mean()), float(low[0]), float(high[0]))


def share_of(by_topic: npt.ArrayLike, sure: float = 0.95) -> Estimate:
    """Estimate a mean over topics of shares: its t interval within [0, 1].

    Where all topics have 0, or all have 1, the share of topics that have another value may still be 1 - (1 -
    sure)^(1/topics).
    """
    found = mean_of(by_topic, sure)
    if found.low != found.high or found.value not in {0.0, 1.0}:
        return Estimate(found.value, max(0.0, found.low), min(1.0, found.high)) if np.isfinite(found.low) else found
    topics = int((~np.isnan(np.asarray(by_topic, dtype=np.float64))).sum())
    missed = 1 - (1 - sure) ** (1 / topics)
    return Estimate(found.value, 0.0, missed) if found.value == 0 else Estimate(found.value, 1 - missed, 1.0)


def drawn(
    statistic: Callable[[Floats], Floats], topics: int, sure: float = 0.95, *, seed: int = SEED
) -> list[Estimate]:
    """Estimate numbers that depend on all topics at once by resampling topics: percentile intervals.

    The statistic takes how often each topic is drawn, (draws, topics), and returns its numbers, (numbers, draws).
    """
    values = np.atleast_2d(statistic(np.ones((1, topics))))[:, 0]
    if topics < NO_FEWER:
        return [Estimate(float(value)) for value in np.nan_to_num(values)]
    resampled = np.atleast_2d(statistic(resample_counts(topics, CLAIM_DRAWS, seed)))
    # Draws on which the statistic is not defined are left out; where it never is, nothing is known of it.
    ends = [_middle(row[~np.isnan(row)], sure) if (~np.isnan(row)).any() else (-np.inf, np.inf) for row in resampled]
    return [Estimate(float(value), *end) for value, end in zip(np.nan_to_num(values), ends, strict=True)]


def tau_of(x: Floats, y: Floats, sure: float = 0.95) -> Estimate:
    """Estimate Kendall's τ of the runs' means by two measures; arrays of shape (runs, topics).

    The interval is for the mean of τ over collections of as many such topics: the hull of the percentiles of drawn
    topics and of τ ± z standard deviations.
    """
    value = float(kendall_tau(x.mean(axis=1), y.mean(axis=1)))
    if x.shape[1] < NO_FEWER:
        return Estimate(value)
    return Estimate(value, *interval(value, resampled_correlation(x, y, resamples=CLAIM_DRAWS, seed=SEED), sure))


def tau_difference(one: tuple[Floats, Floats], other: tuple[Floats, Floats], sure: float = 0.95) -> Estimate:
    """Estimate by how much one τ is above another, of the same runs and topics: percentiles of drawn topics."""
    value = float(np.subtract(*(kendall_tau(x.mean(axis=1), y.mean(axis=1)) for x, y in (one, other))))
    if one[0].shape[1] < NO_FEWER:
        return Estimate(value)
    taus = [resampled_correlation(x, y, resamples=CLAIM_DRAWS, seed=SEED) for x, y in (one, other)]
    return Estimate(value, *_middle(np.round(taus[0] - taus[1], 12), sure))


def _middle(drawn: Floats, sure: float) -> tuple[float, float]:
    """Return between which values this share of what was drawn lies, as many left out at either end."""
    low, high = np.quantile(drawn, [(1 - sure) / 2, (1 + sure) / 2])
    return float(low), float(high)


def tau_by_topic(x: Floats, y: Floats) -> Floats:
    """Return τ of the runs on each topic, NaN where a measure has one value for all; shape (runs, topics) of both."""
    if len(x) < 2:
        return np.full(x.shape[1], np.nan)
    varied = (np.ptp(x, axis=0) > 0) & (np.ptp(y, axis=0) > 0)
    return np.where(varied, kendall_tau(x.T, y.T), np.nan)


def shares(rows: pl.DataFrame, where: pl.Expr) -> Floats:
    """Return the share of the rows of each topic for which something is so; rows need a column topic."""
    found = rows.group_by("topic", maintain_order=True).agg(where.mean().cast(pl.Float64).alias("share")).sort("topic")
    return found["share"].to_numpy().astype(np.float64)

"""Correlations and their intervals pair by pair, the slow twins of what experiments compute of all pairs at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cranfield.statistics.correlation_vectors import correlation
from cranfield.statistics.differences import check_share
from cranfield.statistics.rank_correlation import (
    Difference,
    difference_of,
    interval,
    resampled_correlation,
)


def bootstrap_correlation(
    x_by_topic: npt.ArrayLike, y_by_topic: npt.ArrayLike, kind: str = "tau_b", *, level: float = 0.95, **how: Any
) -> tuple[float, float]:
    """Give the interval of the correlation of two measures: arrays of shape (systems, topics)."""
    check_share("level", level)
    drawn = resampled_correlation(x_by_topic, y_by_topic, kind, **how)
    x, y = (np.asarray(each, dtype=np.float64).mean(axis=1) for each in (x_by_topic, y_by_topic))
    return interval(correlation(kind, x, y).item(), drawn, level)


def bootstrap_difference(
    common: npt.ArrayLike, x: npt.ArrayLike, y: npt.ArrayLike, kind: str = "tau_b", *, level: float = 0.95, **how: Any
) -> Difference:
    """Give the difference of two correlations with one measure, on the same draws of topics."""
    check_share("level", level)
    with_x, with_y = (resampled_correlation(common, each, kind, **how) for each in (x, y))
    means = [np.asarray(each, dtype=np.float64).mean(axis=1) for each in (common, x, y)]
    value = correlation(kind, means[0], means[1]) - correlation(kind, means[0], means[2])
    return difference_of(float(value), with_x, with_y, level)

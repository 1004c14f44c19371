"""What belongs together is drawn together."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import cranfield as cf
from cranfield.plumbing.arrays import Floats
from cranfield.statistics.clusters import cluster_interval
from cranfield.statistics.intervals import percentile_interval


def ratio_of_sums(over: Floats, under: Floats, drawn: Floats) -> float:
    return float(drawn @ over / (drawn @ under))


def test_clusters_of_one_are_topics() -> None:
    values = np.random.default_rng(1).normal(size=40)
    alone = percentile_interval(lambda drawn: values[drawn].mean(), 40)
    together = cluster_interval(lambda drawn: drawn @ values / drawn.sum(), 40)
    assert np.allclose(alone, together, atol=1e-12)


def test_it_covers_the_truth_where_observations_of_a_cluster_are_alike() -> None:
    """50 clusters of 1 to 20 observations that share most of their value: 500 observations drawn alone would not do."""
    random = np.random.default_rng(3)
    covered, naive = 0, 0
    for _ in range(200):
        size = random.integers(1, 21, 50).astype(float)
        mean = random.normal(size=50) + random.normal(size=50) * 0.1
        total = size * mean
        low, high = cluster_interval(partial(ratio_of_sums, total, size), 50, resamples=300)
        covered += int(low <= 0 <= high)
        observations = np.repeat(mean, size.astype(int))
        margin = 1.96 * observations.std() / np.sqrt(len(observations))
        naive += int(abs(observations.mean()) <= margin)
    assert covered >= 178  # 95 % of 200, less three standard deviations and what 50 clusters cost
    assert naive < 120


@pytest.mark.parametrize(("clusters", "asked"), [(1, {}), (5, {"resamples": 0}), (5, {"level": 1.0})])
def test_what_cannot_be(clusters: int, asked: dict[str, float]) -> None:
    with pytest.raises(cf.InputError):
        cluster_interval(np.sum, clusters, **asked)  # type: ignore[arg-type]

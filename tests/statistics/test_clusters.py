"""What belongs together is drawn together."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import cranfield as cf
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.clusters import cluster_interval, jackknife_interval
from cranfield.statistics.intervals import t_interval


def ratio_of_sums(over: Floats, under: Floats, drawn: Floats) -> float:
    return float(drawn @ over / (drawn @ under))


def test_of_a_mean_it_is_the_normal_interval() -> None:
    values = np.random.default_rng(1).normal(size=40)
    low, high = cluster_interval(lambda drawn: drawn @ values / drawn.sum(), 40, resamples=4000)
    margin = 1.96 * values.std() / np.sqrt(40)
    assert [low, high] == pytest.approx([values.mean() - margin, values.mean() + margin], abs=0.05 * margin)


def test_the_bias_of_drawing_is_taken_out_and_the_statistic_is_within() -> None:
    """The square of a mean grows by drawing, by as much as it did when the sample was drawn: twice is once too much."""
    values = np.random.default_rng(2).normal(size=30)
    drawn = []

    def square(weights: Floats) -> float:
        drawn.append(float((weights @ values / weights.sum()) ** 2))
        return drawn[-1]

    low, high = cluster_interval(square, 30, resamples=500)
    seen, others = drawn[0], np.array(drawn[1:])
    middle, margin = 2 * seen - others.mean(), 1.959964 * others.std()
    assert (low, high) == pytest.approx((min(seen, middle - margin), max(seen, middle + margin)))
    # Of a count that drawing always lessens, the middle is far above: the ends are moved to what was seen.
    low, high = cluster_interval(lambda weights: float((weights > 0).sum()), 30)
    assert low == 30 < high


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


def test_the_jackknife_of_a_mean_is_the_t_interval() -> None:
    values = np.random.default_rng(6).random(12)
    low, high = jackknife_interval(lambda drawn: drawn @ values / drawn.sum(), 12, level=0.9)
    wanted = t_interval(values[np.newaxis], 0.9)
    assert [float(low), float(high)] == pytest.approx([each.item() for each in wanted])
    with pytest.raises(InputError, match="2 clusters at least, not 1"):
        jackknife_interval(lambda drawn: drawn.sum(), 1)


def test_the_jackknife_of_a_ratio_leaves_out_clusters_whole() -> None:
    total, size = np.array([3.0, 1.0, 8.0]), np.array([4.0, 5.0, 9.0])
    without = np.array([9 / 14, 11 / 13, 4 / 9])
    spread = (2 / 3 * ((without - without.mean()) ** 2).sum()) ** 0.5
    low, high = jackknife_interval(lambda drawn: drawn @ total / (drawn @ size), 3)
    assert (high - low) / 2 == pytest.approx(4.302652729911275 * spread)
    assert (high + low) / 2 == pytest.approx(12 / 18)

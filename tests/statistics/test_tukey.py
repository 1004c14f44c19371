"""Tukey's test of all pairs, by the studentized range and by permutation."""

from __future__ import annotations

import math
from itertools import permutations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom, studentized_range, ttest_rel

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.differences import pairs
from cranfield.statistics.tukey import CELLS_AT_ONCE, randomised_tukey_hsd, tukey_hsd

SMALL = np.array([[0.1, 0.4, 0.3], [0.2, 0.5, 0.9], [0.6, 0.3, 0.8]])


def scores(systems: int = 5, topics: int = 12, seed: int = 7, planted: float = 0.0) -> Floats:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(systems, topics)) + 2 * rng.normal(size=topics)
    values[0] += planted
    return np.asarray(values)


def campaigns(count: int, systems: int = 5, topics: int = 10) -> list[Floats]:
    return [scores(systems, topics, seed) for seed in range(count)]


# By the studentized range


def test_p_from_the_residual_of_systems_and_topics() -> None:
    values = scores(4, 6)
    residual = 0.0
    for s, t in product(range(4), range(6)):
        residual += (values[s, t] - values[s].mean() - values[:, t].mean() + values.mean()) ** 2
    error = math.sqrt(residual / (3 * 5) / 6)
    found = tukey_hsd(values)
    for i, (a, b) in enumerate(zip(*pairs(4), strict=True)):
        difference = values[a].mean() - values[b].mean()
        assert found.difference[i] == pytest.approx(difference)
        assert found.p[i] == pytest.approx(studentized_range.sf(abs(difference) / error, 4, 15), abs=1e-9)
    assert found.critical(0.01) == pytest.approx(studentized_range.ppf(0.99, 4, 15) * error, rel=1e-6)


def test_two_systems_are_the_paired_t_test() -> None:
    values = scores(2, 9, planted=1.0)
    expected = ttest_rel(values[0], values[1])
    found = tukey_hsd(values)
    assert found.p.tolist() == pytest.approx([expected.pvalue], rel=1e-9)
    ends = expected.confidence_interval(0.9)
    assert [end.item() for end in found.interval(0.9)] == pytest.approx([ends.low, ends.high], rel=1e-9)


@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.001])
@pytest.mark.parametrize("test", [tukey_hsd, randomised_tukey_hsd])
def test_p_critical_difference_and_interval_tell_the_same(test: object, alpha: float) -> None:
    assert callable(test)
    found = test(scores(8, 15, planted=1.5))
    significant = found.p <= alpha
    low, high = found.interval(1 - alpha)
    assert 0 < significant.sum() < len(significant)
    assert (significant == (np.abs(found.difference) > found.critical(alpha))).all()
    assert (significant == ((low > 0) | (high < 0))).all()


def test_ease_of_topics_is_no_error() -> None:
    values = scores(5, 12, planted=2.0)
    harder = values + np.linspace(0, 50, 12)
    np.testing.assert_allclose(tukey_hsd(harder).p, tukey_hsd(values).p, rtol=1e-6)


# By permutation


def exact_p(values: Floats) -> list[float]:
    """Try every way to deal out the scores of each topic."""
    systems, topics = values.shape
    deals = [list(permutations(values[:, t])) for t in range(topics)]
    ranges = []
    for deal in product(*deals):
        means = [sum(deal[t][s] for t in range(topics)) / topics for s in range(systems)]
        ranges.append(max(means) - min(means))
    observed = [abs(values[a].mean() - values[b].mean()) for a, b in zip(*pairs(systems), strict=True)]
    return [sum(r >= difference - 1e-12 for r in ranges) / len(ranges) for difference in observed]


@pytest.mark.parametrize("values", [SMALL, scores(2, 5, planted=1.0), scores(4, 2)], ids=["3x3", "2x5", "4x2"])
def test_permutations_approach_all_deals(values: Floats) -> None:
    found = randomised_tukey_hsd(values, resamples=20_000)
    for p, expected in zip(found.p, exact_p(values), strict=True):
        assert p == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 20_000) + 1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_what_was_seen_is_reached_whatever_the_rounding(seed: int) -> None:
    """No deal is further apart than all of the better scores on one side, which 2 of the 64 deals are."""
    values = np.sort(np.random.default_rng(seed).random((2, 6)), axis=0)
    assert randomised_tukey_hsd(values).p[0] == pytest.approx(2 / 64, abs=4 * math.sqrt(2 / 64 / 10_000))


@pytest.mark.parametrize("seed", range(6))
def test_critical_difference_where_many_deals_tie(seed: int) -> None:
    found = randomised_tukey_hsd(np.random.default_rng(seed).integers(0, 4, (3, 4)) / 10, resamples=199)
    for alpha in found.p[found.p < 1]:
        assert ((found.p <= alpha) == (np.abs(found.difference) > found.critical(alpha))).all()
        less = alpha - 1e-9
        assert ((found.p <= less) == (np.abs(found.difference) > found.critical(less))).all()


def test_p_counts_the_ranges_and_the_difference_itself() -> None:
    found = randomised_tukey_hsd(scores(planted=1.0), resamples=99)
    expected = [(sum(r >= abs(d) for r in found.ranges) + 1) / (99 + 1) for d in found.difference]
    assert found.p.tolist() == expected
    assert found.resamples == 99


def test_seed_and_resamples() -> None:
    values = scores(20, 50, planted=1.0)
    found = randomised_tukey_hsd(values, resamples=300, seed=5)
    assert 300 * values.size > 2 * CELLS_AT_ONCE, "more than two blocks"
    assert found.ranges.tolist() == randomised_tukey_hsd(values, resamples=300, seed=5).ranges.tolist()
    assert found.ranges.tolist() != randomised_tukey_hsd(values, resamples=300, seed=6).ranges.tolist()
    fewer = randomised_tukey_hsd(values, resamples=200, seed=5)
    assert np.isin(fewer.ranges, found.ranges).all(), "the first permutations are the same"


def test_nothing_is_significant_at_a_level_below_the_least_p() -> None:
    found = randomised_tukey_hsd(scores(planted=9.0), resamples=9)
    assert found.p.min() == 1 / 10
    assert found.critical(0.1) < np.abs(found.difference).max()
    assert found.critical(0.05) == np.inf


def test_both_roads_agree_on_normal_scores() -> None:
    values = scores(6, 40, planted=0.7)
    by_range, by_permutation = tukey_hsd(values), randomised_tukey_hsd(values)
    np.testing.assert_allclose(by_permutation.p, by_range.p, atol=0.05)
    assert by_permutation.critical() == pytest.approx(by_range.critical(), rel=0.05)


# Both


@pytest.mark.parametrize("constant", [0.0, 0.1, 1 / 3])
def test_without_any_difference(constant: float) -> None:
    values = np.full((3, 7), constant) + np.linspace(0, 1, 7)
    for test in (tukey_hsd, randomised_tukey_hsd):
        assert test(values).p.tolist() == [1, 1, 1]


def test_the_same_difference_on_every_topic_leaves_no_error() -> None:
    found = tukey_hsd(np.linspace(0, 1, 7) + np.array([[0.1], [0.4], [0.1]]))
    assert found.p.tolist() == [0, 1, 0]
    assert found.critical() == 0


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, math.nan])
def test_levels_are_between_0_and_1(share: float) -> None:
    found = tukey_hsd(SMALL)
    with pytest.raises(InputError, match="alpha must be above 0 and below 1"):
        found.critical(share)
    with pytest.raises(InputError, match="level must be above 0 and below 1"):
        found.interval(share)


def test_at_least_one_resample() -> None:
    with pytest.raises(InputError, match="resamples must be at least 1, not 0"):
        randomised_tukey_hsd(SMALL, resamples=0)


@pytest.mark.integration
def test_level_of_the_whole_family_and_power() -> None:
    null = campaigns(200)
    low, high = binom.interval(0.999, 200, 0.05)
    planted = np.array([1.5, 0, 0, 0, 0])[:, None]
    for test in (tukey_hsd, lambda values: randomised_tukey_hsd(values, resamples=199)):
        assert low <= sum((test(values).p <= 0.05).any() for values in null) <= high
        first_four = [test(values + planted).p[:4] for values in null[:100]]
        assert np.mean(np.array(first_four) <= 0.05) > 0.5


def test_real_runs(data: Path) -> None:
    values = pl.read_csv(data / "score-matrices" / "adhoc8_ap.csv.gz").to_numpy().T
    by_range, by_permutation = tukey_hsd(values), randomised_tukey_hsd(values, resamples=500)
    assert len(by_range.p) == 129 * 128 // 2
    shares = [(found.p <= 0.05).mean() for found in (by_range, by_permutation)]
    assert 0.1 < shares[1] < shares[0] < 0.6


def test_the_order_of_the_systems_makes_no_difference() -> None:
    values = np.random.default_rng(4).random((5, 12))
    found = randomised_tukey_hsd(values, resamples=300)
    again = randomised_tukey_hsd(values[::-1], resamples=300)
    assert np.array_equal(found.ranges, again.ranges)
    assert sorted(found.p) == sorted(again.p)

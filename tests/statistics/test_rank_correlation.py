"""Rank correlations: by hand, against scipy, against loops from the definitions, and by what must hold of any."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tools.correlated import bootstrap_correlation
from tools.each import each_of

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics import rank_correlation as rc
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.correlation_vectors import VECTORS, correlation

SYMMETRIC = ["tau_b", "tau_a", "tau_ap_symmetric", "spearman", "pearson"]
RANKS_ONLY = ["tau_b", "tau_a", "tau_ap", "tau_ap_symmetric", "spearman"]
WORTH_ITSELF = ["tau_b", "spearman", "pearson"]  # 1 with itself, ties or not

scores = st.integers(2, 7).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n) for _ in "xy"])
)
kinds = st.sampled_from(sorted(VECTORS))


def value(kind: str, x: Iterable[float], y: Iterable[float]) -> float:
    return float(correlation(kind, np.array(list(x), dtype=float), np.array(list(y), dtype=float)))


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


def slow_tau_a(x: list[int], y: list[int]) -> float:
    signs = [sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in combinations(range(len(x)), 2)]
    return sum(signs) / len(signs)


def slow_tau_ap(estimate: list[int], truth: tuple[int, ...] | list[int]) -> float:
    """Return τ_AP by its formula: systems by number, best first, in both lists."""
    total = 0.0
    for i in range(1, len(estimate)):
        right = [above for above in estimate[:i] if truth.index(above) < truth.index(estimate[i])]
        total += len(right) / i
    return 2 / (len(estimate) - 1) * total - 1


def orders(x: list[int]) -> list[list[int]]:
    """Return all orders of the systems, best first, that the scores allow; each way to break ties once."""
    return [list(order) for order in permutations(range(len(x))) if all(x[a] >= x[b] for a, b in pairwise(order))]


def test_tau_ap_of_four_systems_by_hand() -> None:
    truth = [4, 3, 2, 1]
    # d, c, b, a: nothing above is right, at any rank.
    assert rc.tau_ap([1, 2, 3, 4], truth) == -1
    # c, a, b, d: of c above a, none; of c and a above b, one; of three above d, all.
    assert rc.tau_ap([3, 2, 4, 1], truth) == pytest.approx(2 / 3 * (0 / 1 + 1 / 2 + 3 / 3) - 1)
    # The other way round, down the truth a, b, c, d, when the estimate has c, a, b, d.
    reverse = 2 / 3 * (1 / 1 + 0 / 2 + 3 / 3) - 1
    assert rc.tau_ap([3, 2, 4, 1], truth, direction="reverse") == pytest.approx(reverse)
    assert rc.tau_ap([3, 2, 4, 1], truth, direction="symmetric") == pytest.approx((reverse + 0) / 2)


def test_tau_ap_with_ties_by_hand() -> None:
    # The estimate ties b and c below a: a, b, c is all right; in a, c, b one of two above b is.
    both = [2 / 2 * (1 / 1 + 2 / 2) - 1, 2 / 2 * (1 / 1 + 1 / 2) - 1]
    assert rc.tau_ap([2, 1, 1], [3, 2, 1]) == pytest.approx(sum(both) / 2)


@given(scores)
def test_tau_ap_with_ties_is_the_mean_over_all_ways_to_break_them(pair: tuple[list[int], list[int]]) -> None:
    x, y = (side[:5] for side in pair)
    every = [slow_tau_ap(estimate, truth) for estimate, truth in product(orders(x), orders(y))]
    assert value("tau_ap", x, y) == pytest.approx(sum(every) / len(every), abs=1e-12)
    assert rc.tau_ap(y, x, direction="reverse") == value("tau_ap", x, y)


@given(scores)
def test_peers_and_the_definition(pair: tuple[list[int], list[int]]) -> None:
    x, y = pair
    assert value("tau_a", x, y) == pytest.approx(slow_tau_a(x, y), abs=1e-12)
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert value("tau_b", x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
        assert value("spearman", x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
        assert value("pearson", x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
        assert rc.kendall_p(x, y) == pytest.approx(stats.kendalltau(x, y).pvalue)


@given(kinds, scores)
def test_what_holds_of_every_kind(kind: str, pair: tuple[list[int], list[int]]) -> None:
    x, y = pair
    found = value(kind, x, y)
    assert -1 <= found <= 1
    if kind != "tau_ap_symmetric":  # where the reversed ranking is the one that is looked down, its bottom matters most
        assert value(kind, x, [-score for score in y]) == pytest.approx(-found, abs=1e-12)
    if kind in SYMMETRIC:
        assert value(kind, y, x) == pytest.approx(found, abs=1e-12)
    if kind in RANKS_ONLY:
        assert value(kind, [math.exp(score) for score in x], [score**3 - 7 for score in y]) == found
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found == 0


@given(kinds, st.permutations(range(6)))
def test_the_same_and_the_reversed_ranking(kind: str, x: list[int]) -> None:
    assert value(kind, x, x) == pytest.approx(1, abs=1e-12)
    assert value(kind, x, [-score for score in x]) == pytest.approx(-1, abs=1e-12)


@given(st.sampled_from(WORTH_ITSELF), st.lists(st.integers(0, 3), min_size=2, max_size=8))
def test_ties_cost_nothing_with_oneself_where_they_are_corrected_for(kind: str, x: list[int]) -> None:
    assert value(kind, x, x) == pytest.approx(float(len(set(x)) > 1))


def test_equal_scores_that_have_no_exact_mean_are_constant() -> None:
    x = np.full(3, 0.1)  # their mean is 0.10000000000000002
    assert correlation("pearson", x, np.array([1.0, 2.0, 4.0])) == 0


@pytest.mark.parametrize("kind", sorted(VECTORS))
def test_batches_are_their_members_one_by_one(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    x, y = rng.integers(0, 9, (3, 1, 12)).astype(float), rng.integers(0, 9, (5, 12)).astype(float)
    monkeypatch.setattr(
        "cranfield.statistics.differences.RESAMPLED_CELLS", 12 * 12 * 4
    )  # several blocks, the last not full
    together = correlation(kind, x, y)
    assert together.shape == (3, 5)
    assert together == pytest.approx(np.array([[value(kind, a, b) for b in y] for a in x[:, 0]]), abs=1e-12)


@pytest.mark.parametrize("kind", sorted(VECTORS))
def test_the_matrix_is_all_against_all(kind: str) -> None:
    rows = np.random.default_rng(7).integers(0, 9, (4, 10)).astype(float)
    assert rc.correlation_matrix(rows, kind) == pytest.approx(correlation(kind, rows[:, None], rows), abs=1e-12)


def test_p_is_exact_for_few_systems_and_1_for_constants() -> None:
    every = [slow_tau_a([3, 2, 1, 0], list(order)) for order in permutations(range(4))]
    expected = sum(abs(tau) >= 2 / 3 - 1e-9 for tau in every) / 24
    assert rc.kendall_p([3, 2, 1, 0], [3, 2, 0, 1]) == pytest.approx(expected)
    assert rc.kendall_p([[1, 1, 1], [3, 2, 1]], [3, 2, 1]).tolist() == pytest.approx([1, 2 / 6])


@pytest.mark.parametrize("n", [2, 3, 10, 33, 34, 60, 143])
@pytest.mark.parametrize("levels", [None, 3, 20])
def test_p_is_scipys(n: int, levels: int | None) -> None:
    """With ties and without, on both sides of where counting ends, and at its ends: all alike, all but one pair."""
    rng = np.random.default_rng(n)
    drawn = [rng.permutation(n) if levels is None else rng.integers(0, levels, n) for _ in range(40)]
    nearly = np.arange(n)
    nearly[:2] = 1, 0
    for x, y in [
        *zip(drawn[::2], drawn[1::2], strict=True),
        (np.arange(n), np.arange(n)),
        (np.arange(n)[::-1], nearly),
    ]:
        if len(set(x.tolist())) > 1 and len(set(y.tolist())) > 1:
            assert float(rc.kendall_p(x, y)) == pytest.approx(stats.kendalltau(x, y).pvalue, rel=1e-12, abs=1e-300)


def slow_bootstrap(x: Floats, y: Floats, resamples: int, seed: int, level: float) -> tuple[float, float]:
    found = []
    for counts in resample_counts(x.shape[1], resamples, seed):
        drawn = np.repeat(np.arange(x.shape[1]), counts.astype(int))
        found.append(stats.kendalltau(x[:, drawn].mean(axis=1), y[:, drawn].mean(axis=1)).statistic)
    seen = stats.kendalltau(x.mean(axis=1), y.mean(axis=1)).statistic
    margin = stats.norm.ppf((1 + level) / 2) * np.std(found)
    low, high = np.quantile(found, [(1 - level) / 2, 1 - (1 - level) / 2])
    return float(min(low, seen - margin)), float(max(high, min(1, seen + margin)))


def test_bootstrap_is_the_loop_over_resamples() -> None:
    rng = np.random.default_rng(3)
    x = rng.random((8, 12)) + np.linspace(0, 0.5, 8)[:, None]
    y = x + rng.normal(0, 0.3, x.shape)
    found = bootstrap_correlation(x, y, resamples=80, seed=5, level=0.9)
    assert found == pytest.approx(slow_bootstrap(x, y, 80, 5, 0.9))
    assert found[0] < rc.kendall_tau(x.mean(axis=1), y.mean(axis=1)) <= found[1] <= 1
    assert found == bootstrap_correlation(x, y, resamples=80, seed=5, level=0.9)
    assert found != bootstrap_correlation(x, y, resamples=80, seed=6, level=0.9)


@pytest.mark.parametrize("kind", VECTORS)
def test_all_pairs_at_once_are_each_pair_to_the_last_bit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranfield.statistics.differences.RESAMPLED_CELLS", 2000)  # several blocks, of other sizes
    rng = np.random.default_rng(5)
    scores = np.round(rng.random((4, 9, 13)) + np.linspace(0, 0.5, 9)[:, None], 1)  # ties
    scores[3] = 0.25  # which ties all systems
    every = rc.resampled_correlations(scores, kind, resamples=150, seed=3)
    for a, b in np.ndindex(4, 4):
        one = rc.resampled_correlation(scores[a], scores[b], kind, resamples=150, seed=3)
        np.testing.assert_array_equal(every[a, b], one)


def test_bootstrap_ties_means_that_differ_by_rounding_only() -> None:
    """The second system's scores are the first's but for the last bit, so that no resample may put either above."""
    one = np.random.default_rng(7).random(49)
    x = np.array([one, one * 3 / 3, one + 1])
    assert not np.array_equal(x[0], x[1])
    assert bootstrap_correlation(x, x, "tau_a", resamples=200) == pytest.approx((2 / 3, 2 / 3))


def test_bootstrap_covers_as_often_as_it_says() -> None:
    """Of two independent measures the correlation is 0 on average; the interval should nearly always hold 0."""
    rng = np.random.default_rng(11)
    held = 0
    for seed in range(60):
        x, y = rng.random((2, 10, 15))
        low, high = bootstrap_correlation(x, y, "spearman", resamples=200, seed=seed)
        held += low <= 0 <= high
    assert held >= 54


@each_of(
    ("x", "y", "problem"),
    [
        ([1.0], [1.0], "at least two systems"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], "same systems"),
        ([1.0, math.nan], [1.0, 2.0], "finite score"),
        (np.zeros((2, 3)), np.zeros((4, 3)), "broadcast"),
    ],
)
@each_of("kind", sorted(VECTORS))
def test_what_is_no_pair_of_rankings_is_said(kind: str, x: Floats, y: Floats, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        correlation(kind, x, y)


def test_what_else_is_wrong_is_said() -> None:
    x = np.random.default_rng(7).random((3, 4))
    with pytest.raises(InputError, match="choose from tau_b, tau_a"):
        rc.correlation_matrix(x, "kendall")
    with pytest.raises(InputError, match="not 'c'"):
        rc.kendall_tau(x, x, variant="c")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not 'up'"):
        rc.tau_ap(x, x, direction="up")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="measures, systems"):
        rc.correlation_matrix(x[0])
    with pytest.raises(InputError, match="one shape"):
        bootstrap_correlation(x, x[:, :2])
    with pytest.raises(InputError, match="resamples must be at least 1"):
        bootstrap_correlation(x, x, resamples=0)
    with pytest.raises(InputError, match="level"):
        bootstrap_correlation(x, x, level=95)


def test_random_rankings_of_many_systems_against_the_loop() -> None:
    random.seed(7)
    estimate, truth = random.sample(range(60), 60), random.sample(range(60), 60)
    x, y = np.empty(60), np.empty(60)
    x[estimate], y[truth] = -np.arange(60.0), -np.arange(60.0)
    assert rc.tau_ap(x, y) == pytest.approx(slow_tau_ap(estimate, truth))


def test_intervals_over_topics_end_where_correlations_end() -> None:
    few = [1.0, 0.4, 1.0]
    mean, low, high = rc.mean_over_topics(few, 0.95)
    assert mean == pytest.approx(0.8)
    assert high == 1
    assert low == pytest.approx(stats.ttest_1samp(few, 0).confidence_interval(0.95).low)
    assert rc.mean_over_topics([-1.0, -0.4, -1.0], 0.95)[1] == -1
    assert rc.mean_over_topics(few, 0.95, furthest=2)[2] == pytest.approx(0.8 + 0.8 - low)

"""Paired tests: worked by hand, against scipy, against all sign patterns, and under a simulated null."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from functools import cache
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tools.each import each_of

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.differences import Alternative
from cranfield.statistics.paired_tests import PAIRED_TESTS, paired_test
from cranfield.statistics.sign_flips import sign_flips

ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
SLEEP = np.array([-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4])
DEPRESSION = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]) - np.array(
    [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
)


def sample(hypotheses: int, topics: int, *, grid: float | None = None, shift: float = 0.2, seed: int = 1) -> Floats:
    """Return differences, on a grid if there are to be ties and zeros."""
    values = np.random.default_rng(seed).normal(shift, 1, (hypotheses, topics))
    return values if grid is None else np.round(values / grid) * grid


def p_of(differences: Any, test: str, alternative: Alternative = "two-sided", **options: Any) -> float:
    return float(paired_test([differences], test, alternative=alternative, **options).p[0])


# Published and worked examples


def test_sleep_as_r_prints_it() -> None:
    found = paired_test([SLEEP], "t")
    assert found.statistic[0] == pytest.approx(-4.0621, abs=5e-5)
    assert found.p[0] == pytest.approx(0.002833, abs=5e-7)


def test_depression_as_r_prints_it() -> None:
    found = paired_test([DEPRESSION], "wilcoxon", alternative="greater")
    assert found.statistic[0] == 40  # V in R
    assert found.p[0] == pytest.approx(0.01953, abs=5e-6)
    assert found.exact


def test_three_topics_by_hand() -> None:
    # Of the 8 sums ±1 ±2 ±4, one is 7 and one is −7; all are different.
    assert p_of([1, 2, 4], "randomisation") == 2 / 8
    assert p_of([1, 2, 4], "randomisation", "greater") == 1 / 8
    assert p_of([1, 2, 4], "randomisation", "less") == 8 / 8
    # The sum 3 = −1 + 4 + 0 is reached by 3, 5 and 7 alone.
    assert p_of([1, -2, 4], "randomisation", "greater") == 3 / 8
    # Of the rank sums of 1, 2, 3, 6 is reached by one subset; with a tie of 1.5 and 1.5 too.
    assert p_of([1, 2, 4], "wilcoxon") == p_of([1, 1, 4], "wilcoxon") == 2 / 8
    # Three heads of three; of two, where one is neither.
    assert p_of([1, 2, 4], "sign", "greater") == 1 / 8
    assert p_of([1, 0, 4], "sign", "greater") == 1 / 4
    # One head or more of two; both sides together are all there is.
    assert p_of([1, 0, -4], "sign", "greater") == 3 / 4
    assert p_of([1, 0, -4], "sign") == 1


def test_signs_that_are_equal_but_for_rounding_are_equal() -> None:
    # 0.1 + 0.2 − 0.3 is not 0 in floating point. ±1 ±2 ±3 is 0 for 2 of 8 patterns, 2 or more for
    # 3, −2 or less for 3.
    assert p_of([0.1, 0.2, -0.3], "randomisation") == 1
    assert p_of([0.1, 0.2, -0.3], "randomisation", "greater") == 5 / 8


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_tenths_are_as_good_as_whole_numbers(test: str, alternative: Alternative) -> None:
    # Few topics and few values: many statistics are equal to the one seen, and must be so for
    # tenths too.
    whole = np.random.default_rng(9).integers(-3, 4, (300, 5)).astype(float)
    expected, found = (paired_test(rows, test, alternative=alternative, resamples=100) for rows in (whole, whole * 0.1))
    np.testing.assert_allclose(found.p, expected.p, atol=1e-12)


# Against scipy


@each_of("alternative", ALTERNATIVES)
@each_of("grid", [None, 0.5])
@each_of("topics", [2, 5, 9, 14, 25, 50, 51, 80])
def test_wilcoxon_is_scipys(topics: int, grid: float | None, alternative: Alternative) -> None:
    rows = sample(6, topics, grid=grid, shift=0.4)
    rows = rows[rows.any(axis=1)]
    found = paired_test(rows, "wilcoxon", alternative=alternative)
    expected, directed = by_scipy(topics, grid, alternative), by_scipy(topics, grid, "greater")
    np.testing.assert_allclose(found.p, [e.pvalue for e in expected], rtol=1e-10)
    np.testing.assert_allclose(found.statistic, [e.statistic for e in directed])


@cache
def by_scipy(topics: int, grid: float | None, alternative: Alternative) -> list[Any]:
    rows = sample(6, topics, grid=grid, shift=0.4)
    rows = rows[rows.any(axis=1)]
    return [stats.wilcoxon(row, alternative=alternative, correction=False) for row in rows]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_and_sign_are_scipys(alternative: Alternative) -> None:
    rows = sample(40, 17, grid=0.5)
    t = stats.ttest_1samp(rows, 0, axis=1, alternative=alternative)
    found = paired_test(rows, "t", alternative=alternative)
    np.testing.assert_allclose(found.p, t.pvalue, rtol=1e-12)
    np.testing.assert_allclose(found.statistic, t.statistic, rtol=1e-12)
    wins, losses = (rows > 0).sum(axis=1), (rows < 0).sum(axis=1)
    assert (wins + losses < 17).any()
    binomial = [
        stats.binomtest(int(w), int(w + n), alternative=alternative).pvalue for w, n in zip(wins, losses, strict=True)
    ]
    np.testing.assert_allclose(paired_test(rows, "sign", alternative=alternative).p, binomial, rtol=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_randomisation_is_scipys_over_all_patterns(alternative: Alternative) -> None:
    for row in sample(6, 9, grid=0.25):
        expected = stats.permutation_test(
            (row,), np.mean, permutation_type="samples", alternative=alternative, n_resamples=np.inf, axis=-1
        )
        assert p_of(row, "randomisation", alternative) == pytest.approx(expected.pvalue, abs=1e-12)


# Against slow twins


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_signs_are_near_all_signs(alternative: Alternative) -> None:
    rows = sample(30, 10)
    exact = paired_test(rows, "randomisation", alternative=alternative)
    drawn = paired_test(rows, "randomisation", alternative=alternative, resamples=1000)
    assert exact.exact
    assert not drawn.exact
    deviation = np.sqrt(exact.p * (1 - exact.p) / 1000) + 1 / 1000
    assert (np.abs(exact.p - drawn.p) < 4 * deviation).all()
    assert not np.array_equal(exact.p, drawn.p)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_signs_by_hand(alternative: Alternative) -> None:
    row = sample(1, 15)[0]
    flips, exact = sign_flips(15, 99, 3)
    assert not exact
    assert set(np.unique(flips)) == {-1, 1}
    far = {"two-sided": lambda m: abs(m) >= abs(row.mean()), "greater": lambda m: m >= row.mean()}
    far["less"] = lambda m: m <= row.mean()
    reached = sum(far[alternative]((signs * row).mean()) for signs in flips)
    assert p_of(row, "randomisation", alternative, resamples=99, seed=3) == (reached + 1) / (99 + 1)


def slow_bootstrap(row: Floats, counts: Floats, alternative: Alternative) -> float:
    """Return Sakai's achieved significance level, resample by resample."""

    def t_of(values: list[float]) -> float:
        mean = math.fsum(values) / len(values)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
        if deviation < 1e-12:
            return 0.0 if abs(mean) < 1e-12 else math.copysign(math.inf, mean)
        return mean / deviation * math.sqrt(len(values))

    centre, seen, reached = row.mean(), t_of(row.tolist()), 0
    for drawn in counts.astype(int):
        t = t_of(np.repeat(row - centre, drawn).tolist())
        far = {"two-sided": abs(t) >= abs(seen) - 1e-9, "greater": t >= seen - 1e-9, "less": t <= seen + 1e-9}
        reached += far[alternative]
    return reached / len(counts)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("topics", [3, 8])
def test_bootstrap_is_its_slow_twin(topics: int, alternative: Alternative) -> None:
    rows = sample(8, topics, grid=0.1, shift=0.6)
    found = paired_test(rows, "bootstrap", alternative=alternative, resamples=200, seed=3)
    counts = resample_counts(topics, 200, 3)
    np.testing.assert_allclose(found.p, [slow_bootstrap(row, counts, alternative) for row in rows], atol=1e-12)


# What every test must do


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_a_hypothesis_has_the_same_p_in_any_company(test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = sample(50, 20, grid=0.1)
    together = paired_test(rows, test, resamples=500)
    monkeypatch.setattr("cranfield.statistics.differences.RESAMPLED_CELLS", 1200)
    np.testing.assert_allclose(together.p, paired_test(rows, test, resamples=500).p, atol=1e-12)
    np.testing.assert_allclose(together.p[7], p_of(rows[7], test, resamples=500), atol=1e-12)


@pytest.mark.parametrize("test", PAIRED_TESTS)
@settings(max_examples=30)
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=9), st.sampled_from(ALTERNATIVES))
def test_exchanging_the_systems_exchanges_the_sides(test: str, drawn: list[int], alternative: Alternative) -> None:
    row = np.array(drawn) / 20
    other: dict[Alternative, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
    p = p_of(row, test, alternative, resamples=300)
    assert 0 <= p <= 1
    assert p == pytest.approx(p_of(-row, test, other[alternative], resamples=300), abs=1e-9)
    assert p == pytest.approx(p_of(row * 3, test, alternative, resamples=300), abs=1e-9)


@each_of("test", PAIRED_TESTS)
@each_of("alternative", ALTERNATIVES)
@each_of("topics", [4, 40, 60])
def test_no_difference_shows_nothing(test: str, alternative: Alternative, topics: int) -> None:
    assert p_of(np.zeros(topics), test, alternative, resamples=100) == 1


@pytest.mark.parametrize("constant", [0.5, 0.1, np.full(5, 0.3) - np.array([0.2, 0.2, 0.2, 0.2, 0.3 - 0.1])])
def test_equal_differences(constant: Any) -> None:
    row = np.broadcast_to(constant, (5,))
    assert paired_test([row], "t").statistic[0] == np.inf
    assert [p_of(row, "t", side) for side in ALTERNATIVES] == [0, 0, 1]
    assert [p_of(row, "bootstrap", side, resamples=50) for side in ALTERNATIVES] == [0, 0, 1]
    for test in ("sign", "wilcoxon", "randomisation"):
        assert [p_of(row, test, side) for side in ALTERNATIVES] == [2 / 32, 1 / 32, 1], test


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_the_seed_decides(test: str) -> None:
    rows = sample(20, 20)
    again, other = (paired_test(rows, test, resamples=200, seed=seed) for seed in (7, 8))
    assert np.array_equal(paired_test(rows, test, resamples=200).p, again.p)
    assert not np.array_equal(again.p, other.p)


def test_whether_p_is_exact() -> None:
    assert not paired_test(sample(2, 10), "t").exact
    assert paired_test(sample(2, 60), "sign").exact
    assert paired_test(sample(2, 50), "wilcoxon").exact
    assert not paired_test(sample(2, 51), "wilcoxon").exact
    assert not paired_test(sample(2, 20, grid=0.5), "wilcoxon").exact
    assert paired_test(sample(2, 13, grid=0.5), "wilcoxon").exact
    assert not paired_test(sample(2, 14, grid=0.5), "wilcoxon").exact


@pytest.mark.parametrize(
    ("differences", "options", "problem"),
    [
        ([0.1, 0.2], {}, r"a table \(hypotheses, topics\), not an array of 1 dim"),
        ([[0.1]], {}, "at least 2 topics are needed, not on 1"),
        ([[0.1, np.nan], [0.1, 0.2], [np.inf, 0.1]], {}, "2 of 3 hypotheses .* not finite"),
        ([[0.1, 0.2]], {"test": "z"}, "no paired test 'z'; choose from t, sign, wilcoxon, randomisation, bootstrap"),
        ([[0.1, 0.2]], {"alternative": "more"}, "'two-sided', 'greater' or 'less', not 'more'"),
        ([[0.1, 0.2]], {"resamples": 0}, "resamples must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_tested(differences: Any, options: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        paired_test(differences, **options)


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_no_hypotheses_are_no_problem(test: str) -> None:
    assert paired_test(np.empty((0, 5)), test).p.shape == (0,)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_memory_stays_bounded(test: str) -> None:
    rows = sample(8_000, 20)  # one table of hypotheses by resamples would be 160 MB
    tracemalloc.start()
    paired_test(rows, test, resamples=2_500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80e6


# Under a simulated null, and with a difference that is there


def binomial_bounds(level: float, trials: int) -> tuple[float, float]:
    low, high = stats.binom.interval(0.999, trials, level)
    return low / trials, high / trials


@each_of("test", PAIRED_TESTS)
@each_of("alternative", ALTERNATIVES)
def test_rejects_at_its_level(test: str, alternative: Alternative) -> None:
    rows = np.random.default_rng(5).normal(size=(2000, 25))
    rejected = (paired_test(rows, test, alternative=alternative, resamples=999).p <= 0.05).mean()
    low, high = binomial_bounds(0.05, 2000)
    assert rejected <= high
    if test != "sign":  # its p takes few values, the largest up to 0.05 being 0.043 (two-sided) or 0.022
        assert rejected >= low


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_finds_what_is_there(test: str) -> None:
    rows = sample(200, 30, shift=1.0)
    assert (paired_test(rows, test, alternative="greater", resamples=999).p <= 0.05).mean() > 0.95
    assert (paired_test(rows, test, alternative="less", resamples=999).p > 0.95).mean() > 0.95


def test_all_sign_patterns_by_enumeration() -> None:
    for row in sample(5, 5, grid=0.5):
        sums = [sum(s * d for s, d in zip(signs, row, strict=True)) for signs in itertools.product([1, -1], repeat=5)]
        expected = sum(abs(total) >= abs(row.sum()) - 1e-9 for total in sums) / 32
        assert p_of(row, "randomisation") == expected


def test_resamples_that_no_memory_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRANFIELD_MEMORY", "1G")
    with pytest.raises(InputError, match="1,000,000,000 resamples would take"):
        paired_test(sample(2, 60), "randomisation", resamples=10**9)

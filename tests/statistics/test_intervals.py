"""Confidence intervals: against scipy, slow twins, and how often they hold the truth."""

from __future__ import annotations

import itertools
from typing import Any, Literal, get_args

import numpy as np
import pytest
from scipy import stats

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.statistics.bootstrap import resample_counts, resampled_topics
from cranfield.statistics.intervals import bootstrap_interval, percentile_interval, t_interval

Kind = Literal["bca", "percentile"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SLEEP = [-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4]


def skewed(hypotheses: int, topics: int) -> Floats:
    return np.random.default_rng(1).exponential(1, (hypotheses, topics))


def test_t_interval_as_r_prints_it() -> None:
    low, high = t_interval([SLEEP])
    assert low[0] == pytest.approx(-2.4598858, abs=5e-8)
    assert high[0] == pytest.approx(-0.7001142, abs=5e-8)


def test_t_interval_is_scipys() -> None:
    rows = skewed(10, 12)
    low, high = t_interval(rows, 0.9)
    expected = stats.ttest_1samp(rows, 0, axis=1).confidence_interval(0.9)
    np.testing.assert_allclose((low, high), (expected.low, expected.high))


def slow_bca(row: Floats, counts: Floats, level: float) -> list[float]:
    """Return Efron's interval, one step after the other; the acceleration by leaving out each topic in turn."""
    means = counts @ row / len(row)
    shift = stats.norm.ppf((means < row.mean()).mean())
    left_out = np.array([np.delete(row, i).mean() for i in range(len(row))])
    pulls = left_out.mean() - left_out
    acceleration = (pulls**3).sum() / (6 * (pulls**2).sum() ** 1.5)
    limits = []
    for z in stats.norm.ppf([(1 - level) / 2, (1 + level) / 2]):
        share = stats.norm.cdf(shift + (shift + z) / (1 - acceleration * (shift + z)))
        limits.append(float(np.quantile(means, share)))
    return limits


def test_bca_is_its_slow_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, counts = skewed(8, 15), resample_counts(15, 700, 3)
    monkeypatch.setattr("cranfield.statistics.differences.CELLS", 2000)  # three rows at a time
    found = np.array(bootstrap_interval(rows, 0.9, resamples=700, seed=3)).T
    np.testing.assert_allclose(found, [slow_bca(row, counts, 0.9) for row in rows], rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_near_scipys_own_resamples(kind: Kind) -> None:
    row = skewed(1, 30)
    low, high = bootstrap_interval(row, kind=kind, resamples=20_000)
    method = {"bca": "BCa", "percentile": "percentile"}[kind]
    expected = stats.bootstrap((row[0],), np.mean, method=method, n_resamples=20_000, rng=1).confidence_interval
    np.testing.assert_allclose((low[0], high[0]), expected, rtol=0.02)


def test_skewness_moves_bca_to_the_long_tail() -> None:
    rows = skewed(20, 30)
    (low, high), (plain_low, plain_high) = (bootstrap_interval(rows, kind=kind, resamples=2000) for kind in KINDS)
    assert (low > plain_low).mean() > 0.9
    assert (high > plain_high).mean() > 0.9


def test_tenths_are_as_good_as_whole_numbers() -> None:
    whole = np.random.default_rng(9).integers(-3, 9, (50, 5)).astype(float)
    found, expected = (np.array(bootstrap_interval(rows, resamples=300)) for rows in (whole * 0.1, whole))
    np.testing.assert_allclose(found, expected * 0.1, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_differences_leave_no_doubt(kind: Kind) -> None:
    for low, high in (t_interval([[0.1] * 6]), bootstrap_interval([[0.1] * 6], kind=kind, resamples=50)):
        assert low[0] == high[0] == pytest.approx(0.1)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rows = np.random.default_rng(8).normal(0.2, 1, (2000, 40))
    low, high = t_interval(rows, 0.9)
    bounds = np.array(stats.binom.interval(0.999, 2000, 0.9)) / 2000
    held = ((low <= 0.2) & (high >= 0.2)).mean()
    assert bounds[0] <= held <= bounds[1]
    for kind in KINDS:  # a little narrow, as resampling 40 topics is: by about √(39/40), and z in place of t
        low, high = bootstrap_interval(rows, 0.9, resamples=500, kind=kind)
        held = ((low <= 0.2) & (high >= 0.2)).mean()
        assert bounds[0] - 0.02 <= held <= bounds[1]


def test_percentile_interval_of_the_mean_is_the_same_either_way() -> None:
    row = skewed(1, 12)
    found = percentile_interval(lambda drawn: row[0, drawn].mean(), 12, resamples=400, seed=2, level=0.8)
    expected = bootstrap_interval(row, 0.8, resamples=400, seed=2, kind="percentile")
    np.testing.assert_allclose(found, np.array(expected)[:, 0])


def test_percentile_interval_of_several_taus_at_once() -> None:
    chance = np.random.default_rng(1)
    scores = chance.random((3, 6, 20))

    def taus(drawn: Integers) -> Floats:
        means = scores[:, :, drawn].mean(axis=2)
        return np.array([stats.kendalltau(means[a], means[b])[0] for a, b in itertools.combinations(range(3), 2)])

    low, high = percentile_interval(taus, 20, resamples=60)
    values = np.array([taus(drawn) for drawn in resampled_topics(20, 60, 7)])
    np.testing.assert_allclose(low, np.quantile(values, 0.025, axis=0))
    np.testing.assert_allclose(high, np.quantile(values, 0.975, axis=0))


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: t_interval([SLEEP], 95), "level must be above 0 and below 1, not 95"),
        (lambda: bootstrap_interval([SLEEP], 0), "level must be above 0"),
        (lambda: bootstrap_interval([SLEEP], kind="basic"), "'bca' or 'percentile', not 'basic'"),  # type: ignore[arg-type]
        (lambda: bootstrap_interval([SLEEP], resamples=0), "resamples must be at least 1"),
        (lambda: percentile_interval(np.mean, 0), "topics must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_asked(call: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        call()

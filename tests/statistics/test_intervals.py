"""Confidence intervals: against scipy, slow twins, and how often they hold the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.intervals import t_interval

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


def test_equal_differences_leave_no_doubt() -> None:
    low, high = t_interval([[0.1] * 6])
    assert low[0] == high[0] == pytest.approx(0.1)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rows = np.random.default_rng(8).normal(0.2, 1, (2000, 40))
    low, high = t_interval(rows, 0.9)
    bounds = np.array(stats.binom.interval(0.999, 2000, 0.9)) / 2000
    held = ((low <= 0.2) & (high >= 0.2)).mean()
    assert bounds[0] <= held <= bounds[1]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: t_interval([SLEEP], 95), "level must be above 0 and below 1, not 95"),
    ],
)
def test_what_cannot_be_asked(call: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        call()

"""Power: against statsmodels, against simulation, and its inverses against itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import nct, t

from cranfield.plumbing.errors import InputError
from cranfield.statistics.differences import Alternative
from cranfield.statistics.paired_tests import paired_test
from cranfield.statistics.power import MOST_TOPICS, detectable, power, topics_needed

TTestPower = pytest.importorskip("statsmodels.stats.power").TTestPower
STATSMODELS = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
EFFECTS = np.array([-0.6, -0.1, 0.0, 0.2, 0.5, 1.0])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("topics", [2, 10, 50])
def test_power_is_statsmodels(topics: int, alternative: Alternative) -> None:
    other = TTestPower()
    expected = [other.power(effect, topics, 0.05, alternative=STATSMODELS[alternative]) for effect in EFFECTS]
    np.testing.assert_allclose(power(EFFECTS, topics, 0.05, alternative), expected, rtol=1e-6, atol=1e-12)


def test_no_effect_is_found_at_the_level() -> None:
    np.testing.assert_allclose(power(0, [2, 20, 200], 0.01), 0.01)
    assert power([np.inf, -np.inf], 5).tolist() == [1, 1]
    assert power(-np.inf, 5, alternative="greater") == 0


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_topics_needed_is_the_smallest_number(alternative: Alternative) -> None:
    effects = np.array([0.05, 0.2, 0.35, 0.5, 0.8, 2.0, 5.0])
    needed = topics_needed(effects, 0.8, 0.05, alternative)
    assert (power(effects, needed, 0.05, alternative) >= 0.8).all()
    assert (power(effects, np.maximum(needed - 1, 2), 0.05, alternative) < 0.8)[needed > 2].all()
    one = TTestPower().solve_power(0.35, alpha=0.05, power=0.8, alternative=STATSMODELS[alternative])
    assert needed[2] == math.ceil(float(one))


def test_topics_needed_at_the_ends() -> None:
    assert topics_needed([0.0, 1e-9, np.inf]).tolist() == [MOST_TOPICS, MOST_TOPICS, 2]
    assert topics_needed([0.5, -0.5], alternative="less").tolist() == [
        MOST_TOPICS,
        topics_needed(0.5, alternative="greater"),
    ]
    assert topics_needed(0.0, power=0.04) == 2  # the level is power enough


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_detectable_is_found_with_that_power(alternative: Alternative) -> None:
    topics = np.array([2, 10, 50, 250])
    sizes = detectable(topics, 0.9, 0.01, alternative)
    found = power(-sizes if alternative == "less" else sizes, topics, 0.01, alternative)
    np.testing.assert_allclose(found, 0.9, rtol=1e-8)
    assert (np.diff(sizes) < 0).all()


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("alpha", [0.05, 0.001, 1e-4])
def test_it_is_that_of_the_noncentral_t_of_scipy(alternative: Any, alpha: float) -> None:
    """Far out as well, where the distribution function is too small for a number."""
    effects = np.array([0.0, 1e-4, 0.01, 0.2, 1.0, 3.0, 30.0, 1e4, 224_942.0])
    topics = np.array([2, 3, 5, 12, 31, 1000, 2**16, 2**24])[:, None]
    sides, freedom, noncentrality = 2 if alternative == "two-sided" else 1, topics - 1, effects * np.sqrt(topics)
    critical = t.isf(alpha / sides, freedom)
    expected = nct.sf(critical, freedom, noncentrality)
    expected += nct.sf(critical, freedom, -noncentrality) if sides == 2 else 0.0
    known = ~np.isnan(expected)
    np.testing.assert_allclose(power(effects, topics, alpha, alternative)[known], expected[known], atol=1e-6)


@pytest.mark.parametrize("effect", [0.0, 0.3, 0.6])
def test_the_t_test_has_that_power(effect: float) -> None:
    rows = np.random.default_rng(6).normal(effect, 1, (2000, 25))
    expected = float(power(effect, 25))
    found = (paired_test(rows).p <= 0.05).mean()
    assert found == pytest.approx(expected, abs=3.3 * math.sqrt(expected * (1 - expected) / 2000))


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: power(0.5, 1), "topics must be at least 2, not 1"),
        (lambda: power(0.5, 12.5), "topics must be whole numbers, not 12.5"),
        (lambda: power([0.5, np.nan], 10), "1 of 2 effects are not numbers"),
        (lambda: power(0.5, 10, 1.0), "alpha must be above 0 and below 1, not 1.0"),
        (lambda: topics_needed(0.5, 80), "power must be above 0 and below 1, not 80"),
        (lambda: detectable(10, 0.01), r"power must be at least alpha \(0.05\)"),
        (lambda: power(0.5, 10, alternative="larger"), "'greater' or 'less', not 'larger'"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_asked(call: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        call()

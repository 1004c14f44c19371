"""Topic set sizes: against statsmodels, against simulation, and at the ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.plumbing.errors import InputError
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.power import MOST_TOPICS
from cranfield.statistics.topic_set_size import topics_for_anova, topics_for_interval

FTestAnovaPower = pytest.importorskip("statsmodels.stats.power").FTestAnovaPower


@pytest.mark.parametrize("systems", [2, 3, 10, 100])
@pytest.mark.parametrize("difference", [0.1, 0.5, 2.0])
def test_anova_is_statsmodels(systems: int, difference: float) -> None:
    """Cohen's f is the standard deviation of the means: of two that are D apart and m - 2 half-way, D / √(2 m)."""
    found = topics_for_anova(difference, systems, 1.0, power=0.9, alpha=0.01)

    def power(topics: int) -> float:
        f = difference / math.sqrt(2 * systems)
        return float(FTestAnovaPower().power(f, topics * systems, 0.01, k_groups=systems))

    assert power(found) >= 0.9
    assert found == 2 or power(found - 1) < 0.9


def test_only_the_ratio_to_the_variance_matters() -> None:
    assert topics_for_anova(0.05, 10, 0.04) == topics_for_anova(0.5, 10, 4.0) == topics_for_anova(0.25, 10, 1.0)
    assert topics_for_interval(0.05, 0.04) == topics_for_interval(0.25, 1.0)


def test_the_analysis_of_variance_has_that_power() -> None:
    topics = topics_for_anova(1.0, 4, 1.0)
    rows = np.random.default_rng(3).normal(size=(3000, 4, topics)) + np.array([[0.5], [0.0], [0.0], [-0.5]])
    found = (stats.f_oneway(*np.moveaxis(rows, 1, 0), axis=1).pvalue <= 0.05).mean()
    assert found == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("width", [0.5, 1.5])
def test_intervals_are_that_narrow_on_average(width: float) -> None:
    topics = topics_for_interval(width, 1.0)
    rows = np.random.default_rng(5).normal(size=(4000, topics))

    def mean_width(n: int) -> float:
        low, high = t_interval(rows[:, :n], 0.95)
        return float((high - low).mean())

    assert mean_width(topics) <= width * 1.005
    assert mean_width(topics - 1) > width * 0.995


def test_at_the_ends() -> None:
    assert topics_for_anova(100.0, 5, 1.0) == 2
    assert topics_for_interval(1000.0, 1.0) == 2
    assert topics_for_anova(1e-6, 5, 1.0) == MOST_TOPICS
    assert topics_for_interval(1e-6, 1.0) == MOST_TOPICS


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: topics_for_anova(0, 5, 1.0), "difference must be above 0, not 0"),
        (lambda: topics_for_anova(0.1, 1, 1.0), "systems must be at least 2, not 1"),
        (lambda: topics_for_anova(0.1, 5, math.nan), "variance must be above 0, not nan"),
        (lambda: topics_for_interval(-1, 1.0), "width must be above 0, not -1"),
        (lambda: topics_for_interval(1, 1.0, alpha=5), "alpha must be above 0 and below 1, not 5"),
    ],
)
def test_what_cannot_be_asked(call: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        call()

"""Dunnett's test: against the published tables, Student's t, scipy, and simulation."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from cranfield.statistics.anova import anova
from cranfield.statistics.differences import pairs
from cranfield.statistics.dunnett import _tail, dunnett
from cranfield.statistics.studentized import studentized_critical, studentized_p
from cranfield.statistics.tukey import tukey_hsd

# Dunnett (1964), Table II, two-sided, 5%: comparisons, degrees of freedom, critical |t|.
TABLE = [(2, 10, 2.57), (3, 10, 2.76), (3, 20, 2.54), (2, math.inf, 2.21), (3, math.inf, 2.35)]


@pytest.mark.parametrize(("comparisons", "df", "expected"), TABLE)
def test_critical_values_of_the_tables(comparisons: int, df: float, expected: float) -> None:
    found = studentized_critical(0.05, partial(_tail, comparisons=comparisons), df) / math.sqrt(2)
    assert found == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("df", [1, 5, 500, 100_000])
def test_one_comparison_is_students_t_however_small_p(df: int) -> None:
    t = np.geomspace(0.01, 700, 60)
    expected = 2 * stats.t.sf(t, df)
    held = expected > 1e-250
    found = studentized_p(math.sqrt(2) * t, partial(_tail, comparisons=1), df)
    np.testing.assert_allclose(found[held], expected[held], rtol=1e-10)


@pytest.mark.parametrize(("comparisons", "df", "t"), [(5, 24, 2.3), (12, 60, 3.1), (3, 8, 1.2)])
def test_scipys_multivariate_t_agrees(comparisons: int, df: int, t: float) -> None:
    together = stats.multivariate_t(shape=0.5 + 0.5 * np.eye(comparisons), df=df)
    expected = 1 - together.cdf([t] * comparisons, lower_limit=[-t] * comparisons, random_state=3)
    found = studentized_p(math.sqrt(2) * t, partial(_tail, comparisons=comparisons), df)
    assert found == pytest.approx(expected, abs=3e-4)  # it integrates by random points


def test_topics_are_no_error() -> None:
    """With the topics' ease taken out, scipy's test for independent groups has our differences and less to find."""
    chance = np.random.default_rng(4)
    values = chance.normal(size=(4, 30)) + [[0.0], [0.4], [0.9], [1.3]] + 3 * chance.normal(size=30)
    ours = dunnett(values)
    theirs = stats.dunnett(*values[1:], control=values[0], random_state=1)
    of_baseline = pairs(4)[0] == 0
    np.testing.assert_allclose(-ours.difference[of_baseline], values[1:].mean(axis=1) - values[0].mean())
    assert (ours.p[of_baseline] < theirs.pvalue).all()
    assert ours.p[of_baseline][2] < 0.001
    assert theirs.pvalue[2] > 0.1


def test_p_critical_difference_and_interval_tell_the_same() -> None:
    values = np.random.default_rng(4).normal(size=(5, 20)) + np.array([[0.0], [0.0], [0.5], [1.0], [1.5]])
    found = dunnett(values)
    for alpha in (0.001, 0.05, 0.5):
        beyond = np.abs(found.difference) > found.critical(alpha)
        assert beyond.tolist() == (found.p < alpha).tolist()
        low, high = found.interval(1 - alpha)
        assert ((low > 0) | (high < 0)).tolist() == beyond.tolist()


@pytest.mark.integration
def test_level_of_all_comparisons_with_the_baseline() -> None:
    """300 campaigns of six equal systems: any false alarm against the first in 5% of them."""
    chance = np.random.default_rng(8)
    wrong = sum((dunnett(chance.normal(size=(6, 15))).p[:5] <= 0.05).any() for _ in range(300))
    assert wrong == pytest.approx(15, abs=3.3 * math.sqrt(300 * 0.05 * 0.95))


def test_two_systems_and_no_error() -> None:
    values = np.array([[0.1, 0.4, 0.3], [0.2, 0.5, 0.9]])
    assert dunnett(values).p == pytest.approx(anova(values).p)
    assert dunnett(np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 2.0]])).p.tolist() == [1, 0, 0]


def test_real_runs_have_lower_p_than_tukeys(data: Path) -> None:
    values = pl.read_csv(data / "score-matrices" / "adhoc8_ap.csv.gz").to_numpy().T
    with_one, among_all = dunnett(values).p, tukey_hsd(values).p
    assert (with_one <= among_all * (1 + 1e-9)).all()
    assert (with_one <= 0.05).mean() > (among_all <= 0.05).mean()

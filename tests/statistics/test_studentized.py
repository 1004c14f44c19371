"""The studentized range: against tables, Student's t, scipy, simulation, and in the far tail."""

from __future__ import annotations

import math
from itertools import pairwise as neighbours

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ndtr, stdtr
from scipy.stats import studentized_range

from cranfield.plumbing.arrays import Floats
from cranfield.statistics.studentized import range_tail, studentized_critical, studentized_p


def studentized_range_p(q: npt.ArrayLike, systems: int, df: float = math.inf) -> Floats:
    return studentized_p(q, range_tail(systems), df)


# From the tables of any textbook: alpha, means, degrees of freedom, critical value.
TABLE = [
    (0.05, 2, 10, 3.151),
    (0.05, 3, 10, 3.877),
    (0.05, 10, 20, 5.008),
    (0.01, 3, 10, 5.270),
    (0.01, 5, 60, 4.818),
    (0.05, 2, math.inf, 2.772),
    (0.05, 5, math.inf, 3.858),
    (0.05, 10, math.inf, 4.474),
]


@pytest.mark.parametrize(("alpha", "systems", "df", "expected"), TABLE)
def test_critical_values_of_the_tables(alpha: float, systems: int, df: float, expected: float) -> None:
    assert studentized_critical(alpha, range_tail(systems), df) == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize("df", [1, 2, 5, 30, 500, 6958, 100_000])
def test_two_systems_are_students_t_however_small_p(df: int) -> None:
    q = np.geomspace(0.01, 1000, 60)
    expected = 2 * stdtr(df, -q / math.sqrt(2))
    held = expected > 1e-250
    np.testing.assert_allclose(studentized_range_p(q, 2, df)[held], expected[held], rtol=1e-11)


def test_two_systems_without_error_in_the_error_are_normal() -> None:
    q = np.linspace(0.01, 40, 60)
    np.testing.assert_allclose(studentized_range_p(q, 2), 2 * ndtr(-q / math.sqrt(2)), rtol=1e-11)


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")  # scipy's own doubts
@pytest.mark.parametrize("df", [1, 4, 98, 6958, math.inf])
@pytest.mark.parametrize("systems", [3, 20, 143])
def test_scipy_agrees_as_far_as_it_is_exact(systems: int, df: float) -> None:
    q = np.array([0.7, 2.5, 4.2, 6.0])
    np.testing.assert_allclose(studentized_range_p(q, systems, df), studentized_range.sf(q, systems, df), atol=1e-9)


def test_simulated_ranges_exceed_it_as_often() -> None:
    rng = np.random.default_rng(3)
    ranges = np.ptp(rng.normal(size=(20_000, 6)), axis=1) / np.sqrt(rng.chisquare(8, 20_000) / 8)
    assert studentized_range_p(np.median(ranges), 6, 8) == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(20_000))


@pytest.mark.parametrize("df", [245, math.inf])
def test_far_out_at_most_one_pair_is_so_far_apart(df: float) -> None:
    one, p = (float(studentized_range_p(30.0, systems, df)) for systems in (2, 6))
    assert 0 < p == pytest.approx(15 * one, rel=1e-9)


def test_with_two_degrees_of_freedom_the_far_tail_is_the_mean_square_of_the_range() -> None:
    """S² is exponential, so that P(S < w / q) is nearly w² / q²."""
    q = 1e5
    assert float(studentized_range_p(q, 2, 2)) == pytest.approx(2 / q**2, rel=1e-8)
    assert float(studentized_range_p(q, 3, 2)) == pytest.approx((2 + 3 * math.sqrt(3) / math.pi) / q**2, rel=1e-8)


@pytest.mark.parametrize(("systems", "df"), [(2, 1), (5, 12), (143, 6958), (40, math.inf)])
def test_p_falls_from_1_to_0(systems: int, df: float) -> None:
    p = studentized_range_p([0.0, 1e-3, 0.5, 2.0, 8.0, 30.0, 1e5, np.inf], systems, df).tolist()
    assert p[0] == pytest.approx(1, abs=1e-8)
    assert p[-1] == 0
    assert all(a >= b for a, b in neighbours(p))


@pytest.mark.parametrize("alpha", [0.9, 0.05, 1e-30, pytest.param(1e-290, marks=pytest.mark.integration)])
def test_critical_value_has_its_p(alpha: float) -> None:
    for systems, df in [(2, 3), (12, 200)]:
        q = studentized_critical(alpha, range_tail(systems), df)
        assert float(studentized_range_p(q, systems, df)) == pytest.approx(alpha, rel=1e-9)


def test_many_values_are_worked_on_in_blocks() -> None:
    q = np.random.default_rng(2).random((3, 3001)) * 6
    some = studentized_range_p(q[1, :5], 9, 30)
    np.testing.assert_allclose(studentized_range_p(q, 9, 30)[1, :5], some, rtol=1e-12)

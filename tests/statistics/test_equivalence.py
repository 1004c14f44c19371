"""Tests against a margin: by hand, against statsmodels, by intervals, and by what they promise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.plumbing.errors import InputError
from cranfield.statistics.equivalence import equivalence
from cranfield.statistics.intervals import t_interval

weightstats = pytest.importorskip("statsmodels.stats.weightstats")


def test_by_hand() -> None:
    """Differences 0, 0.1, 0.2 are 0.2 above -0.1: t = 2 √3, whose tail with two degrees of freedom is known."""
    t = 2 * math.sqrt(3)
    found = equivalence([[0.0, 0.1, 0.2]], 0.1)
    assert found.p_not_worse[0] == pytest.approx((1 - t / math.sqrt(t**2 + 2)) / 2)
    assert found.p_not_better[0] == pytest.approx(0.5)


@pytest.mark.parametrize("margin", [0.05, 0.3, 1.0])
def test_as_statsmodels(margin: float) -> None:
    rows = np.random.default_rng(5).normal(0.1, 1, (6, 30))
    found = equivalence(rows, margin)
    for row, worse, better, both in zip(rows, found.p_not_worse, found.p_not_better, found.p_equivalent, strict=True):
        p, (_, low, _), (_, high, _) = weightstats.ttost_paired(row, np.zeros(30), -margin, margin)
        assert (worse, better, both) == pytest.approx((low, high, p))


@given(st.integers(0, 10_000), st.floats(0.01, 2), st.sampled_from([0.01, 0.05, 0.2]))
def test_equivalent_are_those_whose_interval_is_inside_the_margins(seed: int, margin: float, alpha: float) -> None:
    rows = np.random.default_rng(seed).normal(0.2, 0.5, (8, 10))
    found = equivalence(rows, margin)
    low, high = t_interval(rows, 1 - 2 * alpha)
    assert (found.p_not_worse < alpha).tolist() == (low > -margin).tolist()
    assert (found.p_equivalent < alpha).tolist() == ((low > -margin) & (high < margin)).tolist()
    turned = equivalence(-rows, margin)
    np.testing.assert_allclose(turned.p_not_worse, found.p_not_better)


def test_the_same_run_is_equivalent_and_one_beyond_the_margin_is_not() -> None:
    assert equivalence([[0.0, 0.0, 0.0], [0.2, 0.2, 0.2], [-0.2, -0.2, -0.2]], 0.1).p_equivalent.tolist() == [0, 1, 1]


def test_runs_that_differ_by_the_margin_are_called_equivalent_no_oftener_than_alpha() -> None:
    rows = np.random.default_rng(6).normal(0.5, 1, (2000, 40))
    assert (equivalence(rows, 0.5).p_equivalent <= 0.05).mean() <= 0.05 + 3.3 * math.sqrt(0.05 * 0.95 / 2000)


@pytest.mark.parametrize("margin", [0, -0.1, math.nan, math.inf, "wide"])
def test_a_margin_is_above_0(margin: Any) -> None:
    with pytest.raises(InputError, match="margin must be"):
        equivalence([[0.1, 0.2]], margin)

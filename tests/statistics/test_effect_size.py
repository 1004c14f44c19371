"""Effect sizes by hand, and against what they are on average."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cranfield.plumbing.errors import InputError
from cranfield.statistics.effect_size import hedges_g, standardised_difference, superiority, wins_ties_losses
from cranfield.statistics.paired_tests import paired_test


def test_standardised_difference_by_hand() -> None:
    # mean 2.5; s² = (2.25 + 0.25 + 0.25 + 2.25) / 3
    assert standardised_difference([[1, 2, 3, 4]])[0] == pytest.approx(2.5 / math.sqrt(5 / 3))
    assert standardised_difference([[0.0, 0.0], [0.1, 0.1], [-0.1, -0.1]]).tolist() == [0, np.inf, -np.inf]


def test_it_is_t_over_the_root_of_n() -> None:
    rows = np.random.default_rng(1).normal(size=(10, 9))
    np.testing.assert_allclose(standardised_difference(rows) * 3, paired_test(rows).statistic)


def test_hedges_correction() -> None:
    # J for 3 degrees of freedom: Γ(3/2) / (√(3/2) Γ(1)) = (√π / 2) / √(3/2)
    rows = [[1.0, 2.0, 3.0, 4.0]]
    factor = math.sqrt(math.pi) / 2 / math.sqrt(1.5)
    assert hedges_g(rows)[0] == pytest.approx(factor * standardised_difference(rows)[0])
    many = np.random.default_rng(1).normal(0.3, 1, (1, 50))
    assert hedges_g(many)[0] == pytest.approx(standardised_difference(many)[0] * (1 - 3 / (4 * 49 - 1)), rel=1e-4)
    assert hedges_g([[0.1, 0.3]]).tolist() == [0]


def test_g_has_no_bias_and_d_has() -> None:
    rows = np.random.default_rng(2).normal(0.5, 1, (40_000, 6))
    assert hedges_g(rows).mean() == pytest.approx(0.5, abs=0.01)
    assert standardised_difference(rows).mean() > 0.57


def test_wins_ties_losses_and_superiority() -> None:
    rows = [[0.1, 0.0, -0.2, 0.3, 0.4], [0.0] * 5]
    assert wins_ties_losses(rows).tolist() == [[3, 1, 1], [0, 5, 0]]
    assert superiority(rows).tolist() == [(3 + 1 / 2) / 5, 0.5]


def test_no_hypotheses_and_no_topics() -> None:
    assert wins_ties_losses(np.empty((0, 4))).shape == (0, 3)
    assert hedges_g(np.empty((0, 4))).shape == (0,)
    with pytest.raises(InputError, match="at least 2 topics"):
        superiority([[0.1]])

"""Effect sizes by hand, and against what they are on average."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cranfield.plumbing.errors import InputError
from cranfield.statistics.effect_size import standardised_difference, wins_ties_losses
from cranfield.statistics.paired_tests import paired_test


def test_standardised_difference_by_hand() -> None:
    # mean 2.5; s² = (2.25 + 0.25 + 0.25 + 2.25) / 3
    assert standardised_difference([[1, 2, 3, 4]])[0] == pytest.approx(2.5 / math.sqrt(5 / 3))
    assert standardised_difference([[0.0, 0.0], [0.1, 0.1], [-0.1, -0.1]]).tolist() == [0, np.inf, -np.inf]


def test_it_is_t_over_the_root_of_n() -> None:
    rows = np.random.default_rng(1).normal(size=(10, 9))
    np.testing.assert_allclose(standardised_difference(rows) * 3, paired_test(rows).statistic)


def test_wins_ties_losses() -> None:
    rows = [[0.1, 0.0, -0.2, 0.3, 0.4], [0.0] * 5]
    assert wins_ties_losses(rows).tolist() == [[3, 1, 1], [0, 5, 0]]


def test_no_hypotheses_and_no_topics() -> None:
    assert wins_ties_losses(np.empty((0, 4))).shape == (0, 3)
    with pytest.raises(InputError, match="at least 2 topics"):
        wins_ties_losses([[0.1]])

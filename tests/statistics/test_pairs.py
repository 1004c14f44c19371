"""Pairs of systems, and the door through which complete blocks come."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from tools.each import each_of

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.anova import anova
from cranfield.statistics.differences import differences, pairs
from cranfield.statistics.friedman import friedman
from cranfield.statistics.tukey import randomised_tukey_hsd, tukey_hsd


@pytest.mark.parametrize("systems", [1, 2, 3, 7])
def test_pairs_are_all_combinations_in_their_order(systems: int) -> None:
    first, second = pairs(systems)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == list(combinations(range(systems), 2))


def test_differences_are_those_of_the_pairs_on_the_last_axis() -> None:
    levels = np.array([[1.0, 2.0, 4.0], [0.0, 0.0, 5.0]])
    assert differences(levels).tolist() == [[1 - 2, 1 - 4, 2 - 4], [0 - 0, 0 - 5, 0 - 5]]


BROKEN = [
    ([0.1, 0.2], "scores have the shape (systems, topics), not (2,)"),
    ([[0.1, 0.2, 0.3]], "at least two systems, not 1"),
    ([[0.1], [0.2]], "at least two topics, not 1"),
    (np.empty((0, 5)), "at least two systems, not 0"),
    ([[0.1, 0.2], [0.3, np.nan]], "the score of system 1 on topic 1 is nan"),
    ([[np.inf, 0.2], [0.3, 0.4]], "the score of system 0 on topic 0 is inf"),
]


@each_of("test", [anova, friedman, tukey_hsd, randomised_tukey_hsd])
@each_of(("values", "problem"), BROKEN)
def test_what_cannot_be_compared_is_refused(test: object, values: Floats, problem: str) -> None:
    assert callable(test)
    with pytest.raises(InputError, match=re.escape(problem)):
        test(np.asarray(values))

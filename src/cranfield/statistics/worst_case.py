"""Is a run significantly better whatever the unjudged documents are? Not every test can say so."""

from __future__ import annotations

from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.differences import checked
from cranfield.statistics.paired_tests import PAIRED_TESTS, paired_test

MONOTONE: Final = ("wilcoxon", "sign", "randomisation")
"""The tests whose p never rises when a difference does, Wilcoxon's with ties as `worst_case_p` counts them."""


def check_worst_case(test: str) -> None:
    """Refuse a test whose p can rise when a difference does."""
    if test not in PAIRED_TESTS:
        raise InputError(f"there is no test {test!r}; choose from {', '.join(MONOTONE)}")
    if test not in MONOTONE:
        raise InputError(
            f"{test} says nothing about what is unjudged, since a larger difference on one topic can undo its decision;"
            f" use {', '.join(MONOTONE[:-1])} or {MONOTONE[-1]}"
        )


def worst_case_p(worst: Floats, test: str, resamples: int = 10_000, seed: int = 7) -> Floats:
    """How likely would such differences be by chance, in the worst case that is still possible?

    Judgments can only raise a difference that is the worst possible, base of the one less top of the other. What they
    say of it, one-sided, holds for all judgments to come if p never rises with a difference. That is so for the sign
    test and the randomisation test. It is so for Wilcoxon's if there are neither zeros nor ties; but a difference that
    moves away from 0, or from another of its size, changes the ranks of others. So these are broken against the better
    run: zeros are losses, and of ties the losses have the larger ranks. Then V is the number of pairs of topics i ≤ j
    with dᵢ + dⱼ > 0, which only grows, and p is never less than that of Wilcoxon's test with the ties broken anyhow.

    Shapes: worst (hypotheses, topics).

    Three wins and a tie, the smallest loss: V = 2 + 3 + 4 of 10, which 2 of 16 patterns of signs reach.

    >>> worst_case_p(np.array([[0.1, 0.0, 0.2, 0.3]]), "wilcoxon")
    array([0.125])
    """
    differences = _ties_against(checked(worst)) if test == "wilcoxon" else worst
    return paired_test(differences, test, alternative="greater", resamples=resamples, seed=seed).p


def _ties_against(differences: Floats) -> Floats:
    """Put in place of each difference its rank by size, from 1, with its sign; zeros are the smallest losses."""
    order = np.lexsort((-np.sign(differences), np.abs(differences)))
    rank = np.empty(differences.shape)
    np.put_along_axis(rank, order, np.arange(1.0, differences.shape[1] + 1)[None, :], axis=1)
    return np.where(differences > 0, rank, -rank)

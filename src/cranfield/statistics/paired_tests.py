"""Is one system better than another, or could the choice of topics have made the difference?

Each test takes differences of shape (hypotheses, topics), the score of one system minus that of the
other, and works on all hypotheses at once. A new test is a function and a row of `PAIRED_TESTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import special
from cranfield.statistics.bootstrap import achieved_levels, resample_counts
from cranfield.statistics.differences import (
    ROUNDING,
    Alternative,
    check_choices,
    checked,
    sides,
    slices_that_fit,
    t_statistics,
    towards,
)
from cranfield.statistics.ranks import mean_ranks
from cranfield.statistics.sign_flips import directions, share_reached, sign_flips

LARGEST_TABLE = 50
"""Up to this many topics Wilcoxon's distribution is counted out, as scipy does."""

FEW_TOPICS = 13
"""Up to this many topics Wilcoxon's test tries all signs of tied ranks, as scipy does."""


@dataclass(frozen=True)
class PairedResult:
    """What a paired test found, hypothesis by hypothesis."""

    # the statistic of each hypothesis; positive values (of *sign* and *wilcoxon*: large ones) speak for system a
    statistic: Floats
    p: Floats  # how likely a statistic so far out, or further, would be, were there no difference
    # whether every p was counted out, with neither random resamples nor a limiting distribution nor a normal one
    exact: bool


PairedTest: TypeAlias = Callable[[Floats, Alternative, int, int], PairedResult]


def paired_test(
    differences: npt.ArrayLike,
    test: str = "t",
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    seed: int = 7,
) -> PairedResult:
    """Is there a difference, or could the topics have made it? Shapes: differences (hypotheses, topics).

    Ten patients' extra hours of sleep with one drug less those with another (Student 1908):

    >>> found = paired_test([[-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4]])
    >>> found.statistic.round(4), found.p.round(6)
    (array([-4.0621]), array([0.002833]))
    """
    if test not in PAIRED_TESTS:
        raise InputError(f"there is no paired test {test!r}; choose from {', '.join(PAIRED_TESTS)}")
    check_choices(alternative, resamples)
    return PAIRED_TESTS[test](checked(differences), alternative, resamples, seed)


def t_test(differences: Floats, alternative: Alternative, resamples: int, seed: int) -> PairedResult:
    """Is the mean difference large for its standard error?

    t = mean / (s / √n), against Student's distribution with n − 1 degrees of freedom.
    """
    t = t_statistics(differences)
    p = sides(alternative) * special.stdtr(differences.shape[1] - 1, -towards(alternative, t))
    # A statistic of 0 / 0 is 0. Against one side that would be p = 0.5; but where nothing differs,
    # nothing is shown.
    return PairedResult(t, np.where(differences.any(axis=1), p, 1.0), exact=False)


def sign_test(differences: Floats, alternative: Alternative, resamples: int, seed: int) -> PairedResult:
    """Does a win on more topics than a fair coin would?

    The statistic is the number of wins, against the binomial distribution of wins + losses fair tosses. Ties are
    dropped.

    Paper: Dixon and Mood (1946), "The statistical sign test".
    """
    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    tosses = wins + losses
    tail = special.bdtr(tosses - towards(alternative, wins, losses), tosses, 0.5)
    return PairedResult(wins.astype(np.float64), np.minimum(sides(alternative) * tail, 1.0), exact=True)


def wilcoxon_test(differences: Floats, alternative: Alternative, resamples: int, seed: int) -> PairedResult:
    """Do the differences for a have larger ranks than those against it?

    The statistic is V, the sum of the ranks of |d| over the topics with d > 0 (R's V, scipy's for one side). Zeros are
    dropped, ties share their mean rank. As in scipy, hypothesis by hypothesis: without ties and zeros and up to 50
    topics, p is from the exact distribution; with them and up to 13 topics, from all signs of the ranks at hand; else
    from the normal distribution with variance Σ rank² / 4, which is the usual one corrected for ties, and without
    correction for continuity. Differences that should be equal but for rounding are no ties: round them first.

    Paper: Wilcoxon (1945), "Individual comparisons by ranking methods".
    """
    topics = differences.shape[1]
    zeros = (differences == 0).sum(axis=1, keepdims=True)  # which have rank 0
    ranks = np.sign(differences) * (mean_ranks(np.abs(differences)) - zeros)
    plus, minus = np.maximum(ranks, 0).sum(axis=1), np.maximum(-ranks, 0).sum(axis=1)
    p = _normal_tails(ranks, towards(alternative, plus, minus), alternative)
    distinct = np.square(ranks).sum(axis=1) == topics * (topics + 1) * (2 * topics + 1) / 6  # neither ties nor zeros
    few = ~distinct & (topics <= FEW_TOPICS)
    if few.any():
        p[few], _ = _flipped(ranks[few], alternative, 2**FEW_TOPICS, seed)
    table = distinct & (topics <= LARGEST_TABLE)
    if table.any():
        tails = _rank_sum_tails(topics)[towards(alternative, plus, minus)[table].astype(np.intp)]
        p[table] = np.minimum(sides(alternative) * tails, 1.0)
    return PairedResult(plus, p, exact=bool((few | table).all()))


def randomisation_test(differences: Floats, alternative: Alternative, resamples: int, seed: int) -> PairedResult:
    """Would the mean difference be as large if the systems' names were swapped on some topics?

    p is the share of sign patterns that give a mean difference at least as large. All 2^n patterns are tried if they
    are not more than ``resamples`` (13 topics or fewer for 10,000); else random ones, and p = (number that reach it +
    1) / (resamples + 1).

    Paper: Smucker, Allan and Carterette (2007), "A comparison of statistical significance tests for information
    retrieval evaluation" (the randomisation test).
    """
    return PairedResult(differences.mean(axis=1), *_flipped(differences, alternative, resamples, seed))


def bootstrap_test(differences: Floats, alternative: Alternative, resamples: int, seed: int) -> PairedResult:
    """Would topics resampled from a world without difference give so large a t?

    The differences are centred, their topics resampled with replacement, and t* computed of each resample; p (the
    achieved significance level) is the share of resamples whose t* is at least as far out as t. It can be 0.

    Paper: Sakai (2006), "Evaluating evaluation metrics based on the bootstrap" (the paired test).
    """
    counts = resample_counts(differences.shape[1], resamples, seed)
    return PairedResult(t_statistics(differences), achieved_levels(differences, counts, alternative), exact=False)


PAIRED_TESTS: dict[str, PairedTest] = {
    "t": t_test,
    "sign": sign_test,
    "wilcoxon": wilcoxon_test,
    "randomisation": randomisation_test,
    "bootstrap": bootstrap_test,
}
"""All paired tests by name."""
MONOTONE: Final = ("wilcoxon", "sign", "randomisation")
"""The tests whose p never rises when a difference does, Wilcoxon's with ties as `worst_case_p` counts them."""


def _flipped(differences: Floats, alternative: Alternative, resamples: int, seed: int) -> tuple[Floats, bool]:
    """Return the p of the sum of each row under sign flips, and whether all patterns were tried."""
    flips, exact = sign_flips(differences.shape[1], resamples, seed)
    rows = directions(differences)
    seen = towards(alternative, rows.sum(axis=1)) - ROUNDING
    reached = np.empty(len(rows))
    for block in slices_that_fit(len(rows), len(flips)):
        flipped = towards(alternative, rows[block] @ flips.T)
        reached[block] = (flipped >= seen[block, None]).sum(axis=1)
    return share_reached(reached, len(flips), exact), exact


def _normal_tails(ranks: Floats, rank_sums: Floats, alternative: Alternative) -> Floats:
    """Return the p of rank sums by the normal distribution; 1 where no rank is left."""
    expected, deviation = np.abs(ranks).sum(axis=1) / 2, np.sqrt(np.square(ranks).sum(axis=1)) / 2
    with np.errstate(invalid="ignore"):
        p = sides(alternative) * special.ndtr(-(rank_sums - expected) / deviation)
    return np.where(deviation > 0, p, 1.0)


@cache
def _rank_sum_tails(topics: int) -> Floats:
    """Return P(V ≥ v) for v from 0 to n(n + 1)/2: the share of the subsets of the ranks 1..n with that sum or more."""
    subsets = np.zeros(topics * (topics + 1) // 2 + 1)
    subsets[0] = 1
    for rank in range(1, topics + 1):
        subsets[rank:] += subsets[:-rank].copy()
    return subsets[::-1].cumsum()[::-1] / 2.0**topics


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

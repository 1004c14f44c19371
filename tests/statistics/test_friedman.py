"""Friedman's test: by hand, by a published example, by loops from the book, by scipy, and under a simulated null."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom, friedmanchisquare, studentized_range, t

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.differences import pairs
from cranfield.statistics.friedman import friedman
from cranfield.statistics.studentized import range_tail, studentized_critical

# Hollander and Wolfe (1973), p. 140: seconds of 22 players to round first base in three ways;
# help(friedman.test) of R has them and prints chi-squared = 11.143, df = 2, p-value = 0.003805.
ROUNDING_TIMES = np.array(
    [
        [5.40, 5.50, 5.55], [5.85, 5.70, 5.75], [5.20, 5.60, 5.50], [5.55, 5.50, 5.40], [5.90, 5.85, 5.70],
        [5.45, 5.55, 5.60], [5.40, 5.40, 5.35], [5.45, 5.50, 5.35], [5.25, 5.15, 5.00], [5.85, 5.80, 5.70],
        [5.25, 5.20, 5.10], [5.65, 5.55, 5.45], [5.60, 5.35, 5.45], [5.05, 5.00, 4.95], [5.50, 5.50, 5.40],
        [5.45, 5.55, 5.50], [5.55, 5.55, 5.35], [5.45, 5.50, 5.55], [5.50, 5.45, 5.25], [5.65, 5.60, 5.40],
        [5.70, 5.65, 5.55], [6.30, 6.30, 6.25],
    ]
).T  # fmt: skip

TIED_BLOCKS = st.tuples(st.integers(3, 5), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 3).map(float))
)


def scores(systems: int = 5, topics: int = 12, seed: int = 7, planted: float = 0.0) -> Floats:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(systems, topics)) + 2 * rng.normal(size=topics)
    values[0] += planted
    return np.asarray(values)


def test_published_example() -> None:
    found = friedman(ROUNDING_TIMES)
    assert round(found.statistic, 3) == 11.143
    assert round(found.p, 6) == 0.003805
    assert found.df == 2


def test_by_hand() -> None:
    """Rank sums 4, 5 and 9 of three topics, where 6 is expected of each."""
    found = friedman(np.array([[0.9, 0.5, 0.4], [0.8, 0.6, 0.3], [0.1, 0.2, 0.2]]))
    assert found.mean_ranks.tolist() == [4 / 3, 5 / 3, 9 / 3]
    statistic = 12 / (3 * 3 * 4) * ((4 - 6) ** 2 + (5 - 6) ** 2 + (9 - 6) ** 2)
    assert found.statistic == pytest.approx(statistic)
    assert found.w == pytest.approx(statistic / (3 * 2))


@given(TIED_BLOCKS)
def test_scipy_agrees_with_ties(values: Floats) -> None:
    if (values == values[0]).all():
        return  # all tied: scipy divides by 0
    expected = friedmanchisquare(*values)
    found = friedman(values)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert -1e-12 <= found.w <= 1


def conover(values: Floats) -> list[float]:
    """The book's formula, pair by pair, with ranks counted."""
    k, n = values.shape
    ranks = [
        [
            sum(x > values[j, i] for x in values[:, i]) + (sum(x == values[j, i] for x in values[:, i]) + 1) / 2
            for i in range(n)
        ]
        for j in range(k)
    ]
    a = sum(rank**2 for row in ranks for rank in row)
    sums = [sum(row) for row in ranks]
    freedom = (n - 1) * (k - 1)
    error = math.sqrt(2 * (n * a - sum(r**2 for r in sums)) / freedom)
    return [2 * t.sf(abs(sums[i] - sums[j]) / error, freedom) for i, j in zip(*pairs(k), strict=True)]


@pytest.mark.parametrize("values", [scores(planted=1.0), scores(3, 4), np.round(scores(6, 9)), ROUNDING_TIMES])
def test_twin_of_conover(values: Floats) -> None:
    assert friedman(values).pairwise("conover").tolist() == pytest.approx(conover(values))
    assert friedman(values).pairwise().tolist() == pytest.approx(conover(values))


def test_nemenyi() -> None:
    found = friedman(scores(5, 12, planted=1.0))
    error = math.sqrt(5 * 6 / (12 * 12))
    expected = [
        studentized_range.sf(abs(found.mean_ranks[a] - found.mean_ranks[b]) / error, 5, np.inf)
        for a, b in zip(*pairs(5), strict=True)
    ]
    assert found.pairwise("nemenyi").tolist() == pytest.approx(expected, abs=1e-9)


def test_critical_difference_of_the_literature() -> None:
    """Demšar (2006): with q of 2.569 for four classifiers on 14 data sets, CD = 2.569 · √(4 · 5 / (6 · 14)) = 1.25."""
    critical = studentized_critical(0.05, range_tail(4)) * math.sqrt(4 * 5 / (12 * 14))
    assert critical == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 14)), abs=1e-3)
    assert round(critical, 2) == 1.25


def test_highest_score_has_rank_1() -> None:
    assert friedman(scores(planted=9.0)).mean_ranks.argmin() == 0


@given(TIED_BLOCKS, st.integers(0, 1000))
def test_only_order_within_topics_matters(values: Floats, seed: int) -> None:
    rng = np.random.default_rng(seed)
    systems = rng.permutation(len(values))
    other: Floats = np.exp(values[systems])[:, rng.permutation(values.shape[1])] * rng.integers(1, 5, values.shape[1])
    expected, found = friedman(values), friedman(other)
    assert found.statistic == pytest.approx(expected.statistic)
    assert friedman(-values).statistic == pytest.approx(expected.statistic)
    np.testing.assert_allclose(found.mean_ranks, expected.mean_ranks[systems])
    for method in ("conover", "nemenyi"):
        p = found.pairwise(method)
        assert ((p >= 0) & (p <= 1)).all()
        assert sorted(p) == pytest.approx(sorted(expected.pairwise(method)), abs=1e-9)


def test_all_tied() -> None:
    found = friedman(np.full((3, 4), 0.1))
    assert (found.statistic, found.p, found.w) == (0, 1, 0)
    assert found.mean_ranks.tolist() == [2, 2, 2]
    assert found.pairwise("conover").tolist() == found.pairwise("nemenyi").tolist() == [1, 1, 1]


@pytest.mark.parametrize("topics", [2, 3, 7])
def test_all_topics_agree(topics: int) -> None:
    found = friedman(np.tile([[0.3], [0.2], [0.2]], topics))
    assert found.w == 1
    assert found.statistic == topics * 2
    assert found.pairwise("conover").tolist() == [0, 0, 1]


def test_a_method_that_does_not_exist() -> None:
    found = friedman(scores())
    with pytest.raises(
        InputError, match=re.escape("no method 'holm' after Friedman's test; choose from conover, nemenyi")
    ):
        found.pairwise(cast("Any", "holm"))


def test_level_and_power() -> None:
    null = [scores(5, 15, seed) for seed in range(1000)]
    low, high = binom.interval(0.999, 1000, 0.05)
    found = [friedman(values) for values in null]
    assert sum(one.p <= 0.05 for one in found) <= high
    assert sum((one.pairwise("nemenyi") <= 0.05).any() for one in found[:300]) <= binom.ppf(0.9995, 300, 0.05)
    assert low <= sum(one.pairwise("conover")[0] <= 0.05 for one in found) <= high
    planted = np.array([1.5, 0, 0, 0, 0])[:, None]
    assert sum(friedman(values + planted).p <= 0.05 for values in null) > 0.5 * 1000


def test_real_runs(data: Path) -> None:
    values = pl.read_csv(data / "score-matrices" / "adhoc8_ap.csv.gz").to_numpy().T
    found = friedman(values)
    assert found.statistic == pytest.approx(friedmanchisquare(*values).statistic)
    assert (found.pairwise("nemenyi") <= 0.05).sum() < (found.pairwise("conover") <= 0.05).sum()

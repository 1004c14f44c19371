"""Corrections for many comparisons: by hand, against statsmodels, against enumeration, and what they promise."""

from __future__ import annotations

import itertools
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.differences import Alternative
from cranfield.statistics.multiple_comparisons import (
    ADJUSTMENTS,
    Correction,
    adjust,
    largest_leads,
    max_t,
    simultaneous_intervals,
)
from cranfield.statistics.paired_tests import paired_test

METHODS: tuple[Correction, ...] = get_args(Correction)
multipletests = pytest.importorskip("tools.peers").multipletests
STATSMODELS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh", "by": "fdr_by"}
P_VALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), max_size=12)


def test_by_hand() -> None:
    p = [0.01, 0.04, 0.03, 0.5]
    assert adjust(p, "none").tolist() == p
    np.testing.assert_allclose(adjust(p, "bonferroni"), [4 * 0.01, 4 * 0.04, 4 * 0.03, 1])
    np.testing.assert_allclose(adjust(p, "holm"), [4 * 0.01, 3 * 0.03, 3 * 0.03, 0.5])  # 2 × 0.04 is below 3 × 0.03
    np.testing.assert_allclose(adjust(p, "bh"), [4 * 0.01, 4 / 3 * 0.04, 4 / 3 * 0.04, 0.5])  # below 4/2 × 0.03
    harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4
    np.testing.assert_allclose(adjust(p, "by"), np.minimum(harmonic * adjust(p, "bh"), 1))


def test_every_method_is_declared_and_done() -> None:
    assert set(ADJUSTMENTS) == set(METHODS)


@pytest.mark.integration  # its import alone takes seconds
@pytest.mark.parametrize("method", STATSMODELS)
@settings(max_examples=25)
@given(p=P_VALUES.filter(len))
def test_as_statsmodels(method: Correction, p: list[float]) -> None:
    expected = multipletests(p, method=STATSMODELS[method])[1]
    np.testing.assert_allclose(adjust(p, method), expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("method", METHODS)
@given(p=P_VALUES)
def test_order_is_kept_and_nothing_gets_smaller(method: Correction, p: list[float]) -> None:
    adjusted = adjust(p, method)
    assert ((adjusted >= np.array(p) * (1 - 1e-12)) & (adjusted <= 1)).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    assert (adjust(p, "holm") <= adjust(p, "bonferroni")).all()


@pytest.mark.parametrize(
    ("p", "method", "problem"),
    [
        ([0.1], "sidak", "no correction 'sidak'; choose from none, bonferroni, holm, bh, by"),
        ([0.1, np.nan, 1.1], "holm", "2 of 3 p-values are not from 0 to 1"),
        ([[0.1]], "holm", "a vector, not an array of 2 dim"),
    ],
)
def test_what_cannot_be_adjusted(p: Any, method: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        adjust(p, method)


# The largest t


def slow_max_t(rows: Floats, alternative: Alternative) -> list[float]:
    """Return the share of all sign patterns whose largest t reaches each one's, by t itself."""
    turns: dict[Alternative, Any] = {"two-sided": np.abs, "greater": np.array, "less": np.negative}
    turned = turns[alternative]
    signs = np.array([*itertools.product([1, -1], repeat=rows.shape[1])])
    largest = turned(stats.ttest_1samp(rows[:, np.newaxis] * signs, 0, axis=2).statistic).max(axis=0)
    seen = turned(stats.ttest_1samp(rows, 0, axis=1).statistic)
    return [float(np.mean([t >= own - 1e-9 for t in largest])) for own in seen]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_max_t_is_its_slow_twin(alternative: Alternative) -> None:
    rows = np.random.default_rng(2).normal(0.3, 1, (4, 7))
    found = max_t(rows, alternative=alternative)
    assert found.exact
    np.testing.assert_allclose(found.p, slow_max_t(rows, alternative), atol=1e-12)
    np.testing.assert_allclose(found.statistic, stats.ttest_1samp(rows, 0, axis=1).statistic)


def slow_step_down(rows: Floats, alternative: Alternative) -> list[float]:
    """Return the largest p of each family that leaves out some of the largest t, down to the hypothesis itself."""
    turns: dict[Alternative, Any] = {"two-sided": np.abs, "greater": np.array, "less": np.negative}
    order = np.argsort(-turns[alternative](stats.ttest_1samp(rows, 0, axis=1).statistic))
    found, least = [0.0] * len(rows), 0.0
    for place, hypothesis in enumerate(order):
        least = max(least, slow_max_t(rows[order[place:]], alternative)[0])
        found[hypothesis] = least
    return found


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_stepping_down_is_its_slow_twin(alternative: Alternative, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(4).normal(0.4, 1, (6, 7))
    expected = slow_step_down(rows, alternative)
    np.testing.assert_allclose(max_t(rows, step_down=True, alternative=alternative).p, expected, atol=1e-12)
    monkeypatch.setattr("cranfield.statistics.differences.RESAMPLED_CELLS", 2 * 2**7)  # three blocks
    np.testing.assert_allclose(max_t(rows, step_down=True, alternative=alternative).p, expected, atol=1e-12)


@given(st.integers(0, 10_000))
def test_stepping_down_is_never_worse_and_keeps_the_order(seed: int) -> None:
    rows = np.random.default_rng(seed).integers(-2, 4, (5, 6)).astype(float)
    single, down = max_t(rows), max_t(rows, step_down=True)
    assert (down.p <= single.p).all()
    assert down.p.min() == single.p.min()
    # The order is that of r, the sum by the length: equal to the order of t, and finite.
    r = np.abs(rows.sum(axis=1)) / np.maximum(np.sqrt(np.square(rows).sum(axis=1)), 1e-9)
    assert (np.diff(down.p[np.argsort(r.round(9), kind="stable")]) <= 1e-12).all()


@pytest.mark.parametrize("resamples", [30, 1000])  # some of the 2^6 patterns, and all of them
@pytest.mark.parametrize("cells", [1_000_000, 90])
def test_largest_leads_are_those_of_each_family_by_itself(
    resamples: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(8)
    family = np.sort(random.choice([0, 1, 2, 4, 5], 40))  # there is none of the third
    rows = random.integers(-2, 4, (40, 6)).astype(float)
    rows[family == 1] = np.abs(rows[family == 1])  # b leads nowhere
    rows[family == 5] = [1, -1, 2, -2, 3, -3]  # nobody does
    expected = np.full((2, 6), np.nan)
    for number in (0, 1, 2, 4):
        p, lead = max_t(rows[family == number], resamples=resamples).p, rows[family == number].sum(axis=1)
        expected[:, number] = [p[ahead].min(initial=np.nan if not ahead.any() else 1) for ahead in (lead > 0, lead < 0)]
    assert np.isnan(expected[:, [1, 3, 5]]).tolist() == [[False, True, True], [True, True, True]]
    monkeypatch.setattr("cranfield.statistics.differences.RESAMPLED_CELLS", cells)
    np.testing.assert_array_equal(largest_leads(rows, family, 6, resamples=resamples), expected)


def test_max_t_of_one_hypothesis_is_the_randomisation_test() -> None:
    row = np.random.default_rng(3).normal(0.3, 1, (1, 20))
    assert max_t(row, resamples=500).p == paired_test(row, "randomisation", resamples=500).p


def test_max_t_of_the_same_hypothesis_many_times_costs_nothing() -> None:
    row = np.random.default_rng(3).normal(0.3, 1, (1, 20))
    many = max_t(np.repeat(row, 30, axis=0) * np.linspace(1, 2, 30)[:, None], resamples=500)
    np.testing.assert_allclose(many.p, max_t(row, resamples=500).p[0])
    assert (many.p < adjust(np.repeat(max_t(row, resamples=500).p, 30), "holm")).all()


def test_max_t_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(3).normal(0.3, 1, (40, 20))
    whole = max_t(rows, resamples=500)
    monkeypatch.setattr("cranfield.statistics.differences.RESAMPLED_CELLS", 1700)
    np.testing.assert_allclose(whole.p, max_t(rows, resamples=500).p)


def test_max_t_of_rows_without_differences_or_all_alike() -> None:
    found = max_t([[0.0] * 4, [0.1] * 4, [0.1, -0.2, 0.3, 0.1]])
    assert found.statistic[:2].tolist() == [0, np.inf]
    assert found.p[0] == 1
    assert found.p[1] == 2 / 16  # all plus, all minus; other patterns of the third are finite


def test_max_t_of_tenths_is_that_of_whole_numbers() -> None:
    whole = np.random.default_rng(9).integers(-3, 4, (60, 2, 5)).astype(float)
    for family in whole:
        expected = slow_max_t(family, "greater") if (np.ptp(np.abs(family), axis=1) > 0).all() else None
        found = max_t(family * 0.1, alternative="greater").p
        np.testing.assert_allclose(found, max_t(family, alternative="greater").p)
        if expected is not None:
            np.testing.assert_allclose(found, expected)


def test_max_t_needs_hypotheses() -> None:
    with pytest.raises(InputError, match="there are no hypotheses"):
        max_t(np.empty((0, 5)))


def test_the_chance_of_any_false_finding_is_kept() -> None:
    """300 families of 10 hypotheses about 5 systems, with no difference anywhere."""
    chance = np.random.default_rng(11)
    pairs = np.array(list(itertools.combinations(range(5), 2)))
    wrong = dict.fromkeys(["none", "holm", "max_t"], 0)
    families = 300
    for _ in range(families):
        scores = chance.normal(size=(5, 20))
        rows = scores[pairs[:, 0]] - scores[pairs[:, 1]]
        p = paired_test(rows, "t").p
        wrong["none"] += bool((p <= 0.05).any())
        wrong["holm"] += bool((adjust(p, "holm") <= 0.05).any())
        wrong["max_t"] += bool((max_t(rows, resamples=499).p <= 0.05).any())
    low, high = stats.binom.interval(0.999, families, 0.05)
    assert wrong["none"] > high
    assert wrong["holm"] <= high
    assert low <= wrong["max_t"] <= high
    assert wrong["max_t"] >= wrong["holm"] - 5


def test_a_difference_that_never_varies_has_itself_for_limits() -> None:
    """Even where too many draws of another have no variance, so that its own limits are infinite."""
    varied = np.ones(12)
    varied[-1] = 0.0
    rows = [np.full(12, 0.25), varied]
    found = simultaneous_intervals(rows, level=0.999999, resamples=50)
    assert found.low[0] == found.high[0] == 0.25
    assert not np.isnan([found.low, found.high]).any()
    assert np.isinf([found.low[1], found.high[1]]).all()

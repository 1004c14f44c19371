"""Attempts: variances, agreement, what more of them is worth, pass@k and pass^k."""

from __future__ import annotations

from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.repeats import pass_at_k, pass_hat_k, repeats

NONE = float("nan")
COUNTS = st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_three_items_by_hand() -> None:
    """Item means are 1, 3 and 5, and on each item attempts are 1 above and 1 below."""
    found = repeats([[[0, 2], [2, 4], [4, 6]]])
    assert found.within.item() == (2 + 2 + 2) / (6 - 3)
    assert found.between.item() == 4 - 2 / 2
    assert found.error.item() == pytest.approx(sqrt(4 / 3))
    assert found.reliability.item() == 3 / (3 + 2)
    assert found.agreement.item() == 0
    assert found.narrowing(items=2).item() == pytest.approx(1 - sqrt(1 / 2))
    assert found.narrowing(attempts=2).item() == pytest.approx(1 - sqrt((3 + 2 / 4) / (3 + 2 / 2)))


def test_unequal_numbers_of_attempts_by_hand() -> None:
    """Items of one, two and four attempts count once: their means are 0, 1 and 5."""
    found = repeats(np.array([[[0, NONE, NONE, NONE], [0, 2, NONE, NONE], [4, 6, 4, 6]]]))
    within, of_means = (2 + 4) / (7 - 3), ((0 - 2) ** 2 + (1 - 2) ** 2 + (5 - 2) ** 2) / 2
    assert (found.mean.item(), found.items.item(), found.fewest.item(), found.most.item()) == (2, 3, 1, 4)
    assert found.within.item() == within
    assert found.between.item() == pytest.approx(of_means - within * (1 + 1 / 2 + 1 / 4) / 3)
    assert found.error.item() == pytest.approx(sqrt(of_means / 3))


@given(st.integers(2, 6), st.integers(2, 5), st.integers(0, 2**32))
def test_with_equal_numbers_it_is_the_analysis_of_variance(items: int, attempts: int, seed: int) -> None:
    """Mean squares as Shrout and Fleiss have them: ICC(1) = (MSB - MSW) / (MSB + (m - 1) MSW)."""
    table = np.random.default_rng(seed).normal(size=(items, attempts))
    of_item, grand = table.mean(axis=1), table.mean()
    msb = attempts * sum((mean - grand) ** 2 for mean in of_item) / (items - 1)
    msw = sum((table[i, j] - of_item[i]) ** 2 for i in range(items) for j in range(attempts)) / (items * (attempts - 1))
    found = repeats(table[np.newaxis])
    assert found.within.item() == pytest.approx(msw)
    assert found.between.item() == pytest.approx(max(0, (msb - msw) / attempts), abs=1e-12)
    if msb > msw:
        assert found.reliability.item() == pytest.approx((msb - msw) / (msb + (attempts - 1) * msw))
    low, high = t_interval([of_item])
    assert (high - low).item() > 0
    assert found.error.item() == pytest.approx(of_item.std(ddof=1) / sqrt(items))


def test_estimates_are_right_on_average_whatever_the_numbers_of_attempts() -> None:
    random = np.random.default_rng(5)
    many = np.array([1, 1, 2, 3, 8] * 4)
    table = random.normal(0, 2, (4000, 20, 1)) + random.normal(0, 3, (4000, 20, 8))
    table[:, np.arange(8) >= many[:, np.newaxis]] = NONE
    found = repeats(table)
    # Of so few items the least variance between them is 0: that it is cut there takes little away.
    assert found.within.mean() == pytest.approx(9, abs=0.15)
    assert found.between.mean() == pytest.approx(4, abs=0.3)
    assert (found.error**2).mean() == pytest.approx(found.mean.var(), rel=0.05)


def test_what_was_said_of_twice_the_attempts_comes_true() -> None:
    random = np.random.default_rng(6)
    table = random.normal(0, 1, (3000, 30, 1)) + random.normal(0, 2, (3000, 30, 4))
    said, seen = repeats(table[:, :, :2]), repeats(table)
    assert np.median(said.narrowing(attempts=2)) == pytest.approx(1 - seen.mean.std() / said.mean.std(), abs=0.03)


def test_one_attempt_says_nothing_of_attempts() -> None:
    found = repeats([[[0.5], [0.7], [0.9]]])
    assert found.mean.item() == pytest.approx(0.7)
    assert found.error.item() == pytest.approx(0.2 / sqrt(3))
    unknown = (found.within, found.between, found.agreement, found.reliability, found.narrowing(attempts=2))
    assert np.isnan(unknown).all()


def test_one_item_and_items_that_are_all_the_same() -> None:
    one = repeats([[[0.0, 1.0, 1.0]]])
    assert one.within.item() == pytest.approx(1 / 3)
    assert np.isnan([one.between, one.error, one.narrowing(items=2)]).all()
    same = repeats([[[0.3, 0.1 + 0.2], [0.3, 0.3]]])
    assert (same.within.item(), same.between.item(), same.agreement.item()) == (0, 0, 1)
    assert np.isnan([same.reliability, same.narrowing(attempts=2)]).all()


def test_systems_may_have_other_items_and_other_numbers() -> None:
    both = repeats(np.array([[[1, 1], [NONE, NONE], [0, 1]], [[0, NONE], [1, NONE], [1, 0]]]))
    alone = repeats([[[1, 1], [0, 1]]])
    assert both.items.tolist() == [2, 3]
    assert (both.mean[0], both.within[0], both.agreement[0]) == (alone.mean[0], alone.within[0], alone.agreement[0])
    assert both.fewest.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([[1, 2]], r"have the shape \(systems, items, attempts\), not \(1, 2\)"),
        ([[[1, float("inf")]]], "the score of an attempt is infinite"),
        ([[[1, 0]], [[NONE, NONE]]], "system 1 has no attempt"),
    ],
)
def test_what_are_no_attempts(values: object, says: str) -> None:
    with pytest.raises(cf.InputError, match=says):
        repeats(values)  # type: ignore[arg-type]


@given(COUNTS, st.integers(1, 13))
def test_pass_counts_sets_of_attempts(counts: tuple[int, int], k: int) -> None:
    """The slow twin: every set of k attempts is looked at, and counted where some, or all, succeeded."""
    successes, attempts = counts
    drawn = list(combinations([1] * successes + [0] * (attempts - successes), k))
    some, every = pass_at_k(successes, attempts, k).item(), pass_hat_k(successes, attempts, k).item()
    if not drawn:
        assert np.isnan([some, every]).all()
        return
    assert some == pytest.approx(sum(map(any, drawn)) / len(drawn))
    assert every == pytest.approx(sum(map(all, drawn)) / len(drawn))
    assert some == pytest.approx(1 - comb(attempts - successes, k) / comb(attempts, k))
    assert every == pytest.approx(comb(successes, k) / comb(attempts, k))


@given(COUNTS)
def test_pass_rises_or_falls_with_k_and_begins_at_the_mean(counts: tuple[int, int]) -> None:
    successes, attempts = counts
    some = [pass_at_k(successes, attempts, k).item() for k in range(1, attempts + 1)]
    every = [pass_hat_k(successes, attempts, k).item() for k in range(1, attempts + 1)]
    assert some[0] == pytest.approx(successes / attempts) == every[0]
    assert some == sorted(some)
    assert every == sorted(every, reverse=True)
    assert all(0 <= low <= high + 1e-12 <= 1 + 2e-12 for low, high in zip(every, some, strict=True))


def test_pass_as_the_papers_code_has_it() -> None:
    """Chen and others' numerically stable form, of as many attempts as they had; no factorial overflows."""
    successes = np.array([0, 1, 13, 100, 200])
    told = [1.0 if 200 - c < 100 else 1 - np.prod(1 - 100 / np.arange(200 - c + 1, 201)) for c in successes.tolist()]
    assert pass_at_k(successes, 200, 100).tolist() == pytest.approx(told)


def test_pass_is_right_on_average_where_the_plug_in_is_not() -> None:
    successes = np.random.default_rng(7).binomial(5, 0.3, 20_000)
    assert pass_at_k(successes, 5, 3).mean() == pytest.approx(1 - 0.7**3, abs=0.01)
    assert pass_hat_k(successes, 5, 3).mean() == pytest.approx(0.3**3, abs=0.01)
    assert (1 - (1 - successes / 5) ** 3).mean() < 1 - 0.7**3 - 0.02


def test_an_item_with_too_few_attempts_has_no_pass() -> None:
    assert np.isnan(pass_at_k([1, 2], [1, 3], 2)).tolist() == [True, False]
    assert np.isnan(pass_hat_k(1, 3, 10**9)).all()
    with pytest.raises(cf.InputError, match="k must be at least 1, not 0"):
        pass_at_k(1, 3, 0)
    with pytest.raises(cf.InputError, match="whole numbers from 0 to the number of attempts"):
        pass_hat_k(4, 3, 1)

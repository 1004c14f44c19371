"""Distracting passages: UDCG by its authors' arithmetic, its range, and what distraction does to a list."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf

SHARES = st.sampled_from([None, -1.0, -0.6, -0.25, 0.0, 0.1, 0.5, 0.9, 1.0])


def as_published(passages: list[tuple[bool, float]]) -> float:
    """The authors' program in words: u = 1 - P(no response), 1 for relevant and -1/3 for other passages, a sigmoid."""
    total = sum(u if relevant else -u / 3 for relevant, u in passages)
    return 1 / (1 + math.exp(-total / len(passages)))


def test_by_hand() -> None:
    """Three passages: one answers with 0.9, one misleads with 0.6, and the model declines to answer from the third."""
    published = as_published([(True, 0.9), (False, 0.6), (False, 0.0)])
    assert published == pytest.approx(1 / (1 + math.exp(-(0.9 - 0.2) / 3)))
    assert cf.UDCG().of([0.9, -0.6, 0]) == pytest.approx(published)
    assert (cf.UDCG @ 2).of([0.9, -0.6, 0]) == pytest.approx(as_published([(True, 0.9), (False, 0.6)]))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 20).map(lambda n: n / 20)), min_size=1, max_size=10))
def test_grades_between_minus_1_and_1_are_the_utilities_of_the_paper(passages: list[tuple[bool, float]]) -> None:
    grades = [u if relevant else -u for relevant, u in passages]
    assert cf.UDCG().of(grades) == pytest.approx(as_published(passages), abs=1e-12)
    assert cf.UDCG().of(list(reversed(grades))) == pytest.approx(as_published(passages), abs=1e-12)


@settings(max_examples=100)
@given(st.lists(SHARES, max_size=8), st.floats(0, 1), st.sampled_from([1, 2, 3]))
def test_the_range_is_what_is_said(shares: list[float | None], harm: float, top: int) -> None:
    harm = round(harm, 6)
    grades = [None if share is None else share * top for share in shares]
    value = cf.MeanUtility(harm=harm).of(grades, [top])
    assert -harm - 1e-12 <= value <= 1
    if grades:
        assert cf.UDCG(harm=harm).of(grades, [top]) == pytest.approx(1 / (1 + math.exp(-value)))
        assert 1 / (1 + math.exp(harm)) - 1e-12 <= cf.UDCG(harm=harm).of(grades, [top]) <= 1 / (1 + math.exp(-1))


def test_the_ends_of_the_range_are_reached() -> None:
    for harm in (0.25, 1.0):
        assert cf.MeanUtility(harm=harm).of([-1, -1], [1]) == -harm
        assert cf.MeanUtility(harm=harm).of([-5], [1]) == -harm  # a grade below -1 harms no more
        assert cf.MeanUtility(harm=harm).of([3, 3], [1]) == 1
    assert cf.UDCG().of([]) == cf.MeanUtility().of([]) == 0


def test_silence_is_better_than_distraction_by_the_mean_utility_alone() -> None:
    assert cf.MeanUtility().of([]) > cf.MeanUtility().of([-1])
    assert cf.UDCG().of([]) < cf.UDCG().of([-1])


@settings(max_examples=50)
@given(st.lists(SHARES, max_size=8))
def test_a_distracting_passage_instead_of_a_neutral_one_harms(shares: list[float | None]) -> None:
    for measure in (cf.UDCG(), cf.MeanUtility()):
        with_it, without = measure.of([*shares, -1.0], [1]), measure.of([*shares, None], [1])
        assert with_it < without


def test_other_measures_take_a_negative_grade_for_not_relevant() -> None:
    for measure in (cf.nDCG(), cf.AP(), cf.RBP(), cf.ERR()):
        assert measure.of([-1, 1]) == measure.of([0, 1])


def test_grades_of_a_track_are_shares_of_the_largest() -> None:
    """Grades from 0 to 3, and -3 for what distracts: a third of it harms, over four passages."""
    qrels = {"1": {"a": 3, "b": 1, "c": -3, "d": 0}}
    run = {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "e": 1.0}}
    assert float(cf.evaluate(qrels, {"r": run}, "MeanUtility").averages[0, 0]) == pytest.approx((1 + 1 / 3 - 1 / 3) / 4)

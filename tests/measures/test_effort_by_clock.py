"""Twist by a clock: what it has in common with Twist, and that its normaliser is discounted as its positions are."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cranfield.judged.rankings import one_ranking
from cranfield.measures import Measure, PatientTwist, TimedTwist, Twist

CLOCKS = st.one_of(st.floats(0.05, 1).map(lambda p: PatientTwist(p=p)), st.floats(1, 10).map(lambda t: TimedTwist(t=t)))
LISTS = st.lists(st.integers(0, 3), max_size=30)
FURTHER = st.lists(st.integers(0, 3), max_size=8)


@settings(derandomize=True, database=None)
@given(LISTS, FURTHER, st.integers(1, 40))
def test_a_clock_that_shows_the_rank_is_twist_to_the_last_bit(ranking: list[int], further: list[int], n: int) -> None:
    twist = Twist(cutoff=n).of(ranking, further)
    assert PatientTwist(p=1, cutoff=n).of(ranking, further) == twist
    assert TimedTwist(t=1, cutoff=n).of(ranking, further) == twist


@settings(derandomize=True, database=None)
@given(CLOCKS, LISTS, FURTHER, st.integers(1, 40))
def test_no_list_leaves_the_range(measure: Measure, ranking: list[int], further: list[int], n: int) -> None:
    """By the shares themselves, of which a mean could hide that one is out of it."""
    rankings = one_ranking(ranking, further)
    assert isinstance(measure, PatientTwist | TimedTwist)
    forward, backward, recovery = (part[0] for part in (measure @ n).ratios(rankings))
    assert 0 <= forward <= 1
    assert 0 <= backward <= 1
    assert 0 <= recovery <= 1
    assert 0 <= (measure @ n).score(rankings)[0] <= 1


@settings(derandomize=True, database=None)
@given(CLOCKS, st.lists(st.integers(1, 3), min_size=1, max_size=12), st.integers(1, 12))
@example(TimedTwist(t=3.5691189952773157), [1] * 9, 1)
@example(TimedTwist(t=7.8), [1] * 9, 1)
def test_the_ideal_list_has_1_and_the_full_scale_run_avoids_nothing(
    measure: Measure, grades: list[int], longer: int
) -> None:
    ideal = sorted(grades, reverse=True)
    assert (measure @ 400).of(ideal) == 1
    nothing = [0] * (11 * len(ideal) + longer)
    full_scale = one_ranking(nothing + ideal[::-1])
    assert isinstance(measure, PatientTwist | TimedTwist)
    forward, backward, _ = (part[0] for part in (measure @ len(nothing + ideal)).ratios(full_scale))
    assert (forward, backward) == pytest.approx((0, 0), abs=1e-12)


def test_an_impatient_user_is_not_made_up_to() -> None:
    """R = 1, at rank 3: p = 1 has CRP -1 -1 1; p = 1/2 RP -1/4 and 1/4 + 1/8; p = 1/10 the more easily."""
    patient, impatient = (PatientTwist(p=p, cutoff=3) for p in (1, 0.5))
    # ρ is T(1)/T(2), σ⁻ 0
    assert patient.of([0, 0, 1]) == 1 / 2 / 2
    assert impatient.of([0, 0, 1]) == 1 / 1.5 / 2
    # Two relevant documents at ranks 5 and 6: early by 2 + 1, or 3/4 + 1/4; late by 3 + 4, or 7/16 + 15/32
    assert PatientTwist(p=1).of([0, 0, 0, 0, 1, 1]) > 0
    assert PatientTwist(p=0.5).of([0, 0, 0, 0, 1, 1]) == 0


def test_a_slow_relevant_document_in_front_makes_what_follows_late() -> None:
    """t = 3, ideal 1 1 0: done with at 3, 6, 7. The list 1 0 1: at 3, 4, 7: RP 0, 4 - 7, 7 - 6, and CRP stays at -2.

    At full scale, L = max(3, 2 + 6): at 1 ... 6, 9, 12: s⁺ 3 + 6, s⁻ 6 + 5 + 4 + 3 + 2 + 1.
    """
    forward, backward = 1 - 1 / 9, 1 - 3 / 21
    expected = (0 + 2 * forward * backward / (forward + backward)) / 2
    assert TimedTwist(t=3, cutoff=3).of([1, 0, 1]) == pytest.approx(expected)


def test_a_deep_recall_base_is_told_apart_by_an_impatient_user() -> None:
    """R = 300 at p = 0.8: T(300) and T(301) are equal in floating point, their difference is not 0."""
    sooner, later = ([1] * 299 + [0] * gap + [1] for gap in (1, 2))
    assert PatientTwist(p=0.8).of(sooner) != PatientTwist(p=0.8).of(later)
    assert PatientTwist(p=0.8).of([0] * 300 + [1] * 300) < 0.01

"""Grades so large that 2 to their power is no number: what depends on it is a quotient, which is one."""

from __future__ import annotations

import math

import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.plumbing.errors import MeasureError

SHARES = ["ERR", "ERR(max_rel=4)", "nERR", "iRBU", "niRBU", "RBU", "ERRT", "ERRU", "nDCG(dcg='exp-log2')"]


@each_of("name", SHARES)
@each_of("top", [1023, 1024, 2000, 10**6])
def test_only_the_distance_to_the_largest_grade_counts(name: str, top: int) -> None:
    # (2^g - 1) / 2^top is 2^(g - top) less 2^-top, which is nothing here: 1, 1/2, 1/4.
    measure = cf.parse_measure(name)
    value = measure.of([top - 2, 0, top], unretrieved=[top - 1])
    assert math.isfinite(value)
    assert value == pytest.approx(measure.of([1021, 0, 1023], unretrieved=[1022]), rel=1e-12)


@pytest.mark.parametrize("top", [1024, 1100, 5000])
def test_by_hand(top: int) -> None:
    # P = 1/4, 1: 1/4 + 3/4 · 1/2. Gains 1 and 4 at ranks 1 and 2, or the other way round; log2(3)
    # discounts the second.
    assert cf.ERR().of([top - 2, top]) == pytest.approx(1 / 4 + 3 / 4 / 2)
    second = 1 / math.log2(3)
    assert cf.nDCG(dcg="exp-log2").of([top - 2, top]) == pytest.approx((1 + 4 * second) / (4 + second))
    assert cf.nDCG(dcg="exp-log2", averaged=True, cutoff=2).of([top - 2, top]) == pytest.approx(
        (1 / 4 + (1 + 4 * second) / (4 + second)) / 2
    )


def test_a_grade_far_above_the_highest_there_is_satisfies_for_sure() -> None:
    assert cf.ERR(max_rel=4).of([5000, 1]) == 1.0
    assert cf.ERR(max_rel=4).of([4, 5]) == 15 / 16 + 1 / 16 / 2


def test_small_grades_gain_what_they_gained_to_the_last_bit() -> None:
    assert cf.DCG(dcg="exp-log2").of([3, 0.5, 10]) == 7 + (2**0.5 - 1) / math.log2(3) + 1023 / 2
    assert cf.DCG(dcg="exp-log2").of([1000]) == 2.0**1000


def test_a_sum_of_such_gains_is_no_number_and_refused() -> None:
    with pytest.raises(MeasureError, match=r"DCG\(dcg='exp-log2'\): 2\^1024 is too large a gain; pass gains="):
        cf.DCG(dcg="exp-log2").of([1024, 1])

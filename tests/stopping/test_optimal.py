"""The best place to end a list, beside a slow twin that scores every prefix as a list of its own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.experiments.truncation import TRUNCATED
from cranfield.judged.rankings import one_ranking
from cranfield.measures import Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.stopping.optimal import first_best, optimal_lengths, values_by_length

AWARE = (*TRUNCATED, "FlatUtility", "FlatUtility(e=0.5)", "RRT", "RBPT(p=0.3)", "SetF", "SetP", "SetAP", "Utility")
LESS_IS_BETTER = ("JointInformation", "RBPResidual(p=0.8)")
OTHERS = ("AP", "nDCG@3", "P@2", "RR", "SetF(beta=2,judged_only=True)")
SLACK = 1e-12

Grades = list[float | None]
grades = st.lists(st.sampled_from([None, -1.0, 0.0, 0.0, 1.0, 2.0]), max_size=9)
missed = st.lists(st.sampled_from([0.0, 1.0, 2.0]), max_size=3)


def slow(measure: Measure, ranking: Grades, unretrieved: list[float]) -> tuple[int, float, list[float]]:
    """Score every prefix as a list of its own: what it leaves out was not retrieved."""
    values = []
    for k in range(len(ranking) + 1):
        left_out = [grade for grade in ranking[k:] if grade is not None]
        values.append(measure.of(ranking[:k], [*left_out, *unretrieved]))
    sign = 1 if measure.higher_is_better else -1
    best = max(sign * value for value in values)
    length = next(k for k, value in enumerate(values) if sign * value >= best - SLACK)
    return length, sign * best, values


@pytest.mark.parametrize("name", [*AWARE, *LESS_IS_BETTER, *OTHERS])
@settings(max_examples=12)
@given(ranking=grades, unretrieved=missed)
def test_every_prefix_is_tried(name: str, ranking: Grades, unretrieved: list[float]) -> None:
    measure = parse_measure(name)
    [length], [value] = optimal_lengths(measure, one_ranking(ranking, unretrieved))
    expected, best, values = slow(measure, ranking, unretrieved)
    assert length == expected
    assert value == pytest.approx(best, abs=SLACK)
    assert value == pytest.approx(values[length], abs=SLACK)


def test_less_is_better() -> None:
    measure = parse_measure("RBPResidual(p=0.5)")
    assert not measure.higher_is_better
    # Residuals of 0 to 3 documents: 1; 1/2; 1/4; the third is not judged, and leaves 1/8 + 1/8.
    rankings = one_ranking([0, 0, None])
    assert values_by_length(measure, rankings)[0].tolist() == [-1, -1 / 2, -1 / 4, -(1 / 8 + 1 / 8)]
    length, value = optimal_lengths(measure, rankings)
    assert (length.tolist(), value.tolist()) == ([2], [1 / 4])


def test_of_equal_prefixes_the_shortest_is_best() -> None:
    half = cf.FlatUtility(e=0.5)  # 0, 1/2, 0, 1/2, 0
    assert optimal_lengths(half, one_ranking([1, 0, 1, 0]))[0].tolist() == [1]
    assert optimal_lengths(half, one_ranking([0, 1]))[0].tolist() == [0]  # 0, -1/2, 0


def test_equal_but_for_rounding_is_equal() -> None:
    # Grades 1 and 2 of 10, an effort of 0.15 each: 0.1 + 0.2 - 2 · 0.15 is 0, as the empty list is.
    rankings = one_ranking([1, 2], unretrieved=[10])
    assert values_by_length(cf.FlatUtility(e=0.15), rankings)[0, 2] != 0
    assert optimal_lengths(cf.FlatUtility(e=0.15), rankings)[0].tolist() == [0]


def test_what_is_larger_by_more_than_rounding_is_better() -> None:
    assert first_best(cf.FlatUtility(e=1 - 1e-9).by_prefix(one_ranking([1, 1]))).tolist() == [2]


def test_an_empty_list_cannot_be_cut() -> None:
    length, value = optimal_lengths(cf.OIE(docs=4), one_ranking([], unretrieved=[1]))
    # (1 - beta) H(G), and one of 4 documents is relevant: H(G) = ln(4) / 4.
    assert length.tolist() == [0]
    assert value.tolist() == [pytest.approx(-0.05 * 1.3862943611198906 / 4)]


def test_nothing_relevant() -> None:
    """The terminal document of an empty list is relevant where nothing else is (R = 0)."""
    for name in AWARE:
        [length], [value] = optimal_lengths(parse_measure(name), one_ranking([0, 0, None]))
        assert length == 0, name
        assert value == pytest.approx(parse_measure(name).of([]))

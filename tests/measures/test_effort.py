"""Relative position, CRP and Twist: the papers' worked examples, redone by hand, and their propositions."""

from __future__ import annotations

import random
from itertools import accumulate, product
from typing import Literal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tools import measure_cases

import cranfield as cf
from cranfield.judged.rankings import JudgedRankings, one_ranking
from cranfield.lists.archetypes import Archetype
from cranfield.lists.archetypes import archetypes_of as archetypes
from cranfield.measures import (
    CRP,
    CRPN,
    RP,
    BackwardSpace,
    BackwardSum,
    BalancePoint,
    BalanceRatio,
    CrossingRank,
    Crossings,
    CRPAt,
    CRPMin,
    ForwardSpace,
    ForwardSum,
    Measure,
    Recovery,
    RecoveryValue,
    RegainedAt,
    Space,
    TurnAround,
    Twist,
    nCRP,
)
from cranfield.measures.framework.gains import GainMap
from cranfield.measures.framework.misplacement import Conflation, Curve
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import MeasureError

MODES: tuple[Literal["return", "definition", "matters"], ...] = ("return", "definition", "matters")


def grades(text: str) -> list[int]:
    """Read the papers' relevance degrees."""
    return [{"nr": 0, "pr": 1, "fr": 2, "hr": 3}[degree] for degree in text.replace(",", " ").split()]


def joined(run: list[int], ideal: list[int]) -> JudgedRankings:
    """Write a run down; what of the ideal run it lacks was not retrieved."""
    return one_ranking(run, [grade for grade in (3, 2, 1) for _ in range(ideal.count(grade) - run.count(grade))])


def vector(measure: Measure, run: list[int], ideal: list[int]) -> list[float]:
    """Return the measure's values at all ranks of the run."""
    values: list[float] = measure.by_rank(joined(run, ideal), len(run))[0].tolist()
    return values


# Ferro et al. (2016): RB = 7, N = 15. In the ideal run hr stands at ranks 1-2, fr at 3-4, pr at
# 5-7, nr from 8 on.

IDEAL = grades("hr hr fr fr pr pr pr nr nr nr nr nr nr nr nr")
RUNS = {
    "i": IDEAL,
    "w": grades("nr nr nr nr nr nr nr nr nr nr nr nr nr nr nr"),
    "fs": grades("nr nr nr nr nr nr nr nr pr pr pr fr fr hr hr"),
    "a": grades("hr hr fr nr pr fr nr nr nr pr nr nr nr nr nr"),
    "b": grades("hr nr pr nr fr nr nr nr fr pr nr nr hr pr nr"),
}
POSITIONS = {
    "i": [0] * 15,
    "w": [1 - 8, 2 - 8, 3 - 8, 4 - 8, 5 - 8, 6 - 8, 7 - 8, 0, 0, 0, 0, 0, 0, 0, 0],
    "fs": [-7, -6, -5, -4, -3, -2, -1, 0, 9 - 7, 10 - 7, 11 - 7, 12 - 4, 13 - 4, 14 - 2, 15 - 2],
    "a": [0, 0, 0, 4 - 8, 0, 6 - 4, 7 - 8, 0, 0, 10 - 7, 0, 0, 0, 0, 0],
    "b": [0, 2 - 8, 3 - 5, 4 - 8, 5 - 4, 6 - 8, 7 - 8, 0, 9 - 4, 10 - 7, 0, 0, 13 - 2, 14 - 7, 0],
}
"""The eighth RP of w and fs, of a nr at the first rank of its interval, is 0."""

CUMULATED = {
    "i": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "w": [-7, -13, -18, -22, -25, -27, -28, -28, -28, -28, -28, -28, -28, -28, -28],
    "fs": [-7, -13, -18, -22, -25, -27, -28, -28, -26, -23, -19, -11, -2, 10, 23],
    "a": [0, 0, 0, -4, -4, -2, -3, -3, -3, 0, 0, 0, 0, 0, 0],
    "b": [0, -6, -8, -12, -11, -13, -14, -14, -9, -6, -6, -6, 5, 12, 12],
}


@pytest.mark.parametrize("run", RUNS)
def test_vectors_of_the_twist_paper(run: str) -> None:
    assert vector(RP(), RUNS[run], IDEAL) == POSITIONS[run]
    assert vector(CRP(), RUNS[run], IDEAL) == CUMULATED[run] == [*accumulate(POSITIONS[run])]
    assert [(RP() @ k).score(joined(RUNS[run], IDEAL))[0] for k in range(1, 16)] == POSITIONS[run]
    assert [(CRP() @ k).score(joined(RUNS[run], IDEAL))[0] for k in range(1, 16)] == CUMULATED[run]


def test_bounds_of_the_twist_paper() -> None:
    """Of propositions 1 and 2: -RB, N - max(hr); -RB(RB + 1)/2, RB(N - RB) - Σ Δ(rel)·max(rel)."""
    positions, cumulated = vector(RP(), RUNS["fs"], IDEAL), vector(CRP(), RUNS["fs"], IDEAL)
    assert (min(positions), max(positions)) == (-7, 15 - 2) == (positions[0], positions[14])
    assert (min(cumulated), max(cumulated)) == (-7 * 8 / 2, 7 * (15 - 7) - (2 * 2 + 2 * 4 + 3 * 7))
    assert (min(cumulated), max(cumulated)) == (cumulated[6], cumulated[14]) == (-28, 23)


@pytest.mark.parametrize(
    ("run", "recovery"),
    [
        ("i", (1, 1, 1)),
        ("w", (0, 0, 0)),
        ("fs", (7 / 13, 7 / 13, 7 / 13)),  # CRP -2 at rank 13, 10 at rank 14
        ("a", (7 / 9, 1, 0)),  # CRP 0 at rank 1; -3 at rank 9, 0 from rank 10 on
        ("b", (7 / 12, 1, 7 / 12)),  # CRP 0 at rank 1; -6 at rank 12, 5 at rank 13
    ],
)
def test_recovery_in_the_three_modes(run: str, recovery: tuple[float, float, float]) -> None:
    rankings = joined(RUNS[run], IDEAL)
    for crossing, expected in zip(MODES, recovery, strict=True):
        assert (Recovery(crossing=crossing) @ 15).score(rankings)[0] == expected
        point = (BalancePoint(crossing=crossing) @ 15).score(rankings)[0]
        assert point == (round(7 / expected) if expected else 15 + 1)


def test_spaces_and_twist_of_the_runs_of_the_paper() -> None:
    """s⁻ of fs is 28, s⁺ is 2 + 3 + 4 + 8 + 9 + 12 + 13 = 51."""
    for run, ahead, behind in [
        ("i", 0, 0),
        ("w", 0, 28),
        ("fs", 51, 28),
        ("a", 2 + 3, 4 + 1),
        ("b", 1 + 5 + 3 + 11 + 7, 6 + 2 + 4 + 2 + 1),
    ]:
        rankings = joined(RUNS[run], IDEAL)
        forward, backward = 1 - ahead / 51, 1 - behind / 28
        space = 2 * forward * backward / (forward + backward) if forward + backward else 0
        assert (ForwardSpace @ 15).score(rankings)[0] == pytest.approx(forward)
        assert (BackwardSpace @ 15).score(rankings)[0] == pytest.approx(backward)
        assert (Space @ 15).score(rankings)[0] == pytest.approx(space)
        recovery = {"i": 1, "w": 0, "fs": 7 / 13, "a": 7 / 9, "b": 7 / 12}[run]
        assert (Twist @ 15).score(rankings)[0] == pytest.approx((recovery + space) / 2)


@pytest.mark.parametrize(
    ("run", "count"),
    [
        ("i", (0, 14, 0)),
        ("w", (0, 0, 0)),
        ("fs", (1, 1, 1)),
        ("a", (1, 9, 0)),  # to the letter: ranks 1-2, 2-3, 3-4; 9-10; and the five pairs of 0 from rank 10 on
        ("b", (1, 2, 1)),  # to the letter: ranks 1-2; 12-13
    ],
)
def test_number_of_crossings(run: str, count: tuple[int, int, int]) -> None:
    rankings = joined(RUNS[run], IDEAL)
    assert tuple((Crossings(crossing=crossing) @ 15).score(rankings)[0] for crossing in MODES) == count


def test_normalised_cumulated_relative_position() -> None:
    """M = 23 and m = -28: the ideal run stands at (0 - 23 + 28) / 51, the bounds at 1 and -1."""
    for run, curve in CUMULATED.items():
        expected = [(2 * value - 23 + 28) / (23 + 28) for value in curve]
        assert vector(nCRP(N=15), RUNS[run], IDEAL) == pytest.approx(expected)
    ends = vector(nCRP(N=15), RUNS["fs"], IDEAL)
    assert (ends[6], ends[14]) == (-1, 1)
    assert (nCRP(N=15) @ 40).score(joined(RUNS["fs"], IDEAL))[0] == 1  # below N, the value at N


def test_grades_are_conflated() -> None:
    """Lenient: every relevant grade at ranks 1-7. Strict: hr at 1-2, the others not relevant, from rank 3 on."""
    lenient = [0, 2 - 8, 0, 4 - 8, 0, 6 - 8, 7 - 8, 0, 9 - 7, 10 - 7, 0, 0, 13 - 7, 14 - 7, 0]
    strict = [0, 2 - 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 13 - 2, 0, 0]
    for level, expected in [(1, lenient), (3, strict)]:
        assert vector(RP(rel=level), RUNS["b"], IDEAL) == expected
    assert vector(RP(gains={1: 1, 2: 1, 3: 1}), RUNS["b"], IDEAL) == lenient
    assert vector(RP(gains={1: 0, 2: -1}), RUNS["b"], IDEAL) == strict
    assert vector(RP(gains={1: 5, 2: 10, 3: 15}), RUNS["b"], IDEAL) == POSITIONS["b"]
    assert vector(RP(gains={1: 2}), [2, 1, 3, 1], [3, 2, 1, 1]) == [1 - 2, 0, 3 - 1, 0]  # 3 at rank 1, 1 and 2 at 2-4


def test_a_gain_of_what_is_judged_not_relevant_sets_it_above_the_unjudged() -> None:
    """Ideal: 1, then 0 (gain 0.1), then unjudged."""
    assert [RP(gains={0: 0.1}, cutoff=k).of([None, 1, 0]) for k in (1, 2, 3)] == [1 - 3, 2 - 1, 3 - 2]


def test_rel_and_gains_exclude_each_other() -> None:
    with pytest.raises(MeasureError, match="Twist: give either gains or rel, not both"):
        Twist(rel=1, gains={1: 2})


def test_the_level_of_other_measures_leaves_grades_apart() -> None:
    qrels = {"1": {"a": 1, "b": 2}}
    run = {"1": {"a": 2.0, "b": 1.0}}
    assert cf.evaluate(qrels, {"r": run}, [CRP @ 1], rel=1).by_run()["r"]["1"] == {"CRP@1": 1 - 2}


# Angelini et al. (2012): R = 10, N = 20. In the ideal run hr stands at 1-3, fr at 4-6, pr at 7-10,
# nr from 11 on.

IDEAL_2012 = grades("hr hr hr fr fr fr pr pr pr pr" + " nr" * 10)
RUN_A = grades("hr hr fr nr pr fr nr nr nr pr hr" + " nr" * 9)
RUN_B = grades("hr hr pr nr fr pr nr nr fr pr fr nr hr pr" + " nr" * 6)


@pytest.mark.parametrize(
    ("run", "positions", "end"),
    [
        (RUN_A, [0, 0, -1, -7, -2, 0, -4, -3, -2, 0, 8, *[0] * 9], -11),
        (RUN_B, [0, 0, -4, -7, 0, -1, -4, -3, 3, 0, 5, 0, 10, 4, *[0] * 6], 3),
    ],
)
def test_vectors_of_2012(run: list[int], positions: list[int], end: int) -> None:
    assert vector(RP(), run, IDEAL_2012) == positions
    assert vector(CRP(), run, IDEAL_2012)[-1] == sum(positions) == end


def test_indicators_of_2012() -> None:
    """Full-scale run: -55 at rank 10; + 1 2 3 4 (pr), 9 10 11 (fr), 15 16 17 (hr): 0 at rank 18, 33 at rank 20."""
    full_scale = [*range(-10, 0), 1, 2, 3, 4, 9, 10, 11, 15, 16, 17]
    assert vector(RP(), IDEAL_2012[::-1], IDEAL_2012) == full_scale
    assert [*accumulate(full_scale)][17:] == [0, 16, 33]

    # A is lowest at rank 9 with -19, where the full-scale run is at -54, and does not recover.
    indicators = [RecoveryValue(), BalanceRatio(), CRPMin(), CRPN()]
    found = [(measure @ 20).score(joined(RUN_A, IDEAL_2012))[0] for measure in indicators]
    assert found == pytest.approx([0, 0, 1 - 19 / 54, 1 + 11 / 33])
    assert [round(value, 4) for value in found] == [0, 0, 0.6481, 1.3333]

    # B is lowest at rank 8 with -19, where the full-scale run is at -52; 0 or more from rank 14 on.
    found = [(measure @ 20).score(joined(RUN_B, IDEAL_2012))[0] for measure in indicators]
    assert found == pytest.approx([10 / 14, 1 - 14 / 18, 1 - 19 / 52, 1 - 3 / 33])
    assert [round(value, 4) for value in found] == [0.7143, 0.2222, 0.6346, 0.9091]

    assert [(measure @ 20).score(joined(IDEAL_2012, IDEAL_2012))[0] for measure in indicators] == pytest.approx(
        [1, 1 - 10 / 18, 1, 1]
    )
    assert [(measure @ 20).score(joined(IDEAL_2012[::-1], IDEAL_2012))[0] for measure in indicators] == pytest.approx(
        [10 / 18, 0, 0, 0]
    )


@pytest.mark.parametrize(
    ("run", "turn", "regained", "values", "worst"),
    [
        # CRP 0 0 -1 -8 -10 -10 -14 -17 -19 -19 -11: lowest at rank 9, never regained (20 + 1)
        (RUN_A, 9, 21, (-19, -19, -11), (-55, -54, 33)),
        # CRP 0 0 -4 -11 -11 -12 -16 -19 -16 -16 -11 -11 -1 +3: lowest at rank 8, regained at rank 14
        (RUN_B, 8, 14, (-16, -19, 3), (-55, -52, 33)),
        (IDEAL_2012, 1, 10, (0, 0, 0), (-55, -10, 33)),
        (IDEAL_2012[::-1], 10, 18, (-55, -55, 33), (-55, -55, 33)),
    ],
)
def test_points_of_2012(
    run: list[int], turn: int, regained: int, values: tuple[int, int, int], worst: tuple[int, int, int]
) -> None:
    """Turn-around, b_r and b_w; CRP(r, ·) and CRP(w, ·) at R, at the turn-around and at N; ρ_w."""

    def value(measure: Measure | type[Measure]) -> float:
        return float((measure @ 20).score(joined(run, IDEAL_2012))[0])

    assert (value(TurnAround), value(RegainedAt), value(RegainedAt(whose="full-scale"))) == (turn, regained, 18)
    points: tuple[Literal["recall-base", "turn-around", "end"], ...] = ("recall-base", "turn-around", "end")
    assert tuple(value(CRPAt(point=point)) for point in points) == values
    assert tuple(value(CRPAt(point=point, whose="full-scale")) for point in points) == worst
    assert value(RecoveryValue(whose="full-scale")) == 10 / 18
    # The indicators of equations 7 to 9 are quotients of these.
    assert value(CRPMin) == 1 - values[1] / worst[1]
    assert value(CRPN) == 1 - values[2] / worst[2]
    if regained <= 20:
        assert value(BalanceRatio) == 1 - regained / 18
        assert value(RecoveryValue) == 10 / regained


def test_balance_ratio_is_negative_where_a_run_recovers_later_than_the_full_scale_run() -> None:
    """fr at 16-18 and two of the hr at 19-20: 10 + 11 + 12 + 16 + 17 regain the 55 at the last rank only, not at 18."""
    run = [0] * 10 + grades("nr nr nr nr nr fr fr fr hr hr")
    assert vector(CRP(), run, IDEAL_2012)[17:] == [-55 + 10 + 11 + 12, -22 + 16, -6 + 17]
    assert (BalanceRatio @ 20).score(joined(run, IDEAL_2012))[0] == pytest.approx(1 - 20 / 18)


def test_an_ideal_of_one_grade_that_fills_half_the_list_ends_at_0() -> None:
    """N = 2R and one grade: -1 + 1."""
    assert [CRPN(cutoff=2).of(run, unretrieved=[1] * (1 - sum(run))) for run in ([1, 0], [0, 1], [0, 0])] == [1, 1, 1]
    assert CRPN(cutoff=3).of([0, 0, 1]) == 1 - (-1 + 2) / (-1 + 2)


# MATTERS: ideal 1 1, at N = 5, 10 and 1000. s⁻ of the full-scale run is 2 + 1, s⁺ is 2N - 5.


@pytest.mark.parametrize(
    ("run", "curve", "recovery", "space"),
    [
        ([1, 1, 0, 0], [0, 0, 0, 0], 1, (1, 1, 1)),
        ([1, 0, 1, 0], [0, -1, 0, 0], 0, (0.727, 0.778, 0.800)),
        ([1, 0, 0, 1], [0, -1, -1, 1], 2 / 3, (0.632, 0.754, 0.800)),
        ([0, 1, 1, 0], [-2, -2, -1, -1], 0, (0.471, 0.491, 0.500)),
        ([1, 0, 0, 0], [0, -1, -1, -1], 0, (0.800, 0.800, 0.800)),
    ],
)
def test_what_the_toolkit_of_the_authors_computes(
    run: list[int], curve: list[int], recovery: float, space: tuple[float, float, float]
) -> None:
    rankings = joined(run, [1, 1])
    assert vector(CRP(), run, [1, 1]) == curve
    for n, expected in zip((5, 10, 1000), space, strict=True):
        assert (Space @ n).score(rankings)[0] == pytest.approx(expected, abs=5e-4)
        assert (Recovery(crossing="matters") @ n).score(rankings)[0] == recovery
        twist = (Twist(crossing="matters") @ n).score(rankings)[0]
        assert twist == pytest.approx((recovery + expected) / 2, abs=5e-4)


@pytest.mark.parametrize("more", [0, 1, 2])
def test_twist_is_0_without_return_and_without_anything_relevant_among_the_first_r(more: int) -> None:
    for ranking in product((0, 1), repeat=5):
        base = sum(ranking) + more
        value, recovery = (measure.of(ranking, unretrieved=[1] * more) for measure in (Twist(), Recovery()))
        assert (value == 0) == (recovery == 0 and not any(ranking[:base]))


def test_excellent_lists_occur_with_binary_judgments() -> None:
    # The paper says that they do not. CRP of the first is -1 0, of the second 0 -1 0: back after
    # rank R = 1 and R = 2.
    for ranking in ([0, 1], [1, 0, 1]):
        assert Recovery().of(ranking) == 1
        assert list(archetypes(one_ranking(ranking))) == [Archetype.EXCELLENT]


def test_a_run_that_comes_back_to_0_is_better_than_one_that_comes_later() -> None:
    """1 0 1 returns from rank 2 to rank 3, 1 0 0 1 from rank 3 to rank 4: in MATTERS the first scores less."""
    sooner, later = [1, 0, 1], [1, 0, 0, 1]
    assert Twist().of(sooner) > Twist().of(later)
    assert Recovery().of(sooner) == 2 / 2
    assert Recovery().of(later) == 2 / 3
    assert Twist(crossing="matters").of(sooner) < Twist(crossing="matters").of(later)


def test_a_curve_that_rests_at_0_before_it_rises() -> None:
    """R = 3: two losses at ranks 2 and 3, regained at rank 6; more at rank 7."""
    run = [1, 0, 0, 0, 0, 1, 1]
    assert vector(CRP(), run, [1, 1, 1]) == [0, -2, -3, -3, -3, 0, 4]
    assert [BalancePoint(crossing=crossing).of(run) for crossing in MODES] == [5, 3, 6]
    assert [Crossings(crossing=crossing, cutoff=7).of(run) for crossing in MODES] == [1, 3, 1]
    assert RecoveryValue().of(run) == 3 / 6


def test_ranks_of_the_crossings_in_the_three_modes() -> None:
    """CRP of the same list, padded to 9 ranks: 0 -2 -3 -3 -3 0 4 4 4."""
    run = [1, 0, 0, 0, 0, 1, 1]
    found = [[CrossingRank(crossing=crossing, nth=n, cutoff=9).of(run) for n in (1, 2, 3, 4)] for crossing in MODES]
    assert found == [[5, 10, 10, 10], [1, 5, 6, 10], [6, 10, 10, 10]]
    # The ideal list is at 0 from rank 1 on; to the letter, it crosses at every rank.
    ideal = [[CrossingRank(crossing=crossing, nth=n, cutoff=4).of([1, 1]) for n in (1, 2)] for crossing in MODES]
    assert ideal == [[1, 5], [1, 2], [1, 5]]


@settings(max_examples=60, derandomize=True, database=None)
@given(measure_cases.rankings, measure_cases.unretrieved_grades, st.sampled_from(MODES))
def test_what_the_parts_of_twist_have_to_do_with_each_other(
    ranking: list[float | None], unretrieved: list[float], crossing: Literal["return", "definition", "matters"]
) -> None:
    """β = max(RB, min x); CRP ends at s⁺ - s⁻."""

    def of(measure: Measure) -> float:
        return measure.of(ranking, unretrieved=unretrieved)

    base = sum(grade is not None and grade > 0 for grade in [*ranking, *unretrieved])
    assert of(BalancePoint(crossing=crossing)) == max(base, of(CrossingRank(crossing=crossing)))
    assert of(CRPAt(point="end")) == of(ForwardSum()) - of(BackwardSum())
    assert of(BackwardSum()) <= base * (base + 1) / 2


def test_a_relevant_document_at_rank_1_of_the_wrong_grade_is_no_crossing() -> None:
    """Ideal 2 1: CRP -1 -2 -2 -2 2."""
    assert [Recovery(crossing=crossing).of([1, 0, 0, 0, 2]) for crossing in MODES] == [2 / 4] * 3


def test_the_ideal_run_turns_around_at_its_first_rank() -> None:
    rank, least = Curve.of(joined([2, 1, 0], [2, 1]), Conflation(), 1000).turn_around
    assert (rank.tolist(), least.tolist()) == ([1], [0])


def test_crossings_are_counted_to_the_end_of_each_list() -> None:
    """N = 1, padded to 2 ranks for R = 1 (CRP 0 0) and to 6 for R = 3 (CRP 0 -2 -3 ...): one crossing each."""
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 1, "c": 1}}
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    found = cf.evaluate(qrels, {"r": run}, Crossings(crossing="definition") @ 1).by_run()["r"]
    assert [*found["1"].values(), *found["2"].values()] == [1, 1]


# Lengths


def test_lists_are_cut_at_n_and_padded() -> None:
    """Ideal 1 1 1; of 0 1 1 1, cut at 3, the last is lost: CRP -3 -3 -3. Cut nowhere, it ends at -3 + 1."""
    assert vector(CRP(), [0, 1, 1, 1], [1, 1, 1]) == [1 - 4, -3, -3, -3 + 4 - 3]
    assert [BackwardSpace(cutoff=n).of([0, 1, 1, 1]) for n in (3, 4)] == [1 - 3 / 6, 1 - 3 / 6]
    # s⁺ of the full-scale run, padded to 2R = 6 also where N is less: 1 + 2 + 3
    assert [ForwardSpace(cutoff=n).of([0, 1, 1, 1]) for n in (3, 4, 6)] == [1, 1 - 1 / 6, 1 - 1 / 6]
    assert ForwardSpace(cutoff=7).of([0, 1, 1, 1]) == 1 - 1 / (2 + 3 + 4)


def test_n_below_twice_the_recall_base() -> None:
    """R = 3, N = 2: padded to 6 ranks, so the curve of 1 0 falls until rank 3 and never returns."""
    for measure, expected in [
        (BalancePoint(), 6 + 1),
        (Recovery(), 0),
        (BackwardSpace(), 1 - (2 + 1) / 6),
        (ForwardSpace(), 1),
        (CRPMin(), 1 - 3 / 6),  # lowest at rank 3: -3, full scale -6
        (nCRP(N=2, cutoff=2), (2 * -2 - 0 + 6) / 6),  # M = -6 + 6
    ]:
        at_two = measure if measure.cutoff else measure @ 2
        assert at_two.of([1, 0, 1, 1]) == pytest.approx(expected), measure


def test_a_list_is_taken_to_be_1000_long() -> None:
    """One relevant document at rank 1000: RP 999, as the full-scale run has it; at rank 1001 it is not seen."""
    rank_1000, rank_1001 = [0] * 999 + [1], [0] * 1000 + [1]
    assert ForwardSpace().of(rank_1000) == 0
    assert ForwardSpace().of(rank_1001) == 1
    assert Recovery().of(rank_1000) == 1 / 999
    assert BalancePoint().of(rank_1001) == 1001
    assert (RP @ 1001).of(rank_1001) == 1000  # RP and CRP know no N
    assert nCRP(cutoff=1001).of(rank_1001) == -1
    assert Twist().of(rank_1001) == 0
    assert Twist(cutoff=2000).of(rank_1001) > 0


def test_short_lists_are_padded_with_what_is_not_relevant() -> None:
    assert [CRP(cutoff=k).of([], [1, 1]) for k in (1, 2, 3)] == [-2, -3, -3]
    for measure in (Twist, Recovery, Space, BackwardSpace, CRPMin, RecoveryValue):
        assert measure().of([], [1, 1]) == 0
        assert measure().of([1, 1]) == measure().of([1, 1, 0, None, -1]) == 1


def test_unjudged_documents_are_not_relevant_unless_dropped() -> None:
    assert RP(cutoff=1).of([None, 1]) == 1 - 2
    assert RP(cutoff=1, judged_only=True).of([None, 1]) == 0
    assert RP(judged_only=True).by_rank(one_ranking([None, 1]), 2).tolist() == [[0, 0]]
    assert Twist(judged_only=True).of([None, 1]) == 1


def test_no_relevant_document() -> None:
    names = ["RP@2", "CRP@2", "nCRP@2", "RecoveryValue", "BalanceRatio", "CRPMin", "CRPN"]
    names += ["Space", "ForwardSpace", "BackwardSpace", "ForwardSum", "BackwardSum", "TurnAround"]
    names += [f"{name}(whose={whose})" for name in ("RegainedAt", "CRPAt") for whose in ("run", "full-scale")]
    crossers = ("Twist", "Recovery", "BalancePoint", "Crossings", "CrossingRank")
    names += [f"{name}(crossing='{mode}')" for name in crossers for mode in MODES]
    scores = cf.evaluate({"1": {"a": 0, "b": -1}}, {"r": {"1": {"a": 2.0, "c": 1.0}}}, names)
    assert set(scores.by_run()["r"]["1"].values()) == {0}


def test_a_judgment_that_was_taken_away_is_unjudged_whatever_a_grade_of_0_gains() -> None:
    """R = 2, and s⁻ 1 of 2 + 1; but R = 1, and s⁻ 1 of 1, without the judgment of the first document."""
    rankings = one_ranking([0, 1])
    measure = BackwardSpace(gains={0: 0.5})
    assert measure.score(rankings)[0] == pytest.approx(2 / 3)
    assert measure.score(rankings.rejudged(np.array([np.nan, 1])))[0] == 0


# Propositions

GRADES = st.lists(st.integers(0, 3), min_size=1, max_size=25).filter(any)


@st.composite
def run_and_ideal(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    """Draw a run, the topic's R relevant documents, best first, and an N: at least 2R, and often 3R or more."""
    ideal = sorted((grade for grade in draw(GRADES) if grade), reverse=True)
    n = draw(st.integers(2 * len(ideal), 4 * len(ideal) + 5))
    everything = ideal + [0] * n
    return draw(st.permutations(everything))[:n], ideal, n


def full_scale(ideal: list[int], n: int) -> list[int]:
    return [0] * (n - len(ideal)) + ideal[::-1]


@settings(derandomize=True, database=None)
@given(run_and_ideal())
@example((RUNS["b"], IDEAL[:7], 15))
@example(([1, 0, 0, 1], [1, 1], 4))
@example(([1, 0, 0, 0, 1], [1, 1], 5))
def test_propositions_1_and_2_the_full_scale_run_bounds_every_run(drawn: tuple[list[int], list[int], int]) -> None:
    """The upper bound of CRP holds from N = 3R - 1 on; before, nCRP stays below 2."""
    run, ideal, n = drawn
    base, best = len(ideal), ideal.count(ideal[0])
    worst = full_scale(ideal, n)

    positions = vector(RP(), worst, ideal)
    assert (min(positions), max(positions)) == (-base, n - best) == (positions[0], positions[-1])
    assert all(-base <= value <= n - best for value in vector(RP(), run, ideal))

    cumulated = vector(CRP(), worst, ideal)
    last = {grade: sum(other >= grade for other in ideal) for grade in ideal}
    low, high = -base * (base + 1) / 2, base * (n - base) - sum(last[grade] for grade in ideal)
    assert (min(cumulated), max(cumulated)) == (low, high) == (cumulated[base - 1], cumulated[-1])
    holds = n >= 3 * base - 1
    assert all(low <= value <= (high if holds else np.inf) for value in vector(CRP(), run, ideal))
    assert all(-1 <= value <= 1 or (not holds and value < 2) for value in vector(nCRP(N=n), run, ideal))


@pytest.mark.parametrize(("base", "n"), [(base, n) for base in range(1, 7) for n in range(2 * base, 3 * base + 3)])
def test_where_the_upper_bound_of_proposition_2_begins(base: int, n: int) -> None:
    """Of one grade: with m of R at the end, CRP[N] is m(N - R) - m²; it rises up to m = R where N ≥ 3R - 1."""
    ends = []
    for late in range(base + 1):
        run = [1] * (base - late) + [0] * (n - base) + [1] * late
        ends.append(vector(CRP(), run, [1] * base)[-1])
        assert ends[-1] == late * (n - base) - late**2
    assert (max(ends) == ends[-1]) == (n >= 3 * base - 1)
    assert (CRPN(cutoff=n).of([1] * (base - 1) + [0] * (n - base) + [1]) < 0) == (ends[1] > ends[-1] > 0)


def test_proposition_2_fails_in_the_example_of_the_paper() -> None:
    """R = 7 and N = 15. Ranks 1 to 7: -4 -3 -5 -4 -3 -2 -1; ranks 11 to 15: 4 8 9 12 13."""
    run = grades("pr pr nr nr nr nr nr nr nr nr pr fr fr hr hr")
    assert vector(RP(), run, IDEAL) == [-4, -3, -5, -4, -3, -2, -1, 0, 0, 0, 4, 8, 9, 12, 13]
    assert (vector(CRP(), run, IDEAL)[-1], vector(CRP(), RUNS["fs"], IDEAL)[-1]) == (24, 23)
    assert (nCRP(N=15, cutoff=15)).score(joined(run, IDEAL))[0] == (2 * 24 - 23 + 28) / (23 + 28)


@settings(derandomize=True, database=None)
@given(GRADES, st.integers(0, 10))
@example([1], 0)
def test_proposition_3_the_full_scale_run_recovers_below_a_half(drawn: list[int], more: int) -> None:
    """Where N > 3R. At N = 3R the paper's proof takes the rank after the crossing, and 1/2 itself can be had."""
    ideal = sorted((grade for grade in drawn if grade), reverse=True)
    n = 3 * len(ideal) + more
    for crossing in MODES:
        recovery = (Recovery(crossing=crossing) @ n).score(joined(full_scale(ideal, n), ideal))[0]
        assert recovery < 0.5 if more else recovery <= 0.5


def test_proposition_3_is_off_by_a_rank() -> None:
    """R = 1, N = 3: CRP -1 -1 1 crosses, by definition 3, at rank 2."""
    assert vector(CRP(), [0, 0, 1], [1]) == [-1, -1, 1]
    for crossing in MODES:
        assert Recovery(crossing=crossing, cutoff=3).of([0, 0, 1]) == 1 / 2


@settings(derandomize=True, database=None)
@given(run_and_ideal())
def test_a_curve_first_leaves_0_downwards(drawn: tuple[list[int], list[int], int]) -> None:
    run, ideal, n = drawn
    curve = vector(CRP(), run, ideal)
    departed = [value for value in curve if value]
    assert not departed or departed[0] < 0
    assert all(later >= sooner for sooner, later in zip(curve[len(ideal) - 1 :], curve[len(ideal) :], strict=False))
    assert (Twist @ n).score(joined(run, ideal))[0] == 1 or departed


# Archetypes


@pytest.mark.parametrize(
    ("run", "ideal", "archetype"),
    [
        ("nr nr nr nr nr", "hr fr", Archetype.WORST),
        ("", "hr fr", Archetype.WORST),
        ("nr nr nr nr nr nr fr hr", "hr fr", Archetype.FULL_SCALE),
        ("hr fr nr nr", "hr fr", Archetype.IDEAL),
        ("nr nr fr nr", "hr fr", Archetype.TYPICAL_B),  # CRP -2 -3 -2 -2
        ("nr nr nr nr nr nr hr fr", "hr fr", Archetype.TYPICAL_A),  # not quite the full-scale run
        ("hr pr fr pr nr", "hr fr pr pr", Archetype.EXCELLENT),  # type A, permuted: CRP 0 -1 0
        ("fr hr pr nr nr", "hr fr pr pr", Archetype.EXCELLENT),  # ups and downs: CRP -1 0 0 -1
        ("hr nr fr pr pr", "hr fr pr pr", Archetype.TYPICAL_B),  # CRP 0 -3 -2 -2 -1
        ("hr nr fr nr pr pr", "hr fr pr pr", Archetype.TYPICAL_A),  # CRP 0 -3 -2 -3 -2 0
    ],
)
def test_archetypes(run: str, ideal: str, archetype: Archetype) -> None:
    assert archetypes(joined(grades(run), grades(ideal)), n=8).tolist() == [archetype]


def test_archetypes_of_the_runs_of_the_paper() -> None:
    found = {run: archetypes(joined(documents, IDEAL), n=15)[0] for run, documents in RUNS.items()}
    assert found == {"i": "ideal", "w": "worst", "fs": "full scale", "a": "typical A", "b": "typical A"}


def test_archetypes_where_grades_are_conflated() -> None:
    """Of one grade, an excellent run is an ideal one."""
    rankings = joined([1, 2, 0], [2, 1])
    assert archetypes(rankings).tolist() == ["excellent or ups-and-downs"]
    assert archetypes(rankings, rel=1).tolist() == archetypes(rankings, gains=GainMap({1: 2})).tolist() == ["ideal"]


def test_the_geometric_mean_of_twist() -> None:
    """Twist of the topics at N = 4: (2/3 + 4/9)/2, 1, and 0, which counts as 0.00001."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}, "3": {"a": 1}}
    run = {"1": ["a", "x", "y", "b"], "2": ["a"], "3": ["x"]}
    found = cf.evaluate(qrels, {"r": run}, ["Twist@4", "gmTwist@4"]).means["value"].to_list()
    assert found == pytest.approx([(5 / 9 + 1 + 0) / 3, (5 / 9 * 1 * 0.00001) ** (1 / 3)])


# Batches

ALL = [RP @ 3, CRP @ 3, nCRP @ 3, *(measure() for measure in (Twist, Recovery, BalancePoint, Crossings, Space))]
ALL += [measure() for measure in (ForwardSpace, BackwardSpace, RecoveryValue, BalanceRatio, CRPMin, CRPN)]
ALL += [measure() for measure in (ForwardSum, BackwardSum, CrossingRank, TurnAround, RegainedAt)]
ALL += [CRPAt(point="turn-around", whose="full-scale"), RegainedAt(whose="full-scale")]


def test_a_batch_gives_what_each_run_gives_alone() -> None:
    chance = random.Random(1)  # noqa: S311
    documents = [f"d{i}" for i in range(12)]
    qrels = {t: {d: chance.choice([-1, 0, 1, 2, 3]) for d in chance.sample(documents, 8)} for t in ("1", "2", "3")}
    qrels["3"] = {"d1": 0}
    runs = {
        f"run {i}": {
            topic: {d: -float(rank) for rank, d in enumerate(chance.sample(documents, chance.randint(1, 12)))}
            for topic in chance.sample(list(qrels), 2)
        }
        for i in range(10)
    }
    together = cf.evaluate(qrels, runs, ALL).by_run()
    for name, run in runs.items():
        assert cf.evaluate(qrels, {name: run}, ALL).by_run()[name] == together[name]


@settings(max_examples=50, derandomize=True, database=None)
@given(st.sampled_from(["RP", "CRP", "nCRP"]), measure_cases.rankings, measure_cases.unretrieved_grades, st.data())
def test_all_ranks_at_once_are_each_rank(
    name: str, ranking: list[float | None], unretrieved: list[float], data: st.DataObject
) -> None:
    measure = data.draw(st.sampled_from(measure_cases.settings_of(name)))
    rankings = one_ranking(ranking, unretrieved)
    at_once = measure.by_rank(rankings, 20)[0].tolist()
    assert at_once == [(measure @ k).score(rankings)[0] for k in range(1, 21)]


def test_curves_are_made_once_for_all_measures() -> None:
    rankings = joined(RUN_B, IDEAL_2012)
    curve = Curve.of(rankings, Conflation(), 1000)
    before: Floats = curve.cumulated.copy()
    assert all(np.isfinite(measure.score(rankings)).all() for measure in ALL)
    assert Curve.of(rankings, Conflation(), 1000) is curve
    assert curve.cumulated.tolist() == before.tolist()

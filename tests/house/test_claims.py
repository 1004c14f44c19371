"""What docs/claims.md calls "only", "every" and "smallest" of claims that do not hold: proofs by trying everything."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations, product
from math import log2

import pytest

from cranfield.judged.rankings import one_ranking
from cranfield.lists.archetypes import Archetype
from cranfield.lists.archetypes import archetypes_of as archetypes
from cranfield.measures.effort import BackwardSpace, ForwardSpace, Recovery, Space, Twist
from cranfield.measures.information import OIE
from cranfield.measures.loss_and_recovery import CRPN, BalanceRatio, CRPMin
from cranfield.measures.relative_position import CRP
from cranfield.measures.terminal_documents import NDCGT
from cranfield.statistics.paired_tests import paired_test


def curve(ranking: list[int], missed: list[int], depth: int) -> list[float]:
    values: list[float] = CRP(cutoff=depth).by_rank(one_ranking(ranking, missed), depth)[0].tolist()
    return values


def lists(base: int, longest: int, grades: int = 1) -> Iterator[tuple[list[int], list[int]]]:
    """All rankings of a length whose topic has so many relevant documents, and what each of them lacks."""
    for ranking in product(range(grades + 1), repeat=longest):
        missed = base - sum(grade > 0 for grade in ranking)
        for rest in combinations_with_replacement(range(1, grades + 1), max(missed, 0)):
            if missed >= 0:
                yield list(ranking), list(rest)


# Twist


@pytest.mark.parametrize("base", range(1, 7))
def test_the_full_scale_run_recovers_at_one_half_for_one_or_two_relevant_documents(base: int) -> None:
    run = [0] * 2 * base + [1] * base
    assert (Recovery(cutoff=3 * base).of(run) == 1 / 2) == (base <= 2)
    assert Recovery(cutoff=3 * base + 1).of([0, *run]) < 1 / 2
    assert (Recovery(cutoff=3 * base, crossing="matters").of(run) == 1 / 2) == (base == 1)
    assert (Recovery(cutoff=2 * base).of(run[base:]) == 1) == (base == 1)


@pytest.mark.parametrize("base", range(1, 5))
def test_one_kind_of_binary_list_is_excellent(base: int) -> None:
    """R - 1 right documents, one that is not, one that is; what follows does not matter, as nothing is left."""
    for ranking, missed in lists(base, base + 3):
        excellent = archetypes(one_ranking(ranking, missed))[0] == Archetype.EXCELLENT
        assert excellent == (ranking == [1] * (base - 1) + [0, 1, 0, 0]), ranking
        by_toolkit = Recovery(crossing="matters").of(ranking, missed)
        assert (by_toolkit == 1) == (ranking[:base] == [1] * base), ranking
        if excellent:
            assert by_toolkit == 0
            assert BackwardSpace().of(ranking) == pytest.approx(1 - 2 / (base * (base + 1)))


@pytest.mark.parametrize("base", [1, 2, 3])
def test_what_stands_above_decides_whether_backward_space_and_the_minimum_ratio_are_0(base: int) -> None:
    for ranking, missed in lists(base, base + 2, grades=2):
        nothing = not any(ranking[:base])
        assert (BackwardSpace().of(ranking, missed) == 0) == nothing, ranking
        down_to = curve(ranking, missed, base)
        turn_around = down_to.index(min(down_to)) + 1
        assert (CRPMin().of(ranking, missed) == 0) == (not any(ranking[:turn_around])), ranking
        assert not nothing or Space().of(ranking, missed) == 0


@pytest.mark.parametrize("base", [1, 2, 3])
def test_lists_of_type_b_lie_below_one_half_and_may_have_moved_forward(base: int) -> None:
    forward = set()
    for ranking, missed in lists(base, base + 3, grades=2):
        if archetypes(one_ranking(ranking, missed))[0] == Archetype.TYPICAL_B:
            assert Twist().of(ranking, missed) < 1 / 2
            forward.add(ForwardSpace().of(ranking, missed) < 1)
    assert forward == (set() if base == 1 else {True, False})


def test_the_double_sum_of_proposition_2_is_symmetric() -> None:
    for sizes in product(range(1, 5), repeat=3):
        upwards = sum(size * sum(sizes[i:]) for i, size in enumerate(sizes))
        downwards = sum(size * sum(sizes[: i + 1]) for i, size in enumerate(sizes))
        assert upwards == downwards == (sum(sizes) ** 2 + sum(size**2 for size in sizes)) / 2


# Cumulated relative position


def test_a_curve_is_positive_before_r_with_four_relevant_documents_of_two_grades_and_not_with_fewer() -> None:
    for base in (1, 2, 3):
        for ranking, missed in lists(base, base, grades=3):
            assert max(curve(ranking, missed, base)[:-1], default=0) <= 0
    for ranking, missed in lists(4, 5):
        assert max(curve(ranking, missed, 4)) <= 0  # of one grade, never
    assert curve([1, 1, 2, 1], [], 3)[-1] == 1


@pytest.mark.parametrize("base", [1, 2, 3])
def test_the_value_ratio_is_above_1_if_and_only_if_the_list_ends_below_0(base: int) -> None:
    n = 2 * base + 1
    for ranking, missed in lists(base, n):
        assert (CRPN(cutoff=n).of(ranking, missed) > 1) == (curve(ranking, missed, n)[-1] < 0)


def test_the_balance_ratio_can_be_negative_though_everything_was_retrieved() -> None:
    for n in (4, 5):
        assert min(BalanceRatio(cutoff=n).of(ranking, missed) for ranking, missed in lists(2, n)) >= 0
    assert BalanceRatio(cutoff=6).of([1, 0, 0, 0, 0, 1]) == pytest.approx(1 - 6 / 5)


# Truncated rankings


def test_oie_has_priority_in_lists_of_three_and_may_be_level_in_lists_of_four() -> None:
    for length in (2, 3, 4):
        worst = min(
            OIE().of(exchanged(ranking, i, j)) - OIE().of(ranking)
            for ranking in map(list, product(range(3), repeat=length))
            if 2 in ranking
            for i in range(length)
            for j in range(i + 1, length)
            if ranking[j] > ranking[i]
        )
        assert worst > 1e-9 if length < 4 else worst == pytest.approx(0, abs=1e-12)


def exchanged(ranking: list[int], i: int, j: int) -> list[int]:
    other = [*ranking]
    other[i], other[j] = other[j], other[i]
    return other


def test_ndcgt_is_above_1_if_the_smallest_grade_is_below_011_of_the_largest() -> None:
    """Of grades 1 and g, with T = 1 / (1 + g): 1 / (1 + g) - g > log2(3) / log2(4)."""
    for top in range(2, 20):
        above = NDCGT().of([top], [1]) > 1
        assert above == (1 / (1 + 1 / top) - 1 / top > log2(3) / log2(4)) == (top > 9)
    for top, base in product(range(2, 10), range(2, 5)):
        for grades in combinations_with_replacement((top, 1), base):
            for kept in range(base):
                best = sorted(grades, reverse=True)
                assert NDCGT().of([*best[:kept]], [*best[kept:]]) < 1 + 1e-12


# Targeted judgments


def test_sign_and_randomisation_test_stay_decided_and_wilcoxon_does_not() -> None:
    rows = [row for row in combinations_with_replacement(range(-2, 5), 6) if any(row)]
    for test, undone in (("sign", False), ("randomisation", False), ("wilcoxon", True)):
        before = paired_test(rows, test, alternative="greater").p
        grown = dict(zip(rows, before, strict=True))
        worse = any(
            grown[larger] > p + 1e-12
            for row, p in grown.items()
            for place in range(6)
            if (larger := tuple(sorted([*row[:place], row[place] + 1, *row[place + 1 :]]))) in grown
        )
        assert worse == undone, test


def test_orders_do_not_matter_to_what_is_tried_above() -> None:
    """Differences of topics are sorted there: p does not depend on their order."""
    for test in ("sign", "randomisation", "wilcoxon"):
        assert len({float(p) for p in paired_test(list(permutations([3, -1, 2, 2])), test).p.round(12)}) == 1

"""RBO: by hand, against loops far down the rankings, against all that could follow, and against published values."""

from __future__ import annotations

import math
import tracemalloc
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.plumbing.errors import InputError
from cranfield.statistics.rank_overlap import RBO, rbo, rbo_of_all, rbo_of_scores

Groups = list[list[str]]


def untied(ranking: list[str]) -> Groups:
    return [[item] for item in ranking]


def part(groups: Groups, item: str, depth: int, ties: str) -> float:
    above = 0
    for group in groups:
        if item in group:
            reached = depth - above
            return float(reached > 0) if ties == "w" else min(max(reached / len(group), 0.0), 1.0)
        above += len(group)
    return 0.0


def agreement(a: Groups, b: Groups, depth: int, ties: str) -> float:
    items = sorted({item for group in a + b for item in group})
    in_a, in_b = ([part(groups, item, depth, ties) for item in items] for groups in (a, b))
    overlap = sum(x * y for x, y in zip(in_a, in_b, strict=True))
    if ties == "w":
        return 2 * overlap / (sum(in_a) + sum(in_b))
    if ties == "a":
        return overlap / depth
    return overlap / math.sqrt(sum(x * x for x in in_a) * sum(y * y for y in in_b))


def prefix(a: Groups, b: Groups, p: float, depth: int, ties: str = "w") -> float:
    """Return the sum of the definition over the first ranks."""
    return sum((1 - p) * p ** (d - 1) * agreement(a, b, d, ties) for d in range(1, depth + 1))


def continued(groups: Groups, names: str, depth: int) -> Groups:
    """Go on with items that nobody else has."""
    return groups + [[f"{names}{i}"] for i in range(depth - sum(map(len, groups)))]


def total(result: RBO) -> float:
    return result.minimum + result.residual


def flat(groups: Groups) -> list[str]:
    return [item for group in groups for item in group]


@st.composite
def rankings(draw: st.DrawFn, most: int = 6, universe: str = "abcdefgh") -> Groups:
    items = draw(st.lists(st.sampled_from(universe), min_size=1, max_size=most, unique=True))
    cuts = [draw(st.booleans()) for _ in items]
    groups: Groups = []
    for item, cut in zip(items, cuts, strict=True):
        if cut or not groups:
            groups.append([item])
        else:
            groups[-1].append(item)
    return groups


variants = st.sampled_from("wab")


def test_three_ranks_by_hand() -> None:
    found = rbo("abc", "bda", p=0.5)
    # Overlap 0, 1, 2, and 2 for ever: Σ p^d / d beyond rank 3 is what is left of ln 2.
    rest = math.log(2) - 1 / 2 - 1 / 8 - 1 / 24
    assert found.minimum == pytest.approx(0.5 * 0 / 1 + 0.25 * 1 / 2 + 0.125 * 2 / 3 + 2 * rest)
    # At most, rank 4 brings the third and fourth shared items, and from there on both hold the
    # same.
    assert total(found) == pytest.approx(0.5 * 0 / 1 + 0.25 * 1 / 2 + 0.125 * 2 / 3 + 0.125 * 1)
    assert found.extrapolated == pytest.approx(0.5 * 0 / 1 + 0.25 * 1 / 2 + 0.125 * 2 / 3 + 0.125 * 2 / 3)


def test_lists_of_unequal_length_by_hand() -> None:
    found = rbo("a", "bac", p=0.5)
    # The shorter one agrees 0 at its end, and goes on so: 0, 1/2, 1/3; and 1 of 3 for ever.
    assert found.extrapolated == pytest.approx(0.5 * 0 + 0.25 * 1 / 2 + 0.125 * 1 / 3 + 0.125 * 1 / 3)
    # At most it goes on with b and c: 0, 2/2, 3/3.
    assert total(found) == pytest.approx(0.5 * 0 + 0.5 * 1)


@given(rankings(), rankings(), variants)
def test_the_minimum_is_the_definition_when_nothing_more_is_shared(a: Groups, b: Groups, ties: Any) -> None:
    found = rbo(a, b, 0.5, ties=ties)
    slow = prefix(continued(a, "x", 30), continued(b, "y", 30), 0.5, 30, ties)
    assert found.minimum == pytest.approx(slow, abs=1e-8)


def futures(known: Groups, names: list[str], length: int) -> list[Groups]:
    left = [name for name in names if name not in flat(known)]
    return [known + untied(list(after)) for after in permutations(left, length - len(flat(known)))]


@settings(max_examples=25)
@given(rankings(most=3, universe="abcd"), rankings(most=3, universe="abcd"), variants)
def test_nothing_that_can_follow_leaves_the_bounds_and_something_reaches_them(a: Groups, b: Groups, ties: Any) -> None:
    """Both rankings over four known items and one new one, all that can follow down to rank 4, then nothing new."""
    p = 0.3
    found = rbo(a, b, p, ties=ties)
    names = sorted({*flat(a), *flat(b)} | {"e"})
    depth = min(4, len(names))
    ends = [prefix(x, y, p, depth, ties) for x, y in product(futures(a, names, depth), futures(b, names, depth))]
    rest = p**depth  # agreement beyond, from 0 to 1
    assert max(ends) <= total(found) + 1e-12
    assert found.minimum <= min(ends) + rest + 1e-12
    assert all(found.minimum - 1e-12 <= end + rest for end in ends)
    assert total(found) <= max(ends) + rest + 1e-12


@given(rankings(), rankings(), variants)
def test_the_maximum_is_reached_by_going_on_with_what_the_other_has(a: Groups, b: Groups, ties: Any) -> None:
    """Each ranking goes on with the other one's items that it lacks, from the top; then both with the same."""
    after_a = [item for item in flat(b) if item not in flat(a)]
    after_b = [item for item in flat(a) if item not in flat(b)]
    best = [known + untied(after) for known, after in ((a, after_a), (b, after_b))]
    x, y = (continued(groups, "z", 30) for groups in best)
    assert total(rbo(a, b, 0.5, ties=ties)) == pytest.approx(prefix(x, y, 0.5, 30, ties), abs=1e-8)


def broken(groups: Groups) -> list[Groups]:
    ways = product(*[permutations(group) for group in groups])
    return [untied([item for group in way for item in group]) for way in ways]


@settings(max_examples=30)
@given(rankings(most=5), rankings(most=5))
def test_a_is_the_mean_over_all_ways_to_break_the_ties(a: Groups, b: Groups) -> None:
    every = [rbo(flat(x), flat(y), 0.8) for x, y in product(broken(a), broken(b))]
    found = rbo(a, b, 0.8, ties="a")
    assert found.minimum == pytest.approx(sum(each.minimum for each in every) / len(every))
    if len(flat(a)) == len(flat(b)):  # else the paper's estimates beyond the shorter one's end are other ones
        assert found.residual == pytest.approx(sum(each.residual for each in every) / len(every))
        assert found.extrapolated == pytest.approx(sum(each.extrapolated for each in every) / len(every))


@given(rankings(), rankings(), variants, st.floats(0.05, 0.99))
def test_what_holds_of_any(a: Groups, b: Groups, ties: Any, p: float) -> None:
    found = rbo(a, b, p, ties=ties)
    other = rbo(b, a, p, ties=ties)
    assert found == pytest.approx(other)
    assert -1e-12 <= found.minimum <= total(found) <= 1 + 1e-12
    assert found.minimum - 1e-9 <= found.extrapolated <= 1 + 1e-12
    assert found.residual >= p ** max(len(flat(a)), len(flat(b))) * 1e-3 or set(flat(a)) == set(flat(b))
    if ties == "b":
        assert found.minimum >= rbo(a, b, p, ties="a").minimum - 1e-12


@given(rankings(), st.sampled_from("wb"), st.floats(0.05, 0.99))
def test_a_ranking_with_itself(a: Groups, ties: Any, p: float) -> None:
    found = rbo(a, a, p, ties=ties)
    assert found.extrapolated == pytest.approx(1)
    assert total(found) == pytest.approx(1)


@given(rankings(), rankings(), variants)
def test_without_ties_all_variants_are_one(a: Groups, b: Groups, ties: Any) -> None:
    assert rbo(flat(a), flat(b), 0.8, ties=ties) == pytest.approx(rbo(flat(a), flat(b), 0.8))


def test_disjoint_rankings_share_nothing() -> None:
    assert rbo("ab", "cd").extrapolated == 0
    assert rbo("ab", "cd").minimum == 0


@pytest.mark.parametrize(
    ("a", "b", "p", "ties", "expected", "most"),
    [
        # The example of the software of Corsi & Urbano (2024): extrapolated, minimum, residual, and
        # the maximum.
        ("r (bg) y p", "(br) w (ykv) g", 0.95, "w", (0.7068257, 0.3429684, 0.5620173), 0.9049857),
        ("r (bg) y p", "(br) w (ykv) g", 0.95, "a", (0.6922853, 0.3310519, 0.5620173), 0.8930692),
        ("r (bg) y p", "(br) w (ykv) g", 0.95, "b", (0.7207131, 0.3509163, 0.5620173), 0.9129336),
        # Three rows of its test cases: many ties, lengths 5 and 7, 8 and 5, and a tied group across
        # the shorter end.
        ("i d (abef)", "n k a (ef) (cl) h", 0.936646766367491, "w", (0.41972438, 0.22248558, 0.49595844), 0.71844402),
        ("(cefhi)", "(af) (hj) k b (cd)", 0.946588158477176, "w", (0.48147782, 0.23269614, 0.56953073), 0.80222686),
        ("(cefhi)", "(af) (hj) k b (cd)", 0.946588158477176, "a", (0.45650539, 0.20787007, 0.57026262), 0.77813269),
        ("(cefhi)", "(af) (hj) k b (cd)", 0.946588158477176, "b", (0.48268408, 0.23389957, 0.57067704), 0.80457661),
    ],
)
def test_published_values(a: str, b: str, p: float, ties: Any, expected: tuple[float, ...], most: float) -> None:
    x, y = ([list(group.strip("()")) for group in ranking.split()] for ranking in (a, b))
    found = rbo(x, y, p, ties=ties)
    assert (found.extrapolated, found.minimum, found.residual) == pytest.approx(expected, abs=1e-7)
    assert total(found) == pytest.approx(most, abs=1e-7)


def test_long_rankings_keep_the_weight_of_their_ends() -> None:
    ranking = [str(i) for i in range(400)]
    shared = [*range(1, 400), 399]  # at rank 400, the last item has no partner
    seen = sum(0.001 * 0.999 ** (d - 1) * x / d for d, x in enumerate(shared, start=1))
    beyond = sum(0.001 * 0.999 ** (d - 1) * 399 / d for d in range(401, 30_000))
    assert rbo(ranking, ranking[:-1], p=0.999).minimum == pytest.approx(seen + beyond, abs=1e-9)


@given(rankings(), rankings(), variants)
def test_some_depths_at_a_time_are_all_depths(a: Groups, b: Groups, ties: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        whole = rbo(a, b, 0.8, ties=ties)
        patch.setattr("cranfield.statistics.differences.RESAMPLED_CELLS", 12)
        assert rbo(a, b, 0.8, ties=ties) == pytest.approx(whole)


@pytest.mark.integration
def test_ten_thousand_tied_items_fit_the_memory() -> None:
    """Tables of all depths by all items would be 800 MB each."""
    tracemalloc.start()
    try:
        tied = [[str(i), str(i + 1)] for i in range(0, 10_000, 2)]
        assert rbo(tied, tied, 0.999, ties="w").extrapolated == pytest.approx(1)
        assert tracemalloc.get_traced_memory()[1] < 150e6
    finally:
        tracemalloc.stop()


def test_scores_are_rankings() -> None:
    x, y = {"a": 3.0, "b": 1.0, "c": 1.0}, {"c": 9.0, "a": 9.0, "d": 2.0}
    assert rbo_of_scores(x, y, 0.8) == rbo(["a", {"b", "c"}], [("a", "c"), "d"], 0.8, ties="w")
    assert rbo_of_scores(x, y, 0.8, ties="b") == rbo(["a", ["b", "c"]], [["a", "c"], "d"], 0.8, ties="b")


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(InputError, match="not 1"):
        rbo("ab", "ab", p=1)
    with pytest.raises(InputError, match="first ranking is empty"):
        rbo("", "ab")
    with pytest.raises(InputError, match="second ranking has the item 'a' twice"):
        rbo("ab", "aa")
    with pytest.raises(InputError, match="has ties"):
        rbo(["a", {"b", "c"}], "abc")
    with pytest.raises(InputError, match="not 'c'"):
        rbo("ab", "ab", ties="c")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="score of 'a'"):
        rbo_of_scores({"a": math.nan}, {"a": 1.0})


RANKINGS = st.lists(st.permutations(list("abcdefgh")).flatmap(lambda all_: st.integers(1, 8).map(lambda n: all_[:n])),
                    min_size=1, max_size=5)  # fmt: skip


@given(RANKINGS, st.floats(0.05, 0.98))
def test_all_pairs_at_once_are_as_pair_by_pair(rankings: list[list[str]], p: float) -> None:
    ranks = np.array([[each.index(item) + 1 if item in each else 0 for item in "abcdefgh"] for each in rankings])
    expected = [[rbo(one, other, p).extrapolated for other in rankings] for one in rankings]
    assert rbo_of_all(ranks, p) == pytest.approx(np.array(expected), abs=1e-12)


def test_an_empty_ranking_overlaps_with_none() -> None:
    found = rbo_of_all(np.array([[1, 2], [0, 0], [2, 1]]), 0.5)
    assert np.isnan(found[1]).all()
    assert np.isnan(found[:, 1]).all()
    assert found[0, 2] == pytest.approx(0.5)
    with pytest.raises(InputError, match="the persistence p of RBO"):
        rbo_of_all(np.array([[1]]), 1.0)

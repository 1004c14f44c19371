"""Agreement of assessors: by hand, against statsmodels, and against Krippendorff's worked example."""

from __future__ import annotations

import math
import tracemalloc
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater  # type: ignore[import-untyped,unused-ignore]

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.agreement import cohen_kappa, fleiss_kappa, gwet_ac, krippendorff_alpha, percent_agreement

GAP = math.nan

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section C: four observers,
# twelve units.
WORKED_EXAMPLE: list[list[float]] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
    [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
]

labels = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n) for _ in "ab"])
)
ratings = st.tuples(st.integers(2, 4), st.integers(1, 6)).flatmap(
    lambda shape: st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0, GAP]), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)
levels = st.sampled_from(["nominal", "ordinal", "interval", "ratio"])


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_worked_example(level: Any, alpha: float) -> None:
    assert krippendorff_alpha(WORKED_EXAMPLE, level) == pytest.approx(alpha, abs=0.0005)


def test_krippendorffs_binary_example() -> None:
    """Section A: two observers, ten units; of 20 grades 14 are 0, and 4 of the ten units have both."""
    a, b = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha([a, b]) == pytest.approx(1 - (20 - 1) * 4 / (14 * 6))


def squared_distance(level: str, one: float, other: float, given_grades: list[float]) -> float:
    if level == "nominal":
        return float(one != other)
    if level == "interval":
        return (one - other) ** 2
    if level == "ratio":
        return 0.0 if one == other else ((one - other) / (one + other)) ** 2
    low, high = sorted((one, other))
    between = sum(low <= grade <= high for grade in given_grades)
    return (between - (given_grades.count(one) + given_grades.count(other)) / 2) ** 2


def slow_alpha(table: list[list[float]], level: str) -> float:
    items = [[grade for grade in item if not math.isnan(grade)] for item in zip(*table, strict=True)]
    items = [item for item in items if len(item) > 1]
    every = [grade for item in items for grade in item]
    observed = sum(
        squared_distance(level, *pair, every) / (len(item) - 1) for item in items for pair in permutations(item, 2)
    ) / len(every)
    by_chance = sum(squared_distance(level, *pair, every) for pair in permutations(every, 2))
    return 1.0 if by_chance == 0 else 1 - observed / (by_chance / (len(every) * (len(every) - 1)))


def two_on_an_item(table: list[list[float]]) -> bool:
    return bool(((~np.isnan(np.array(table))).sum(axis=0) >= 2).any())


@given(ratings.filter(two_on_an_item), levels)
def test_alpha_is_the_loop_over_pairs(table: list[list[float]], level: Any) -> None:
    found = krippendorff_alpha(table, level)
    assert found == pytest.approx(slow_alpha(table, level), abs=1e-9)
    assert found <= 1
    assert krippendorff_alpha(table[::-1], level) == pytest.approx(found, abs=1e-9)


@given(ratings.filter(two_on_an_item))
def test_percent_agreement_is_the_loop_over_pairs(table: list[list[float]]) -> None:
    pairs = [
        one == other
        for item in zip(*table, strict=True)
        for one, other in combinations(item, 2)
        if not math.isnan(one + other)
    ]
    assert percent_agreement(table) == pytest.approx(sum(pairs) / len(pairs))


def as_table(a: list[int], b: list[int]) -> Floats:
    table = np.zeros((4, 4))
    np.add.at(table, (a, b), 1)
    return table


@given(labels, st.sampled_from([None, "linear", "quadratic"]))
def test_cohen_is_statsmodels(pair: tuple[list[int], list[int]], weights: Any) -> None:
    a, b = pair
    found = cohen_kappa(a, b, weights, categories=[0, 1, 2, 3])
    if len({*a, *b}) == 1:
        assert found == 1  # where statsmodels divides by zero
        return
    wt = {None: None, "linear": "linear", "quadratic": "quadratic"}[weights]
    peer = inter_rater.cohens_kappa(as_table(a, b), wt=wt, return_results=False)
    assert found == pytest.approx(float(peer), abs=1e-9)
    assert -1 - 1e-9 <= found <= 1
    assert cohen_kappa(b, a, weights, categories=[0, 1, 2, 3]) == pytest.approx(found, abs=1e-9)
    if weights is None:
        assert cohen_kappa([f"grade {label}" for label in a], [f"grade {label}" for label in b]) == pytest.approx(found)


def test_weights_by_hand() -> None:
    # Of three items one is two steps off. By chance, of 9 pairs of {0, 1, 2} and {0, 1, 0}: steps
    # 0+1+0, 1+0+1, 2+1+2.
    assert cohen_kappa([0, 1, 2], [0, 1, 0], "linear") == pytest.approx(1 - (2 / 3) / (8 / 9))
    assert cohen_kappa([0, 1, 2], [0, 1, 0], "quadratic") == pytest.approx(1 - (4 / 3) / ((1 + 1 + 1 + 4 + 1 + 4) / 9))
    # Without the grade 1 that nobody gave, 0 and 2 are neighbours.
    assert cohen_kappa([0, 2, 3], [0, 2, 0], "linear") != cohen_kappa(
        [0, 2, 3], [0, 2, 0], "linear", categories=[0, 1, 2, 3]
    )


@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=1)))
def test_fleiss_is_statsmodels(items: list[list[int]]) -> None:
    table = np.array([[item.count(category) for category in range(3)] for item in items])
    found = fleiss_kappa(table)
    if len({grade for item in items for grade in item}) == 1:
        assert found == 1
    else:
        assert found == pytest.approx(float(inter_rater.fleiss_kappa(table)), abs=1e-9)
        assert found <= 1


def test_all_in_one_category_is_agreement() -> None:
    assert percent_agreement([[2, 2], [2, 2]]) == 1
    assert cohen_kappa(["no", "no"], ["no", "no"]) == 1
    assert fleiss_kappa([[3, 0], [3, 0]]) == 1
    assert krippendorff_alpha([[2.0, 2.0, GAP], [2.0, 2.0, 1.0]], "ratio") == 1  # the 1 is in no pair


def test_half_by_chance_is_0() -> None:
    assert cohen_kappa([0, 0, 1, 1], [0, 1, 0, 1]) == 0


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(InputError, match="one label for each item"):
        cohen_kappa([1, 2], [1])
    with pytest.raises(InputError, match="item 1 has the label 7"):
        cohen_kappa([1, 7], [1, 1], categories=[0, 1])
    with pytest.raises(InputError, match="item 0 has the label nan"):
        cohen_kappa([GAP, 1], [1, 1])
    with pytest.raises(InputError, match="not 'cubic'"):
        cohen_kappa([1, 2], [1, 2], "cubic")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="as many grades"):
        fleiss_kappa([[2, 1], [1, 1]])
    with pytest.raises(InputError, match="whole numbers"):
        fleiss_kappa([[0.5, 1.5]])
    with pytest.raises(InputError, match=r"\(items, categories\)"):
        fleiss_kappa([3, 0])
    with pytest.raises(InputError, match="nominal, ordinal, interval, ratio"):
        krippendorff_alpha([[1], [1]], "absolute")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="ratio scale"):
        krippendorff_alpha([[-1, 1], [1, 1]], "ratio")
    with pytest.raises(InputError, match="two assessors judged"):
        krippendorff_alpha([[1.0, GAP], [GAP, 1.0]])
    with pytest.raises(InputError, match="infinite"):
        percent_agreement([[1.0, math.inf], [1.0, 1.0]])
    with pytest.raises(InputError, match="shape"):
        percent_agreement([1, 1])


def test_ac1_of_a_rare_trait_by_hand() -> None:
    # 118 of 125 subjects have the trait for both, 5 for the one alone, 2 for the other alone: agreement is
    # 118/125, and 243 of 250 labels are "yes". Kappa is below 0.
    a, b = [1] * 118 + [1] * 5 + [0] * 2, [1] * 118 + [0] * 5 + [1] * 2
    by_chance = 2 * 243 / 250 * 7 / 250
    assert gwet_ac(a, b) == pytest.approx((118 / 125 - by_chance) / (1 - by_chance))
    assert gwet_ac(a, b) == pytest.approx(0.9408, abs=5e-5)
    assert cohen_kappa(a, b) < 0


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_gwet_against_a_slow_twin(weights: Literal["linear", "quadratic"] | None) -> None:
    random = np.random.default_rng(4)
    a, b = random.integers(0, 4, (2, 30)).tolist()
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]
    agreed = [[float(i == j) if not power else 1 - (abs(i - j) / 3) ** power for j in range(4)] for i in range(4)]
    observed = sum(agreed[i][j] for i, j in zip(a, b, strict=True)) / 30
    share = [(a.count(k) + b.count(k)) / 60 for k in range(4)]
    by_chance = sum(map(sum, agreed)) / (4 * 3) * sum(p * (1 - p) for p in share)
    assert gwet_ac(a, b, weights) == pytest.approx((observed - by_chance) / (1 - by_chance))
    assert gwet_ac(a, a, weights) == 1
    assert gwet_ac([2, 2], [2, 2], weights) == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30), st.permutations(range(4)))
def test_ac1_knows_no_order_of_assessors_or_categories(pairs: list[tuple[int, int]], names: list[int]) -> None:
    a, b = (list(of) for of in zip(*pairs, strict=True))
    found = gwet_ac(a, b, categories=range(4))
    assert -1 <= found <= 1
    assert gwet_ac(b, a, categories=range(4)) == pytest.approx(found)
    assert gwet_ac([names[i] for i in a], [names[i] for i in b], categories=range(4)) == pytest.approx(found)


def dense_kappa(a: list[int], b: list[int], weights: str | None, categories: int) -> tuple[float, float]:
    """Kappa and AC from the tables of their definitions, every cell of which is written down."""
    grid = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))).astype(float)
    weight = {None: (grid > 0).astype(float), "linear": grid, "quadratic": grid**2}[weights]
    observed = np.zeros((categories, categories))
    np.add.at(observed, (a, b), 1 / len(a))
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    kappa = 1 - (weight * observed).sum() / (weight * expected).sum() if (weight * expected).sum() else 1.0
    agreed = 1 - weight / max(weight.max(), 1)
    share = (observed.sum(axis=0) + observed.sum(axis=1)) / 2
    by_chance = agreed.sum() / max(categories * (categories - 1), 1) * (share * (1 - share)).sum()
    return kappa, ((agreed * observed).sum() - by_chance) / (1 - by_chance)


@given(
    st.integers(1, 9).flatmap(
        lambda q: st.tuples(st.just(q), *[st.lists(st.integers(0, q - 1), min_size=6, max_size=6) for _ in "ab"])
    ),
    st.sampled_from([None, "linear", "quadratic"]),
)
def test_kappa_and_ac_are_those_of_whole_tables(drawn: tuple[int, list[int], list[int]], weights: Any) -> None:
    q, a, b = drawn
    found = cohen_kappa(a, b, weights, categories=range(q)), gwet_ac(a, b, weights, categories=range(q))
    assert found == pytest.approx(dense_kappa(a, b, weights, q), abs=1e-12)
    names = [chr(105 - label) for label in range(q)]  # in an order that is not that of the letters
    one, other = ([names[label] for label in labels] for labels in (a, b))
    assert gwet_ac(one, other, weights, categories=names) == pytest.approx(found[1], abs=1e-12)


def test_thousands_of_grades_take_no_table_of_all_with_all() -> None:
    """Six thousand different labels: a table of all with all would take 288 MB, and its products minutes."""
    rng = np.random.default_rng(7)
    a = rng.permutation(6000) / 7
    b = a + rng.normal(size=6000) / 100
    tracemalloc.start()
    found = [cohen_kappa(a, b, "linear"), gwet_ac(a, b, "quadratic"), percent_agreement([a, b])]
    found += [krippendorff_alpha([a, b], level) for level in ("nominal", "ordinal", "interval")]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16e6
    assert found[2] == 0
    assert min(found[0], found[1], found[4], found[5]) > 0.99


@pytest.mark.parametrize("categories", [[], [1], [0, 1, 1], [0, 2]])
def test_labels_that_are_no_category_are_named(categories: list[int]) -> None:
    with pytest.raises(InputError, match=r"item [01] has the label [01], which is not one of the categories"):
        cohen_kappa([0, 1], [0, 0], categories=categories)

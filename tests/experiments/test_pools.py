"""Smaller pools: their sizes by hand, and what must hold of any."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from cranfield import join
from cranfield.experiments.downsampling import best_rank, random_pool, stratified_pool
from cranfield.judged.judgments import Judgments
from cranfield.plumbing.arrays import Booleans


def judged(*grades_by_topic: list[int]) -> Judgments:
    rows = [(str(t), f"d{i}", g) for t, grades in enumerate(grades_by_topic) for i, g in enumerate(grades)]
    return Judgments(pl.DataFrame(rows, schema=["query_id", "doc_id", "relevance"], orient="row"))


def sizes(judgments: Judgments, kept: Booleans) -> dict[tuple[int, int], int]:
    """Count what is left of each topic and grade, one document after the other."""
    found: dict[tuple[int, int], int] = {}
    for topic, grade, stays in zip(judgments.topic, judgments.grade, kept, strict=True):
        found[int(topic), int(grade)] = found.get((int(topic), int(grade)), 0) + int(stays)
    return found


def test_sizes_by_hand() -> None:
    judgments = judged([0] * 40 + [1] * 8 + [2] * 3, [0] * 12 + [1])
    pool = stratified_pool(judgments, np.random.default_rng(7))
    #   0.5 of 40, 8, 3; 12, 1: of the last two 10 (not 6), and 1 (not 0)
    assert sizes(judgments, pool(0.5)) == {(0, 0): 20, (0, 1): 4, (0, 2): 1, (1, 0): 10, (1, 1): 1}
    #   0.1 of 40 is 4: ten stay
    assert sizes(judgments, pool(0.1)) == {(0, 0): 10, (0, 1): 1, (0, 2): 1, (1, 0): 10, (1, 1): 1}
    assert pool(1.0).all()


def test_binary_fractions_take_no_document() -> None:
    hundred = random_pool(judged([0] * 100), np.random.default_rng(7))
    assert [int(hundred(n / 100).sum()) for n in range(1, 101)] == list(range(1, 101))  # 0.29 · 100 is 28.999...


grade_lists = st.lists(st.lists(st.integers(-1, 3), min_size=1, max_size=40), min_size=1, max_size=4)


@given(grade_lists, st.floats(0.01, 1), st.floats(0.01, 1), st.integers(0, 99))
def test_a_stratified_pool(grades: list[list[int]], rate: float, other: float, seed: int) -> None:
    judgments = judged(*grades)
    pool = stratified_pool(judgments, np.random.default_rng(seed))
    less, more = sorted([rate, other])
    assert (pool(more) | ~pool(less)).all()  # the smaller lies in the larger
    for (topic, grade), size in sizes(judgments, pool(rate)).items():
        there = grades[topic].count(grade)
        least = 1 if grade > 0 else 10
        assert size == min(there, max(least, math.floor(round(rate * there, 6))))


@given(grade_lists, st.floats(0.01, 1), st.integers(0, 99))
def test_a_random_pool_looks_at_no_grade(grades: list[list[int]], rate: float, seed: int) -> None:
    judgments = judged(*grades)
    kept = random_pool(judgments, np.random.default_rng(seed))(rate)
    for topic, there in enumerate(grades):
        assert kept[judgments.topic == topic].sum() == max(1, math.floor(round(rate * len(there), 6)))
    others = random_pool(judged(*[[0] * len(there) for there in grades]), np.random.default_rng(seed))
    assert (others(rate) == kept).all()


def test_every_document_is_as_likely_to_stay() -> None:
    judgments = judged([1] * 10)
    stays = sum(stratified_pool(judgments, np.random.default_rng(seed))(0.3).astype(int) for seed in range(2000))
    # 2000 draws with chance 0.3: a standard deviation of sqrt(2000 · 0.3 · 0.7) = 20.5, and five of
    # them either way
    assert np.abs(stays - 600).max() < 5 * 20.5


def test_the_best_rank_of_any_run() -> None:
    runs = {f"r{i}": {"1": {f"d{(i * 7 + j) % 50}": float(-j) for j in range(20)}} for i in range(40)}
    joined = join({"1": {f"d{i}": i % 2 for i in range(60)}}, runs)
    assert len(joined.batches) > 1
    for document, best in zip(joined.judgments.document, best_rank(joined), strict=True):
        places = [list(run["1"]).index(document) + 1 for run in runs.values() if document in run["1"]]
        assert best == min(places, default=math.inf)

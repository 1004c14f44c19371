"""Bandits against plain loops over all runs and judgments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tools.each import each_of

from cranfield.selection.judging import Judging

RUNS = {
    "w": {"1": {d: -i for i, d in enumerate("abcdefgh")}},
    "x": {"1": {d: -i for i, d in enumerate("hijkb")}},
    "y": {"1": {d: -i for i, d in enumerate("lmnabc")}},
    "z": {"1": {d: -i for i, d in enumerate("opqrst")}},
}
SEEDS = range(30)

Promise = Callable[[list[list[int]], int], list[float]]


def grades_of(seed: int) -> dict[str, int]:
    drawn = np.random.default_rng(seed).integers(0, 2, 20)
    return {d: int(grade) for d, grade in zip("abcdefghijklmnopqrst", drawn, strict=True)}


def plain_order(promise: Promise, grades: dict[str, int], remembered: int = 99) -> list[str]:
    """Pull the arm of most promise, of equals that of which less is known, then the first, until all is judged."""
    order: list[str] = []
    while len(order) < len(grades):
        outcomes = [[grades[d] for d in order if d in run["1"]][-remembered:] for run in RUNS.values()]
        values = promise(outcomes, len(order))
        arms = sorted(range(4), key=lambda arm: (-values[arm], len(outcomes[arm]), arm))
        lists = [[d for d in list(RUNS.values())[arm]["1"] if d not in order] for arm in arms]
        order.append(next(left[0] for left in lists if left))
    return order


def means(outcomes: list[list[int]], _: int) -> list[float]:
    return [(1 + sum(seen)) / (2 + len(seen)) for seen in outcomes]


def draws(outcomes: list[list[int]], judged: int) -> list[float]:
    random = np.random.default_rng([7, 0, judged])
    return [float(random.beta(1 + sum(seen), 1 + len(seen) - sum(seen))) for seen in outcomes]


def order_of(method: str, grades: dict[str, int], seed: int = 7) -> list[str]:
    judging = Judging(RUNS, method=method, seed=seed)
    order = []
    while found := judging.next():
        order.append(found[0].document)
        judging.record("1", order[-1], grades[order[-1]])
    return order


@each_of("seed", SEEDS)
def test_orders_are_those_of_plain_loops(seed: int) -> None:
    grades = grades_of(seed)
    assert order_of("max-mean", grades) == plain_order(means, grades)
    assert order_of("max-mean-ns", grades) == plain_order(means, grades, remembered=1)
    assert order_of("thompson", grades) == plain_order(draws, grades)


def test_chance_depends_on_the_seed() -> None:
    grades = grades_of(0)
    assert order_of("thompson", grades, seed=1) == order_of("thompson", grades, seed=1)
    assert order_of("thompson", grades, seed=1) != order_of("thompson", grades, seed=2)


def test_the_run_whose_documents_are_relevant_is_judged_first() -> None:
    grades = {d: int(d in RUNS["z"]["1"]) for d in grades_of(0)}
    assert order_of("max-mean", grades)[:8] == ["a", "h", *"opqrst"]  # w (and y) 1/3, x (and w) 1/3, z 1/2

"""Move to front against a queue that is really turned, judgment by judgment."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
import pytest
from tools.each import each_of

from cranfield.selection.bandits import queue_of
from cranfield.selection.judging import Judging

Runs = dict[str, dict[str, dict[str, float]]]
Grades = dict[tuple[str, str], int]


def random_runs(seed: int) -> tuple[Runs, Grades]:
    """Draw four short runs on three topics, one run without the last topic, and grades for all documents."""
    random = np.random.default_rng(seed)
    documents = list("abcdefghij")
    runs: Runs = {name: {} for name in "wxyz"}
    for name, topic in [(name, topic) for name in runs for topic in "123" if (name, topic) != ("y", "3")]:
        retrieved = random.permutation(documents)[: random.integers(1, 8)]
        runs[name][topic] = {str(d): float(-i) for i, d in enumerate(retrieved)}
    grades = {(topic, d): int(random.integers(0, 3) > 0) for topic in "123" for d in documents}
    return runs, grades


def plain_order(runs: Runs, grades: Grades, topic: str) -> Iterator[str]:
    """Give the documents of a topic in order, from the rule."""
    queue = deque(run for run in runs if topic in runs[run])
    judged: set[str] = set()
    while queue:
        left = [d for d in runs[queue[0]][topic] if d not in judged]
        if not left:
            queue.popleft()
            continue
        yield left[0]
        judged.add(left[0])
        if not grades[topic, left[0]]:
            queue.rotate(-1)


def judge_all(judging: Judging, grades: Grades) -> list[tuple[str, str]]:
    chosen = []
    while found := judging.next():
        chosen.append((found[0].topic, found[0].document))
        judging.record(*chosen[-1], grades[chosen[-1]])
    return chosen


@each_of("seed", range(40))
def test_order_is_that_of_a_queue(seed: int) -> None:
    runs, grades = random_runs(seed)
    chosen = judge_all(Judging(runs, method="mtf"), grades)
    for topic in "123":
        plain = []
        queue = plain_order(runs, grades, topic)
        for document in queue:
            if document not in plain:
                plain.append(document)
        assert [d for t, d in chosen if t == topic] == plain


def test_a_run_stays_in_front_while_its_documents_are_relevant() -> None:
    runs = {"x": {"1": {"a": 4, "b": 3, "c": 2, "d": 1}}, "y": {"1": {"p": 3, "q": 2, "b": 1}}, "z": {"1": {"r": 1}}}
    judging = Judging(runs, method="mtf")
    order = []
    for grade in [1, 1, 0, 0, 0, 1]:  # x: a b c, y: p, z: r and nothing more, x: d and nothing more, y: q
        order.append(judging.next()[0].document)
        judging.record("1", order[-1], grade)
    assert order == ["a", "b", "c", "p", "r", "d"]
    assert queue_of(judging.state, 0).tolist() == [1]
    assert judging.next()[0].document == "q"


@pytest.mark.parametrize("method", ["mtf", "max-mean", "max-mean-ns", "thompson"])
def test_taken_back_and_read_again_the_order_is_the_same(method: str) -> None:
    runs, grades = random_runs(5)
    judging = Judging(runs, method=method, seed=3)
    whole = judge_all(judging, grades)
    judging.undo(9)
    again = Judging.from_dict(runs, judging.to_dict())
    assert judge_all(judging, grades) == whole[-9:] == judge_all(again, grades)

"""Sums of what is open: formed in the order of the documents, to the last bit, whatever was judged when."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.selection import Judging
from cranfield.selection.state import OpenWeights

LISTS = st.lists(st.sets(st.integers(0, 3), min_size=1).map(sorted), min_size=1, max_size=12)


def slowly(lists: list[list[int]], weights: list[list[float]], closed: set[int]) -> list[float]:
    """Add one weight after the other, document by document."""
    sums = [0.0] * 4
    for document, (runs, of_runs) in enumerate(zip(lists, weights, strict=True)):
        for run, weight in zip(runs, of_runs, strict=True):
            sums[run] += 0.0 if document in closed else weight
    return sums


@given(LISTS, st.lists(st.integers(0, 11), max_size=20), st.integers(0, 2**32))
def test_sums_are_those_of_a_loop_to_the_last_bit(lists: list[list[int]], turned: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = [rng.random(len(runs)).tolist() for runs in lists]
    start = np.append(0, np.cumsum([len(runs) for runs in lists])).tolist()
    table = OpenWeights(np.concatenate(lists), np.concatenate(weights), 4)
    closed: set[int] = set()
    for document in turned:
        if document >= len(lists):
            continue
        closed ^= {document}
        table.put(slice(*start[document : document + 2]), 0.0 if document in closed else np.array(weights[document]))
    assert table.sums().tolist() == slowly(lists, weights, closed)


@pytest.mark.parametrize(("others", "suits"), [(12, False), (2, True)])
def test_one_long_list_among_short_ones(others: int, suits: bool) -> None:
    runs = {"long": {"1": {f"d{rank:02}": -float(rank) for rank in range(1, 61)}}}
    runs |= {f"short{number}": {"1": {"d01": 1.0}} for number in range(others)}
    judging = Judging(runs, "P@60", method="B")
    assert OpenWeights.suit(judging.candidates.length[:, 0]) == suits
    for _ in range(3):
        judging.record("1", judging.next()[0].document, 1)
    *_, (topic, document, _grade) = judging.history
    assert judging.state.residual[0, 0] == pytest.approx(57 / 60)
    judging.take_back(topic, document)
    assert judging.state.residual[0, 0] == pytest.approx(58 / 60)
    assert judging.state.residual[1:, 0].tolist() == [0.0] * others  # d01, their only document, is judged

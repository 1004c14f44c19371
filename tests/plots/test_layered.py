"""Partial orders on the page: no line through a node, few that cross."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cranfield.plots.orders import layered


@given(st.integers(2, 9).flatmap(lambda n: st.tuples(
    st.lists(st.integers(0, 3), min_size=n, max_size=n),
    st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=12),
)))  # fmt: skip
def test_lines_run_from_node_to_node_and_never_through_one(given_: tuple[list[int], set[tuple[int, int]]]) -> None:
    levels, some = given_
    ranks = {each: i for i, each in enumerate(sorted(set(levels)))}
    layer = np.array([ranks[each] for each in levels])
    edges = sorted((one, other) for one, other in some if layer[one] < layer[other])
    found = layered(layer, edges)
    for (one, other), path in zip(edges, found.paths, strict=True):
        assert path[0] == (layer[one], found.place[one])
        assert path[-1] == (layer[other], found.place[other])
        for step, place in path[1:-1]:
            assert np.abs(found.place[layer == step] - place).min(initial=9) > 0.5
    for each in set(layer.tolist()):
        assert (np.diff(np.sort(found.place[layer == each])) >= 1 - 1e-9).all()


def test_two_lines_that_cross_are_uncrossed() -> None:
    found = layered(np.array([0, 0, 1, 1]), [(0, 3), (1, 2)])
    (_, a), (_, b) = found.paths[0]
    (_, c), (_, d) = found.paths[1]
    assert (a - c) * (b - d) > 0

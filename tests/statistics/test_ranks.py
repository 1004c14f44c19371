"""Ranks of numbers that may be equal: those of scipy, without loading it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from cranfield.statistics.ranks import mean_ranks, spans

SHAPES = st.tuples(st.integers(0, 3), st.integers(1, 8))


@given(values=SHAPES.flatmap(lambda shape: arrays(float, shape, elements=st.sampled_from([-1.0, 0.0, -0.0, 0.5, 2.0]))))
def test_they_are_those_of_scipy(values: np.ndarray) -> None:
    assert np.array_equal(mean_ranks(values), rankdata(values, axis=-1))
    for found, method in zip(spans(values), ("min", "max"), strict=True):
        assert np.array_equal(found, rankdata(values, method=method, axis=-1))


def test_of_one_number_and_of_many_axes() -> None:
    assert mean_ranks([7.0]).tolist() == [1.0]
    cube = np.random.default_rng(7).integers(0, 3, (2, 3, 40)).astype(float)
    assert mean_ranks(cube) == pytest.approx(rankdata(cube, axis=-1))

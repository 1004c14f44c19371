"""Topics that are left out: by trying every set of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.plumbing.errors import InputError
from cranfield.statistics.influence import fewest_that_undo, means_without_each


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=8))
def test_no_fewer_topics_undo_a_lead(tenths: list[int]) -> None:
    """Every set of topics is left out, the smallest first; in whole numbers nothing is rounded."""
    topics = range(len(tenths))
    undoing = (
        size
        for size in range(len(tenths))
        if any(sum(tenths[t] for t in topics if t not in out) <= 0 for out in combinations(topics, size))
    )
    fewest = next(undoing, None)
    found = fewest_that_undo(np.array(tenths) / 10)
    assert (None if found is None else len(found)) == fewest
    if found is not None:
        assert sum(tenths[t] for t in topics if t not in found) <= 0


def test_the_mean_without_a_topic_is_that_of_the_others() -> None:
    values = np.random.default_rng(7).random((3, 6))
    found = means_without_each(values)
    for run, topic in np.ndindex(values.shape):
        assert found[run, topic] == pytest.approx(np.delete(values[run], topic).mean())
    with pytest.raises(InputError, match="at least two topics; there is 1"):
        means_without_each([[0.5]])

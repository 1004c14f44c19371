"""Risk and reward: by hand, by plain loops, and against Student's t."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cranfield.plumbing.errors import InputError
from cranfield.statistics.risk import risk_reward

DIFFERENCES = st.lists(st.integers(-8, 8).map(lambda n: n / 8), min_size=1, max_size=9)


def test_three_topics_by_hand() -> None:
    """Gains .5 and .1, a loss of .3 that counts three times: x = .5, .1, −.9, of mean −.1."""
    found = risk_reward([[0.5, 0.1, -0.3]], alpha=2)
    assert found.reward.item() == pytest.approx((0.5 + 0.1) / 3)
    assert found.risk.item() == pytest.approx(0.3 / 3)
    assert found.urisk.item() == pytest.approx((0.5 + 0.1 - 3 * 0.3) / 3)
    variance = ((0.5 + 0.1) ** 2 + (0.1 + 0.1) ** 2 + (-0.9 + 0.1) ** 2) / 2
    assert found.trisk.item() == pytest.approx(-0.1 / math.sqrt(variance / 3))


@given(DIFFERENCES, st.sampled_from([0.0, 0.5, 1.0, 5.0]))
def test_it_is_what_plain_loops_find(row: list[float], alpha: float) -> None:
    found = risk_reward([row], alpha)
    gains = [d for d in row if d > 0]
    losses = [-d for d in row if d < 0]
    assert found.reward.item() == pytest.approx(sum(gains) / len(row))
    assert found.risk.item() == pytest.approx(sum(losses) / len(row))
    weighed = [(1 + alpha) * d if d < 0 else d for d in row]
    mean = sum(weighed) / len(row)
    assert found.urisk.item() == pytest.approx(mean)
    if len(set(weighed)) == 1:
        assert math.isnan(found.trisk.item())
    else:
        spread = math.sqrt(sum((x - mean) ** 2 for x in weighed) / (len(row) - 1))
        assert found.trisk.item() == pytest.approx(mean / (spread / math.sqrt(len(row))), abs=1e-9)


def test_without_alpha_trisk_is_students_t() -> None:
    a, b = np.random.default_rng(7).random((2, 20))
    assert risk_reward([a - b], 0).trisk.item() == pytest.approx(stats.ttest_rel(a, b).statistic)


def test_what_is_no_table_of_numbers_is_refused() -> None:
    with pytest.raises(InputError, match="a table"):
        risk_reward([0.1, 0.2])
    with pytest.raises(InputError, match="finite"):
        risk_reward([[0.1, math.nan]])
    with pytest.raises(InputError, match="alpha must be"):
        risk_reward([[0.1]], alpha=-1)

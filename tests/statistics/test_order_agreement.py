"""Two leaderboards of the same systems: by hand, with scipy as a peer, equal, tied, of two, and on one topic."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cranfield.plumbing.errors import InputError
from cranfield.statistics.order_agreement import (
    FEWEST_SYSTEMS,
    agreement_over_systems,
    agreement_over_topics,
    order_agreement,
    shared_top,
)


def test_by_hand_and_by_scipy() -> None:
    truth, judge = [5, 4, 3, 2, 1], [4, 5, 3, 1, 2]
    tau_b, tau_ap, spearman, top = order_agreement(judge, truth, best=1)
    assert tau_b == pytest.approx((8 - 2) / 10) == pytest.approx(stats.kendalltau(judge, truth).statistic)
    assert spearman == pytest.approx(1 - 6 * 4 / (5 * 24)) == pytest.approx(stats.spearmanr(judge, truth).statistic)
    # Down the judge's b a c e d, above each how many are above it in truth, too: 0 of 1, 2 of 2, 3 of 3, 3 of 4.
    assert tau_ap == pytest.approx(2 / 4 * (0 / 1 + 2 / 2 + 3 / 3 + 3 / 4) - 1)
    assert top == 0


def test_ties_are_those_of_scipy() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        judge, truth = random.integers(0, 4, (2, 9)).astype(float)
        tau_b, _, spearman, _ = order_agreement(judge, truth, best=3)
        assert tau_b == pytest.approx(stats.kendalltau(judge, truth).statistic)
        assert spearman == pytest.approx(stats.spearmanr(judge, truth).statistic)


def test_ties_across_the_border_share_the_places() -> None:
    assert shared_top([3, 2, 2, 2], [4, 3, 2, 1], best=2) == pytest.approx((1 + 1 / 3) / 2)
    assert shared_top([1, 1, 1, 1], [4, 3, 2, 1], best=2) == pytest.approx(2 * 0.5 / 2)
    assert shared_top([1, 1, 1, 1], [1, 1, 1, 1], best=2) == 1
    # The first system twice: it takes both places by the one, and none by the other.
    assert shared_top([4, 3, 2, 1], [1, 2, 3, 4], best=2, times=[2, 1, 1, 1]) == 0
    assert shared_top([4, 3, 2, 1], [4, 1, 2, 3], best=2, times=[2, 0, 1, 1]) == 1


def test_equal_leaderboards_are_equal_in_every_draw() -> None:
    scores = np.random.default_rng(7).random((15, 10))
    assert order_agreement(scores.mean(axis=1), scores.mean(axis=1), 5).tolist() == pytest.approx([1] * 4)
    for low, high in (
        agreement_over_topics(scores, scores, 5, resamples=50),
        agreement_over_systems(scores.mean(axis=1), scores.mean(axis=1), 5, resamples=50),
    ):
        assert low == pytest.approx(np.ones(4))
        assert high == pytest.approx(np.ones(4))


def test_two_systems_one_topic_and_all_tied() -> None:
    two = order_agreement([1, 2], [2, 1], best=1)
    assert two.tolist() == [-1, -1, -1, 0]
    assert np.isnan(order_agreement([1, 2], [2, 1], best=2)[-1])  # the best two are all
    assert np.isnan(order_agreement([1, 1], [2, 1], best=1)).all()
    low, high = agreement_over_topics([[1.0], [2.0]], [[2.0], [1.0]], 1)
    assert np.isnan([low, high]).all()
    low, high = agreement_over_systems([1.0, 2.0], [2.0, 1.0], 1)
    assert np.isnan([low, high]).all()
    with pytest.raises(InputError, match="at least two systems"):
        order_agreement([1], [1], 1)


def test_intervals_hang_on_the_seed_alone_and_hold_what_was_seen() -> None:
    judge, truth = np.random.default_rng(5).random((2, FEWEST_SYSTEMS, 8))
    seen = order_agreement(judge.mean(axis=1), truth.mean(axis=1), 4)
    for of, (one, other) in (
        (agreement_over_topics, (judge, truth)),
        (agreement_over_systems, (judge.mean(axis=1), truth.mean(axis=1))),
    ):
        low, high = of(one, other, 4, resamples=200, seed=3)
        again = of(one, other, 4, resamples=200, seed=3)
        assert (low == again[0]).all() and (high == again[1]).all()
        assert (low <= seen).all() and (seen <= high).all()
        assert (low >= [-1, -1, -1, 0]).all() and (high <= 1).all()

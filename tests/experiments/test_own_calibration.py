"""What is tried on one's own scores: against a slow twin, and on scores whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.experiments.calibration import statements
from cranfield.plumbing.errors import InputError
from cranfield.statistics.conclusions import tell_apart


def held(values: np.ndarray, topics: int, times: int = 200) -> dict[str, float]:
    return {what: float(found.mean()) for what, found in statements(values, topics, times, 3)}


def test_normal_scores_hold_as_promised() -> None:
    found = held(np.random.default_rng(1).normal(0.5, 0.1, (12, 400)), 25, 600)
    assert found["interval of a mean"] == pytest.approx(0.95, abs=0.03)
    assert found["interval of a difference"] == pytest.approx(0.95, abs=0.03)
    assert found["no run told from another of 8, labels exchanged"] > 0.93
    assert found["not called better, equal means"] == pytest.approx(0.975, abs=0.02)


def test_who_picks_the_first_two_finds_too_large_a_difference() -> None:
    found = held(np.random.default_rng(1).normal(0.5, 0.1, (12, 400)), 25, 600)
    assert found["interval of the first two, equal means"] > found["interval of a difference"] - 0.02
    scattered = np.random.default_rng(2).exponential(0.2, (12, 400))
    assert held(scattered, 6)["interval of a mean"] < 0.95


def test_each_statement_is_a_slow_twins() -> None:
    """One sample after the other: scipy's intervals, and the pairs told apart one by one."""
    values = np.random.default_rng(4).random((4, 20)) ** 3
    random = np.random.default_rng(3)
    chosen = random.integers(0, 20, (40, 1, 10))
    runs = random.permuted(np.tile(np.arange(4), (40, 1)), axis=1)
    right: dict[str, list[bool]] = {}
    for n in range(40):
        some, means = values[runs[n]][:, chosen[n, 0]], values[runs[n]].mean(axis=1)
        low, high = stats.ttest_1samp(some[0], 0).confidence_interval()
        right.setdefault("interval of a mean", []).append(low <= means[0] <= high)
        level = some - means[:, np.newaxis]
        told = tell_apart(level)
        right.setdefault("no run told from another of 4, equal means", []).append(not told.above.any())
        one, other = np.argsort(-level.mean(axis=1))[:2]
        low, high = stats.ttest_rel(level[one], level[other]).confidence_interval()
        right.setdefault("interval of the first two, equal means", []).append(low <= 0 <= high)
    found = held(values, 10, 40)
    assert {what: np.mean(each) for what, each in right.items()} == {what: found[what] for what in right}


def test_no_verdict_on_five_topics() -> None:
    found = held(np.random.default_rng(4).random((9, 20)), 5)
    assert {found[f"not called {each}, labels exchanged"] for each in ("better", "worse")} == {1.0}


def test_as_an_experiment() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(9)}
    good, poor = {t: ["a", "b"] for t in qrels}, {t: ["b", "a"] if int(t) % 3 else ["a"] for t in qrels}
    joined = cf.join(qrels, {"good": good, "poor": poor})
    found = cf.experiments.calibration(joined, "RR", sizes=(6, 10), times=20)
    assert found["held"]["topics"].unique(maintain_order=True).to_list() == [6, 10]
    assert set(found["held"]["draws"]) == {20}
    assert not found["held"].filter(statement="no run told from another of 2, equal means").height
    with pytest.raises(InputError, match="at least two runs"):
        cf.experiments.calibration(cf.join(qrels, {"good": good}), "RR")

"""What is tried on one's own scores: against a slow twin, and on scores whose answer is known."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from scipy import stats

import cranfield as cf
from cranfield.experiments.calibration import statements
from cranfield.plumbing.errors import InputError
from cranfield.statistics.conclusions import tell_apart


def held(values: np.ndarray, topics: int, times: int = 200) -> dict[str, float]:
    return {said.what: float(said.held.mean()) for said in statements(values, topics, times, 3) if len(said.held)}


def test_normal_scores_hold_as_promised() -> None:
    found = held(np.random.default_rng(1).normal(0.5, 0.1, (12, 400)), 25, 600)
    assert found["interval of a mean"] == pytest.approx(0.95, abs=0.03)
    assert found["interval of a difference"] == pytest.approx(0.95, abs=0.03)
    assert found["no run told from another of 8, labels exchanged"] > 0.93
    assert found["not called better, equal means"] == pytest.approx(0.975, abs=0.02)


def test_the_lead_has_an_interval_of_the_level_that_is_left() -> None:
    """Of eight equal runs hardly any two are told apart: 1 - .05 / 28; where all are, as 8 apart are, .95 is left."""
    values = np.random.default_rng(1).normal(0.5, 0.1, (12, 400))
    name = "interval of the lead of 8, after correction"
    equal = {said.what: said for said in statements(values, 25, 600, 3)}[f"{name}, equal means"]
    assert equal.promised == pytest.approx(1 - 0.05 / 28, abs=1e-4)
    assert equal.held.mean() > 0.99
    apart = {said.what: said for said in statements(values + np.arange(12)[:, np.newaxis], 25, 600, 3)}[name]
    assert apart.promised == pytest.approx(0.95)
    assert apart.held.mean() == pytest.approx(0.95, abs=0.03)


def test_intervals_fall_short_of_skew_scores() -> None:
    scattered = np.random.default_rng(2).exponential(0.2, (12, 400))
    assert held(scattered, 6)["interval of a mean"] < 0.95


def test_each_statement_is_a_slow_twins() -> None:
    """One sample after the other: scipy's intervals, and the pairs told apart one by one."""
    values = np.random.default_rng(4).random((4, 20)) ** 3
    random = np.random.default_rng(3)
    chosen = random.integers(0, 20, (40, 1, 10))
    runs = random.permuted(np.tile(np.arange(4), (40, 1)), axis=1)
    signs = np.array(list(itertools.product((-1, 1), repeat=10)))
    right: dict[str, list[bool]] = {}
    levels: dict[str, list[float]] = {}
    for n in range(40):
        some, means = values[runs[n]][:, chosen[n, 0]], values[runs[n]].mean(axis=1)
        low, high = stats.ttest_1samp(some[0], 0).confidence_interval()
        right.setdefault("interval of a mean", []).append(low <= means[0] <= high)
        level = some - means[:, np.newaxis]
        told = tell_apart(level)
        right.setdefault("no run told from another of 4, equal means", []).append(not told.above.any())
        for rows, how in ((some, ""), (level, ", equal means")):
            one, other = np.argsort(-rows.mean(axis=1))[:2]
            p = sorted(
                max(stats.ttest_rel(rows[a], rows[b]).pvalue, np.mean(np.abs(signs @ (rows[a] - rows[b])) >= seen))
                for a, b in itertools.combinations(range(4), 2)
                for seen in [abs((rows[a] - rows[b]).sum()) - 1e-9]
            )
            found_apart = next((k for k in range(6) if p[k] > 0.05 / (6 - k)), 6)
            share = 0.05 / max(1, 6 - found_apart)
            low, high = stats.ttest_rel(rows[one], rows[other]).confidence_interval(1 - share)
            true = (means[one] - means[other]) if not how else 0.0
            what = f"interval of the lead of 4, after correction{how}"
            right.setdefault(what, []).append(low <= true <= high)
            levels.setdefault(what, []).append(1 - share)
    found = held(values, 10, 40)
    assert {what: np.mean(each) for what, each in right.items()} == {what: found[what] for what in right}
    promised = {said.what: said.promised for said in statements(values, 10, 40, 3)}
    assert {what: promised[what] for what in levels} == pytest.approx({w: np.mean(of) for w, of in levels.items()})


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


def test_runs_that_are_all_the_same_have_no_lead() -> None:
    same = np.tile(np.random.default_rng(4).random(9), (3, 1))
    assert {said.what: len(said.held) for said in statements(same, 6, 20, 3)} == {
        said.what: 20 * ("lead" not in said.what) for said in statements(same, 6, 20, 3)
    }
    qrels = {str(t): {"a": 1, "b": 0} for t in range(9)}
    alike = {t: ["a", "b"] for t in qrels}
    found = cf.experiments.calibration(cf.join(qrels, dict.fromkeys("xyz", alike)), "RR", sizes=(6,), times=20)
    assert not found["held"].filter(pl.col("statement").str.contains("lead")).height

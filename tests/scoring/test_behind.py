"""How far runs are behind the best: by hand, as `compare` has it, and where nothing can be tested."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import cranfield as cf
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.scoring.behind import behind
from cranfield.statistics.intervals import t_interval


def all_flips(differences: Floats) -> float:
    """The share of all sign patterns of which the sum is as far from 0 as it was, the patterns grown one by one."""
    sums = np.zeros(1)
    for each in differences:
        sums = np.concatenate([sums + each, sums - each])
    return float((np.abs(sums) >= abs(sum(differences)) - 1e-9).mean())


def test_the_runs_that_are_worse_are_those_of_compare(campaign: Path) -> None:
    """All pairs, paired t-tests, Holm's correction; an interval beyond 0 of another run lacks the sign flips alone."""
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    for weights in (None, {topic: 1 + i % 3 for i, topic in enumerate(runs.topics)}):
        scores = cf.evaluate(runs, measures="nDCG@10", weights=weights)
        mine = scores.behind_best()
        by_run = dict(zip(scores.runs, scores.values[0], strict=True))
        heavy = 1.0 if weights is None else np.array([weights[topic] for topic in scores.topics])
        assert len(scores.topics) < 25
        compared = cf.compare(runs, measures="nDCG@10", weights=weights).differences
        best = mine["run"][0]
        for row in mine.rows(named=True)[1:]:
            [other] = compared.filter(
                pl.col("run_a").is_in([best, row["run"]]), pl.col("run_b").is_in([best, row["run"]])
            ).rows(named=True)
            sign = 1 if other["run_b"] == best else -1
            assert row["difference"] == pytest.approx(sign * other["difference"])
            assert row["below"] is other["significant"]
            confirmed = all_flips(heavy * (by_run[row["run"]] - by_run[best])) <= 1 - row["level"] + 1e-12
            assert row["below"] is (row["high"] < 0 and confirmed)


@given(st.integers(2, 6), st.integers(3, 12), st.integers(0, 10**6))
def test_an_interval_leaves_0_out_where_the_difference_is_significant(runs: int, topics: int, seed: int) -> None:
    """Below 25 topics the p that Holm's correction is of is that of t, or of all sign flips, if it is larger."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(runs, topics)) + rng.choice([0, 2, 9], (runs, 1))
    best = int(values.mean(axis=1).argmax())
    found = behind(values, best)
    pairs = [(a, b) for a in range(runs) for b in range(a + 1, runs)]
    by_t = {pair: stats.ttest_rel(values[pair[0]], values[pair[1]]).pvalue for pair in pairs}
    p = {(a, b): max(each, all_flips(values[a] - values[b])) for (a, b), each in by_t.items()}
    left = dict(sorted(p.items(), key=lambda each: each[1]))
    significant = set()
    for place, (pair, each) in enumerate(left.items()):  # Holm, step by step
        if each > 0.05 / (len(pairs) - place):
            break
        significant.add(pair)
    level = 0.05 / max(1, len(pairs) - len(significant))
    assert found.level == pytest.approx(1 - level)
    for run in set(range(runs)) - {best}:
        pair = (min(run, best), max(run, best))
        worse = values[run].mean() < values[best].mean() - 1e-9
        assert bool(found.below[run]) is bool(pair in significant and worse)
        if abs(found.high[run]) > 1e-9:
            assert bool(found.high[run] < 0) is bool(by_t[pair] < level and worse)
        assert found.high[run] < 0 or not found.below[run]


def _scores(measure: str, good: list[str], poor: list[str], topics: int = 20, *, bounds: bool = False) -> cf.Scores:
    qrels = {str(t): {"a": 1, "b": 1} for t in range(topics)}
    rng = np.random.default_rng(2)
    lists = {t: [f"x{i}" for i in range(rng.integers(3))] for t in qrels}
    runs = {"poor": {t: lists[t] + poor for t in qrels}, "good": dict.fromkeys(qrels, good)}
    return cf.evaluate(qrels, runs, measure, bounds=bounds)


def test_less_is_better_where_it_is() -> None:
    found = _scores("BalancePoint", ["a", "b"], ["x", "y", "a", "b"]).behind_best()
    best, worse = found.rows(named=True)
    assert (best["run"], worse["best"], worse["below"]) == ("good", "good", True)
    assert 0 < worse["low"] < worse["difference"] < worse["high"]  # it is worse by being higher


def test_a_geometric_mean_is_compared_by_logarithms_and_a_sum_by_its_topics() -> None:
    scores = _scores("GMAP", ["a", "b"], ["x", "y", "a", "b"])
    worse = scores.behind_best().row(1, named=True)
    best = scores.intervals()["mean"][0]
    poor, good = (np.log(scores.values[0, scores.runs.index(run)]) for run in ("poor", "good"))
    [low], [high] = t_interval([poor - good])  # of one pair, at 95%
    assert (worse["low"], worse["high"]) == pytest.approx((best * (np.exp(low) - 1), best * (np.exp(high) - 1)))
    assert worse["low"] < worse["difference"] < worse["high"]
    counts = _scores("NumRelRet", ["a", "b"], ["a"])
    fewer = counts.behind_best().row(1, named=True)
    assert (fewer["difference"], fewer["below"]) == (-20, True)  # one on each of 20 topics: 2 / 2^20 by sign flips
    assert (fewer["low"], fewer["high"]) == (None, None)  # what does not vary does not show how it would
    varied = _scores("NumRelRet", ["a", "b"], ["a"])
    values = varied.values[0, varied.runs.index("poor")]
    values[::2] -= 1  # now 2 and 1 in turn: -1.5 a topic, s = 0.5 √(20 / 19), so s / √20 = .5 / √19
    half = 20 * stats.t.ppf(0.975, 19) * 0.5 / np.sqrt(19)
    fewer = varied.behind_best().row(1, named=True)
    assert (fewer["difference"], fewer["low"], fewer["high"]) == pytest.approx((-30, -30 - half, -30 + half))


@pytest.mark.parametrize("why", ["one topic", "one run", "one weight", "other topics"])
def test_where_nothing_is_tested_there_is_no_interval(why: str) -> None:
    qrels = {str(t): {"a": 1} for t in range(12)}
    good, poor = {t: ["a"] for t in qrels}, {t: ["x", "a"] for t in qrels}
    if why == "one topic":
        scores = cf.evaluate({"1": {"a": 1}}, {"good": good, "poor": poor}, "RR")
    elif why == "one run":
        scores = cf.evaluate(qrels, {"good": good}, "RR")
    elif why == "one weight":
        weights = dict.fromkeys(qrels, 0.0) | {"3": 1.0}
        scores = cf.evaluate(qrels, {"good": good, "poor": poor}, "RR", weights=weights)
    else:
        few = {t: poor[t] for t in list(qrels)[:9]}
        scores = cf.evaluate(qrels, {"good": good, "poor": few}, "RR", topics="shared")
    found = scores.behind_best()
    assert found.select("low", "high", "below", "level").null_count().row(0) == (found.height,) * 4
    assert found["difference"].null_count() == 0
    said = " ".join(scores.plot("leaderboard").spec["title"]["subtitle"])
    assert "Hollow" not in said
    assert "Holm" not in said


def test_a_median_has_no_such_test() -> None:
    scores = _scores("RR", ["a"], ["x", "a"]).averaged_by("median")
    with pytest.raises(InputError, match="differences are tested of means, arithmetic and geometric, not of a median"):
        scores.behind_best()


def test_the_leaderboard_draws_the_intervals_and_what_they_say(campaign: Path) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "AP")
    found = scores.behind_best()
    by_run = dict(zip(scores.runs, scores.values[0], strict=True))
    assert len(scores.topics) < 25
    figure = scores.plot("leaderboard")
    [rows] = [rows for rows in figure.spec["datasets"].values() if "hollow" in rows[0]]
    best = rows[0]["mean"]
    for row, expected in zip(rows, found.rows(named=True), strict=True):
        assert row["run"] == expected["run"]
        assert row["hollow"] is not expected["below"]
        if expected["low"] is not None:
            assert (row["left"], row["right"]) == pytest.approx((best + expected["low"], best + expected["high"]))
            away = by_run[row["run"]] - by_run[rows[0]["run"]]  # the dot is hollow if the bar reaches the line,
            confirmed = all_flips(away) <= 1 - expected["level"] + 1e-12  # or, of few topics, sign flips do not agree
            assert expected["below"] is (row["right"] < best and confirmed)
    assert "two-sided paired t-test, Holm correction over 15 pairs of runs" in " ".join(
        figure.spec["title"]["subtitle"]
    )
    alike = found.height - 1 - int(found["below"].sum())
    assert alike == found.height - 1
    assert "no other is significantly worse than the best on topics like these" in figure.description
    assert f">{rows[0]['mean']:.4f}</text>" in figure.to_bytes("svg").decode()


def test_runs_that_are_level_are_not_told_apart() -> None:
    qrels = {str(t): {"a": 0} for t in range(12)}
    runs = {name: {t: ["a"] for t in qrels} for name in ("x", "y", "z")}
    figure = cf.evaluate(qrels, runs, "AP").plot("leaderboard")
    [rows] = [rows for rows in figure.spec["datasets"].values() if "hollow" in rows[0]]
    assert [row["hollow"] for row in rows] == [True] * 3


def test_a_figure_with_bounds_speaks_of_no_brackets() -> None:
    scores = _scores("RBP(p=0.8)", ["a", "b"], ["x", "a"], bounds=True)
    said = " ".join(scores.plot("leaderboard").spec["title"]["subtitle"])
    assert "bracket" not in said
    assert "Broad bar: what the run's own mean could be, whatever grades from 0 to the largest" in said
    assert "In brackets: its bounds" in scores.caption()

"""How far runs are behind the best: by hand, as all pairs at once, and where nothing can be tested."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.experiments import EXPERIMENTS
from cranfield.plumbing.errors import InputError
from cranfield.scoring.behind import RESAMPLES, SEED, behind
from cranfield.statistics.multiple_comparisons import simultaneous_intervals


def test_intervals_are_those_of_all_pairs_whichever_run_is_the_best() -> None:
    values = np.random.default_rng(4).random((4, 12)) + np.array([[0.0], [0.3], [0.1], [0.25]])
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    all_ = simultaneous_intervals([values[a] - values[b] for a, b in pairs], resamples=RESAMPLES, seed=SEED)
    found = behind(values, 1)
    for run in (0, 2, 3):
        place = pairs.index((min(1, run), max(1, run)))
        sign = 1 if run < 1 else -1
        expected = sorted((sign * all_.low[place], sign * all_.high[place]))
        assert [found.low[run], found.high[run]] == pytest.approx(expected)
        assert found.difference[run] == pytest.approx((values[run] - values[1]).mean())
    assert np.isnan(found.low[1])
    assert found.below.tolist() == [bool(high < 0) for high in np.nan_to_num(found.high)]


def test_those_that_tie_with_the_leader_are_as_in_the_certificate(campaign: Path) -> None:
    """Both test all pairs at once by the same draws; the certificate steps down, and so never has more ties."""
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    mine = runs.scores("nDCG@10").behind_best()
    ranks = EXPERIMENTS["certificate"](runs, "nDCG@10")["ranks"]
    assert set(ranks.filter("may_lead")["run"]) <= set(mine.filter(~pl.col("below"))["run"])
    assert mine["run"][0] == ranks["run"][0]


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
    by_id = np.argsort(np.array(scores.topics))  # topics are drawn in this order
    poor, good = (np.log(scores.values[0, scores.runs.index(run), by_id]) for run in ("poor", "good"))
    ends = simultaneous_intervals([poor - good], resamples=RESAMPLES, seed=SEED)
    assert (worse["low"], worse["high"]) == pytest.approx(
        (best * (np.exp(ends.low[0]) - 1), best * (np.exp(ends.high[0]) - 1))
    )
    assert worse["low"] < worse["difference"] < worse["high"]
    counts = _scores("NumRelRet", ["a", "b"], ["a"])
    fewer = counts.behind_best().row(1, named=True)
    assert (fewer["difference"], fewer["low"], fewer["high"]) == (-20, -20, -20)  # one on each of 20 topics


@pytest.mark.parametrize("why", ["one topic", "one run", "weights", "other topics"])
def test_where_nothing_is_tested_there_is_no_interval(why: str) -> None:
    qrels = {str(t): {"a": 1} for t in range(12)}
    good, poor = {t: ["a"] for t in qrels}, {t: ["x", "a"] for t in qrels}
    if why == "one topic":
        scores = cf.evaluate({"1": {"a": 1}}, {"good": good, "poor": poor}, "RR")
    elif why == "one run":
        scores = cf.evaluate(qrels, {"good": good}, "RR")
    elif why == "weights":
        weights = dict.fromkeys(qrels, 2.0) | {"3": 1.0}
        scores = cf.evaluate(qrels, {"good": good, "poor": poor}, "RR", weights=weights)
    else:
        few = {t: poor[t] for t in list(qrels)[:9]}
        scores = cf.evaluate(qrels, {"good": good, "poor": few}, "RR", topics="shared")
    found = scores.behind_best()
    assert found.select("low", "high", "below").null_count().row(0) == (found.height,) * 3
    assert found["difference"].null_count() == 0
    said = " ".join(scores.plot("leaderboard").spec["title"]["subtitle"])
    assert "Hollow" not in said
    assert "bootstrap" not in said


def test_a_median_has_no_such_test() -> None:
    scores = _scores("RR", ["a"], ["x", "a"]).averaged_by("median")
    with pytest.raises(InputError, match="differences are tested of means, arithmetic and geometric, not of a median"):
        scores.behind_best()


def test_the_leaderboard_draws_the_intervals_and_what_they_say(campaign: Path) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "AP")
    found = scores.behind_best()
    figure = scores.plot("leaderboard")
    [rows] = [rows for rows in figure.spec["datasets"].values() if "hollow" in rows[0]]
    best = rows[0]["mean"]
    for row, expected in zip(rows, found.rows(named=True), strict=True):
        assert row["run"] == expected["run"]
        assert row["hollow"] is not expected["below"]
        if expected["low"] is not None:
            assert (row["left"], row["right"]) == pytest.approx((best + expected["low"], best + expected["high"]))
            assert (row["right"] < best) is expected["below"]  # it reaches the line where the dot is hollow
    alike = found.height - 1 - int(found["below"].sum())
    assert f"{alike} run" in figure.description
    assert "not significantly worse than the best on topics like these" in figure.description
    assert f">{rows[0]['mean']:.4f}</text>" in figure.to_bytes("svg").decode()


def test_runs_that_are_level_are_not_told_apart() -> None:
    qrels = {str(t): {"a": 0} for t in range(12)}
    runs = {name: {t: ["a"] for t in qrels} for name in ("x", "y", "z")}
    figure = cf.evaluate(qrels, runs, "AP").plot("leaderboard")
    [rows] = [rows for rows in figure.spec["datasets"].values() if "hollow" in rows[0]]
    assert [row["hollow"] for row in rows] == [True] * 3
    assert "differ on no topic, or on too few" in str(figure.spec["title"])


def test_a_figure_with_bounds_speaks_of_no_brackets() -> None:
    scores = _scores("RBP(p=0.8)", ["a", "b"], ["x", "a"], bounds=True)
    said = " ".join(scores.plot("leaderboard").spec["title"]["subtitle"])
    assert "bracket" not in said
    assert "The broad bar spans what the mean could be, whatever grades from 0 to the largest" in said
    assert "In brackets: its bounds" in scores.caption()

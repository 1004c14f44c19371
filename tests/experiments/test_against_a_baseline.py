"""Risk and estimates against a baseline: what `compare`, scipy and a pencil find."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from scipy import stats

import cranfield as cf
from cranfield.experiments import estimation, risk
from cranfield.plumbing.errors import InputError

QRELS = {t: {"a": 1} for t in "1234"}
BASE = {t: ["x", "a"] for t in QRELS}
BOLD = {"1": ["a"], "2": ["a"], "3": ["x", "y", "z", "a"], "4": ["x", "a"]}
"""RR of the baseline is 1/2 everywhere, that of the other 1, 1, 1/4 and 1/2."""


def test_risk_of_four_topics_by_hand() -> None:
    found = risk(cf.join(QRELS, {"bold": BOLD, "base": BASE}), "RR", baseline="base", margin=0.25, alpha=3)
    row = found["runs"].row(0, named=True)
    assert (row["run"], row["baseline"]) == ("bold", "base")
    assert (row["wins"], row["ties"], row["losses"]) == (2, 1, 1)
    assert (row["helped"], row["hurt"]) == (2, 0)  # a loss of just the margin is within it
    assert (row["reward"], row["risk"]) == ((1 / 2 + 1 / 2) / 4, (1 / 4) / 4)
    assert row["urisk"] == (1 / 2 + 1 / 2 - 4 * 1 / 4) / 4
    assert found["topics"].rows()[0] == ("RR", "bold", "3", -0.25)
    hurt = risk(cf.join(QRELS, {"base": BASE, "bold": BOLD}), "RR", margin=0.2)
    assert hurt["runs"]["hurt"].item() == 1
    assert hurt.notes == (
        "RR against base (4 topics): 1 run with a better mean hurts some topic by more than 0.2; bold most, 1 topic",
    )


def test_a_loss_is_for_the_worse_where_less_is_better() -> None:
    """The balance point of a list is later, which is worse, where its relevant document is."""
    late = {t: ["x", "y", "z", "a"] for t in QRELS}
    found = risk(cf.join(QRELS, {"base": BASE, "late": late}), "BalancePoint")
    assert found["runs"].select("wins", "losses").row(0) == (0, 4)
    assert all(difference < 0 for difference in found["topics"]["difference"])


def test_of_equal_runs_nothing_is_at_risk() -> None:
    found = risk(cf.join(QRELS, {"base": BASE, "same": BASE}), "RR")["runs"]
    assert found.select("ties", "urisk", "trisk").row(0) == (4, 0, None)


def test_estimates_are_those_of_compare_and_scipy(campaign: Path) -> None:
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    base = runs.runs[2]
    found = estimation(runs, ["AP", "BalancePoint"], baseline=base)
    compared = cf.compare(runs, measures=["AP", "BalancePoint"], baseline=base).differences
    columns = ("measure", "run_a", "run_b", "difference", "low", "high")
    theirs = {row[:3]: row[3:] for row in compared.select(columns).iter_rows()}
    ours = {row[:3]: row[3:] for row in found["differences"].select("measure", "run", "baseline", *columns[3:]).rows()}
    assert ours.keys() == theirs.keys()
    assert all(ours[key] == pytest.approx(theirs[key]) for key in theirs)
    for (_, run), rows in found["distribution"].group_by("measure", "run"):
        assert rows["share"].sum() == pytest.approx(1), run
    by_run = {run: rows["value"].to_numpy() for (run,), rows in found["topics"].filter(measure="AP").group_by("run")}
    best = found["differences"].row(0, named=True)
    apart = by_run[best["run"]] - by_run[base]
    assert (best["low"], best["high"]) == pytest.approx(
        stats.t.interval(0.95, len(apart) - 1, apart.mean(), stats.sem(apart))
    )
    assert (best["better"], best["worse"]) == ((apart > 0).sum(), (apart < 0).sum())
    drawn = found["distribution"].filter(measure="AP", run=best["run"])
    middle = ((drawn["from"] + drawn["to"]) / 2 * drawn["share"]).sum()
    error = apart.std() / math.sqrt(len(apart))  # of a mean of topics drawn again
    assert middle == pytest.approx(
        best["difference"], abs=4 * error / math.sqrt(2000) + drawn["to"][0] - drawn["from"][0]
    )


def test_of_one_topic_there_is_no_interval() -> None:
    found = estimation(cf.join({"1": {"a": 1}}, {"base": BASE, "bold": BOLD}), "RR")
    assert found["differences"].select("difference", "low", "high").row(0) == (0.5, None, None)
    assert found["distribution"].rows() == [("RR", "bold", 0.5, 0.5, 1.0)]


@pytest.mark.parametrize("experiment", [risk, estimation])
def test_who_has_no_baseline_is_told_so(experiment: type) -> None:
    with pytest.raises(InputError, match="base is alone, give two runs or more"):
        experiment(cf.join(QRELS, {"base": BASE}), "RR")
    with pytest.raises(InputError, match=r"no run is called 'bass' \(the baseline\); did you mean `base`"):
        experiment(cf.join(QRELS, {"base": BASE, "bold": BOLD}), "RR", baseline="bass")

"""Runs by a judge and by the experts: every run a point, and the circular run a square."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield as cf
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.plumbing.errors import InputError

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1, "b": 0}}
RUNS = {"one": {"1": ["a", "b", "c"], "2": ["a", "b"]}, "two": {"1": ["c", "b"], "2": ["b"]}}


def test_points_are_runs_and_the_circular_run_stands_out(tmp_path: Path) -> None:
    (tmp_path / "gpt.txt").write_text("1 0 a 0\n1 0 b 1\n1 0 c 2\n2 0 a 1\n2 0 b 1\n")
    found = EXPERIMENTS["assessors"](cf.join(QRELS, RUNS), "P@1", assessors=(tmp_path / "gpt.txt",))
    figure = found.plot("judge-leaderboard")
    rows = next(rows for rows in figure.spec["datasets"].values() if "run" in rows[0])
    assert [(row["run"], row["by_qrels"], row["by_assessor"]) for row in rows] == [
        ("one", 1.0, 0.5), ("two", 0.0, 1.0), ("(sorted by labels)", 0.0, 1.0),
    ]  # fmt: skip
    assert [row["kind"] for row in rows] == ["a run", "a run", "sorted by this judge's labels"]
    assert "gpt scores 1 of 2 runs higher by P@1 than the qrels; the run sorted by its labels is number 1" in (
        figure.description
    )


def test_no_judge_on_the_scale_of_the_qrels(tmp_path: Path) -> None:
    (tmp_path / "gpt.txt").write_text("1 0 a 0.3\n1 0 b 0.1\n")
    found = EXPERIMENTS["assessors"](cf.join(QRELS, RUNS), "P@1", assessors=(tmp_path / "gpt.txt",))
    with pytest.raises(InputError, match="there is nothing to draw; the table leaderboards has no rows"):
        found.plot("judge-leaderboard")


def test_runs_made_with_the_judge_are_marked(tmp_path: Path) -> None:
    (tmp_path / "gpt.txt").write_text("1 0 a 0\n1 0 b 1\n1 0 c 2\n2 0 a 1\n2 0 b 1\n")
    found = assessed(tmp_path / "gpt.txt", circular=("two",))
    figure = found.plot("judge-leaderboard")
    rows = next(rows for rows in figure.spec["datasets"].values() if "kind" in rows[0])
    assert [row["kind"] for row in rows] == ["a run", "made with the judge", "sorted by this judge's labels"]
    assert "gpt scores 1 of 2 runs higher" in figure.description


def test_orders_have_intervals_where_these_are_known(tmp_path: Path) -> None:
    (tmp_path / "gpt.txt").write_text("1 0 a 0\n1 0 b 1\n1 0 c 2\n2 0 a 2\n2 0 b 1\n")
    figure = assessed(tmp_path / "gpt.txt").plot("judge-orders")
    rows = next(rows for rows in figure.spec["datasets"].values() if rows[0].get("statistic") == "tau_b")
    assert [(row["value"], row["runs_low"]) for row in rows] == [(-1.0, None)]  # by the qrels one leads, by gpt two
    assert figure.description.startswith(
        "Judges' leaderboards compared with the qrels', by RR. Kendall's τ_b by RR is -1.00 for"
    )


def test_figures_of_scores_alone(tmp_path: Path) -> None:
    (tmp_path / "people.tot").write_text("one AP 1 1\none AP 2 1\ntwo AP 1 0\ntwo AP 2 0\n")
    found = EXPERIMENTS["assessors"](scores=tmp_path / "people.tot", assessors=(tmp_path / "people.tot",))
    assert found.plot("judge-leaderboard").description.startswith("AP by judge and by the qrels. people scores 0 of 2")
    assert found.plot("judge-orders").description.endswith("for people (1.00 to 1.00 over topics).")


def assessed(judge: Path, circular: tuple[str, ...] = ()) -> Findings:
    measure = "P@1" if circular else "RR"
    return EXPERIMENTS["assessors"](cf.join(QRELS, RUNS), measure, assessors=(judge,), circular=circular)

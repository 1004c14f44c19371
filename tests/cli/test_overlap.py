"""``cranfield overlap`` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from cranfield.cli import main
from cranfield.formats import read_run, write_run
from cranfield.statistics.rank_overlap import rbo

X = {"1": "abc", "2": "ab"}
Y = {"1": "bda", "2": "ba", "3": "a"}
Z = {"4": "a"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lists in {"x": X, "y": Y, "z": Z}.items():
        run = {topic: {d: float(-i) for i, d in enumerate(documents)} for topic, documents in lists.items()}
        write_run(read_run(run), tmp_path / f"{name}.run")
    return tmp_path


def overlap(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["overlap", *arguments])


def test_by_hand(here: Path) -> None:
    result = overlap("x.run", "y.run", "--p", "0.5", "--format", "json")
    [row] = json.loads(result.stdout)
    # Topic 1: 0/1, 1/2, 2/3, and so on; topic 2: 0/1, 2/2, and so on.
    one = (0.5 * 1 / 2 + 0.25 * 2 / 3) / 2 + 0.125 * 2 / 3
    two = 0.5 * 1 / 2 + 0.25
    assert (row["run_a"], row["run_b"], row["topics"]) == ("x", "y", 2)
    assert row["extrapolated"] == pytest.approx((one + two) / 2)
    assert result.stderr.splitlines() == [
        "rank-biased overlap of 2 runs, p 0.5",
        "note: 1 pairs of runs are compared on the topics that both have, not on all",
    ]


def test_each_topic_before_the_mean(here: Path) -> None:
    rows = json.loads(overlap("x.run", "y.run", "-q", "--format", "json").stdout)
    assert [row["topic"] for row in rows] == ["1", "2", "all"]
    for row in rows[:2]:
        found = rbo(X[row["topic"]], Y[row["topic"]], 0.9)
        assert (row["minimum"], row["residual"], row["extrapolated"]) == found
    for column in ("minimum", "residual", "extrapolated"):
        assert rows[2][column] == pytest.approx(np.mean([row[column] for row in rows[:2]]))


def test_a_depth(here: Path) -> None:
    rows = json.loads(overlap("x.run", "y.run", "-M", "1", "-q", "--format", "json").stdout)
    assert [row["extrapolated"] for row in rows] == [0, 0, 0]


def test_a_row_for_each_pair_of_named_runs(here: Path) -> None:
    (here / "w.run").write_text((here / "x.run").read_text())
    result = overlap("w.run", "old=x.run", "y.run", "z.run")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert [line[:2] for line in lines] == [["run_a", "run_b"], ["w", "old"], ["w", "y"], ["old", "y"]]
    assert lines[1][-1] == "1.0000"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["x.run"], "overlap is of two runs or more; only 'x' is given"),
        (["x.run", "z.run"], "no two of the runs have a topic in common"),
        (["x.run", "y.run", "--p", "1"], "p must be above 0 and below 1, not 1"),
        (["x.run", "y.run", "--depth", "0"], "depth must be at least 1, not 0"),
        (["x.run", "x.run"], "a second run named 'x'"),
        (["x.run", "y.run", "-o", "y.run"], "y.run: would be overwritten, though it is read"),
        (["x.run", "nowhere.run"], "nowhere.run: no such file"),
    ],
)
def test_mistakes(here: Path, arguments: list[str], problem: str) -> None:
    result = overlap(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr
    assert result.stderr.startswith("cranfield: ")
    assert result.stderr.count("\n") == 1

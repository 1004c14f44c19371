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
        "note: 1 pair of runs is compared on the topics that both have, not on all",
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
        (["x.run"], "overlap needs two runs or more; only 'x' is given"),
        (["x.run", "z.run"], "no two of the runs have a topic in common"),
        (["x.run", "y.run", "--p", "1"], "p must be above 0 and below 1, not 1"),
        (["x.run", "y.run", "--depth", "0"], "depth must be at least 1, not 0"),
        (["x.run", "x.run"], "two runs are named 'x'"),
        (["x.run", "y.run", "-o", "y.run"], "y.run: is an input and would be overwritten"),
        (["x.run", "nowhere.run"], "nowhere.run: no such file"),
    ],
)
def test_mistakes(here: Path, arguments: list[str], problem: str) -> None:
    result = overlap(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr
    assert result.stderr.startswith("cranfield: ")
    assert result.stderr.count("\n") == 1


def test_documents_of_equal_scores_share_a_rank_where_that_is_asked(here: Path) -> None:
    """a, then b and c: shared are 1 of 1, then both of 2 (or of the sums 2 and 3), then 3 of 3."""
    (here / "tied.run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n1 Q0 c 3 1 t\n")
    (here / "order.run").write_text("1 Q0 a 1 3 o\n1 Q0 b 2 2 o\n1 Q0 c 3 1 o\n")
    for ties in ("w", "a", "b"):
        result = overlap("tied.run", "order.run", "--ties", ties, "--p", "0.5", "--format", "json")
        assert json.loads(result.stdout)[0]["extrapolated"] == pytest.approx(
            rbo(["a", ["b", "c"]], ["a", "b", "c"], 0.5, ties=ties).extrapolated
        )
        assert f"ties by {ties}" in result.stderr
    [row] = json.loads(overlap("tied.run", "order.run", "--format", "json").stdout)
    assert row["extrapolated"] == rbo("acb", "abc").extrapolated  # of equal scores, the last id is first


def test_ties_in_32_bits_are_those_of_trec9(here: Path) -> None:
    (here / "close.run").write_text("1 Q0 a 1 10.00000001 c\n1 Q0 b 2 10 c\n")
    for order, tied in (("score", ["a", "b"]), ("trec9", [["a", "b"]])):
        options = ("--ties", "w", "--order", order, "--format", "json", "--p", "0.5")
        [row] = json.loads(overlap("close.run", "ba=x.run", *options).stdout)
        assert row["extrapolated"] == pytest.approx(rbo(tied, "abc", 0.5, ties="w").extrapolated)
    refused = overlap("close.run", "x.run", "--ties", "w", "--order", "file")
    assert refused.stderr == "cranfield: ties are equal scores; order 'file' leaves none\n"

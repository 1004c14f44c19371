"""``cranfield searches`` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import cranfield as cf
from cranfield.cli import main

QRELS = "q1 0 a 1\nq1 0 d 1\nq2 0 g 2\nq3 0 k 1\n"
LOG = "topic,call,document,tokens\nq1,1,a,9\nq1,1,b,9\nq1,2,b,9\nq1,2,d,9\nq2,1,f,9\nq2,1,g,9\nq3,,,\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("agent.csv").write_text(LOG)
    Path("other").mkdir()
    for topic, documents in {"q1": ["d"], "q2": []}.items():
        output = json.dumps([{"docid": each, "snippet": "..."} for each in documents])
        call = {"type": "tool_call", "tool_name": "search", "arguments": '{"query": "wings"}', "output": output}
        record = {"query_id": topic, "usage": {"total_tokens": 500}, "result": [call]}
        Path("other", f"run_{topic}.json").write_text(json.dumps(record))
    return tmp_path


def searches(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["searches", "qrels.txt", *arguments])


def test_two_systems(here: Path) -> None:
    result = searches("agent.csv", "folder=other", "-m", "R", "--calls", "1,2", "--format", "json")
    assert result.exit_code == 0, result.stderr
    rows = {(row["run"], row["budget"]): row for row in json.loads(result.stdout)}
    assert rows["agent", 1]["R"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert rows["agent", 2]["R"] == pytest.approx((1 + 1 + 0) / 3)
    assert rows["folder", 2]["R"] == pytest.approx((1 / 2 + 0 + 0) / 3)
    said = result.stderr.splitlines()
    assert said[0].startswith("Means over 3 topics, of the union of the searches so far")
    assert any(line.startswith("note: agent: 3 topics, 1 without a search") for line in said)
    assert any(line.startswith("note: folder: tokens are given for whole questions;") for line in said)
    assert any("1 of 2 runs lacks topics (folder: q3)" in line for line in said)


def test_the_unions_are_written_and_compared(here: Path) -> None:
    written = searches("agent.csv", "--calls", "1", "--tokens", "27", "--write-runs", "out", "-m", "R")
    assert written.exit_code == 0, written.stderr
    names = ["agent-after-1.run", "agent-within-27-tokens.run", "agent.run"]
    assert sorted(path.name for path in Path("out").iterdir()) == names
    assert "wrote 3 runs to out" in written.stderr
    assert "3 lists are empty and missing from the files" in written.stderr
    assert cf.to_dict(cf.read_run("out/agent.run")) == {"q1": {"a": 3, "b": 2, "d": 1}, "q2": {"f": 2, "g": 1}}
    assert cf.read_run("out/agent-within-27-tokens.run").rows() == [
        ("q1", "a", 3.0),
        ("q1", "b", 2.0),
        ("q2", "f", 2.0),
        ("q2", "g", 1.0),
    ]
    compared = CliRunner().invoke(main, ["compare", "qrels.txt", *(f"out/{name}" for name in names), "-m", "R"])
    assert compared.exit_code == 0, compared.stderr


def test_by_topic_and_a_figure(here: Path) -> None:
    result = searches("agent.csv", "--per-topic", "-o", "topics.csv", "--plot", "gain.json", "--quiet")
    assert result.exit_code == 0
    table = pl.read_csv("topics.csv")
    assert table.select("topic", "searches", "first", "complete").rows() == [
        ("q1", 2, 1, 2),
        ("q2", 1, 1, 1),
        ("q3", 0, None, None),
    ]
    assert "after each search" in Path("gain.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.csv",), "cranfield: none.csv: no such file"),
        (("qrels.txt",), "no column call"),
        (("other", "--tokens", "100"), "cranfield: other: a budget of tokens needs the tokens of every search"),
        (("agent.csv", "--calls", "0"), "calls"),
        (("agent.csv", "x=agent.csv", "x=agent.csv"), "a second system named 'x'"),
        (("agent.csv", "-o", "agent.csv"), "is an input and would be overwritten"),
        (("other", "-o", "other/run_q1.json"), "is an input and would be overwritten"),
    ],
)
def test_mistakes_are_one_line(here: Path, arguments: tuple[str, ...], says: str) -> None:
    result = searches(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr.splitlines()[-1]


def test_an_input_is_no_output(here: Path) -> None:
    Path("agent.run").write_text((here / "agent.csv").read_text())
    result = searches("agent.run", "--write-runs", ".")
    assert result.exit_code == 2
    assert "is an input and would be overwritten" in result.stderr


def test_the_figure_of_runs_is_refused(here: Path) -> None:
    Path("a.run").write_text("q1 Q0 a 1 1.0 a\n")
    result = CliRunner().invoke(main, ["plot", "qrels.txt", "a.run", "--figure", "gain-by-call", "-o", "x.svg"])
    assert result.exit_code == 2
    assert "cranfield searches --plot draws it" in result.stderr

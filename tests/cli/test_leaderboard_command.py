"""``cranfield leaderboard`` as a person uses it, and tables of scores in other commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import cranfield as cf
from cranfield.cli import main


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{agent},t{task},{'yes' if (task * n) % 3 else 'no'}" for n, agent in enumerate("abc", 1) for task in range(30)
    ]
    Path("won.csv").write_text("\n".join(["who,what,won", *rows]))
    Path("matrix.csv").write_text("\n".join(["a,b", *(f"0.{t % 7},0.{(t + 1) % 7}" for t in range(30))]))
    Path("unclear.csv").write_text("id,a,b\nx,.5,.25\ny,0,1\n")
    Path("crashed.csv").write_text(
        "\n".join(["topic,base,new", *(f"t{t},0.{t % 7},{'.5' if t > 20 else ''}" for t in range(30))])
    )
    return tmp_path


NAMES = "run=who,topic=what,value=won"


def call(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=given)


def test_the_answer_is_the_first_line(here: Path) -> None:
    found = call("leaderboard", "won.csv", "--columns", NAMES)
    assert found.exit_code == 0
    board = cf.leaderboard("won.csv", columns=NAMES)
    assert found.stdout.startswith(f"{board.answer}\n\nrank  run")
    assert "may lead by won on topics like these" in board.answer
    assert "note: won: all values are 0 or 1; the sign test of two runs is McNemar's test" in found.stderr
    rows = json.loads(call("leaderboard", "won.csv", "--columns", NAMES, "--format", "json").stdout)
    assert [row["run"] for row in rows] == board.rows["run"].to_list()
    pairs = json.loads(call("leaderboard", "won.csv", "--columns", NAMES, "--format", "json", "--pairs").stdout)
    assert len(pairs) == 3 and {*pairs[0]} == {"measure", "better", "other", "difference", "p", "told_apart"}


def test_what_is_unclear_is_refused_in_a_line_that_says_what_decides(here: Path) -> None:
    found = call("leaderboard", "unclear.csv")
    assert found.exit_code == 2
    assert found.stderr == (
        "cranfield: unclear.csv: systems may be the rows or the columns: give --systems rows or --systems columns\n"
    )
    assert call("leaderboard", "unclear.csv", "--systems", "rows").exit_code == 0
    alone = call("leaderboard", "-", given="401 0 d1 1\n401 0 d2 0\n")
    assert "not a table with several columns" in alone.stderr and "name RUNS, too" in alone.stderr
    assert "leave --systems out" in call("leaderboard", "won.csv", "run.txt", "--systems", "rows").stderr


def test_it_writes_a_readme_and_a_figure(here: Path) -> None:
    assert call("leaderboard", "matrix.csv", "-o", "board.md", "--plot", "ranks.svg").exit_code == 0
    lines = Path("board.md").read_text().splitlines()
    assert lines[0].startswith("2 of 2 runs may lead by score") and lines[2].startswith("| rank | run")
    assert lines[-1].startswith("Ranks: simultaneous 95% intervals")
    assert Path("ranks.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", ["rank-intervals", "critical-difference"])
def test_figures_of_a_table(here: Path, name: str) -> None:
    assert call("plot", "matrix.csv", "--figure", name, "-o", "figure.svg").exit_code == 0
    assert Path("figure.svg").stat().st_size > 1000
    refused = call("plot", "matrix.csv", "--figure", "curves", "-o", "figure.html")
    assert "curves cannot be drawn from one file: name RUNS too" in refused.stderr


def test_other_commands_read_the_same_tables(here: Path) -> None:
    compared = call("compare", "--scores", "won.csv", "--columns", NAMES)
    assert compared.exit_code == 0 and "won" in compared.stdout
    gated = call("gate", "--scores", "matrix.csv", "--margin", "0.5")
    assert gated.exit_code == 0 and "equivalent" in gated.stdout
    assert "missing argument 'QRELS', or --scores instead" in call("gate").stderr


def test_a_gate_ends_with_status_1_where_a_run_did_not_run(here: Path) -> None:
    found = call("gate", "--scores", "crashed.csv", "--on-undecided", "pass")
    assert found.exit_code == 1
    assert "did not run" in found.stdout and "new has no scores on 21 of 30 topics" in found.stdout
    assert call("gate", "--scores", "crashed.csv", "--not-run", "0.8", "--on-undecided", "pass").exit_code in {0, 1}
    assert (
        "there is only one: base (did not run, and left out: new" in call("compare", "--scores", "crashed.csv").stderr
    )
    board = call("leaderboard", "crashed.csv")
    assert "note: did not run, and left out: new (no scores on 21 of 30 topics)" in board.stderr

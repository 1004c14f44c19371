"""``cranfield why`` as a person uses it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import cranfield as cf
from cranfield.cli import main

QRELS = {"1": {"r": 1, "n": 0}, "2": {"r": 2, "s": 1}}
RUNS = {"one": {"1": ["r"], "2": ["r", "x", "s"]}, "two": {"1": ["r", "n"], "2": ["x", "s", "r"]}}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    cf.write_qrels(cf.read_qrels(QRELS), tmp_path / "my qrels.txt")
    for name, run in RUNS.items():
        cf.write_run(cf.read_run(run), tmp_path / f"{name}.run")
    return tmp_path


def why(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["why", "my qrels.txt", *arguments])


def test_the_table_and_its_notes(here: Path) -> None:
    result = why("one.run", "two.run", "-m", "AP")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        "document  grade  rank in one  rank in two  adds to one  adds to two  contribution",
        "r             2            1            3       0.5000       0.3333        0.1667",
        "s             1            3            2       0.3333       0.2500        0.0833",
    ]
    assert result.stderr.splitlines() == [
        "one leads two by 0.2500 in AP on topic 2: 0.8333 against 0.5833. "
        "Positive contributions favour one, negative ones two.",
        "note: They differ most on this one of the 2 topics.",
        "note: A document adds the value of the list down to it minus that of the list above it, so it depends on the "
        "documents above. All contributions add up to the lead of one, +0.2500.",
        "note: Contributions by list: +0.2500 from 3 documents that both have.",
        "note: Unjudged documents that count: 1 of one, 1 of two. The lead of one by AP lies between +0.0000 and "
        "+0.2500, whatever grades from 0 to 2 the unjudged documents in these runs have.",
        "note: Best swap in two: ranks 1 and 3 (x, unjudged, and r, grade 2), from 0.5833 to 1.0000, ahead of one.",
    ]
    assert why("one.run", "two.run", "-m", "AP", "--quiet").stderr == ""


def test_markdown_names_the_command_that_finds_the_same(here: Path) -> None:
    asked = ["first=one.run", "two.run", "-m", "nDCG@10", "--rel", "2", "-M", "2", "--judged-only", "--quiet"]
    result = why(*asked, "--format", "markdown")
    assert result.exit_code == 0, result.stderr
    *_, command = result.stdout.splitlines()
    assert command == (
        "    cranfield why 'my qrels.txt' first=one.run two.run --topic 2 -m nDCG@10 --depth 2 --rel 2 --judged-only"
    )
    again = CliRunner().invoke(main, [*shlex.split(command)[1:], "--format", "markdown", "--quiet"])
    assert again.stdout == result.stdout
    mine = "import cranfield as cf\n\ncf.measure('Mine', lambda grades: float(bool(grades) and grades[0] == 1))\n"
    (here / "mine.py").write_text(mine)
    own = why("one.run", "two.run", "--measures-from", "mine.py", "-m", "Mine", "--format", "markdown")
    assert own.exit_code == 0, own.output
    assert "cranfield why" not in own.stdout


def test_files_for_programs_and_the_figure(here: Path) -> None:
    result = why("one.run", "two.run", "--topic", "1", "-o", "found.json", "--plot", "why.json")
    assert result.exit_code == 0, result.stderr
    [row] = json.loads((here / "found.json").read_text())
    assert (row["document"], row["rank_a"], row["rank_b"], row["contribution"]) == ("r", 1, 1, 0)
    drawn = json.loads((here / "why.json").read_text())
    assert drawn.pop("usermeta")["command"].startswith("cranfield why ")
    figure = cf.why(QRELS, {"one": RUNS["one"]}, {"two": RUNS["two"]}, topic="1").plot("why")
    assert drawn == json.loads(figure.to_bytes("json"))
    again = ["plot", "why", "my qrels.txt", "one.run", "two.run", "--topic", "1", "-o", "again.json"]
    assert CliRunner().invoke(main, again).exit_code == 0
    assert json.loads((here / "again.json").read_text()) == drawn | {
        "usermeta": {"command": "cranfield " + shlex.join(again)}
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("one.run", "one.run"), "two runs are named 'one'"),
        (("one.run", "two.run", "--topic", "3"), "the qrels have no topic '3'; they have 1 and 2"),
        (("one.run", "two.run", "-m", "AP", "-m", "RR"), "why takes one measure, not 2"),
        (("one.run", "two.run", "--plot", "why.csv"), "why.csv: a figure is written to a file in"),
        (("one.run",), "takes 2 runs"),
    ],
)
def test_what_cannot_be_is_one_line(here: Path, arguments: tuple[str, ...], says: str) -> None:
    result = why(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr.splitlines()[-1]
    assert result.stdout == ""

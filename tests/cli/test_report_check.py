"""``cranfield report --check`` and ``--sentences``: the half page and the findings, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from cranfield.cli import main


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    qrels = "".join(f"{topic} 0 a 1\n{topic} 0 b 0\n" for topic in range(5))
    good = "".join(f"{topic} Q0 a 1 2 good\n{topic} Q0 b 2 1 good\n" for topic in range(5))
    Path(tmp_path, "qrels.txt").write_text(qrels)
    Path(tmp_path, "good.run").write_text(good)
    Path(tmp_path, "poor.run").write_text(good.replace("a 1 2", "x 1 2"))
    return [str(tmp_path / name) for name in ("qrels.txt", "good.run", "poor.run")]


def run(*args: str) -> str:
    result = CliRunner().invoke(main, ["report", *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_check_writes_text_for_people_and_a_table_for_programs(files: list[str], tmp_path: Path) -> None:
    assert run("--check", *files, "-m", "P@1").startswith("Evaluated: 2 runs on 5 topics;")
    assert run("--check", *files, "--format", "markdown").startswith("- **Evaluated.** 2 runs on 5 topics;")
    rows = json.loads(run("--check", *files, "--format", "json"))["rows"]
    assert {row["item"] for row in rows} >= {"Test", "Rank resolution", "Unjudged", "Ties", "Inputs", "Software"}
    run("--check", *files, "-o", str(tmp_path / "check.tex"))
    assert (tmp_path / "check.tex").read_text().startswith(r"\begin{description}")


def test_sentences_are_rows(files: list[str], tmp_path: Path) -> None:
    rows = json.loads(run("--sentences", *files, "-m", "P@1", "--format", "json"))["rows"]
    assert rows[0]["sentence"] == "good leads poor by 1.0000 in P@1, with a mean of 1.0000."
    assert rows[0]["numbers"]["lead"] == 1.0
    assert run("--sentences", *files, "-m", "P@1").startswith(
        "good leads poor by 1.0000 in P@1, with a mean of 1.0000.\n"
    )
    run("--sentences", *files, "-o", str(tmp_path / "found.csv"))
    assert pl.read_csv(tmp_path / "found.csv").columns == ["name", "sentence", "numbers", "scope"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "with neither --check nor --sentences, give --output, too: the page is an .html file"),
        (["--check", "--title", "x"], "with --check, leave --title out: it changes the page only"),
        (["-o", "page.pdf"], "a report is written to a file in .html"),
        (["--check", "--sentences"], "with --check, leave --sentences out"),
        (["--check", "--format", "json", "-o", "page.html"], "its suffix says html, but json is asked for"),
        (["--format", "html", "-o", "page.html"], "leave --format out, or give --check or --sentences, too"),
    ],
)
def test_what_does_not_go_together_is_refused(files: list[str], options: list[str], problem: str) -> None:
    result = CliRunner().invoke(main, ["report", *files, *options])
    assert result.exit_code == 2
    assert problem in result.stderr

"""Names in tables for people: none ends a cell or a line, and none is a command."""

from __future__ import annotations

import html
import re
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from rich.console import Console

import cranfield as cf
from cranfield.cli import main
from cranfield.results.html import html_table
from cranfield.results.latex import latex, latex_cell
from cranfield.results.output_formats import render
from cranfield.results.people import markdown_cell
from cranfield.results.sheet import Sheet
from cranfield.results.terminal import show

NAMES = ["[2pt]", "*", "a|b\\", "new\nline", "\x1b]0;title\x07", ":dog:", "=1+1"]
TABLE = pl.DataFrame({"run": NAMES, "[AP]": [0.5] * len(NAMES)})


@pytest.mark.parametrize("format_", ["table", "latex", "markdown"])
def test_a_row_is_a_line(format_: str) -> None:
    frame = {"table": 1, "latex": 6, "markdown": 2}[format_]
    text = render(TABLE, format_)
    assert isinstance(text, str)
    assert len(text.splitlines()) == len(NAMES) + frame
    assert not set(text) & {"\x1b", "\x07"}


def test_latex_takes_no_name_for_an_argument() -> None:
    lines = latex(Sheet.of(TABLE, best={"[AP]": 1})).splitlines()
    assert lines[2] == r"run & {[}AP] \\"
    assert lines[4:6] == [r"{[}2pt] & \textbf{0.5000} \\", r"{*} & \textbf{0.5000} \\"]
    runs = {name: {topic: {"a": 1.0} for topic in "12"} for name in NAMES[:2]}
    compared = cf.compare({topic: {"a": 1} for topic in "12"}, runs, "AP").to_latex()
    assert "{[}2pt]" in compared
    assert "{*}" in compared
    assert latex_cell("") == ""
    assert latex_cell("a|b") == r"a\textbar{}b"  # in LaTeX's first font | is a dash


def test_markdown_ends_no_cell_early() -> None:
    assert markdown_cell("a|b\\") == r"a\|b\\"
    assert r"| a\|b\\" in str(render(TABLE, "markdown"))


@pytest.mark.parametrize(
    "name",
    [
        "a|b\\",
        "_under_",
        "__a__",
        "bm25_base_p",
        "[x](y)",
        "[x][y]",
        "[0.1, 0.2]",
        "a&lt;b",
        "A&B",
        "**b** `c`",
        "<br>",
    ],
)
def test_a_name_is_read_in_markdown_as_it_is(name: str) -> None:
    """As a run's: _under_ was set in italics, and [x](y) was a link."""
    reader = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    page = reader.render(str(render(pl.DataFrame({"run": [name]}), "markdown")))
    [cell] = re.findall(r"<td[^>]*>(.*)</td>", page)
    assert html.unescape(cell) == name
    assert markdown_cell("bm25_base_p") == "bm25_base_p"  # which is read as well without a sign


def test_a_terminal_is_told_nothing() -> None:
    console = Console(width=60, color_system=None, emoji=False)
    with console.capture() as captured:
        show(Sheet.of(TABLE), console=console)
    for name in (":dog:", "[2pt]", "a|b\\", "new\\nline", "\\x1b]0;title\\x07"):
        assert name in captured.get()


def test_html() -> None:
    assert "new\\nline" in html_table(Sheet.of(TABLE))


def test_programs_read_the_same_names_back() -> None:
    for format_, read in (("csv", pl.read_csv), ("json", pl.read_json), ("parquet", pl.read_parquet)):
        written = render(TABLE, format_)
        assert read(written if isinstance(written, bytes) else written.encode())["run"].to_list() == NAMES


def test_ids_from_right_to_left_turn_no_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences and figures set such an id apart; cells, files of numbers and other ids stay as they are."""
    monkeypatch.chdir(tmp_path)
    hebrew = "\u05d0\u05d1"
    Path("qrels.txt").write_text(f"{hebrew} 0 a 1\n2 0 a 1\n")
    for run, listed in ((f"{hebrew}-1", "ax"), ("b", "xa")):
        rows = (f"{t} Q0 {d} {n} {-n} r\n" for t in (hebrew, "2") for n, d in enumerate(listed))
        Path(f"{run}.run").write_text("".join(rows))
    asked = ["compare", "qrels.txt", f"{hebrew}-1.run", "b.run", "-m", "RR"]
    found = CliRunner().invoke(main, asked)
    assert found.stdout.startswith(f"\u2068{hebrew}-1\u2069 leads b by 0.5000 in RR")
    assert f"a  {hebrew}-1  1.0000" in found.stdout
    assert "\u2068" not in CliRunner().invoke(main, [*asked, "--format", "csv"]).stdout
    traced = cf.plot("crp", "qrels.txt", "b.run", topic=hebrew)
    assert f", topic \u2068{hebrew}\u2069" in traced.spec["title"]["text"]
    assert f"topic \u2068{hebrew}\u2069." in traced.description
    assert "\u2068" not in str(cf.plot("crp", "qrels.txt", "b.run", topic="2").spec["title"])

"""Names in tables for people: none ends a cell or a line, and none is a command."""

from __future__ import annotations

import polars as pl
import pytest
from rich.console import Console

import cranfield as cf
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


def test_markdown_ends_no_cell_early() -> None:
    assert markdown_cell("a|b\\") == r"a\|b\\"
    assert r"| a\|b\\" in str(render(TABLE, "markdown"))


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

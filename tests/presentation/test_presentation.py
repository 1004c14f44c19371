"""Tables written down: for people and for programs."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest
from rich.console import Console

from cranfield.presentation import FORMATS, render
from cranfield.presentation.terminal import show

TABLE = pl.DataFrame({"run": ["a_b|c", "d"], "NumRet": [3, 4], "AP": [0.12345, 0.5]})


def test_programs_get_every_digit() -> None:
    assert render(TABLE, "csv") == "run,NumRet,AP\na_b|c,3,0.12345\nd,4,0.5\n"
    assert json.loads(render(TABLE, "json"))[0] == {"run": "a_b|c", "NumRet": 3, "AP": 0.12345}
    parquet = render(TABLE, "parquet")
    assert isinstance(parquet, bytes)
    assert pl.read_parquet(io.BytesIO(parquet)).equals(TABLE)


def test_people_get_four_decimals_and_what_their_format_needs_escaped() -> None:
    assert render(TABLE, "table") == "run    NumRet      AP\na_b|c       3  0.1235\nd           4  0.5000\n"
    markdown = str(render(TABLE, "markdown", best={"AP": 1}))
    assert r"a_b\|c" in markdown
    assert markdown.count("**") == 2
    latex = str(render(TABLE, "latex", best={"AP": 1}))
    assert r"a\_b|c & 3 & 0.1235 \\" in latex
    assert r"d & 4 & \textbf{0.5000} \\" in latex


def test_what_prints_alike_is_equally_good() -> None:
    table = pl.DataFrame({"run": ["a", "b", "c"], "AP": [0.50001, 0.50002, 0.4]})
    assert str(render(table, "markdown", best={"AP": 1})).count("**0.5000**") == 2


@pytest.mark.parametrize("width", [30, 40, 79, 200])
def test_a_terminal_shows_every_value_whatever_its_width(width: int) -> None:
    columns = {f"nDCG@{k}": [k / 1000, 0.5] for k in range(1, 30)}
    table = pl.DataFrame({"run": ["[red]odd[/red]", "b"], **columns})
    console = Console(width=width, color_system=None, file=io.StringIO())
    show(table, dict.fromkeys(columns, 1), console=console)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in printed
    for k in range(1, 30):
        assert f"nDCG@{k}" in printed.split()
        assert f"{k / 1000:.4f}" in printed.split()
    assert "[red]odd[/red]" in printed
    assert max(map(len, printed.splitlines())) <= width


def test_every_format_is_listed() -> None:
    assert set(FORMATS) == {"table", "csv", "json", "latex", "markdown", "parquet"}

"""Tables written down: for people and for programs."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest
from rich.console import Console

from cranfield.results.html import html_table
from cranfield.results.latex import latex
from cranfield.results.output_formats import FORMATS, render
from cranfield.results.people import markdown, plain
from cranfield.results.sheet import ROWS_SHOWN, Marked, Ranged, Sheet, SheetColumn
from cranfield.results.terminal import show

TABLE = pl.DataFrame({"run": ["a_b|c", "d"], "NumRet": [3, 4], "AP": [0.12345, 0.5]})


def test_programs_get_every_digit() -> None:
    assert render(TABLE, "csv") == "run,NumRet,AP\na_b|c,3,0.12345\nd,4,0.5\n"
    assert json.loads(render(TABLE, "json"))[0] == {"run": "a_b|c", "NumRet": 3, "AP": 0.12345}
    parquet = render(TABLE, "parquet")
    assert isinstance(parquet, bytes)
    assert pl.read_parquet(io.BytesIO(parquet)).equals(TABLE)


def test_people_read_yes_and_no_where_programs_have_true_and_false() -> None:
    answers = pl.DataFrame({"run": ["a", "b"], "leads": [True, False], "wins": [[True, False], [True]]})
    assert render(answers.drop("wins"), "csv") == "run,leads\na,true\nb,false\n"
    assert json.loads(render(answers, "json"))[1] == {"run": "b", "leads": False, "wins": [True]}
    sheet = Sheet.of(answers)
    for text in (plain(sheet), markdown(sheet), latex(sheet), html_table(sheet)):
        assert "True" not in text and "False" not in text and "yes, no" in text


def test_people_get_four_decimals_and_what_their_format_needs_escaped() -> None:
    assert render(TABLE, "table") == "run    NumRet      AP\na_b|c       3  0.1235\nd           4  0.5000\n"
    sheet = Sheet.of(TABLE, best={"AP": 1})
    assert r"a_b\|c" in markdown(sheet)
    assert markdown(sheet).count("**") == 2
    assert r"a\_b\textbar{}c & 3 & 0.1235 \\" in latex(sheet)
    assert r"d & 4 & \textbf{0.5000} \\" in latex(sheet)


def test_what_prints_alike_is_equally_good() -> None:
    table = pl.DataFrame({"run": ["a", "b", "c"], "AP": [0.50001, 0.50002, 0.4]})
    assert markdown(Sheet.of(table, best={"AP": 1})).count("**0.5000**") == 2


@pytest.mark.parametrize("width", [30, 40, 79, 200])
def test_a_terminal_shows_every_value_whatever_its_width(width: int) -> None:
    columns = {f"nDCG@{k}": [k / 1000, 0.5] for k in range(1, 30)}
    table = pl.DataFrame({"run": ["[red]odd[/red]", "b"], **columns})
    console = Console(width=width, color_system=None, file=io.StringIO())
    show(Sheet.of(table, best=dict.fromkeys(columns, 1)), console=console)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in printed
    for k in range(1, 30):
        assert f"nDCG@{k}" in printed.split()
        assert f"{k / 1000:.4f}" in printed.split()
    assert "[red]odd[/red]" in printed
    assert max(map(len, printed.splitlines())) <= width


def test_every_format_is_listed() -> None:
    assert set(FORMATS) == {"table", "csv", "json", "latex", "markdown", "parquet", "html"}


RANGES = Sheet(
    (
        SheetColumn("run", ["a", "b"]),
        SheetColumn("count", [Ranged(8.0, 12.0, value=9.0), Ranged(9.5, 110.0, value=10.0)]),
        SheetColumn("interval", [Ranged(-0.25, 0.5), None]),
    )
)


def on_a_terminal(sheet: Sheet, width: int = 80) -> list[str]:
    console = Console(width=width, color_system=None, file=io.StringIO())
    show(sheet, console=console)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_a_screen_has_the_ends_of_ranges_one_below_the_other() -> None:
    assert on_a_terminal(RANGES)[2:] == [
        "a      9.0000 [8.0000,  12.0000]   [-0.2500, 0.5000]",
        "b     10.0000 [9.5000, 110.0000]",
    ]
    shown = html_table(RANGES)
    assert '<td class="number"> 9.0000<i> [8.0000,  12.0000]</i></td>' in shown
    assert plain(RANGES).splitlines()[1:] == [
        "a    9.0000 [8.0000, 12.0000]    [-0.2500, 0.5000]",
        "b    10.0000 [9.5000, 110.0000]",
    ]


MARKS = Sheet(
    (
        SheetColumn("run", ["a", "b", "c"]),
        SheetColumn(
            "AP", [Marked(0.5, "bc"), Marked(0.25, "c", room="b"), Marked(0.125, room="bc")], True, frozenset({0})
        ),
    ),
    caption="Letters: better than the run.",
)


def test_marks_stand_beside_numbers_that_align() -> None:
    assert on_a_terminal(MARKS)[0] == "run       AP"
    assert on_a_terminal(MARKS)[2:] == [
        "a     0.5000 bc",
        "b     0.2500 c",
        "c     0.1250",
        "",
        "Letters: better than the run. Best in bold.",
    ]
    shown = html_table(MARKS)
    assert '<td class="number"><b>0.5000</b></td><td class="marks"><sup>bc</sup></td>' in shown
    assert (
        '<td class="number">0.1250</td><td class="marks"></td>' in shown
    )  # nothing hidden that would be read as a mark
    assert "hidden" not in shown


def test_a_terminal_marks_the_best() -> None:
    console = Console(width=40, force_terminal=True, color_system="standard", file=io.StringIO())
    show(Sheet.of(TABLE, best={"AP": -1}), console=console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert ["\x1b[1;32m0.1235" in line for line in lines if "0." in line] == [True, False]


def test_long_tables_say_how_many_rows_are_not_shown() -> None:
    long = Sheet.of(pl.DataFrame({"n": range(ROWS_SHOWN + 2)}), best={"n": 1}, caption="Numbers.")
    shown = html_table(long)
    assert shown.count("<tr>") == 1 + ROWS_SHOWN
    assert "... and 2 more rows" in shown
    assert "<b>" not in shown.split("<tbody>")[1].split("</tbody>")[0]  # the best is among those
    assert plain(long).count("\n") == 1 + ROWS_SHOWN + 2
    assert plain(long.first(2)) == f"n\n0\n1\n... and {ROWS_SHOWN} more rows\n"


def test_long_text_is_broken_into_lines_and_not_cut() -> None:
    sheet = Sheet((SheetColumn("run", ["a"]), SheetColumn("why", ["one word after the other " * 6])))
    lines = on_a_terminal(sheet, width=40)
    assert max(map(len, lines)) <= 40
    assert " ".join(lines[2:]).split()[1:] == sheet.columns[1].cells[0].split()  # type: ignore[attr-defined]
    assert 'class="long"' in html_table(sheet)


def test_html_takes_no_name_for_markup() -> None:
    sheet = Sheet(
        (SheetColumn("<run>", ["<script>", "a\nb"]), SheetColumn("AP", [Marked(0.5, "<a>"), Marked(0.25, "&")])),
        caption="a<b",
    )
    shown = html_table(sheet, below=["x<y"], above=["v<w"])
    for raw in ("<run>", "<script>", "<a>", "a<b", "x<y", "v<w", "a\nb"):
        assert raw not in shown
    assert "a\\nb" in shown

"""Tables on a terminal: with rules and emphasis, and never wider than the window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cranfield.plumbing.escaping import printable
from cranfield.results.people import Style, not_shown, written
from cranfield.results.sheet import Marked, Sheet, SheetColumn

if TYPE_CHECKING:
    from rich.console import Console

_BETWEEN = 3
"""Characters that rich puts between two columns."""


def show(sheet: Sheet, *, captioned: bool = True, console: Console | None = None) -> None:
    """Print a table with its caption below; in several parts where the window is too narrow for all columns.

    The key columns are repeated in each part.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = console or Console(emoji=False, highlight=False)
    cells = [[Text.from_markup(cell, emoji=False) for cell in row] for row in written(sheet, _style())]
    for header, column in zip(cells[0], sheet.columns, strict=True):
        header.pad_right(_room_of_marks(column))  # it stands above the numbers
    widths = [max(cell.cell_len for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        for cell, width, column in zip(row, widths, sheet.columns, strict=True):
            if column.to_the_right:  # not by rich, which takes the room that marks are given off their end
                cell.pad_left(width - cell.cell_len)
    for number, columns in enumerate(_parts(widths, sheet.keys, console.width)):
        if number:
            console.print()
        part = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False)
        for place in columns:
            whole = widths[place] <= console.width // 2  # longer text is broken into lines, not cut
            part.add_column(cells[0][place], no_wrap=whole, overflow="fold")
        headings = dict(sheet.headings)
        for place, row in enumerate(cells[1:]):
            if place in headings:
                part.add_section()
                part.add_row(Text(printable(headings[place]), style="italic"))
            part.add_row(*(row[column] for column in columns))
        console.print(part)
    said = [text for text in (not_shown(sheet).strip(), sheet.legend if captioned else "") if text]
    if said:
        console.print()
    for text in said:
        console.print(Text(printable(text), style="dim"))


def _room_of_marks(column: SheetColumn) -> int:
    return max((len(f" {cell.marks}{cell.room}") for cell in column.cells if isinstance(cell, Marked)), default=0)


def _style() -> Style:
    from rich.markup import escape

    return Style(
        escaped=escape,
        bold=lambda text: f"[bold green]{text}[/]",
        underlined=lambda text: f"[underline]{text}[/]",
        marked=lambda marks, room: f" [cyan]{marks}[/]{' ' * len(room)}" if marks or room else "",
        aside=lambda text: f"[dim]{text}[/]",
        aligned=True,
    )


def _parts(widths: Sequence[int], index: int, width: int) -> list[list[int]]:
    """Share the columns out over as many parts as the width asks for."""
    widths = [_BETWEEN + each for each in widths]
    fixed = list(range(index))
    parts: list[list[int]] = []
    left = 0
    for column in range(index, len(widths)):
        if not parts or widths[column] > left:
            parts.append([*fixed])
            left = width - sum(widths[:index])
        parts[-1].append(column)
        left -= widths[column]
    return parts or [fixed]

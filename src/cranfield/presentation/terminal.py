"""Tables on a terminal: with rules and emphasis, and never wider than the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.escaping import printable
from cranfield.presentation.people import Style, not_shown, written
from cranfield.presentation.sheet import Ranged, Sheet

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

BETWEEN = 3
"""Characters between two columns, the rule under the header among them."""


def show(sheet: Sheet, *, captioned: bool = True, console: Console | None = None) -> None:
    """Print a table, in several parts where the window is too narrow for all columns, the caption below.

    The columns that say what a row is are repeated in each part.

    >>> from rich.console import Console
    >>> from cranfield.presentation.sheet import Column
    >>> cells = Column("run", ["bm25"]), Column("AP", [0.25], numeric=True), Column("nDCG", [0.5], numeric=True)
    >>> show(Sheet(cells, caption="Two means."), console=Console(width=20, color_system=None))
    run        AP
    ─────────────
    bm25   0.2500
    <BLANKLINE>
    run      nDCG
    ─────────────
    bm25   0.5000
    Two means.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = console or Console(emoji=False, highlight=False)
    header, *rows = [[Text.from_markup(cell, emoji=False) for cell in row] for row in written(sheet, _style())]
    for number, columns in enumerate(_parts([header, *rows], sheet.keys, console.width)):
        if number:
            console.print()
        part = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False)
        for column in columns:
            longest = max(cell.cell_len for cell in (header[column], *(row[column] for row in rows)))
            right = _to_the_right(sheet, column)
            part.add_column(
                header[column],
                justify="right" if right else "left",
                no_wrap=longest <= console.width // 2,  # longer text is broken into lines, not cut
                overflow="fold",
            )
        for row in rows:
            part.add_row(*(row[column] for column in columns))
        console.print(part)
    for text in filter(None, (not_shown(sheet).strip(), sheet.legend if captioned else "")):
        console.print(Text(printable(text), style="dim"))


def _to_the_right(sheet: Sheet, column: int) -> bool:
    return sheet.columns[column].numeric or any(isinstance(each, Ranged) for each in sheet.columns[column].cells)


def _style() -> Style:
    from rich.markup import escape

    return Style(
        escaped=escape,
        bold=lambda text: f"[bold green]{text}[/]",
        marked=lambda marks, room: f" [cyan]{marks}[/]{' ' * len(room)}" if marks or room else "",
        aside=lambda text: f"[dim]{text}[/]",
        aligned=True,
    )


def _parts(cells: list[list[Text]], index: int, width: int) -> list[list[int]]:
    """Share the columns out over as many parts as the width asks for."""
    widths = [BETWEEN + max(cell.cell_len for cell in column) for column in zip(*cells, strict=True)]
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

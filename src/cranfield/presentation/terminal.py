"""Tables on a terminal: with rules and emphasis, and never wider than the window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cranfield.presentation.people import NONE, cells_of, numeric_columns

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console


def show(
    table: pl.DataFrame, best: Mapping[str, float] = NONE, *, index: int = 1, console: Console | None = None
) -> None:
    """Print a table, in several parts where the window is too narrow for all columns.

    The first ``index`` columns say what a row is, and are repeated in each part; the best value of
    each ``best`` column is emphasised (the largest for 1, the least for -1).

    >>> import polars as pl
    >>> from rich.console import Console
    >>> narrow = Console(width=20, color_system=None)
    >>> show(pl.DataFrame({"run": ["bm25"], "AP": [0.25], "nDCG": [0.5]}), console=narrow)
    run        AP
    ─────────────
    bm25   0.2500
    <BLANKLINE>
    run      nDCG
    ─────────────
    bm25   0.5000
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = console or Console(emoji=False)
    cells = cells_of(table, best, lambda text: f"[bold green]{text}[/]", written=_escaped)
    numeric = numeric_columns(table)
    parts = _parts(cells_of(table), index, console.width)
    for number, columns in enumerate(parts):
        if number:
            console.print()
        part = Table(box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False)
        for column in columns:
            part.add_column(cells[0][column], justify="right" if numeric[column] else "left", no_wrap=True)
        for row in cells[1:]:
            part.add_row(*(row[column] for column in columns))
        console.print(part)


def _parts(cells: list[list[str]], index: int, width: int) -> list[list[int]]:
    """Share the columns out over as many parts as the width asks for; rich puts three characters between columns."""
    widths = [3 + max(map(len, column)) for column in zip(*cells, strict=True)]
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


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)

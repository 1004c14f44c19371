"""Tables for notebooks: what a person would set, as HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from cranfield.presentation.people import cells_of, numeric_columns

if TYPE_CHECKING:
    import polars as pl

ROWS_SHOWN: Final = 100
"""More rows than these are for programs: people are told how many there are."""

# Colours come from the notebook, light or dark; rules are drawn in the colour of the text.
_TABLE: Final = "border-collapse:collapse;font-variant-numeric:tabular-nums;border-bottom:1px solid"
_CAPTION: Final = "caption-side:bottom;text-align:left;max-width:60em;padding:.4em 0;opacity:.8"
_HEAD: Final = "padding:.2em .8em;border-top:1px solid;border-bottom:1px solid;background:none"
_CELL: Final = "padding:.15em .8em;border:0;background:none;white-space:nowrap"


def html_table(table: pl.DataFrame, *, best: Mapping[str, float] | None = None, caption: str = "") -> str:
    """Write a table as HTML: numbers to the right, the best of each such column in bold, the caption below.

    >>> import polars as pl
    >>> text = html_table(pl.DataFrame({"run": ["a<b", "c"], "AP": [0.25, 0.5]}), best={"AP": 1}, caption="Means.")
    >>> "a&lt;b" in text, "<b>0.5000</b>" in text, "Means." in text
    (True, True, True)
    """
    cells = cells_of(table.head(ROWS_SHOWN), best or {}, lambda text: f"<b>{text}</b>", written=escape)
    if table.height > ROWS_SHOWN:
        caption = f"The first {ROWS_SHOWN} of {table.height} rows. {caption}"
    return in_html(cells, numeric_columns(table), caption=caption)


def in_html(cells: list[list[str]], numeric: Sequence[bool], *, caption: str = "") -> str:
    """Lay header and rows, written in HTML, out as a table, the caption (plain text) below."""
    header, *rows = cells
    sides = ["right" if number else "left" for number in numeric]
    lines = [f'<table style="{_TABLE}">']
    if caption:
        lines.append(f'<caption style="{_CAPTION}">{escape(caption)}</caption>')
    lines.append(f"<thead>{_row('th', header, sides, _HEAD)}</thead><tbody>")
    lines += [_row("td", row, sides, _CELL) for row in rows]
    return "\n".join([*lines, "</tbody></table>"])


def _row(tag: str, cells: list[str], sides: list[str], style: str) -> str:
    inner = (
        f'<{tag} style="{style};text-align:{side}">{cell}</{tag}>' for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(inner)}</tr>"

"""Tables for people: four decimals, columns aligned, the best emphasised."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from cranfield.escaping import printable

if TYPE_CHECKING:
    import polars as pl

LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "_": r"\_",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)


NONE: Mapping[str, float] = {}
"""Nothing is emphasised."""


def shown(value: object) -> str:
    r"""Write one cell: numbers with four decimals, whole ones as they are, no character that would be obeyed.

    >>> shown(0.123456), shown(3), shown("bm25"), shown("a\nb")
    ('0.1235', '3', 'bm25', 'a\\nb')
    """
    return f"{value:.4f}" if isinstance(value, float) else "" if value is None else printable(str(value))


def plain(table: pl.DataFrame, best: Mapping[str, float] = NONE) -> str:
    """Columns of text, two blanks between them.

    >>> import polars as pl
    >>> print(plain(pl.DataFrame({"run": ["a", "long"], "AP": [0.25, 0.5]})), end="")
    run       AP
    a     0.2500
    long  0.5000
    """
    del best
    return in_columns(cells_of(table), numeric_columns(table))


def markdown(table: pl.DataFrame, best: Mapping[str, float] = NONE) -> str:
    """A Markdown table, the best value of each such column in bold."""
    cells = cells_of(table, best, lambda text: f"**{text}**", written=markdown_cell)
    return in_markdown(cells, numeric_columns(table))


def latex(table: pl.DataFrame, best: Mapping[str, float] = NONE) -> str:
    r"""Write a tabular with booktabs, the best value of each such column in bold.

    >>> import polars as pl
    >>> print(latex(pl.DataFrame({"run": ["bm25_a", "b"], "AP": [0.25, 0.5]}), best={"AP": 1}), end="")
    \begin{tabular}{lr}
    \toprule
    run & AP \\
    \midrule
    bm25\_a & 0.2500 \\
    b & \textbf{0.5000} \\
    \bottomrule
    \end{tabular}
    """
    cells = cells_of(table, best, lambda text: rf"\textbf{{{text}}}", written=latex_cell)
    return in_tabular(cells, numeric_columns(table))


def markdown_cell(text: str) -> str:
    r"""Escape what Markdown would take for a mark, or for the end of the cell.

    >>> print(markdown_cell(r"*a|b\|"))
    \*a\|b\\\|
    """
    return re.sub(r"([\\|*`<])", r"\\\1", text)


def latex_cell(text: str) -> str:
    r"""Escape what LaTeX would take for a command; a ``[`` or ``*`` that begins a cell would be an argument of ``\\``.

    >>> print(latex_cell("[a]_b"), latex_cell("*"))
    {[}a]\_b {*}
    """
    escaped = text.translate(LATEX_ESCAPES)
    return f"{{{escaped[0]}}}{escaped[1:]}" if text.startswith(("[", "*")) else escaped


def in_columns(cells: list[list[str]], numeric: Sequence[bool]) -> str:
    """Lay header and rows out in columns of text, numbers to the right."""
    widths = _widths(cells)
    lines = [
        "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join(lines) + "\n"


def in_markdown(cells: list[list[str]], numeric: Sequence[bool]) -> str:
    """Lay header and rows, written in Markdown, out as a table."""
    widths = [max(w, 3) for w in _widths(cells)]
    lines = [
        "| "
        + " | ".join(c.rjust(w) if n and i else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True))
        + " |"
        for i, row in enumerate(cells)
    ]
    rule = "|" + "|".join(
        "-" * (w + 1) + ":" if n else ":" + "-" * (w + 1) for w, n in zip(widths, numeric, strict=True)
    )
    return "\n".join([lines[0], rule + "|", *lines[1:]]) + "\n"


def in_tabular(cells: list[list[str]], numeric: Sequence[bool]) -> str:
    """Lay header and rows, written in LaTeX, out as a tabular with booktabs."""
    header, *body = [" & ".join(row) + r" \\" for row in cells]
    columns = "".join("r" if n else "l" for n in numeric)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            header,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def cells_of(
    table: pl.DataFrame,
    best: Mapping[str, float] = NONE,
    emphasise: Callable[[str], str] = str,
    *,
    written: Callable[[str], str] = str,
) -> list[list[str]]:
    """Header and rows as text, the best (as printed) emphasised: the largest where ``best`` has 1, the least for -1."""
    columns = []
    for name in table.columns:
        cells = [shown(value) for value in table[name]]
        top = _best_of(table[name], best[name]) if name in best and len(cells) > 1 else None
        cells = [emphasise(written(cell)) if cell == top else written(cell) for cell in cells]
        columns.append([written(printable(name)), *cells])
    return [list(row) for row in zip(*columns, strict=True)]


def _best_of(column: pl.Series, direction: float) -> str:
    return shown(column.max() if direction > 0 else column.min())


def _widths(cells: list[list[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*cells, strict=True)]


def numeric_columns(table: pl.DataFrame) -> list[bool]:
    """Tell for each column whether it holds numbers."""
    return [dtype.is_numeric() for dtype in table.dtypes]

"""Tables as text: for people (aligned text, Markdown, LaTeX) and for programs (CSV, JSON, Parquet)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cranfield.presentation import people, programs

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Format:
    """One way of writing a table down."""

    write: Callable[[pl.DataFrame, Mapping[str, float]], str | bytes]
    for_people: bool


FORMATS = {
    "table": Format(people.plain, for_people=True),
    "csv": Format(programs.csv, for_people=False),
    "json": Format(programs.json, for_people=False),
    "latex": Format(people.latex, for_people=True),
    "markdown": Format(people.markdown, for_people=True),
    "parquet": Format(programs.parquet, for_people=False),
}


def render(table: pl.DataFrame, format: str, *, best: Mapping[str, float] = people.NONE) -> str | bytes:  # noqa: A002
    """Write a table in one of the formats; in those for people, the best of each ``best`` column is emphasised.

    ``best`` says of a column whether the largest value is the best (1) or the least (-1).

    >>> import polars as pl
    >>> print(render(pl.DataFrame({"run": ["a", "b"], "AP": [0.25, 0.5]}), "markdown", best={"AP": 1}), end="")
    | run | AP         |
    |:----|-----------:|
    | a   |     0.2500 |
    | b   | **0.5000** |
    """
    return FORMATS[format].write(table, best)

"""Tables as text: for people (aligned text, Markdown, LaTeX) and for programs (CSV, JSON, Parquet).

Nothing heavy is imported, so that the command line knows the formats at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from cranfield.errors import InputError
from cranfield.presentation import people, programs

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Format:
    """One way of writing a table down, and the suffix of files that hold it."""

    write: Callable[[pl.DataFrame, Mapping[str, float]], str | bytes]
    suffix: str
    for_people: bool


FORMATS: Final = {
    "table": Format(people.plain, "txt", for_people=True),
    "csv": Format(programs.csv, "csv", for_people=False),
    "json": Format(programs.json, "json", for_people=False),
    "latex": Format(people.latex, "tex", for_people=True),
    "markdown": Format(people.markdown, "md", for_people=True),
    "parquet": Format(programs.parquet, "parquet", for_people=False),
}


def format_for(file: str, asked: str | None) -> str:
    """Say in which format a file is to be written: the one that its suffix names, or else the one asked for.

    A format that is text of lines and has no suffix of its own, such as trec_eval's, goes into
    ``.txt`` as well.

    >>> format_for("scores.csv.gz", None), format_for("pool.txt", "trec"), format_for("scores", None)
    ('csv', 'trec', 'table')
    >>> format_for("scores.csv", "latex")
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: scores.csv: its suffix says csv, but latex is asked for; leave one of them out
    """
    suffix = PurePath(_unpacked(file)).suffix.casefold().removeprefix(".")
    named = next((name for name, form in FORMATS.items() if form.suffix == suffix), None)
    if named is None or (named == "table" and asked is not None and asked not in FORMATS):
        return asked or "table"
    if asked not in {None, named}:
        raise InputError(f"its suffix says {named}, but {asked} is asked for; leave one of them out", source=file)
    return named


def _unpacked(file: str) -> str:
    folded = file.casefold()
    return next((file[: -len(packed)] for packed in (".gz", ".zst") if folded.endswith(packed)), file)


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

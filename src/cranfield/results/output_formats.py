"""Tables as text: for people (aligned text, Markdown, LaTeX) and for programs (CSV, JSON, Parquet).

People read a `Sheet`, columns of plain values; programs get a table of polars. Nothing heavy is
imported, so that the command line knows the formats at once.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

from cranfield.plumbing.errors import InputError
from cranfield.results import people, programs
from cranfield.results.sheet import Sheet

if TYPE_CHECKING:
    import polars as pl


class OutputFormat(NamedTuple):
    """The suffix of files that hold a format, and how a sheet is written in it, or else a table."""

    suffix: str
    of_sheet: Callable[[Sheet], str] | None = None
    of_table: Callable[[pl.DataFrame], str | bytes] = str

    @property
    def for_people(self) -> bool:
        """Whether it rounds, aligns and emphasises; formats for programs keep every digit."""
        return self.of_sheet is not None

    def write(self, sheet: Callable[[], Sheet], table: Callable[[], pl.DataFrame]) -> str | bytes:
        """Write what is read in this format."""
        return self.of_table(table()) if self.of_sheet is None else self.of_sheet(sheet())


def _html(sheet: Sheet) -> str:
    from cranfield.results.html import html_table

    return html_table(sheet, rows=sheet.height) + "\n"


def _latex(sheet: Sheet) -> str:
    from cranfield.results.latex import latex_table

    return latex_table(sheet)


FORMATS: Final = {
    "table": OutputFormat("txt", people.plain),
    "csv": OutputFormat("csv", of_table=programs.csv),
    "json": OutputFormat("json", of_table=programs.json),
    "latex": OutputFormat("tex", _latex),
    "markdown": OutputFormat("md", people.markdown_table),
    "parquet": OutputFormat("parquet", of_table=programs.parquet),
    "html": OutputFormat("html", _html),
}


def format_for(file: str, asked: str | None) -> str:
    """Return the format of a file: the one that its suffix names, or else the one asked for.

    A line-based format without a suffix of its own, such as trec_eval's, also goes into ``.txt``.
    """
    from cranfield.formats.packing import split_packed

    suffix = PurePath(split_packed(file)[0]).suffix.casefold().removeprefix(".")
    named = next((name for name, form in FORMATS.items() if form.suffix == suffix), None)
    if named is None and suffix and asked is None:
        written = " ".join(f".{form.suffix}" for form in FORMATS.values())
        raise InputError(f".{suffix} is not written; choose from {written} (or give --format)", source=file)
    if named is None or (named == "table" and asked is not None and asked not in FORMATS):
        return asked or "table"
    if asked not in {None, named}:
        raise InputError(f"its suffix says {named}, but {asked} is asked for; leave one of them out", source=file)
    return named


def render(table: pl.DataFrame, format: str) -> str | bytes:  # noqa: A002
    """Write a table in one of the formats."""
    return FORMATS[format].write(lambda: Sheet.of(table), lambda: table)

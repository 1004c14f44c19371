"""Tables for programs: every digit, and nothing but the table."""

from __future__ import annotations

import io
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

LongColumns: TypeAlias = "Mapping[str, Sequence[str] | Sequence[float]]"
"""The columns of a table: texts, or floats."""

ROWS_AT_ONCE: Final = 50_000
"""How many rows of a table are made into text at a time, which takes several times the room of the text."""


def csv(table: pl.DataFrame) -> str:
    """Comma-separated values with a header; floats so that reading gives the same number, lists with blanks between."""
    import polars as pl

    lists = pl.col(name for name, dtype in table.schema.items() if dtype == pl.List(pl.String))
    parts = [*table.with_columns(lists.list.join(" ")).iter_slices(ROWS_AT_ONCE)] or [table]
    return "".join(part.write_csv(include_header=not number) for number, part in enumerate(parts))


def csv_of(columns: LongColumns) -> str:
    r"""Write the same of columns that are no table yet, which needs no polars.

    >>> csv_of({"run": ["bm25", "a,b"], "value": [0.25, 1.5e-7]})
    'run,value\nbm25,0.25\n"a,b",1.5e-7\n'
    """
    rows = zip(*(map(_cell, column) for column in columns.values()), strict=True)
    text = io.StringIO()
    text.writelines(",".join(row) + "\n" for row in chain([columns], rows))
    return text.getvalue()


def _cell(cell: str | float) -> str:
    """Write a text, quoted where it must be, or a number, with enough digits to read the same one back."""
    if isinstance(cell, str):
        quoted = not cell or any(mark in cell for mark in ',"\n\r')
        return '"' + cell.replace('"', '""') + '"' if quoted else cell
    digits, small, power = repr(cell).partition("e-0")
    if not small:
        return "NaN" if digits == "nan" else digits
    return f"{cell:.{5 + len(digits.partition('.')[2])}f}" if power == "5" else f"{digits}e-{power}"


def json(table: pl.DataFrame) -> str:
    """A list of objects, one a row; numbers that JSON lacks, infinity and NaN, are null."""
    import polars as pl

    floats = pl.selectors.float()
    return _objects(table.with_columns(pl.when(floats.is_finite()).then(floats)).to_dicts())


def json_of(columns: LongColumns) -> str:
    r"""Write the same of columns that are no table yet, which needs no polars.

    >>> json_of({"run": ["bm25"], "value": [float("nan")]})
    '[\n {\n  "run": "bm25",\n  "value": null\n }\n]\n'
    """
    from math import isfinite

    cells = (
        [cell if isinstance(cell, str) or isfinite(cell) else None for cell in column] for column in columns.values()
    )
    return _objects([dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True)])


def _objects(rows: Sequence[Mapping[str, object]]) -> str:
    import json as json_

    return json_.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def parquet(table: pl.DataFrame) -> bytes:
    """Parquet, compressed with zstd."""
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


LIGHT: Final = {"csv": csv_of, "json": json_of}
"""What is written without polars, where the columns are known."""

"""Tables for programs: every digit, and nothing but the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def csv(table: pl.DataFrame) -> str:
    """Comma-separated values with a header; floats so that reading gives the same number, lists with blanks between."""
    import polars as pl

    lists = pl.col(name for name, dtype in table.schema.items() if dtype == pl.List(pl.String))
    return table.with_columns(lists.list.join(" ")).write_csv()


def json(table: pl.DataFrame) -> str:
    """A list of objects, one a row; numbers that JSON lacks, infinity and NaN, are null."""
    import json as json_

    import polars as pl

    floats = pl.selectors.float()
    table = table.with_columns(pl.when(floats.is_finite()).then(floats))
    return json_.dumps(table.to_dicts(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def parquet(table: pl.DataFrame) -> bytes:
    """Parquet, compressed with zstd."""
    import io

    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()

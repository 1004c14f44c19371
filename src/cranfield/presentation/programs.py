"""Tables for programs: every digit, and nothing but the table."""

from __future__ import annotations

import io
import json as json_
from collections.abc import Sequence

import polars as pl


def csv(table: pl.DataFrame, best: Sequence[str] = ()) -> str:
    """Comma-separated values with a header; floats so that reading gives the same number."""
    del best
    return table.write_csv()


def json(table: pl.DataFrame, best: Sequence[str] = ()) -> str:
    """A list of objects, one a row."""
    del best
    return json_.dumps(table.to_dicts(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def parquet(table: pl.DataFrame, best: Sequence[str] = ()) -> bytes:
    """Parquet, compressed with zstd."""
    del best
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()

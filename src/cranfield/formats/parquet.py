"""Parquet files, whose columns are known by their names."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from cranfield.formats.broken import refusing, without_panics
from cranfield.formats.columns import Kind, find_columns, tidy
from cranfield.formats.format import Format, NamedColumns
from cranfield.formats.parquet_pages import check_pages
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import LINE

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC: Final = b"PAR1"


def recognises(data: bytes, name: str) -> bool:
    """Say whether a file is Parquet, by its first bytes or, so that a broken one is named for what it is, its name."""
    return data.startswith(_MAGIC) or name.casefold().endswith(".parquet")


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a run or qrels from Parquet; a row's number, from 1, serves as its line.

    >>> from cranfield.formats.columns import RUN_KIND
    >>> table = pl.DataFrame({"qid": [7], "docno": ["001"], "score": [1.5]})
    >>> read(write(table, RUN_KIND, source="run.parquet", name=""), RUN_KIND, source="run.parquet").rows()
    [('7', '001', 1.5)]
    """
    found = find_columns(names(data, source=source), kind, rank=rank, source=source)
    table = tidy(pick(data, found, source=source), kind, source=source)
    return table if lines else table.drop(LINE)


def names(data: bytes, *, source: str) -> list[str]:
    """Give the names of the columns."""
    with _reading(data, source):
        return list(pl.read_parquet_schema(io.BytesIO(data)))


def pick(data: bytes, found: dict[str, str], *, source: str) -> pl.DataFrame:
    """Take columns out of a file, with the number of each row from 1."""
    with _reading(data, source):
        picked = pl.scan_parquet(data).select(pl.col(theirs).alias(ours) for ours, theirs in found.items())
        return picked.with_columns(pl.int_range(1, pl.len() + 1).alias(LINE)).collect()


def table(data: bytes, *, source: str) -> pl.DataFrame:
    """Give all columns as they are."""
    with _reading(data, source):
        return pl.read_parquet(io.BytesIO(data))


@contextmanager
def _reading(data: bytes, source: str) -> Iterator[None]:
    with refusing("a Parquet file", source), without_panics():
        check_pages(data)
        yield


def write(table: pl.DataFrame, kind: Kind, *, source: str, name: str) -> bytes:
    """Write a table as Parquet."""
    file = io.BytesIO()
    table.write_parquet(file, compression="zstd")
    return file.getvalue()


FORMAT: Final = Format(
    "Parquet",
    recognises=recognises,
    read=read,
    write=write,
    suffixes=(".parquet",),
    named=NamedColumns(names, pick),
    text=False,
)

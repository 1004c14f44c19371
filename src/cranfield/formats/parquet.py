"""Parquet files, whose columns are known by their names, read whole or, if too large, some rows at a time."""

from __future__ import annotations

import io
import mmap
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cranfield.formats.broken import refusing, without_panics
from cranfield.formats.columns import RUN_KIND, Kind, find_columns, tidy
from cranfield.formats.files import called, reading
from cranfield.formats.format import Format, NamedColumns
from cranfield.formats.parquet_pages import Fields, check_group, check_pages, row_groups
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import LINE

_MAGIC: Final = b"PAR1"


def recognises(data: bytes, name: str) -> bool:
    """Say whether a file is Parquet, by its first bytes or, so that a broken one is named for what it is, its name."""
    return data.startswith(_MAGIC) or name.casefold().endswith(".parquet")


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a run or qrels from Parquet; a row's number, from 1, serves as its line."""
    found = find_columns(names(data, source=source), kind, rank=rank, source=source, first=lambda: _first_row(data))
    table = tidy(pick(data, found, source=source), kind, source=source)
    return table if lines else table.drop(LINE)


def _first_row(data: bytes) -> tuple[object, ...]:
    return next(iter(pl.scan_parquet(data).head(1).collect().rows()), ())


def names(data: bytes, *, source: str) -> list[str]:
    """Give the names of the columns."""
    with _reading(data, source):
        return list(pl.read_parquet_schema(io.BytesIO(data)))


def has_lists(data: bytes, *, source: str) -> bool:
    """Say whether a column holds lists or objects; only the footer is looked at."""
    with refusing("a Parquet file", source), without_panics():
        return any(dtype.is_nested() for dtype in pl.read_parquet_schema(io.BytesIO(data)).values())


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


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file, of which the footer was read."""

    path: Path
    rows: int
    names: tuple[str, ...]
    """Its columns, and those that the names of its folders give."""
    given: Mapping[str, str] = field(default_factory=dict)
    """The values of the latter, the same in all rows."""
    before: int = 0
    """How many rows the files before it have, of those that hold one run."""
    kind: Kind = RUN_KIND

    @classmethod
    def of(
        cls, path: Path, given: Mapping[str, str] | None = None, before: int = 0, kind: Kind = RUN_KIND
    ) -> ParquetFile:
        """Read the footer of a file."""
        given = given or {}
        with _reading_file(path):
            own = pl.read_parquet_schema(path)
        return cls(path, rows_in(path), (*given, *(name for name in own if name not in given)), given, before, kind)

    @property
    def source(self) -> str:
        """What messages call it."""
        return called(self.path)

    def check(self) -> None:
        """Check the pages, a group of rows at a time, so that no more of the file is in memory."""
        with _reading_file(self.path):
            for group in _groups(self.path):
                with _mapped(self.path) as data:
                    check_group(data, group)

    def pick(self, found: Mapping[str, str], first: int, rows: int) -> pl.DataFrame:
        """Take columns out of some rows, with the number of each row from 1."""
        own = [pl.col(theirs).alias(ours) for ours, theirs in found.items() if theirs not in self.given]
        columns: list[pl.Series] = []
        if own:
            with _reading_file(self.path):
                lying = pl.scan_parquet(self.path, hive_partitioning=False, glob=False)
                columns = lying.slice(first, rows).select(own).collect().get_columns()
            rows = len(columns[0])
        given = [
            pl.Series(ours, [self.given[theirs]]).new_from_index(0, rows)
            for ours, theirs in found.items()
            if theirs in self.given
        ]
        return pl.DataFrame([*columns, *given, pl.int_range(first + 1, first + rows + 1, eager=True).alias(LINE)])


def rows_in(path: Path) -> int:
    """Say how many rows a file has; only its footer is looked at."""
    with _reading_file(path):
        return sum(int(group[3]) for group in _groups(path))


def _groups(path: Path) -> list[Fields]:
    with _mapped(path) as data:
        return row_groups(data)


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    """Look at a file where it lies; what was looked at is let go at the end."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


@contextmanager
def _reading_file(path: Path) -> Iterator[None]:
    source = called(path)
    with reading(source), refusing("a Parquet file", source), without_panics():
        yield


def is_parquet(path: Path) -> bool:
    """Say whether a file is one of Parquet that is there to be read by parts: a packed one, or a pipe, is not."""
    try:
        os.fsencode(path).decode()  # as polars wants it
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except (OSError, ValueError):
        return False


FORMAT: Final = Format(
    "Parquet",
    recognises=recognises,
    read=read,
    write=write,
    suffixes=(".parquet",),
    named=NamedColumns(names, pick),
    text=False,
)

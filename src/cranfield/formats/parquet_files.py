"""Parquet files too large to be read whole: some rows at a time, straight from where they lie."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cranfield.formats.broken import refusing, without_panics
from cranfield.formats.files import called, what_went_wrong
from cranfield.formats.parquet_pages import Fields, check_group, row_groups
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import LINE

MAGIC: Final = b"PAR1"


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

    @classmethod
    def of(cls, path: Path, given: Mapping[str, str] | None = None, before: int = 0) -> ParquetFile:
        """Read the footer of a file.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "run.parquet")
        ...     pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"]}).write_parquet(path)
        ...     file = ParquetFile.of(path)
        ...     file.rows, file.names, file.pick({"doc_id": "docno"}, 1, 1).rows()
        (2, ('qid', 'docno'), [('b', 2)])
        """
        given = given or {}
        with _reading(path):
            own = pl.read_parquet_schema(path)
        return cls(path, rows_in(path), (*given, *(name for name in own if name not in given)), given, before)

    @property
    def source(self) -> str:
        """What messages call it."""
        return called(self.path)

    def check(self) -> None:
        """Check the pages, a group of rows at a time, so that no more of the file is in memory."""
        with _reading(self.path):
            for group in _groups(self.path):
                with _mapped(self.path) as data:
                    check_group(data, group)

    def pick(self, found: Mapping[str, str], first: int, rows: int) -> pl.DataFrame:
        """Take columns out of some rows, with the number of each row from 1."""
        own = [pl.col(theirs).alias(ours) for ours, theirs in found.items() if theirs not in self.given]
        columns: list[pl.Series] = []
        if own:
            with _reading(self.path):
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
    with _reading(path):
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
def _reading(path: Path) -> Iterator[None]:
    source = called(path)
    try:
        with refusing("a Parquet file", source), without_panics():
            yield
    except (OSError, ValueError) as error:
        raise InputError(what_went_wrong(error, "read"), source=source) from None


def is_parquet(path: Path) -> bool:
    """Say whether a file is one of Parquet that is there to be read by parts: a packed one, or a pipe, is not."""
    try:
        os.fsencode(path).decode()  # as polars wants it
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False

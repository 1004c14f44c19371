"""Runs too large for the memory, in Parquet: read a part at a time, a part being the rows of whole topics.

Where the rows of each topic lie together, a part is some rows that follow each other. Where they do
not, the rows are first laid down again on the disk, in one heap for each part; which heap
a row goes to depends on its topic alone.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Final

import numpy as np

from cranfield.formats.columns import RUN_KIND, Kind, find_columns, ids, read_column, run_column, tidy
from cranfield.formats.parquet import ParquetFile, is_parquet, rows_in
from cranfield.plumbing.arrays import Keys, starts
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.memory import require
from cranfield.plumbing.tables import LINE, QUERY, RANK, RUN, match_columns

LARGE_RUN: Final = 4_000_000  # A run of more rows is not read whole, but a part at a time
ROWS_READ_AT_ONCE: Final = 1_000_000  # How many rows are read at once, and more where a topic has more
MOST_HEAPS: Final = 1_000
"""Of longer runs heaps are larger, so that the pieces that they consist of do not become too small."""
WHOLE_ROW: Final = 120  # How many bytes does it take to have a row of a run in memory, among all others

_UNSORTED: Final = "sorting the rows by topic"


@dataclass(frozen=True)
class Stretch:
    """Some rows of a file that follow each other."""

    file: ParquetFile
    first: int
    rows: int


def stretches_of(files: Iterable[ParquetFile]) -> tuple[Stretch, ...]:
    """Cut files into stretches."""
    return tuple(
        Stretch(file, first, min(ROWS_READ_AT_ONCE, file.rows - first))
        for file in files
        for first in range(0, file.rows, ROWS_READ_AT_ONCE)
    )


@dataclass(frozen=True, eq=False)
class PartedRun:
    """A run in Parquet files, of which no more is read at a time than there is memory for."""

    origin: str
    stretches: tuple[Stretch, ...]  # Its rows, in order
    rows: int
    run: str | None = None  # Its name, where a column of the files says to which run a row belongs
    checked: bool = False  # Whether the pages of its files were checked
    once: Callable[[pl.DataFrame], pl.DataFrame] | None = field(default=None, repr=False)
    """What is done to each part before it is handed on."""

    @property
    def is_large(self) -> bool:
        """Whether it is better read a part at a time than whole."""
        return self.rows > LARGE_RUN

    def __call__(self, *, rank: bool, lines: bool) -> pl.DataFrame:
        """Read it whole, if there is memory for it: what `RunSource.load` does."""
        require(WHOLE_ROW * self.rows, f"reading its {self.rows:,} rows at once", source=self.origin)
        self._check()
        table = pl.concat(self._tables(rank=rank), rechunk=True)
        return table.select(pl.exclude(*([] if lines else [LINE]), *([] if rank else [RANK])))

    def parts(self, *, rank: bool = False, step: Callable[[], None] | None = None) -> Iterator[pl.DataFrame]:
        """Read the run a part at a time, whole topics with ``line``; ``step`` is called whenever a stretch was read."""
        self._check()
        tables = self._tables(rank=rank, step=step)
        parts = whole_topics(tables, ROWS_READ_AT_ONCE) if self.topics_lie_together else self._heaps(tables)
        return parts if self.once is None else map(self.once, parts)

    @cached_property
    def topics_lie_together(self) -> bool:
        """Whether no topic comes back once another has begun; a collision of 64-bit hashes only costs time."""
        seen: list[Keys] = []
        last = None
        for stretch in self.stretches:
            topic = self._topics(stretch).rle().struct.field("value").cast(pl.String, strict=False)
            new = topic.slice(1) if len(topic) and topic[0] == last else topic
            last = topic[-1] if len(topic) else last
            seen.append(np.sort(new.hash().to_numpy()))
            if (seen[-1][1:] == seen[-1][:-1]).any():
                return False
        keys = np.sort(np.concatenate(seen))
        return not (keys[1:] == keys[:-1]).any()

    def where(self, line: int) -> tuple[str, int]:
        """Say in which file a row stands, and which row it is there."""
        file = max((stretch.file for stretch in self.stretches if stretch.file.before < line), key=lambda f: f.before)
        return file.source, line - file.before

    def _check(self) -> None:
        if not self.rows:
            raise InputError("is empty: a run has at least one line", source=self.origin)
        if not self.checked:
            _check(self.stretches)

    def _tables(self, *, rank: bool, step: Callable[[], None] | None = None) -> Iterator[pl.DataFrame]:
        for stretch in self.stretches:
            table = self._read(stretch, rank=rank)
            if table.height:
                yield table
            if step:
                step()

    def _read(self, stretch: Stretch, *, rank: bool) -> pl.DataFrame:
        """Read and check some rows; lines go through all files."""
        file = stretch.file
        found = find_columns(file.names, file.kind, rank=rank, source=file.source)
        picked = self._own(file.pick(found | self._named(file), stretch.first, stretch.rows))
        if not picked.height:
            return picked
        return tidy(picked, file.kind, source=file.source).with_columns(pl.col(LINE) + file.before)

    def _topics(self, stretch: Stretch) -> pl.Series:
        file = stretch.file
        wanted = {QUERY: file.kind.columns[QUERY]}
        found = match_columns(file.names, wanted, source=file.source, columns=file.kind.naming.names)
        return self._own(file.pick(found | self._named(file), stretch.first, stretch.rows))[QUERY]

    def _named(self, file: ParquetFile) -> dict[str, str]:
        return {} if self.run is None else run_column(file.names, file.kind)

    def _own(self, table: pl.DataFrame) -> pl.DataFrame:
        """Keep the rows of the run."""
        return table if self.run is None else table.filter(ids(table[RUN]) == self.run).drop(RUN)

    def _heaps(self, tables: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """Lay the rows down on the disk, and read one heap after the other."""
        import tempfile

        try:
            with tempfile.TemporaryFile(prefix="cranfield-") as file:  # without a name: nothing can be left of it
                heaps = _Heaps(file, min(-(-self.rows // ROWS_READ_AT_ONCE), MOST_HEAPS))
                for table in tables:
                    heaps.add(table)
                    self._require_disk(heaps.size, self.rows - heaps.rows, heaps.rows)
                yield from heaps
        except OSError as error:
            raise InputError(f"{_UNSORTED}: {error.strerror or error}", source=self.origin) from None

    def _require_disk(self, size: int, rows: int, rows_so_far: int) -> None:
        """Refuse what the disk has no room for."""
        import shutil
        import tempfile

        needed, free = size / rows_so_far * rows, shutil.disk_usage(tempfile.gettempdir()).free
        if needed > free:
            raise InputError(
                f"{_UNSORTED} takes {_gigabytes(size + needed)} of disk in {tempfile.gettempdir()}, where "
                f"{_gigabytes(size + free)} is free; sort the run by topic, or name another folder in the environment "
                "(TMPDIR)",
                source=self.origin,
            )


def _gigabytes(size: float) -> str:
    return f"{size / 2**30:.1f} GB"


class _Heaps:
    """Rows on the disk, in heaps of whole topics."""

    def __init__(self, file: IO[bytes], number: int) -> None:
        self.file = file
        self.pieces: list[list[tuple[int, int]]] = [[] for _ in range(number)]
        self.rows = self.size = 0

    def add(self, table: pl.DataFrame) -> None:
        """Lay rows down; in a heap they keep their order."""
        heap = (table[QUERY].hash() % len(self.pieces)).to_numpy().astype(np.uint16)
        # In one piece it is picked from five times as fast.
        ordered = table.rechunk().select(pl.all().gather(np.argsort(heap, kind="stable")))
        rows = np.bincount(heap, minlength=len(self.pieces))
        for number, (first, size) in enumerate(zip(starts(rows).tolist(), rows.tolist(), strict=True)):
            if size:
                packed = io.BytesIO()
                ordered.slice(first, size).write_ipc_stream(packed, compression="lz4")
                self.pieces[number].append((self.size, self.file.write(packed.getbuffer())))
                self.size += self.pieces[number][-1][1]
        self.rows += table.height

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """Read one heap after the other, the rows of a topic together."""
        for pieces in filter(None, self.pieces):
            heap = pl.concat([self._read(*piece) for piece in pieces], rechunk=True)
            yield heap.select(pl.all().gather(np.argsort(heap[QUERY].hash().to_numpy(), kind="stable")))

    def _read(self, first: int, size: int) -> pl.DataFrame:
        self.file.seek(first)
        return pl.read_ipc_stream(io.BytesIO(self.file.read(size)))


def is_large(path: Path) -> bool:
    """Say whether a file is one of Parquet with more rows than are read at once."""
    return is_parquet(path) and rows_in(path) > LARGE_RUN


def parted_runs(
    parts: Iterable[tuple[Path, Mapping[str, str]]], origin: str, name: str, kind: Kind = RUN_KIND
) -> dict[str, PartedRun]:
    """Find the runs in Parquet files: by name, in the order in which they come."""
    files: dict[str, list[ParquetFile]] = {}
    for path, given in parts:
        of_run = files.setdefault(given.get(RUN, name), [])
        file = ParquetFile.of(path, given, of_run[-1].before + of_run[-1].rows if of_run else 0, kind)
        if file.rows:
            of_run.append(file)
    if len(files) == 1 and name in files and any(run_column(file.names, kind) for file in files[name]):
        return _by_column(stretches_of(files[name]), origin)
    return {run: PartedRun(origin, stretches_of(own), sum(file.rows for file in own)) for run, own in files.items()}


def _by_column(stretches: tuple[Stretch, ...], origin: str) -> dict[str, PartedRun]:
    """Find the runs that a column names, and in which stretches each has how many rows."""
    _check(stretches)
    of_run: dict[str, list[Stretch]] = {}
    rows: Counter[str] = Counter()
    for stretch in stretches:
        file = stretch.file
        names = read_column(file.pick(run_column(file.names, file.kind), stretch.first, stretch.rows), RUN, file.source)
        for run, count in names.value_counts(name="rows").iter_rows():
            rows[run] += count
        for run in names.unique(maintain_order=True):
            of_run.setdefault(run, []).append(stretch)
    return {run: PartedRun(origin, tuple(own), rows[run], run, checked=True) for run, own in of_run.items()}


def _check(stretches: Iterable[Stretch]) -> None:
    """Check the files, each once."""
    for file in {stretch.file.path: stretch.file for stretch in stretches}.values():
        file.check()


def whole_topics(tables: Iterable[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """Recut consecutive tables into tables of at least this many rows that hold whole topics.

    >>> tables = [pl.DataFrame({"query_id": list(topics)}) for topics in ("112", "2", "23", "4")]
    >>> ["".join(part["query_id"]) for part in whole_topics(tables, 3)]
    ['11', '222', '34']
    """
    begun: list[pl.DataFrame] = []
    held, wanted = 0, rows
    for table in tables:
        begun.append(table)
        held += table.height
        if held < wanted:
            continue
        whole = pl.concat(begun)
        last = whole.height - whole[QUERY].rle().struct.field("len")[-1]
        wanted = rows if last else 2 * whole.height  # it is all of one topic
        if last:
            yield whole.head(last)
        begun, held = [whole.slice(last)], whole.height - last
    if begun:
        yield pl.concat(begun)

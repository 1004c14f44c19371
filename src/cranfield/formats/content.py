"""The formats of files there are, and files read and written in the one that is theirs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from cranfield.formats import (
    delimited,
    files,
    frames,
    golden_sets,
    heads,
    json_text,
    msmarco,
    nuggets,
    parquet,
    run_metadata,
    trec,
)
from cranfield.formats.broken import refusing
from cranfield.formats.columns import Kind, find_columns, has_rank, run_column, tidy
from cranfield.formats.heads import HeadRow
from cranfield.formats.native import library
from cranfield.formats.text import blank_comments, without_mark
from cranfield.formats.writing import write_whole
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import is_loaded
from cranfield.plumbing.tables import RANK, RUN

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from cranfield.formats.files import FilePath, OpenFile
    from cranfield.formats.format import Format

# Asked in this order whether a file is theirs; the last one takes all.
_FORMATS: Final[tuple[Format, ...]] = (
    nuggets.FORMAT,
    golden_sets.FORMAT,
    parquet.FORMAT,
    json_text.FORMAT,
    delimited.FORMAT,
    msmarco.FORMAT,
    trec.FORMAT,
)

_SUFFIXES: Final = tuple(suffix for form in _FORMATS for suffix in form.suffixes)
_WITH_EMPTY_TOPICS: Final = frozenset(suffix for form in _FORMATS if form.empty_topics for suffix in form.suffixes)
_WITH_NAMES: Final = frozenset(suffix for form in _FORMATS if form.named for suffix in form.suffixes)
_LINES: Final = (".jsonl", ".ndjson")  # Those of answers, which are read and not written

SMALL_FILE: Final = 1 << 18
"""Files of no more bytes than this are read without a table: to load Polars would take longer."""
TINY: Final = 1 << 15
"""Files of no more bytes than this are, too, where it is loaded."""
OF_OTHERS: Final = frozenset({
    *(".xlsx", ".xls", ".ods", ".docx", ".doc", ".odt", ".pdf", ".html", ".md", ".tex", ".xml", ".yaml", ".yml"),
    *(".jsonl", ".feather", ".arrow", ".pkl", ".npy", ".npz", ".png", ".svg"),
})  # fmt: skip
"""Suffixes that promise something else than lines, which a file of any name gets that no format claims."""
LARGEST_QRELS: Final = 1 << 24
"""Qrels of no more bytes than this are, wherever the native road is there."""


@dataclass(frozen=True)
class File:
    """A file and how it is to be read; what can be read only once, the standard input or a pipe, is kept."""

    path: FilePath
    kind: Kind
    comments: bool
    kept: bytes | None = field(default=None, repr=False)
    first: list[bytes] = field(default_factory=list, repr=False, compare=False)
    """The first bytes, once the text was read: it is not opened again for them."""

    def __call__(self, *, rank: bool, lines: bool) -> pl.DataFrame:
        """Read it, anew each time."""
        form, data = self._open()
        source = files.called(self.path)
        with refusing(form.name, source):
            table = form.read(data, self.kind, source=source, rank=rank, lines=lines)
        return table if rank else table.drop(RANK, strict=False)

    def nested(self) -> Mapping[str, Mapping[str, float]] | None:
        """Read a small file into ``{topic: {document: value}}``; None where it is large or out of the ordinary."""
        most = TINY if is_loaded() else SMALL_FILE
        if self.kind.is_qrels and library():
            most = LARGEST_QRELS
        if (files.size(self.path) if self.kept is None else len(self.kept)) > most:
            return None
        form, data = self._open()
        return form.read_small(data, self.kind) if form.read_small and len(data) <= most else None

    def text(self) -> bytes | None:
        """Give the bytes of TREC text, as they are read without a table; None where it is something else."""
        form, data = self._open()
        self.first[:] = [run_metadata.below(data, heads.HEAD_BYTES)]
        return data if form is trec.FORMAT else None

    def head(self) -> list[HeadRow]:
        """Give the first rows, where it is text with a row a line."""
        [data] = self.first or [self.beginning]
        return heads.of_text(data, self._name, self.kind.naming)

    def tag(self) -> str | None:
        """Find what a run calls itself in its last line, where the format has a place for that."""
        form, data = self._open()
        return form.tag(data) if form.tag else None

    def cells(self) -> pl.DataFrame | None:
        """Give the cells of all lines as they are written, where the format is one of lines without a header."""
        form, data = self._open()
        return form.cells(data, self.kind, source=files.called(self.path)) if form.cells else None

    def empty_topics(self) -> tuple[str, ...]:
        """Name the topics in which nothing was retrieved, where the format has a place for them: see `several`."""
        if not self._may_be(_WITH_EMPTY_TOPICS) and not self._begins_as_json:
            return ()
        form, data = self._open()
        return form.empty_topics(data, self.kind, source=files.called(self.path)) if form.empty_topics else ()

    def several(self) -> Mapping[str, pl.DataFrame | Mapping[Any, Any]] | None:
        """Read the runs of a file that names them, or has lists, as tables or as dicts; None for any other file.

        Only a file called ``.csv``, ``.tsv`` or ``.parquet`` is opened for that, or one that is kept, or JSON.
        """
        if not self._may_be(_WITH_NAMES) and not self._begins_as_json:
            return None
        source = files.called(self.path)
        form, data = self._open()
        if form.lists and (lists := form.lists(data, self.kind, source=source)) is not None:
            return lists
        if form.named is None:
            return None
        names = form.named.names(data, source=source)
        named = run_column(names, self.kind, source)
        if not named:
            return None
        found = find_columns(names, self.kind, rank=has_rank(names, self.kind), source=source)
        picked = form.named.pick(data, {**found, **named}, source=source)
        return frames.split(tidy(picked, self.kind, source=source), picked[RUN], source=source)

    @property
    def _begins_as_json(self) -> bool:
        return without_mark(self.beginning).lstrip()[:1] in {b"{", b"["}

    def _may_be(self, suffixes: frozenset[str]) -> bool:
        """Say whether the file is called so, or whether it costs nothing to look."""
        return self.kept is not None or PurePath(self._name).suffix.casefold() in suffixes

    def metadata(self) -> str:
        """Give the metadata at the head of a run; empty where there is none."""
        return self._headed(self._bytes()).metadata if run_metadata.begins(self._first(heads.HEAD_BYTES)) else ""

    def _open(self) -> tuple[Format, bytes]:
        """Find the first format that recognises the file; the bytes come without their comments."""
        data, named = self._headed(self._bytes()).rows, bool(self.kind.naming)
        for one in _FORMATS:
            content = blank_comments(data) if self.comments and one.text else data
            if one.recognises(content, self._name) or (named and one.names_any and one.names_any(content, self.kind)):
                return one, content
        raise AssertionError("the last format takes all")

    def _headed(self, data: bytes) -> run_metadata.Headed:
        if self.kind.is_qrels:
            return run_metadata.Headed("", data)
        return run_metadata.headed(data, source=files.called(self.path))

    def _bytes(self) -> bytes:
        return files.read_bytes(self.path) if self.kept is None else self.kept

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes, unpacked; nothing where it cannot be read, of which whoever reads it all will speak."""
        first = self._first(heads.HEAD_BYTES)
        if not run_metadata.begins(first):
            return first
        try:
            return run_metadata.below(self._headed(self._first(run_metadata.LONGEST)).rows, heads.HEAD_BYTES)
        except InputError:
            return b""

    def _first(self, most: int) -> bytes:
        return files.read_head(self.path, most) if self.kept is None else self.kept[:most]

    @cached_property
    def _name(self) -> str:
        """Its name, without the suffix of its compression."""
        return files.unpacked_name(self.path)


def file(path: FilePath, kind: Kind, *, comments: bool) -> File:
    """Give a file to read later; what can be read only once is read now."""
    return File(path, kind, comments, files.read_bytes(path) if files.is_stream(path) else None)


def opened(given: OpenFile, kind: Kind, *, comments: bool) -> File:
    """Give a file that is open; it is read now."""
    return File(files.open_as(given), kind, comments, files.read_open(given))


def run_name(path: FilePath) -> str:
    """Name a run after its file: the name less ``.gz`` or ``.zst`` and one suffix that says it is a run.

    >>> [run_name(path) for path in ("runs/bm25.txt.gz", "input.bm25.v2", "dl19.run", "rag.jsonl", "-")]
    ['bm25', 'input.bm25.v2', 'dl19', 'rag', 'stdin']
    """
    if path == files.STANDARD_STREAM:
        return "stdin"
    name = files.unpacked_name(path)
    folded = name.casefold()
    return next((name[: -len(end)] for end in (*_SUFFIXES, *_LINES) if folded.endswith(end) and name != end), name)


def write(table: pl.DataFrame, kind: Kind, path: FilePath, *, name: str) -> None:
    """Write a table in the format that the suffix of the file says."""
    tidied = frames.read(table, kind, source=files.called(path))
    suffix = Path(files.unpacked_name(path)).suffix.casefold()
    if suffix in OF_OTHERS and suffix not in _SUFFIXES:
        raise InputError(
            f"{suffix} cannot be written; formats of runs and qrels are {' '.join(_SUFFIXES)}",
            source=files.called(path),
        )
    written = next((one.write for one in _FORMATS if one.write and suffix in one.suffixes), trec.write)
    write_whole(path, written(tidied, kind, source=files.called(path), name=name))

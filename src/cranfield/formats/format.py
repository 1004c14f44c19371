"""What a format of files is: how it is told from the others, read and written. Each module of a format declares one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from cranfield.formats.columns import Kind


_T_co = TypeVar("_T_co", covariant=True)


class _Reader(Protocol):
    def __call__(
        self, data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False
    ) -> pl.DataFrame: ...


class _Writer(Protocol):
    def __call__(self, table: pl.DataFrame, kind: Kind, *, source: str, name: str) -> bytes: ...


class _Names(Protocol):
    def __call__(self, data: bytes, *, source: str) -> list[str]: ...


class _Picker(Protocol):
    def __call__(self, data: bytes, found: dict[str, str], *, source: str) -> pl.DataFrame: ...


class _Found(Protocol[_T_co]):
    def __call__(self, data: bytes, kind: Kind, *, source: str) -> _T_co: ...


class NamedColumns(NamedTuple):
    """What a format can do more when its files name their columns."""

    names: _Names
    pick: _Picker
    """Takes columns ``{our name: name in the file}``, by our names and with the line of each row."""


class Format(NamedTuple):
    """One format of files; of those that recognise a file by its bytes and its (unpacked) name, the first is taken."""

    name: str
    recognises: Callable[[bytes, str], bool]
    read: _Reader
    """Reads the tidy table: with ``rank`` its rank column too, with ``lines`` the line each row stands on."""
    write: _Writer | None = None
    """Writes a tidy table, ``name`` naming a run; None where no file is written in it."""
    suffixes: tuple[str, ...] = ()
    """Those that make a file be written in this format."""
    named: NamedColumns | None = None
    """Where columns have names, so that one of them can say which run a row belongs to."""
    tag: Callable[[bytes], str | None] | None = None
    """Finds what a run calls itself."""
    read_small: Callable[[bytes, Kind], Mapping[str, Mapping[str, float]] | None] | None = None
    """Spares small files the table: ``{topic: {document: value}}``, or None where anything is out of the ordinary."""
    cells: _Found[pl.DataFrame] | None = None
    """Gives all lines as they are written, wrong ones too: cells as texts, with the number and the text of each."""
    empty_topics: _Found[tuple[str, ...]] | None = None
    """Names topics in which nothing was retrieved, or is relevant, where a file can say that."""
    lists: _Found[Mapping[str, Mapping[Any, Any]] | None] | None = None
    """Reads the runs of a file at once, where it may hold several or has lists: ``{name: {topic: documents}}``."""
    names_any: Callable[[bytes, Kind], bool] | None = None
    """Says whether its columns have some of the names that a user gave, which make it this format's, too."""
    text: bool = True
    """Whether it consists of lines, which may be comments."""

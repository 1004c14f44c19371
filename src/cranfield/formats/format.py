"""What a format of files is: how it is told from the others, read and written. Each module of a format declares one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from cranfield.formats.columns import Kind


class Reader(Protocol):
    """Reads the tidy table of a run or qrels from the bytes of a file."""

    def __call__(
        self, data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False
    ) -> pl.DataFrame:
        """With ``rank`` the table has its rank column too, with ``lines`` the line each row stands on."""


class SmallReader(Protocol):
    """Reads the bytes of a small file without a table."""

    def __call__(self, data: bytes, kind: Kind) -> Mapping[str, Mapping[str, float]] | None:
        """Give ``{topic: {document: value}}``, or None where anything is out of the ordinary."""


class Writer(Protocol):
    """Writes a tidy table."""

    def __call__(self, table: pl.DataFrame, kind: Kind, *, source: str, name: str) -> bytes:
        """Give the bytes of the file; ``name`` names a run."""


class Names(Protocol):
    """Tells the columns that a file has."""

    def __call__(self, data: bytes, *, source: str) -> list[str]:
        """Give the names of the columns."""


class Picker(Protocol):
    """Takes columns out of the bytes of a file as they are."""

    def __call__(self, data: bytes, found: dict[str, str], *, source: str) -> pl.DataFrame:
        """Give the columns ``{our name: name in the file}`` by our names, and the line of each row."""


class EmptyTopics(Protocol):
    """Finds the topics in which nothing was retrieved, or is relevant."""

    def __call__(self, data: bytes, kind: Kind, *, source: str) -> tuple[str, ...]:
        """Name them."""


class Splitter(Protocol):
    """Takes the lines of a file apart and checks nothing in them."""

    def __call__(self, data: bytes, kind: Kind, *, source: str) -> pl.DataFrame:
        """Give all cells as texts, with the number and the text of each line."""


class NamedColumns(NamedTuple):
    """What a format can do more when its files name their columns."""

    names: Names
    pick: Picker


class Format(NamedTuple):
    """One format of files.

    Of the formats that recognise a file by its bytes and its name without ``.gz`` or ``.zst``, the first is taken.
    """

    name: str
    recognises: Callable[[bytes, str], bool]
    read: Reader
    write: Writer
    suffixes: tuple[str, ...] = ()
    """Those that make a file be written in this format."""
    named: NamedColumns | None = None
    """Where columns have names, so that one of them can say which run a row belongs to."""
    tag: Callable[[bytes], str | None] | None = None
    """Finds what a run calls itself."""
    read_small: SmallReader | None = None
    """Spares small files the table."""
    cells: Splitter | None = None
    """Gives the lines as they are written, wrong ones too, for those who look for all that is wrong."""
    empty_topics: EmptyTopics | None = None
    """Where a file can say that nothing was retrieved for a topic."""
    text: bool = True
    """Whether it consists of lines, which may be comments."""

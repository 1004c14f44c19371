"""Whether the pages of a Parquet file are what its footer says: a wrong count makes polars ask for all memory there is.

Parquet describes itself in Thrift's compact protocol, of which this reads what it needs.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

_MAGIC: Final = b"PAR1"
_DAMAGED: Final = "its description is damaged"
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS: Final = (4, 5, 6)

Data: TypeAlias = bytes | mmap.mmap
"""A file in memory, or one that is looked at where it lies."""

Fields: TypeAlias = dict[int, Any]
"""What a Thrift struct holds, by the number of the field."""


class BadPages(ValueError):  # noqa: N818 - never seen by a user
    """A file whose parts contradict each other."""


def check_pages(data: Data) -> None:
    """Go through the pages of all columns, and compare how many values there are with what the footer says."""
    for group in row_groups(data):
        check_group(data, group)


def row_groups(data: Data) -> list[Fields]:
    """Read what the footer says of each group of rows: field 1 are its columns, field 3 says how many rows it has."""
    with _reading():
        footer = len(data) - 8 - struct.unpack_from("<I", data, len(data) - 8)[0]
        if footer < len(_MAGIC) or data[-4:] != _MAGIC:
            raise BadPages("its end is not that of a Parquet file")
        groups: list[Fields] = _Thrift(data, footer).fields()[4]
        if not all(isinstance(group[1], list) and group[3] >= 0 for group in groups):
            raise BadPages(_DAMAGED)
        return groups


def check_group(data: Data, group: Fields) -> None:
    """Go through the pages of one group of rows."""
    with _reading():
        for column in group[1]:
            _check_column(data, column[3])


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except (IndexError, KeyError, TypeError, AttributeError, struct.error, RecursionError):
        raise BadPages(_DAMAGED) from None


def _check_column(data: Data, column: Fields) -> None:
    """Go through the pages until they have as many values as the column."""
    at, values = min(column[9], column.get(11) or column[9]), 0  # the data, and a dictionary before it
    while values < column[5]:
        reader = _Thrift(data, at)
        header = reader.fields()
        page = header.get(5) or header.get(8)  # of data, in versions 1 and 2
        count = (page or header.get(7, {1: 0}))[1]
        if not 0 <= count <= column[5] or header[3] < 0:
            raise BadPages("a page has an impossible size")
        values += count if page else 0
        at = reader.at + header[3]
    if values != column[5]:
        raise BadPages("its pages hold more than its footer says")


class _Thrift:
    """Reads values of Thrift's compact protocol, one after the other."""

    def __init__(self, data: Data, at: int) -> None:
        self.data, self.at = data, at

    def fields(self) -> Fields:
        """Read a struct."""
        found: Fields = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            found[number] = self.value(head & 15)
        return found

    def value(self, kind: int) -> Any:  # whatever it is
        """Read a value of this kind."""
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in _INTEGERS:
            return self.integer()
        if kind in (_LIST, _SET):
            return self.several()
        if kind == _STRUCT:
            return self.fields()
        if kind not in (_BYTE, _DOUBLE, _BINARY):
            raise BadPages(_DAMAGED)
        size = {_BYTE: 1, _DOUBLE: 8}.get(kind) or self.unsigned()
        self.at += size  # nobody needs these
        if self.at > len(self.data):
            raise BadPages(_DAMAGED)
        return None

    def several(self) -> list[Any]:
        """Read a list; a truth value takes a byte there."""
        head = self.byte()
        size, kind = head >> 4, head & 15
        size = self.unsigned() if size == 15 else size
        return [self.value(_BYTE if kind in (_TRUE, _FALSE) else kind) for _ in range(size)]

    def byte(self) -> int:
        """Read one byte."""
        self.at += 1
        return self.data[self.at - 1]

    def unsigned(self) -> int:
        """Read a number of as many bytes as it needs."""
        number = shift = 0
        while shift < 64:
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
        raise BadPages(_DAMAGED)

    def integer(self) -> int:
        """Read a number that may be negative."""
        number = self.unsigned()
        return (number >> 1) ^ -(number & 1)

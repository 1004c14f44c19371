"""What makes bytes a text that can be read, for every format that is one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.memory import require

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOKED_AT: Final = 65_536  # By so many bytes of its beginning the format of a file is recognised

CAREFULLY: Final = 16
"""How many times the size of a text is what it takes to read it line by line."""

LONGEST_LINE: Final = 1_000_000
"""A line of more bytes than this is none."""

DEEPEST_NESTING: Final = 100
"""Lists and objects in each other, as JSON and TOML have them, are no deeper."""

_STEPS: Final = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_BRACKETS: Final = bytes({*range(256)} - {*b"[]{}"})
_QUOTED: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)

_BOM: Final = b"\xef\xbb\xbf"
_COMMENT: Final = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t]*#[^\n]*", re.MULTILINE)
_NO_TEXT: Final = {
    rb"\xff\xfe|\xfe\xff": "UTF-16 text; convert the file to UTF-8",
    rb"PK\x03\x04": "a zip archive, as Excel's files are; unpack it, or save the table as CSV",
    rb"BZh[1-9]1AY&SY": "packed by bzip2; unpack it, or pack it by gzip or Zstandard",
    rb"\xfd7zXZ\0": "packed by xz; unpack it, or pack it by gzip or Zstandard",
    rb"\x1f\x8b|\x28\xb5\x2f\xfd": "packed twice; unpack it once",
    rb"ARROW1\0": "an Arrow file; save the table as Parquet",
}
"""By its first bytes, what a file is and what would be right."""


def decodable(data: bytes, *, source: str) -> bytes:
    """Check that the bytes are UTF-8 text in lines, and give them without the byte order mark."""
    for begins, problem in _NO_TEXT.items():
        if re.match(begins, data):
            raise InputError(problem, source=source)
    if (zero := data.find(b"\0")) >= 0:
        raise InputError("not a text file (it holds a zero byte)", source=source, line=_line_of(data, zero))
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 text (byte 0x{data[error.start]:02x}); convert the file to UTF-8",
            source=source,
            line=_line_of(data, error.start),
        ) from None
    if b"\n" not in data and b"\r" in data.rstrip():
        raise InputError("lines end in a lone carriage return; end them in a line feed", source=source)
    return without_mark(data)


def without_mark(data: bytes) -> bytes:
    """Leave out the byte order mark that some texts begin with."""
    return data.removeprefix(_BOM)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Give the lines that are not empty, with their numbers; line feeds alone end a line: topics hold others."""
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def blank_comments(data: bytes) -> bytes:
    """Empty the lines that begin with ``#``, so that all others keep their numbers."""
    return _COMMENT.sub(b"", data) if b"#" in data else data


def require_care(data: bytes, *, source: str) -> None:
    """Refuse to read a text line by line that is too large for that."""
    require(CAREFULLY * len(data), "reading it line by line", source=source)


def in_lines(data: bytes, *, source: str) -> bytes:
    """Check a text that is `decodable` and read line by line: no line is longer than people or systems write any."""
    data, start = decodable(data, source=source), 0
    while start + LONGEST_LINE < len(data):
        end = data.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            problem = f"is longer than {LONGEST_LINE:,} bytes; is it line-based text?"
            raise InputError(problem, source=source, line=_line_of(data, start))
        start = end + 1
    require_care(data, source=source)
    return data


def too_deep(data: bytes) -> bool:
    """Tell whether brackets are nested deeper than `DEEPEST_NESTING`; brackets within strings do not count.

    >>> too_deep(b"[" * 100), too_deep(b"[" * 101), too_deep(b'{"a": "' + b"[" * 101 + b'"}')
    (False, True, False)
    """
    few = data.count(b"[") + data.count(b"{") <= DEEPEST_NESTING
    return not few and _depth(data) > DEEPEST_NESTING and _depth(_QUOTED.sub(b"", data)) > DEEPEST_NESTING


def _depth(data: bytes) -> int:
    return int(np.cumsum(np.frombuffer(data.translate(_STEPS, _NO_BRACKETS), np.int8), dtype=np.int64).max(initial=0))


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1

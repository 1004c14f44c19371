"""What makes bytes a text that can be read, for every format that is one."""

from __future__ import annotations

import re
from typing import Final

from cranfield.formats.files import FilePath, called, read_bytes
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.memory import require

CAREFULLY: Final = 16
"""How many times the size of a text is what it takes to read it line by line."""

LONGEST_LINE: Final = 1_000_000
"""A line of more bytes than this is none."""

_BOM: Final = b"\xef\xbb\xbf"
_COMMENT: Final = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t]*#[^\n]*", re.MULTILINE)
_ZIP: Final = b"PK\x03\x04"
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


def read_text(path: FilePath) -> str:
    """Read a file of text in UTF-8, unpacked."""
    return decodable(read_bytes(path), source=called(path)).decode()


def decodable(data: bytes, *, source: str) -> bytes:
    r"""Check that the bytes are UTF-8 text in lines, and give them without the byte order mark.

    >>> decodable(b"401 Q0 d1 1 9.5 bm25", source="bm25.txt")
    b'401 Q0 d1 1 9.5 bm25'
    >>> decodable("401 Q0 d1 1 9.5 caf\xe9".encode("latin-1"), source="bm25.txt")
    Traceback (most recent call last):
    ...
    cranfield.InputError: bm25.txt, line 1: not UTF-8 text (byte 0xe9); convert the file to UTF-8
    """
    if data.startswith(_UTF16):
        raise InputError("UTF-16 text; convert the file to UTF-8", source=source)
    if data.startswith(_ZIP):
        raise InputError("a zip archive, as Excel's files are; unpack it, or save the table as CSV", source=source)
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
    return data.removeprefix(_BOM)


def blank_comments(data: bytes) -> bytes:
    r"""Empty the lines that begin with ``#``, so that all others keep their numbers.

    >>> blank_comments(b"# BM25 of Tuesday\n401 Q0 #1 1 9.5 bm25")
    b'\n401 Q0 #1 1 9.5 bm25'
    """
    return _COMMENT.sub(b"", data) if b"#" in data else data


def require_care(data: bytes, *, source: str) -> None:
    """Refuse to read a text line by line that is too large for that."""
    require(CAREFULLY * len(data), "reading it line by line", source=source)


def refuse_endless_lines(data: bytes, *, source: str) -> None:
    r"""Refuse a line that is longer than any that people or systems write, before it takes its time.

    >>> refuse_endless_lines(b"1 Q0 a 1 9 x\n" + b"a" * 2_000_000, source="run.txt")
    Traceback (most recent call last):
    ...
    cranfield.InputError: run.txt, line 2: is longer than 1,000,000 bytes; is it text in lines?
    """
    start = 0
    while start + LONGEST_LINE < len(data):
        end = data.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            problem = f"is longer than {LONGEST_LINE:,} bytes; is it text in lines?"
            raise InputError(problem, source=source, line=_line_of(data, start))
        start = end + 1


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1

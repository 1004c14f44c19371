"""The metadata that a run may begin with, as ir-metadata.org has it: lines of YAML, each after a ``#``.

The block is kept as the text that it is. Lines that begin with ``#`` elsewhere are rows, whose topic is called so.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from cranfield.plumbing.errors import InputError

_START: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*#[ \t]*ir_metadata\.start[ \t\r]*(?:\n|\Z)")
_END: Final = re.compile(rb"[ \t]*#[ \t]*ir_metadata\.end[ \t\r]*(?:\n|\Z)")
_LINE: Final = re.compile(rb"[ \t]*#([^\n]*)(?:\n|\Z)")
_EMPTY: Final = re.compile(rb"\n+")

LONGEST: Final = 1 << 18
"""A block of more bytes than this is not looked through for the first rows below it."""


class Headed(NamedTuple):
    """A run and the metadata at its head."""

    metadata: str
    """The text between the first line of the block and the last; empty where there is no block."""
    rows: bytes
    """The run, with an empty line for each of the block, so that all others keep their numbers."""


def headed(data: bytes, *, source: str) -> Headed:
    r"""Take the metadata off the head of a run.

    >>> headed(b"# ir_metadata.start\n# tag: bm25\n# ir_metadata.end\n1 Q0 d1 1 2.5 bm25\n", source="bm25.run")
    Headed(metadata='tag: bm25\n', rows=b'\n\n\n1 Q0 d1 1 2.5 bm25\n')
    >>> headed(b"# Q0 d1 1 2.5 bm25\n", source="bm25.run")
    Headed(metadata='', rows=b'# Q0 d1 1 2.5 bm25\n')
    """
    start = begins(data) and _START.match(data)
    if not start:
        return Headed("", data)
    lines, at = [], start.end()
    while not (end := _END.match(data, at)):
        line = _LINE.match(data, at)
        if line is None:
            first, here = (1 + data.count(b"\n", 0, place) for place in (data.find(b"#"), at))
            before = f" before line {here}" if at < len(data) else ""
            problem = f"the metadata that begins here is not closed: `# ir_metadata.end` is missing{before}"
            raise InputError(problem, source=source, line=first)
        lines.append(line[1].removeprefix(b" ").rstrip())
        at = line.end()
    text = b"".join(line + b"\n" for line in lines).decode(errors="replace")
    return Headed(text, b"\n" * data.count(b"\n", 0, end.end()) + data[end.end() :])


def below(rows: bytes, most: int) -> bytes:
    r"""Give the first bytes below the empty lines that stand for the metadata, without a copy of more.

    >>> below(b"\n\n1 Q0 d1 1 2.5 bm25\n", 6)
    b'1 Q0 d'
    """
    empty = _EMPTY.match(rows)
    at = empty.end() if empty else 0
    return rows[at : at + most]


def begins(data: bytes) -> bool:
    """Say whether a run may begin with metadata; for nearly all it costs next to nothing to see that they do not."""
    return b"#" in data[:64] and b"ir_metadata.start" in data[:256]

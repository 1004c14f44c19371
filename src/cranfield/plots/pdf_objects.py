"""The objects of a PDF in one order: who draws it writes its fonts in another order each time."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

_ENTRY: Final = re.compile(rb"(\d{10}) \d{5} n")
_REFERENCE: Final = re.compile(rb"\b(\d+) 0 R\b")
_HEAD: Final = re.compile(rb"(\d+) 0 obj\s(.*?)(stream\n.*|$)", re.DOTALL)
_ENTRIES: Final = re.compile(rb"(?:^ */\S+ \d+ 0 R\n)+", re.MULTILINE)
"""Entries of one dictionary, such as its fonts by name, a line each; their order means nothing."""
_TRAILER: Final = re.compile(rb"trailer\s(.*?)startxref", re.DOTALL)


def in_order(data: bytes) -> bytes:
    """Number the objects of a PDF as they refer to each other, from its root on, and write them in that order.

    The same picture is then the same file, byte for byte.
    """
    table = data.rindex(b"\nxref") + 1
    places = sorted(int(place) for place in _ENTRY.findall(data, table))
    found = (_HEAD.match(data[start:end]) for start, end in pairwise([*places, table]))
    objects = {int(each[1]): (_ENTRIES.sub(_sorted, each[2]), each[3]) for each in found if each is not None}
    trailer = _TRAILER.search(data, table)
    numbers: dict[int, int] = {}
    waiting = _references(trailer[1]) if trailer else []
    while waiting:
        number = waiting.pop(0)
        if number in objects and number not in numbers:
            numbers[number] = len(numbers) + 1
            waiting += _references(objects[number][0])
    if trailer is None or len(numbers) < len(places):  # what is not understood is left as it is
        return data

    def renumbered(text: bytes) -> bytes:
        return _REFERENCE.sub(lambda found: b"%d 0 R" % numbers[int(found[1])], text)

    written, entries = data[: places[0]], b""
    for old, new in numbers.items():
        entries += b"%010d 00000 n \n" % len(written)
        head, stream = objects[old]
        written += (b"%d 0 obj\n%s%s" % (new, renumbered(head), stream)).rstrip() + b"\n\n"
    size = len(numbers) + 1
    index = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, entries)
    return written + index + b"trailer\n%sstartxref\n%d\n%%%%EOF" % (renumbered(trailer[1]), len(written))


def _sorted(entries: re.Match[bytes]) -> bytes:
    return b"".join(sorted(entries[0].splitlines(keepends=True)))


def _references(text: bytes) -> list[int]:
    return [int(number) for number in _REFERENCE.findall(text)]

"""Documents that are to be judged once more: those that somebody has begun or found, first come first."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterator
from heapq import heapify, heappop, heapreplace
from typing import TypeAlias

from cranfield.selection.records.arrangement import Document

Since: TypeAlias = tuple[float, str]
"""Time and id of an event."""
_Line: TypeAlias = list[tuple[Since, Document]]


class Waiting:
    """Which documents lack judgments, and who has them already?

    They stand in lines, one for each topic and each set of assessors who have judged or hold a
    document: to find what an assessor may have, nobody goes through what they have already.

    >>> waiting = Waiting()
    >>> waiting.put(("1", "a"), frozenset({"Ann"}), (2, "l2"))
    >>> waiting.put(("1", "b"), frozenset({"Ben"}), (1, "l1"))
    >>> waiting.put(("2", "c"), frozenset(), (3, "f1"))
    >>> [*waiting.first("Ann")], [*waiting.first("Cleo", ["1"])]
    ([('1', 'b'), ('2', 'c')], [('1', 'b'), ('1', 'a')])
    """

    def __init__(self) -> None:
        self._where: dict[Document, tuple[frozenset[str], Since]] = {}
        self._lines: dict[str, dict[frozenset[str], _Line]] = {}

    def put(self, document: Document, engaged: frozenset[str], since: Since) -> None:
        """Let a document wait, which these assessors have already."""
        if self._where.get(document) == (engaged, since):
            return
        self.drop(document)
        self._where[document] = engaged, since
        insort(self._lines.setdefault(document[0], {}).setdefault(engaged, []), (since, document))

    def drop(self, document: Document) -> None:
        """Let a document wait no longer."""
        if document not in self._where:
            return
        engaged, since = self._where.pop(document)
        lines = self._lines[document[0]]
        del lines[engaged][bisect_left(lines[engaged], (since, document))]
        if not lines[engaged]:
            del lines[engaged]

    def first(self, assessor: str, topics: Collection[str] | None = None) -> Iterator[Document]:
        """Go through the documents that an assessor does not have, the one that waits longest first."""
        among = self._lines if topics is None else [topic for topic in topics if topic in self._lines]
        lines = [line for topic in among for engaged, line in self._lines[topic].items() if assessor not in engaged]
        heads = [(line[0], number, 0) for number, line in enumerate(lines)]
        heapify(heads)
        while heads:
            (_, document), number, at = heads[0]
            yield document
            if at + 1 < len(lines[number]):
                heapreplace(heads, (lines[number][at + 1], number, at + 1))
            else:
                heappop(heads)

"""The first step by shorter roads, without a table: for runs that are dicts of dicts, and in TREC text.

Dicts are ranked from the judgments' side: each judged document is looked up in the run, and its rank is how many
documents of its topic have a larger score, and one. The ids of the others are looked at only where one of them
shares its score. TREC text is read, ranked and looked up in one pass by the native road. Both answer None wherever
something is out of the ordinary: `joining.rank` says the same of the same run, and what is wrong with one.
"""

from __future__ import annotations

import math
import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Final, NamedTuple

import numpy as np

from cranfield.formats.dicts import NestedDict, are_plain, has_plain_topics, is_plain
from cranfield.judged.audit import Seen
from cranfield.judged.conditions import USUAL_READING, Reading
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings, ranked_run
from cranfield.plumbing.arrays import Floats, Integers, starts

_AT_ONCE: Final = 4000  # More scores than these, and where they lie in memory, do not stay in a processor's cache


def rank_dict(
    run: str, nested: NestedDict, judgments: Judgments, reading: Reading = USUAL_READING
) -> JudgedRankings | None:
    """Rank ``{topic: {document: score}}``, and find the judgments; None where it is not as plain as that."""
    if ranked := rank_plain(run, nested, judgments, reading):
        return ranked
    if reading.order not in ("score", "trec9") or reading.costs is not None or not has_plain_topics(nested):
        return None
    excluded = 0
    if reading.exclude is not None:
        if not is_plain(nested):
            return None
        nested, excluded = reading.exclude.of_dict(nested)
    code_of = judgments.code_of_topic
    known = {topic: documents for topic, documents in nested.items() if documents and topic in code_of}
    if not are_plain([documents for topic, documents in nested.items() if topic not in known]):
        return None
    lists, codes = list(known.values()), [code_of[topic] for topic in known]
    code, length = np.array(codes, np.int64), np.array([len(documents) for documents in lists], np.int64)
    looked_up = _look_up(lists, codes, judgments)
    if looked_up is None:
        return None
    score, found = looked_up
    if reading.order == "trec9":
        with np.errstate(over="ignore"):  # what 32 bits cannot hold is infinite, there as here
            score, found = score.astype(np.float32), found._replace(score=found.score.astype(np.float32))

    falling = _Falling(score, starts(length), length)
    above, tied = falling.above(found.score, found.list), falling.ties()
    if tied:
        above += _ahead_in_ties(found, above, falling, lists, judgments)

    topic = code[found.list]
    order = np.argsort(topic * (int(length.max()) + 1) + above)
    row, rank, judgment = (cells[order].astype(np.int32) for cells in (topic, above + 1, found.judgment))
    empty = [topic for topic, documents in nested.items() if not documents]
    extra = tuple(topic for topic, documents in nested.items() if documents and topic not in known)
    own = [topic for topic, documents in known.items() if topic in documents]
    seen, cells = Seen(extra, tied, tuple(own), excluded), (row, rank, judgment)
    return ranked_run(run, judgments, reading, (code, length), cells, seen, empty=empty)


def rank_plain(run: str, nested: NestedDict, judgments: Judgments, reading: Reading) -> JudgedRankings | None:
    """Rank ``{topic: {document: score}}``, or lists of documents, by the native road; None of what it does not take."""
    known = reading.order in ("score", "trec9") and reading.costs is None and reading.exclude is None
    index = judgments.native_index if known else None
    ranked = None if index is None else index.rank(nested, in_32_bits=reading.order == "trec9")
    if ranked is None or not len(ranked.code):
        return None
    lists, cells = (ranked.code, ranked.length), (ranked.topic, ranked.rank, ranked.judgment)
    seen = Seen(tuple(ranked.extra), ranked.tied, tuple(ranked.own), 0)
    return ranked_run(run, judgments, reading, lists, cells, seen, empty=ranked.empty)


def rank_text(run: str, text: bytes, judgments: Judgments, reading: Reading = USUAL_READING) -> JudgedRankings | None:
    """Rank a run, and find the judgments; None where the native road is not there, or does not take it."""
    index = judgments.native_index if reading.order in ("score", "trec9") and reading.costs is None else None
    excluded = None if reading.exclude is None else judgments.native_excluded(reading.exclude)
    if index is None or (reading.exclude is not None and excluded is None):
        return None
    joined = index.join(text, in_32_bits=reading.order == "trec9", excluded=excluded)
    if joined is None:
        return None
    if reading.exclude is not None and any(map(reading.exclude.of_topic, joined.extra)):
        return None  # of a topic without judgments the native road looks nothing up, and some of its documents may go
    lists, cells = (joined.code, joined.length), (joined.topic, joined.rank, joined.judgment)
    seen = Seen(joined.extra, joined.tied, tuple(judgments.topics[each] for each in joined.own), joined.excluded)
    return ranked_run(run, judgments, reading, lists, cells, seen)


class _Found(NamedTuple):
    """The judged documents that a run has: for each the number of its list, its judgment and its score."""

    list: Integers
    judgment: Integers
    score: Floats


class _Numbers:
    """Numbers of Python, gathered in an array: packed a few thousand at a time, while these are in the cache."""

    def __init__(self) -> None:
        self._some: list[float] = []
        self._packed = bytearray()

    def add(self, more: Iterable[float]) -> None:
        """Add some; a `struct.error` then or later says that one of them is no number."""
        self._some += more
        if len(self._some) > _AT_ONCE:
            self._pack()

    def _pack(self) -> None:
        self._packed += struct.pack(f"{len(self._some)}d", *self._some)
        self._some.clear()

    def array(self) -> Floats:
        """Return them all."""
        self._pack()
        return np.frombuffer(self._packed)


def _look_up(
    lists: Sequence[Mapping[str, float]], codes: Sequence[int], judgments: Judgments
) -> tuple[Floats, _Found] | None:
    """Return all scores, and look the judged documents up; None where something is no number, or an id not plain.

    All is asked of one list before the next one, while that is in the processor's cache.
    """
    asked = [judgments.documents[code] for code in codes]
    scores, of_judged, absent, kinds = _Numbers(), _Numbers(), repeat(math.nan), set[type]()
    try:
        for documents, judged in zip(lists, asked, strict=True):
            kinds.update(map(type, documents))
            scores.add(documents.values())
            of_judged.add(map(documents.get, judged, absent))
        score, found = scores.array(), of_judged.array()
    except struct.error:
        return None
    if not kinds <= {str} or any("" in documents for documents in lists) or not len(score) or np.isnan(score.max()):
        return None
    there = np.flatnonzero(~np.isnan(found))
    many = np.array([len(judged) for judged in asked])
    group = np.repeat(np.arange(len(many)), many)[there]
    return score, _Found(group, there + (judgments.first_of_topic[codes] - starts(many))[group], found[there])


class _Falling:
    """The scores of each list, the largest first."""

    def __init__(self, score: Floats, start: Integers, length: Integers) -> None:
        self.given, self.start, self.length = score, start, length
        rises = score[1:] > score[:-1]
        rises[start[1:] - 1] = False
        self.as_given = not rises.any()
        self.score = score if self.as_given else _sorted(score, start, length)

    def above(self, value: Floats, list_: Integers, larger: np.ufunc = np.greater) -> Integers:
        """Count, for each value, the larger ones in its list: a binary search for all at once."""
        before, length = self.start[list_] - 1, self.length[list_]
        above = np.zeros_like(length)
        for bit in reversed(range(int(self.length.max()).bit_length())):
            more = above + (1 << bit)  # are so many larger: is the last of them?
            right = larger(self.score.take(before + more, mode="clip"), value)
            right &= more <= length
            np.copyto(above, more, where=right)
        return above

    def ties(self) -> int:
        """Count the documents that share their score with another of their list."""
        same = self.score[1:] == self.score[:-1]
        same[self.start[1:] - 1] = False
        if not same.any():
            return 0
        tied = np.append(same, False)
        tied[1:] |= same
        return int(np.count_nonzero(tied))

    def arranged(self, number: int, documents: list[str]) -> list[str]:
        """Return the documents of a list in the order of their scores."""
        if self.as_given:
            return documents
        given = self.given[self.start[number] :][: self.length[number]]
        return [documents[place] for place in np.argsort(-given, kind="stable").tolist()]


def _sorted(score: Floats, start: Integers, length: Integers) -> Floats:
    """Sort each list, the largest first: lists of like length together, as rows of a table."""
    falling = np.empty_like(score)
    for lists in _alike(length):
        place = np.arange(length[lists[-1]])
        inside = place < length[lists][:, None]
        place = (start[lists][:, None] + place)[inside]
        table = np.full(inside.shape, -np.inf, score.dtype)
        table[inside] = score[place]
        table.sort(axis=1)
        falling[place] = table[:, ::-1][inside]
    return falling


def _alike(length: Integers) -> Iterator[Integers]:
    """Go through the lists by rising length, those together of which none is twice as long as another."""
    order = np.argsort(length, kind="stable")
    order = order[length[order] > 0]
    while len(order):
        several = int(np.searchsorted(length[order], 2 * length[order[0]]))
        yield order[:several]
        order = order[several:]


def _ahead_in_ties(
    found: _Found, above: Integers, falling: _Falling, lists: Sequence[Mapping[str, float]], judgments: Judgments
) -> Integers:
    """Count, for each document found, those of its list that share its score and have a larger id."""
    ahead = np.zeros_like(above)
    end = falling.above(found.score, found.list, np.greater_equal)
    cells = np.flatnonzero(end - above > 1)
    cells = cells[np.lexsort((above[cells], found.list[cells]))]
    ids = judgments.ids(found.judgment[cells])
    here = group = None
    rows = zip(cells.tolist(), *(each[cells].tolist() for each in (found.list, above, end)), ids, strict=True)
    for cell, number, first, last, document in rows:
        if number != here:
            here, group, documents = number, None, falling.arranged(number, list(lists[number]))
        if first != group:
            group, ordered = first, sorted(documents[first:last])
        ahead[cell] = len(ordered) - 1 - bisect_left(ordered, document)
    return ahead

"""Evidence: spans of text that were judged, and what of them the chunks of a run hold, topic by topic.

A span or a chunk is an interval. All documents that hold evidence of a topic lie end to end on one line, so that one
sort cuts the line at every boundary of spans and of chunks: no character is looked at, and no chunk by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal, Self, TypeAlias

import numpy as np

from cranfield.judged.judgments import is_relevant
from cranfield.plumbing.arrays import Booleans, Floats, Integers, members, sums_within
from cranfield.plumbing.errors import InputError

UnitName: TypeAlias = Literal["characters", "words"]
TokenStarts: TypeAlias = Callable[[str], Iterable[int]]
"""A tokenizer of one's own: the offsets at which the tokens of a text begin, rising."""
PAGE_OF_CHARACTERS: Final = 1000
PAGE_OF_WORDS: Final = 200
"""How much text is read as one rank is: a usual chunk. Tokens are counted as words are."""
_WORD: Final = re.compile(r"\S+")


class Ruler:
    """What text is measured in; a word or a token belongs to the stretch in which it begins, so neighbours share none.

    >>> ruler = Ruler("words", {"d1": "To be, or not to be"})
    >>> ruler.places(["d1", "d1"], np.array([3, 4])).tolist()
    [1, 2]
    """

    def __init__(self, unit: UnitName | TokenStarts, texts: Mapping[str, str] | None) -> None:
        self.unit, self.texts = unit, texts
        self._known: dict[str, Integers] = {}

    @property
    def name(self) -> str:
        """What the units are called."""
        return "tokens" if callable(self.unit) else self.unit

    @property
    def page(self) -> int:
        """How much text a page is."""
        return PAGE_OF_CHARACTERS if self.unit == "characters" else PAGE_OF_WORDS

    def length(self, text: str) -> int:
        """Measure a text."""
        return len(text) if self.unit == "characters" else len(self._starts_in(text))

    def places(self, documents: Sequence[str], offsets: Integers) -> Integers:
        """Return how many units begin before each offset; but for characters, the documents' texts must be known."""
        if self.unit == "characters" or not len(offsets):
            return offsets
        code, texts = dict[str, int](), self.texts or {}
        of = np.array([code.setdefault(each, len(code)) for each in documents])
        starts = [self._starts(name) for name in code]
        base = np.append(0, np.cumsum([len(texts[name]) for name in code]))
        line = np.concatenate([own + at for own, at in zip(starts, base[:-1], strict=True)])
        before = np.append(0, np.cumsum([len(own) for own in starts]))
        return np.asarray(np.searchsorted(line, base[of] + offsets) - before[of])

    def _starts(self, document: str) -> Integers:
        if document not in self._known:
            self._known[document] = self._starts_in((self.texts or {})[document])
        return self._known[document]

    def _starts_in(self, text: str) -> Integers:
        if not callable(self.unit):
            return np.array([found.start() for found in _WORD.finditer(text)], dtype=np.int64)
        try:
            starts = np.array(list(self.unit(text)), dtype=np.int64)
            fits = starts.ndim == 1 and (np.diff(starts) >= 0).all() and ((starts >= 0) & (starts < len(text))).all()
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise InputError(
                "a tokenizer given as unit must return the offsets at which tokens begin, as increasing whole numbers"
            )
        return starts


def _expanded(first: Integers, behind: Integers) -> tuple[Integers, Integers]:
    """List the numbers from first to behind of each row: the row of each, and the number."""
    row, nth = members(behind - first)
    return row, first[row] + nth


@dataclass(frozen=True, eq=False)
class JudgedSpans:
    """The evidence of all topics: pieces of documents that share no text, each with the largest grade it has."""

    topics: tuple[str, ...]  # The topics, with or without evidence
    pairs: Mapping[tuple[int, str], int]
    """The pairs of a topic, by its place, and a document that hold evidence, and where on the line each begins."""
    width: int
    low: Integers
    high: Integers  # On the line, where each piece begins and ends; they rise
    topic: Integers  # The place of the topic of each piece
    grade: Floats  # The grade of each piece, above 0

    @classmethod
    def of(
        cls, topics: Sequence[str], topic: Sequence[int], documents: Sequence[str], start: Integers, end: Integers,
        grade: Floats,
    ) -> Self:  # fmt: skip
        """Take spans, measured in units; those of grade 0 or less hold no evidence."""
        kept = np.flatnonzero((grade > 0) & (end > start))
        width = int(end.max(initial=0)) + 1
        pairs: dict[tuple[int, str], int] = {}
        of_pair = [(topic[i], documents[i]) for i in kept.tolist()]
        base = np.array([pairs.setdefault(pair, len(pairs) * width) for pair in of_pair], dtype=np.int64)
        low, high = base + start[kept], base + end[kept]
        cuts = np.unique(np.concatenate([low, high]))
        span, piece = _expanded(np.searchsorted(cuts, low), np.searchsorted(cuts, high))
        best = np.zeros(len(cuts))
        np.maximum.at(best, piece, grade[kept][span])
        there = np.flatnonzero(best)
        topic_of = np.array([place for place, _ in pairs], dtype=np.int64)
        return cls(
            tuple(topics), pairs, width, cuts[there], cuts[there + 1], topic_of[cuts[there] // width], best[there]
        )

    def total(self, rel: float | None) -> Floats:
        """Return how much evidence each topic has, of this grade at least."""
        units = np.where(is_relevant(self.grade, rel), self.high - self.low, 0.0)
        return sums_within(self.topic, units, len(self.topics))

    @cached_property
    def best_first(self) -> ReadText:
        """All evidence of each topic, read without anything else, the highest grades first."""
        order = np.lexsort((-self.grade, self.topic))
        return ReadText.laid_out(self.topic[order], (self.high - self.low)[order].astype(np.float64), self.grade[order])


@dataclass(frozen=True, eq=False)
class ReadText:
    """Stretches that are read one after the other, topic by topic; the topic is a place."""

    topic: Integers
    rank: Integers  # The rank of the chunk that each is in
    at: Floats  # How much of the topic was read before
    units: Floats
    grade: Floats

    @classmethod
    def laid_out(cls, topic: Integers, units: Floats, grade: Floats) -> Self:
        """Lay stretches out, one a rank, each behind the one before it in its topic."""
        before = np.cumsum(units) - units
        first = np.searchsorted(topic, topic)
        rank: Integers = np.arange(len(topic)) - first + 1
        return cls(topic, rank, before - before[first] if len(topic) else before, units, grade)

    def cut(self, k: int | None, budget: float | None) -> ReadText:
        """Keep the first k chunks, and what is read within a budget: the stretch that reaches beyond is cut there."""
        units = self.units if budget is None else np.clip(budget - self.at, 0, self.units)
        return replace(self, units=units if k is None else np.where(self.rank <= k, units, 0))

    def summed(self, weight: Floats | Booleans, topics: int) -> Floats:
        """Add the units up by topic, weighted."""
        return sums_within(self.topic, self.units * weight, topics)


@dataclass(frozen=True, eq=False)
class JudgedChunks:
    """The chunks of one run, and what evidence each holds that no chunk before it held."""

    evidence: JudgedSpans
    chunks: ReadText  # The chunks as they are read, each whole: grades are 0
    found: ReadText  # The evidence in them, each piece where it is read first
    present: Booleans  # By topic, whether the run has it
    page: int = PAGE_OF_CHARACTERS  # How much text a page is, unless a measure says otherwise

    @classmethod
    def of(
        cls, evidence: JudgedSpans, topic: Integers, documents: Sequence[str], start: Integers, end: Integers,
        cost: Integers | None = None, present: Booleans | None = None, page: int = PAGE_OF_CHARACTERS,
    ) -> Self:  # fmt: skip
        """Look for the evidence in chunks."""
        lengths = (end - start if cost is None else cost).astype(np.float64)
        chunks = ReadText.laid_out(topic, lengths, np.zeros(len(topic)))
        at_pair = (evidence.pairs.get(pair, -1) for pair in zip(topic.tolist(), documents, strict=True))
        base = np.fromiter(at_pair, dtype=np.int64, count=len(topic))
        held = np.flatnonzero(base >= 0)
        # What lies behind all evidence of a document is part of no piece, and would reach into the next document.
        low, high = (base[held] + np.minimum(place[held], evidence.width - 1) for place in (start, end))
        cuts = np.unique(np.concatenate([evidence.low, evidence.high, low, high]))
        inside = np.searchsorted(evidence.low, cuts, "right") - 1
        graded = np.zeros(len(cuts), dtype=np.bool_)
        if len(evidence.low):
            graded = (inside >= 0) & (cuts < evidence.high[inside])
        chunk, piece = _expanded(np.searchsorted(cuts, low), np.searchsorted(cuts, high))
        chunk, piece = chunk[graded[piece]], piece[graded[piece]]
        _, first = np.unique(piece, return_index=True)  # seen before counts once
        first.sort()
        chunk, piece = chunk[first], piece[first]
        whole = held[chunk]
        found = ReadText(
            topic=topic[whole],
            rank=chunks.rank[whole],
            at=chunks.at[whole] + cuts[piece] - low[chunk],
            units=(cuts[piece + 1] - cuts[piece] if len(piece) else np.zeros(0)).astype(np.float64),
            grade=evidence.grade[inside[piece]],
        )
        if present is None:
            present = np.bincount(topic, minlength=len(evidence.topics)) > 0
        return cls(evidence, chunks, found, present, page)

    def cut(self, k: int | None, budget: float | None) -> JudgedChunks:
        """Keep the first k chunks, and what is read within a budget."""
        return replace(self, chunks=self.chunks.cut(k, budget), found=self.found.cut(k, budget))

    def read(self) -> Floats:
        """Return how much is read of each topic, what is read again included."""
        return self.chunks.summed(np.ones(len(self.chunks.topic)), len(self.present))

    def relevant(self, rel: float | None) -> Floats:
        """Return how much evidence of this grade, at least, is found for each topic."""
        return self.found.summed(is_relevant(self.found.grade, rel), len(self.present))


def one_list(spans: Sequence[tuple[float, ...]], chunks: Sequence[tuple[int, int]]) -> JudgedChunks:
    """Judge the chunks of one document and one topic: spans are start, end and perhaps a grade."""
    start, end = (np.array([int(span[i]) for span in spans], dtype=np.int64) for i in (0, 1))
    grade = np.array([span[2] if len(span) > 2 else 1.0 for span in spans], dtype=np.float64)
    evidence = JudgedSpans.of(["1"], [0] * len(spans), ["d"] * len(spans), start, end, grade)
    low, high = (np.array([chunk[i] for chunk in chunks], dtype=np.int64) for i in (0, 1))
    return JudgedChunks.of(evidence, np.zeros(len(chunks), dtype=np.int64), ["d"] * len(chunks), low, high)

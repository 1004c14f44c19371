"""Which documents could be judged: every one that the runs retrieved, and which run has each of them at which rank."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Final

import numpy as np

from cranfield.formats import RunsLike, RunSource
from cranfield.judged.conditions import Reading
from cranfield.plumbing import threads
from cranfield.plumbing.arrays import Booleans, Integers, members, nth_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike
from cranfield.plumbing.options import Count, Order
from cranfield.plumbing.tables import DOCUMENT, QUERY
from cranfield.plumbing.wording import named
from cranfield.scoring.engines.local import read_ranked, readers_of
from cranfield.scoring.judged_runs import JudgedRuns, open_runs, reading_of

NOWHERE: Final = int(np.iinfo(np.int32).max)
"""The rank of a document that no run has: below all others."""

_RUNS_AT_ONCE: Final = 32  # The ids that this many runs retrieved are held at once; of all before them, numbers

PRECISION: Final = 53
"""How many bits the fraction of a number in floating point has."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """All documents retrieved by any run, topic by topic.

    A document is known by its place. Places of one topic are neighbours, and so are their cells:
    each cell says that a run has a document at a rank. A topic that a run lacks has length 0 and is
    not ``present``; one that the run attempted in vain has length 0 and is.

    Attributes
    ----------
    runs, topics
        Names of the runs as given; ids of the topics, the shorter first, then in byte order (so
        that 2 is before 10).
    topic
        By document: the code of its topic (rising).
    document
        By document: its id, rising in byte order within the topic.
    start
        By document, and one more: where its cells begin.
    cell_run, cell_rank
        By cell: the code of the run and the rank from 1, a document's best rank first.
    length, present
        Arrays of shape (runs, topics): how long each list is, and whether the run has the topic at
        all.

    Examples
    --------
    >>> candidates = Candidates.gather({"x": {"1": {"b": 2.0, "a": 1.0}}, "y": {"1": {"b": 5.0}}})
    >>> candidates.document.to_list(), candidates.start.tolist()
    (['a', 'b'], [0, 1, 3])
    >>> candidates.cell_run.tolist(), candidates.cell_rank.tolist()
    ([0, 0, 1], [2, 1, 1])
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    topic: Integers
    document: pl.Series
    start: Integers
    cell_run: Integers
    cell_rank: Integers
    length: Integers
    present: Booleans
    _orders: dict[int, Integers] = field(default_factory=dict, init=False, repr=False)  # random, by seed
    _ids: dict[int, list[str]] = field(default_factory=dict, init=False, repr=False)  # of topics that were looked into

    @classmethod
    def gather(
        cls,
        runs: RunsLike | JudgedRuns,
        *,
        order: Order | None = None,
        depth: Count | None = None,
        comments: bool | None = None,
        columns: NamesLike | None = None,
        fields: NamesLike | None = None,
    ) -> Candidates:
        """Which documents did these runs retrieve?

        Parameters
        ----------
        runs
            Whatever `read_runs` takes, or joined runs. A few files are read at a time.
        order, depth, comments, columns, fields
            How to rank a run's documents, how many of each list to use, whether to skip lines that begin
            with ``#``, and what columns and parts of records are called: as in `evaluate`, and for joined
            runs as they were joined.

        Raises
        ------
        InputError
            If a run cannot be read, the depth is less than 1, or nothing at all was retrieved.
        """
        reading = reading_of(
            runs, {"order": order, "depth": depth, "comments": comments, "columns": columns, "fields": fields}
        )
        sources = open_runs(runs, reading)
        workers = readers_of(sources)
        lists = threads.in_turn(lambda source: _lists(source, reading), sources, workers, 2 * workers)
        return cls._of_lists([source.name for source in sources], lists)

    @classmethod
    def _of_lists(cls, runs: Sequence[str], lists: Iterable[Mapping[str, pl.Series]]) -> Candidates:
        """Say which runs have which documents, from the runs' lists by topic: ids of a few runs at a time are held."""
        found: dict[str, _Found] = {}
        numbered = enumerate(lists)
        while some := [*islice(numbered, _RUNS_AT_ONCE)]:
            for topic in dict.fromkeys(topic for _, of_run in some for topic in of_run):
                found.setdefault(topic, _Found()).add({run: of_run[topic] for run, of_run in some if topic in of_run})
        topics = sorted(found, key=_by_length)
        length = np.zeros((len(runs), len(topics)), np.int64)
        present = np.zeros((len(runs), len(topics)), bool)
        for code, topic in enumerate(topics):
            for run, ranked in found[topic].ranked.items():
                length[run, code], present[run, code] = len(ranked), True
        if not length.any():
            raise InputError("the runs retrieved no documents, so there is nothing to judge")
        cells = np.empty((2, int(length.sum())), np.int32)  # by far the largest thing here, so it is there only once
        documents, sizes, end = [], [], 0
        for topic in topics:
            document, size, run_of, rank = found.pop(topic).cells()
            begin, end = end, end + len(rank)
            cells[:, begin:end] = run_of, rank
            documents.append(document)
            sizes.append(size)
        return cls(
            runs=tuple(runs),
            topics=tuple(topics),
            topic=np.repeat(np.arange(len(topics)), [len(size) for size in sizes]),
            document=pl.concat(documents, rechunk=True),
            start=np.append(0, np.cumsum(np.concatenate(sizes))),
            cell_run=cells[0],
            cell_rank=cells[1],
            length=length,
            present=present,
        )

    def among(self, listed: pl.DataFrame) -> Candidates:
        """Return the same runs on the topics of listed documents, which are candidates, too, if no run has them.

        >>> candidates = Candidates.gather({"x": {"1": {"b": 2.0, "c": 1.0}, "2": {"a": 1.0}}})
        >>> more = candidates.among(pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"]}))
        >>> more.topics, more.document.to_list(), more.start.tolist(), more.length.tolist()
        (('1',), ['a', 'b', 'c'], [0, 0, 1, 2], [[2]])
        """
        topics = sorted(listed[QUERY].unique().to_list(), key=_by_length)
        codes = pl.DataFrame({QUERY: topics}, schema={QUERY: pl.String}).with_row_index("code")
        own = self.ids.with_row_index("place")
        both = pl.concat([own, listed.select(QUERY, DOCUMENT).unique()], how="diagonal").join(codes, on=QUERY)
        both = both.group_by("code", DOCUMENT).agg(pl.col("place").max()).sort("code", DOCUMENT)
        place = both["place"].cast(pl.Int64).fill_null(-1).to_numpy()
        size = np.where(place < 0, 0, np.diff(self.start)[place])
        document, nth = members(size)
        cell = self.start[place[document]] + nth
        at = np.array([self._topic_code.get(topic, -1) for topic in topics], np.int64)
        return Candidates(
            runs=self.runs,
            topics=tuple(topics),
            topic=both["code"].cast(pl.Int64).to_numpy(),
            document=both[DOCUMENT],
            start=np.append(0, np.cumsum(size)),
            cell_run=self.cell_run[cell],
            cell_rank=self.cell_rank[cell],
            length=np.where(at < 0, 0, self.length[:, at]),
            present=(at >= 0) & self.present[:, at],
        )

    def with_runs(self, added: Mapping[str, Mapping[str, Sequence[str]]]) -> Candidates:
        """Return the candidates of these runs and of some more, by topic the documents of each, the best first.

        >>> candidates = Candidates.gather({"x": {"1": {"b": 2.0, "a": 1.0}}})
        >>> more = candidates.with_runs({"y": {"1": ["c", "b"], "2": ["a"]}})
        >>> more.runs, more.topics, more.document.to_list(), more.cell_rank.tolist()
        (('x', 'y'), ('1', '2'), ['a', 'b', 'c', 'a'], [2, 1, 2, 1, 1])
        """
        self.refuse_runs(added)
        later = [
            {topic: pl.Series(DOCUMENT, ranked, pl.String) for topic, ranked in of_run.items()}
            for of_run in added.values()
        ]
        return self._of_lists([*self.runs, *added], [*self.lists().values(), *later])

    def lists(self) -> dict[str, dict[str, pl.Series]]:
        """Return each run's lists: by topic its documents, the best first.

        >>> lists = Candidates.gather({"x": {"1": {"b": 2.0, "a": 1.0}}}).lists()
        >>> lists["x"]["1"].to_list()
        ['b', 'a']
        """
        place = self.cell_place
        order = np.lexsort((self.cell_rank, self.topic[place], self.cell_run))
        document, at = self.document.gather(place[order]), 0
        lists: dict[str, dict[str, pl.Series]] = {run: {} for run in self.runs}
        for run, topic in zip(*(which.tolist() for which in np.nonzero(self.present)), strict=True):
            length = int(self.length[run, topic])
            lists[self.runs[run]][self.topics[topic]] = document[at : at + length]
            at += length
        return lists

    def refuse_runs(self, added: Iterable[str]) -> None:
        """Refuse runs that are called as one of these is."""
        if both := sorted({*self.runs}.intersection(added)):
            raise InputError(f"a run {both[0]!r} exists already")

    def __len__(self) -> int:
        return len(self.document)

    def within(self, depth: int) -> Candidates:
        """Return what some run has down to a rank, and where it has it down to there.

        >>> candidates = Candidates.gather({"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}})
        >>> within = candidates.within(1)
        >>> within.document.to_list(), within.cell_run, within.length.tolist()
        (['a', 'b'], array([0, 1], dtype=int32), [[1], [1]])
        >>> more = candidates.among(pl.DataFrame({"query_id": ["1"], "doc_id": ["z"]}))  # which no run has
        >>> more.within(1).document.to_list()
        ['a', 'b']
        """
        return replace(self._of_cells(self.cell_rank <= depth), length=np.minimum(self.length, depth))

    def of_topics(self, topics: Sequence[str]) -> Candidates:
        """Return the candidates of these topics alone, in the same order.

        >>> some = Candidates.gather({"x": {"1": {"a": 1.0}, "2": {"b": 2.0, "c": 1.0}}}).of_topics(["2", "3"])
        >>> some.topics, some.document.to_list(), some.topic, some.length
        (('2',), ['b', 'c'], array([0, 0]), array([[2]]))
        """
        wanted: Booleans = np.isin(np.array(self.topics, object), np.array(topics, object))
        if wanted.all():
            return self
        kept = wanted[self.topic]
        if not kept.any():
            raise InputError("the runs retrieved no documents for the topics of the qrels")
        found = self._of_cells(np.repeat(kept, np.diff(self.start)))
        return replace(
            found,
            topics=tuple(topic for topic, stays in zip(self.topics, wanted, strict=True) if stays),
            topic=(np.cumsum(wanted) - 1)[found.topic],
            length=self.length[:, wanted],
            present=self.present[:, wanted],
        )

    def _of_cells(self, kept: Booleans) -> Candidates:
        """Return these cells alone, and the documents that have some."""
        size = np.diff(np.append(0, np.cumsum(kept))[self.start])
        there = size > 0
        return replace(
            self,
            topic=self.topic[there],
            document=self.document.filter(pl.Series(there)),
            start=np.append(0, np.cumsum(size[there])),
            cell_run=self.cell_run[kept],
            cell_rank=self.cell_rank[kept],
        )

    def documents_of(self, topic: int) -> slice:
        """Return the places of a topic's documents."""
        return slice(int(self._first[topic]), int(self._first[topic + 1]))

    def cells_of(self, topic: int) -> slice:
        """Return the cells of a topic's documents."""
        places = self.documents_of(topic)
        return slice(int(self.start[places.start]), int(self.start[places.stop]))

    def best_cells(self, places: slice) -> tuple[Booleans, Integers]:
        """Say which documents some run has, and return the cell of the best rank of each of these, its first."""
        start = self.start[places.start : places.stop + 1]
        there: Booleans = np.diff(start) > 0
        return there, start[:-1][there]

    @cached_property
    def best_rank(self) -> Integers:
        """By document: the best rank that a run has it at; one that no run has is below all others.

        >>> candidates = Candidates.gather({"x": {"1": {"b": 1.0}}})
        >>> more = candidates.among(pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "c"]}))
        >>> more.document.to_list(), (more.best_rank == [NOWHERE, 1, NOWHERE]).all().item()
        (['a', 'b', 'c'], True)
        """
        there, cells = self.best_cells(slice(0, len(self)))
        rank = np.full(len(self), NOWHERE)
        rank[there] = self.cell_rank[cells]
        return rank

    def cells_at(self, place: int) -> slice:
        """Return the cells of one document."""
        return slice(int(self.start[place]), int(self.start[place + 1]))

    def cells_of_each(self, places: Integers) -> tuple[Integers, Integers]:
        """Return the cells of these documents, one document after the other; in front, which of them it is of."""
        begin = self.start[places]
        which, nth = members(self.start[places + 1] - begin)
        return which, begin[which] + nth

    def list_of(self, run: int) -> tuple[Integers, Integers]:
        """Return the places of a run's documents, rising, and the rank of each."""
        place, rank, start = self._by_run
        own = slice(start[run], start[run + 1])
        return place[own], rank[own]

    @cached_property
    def _by_run(self) -> tuple[Integers, Integers, Integers]:
        """The place and the rank of each cell, by run, and where each run's begin."""
        order = np.argsort(self.cell_run, kind="stable")
        begin = np.append(0, np.cumsum(np.bincount(self.cell_run, minlength=len(self.runs))))
        return self.cell_place[order], self.cell_rank[order], begin

    @cached_property
    def _first(self) -> Integers:
        """Where each topic's documents begin, and where the last one's end."""
        return np.searchsorted(self.topic, np.arange(len(self.topics) + 1))

    @property
    def ids(self) -> pl.DataFrame:
        """The topic and the document of each: columns query_id, doc_id."""
        return self.ids_of(np.arange(len(self)))

    def ids_of(self, places: Integers) -> pl.DataFrame:
        """Return the topic and the document of each of these places: columns query_id, doc_id."""
        topics = pl.Series(self.topics, dtype=pl.String).gather(self.topic[places])
        return pl.DataFrame({QUERY: topics, DOCUMENT: self.document.gather(places)})

    @property
    def cell_place(self) -> Integers:
        """By cell: the place of its document."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def cell_document(self) -> Integers:
        """By cell: the document, counted from the first one of its topic."""
        return np.repeat(nth_within(self.topic), np.diff(self.start))

    @cached_property
    def by_id(self) -> Integers:
        """By document: how many of the candidates of all topics have a smaller id. The smaller one wins a tie."""
        order = self.document.arg_sort()  # stable is not needed: the same id has the same number
        ordered = self.document.gather(order)
        new = (ordered != ordered.shift()).fill_null(value=True).cast(pl.Int64).cum_sum()
        number = np.empty(len(self), np.int64)
        number[order.to_numpy()] = new.to_numpy()
        return number

    def random_order(self, seed: int) -> Integers:
        """Return the places of all candidates in an order that the seed gives: by a keyed digest of topic and document.

        Which of two documents is first depends on them and the seed alone, not on what other candidates there are: one
        that comes late has a random place.
        """
        if seed not in self._orders:
            keyed = blake2b(key=str(seed).encode()[:64], digest_size=8)
            digests: list[bytes] = []
            for code, topic in enumerate(self.topics):
                of_topic = keyed.copy()
                of_topic.update(f"{len(topic)} {topic} ".encode())
                for document in self.document[self.documents_of(code)].to_list():
                    one = of_topic.copy()
                    one.update(document.encode())
                    digests.append(one.digest())
            self._orders[seed] = np.argsort(np.frombuffer(b"".join(digests), ">u8"), kind="stable")
        return self._orders[seed]

    @cached_property
    def _topic_code(self) -> dict[str, int]:
        return {topic: code for code, topic in enumerate(self.topics)}

    def topic_code(self, topic: str) -> int:
        """Return the code of a topic, or raise an InputError that names some topics."""
        if topic not in self._topic_code:
            raise InputError(f"no run has a topic {topic!r}; the topics are {named(self.topics)}")
        return self._topic_code[topic]

    def find(self, topic: str, document: str) -> int | None:
        """Return the place of a document, or None if no run retrieved it for the topic."""
        code = self._topic_code.get(topic)
        if code is None:
            return None
        if code not in self._ids:
            self._ids[code] = self.document[self.documents_of(code)].to_list()
        ids = self._ids[code]
        at = bisect_left(ids, document)  # code points are in the order of the bytes that write them
        return int(self._first[code]) + at if at < len(ids) and ids[at] == document else None

    def place(self, topic: str, document: str) -> int:
        """Return the place of a document.

        Raises
        ------
        InputError
            If no run has the topic, or none retrieved the document for it.

        >>> candidates = Candidates.gather({"x": {"1": {"b": 2.0, "a": 1.0}}})
        >>> candidates.place("1", "b")
        1
        >>> candidates.place("1", "c")
        Traceback (most recent call last):
        ...
        cranfield.InputError: no run retrieved document 'c' for topic '1'
        """
        self.topic_code(topic)
        place = self.find(topic, document)
        if place is None:
            raise InputError(f"no run retrieved document {document!r} for topic {topic!r}")
        return place


def _lists(source: RunSource, reading: Reading) -> dict[str, pl.Series]:
    """Read a run: by topic its documents, the first rank first; none of a topic that it attempted in vain."""
    ranked = read_ranked(source, reading).select(QUERY, DOCUMENT)  # each topic's rows stand together, in order
    documents = ranked[DOCUMENT]
    ends = ranked[QUERY].rle().struct.unnest().with_columns(end=pl.col("len").cum_sum())
    found = {topic: documents.slice(end - length, length) for length, topic, end in ends.iter_rows()}
    return dict.fromkeys(source.empty_topics, documents.clear()) | found


class _Found:
    """One topic, while runs are read: its documents, numbered as they came, and the list of each run."""

    def __init__(self) -> None:
        self.document = pl.Series(DOCUMENT, [], pl.String)
        self.ranked: dict[int, Integers] = {}

    def add(self, lists: Mapping[int, pl.Series]) -> None:
        """Number the documents of some more runs' lists."""
        listed = pl.concat(lists.values())
        new, old = listed.unique(), self.document
        self.document = pl.concat([old, new.filter(~new.is_in(old.implode()))], rechunk=True) if len(old) else new
        number = listed.cast(pl.Enum(self.document)).to_physical().to_numpy().astype(np.int32)
        ends = np.cumsum([len(ranked) for ranked in lists.values()])
        self.ranked |= zip(lists, np.split(number, ends[:-1]), strict=True)

    def cells(self) -> tuple[pl.Series, Integers, Integers, Integers]:
        """Return the documents, rising; how many cells each has; run and rank of each cell."""
        order = self.document.arg_sort().to_numpy()
        place_of = np.empty(len(order), np.int64)
        place_of[order] = np.arange(len(order))
        size = np.array([len(ranked) for ranked in self.ranked.values()])
        number = place_of[np.concatenate([*self.ranked.values()])]
        which, place = members(size)
        # Document, rank and run in one number each, which sorts much faster than three columns do.
        several = max(self.ranked, default=0) + 1
        deepest = int(place.max(initial=0)) + 1
        key = (number * np.int64(deepest) + place) * several + np.array([*self.ranked])[which]
        key.sort()
        rest, run = np.divmod(key, several)
        number, place = np.divmod(rest, deepest)
        return self.document.gather(order), np.bincount(number, minlength=len(order)), run, place + 1


def _by_length(topic: str) -> tuple[int, str]:
    return len(topic), topic


def chance(seed: int, purpose: str, topic: str, document: str) -> float:
    """Draw a uniform number from [0, 1) for a document, which depends on nothing but the seed and these names."""
    said = "\0".join((str(seed), purpose, topic, document)).encode(errors="surrogatepass")
    drawn = int.from_bytes(blake2b(said, digest_size=8).digest(), "big")
    return float((drawn >> (64 - PRECISION)) / 2**PRECISION)

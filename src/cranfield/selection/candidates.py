"""Which documents could be judged: all that the runs retrieved, and which run has each of them at which rank."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cranfield.formats import RunsLike, RunSource
from cranfield.judged.conditions import Reading
from cranfield.plumbing.arrays import Booleans, Integers, nth_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Order
from cranfield.plumbing.tables import DOCUMENT, QUERY, RANK
from cranfield.plumbing.wording import named
from cranfield.scoring.engines.local import read_ranked
from cranfield.scoring.judged_runs import JudgedRuns, open_runs, reading_of


@dataclass(frozen=True, eq=False)
class Candidates:
    """All documents that some run retrieved, topic by topic.

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
    >>> candidates.document.to_list(), candidates.start, candidates.cell_run, candidates.cell_rank
    (['a', 'b'], array([0, 1, 3]), array([0, 0, 1]), array([2, 1, 1]))
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

    @classmethod
    def gather(
        cls,
        runs: RunsLike | JudgedRuns,
        *,
        order: Order | None = None,
        depth: Count | None = None,
        comments: bool | None = None,
    ) -> Candidates:
        """Which documents did these runs retrieve?

        Parameters
        ----------
        runs
            All that `read_runs` takes, or joined runs. Files are read one after the other.
        order, depth, comments
            What ranks a run's documents, how many of each list are looked at, and whether lines
            that begin with ``#`` are skipped: as in `evaluate`, and for joined runs as they were
            joined.

        Raises
        ------
        InputError
            If a run cannot be read, the depth is less than 1, or nothing at all was retrieved.
        """
        reading = reading_of(runs, {"order": order, "depth": depth, "comments": comments})
        sources = open_runs(runs, reading)
        tables = [_cells(source, run, reading) for run, source in enumerate(sources)]
        cells = pl.concat(tables)
        if not cells.height:
            raise InputError("the runs retrieved nothing, so there is nothing to judge")
        topics = sorted({*cells[QUERY].unique(), *(t for s in sources for t in s.empty_topics)}, key=_by_length)
        return cls._from_cells(tuple(source.name for source in sources), tuple(topics), cells, _empty(sources))

    @classmethod
    def _from_cells(
        cls, runs: tuple[str, ...], topics: tuple[str, ...], cells: pl.DataFrame, empty: list[tuple[int, str]]
    ) -> Candidates:
        """Sort the cells by topic, document and rank, and note where each document begins."""
        code = {topic: i for i, topic in enumerate(topics)}
        cells = cells.with_columns(pl.col(QUERY).replace_strict(code, return_dtype=pl.Int32))
        length = np.zeros((len(runs), len(topics)), np.int64)
        np.add.at(length, (cells["run"].to_numpy(), cells[QUERY].to_numpy()), 1)
        present = length > 0
        for run, topic in empty:
            present[run, code[topic]] = True
        cells = cells.sort(QUERY, DOCUMENT, RANK, "run")
        first = cells.select((pl.struct(QUERY, DOCUMENT) != pl.struct(QUERY, DOCUMENT).shift()).fill_null(value=True))
        start = np.flatnonzero(first.to_series().to_numpy())
        return cls(
            runs=runs,
            topics=topics,
            topic=cells[QUERY].gather(start).to_numpy(),
            document=cells[DOCUMENT].gather(start).rechunk(),
            start=np.append(start, cells.height),
            cell_run=cells["run"].to_numpy(),
            cell_rank=cells[RANK].to_numpy(),
            length=length,
            present=present,
        )

    def __len__(self) -> int:
        return len(self.document)

    def documents_of(self, topic: int) -> slice:
        """Return the places of a topic's documents."""
        return slice(int(self._first[topic]), int(self._first[topic + 1]))

    def cells_of(self, topic: int) -> slice:
        """Return the cells of a topic's documents."""
        places = self.documents_of(topic)
        return slice(int(self.start[places.start]), int(self.start[places.stop]))

    def cells_at(self, place: int) -> slice:
        """Return the cells of one document."""
        return slice(int(self.start[place]), int(self.start[place + 1]))

    @cached_property
    def _first(self) -> Integers:
        """Where each topic's documents begin, and where the last one's end."""
        return np.searchsorted(self.topic, np.arange(len(self.topics) + 1))

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

    @cached_property
    def _ids(self) -> dict[int, list[str]]:
        """The ids of the topics in which a document was looked up."""
        return {}

    @cached_property
    def _topic_code(self) -> dict[str, int]:
        return {topic: code for code, topic in enumerate(self.topics)}

    def topic_code(self, topic: str) -> int:
        """Return the code of a topic, or raise an InputError that names some topics."""
        if topic not in self._topic_code:
            raise InputError(f"no run has a topic {topic!r}; there are {named(self.topics)}")
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


def _cells(source: RunSource, run: int, reading: Reading) -> pl.DataFrame:
    return read_ranked(source, reading).select(
        QUERY, DOCUMENT, pl.col(RANK).cast(pl.Int64), pl.lit(run, pl.Int64).alias("run")
    )


def _empty(sources: tuple[RunSource, ...]) -> list[tuple[int, str]]:
    return [(run, topic) for run, source in enumerate(sources) for topic in source.empty_topics]


def _by_length(topic: str) -> tuple[int, str]:
    return len(topic), topic

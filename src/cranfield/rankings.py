"""Runs and judgments joined: grades by rank, of all runs and topics at once. Ties are settled here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias, TypeVar, cast, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from cranfield.errors import InputError
from cranfield.formats import RunSource
from cranfield.judgments import Booleans, Floats, Integers, Judgments, is_relevant
from cranfield.tables import DOCUMENT, LINE, QUERY, RANK, RELEVANCE, SCORE

Order: TypeAlias = Literal["score", "trec9", "rank", "file"]
ORDERS: tuple[Order, ...] = get_args(Order)

_T = TypeVar("_T")


class Cells:
    """Some cells of a batch of rankings (one cell: one rank of one row), by row and, within the row, by rank.

    Measures are sums over a few cells, the relevant or the judged ones, and never touch the many others.

    Attributes
    ----------
    rows
        How many rows the batch has, those without a cell included.
    row, rank, grade
        For each cell its row (from 0), its rank (from 1) and its grade.

    Examples
    --------
    Two rankings; the first has relevant documents at ranks 1 and 4, the second at rank 2:

    >>> hits = Cells(2, np.array([0, 0, 1]), np.array([1, 4, 2]), np.array([1.0, 1.0, 2.0]))
    >>> hits.nth, hits.sum(hits.nth / hits.rank)
    (array([1, 2, 1]), array([1.5, 0.5]))
    """

    def __init__(self, rows: int, row: Integers, rank: Integers, grade: Floats) -> None:
        self.rows = rows
        self.row = row
        self.rank = rank
        self.grade = grade

    def __len__(self) -> int:
        return len(self.row)

    def where(self, kept: Booleans) -> Cells:
        """Return the cells for which the condition holds."""
        return self if kept.all() else self.take(np.flatnonzero(kept))

    def take(self, places: Integers) -> Cells:
        """Return the cells at these places (rising)."""
        return Cells(self.rows, self.row.take(places), self.rank.take(places), self.grade.take(places))

    @cached_property
    def nth(self) -> Integers:
        """For each cell, the how-many-eth of its row it is (from 1)."""
        return np.arange(1, len(self) + 1) - self.start.take(self.row)

    def above(self, places: Integers) -> Integers:
        """For the cells at these places, the number of cells of their row before them."""
        return places - self.start.take(self.row.take(places))

    @cached_property
    def start(self) -> Integers:
        """For each row, the place of its first cell."""
        sizes = np.bincount(self.row, minlength=self.rows)
        return np.cumsum(sizes) - sizes

    @cached_property
    def count(self) -> Floats:
        """Number of cells, by row."""
        return np.bincount(self.row, minlength=self.rows).astype(np.float64)

    def sum(self, values: Floats) -> Floats:
        """Sum of the values of its cells, by row, added in the order of the ranks."""
        return np.asarray(np.bincount(self.row, weights=values, minlength=self.rows), np.float64)

    def running(self, values: Floats, operation: np.ufunc = np.add) -> Floats:
        """For each cell, the values of its row up to and including it, added up (or multiplied)."""
        return self._along_rows(values, lambda table: operation.accumulate(table, axis=1))

    def before(self, values: Floats, operation: np.ufunc = np.add) -> Floats:
        """For each cell, the values of its row before it, added up (or multiplied)."""

        def shifted(table: Floats) -> Floats:
            first = np.full((len(table), 1), operation.identity)
            return np.hstack([first, operation.accumulate(table, axis=1)[:, :-1]])

        return self._along_rows(values, shifted)

    @property
    def next_rank(self) -> Floats:
        """For each cell, the rank of the next cell of its row; infinite for the last."""
        following = np.append(self.rank[1:], 0)[: len(self)]
        return np.where(self.last, np.inf, following)

    @property
    def first_rank(self) -> Floats:
        """For each row, the rank of its first cell; infinite where it has none."""
        rank = np.full(self.rows, np.inf)
        first = self.nth == 1
        rank[self.row[first]] = self.rank[first]
        return rank

    @property
    def last(self) -> Booleans:
        """For each cell, whether it is the last of its row."""
        return np.append(self.row[1:] != self.row[:-1], True)[: len(self)]

    def largest_from(self, values: Floats) -> Floats:
        """For each cell, the largest value of its row from there on (values are not negative)."""
        return self._along_rows(values, lambda table: np.maximum.accumulate(table[:, ::-1], axis=1)[:, ::-1])

    def _along_rows(self, values: Floats, operation: Callable[[Floats], Floats]) -> Floats:
        # A row's result must not depend on the rows before it, as it would (in its last bits) in one long cumulative
        # sum over the batch: so each row gets a line of a table of its own.
        if not len(self):
            return np.zeros(0)
        table = np.zeros((self.rows, int(self.nth.max())))
        place = (self.row, self.nth - 1)
        table[place] = values
        return operation(table)[place]


@dataclass(frozen=True)
class RankedRun:
    """One run, ranked and joined with the judgments: what is left of its file.

    Attributes
    ----------
    name
        The run's name.
    topic, length
        For each topic that it has (rising codes), the code and the number of documents retrieved.
    cell_topic, rank, judgment
        For each judged document that it retrieved, by topic and then rank.
    extra
        Topics that the qrels do not have.
    tied
        How many documents share their score with another one of their topic.
    """

    name: str
    topic: Integers
    length: Integers
    cell_topic: Integers
    rank: Integers
    judgment: Integers
    extra: tuple[str, ...] = ()
    tied: int = 0


@dataclass(frozen=True)
class JudgedRankings:
    """A batch of runs over all topics of the qrels, with the judgment of every cell.

    Rows are run by run and, in each run, topic by topic: ``values.reshape(len(runs), len(topics))`` is the table of
    runs and topics. Of each row the length is known, and for each *judged* document its rank and which judgment it is.
    So a rank is judged (relevant or not), unjudged (within the length, but no cell), or beyond the end of the list.

    Attributes
    ----------
    runs
        Names of the runs.
    judgments
        The judgments they were joined with.
    length
        For each row, how many documents were retrieved.
    present
        For each row, whether the run has the topic at all (an empty list is a ranking; a missing topic is not).
    row, rank, judgment
        For each judged cell: its row, its rank (from 1), its place in the vector of judgments.
    """

    runs: tuple[str, ...]
    judgments: Judgments
    length: Integers
    present: Booleans
    row: Integers
    rank: Integers
    judgment: Integers
    _made: dict[Hashable, object] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def batch(cls, ranked: Sequence[RankedRun], judgments: Judgments) -> JudgedRankings:
        """Put ranked runs together."""
        topics = len(judgments.topics)
        length = np.zeros(len(ranked) * topics, np.int64)
        present = np.zeros(len(ranked) * topics, bool)
        for i, run in enumerate(ranked):
            length[i * topics + run.topic] = run.length
            present[i * topics + run.topic] = True
        return cls(
            runs=tuple(run.name for run in ranked),
            judgments=judgments,
            length=length,
            present=present,
            row=_joined([run.cell_topic + np.int32(i * topics) for i, run in enumerate(ranked)]),
            rank=_joined([run.rank for run in ranked]),
            judgment=_joined([run.judgment for run in ranked]),
        )

    @property
    def topics(self) -> tuple[str, ...]:
        """Ids of the topics."""
        return self.judgments.topics

    @property
    def rows(self) -> int:
        """Number of rows: runs times topics."""
        return len(self.length)

    def rejudged(self, grade: Floats) -> JudgedRankings:
        """Give the same rankings other judgments: a new vector of grades, and no new join."""
        return JudgedRankings(
            self.runs, self.judgments.with_grades(grade), self.length, self.present, self.row, self.rank, self.judgment
        )

    @cached_property
    def judged(self) -> Cells:
        """The judged cells."""
        cells = Cells(self.rows, self.row, self.rank, self.judgments.grade.take(self.judgment))
        return cells.where(~np.isnan(cells.grade))

    def relevant(self, rel: float | None = None) -> Cells:
        """Return the cells with a relevant document: grade above 0, or at least ``rel``."""
        return self.once(("relevant", rel), lambda: self.judged.where(is_relevant(self.judged.grade, rel)))

    def recall_base(self, rel: float | None = None) -> Floats:
        """Return, by row, how many documents of its topic are relevant: R."""
        return self.of_topics(self.judgments.recall_base(rel))

    def of_topics(self, values: Floats) -> Floats:
        """Spread values by topic over the rows of all runs."""
        return np.tile(values, len(self.runs))

    def cut(self, k: int) -> JudgedRankings:
        """Return the first k ranks. The recall base stays what it is."""

        def made() -> JudgedRankings:
            length = np.minimum(self.length, k)
            if (length == self.length).all():
                return self
            kept = self.rank <= k
            shorter = JudgedRankings(
                self.runs, self.judgments, length, self.present, self.row[kept], self.rank[kept], self.judgment[kept]
            )
            for what, cells in self._made.items():
                if isinstance(cells, Cells):
                    shorter._made[what] = cells.where(cells.rank <= k)
            return shorter

        return self.once(("cut", k), made)

    def condensed(self) -> JudgedRankings:
        """Return the rankings without their unjudged documents, closed up."""

        def made() -> JudgedRankings:
            kept = ~np.isnan(self.judgments.grade.take(self.judgment))
            cells = self.judged
            return JudgedRankings(
                self.runs,
                self.judgments,
                cells.count.astype(np.int64),
                self.present,
                cells.row,
                cells.nth,
                self.judgment[kept],
            )

        return self.once("condensed", made)

    def once(self, what: Hashable, make: Callable[[], _T]) -> _T:
        """Return what several measures need of these rankings, made once."""
        if what not in self._made:
            self._made[what] = make()
        return cast("_T", self._made[what])


def ideal_rankings(judgments: Judgments, gain: Floats) -> JudgedRankings:
    """Rank each topic's documents of positive gain, the largest gain first: the best list there could be.

    The result has one run, "ideal", so that a measure of it has one value for each topic.
    """
    order = np.lexsort((-gain, judgments.topic))
    order = order[gain[order] > 0]
    topic = judgments.topic[order]
    length = np.bincount(topic, minlength=len(judgments.topics))
    rank = np.arange(1, len(order) + 1) - (np.cumsum(length) - length)[topic]
    return JudgedRankings(("ideal",), judgments, length, np.ones(len(length), bool), topic, rank, order)


def one_ranking(ranking: Sequence[float | None], unretrieved: Sequence[float] = ()) -> JudgedRankings:
    """Write down a single ranking: its grades by rank (None: unjudged), and those of documents that it lacks.

    >>> one_ranking([1, None, 0], unretrieved=[2]).judged.rank
    array([1, 3])
    """
    judged = [(rank, grade) for rank, grade in enumerate(ranking, start=1) if grade is not None]
    grade = [grade for _, grade in judged] + list(unretrieved)
    qrels = pl.DataFrame(
        {QUERY: ["1"] * len(grade), DOCUMENT: [f"d{i}" for i in range(len(grade))], RELEVANCE: grade},
        schema={QUERY: pl.String, DOCUMENT: pl.String, RELEVANCE: pl.Float64},
    )
    one = RankedRun(
        name="run",
        topic=np.zeros(1, np.int64),
        length=np.array([len(ranking)]),
        cell_topic=np.zeros(len(judged), np.int64),
        rank=np.array([rank for rank, _ in judged], np.int64),
        judgment=np.arange(len(judged)),
    )
    return JudgedRankings.batch([one], Judgments(qrels, topics=["1"]))


def rank_run(source: RunSource, judgments: Judgments, order: Order = "score") -> RankedRun:
    """Read a run, rank its documents topic by topic, and find their judgments.

    ``order`` says what ranks them: ``"score"`` (highest first, in 64 bits, ties by document id, the last in byte order
    first, as trec_eval 10 does), ``"trec9"`` (the same in 32 bits, as trec_eval up to 9 and pytrec_eval do), ``"rank"``
    (the rank column) or ``"file"`` (the order of the lines).
    """
    table = source.read(rank=order == "rank")
    topics, length = _stretches(table[QUERY])
    if len(set(topics)) < len(topics):
        table = table.select(pl.all().gather(_gathered(topics, length)))
        topics, length = _stretches(table[QUERY])
    code = np.array([judgments.code_of_topic.get(topic, -1) for topic in topics], np.int64)
    extra = tuple(topic for topic, known in zip(topics, code >= 0, strict=True) if not known)
    if extra:
        table = table.filter(np.repeat(code >= 0, length))
        code, length = code[code >= 0], length[code >= 0]

    start = np.cumsum(length) - length
    document = table[DOCUMENT].rechunk()  # in one piece it is picked from five times as fast
    key = judgments.index.keys(code, length, document)
    if _has_repeats(key):
        _refuse_duplicates(table, source)
    by_place = judgments.index.find(key, document)
    permutation, tied = _rank_order(table, document, start, length, order)
    if permutation is not None:
        by_place = by_place.take(permutation)
    cell = np.flatnonzero(by_place >= 0)
    judgment = by_place.take(cell)
    stretch = np.repeat(np.arange(len(code), dtype=np.int32), length).take(cell)
    cell_topic = code.astype(np.int32).take(stretch)
    rank = (cell - start.take(stretch) + 1).astype(np.int32)
    if (code[1:] < code[:-1]).any():  # the run has its topics in another order than the qrels
        by_topic = np.argsort(cell_topic, kind="stable")
        cell_topic, rank, judgment = cell_topic[by_topic], rank[by_topic], judgment[by_topic]
    empty = [judgments.code_of_topic[t] for t in source.empty_topics if t in judgments.code_of_topic]
    return RankedRun(
        name=source.name,
        topic=np.concatenate([code, np.array(empty, np.int64)]),
        length=np.concatenate([length, np.zeros(len(empty), np.int64)]),
        cell_topic=cell_topic,
        rank=rank,
        judgment=judgment,
        extra=extra,
        tied=tied,
    )


def _joined(parts: Sequence[Integers]) -> Integers:
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def _stretches(topic: pl.Series) -> tuple[list[str], Integers]:
    """Cut the column of topics where its value changes: the topic of each stretch, and its length."""
    stretches = topic.rle().struct.unnest()
    return stretches["value"].to_list(), stretches["len"].to_numpy().astype(np.int64)


def _gathered(topics: list[str], length: Integers) -> Integers:
    """Say in which order to take the rows so that each topic's stand together, in the order of the file."""
    place = {topic: i for i, topic in reversed(list(enumerate(topics)))}
    return np.argsort(np.repeat([place[topic] for topic in topics], length), kind="stable")


def _rank_order(
    table: pl.DataFrame, document: pl.Series, start: Integers, length: Integers, order: Order
) -> tuple[Integers | None, int]:
    """Say in which order to take the rows (None: as they are), and how many share their score with another.

    Files are nearly always sorted by score already, so the order is checked, and sorted only where it has to be.
    """
    if order == "file" or table.is_empty():
        return None, 0
    value: Floats = -table[RANK].to_numpy().astype(np.float64) if order == "rank" else table[SCORE].to_numpy()
    if order == "trec9":
        with np.errstate(over="ignore"):  # what 32 bits cannot hold is infinite, there as here
            value = value.astype(np.float32)

    within = np.ones(len(value), bool)  # False where a topic begins
    within[start[start < len(value)]] = False
    permutation = None
    if ((value[1:] > value[:-1]) & within[1:]).any():
        permutation = np.lexsort((-value, np.repeat(np.arange(len(length)), length)))
        value = value[permutation]
    tied = np.flatnonzero((value[1:] == value[:-1]) & within[1:])
    if order == "rank" or not len(tied):
        return permutation, 0

    in_tie = np.zeros(len(value), bool)
    in_tie[tied] = in_tie[tied + 1] = True
    rows = np.flatnonzero(in_tie)
    follows = np.zeros(len(value), bool)
    follows[tied + 1] = True
    group = np.cumsum(~follows[rows])
    chosen = rows if permutation is None else permutation[rows]
    ties = pl.DataFrame({"group": group, "document": document.gather(chosen)})
    by_id = ties.select(pl.arg_sort_by("group", "document", descending=[False, True])).to_series().to_numpy()
    if (by_id[1:] < by_id[:-1]).any():
        permutation = np.arange(len(value)) if permutation is None else permutation
        permutation[rows] = chosen[by_id]
    return permutation, len(rows)


def _has_repeats(key: npt.NDArray[np.uint64]) -> bool:
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())


def _refuse_duplicates(table: pl.DataFrame, source: RunSource) -> None:
    """Raise if a topic really has a document twice (two keys alike may be an accident), naming the second line."""
    if not table.select(pl.struct(QUERY, DOCUMENT).is_duplicated().any()).item():
        return
    table = source.read(lines=True)
    again = table.filter(pl.struct(QUERY, DOCUMENT).is_first_distinct().not_()).row(0, named=True)
    raise InputError(
        f"document {again[DOCUMENT]!r} is retrieved twice for topic {again[QUERY]!r}; a ranking holds a document once",
        source=source.origin,
        line=again.get(LINE),
    )

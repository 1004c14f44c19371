"""Judged rankings: the grades by rank of many runs on all topics at once, which every measure is computed from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

import numpy as np

from cranfield.judged.audit import RunAudit, Seen, audit_run
from cranfield.judged.conditions import Reading
from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.judged.list_costs import ListCosts, unit_costs
from cranfield.plumbing.arrays import Booleans, Floats, Integers, members, nth_within, starts, sums_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.late import Later, late

_T = TypeVar("_T")
RowCosts: TypeAlias = ListCosts | Literal["unknown"] | None
"""What rows cost: see `JudgedRankings.list_costs`."""
_SIDES: Final[tuple[Literal["left", "right"], ...]] = ("left", "right")


class Cells:
    """Some cells of a batch of rankings, a rank (from 1) of a row each, in order; ``rows`` counts empty ones, too.

    Measures are sums over a few cells, the relevant or the judged ones, and never touch the many others.
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
        places = kept.nonzero()[0]
        return self if len(places) == len(self) else self.take(places)

    def take(self, places: Integers) -> Cells:
        """Return the cells at these places (rising)."""
        return Cells(self.rows, self.row.take(places), self.rank.take(places), self.grade.take(places))

    @cached_property
    def nth(self) -> Integers:
        """For each cell, which of its row's cells it is, from 1."""
        return np.arange(1, len(self) + 1) - self.start.take(self.row)

    def above(self, places: Integers) -> Integers:
        """For the cells at these places, the number of cells of their row before them."""
        return places - self.start.take(self.row.take(places))

    @cached_property
    def start(self) -> Integers:
        """For each row, the place of its first cell."""
        return starts(np.bincount(self.row, minlength=self.rows))

    @cached_property
    def count(self) -> Floats:
        """Number of cells, by row."""
        return np.bincount(self.row, minlength=self.rows).astype(np.float64)

    def sum(self, values: Floats) -> Floats:
        """Sum of the values of its cells, by row, added in the order of the ranks."""
        return sums_within(self.row, values, self.rows)

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
        return np.where(self.last, np.inf, np.append(self.rank[1:], 0)[: len(self)])

    @property
    def first_rank(self) -> Floats:
        """For each row, the rank of its first cell; infinite where it has none."""
        rank = np.empty(self.rows)
        rank.fill(np.inf)
        rank[self.row[::-1]] = self.rank[::-1]  # of several for one row the last stays, which is the first
        return rank

    @property
    def last(self) -> Booleans:
        """For each cell, whether it is the last of its row."""
        return np.append(self.row[1:] != self.row[:-1], True)[: len(self)]

    def largest_from(self, values: Floats) -> Floats:
        """For each cell, the largest value of its row from there on (values are not negative)."""
        return self._along_rows(values, lambda table: np.maximum.accumulate(table[:, ::-1], axis=1)[:, ::-1])

    def table(self, values: Floats, depth: int) -> Floats:
        """Spread values out by rank: array of shape (rows, depth), 0 where there is no cell."""
        spread = np.zeros((self.rows, depth))
        spread[self.row, self.rank - 1] = values
        return spread

    def _along_rows(self, values: Floats, operation: Callable[[Floats], Floats]) -> Floats:
        # A row's result must not depend on the rows before it, as it would (in its last bits) in
        # one long cumulative sum over the batch: so each row gets a line of a table of its own.
        if not len(self):
            return np.zeros(0)
        table = np.zeros((self.rows, int(self.nth.max())))
        place = (self.row, self.nth - 1)
        table[place] = values
        return operation(table)[place]


@dataclass(frozen=True, eq=False)
class JudgedRankings:
    """A batch of runs over all topics of the qrels, with the judgment of every cell.

    Rows are run by run and, in each run, topic by topic: ``values.reshape(len(runs), len(topics))``. A rank is judged
    (a cell), unjudged (within the length, but no cell), or beyond the end of the list.
    """

    runs: tuple[str, ...]
    judgments: Judgments
    length: Integers  # For each row, how many documents were retrieved
    present: Booleans
    """For each row, whether the run has the topic at all: an empty list is a ranking, a missing topic is not."""
    row: Integers
    rank: Integers
    judgment: Integers  # For each judged cell: its row, its rank (from 1), its place in the vector of judgments
    audits: tuple[RunAudit, ...] = late(())  # What was found of each run when it was ranked
    list_costs: RowCosts = None
    """None where no costs were given, so that a document costs 1; ``"unknown"`` where documents were moved since."""
    _made: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, object]:
        """Leave out what can be made again."""
        return {each.name: getattr(self, each.name) for each in fields(self)} | {"_made": {}}

    @classmethod
    def of_run(
        cls,
        run: str,
        judgments: Judgments,
        lists: tuple[Integers, Integers],
        cells: tuple[Integers, Integers, Integers],
        audits: tuple[RunAudit, ...] | Later[tuple[RunAudit, ...]] = (),
        list_costs: ListCosts | None = None,
    ) -> JudgedRankings:
        """Put down one run: codes and lengths of its topics; topic, rank and judgment of its cells, in that order."""
        length = np.zeros(len(judgments.topics), np.int64)
        present = np.zeros(len(judgments.topics), bool)
        length[lists[0]], present[lists[0]] = lists[1], True
        return cls((run,), judgments, length, present, *cells, cast("tuple[RunAudit, ...]", audits), list_costs)

    @classmethod
    def batch(cls, several: Sequence[JudgedRankings]) -> JudgedRankings:
        """Put rankings by the same judgments together."""
        if len(several) == 1:
            return several[0]
        rows = np.cumsum([0, *(rankings.rows for rankings in several)])
        row = [r.row + first.astype(r.row.dtype) for r, first in zip(several, rows[:-1], strict=True)]
        return cls(
            runs=tuple(run for rankings in several for run in rankings.runs),
            judgments=several[0].judgments,
            length=np.concatenate([rankings.length for rankings in several]),
            present=np.concatenate([rankings.present for rankings in several]),
            row=np.concatenate(row),
            rank=np.concatenate([rankings.rank for rankings in several]),
            judgment=np.concatenate([rankings.judgment for rankings in several]),
            audits=tuple(audit for rankings in several for audit in rankings.audits),
            list_costs=_together([rankings.list_costs for rankings in several]),
        )

    @classmethod
    def over_topics(cls, parts: Sequence[JudgedRankings], judgments: Judgments) -> JudgedRankings:
        """Put together what was ranked of one run a few topics at a time: by the judgments of the whole collection."""
        topics = [places for part in parts if (places := part.judgments.places) is not None]
        place, lengths = np.concatenate(topics), np.concatenate([part.length for part in parts])
        present = np.concatenate([part.present for part in parts])
        row = np.concatenate([there.take(part.row) for there, part in zip(topics, parts, strict=True)])
        nth = np.concatenate([part.judgment - part.judgments.first_of_topic.take(part.row) for part in parts])
        order = np.argsort(row, kind="stable")
        judgment = (judgments.first_of_topic.take(row) + nth).astype(np.int32)
        whole = cls.of_run(
            parts[0].runs[0],
            judgments,
            (place, lengths),
            (row[order], np.concatenate([part.rank for part in parts])[order], judgment[order]),
            (RunAudit.of_parts([audit for part in parts for audit in part.audits], judgments),),
        )
        costs = _together([part.list_costs for part in parts])
        if isinstance(costs, ListCosts):
            whole = replace(whole, list_costs=costs.of_rows(np.argsort(place)))
        return replace(whole, present=present[np.argsort(place)])

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
        return self.by(self.judgments.with_grades(grade))

    def by(self, judgments: Judgments) -> JudgedRankings:
        """Give the same rankings other judgments of the same documents, which other rankings may share."""
        return replace(self, judgments=judgments, _made={})

    @cached_property
    def longest(self) -> int:
        """Length of the longest list."""
        return int(self.length.max(initial=0))

    @cached_property
    def all_present(self) -> bool:
        """Whether each run has each topic."""
        return bool(np.count_nonzero(self.present) == self.rows)

    @cached_property
    def judged(self) -> Cells:
        """The judged cells."""
        cells = self.with_grades()
        return cells if self.judgments.all_graded else cells.where(~np.isnan(cells.grade))

    def with_grades(self) -> Cells:
        """Return all cells, so that each has the judgment of the same place; the grade of an open one is NaN."""
        return Cells(self.rows, self.row, self.rank, self.judgments.grade.take(self.judgment))

    def relevant(self, rel: float | None = None) -> Cells:
        """Return the cells with a relevant document: grade above 0, or at least ``rel``, which is above 0, too."""

        def made() -> Cells:
            if rel is not None:
                return self.relevant().take(self.reaching(rel))
            cells = self.with_grades()
            return cells.where(is_relevant(cells.grade, None))

        return self.once(("relevant", rel), made)

    def reaching(self, rel: float) -> Integers:
        """Return the places, among the cells with a grade above 0, of those with at least ``rel``."""
        return self.once(("reaching", rel), lambda: np.flatnonzero(is_relevant(self.relevant().grade, rel)))

    def recall_base(self, rel: float | None = None) -> Floats:
        """Return, by row, how many documents of its topic are relevant: R."""
        return self.of_topics(self.judgments.recall_base(rel))

    def of_topics(self, values: Floats) -> Floats:
        """Spread values by topic over the rows of all runs."""
        return values if len(self.runs) == 1 else np.tile(values, len(self.runs))

    def missing_as_empty(self) -> JudgedRankings:
        """Take topics that a run lacks for lists that hold nothing."""
        return replace(self, present=np.ones(self.rows, bool), _made={})

    def cut(self, k: int | None) -> JudgedRankings:
        """Return the first k ranks; all of them without k. The recall base stays what it is."""
        if k is None or self.longest <= k:
            return self  # not kept among what was made: it would keep itself alive

        def made() -> JudgedRankings:
            shorter = self._within(np.minimum(self.length, k), self.rank <= k)
            for what, found in list(self._made.items()):
                if isinstance(found, Cells):
                    shorter._made[what] = found.where(found.rank <= k)
            return shorter

        return self.once(("cut", k), made)

    def cut_each(self, lengths: Integers) -> JudgedRankings:
        """Return the first ranks of each row: this many of the first, and so on."""
        return self._within(np.minimum(self.length, lengths), self.rank <= lengths.take(self.row))

    def _within(self, length: Integers, kept: Booleans) -> JudgedRankings:
        row, rank, judgment = self.row[kept], self.rank[kept], self.judgment[kept]
        return replace(self, length=length, row=row, rank=rank, judgment=judgment, _made={})

    def within(self, budget: float) -> JudgedRankings:
        """Return the first documents of each list that fit into a budget: one that does not fit ends its list."""
        return self.cut_each(self.costs.fitting(budget, self.length))

    @property
    def costs(self) -> ListCosts:
        """What each list costs down to every rank; its length, where no costs were given."""
        if self.list_costs == "unknown":
            raise InputError(
                "these lists were reordered, so their costs by rank are unknown; leave out the measures of cost, or "
                "join the runs without costs"
            )
        return self.once("unit costs", lambda: unit_costs(self.length)) if self.list_costs is None else self.list_costs

    def moved(self, rank: Integers, judgment: Integers) -> JudgedRankings:
        """Return the rankings with documents at other ranks: what they cost down to a rank is not known any more."""
        costs: RowCosts = None if self.list_costs is None else "unknown"
        return replace(self, rank=rank, judgment=judgment, list_costs=costs, _made={})

    def only(self, run: int) -> JudgedRankings:
        """Return the rankings of one run of the batch."""
        topics = len(self.topics)
        rows = slice(run * topics, (run + 1) * topics)
        first, last = np.searchsorted(self.row, np.array([rows.start, rows.stop], self.row.dtype))  # or all are cast
        cells = slice(first, last)
        return JudgedRankings(
            self.runs[run : run + 1],
            self.judgments,
            self.length[rows],
            self.present[rows],
            self.row[cells] - rows.start,
            self.rank[cells],
            self.judgment[cells],
            self.audits[run : run + 1],
            _of_rows(self.list_costs, rows),
        )

    def condensed(self) -> JudgedRankings:
        """Return the rankings without their unjudged documents, closed up."""

        def made() -> JudgedRankings:
            kept = ~np.isnan(self.judgments.grade.take(self.judgment))
            cells = self.judged
            length = cells.count.astype(np.int64)
            costs = self.list_costs
            if isinstance(costs, ListCosts):
                costs = costs.kept(length, cells.row, cells.rank)
            judgment = self.judgment[kept]
            return replace(
                self, length=length, row=cells.row, rank=cells.nth, judgment=judgment, list_costs=costs, _made={}
            )

        return self.once("condensed", made)

    def reranked(self) -> JudgedRankings:
        """Return the same documents by falling grade, ties as they were; unjudged is 0, above negative grades."""
        grade = np.nan_to_num(self.judgments.grade.take(self.judgment))
        moved, count = grade != 0, np.bincount(self.row, minlength=self.rows)
        above = np.cumsum(moved) - moved
        above = above - above[starts(count)[self.row]]  # how many cells of the row stand above and move away
        good = np.bincount(self.row[grade > 0], minlength=self.rows)
        order = np.lexsort((self.rank, -grade, self.row))
        grade, nth = grade[order], nth_within(self.row) + 1
        between = good[self.row] + (self.rank - above)[order]
        at_the_end = (self.length - count)[self.row] + nth
        return self.moved(np.select([grade > 0, grade < 0], [nth, at_the_end], between), self.judgment[order])

    def of_topic(self, topic: str) -> JudgedRankings:
        """Return the rankings of one topic, by its judgments alone."""
        code = self.judgments.code_of_topic[topic]
        rows = np.arange(len(self.runs)) * len(self.topics) + code
        first, end = (np.searchsorted(self.row, rows, side=side) for side in _SIDES)
        row, nth = members(end - first)
        cell = first[row] + nth
        lists, costs = (self.length[rows], self.present[rows]), _of_rows(self.list_costs, rows)
        cells = row, self.rank[cell], (self.judgment[cell] - self.judgments.first_of_topic[code]).astype(np.int32)
        return JudgedRankings(self.runs, self.judgments.of_topics([topic]), *lists, *cells, list_costs=costs)

    def once(self, what: Hashable, make: Callable[[], _T]) -> _T:
        """Return what several measures need of these rankings, made once."""
        if what not in self._made:
            self._made[what] = make()
        made: _T = self._made[what]
        return made


def ranked_run(
    run: str,
    judgments: Judgments,
    reading: Reading,
    lists: tuple[Integers, Integers],
    cells: tuple[Integers, Integers, Integers],
    seen: Seen,
    *,
    empty: Iterable[str] = (),
    costs: ListCosts | None = None,
) -> JudgedRankings:
    """Put down a run that was ranked whole, look at it, and then cut it or fill it up as the reading asks for."""
    topic, rank, judgment = cells
    if np.count_nonzero(topic[1:] < topic[:-1]):  # the run has its topics in another order than the qrels
        by_topic = np.argsort(topic, kind="stable")
        topic, rank, judgment = topic[by_topic], rank[by_topic], judgment[by_topic]
    nothing = [judgments.code_of_topic[topic] for topic in empty if topic in judgments.code_of_topic]
    codes, lengths = lists
    costs = None if costs is None else costs.spread(codes, len(judgments.topics))
    if nothing:
        codes, lengths = np.append(codes, nothing), np.append(lengths, np.zeros(len(nothing), np.int64))

    def audits() -> tuple[RunAudit]:
        """Look at the list as it was retrieved, whatever the depth or the budget leave of it."""
        judged = rank if judgments.all_graded else rank[~np.isnan(judgments.grade.take(judgment))]
        return (audit_run(run, judgments, codes, lengths, judged, seen),)

    ranked = JudgedRankings.of_run(run, judgments, (codes, lengths), (topic, rank, judgment), Later(audits), costs)
    ranked = ranked.missing_as_empty() if reading.missing == "empty" else ranked
    ranked = ranked if reading.depth is None else ranked.cut(reading.depth)
    if reading.budget is None:
        return ranked
    read = ranked.within(reading.budget)
    return replace(read, audits=(replace(read.audits[0], ended=int((read.length < ranked.length).sum())),))


def _together(several: Sequence[RowCosts]) -> RowCosts:
    """Put the costs of batches together; all of them have some, or none has."""
    known = [each for each in several if isinstance(each, ListCosts)]
    return ListCosts.batch(known) if len(known) == len(several) else several[0]


def _of_rows(costs: RowCosts, rows: Integers | slice) -> RowCosts:
    return costs.of_rows(rows) if isinstance(costs, ListCosts) else costs


def ideal_rankings(judgments: Judgments, gain: Floats) -> JudgedRankings:
    """Rank each topic's documents of positive gain, the largest first: one run, "ideal", with a row for each topic."""
    some = np.flatnonzero(gain > 0)
    return rankings_of_order("ideal", judgments, some[np.lexsort((-gain[some], judgments.topic[some]))])


def rankings_of_order(name: str, judgments: Judgments, order: Integers) -> JudgedRankings:
    """Make a run of judged documents alone: their places among the judgments, topic by topic, the first rank first."""
    topic = judgments.topic[order]
    length = np.bincount(topic, minlength=len(judgments.topics))
    return JudgedRankings((name,), judgments, length, np.ones(len(length), bool), topic, members(length)[1] + 1, order)


def full_scale_rankings(ideal: JudgedRankings, n: int) -> JudgedRankings:
    """Turn the ideal lists round, the best document last: of n ranks each, or twice the list where that is more."""
    length = np.maximum(n, 2 * ideal.length)
    rank = length[ideal.row] - ideal.rank + 1
    order = np.lexsort((rank, ideal.row))
    cells = ideal.row, rank[order], ideal.judgment[order]
    return JudgedRankings(("full-scale",), ideal.judgments, length, ideal.present, *cells)


def worst_rankings(judgments: Judgments, n: int) -> JudgedRankings:
    """Rank n documents that nobody judged."""
    topics, nothing = len(judgments.topics), np.zeros(0, np.int64)
    return JudgedRankings(("worst",), judgments, np.full(topics, n), np.ones(topics, bool), nothing, nothing, nothing)


def one_ranking(
    ranking: Sequence[float | None],
    unretrieved: Sequence[float] = (),
    candidates: int = 0,
    costs: Sequence[float] | None = None,
) -> JudgedRankings:
    """Write down a single ranking."""
    grade = np.array([*ranking, *unretrieved, *[None] * candidates], np.float64)  # of an unjudged document NaN
    top_grade = float(np.fmax.reduce(grade, initial=0.0))
    judgments = Judgments.of_grades(np.zeros(len(grade), np.int32), grade, ["1"], top_grade)
    judgments.documents = [[f"d{i}" for i in range(len(grade))]]
    judgments.retrieved = np.isnan(grade)
    place = np.arange(len(ranking))
    lists = np.zeros(1, np.int64), np.array([len(ranking)])
    if costs is not None and len(costs) != len(ranking):
        raise InputError(f"give one cost per document: {len(ranking)}, not {len(costs)}")
    spent = None if costs is None else ListCosts.of(np.asarray(costs, np.float64), lists[1])
    return JudgedRankings.of_run("run", judgments, lists, (np.zeros_like(place), place + 1, place), list_costs=spent)

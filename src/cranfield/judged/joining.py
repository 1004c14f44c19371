"""The first of two steps: the rows of a run are ranked, and joined with the judgments. Ties are settled here alone."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from cranfield.judged.audit import Seen
from cranfield.judged.conditions import USUAL_READING, Reading
from cranfield.judged.judgments import Judgments
from cranfield.judged.list_costs import costs_of_lists
from cranfield.judged.rankings import JudgedRankings, ranked_run
from cranfield.plumbing.arrays import Booleans, Floats, Integers, Keys, members, starts
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Order
from cranfield.plumbing.tables import DOCUMENT, QUERY, RANK, SCORE


class Rows(NamedTuple):
    """The rows of one run, as an engine hands them over."""

    run: str
    table: pl.DataFrame  # Columns query_id, doc_id and score; rank, too, where the reading's order is ``"rank"``
    empty_topics: tuple[str, ...] = ()  # Topics that were attempted and retrieved nothing, which a table cannot say
    excluded: int = 0  # How many rows went before, since their documents do not count

    def but_excluded(self, reading: Reading) -> Rows:
        """Take out the documents that do not count; a topic that is left with nothing was attempted."""
        if reading.exclude is None:
            return self
        left, gone, emptied = reading.exclude.of_table(self.table)
        return Rows(self.run, left, (*self.empty_topics, *emptied), gone) if gone else self


class RepeatedDocumentError(InputError):
    """A run has a document twice in a topic; on which line of which file is known to whoever read it."""


def rank(rows: Rows, judgments: Judgments, reading: Reading = USUAL_READING) -> JudgedRankings:
    """Rank a run's documents topic by topic, and find their judgments."""
    rows = rows.but_excluded(reading)
    table, code, length, extra = _topic_by_topic(rows.table, judgments)
    document = table[DOCUMENT].rechunk()  # in one piece it is picked from five times as fast
    key = judgments.index.keys(code, length, document)
    ordered = np.sort(key)
    if (ordered[1:] == ordered[:-1]).any():  # two keys alike may be an accident
        _refuse_repeats(table, rows.run)
    own = _own(ordered, code, length, document, judgments)

    start = starts(length)
    by_place = judgments.index.find(key, document)
    value, stable = _values(table, reading.order), reading.order == "stable"
    matter = by_place >= 0 if reading.costs is None else np.ones(len(by_place), bool)
    permutation, tied = _rank_order(value, document, start, length, matter, stable=stable)
    if permutation is not None:
        by_place = by_place.take(permutation)
    cell = np.flatnonzero(by_place >= 0)
    judgment = by_place.take(cell)
    stretch = np.repeat(np.arange(len(code), dtype=np.int32), length).take(cell)
    rank_of = (cell - start.take(stretch) + 1).astype(np.int32)
    lists, cells = (code, length), (code.astype(np.int32).take(stretch), rank_of, judgment)
    costs, lacking = None, 0
    if reading.costs is not None:
        by_rank = document if permutation is None else document.gather(permutation)
        costs, lacking = costs_of_lists(
            reading.costs, rows.run, by_rank, length, missing=reading.cost_missing, depth=reading.deepest
        )
    seen = Seen(extra, tied, own, rows.excluded, lacking)
    return ranked_run(rows.run, judgments, reading, lists, cells, seen, empty=rows.empty_topics, costs=costs)


def rank_topics(rows: Rows, judgments: Judgments, reading: Reading = USUAL_READING) -> JudgedRankings:
    """Rank some topics of a run, all rows of which are there, by the judgments of these topics alone.

    `rank_rest` has the topics in no part, for a run that does not fit the memory.
    """
    there = dict.fromkeys([*rows.table[QUERY].rle().struct.field("value").to_list(), *rows.empty_topics])
    return rank(rows, judgments.of_topics(topic for topic in there if topic in judgments.code_of_topic), reading)


def rank_rest(
    run: str, parts: Iterable[Integers], judgments: Judgments, reading: Reading = USUAL_READING
) -> JudgedRankings:
    """Rank the topics that no part of a run had: those it lacks, which have values and an audit, too."""
    lacking = np.ones(len(judgments.topics), bool)
    for places in parts:
        lacking[places] = False
    nothing = pl.DataFrame(schema={QUERY: pl.String, DOCUMENT: pl.String, SCORE: pl.Float64, RANK: pl.Int64})
    rest = judgments.of_topics(judgments.topics[code] for code in np.flatnonzero(lacking))
    return rank(Rows(run, nothing), rest, reading)


def ranked_table(rows: Rows, reading: Reading = USUAL_READING) -> pl.DataFrame:
    """Rank all topics and documents of a run: what is written down again, or read for its scores."""
    table = rows.but_excluded(reading).table
    _refuse_repeats(table, rows.run)
    ranked = _ranked(table, reading.order, stable=reading.order == "stable").select(QUERY, DOCUMENT, SCORE, RANK)
    ranked = ranked if reading.depth is None else ranked.filter(pl.col(RANK) <= reading.depth)
    if reading.costs is None or reading.budget is None:
        return ranked
    length = _stretches(ranked[QUERY])[1]
    missing = math.inf if reading.cost_missing is None else reading.cost_missing  # of topics without judgments, say
    costs, _ = costs_of_lists(reading.costs, rows.run, ranked[DOCUMENT], length, missing=missing, depth=reading.deepest)
    return ranked.filter(ranked[RANK].to_numpy() <= np.repeat(costs.fitting(reading.budget, length), length))


def ranked_scores(rows: Rows, reading: Reading = USUAL_READING) -> pl.DataFrame:
    """Return the scores of a ranked table, query_id, score and rank: documents with the same score need no order."""
    return _ranked(rows.but_excluded(reading).table, reading.order, stable=True).select(QUERY, SCORE, RANK)


def _ranked(table: pl.DataFrame, order: Order, *, stable: bool) -> pl.DataFrame:
    """Rank all rows, topics in the order in which they first appear, with the ranks in a column of their own."""
    table, _, length = _together(table)
    table = table.rechunk()  # in one piece it is picked from five times as fast
    start, all_matter = starts(length), np.ones(table.height, bool)
    by_rank, _ = _rank_order(_values(table, order), table[DOCUMENT], start, length, all_matter, stable=stable)
    table = table if by_rank is None else table[by_rank]
    return table.with_columns(pl.Series(RANK, members(length)[1] + 1))


def _topic_by_topic(
    table: pl.DataFrame, judgments: Judgments
) -> tuple[pl.DataFrame, Integers, Integers, tuple[str, ...]]:
    """Return the rows of judged topics, each topic's together: table, codes, lengths; and the topics left out."""
    table, topics, length = _together(table)
    code = np.array([judgments.code_of_topic.get(topic, -1) for topic in topics], np.int64)
    known = code >= 0
    extra = tuple(topic for topic, judged in zip(topics, known, strict=True) if not judged)
    if extra:
        table = table.filter(np.repeat(known, length))
    return table, code[known], length[known], extra


def _together(table: pl.DataFrame) -> tuple[pl.DataFrame, list[str], Integers]:
    """Return the rows with each topic's together, as the file has them in order; the topics; their lengths."""
    topics, length = _stretches(table[QUERY])
    if len(set(topics)) == len(topics):
        return table, topics, length
    place = {topic: i for i, topic in reversed(list(enumerate(topics)))}  # of the first stretch of each
    order = np.argsort(np.repeat([place[topic] for topic in topics], length), kind="stable")
    table = table.select(pl.all().gather(order))
    return table, *_stretches(table[QUERY])


def _stretches(topic: pl.Series) -> tuple[list[str], Integers]:
    """Cut the column of topics where its value changes: the topic of each stretch, and its length."""
    stretches = topic.rle().struct.unnest()
    return stretches["value"].to_list(), stretches["len"].to_numpy().astype(np.int64)


def _values(table: pl.DataFrame, order: Order) -> Floats:
    """Return what ranks the rows, the highest first."""
    if order == "rank":
        return -table[RANK].to_numpy().astype(np.float64)
    if order == "file":
        return -np.arange(table.height, dtype=np.float64)
    scores: Floats = table[SCORE].to_numpy()
    if order == "trec9":
        with np.errstate(over="ignore"):  # what 32 bits cannot hold is infinite, there as here
            return scores.astype(np.float32)
    return scores


def _rank_order(
    value: Floats, document: pl.Series, start: Integers, length: Integers, judged: Booleans, *, stable: bool
) -> tuple[Integers | None, int]:
    """Return the order of the rows (None: as they are), and how many share their value with another.

    Files are nearly always sorted, so that is checked first. Ids, unless ``stable``, are compared only where one of the
    documents that share a score is judged.
    """
    within = np.ones(len(value), bool)  # False where a topic begins
    within[start[start < len(value)]] = False
    permutation = None
    if ((value[1:] > value[:-1]) & within[1:]).any():
        permutation = np.lexsort((-value, np.repeat(np.arange(len(length)), length)))
        value, judged = value[permutation], judged[permutation]
    follows = np.zeros(len(value), bool)  # True where a row shares its value with the one before
    follows[1:] = (value[1:] == value[:-1]) & within[1:]
    rows, group = _ties(follows)
    if stable:
        return permutation, len(rows)
    matters = np.bincount(group, weights=judged[rows]) > 0
    sorted_rows, group = rows[matters[group]], group[matters[group]]
    chosen = sorted_rows if permutation is None else permutation[sorted_rows]
    ties = pl.DataFrame({"group": group, "document": document.gather(chosen)})
    by_id = ties.select(pl.arg_sort_by("group", "document", descending=[False, True])).to_series().to_numpy()
    if (by_id[1:] < by_id[:-1]).any():
        permutation = np.arange(len(value)) if permutation is None else permutation
        permutation[sorted_rows] = chosen[by_id]
    return permutation, len(rows)


def _ties(follows: Booleans) -> tuple[Integers, Integers]:
    """Return the rows that share their value with another, and which of them share it: numbers from 0."""
    in_tie = follows.copy()
    in_tie[:-1] |= follows[1:]
    rows = np.flatnonzero(in_tie)
    return rows, np.cumsum(~follows[rows]) - 1


def _own(ordered: Keys, code: Integers, length: Integers, document: pl.Series, judgments: Judgments) -> tuple[str, ...]:
    """Return the topics that retrieve a document of their own id: found among the sorted keys, and then compared."""
    wanted = judgments.own_keys.take(code)
    if not len(ordered):
        return ()
    near = np.flatnonzero(ordered.take(np.searchsorted(ordered, wanted), mode="clip") == wanted)
    if not len(near):
        return ()
    start = starts(length)
    lists = {judgments.topics[code[at]]: document.slice(start[at], length[at]) for at in near}
    return tuple(topic for topic, found in lists.items() if topic in found.to_list())


def _refuse_repeats(table: pl.DataFrame, run: str) -> None:
    """Raise if a topic really has a document twice (two equal hashes or keys may be an accident)."""
    hashes = np.sort(table.select(QUERY, DOCUMENT).hash_rows().to_numpy())
    if not (hashes[1:] == hashes[:-1]).any():
        return
    if not table.select(pl.struct(QUERY, DOCUMENT).is_duplicated().any()).item():
        return
    again = table.filter(pl.struct(QUERY, DOCUMENT).is_first_distinct().not_()).row(0, named=True)
    raise RepeatedDocumentError(
        f"document {again[DOCUMENT]!r} is retrieved twice for topic {again[QUERY]!r}; a ranking holds a document once "
        "(where passages were ranked, --repeated max, or repeated='max', lets the best of each document count)",
        source=run,
    )

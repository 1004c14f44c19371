"""Carry runs to the two steps on this machine: read by a few threads, ranked, and handed on in batches."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from cranfield.conditions import USUAL_READING, Reading
from cranfield.errors import InputError
from cranfield.formats import RunSource
from cranfield.joining import RepeatedDocumentError, Rows, rank, ranked_table
from cranfield.judgments import Judgments
from cranfield.lazily import pl
from cranfield.ranking_dicts import rank_dict
from cranfield.rankings import JudgedRankings
from cranfield.tables import DOCUMENT, LINE, QUERY

_T = TypeVar("_T")

RUNS_IN_A_BATCH = 32
CELLS_IN_A_BATCH = 2_000_000


def ranked_batches(
    sources: Sequence[RunSource],
    judgments: Judgments,
    reading: Reading = USUAL_READING,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[JudgedRankings]:
    """Read, rank and judge the runs, in the order given, and put them together in batches.

    A few runs at a time are in memory, however many there are. ``progress`` is told of a batch when
    the next one is asked for, that is, when it is dealt with.
    """
    done = 0
    for batch in _batches(_ranked_runs(sources, judgments, reading, workers)):
        yield batch
        done += len(batch.runs)
        if progress:
            progress(done, len(sources))


def with_retrieved(sources: Sequence[RunSource], judgments: Judgments, reading: Reading = USUAL_READING) -> Judgments:
    """Read the runs for what they retrieved, and take note of it: bounds are about that."""
    found = pl.DataFrame(schema={QUERY: pl.Int32, DOCUMENT: pl.String})
    codes = judgments.code_of_topic
    for first in range(0, len(sources), RUNS_IN_A_BATCH):
        tables = [_retrieved(source, reading) for source in sources[first : first + RUNS_IN_A_BATCH]]
        new = pl.concat(tables).filter(pl.col(QUERY).is_in(list(codes)))
        new = new.with_columns(pl.col(QUERY).replace_strict(codes, return_dtype=pl.Int32))
        found = pl.concat([found, new]).unique(maintain_order=True)
    return judgments.with_retrieved(found[QUERY].to_numpy(), found[DOCUMENT].rechunk())


def _retrieved(source: RunSource, reading: Reading) -> pl.DataFrame:
    """Return topics and documents of a run, as deep as lists are looked at."""
    rows = _rows(source, reading)
    table = rows.table if reading.depth is None else _located(source, lambda: ranked_table(rows, reading))
    return table.select(QUERY, DOCUMENT)


def rank_source(source: RunSource, judgments: Judgments, reading: Reading = USUAL_READING) -> JudgedRankings:
    """Read, rank and judge one run.

    A run that has nothing to do with the qrels is refused: a score of 0 would only hide a wrong
    file.
    """
    nested = source.nested and source.nested()
    ranked = rank_dict(source.name, nested, judgments, reading) if nested else None
    if ranked is None:
        ranked = _located(source, lambda: rank(_rows(source, reading), judgments, reading))
    [audit] = ranked.audits
    if not audit.topics:
        there, here = ", ".join(judgments.topics[:3]), ", ".join(audit.extra[:3]) or "none"
        raise InputError(
            f"no topic in common with the qrels; topics there: {there}, ...; topics here: {here}, ...",
            source=source.origin,
        )
    return ranked


def read_ranked(source: RunSource, reading: Reading = USUAL_READING) -> pl.DataFrame:
    """Read one run with all its topics and documents, ranked: see `ranked_table`."""
    return _located(source, lambda: ranked_table(_rows(source, reading), reading))


def _rows(source: RunSource, reading: Reading) -> Rows:
    return Rows(source.name, source.read(rank=reading.order == "rank"), source.empty_topics)


def _located(source: RunSource, do: Callable[[], _T]) -> _T:
    """Do it; if a document is repeated, read the run once more, and name the line where it stands again."""
    try:
        return do()
    except RepeatedDocumentError as error:
        table = source.read(lines=True)
        again = table.filter(pl.struct(QUERY, DOCUMENT).is_first_distinct().not_())
        raise InputError(error.problem, source=source.origin, line=again[LINE][0]) from None


def _ranked_runs(
    sources: Sequence[RunSource], judgments: Judgments, reading: Reading, workers: int | None
) -> Iterator[JudgedRankings]:
    workers = workers or min(os.cpu_count() or 1, 8) + 1
    if len(sources) == 1 or workers == 1:
        yield from (rank_source(source, judgments, reading) for source in sources)
        return
    judgments.index  # noqa: B018 - built here, before several threads could each build one
    pool = ThreadPoolExecutor(workers, thread_name_prefix="cranfield")
    ahead: deque[Future[JudgedRankings]] = deque()
    try:
        for source in sources:
            ahead.append(pool.submit(rank_source, source, judgments, reading))
            if len(ahead) > 2 * workers:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _batches(runs: Iterator[JudgedRankings]) -> Iterator[JudgedRankings]:
    """Gather ranked runs until a batch is worth the measures' while."""
    batch: list[JudgedRankings] = []
    cells = 0
    for run in runs:
        batch.append(run)
        cells += len(run.judgment)
        if len(batch) == RUNS_IN_A_BATCH or cells >= CELLS_IN_A_BATCH:
            yield JudgedRankings.batch(batch)
            batch, cells = [], 0
    if batch:
        yield JudgedRankings.batch(batch)

"""Carry runs to the measures on this machine: read by a few threads, joined, and handed on in batches."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from cranfield.errors import InputError
from cranfield.formats import RunSource
from cranfield.joining import Order, rank_run
from cranfield.judgments import Judgments
from cranfield.rankings import JudgedRankings, RankedRun

RUNS_IN_A_BATCH = 32
CELLS_IN_A_BATCH = 2_000_000


def ranked_runs(
    sources: Sequence[RunSource], judgments: Judgments, *, order: Order = "score", workers: int | None = None
) -> Iterator[RankedRun]:
    """Read, rank and judge the runs, in the order given; a few at a time are in memory, however many there are."""
    workers = workers or min(os.cpu_count() or 1, 8) + 1
    judgments.index  # noqa: B018 - built here, before several threads could each build one
    if len(sources) == 1 or workers == 1:
        yield from (rank_run(source, judgments, order) for source in sources)
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="cranfield")
    ahead: deque[Future[RankedRun]] = deque()
    try:
        for source in sources:
            ahead.append(pool.submit(rank_run, source, judgments, order))
            if len(ahead) > 2 * workers:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def judged_batches(
    sources: Sequence[RunSource], judgments: Judgments, *, order: Order = "score", workers: int | None = None
) -> Iterator[tuple[list[RankedRun], JudgedRankings]]:
    """Read, rank and judge the runs, and put them together in batches, in the order given.

    A run that has nothing to do with the qrels is refused: a score of 0 would only hide a wrong file.
    """
    done = 0
    for ranked in _batches(ranked_runs(sources, judgments, order=order, workers=workers)):
        for run, source in zip(ranked, sources[done:], strict=False):
            if not len(run.topic):
                there, here = ", ".join(judgments.topics[:3]), ", ".join(run.extra[:3]) or "none"
                raise InputError(
                    f"no topic in common with the qrels; topics there: {there}, ...; topics here: {here}, ...",
                    source=source.origin,
                )
        done += len(ranked)
        yield ranked, JudgedRankings.batch(ranked, judgments)


def _batches(runs: Iterator[RankedRun]) -> Iterator[list[RankedRun]]:
    """Gather ranked runs until a batch is worth the measures' while."""
    batch: list[RankedRun] = []
    cells = 0
    for run in runs:
        batch.append(run)
        cells += len(run.judgment)
        if len(batch) == RUNS_IN_A_BATCH or cells >= CELLS_IN_A_BATCH:
            yield batch
            batch, cells = [], 0
    if batch:
        yield batch

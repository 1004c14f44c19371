"""Carry runs to the measures on this machine: read by a few threads, joined, and handed on in batches."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from cranfield.formats import RunSource
from cranfield.joining import Order, rank_run
from cranfield.judgments import Judgments
from cranfield.rankings import RankedRun

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


def batches(runs: Iterator[RankedRun]) -> Iterator[list[RankedRun]]:
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

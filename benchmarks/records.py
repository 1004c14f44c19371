"""How long does a judging campaign wait for its records: for the next document, an undo, the status, a replay?

``python -m benchmarks.records`` makes 37 runs of 43 topics with 1,000 documents each. Six assessors
lease one document after the other from a session of Method C, with its lease and its judgment as events.
It prints what each step takes after 0, 1,000 and 20,000 judgments, in milliseconds of CPU time: the
median of many, the 95th percentile and the longest; then what it takes to read the log and replay
it, in seconds. ``--runs`` takes your own runs, ``--twice`` has a share judged twice, and ``--batch`` leases
several documents at a time.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import click
import numpy as np

from cranfield.selection import Candidates, Judging
from cranfield.selection.records import Arrangement, Assessed, Changed, Log, Records, Retracted

ASSESSORS = 6


def candidates(runs: int, topics: int, depth: int) -> Candidates:
    """Make runs that agree on what is near the top: the document of place i has rank i, more or less."""
    random = np.random.default_rng(7)

    def ranked(topic: int) -> dict[str, float]:
        order = np.argsort(np.arange(3 * depth) * random.exponential(size=3 * depth))[:depth]
        return {f"d{topic}-{place}": -float(rank) for rank, place in enumerate(order.tolist())}

    return Candidates.gather({f"run {run}": {str(t): ranked(t) for t in range(topics)} for run in range(runs)})


def seconds(step: Callable[[], object]) -> float:
    """Return the CPU time that a step takes."""
    begun = time.process_time()
    step()
    return time.process_time() - begun


def step(records: Records, numbers: Iterator[int], batch: int) -> None:
    """Lease the next documents to one of the assessors, and record their judgments."""
    number = next(numbers)
    who = f"assessor {number % ASSESSORS}"
    lease = records.lease(who, batch, id=f"l{number}", now=number, until=number + 60)
    for nth, document in enumerate(lease.documents if lease else ()):
        records.append(Assessed(f"j{number}-{nth}", number, *document, number % 2, who))


def told(what: str, taken: list[float]) -> None:
    """Print what some steps took."""
    median, most, longest = 1000 * np.quantile(taken, [0.5, 0.95, 1])
    print(f"  {what}: {median:.2f} ms, 95% within {most:.2f} ms, at most {longest:.1f} ms")


@click.command()
@click.option("--runs", help="A folder of runs instead of those that are made.")
@click.option("--stages", default="0,1000,20000", show_default=True, help="After how many judgments it is timed.")
@click.option("--repeats", default=200, show_default=True, help="How often each step is timed.")
@click.option("--batch", default=1, show_default=True, help="How many documents are leased at a time.")
@click.option("--twice", default=0.0, show_default=True, help="The share of documents that two judge.")
@click.option("--method", default="C", show_default=True)
def main(runs: str | None, stages: str, repeats: int, batch: int, twice: float, method: str) -> None:
    """Time the steps of a judging campaign."""
    found = candidates(37, 43, 1_000) if runs is None else Candidates.gather(runs)
    random, numbers = np.random.default_rng(8), count()

    def session() -> Judging:
        return Judging(found, "RBP(p=0.95)", method=method)

    with tempfile.TemporaryDirectory() as folder:
        log = Log(Path(folder) / "judging.jsonl")
        judging = session()
        records = Records(log, judging=judging)
        records.append(Changed("c", 0, arrangement=Arrangement(twice=twice)))
        print(f"{len(found):,} candidates of {len(found.topics)} topics in {len(found.runs)} runs, method {method}")
        for stage in map(int, stages.split(",")):
            while records.spent < stage:
                step(records, numbers, batch)
            print(f"after {records.spent:,} judgments")
            first = seconds(partial(step, records, numbers, batch))
            print(f"  the first step: {1000 * first:.1f} ms")
            told("next and record", [seconds(partial(step, records, numbers, batch)) for _ in range(repeats)])
            names = [event.id for event in records if isinstance(event, Assessed)]
            named = random.choice(names, min(repeats, len(names)), replace=False).tolist()
            undone = [Retracted(f"{stage} {each}", next(numbers), each) for each in named]
            told("undo", [seconds(partial(records.append, event)) for event in undone])
            told("status", [seconds(judging.status) for _ in range(9)])
        print(f"the log: {len(records):,} events, {log.path.stat().st_size / 1e6:.1f} MB")
        print(f"  read: {seconds(lambda: Log(log.path)):.2f} s")
        again, chooses = Log(log.path), session()
        print(f"  replay: {seconds(lambda: Records(again)):.2f} s")
        print(f"  replay with the session: {seconds(lambda: Records(again, judging=chooses)):.2f} s")


if __name__ == "__main__":
    main()

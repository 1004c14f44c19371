"""How long does it take to retract one judgment of many, to record one, and to read the log again?

``python -m benchmarks.records`` makes 37 runs of 43 topics with 1,000 documents each, judges 20,000 of
them through `Records` with a session of Method C, and prints the median time of each step in
milliseconds; then what a replay of the log takes in seconds, with the session and without.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import click
import numpy as np

from cranfield.selection import Candidates, Judging
from cranfield.selection.records import Assessed, Log, Records, Retracted


def candidates(runs: int, topics: int, depth: int) -> Candidates:
    """Make runs that agree on what is near the top: the document of place i has rank i, more or less."""
    random = np.random.default_rng(7)

    def ranked(topic: int) -> dict[str, float]:
        order = np.argsort(np.arange(3 * depth) * random.exponential(size=3 * depth))[:depth]
        return {f"d{topic}-{place}": -float(rank) for rank, place in enumerate(order.tolist())}

    return Candidates.gather({f"run {run}": {str(t): ranked(t) for t in range(topics)} for run in range(runs)})


def seconds(step: Callable[[], object]) -> float:
    """Return how long a step takes."""
    begun = time.perf_counter()
    step()
    return time.perf_counter() - begun


@click.command()
@click.option("--judgments", default=20_000, show_default=True, help="How many are made first.")
@click.option("--repeats", default=50, show_default=True, help="How often each step is timed.")
def main(judgments: int, repeats: int) -> None:
    """Time the steps of a judging campaign."""
    found = candidates(37, 43, 1_000)
    random = np.random.default_rng(8)
    with tempfile.TemporaryDirectory() as folder:
        log = Log(Path(folder) / "judging.jsonl")
        records = Records(log, judging=Judging(found, "RBP(p=0.95)"))
        places = random.permutation(len(found))[: judgments + repeats].tolist()
        events = [
            Assessed(f"j{number}", number, found.topics[found.topic[place]], found.document[place], number % 2, "Ann")
            for number, place in enumerate(places)
        ]
        for event in events[:judgments]:
            records.append(event)
        print(f"{len(found):,} candidates, {len(records):,} judgments")
        taken = [seconds(partial(records.append, event)) for event in events[judgments:]]
        print(f"record one: {1000 * median(taken):.2f} ms, at most {1000 * max(taken):.2f} ms")
        named = random.choice(judgments, repeats, replace=False).tolist()
        retractions = [Retracted(f"r{each}", judgments + repeats, f"j{each}") for each in named]
        taken = [seconds(partial(records.append, event)) for event in retractions]
        print(f"retract one: {1000 * median(taken):.2f} ms, at most {1000 * max(taken):.2f} ms")
        taken = [seconds(partial(records.lease, "Ann", id=f"l{n}", now=0, until=1)) for n in range(repeats)]
        print(f"lease one: {1000 * median(taken):.2f} ms, at most {1000 * max(taken):.2f} ms")
        print(f"read the log: {seconds(lambda: Log(log.path)):.2f} s")
        again = Log(log.path)
        print(f"replay it: {seconds(lambda: Records(again)):.2f} s")
        judging = Judging(found, "RBP(p=0.95)")
        print(f"replay it with the session: {seconds(lambda: Records(again, judging=judging)):.2f} s")


if __name__ == "__main__":
    main()

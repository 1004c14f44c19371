"""How long does the status of a judging session take?

``python -m benchmarks.status`` makes 37 runs of 43 topics with 1,000 documents each, and prints what the status
takes, in milliseconds of processor time, after 0, 1,000 and 20,000 judgments, a fifth of them of the audit: by
itself, printed (with the bound on what is missed), with `LeaderKnown`, and estimates of all runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import click
import numpy as np

from benchmarks.records import candidates
from cranfield.selection import Judging
from cranfield.selection.stop_rules import LeaderKnown

STEPS = (0, 1_000, 20_000)


def milliseconds(step: Callable[[], object], times: int) -> float:
    """Return the median of what a step takes."""
    taken = []
    for _ in range(times):
        begun = time.process_time()
        step()
        taken.append(time.process_time() - begun)
    return 1000 * median(taken)


@click.command()
@click.option("--repeats", default=15, show_default=True, help="How often each status is timed.")
def main(repeats: int) -> None:
    """Time the status."""
    found = candidates(37, 43, 1_000)
    judging = Judging(found, "RBP(p=0.95)", renew_every=1_000)
    random = np.random.default_rng(8)
    chosen = iter(random.permutation(len(found)).tolist())
    print(f"{len(found):,} candidates")
    for judgments in STEPS:
        audited = iter(judging.audit.next(judgments).tolist())
        while len(judging.history) < judgments:
            place = next(audited if len(judging.history) % 5 == 4 else chosen)
            if judging.state.open[place]:
                relevant = int(random.random() < 0.1)
                judging.record(found.topics[found.topic[place]], found.document[place], relevant)
        print(
            f"{judgments:,} judgments, {len(judging.status().audit.place):,} audited: "
            f"status {milliseconds(judging.status, repeats):.0f} ms, "
            f"printed {milliseconds(lambda: str(judging.status()), repeats):.0f} ms, "
            f"with LeaderKnown {milliseconds(lambda: judging.status([LeaderKnown()]), 3):.0f} ms, "
            f"estimates {milliseconds(judging.estimates, 1):.0f} ms"
        )


if __name__ == "__main__":
    main()

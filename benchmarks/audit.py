"""What does the audit of `cranfield evaluate` cost?

``python -m benchmarks.audit QRELS RUNS...`` scores the runs with the audit and without it, in turns, in one
process, and prints the CPU time of both and their difference. Without it nothing is scored at other levels
of relevance, and no first rows are looked at; how many documents are unjudged or tied is counted while runs
are ranked, and stays.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import replace

import click

from cranfield.measures.framework.names import parse_measures
from cranfield.scoring.evaluation import MEASURES
from cranfield.scoring.judged_runs import opened


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option("--repeat", default=11, show_default=True, help="How often each is done.")
def main(qrels: str, runs: tuple[str, ...], repeat: int) -> None:
    """Print the medians."""
    measures = parse_measures(MEASURES)

    def spent(*, audit: bool) -> float:
        began = time.process_time()
        found = replace(opened(qrels, list(runs), {}), looks=audit)
        scores = found.score(measures, found.grading, levels=audit)
        scores.sheet()
        if audit:
            scores.audit.lines()
        return 1000 * (time.process_time() - began)

    spent(audit=True)
    turns = []
    for turn in range(repeat):
        first = spent(audit=turn % 2 == 0)
        second = spent(audit=turn % 2 == 1)
        turns.append((first, second) if turn % 2 == 0 else (second, first))
    with_it, without, more = (
        statistics.median(times) for times in (*zip(*turns, strict=True), [one - other for one, other in turns])
    )
    click.echo(f"with {with_it:.1f} ms, without {without:.1f} ms, difference {more:.1f} ms: {more / without:.1%}")


if __name__ == "__main__":
    main()

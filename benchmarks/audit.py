"""What does the audit of `cranfield evaluate` cost?

``python -m benchmarks.audit QRELS RUNS...`` scores the runs with the audit and without it, in turns, in one
process, and prints the CPU time of both and their difference, as a share of the time without it and of
the time of the whole command. Without it nothing is scored at other levels of relevance, and no first
rows are looked at; what is unjudged or tied is counted while runs are ranked, and stays.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from dataclasses import replace

import click

from cranfield.measures.framework.names import parse_measures
from cranfield.scoring.evaluation import USUAL_MEASURES
from cranfield.scoring.judged_runs import opened


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option("--repeat", default=11, show_default=True, help="How often each is done.")
def main(qrels: str, runs: tuple[str, ...], repeat: int) -> None:
    """Print the medians."""
    scored(qrels, runs, audit=True)
    turns = []
    for turn in range(repeat):
        first = scored(qrels, runs, audit=turn % 2 == 0)
        second = scored(qrels, runs, audit=turn % 2 == 1)
        turns.append((first, second) if turn % 2 == 0 else (second, first))
    with_it, without = (statistics.median(times) for times in zip(*turns, strict=True))
    more = statistics.median(one - other for one, other in turns)
    command = statistics.median(commanded(qrels, runs) for _ in range(repeat))
    click.echo(f"with {with_it:.1f} ms, without {without:.1f} ms, difference {more:.1f} ms: {more / without:.1%}")
    click.echo(f"of the command, {command:.0f} ms: {more / command:.1%}")


def scored(qrels: str, runs: tuple[str, ...], *, audit: bool) -> float:
    """Score the runs once, and return the milliseconds of CPU time."""
    measures = parse_measures(USUAL_MEASURES)
    began = time.process_time()
    found = replace(opened(qrels, list(runs), {}), looks=audit)
    scores = found.score(measures, found.grading, levels=audit)
    scores.sheet()
    if audit:
        scores.audit.lines()
    return 1000 * (time.process_time() - began)


def commanded(qrels: str, runs: tuple[str, ...]) -> float:
    """Do the same by the command, and return the milliseconds of CPU time of its process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "cranfield", "evaluate", qrels, *runs]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


if __name__ == "__main__":
    main()

"""``python -m benchmarks.bounds``: how long bounds take, and how often a value is outside those that are only tried.

Judgments of DL 2019 are hidden in three ways, bounds are found by what is left, and the values under
all judgments are held against them.
"""

from __future__ import annotations

import time
from pathlib import Path

import click
import numpy as np

from benchmarks.truth import revealed
from cranfield.plumbing.arrays import Floats
from cranfield.scoring.judged_runs import JudgedRuns, join

MEASURES = (
    *("AP", "nDCG@10", "P@10", "R@100", "RBP(p=0.8)", "RR", "Rprec", "Bpref"),
    *("Twist", "Q", "nERR@10", "NDCGT", "infAP", "Compat"),
)


@click.command()
@click.option("--data", default="../shared/data", type=click.Path(exists=True, path_type=Path), show_default=True)
@click.option("--every", default=6, show_default=True, help="Take one run of so many.")
def main(data: Path, every: int) -> None:
    """Print a table: seconds for these runs, what is sure, and the share of values outside."""
    folder = data / "dl19-passage"
    paths = sorted((folder / "runs").iterdir())[::every]
    runs = join(folder / "qrels.txt", {path.name: path for path in paths}).under(bounds=True)
    click.echo(f"{len(runs.runs)} runs, {len(runs.topics)} topics\n")
    click.echo("measure      seconds  kind       outside: at random  by depth  by run")
    for measure in MEASURES:
        began = time.perf_counter()
        sure = next(iter(runs.scores([measure]).kinds.values()))
        seconds = time.perf_counter() - began
        full = revealed(folder / "qrels.txt", {path.name: path for path in paths}, measure, runs.topics)
        shares = []
        for part in hidden(runs):
            low, high = np.asarray(runs.scores([measure], part).limits)
            shares.append(float(((full < low - 1e-9) | (full > high + 1e-9)).mean()))
        click.echo(f"{measure:<12} {seconds:7.2f}  {sure:<10}" + "  ".join(f"{share:8.1%}" for share in shares))


def hidden(runs: JudgedRuns) -> list[Floats]:
    """Hide half of what the runs retrieved; all but their first 10 documents; all but those of two of them."""
    retrieved, top, two = (np.zeros(len(runs.judgments), bool) for _ in range(3))
    for number in range(len(runs.runs)):
        run = runs.of_run(number)
        first = run.judgment[run.rank <= 10]
        retrieved[run.judgment] = True
        top[first] = True
        two[first] |= number < 2
    half = np.random.default_rng(7).random(len(retrieved)) < 0.5
    return [np.where(kept | ~retrieved, runs.judgments.grade, np.nan) for kept in (half, top, two)]


if __name__ == "__main__":
    main()

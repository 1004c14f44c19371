"""``python -m benchmarks.calibration DATA``: count how often intervals hold, and write the page."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import click
import numpy as np

from benchmarks.calibration import scores
from benchmarks.calibration.cell import AVERAGE, LEAST, PROMISE, Cell, table
from benchmarks.calibration.clicks import clicks
from benchmarks.calibration.samples import estimates
from benchmarks.process import ROOT
from benchmarks.sections import write

HEAD = """# Calibration

How often do intervals hold that say 95 %, and how seldom do tests err that say 5 %? Made by
`python -m benchmarks.calibration DATA --times {times}`, {date}, in {minutes:.0f} min of one processor.

Scores are real ones: of TREC-5 to TREC-8 and the Web tracks, topic by topic. Such a table is a population; its
topics are drawn with replacement, so that the truth is known. *Equal means*: each run is shifted to the same
mean, and keeps its shape. Estimates are of the runs of three collections, of which everything that some run has
among its first 100 is a candidate; clicks are simulated. *Held* is how often the truth was within (of tests, how
often no such error was made), over all runs, with its Monte Carlo error; *least*, that of the run with the least.

A cell falls short if what held, plus two Monte Carlo errors, is under {average:.3f}, or *least* plus two of its own
is under {least:.3f}. All such cells are in bold, and named here; a test of this page
(`tests/benchmarks/test_calibration.py`) counts again. Of {cells:,} cells that is {short:,}.

"""

PROMISES = """## More topics: said and come true

Of what 25 topics leave undecided, with as many more topics as are named: how likely a decision was said to be, and
how often it came. Gates have a margin of .02; pairs are those of a certificate, tested alone. In bold is what is
further from what was said than {promise:g}, by more than two Monte Carlo errors.

| of what | scores | said | came | draws |
|---|---|--:|--:|--:|
"""

MEANS = """What follows from that:

- Means over few topics of skew scores: Student's t is too narrow. `Scores.intervals` has such intervals, and so has
  the figure `leaderboard` where nothing can be tested, as of one run, and both say so; `compare` prints those of
  *differences*, which hold but for 10 topics of ERR; reproductions take means over the topics of a collection (30, 43
  and 50 in those shown), as intervals of a run's mean are taken here.
- Differences from the best run, which the figure `leaderboard` shows: all of a leaderboard together held in 93 to 100
  of 100 draws, whichever run was the best.
- Weighted means: the fewer topics count effectively, the less skew scores allow; intervals are then as those of
  few topics without weights.
- Tests of all pairs: where scores are skew and runs are equal, t-tests with Holm's correction (the default) err more
  often than they say, and sign flips more often still; `cranfield compare --tests` says so of both. Tukey's suffers
  where spreads are unequal; a note warns where they are very unequal.
- Estimates of few documents drawn uniformly: use `cranfield sample --design stratified`.

"""

NOT_GIVEN = """## What is not given

- Intervals of AP, nDCG and nCG from uniform samples, or from fewer than 50 documents a topic: 1/R has no unbiased
  estimator, and none of the methods that were tried holds. `cranfield estimate` says so.
- Intervals of estimates of a single topic: .60 to .95 of them held.
- An interval of τ for endless topics: nothing sharp holds. What is given is named in each table.
- An interval of the number of topics that a gate needs: it has no finite upper end.
- `cranfield topics --width` names the *expected* width: nearly half of samples have a wider interval.
"""


def said(cell: Cell) -> str:
    """Name a cell that falls short."""
    least = "" if cell.least is None else f" (least {cell.least:.3f})"
    return f"- {cell.section}: {cell.method}; {cell.where}: {cell.rate:.3f}{least}"


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--times", default=100, show_default=True, help="Samples of a cell, or a multiple of it.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=ROOT / "docs" / "calibration.md")
def main(data: Path, times: int, output: Path) -> None:
    """Draw from the collections of DATA, and write the page."""
    started, cells = time.process_time(), []
    families = [scores.collections(data, times), estimates(data, max(times // 2, 10)), clicks(times)]
    promised = ""
    if (data / "score-matrices").exists():
        of_scores = (
            scores.means, scores.weighted, scores.comparisons, scores.ranks, scores.from_the_best, scores.correlations,
            scores.gates,
        )  # fmt: skip
        families = [*(family(data, times) for family in of_scores), *families]
        rows = [each.row() for each in scores.promises(data, times)]
        promised = PROMISES.format(promise=PROMISE) + "\n".join(rows) + "\n\n"
    for cell in chain.from_iterable(families):
        click.echo(f"{cell.section}: {cell.method}; {cell.where}: {cell.rate:.3f}", err=True)
        cells.append(cell)
    short = [said(cell) for cell in cells if cell.fails]
    failing = "## What falls short\n\n" + ("\n".join(short) if short else "Nothing.") + "\n\n" + MEANS
    head = HEAD.format(
        times=times,
        date=datetime.now(UTC).strftime("%-d %B %Y"),
        minutes=np.ceil((time.process_time() - started) / 60),
        average=AVERAGE,
        least=LEAST,
        cells=len(cells),
        short=len(short),
    )
    write(head + failing + table(cells) + "\n" + promised + NOT_GIVEN, output)


if __name__ == "__main__":
    main()

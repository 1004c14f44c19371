"""``python -m benchmarks.calibration DATA``: count how often intervals hold, and write the page."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import click
import numpy as np

from benchmarks.__main__ import write
from benchmarks.calibration import scores
from benchmarks.calibration.cell import AVERAGE, LEAST, Cell, table
from benchmarks.calibration.clicks import clicks
from benchmarks.calibration.samples import estimates
from benchmarks.process import ROOT

HEAD = """# Calibration

How often do intervals hold that say 95 %, and how seldom do tests err that say 5 %? Made by
`python -m benchmarks.calibration DATA --times {times}`, {date}, in {minutes:.0f} minutes of one processor.

Scores are real ones: of TREC-5 to TREC-8 and the Web tracks, topic by topic. Such a table is a population; its
topics are drawn with replacement, so that the truth is known. *Equal means*: each run is shifted to the same
mean, and keeps its shape. Estimates are of the runs of three collections, of which everything that some run has
among its first 100 is a candidate; clicks are simulated. *Held* is how often the truth was within (of tests, how
often no such error was made), over all runs, with its Monte Carlo error; *least*, that of the run with the least.

In bold is what falls short: under {average:.0%} by more than two Monte Carlo errors, or a run under {least:.0%} by
more than three.

"""

PROMISES = """## More topics: promised and come true

Of undecided gates over 25 topics (margin .02), with as many more topics as `gate` names:

| scores | said: decided | decided | said: passes | passed | gates |
|---|--:|--:|--:|--:|--:|
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
    least = "" if cell.least is None else f" (least {cell.least:.2f})"
    return f"- {cell.section}: {cell.method}; {cell.where}: {cell.rate:.3f}{least}"


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--times", default=100, show_default=True, help="Samples of a cell, or a multiple of it.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=ROOT / "docs" / "calibration.md")
def main(data: Path, times: int, output: Path) -> None:
    """Draw from the collections of DATA, and write the page."""
    started, cells = time.process_time(), []
    families = [estimates(data, max(times // 2, 10)), clicks(times)]
    promised = ""
    if (data / "score-matrices").exists():
        of_scores = (scores.means, scores.comparisons, scores.ranks, scores.correlations, scores.gates)
        families = [*(family(data, times) for family in of_scores), *families]
        rows = (
            f"| {name} | {' | '.join(f'{share:.2f}' for share in shares)} | {count} |"
            for name, *shares, count in scores.promises(data, times)
        )
        promised = PROMISES + "\n".join(rows) + "\n\n"
    for cell in chain.from_iterable(families):
        click.echo(f"{cell.section}: {cell.method}; {cell.where}: {cell.rate:.3f}", err=True)
        cells.append(cell)
    short = [said(cell) for cell in cells if cell.fails]
    failing = "## What falls short\n\n" + ("\n".join(short) if short else "Nothing.") + "\n\n"
    head = HEAD.format(
        times=times,
        date=datetime.now(UTC).strftime("%-d %B %Y"),
        minutes=np.ceil((time.process_time() - started) / 60),
        average=AVERAGE,
        least=LEAST,
    )
    write(head + failing + table(cells) + "\n" + promised + NOT_GIVEN, output)


if __name__ == "__main__":
    main()

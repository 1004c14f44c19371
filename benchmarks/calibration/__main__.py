"""``python -m benchmarks.calibration DATA``: count how often intervals hold, and write the page."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import click
import numpy as np

from benchmarks.calibration import pools as of_pools
from benchmarks.calibration import scores
from benchmarks.calibration.boards import boards, items_of_tasks, repeated
from benchmarks.calibration.cell import ALLOWED, AVERAGE, LEAST, PROMISE, Cell, cells_in, table
from benchmarks.calibration.clicks import clicks, interleaved
from benchmarks.calibration.clustered import clustered, clustered_ranks
from benchmarks.calibration.pools import pools
from benchmarks.calibration.samples import estimates
from benchmarks.process import ROOT
from benchmarks.sections import write

HEAD = """# Calibration

How often do intervals hold that say 95%, and how seldom do tests err that say 5%? The worst of {cells:,} cells is
{worst}; {short:,} fall short, all in bold below. Other collections differ: `cranfield experiment calibration` tries the
same on your own scores. Made by `python -m benchmarks.calibration DATA --times {times}`, {date}, in {minutes} min
of one processor.

Scores are real ones: of TREC-5 to TREC-8 and the Web tracks, and coarse ones of the Deep Learning track (dl19), topic
by topic. Such a table is a population; its topics are drawn with replacement, so that the truth is known. *Equal
means*: each run is shifted to the same mean, and keeps its shape. *Labels exchanged*: those of the runs, at random on
each topic. *The lead* is that of the best of eight runs in a sample over the second, which are picked after looking;
its interval has the level that Holm's correction over the 28 pairs leaves, as `compare`, the report and the explorer
print it. That level is given on average over the samples that have an interval, and the true lead is that of the
picked two (0 where means are equal). Estimates are of the runs of three collections, of which everything that some run
has among its first 100 is a candidate; clicks are simulated. *Held* is how often the truth was within (of tests, how
often no such error was made), over all runs, with its Monte Carlo error; *least*, that of the run with the least.
{partly}

A cell falls short if what held, plus two Monte Carlo errors, is under {average:.3f} (of an interval of a lead,
{allowed:.3f} under its level), or *least* plus two of its own is under {least:.3f}. Such cells are in bold, and counted
here; a test of this page (`tests/benchmarks/test_calibration.py`) counts again. Of {cells:,} cells that is {short:,}.

"""

MADE_BY = """The sections on {only} are made by `python -m benchmarks.calibration DATA --times {times} --only {only}`,
{date}, in {minutes} min of one processor. {how}"""
PARTS = {
    "scores": "",
    "judges": "",
    "clusters": "Two topics of a cluster are the same topic with probability ICC, the intraclass correlation; sizes of "
    "1 to 30 are log-normal with 4 in the middle; *0 or 1* is whether the first document is relevant, either run being "
    "the first of a pair by a coin.",
    "boards": "Systems on them are made; their tasks differ in scale, and items and attempts are solved or not.",
    "interleaving": "Users are made; how often each prefers a ranker is drawn from a beta distribution of variance "
    "1/20, and three in ten impressions tie.",
}
"""Sections that can be renewed alone, and what they are of."""

PROMISES = """## More topics: said and come true

Of what 25 topics leave undecided, with as many more topics as are named: how likely a decision was said to be, and
how often it came, of two runs drawn at random (of a pair that was picked since it leads nothing is said). Gates have a
margin of .02. In bold is what is further from what was said than {promise:g}, by more than two Monte Carlo errors.

| of what | scores | said | came | draws |
|---|---|--:|--:|--:|
"""

MEANS = """What follows from that:

- Intervals of means over few topics of skew scores are too narrow. Wherever intervals of a mean or of a difference
  are printed and held in less than 90% of samples of so many topics, a clause says so.
- The two runs of a lead are picked after looking. At the level that the correction leaves, their interval held in
  99.3% of samples or more by AP and P@10 of TREC-7 and TREC-8 and nDCG@20 of the Web track, and in as few as 90.7% by
  RR and R@5 of dl19: skew and coarse scores, and runs that are nearly the same. Where the two differ on fewer than 10
  topics (or than half), as few as 79.9% held; the sentence with the interval says on how many they differ.
- Tests of all pairs of runs of equal means: where scores are skew, t-tests with Holm's correction (the default) err
  more often than they say, and sign flips more often still; where labels are exchanged, they do not.
  `cranfield compare --tests` says so of both. Tukey's suffers where spreads are unequal; a note warns where they are.
- Weighted means: the fewer topics count effectively, the less skew scores allow.
- Topics in clusters: t and randomisation of clusters, intervals, gates and likely ranks hold from 5 clusters to 100,
  of one size or of very unequal ones; only of 10 clusters and skew scores (dl19_rr) is more found than should be, where
  a clause beside the intervals warns. Topics one by one do not: equal systems on 25 clusters of 4 topics, ICC .3,
  differ at .05 in .16 of samples.
- Places that a run gains by a judge: with 25 topics, intervals of some runs are too narrow.
- Estimates of few documents drawn uniformly: use `cranfield sample --design stratified`.

"""

NOT_GIVEN = """## What is not given

- Intervals of AP, nDCG and nCG from uniform samples, or from fewer than 50 documents a topic: 1/R has no unbiased
  estimator, and none of the methods that were tried holds. `cranfield estimate` says so.
- Intervals of estimates of a single topic: .60 to .95 of them held.
- An interval of τ for endless topics: nothing sharp holds. What is given is named in each table.
- An interval of the number of topics that a gate needs: it has no finite upper end. How likely more topics decide a
  pair that was picked because it leads: said .19, it came .06 on one collection.
- Bootstrapped intervals of differences (BCa): .63 to .91 held at 10 topics, .84 to .96 at 50.
- `cranfield topics --width` names the *expected* width: nearly half of samples have a wider interval.
"""


def said(cell: Cell) -> str:
    """Name a cell."""
    least = "" if cell.least is None else f" (least {cell.least:.3f})"
    return f"{cell.section}: {cell.method}; {cell.where}: {cell.rate:.3f}{least}"


def falling_short(cells: list[Cell]) -> str:
    """Say how many cells of each section fall short, and the worst of them."""
    rows = []
    for section in dict.fromkeys(cell.section for cell in cells):
        of = [cell for cell in cells if cell.section == section]
        short = [cell for cell in of if cell.fails]
        if short:
            worst = min(short, key=lambda cell: cell.rate)
            rows.append(f"| {section} | {len(short)} of {len(of)} | {worst.rate:.3f} | {worst.method}; {worst.where} |")
    table = "| of what | cells | worst | where |\n|---|--:|--:|---|\n" + "\n".join(rows) if rows else "Nothing."
    return f"## What falls short\n\n{table}\n\n{MEANS}"


def made_now(times: int, minutes: float) -> dict[str, str]:
    """Say how often was drawn, when, and how long it took."""
    return {
        "times": str(times),
        "date": datetime.now(UTC).strftime("%-d %B %Y"),
        "minutes": str(int(np.ceil(minutes))),
    }


def made_then(page: str) -> dict[str, str]:
    """Read the same off a page."""
    said = re.search(r"--times (?P<times>\d+)`, (?P<date>[^,]+), in (?P<minutes>\d+) min", " ".join(page.split()))
    return said.groupdict() if said else {}


def told_of(only: str, page: str) -> str:
    """Read off a page by what some of its sections were made, if by themselves."""
    said = re.search(
        rf"The sections on {only} are made by .+? processor\. {re.escape(PARTS[only])}", " ".join(page.split())
    )
    return said[0] if said else ""


def part(only: str, data: Path, times: int) -> list[Iterator[Cell]]:
    """Give the families of some sections."""
    if only == "boards":
        return [repeated(times), items_of_tasks(times), boards(times)]
    if only == "scores":
        return [scores.usual(data, times)]
    if only == "judges":
        return [scores.judges(data, times)]
    if only == "interleaving":
        return [interleaved(4 * times)]
    return [clustered(data, times), clustered_ranks(data, times)]


def page_of(cells: list[Cell], promised: str, made: dict[str, str], partly: str = "") -> str:
    """Write the page."""
    head = HEAD.format(
        **made,
        partly=partly,
        average=AVERAGE,
        least=LEAST,
        allowed=ALLOWED,
        cells=len(cells),
        short=sum(cell.fails for cell in cells),
        worst=said(min(cells, key=lambda cell: cell.rate)),
    )
    return f"{head}{falling_short(cells)}{table(cells)}\n{promised}"


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--times", default=100, show_default=True, help="Samples of a cell, or a multiple of it.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=ROOT / "docs" / "calibration.md")
@click.option("--only", type=click.Choice([*PARTS]), help="Renew these sections, and keep the others.")
def main(data: Path, times: int, output: Path, only: str | None) -> None:
    """Draw from the collections of DATA, and write the page."""
    started, cells = time.process_time(), list[Cell]()
    if only:
        written = output.read_text(encoding="utf-8")
        new = list(chain.from_iterable(part(only, data, times)))
        renewed = {cell.section for cell in new}
        old = list(cells_in(written))
        first = next((at for at, cell in enumerate(old) if cell.section in renewed), len(old))
        cells = [*old[:first], *new, *(cell for cell in old[first:] if cell.section not in renewed)]
        rest = written[written.index(PROMISES.partition("\n")[0]) :]
        made = made_now(times, (time.process_time() - started) / 60)
        told = {name: said for name in PARTS if (said := told_of(name, written))}
        told[only] = MADE_BY.format(**made, only=only, how=PARTS[only])
        partly = " ".join(told[name] for name in PARTS if name in told)
        write(page_of(cells, rest, made_then(written), partly), output)
        return
    families = [scores.collections(data, times), estimates(data, max(times // 2, 10)), clicks(times)]
    families += [*part("interleaving", data, times), *part("boards", data, times)]
    promised = ""
    if (data / "score-matrices").exists():
        of_scores = (
            scores.usual, scores.gates, scores.weighted, scores.comparisons, scores.ranks, scores.from_the_best,
            scores.correlations, scores.judges, scores.agreements,
        )  # fmt: skip
        families = [*(family(data, times) for family in of_scores), *families]
        families += part("clusters", data, times)
        rows = [each.row() for each in scores.promises(data, times)]
        promised = PROMISES.format(promise=PROMISE) + "\n".join(rows) + "\n\n"
        cuts = list(pools(data, max(times // 8, 4)))
        promised += of_pools.HEAD + "\n".join(each.row() for each in cuts) + f"\n\n{of_pools.summary(cuts)}\n\n"
    for cell in chain.from_iterable(families):
        click.echo(f"{cell.section}: {cell.method}; {cell.where}: {cell.rate:.3f}", err=True)
        cells.append(cell)
    made = made_now(times, (time.process_time() - started) / 60)
    write(page_of(cells, promised + NOT_GIVEN, made), output)


if __name__ == "__main__":
    main()

"""``cranfield report``: one page that says what was evaluated, what was found, and how sure that is."""

from __future__ import annotations

from typing import Any

import click

from cranfield.cli._files import Command, FileWritten
from cranfield.cli._options import conditions, declared, measures_asked, measures_from, qrels_and_runs, seed
from cranfield.cli._output import Progress, quietly, say


def _named(ctx: click.Context, option: click.Parameter, file: str) -> str:
    """Refuse a file that a report cannot be written to, before the work."""
    from cranfield.reports.reporting import check_name

    del ctx, option
    check_name(file)
    return file


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield report qrels.txt runs/ -o report.html
  cranfield report qrels.txt runs/*.gz --rel 2 -m nDCG@10 -m AP -m RR@10 -o report.html
  cranfield report qrels.txt runs/ --baseline bm25 --title "What the new ranker brings" -o report.html
""",
)
@qrels_and_runs()
@measures_asked("nDCG@10, AP, RR, RBP(p=0.8), Twist@100, Judged@10", "The first one decides where one must.")
@click.option(
    "-o", "--output", required=True, metavar="FILE", type=FileWritten(), callback=_named,
    help="Write the page there (whole or not at all), in .html.",
)  # fmt: skip
@click.option("--baseline", metavar="RUN", help="Compare all runs with this one, rather than all pairs.")
@declared(str | None, "--title", meaning="What the page is called.", metavar="TEXT")
@seed("Seed of what is left to chance.")
@quietly
@conditions("topics", "missing", "order", "comments", "repeated", "rel")
@measures_from
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: str,
    baseline: str | None,
    title: str | None,
    seed: int,
    quiet: bool,
    **conditions: Any,
) -> None:
    """Write one page about RUNS, judged by QRELS: what was found, how sure that is, and how it was computed.

    The page needs no network. Its tables can be sorted, and taken away as CSV; below each stands the
    command that computes it once more.
    """
    from cranfield.reports.reporting import MEASURES, report

    with Progress("sections") as progress:
        found = report(
            qrels, list(runs), measures or MEASURES,
            baseline=baseline, title=title, seed=seed, progress=progress, **conditions,
        )  # fmt: skip
    found.save(output)
    say(f"wrote {output}", quiet=quiet)

"""``cranfield correlate`` (study measures): correlate the orders of runs by several measures or qrels."""

from __future__ import annotations

import click

from cranfield.cli._files import Command, FileRead
from cranfield.cli._options import declared, measures_asked, measures_from
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Level, OrderKind


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield evaluate qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR -o scores.csv
  cranfield correlate scores.csv
  cranfield correlate scores-nist.csv scores-crowd.csv -m AP --kind tau_ap
""",
)
@click.argument("scores", type=FileRead(), metavar="SCORES")
@click.argument("other", type=FileRead(), metavar="[SCORES]", required=False)
@measures_asked("all", "Of those in SCORES; may be given several times.")
@declared(OrderKind, "--kind", default="tau_b", meaning="Kind of correlation; in tau_ap the second order is the truth.")
@declared(Level, "--p", metavar="P", meaning="Persistence of rbo. [default: 0.9]")
@presented()
@measures_from
def command(
    scores: str, other: str | None, measures: tuple[str, ...], kind: OrderKind, p: float | None, to: Destination
) -> None:
    """Correlate the orders of runs by each pair of measures of SCORES, or by each measure in two files of scores.

    SCORES are what `cranfield evaluate -o scores.csv` writes (csv, json or parquet), by topic or
    averages.
    """
    from cranfield.comparison.correlating import correlate
    from cranfield.scoring.panel import read_scores

    if p is not None and kind != "rbo":
        raise InputError(f"--p is the persistence of rbo; {kind} has none")
    first = read_scores(scores, measures)
    second = None if other is None else read_scores(other, measures)
    present_with_notes(correlate(first, second, kind=kind, p=0.9 if p is None else p), to)

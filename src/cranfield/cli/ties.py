"""``cranfield ties`` (evaluate): find how much tied scores could change a result."""

from __future__ import annotations

from typing import Any

import click

from cranfield.cli._files import Command
from cranfield.cli._options import conditions, declared, measures_asked, measures_from, per_topic, qrels_and_runs, seed
from cranfield.cli._output import Destination, Progress, present_with_notes, presented
from cranfield.plumbing.options import Count


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield ties qrels.txt runs/*.gz
  cranfield ties qrels.txt bm25.run -m AP -m nDCG@10 --orders 1000 -q -o ties.csv
""",
)
@qrels_and_runs()
@measures_asked("AP, nDCG@10, P@10", "May be given several times; `cranfield measures` lists all.")
@declared(Count, "--orders", default=100, metavar="N",
          meaning="Number of random orders; if a ranking has fewer orders, all are tried.")  # fmt: skip
@seed("Seed of the random orders.")
@per_topic("Print each topic before the averages.")
@conditions()
@presented()
@measures_from
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    orders: int,
    seed: int,
    per_topic: bool,
    to: Destination,
    **conditions: Any,
) -> None:
    """Score RUNS in the order that `evaluate` gives to tied documents, and in other orders.

    value is that of `evaluate`; expected is the mean over all orders of the ties, and low and high
    are the values of the worst and of the best order.
    """
    from cranfield.lists.ties import ties

    with Progress("runs") as progress:
        found = ties(
            qrels, list(runs), measures or None,
            orders=orders, seed=seed, per_topic=per_topic, progress=progress, **conditions,
        )  # fmt: skip
    present_with_notes(found, to)

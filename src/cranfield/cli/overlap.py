"""``cranfield overlap`` (compare): measure how similar the ranked lists of runs are."""

from __future__ import annotations

from typing import Any

import click

from cranfield.cli._files import Command
from cranfield.cli._options import conditions, declared, per_topic, runs_
from cranfield.cli._output import Destination, Progress, present_with_notes, presented
from cranfield.plumbing.options import Level, Ties


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield overlap bm25.run dense.run
  cranfield overlap runs/*.gz --p 0.98 --depth 100 -o overlap.csv
  cranfield overlap old=v1/bm25.run new=v2/bm25.run -q
""",
)
@runs_()
@declared(Level, "--p", default=0.9, metavar="P", meaning="Persistence: the first 10 ranks weigh 86 % at 0.9.")
@declared(
    Ties, "--ties",
    meaning="Treatment of ties: tied documents share a rank (w), or their order is unknown (a; corrected: b). "
    "[default: nothing, documents are ranked as for evaluate]",
)  # fmt: skip
@per_topic("Print each topic before the mean.")
@conditions("order", "depth", "comments")
@presented()
def command(
    runs: tuple[str, ...], p: float, ties: Ties | None, per_topic: bool, to: Destination, **conditions: Any
) -> None:
    """Measure how similar each pair of RUNS is, by rank-biased overlap, averaged over the topics of both.

    The minimum is certain, minimum + residual is the largest possible value, whatever follows the end
    of the lists; extrapolated is the estimate.
    """
    from cranfield.lists.overlap import overlap_of_runs

    with Progress("pairs") as progress:
        found = overlap_of_runs(list(runs), p=p, ties=ties, per_topic=per_topic, progress=progress, **conditions)
    present_with_notes(found, to)

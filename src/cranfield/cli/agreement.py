"""``cranfield agreement``: how far assessors agree."""

from __future__ import annotations

import click

from cranfield.cli._files import Command, RunsRead
from cranfield.cli._options import conditions, declared
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.options import Weights


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield agreement qrels-nist.txt qrels-waterloo.txt
  cranfield agreement nist=qrels.txt assessors/*.txt --rel 2 -o agreement.csv
""",
)
@click.argument("qrels", nargs=-1, required=True, type=RunsRead(), metavar="[NAME=]QRELS...")
@declared(Weights, "--weights", default="linear",
          meaning="How disagreement grows with the distance of the grades, for weighted_kappa.")  # fmt: skip
@conditions("rel", "comments")
@presented()
def command(
    qrels: tuple[str, ...], weights: Weights, rel: float | None, comments: bool | None, to: Destination
) -> None:
    """Say how far assessors agree: a row for each two of the QRELS, over the documents that both judged.

    QRELS are files, folders or globs, one file an assessor. The alpha of all together is said
    beside the table.
    """
    from cranfield.assessors import agreement

    present_with_notes(agreement(qrels, weights=weights, rel=rel, comments=bool(comments)), to)

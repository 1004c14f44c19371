"""``cranfield agreement`` (judge): measure how far assessors agree."""

from __future__ import annotations

import click

from cranfield.cli._files import Command, RunsRead
from cranfield.cli._options import conditions, declared
from cranfield.cli._output import Destination, plotted, present_with_notes, presented
from cranfield.cli._typed import typed
from cranfield.plumbing.options import Weights


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield agreement qrels-nist.txt qrels-waterloo.txt
  cranfield agreement nist=qrels.txt assessors/*.txt --rel 2 -o agreement.csv
  cranfield agreement ann.txt bob.txt --plot confusion.svg
""",
)
@click.argument("qrels", nargs=-1, required=True, type=RunsRead(), metavar="[NAME=]QRELS...")
@declared(Weights, "--weights", default="linear",
          meaning="Growth of disagreement with the distance of grades, for weighted_kappa.")  # fmt: skip
@plotted("Draw there, too, which grades they take for each other")
@conditions("rel", "comments")
@presented()
def command(
    qrels: tuple[str, ...],
    weights: Weights,
    rel: float | None,
    comments: bool | None,
    plot: str | None,
    to: Destination,
) -> None:
    """Measure how far assessors agree: a row for each pair of QRELS, over the documents that both judged.

    QRELS are files, folders or globs, one file an assessor. The note below the table gives the alpha
    of all assessors together.
    """
    from cranfield.selection.assessors import agreement

    found = agreement(qrels, weights=weights, rel=rel, comments=bool(comments))
    if plot is not None:
        found.plot("assessor-confusion").drawn_by(typed()).save(plot)
    present_with_notes(found, to)

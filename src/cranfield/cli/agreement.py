"""``cranfield agreement`` (judge): measure how far assessors agree."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import RUNS_READ
from cranfield.cli._options import arguments, conditions, option
from cranfield.cli._output import Destination, draw, plotted, present_with_notes, presented
from cranfield.plumbing.options import Weights


@derived(
    arguments("qrels", RUNS_READ, "[NAME=]QRELS..."),
    option("--weights", Weights, "Weights of disagreements by their distance in grades, for weighted_kappa.", "linear"),
    plotted("Draw which grades assessors confuse"),
    conditions("rel", "comments"),
    presented(),
    examples="""
  cranfield agreement qrels-nist.txt qrels-waterloo.txt
  cranfield agreement nist=qrels.txt assessors/*.txt --rel 2 -o agreement.csv
  cranfield agreement qrels-assessors.txt
  cranfield agreement ann.txt bob.txt --plot confusion.svg
""",
)
def command(call: Call, plot: str | None, to: Destination) -> None:
    """Measure how far assessors agree, for each pair of QRELS, on the documents that both judged.

    QRELS are files, folders or globs: one file per assessor, or one of several assessors, who are named in its second
    column (as judge export writes qrels-assessors). Alpha of all assessors together is printed below the table.
    """
    from cranfield.selection.assessors import agreement

    found = call(agreement)
    if plot is not None:
        draw(found.plot("assessor-confusion"), plot)
    present_with_notes(found, to)

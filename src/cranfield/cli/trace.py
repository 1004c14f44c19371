"""``cranfield trace`` (look): trace gain and effort rank by rank down a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from cranfield.cli._files import Command
from cranfield.cli._options import conditions, declared, measures_from, per_topic, qrels_and_runs
from cranfield.cli._output import Destination, Progress, present_with_caption, presented
from cranfield.plumbing.options import Depth

if TYPE_CHECKING:
    from cranfield.judged.conditions import Asked

LAST_RANK = 20
"""Where the walk ends, if nothing else is said."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield trace qrels.txt a.run --topic 403
  cranfield trace qrels.txt a.run b.run --topic 403 --last-rank 1000 -o topic-403.csv
  cranfield trace qrels.txt a.run --marks
  cranfield trace qrels.txt runs/*.gz --gain CG --crp "CRP(rel=2)"
""",
)
@qrels_and_runs()
@click.option("--topic", metavar="ID", help="Trace this topic only. [default: averages over all]")
@per_topic("Every topic instead of their averages.")
@click.option(
    "--marks", is_flag=True,
    help="Print instead the points of each curve, which are R, the turn-around (min), b_r, b_w, the first crossing, N.",
)  # fmt: skip
@declared(Depth, "--last-rank", default=LAST_RANK, metavar="N", meaning="Last rank to trace.")
@declared(
    Depth, "--n", metavar="N",
    meaning="Length to which lists are cut or padded. [default: the cutoff of --crp, or 1000]",
)  # fmt: skip
@click.option("--crp", default="CRP", metavar="MEASURE", help="Variant of CRP: CRP(rel=2) tells two kinds.")
@click.option("--gain", metavar="MEASURE", help="CG or DCG, with its gains. [default: DCG with gains -1, 1, 2, 3]")
@presented()
@conditions()
@measures_from
def command(
    qrels: str,
    runs: tuple[str, ...],
    topic: str | None,
    per_topic: bool,
    marks: bool,
    last_rank: int,
    n: int | None,
    crp: str,
    gain: str | None,
    to: Destination,
    **conditions: Unpack[Asked],
) -> None:
    """Trace the lists of RUNS: what stands at each rank, too early or too late, and how far from the ideal."""
    from cranfield.lists.tracing import GAIN, trace

    with Progress("runs") as progress:
        found = trace(
            qrels, list(runs), topic=topic, n=n, last_rank=last_rank, crp=crp, gain=gain or GAIN,
            progress=progress, **conditions,
        )  # fmt: skip
    present_with_caption(found, to, per_topic=per_topic, marks=marks)
    to.say(*(() if marks else found.remarks()))

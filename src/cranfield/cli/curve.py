"""``cranfield curve`` (look): compute a measure at every rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from cranfield.cli._completion import measure_names, offered
from cranfield.cli._files import NamedByOption, instead
from cranfield.cli._options import audited, conditions, declared, measures_from, per_topic, qrels_and_runs
from cranfield.cli._output import Destination, Progress, end_with_audit, present, present_with_notes, presented
from cranfield.plumbing.options import Average, Beside, Count, Depth

if TYPE_CHECKING:
    from cranfield.judged.conditions import Asked


@click.command(
    cls=NamedByOption,
    epilog="""\b
Examples:
  cranfield curve qrels.txt a.run b.run -m "nDCG(base=2)" --last-rank 20
  cranfield curve qrels.txt runs/*.gz -m CG -o cg.csv
  cranfield curve qrels.txt a.run -m "IPrec(rel=2)"
  cranfield curve qrels.txt a.run b.run -m CG --last-rank 200 --against ideal
  cranfield curve qrels.txt a.run b.run -m CG --last-rank 1000 --reach 10 --against a
  cranfield curve qrels.txt a.run b.run -m CG --last-rank 1000 --reach 10 --per-topic
  cranfield curve qrels.txt a.run b.run -m nDCG --beside reranked
  cranfield curve qrels.txt a.run -m CRP --last-rank 1000 --per-topic
""",
)
@click.argument("measure", shell_complete=offered(measure_names))
@instead("-m", "--measure", meaning="The measure; it may also stand before QRELS, without -m.")
@qrels_and_runs()
@declared(Count, "--last-rank", metavar="N", meaning="Where the curves end. [default: the measure's cutoff, or 20]")
@per_topic("The curves of each topic instead of their averages, or what --against and --reach read off them.")
@declared(
    Average, "--average", default="ratios",
    meaning="For nCG and nDCG: mean of the topics' ratios, or ratio of the mean vectors.",
)  # fmt: skip
@declared(
    tuple[Beside, ...], "--beside", metavar="LIST,...",
    meaning="What stands beside the ideal list: it turned round (full-scale), nothing that was judged (worst), or each "
    "run's own documents in the best order (reranked). "
    "[default: full-scale for RP, CRP and nCRP]",
)  # fmt: skip
@declared(Depth, "--length", default=1000, metavar="N", meaning="How long the full-scale and the worst list are.")
@declared(
    Count, "--reach", metavar="N",
    meaning="Instead: how many documents each run takes to have what the ideal (or --against) has after N.",
)  # fmt: skip
@click.option(
    "--against", metavar="RUN",
    help="Print instead how far each run is below this one, or below 'ideal', at every rank, in points and per cent.",
)  # fmt: skip
@presented()
@conditions()
@audited
@measures_from
def command(
    measure: str,
    qrels: str,
    runs: tuple[str, ...],
    last_rank: int | None,
    per_topic: bool,
    average: Average,
    beside: tuple[Beside, ...] | None,
    length: int,
    reach: int | None,
    against: str | None,
    to: Destination,
    audit: bool,
    strict: bool,
    **conditions: Unpack[Asked],
) -> None:
    """Compute MEASURE at every rank, for RUNS and for the ideal list."""
    from cranfield.lists.curves import IDEAL, curve, cutoff_of

    last_rank = last_rank or cutoff_of(measure) or 20
    with Progress("runs") as progress:
        found = curve(
            qrels, list(runs), measure, last_rank=last_rank, average=average, beside=beside, length=length,
            progress=progress, **conditions,
        )  # fmt: skip
    if reach is not None:
        present(found.rank_reaching(reach, of=against or IDEAL, per_topic=per_topic), to)
    elif against is not None:
        present_with_notes(found.distances(against, per_topic=per_topic), to)
    else:
        present(found, to, per_topic=per_topic)
    end_with_audit(found.audit, to, audit=audit, strict=strict)

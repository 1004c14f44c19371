"""``cranfield curve``: a measure at every rank."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from cranfield.cli._options import audited, conditions, measures_from
from cranfield.cli._output import Progress, write_result

if TYPE_CHECKING:
    from cranfield.curves import Average

FORMATS = ("table", "csv", "json", "latex", "markdown", "parquet")


@click.command(
    epilog="""\b
Examples:
  cranfield curve "nDCG(base=2)" qrels.txt a.run b.run --last-rank 20
  cranfield curve CG qrels.txt runs/*.gz --format csv -o cg.csv
  cranfield curve "IPrec(rel=2)" qrels.txt a.run
""",
)
@click.argument("measure")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option("--last-rank", type=click.IntRange(min=1), default=20, show_default=True, help="Where the curves end.")
@click.option("-q", "--per-topic", is_flag=True, help="The curves of each topic instead of their averages.")
@click.option("--average", type=click.Choice(["ratios", "vectors"]), default="ratios", show_default=True,
              help="For nCG and nDCG: mean of the topics' ratios, or ratio of the mean vectors.")  # fmt: skip
@click.option("--reach", type=click.IntRange(min=1), metavar="N",
              help="Instead: how many documents each run takes to have what the ideal has after N.")  # fmt: skip
@click.option("--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write there (whole or not at all).")
@conditions()
@audited
@measures_from
def command(
    measure: str,
    qrels: str,
    runs: tuple[str, ...],
    last_rank: int,
    per_topic: bool,
    average: Average,
    reach: int | None,
    format_: str,
    output: str | None,
    audit: bool,
    **conditions: Any,
) -> None:
    """Give MEASURE at every rank, for RUNS and for the ideal list beside them."""
    from cranfield.curves import curve
    from cranfield.presentation import render
    from cranfield.presentation.terminal import show

    with Progress("runs") as progress:
        found = curve(qrels, list(runs), measure, last_rank=last_rank, average=average, progress=progress, **conditions)
    table = None if reach is None else found.rank_reaching(reach)
    if format_ == "table" and output is None and sys.stdout.isatty():
        show(found.to_polars(per_topic=True) if per_topic else found.table() if table is None else table)
    elif table is None:
        write_result(found.render(format_, per_topic=per_topic), format_, output)
    else:
        write_result(render(table, format_), format_, output)
    if audit:
        click.echo(f"audit: {found.audit.line()}", err=True)

"""``cranfield curve``: a measure at every rank."""

from __future__ import annotations

import sys

import click

from cranfield.cli._options import measures_from
from cranfield.cli._output import Progress, write_result

FORMATS = ("table", "csv", "json", "latex", "markdown", "parquet")


@click.command(
    epilog="""\b
Examples:
  cranfield curve "nDCG(base=2)" qrels.txt a.run b.run --depth 20
  cranfield curve CG qrels.txt runs/*.gz --format csv -o cg.csv
  cranfield curve "IPrec(rel=2)" qrels.txt a.run
""",
)
@click.argument("measure")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option("--depth", type=click.IntRange(min=1), default=20, show_default=True, help="The last rank.")
@click.option("-q", "--per-topic", is_flag=True, help="The curves of each topic instead of their averages.")
@click.option("--topics", type=click.Choice(["all", "shared"]), default="all", show_default=True,
              help="Average over all topics of the qrels, or over those that the run has too.")  # fmt: skip
@click.option("--order", type=click.Choice(["score", "trec9", "rank", "file"]), default="score", show_default=True,
              help="What ranks the documents.")  # fmt: skip
@click.option("--average", type=click.Choice(["ratios", "vectors"]), default="ratios", show_default=True,
              help="For nCG and nDCG: mean of the topics' ratios, or ratio of the mean vectors.")  # fmt: skip
@click.option("--reach", type=click.IntRange(min=1), metavar="N",
              help="Instead: how many documents each run takes to have what the ideal has after N.")  # fmt: skip
@click.option("--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write there (whole or not at all).")
@measures_from
def command(
    measure: str,
    qrels: str,
    runs: tuple[str, ...],
    depth: int,
    per_topic: bool,
    topics: str,
    order: str,
    average: str,
    reach: int | None,
    format_: str,
    output: str | None,
) -> None:
    """Give MEASURE at every rank, for RUNS and for the ideal list beside them."""
    from cranfield.curves import curve
    from cranfield.presentation import render
    from cranfield.presentation.terminal import show

    with Progress("runs") as progress:
        found = curve(
            qrels,
            list(runs),
            measure,
            depth=depth,
            topics=topics,  # type: ignore[arg-type]
            order=order,  # type: ignore[arg-type]
            average=average,  # type: ignore[arg-type]
            progress=progress,
        )
    table = None if reach is None else found.rank_reaching(reach)
    if format_ == "table" and output is None and sys.stdout.isatty():
        show(found.to_polars(per_topic=True) if per_topic else found.table() if table is None else table)
    elif table is None:
        write_result(found.render(format_, per_topic=per_topic), format_, output)
    else:
        write_result(render(table, format_), format_, output)

"""``cranfield evaluate``: runs and qrels in, scores out."""

from __future__ import annotations

import sys
from typing import Any

import click

from cranfield.cli._options import audited, conditions, measures_from
from cranfield.cli._output import FORMATS, Progress, write_result


@click.command(
    epilog="""\b
Examples:
  cranfield evaluate qrels.txt runs/*.gz -m official
  cranfield evaluate qrels.txt bm25.run dense.run -m AP -m nDCG@10 -m "RBP(p=0.8)" --per-topic --format csv
""",
)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="Such as AP, nDCG@10, RBP(p=0.8); trec_eval's names and sets (official, all_trec) are understood. "
    "May be given several times; `cranfield measures` lists all. [default: AP, nDCG@10, P@10, Bpref]",
)  # fmt: skip
@click.option("-q", "--per-topic", is_flag=True, help="Scores of each topic before the averages.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write there (whole or not at all) rather than to the terminal.")
@conditions()
@click.option("--bounds", is_flag=True, help="Add how low and how high each value could be, were everything judged.")
@audited
@measures_from
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_topic: bool,
    format_: str,
    output: str | None,
    bounds: bool,
    audit: bool,
    **conditions: Any,
) -> None:
    """Score RUNS (files, folders or globs, plain or compressed) by the judgments in QRELS."""
    from cranfield.evaluation import MEASURES, evaluate

    if format_ == "trec_eval":
        conditions["order"] = conditions["order"] or "trec9"
    with Progress("runs") as progress:
        scores = evaluate(qrels, list(runs), measures or MEASURES, bounds=bounds, progress=progress, **conditions)
    if format_ == "table" and output is None and sys.stdout.isatty():
        from cranfield.presentation.terminal import show

        show(scores.table(per_topic=per_topic), scores.best(per_topic=per_topic), index=2 if per_topic else 1)
    else:
        write_result(scores.render(format_, per_topic=per_topic), format_, output)
    inexact = [str(measure) for measure, exact in scores.exact.items() if not exact]
    if inexact:
        click.echo(f"bounds: not exact, with all or none of the unjudged relevant, for {', '.join(inexact)}", err=True)
    if audit:
        click.echo(f"audit: {scores.audit.line()}", err=True)

"""``cranfield select``: which documents to judge next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cranfield.cli._options import conditions, measures_from
from cranfield.cli._output import write_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.selection.judging import Chosen


@click.command(
    epilog="""\b
Examples:
  cranfield select runs/*.gz --budget 5000 --method B -o pool.txt --format trec
  cranfield select runs --qrels so-far.txt --method C --p 0.8 --budget 200
  cranfield select runs --method depth --depth 10 --budget 1000000 --format csv -o pool.csv
""",
)
@click.argument("runs", nargs=-1, required=True)
@click.option("--method", default="C", show_default=True, metavar="NAME",
              help="How documents are weighed: depth, pool, A, B, C, random ... (a wrong name lists all).")  # fmt: skip
@click.option("-m", "--measure", metavar="MEASURE", help="A weighted sum over ranks. [default: RBP with --p]")
@click.option("--p", type=float, metavar="P", help="Persistence of RBP. [default: 0.8]")
@click.option("--budget", type=click.IntRange(min=1), default=100, show_default=True, metavar="N",
              help="How many documents to choose.")  # fmt: skip
@click.option("--qrels", metavar="FILE", help="The judgments so far: not chosen again, and looked at by methods.")
@click.option("--top-grade", type=float, metavar="GRADE",
              help="Largest grade of the scale. [default: that of --qrels, at least 1]")  # fmt: skip
@click.option("--scope", type=click.Choice(["topic", "system"]), default="topic", show_default=True,
              help="Where methods B and C look how runs stand: on the document's topic, or on all.")  # fmt: skip
@click.option("--renew-every", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="Renew the weights after so many judgments.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=7, show_default=True, help="For what chance decides.")
@conditions("order", "depth", "comments")
@click.option("--format", "format_", type=click.Choice(["table", "csv", "trec"]), default="table", show_default=True,
              help="trec: a line `topic document` each, as pools are handed to assessors.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write there (whole or not at all) rather than to the terminal.")
@measures_from
def command(
    runs: tuple[str, ...],
    method: str,
    measure: str | None,
    p: float | None,
    budget: int,
    qrels: str | None,
    top_grade: float | None,
    scope: str,
    renew_every: int,
    seed: int,
    format_: str,
    output: str | None,
    **conditions: Any,
) -> None:
    """Choose the documents of RUNS to judge next, the most useful first.

    Methods whose order depends on the answers (C, mtf, ...) give it as it stands with the judgments so far: judge some,
    and select again with --qrels. The others are planned to the end of the budget.
    """
    from cranfield.selection import Candidates, Judging

    judged = None if qrels is None else _judged(qrels)
    judging = Judging(
        Candidates.gather(list(runs), **conditions),
        _measure(measure, p),
        method=method,
        judged=judged,
        top_grade=_largest(judged) if top_grade is None else top_grade,
        scope=scope,  # type: ignore[arg-type]
        renew_every=renew_every,
        seed=seed,
    )
    chosen = judging.plan(budget)
    write_result(_written(chosen, format_), format_, output)
    static = " (as it stands: the order depends on answers)" if judging.method.needs_answers else ""
    click.echo(f"{len(chosen)} documents by method {method}, {judging.measure}, seed {seed}{static}", err=True)
    if not chosen:
        click.echo("note: everything that the runs retrieved is judged", err=True)


def _measure(measure: str | None, p: float | None) -> str:
    """Say which measure is meant: RBP, unless another is named."""
    from cranfield.errors import InputError

    if measure is not None and p is not None:
        raise InputError(f"give either --p or --measure, not both; RBP with its p is -m 'RBP(p={p})'")
    return measure or f"RBP(p={0.8 if p is None else p})"


def _judged(qrels: str) -> Any:
    from cranfield.judged_runs import qrels_table

    return qrels_table(qrels)


def _largest(judged: Any) -> float:
    """Return the largest grade so far, or 1."""
    return 1.0 if judged is None or not judged.height else max(float(judged["relevance"].max()), 1.0)


def _written(chosen: Sequence[Chosen], format_: str) -> str:
    """Write what was chosen: for people, for programs, or for assessors."""
    import polars as pl

    from cranfield.presentation import render

    if format_ == "trec":
        return "".join(f"{each.topic} {each.document}\n" for each in chosen)
    rows = [
        (place, each.topic, each.document, each.weight, " ".join(f"{run}:{rank}" for run, rank in each.runs.items()))
        for place, each in enumerate(chosen, start=1)
    ]
    schema = {"place": pl.Int64, "topic": pl.String, "document": pl.String, "weight": pl.Float64, "runs": pl.String}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return str(render(table if format_ == "table" else table.drop("place"), format_))

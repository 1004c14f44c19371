"""``cranfield cut``: runs whose lists end where they should."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cranfield.cli._options import conditions, measures_from
from cranfield.cli._output import Progress, make_folder
from cranfield.errors import InputError

if TYPE_CHECKING:
    from cranfield.formats import RunSource
    from cranfield.stopping.cutting import RuleName


@click.command(
    epilog="""\b
Examples:
  cranfield cut runs/*.gz --at 10 -o top10
  cranfield cut bm25.run --oracle "RBPU(p=0.9)" --qrels qrels.txt -o best
  cranfield cut bm25.run --learned OIE --qrels training-qrels.txt -o learned
""",
)
@click.argument("runs", nargs=-1, required=True)
@click.option("--at", type=click.IntRange(min=1), metavar="K", help="Keep the first K documents of each topic.")
@click.option("--score", type=float, metavar="S", help="Keep documents down to the first whose score is below S.")
@click.option("--oracle", metavar="MEASURE", help="Keep, topic by topic, the prefix that is best in hindsight.")
@click.option("--learned", metavar="MEASURE", help="Learn from judged topics by which rule lists should end; use it.")
@click.option("--rule", type=click.Choice(["best", "depth", "score", "share", "drop"]), default="best",
              show_default=True, help="For --learned: which kind of rule.")  # fmt: skip
@click.option("--qrels", metavar="FILE", help="Judgments, for --oracle and --learned.")
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True, help="For --learned: folds.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=7, show_default=True, help="For --learned: the folds' seed."
)
@conditions("order", "comments")
@click.option(
    "-o", "--out", "folder", metavar="DIR", required=True, help="Where the runs go, each under its file's name."
)
@measures_from
def command(
    runs: tuple[str, ...],
    at: int | None,
    score: float | None,
    oracle: str | None,
    learned: str | None,
    rule: RuleName,
    qrels: str | None,
    folds: int,
    seed: int,
    folder: str,
    **conditions: Any,
) -> None:
    """Cut RUNS where their lists should end, and write what is left in the format that the file's name says.

    A run from a file of several, or from the standard input, is written as TREC text under its own name. A list of
    which nothing is left is in no file: evaluate with --missing empty where that matters.
    """
    from cranfield.conditions import Reading
    from cranfield.judged_runs import open_runs
    from cranfield.stopping.cutting import cut_run, way_to_cut

    reading = Reading.asked(**conditions)
    sources = open_runs(list(runs), reading)
    targets = [_target(Path(folder), source) for source in sources]
    way = way_to_cut(
        at=at,
        score=score,
        oracle=oracle,
        learned=learned,
        rule=rule,
        qrels=qrels,
        folds=folds,
        seed=seed,
        reading=reading,
    )
    make_folder(folder, "cut runs")
    emptied = 0
    with Progress("runs") as progress:
        for done, (source, target) in enumerate(zip(sources, targets, strict=True), start=1):
            left, how = cut_run(source, way, reading)
            _write(left, target, reading.order)
            click.echo(_said(left, target, how))
            emptied += len(left.empty_topics)
            progress(done, len(sources))
    if emptied:
        lists = "1 list is" if emptied == 1 else f"{emptied} lists are"
        click.echo(f"note: {lists} empty now, which a file cannot say: evaluate with --missing empty", err=True)


def _target(folder: Path, source: RunSource) -> Path:
    """Name the file that a cut run goes to, which must not be the one that it came from."""
    name = source.path.name if source.path is not None else f"{source.name}.txt"
    if Path(name).name != name:
        raise InputError(f"the run's name {source.name!r} cannot be that of a file", source=source.origin)
    target = folder / name
    if target.resolve() == Path(source.origin).resolve():
        raise InputError("would be overwritten; name another folder with -o", source=source.origin)
    return target


def _write(left: RunSource, target: Path, order: str) -> None:
    """Write what is left of one run, so that it is ranked as it was."""
    import polars as pl

    from cranfield.formats import write_run

    table = left.read(rank=True)
    if not table.height:
        raise InputError(f"nothing is left of {left.name}: all its lists are empty", source=left.origin)
    if order in {"rank", "file"}:
        table = table.with_columns(score=-pl.col("rank").cast(pl.Float64))
    write_run(table, target, name=left.tag())


def _said(left: RunSource, target: Path, how: str) -> str:
    """Say what became of a run."""
    table = left.read()
    topics = table["query_id"].n_unique() + len(left.empty_topics)
    rule = f" ({how})" if how else ""
    return f"{target}: {table.height / topics:.1f} documents a topic{rule}"

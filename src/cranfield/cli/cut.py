"""``cranfield cut``: runs whose lists end where they should."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cranfield.cli._options import measures_from
from cranfield.cli._output import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from cranfield.formats import RunSource


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
@click.option("--order", type=click.Choice(["score", "trec9", "rank", "file"]), default="score", show_default=True,
              help="What ranks the documents.")  # fmt: skip
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
    rule: str,
    qrels: str | None,
    folds: int,
    seed: int,
    order: str,
    folder: str,
) -> None:
    """Cut RUNS where their lists should end, and write what is left in the format that they came in."""
    from pathlib import Path

    from cranfield.formats import Runs, read_qrels, read_runs
    from cranfield.judgments import Judgments
    from cranfield.stopping.cutting import cut

    sources = read_runs(list(runs)).sources
    targets = [_target(Path(folder), source) for source in sources]
    judgments = None if qrels is None else Judgments(read_qrels(qrels))
    Path(folder).mkdir(parents=True, exist_ok=True)
    emptied = 0
    with Progress("runs") as progress:
        for done, (source, target) in enumerate(zip(sources, targets, strict=True), start=1):
            left = cut(
                Runs([source]),
                at=at,
                score=score,
                oracle=oracle,
                learned=learned,
                rule=rule,
                qrels=judgments,
                folds=folds,
                seed=seed,
                order=order,  # type: ignore[arg-type]
            )
            emptied += _write(left.sources[0], target, source.tag(), left.how[source.name])
            progress(done, len(sources))
    if emptied:
        click.echo(
            f"note: {emptied} lists are empty now, which a file cannot say: evaluate with --missing empty", err=True
        )


def _target(folder: Path, source: RunSource) -> Path:
    """Name the file that a cut run goes to, which must not be the one that it came from."""
    from cranfield.errors import InputError

    target = folder / (source.path.name if source.path is not None else f"{source.name}.txt")
    if source.path is not None and target.resolve() == source.path.resolve():
        raise InputError("would be overwritten; name another folder with -o", source=str(source.path))
    return target


def _write(left: RunSource, target: Path, tag: str, how: str) -> int:
    """Write one run, say what became of it, and return how many of its lists are empty."""
    from cranfield.formats import write_run

    table = left.read()
    write_run(table, target, name=tag)
    topics = table["query_id"].n_unique() + len(left.empty_topics)
    rule = f" ({how})" if how else ""
    click.echo(f"{target}: {table.height / max(topics, 1):.1f} documents a topic{rule}")
    return len(left.empty_topics)

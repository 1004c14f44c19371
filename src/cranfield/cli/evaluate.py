"""``cranfield evaluate``: runs and qrels in, scores out."""

from __future__ import annotations

import sys

import click

from cranfield.cli._options import measures_from
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
@click.option(
    "--topics", type=click.Choice(["all", "shared"]), default="all", show_default=True,
    help="Average over all topics of the qrels, missing ones counting 0, or over those that the run has too.",
)  # fmt: skip
@click.option(
    "--missing", type=click.Choice(["zero", "empty"]), default="zero", show_default=True,
    help="What a topic is that a run lacks: 0, or an empty list (to which OIE, say, gives a value).",
)  # fmt: skip
@click.option(
    "--order", type=click.Choice(["score", "trec9", "rank", "file"]),
    help="What ranks the documents: the score in 64 bits, in 32 bits as trec_eval 9 does, the rank, or the line. "
    "[default: score; trec9 with -m official, -m all_trec or --format trec_eval]",
)  # fmt: skip
@click.option("-l", "--rel", type=float, metavar="GRADE", help="Lowest relevant grade. [default: any above 0]")
@click.option("-M", "--depth", type=click.IntRange(min=1), metavar="N", help="Look at the first N documents only.")
@click.option("-J", "--judged-only", is_flag=True, help="Drop unjudged documents from the rankings first.")
@click.option("--bounds", is_flag=True, help="Add how low and how high each value could be, were everything judged.")
@click.option("--comments", is_flag=True, help="Skip lines that begin with # (an id may begin so).")
@click.option("--audit/--no-audit", default=True, help="Say on stderr what is missing, unjudged or tied.")
@measures_from
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_topic: bool,
    format_: str,
    output: str | None,
    topics: str,
    missing: str,
    order: str | None,
    rel: float | None,
    depth: int | None,
    judged_only: bool,
    bounds: bool,
    comments: bool,
    audit: bool,
) -> None:
    """Score RUNS (files, folders or globs, plain or compressed) by the judgments in QRELS."""
    from cranfield.evaluation import evaluate
    from cranfield.formats import read_qrels, read_runs
    from cranfield.judgments import Judgments

    with Progress("runs") as progress:
        scores = evaluate(
            Judgments(read_qrels(qrels, comments=comments)),
            read_runs(list(runs), comments=comments),
            measures or ("AP", "nDCG@10", "P@10", "Bpref"),
            topics=topics,  # type: ignore[arg-type]
            missing=missing,  # type: ignore[arg-type]
            order=order or ("trec9" if format_ == "trec_eval" else None),  # type: ignore[arg-type]
            rel=rel,
            depth=depth,
            judged_only=judged_only,
            bounds=bounds,
            progress=progress,
        )
    if format_ == "table" and output is None and sys.stdout.isatty():
        from cranfield.presentation.terminal import show

        index = 2 if per_topic else 1
        show(scores.table(per_topic=per_topic), [] if per_topic else scores.higher_is_better, index=index)
    else:
        write_result(scores.render(format_, per_topic=per_topic), format_, output)  # type: ignore[arg-type]
    inexact = [str(measure) for measure, exact in scores.exact.items() if not exact]
    if inexact:
        click.echo(f"bounds: not exact, with all or none of the unjudged relevant, for {', '.join(inexact)}", err=True)
    if audit:
        click.echo(f"audit: {scores.audit.line()}", err=True)

"""``cranfield compare``: which runs are better than which, and could it be luck?"""

from __future__ import annotations

import sys

import click

from cranfield.cli._options import measures_from
from cranfield.cli._output import Progress, write_result

FORMATS = ("table", "csv", "json", "latex", "markdown", "parquet")
TESTS = ("t", "sign", "wilcoxon", "randomisation", "bootstrap", "tukey", "randomised-tukey", "anova", "friedman", "nemenyi")  # fmt: skip  # noqa: E501
CORRECTIONS = ("holm", "bonferroni", "bh", "by", "max-t", "none")


@click.command(
    epilog="""\b
Examples:
  cranfield compare qrels.txt bm25.run dense.run -m AP -m nDCG@10 --layout pairs
  cranfield compare qrels.txt runs/*.gz --baseline bm25 --format latex -o table.tex
  cranfield compare qrels.txt runs/*.gz -m "RBP(p=0.8)" --test wilcoxon --residuals --format csv
""",
)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="As for `cranfield evaluate`; may be given several times. [default: AP, nDCG@10]",
)  # fmt: skip
@click.option("--baseline", metavar="RUN", help="Compare all runs with this one, rather than all pairs.")
@click.option(
    "--test", type=click.Choice(TESTS), default="t", show_default=True,
    help="The first five take pairs one by one, the others all runs of a measure together.",
)  # fmt: skip
@click.option(
    "--correction", type=click.Choice(CORRECTIONS),
    help="Of the p-values of many comparisons. [default: holm; none with the tests that account for all pairs: tukey, "
    "randomised-tukey, anova, nemenyi]",
)  # fmt: skip
@click.option(
    "--family", type=click.Choice(["all", "measure"]), default="all", show_default=True,
    help="What is corrected for: all pairs by all measures, or the pairs of each measure.",
)  # fmt: skip
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of significance.")
@click.option("--power", type=float, default=0.8, show_default=True, help="Of topics_needed and detectable (in csv).")
@click.option(
    "--worthwhile", type=float, metavar="DIFFERENCE",
    help="Say in topics_needed how many topics it takes to see a mean difference of this size.",
)  # fmt: skip
@click.option("--resamples", type=int, default=10_000, show_default=True, help="For tests that resample.")
@click.option("--seed", type=int, default=7, show_default=True, help="For what is left to chance.")
@click.option(
    "--residuals", is_flag=True,
    help="Ask, too, whether unjudged documents could undo a difference (column certain).",
)  # fmt: skip
@click.option(
    "--topics", type=click.Choice(["all", "shared"]), default="all", show_default=True,
    help="All topics of the qrels, missing ones counting 0, or those that all runs have.",
)  # fmt: skip
@click.option(
    "--order", type=click.Choice(["score", "trec9", "rank", "file"]),
    help="What ranks the documents, as for `cranfield evaluate`.",
)  # fmt: skip
@click.option(
    "--layout", type=click.Choice(["systems", "pairs"]), default="systems", show_default=True,
    help="For people: a row a run, with the letters of those that it beats; or a row a pair, with intervals and p.",
)  # fmt: skip
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True,
    help="csv, json and parquet hold all that is known of each pair.",
)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write there (whole or not at all) rather than to the terminal.")
@measures_from
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    test: str,
    correction: str | None,
    family: str,
    alpha: float,
    power: float,
    worthwhile: float | None,
    resamples: int,
    seed: int,
    residuals: bool,
    topics: str,
    order: str | None,
    layout: str,
    format_: str,
    output: str | None,
) -> None:
    """Compare RUNS topic by topic by the judgments in QRELS, and test the differences."""
    from cranfield.comparison import compare
    from cranfield.comparison.compare import MEASURES

    with Progress("runs") as progress:
        found = compare(
            qrels,
            list(runs),
            measures or MEASURES,
            baseline=baseline,
            test=test,
            correction=correction,
            family=family,  # type: ignore[arg-type]
            alpha=alpha,
            power=power,
            worthwhile=worthwhile,
            resamples=resamples,
            seed=seed,
            residuals=residuals,
            topics=topics,  # type: ignore[arg-type]
            order=order,  # type: ignore[arg-type]
            progress=progress,
        )
    if format_ == "table" and output is None and sys.stdout.isatty():
        from cranfield.presentation.terminal import show

        show(found.for_people(layout), index=2 if layout == "systems" else 3)  # type: ignore[arg-type]
    else:
        write_result(found.render(format_, layout), format_, output)  # type: ignore[arg-type]
    click.echo(found.caption(layout), err=True)  # type: ignore[arg-type]
    for measure, name, statistic, df, df_error, p in found.omnibus.iter_rows():
        freedom = f"{df}" if df_error is None else f"{df}, {df_error}"
        click.echo(f"{measure}: {name}({freedom}) = {statistic:.4f}, p = {p:.4g}", err=True)
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    if found.audit is not None:
        click.echo(f"audit: {found.audit.line()}", err=True)

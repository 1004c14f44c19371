"""``cranfield compare``: which runs are better than which, and could it be luck?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._options import GRADING, READING, audited, conditions, measures_from
from cranfield.cli._output import Progress, write_result
from cranfield.comparison.methods import CORRECTIONS, TESTS, Method
from cranfield.comparison.settings import Settings

if TYPE_CHECKING:
    from cranfield.comparison import Comparison

FORMATS: Final = ("table", "csv", "json", "latex", "markdown", "parquet")
USUAL: Final = Settings()

_JOINT: Final = ", ".join(name for name, test in TESTS.items() if test.joint)
_SIMULTANEOUS: Final = ", ".join(name for name, test in TESTS.items() if test.simultaneous)


def _show_tests(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    """List tests and corrections, a paragraph each."""
    del option
    if not asked or ctx.resilient_parsing:
        return
    text = ctx.make_formatter()
    for title, rows in (("Tests", TESTS), ("Corrections, and what they keep at alpha", CORRECTIONS)):
        with text.section(title):
            text.write_dl([(", ".join((name, *row.aliases)), _paragraph(row)) for name, row in rows.items()])
    click.echo(text.getvalue().strip("\n"))
    ctx.exit()


def _paragraph(row: Method) -> str:
    return f"{row.words[0].upper()}{row.words[1:]}. {row.purpose} {row.note}"


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
    "--test", metavar=f"[{'|'.join(TESTS)}]", default=USUAL.test, show_default=True,
    help=f"Of all runs of a measure together: {_JOINT}; the others take pairs one by one.",
)  # fmt: skip
@click.option(
    "--correction", metavar=f"[{'|'.join(CORRECTIONS)}]",
    help=f"Of the p-values of many comparisons. [default: {USUAL.correction}; none with the tests that account for all "
    f"pairs: {_SIMULTANEOUS}]",
)  # fmt: skip
@click.option(
    "--tests", is_flag=True, is_eager=True, expose_value=False, callback=_show_tests,
    help="Say what each test asks and each correction keeps, and exit.",
)  # fmt: skip
@click.option(
    "--family", type=click.Choice(["all", "measure"]), default=USUAL.family, show_default=True,
    help="What is corrected for: all pairs by all measures, or the pairs of each measure.",
)  # fmt: skip
@click.option("--alpha", type=float, default=USUAL.alpha, show_default=True, help="Level of significance.")
@click.option("--level", type=float, help="Confidence level of the intervals. [default: 1 - alpha]")
@click.option(
    "--power", type=float, default=USUAL.power, show_default=True, help="Of topics_needed and detectable (in csv)."
)
@click.option(
    "--worthwhile", type=float, metavar="DIFFERENCE",
    help="Say in topics_needed how many topics it takes to see a mean difference of this size.",
)  # fmt: skip
@click.option("--resamples", type=int, default=USUAL.resamples, show_default=True, help="For tests that resample.")
@click.option("--seed", type=int, default=USUAL.seed, show_default=True, help="For what is left to chance.")
@click.option(
    "--residuals", is_flag=True,
    help="Ask, too, whether unjudged documents could undo a difference (column certain).",
)  # fmt: skip
@click.option(
    "--topics", type=click.Choice(["all", "shared"]),
    help="All topics of the qrels, missing ones counting 0, or those that all runs have. [default: all]",
)  # fmt: skip
@conditions(*(name for name in (*READING, *GRADING) if name != "topics"))
@click.option(
    "--layout", type=click.Choice(["systems", "pairs"]), default="systems", show_default=True,
    help="For people: a row a run, with the letters of those that it beats; or a row a pair, with intervals and p.",
)  # fmt: skip
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True,
    help="csv, json and parquet hold all that is known of each pair.",
)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write there (whole or not at all) rather than to the terminal.")
@audited
@measures_from
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    layout: Any,
    format_: str,
    output: str | None,
    audit: bool,
    **options: Any,
) -> None:
    """Compare RUNS topic by topic by the judgments in QRELS, and test the differences."""
    from cranfield.comparison.comparing import MEASURES, compare

    with Progress("runs") as progress:
        found = compare(qrels, list(runs), measures or MEASURES, progress=progress, **options)
    if format_ == "table" and output is None and sys.stdout.isatty():
        from cranfield.presentation.terminal import show

        show(found.table(layout=layout), found.best(layout=layout), index=2 if layout == "systems" else 3)
    else:
        write_result(found.render(format_, layout=layout), format_, output)
    click.echo(found.caption(layout=layout), err=True)
    for line in _beside(found):
        click.echo(line, err=True)
    if audit and found.audit is not None:
        click.echo(f"audit: {found.audit.line()}", err=True)


def _beside(found: Comparison) -> Iterator[str]:
    """Say whether any runs differ at all, and what to know before relying on it."""
    for measure, name, statistic, df, df_error, p in found.omnibus.iter_rows():
        freedom = f"{df}" if df_error is None else f"{df}, {df_error}"
        yield f"{measure}: {name}({freedom}) = {statistic:.4f}, p = {p:.4g}"
    for note in found.notes:
        yield f"note: {note}"

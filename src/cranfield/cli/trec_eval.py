"""``cranfield trec_eval`` (evaluate): print what trec_eval prints, by its own options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cranfield.cli._files import Command, FileRead
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from cranfield.compat.trec_eval import Version

USAGE = 1
"""With which trec_eval ends where it is called wrongly."""


class TrecEval(Command):
    """A command that ends as trec_eval does where its arguments are wrong."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the options."""
        try:
            return super().make_context(*args, **extra)
        except click.UsageError as error:
            error.exit_code = USAGE  # type: ignore[misc]  # click declares it for the class
            raise


def _version(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    """Say whose version it is, on standard error as trec_eval does."""
    del option
    if asked:
        from cranfield import __version__

        click.echo(f"trec_eval versions 9.0.8 and 10.0, as cranfield {__version__} computes them", err=True)
        ctx.exit()


def _not_here(ctx: click.Context, option: click.Parameter, given: object) -> None:
    """Refuse an option of trec_eval's that would change what is printed."""
    del ctx
    if given:
        raise InputError(f"trec_eval's {option.opts[0]} is not supported here")


@click.command(
    cls=TrecEval,
    epilog="""\b
Examples:
  cranfield trec_eval qrels.txt bm25.run
  cranfield trec_eval -q -c -m map -m ndcg_cut.10,20 qrels.txt bm25.run
  cranfield trec_eval --as 10 -m all_trec qrels.txt bm25.run.gz
""",
)
@click.option("-q", "--query_eval_wanted", is_flag=True, help="Print the values of each topic, too.")
@click.option(
    "-m", "--measure", multiple=True, metavar="MEASURE",
    help="Print this measure: map, P.5,10, official, all_trec. May be given several times.  [default: official]",
)  # fmt: skip
@click.option(
    "-c", "--complete_rel_info_wanted", is_flag=True,
    help="Average over all topics of the qrels; a topic that the run lacks counts 0.",
)  # fmt: skip
@click.option("-l", "--level_for_rel", type=click.IntRange(1), default=1, help="The lowest relevant grade.")
@click.option("-n", "--nosummary", is_flag=True, help="Print no averages.")
@click.option("-J", "--Judged_docs_only", is_flag=True, help="Take unjudged documents out of the run first.")
@click.option(
    "-M", "--Max_retrieved_per_topic", type=click.IntRange(1), metavar="N",
    help="Use only the first N documents of each topic.",
)  # fmt: skip
@click.option(
    "-N", "--Number_docs_in_coll", type=int, expose_value=False, metavar="N",
    help="Size of the collection, which no measure here asks for.",
)  # fmt: skip
@click.option(
    "-R", "--Rel_info_format", type=click.Choice(["qrels"]), default="qrels", expose_value=False,
    help="Format of the qrels.",
)  # fmt: skip
@click.option(
    "-T", "--Results_format", type=click.Choice(["trec_results"]), default="trec_results", expose_value=False,
    help="Format of the run.",
)  # fmt: skip
@click.option("-D", "--Debug_level", hidden=True, expose_value=False, callback=_not_here)
@click.option("-Z", "--Zscore", hidden=True, expose_value=False, callback=_not_here)
@click.option("-o", "--Output_old_results_format", hidden=True, is_flag=True, expose_value=False, callback=_not_here)
@click.option(
    "--as", "version", type=click.Choice(["9", "10"]), default="9", show_default=True,
    help="Version of trec_eval: 9 compares scores in 32 bits, 10 in 64.",
)  # fmt: skip
@click.option(
    "-v", "--version", "show_version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version and exit.",
)  # fmt: skip
@click.argument("qrels", type=FileRead(), metavar="QRELS")
@click.argument("run", type=FileRead(), metavar="RUN")
def command(
    qrels: str,
    run: str,
    measure: tuple[str, ...],
    version: Version,
    query_eval_wanted: bool,
    nosummary: bool,
    complete_rel_info_wanted: bool,
    level_for_rel: int,
    judged_docs_only: bool,
    max_retrieved_per_topic: int | None,
) -> None:
    """Print what trec_eval prints of RUN by the judgments in QRELS, to the byte.

    Options and exit status are trec_eval's: 1 for a wrong call or an unknown measure, 2 for a file that cannot be
    read, 7 where QRELS and RUN share no topic. Files may be compressed.
    """
    from cranfield.cli._ending import Ending
    from cranfield.compat.trec_eval import TrecEvalError, trec_eval

    try:
        printed = trec_eval(
            qrels, run, measure or ("official",), version=version,
            per_query=query_eval_wanted, summary=not nosummary, complete=complete_rel_info_wanted,
            level=level_for_rel, judged_only=judged_docs_only, depth=max_retrieved_per_topic,
        )  # fmt: skip
    except TrecEvalError as error:
        raise Ending(str(error), error.status) from error
    click.echo(printed, nl=False)

"""``cranfield trec_eval`` (evaluate): print what trec_eval prints, by its own options."""

from __future__ import annotations

from typing import Any, Final

import click

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import Command, FileRead
from cranfield.cli._options import argument, option, telling
from cranfield.plumbing.errors import InputError

USAGE = 1  # With which trec_eval ends where it is called wrongly


class TrecEval(Command):
    """A command that ends as trec_eval does where its arguments are wrong."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the options."""
        try:
            return super().make_context(*args, **extra)
        except click.UsageError as error:
            error.exit_code = USAGE  # type: ignore[misc]  # click declares it for the class
            raise


def _version(ctx: click.Context) -> None:
    """Say whose version it is, on standard error as trec_eval does."""
    from cranfield import __version__

    click.echo(f"trec_eval versions 9.0.8 and 10.0, as cranfield {__version__} computes them", err=True)


def _not_here(ctx: click.Context, param: click.Parameter, given: object) -> None:
    """Refuse an option of trec_eval's that would change what is printed."""
    if given:
        raise InputError(f"trec_eval's {param.opts[0]} is not supported here")


_UNUSED: Final[dict[str, Any]] = {"expose_value": False, "show_default": None}
_REFUSED: Final[dict[str, Any]] = {"hidden": True, "expose_value": False, "callback": _not_here}


@derived(
    option("-q --query_eval_wanted", bool, "Print the values of each topic, too.", name="per_query"),
    option("-m --measure MEASURE", str, "Measure: map, P.5,10, official, all_trec. Repeatable.  [default: official]",
           name="measures", multiple=True),
    option("-c --complete_rel_info_wanted", bool,
           "Average over all topics of the qrels; a topic that the run lacks counts 0.", name="complete"),
    option("-l --level_for_rel", click.IntRange(1), "The lowest relevant grade.", 1, name="level", show_default=None),
    option("-n --nosummary", bool, "Print no averages."),
    option("-J --Judged_docs_only", bool, "Remove unjudged documents before scoring.", name="judged_only"),
    option("-M --Max_retrieved_per_topic N", click.IntRange(1),
           "Use only the first N documents of each topic.", name="depth"),
    option("-N --Number_docs_in_coll N", click.IntRange(0),
           "Size of the collection, for a fourth parameter of utility.", 0, name="docs", show_default=None),
    option("-R --Rel_info_format", click.Choice(["qrels"]), "Format of the qrels.", default="qrels", **_UNUSED),
    option("-T --Results_format", click.Choice(["trec_results"]), "Format of the run.", default="trec_results",
           **_UNUSED),
    option("-D --Debug_level", str, "", **_REFUSED),
    option("-Z --Zscore", str, "", **_REFUSED),
    option("-o --Output_old_results_format", bool, "", **_REFUSED),
    option("--as", click.Choice(["9", "10"]),
           "Version of trec_eval: 9 compares scores in 32 bits, 10 in 64.", "9", name="version"),
    telling("-v --version", "Show the version and exit.", _version, name="show_version"),
    argument("qrels", FileRead, "QRELS"),
    argument("run", FileRead, "RUN"),
    cls=TrecEval,
    examples="""
  cranfield trec_eval qrels.txt bm25.run
  cranfield trec_eval -q -c -m map -m ndcg_cut.10,20 qrels.txt bm25.run
  cranfield trec_eval --as 10 -m all_trec qrels.txt bm25.run.gz
""",
)  # fmt: skip
def command(call: Call, nosummary: bool) -> None:
    """Print what trec_eval prints of RUN by the judgments in QRELS, to the byte.

    Options and exit status are trec_eval's: 1 for a wrong call or an unknown measure, 2 for a file that cannot be
    read, 7 where QRELS and RUN share no topic. Files may be compressed.
    """
    from cranfield.cli._ending import Ending
    from cranfield.compat.trec_eval import TrecEvalError, trec_eval

    try:
        printed = call(trec_eval, summary=not nosummary)
    except TrecEvalError as error:
        raise Ending(str(error), error.status) from error
    click.echo(printed, nl=False)

"""``cranfield why`` (compare): explain why one list beats another on a topic."""

from __future__ import annotations

from shlex import join
from typing import TYPE_CHECKING, Unpack

import click
from click.core import ParameterSource

from cranfield.cli._files import Command, RunsRead
from cranfield.cli._options import conditions, measures_asked, measures_from, qrels_
from cranfield.cli._output import Destination, Progress, plotted, present_with_caption, presented
from cranfield.cli._typed import typed

if TYPE_CHECKING:
    from cranfield.judged.conditions import Asked
    from cranfield.pairs.why import Why


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield why qrels.txt main.run branch.run
  cranfield why qrels.txt main.run branch.run --topic 403 -m AP --plot why.svg
  cranfield why qrels.txt main.run branch.run --format markdown >> "$GITHUB_STEP_SUMMARY"
  cranfield why qrels.txt old=v1/bm25.run new=v2/bm25.run -o documents.csv
""",
)
@qrels_()
@click.argument("runs", nargs=2, type=RunsRead(), metavar="[NAME=]RUN [NAME=]RUN")
@click.option("--topic", metavar="ID", help="On this topic. [default: the one on which the two differ most]")
@measures_asked("nDCG@10")
@plotted("Draw both lists there, too")
@presented(meaning="markdown is for a pull request; csv, json and parquet hold every document that counts.")
@conditions()
@measures_from
def command(
    qrels: str,
    runs: tuple[str, str],
    topic: str | None,
    measures: tuple[str, ...],
    plot: str | None,
    to: Destination,
    **conditions: Unpack[Asked],
) -> None:
    """Say why one of two RUNS is better than the other on a topic.

    Of each document: its rank in both lists, what it adds to the value of each, and what it
    contributes to the difference. The notes say what the numbers are, what only one list has, what
    nobody judged, and which exchange of two documents would improve the worse list most.
    """
    from cranfield.pairs.why import why

    with Progress("runs") as progress:
        found = why(qrels, *runs, measures or None, topic=topic, progress=progress, **conditions)
    figure = None if plot is None else found.plot("why")
    present_with_caption(found, to, command=_again(found))
    to.say(*(f"note: {note}" for note in found.remarks()))
    if figure is not None and plot is not None:
        figure.drawn_by(typed()).save(plot)


def _again(found: Why) -> str:
    """Return the command that finds the same, wherever that then goes; none where measures came out of a file."""
    ctx = click.get_current_context()
    asked = ["cranfield", "why", ctx.params["qrels"], *ctx.params["runs"], "--topic", found.topic, "-m", found.measure]
    for option in ctx.command.params:
        name = str(option.name)
        if ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE or name in _SAID:
            continue
        if name == "measures_from":
            return ""
        if isinstance(option, click.Option):
            value = str(ctx.params[name]).removesuffix(".0")
            asked += [option.opts[-1]] if option.is_flag else [option.opts[-1], value]
    return join(asked)


_SAID = {"topic", "measures", "plot", "format_", "output", "quiet"}
"""What the command names anyway, and what only says where its findings go."""

"""``cranfield gate`` (compare): decide whether a new run may replace another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

import click

from cranfield.cli._ending import FOUND_WANTING, UNDECIDED, UNJUDGED
from cranfield.cli._files import Command, FileRead, FileWritten
from cranfield.cli._history import history, present_with_history
from cranfield.cli._kinds import OptionKind, ParamType
from cranfield.cli._options import AUDIT, GROUPS, WEIGHTS, conditions, declared, measures_asked, measures_from, qrels_
from cranfield.cli._output import Destination, Progress, presented, say_audit
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Level, NotNegative

if TYPE_CHECKING:
    from cranfield.judged.conditions import Asked


class Margin(ParamType):
    """A number, or a percentage of the base's mean.

    >>> Margin().convert("0.01", None, None), Margin().convert("2%", None, None)
    ((0.01, False), (0.02, True))
    """

    name = "number|N%"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """Read the text."""
        if not isinstance(value, str):
            return value
        relative = value.endswith("%")
        number = cast("float", OptionKind(NotNegative).convert(value.removesuffix("%"), param, ctx))
        return (number / 100 if relative else number), relative


class GroupMargin(Margin):
    """The same, with the name of a group in front, if it is of one alone.

    >>> GroupMargin().convert("0.01", None, None), GroupMargin().convert("de=2%", None, None)
    ((None, (0.01, False)), ('de', (0.02, True)))
    """

    name = "[group=]number|N%"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """Read the text."""
        if not isinstance(value, str):
            return value
        group, named, margin = value.rpartition("=")
        return (group if named else None), super().convert(margin, param, ctx)


def _group_margin(
    given: tuple[tuple[str | None, tuple[float, bool]], ...], *, relative: bool
) -> float | dict[str, float] | None:
    """Return the margin of all groups, or those of some."""
    if any(share != relative for _, (_, share) in given):
        raise InputError("--margin and --group-margin are both percentages of the base's mean, or neither is")
    margins = {name: margin for name, (margin, _) in given if name is not None}
    if len(given) > max(1, len(margins)) or (margins and len(margins) < len(given)):
        raise InputError("--group-margin is one for all groups, or GROUP=DIFFERENCE once for each of some")
    return margins or (given[0][1][0] if given else None)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield gate qrels.txt main.run branch.run --margin 0.01 -m nDCG@10 -m RR@10
  cranfield gate qrels.txt main.run branch.run --margin 2% --format markdown >> "$GITHUB_STEP_SUMMARY"
  cranfield gate qrels.txt main.run branch.run --groups languages.csv --group-margin de=0.05
  cranfield gate qrels.txt main.run branch.run --since last.json --keep this.json --format markdown
  cranfield gate qrels.txt main.run branch.run --junit gate.xml --documents to-judge.csv
""",
)
@qrels_()
@click.argument("base", type=FileRead())
@click.argument("new", type=FileRead())
@measures_asked("nDCG@10")
@click.option(
    "--margin", type=Margin(), default="0.01", show_default=True,
    help="Loss to tolerate, in the unit of the measures or as a percentage of the base's mean; "
    "0 asks for a gain.",
)  # fmt: skip
@declared(Level, "--alpha", default=0.05, meaning="Error rate of each test.")
@declared(Level, "--power", default=0.8, meaning="Chance that the additional topics decide.")
@click.option("--junit", metavar="FILE", type=FileWritten(), help="Write JUnit XML, too.")
@click.option(
    "--documents", metavar="FILE", type=FileWritten(),
    help="List the unjudged documents that could raise NEW, the most useful first.",
)  # fmt: skip
@WEIGHTS
@GROUPS
@click.option(
    "--group-margin", type=GroupMargin(), multiple=True,
    help="The margin within each of the --groups, in none of which NEW may be worse, or with its name in front that of "
    "one; may be given several times. [default: that of --margin]",
)  # fmt: skip
@history
@conditions()
@AUDIT
@presented(meaning="markdown is for a pull request; csv, json and parquet hold all that is known.")
@measures_from
def command(
    qrels: str,
    base: str,
    new: str,
    measures: tuple[str, ...],
    margin: tuple[float, bool],
    alpha: float,
    power: float,
    weights: str | None,
    groups: str | None,
    group_margin: tuple[tuple[str | None, tuple[float, bool]], ...],
    junit: str | None,
    documents: str | None,
    keep: str | None,
    since: str | None,
    to: Destination,
    audit: bool,
    **conditions: Unpack[Asked],
) -> None:
    """Decide whether the run NEW is better than BASE, not worse by more than a margin, worse, or undecided.

    The exit status is 0 if NEW is better or not worse by every measure, 1 if it is worse by any, 4
    if it is worse on what was judged but unjudged documents could reverse that (--documents says
    which to judge), 3 if it is undecided (the table says how many more topics would probably
    decide), and 2 if it cannot be said at all.
    """
    from cranfield.comparison.gating import gate
    from cranfield.comparison.verdicts import AS_JUDGED
    from cranfield.formats import RunsLike, write_whole
    from cranfield.formats.files import unpacked_name
    from cranfield.results.output_formats import format_for, render

    of_groups = _group_margin(group_margin, relative=margin[1])
    alike = (
        Path(unpacked_name(base)).stem == Path(unpacked_name(new)).stem
    )  # as out/main/run.txt and out/branch/run.txt are
    runs: RunsLike = {"base": base, "new": new} if alike else [base, new]
    listed_as = "table" if documents is None else format_for(documents, None)
    with Progress("runs") as progress:
        found = gate(
            qrels, runs, measures or None,
            margin=margin[0], relative=margin[1], alpha=alpha, power=power,
            weights=weights, groups=groups, group_margin=of_groups,
            progress=progress, **conditions,
        )  # fmt: skip
    present_with_history(
        found, to, keep=keep, since=since, by_place=True, qrels=qrels, runs=runs,
        measures=found.rows["measure"].to_list(), weights=weights, conditions=conditions,
    )  # fmt: skip
    to.say(*(f"note: {note}" for note in found.notes))
    if audit:
        say_audit(found.audit, to)
    if junit is not None:
        write_whole(junit, found.to_junit())
    if documents is not None:
        text = render(found.documents, listed_as)
        write_whole(documents, text if isinstance(text, bytes) else text.encode())
    if not found.passes:
        status = {"worse": FOUND_WANTING, AS_JUDGED: UNJUDGED}.get(found.verdict, UNDECIDED)
        click.get_current_context().exit(status)

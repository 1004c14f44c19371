"""``cranfield plot``: look at runs, or at what an experiment found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from cranfield.cli._files import Command, FileRead, FileWritten
from cranfield.cli._options import conditions, measures_asked, measures_from, runs_
from cranfield.cli._output import Progress, quietly, say
from cranfield.errors import InputError

if TYPE_CHECKING:
    from cranfield.conditions import Asked
    from cranfield.formats.files import FilePath


class Source(FileRead):
    """Qrels, or a folder of findings, of which every file is read."""

    def files_read(self, value: str) -> Sequence[FilePath]:
        """Name the file, or those in the folder."""
        path = Path(value)
        return sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [value]


def _list(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    """Say which figures there are, and end."""
    del option
    if not asked:
        return
    from cranfield.plots import PLOTS

    rows = [(name, known.source, known.question) for name, known in sorted(PLOTS.items())]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    for name, source, question in rows:
        click.echo(f"{name:<{widths[0]}}  {source:<{widths[1]}}  {question}")
    ctx.exit()


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield plot --list
  cranfield plot leaderboard qrels.txt runs/*.gz -m AP -m nDCG@10 -o leaderboard.html
  cranfield experiment downsampling qrels.txt runs/*.gz --out found
  cranfield plot downsampling found -o downsampling.pdf
""",
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list,
    help="Name the figures, what each is drawn from, and the question that it answers.",
)  # fmt: skip
@click.argument("name")
@click.argument("source", type=Source(), metavar="FINDINGS|QRELS")
@runs_(required=False)
@measures_asked("those of the figure")
@click.option(
    "-o", "--output", required=True, metavar="FILE", type=FileWritten(),
    help="Write there (whole or not at all), as what its suffix says: .html (to point at and to zoom; needs no "
    "network), .png, .svg, .pdf, or .json (for Vega-Lite).",
)  # fmt: skip
@quietly
@conditions()
@measures_from
def command(
    name: str,
    source: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: str,
    quiet: bool,
    **conditions: Unpack[Asked],
) -> None:
    """Draw the figure NAME of FINDINGS, the folder that an experiment wrote, or of RUNS by the judgments in QRELS."""
    from cranfield.plots import plot_named
    from cranfield.plots.figure import format_of

    known = plot_named(name)
    format_of(output)
    if Path(source).is_dir() and not runs:
        from cranfield.experiments import EXPERIMENTS, Findings

        if known.source not in EXPERIMENTS:
            raise InputError(f"{name} is drawn from {known.source}: give QRELS and RUNS, not a folder", source=source)
        given = {"-m": measures, **conditions}
        if any(value is not None and value != () for value in given.values()):
            raise InputError("findings are drawn as they are; measures and conditions are for runs", source=source)
        figure = Findings.read(source, known.source).plot(name)
    elif runs:
        from cranfield.plotting import plot

        with Progress("runs") as progress:
            figure = plot(name, source, list(runs), measures or None, progress=progress, **conditions)
    else:
        raise InputError("qrels alone are not drawn: name RUNS too, or the folder of an experiment", source=source)
    figure.save(output)
    say(figure.description, quiet=quiet)

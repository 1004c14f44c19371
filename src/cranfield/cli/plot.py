"""``cranfield plot`` (look): draw a figure of runs, or of what an experiment found."""

from __future__ import annotations

from pathlib import Path

import click

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead, FileWritten, NamedByOption, files_in, instead
from cranfield.cli._forms import ALSO, OF_FURTHER, TABLE_OF_SCORES, joined, of_scores
from cranfield.cli._kinds import offered
from cranfield.cli._options import (
    CLUSTERS,
    CONDITIONS,
    MEASURES_FROM,
    NAMING,
    argument,
    conditions,
    measures_asked,
    option,
    runs_,
    telling,
)
from cranfield.cli._output import QUIET, draw, say
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Depth

_OF_RUNS = tuple(name for name in CONDITIONS if name not in ("topics", *NAMING))


def _list(ctx: click.Context) -> None:
    """Say which figures there are."""
    from cranfield.plots import PLOTS

    width = max(map(len, PLOTS))
    for name, known in sorted(PLOTS.items()):
        text = f"{known.question} ({known.source})"
        click.echo(click.wrap_text(text, 100, f"{name:<{width}}  ", " " * (width + 2)))


@derived(
    telling("--list", "List the figures, with what each is drawn from and the question it answers.", _list),
    argument("name", shell_complete=offered("cranfield.plots", "PLOTS")),
    instead("--figure", meaning="The figure; its name may also come first, without --figure."),
    argument("source", FileRead(files_in), "FINDINGS|QRELS|TABLE", required=False),
    runs_(required=False),
    TABLE_OF_SCORES,
    CLUSTERS,
    measures_asked("those of the figure"),
    option("-o --output FILE", FileWritten,
           "Output file, written whole or not at all; its suffix sets the format: .html "
           "(interactive; needs no network), .png, .svg, .pdf, or .json (for Vega-Lite or Vega).", required=True),
    option("--print", click.Choice(["column", "page"]),
           "Width for print: the column (8.4 cm) or the page (17.5 cm) of a journal, with letters of "
           "7 to 8 points.", name="width"),
    option("--grey", bool, "Draw in greys: dashes and shapes replace colours."),
    option("--no-title", bool,
           "Omit title and subtitle, and print them on stderr, for the caption of a paper.", name="untitled"),
    option("--topic ID", str, "Draw this topic only."),
    option("--bounds", bool, "Add to a leaderboard what unjudged documents could change."),
    option("--last-rank N", Depth,
           "Last rank of the axis. [default: the cutoff of -m, or --depth; otherwise 20 for curves, and the last "
           "rank of interest for figures of single lists]"),
    option("--n N", Depth,
           "Length to which lists are cut or padded, for figures of single lists. [default: the cutoff of -m, or "
           "1000]"),
    ALSO,
    QUIET,
    conditions(),
    MEASURES_FROM,
    modes=[
        of_scores("source", "also", "bounds", "last_rank", "n", alone_has=("not_run", "clusters")),
        Mode("RUNS", alone_has=("also", "bounds", "last_rank", "n", *_OF_RUNS)),
        Mode("RUNS or --scores", alone_has=("measures", "topic", "topics", *NAMING)),
        OF_FURTHER,
    ],
    cls=NamedByOption,
    examples="""
  cranfield plot --list
  cranfield plot qrels.txt runs/*.gz --figure leaderboard -m AP -m nDCG@10 -o leaderboard.html
  cranfield plot qrels.txt runs/*.gz --figure curves -m DCG@100 --topic 403 -o topic-403.svg
  cranfield plot qrels.txt a.run b.run --figure crp --topic 403 --last-rank 200 -o crp-403.html
  cranfield plot --scores results.csv --figure leaderboard -o leaderboard.svg
  cranfield experiment downsampling qrels.txt runs/*.gz --out found
  cranfield plot found --figure downsampling -o downsampling.pdf --print column --grey
""",
)  # fmt: skip
def command(
    call: Call, name: str, source: str, runs: tuple[str, ...], scores: str | None, measures: tuple[str, ...],
    output: str, width: str | None, grey: bool, untitled: bool, also: tuple[str, ...], quiet: bool,
) -> None:  # fmt: skip
    """Draw the figure NAME of FINDINGS (a folder that an experiment wrote) or of RUNS, judged by QRELS.

    TABLE holds scores, as for `cranfield leaderboard`; leaderboard, rank-intervals, critical-difference, heatmap and
    other figures of scores can be drawn from it. --scores TABLE lets you say how it is laid out.
    """
    from cranfield.plots import plot_named
    from cranfield.plots.figure import format_of

    known = plot_named(name)
    format_of(output)
    if scores is None and not runs and not Path(source).is_dir():
        scores = source
    if scores is not None:
        from cranfield.plotting import plot_table
        from cranfield.scoring.panel import read_scores, scores_of

        figure = call(plot_table, known, lambda: call(scores_of, call(read_scores, scores)))
    elif not runs:
        from cranfield.experiments import EXPERIMENTS, Findings

        if known.source not in EXPERIMENTS:
            raise InputError(f"{name} is drawn from {known.source}: give QRELS and RUNS, not a folder", source=source)
        figure = Findings.read(source, known.source).plot(name)
    else:
        from cranfield.plotting import FIRST, plot_collections
        from cranfield.scoring.judged_runs import JudgedRuns, knowing

        conditions = knowing(measures or None, source, call.only(*CONDITIONS))
        found = joined(source, runs, also, dict(conditions))
        figure = call(plot_collections, known, {FIRST: found} if isinstance(found, JudgedRuns) else found)
    draw(figure.for_print(width, grey=grey, titled=not untitled), output)
    say(f"{figure.description} {figure.subtitle}" if untitled else figure.description, quiet=quiet)

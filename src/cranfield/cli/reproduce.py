"""``cranfield reproduce`` (study measures): redo a paper's tables and figures on your runs."""

from __future__ import annotations

from pathlib import Path
from shlex import join as typed

import click

from cranfield.cli._derived import Call, derived
from cranfield.cli._ending import on_resume
from cranfield.cli._forms import ALSO, joined, name_of
from cranfield.cli._kinds import offered
from cranfield.cli._options import OF_RUNS, argument, conditions, option, qrels_and_runs, telling
from cranfield.cli._output import QUIET, Progress, make_folder, say
from cranfield.plumbing.wording import counted


def _list(ctx: click.Context) -> None:
    """Say which papers there are."""
    from cranfield.reproductions import PAPERS

    width = max(map(len, PAPERS))
    for name, paper in sorted(PAPERS.items()):
        click.echo(f"{name:<{width}}  {paper.title}")
        click.echo(f"{'':<{width}}  {paper.by}")


class _Items(Progress):
    """Says which item begins; below, how far its steps are."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__("steps")
        self.quiet = quiet

    def item(self, number: int, of: int, title: str) -> None:
        """Begin an item, whose steps are counted anew."""
        self.stop()
        super().__init__("steps")
        say(f"{number} of {of}: {title}", quiet=self.quiet)


@derived(
    telling("--list", "List the papers.", _list),
    argument("paper", shell_complete=offered("cranfield.reproductions", "PAPERS")),
    qrels_and_runs(),
    option("-o --out DIR", str,
           "Output folder: report.html, all tables, and the findings of experiments. Finished parts are kept, and "
           "reused while runs, judgments and options stay the same.", name="folder", required=True),
    option("--full", bool, "Include the slow parts, at the size of the paper."),
    ALSO,
    QUIET,
    conditions(*OF_RUNS),
    examples="""
  cranfield reproduce --list
  cranfield reproduce cumulated-gain qrels.txt runs/*.gz -o cumulated-gain
  cranfield reproduce ranking-interruptus dl19/qrels.txt dl19/runs --also trec8=trec8/qrels.txt,trec8/runs -o cut
""",
)  # fmt: skip
def command(
    call: Call, paper: str, qrels: str, runs: tuple[str, ...], folder: str, full: bool, also: tuple[str, ...],
    quiet: bool,
) -> None:  # fmt: skip
    """Redo the tables and figures of PAPER on RUNS and the judgments in QRELS.

    The report has every table and figure that the data allow, with the paper's parameters, and each claim of the paper
    next to what was found; for the others it says why they are missing.
    """
    from cranfield.reproductions import paper_named, reproduce_collections
    from cranfield.reproductions.claims import VERDICTS
    from cranfield.reproductions.reproducing import REPORT_FILE
    from cranfield.reproductions.study import Named
    from cranfield.scoring.judged_runs import JudgedRuns

    known = paper_named(paper)
    report, asked = Path(folder) / REPORT_FILE, call.only(*OF_RUNS)
    make_folder(folder, "report", [report])
    found = joined(qrels, runs, also, asked)
    collections = {name_of(qrels): found} if isinstance(found, JudgedRuns) else found
    on_resume(f"finished parts are kept in {folder}; the same command resumes from there")
    further = [word for text in also for word in ("--also", text)]
    with _Items(quiet=quiet) as items:
        named = Named(typed([qrels]), typed(runs), _asked(asked), typed(further))
        done = reproduce_collections(
            known, collections, named=named, full=full, folder=folder, progress=items.item, steps=items
        )
    hold, fail, unsure = (int((done.claims["verdict"] == passed).sum()) for passed in VERDICTS)
    of = counted(done.claims.height, "claim")
    click.echo(f"{report}: of {of} {hold} hold, {fail} do not, {unsure} cannot be told")


def _asked(asked: dict[str, object]) -> str:
    """Write the conditions as they were given."""
    flags = {parameter.name: parameter.opts[0] for parameter in command.params}
    given = {name: value for name, value in asked.items() if value is not None and value is not False}
    return " ".join(
        str(flags[name]) if value is True else f"{flags[name]} {_number(value)}" for name, value in given.items()
    )


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else typed([str(value)])

"""``cranfield track`` (judge): lead a track from its submissions to its release, step by step."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from cranfield.cli._derived import derived
from cranfield.cli._files import Command
from cranfield.cli._options import argument, option
from cranfield.cli._output import say
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from cranfield.track.track import Track

_FOLDER: Final = argument("folder", click.Path(path_type=Path), "FOLDER")
_QUIET: Final = option("--quiet", bool, "Print the findings, not the files that were updated.")


class TrackSteps(click.Group):
    """The steps stand in the help in their order."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the steps."""
        return list(self.commands)


@click.group(
    "track",
    cls=TrackSteps,
    epilog="""\b
Examples:
  cranfield track demo toy
  cranfield track new mytrack
  cranfield track check mytrack
""",
)
def command() -> None:
    """Run a track from its submissions to its release, step by step.

    A track is a folder with a settings file. Every step can be repeated at any time: it updates whatever its inputs
    have changed, and leaves everything else. A file that somebody has edited is never overwritten.
    """


step = partial(derived, group=command)
"""Make a command of this group."""


@step(_FOLDER, short_help="Begin a track: write its settings.")
def new(folder: Path) -> None:
    """Begin a track: write FOLDER/track.toml, which explains every setting, to be filled in."""
    from cranfield.track.track import Track

    Track.new(folder)
    here = printable(str(folder))
    click.echo(f"{here}/track.toml   the settings: name the track, its topics and its rules")
    click.echo(f"{here}/submissions  for the runs: a folder for each team")
    click.echo(f"Next: cranfield track check {printable(quote(str(folder)))}")


def _step(name: str, short: str, meaning: str) -> None:
    """Make the command of a step that has no options."""

    def run(folder: Path, quiet: bool) -> None:
        _bring(folder, name, quiet=quiet)

    command.add_command(Command(name, params=[_FOLDER, _QUIET], callback=run, help=meaning, short_help=short))


_step(
    "check",
    "Check the runs, and write a letter to each team.",
    "Check every submission in FOLDER against the rules, and write a letter to each team.\n\nA letter says in plain "
    "words what is wrong with a run and how to mend it. A run with an error is rejected: neither pooled nor scored.",
)
_step(
    "pool",
    "Choose the documents to judge.",
    "Choose the documents to judge: one file per topic, in an order that hides their ranks.\n\n[pool] in the settings "
    "sets the method: by depth, team and priority; by method A, B or C within a budget; or as a sample with known "
    "probabilities. Further files show what each run and team contributes, and how long judging will take.",
)


@step(
    _FOLDER,
    option("--sheets", bool, "Also write a page per topic for judging without a server."),
    _QUIET,
    short_help="Make a judging task, and collect the judgments.",
)
def judge(folder: Path, sheets: bool, quiet: bool) -> None:
    """Make a judging task of the pool, and forms for spreadsheets; put all judgments together.

    Judgments are read from the task, and from the files that [judgments] names: forms that were filled in, qrels, or
    logs of judging tasks. Where each grade comes from is kept. What joins the pool later joins the task, too, and no
    judgment is lost.
    """
    _task(_bring(folder, "judge", quiet=quiet), sheets=sheets)


_step(
    "results",
    "Score the runs, and write the results.",
    "Score all accepted runs, and write the results.\n\nThey are official scores as trec_eval prints them; tables; "
    "significance; certain and likely ranks; best, median and worst value of each topic; a sheet for each run; what "
    "only each team found; and a leaderboard for the web.",
)


@step(
    _FOLDER,
    option("--archive", bool, "Also pack the release as .tar.gz."),
    _QUIET,
    short_help="Put the release together.",
)
def release(folder: Path, archive: bool, quiet: bool) -> None:
    """Put everything that others need into FOLDER/release, with a README, digests and a citation file.

    The same inputs give the same bytes, the archive's among them.
    """
    from cranfield.track import road

    track = _bring(folder, "release", quiet=quiet)
    if archive:
        click.echo(f"packed as {printable(str(road.pack(track)))}")


@step(_FOLDER, short_help="Show which step is due.")
def status(folder: Path) -> None:
    """Say how each step of FOLDER stands, and which one is due. Nothing is done."""
    from cranfield.track import road
    from cranfield.track.track import Track

    found = road.standing(Track.read(folder))
    for each in found:
        click.echo(printable(f"{each.step:8} {each.state:6} {each.says}".rstrip()))
    due = next((each.step for each in found if each.state == "due"), None)
    click.echo(f"Next: cranfield track {due} {printable(quote(str(folder)))}" if due else "Everything is up to date.")


@step(
    _FOLDER,
    option("--begin", bool, "Write the settings and submissions only, and leave the steps to you."),
    short_help="Run all steps on simulated data.",
)
def demo(folder: Path, begin: bool) -> None:
    """Write a simulated track into FOLDER, which must be new or empty, and do all its steps.

    One of its submissions is broken, and one came too late for the pool.
    """
    from cranfield.track import road
    from cranfield.track.demonstration import demonstrate

    demonstrate(folder)
    here = printable(quote(str(folder)))
    click.echo(f"Simulated data, not a real track: {printable(str(folder))}/README.txt says how it was made.")
    if begin:
        click.echo(f"Next: cranfield track check {here}")
        return
    for step in road.STEPS:
        click.echo(f"\n$ cranfield track {step} {here}")
        track = _bring(folder, step, quiet=True)
        if step == "judge":
            _task(track, sheets=False)


def _task(track: Track, *, sheets: bool) -> None:
    """Make the judging task of a track, or let it keep up with the pool, and say so."""
    from cranfield.plumbing.errors import InputError
    from cranfield.track import judging_task
    from cranfield.track.pool_step import read_pool

    pool = read_pool(track)
    if sheets and not pool:
        raise InputError("no document is pooled, so there is nothing to put on sheets", source=str(track.folder))
    for line in (*(judging_task.keep(track, pool) if pool else ()), *(judging_task.sheets(track) if sheets else ())):
        click.echo(printable(line))


def _bring(folder: Path, step: str, *, quiet: bool) -> Track:
    """Do a step, and say what was made anew and what it came to."""
    from cranfield.track import road
    from cranfield.track.track import Track

    track = Track.read(folder)
    kept = 0
    for done in road.bring(track, step):
        kept += not done.anew
        if done.anew:
            changed = f"{counted(len(done.changed), 'file')} changed" if done.changed else "nothing changed"
            say(f"made {done.name}: {changed}", quiet=quiet)
    if kept:
        say(f"up to date: {counted(kept, 'part')}", quiet=quiet)
    for line in road.told(track, step):
        click.echo("\n".join(map(printable, line.split("\n"))))
    return track

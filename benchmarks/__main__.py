"""``python -m benchmarks``: time ours and every peer that is installed, and write the table."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmarks import agreement
from benchmarks.lineup import ALL
from benchmarks.process import ROOT, ProcessFailedError
from benchmarks.report import Results, markdown
from benchmarks.sections import put_all
from benchmarks.timing import Workload, take_turns
from benchmarks.workloads import REFERENCE, TINY, make, multiply

if TYPE_CHECKING:
    from benchmarks.contender import Contender

_DESCRIPTIONS = {
    "reference": "The reference work: four measures",
    "all_trec": "trec_eval's whole set of measures",
    "everything": "Every measure there is, in one call",
    "many_runs": "Ten times as many runs: does memory grow?",
    "small": "One small run",
    "help": "Start-up",
}


def plan(names: tuple[str, ...], *, quick: bool) -> list[Workload]:
    """Make the files for the workloads asked for (all, where none is)."""
    size = TINY if quick else REFERENCE
    makers = {
        "reference": lambda: make(size),
        "all_trec": lambda: make(size),
        "everything": lambda: make(size),
        "many_runs": lambda: multiply(size, 2 if quick else 10),
        "small": lambda: make(TINY).first(1),
        "help": lambda: make(TINY).first(1),
    }
    return [Workload(name, _DESCRIPTIONS[name], makers[name]()) for name in names or tuple(makers)]


def run(workloads: list[Workload], contenders: list[Contender], repeat: int, command: str) -> str:
    """Check, time, and give the page."""
    with tempfile.TemporaryDirectory() as scratch:
        # On the smallest files the check costs nothing, so it is made even where the reference work
        # is not asked for.
        checked = next((w for w in workloads if w.name == "reference"), None)
        checked = checked or Workload("reference", _DESCRIPTIONS["reference"], make(TINY))
        found = agreement.check(checked, Path(scratch))
        _say(found)
        present = [contender for contender in contenders if contender.version() is not None]
        results: Results = {
            workload.name: take_turns(workload, present, repeat, Path(scratch), _say) for workload in workloads
        }
    absent = [contender for contender in contenders if contender.version() is None]
    return markdown(workloads, results, absent, found, command)


def _say(line: str) -> None:
    click.echo(line, err=True)


def write(page: str, output: Path) -> None:
    """Write the page whole or not at all."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.{os.getpid()}.partial")
    try:
        partial.write_text(page, encoding="utf-8")
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)


@click.command()
@click.option("--repeat", type=click.IntRange(min=1), default=5, show_default=True, help="Repetitions of each task.")
@click.option(
    "--quick", is_flag=True, help="Use a tiny campaign: says nothing about speed, tests the benchmark itself."
)
@click.option("--only", multiple=True, type=click.Choice(list(_DESCRIPTIONS)), help="One workload; may be repeated.")
@click.option(
    "--contender",
    "chosen",
    multiple=True,
    type=click.Choice([c.name for c in ALL]),
    help="Not all, but this one; may be repeated.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=ROOT / "docs" / "benchmarks.md",
    show_default="docs/benchmarks.md",
    help="Where the table goes.",
)
def main(*, repeat: int, quick: bool, only: tuple[str, ...], chosen: tuple[str, ...], output: Path) -> None:
    """Time cranfield and its peers, each as a whole process, and write a table."""
    command = shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])
    try:
        contenders = [contender for contender in ALL if not chosen or contender.name in chosen]
        page = run(plan(only, quick=quick), contenders, repeat, command)
    except (agreement.DisagreementError, ProcessFailedError) as error:
        raise click.ClickException(str(error)) from error
    write(put_all(page, output.read_text(encoding="utf-8")) if output.exists() else page, output)
    click.echo(page)


if __name__ == "__main__":
    main()

"""``python -m benchmarks``: time ours and every peer that is installed, and write the page."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from benchmarks import agreement, experiments, front, growth, waits
from benchmarks.contenders import peer_trec_eval
from benchmarks.lineup import ALL
from benchmarks.process import ROOT, ProcessFailedError
from benchmarks.report import section
from benchmarks.sections import PAGE, heading, load, today, write_section
from benchmarks.timing import Patience, Workload, take_turns
from benchmarks.workloads import MANY_TOPICS, REFERENCE, SHORT, TINY, Files, Size, converted, make, multiply, real

TINY_STUDIED = Size(systems=16, topics=50, depth=20, pool_depth=20)
QUICK = ("short", "topics", "small", "help")


def workloads(data: Path | None, *, tiny: bool) -> dict[str, tuple[str, Callable[[], Files | None]]]:
    """Say what is asked for, and of which files; these are made when they are wanted."""
    size, short, topics = (TINY, TINY, TINY) if tiny else (REFERENCE, SHORT, MANY_TOPICS)
    return {
        "reference": ("means", lambda: make(size)),
        "trec8": ("means", lambda: None if data is None else real(data, "trec8-adhoc")),
        "covid": ("means", lambda: None if data is None else real(data, "covid-round1")),
        "short": ("means", lambda: make(short)),
        "topics": ("means", lambda: make(topics)),
        "packed": ("packed", lambda: converted(make(size), ".gz")),
        "parquet": ("parquet", lambda: converted(make(size).first(16), ".parquet")),
        "all_trec": ("all_trec", lambda: make(size)),
        "everything": ("everything", lambda: make(size)),
        "many_runs": ("many", lambda: multiply(size, 2 if tiny else 10)),
        "small": ("means", lambda: make(TINY).first(1)),
        "help": ("help", lambda: make(TINY).first(1)),
    }


class Page:
    """What is measured, section by section; each is written when it is done.

    Parameters
    ----------
    output
        The page; without it, sections are only printed.
    """

    def __init__(self, output: Path | None, patience: Patience, data: Path | None, *, tiny: bool) -> None:
        self.output, self.patience, self.data, self.tiny = output, patience, data, tiny
        self.timed = workloads(data, tiny=tiny)

    def names(self) -> list[str]:
        """Name all sections that are measured here."""
        return [*self.timed, "growth", "memory", "waits", "experiments"]

    def measure(self, name: str, scratch: Path) -> None:
        """Measure a section, print it, and put it into the page."""
        new = self._section(name, scratch)
        if new is None:
            _say(f"{name}: the runs are not there (--data)")
            return
        if self.output is not None:
            write_section(new, self.output)
            if self.output == PAGE:
                front.write()
        click.echo(new)

    def _section(self, name: str, scratch: Path) -> str | None:
        remark = today(load())
        if name == "growth":
            sizes = [(5, 4, 10), (5, 6, 10)] if self.tiny else growth.SIZES
            return growth.section(sizes, self.patience.few(), scratch, remark, _say)
        if name == "memory":
            return f"{heading('memory')}\n\n{_MEMORY} {remark}\n\n{_in_memory(tiny=self.tiny)}"
        if name == "waits":
            files = make(TINY_STUDIED if self.tiny else SHORT)
            return waits.section(None if self.tiny else self.data, files, scratch, remark, _say)
        if name == "experiments":
            files = make(TINY_STUDIED if self.tiny else SHORT)
            return experiments.section(files, self.patience.few(), scratch, remark, _say)
        work, made = self.timed[name]
        found = made()
        if found is None:
            return None
        workload = Workload(name, work, found)
        remarks = [remark]
        if name == "reference":
            remarks.append(agreement.check(workload, scratch))
        there = [contender for contender in ALL if contender.version() is not None]
        measured = take_turns(workload, there, self.patience, scratch, _say)
        return section(workload, measured, [each for each in ALL if each not in there], remarks)


_MEMORY = (
    "Function calls in one process, in turns whose order is drawn, one thread: RR@10, nDCG@10 and R@1000. Judgments "
    "are ready on both sides, where the row does not say otherwise. In a loop, a turn is ten calls. Times are "
    "medians, and goals those of CPU."
)


def _in_memory(*, tiny: bool) -> str:
    """Measure in a process of its own: this one has to stay small."""
    command = [sys.executable, "-m", "benchmarks.in_memory", *(["--tiny"] if tiny else [])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ProcessFailedError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def _say(line: str) -> None:
    click.echo(line, err=True)


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="This section alone; may be repeated.")
@click.option("--quick", is_flag=True, help=f"A few sections ({', '.join(QUICK)}), some seconds each, printed only.")
@click.option(
    "--sizes",
    type=click.Choice(["full", "tiny"]),
    default="full",
    show_default=True,
    help="Tiny files say nothing about speed: they test the benchmark itself.",
)
@click.option("--turns", type=click.IntRange(1), default=11, show_default=True, help="Turns of each workload at most.")
@click.option(
    "--seconds",
    type=click.FloatRange(0),
    default=180,
    show_default=True,
    help="After so many, a workload takes no more turns than its first three.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="CRANFIELD_DATA",
    help="Folder with real runs, in trec8-adhoc, covid-round1 and dl19-passage. [default: CRANFIELD_DATA in the "
    "environment]",
)
@click.option(
    "--trec-eval",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="TREC_EVAL_SOURCES",
    help="Folder with trec_eval-9.0.8.tar.gz and trec_eval-10.0.tar.gz, which are compiled once. [default: "
    "TREC_EVAL_SOURCES in the environment]",
)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), default=PAGE, show_default="docs/benchmarks.md",
    help="The page whose sections are replaced.",
)  # fmt: skip
def main(
    *,
    only: tuple[str, ...],
    quick: bool,
    sizes: str,
    turns: int,
    seconds: float,
    data: Path | None,
    trec_eval: Path | None,
    output: Path,
) -> None:
    """Time cranfield and its peers, each as a whole process, and write the page."""
    patience = Patience(3, 5) if quick else Patience(turns, seconds)
    page = Page(None if quick else output, patience, data, tiny=sizes == "tiny")
    unknown = set(only) - {*page.names()}
    if unknown:
        raise click.BadParameter(f"{', '.join(sorted(unknown))}; there are {', '.join(page.names())}")
    try:
        if trec_eval is not None:
            peer_trec_eval.build(trec_eval)
        with tempfile.TemporaryDirectory() as scratch:
            for name in only or (QUICK if quick else page.names()):
                page.measure(name, Path(scratch))
    except (agreement.DisagreementError, experiments.DisagreementError, ProcessFailedError) as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()

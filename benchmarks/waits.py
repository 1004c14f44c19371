"""How long people wait: for a report, for a first figure, and for each experiment on 129 runs."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks.process import ROOT, ProcessFailedError, run_in_turn
from benchmarks.report import cells
from benchmarks.sections import heading, verdict
from benchmarks.workloads import real

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchmarks.workloads import Files

REPORTS: Final = {"dl19-passage": 3.4, "covid-round1": 6.2}
"""Half of what the reports of these runs took at `FORMERLY`, in seconds, on the AMD EPYC of the page."""
FORMERLY: Final = "1b4b212f"
FIGURES: Final = {"html": 1.0, "svg": 1.0}
EXPERIMENT: Final = 5.0
LONGEST: Final = 30
"""A command that takes more seconds of the processors is ended."""
TURNS: Final = 3
_EXPERIMENTS: Final = """
import inspect, json
from cranfield.experiments import EXPERIMENTS
found = {name: "work" in inspect.signature(each.function).parameters for name, each in EXPERIMENTS.items()}
print(json.dumps(found))
"""
_ENGINE: Final = "import vl_convert; vl_convert.vega_to_svg({'marks': []})"
_ENDED: Final = "ended by the clock"
_LIMITED: Final = f'(ulimit -t {{}}; exec "$@"); status=$?; [ $status -lt 128 ] || echo {_ENDED} >&2; exit $status'
"""The limit is the command's alone: a shell that had it could be ended before it says so."""
OTHER_FILES: Final = ("assessors", "axioms", "calibration", "outcome")
"""Experiments that take other files than runs and judgments, or none."""


@dataclass(frozen=True)
class Wait:
    """A command, and how long it may take."""

    what: str
    command: list[str]
    goal: float
    bar: bool = False
    """Whether it shows how far it is."""
    turns: int = TURNS

    def row(self, scratch: Path, say: Callable[[str], None]) -> str:
        """Measure, and write the row."""
        limited = ["sh", "-c", _LIMITED.format(LONGEST), "sh", sys.executable, "-m", "cranfield"]
        taken, shown = list[float](), ""
        try:
            for _ in range(self.turns):
                taken.append(run_in_turn([[*limited, *self.command]], scratch / "waits.stdout").processor)
            seconds = statistics.median(taken)
            shown = f"{seconds:.2f} s"
        except ProcessFailedError as error:
            if str(error) != _ENDED:
                raise
            seconds, shown = float("inf"), f"more than {LONGEST} s"
        say(f"{self.what}: {shown}")
        slow = "a progress bar" if self.bar else verdict(reached=False)
        return cells(self.what, shown, f"{self.goal:g} s", verdict(reached=True) if seconds <= self.goal else slow)


def waits(data: Path | None, files: Files, scratch: Path) -> list[Wait]:
    """Name everything that is timed; real runs only where they are."""
    found = []
    for name, goal in REPORTS.items():
        if data is None or (there := real(data, name)) is None:
            continue
        what = f"`cranfield report`, {len(there.runs)} runs of {name}"
        page = str(scratch / "report.html")
        found.append(Wait(what, ["report", there.qrels, *there.runs, "-o", page], goal, bar=True))
        for kind, longest in FIGURES.items() if name == "dl19-passage" else ():
            figure = ["plot", "leaderboard", there.qrels, *there.runs, "-o", str(scratch / f"figure.{kind}")]
            found.append(Wait(f"`cranfield plot leaderboard`, {len(there.runs)} runs, .{kind}", figure, longest))
    for name, bar in _experiments().items():
        command = ["experiment", name, files.qrels, *files.runs]
        found.append(Wait(f"`cranfield experiment {name}`", command, EXPERIMENT, bar, turns=1))
    return found


def _experiments() -> dict[str, bool]:
    """Return the experiments with runs alone, and which of them show how far they are."""
    asked = [sys.executable, "-c", _EXPERIMENTS]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name: bar for name, bar in sorted(json.loads(done.stdout).items()) if name not in OTHER_FILES}


def section(data: Path | None, files: Files, scratch: Path, remark: str, say: Callable[[str], None]) -> str:
    """Measure, and write the section."""
    rows = [wait.row(scratch, say) for wait in waits(data, files, scratch)]
    engine = run_in_turn([[sys.executable, "-c", _ENGINE]], scratch / "waits.stdout").processor
    lines = [
        heading("waits"),
        "",
        "Whole processes, with what the command does where nothing else is asked. Times are of the processors: the "
        f"median of {TURNS} turns, or one of an experiment. A report is to take half of what it took at commit "
        f"{FORMERLY}. An experiment, here on {len(files.runs)} runs and {files.lines:,} retrieved documents, is to be "
        f"done within {EXPERIMENT:g} s, or to show how far it is: what takes longer goes over the runs hundreds of "
        f"times, with other pools, topics, signs or thresholds. Of a figure as .svg, {engine:.2f} s are the start of "
        f"Vega in vl-convert alone. Commands are ended after {LONGEST} s. {remark}",
        "",
        "| wait | CPU | goal | |",
        "|---|--:|--:|---|",
        *rows,
    ]
    return "\n".join(lines) + "\n"

"""Sections of the page: a table for each workload, and what was meant to be reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.contenders.peer_numpy import NUMPY
from benchmarks.lineup import OURS
from benchmarks.sections import heading, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.contender import Contender
    from benchmarks.timing import Measurement, Workload


@dataclass(frozen=True)
class Faster:
    """A contender is to take at least this many times as long as ours."""

    contender: str
    times: float
    ours: str = OURS.name

    def row(self, ours: Measurement, others: dict[str, Measurement]) -> tuple[str, str, str, bool] | None:
        """Say what is meant, the goal, what was measured, and whether that is it."""
        del ours
        if not {self.contender, self.ours} <= others.keys():
            return None
        found, _ = others[self.contender].times(others[self.ours])
        said = f"{self.ours}: times as fast as {self.contender}"
        return said, f"{self.times:g}", f"{found:.1f}", found >= self.times


@dataclass(frozen=True)
class Least:
    """What is the least there can be, and how many seconds more are allowed."""

    contender: str
    more: float

    def row(self, ours: Measurement, others: dict[str, Measurement]) -> tuple[str, str, str, bool] | None:
        """Say what is meant, the goal, what was measured, and whether that is it."""
        if self.contender not in others:
            return None
        found = ours.seconds - others[self.contender].seconds
        return f"seconds more than {self.contender}", f"at most {self.more:g}", f"{found:.3f}", found <= self.more


@dataclass(frozen=True)
class Within:
    """Ours is to take no more than this: of ``seconds`` or ``megabytes``."""

    what: str
    most: float

    def row(self, ours: Measurement, others: dict[str, Measurement]) -> tuple[str, str, str, bool] | None:
        """Say what is meant, the goal, what was measured, and whether that is it."""
        del others
        found = float(getattr(ours, self.what))
        return self.what, f"at most {self.most:g}", f"{found:.{3 if found < 1 else 1}f}", found <= self.most


Goal = Faster | Least | Within
TREC_EVAL = "trec_eval 9.0.8"
GOALS: dict[str, tuple[Goal, ...]] = {
    "reference": (
        Faster("pytrec_eval", 7),
        Faster(TREC_EVAL, 12),
        Faster("pytrec_eval", 3, "cranfield in Python"),
        Within("megabytes", 250),
    ),
    "short": (Faster("pytrec_eval", 2.5),),
    "packed": (Faster("pytrec_eval", 4),),
    "all_trec": (Faster(TREC_EVAL, 4), Within("megabytes", 300)),
    "many_runs": (Within("megabytes", 250),),
    "small": (Within("seconds", 0.2), Least(NUMPY.name, 0.03)),
    "help": (Within("seconds", 0.05), Least("click", 0.02)),
}


def section(
    workload: Workload, measurements: Sequence[Measurement], absent: Sequence[Contender], remarks: Sequence[str] = ()
) -> str:
    """Write the section of a workload; the remarks stand below what was measured."""
    done = {m.contender.name: m for m in measurements if m.done}
    ours = done.get(OURS.name)
    rows = [_row(measurement, ours) for measurement in measurements]
    missing = [contender.name for contender in absent if workload.work in contender.computes]
    turns = max((len(m.usages) for m in measurements), default=0)
    said = " ".join([_size(workload), f"{turns} turn{'s'[: turns != 1]}.", *remarks, *_floor(ours, done)])
    said += f" Not installed: {', '.join(missing)}." if missing else ""
    table = ["| contender | time | spread | CPU | memory | ratio | ratio of CPU | computes |", f"|---|{'--:|' * 6}---|"]
    lines = [heading(workload.name), "", said, "", *table, *rows]
    asked = [goal.row(ours, done) for goal in GOALS.get(workload.name, ())] if ours else []
    goals = [cells(what, goal, found, verdict(reached)) for what, goal, found, reached in filter(None, asked)]
    if goals:
        lines += ["", "| | goal | measured | |", "|---|--:|--:|---|", *goals]
    return "\n".join(lines) + "\n"


def _floor(ours: Measurement | None, others: dict[str, Measurement]) -> list[str]:
    """Say how much of our time is the start of Python and numpy, and what a goal can be at most for it."""
    start = others.get(NUMPY.name)
    if ours is None or start is None:
        return []
    faster = [goal for goal in GOALS.get(ours.workload.name, ()) if isinstance(goal, Faster) and goal.ours == OURS.name]
    most = [
        f"{others[goal.contender].times(start)[0]:.1f} times as fast as {goal.contender}"
        for goal in faster
        if goal.contender in others
    ]
    bound = f"; with no other work at all, it would be {' and '.join(most)}" if most else ""
    return [
        f"Of cranfield's time, {start.seconds / ours.seconds:.0%} goes by while Python starts and loads numpy{bound}."
    ]


def _size(workload: Workload) -> str:
    if workload.work == "help":
        return "No file is read."
    files = workload.files
    runs = "1 run" if len(files.runs) == 1 else f"{len(files.runs):,} runs"
    return f"{runs}, {files.lines:,} retrieved documents, {files.judgments:,} judgments."


def _row(measurement: Measurement, ours: Measurement | None) -> str:
    contender = measurement.contender
    name, note = f"{contender.name} {contender.version()}", contender.computes[measurement.workload.work]
    if measurement.failure is not None:
        return cells(name, "failed", "", "", "", "", "", measurement.failure.replace("|", "\\|"))
    if contender.most_repetitions is not None:
        note += f"; at most {contender.most_repetitions} turn{'s'[: contender.most_repetitions != 1]}"
    ratios = [f"{ratio:.2f}" for ratio in measurement.times(ours)] if ours else ["", ""]
    time, cpu, *spread = map(_seconds, (measurement.seconds, measurement.processor, *measurement.spread))
    return cells(name, f"{time} s", "–".join(spread), f"{cpu} s", f"{measurement.megabytes:.0f} MB", *ratios, note)


def _seconds(seconds: float) -> str:
    return f"{seconds:.{2 if seconds >= 0.1 else 3}f}"


def cells(*each: str) -> str:
    """Lay out a row of a table."""
    return f"| {' | '.join(each)} |"

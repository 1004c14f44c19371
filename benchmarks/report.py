"""The table: Markdown, with everything a reader needs to judge or repeat it."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.contender import Contender, installed
from benchmarks.lineup import OURS
from benchmarks.timing import Measurement, Workload

if TYPE_CHECKING:
    from collections.abc import Sequence

# (workload, peer, how many times as fast ours is meant to be)
SPEED_GOALS = (
    ("reference", "trec_eval", 7.0),
    ("reference", "pytrec_eval", 7.0),
    ("all_trec", "trec_eval", 8.0),
)
# (workload, what is limited, the limit)
OWN_GOALS = (
    ("reference", "megabytes", 700.0),
    ("many_runs", "megabytes", 700.0),
    ("small", "seconds", 0.25),
)

# (workload, and how many times the time of which other it may take)
RELATIVE_GOALS = (("everything", "reference", 6.0),)
# (workload, the peer that is the least there can be, how many seconds more it may take)
LEAST_GOALS = (("help", "click", 0.02),)

Results = dict[str, list[Measurement]]


def markdown(
    workloads: Sequence[Workload], results: Results, absent: Sequence[Contender], agreement: str, command: str
) -> str:
    """Write the whole page."""
    parts = [
        "# Benchmarks",
        f"Made by `{command}` from the repository root. Each figure is for a whole process, from files to table; the "
        f"contenders take turns. *Time* is the median of {_repetitions(results)} repetitions, "
        "*spread* the shortest and the longest, *ratio* how many times as long as cranfield, "
        "*memory* the highest resident set of a process. The data is simulated.",
        agreement,
        *(_section(workload, results[workload.name], absent) for workload in workloads),
        _goals(results),
        _conditions(),
    ]
    return "\n\n".join(parts) + "\n"


def _repetitions(results: Results) -> int:
    return max((len(m.usages) for measurements in results.values() for m in measurements), default=0)


def _section(workload: Workload, measurements: list[Measurement], absent: Sequence[Contender]) -> str:
    ours = next((m for m in measurements if m.contender is OURS and m.done), None)
    rows = [_row(measurement, ours) for measurement in measurements]
    rows += [_cells(c.name, "not installed", "", "", "", "") for c in absent if workload.name in c.workloads]
    table = [
        "| contender | time | spread | ratio | memory | computes |",
        "|---|--:|--:|--:|--:|---|",
        *rows,
    ]
    return "\n".join([f"## {workload.title}", "", _size(workload), "", *table])


def _size(workload: Workload) -> str:
    if workload.name == "help":
        return "No file is read."
    files = workload.files
    runs = "1 run" if len(files.runs) == 1 else f"{len(files.runs):,} runs"
    return f"{runs}, {files.lines:,} retrieved documents, {files.judgments:,} judgments."


def _row(measurement: Measurement, ours: Measurement | None) -> str:
    name = f"{measurement.contender.name} {measurement.contender.version()}"
    note = measurement.contender.notes.get(measurement.workload.name, "")
    if measurement.failure is not None:
        return _cells(name, "failed", "", "", "", _escape(measurement.failure))
    shortest, longest = measurement.spread
    time, memory = f"{measurement.seconds:.2f} s", f"{measurement.megabytes:.0f} MB"
    if measurement.contender.most_repetitions is not None:
        note += f"; at most {measurement.contender.most_repetitions} repetitions"
    ratio = f"{measurement.seconds / ours.seconds:.1f}" if ours else ""
    return _cells(name, time, f"{shortest:.2f}–{longest:.2f}", ratio, memory, note)


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


def _goals(results: Results) -> str:
    rows = [_speed_goal(results, *goal) for goal in SPEED_GOALS] + [_own_goal(results, *goal) for goal in OWN_GOALS]
    rows += [_relative_goal(results, *goal) for goal in RELATIVE_GOALS]
    rows += [_least_goal(results, *goal) for goal in LEAST_GOALS]
    return "\n".join(["## Goals", "", "| | goal | measured | |", "|---|--:|--:|---|", *rows])


def _speed_goal(results: Results, workload: str, peer: str, goal: float) -> str:
    what = f"{workload}: times as fast as {peer}"
    ours, theirs = _of(results, workload, OURS.name), _of(results, workload, peer)
    if ours is None or theirs is None:
        return _cells(what, f"{goal:g}", "", "not measured")
    ratio = theirs.seconds / ours.seconds
    return _cells(what, f"{goal:g}", f"{ratio:.1f}", _verdict(ratio >= goal))


def _own_goal(results: Results, workload: str, what: str, limit: float) -> str:
    ours = _of(results, workload, OURS.name)
    goal = f"under {limit:g}"
    if ours is None:
        return _cells(f"{workload}: {what}", goal, "", "not measured")
    value = float(getattr(ours, what))
    return _cells(f"{workload}: {what}", goal, f"{value:.2f}", _verdict(value < limit))


def _relative_goal(results: Results, workload: str, other: str, limit: float) -> str:
    what = f"{workload}: times as long as {other}"
    ours, reference = _of(results, workload, OURS.name), _of(results, other, OURS.name)
    if ours is None or reference is None:
        return _cells(what, f"at most {limit:g}", "", "not measured")
    ratio = ours.seconds / reference.seconds
    return _cells(what, f"at most {limit:g}", f"{ratio:.1f}", _verdict(ratio <= limit))


def _least_goal(results: Results, workload: str, peer: str, limit: float) -> str:
    what = f"{workload}: seconds more than {peer}"
    ours, least = _of(results, workload, OURS.name), _of(results, workload, peer)
    if ours is None or least is None:
        return _cells(what, f"at most {limit:g}", "", "not measured")
    more = ours.seconds - least.seconds
    return _cells(what, f"at most {limit:g}", f"{more:.3f}", _verdict(more <= limit))


def _of(results: Results, workload: str, name: str) -> Measurement | None:
    measurements = results.get(workload, [])
    return next((m for m in measurements if m.contender.name == name and m.done), None)


def _verdict(reached: bool) -> str:
    return "reached" if reached else "**missed**"


def _conditions() -> str:
    machine = f"{_processor()}, {os.cpu_count()} cores, {_memory()}, {platform.system()} {platform.machine()}"
    return f"Machine: {machine}. Python {platform.python_version()}. {_libraries()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "unknown processor"


def _memory() -> str:
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return "unknown memory"
    return f"{total / 1024**3:.0f} GB"


def _libraries() -> str:
    return "Libraries: " + ", ".join(f"{name} {installed(name)() or 'absent'}" for name in ("numpy", "polars")) + "."

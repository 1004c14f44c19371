"""Letting contenders take turns at a workload."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.contender import Contender, Task
from benchmarks.process import ProcessFailedError, Usage, run_in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from benchmarks.workloads import Files

FEWEST_TURNS = 3


@dataclass(frozen=True)
class Workload:
    """A piece of work for all contenders that can do it."""

    name: str
    work: str
    files: Files


@dataclass
class Measurement:
    """What one contender took for one workload: a usage for each turn, or the reason why there is none."""

    contender: Contender
    workload: Workload
    usages: list[Usage] = field(default_factory=list)
    failure: str | None = None

    @property
    def done(self) -> bool:
        """Whether there is something to report."""
        return self.failure is None and bool(self.usages)

    @property
    def seconds(self) -> float:
        """The median time by the clock."""
        return statistics.median(usage.seconds for usage in self.usages)

    @property
    def processor(self) -> float:
        """The median time of the processors."""
        return statistics.median(usage.processor for usage in self.usages)

    @property
    def spread(self) -> tuple[float, float]:
        """The shortest and the longest time by the clock."""
        times = [usage.seconds for usage in self.usages]
        return min(times), max(times)

    @property
    def megabytes(self) -> float:
        """The highest peak of memory."""
        return max(usage.megabytes for usage in self.usages)

    def times(self, other: Measurement) -> tuple[float, float]:
        """Say how many times as long it takes as another, by the clock and of the processors: medians over turns."""
        pairs = list(zip(self.usages, other.usages, strict=False))  # of the turns that both took
        wall = statistics.median(mine.seconds / theirs.seconds for mine, theirs in pairs)
        return wall, statistics.median(mine.processor / max(theirs.processor, 1e-3) for mine, theirs in pairs)


@dataclass(frozen=True)
class Patience:
    """How many turns to take at most, and after how many seconds none but the first few (`FEWEST_TURNS`) begins."""

    turns: int
    seconds: float

    def few(self) -> Patience:
        """Return the patience for the first few turns alone."""
        return Patience(min(self.turns, FEWEST_TURNS), self.seconds)

    def lasts(self, turn: int, began: float) -> bool:
        """Say whether one more turn is taken."""
        late = time.perf_counter() - began > self.seconds
        return turn < (min(self.turns, FEWEST_TURNS) if late else self.turns)


def take_turns(
    workload: Workload,
    contenders: Iterable[Contender],
    patience: Patience,
    scratch: Path,
    say: Callable[[str], None] = print,
) -> list[Measurement]:
    """Time every contender that can do the work, in turns, so that a slow minute hits them all."""
    able = [c for c in contenders if workload.work in c.computes and c.version() is not None]
    measurements = [Measurement(contender, workload) for contender in able]
    turn, began = 0, time.perf_counter()
    while patience.lasts(turn, began):
        for measurement in measurements:
            if measurement.failure is None and turn < (measurement.contender.most_repetitions or patience.turns):
                _take_one(measurement, scratch)
                say(f"{workload.name} {turn + 1} {measurement.contender.name}: {_outcome(measurement)}")
        turn += 1
    return measurements


def _take_one(measurement: Measurement, scratch: Path) -> None:
    try:
        usage = do(measurement.contender, measurement.workload, scratch)
    except ProcessFailedError as error:
        measurement.failure = str(error)
    else:
        measurement.usages.append(usage)


def _outcome(measurement: Measurement) -> str:
    if measurement.failure is not None:
        return f"failed: {measurement.failure}"
    return f"{measurement.usages[-1].seconds:.2f} s"


def do(contender: Contender, workload: Workload, scratch: Path) -> Usage:
    """Let a contender do the work once; what it found is left in the file that :func:`output_of` names."""
    output = output_of(contender, workload, scratch)
    task = Task(workload.work, workload.files.qrels, workload.files.runs, str(output))
    # A contender that writes the output itself must not find it open as its standard output.
    return run_in_turn(contender.processes(task), output.with_suffix(".stdout"))


def output_of(contender: Contender, workload: Workload, scratch: Path) -> Path:
    """Name the file for what a contender found: written by itself, or else its standard output beside it."""
    return scratch / f"{workload.name}-{contender.name}.csv"

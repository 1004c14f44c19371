"""Running processes, and what they take: time by the clock and of the processors, and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Usage:
    """What a task took.

    Attributes
    ----------
    seconds
        By the clock.
    processor
        Of all processors together, in seconds.
    megabytes
        The most memory that one of its processes held.
    """

    seconds: float
    processor: float
    megabytes: float


class ProcessFailedError(Exception):
    """A process ended with an error."""


def run_in_turn(commands: list[list[str]], output: Path, more: dict[str, str] | None = None) -> Usage:
    """Run processes one after the other, their standard output going to one file.

    ``more`` is added to their environment. The memory is that of the largest process. Linux counts the
    memory of the process that starts another as the other's until the new program is loaded, so what
    runs this has to stay small: no numpy, no polars.
    """
    # What is installed has been compiled; where Python is told not to keep that, it compiles anew.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= more or {}
    peak = processor = 0.0
    with output.open("wb") as file:
        began = time.perf_counter()
        for command in commands:
            memory, cpu = _run(command, file.fileno(), environment)
            peak, processor = max(peak, memory), processor + cpu
        return Usage(time.perf_counter() - began, processor, peak)


def _run(command: list[str], output: int, environment: dict[str, str]) -> tuple[float, float]:
    with TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=ROOT, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines()
            raise ProcessFailedError(said[-1] if said else f"exit status {process.returncode}")
    memory = usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
    return memory, usage.ru_utime + usage.ru_stime

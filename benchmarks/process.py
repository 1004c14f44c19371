"""Running a process and taking its time and its peak memory."""

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
    """How long a task took and the most memory that one of its processes held."""

    seconds: float
    megabytes: float


class ProcessFailedError(Exception):
    """A contender's process ended with an error."""


def run_in_turn(commands: list[list[str]], output: Path) -> Usage:
    """Run processes one after the other, their standard output going to one file.

    The peak is that of the largest process. Linux counts the memory of the process that starts
    another as the other's until the new program is loaded, so what runs this has to stay small: no
    numpy, no polars.
    """
    peak = 0.0
    with output.open("wb") as file:
        started = time.perf_counter()
        for command in commands:
            peak = max(peak, _run(command, file.fileno()))
        return Usage(time.perf_counter() - started, peak)


def _run(command: list[str], output: int) -> float:
    # What is installed has been compiled; where Python is told not to keep that, it compiles anew.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
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
    return usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)

"""What a contender is: a tool that takes qrels and runs, and how to start it.

Contenders' own processes import this module, so it imports next to nothing.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Task:
    """One piece of work: files in, a table out.

    Attributes
    ----------
    work
        What is asked for: ``means`` of a few measures as data, the same of runs that are ``packed`` by
        gzip, in ``parquet``, or ``many``, more than peers are asked for; ``all_trec`` by topic,
        ``everything``, or ``help``.
    """

    work: str
    qrels: str
    runs: Sequence[str]
    output: str


@dataclass(frozen=True)
class Contender:
    """A tool, and the processes that do the work."""

    name: str
    version: Callable[[], str | None]
    """The installed version, or None where it is not installed."""
    processes: Callable[[Task], list[list[str]]]
    """The command lines that do a task, one after the other; their standard output goes to the task's output."""
    computes: dict[str, str]
    """The work that it can do, and what a reader should know about what is computed."""
    most_repetitions: int | None = None
    """How often to time it at most, where it takes long."""


def installed(distribution: str) -> Callable[[], str | None]:
    """Give the version of a Python package, or None where it is not installed."""

    def version() -> str | None:
        try:
            return metadata.version(distribution)
        except metadata.PackageNotFoundError:
            return None

    return version


def python_process(module: str) -> Callable[[Task], list[list[str]]]:
    """Start ``python -m module WORK QRELS RUN...``."""

    def processes(task: Task) -> list[list[str]]:
        return [[sys.executable, "-m", module, task.work, task.qrels, *task.runs]]

    return processes

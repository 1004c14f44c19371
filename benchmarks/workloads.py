"""The files that are evaluated: simulated campaigns, made once and kept in ``benchmarks/simulated/``.

Delete that folder after a change to the simulation. ``python -m benchmarks.workloads ...`` makes
one campaign: it has a process of its own so that the one that takes the times stays small (see
:func:`benchmarks.process.run_in_turn`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import ROOT

WORK = ROOT / "benchmarks" / "simulated"


@dataclass(frozen=True)
class Size:
    """The parameters of a campaign."""

    systems: int
    topics: int
    depth: int
    pool_depth: int
    seed: int = 7

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        name = f"{self.systems}x{self.topics}x{self.depth}-pool{self.pool_depth}-seed{self.seed}"
        return WORK / name


# With this pool depth there are about 122,000 judgments.
REFERENCE = Size(systems=129, topics=50, depth=1000, pool_depth=117)
TINY = Size(systems=5, topics=4, depth=50, pool_depth=10)


@dataclass(frozen=True)
class Files:
    """A campaign on disk; paths are relative to the repository root, to keep command lines short."""

    qrels: str
    runs: tuple[str, ...]

    @property
    def judgments(self) -> int:
        """How many documents are judged."""
        return _count_lines([self.qrels])

    @property
    def lines(self) -> int:
        """How many documents the runs hold together."""
        return _count_lines(self.runs)

    def first(self, runs: int) -> Files:
        """Give the same judgments with the first few runs only."""
        return Files(self.qrels, self.runs[:runs])


def _count_lines(files: tuple[str, ...] | list[str]) -> int:
    return sum((ROOT / file).read_bytes().count(b"\n") for file in files)


def make(size: Size) -> Files:
    """Make a campaign, unless it is there: it is written whole or not at all, so what is there is complete."""
    if not size.folder.exists():
        values = [size.systems, size.topics, size.depth, size.seed, size.pool_depth]
        command = [sys.executable, "-m", "benchmarks.workloads", str(size.folder), *map(str, values)]
        subprocess.run(command, cwd=ROOT, check=True)
    return _files(size.folder / "qrels.txt", size.folder / "runs")


def multiply(size: Size, times: int) -> Files:
    """Give each run of a campaign several names, by links that take no room on the disk."""
    original = make(size)
    folder = size.folder.with_name(f"{size.folder.name}-times-{times}")
    folder.mkdir(exist_ok=True)
    for run in original.runs:
        for copy in range(1, times + 1):
            _link(ROOT / run, folder / f"{Path(run).stem}-{copy}.txt")
    return _files(size.folder / "qrels.txt", folder)


def _link(original: Path, name: Path) -> None:
    if name.exists() and name.samefile(original):
        return
    name.unlink(missing_ok=True)
    try:
        name.hardlink_to(original)
    except OSError:
        name.symlink_to(original)


def _files(qrels: Path, runs: Path) -> Files:
    return Files(_relative(qrels), tuple(_relative(run) for run in sorted(runs.glob("*.txt"))))


def _relative(path: Path) -> str:
    return os.path.relpath(path, ROOT)


def _build(folder: str, *values: str) -> None:
    from cranfield.campaigns import simulate, write_campaign

    systems, topics, depth, seed, pool_depth = map(int, values)
    write_campaign(simulate(systems, topics, depth, seed, pool_depth=pool_depth), folder)


if __name__ == "__main__":
    _build(*sys.argv[1:])

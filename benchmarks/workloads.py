"""The files that are evaluated: simulated campaigns and real ones, kept in ``benchmarks/simulated/``.

Delete that folder after a change to the simulation. ``python -m benchmarks.workloads ...`` makes
files: it has a process of its own so that the one that takes the times stays small (see
:func:`benchmarks.process.run_in_turn`).
"""

from __future__ import annotations

import gzip
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
SHORT = Size(systems=129, topics=50, depth=100, pool_depth=100)
MANY_TOPICS = Size(systems=16, topics=1000, depth=10, pool_depth=5)
TINY = Size(systems=5, topics=4, depth=50, pool_depth=10)


@dataclass(frozen=True)
class Files:
    """A campaign on disk; paths are relative to the repository root, to keep command lines short."""

    qrels: str
    runs: tuple[str, ...]
    text: tuple[str, ...] = ()
    """The same runs as text, where they are something else."""

    @property
    def judgments(self) -> int:
        """How many documents are judged."""
        return _count_lines([self.qrels])

    @property
    def lines(self) -> int:
        """How many documents the runs hold together."""
        return _count_lines(self.text or self.runs)

    def first(self, runs: int) -> Files:
        """Give the same judgments with the first few runs only."""
        return Files(self.qrels, self.runs[:runs], self.text[:runs])


def _count_lines(files: tuple[str, ...] | list[str]) -> int:
    return sum((ROOT / file).read_bytes().count(b"\n") for file in files)


def make(size: Size) -> Files:
    """Make a campaign, unless it is there: it is written whole or not at all, so what is there is complete."""
    if not size.folder.exists():
        values = [size.systems, size.topics, size.depth, size.seed, size.pool_depth]
        _elsewhere("campaign", size.folder, *values)
    return _files(size.folder / "qrels.txt", size.folder / "runs", "*.txt")


def multiply(size: Size, times: int) -> Files:
    """Give each run of a campaign several names, by links that take no room on the disk."""
    original = make(size)
    folder = size.folder.with_name(f"{size.folder.name}-times-{times}")
    folder.mkdir(exist_ok=True)
    for run in original.runs:
        for copy in range(1, times + 1):
            _link(ROOT / run, folder / f"{Path(run).stem}-{copy}.txt")
    return _files(size.folder / "qrels.txt", folder, "*.txt")


def converted(files: Files, suffix: str) -> Files:
    """Give the same runs in another form: ``.gz`` or ``.parquet``; or those of a folder of packed ones as ``.txt``."""
    folder = WORK / f"{Path(files.qrels).parent.name}-{len(files.runs)}{suffix}"
    if not folder.exists():
        _elsewhere("convert", folder, suffix, *files.runs)
    found = _files(ROOT / files.qrels, folder, f"*{suffix}")
    return found if suffix == ".txt" else Files(found.qrels, found.runs, files.runs)


def real(data: Path, name: str) -> Files | None:
    """Give real runs, unpacked; None where they are not there."""
    folder = data / name
    if not (folder / "runs").is_dir():
        return None
    return converted(_files(folder / "qrels.txt", folder / "runs", "*.gz"), ".txt")


def _link(original: Path, name: Path) -> None:
    if name.exists() and name.samefile(original):
        return
    name.unlink(missing_ok=True)
    try:
        name.hardlink_to(original)
    except OSError:
        name.symlink_to(original)


def _files(qrels: Path, runs: Path, pattern: str) -> Files:
    return Files(_relative(qrels), tuple(_relative(run) for run in sorted(runs.glob(pattern))))


def _relative(path: Path) -> str:
    return os.path.relpath(path, ROOT)


def _elsewhere(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "benchmarks.workloads", *map(str, arguments)], cwd=ROOT, check=True)


def _campaign(folder: str, *values: str) -> None:
    from cranfield.campaigns import simulate, write_campaign

    systems, topics, depth, seed, pool_depth = map(int, values)
    write_campaign(simulate(systems, topics, depth, seed, pool_depth=pool_depth), folder)


def _convert(folder: str, suffix: str, *runs: str) -> None:
    partial = Path(f"{folder}.{os.getpid()}.partial")
    partial.mkdir(parents=True)
    for run in map(Path, runs):
        name = partial / f"{run.stem}{suffix}"
        if suffix == ".txt":
            name.write_bytes(gzip.decompress(run.read_bytes()))
        elif suffix == ".gz":
            name.write_bytes(gzip.compress(run.read_bytes(), 6))
        else:
            from cranfield.formats import read_run

            read_run(run).write_parquet(name)
    partial.rename(folder)


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    (_campaign if what == "campaign" else _convert)(*given)

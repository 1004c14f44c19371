"""``python -m benchmarks.against [COMMIT]``: has something become slower since a commit, the one before by default?

The commit is checked out beside, both sides do the same small pieces of work in turns, and the least
processor time of each counts. A table is printed; what takes a fifth more is named. Nothing fails.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from benchmarks.process import ROOT, ProcessFailedError, run_in_turn
from benchmarks.workloads import TINY, Size, make

SLOWER: Final = 1.2
TURNS: Final = 5

_LOOP: Final = """
import random
import cranfield as cf
chance = random.Random(7)
run = {str(t): {f"d{d}": chance.random() for d in range(100)} for t in range(50)}
evaluator = cf.Evaluator({t: {d: chance.randrange(2) for d in list(each)[::2]} for t, each in run.items()}, ["AP", "nDCG@10"])
for _ in range(300):
    evaluator(run)
"""  # noqa: E501


@dataclass(frozen=True)
class Work:
    """A small piece of work: what follows ``python``."""

    name: str
    arguments: tuple[str, ...]


def pieces() -> list[Work]:
    """Make the files, and say what is done with them."""
    tiny, short, long = make(TINY), make(Size(48, 50, 100, 50)), make(Size(12, 50, 1000, 50))
    means = tuple(part for measure in ("AP", "nDCG@10", "Bpref", "RBP(p=0.8)") for part in ("-m", measure))

    def command(name: str, *arguments: str) -> Work:
        return Work(name, ("-m", "cranfield", *arguments))

    return [
        command("--help", "--help"),
        command("one small run", "evaluate", tiny.qrels, tiny.runs[0], *means, "--format", "csv"),
        command("48 runs of 100 documents", "evaluate", short.qrels, *short.runs, *means, "--format", "csv"),
        command("12 runs of 1,000 documents", "evaluate", long.qrels, *long.runs, *means, "--format", "csv"),
        command("the same, all_trec", "evaluate", long.qrels, *long.runs, "-m", "all_trec", "-q", "--format", "csv"),
        command("compare 48 runs", "compare", short.qrels, *short.runs, "-m", "AP", "--format", "csv"),
        command("swap of 12 runs", "experiment", "swap", "-m", "AP", "--repetitions", "500", long.qrels, *long.runs),
        Work("300 dicts of 50 × 100", ("-c", _LOOP)),
    ]


@contextmanager
def checked_out(commit: str, root: Path = ROOT) -> Iterator[Path]:
    """Give the sources of a commit in a folder of their own, with the native road where there is a compiler."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "former"
        _run("git", "worktree", "add", "--quiet", "--detach", str(folder), commit, where=root)
        try:
            if (folder / "hatch_build.py").exists():
                _run(sys.executable, "hatch_build.py", where=folder)
            yield folder / "src"
        finally:
            _run("git", "worktree", "remove", "--force", str(folder), where=root)


def _run(*command: str, where: Path) -> str:
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ProcessFailedError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else command[0])
    return done.stdout.strip()


def least(work: list[Work], sources: tuple[Path, Path], seconds: float) -> dict[str, tuple[float, float] | None]:
    """Let both sides do all the work in turns; the least processor time of each, or None where one cannot do it."""
    found: dict[str, tuple[float, float] | None] = {each.name: (float("inf"), float("inf")) for each in work}
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        for turn in range(TURNS):
            for each in work:
                if turn > 1 and time.perf_counter() - began > seconds:
                    return found
                if (before := found[each.name]) is not None:
                    now = _both(each, sources, Path(scratch) / "output")
                    found[each.name] = now and (min(before[0], now[0]), min(before[1], now[1]))
    return found


def _both(work: Work, sources: tuple[Path, Path], output: Path) -> tuple[float, float] | None:
    command = [sys.executable, *work.arguments]
    try:
        former, ours = (run_in_turn([command], output, {"PYTHONPATH": str(each)}).processor for each in sources)
    except ProcessFailedError:
        return None
    return former, ours


def told(found: dict[str, tuple[float, float] | None], commit: str) -> str:
    """Lay out what was found, and name what became slower."""
    lines = [f"{'CPU, least of several turns':<28}{commit[:12]:>14}{'now':>9}{'ratio':>8}"]
    for name, both in found.items():
        if both is None:
            lines.append(f"{name:<28}  fails, here or there")
            continue
        former, now = both
        lines.append(f"{name:<28}{former:>12.3f} s{now:>7.3f} s{now / former:>8.2f}")
    slower = [name for name, both in found.items() if both and both[1] > SLOWER * both[0]]
    lines.append(f"a fifth slower or more: {', '.join(slower) or 'nothing'}")
    return "\n".join(lines)


@click.command()
@click.argument("commit", default="HEAD~1")
@click.option("--seconds", default=40.0, show_default=True, help="After so many, no more turns than the first two.")
def main(commit: str, seconds: float) -> None:
    """Compare the processor time of what is checked out here with that of COMMIT."""
    try:
        name = _run("git", "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", where=ROOT)
    except (ProcessFailedError, OSError):
        click.echo(f"no commit {commit} here to compare the speed with")
        return
    try:
        with checked_out(name) as former:
            found = least(pieces(), (former, ROOT / "src"), seconds)
    except (ProcessFailedError, OSError) as error:
        click.echo(f"the speed could not be compared with {commit}: {error}")
        return
    click.echo(told(found, name))


if __name__ == "__main__":
    main()

"""trec_eval, compiled with -O3 from its sources: one process a run, as its users do it."""

from __future__ import annotations

import subprocess
import tarfile
from typing import TYPE_CHECKING

from benchmarks import workloads
from benchmarks.contender import Contender, Task

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = ("9.0.8", "10.0")

_FEW = ("-c", "-m", "map", "-m", "ndcg_cut.10", "-m", "bpref")
_WHAT = "map, ndcg_cut_10, bpref; a process for each run"


def _program(version: str) -> Path:
    return workloads.WORK / f"trec_eval-{version}" / "trec_eval"


def build(sources: Path) -> None:
    """Compile what is not compiled yet, from ``trec_eval-VERSION.tar.gz`` in a folder."""
    flags = '-O3 -w -I. -DVERSIONID=\\"$(VERSIONID)\\"'
    for version in VERSIONS:
        program = _program(version)
        if not program.exists():
            with tarfile.open(sources / f"trec_eval-{version}.tar.gz") as packed:
                packed.extractall(workloads.WORK, filter="data")
            subprocess.run(["make", "-s", "-C", program.parent, f"CFLAGS={flags}", "trec_eval"], check=True)


def _contender(version: str) -> Contender:
    def processes(task: Task) -> list[list[str]]:
        options = ("-c", "-q", "-m", "all_trec") if task.work == "all_trec" else _FEW
        return [[str(_program(version)), *options, task.qrels, run] for run in task.runs]

    return Contender(
        name=f"trec_eval {version}",
        version=lambda: "-O3" if _program(version).exists() else None,
        processes=processes,
        computes={
            "means": _WHAT,
            "all_trec": "`-c -q -m all_trec`: per topic and mean; a process for each run",
        },
        most_repetitions=5,
    )


CONTENDERS = tuple(map(_contender, VERSIONS))

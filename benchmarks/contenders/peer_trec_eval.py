"""trec_eval, where it is on the PATH: one process a run, as its users do it."""

from __future__ import annotations

import shutil
import subprocess

from benchmarks.contender import Contender, Task

_OPTIONS = {
    "reference": ["-c", "-m", "map", "-m", "ndcg_cut.10", "-m", "bpref"],
    "all_trec": ["-c", "-q", "-m", "all_trec"],
}


def _version() -> str | None:
    program = shutil.which("trec_eval")
    if program is None:
        return None
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    words = (said.stdout + said.stderr).replace("trec_eval version", "").split()
    return words[0] if words else "unknown version"


def _processes(task: Task) -> list[list[str]]:
    options = _OPTIONS.get(task.workload, _OPTIONS["reference"])
    return [["trec_eval", *options, task.qrels, run] for run in task.runs]


CONTENDER = Contender(
    name="trec_eval",
    version=_version,
    processes=_processes,
    workloads=frozenset({"reference", "all_trec", "small"}),
    notes={
        "reference": "map, ndcg_cut_10, bpref; one process a run",
        "all_trec": "`-c -q -m all_trec`: per topic and mean; one process a run",
        "small": "map, ndcg_cut_10, bpref",
    },
)

"""cranfield, as its users start it."""

from __future__ import annotations

import sys

from benchmarks.contender import Contender, Task, installed

_MEASURES = {
    "reference": ["AP", "nDCG@10", "Bpref", "RBP(p=0.8)"],
    "all_trec": ["all_trec"],
    "everything": ["everything"],
}


def _processes(task: Task) -> list[list[str]]:
    start = [sys.executable, "-m", "cranfield"]
    if task.workload == "help":
        return [[*start, "--help"]]
    asked = _MEASURES.get(task.workload, _MEASURES["reference"])
    options = [option for measure in asked for option in ("-m", measure)]
    if task.workload == "small":  # as one types it
        return [[*start, "evaluate", task.qrels, *task.runs, *options]]
    per_topic = ["--per-topic"] if task.workload == "all_trec" else []
    return [
        [*start, "evaluate", task.qrels, *task.runs, *options, *per_topic, "--format", "csv", "-o", task.output],
    ]


CONTENDER = Contender(
    name="cranfield",
    version=installed("cranfield"),
    processes=_processes,
    workloads=frozenset({"reference", "all_trec", "everything", "many_runs", "small", "help"}),
    notes={
        "reference": "AP, nDCG@10, Bpref, RBP(p=0.8)",
        "all_trec": "`-m all_trec`, per topic and mean",
        "everything": "`-m everything`: each of its measures once, means",
        "small": "AP, nDCG@10, Bpref, RBP(p=0.8), as a table",
        "many_runs": "AP, nDCG@10, Bpref, RBP(p=0.8)",
        "help": "`cranfield --help`",
    },
)

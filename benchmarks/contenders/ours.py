"""cranfield, as its users start it; and without its native road, as where no compiler was found."""

from __future__ import annotations

import sys

from benchmarks.contender import Contender, Task, installed

_MEANS = ("AP", "nDCG@10", "Bpref", "RBP(p=0.8)")
_FEW = ", ".join(_MEANS)


def _processes(task: Task) -> list[list[str]]:
    start = [sys.executable, "-m", "cranfield"]
    if task.work == "help":
        return [[*start, "--help"]]
    asked = [task.work] if task.work in {"all_trec", "everything"} else _MEANS
    options = [option for measure in asked for option in ("-m", measure)]
    if task.work == "all_trec":
        options.append("--per-topic")
    return [[*start, "evaluate", task.qrels, *task.runs, *options, "--format", "csv", "-o", task.output]]


CONTENDERS = (
    Contender(
        name="cranfield",
        version=installed("cranfield"),
        processes=_processes,
        computes={
            "means": _FEW,
            "packed": _FEW,
            "parquet": _FEW,
            "many": _FEW,
            "all_trec": "`-m all_trec`, per topic and mean",
            "everything": "`-m everything`: each of its measures once, means",
            "help": "`cranfield --help`",
        },
    ),
    Contender(
        name="cranfield in Python",
        version=installed("cranfield"),
        processes=lambda task: [["env", "CRANFIELD_NATIVE=0", *command] for command in _processes(task)],
        computes={"means": f"{_FEW}; without the native road"},
    ),
)

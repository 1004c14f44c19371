"""PyTerrier's Experiment, of runs read by its own readers; nothing of it needs Java.

``python -m benchmarks.contenders.peer_pyterrier WORK QRELS RUN...`` prints ``run,measure,value`` of
the means.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from benchmarks.contender import Contender, installed, python_process

_FEW = "map, ndcg_cut_10, bpref"


def evaluate(qrels_file: str, run_files: list[str]) -> None:
    """Evaluate all runs in one experiment."""
    pt: Any = importlib.import_module("pyterrier")  # only the process that is timed needs it
    qrels, runs = pt.io.read_qrels(qrels_file), [pt.io.read_results(file) for file in run_files]
    topics = qrels[["qid"]].drop_duplicates().assign(query="")
    names = [Path(file).stem for file in run_files]
    print(pt.Experiment(runs, topics, qrels, _FEW.split(", "), names=names).to_csv(index=False), end="")


CONTENDERS = (
    Contender(
        name="PyTerrier",
        version=installed("pyterrier"),
        processes=python_process("benchmarks.contenders.peer_pyterrier"),
        computes={"means": f"{_FEW}; `pt.Experiment` of runs in files"},
        most_repetitions=1,
    ),
)

if __name__ == "__main__":
    evaluate(sys.argv[2], sys.argv[3:])

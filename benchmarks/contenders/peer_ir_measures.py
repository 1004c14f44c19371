"""ir_measures, through its Python API.

``python -m benchmarks.contenders.peer_ir_measures WORKLOAD QRELS RUN...`` prints
``run,measure,value`` of the means.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from benchmarks.contender import Contender, installed, python_process


def evaluate(qrels_file: str, run_files: list[str]) -> None:
    """Evaluate the runs one after the other with one evaluator."""
    ir_measures: Any = importlib.import_module("ir_measures")  # only the process that is timed needs it
    measures = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.Bpref]
    evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(qrels_file))
    for run_file in run_files:
        means = evaluator.calc_aggregate(ir_measures.read_trec_run(run_file))
        for measure, value in means.items():
            print(f"{Path(run_file).stem},{measure},{value!r}")


CONTENDER = Contender(
    name="ir_measures",
    version=installed("ir-measures"),
    processes=python_process("benchmarks.contenders.peer_ir_measures"),
    workloads=frozenset({"reference", "small"}),
    notes={"reference": "AP, nDCG@10, Bpref", "small": "AP, nDCG@10, Bpref"},
)

if __name__ == "__main__":
    evaluate(sys.argv[2], sys.argv[3:])

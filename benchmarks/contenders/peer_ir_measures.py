"""ir_measures, through its Python API.

``python -m benchmarks.contenders.peer_ir_measures WORK QRELS RUN...`` prints ``run,measure,value`` of the
means.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from benchmarks.contender import Contender, installed, python_process

_FEW = "AP, nDCG@10, Bpref"


def evaluate(work: str, qrels_file: str, run_files: list[str]) -> None:
    """Evaluate the runs one after the other with one evaluator; those in Parquet come through pandas."""
    ir_measures: Any = importlib.import_module("ir_measures")  # only the process that is timed needs it
    measures = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.Bpref]
    evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(qrels_file))
    read: Any = importlib.import_module("pandas").read_parquet if work == "parquet" else ir_measures.read_trec_run
    for run_file in run_files:
        means = evaluator.calc_aggregate(read(run_file))
        for measure, value in means.items():
            print(f"{Path(run_file).stem},{measure},{value!r}")


CONTENDERS = (
    Contender(
        name="ir_measures",
        version=installed("ir-measures"),
        processes=python_process("benchmarks.contenders.peer_ir_measures"),
        computes={"means": _FEW, "parquet": f"{_FEW}, of frames of pandas"},
        most_repetitions=3,
    ),
)

if __name__ == "__main__":
    evaluate(sys.argv[1], sys.argv[2], sys.argv[3:])

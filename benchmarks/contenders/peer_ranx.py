"""ranx, through its Python API.

``python -m benchmarks.contenders.peer_ranx WORK QRELS RUN...`` prints ``run,measure,value`` of
the means.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.contender import Contender, installed, python_process


def evaluate(qrels_file: str, run_files: list[str]) -> None:
    """Evaluate the runs one after the other."""
    import ranx

    qrels = ranx.Qrels.from_file(qrels_file, kind="trec")
    for run_file in run_files:
        run = ranx.Run.from_file(run_file, kind="trec")
        means = ranx.evaluate(qrels, run, ["map", "ndcg@10", "bpref"], make_comparable=True)
        for measure, value in means.items():
            print(f"{Path(run_file).stem},{measure},{float(value)!r}")


_FEW = "map, ndcg@10, bpref; numba's compilation, where not cached, included"

CONTENDERS = (
    Contender(
        name="ranx",
        version=installed("ranx"),
        processes=python_process("benchmarks.contenders.peer_ranx"),
        computes={"means": _FEW},
        most_repetitions=1,
    ),
)

if __name__ == "__main__":
    evaluate(sys.argv[2], sys.argv[3:])

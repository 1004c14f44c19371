"""pytrec_eval (the package pytrec-eval-terrier), with the readers that its documentation uses.

``python -m benchmarks.contenders.peer_pytrec_eval WORK QRELS RUN...`` prints lines of
``run,topic,measure,value``: the means and, for all_trec, the topics.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.contender import Contender, installed, python_process

# Strings rather than numbers: trec_eval can only print these two, and pytrec_eval cannot average
# them.
LEFT_OUT = frozenset({"relstring", "runid"})


def evaluate(work: str, qrels_file: str, run_files: list[str]) -> None:
    """Evaluate the runs one after the other and print the means over all topics of the qrels."""
    import gzip

    import pytrec_eval

    with Path(qrels_file).open(encoding="utf-8") as lines:
        qrels = pytrec_eval.parse_qrel(lines)
    everything = set(pytrec_eval.supported_measures) - LEFT_OUT
    measures = everything if work == "all_trec" else {"map", "ndcg_cut_10", "bpref"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures)
    for run_file in run_files:
        opened = gzip.open if work == "packed" else open
        with opened(run_file, "rt", encoding="utf-8") as lines:
            by_topic = evaluator.evaluate(pytrec_eval.parse_run(lines))
        name = Path(run_file).stem
        if work == "all_trec":
            _print_topics(name, by_topic)
        for measure, value in _means(by_topic, len(qrels)).items():
            print(f"{name},all,{measure},{value!r}")


def _print_topics(name: str, by_topic: dict[str, dict[str, float]]) -> None:
    for topic, values in by_topic.items():
        for measure, value in values.items():
            print(f"{name},{topic},{measure},{value!r}")


def _means(by_topic: dict[str, dict[str, float]], topics: int) -> dict[str, float]:
    """Average over all topics of the qrels, a topic that the run lacks counting 0, as ``trec_eval -c`` does."""
    sums: dict[str, float] = {}
    for values in by_topic.values():
        for measure, value in values.items():
            sums[measure] = sums.get(measure, 0.0) + value
    return {measure: total / topics for measure, total in sums.items()}


_FEW = "map, ndcg_cut_10, bpref"

CONTENDERS = (
    Contender(
        name="pytrec_eval",
        version=installed("pytrec-eval-terrier"),
        processes=python_process("benchmarks.contenders.peer_pytrec_eval"),
        computes={
            "means": _FEW,
            "packed": f"{_FEW}; the runs unpacked by Python's gzip",
            "all_trec": f"per topic and mean; all of `supported_measures` but {', '.join(sorted(LEFT_OUT))}",
        },
    ),
)

if __name__ == "__main__":
    evaluate(sys.argv[1], sys.argv[2], sys.argv[3:])

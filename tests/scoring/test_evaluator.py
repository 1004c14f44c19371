"""The evaluator says what `evaluate` says, again and again, in threads and in forked processes."""

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from benchmarks.in_memory import OURS, PYTREC_EVAL, collection, dicts, times

import cranfield as cf

QRELS, RUN = collection(20, 30, 10, decimals=1)


def test_it_says_what_evaluate_says() -> None:
    options: dict[str, Any] = {"depth": 12, "rel": 2, "judged_only": True, "topics": "shared", "missing": "empty"}
    few = {topic: RUN[topic] for topic in list(RUN)[::2]}
    for asked in ({}, options):
        evaluator = cf.Evaluator(QRELS, ["AP", "nDCG@10", "Bpref"], **asked)
        for run in (RUN, few, {"one": RUN, "other": few}, pl.DataFrame(cf.read_run(RUN))):
            assert evaluator(run) == cf.evaluate(QRELS, run, ["AP", "nDCG@10", "Bpref"], **asked)


def test_a_set_of_trec_eval_compares_scores_as_trec_eval_does() -> None:
    close = {"1": {"a": 16777217.0, "b": 16777216.0}}
    evaluator = cf.Evaluator({"1": {"a": 1}}, "official")
    assert evaluator.reading.order == "trec9"
    assert evaluator(close) == cf.evaluate({"1": {"a": 1}}, close, "official")


def test_what_is_wrong_is_refused_when_it_is_called() -> None:
    evaluator = cf.Evaluator(QRELS, "AP")
    with pytest.raises(cf.InputError, match="no topic in common"):
        evaluator({"nobody's": {"a": 1.0}})
    with pytest.raises(cf.InputError, match="is not a number"):
        evaluator({"1000": {"a": "high"}})
    with pytest.raises(cf.InputError, match="a topic is named 'all'"):
        cf.Evaluator({"all": {"a": 1}}, "AP")


def test_a_training_loop() -> None:
    evaluator = cf.Evaluator({"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}, ["RR@10", "nDCG@10"])
    losses = []
    for epoch in range(3):
        batch = {"q1": {"d1": 0.2 * epoch, "d2": 0.3}, "q2": {"d3": 1.0, "d9": 0.5}}
        scores = evaluator(batch)
        losses.append(1 - float(scores.averages[0, 0]))
    assert losses == [0.25, 0.25, 0.0]


def test_threads_may_share_one() -> None:
    evaluator = cf.Evaluator(QRELS, OURS)
    runs = [{topic: dict(list(inner.items())[n:]) for topic, inner in RUN.items()} for n in range(16)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(evaluator, runs))
    assert together == [cf.evaluate(QRELS, run, OURS) for run in runs]


LOADER = """
import multiprocessing, pathlib, sys
import cranfield as cf

evaluator = cf.Evaluator(sys.argv[1], ["RR"])

def score(number):
    return float(evaluator({"1": {"a": 1.0, "b": number}}).averages[0, 0])

if __name__ == "__main__":
    if sys.argv[2] == "after":
        score(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(score, [0.5, 2.0]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("lines", [1, 40_000])
@pytest.mark.parametrize("first", ["before", "after"])
def test_loaders_fork_with_one(tmp_path: Path, first: str, lines: int) -> None:
    """Also where the judgments were so many that polars read them, and where it has been used already."""
    (tmp_path / "script.py").write_text(LOADER)
    (tmp_path / "qrels.txt").write_text("".join(f"1 0 {'a' if n == 0 else n} 1\n" for n in range(lines)))
    command = [sys.executable, "script.py", "qrels.txt", first]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[1.0, 0.5]\n"


def test_the_benchmark_compares_equals() -> None:
    import pytrec_eval

    theirs = pytrec_eval.RelevanceEvaluator(QRELS, PYTREC_EVAL).evaluate(RUN)
    names = {"nDCG@10": "ndcg_cut_10", "R@1000": "recall_1000"}
    ours = cf.Evaluator(QRELS, OURS)(RUN).by_run()["run"]
    for topic, values in theirs.items():
        for name, their_name in names.items():
            assert ours[topic][name] == pytest.approx(values[their_name], abs=1e-12)
    found = times(dicts("a little", "pytrec_eval", None, 1, QRELS, RUN))
    assert set(found) == {"cranfield", "pytrec_eval"}
    assert all(np.isfinite(each).all() for each in found.values())


def test_the_audit_of_a_loop_is_made_when_it_is_asked_for_and_keeps_no_run() -> None:
    """It says what was so when the run was scored, whatever became of the dict since; and can be sent elsewhere."""
    run = {"1000": {"b": 2.0, "a": 1.0}, "9": {"a": 1.0}}
    expected = cf.evaluate(QRELS, run, "AP").audit
    evaluator, held = cf.Evaluator(QRELS, "AP"), sys.getrefcount(run["1000"])
    scores, again = evaluator(run), evaluator(run)
    held_now = sys.getrefcount(run["1000"])  # what `assert` takes apart, it holds itself
    assert held_now == held
    run["1000"].clear()
    assert hasattr(vars(scores)["audit"], "make")  # nobody asked for it
    assert pickle.loads(pickle.dumps(scores)).audit.runs == expected.runs  # noqa: S301 - what was written here
    assert scores.audit is scores.audit
    assert scores.audit.runs == replace(again, notes=()).audit.runs == expected.runs
    assert not hasattr(vars(scores)["audit"], "make")

"""What is made in one process can be sent to another: measures, judgments, joined runs, results."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import cranfield as cf
from cranfield.measures.framework.names import parse_measure

QRELS = {str(t): {"a": 1 + t % 2, "b": 0, "c": 1} for t in range(6)}
RUNS = {
    "good": {str(t): {"a": 3.0, "x": 2.0, "b": 1.0} for t in range(6)},
    "poor": {str(t): {"b": 3.0, "y": 2.0, "c": 1.0 + t} for t in range(6)},
}


def sent(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301


@pytest.mark.parametrize("name", ["AP", "nDCG(base=2,gains={1:5,2:10})@10", "Twist(crossing='matters')", "RBP(p=0.8)"])
def test_a_measure(name: str) -> None:
    measure = parse_measure(name)
    assert sent(measure) == measure
    assert str(sent(measure)) == str(measure)


def test_joined_runs_and_what_they_are_scored() -> None:
    runs = cf.join(QRELS, RUNS)
    again = sent(runs)
    assert again.fingerprint == runs.fingerprint
    scores = cf.evaluate(again, measures=["AP", "nDCG@2"], bounds=True)
    assert scores == cf.evaluate(QRELS, RUNS, ["AP", "nDCG@2"], bounds=True)
    assert sent(scores) == scores


def test_results() -> None:
    for found in (cf.compare(QRELS, RUNS, "AP"), cf.curve(QRELS, RUNS, "nDCG"), cf.archetypes(QRELS, RUNS)):
        assert str(sent(found)) == str(found)

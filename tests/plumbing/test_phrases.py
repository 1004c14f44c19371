"""One is not several: what is said of one run on one topic is said in the singular."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import cranfield as cf
from cranfield.plumbing.wording import counted

QRELS = {"1": {"d1": 1}}
RUNS = {"only": {"1": {"d1": 1.0}}}
PAIR = RUNS | {"other": {"1": {"d2": 1.0}}}

SAID: dict[str, Callable[[], str]] = {
    "scores": lambda: repr(cf.evaluate(QRELS, RUNS, "AP")),
    "audit": lambda: str(cf.evaluate(QRELS, RUNS, "AP").audit),
    "evaluator": lambda: repr(cf.Evaluator(QRELS, "AP")),
    "curves": lambda: repr(cf.curve(QRELS, RUNS, "P", last_rank=1)),
    "trace": lambda: repr(cf.trace(QRELS, RUNS)),
    "archetypes": lambda: str(cf.archetypes(QRELS, RUNS)),
    "experiment": lambda: str(cf.experiments.effort_gain(cf.join(QRELS, RUNS))),
    "overlap": lambda: str(cf.overlap_of_runs(PAIR)),
    "ties": lambda: str(cf.ties(QRELS, RUNS, "AP")),
    "scatter": lambda: str(cf.plot("scatter", QRELS, RUNS, ["AP", "RR"]).spec["title"]),
}


@pytest.mark.parametrize("what", SAID)
def test_one_is_said_in_the_singular(what: str) -> None:
    said = SAID[what]()

    assert not re.findall(r"(?<![.\d,=-])\b1 (?!is\b|was\b|has\b)\w+s\b", said), said


def test_one_and_several() -> None:
    assert [counted(number, "query", "queries") for number in (0, 1, 2000)] == ["0 queries", "1 query", "2,000 queries"]

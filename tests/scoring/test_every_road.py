"""Runs may be given as files, as dicts, joined, or joined with bounds: the answer is the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.experiments import EXPERIMENTS
from cranfield.plumbing.errors import InputError

QRELS = {
    "1": {"a": 1, "b": 0, "c": 2},
    "2": {"a": 2, "d": 1, "e": 0},
    "3": {"b": 1, "f": 0},
    "4": {"c": 1, "a": 0},
}
LISTS = {
    "old": {"1": "abxc", "2": "ead", "3": "fxb", "4": "acy"},
    "now": {"1": "xcab", "2": "yade", "3": "bf", "4": "yca"},
}
RUNS = {
    name: {topic: {document: -float(rank) for rank, document in enumerate(found)} for topic, found in lists.items()}
    for name, lists in LISTS.items()
}
M = ["AP", "nDCG@2", "RBP(p=0.5)", "R@3"]


def files(folder: Path) -> tuple[Any, Any]:
    lines = [f"{t} 0 {d} {grade}" for t, judged in QRELS.items() for d, grade in judged.items()]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    for name, run in RUNS.items():
        lines = [f"{t} Q0 {d} 1 {score} {name}" for t, found in run.items() for d, score in found.items()]
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")
    return folder / "qrels.txt", [folder / f"{name}.run" for name in RUNS]


ROADS: dict[str, Callable[[Path], tuple[Any, Any]]] = {
    "files": files,
    "dicts": lambda _: (QRELS, RUNS),
    "joined files": lambda folder: (cf.join(*files(folder)), None),
    "joined": lambda _: (cf.join(QRELS, RUNS), None),
    "joined with bounds": lambda _: (cf.join(QRELS, RUNS, bounds=True), None),
}


def rows(found: Any) -> object:
    return found.to_polars().rows()


ASKED: dict[str, Callable[[Any, Any], object]] = {
    "archetypes": lambda qrels, runs: cf.archetypes(qrels, runs).rows(),
    "compare": lambda qrels, runs: rows(cf.compare(qrels, runs, M, residuals=True, dominance=True)),
    "curve": lambda qrels, runs: rows(cf.curve(qrels, runs, "P")),
    "evaluate": lambda qrels, runs: rows(cf.evaluate(qrels, runs, M, bounds=True)),
    "gate": lambda qrels, runs: [rows(found := cf.gate(qrels, runs, M)), found.documents.rows()],
    "join": lambda qrels, runs: rows(cf.join(qrels, runs, bounds=True).under(bounds=True).scores(M)),
    "keep": lambda qrels, runs: [(kept := cf.keep(qrels, runs, M)).values.tolist(), kept.lists, kept.grades],
    "overtake": lambda qrels, runs: [
        (found.says(), found.at_least, rows(found))
        for found in (cf.overtake(qrels, runs, measure, behind="old", ahead="now") for measure in M)
    ],
    "plot": lambda qrels, runs: cf.plot("leaderboard", qrels, runs, M).spec,
    "reference_runs": lambda qrels, runs: [
        run.rows() for run in cf.reference_runs(qrels, runs, kind="reranked").values()
    ],
    "review": lambda qrels, runs: cf.review(qrels, runs, M).answers.filter(pl.col("item") != "Inputs").rows(),
    "ties": lambda qrels, runs: rows(cf.ties(qrels, runs, M)),
    "trace": lambda qrels, runs: rows(cf.trace(qrels, runs, topic="1")),
    "what_if": lambda qrels, runs: rows(cf.what_if(qrels, runs, M, topic="1", grades={"x": 1})),
}
ELSEWHERE = {"reconcile", "report", "reproduce"}
"""Those that join what they are given, and do all else with that (a report as `review` does), and take long; and one
that reads runs in every order, and refuses what was joined in one."""


def test_all_are_asked() -> None:
    """Every public function that takes qrels and runs, one after the other."""
    taking = set()
    for name in cf.__all__:
        found = getattr(cf, name)
        if inspect.isfunction(found):
            parameters = list(inspect.signature(found).parameters)
            if "qrels" in parameters and parameters[parameters.index("qrels") + 1 :][:1] == ["runs"]:
                taking.add(name)
    assert taking == ASKED.keys() | ELSEWHERE


@pytest.mark.parametrize("name", ASKED)
def test_the_same_by_every_road(name: str, tmp_path: Path) -> None:
    answers = {road: ASKED[name](*given(tmp_path)) for road, given in ROADS.items()}
    for road, answer in answers.items():
        assert answer == answers["dicts"], road


@pytest.mark.integration
@pytest.mark.parametrize("name", sorted(ASKED.keys() - {"plot", "review"}))  # which name the condition
def test_excluded_documents_are_nowhere(name: str) -> None:
    """Runs that retrieve the topics' own ids first are, but for these, those that never did."""
    runs = {run: {topic: {topic: 9.0, **found} for topic, found in lists.items()} for run, lists in RUNS.items()}
    excluded, plain = cf.join(QRELS, runs, exclude="self", bounds=True), cf.join(QRELS, RUNS, bounds=True)
    assert ASKED[name](excluded, None) == ASKED[name](plain, None)


def test_alterable_runs_know_what_they_retrieved() -> None:
    """Nobody judged x and y; a plain join forgets them, so that they were lacking in the lists."""
    plain, noted = (cf.Alterable(cf.join(QRELS, RUNS, bounds=bounds), M) for bounds in (False, True))
    assert plain.list_of("now", "1") == noted.list_of("now", "1") == tuple("xcab")
    assert plain.worth("1", "x").rows() == noted.worth("1", "x").rows()


OF_RUNS = [
    name for name, each in EXPERIMENTS.items() if "runs" in each.takes and name not in {"assessors", "conflation"}
]
"""Those that are told of one set of joined runs, and need no other judgments."""


@pytest.mark.parametrize("name", OF_RUNS)
def test_experiments_on_either_kind_of_joined_runs(name: str) -> None:
    few: dict[str, Any] = {"resamples": 20, "repetitions": 2, "draws": 20, "times": 20}
    options: dict[str, Any] = {
        option.name: few[option.name] for option in EXPERIMENTS[name].options if option.name in few
    }
    found: list[object] = []
    for bounds in (False, True):
        try:
            tables = EXPERIMENTS[name](cf.join(QRELS, RUNS, bounds=bounds), **options).tables
            found.append({table: rows.to_dict(as_series=False) for table, rows in tables.items()})
        except InputError as error:
            found.append({"refused": str(error)})
    assert str(found[0]) == str(found[1])  # NaN is equal to itself there

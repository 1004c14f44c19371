"""What every result offers, held to it by one test: tables, texts, JSON and back, comparison, copies."""

from __future__ import annotations

import copy
import html
import json
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.comparison import Comparison
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.judged.audit import Audit
from cranfield.judged.conditions import Conditions, Reading
from cranfield.lists.curves import Curves
from cranfield.reports.sentence import Sentences
from cranfield.results.output_formats import FORMATS
from cranfield.results.result import OneTable, Result
from cranfield.results.sheet import ROWS_SHOWN
from cranfield.scoring.engines.spark import SparkMeans
from cranfield.scoring.scores import Scores
from cranfield.selection.plan import Plan
from cranfield.selection.status import Status
from cranfield.selection.stop_rules import BudgetSpent

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"z": 0}}
RUNS = {
    "on<e>": {"1": {"b": 3.0, "a": 2.0}, "2": {"a": 1.0}},
    "two": {"1": {"c": 3.0, "x": 2.0}, "3": {"y": 1.0}},
    "three": {"1": {"a": 2.0, "c": 1.0}, "2": {"x": 2.0, "a": 1.0}, "9": {"q": 1.0}},
}


def status() -> Status:
    judging = cf.Judging(RUNS, "P@2", top_grade=2)
    judging.record("1", "a", 2)
    judging.record("2", "a", 1)
    return judging.status([BudgetSpent(2)])


def estimates() -> cf.Estimates:
    candidates = cf.Candidates.gather(RUNS)
    qrels = {topic: dict.fromkeys("abcxyq", 1) for topic in ("1", "2", "3", "9")}
    return cf.estimate(candidates, cf.uniform_sample(candidates, 2), qrels, ["P@2", "NumRel"], level=0.9)


def means_with_bounds() -> SparkMeans:
    values, how = np.array([[[0.5]], [[0.25]], [[1.0]]]), Conditions(Reading(depth=5))
    return SparkMeans(("on<e>",), (cf.AP(),), values, 9, how, "geometric", {cf.AP(): "exact"}, ("a note",))


RESULTS: dict[str, Callable[[], Result]] = {
    "scores": lambda: cf.evaluate(QRELS, RUNS, ["AP", "nDCG@10", "BalancePoint"]),
    "scores with bounds and texts": lambda: cf.evaluate(QRELS, RUNS, ["AP", "relstring"], bounds=False),
    "scores with bounds": lambda: cf.evaluate(QRELS, RUNS, ["AP", "RBP(p=0.5)"], bounds=True, rel=2),
    "comparison": lambda: cf.compare(QRELS, RUNS, ["AP", "gmAP"], baseline="two"),
    "comparison by anova": lambda: cf.compare(QRELS, RUNS, "AP", test="anova", residuals=True),
    "curves": lambda: cf.curve(QRELS, RUNS, "nDCG(gains={1:5,2:10})", last_rank=4),
    "trace": lambda: cf.trace(QRELS, RUNS, last_rank=4),
    "trace of a topic": lambda: cf.trace(QRELS, RUNS, topic="1", n=4),
    "review": lambda: cf.review(QRELS, RUNS, ["AP", "RR"]),
    "sentences": lambda: cf.report(QRELS, RUNS, ["AP", "RR"]).sentences,
    "findings": lambda: EXPERIMENTS["correlation"](cf.join(QRELS, RUNS), ["AP", "RR"], top=1, resamples=20),
    "findings of several collections": lambda: EXPERIMENTS["archetypes"](
        {"here": cf.join(QRELS, RUNS), "there": cf.join(QRELS, RUNS, rel=2)}
    ),
    "audit": lambda: cf.evaluate(QRELS, RUNS, "AP").audit,
    "status": status,
    "one table": lambda: cf.curve(QRELS, RUNS, "CG", last_rank=2).distances(),
    "agreement": lambda: cf.agreement({"ann": QRELS, "b<o>b": {"1": {"a": 1, "c": 1}}}),
    "combined labels": lambda: cf.combine_judges({"ann": QRELS, "b<o>b": {"1": {"a": 1, "c": 0}}}),
    "estimates": estimates,
    "checked": lambda: cf.check(RUNS, topics=["1", "2", "3"], most=1),
    "means of a cluster": lambda: SparkMeans(
        ("on<e>", "two"),
        tuple(cf.parse_measures(["AP", "NumRel"])),
        np.array([[[0.5, 0.25], [7.0, 3.0]]]),
        10**6,
        Conditions(),
    ),
    "means of a cluster with bounds": means_with_bounds,
    "overtaking": lambda: cf.overtake(QRELS, RUNS, "RBP(p=0.5)", behind="two", ahead="three"),
    "why": lambda: cf.why(QRELS, {"on<e>": RUNS["on<e>"]}, {"two": RUNS["two"]}, "nDCG@10", topic="1"),
    "what if": lambda: cf.what_if(QRELS, RUNS, ["AP", "RR"], topic="1", grades={"a": 0}, moves=[("two", "x", 1)]),
    "gate": lambda: cf.gate(QRELS, {name: RUNS[name] for name in ("two", "three")}, margin=0.1),
    "gate by group": lambda: cf.gate(
        QRELS, {name: RUNS[name] for name in ("two", "three")}, margin=0.1, groups={"1": "on<e>", "2": "two"}
    ),
    "scores by group": lambda: cf.evaluate(QRELS, RUNS, ["AP", "RR"]).by_group({"1": "on<e>", "2": "two"}),
    "comparison by group": lambda: cf.compare_groups(cf.evaluate(QRELS, RUNS, "AP"), dict.fromkeys("123", "on<e>")),
    "weighted scores": lambda: cf.evaluate(QRELS, RUNS, ["AP", "gmAP"], weights={"1": 2, "2": 1, "3": 0}),
    "weighted comparison": lambda: cf.compare(QRELS, RUNS, "AP", weights={"1": 2, "2": 1, "3": 0.5}),
    "since": lambda: cf.keep(QRELS, RUNS, "AP").since(cf.keep(QRELS, {**RUNS, "two": RUNS["three"]}, "AP")),
    "scores of collections": lambda: cf.evaluate_all(
        {"here": (QRELS, RUNS), "the<re>": {"qrels": QRELS, "runs": {"two": RUNS["two"]}, "rel": 2}},
        copied={"a pa<p>er": {"here": 0.5}},
        groups={"best & brightest": ["two", "a pa<p>er"]},
    ),
    "comparison on collections": lambda: cf.compare_all(
        {"here": (QRELS, RUNS), "the<re>": (QRELS, RUNS)}, ["AP", "ASL"], copied={"a pa<p>er": {"here": 0.5}}
    ),
    "conformity": lambda: cf.conform(
        {
            "suite": "cranfield-conformance/1",
            "tool": "a <tool>",
            "version": "1",
            "answers": {"plain/P@3": 2 / 3, "shorter-than-k/P@5": 1, "plain/AP": None, "plain/RR": 0.3},
        }
    ),
    "searches": lambda: cf.searches(QRELS, {"on<e>": {"1": [["b", "a"], ["a", "c"]], "2": []}}, ["R", "nDCG@2"]),
    "plan": lambda: Plan.of(cf.Judging(RUNS, "P@2", top_grade=2), 3),
}
RESULTS = {name: cache(make) for name, make in RESULTS.items()}  # nothing changes a result
every = each_of("name", RESULTS)


@every
def test_the_long_table_in_any_library(name: str) -> None:
    result = RESULTS[name]()
    table = result.to_polars()
    assert table.height
    assert result.to_arrow().column_names == table.columns
    assert list(result.to_pandas().columns) == table.columns
    assert len(result.to_pandas()) == table.height


@every
def test_json_and_back(name: str) -> None:
    result = RESULTS[name]()
    written = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    again = type(result).from_dict(written)
    assert again == result
    assert again.to_polars().equals(result.to_polars())
    assert str(again) == str(result)


@every
def test_copies_are_equal_and_others_are_not(name: str) -> None:
    result = RESULTS[name]()
    assert (result == RESULTS[name]()) is True
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301
    assert copy.deepcopy(result) == result
    others = [other() for key, other in RESULTS.items() if key != name]
    assert not any(result == other for other in others)
    assert (result == 3) is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


@every
def test_texts(name: str) -> None:
    result = RESULTS[name]()
    shown = repr(result)
    assert "\n" not in shown
    assert len(shown) < 200
    assert shown.startswith(type(result).__name__)
    assert not str(result).endswith("\n")
    assert len(str(result).splitlines()) > 1
    for format_ in FORMATS:
        written = result.render(format_)
        assert isinstance(written, bytes if format_ == "parquet" else str)
        assert len(written)
    assert isinstance(json.loads(str(result.render("json"))), dict if result.schema() else list)
    header = str(result.render("csv")).splitlines()[0]
    assert header.split(",") == result.to_polars().columns
    with pytest.raises(cf.InputError, match=r"no format 'nonsense'; choose from table, csv"):
        result.render("nonsense")


@every
def test_a_notebook_shows_what_people_read(name: str) -> None:
    result = RESULTS[name]()
    shown = result._repr_html_()
    assert html.escape(result.caption().split(";")[0].split("(")[0].split(" ")[0]) in shown
    assert "f64" not in shown
    assert "on<e>" not in shown
    rows = min(result.table().height, ROWS_SHOWN)
    assert shown.count("<tr>") == rows + 1
    if any(column in result.table().columns for column in result.best()) and rows > 1:
        assert "<b>" in shown


@every
def test_what_is_not_its_json_is_refused(name: str) -> None:
    kind = type(RESULTS[name]())
    for wrong in ({}, {"@": "Nothing"}, {"@": kind.__name__}, {"@": "float", "value": "1"}, {"a": 1}):
        with pytest.raises(cf.InputError, match=r"to_dict\(\)|unknown kind of result"):
            kind.from_dict(wrong)


def test_every_kind_of_result_is_here() -> None:
    assert {type(make()) for make in RESULTS.values()} == {
        *(Scores, SparkMeans, Comparison, Curves, Findings, Audit, Status, Plan),
        *(OneTable, cf.Agreement, cf.CombinedLabels, cf.Estimates, cf.Checked, cf.Trace, cf.Review, Sentences),
        *(cf.Gate, cf.GroupComparison, cf.Overtaking, cf.Why, cf.WhatIf, cf.Since),
        *(cf.CollectionScores, cf.CollectionComparison, cf.SearchScores, cf.Conformity),
    }


def test_nan_is_equal_to_nan_and_a_changed_value_is_not() -> None:
    scores = cf.evaluate(QRELS, RUNS, "AP")
    nan = replace(scores, values=np.full_like(scores.values, math.nan))
    assert nan == replace(nan, values=nan.values.copy())
    assert nan != scores
    assert scores != replace(scores, runs=("one", "two", "four"))
    assert scores != cf.evaluate(QRELS, RUNS, "AP", missing="empty")


def test_the_measures_match_the_values() -> None:
    scores = cf.evaluate(QRELS, RUNS, ["relstring", "AP", "runid", "P@1"])
    assert list(map(str, scores.measures)) == ["AP", "P@1"]
    assert scores.values.shape == (2, 3, 3)
    assert list(map(str, scores.asked)) == ["RelString", "AP", "RunID", "P@1"]
    lines = str(scores.render("trec_eval")).splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["map", "runid", "P_1"]


def test_the_best_is_the_least_where_less_is_better() -> None:
    scores = cf.evaluate(QRELS, RUNS, ["AP", "BalancePoint"])
    means = dict(zip(scores.runs, scores.averages[1].tolist(), strict=True))
    best = min(means, key=lambda run: means[run])
    [line] = [line for line in scores.to_markdown().splitlines() if f"**{means[best]:.4f}**" in line]
    assert best in line


FOUND = Findings(
    "toss",
    {
        "sides": pl.DataFrame({"side": ["heads", None, "", 'a "b", c'], "share": [0.1, None, math.inf, 1e-300]}),
        "none": pl.DataFrame(schema={"n": pl.Int64, "ok": pl.Boolean, "text": pl.String}),
        "flags": pl.DataFrame({"n": [1, None], "ok": [True, False], "text": ["001", "NA"]}),
    },
    {"seed": 7, "rates": (0.5, 0.1), "rel": None},
    ("a note",),
)


@pytest.mark.parametrize("format_", ["csv", "json", "parquet"])
def test_findings_are_read_back(tmp_path: Path, format_: str) -> None:
    found = RESULTS["findings of several collections"]()
    assert isinstance(found, Findings)
    found.write(tmp_path / "one", format=format_)
    assert Findings.read(tmp_path / "one") == found
    FOUND.write(tmp_path / "two", format=format_)
    again = Findings.read(tmp_path / "two")
    if format_ == "json":  # which has no infinite numbers
        assert again["sides"]["share"].to_list() == [0.1, None, None, 1e-300]
        assert again["flags"].equals(FOUND["flags"])
    else:
        assert again == FOUND


def test_what_cannot_be_read_back_is_said(tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match="no such folder"):
        Findings.read(tmp_path / "nowhere")
    with pytest.raises(cf.InputError, match="no findings of any; there are none"):
        Findings.read(tmp_path)
    FOUND.write(tmp_path, format="latex")
    with pytest.raises(cf.InputError, match="written for people; csv, json, parquet can be read back"):
        Findings.read(tmp_path)
    FOUND.write(tmp_path)
    replace(FOUND, experiment="roll").write(tmp_path)
    with pytest.raises(cf.InputError, match="name one of its findings; choose from roll, toss"):
        Findings.read(tmp_path)
    assert Findings.read(tmp_path, "toss") == FOUND
    (tmp_path / "toss-sides.csv").write_text("side\nheads\n")
    with pytest.raises(cf.InputError, match=r"toss-sides\.csv: not the table as written"):
        Findings.read(tmp_path, "toss")
    (tmp_path / "toss.json").write_text("{}")
    with pytest.raises(cf.InputError, match=r"toss\.json: not written by an experiment"):
        Findings.read(tmp_path, "toss")

"""What documents cost: read from files, looked up on every road, and a budget that ends lists."""

from __future__ import annotations

import json
import math
import pickle
import re
import shlex
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.judged.condition_files import Costs
from cranfield.judged.conditions import Reading
from cranfield.judged.joining import Rows, rank, rank_rest, rank_topics, ranked_table
from cranfield.judged.judgments import Judgments
from cranfield.judged.list_costs import ListCosts
from cranfield.judged.rankings import JudgedRankings, one_ranking
from cranfield.judged.shortcuts import rank_dict, rank_text
from cranfield.measures.framework.measure import Measure

Run = Mapping[str, Mapping[str, float]]
QRELS = {"1": {"a": 1, "b": 2}, "2": {"c": 1}, "3": {"d": 1}}
RUN = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"x": 5.0, "c": 4.0}}
COSTS = {"a": 100, "b": 50, "c": 70, "x": 400, "elsewhere": 9}
M = ["Cost", "Cost@2", "R", "P@2", "nDCG", "GainPerCost", "FlatUtility(e=0.001,per=cost)"]


def trec(run: Run) -> str:
    return "".join(f"{t} Q0 {d} 1 {score} r\n" for t, found in run.items() for d, score in found.items())


def within(documents: Sequence[str], costs: Mapping[str, float], budget: float) -> list[str]:
    """The slow twin: read document after document, until one does not fit."""
    left, spent = [], 0.0
    for document in documents:
        spent += costs[document]
        if spent > budget * (1 + 1e-9):
            break
        left.append(document)
    return left


# By hand


def test_by_hand() -> None:
    """Topic 1 is read in the order a, x, b; all of it costs 100 + 400 + 50. R at a budget of 499 has a alone."""
    scores = cf.evaluate(QRELS, {"mine": RUN}, M, costs=COSTS)
    assert scores.topic("1")["mine"] == {
        "Cost": 550,
        "Cost@2": 500,
        "R": 1,
        "P@2": 0.5,
        "nDCG": pytest.approx((1 + 2 / 2) / (2 + 1 / math.log2(3))),
        "GainPerCost": pytest.approx(1000 * 1.5 / 550),
        "FlatUtility(e=0.001,per='cost')": pytest.approx(1.5 - 0.55),
    }
    cut = cf.evaluate(QRELS, {"mine": RUN}, ["Cost", "R", "NumRet"], costs=COSTS, budget=499)
    assert cut.topic("1")["mine"] == {"Cost": 100, "R": 0.5, "NumRet": 1}
    assert cut.topic("2")["mine"] == {"Cost": 470, "R": 1, "NumRet": 2}
    assert cut.topic("3")["mine"] == {"Cost": 0, "R": 0, "NumRet": 0}  # which the run lacks


def test_the_document_that_does_not_fit_ends_the_list_and_none_below_is_taken() -> None:
    """After a (100) x (400) does not fit into 200; b (50) would, and is not read: a reader goes from the top."""
    assert one_ranking([1, 0, 2], costs=[100, 400, 50]).within(200).length.tolist() == [1]
    assert one_ranking([1, 0, 2], costs=[100, 100, 0]).within(200).length.tolist() == [3]
    assert one_ranking([1], costs=[100]).within(99.9).length.tolist() == [0]


def test_a_sum_of_seconds_is_not_above_its_own_total() -> None:
    """In 64 bits 0.1 + 0.1 + 0.1 is above 0.3."""
    assert one_ranking([1, 1, 1], costs=[0.1, 0.1, 0.1]).within(0.3).length.tolist() == [3]


def test_the_audit_says_what_was_read() -> None:
    audit = cf.evaluate(QRELS, {"r": RUN}, "R", costs={**COSTS, "x": 500}, budget=499).audit
    assert "Costs of documents: 5 costs; the budget of 499 ended 2 of 2 lists." in audit.remarks()
    assert audit.runs[0].ended == 2
    some = {name: cost for name, cost in COSTS.items() if name != "x"}
    seven, free = (cf.evaluate(QRELS, {"r": RUN}, "Cost", costs=some, cost_missing=each) for each in (7, 0))
    assert "2 documents without a cost counted at cost_missing." in seven.audit.remarks()
    assert (seven.topic("1")["r"]["Cost"], free.topic("1")["r"]["Cost"]) == (157, 150)
    [none] = [
        found for found in cf.evaluate(QRELS, {"r": RUN}, ["Cost", "R"]).audit.findings if found.code == "no costs"
    ]
    assert (none.severity, none.says) == ("warning", "no costs given: each document costs 1 in Cost")


def test_condensed_lists_cost_what_is_left_of_them() -> None:
    assert cf.evaluate(QRELS, {"r": RUN}, "Cost", costs=COSTS, judged_only=True).topic("1")["r", "Cost"] == 150
    assert one_ranking([1, None, 0], costs=[1, 2, 4]).condensed().costs.table(np.array([2])).tolist() == [[1, 4]]


# Files


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


FILES: dict[str, tuple[str, str]] = {
    "c.txt": ("a 100\nb\t50\n", ""),
    "headed.txt": ("docid tokens\na 100\nb 50\n", ""),
    "c.csv": ('text,chunk_id,Tokens\n"x, y",a,100\nz,b,50\n', "tokens"),
    "c.tsv": ("docno\tseconds\na\t100\nb\t5e1\n", "seconds"),
    "c.jsonl": ('{"_id": "a", "num_tokens": 100}\n{"_id": "b", "num_tokens": 50.0}\n', "tokens"),
    "list.json": ('[{"id": "a", "cost": 100}, {"id": "b", "cost": "50"}]', ""),
    "object.json": ('{"a": 100, "b": 50}', ""),
}


@each_of("name", list(FILES))
def test_files(name: str, tmp_path: Path) -> None:
    text, unit = FILES[name]
    costs = Costs.taken(written(tmp_path, name, text))
    assert costs.of(pl.Series(["b", "c", "a"])).to_list() == [50, None, 100]
    assert costs.unit == unit
    assert costs.described == str(tmp_path / name) + f" ({unit})" * bool(unit)


def test_tables(tmp_path: Path) -> None:
    frame = pl.DataFrame({"doc_id": ["a", "b"], "tokens": [100, 50]})
    frame.write_parquet(tmp_path / "c.parquet")
    for given_ in (frame, frame.to_pandas(), tmp_path / "c.parquet", {"a": 100, "b": 50}):
        assert Costs.taken(given_).of(pl.Series(["a", "b"])).to_list() == [100, 50]
    assert Costs.taken(frame) == Costs.taken(frame)
    assert Costs.taken(frame) != Costs.taken(frame.with_columns(tokens=pl.Series([100, 51])))


@each_of(
    ("text", "said"),
    [
        ("a 1\na 2\n", "line 2: document 'a' has two costs"),
        ("a -1\n", "line 1: a cost must be 0 or more, not '-1'"),
        ("a nan\n", "not 'nan'"),
        ("a 1\nb many\n", "line 2: a cost must be 0 or more, not 'many'"),
        ("", "it holds no costs"),
        ("{}", "is empty"),
        ("a 1 2\n", "a line is document and cost, 2 words, not 3"),
        ('{"doc": "a", "price": 1}\n', "no column for"),
        ("docno,cost\na,1\na,2\n", "line 3: document 'a' has two costs"),
        ("docno,cost\na,1\nb,\n", "line 3: a cost must be 0 or more, not ''"),
        ("docno,cost\n ,1\n", "line 2: the document is missing"),
        ("docno,cost\na,inf\n", "line 2: a cost must be 0 or more, not 'inf'"),
        ("docno,tokens,seconds\na,1,1\n", "has several columns of costs, tokens and seconds; keep one"),
        ("docno,cost\n", "it holds no costs"),
    ],
)
def test_wrong_files_are_refused(text: str, said: str, tmp_path: Path) -> None:
    name = "c.csv" if text.startswith("docno,") else "c.txt"
    with pytest.raises(cf.InputError) as caught:
        Costs.taken(written(tmp_path, name, text))
    assert said in str(caught.value)
    assert name in str(caught.value)


@each_of(
    ("column", "cost", "said"),
    [
        (["a", "b"], [True, False], "line 1: a cost must be 0 or more, not True"),
        ([1.5, 2.5], [1, 2], "the document 1.5 is not an id"),
        (["a", None], [1, 2], "the document is missing"),
    ],
)
def test_wrong_frames_are_refused(column: list[Any], cost: list[Any], said: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        Costs.taken(pl.DataFrame({"doc_id": column, "cost": cost}))
    assert said in str(caught.value)


@each_of(
    ("asked", "said"),
    [
        ({"costs": {"a": 1}}, "4 of 5 documents of run 'r' have no cost, such as 'x'; give each one, or say with"),
        ({"costs": {"a": 1}, "depth": 1}, "1 of 2 documents of run 'r' has no cost, such as 'x'"),
        ({"budget": 10}, "budget is in units of cost; give costs, the costs of documents"),
        ({"cost_missing": 1}, "cost_missing is in units of cost"),
        ({"costs": COSTS, "budget": 0}, "budget must be above 0, not 0"),
        ({"costs": COSTS, "cost_missing": -1}, "cost_missing must be at least 0, not -1"),
        ({"costs": 7}, "costs must be a file, a DataFrame or a dict, not 7"),
        ({"costs": "nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_wrong_conditions_are_refused(asked: Any, said: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        cf.evaluate(QRELS, {"r": RUN}, "Cost", **asked)
    assert said in str(caught.value)


# Roads


def parquet(folder: Path) -> Any:
    cf.write_run(cf.read_run(RUN), folder / "r.parquet")
    return folder / "r.parquet"


ROADS: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: {"r": RUN},
    "frame": lambda _: {"r": cf.read_run(RUN)},
    "pandas": lambda _: {"r": cf.to_frame(cf.read_run(RUN), "pandas")},
    "text": lambda folder: written(folder, "r.run", trec(RUN)),
    "parquet": parquet,
}


@each_of(("road", "budget"), [(road, None if road == "dict" else 470) for road in ROADS])
def test_the_same_on_every_road(road: str, budget: float | None, tmp_path: Path) -> None:
    runs, expected = ROADS[road](tmp_path), cf.evaluate(QRELS, {"r": RUN}, M, costs=COSTS, budget=budget, bounds=True)
    asked: Any = {"costs": COSTS, "budget": budget}
    for found in (
        cf.evaluate(QRELS, runs, M, bounds=True, **asked),
        cf.join(QRELS, runs, **asked).under(bounds=True).scores(M),
        cf.join(QRELS, runs, bounds=True, **asked).under(bounds=True).scores(M),
    ):
        assert found.per_topic.equals(expected.per_topic)
        assert found.audit.runs == expected.audit.runs
    assert cf.Evaluator(QRELS, M, **asked)(runs).means.equals(cf.evaluate(QRELS, {"r": RUN}, M, **asked).means)


def test_topics_in_parts_cost_the_same() -> None:
    """A large run is ranked a few topics at a time, those that it lacks at last."""
    judgments, reading = Judgments.of_dict(QRELS), Reading(costs=Costs.taken(COSTS), budget=470)
    assert judgments is not None
    tables = [cf.read_run({topic: RUN[topic]}) for topic in ("2", "1")]
    parts = [rank_topics(Rows("r", table), judgments, reading) for table in tables]
    places = [part.judgments.places for part in parts if part.judgments.places is not None]
    parts.append(rank_rest("r", places, judgments, reading))
    whole, expected = (
        JudgedRankings.over_topics(parts, judgments),
        rank(Rows("r", cf.read_run(RUN)), judgments, reading),
    )
    assert whole.costs.until(whole.length).tolist() == expected.costs.until(expected.length).tolist() == [100, 470, 0]
    assert whole.audits == expected.audits
    assert whole.of_topic("2").costs.until(np.array([1])).tolist() == [400]
    both = JudgedRankings.batch([whole, expected]).only(1)
    assert both.costs.table(both.length).tolist() == [[100, 0], [400, 70], [0, 0]]


def test_the_quick_roads_leave_costs_to_the_other() -> None:
    judgments, reading = Judgments.of_dict(QRELS), Reading(costs=Costs.taken(COSTS))
    assert judgments is not None
    assert rank_dict("r", RUN, judgments, reading) is None
    assert rank_text("r", trec(RUN).encode(), judgments, reading) is None


def test_ties_are_put_in_order_before_costs_are_added_up() -> None:
    """Of x and y, which share a score, y comes first (the id that is last), and nobody judged either of them."""
    runs = {"r": {"1": {"x": 2.0, "y": 2.0, "a": 1.0}}}
    scores = cf.evaluate({"1": {"a": 1}}, runs, ["Cost@1", "Cost"], costs={"x": 5, "y": 7, "a": 11})
    assert scores.topic("1")["r"] == {"Cost@1": 7, "Cost": 23}


def test_excluded_documents_cost_nothing() -> None:
    scores = cf.evaluate(QRELS, {"r": RUN}, "Cost", costs=COSTS, exclude={"1": ["x"]})
    assert scores.topic("1")["r", "Cost"] == 150


def test_topics_without_judgments_need_no_costs() -> None:
    run = {**RUN, "unjudged": {"unknown": 1.0}}
    for bounds in (False, True):
        found = cf.evaluate(QRELS, {"r": run}, "nDCG", costs=COSTS, budget=470, bounds=bounds)
        assert found.topic("1")["r", "nDCG"] < 1


def test_a_run_that_is_read_again_ends_where_its_rankings_do() -> None:
    reading = Reading(costs=Costs.taken(COSTS), budget=470)
    table = ranked_table(Rows("r", cf.read_run({**RUN, "9": {"unknown": 1.0}})), reading)
    assert table.select("query_id", "doc_id").rows() == [("1", "a"), ("2", "x"), ("2", "c")]


# Properties


ids = st.sampled_from(["a", "b", "c", "d", "x", "y", "é", "x,y"])
lists = st.dictionaries(ids, st.integers(0, 3).map(float), min_size=1, max_size=8)
runs_ = st.dictionaries(st.sampled_from("123"), lists, min_size=1)
some_costs = st.fixed_dictionaries(
    {name: st.integers(0, 9).map(lambda n: n / 4) for name in "abcdxyé"} | {"x,y": st.just(1.0)}
)
ALL = ["R", "P@2", "nDCG", "AP", "RR", "Cost", "NumRet", "DCGU(e=0.1,per=cost)", "UDCG"]


@given(runs_, some_costs, st.integers(1, 40).map(lambda n: n / 4))
@settings(max_examples=15)
def test_a_budget_is_its_slow_twin(run: Run, costs: dict[str, float], budget: float) -> None:
    """Scored as the lists that the twin cuts by hand, which keep the order by rank."""
    order = {t: sorted(found, key=lambda d: (found[d], d.encode()), reverse=True) for t, found in run.items()}
    cut = {t: [*within(documents, costs, budget)] for t, documents in order.items()}
    found = cf.evaluate(QRELS, {"r": run}, ALL, costs=costs, budget=budget)
    expected = cf.evaluate(
        QRELS, {"r": {t: {d: -float(i) for i, d in enumerate(ds)} for t, ds in cut.items()}}, ALL, costs=costs
    )
    assert found.per_topic.equals(expected.per_topic)
    assert sum(run.ended for run in found.audit.runs) == sum(len(cut[t]) < len(order[t]) for t in run if t in QRELS)


@given(runs_, some_costs)
@settings(max_examples=10)
def test_a_budget_without_end_is_none(run: Run, costs: dict[str, float]) -> None:
    found = cf.evaluate(QRELS, {"r": run}, ALL, costs=costs, budget=1e12)
    assert found.per_topic.equals(cf.evaluate(QRELS, {"r": run}, ALL, costs=costs).per_topic)
    plain = cf.evaluate(QRELS, {"r": run}, ["R", "nDCG", "RBPU"])
    assert cf.evaluate(QRELS, {"r": run}, ["R", "nDCG", "RBPU"], costs=costs).per_topic.equals(plain.per_topic)


@given(runs_, some_costs, st.lists(st.integers(1, 40).map(lambda n: n / 4), min_size=2, max_size=2))
@settings(max_examples=20)
def test_a_larger_budget_never_lowers_recall(run: Run, costs: dict[str, float], budgets: list[float]) -> None:
    less, more = (
        cf.evaluate(QRELS, {"r": run}, ["R", "Cost", "DCG"], costs=costs, budget=budget).values[:, 0]
        for budget in sorted(budgets)
    )
    assert (less <= more).all()
    assert (less[1] <= min(budgets) * (1 + 1e-9)).all()


@given(runs_, st.integers(1, 9))
@settings(max_examples=20)
def test_costs_of_1_are_a_cutoff_by_rank(run: Run, budget: int) -> None:
    ones = dict.fromkeys([*"abcdxyé", "x,y"], 1)
    found = cf.evaluate(QRELS, {"r": run}, ALL, costs=ones, budget=budget)
    assert found.per_topic.equals(cf.evaluate(QRELS, {"r": run}, ALL, depth=budget).per_topic)


UTILITIES = ("FlatUtility", "DCGU", "ERRU", "RBPU(p=0.7)", "RBU(p=0.7)", "RBU(p=0.7,mode=ntcir)")


def utility(measure: Measure, ranking: Sequence[float], costs: Sequence[float]) -> float:
    """The slow twin: gain without an effort, less the discounted effort of each document's cost."""
    weight: dict[str, Callable[[int], float]] = {
        "FlatUtility": lambda rank: 1.0,
        "DCGU": lambda rank: 1 / math.log2(rank + 1),
        "ERRU": lambda rank: 1 / rank,
        "RBPU": lambda rank: 0.3 * 0.7 ** (rank - 1),
        "RBU": lambda rank: 0.7**rank if "ntcir" in str(measure) else 0.3 * 0.7 ** (rank - 1),
    }
    gain = measure._but(e=0.0).of(ranking)
    return gain - sum(weight[type(measure).__name__](i) * 0.01 * cost for i, cost in enumerate(costs, start=1))


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0]), st.integers(0, 30)), max_size=8))
@settings(max_examples=8)
def test_utilities_by_cost(listed: list[tuple[float, int]]) -> None:
    ranking, costs = [grade for grade, _ in listed], [float(cost) for _, cost in listed]
    for name in UTILITIES:
        [plain] = cf.parse_measures(name)
        measure = plain._but(e=0.01, per="cost")
        assert measure.of(ranking, costs=costs) == pytest.approx(utility(measure, ranking, costs), abs=1e-12)
        assert measure.of(ranking) == pytest.approx(plain._but(e=0.01).of(ranking), abs=1e-12)
        rankings = one_ranking(ranking, costs=costs)
        prefixes = [measure.of(ranking[:k], ranking[k:], costs=costs[:k]) for k in range(len(listed) + 1)]
        assert measure.by_prefix(rankings)[0].tolist() == pytest.approx(prefixes, abs=1e-12)
        steps = measure.prefix_steps(rankings)
        assert steps is not None
        assert np.allclose(steps.loss[0] > 0, np.array(costs) > 0)


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), min_size=1, max_size=4), st.integers(0, 20))
@settings(max_examples=40)
def test_costs_of_lists_by_a_loop(found: list[list[int]], budget: int) -> None:
    length = np.array([len(each) for each in found])
    costs = ListCosts.of(np.array([cost for each in found for cost in each], float), length)
    assert costs.until(length).tolist() == [sum(each) for each in found]
    assert costs.fitting(budget, length).tolist() == [
        max(k for k in range(len(each) + 1) if sum(each[:k]) <= budget) for each in found
    ]
    assert costs.table(length).sum() == sum(map(sum, found))


# What does not go together


def test_moved_documents_have_no_known_cost_down_to_a_rank() -> None:
    moved = one_ranking([0, 1], costs=[5, 7]).reranked()
    assert cf.P(cutoff=1).score(moved).tolist() == [1]
    with pytest.raises(cf.InputError, match="these lists were reordered"):
        cf.Cost().score(moved)
    assert cf.Cost().score(one_ranking([0, 1]).reranked()).tolist() == [2]


def test_what_has_no_costs_says_so() -> None:
    joined = cf.join(QRELS, {"r": RUN}, costs=COSTS)
    with pytest.raises(cf.InputError, match="depends on the order of ties; leave the budget out"):
        cf.ties(QRELS, {"r": RUN}, "R", costs=COSTS, budget=100)
    with pytest.raises(cf.MeasureError, match="has no ideal curve: the cost of the ideal list is unknown"):
        cf.curve(joined, measure="Cost")
    with pytest.raises(cf.InputError, match="joined with costs='5 costs', not '1 cost'"):
        cf.evaluate(joined, measures="R", costs={"a": 1})
    with pytest.raises(cf.InputError, match="leave depth, budget and judged_only out"):
        cf.report(QRELS, {"r": RUN}, "R", costs=COSTS, budget=100)
    with pytest.raises(cf.InputError, match="lists cannot be cut by GainPerCost, which needs"):
        cf.cut({"r": RUN}, oracle="GainPerCost", qrels=QRELS)
    assert cf.evaluate(joined, measures="Cost", costs=COSTS).topic("1")["r", "Cost"] == 550


@each_of("name", ["costs", "budget", "cost_missing"])
def test_spark_refuses_costs(name: str) -> None:
    pytest.importorskip("pyspark", reason="Spark has an environment of its own")
    from cranfield.scoring.engines.spark import evaluate

    asked: Any = {name: COSTS if name == "costs" else 1}
    with pytest.raises(cf.InputError, match=f"{name} is not for Spark: what a list costs is computed on one machine"):
        evaluate("qrels", "runs", "R", **asked)


def test_joined_runs_with_other_costs_are_another_study() -> None:
    one, other = (cf.join(QRELS, {"r": RUN}, costs={**COSTS, "x": x}) for x in (1, 2))
    assert one.fingerprint == cf.join(QRELS, {"r": RUN}, costs={**COSTS, "x": 1}).fingerprint != other.fingerprint


def test_results_are_read_back_without_the_costs_of_documents() -> None:
    scores = cf.evaluate(QRELS, {"mine": RUN}, M, costs=COSTS, budget=470)
    again = cf.Scores.from_dict(json.loads(json.dumps(scores.to_dict())))
    assert again == scores
    assert pickle.loads(pickle.dumps(scores)) == scores  # noqa: S301
    with pytest.raises(cf.InputError, match="do not hold the costs of documents"):
        cf.evaluate(QRELS, {"mine": RUN}, M, costs=again.conditions.reading.costs)


# The command


def test_the_command(tmp_path: Path) -> None:
    qrels = written(tmp_path, "qrels.txt", "".join(f"{t} 0 {d} {g}\n" for t, j in QRELS.items() for d, g in j.items()))
    run, costs = written(tmp_path, "r.run", trec(RUN)), written(tmp_path, "c.jsonl", "")
    costs.write_text("".join(json.dumps({"id": d, "tokens": c}) + "\n" for d, c in COSTS.items()))
    asked = ["evaluate", str(qrels), str(run), "-m", "Cost", "-m", "R", "--costs", str(costs), "--budget", "470"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0, done.output
    assert "190.0000" in done.stdout  # (100 + 470 + 0) / 3
    assert "c.jsonl (tokens); the budget of 470 ended 1 of 2 lists" in done.stderr
    overwritten = CliRunner().invoke(main, [*asked, "-o", str(costs)])
    assert overwritten.exit_code == 2
    assert costs.read_text().startswith("{")


# Real data


def made_up(document: str) -> int:
    """A cost from 20 to 199 that follows from the id alone."""
    return 20 + zlib.crc32(document.encode()) % 180


def test_dl19_by_a_loop(data: Path) -> None:
    folder = data / "dl19-passage"
    run = cf.read_run(sorted((folder / "runs").iterdir())[0])
    costs = {document: made_up(document) for document in run["doc_id"].unique()}
    ranked = run.sort("score", "doc_id", descending=True)
    lists_ = {topic: part["doc_id"].to_list() for (topic,), part in ranked.group_by("query_id", maintain_order=True)}
    scores = cf.evaluate(folder / "qrels.txt", {"r": run}, ["Cost", "NumRet"], costs=costs, budget=1000)
    for topic in scores.topics:
        kept = within(lists_[topic], costs, 1000)
        assert scores.topic(topic)["r"] == {"Cost": sum(costs[d] for d in kept), "NumRet": len(kept)}


def test_the_page_shows_what_its_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "costs.md").read_text(encoding="utf-8")
    shown = re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(shown) == 3
    monkeypatch.chdir(tmp_path)
    for commands, printed in shown:
        for name, held in re.findall(r"cat > (\S+) <<END\n(.*?)END\n", commands, re.DOTALL):
            (tmp_path / name).write_text(held)
        [asked] = re.findall(r"^cranfield (.*)", commands.replace("\\\n", " "), re.MULTILINE)
        done = CliRunner().invoke(main, shlex.split(asked))
        assert done.exit_code == 0, done.output
        assert printed in done.stdout


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_document_that_json_has_twice_is_refused(tmp_path: Path, mark: str) -> None:
    file = tmp_path / "costs.json"
    file.write_text(f'{mark}{{"d1": 1, "d2": 2}}', encoding="utf-8")
    assert Costs.taken(file).of(pl.Series(["d1", "d2"])).to_list() == [1, 2]
    file.write_text(f'{mark}{{"d1": 1, "d1": 5}}', encoding="utf-8")
    with pytest.raises(cf.InputError, match=r"costs\.json: .*'d1' occurs twice in one object"):
        Costs.taken(file)
    file.write_text(f'{mark}{{"doc": "d1", "cost": 1, "cost": 5}}\n', encoding="utf-8")
    with pytest.raises(cf.InputError, match="'cost' occurs twice in one object"):
        Costs.taken(file)

"""Runs cut in memory: where, in which order, and what becomes of lists of which nothing is left."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.judged.conditions import Reading
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.options import Order, RuleName
from cranfield.scoring.engines.local import read_ranked
from cranfield.stopping.cutting import cut
from cranfield.stopping.optimal import optimal_lengths

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"a": 1}}
ORDERS: tuple[Order, ...] = get_args(Order)


def study(seed: int = 7) -> tuple[dict[str, dict[str, int]], pl.DataFrame]:
    """Judge half the documents of twelve topics; a run has ten of these, another one, and many ties of many kinds."""
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(20)]
    qrels = {str(t): dict(zip(documents, rng.integers(0, 3, 12).tolist(), strict=False)) for t in range(12)}
    rows: list[tuple[str, str, float, int]] = []
    for topic in [*range(3, 12), "unjudged", 0]:
        n = int(rng.integers(1, 16))
        values = rng.choice([2.0, 1.0, 1.0 + 1e-12, 0.0, -0.0, -1.5, 1e300, -math.inf], n).tolist()
        ranks = rng.permutation(n) // 2 + 1
        rows += zip([str(topic)] * n, rng.permutation(documents)[:n].tolist(), values, ranks.tolist(), strict=True)
    order = rng.permutation(len(rows)).tolist()
    return qrels, pl.DataFrame([rows[i] for i in order], ["query_id", "doc_id", "score", "rank"], orient="row")


@each_of("order", ORDERS)
@each_of("k", [1, 3, 10, 99])
def test_cut_at_k_is_evaluated_as_at_depth_k(order: Order, k: int) -> None:
    qrels, run = study()
    measures = ["SetP", "AP", "NumRet", "OIE", "nDCG"]
    left = cut({"r": run}, at=k, order=order)
    evaluated = cf.evaluate(qrels, left, measures, order=order)
    assert (evaluated.values == cf.evaluate(qrels, {"r": run}, measures, depth=k, order=order).values).all()
    assert left["r"].height < run.height or k == 99


@pytest.mark.parametrize("order", ORDERS)
def test_a_ranked_table_has_the_order_that_is_evaluated(order: Order) -> None:
    """Judge one rank's documents alone to be relevant: each is at that rank for evaluate(), too."""
    _, run = study()
    table = read_ranked(cf.read_runs({"r": run}).sources[0], Reading(order=order))
    by_rank = table.select("query_id", "doc_id", "rank")
    for rank in (1, 2, 5):
        chosen = by_rank.filter(pl.col("rank") == rank)
        qrels = {topic: {document: 1} for topic, document, _ in chosen.rows()}
        assert (cf.evaluate(qrels, {"r": run}, "RR", order=order).values == 1 / rank).all()
    assert (
        table["query_id"].unique(maintain_order=True).to_list() == run["query_id"].unique(maintain_order=True).to_list()
    )
    assert table.height == run.height


def test_a_document_retrieved_twice_is_refused() -> None:
    with pytest.raises(InputError, match="'a' is retrieved twice for topic '1'"):
        cut({"r": [("1", "a", 2.0), ("1", "a", 1.0)]}, at=1)


def test_down_to_a_score() -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "c": 2.0, "d": -1.0}, "2": {"e": 1.0}}
    assert cut({"r": run}, score=2.0)["r"].rows() == [("1", "a", 3.0), ("1", "c", 2.0), ("1", "b", 2.0)]
    assert cut({"r": run}, score=-math.inf)["r"].height == 5
    # Ranked otherwise, the list ends before the first score that is too low, whatever follows.
    ranked = pl.DataFrame({"qid": ["1"] * 3, "docno": list("abc"), "score": [5.0, 1.0, 4.0], "rank": [1, 2, 3]})
    assert cut({"r": ranked}, score=3.0, order="rank")["r"].rows() == [("1", "a", 5.0)]


@each_of("order", ORDERS)
@each_of("measure", ["OIE(docs=50)", "FlatUtility(e=0.5)", "RBPResidual(p=0.5)", "SetF"])
def test_the_oracle_leaves_what_is_worth_most(order: Order, measure: str) -> None:
    qrels, run = study()
    runs = cf.join(qrels, {"r": run}, order=order)
    [asked] = cf.parse_measures(measure)
    length, value = optimal_lengths(asked, runs.batches[0])
    scores = cf.evaluate(
        qrels, cut({"r": run}, oracle=measure, qrels=qrels, order=order), [asked, "NumRet"], order=order
    )
    assert scores.values[1, 0].tolist() == length.tolist()
    has = runs.present[0]
    assert scores.values[0, 0, has] == pytest.approx(value[has])
    assert not has.all()


def test_topics_without_judgments_stay_whole_for_the_oracle_and_not_for_a_rule() -> None:
    qrels, run = study()
    whole = run.filter(pl.col("query_id") == "unjudged").height
    left = cut({"r": run}, oracle="SetF", qrels=qrels)["r"]
    assert left.filter(pl.col("query_id") == "unjudged").height == whole
    learned = cut({"r": run}, learned="FlatUtility(e=0.2)", rule="depth", qrels=qrels, folds=3)
    depth = int(learned.how["r"].removeprefix("depth "))
    assert learned["r"].filter(pl.col("query_id") == "unjudged").height == min(depth, whole)


def test_a_learned_depth_is_the_best_one() -> None:
    qrels, run = study()
    means = [cf.evaluate(qrels, {"r": run}, "SetF", depth=k).averages.item() for k in range(1, 16)]
    learned = cut({"r": run}, learned="SetF", rule="depth", qrels=qrels)
    best = means.index(max(means)) + 1
    assert learned.how == {"r": f"depth {best}"}
    assert cf.evaluate(qrels, learned, "SetF").averages.item() == pytest.approx(max(means))


@pytest.mark.parametrize("rule", [rule for rule in get_args(RuleName) if rule != "budget"])
def test_rules_can_be_learned_for_any_measure(rule: RuleName) -> None:
    qrels, run = study()
    left = cut({"r": run}, learned="RBPU(p=0.5)", rule=rule, qrels=qrels, folds=4, seed=3)
    again = cut({"r": run}, learned=cf.RBPU(p=0.5), rule=rule, qrels=qrels, folds=4, seed=3)
    assert left.how == again.how
    assert left["r"].equals(again["r"])
    assert rule == "best" or left.how["r"].startswith(rule)


def test_an_empty_list_is_no_missing_topic() -> None:
    run = {"1": {"a": 3.0}, "2": {"x": 1.0}}
    left = cut({"r": run}, score=2.0)
    assert left.sources[0].empty_topics == ("2",)
    scores = cf.evaluate(QRELS, left, "OIE(docs=4)")
    assert scores.audit.runs[0].empty == ("2",)
    assert scores.audit.runs[0].missing == ("3",)
    # One of 4 documents is relevant: the empty list has (1 - 1.05) H(G) = -0.05 ln(4) / 4, and
    # topic 3 counts 0.
    assert scores.values[0, 0, 1:].tolist() == [pytest.approx(-0.05 * math.log(4) / 4), 0]


def test_empty_lists_stay_empty_and_nothing_may_be_left_at_all() -> None:
    left = cut({"r": {"1": {"a": 3.0}, "2": {}}}, score=9.0)
    assert left["r"].rows() == []
    assert sorted(left.sources[0].empty_topics) == ["1", "2"]
    scores = cf.evaluate(QRELS, left, ["NumRet", "FlatUtility"])
    assert scores.present.tolist() == [[True, True, False]]
    assert scores.averages.tolist() == [[0], [0]]


def test_the_cut_run_can_be_cut_again_and_read_in_all_ways() -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    [source] = cut(cut({"r": run}, at=2), at=1).sources
    assert source.read(rank=True, lines=True).to_dicts() == [
        {"query_id": "1", "doc_id": "a", "score": 3.0, "rank": 1, "line": 1}
    ]
    assert source.tag() == "r"


@pytest.mark.parametrize("name", ["r.txt", "r.run.gz", "r.csv", "r.tsv.zst", "r.parquet"])
def test_written_and_read_again(name: str, tmp_path: Path) -> None:
    run = cf.read_run({"1": {"a": 0.1 + 0.2, "b": 1e-300, "c": -1.0}, "2": {"x": 1.0}})
    cf.write_run(run, tmp_path / name, name="tagged")
    left = cut(tmp_path / name, at=2)
    (tmp_path / "cut").mkdir()
    cf.write_run(left["r"], tmp_path / "cut" / name, name=left.sources[0].tag())
    [again] = cf.read_runs(tmp_path / "cut" / name).sources
    assert again.read().rows() == [("1", "a", 0.1 + 0.2), ("1", "b", 1e-300), ("2", "x", 1.0)]
    assert again.tag() == ("tagged" if name in {"r.txt", "r.run.gz"} else "r")


def test_several_runs_in_one_table() -> None:
    both = pl.DataFrame({"run": list("ssrr"), "qid": ["1"] * 4, "docno": list("abab"), "score": [2.0, 1.0, 1.0, 2.0]})
    left = cut(both, at=1)
    assert {name: left[name]["doc_id"].to_list() for name in left} == {"s": ["a"], "r": ["b"]}
    assert left.how == {"s": "", "r": ""}


@each_of(
    ("options", "expected"),
    [
        ({}, "choose one way to cut (at, score, oracle, learned, lose_at_most, threshold), not none"),
        ({"at": 1, "score": 0.0}, "not at and score"),
        ({"at": 0}, "at must be at least 1, not 0"),
        ({"score": math.nan}, "score must be a finite number, not nan"),
        ({"oracle": "OIE"}, "oracle needs qrels"),
        ({"learned": "OIE"}, "learned needs qrels"),
        ({"oracle": "OEI", "qrels": QRELS}, "no measure is called 'OEI'"),
        ({"oracle": "official", "qrels": QRELS}, "one numeric measure"),
        ({"oracle": "RunID", "qrels": QRELS}, "one numeric measure"),
        ({"oracle": "Success", "qrels": QRELS}, "needs a cutoff"),
        ({"learned": "OIE", "qrels": QRELS, "rule": "length"}, "rule must be 'best' or 'depth'"),
        ({"learned": "OIE", "qrels": QRELS, "folds": 5}, "number of judged topics, 1, not 5"),
        ({"at": 1, "order": "scores"}, "order must be 'score' or"),
        ({"oracle": "OIE", "qrels": {"9": {"a": 1}}}, "no topic in common with the qrels"),
        ({"at": 1, "order": "rank"}, "has no rank column"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(CranfieldError) as refused:
        cut({"r": {"1": {"a": 1.0}}}, **options)
    assert expected in str(refused.value)

"""What ties are worth: by hand, against all orders one by one, and the command."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli import main
from cranfield.lists.possibilities import possible_means
from cranfield.measures import xinfAP

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 2, "b": 1}}
RUN = {"1": {"a": 1.0, "b": 1.0, "x": 1.0, "c": 0.5}, "2": {"a": 2.0, "b": 1.0}}


def row(table: pl.DataFrame, **which: str) -> dict[str, float]:
    return table.filter(**which).row(0, named=True)


def test_by_hand() -> None:
    """Topic 1: a shares its score with b and x, and c follows; b is judged, x is not. Topic 2 has no ties.

    a is at rank 1, 2 or 3, and comes last as the ids have it (x b a c): AP (1/a + 2/4)/2.
    """
    found = cf.ties(QRELS, RUN, ["AP", "P@1"], per_topic=True).to_polars()
    topic = row(found, topic="1", measure="AP")
    assert topic["value"] == topic["low"] == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert topic["high"] == (1 + 1 / 2) / 2
    assert topic["expected"] == pytest.approx(((1 + 1 / 2 + 1 / 3) / 3 + 1 / 2) / 2)
    assert topic["standard_error"] == 0
    average = row(found, topic="all", measure="P@1")
    assert [average[name] for name in ("value", "expected", "low", "high")] == pytest.approx([0.5, 2 / 3, 0.5, 1])
    assert set(found["extremes"]) == {"exact"}


def test_where_there_are_no_ties_all_values_are_one() -> None:
    found = cf.ties(QRELS, {"1": {"a": 2.0, "b": 1.0}}, ["AP", "nDCG"])
    table = found.to_polars()
    for name in ("expected", "low", "high"):
        assert table[name].to_list() == table["value"].to_list()
    assert found.remarks() == (
        "0.0% of documents are tied; their order can matter in 0 rankings, and all orders were tried for 0 of these",
    )


MEASURES = ["AP", "nDCG@3", "P@2", "RR", "Bpref", "ERR@3", "RBP(p=0.5)", "Twist", "AP(judged_only=True)"]

lists = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([None, 0, 1, 2])), min_size=1, max_size=6)


@pytest.mark.integration
@settings(max_examples=60, derandomize=True, database=None)
@given(lists)
def test_against_all_orders_one_by_one(documents: list[tuple[int, int | None]]) -> None:
    judged = {f"d{i}": grade for i, (_, grade) in enumerate(documents) if grade is not None}
    qrels = {"1": {"other": 1} | judged}
    run = {"1": {f"d{i}": float(score) for i, (score, _) in enumerate(documents)}}
    by_score = [
        [d for d, s in run["1"].items() if s == score] for score in sorted(set(run["1"].values()), reverse=True)
    ]
    values = []
    for order in product(*map(permutations, by_score)):
        ranked = [document for group in order for document in group]
        clear = {"1": {document: -float(i) for i, document in enumerate(ranked)}}
        values.append(cf.evaluate(qrels, clear, MEASURES).averages[:, 0])
    found = cf.ties(qrels, run, MEASURES, orders=720).to_polars()
    assert found["value"].to_list() == cf.evaluate(qrels, run, MEASURES).averages[:, 0].tolist()
    assert found["expected"].to_list() == pytest.approx(np.mean(values, axis=0))
    assert found["low"].to_list() == pytest.approx(np.min(values, axis=0))
    assert found["high"].to_list() == pytest.approx(np.max(values, axis=0))
    assert (found["standard_error"] == 0).all()
    few = cf.ties(qrels, run, MEASURES, orders=2).to_polars()
    sure = few.with_columns(least=np.min(values, axis=0), most=np.max(values, axis=0)).filter(extremes="exact")
    assert sure["measure"].to_list() == [measure for measure in MEASURES if measure != "Twist"]
    assert sure["low"].to_list() == pytest.approx(sure["least"].to_list())
    assert sure["high"].to_list() == pytest.approx(sure["most"].to_list())


def test_orders_by_chance_are_near_what_is_expected() -> None:
    """Fifty documents of one score, five of them relevant: P@10 is 1/10 whatever the order of the others."""
    names = [f"d{i}" for i in range(50)]
    qrels = {"1": {name: int(i % 10 == 0) for i, name in enumerate(names)}}
    found = row(cf.ties(qrels, {"1": dict.fromkeys(names, 1.0)}, "P@10", orders=2000).to_polars())
    assert found["standard_error"] == pytest.approx(0.09 / 2000**0.5 * 0.9, rel=0.2)
    assert abs(found["expected"] - 0.1) < 4 * found["standard_error"]
    assert (found["low"], found["high"]) == (0, 0.5)


def test_ties_across_the_depth_are_broken_before_lists_are_cut() -> None:
    found = row(cf.ties({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}, "RR", depth=1).to_polars())
    assert [found[name] for name in ("value", "expected", "low", "high")] == [0, 0.5, 0, 1]


def test_scores_that_are_equal_in_32_bits() -> None:
    run = {"1": {"a": 1.0, "b": 1.0 + 1e-12}}
    assert row(cf.ties({"1": {"a": 1}}, run, "RR").to_polars())["expected"] == 0.5
    assert row(cf.ties({"1": {"a": 1}}, run, "RR", order="trec9").to_polars())["expected"] == 0.75


def test_a_topic_that_the_run_lacks_counts_0_or_not_at_all() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    run = {"1": {"a": 1.0, "b": 1.0}, "9": {"a": 1.0}}
    assert row(cf.ties(qrels, run, "RR").to_polars())["expected"] == 0.375
    assert row(cf.ties(qrels, run, "RR", topics="shared").to_polars())["expected"] == 0.75


def test_a_run_is_worth_the_same_alone_and_joined() -> None:
    runs = {"x": RUN, "y": {"1": dict.fromkeys("abcx", 1.0)}}
    together = cf.ties(cf.join(QRELS, runs), measures="AP").to_polars()
    assert pl.concat(cf.ties(QRELS, {name: run}, "AP").to_polars() for name, run in runs.items()).equals(together)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"order": "rank"}, "ties are equal scores; order 'rank' leaves none"),
        ({"orders": 1}, "orders must be at least 2"),
        ({"measures": "gmAP"}, "gmAP is averaged by its logarithms, so it has no expected value over orders"),
        ({"measures": "relstring"}, "is a text, so it has no expected value"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, str], problem: str) -> None:
    with pytest.raises(cf.CranfieldError, match=problem):
        cf.ties(QRELS, RUN, **asked)  # type: ignore[arg-type]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cf.write_qrels(cf.read_qrels(QRELS), "qrels.txt")
    cf.write_run(cf.read_run(RUN), "bm25.run")
    shown = CliRunner().invoke(main, ["ties", "qrels.txt", "bm25.run", "-m", "P@1"])
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[1].split() == [
        "bm25", "P@1", "0.5000", "0.6667", "0.0000", "0.5000", "1.0000", "exact",
    ]  # fmt: skip
    assert (
        "50.0% of documents are tied; their order can matter in 1 ranking, and all orders were tried for 1"
        in shown.stderr
    )
    refused = CliRunner().invoke(main, ["ties", "qrels.txt", "bm25.run", "--order", "file"])
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)


STRATA = [("1", "a1", 1, "a"), ("1", "a2", 0, "a"), ("1", "b1", 0, "b"), ("1", "b2", -1, "b"), ("1", "b3", 1, "b"),
          ("1", "b4", -1, "b")]  # fmt: skip
SUBTOPICS = {"1": {"north": {"a1": 1, "a2": 1, "b1": 0}, "south": {"b3": 1, "a2": 1}, "west": {"b1": 0}}}


@pytest.mark.parametrize("measure", ["xinfAP", "alpha_nDCG@3", "StRecall@1"])
@pytest.mark.parametrize("tied", ["a1 b3", "a1 a2 b3", "a1 b1 b3 b2", "b1 a2"])
def test_documents_of_one_grade_are_told_apart_by_what_else_is_known(measure: str, tied: str) -> None:
    """Of one grade, but of other strata, or for other subtopics: their order matters, and all orders are seen."""
    sampled = pl.DataFrame(STRATA, ["query_id", "doc_id", "relevance", "stratum"], orient="row")
    qrels: Any = sampled if measure == "xinfAP" else SUBTOPICS
    conditions: Any = {} if measure == "xinfAP" else {"subtopics": "read"}
    documents = tied.split()
    found = cf.ties(qrels, {"1": dict.fromkeys(documents, 1.0)}, measure, **conditions)
    values = [
        cf.evaluate(qrels, {"1": list(order)}, measure, **conditions).averages.item()
        for order in permutations(documents)
    ]
    table = found.to_polars()
    assert row(table)["expected"] == pytest.approx(np.mean(values))
    assert [row(table)[end] for end in ("low", "high")] == pytest.approx([min(values), max(values)])
    if max(values) > min(values):
        assert "can matter in 1 ranking, and all orders were tried for 1 of these" in found.remarks()[0]


def test_documents_of_one_grade_and_two_strata_are_told_apart() -> None:
    """A tie of two relevant documents, each standing for others of its own stratum: their order matters."""
    rows = [("1", "a", 1, "s"), ("1", "b", 1, "t"), ("1", "c", 0, "t"), ("1", "d", -1, "t"), ("1", "e", 0, "s")]
    qrels = pl.DataFrame(rows, ["query_id", "doc_id", "relevance", "stratum"], orient="row")
    tied = {"a": 1.0, "b": 1.0, "e": 0.5}
    orders = {
        cf.evaluate(qrels, {"r": {"1": {first: 3.0, other: 2.0, "e": 1.0}}}, "xinfAP").averages[0, 0]
        for first, other in (("a", "b"), ("b", "a"))
    }
    assert len(orders) == 2
    found = cf.ties(qrels, {"r": {"1": tied}}, ["xinfAP"])
    [row_] = found.to_polars().rows(named=True)
    assert (row_["low"], row_["high"]) == (min(orders), max(orders))
    assert "their order can matter in 1 ranking, " in found.remarks()[0]
    possible = possible_means(cf.join(qrels, {"r": {"1": tied}}, bounds=True), xinfAP(), ties=("best", "worst"))
    assert set(possible.means.ravel()) == orders

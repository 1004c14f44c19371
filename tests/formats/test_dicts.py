"""Dicts of dicts and tuples, in and out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ir_measures
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.formats import Qrel, ScoredDoc, dicts, read_qrels, read_run, read_runs, to_dict, to_tuples
from cranfield.formats.columns import QRELS_KIND, RUN_KIND
from cranfield.plumbing.errors import InputError


def test_a_run_with_a_topic_that_retrieved_nothing() -> None:
    table, empty = dicts.from_dict({"001": {"a": 2.5, "b": 1}, "002": {}, "003": {"a": 0.5}}, RUN_KIND)
    assert table.rows() == [("001", "a", 2.5), ("001", "b", 1.0), ("003", "a", 0.5)]
    assert empty == ["002"]
    source = read_runs({"001": {"a": 2.5}, "002": {}}).sources[0]
    assert source.empty_topics == ("002",)


def test_a_run_that_retrieved_nothing_at_all() -> None:
    table, empty = dicts.from_dict({"001": {}, "002": {}}, RUN_KIND)
    assert table.schema == {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    assert (table.height, empty) == (0, ["001", "002"])
    with pytest.raises(InputError, match="dict: is empty"):
        dicts.from_dict({}, RUN_KIND)


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [([1, 0], pl.Int64), ([np.int32(1), True], pl.Int64), ([1, 0.5], pl.Float64), ([np.float32(1.0), 0], pl.Float64)],
)
def test_labels(labels: list[Any], dtype: type[pl.DataType]) -> None:
    table = read_qrels({"1": {"a": labels[0], "b": labels[1]}})
    assert table.schema["relevance"] == dtype
    assert table["relevance"].to_list() == labels


def test_ids_may_be_whole_numbers_but_not_floats() -> None:
    assert read_run({1: {np.int64(2): 3.0}}).rows() == [("1", "2", 3.0)]
    with pytest.raises(InputError, match=r"dict: the query_id 1.0 is not an id: give a string"):
        read_run({1.0: {"a": 3.0}})
    with pytest.raises(InputError, match="dict: the doc_id None is not an id"):
        read_run({"1": {None: 3.0}})


@pytest.mark.parametrize("score", [None, "1.0", [1.0], 1j])
def test_scores_must_be_numbers(score: Any) -> None:
    with pytest.raises(InputError) as caught:
        read_run({"1": {"a": 1.0, "b": score}})
    assert str(caught.value) == f"dict: row 2 (topic 1, document b): the score {score!r} is not a number"


def test_nan_is_refused() -> None:
    with pytest.raises(InputError, match=r"dict: row 2 \(topic 1, document b\): the score is not a number"):
        read_run({"1": {"a": 1.0, "b": float("nan")}})


def test_what_is_wrong_in_one_of_several_runs_names_the_run() -> None:
    with pytest.raises(InputError) as caught:
        dict(read_runs({"bm25": {"1": {"a": 1.0}}, "dense": {"1": {"a": 1.0, "b": None}}}))
    assert str(caught.value) == "run dense: row 2 (topic 1, document b): the score None is not a number"


def test_numbers_that_are_too_large() -> None:
    with pytest.raises(InputError, match="the relevance 9223372036854775808 does not fit 64 bits"):
        read_qrels({"1": {"a": 2**63}})
    with pytest.raises(InputError, match="too large for 64-bit floats"):
        read_run({"1": {"a": 10**400}})


def test_tuples_of_ir_measures_and_ours_have_the_same_fields() -> None:
    assert ScoredDoc._fields == ir_measures.ScoredDoc._fields
    assert Qrel._fields == ir_measures.Qrel._fields
    scored = [ir_measures.ScoredDoc("1", "a", 2.5), ir_measures.ScoredDoc("1", "b", 1.0)]
    assert read_run(scored).rows() == [("1", "a", 2.5), ("1", "b", 1.0)]
    judged = [ir_measures.Qrel("1", "a", 2), ir_measures.Qrel("1", "b", 0, "7")]
    assert read_qrels(iter(judged)).rows() == [("1", "a", 2), ("1", "b", 0)]


def test_objects_and_plain_tuples() -> None:
    @dataclass
    class Hit:
        score: float
        doc_id: str
        query_id: str

    assert read_run([Hit(2.5, "a", "1"), ("1", "b", 2), ["1", "c", 1]]).rows() == [
        ("1", "a", 2.5),
        ("1", "b", 2.0),
        ("1", "c", 1.0),
    ]
    with pytest.raises(InputError, match=r"\('1', 'a'\) is not a tuple of query_id, doc_id, score"):
        read_run([("1", "a")])


def test_out() -> None:
    run = read_run([("2", "b", 1), ("1", "a", 2.5), ("2", "a", 0.5)])
    assert to_dict(run) == {"2": {"b": 1.0, "a": 0.5}, "1": {"a": 2.5}}
    assert list(to_dict(run)) == ["2", "1"]
    assert to_tuples(run) == [ScoredDoc("2", "b", 1.0), ScoredDoc("1", "a", 2.5), ScoredDoc("2", "a", 0.5)]
    qrels = read_qrels({"1": {"a": 2}})
    assert to_tuples(qrels) == [Qrel("1", "a", 2, "0")]
    assert isinstance(to_tuples(qrels)[0], Qrel)
    with pytest.raises(InputError, match="neither a run nor qrels"):
        to_dict(pl.DataFrame({"query_id": ["1"], "doc_id": ["a"]}))
    with pytest.raises(InputError, match="'a' is retrieved twice for topic '1', which neither a dict nor JSON holds"):
        to_dict(read_run([("1", "a", 2.5), ("2", "a", 2.0), ("1", "a", 1.5)]))
    assert to_dict(read_qrels([("1", "a", 2), ("1", "a", 2)])) == {"1": {"a": 2}}


nested = st.dictionaries(
    st.text(min_size=1, max_size=3),
    st.dictionaries(st.text(min_size=1, max_size=3), st.floats(allow_nan=False), min_size=1, max_size=3),
    min_size=1,
    max_size=3,
)


@given(nested)
@settings(max_examples=40)
def test_a_dict_comes_back_as_it_went(run: dict[str, dict[str, float]]) -> None:
    assert to_dict(dicts.from_dict(run, RUN_KIND)[0]) == run
    tuples = [ScoredDoc(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    assert to_tuples(dicts.from_tuples(tuples, RUN_KIND)) == tuples
    assert to_tuples(dicts.from_tuples([Qrel("1", "a", 1)], QRELS_KIND)) == [Qrel("1", "a", 1)]


def test_of_judgments_by_subtopic_the_largest_grade_stays() -> None:
    """In whatever order they stand; tuples keep each, as ir_measures and ours read them again."""
    table = read_qrels({"401": {"north": {"d1": 2, "d2": 0}, "south": {"d1": 0, "d3": 1}}}, subtopics="read")
    for rows in (table, table.reverse()):
        assert to_dict(rows) == {"401": {"d1": 2, "d2": 0, "d3": 1}}
        again = read_qrels(to_tuples(rows), subtopics="read")
        assert again.select(rows.columns).rows() == rows.rows()
    assert to_tuples(table)[0] == Qrel("401", "d1", 2, "north")


def test_an_array_without_a_dimension_is_a_number() -> None:
    score, grade = np.array(1.5), np.array(2)
    assert read_run({"1": {"a": score}}).rows() == [("1", "a", 1.5)]
    assert read_qrels({"1": {"a": grade}}).rows() == [("1", "a", 2)]
    assert read_runs({"bm25": {"1": {"a": score}}})["bm25"].rows() == [("1", "a", 1.5)]
    with pytest.raises(InputError, match=r"needs a dict or list of documents, not array\(2\)"):
        read_qrels({"1": grade})

"""Several searches for one question: by hand, by a slow twin, and against evaluations of the unions as runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tools.hostile import ATTACKS

import cranfield as cf
from cranfield.plumbing.errors import InputError, MeasureError

QRELS = {"q1": {"a": 1, "d": 1}, "q2": {"g": 2}, "q3": {"k": 1}}
LISTS = {"q1": [["a", "b", "c"], ["b", "d"], ["a", "e"]], "q2": [["f", "g"]], "q3": []}


def test_three_questions_by_hand() -> None:
    """The first search fills the first two ranks; the second finds d; the third only what was there."""
    found = cf.searches(QRELS, {"agent": LISTS}, ["R", "nDCG@2"])
    table = found.by_call
    assert table["made"].to_list() == [2, 1, 1]
    assert table["documents"].to_list() == pytest.approx([(3 + 2) / 3, (4 + 2) / 3, (5 + 2) / 3])
    assert table["new"].to_list() == [(3 + 2) / 2, 1, 1]  # on the topics that had the search
    assert table["new_relevant"].to_list() == [(1 + 1) / 2, 1, 0]
    assert table["gain"].to_list() == [(1 + 2) / 2, 1, 0]
    assert table["repeated"].to_list() == [0, 1 / 2, 1 / 2]
    assert table["R"].to_list() == pytest.approx([(1 / 2 + 1 + 0) / 3, (1 + 1 + 0) / 3, (1 + 1 + 0) / 3])
    assert table["R of the search"].to_list() == [(1 / 2 + 1) / 2, 1 / 2, 1 / 2]
    second = 1 / math.log2(3)  # what rank 2 is worth
    at_2 = (1 / (1 + second) + 2 * second / 2 + 0) / 3
    assert table["nDCG@2"].to_list() == pytest.approx([at_2] * 3)
    alone = [(1 / (1 + second) + second) / 2, second / (1 + second), 1 / (1 + second)]
    assert table["nDCG@2 of the search"].to_list() == pytest.approx(alone)
    topics = found.per_topic
    assert topics["first"].to_list() == [1, 1, None]
    assert topics["complete"].to_list() == [2, 1, None]
    assert topics["repeated"].to_list() == [2 / 7, 0, None]
    assert topics["gain_per_search"].to_list() == [2 / 3, 2, None]
    row = found.by_run.row(0, named=True)
    assert (row["topics"], row["without"], row["searches"], row["repeated"]) == (3, 1, 4 / 3, 2 / 9)
    assert (row["found"], row["complete"], row["gain_per_search"]) == (2 / 3, 2 / 3, 4 / 4)
    assert row["gain_per_1000_tokens"] is None
    assert found.remarks() == (
        "agent: 3 topics, 1 without a search; 1.33 searches a topic; 22% of the results had been returned before; "
        "67% of the topics found something relevant, 67% everything; gain of 1 a search",
    )


def test_intervals_are_those_of_scipy() -> None:
    values = np.array([0.5, 1.0, 0.0])
    table = cf.searches(QRELS, {"agent": LISTS}, "R", level=0.3).by_call
    expected = stats.t.interval(0.3, 2, values.mean(), stats.sem(values))
    assert table.select("R low", "R high").row(0) == pytest.approx(expected)
    beyond = cf.searches(QRELS, {"agent": LISTS}, "R", level=0.9).by_call
    assert beyond.select("R low", "R high").row(0) == (0, 1)  # where R ends
    alone = cf.searches({"q1": QRELS["q1"]}, {"agent": LISTS}, "R").by_call
    assert alone["R low"].to_list() == [None] * 3  # one topic has no interval


def test_a_budget_of_tokens_by_hand() -> None:
    """Each document costs 100 tokens, b and a whenever they are returned: d is the fifth."""
    rows = [
        (topic, call, document, 100)
        for topic, lists in LISTS.items()
        for call, each in enumerate(lists, 1)
        for document in each
    ]
    table = pl.DataFrame(
        [*rows, ("q3", None, None, None)], schema=["topic", "call", "document", "tokens"], orient="row"
    )
    found = cf.searches(QRELS, {"agent": table}, "R", calls=[1], tokens=[100, 400, 500])
    within = found.by_call.filter(unit="tokens")
    assert within["documents"].to_list() == pytest.approx([(1 + 1) / 3, (3 + 2) / 3, (4 + 2) / 3])
    assert within["R"].to_list() == pytest.approx([(1 / 2 + 0 + 0) / 3, (1 / 2 + 1) / 3, (1 + 1) / 3])
    assert found.per_topic["tokens"].to_list() == [700, 200, 0]
    assert found.per_topic["gain_per_1000_tokens"].to_list() == [pytest.approx(2000 / 700), 10.0, None]
    assert found.by_run["gain_per_1000_tokens"].to_list() == [pytest.approx(4000 / 900)]
    assert "4.44 per 1,000 tokens of its searches" in found.remarks()[0]
    assert found.table()["after"].to_list() == ["1 search", "100 tokens", "400 tokens", "500 tokens"]


def test_more_searches_than_were_made_are_carried_forward() -> None:
    table = cf.searches(QRELS, {"agent": LISTS}, "R", calls=[2, 9]).table()
    assert table.select("after", "made", "R", "new").rows() == [
        ("2 searches", 1, pytest.approx(2 / 3), 1.0),
        ("9 searches", 0, pytest.approx(2 / 3), None),
    ]


@st.composite
def logs(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, list[list[str]]]]:
    """Draw judgments, and searches that return some documents again, some of them twice in a list."""
    topics = [f"t{n}" for n in range(draw(st.integers(1, 4)))]
    documents = st.sampled_from("abcdef")
    qrels = {topic: draw(st.dictionaries(documents, st.integers(-1, 3), min_size=1)) for topic in topics}
    lists = {t: draw(st.lists(st.lists(documents, max_size=5), max_size=4)) for t in [*topics, "unjudged"]}
    return qrels, lists


def union_of(lists: list[list[str]]) -> list[str]:
    """Put lists together as the definition says, one document after the other."""
    found: list[str] = []
    for each in lists:
        for document in each:
            if document not in found:
                found.append(document)
    return found


@settings(max_examples=5)
@given(logs())
def test_the_slow_twin(log: tuple[dict[str, dict[str, int]], dict[str, list[list[str]]]]) -> None:
    qrels, lists = log
    searches = cf.read_searches({"agent": lists})
    found = cf.searches(qrels, searches, ["AP", "nDCG@3", "CG"])
    most = max([1, *map(len, lists.values())])
    assert found.searches == most
    for c in range(1, most + 1):
        runs = searches.runs(calls=c)
        for t, topic in enumerate(qrels):
            union, before = union_of(lists[topic][:c]), union_of(lists[topic][: c - 1])
            relevant = [d for d in union if qrels[topic].get(d, 0) > 0]
            assert found.documents[0, t, c - 1] == len(union)
            assert found.returned[0, t, c - 1] == sum(map(len, lists[topic][:c]))
            assert found.relevant[0, t, c - 1] == len(relevant)
            assert found.gain[0, t, c - 1] == sum(qrels[topic][d] for d in relevant)
            run = cf.to_dict(runs["agent"]).get(topic, {})
            assert sorted(run, key=lambda d: -run[d]) == union
            assert set(before) <= set(union)
            if c <= len(lists[topic]):
                alone = cf.evaluate(qrels, {topic: [*dict.fromkeys(lists[topic][c - 1])]}, ["AP", "nDCG@3", "CG"])
                assert found.alone[:, 0, t, c - 1] == pytest.approx(alone.values[:, 0, t])
            else:
                assert np.isnan(found.alone[:, 0, t, c - 1]).all()
        scores = cf.evaluate(qrels, runs, ["AP", "nDCG@3", "CG"])
        assert np.array_equal(found.union[:, 0, :, c - 1], scores.values[:, 0])
        assert found.by_call[["AP", "nDCG@3"]].row(c - 1) == pytest.approx(tuple(scores.averages[:2, 0]))
    for t, topic in enumerate(qrels):
        wanted = {d for d, grade in qrels[topic].items() if grade > 0}
        counts = [len(wanted & set(union_of(lists[topic][:c]))) for c in range(1, most + 1)]
        assert found.first[0, t] == next((c for c, n in enumerate(counts, 1) if n), 0)
        assert found.complete[0, t] == next((c for c, n in enumerate(counts, 1) if wanted and n == len(wanted)), 0)


@settings(max_examples=3)
@given(logs(), st.randoms())
def test_the_order_of_topics_changes_nothing(
    log: tuple[dict[str, dict[str, int]], dict[str, list[list[str]]]], random: Any
) -> None:
    qrels, lists = log
    shuffled = list(lists)
    random.shuffle(shuffled)
    one = cf.searches(qrels, {"agent": lists}, ["AP", "R"])
    other = cf.searches(qrels, {"agent": {topic: lists[topic] for topic in shuffled}}, ["AP", "R"])
    assert one.by_call.equals(other.by_call, null_equal=True)
    assert one.per_topic.equals(other.per_topic, null_equal=True)


@settings(max_examples=3)
@given(logs())
def test_repeating_a_search_adds_nothing(log: tuple[dict[str, dict[str, int]], dict[str, list[list[str]]]]) -> None:
    qrels, lists = log
    again = {topic: [*each, *each[-1:]] for topic, each in lists.items()}
    one, other = (cf.searches(qrels, {"agent": each}, "AP") for each in (lists, again))
    assert np.array_equal(one.union[..., -1], other.union[..., -1])
    for t, topic in enumerate(qrels):
        if lists[topic]:
            assert other.documents[0, t, len(lists[topic])] == one.documents[0, t, -1]


def test_several_systems_and_topics_that_are_not_everywhere() -> None:
    both = {"one": LISTS, "two": {"q2": [["g"]], "q9": [["x"]]}}
    found = cf.searches(QRELS, both, "R")
    assert found.present.tolist() == [[True, True, True], [False, True, False]]
    assert found.by_call.filter(run="two")["R"].to_list() == [pytest.approx(1 / 3)] * 3
    assert [run.extra for run in found.audit.runs] == [(), ("q9",)]
    assert found.by_run.select("topics", "missing", "without", "searches").rows() == [(3, 0, 1, 4 / 3), (3, 2, 0, 1.0)]
    assert found.remarks()[1].startswith("two: 3 topics, 2 of them not in the log; 1 searches a topic; ")
    shared = cf.searches(QRELS, both, "R", topics="shared")
    assert shared.by_call.filter(run="two").select("topics", "R").row(0) == (1, 1.0)
    assert shared.per_topic.filter(run="two")["topic"].to_list() == ["q2"]
    assert "the topics of each run" in shared.caption()


def test_nothing_relevant_and_no_search_at_all() -> None:
    found = cf.searches({"q1": {"a": 0}, "q2": {"b": 0}}, {"agent": {"q1": [["a"]], "q2": []}})
    assert found.by_run.select("found", "complete").row(0) == (None, None)
    assert found.by_call["R"].to_list() == [0.0]
    silent = cf.searches(QRELS, {"agent": {"q1": [], "q2": [], "q3": []}})
    assert silent.by_call.select("made", "documents", "new", "R").row(0) == (0, 0.0, None, 0.0)
    assert silent.by_run.select("without", "repeated", "gain_per_search").row(0) == (3, None, None)
    valued = cf.searches(QRELS, {"agent": {"q1": [], "q2": [], "q3": []}}, "FlatUtility(e=0.25)")
    assert valued.union.shape == (1, 1, 3, 1)


def test_grading_conditions_hold() -> None:
    graded = cf.searches(QRELS, {"agent": LISTS}, "R", rel=2)
    assert graded.measures == ("R(rel=2)",)
    assert graded.by_call["new_relevant"].to_list() == [0.5, 0, 0]
    assert graded.first.tolist() == [[0, 1, 0]]
    searches = cf.read_searches({"agent": LISTS})
    for how in ({"judged_only": True}, {"depth": 3}, {"convention": "trec-dl"}, {"missing": "empty"}):
        found = cf.searches(QRELS, searches, ["RR", "P@2"], **how)
        for c in (1, 2, 3):
            scores = cf.evaluate(QRELS, searches.runs(calls=c), ["RR", "P@2"], **how)
            assert np.array_equal(found.union[:, 0, :, c - 1], scores.values[:, 0]), how


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"order": "rank"}, "the searches set the order; leave order out"),
        ({"repeated": "max"}, "a document counts where it first appears; leave repeated out"),
        ({"exclude": "self"}, "exclude does not apply to searches"),
        ({"costs": {"a": 100}}, "costs apply to lists, not to searches"),
        ({"calls": [0]}, r"calls must be a list \(each a whole number at least 1\), not \[0\]"),
        ({"tokens": [100]}, "a budget of tokens needs the tokens of every search, but the file has none"),
        ({"measures": "gmAP"}, "gmAP is not averaged by the mean"),
        ({"measures": "relstring"}, "a text"),
    ],
)
def test_what_is_refused(asked: dict[str, Any], says: str) -> None:
    with pytest.raises((InputError, MeasureError), match=says):
        cf.searches(QRELS, {"agent": LISTS}, **asked)


def test_joined_runs_are_refused() -> None:
    with pytest.raises(InputError, match="joined runs hold no searches"):
        cf.searches(cf.join(QRELS, {"q1": {"a": 1.0}}), {"agent": LISTS})  # type: ignore[arg-type]


def test_names_that_are_attacks() -> None:
    names = [name for name in ATTACKS if name.strip()]
    found = cf.searches({name: {name: 1} for name in names}, {names[0]: {name: [[name]] for name in names}}, "R")
    assert found.by_call["R"].to_list() == [1.0]
    assert found.plot("gain-by-call").spec
    for form in ("table", "html", "latex", "markdown", "csv"):
        assert found.render(form)


@pytest.mark.parametrize(
    ("collection", "rel"),
    [("dl19-passage", 2), ("covid-round1", None), pytest.param("trec8-adhoc", None, marks=pytest.mark.integration)],
)
def test_real_lists_as_searches(data: Path, collection: str, rel: float | None) -> None:
    """Three runs as three searches of a system: every prefix is what evaluate says of its union."""
    runs = list(cf.read_runs(data / collection / "runs").sources[:3])
    keys, falling = ["query_id", "score", "doc_id"], [False, True, True]
    tops = [source.read().sort(keys, descending=falling).group_by("query_id").head(20) for source in runs]
    table = pl.concat(top.with_columns(call=pl.lit(n)) for n, top in enumerate(tops, start=1)).drop("score")
    searches = cf.read_searches({"agent": table})
    qrels = data / collection / "qrels.txt"
    found = cf.searches(qrels, searches, ["R", "nDCG@10", "Bpref"], rel=rel)
    for c in (1, 2, 3):
        scores = cf.evaluate(qrels, searches.runs(calls=c), ["R", "nDCG@10", "Bpref"], rel=rel)
        assert np.array_equal(found.union[:, 0, :, c - 1], scores.values[:, 0])
    assert (np.diff(found.relevant, axis=-1) >= 0).all()
    assert 0 < found.by_call["repeated"][2] < 1


@pytest.mark.parametrize("measures", [["AP", "CG"], ["CG", "AP"], ["CG"], ["ERR@20", "CG", "ERR(max_rel=4)@20"]])
@pytest.mark.parametrize("convention", [None, "trec-web"])
def test_what_is_counted_anyway_may_be_asked_for_too(measures: list[str], convention: str | None) -> None:
    """CG is computed for every log; as a measure, in any place, it is what `evaluate` has, as its neighbours are."""
    qrels, lists = {"q": {"a": 2, "b": 1}}, {"q": [["a", "x"], ["b"]]}
    searches = cf.read_searches({"agent": lists})
    found = cf.searches(qrels, searches, measures, convention=convention)
    scores = cf.evaluate(qrels, searches.runs(calls=2), measures, convention=convention)
    assert found.measures == tuple(map(str, scores.measures))
    assert found.union[:, 0, 0, -1].tolist() == scores.values[:, 0, 0].tolist()
    assert found.relevant[0, 0].tolist() == [1, 2]
    assert found.gain[0, 0].tolist() == [2, 3]

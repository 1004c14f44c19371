"""The native road of runs in memory: it says what the table says, or nothing at all."""

import enum
import gc
import pickle
import sys
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.formats import native
from cranfield.formats.columns import RUN_KIND
from cranfield.formats.dicts import from_dict
from cranfield.judged.conditions import Reading
from cranfield.judged.joining import Rows, rank
from cranfield.judged.rankings import JudgedRankings
from cranfield.judged.shortcuts import rank_plain
from cranfield.plumbing.errors import InputError
from cranfield.scoring.blocks import score
from cranfield.scoring.engines.local import ranked_dict

QRELS = {"1": {"a": 1, "b": 0, "ä": 2}, "2": {"a": 1}, "3": {"c": 1}}
JUDGMENTS = cf.Judgments(cf.read_qrels(QRELS))
pytestmark = pytest.mark.skipif(
    native._ranker() is None or JUDGMENTS.native_index is None, reason="cannot do this here: no native road"
)
IDS = st.sampled_from(["a", "b", "c", "ä", "𝔞", "1", "d e", "x" * 40])
SCORES = st.one_of(st.sampled_from([0.0, -0.0, 1, True, 2, 1e300]), st.floats(allow_nan=False))
LISTS = st.one_of(
    st.dictionaries(IDS, SCORES, max_size=6),
    st.lists(IDS, max_size=6, unique=True),
    st.lists(st.tuples(IDS, SCORES), max_size=6, unique_by=lambda pair: pair[0]),
)


def contents(rankings: JudgedRankings) -> tuple[object, ...]:
    arrays = rankings.length, rankings.present, rankings.row, rankings.rank, rankings.judgment
    return *(array.tolist() for array in arrays), rankings.audits


@given(
    st.dictionaries(st.sampled_from(["1", "2", "3", "unjudged"]), LISTS, min_size=1),
    st.sampled_from(["score", "trec9"]),
)
def test_lists_and_dicts_are_ranked_as_their_table_is(run: dict[str, Any], order: str) -> None:
    reading = Reading(order=order)  # type: ignore[arg-type]
    found = rank_plain("r", run, JUDGMENTS, reading)
    if found is None:
        assert not any(documents for topic, documents in run.items() if topic in QRELS) or isinstance(
            run.get("unjudged"), list
        )
        return
    table, empty = from_dict(run, RUN_KIND)
    assert contents(found) == contents(rank(Rows("r", table, tuple(empty)), JUDGMENTS, reading))


class Text(str):
    """A text that says it is another one."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("a")


class Number(float):
    """A number that says it is another one."""

    def __float__(self) -> float:
        return -1.0


class Level(enum.IntEnum):
    """A whole number with a name."""

    LOW = 1


@pytest.mark.parametrize(
    "run",
    [
        {"1": {Text("b"): 1.0}},
        {Text("1"): {"a": 1.0}},
        {"1": {"\ud800": 1.0}},
        {"\ud800": {"a": 1.0}},
        {"1": {b"a": 1.0}},
        {"1": {"a": np.float32(1.0)}},
        {"1": {"a": Level.LOW}},
        {"1": {"a": -(10**400)}},
        {"1": {"a": float("nan")}},
        {"1": {"a": "1"}},
        {"1": {"": 1.0}},
        {"1": defaultdict(float, a=1.0)},
        {"1": ("a", "b")},
        {"1": ["a", "a"]},
        {"1": ["a", ("b", 1.0)]},
        {"1": [("a", 2.0), "b"]},
        {"1": [("a", 2.0, 1)]},
        {"1": [["a", 2.0]]},
        {"1": [("a", None)]},
        {"1": [7]},
        {"1": None},
        {"1": 7},
        {"9": ["a"]},
        {"9": {"a": 1.0}},
        {"1": {}},
        {},
    ],
    ids=repr,
)
def test_what_is_out_of_the_ordinary_is_declined(run: dict[str, Any]) -> None:
    assert rank_plain("r", run, JUDGMENTS, Reading()) is None


def test_of_a_subclass_of_float_its_own_value_counts() -> None:
    """As `struct` and NumPy take it; no method is called, which could change the run while it is read."""
    found = rank_plain("r", {"1": {"a": Number(2.0), "b": 1.0}}, JUDGMENTS, Reading())
    assert found is not None
    assert found.judgment.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (({},), TypeError),
        ((1, {"1": {"a": 1.0}}, False), TypeError),
        (("1", {"1": {"a": 1.0}}, False, print), TypeError),
        ((1, ["1"], False, print), AttributeError),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[object, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        native._ranker()(*arguments)


class Twice(dict[str, Any]):
    """A mapping that names its topics twice."""

    def keys(self) -> list[str]:  # type: ignore[override]
        return [*super().keys()] * 2

    def values(self) -> list[Any]:  # type: ignore[override]
        return [*super().values()] * 2


class Lacking(Twice):
    """A mapping with fewer lists than topics."""

    def values(self) -> list[Any]:  # type: ignore[override]
        return []


@pytest.mark.parametrize("kind", [Twice, Lacking])
def test_a_topic_twice_or_without_a_list_has_no_room(kind: type[Twice]) -> None:
    index = JUDGMENTS.native_index
    assert index is not None
    assert index.rank({"1": {"a": 1.0}}, in_32_bits=False) is not None
    assert index.rank(kind({"1": {"a": 1.0}}), in_32_bits=False) is None
    assert native._ranker()(0, {"1": {"a": 1.0}}, False, print) is None


def test_signals_are_looked_at_between_many_documents() -> None:
    """Also where none of them is judged; what is raised then ends the ranking."""
    index = JUDGMENTS.native_index
    assert index is not None
    many = dict.fromkeys(map(str, range(150_000)), 1.0)
    looked: list[int] = []
    for topics, times in ((["1", "2", "8", "9"], 2), (["1"], 0), (["8", "9"], 1), ([], 0)):
        looked.clear()
        native._ranker()(index._handle, dict.fromkeys(topics, many), False, lambda: looked.append(1))
        assert len(looked) == times
    with pytest.raises(ZeroDivisionError):
        native._ranker()(index._handle, dict.fromkeys(["1", "2"], many), False, lambda: 1 // 0)


def test_nothing_is_kept_of_a_run() -> None:
    ids = [f"document-{number}" for number in range(50)]
    runs: list[dict[str, Any]] = [
        {"1": dict.fromkeys(ids, 1.5), "u": {"x": 1}, "2": {}},
        {"1": [*ids]},
        {"1": ["a", "a"]},
    ]
    before = [sys.getrefcount(each) for each in (ids[0], runs[0]["1"], runs[1]["1"], None)]
    for run in runs:
        for _ in range(200):
            rank_plain("r", run, JUDGMENTS, Reading())
    gc.collect()
    after = [sys.getrefcount(each) for each in (ids[0], runs[0]["1"], runs[1]["1"], None)]
    assert [now - then for now, then in zip(after, before, strict=True)][:3] == [0, 0, 0]
    assert after[3] - before[3] < 50  # None is in use elsewhere, too


# An evaluator asks the native road first, and what that takes has one shape only.


@pytest.mark.parametrize(
    "runs",
    [
        {"1": {"a": 1.0, "b": 2}, "2": {"x": 0.5}},
        {"1": {"a": 1.0}, "unjudged": {"x": 1.0}, "3": {}},
        {"one": {"1": {"a": 1.0}}, "other": {"1": {"b": 1.0}}},
        {"1": ["a", "b"], "2": ["a"]},
        {"query_id": ["1", "2"], "doc_id": ["a", "a"], "score": [1.0, 2.0]},
        {"1": {"a": np.float32(1.0)}},
        {1: {"a": 1.0}},
    ],
    ids=repr,
)
def test_an_evaluator_says_what_evaluate_says(runs: Any) -> None:
    measures = ["AP", "nDCG@10", "P@2"]
    found, expected = cf.Evaluator(QRELS, measures, audit=True)(runs), cf.evaluate(QRELS, runs, measures)
    assert (found.runs, found.audit) == (expected.runs, expected.audit)
    assert found.values.tolist() == expected.values.tolist()
    assert str(found) == str(expected)


def test_an_audit_that_is_asked_for_later_is_that_of_the_run_as_it_was() -> None:
    run = {"1": {"a": 1.0, "x": 2.0}, "9": {"a": 1.0}}
    evaluator, expected = cf.Evaluator(QRELS, ["AP"]), cf.evaluate(QRELS, run, ["AP"]).audit
    found = evaluator(run)
    block = score(rank_plain("run", run, JUDGMENTS, Reading()) or pytest.fail("not ranked"), evaluator.measures)
    sent = pickle.loads(pickle.dumps(block))  # noqa: S301 - our own
    run["1"].clear()
    del run["9"]
    assert found.audit == expected
    assert sent.audits == block.audits == expected.runs
    assert expected.runs[0].extra == ("9",)


def test_what_an_evaluator_asks_the_native_road_for() -> None:
    plain = {"1": {"a": 1.0}}
    assert ranked_dict(plain, JUDGMENTS, Reading()) is not None
    for other in ({"r": plain}, [plain], {"1": ["a"]}, None, {}):
        assert ranked_dict(other, JUDGMENTS, Reading()) is None
    assert ranked_dict(plain, JUDGMENTS, Reading(repeated="max")) is None
    assert ranked_dict(plain, JUDGMENTS, Reading(order="file")) is None
    with pytest.raises(InputError, match="no topic in common"):
        cf.Evaluator(QRELS, ["AP"])({"9": {"a": 1.0}})

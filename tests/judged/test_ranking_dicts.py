"""A dict of dicts is ranked from the judgments' side; the road of tables says the same of the same run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.formats import native
from cranfield.formats.columns import QRELS_KIND, RUN_KIND
from cranfield.formats.content import SMALL_FILE, TINY, file
from cranfield.formats.dicts import from_dict
from cranfield.judged.conditions import Reading
from cranfield.judged.joining import Rows, rank
from cranfield.judged.rankings import JudgedRankings
from cranfield.judged.shortcuts import rank_dict

ROADS = ["native", "python"]

DOCUMENTS = st.sampled_from(["a", "b", "c", "d", "e", "ä", "𝔞", "10", "9", "d e"])
TOPICS = st.sampled_from(["1", "2", "3", "t"])
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1, True, 2.5, 16777216.0, 16777217.0, 1e300, -1e300, float("inf"), float("-inf")]),
    st.floats(allow_nan=False),
)
RUNS = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, SCORES, max_size=9), min_size=1)
QRELS = st.dictionaries(
    TOPICS, st.dictionaries(DOCUMENTS, st.integers(-1, 3), min_size=1), min_size=1
)  # fmt: skip


@pytest.fixture(params=ROADS)
def road(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both roads of dicts, one after the other."""
    if request.param == "python":
        monkeypatch.setattr("cranfield.judged.shortcuts.rank_plain", lambda *_: None)
    elif native._ranker() is None:
        pytest.skip("cannot do this here: the native road was compiled without Python's headers")
    return str(request.param)


def contents(rankings: JudgedRankings) -> tuple[object, ...]:
    arrays = rankings.length, rankings.present, rankings.row, rankings.rank, rankings.judgment
    return *(array.tolist() for array in arrays), rankings.audits


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QRELS, RUNS, st.sampled_from(["score", "trec9"]), st.sampled_from(["zero", "empty"]), st.sampled_from([None, 2]))
@example({"1": {"b": 1}}, {"1": {"a": 1, "b": 1, "c": 1}, "2": {}, "t": {"b": 1}}, "score", "zero", None)
@example({"1": {"b": 1}}, {"1": {"a": 1.0, "b": float("-inf"), "c": float("-inf")}, "t": {"b": 1}}, "score", "zero", 2)
def test_all_roads_agree(
    road: str,
    qrels: dict[str, dict[str, int]],
    run: dict[str, dict[str, float]],
    order: str,
    missing: str,
    depth: int | None,
) -> None:
    judgments = cf.Judgments(cf.read_qrels(qrels))
    reading = Reading(order=order, missing=missing, depth=depth)  # type: ignore[arg-type]
    found = rank_dict("r", run, judgments, reading)
    if found is None:
        assert not any(topic in qrels and documents for topic, documents in run.items())
        return
    table, empty = from_dict(run, RUN_KIND)
    assert contents(found) == contents(rank(Rows("r", table, tuple(empty)), judgments, reading))


@pytest.mark.parametrize("lengths", [[1000, 3, 0, 900, 17, 1, 40_000, 127, 128], [5], [2, 2, 2]])
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_all_roads_agree_on_lists_of_all_lengths(road: str, lengths: list[int], decimals: int) -> None:
    rng = np.random.default_rng(4)
    run, qrels = {}, {}
    for topic, length in enumerate(lengths):
        ids = [f"d{number}" for number in rng.choice(100_000, length, replace=False)]
        run[f"t{topic}"] = dict(zip(ids, np.round(rng.normal(size=length) * 3, decimals).tolist(), strict=True))
        qrels[f"t{topic}"] = {"d0": 0} | dict.fromkeys(ids[::5], 1)
    judgments = cf.Judgments(from_dict(qrels, QRELS_KIND)[0])
    table, empty = from_dict(run, RUN_KIND)
    found = rank_dict("r", run, judgments)
    assert found is not None
    assert contents(found) == contents(rank(Rows("r", table, tuple(empty)), judgments))


@pytest.mark.parametrize(
    "run",
    [
        {"1": {"a": float("nan")}},
        {"1": {"a": "1.5"}},
        {"1": {"a": None}},
        {"1": {"": 1.0}},
        {"": {"a": 1.0}},
        {"1": {7: 1.0}},
        {1: {"a": 1.0}},
        {"1": {"a": 10**400}},
        {"1": {"a": 1.0}, "2": 3},
        {"1": {"a": 1.0}, "unjudged": {7: 1.0}},
        {"1": {"a": 1.0}, "unjudged": {"": 1.0}},
        {"1": {"a": np.array([1.0, 2.0])}},
        {},
    ],
)
def test_what_is_out_of_the_ordinary_is_left_to_the_other(road: str, run: dict[str, dict[str, float]]) -> None:
    assert rank_dict("r", run, cf.Judgments(cf.read_qrels({"1": {"a": 1, "7": 1}}))) is None


@pytest.mark.parametrize("order", ["stable", "rank", "file"])
def test_an_order_that_is_not_by_score_and_id_is_left_to_the_other(order: str) -> None:
    judgments = cf.Judgments(cf.read_qrels({"1": {"a": 1}}))
    assert rank_dict("r", {"1": {"a": 1.0}}, judgments, Reading(order=order)) is None  # type: ignore[arg-type]


def test_whole_numbers_as_ids_are_found_as_text() -> None:
    assert cf.evaluate({1: {7: 1}}, {"r": {1: {7: 0.5}}}, ["RR"]).averages.tolist() == [[1.0]]


def test_numbers_of_numpy_are_numbers() -> None:
    run: dict[str, dict[str, Any]] = {"1": {"a": np.float32(0.5), "b": np.int64(2), "c": np.float64(1)}}
    found = rank_dict("r", run, cf.Judgments(cf.read_qrels({"1": {"a": 1, "b": 1}})))
    assert found is not None
    assert found.rank.tolist() == [1, 3]


@pytest.mark.parametrize(("loaded", "size", "without"), [
    (False, SMALL_FILE, True), (False, SMALL_FILE + 1, False), (True, TINY, True), (True, TINY + 1, False),
])  # fmt: skip
def test_what_is_read_without_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: bool, size: int, without: bool
) -> None:
    """Once Polars is loaded, a table is sooner read than all but the smallest files without."""
    monkeypatch.setattr("cranfield.formats.content.is_loaded", lambda: loaded)
    line = "1 Q0 d{:07} 1 {:07}.5 r\n"
    text = "".join(line.format(i, i) for i in range(size // len(line.format(0, 0))))
    text = text[:-1] + " " * (size - len(text)) + "\n"
    path = tmp_path / "run.txt"
    path.write_text(text)
    found = file(path, RUN_KIND, comments=False).nested()
    assert (found is not None) == without
    assert found is None or len(found["1"]) == text.count("\n")

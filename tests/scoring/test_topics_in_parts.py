"""A run scored a few topics at a time: the very same as all at once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tools import measure_cases

import cranfield as cf
from cranfield.judged.conditions import Grading, Reading
from cranfield.judged.joining import Rows, rank_rest, rank_topics
from cranfield.judged.judgments import Judgments
from cranfield.measures import Measure
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.interchange import same
from cranfield.scoring.blocks import Block, over_topics, score
from cranfield.scoring.engines.local import with_retrieved
from cranfield.scoring.judged_runs import Opened
from cranfield.scoring.scores import Scores

SETTINGS: list[Measure] = [setting for name in measure_cases.MEASURES for setting in measure_cases.settings_of(name, 8)]

DOCUMENTS = [f"d{i}" for i in range(8)]
TOPICS = list("123456")
a_list = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0]), min_size=1, max_size=8)
run = st.dictionaries(st.sampled_from([*TOPICS, "extra", "more"]), a_list, min_size=1, max_size=8)
some_qrels = st.dictionaries(
    st.sampled_from(TOPICS),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from(measure_cases.GRADES), min_size=1, max_size=6),
    min_size=1,
)
readings = st.builds(
    Reading,
    order=st.sampled_from(["score", "trec9", "stable", "file"]),
    depth=st.sampled_from([None, None, 3]),
    topics=st.sampled_from(["all", "shared"]),
    missing=st.sampled_from(["zero", "zero", "empty"]),
)
gradings = st.builds(
    lambda rel, more: Grading(rel=rel, **more),
    st.sampled_from([None, None, 2.0]),
    st.sampled_from([{}, {}, {"judged_only": True}, {"bounds": True}]),
)


def in_parts(
    judgments: Judgments,
    sources: tuple[Any, ...],
    measures: list[Measure],
    reading: Reading,
    grading: Grading,
    part_of: dict[str, int],
) -> Scores:
    """Score runs part by part, everything pickled in between, as an engine elsewhere would."""
    blocks: list[Block] = []
    for source in sources:
        table = source.read()
        part = table["query_id"].replace_strict(part_of, default=0, return_dtype=pl.Int64)
        of_run: list[Block] = []
        for number in part.unique(maintain_order=True):
            rows = pickle.loads(pickle.dumps(Rows(source.name, table.filter(part == number))))  # noqa: S301
            block = score(rank_topics(rows, judgments, reading), measures, grading)
            of_run.append(pickle.loads(pickle.dumps(block)))  # noqa: S301
        places = [block.places for block in of_run if block.places is not None]
        blocks += [*of_run, score(rank_rest(source.name, places, judgments, reading), measures, grading)]
    return Opened(judgments, sources, reading, ()).scores_of(blocks, measures, grading)


def assert_the_same(one: Scores, other: Scores) -> None:
    """Hold two scores against each other, to the last bit."""
    assert (one.runs, one.topics, one.measures, one.kinds) == (other.runs, other.topics, other.measures, other.kinds)
    for name in ("values", "present", "averages", "limits"):
        assert same(getattr(one, name), getattr(other, name)), name
    assert [text.tolist() for text in one.texts.values()] == [text.tolist() for text in other.texts.values()]
    for ours, theirs in zip(one.audit.runs, other.audit.runs, strict=True):
        assert set(ours.extra) == set(theirs.extra)  # parts may come in another order
        assert ours.__class__(**{**vars(ours), "extra": theirs.extra}) == theirs
    assert one.audit.without_relevant == other.audit.without_relevant


@given(some_qrels, st.lists(run, min_size=1, max_size=2), readings, gradings, st.data())
def test_however_topics_are_cut_into_parts_the_result_is_the_same(
    qrels: Any, lists: list[Any], reading: Reading, grading: Grading, data: st.DataObject
) -> None:
    runs = dict(zip("ab", lists, strict=False))
    measures = data.draw(st.lists(st.sampled_from(SETTINGS), min_size=1, max_size=6, unique=True))
    part_of = data.draw(st.fixed_dictionaries({topic: st.integers(0, 3) for topic in [*TOPICS, "extra", "more"]}))
    asked = {name: getattr(reading, name) for name in ("order", "depth", "topics", "missing")}
    asked |= {name: getattr(grading, name) for name in ("rel", "judged_only", "bounds")}
    try:
        whole = cf.evaluate(qrels, runs, measures, **asked)
    except (MeasureError, InputError) as error:
        whole_error = str(error)
        assume("no topic in common" not in whole_error and "collection" not in whole_error)
        with pytest.raises(type(error)):
            in_parts(Judgments(cf.read_qrels(qrels)), cf.read_runs(runs).sources, measures, reading, grading, part_of)
        return
    judgments, sources = Judgments(cf.read_qrels(qrels)), cf.read_runs(runs).sources
    judgments = judgments.taken_as(complete=False if grading.judged_only else reading.complete)
    if grading.bounds:
        judgments = with_retrieved(sources, judgments, reading)
    assert_the_same(in_parts(judgments, sources, measures, reading, grading, part_of), whole)


def test_facts_of_the_whole_collection_stay() -> None:
    """The grade that gains most is in another topic, and counts."""
    qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 3}}
    judgments = Judgments(cf.read_qrels(qrels))
    alone = judgments.of_topics(["1"])
    assert (alone.top_grade, alone.grades.tolist(), alone.binary) == (3, [1, 2, 3], False)
    [measure] = cf.parse_measures([cf.measures.gP(gains={1: 5, 2: 4, 3: 10}, cutoff=2)])
    block = score(rank_topics(Rows("r", cf.read_run([("1", "a", 1.0)])), judgments), [measure])
    assert block.values.tolist() == [[[5 / 10 / 2]]]


def test_judgments_of_some_topics_of_some_topics() -> None:
    judgments = Judgments(cf.read_qrels({str(t): {"a": t, f"d{t}": 0} for t in range(5)}))
    some = judgments.of_topics(["4", "1", "3"]).of_topics(["3", "4"])
    assert (some.topics, some.grade.tolist()) == (("3", "4"), [3, 0, 4, 0])
    assert np.array_equal(some.places, [3, 4])  # type: ignore[arg-type]
    assert some.table().rows() == [("3", "a", 3), ("3", "d3", 0), ("4", "a", 4), ("4", "d4", 0)]
    with pytest.raises(InputError, match="the qrels have no topic '1'; they have 3 and 4"):
        some.of_topics(["1"])


def test_new_grades_are_facts_of_their_own() -> None:
    judgments = Judgments(cf.read_qrels({"1": {"a": 1}, "2": {"a": 2}}))
    assert judgments.grades.tolist() == [1, 2]
    assert judgments.with_grades(np.array([0.0, 1.0])).grades.tolist() == [0, 1]


def test_a_topic_counts_once() -> None:
    judgments = Judgments(cf.read_qrels({"1": {"a": 1}, "2": {"a": 2}}))
    block = score(rank_topics(Rows("r", cf.read_run([("1", "a", 1.0)])), judgments), cf.parse_measures("AP"))
    with pytest.raises(ValueError, match="each topic once"):
        over_topics([block, block], judgments)
    with pytest.raises(ValueError, match="each topic once"):
        over_topics([block], judgments)

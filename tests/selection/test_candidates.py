"""What could be judged: every document that some run retrieved, once a topic, with all its ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.plumbing.errors import InputError
from cranfield.selection import Candidates

RANKED = st.lists(st.sampled_from(["a", "B", "b", "ü", "~", "doc", "\U0001f600", "\uffff"]), min_size=1, unique=True)
RUNS = st.dictionaries(
    st.sampled_from("xyz"), st.dictionaries(st.sampled_from(["2", "10", "q1"]), RANKED, min_size=1), min_size=1
)


def gathered(lists: dict[str, dict[str, list[str]]], **how: int) -> Candidates:
    runs = {
        run: {topic: {d: float(-i) for i, d in enumerate(ranked)} for topic, ranked in topics.items()}
        for run, topics in lists.items()
    }
    return Candidates.gather(runs, **how)  # type: ignore[arg-type]


@given(RUNS, st.integers(1, 9))
def test_every_cell_is_there_once_and_can_be_found(lists: dict[str, dict[str, list[str]]], depth: int) -> None:
    candidates = gathered(lists, depth=depth)
    expected = {
        (run, topic, d, rank)
        for run, topics in lists.items()
        for topic, ranked in topics.items()
        for rank, d in enumerate(ranked[:depth], start=1)
    }
    found = []
    for place, document in enumerate(candidates.document):
        topic = candidates.topics[candidates.topic[place]]
        assert candidates.place(topic, document) == place
        cells = candidates.cells_at(place)
        assert (np.diff(candidates.cell_rank[cells]) >= 0).all()
        for run, rank in zip(candidates.cell_run[cells], candidates.cell_rank[cells], strict=True):
            found.append((candidates.runs[run], topic, document, int(rank)))
    assert len(found) == len(expected)
    assert set(found) == expected


@given(RUNS)
def test_documents_are_by_topic_and_in_byte_order(lists: dict[str, dict[str, list[str]]]) -> None:
    candidates = gathered(lists)
    assert candidates.runs == tuple(lists)
    assert candidates.topics == tuple(t for t in ("2", "10", "q1") if any(t in topics for topics in lists.values()))
    for code, topic in enumerate(candidates.topics):
        places = candidates.documents_of(code)
        ids = candidates.document[places].to_list()
        assert ids == sorted({d for topics in lists.values() for d in topics.get(topic, [])}, key=str.encode)
        cells = candidates.cells_of(code)
        within = [ids[i] for i in candidates.cell_document[cells]]
        assert sorted(within) == sorted(d for topics in lists.values() for d in topics.get(topic, []))
        for run, name in enumerate(lists):
            assert candidates.length[run, code] == len(lists[name].get(topic, []))
            assert candidates.present[run, code] == (topic in lists[name])
    ids = candidates.document.to_list()
    assert all(
        (candidates.by_id[i] < candidates.by_id[j]) == (ids[i].encode() < ids[j].encode())
        for i in range(len(ids)) for j in range(len(ids))
    )  # fmt: skip


def test_a_topic_without_documents_is_present_in_the_run_that_tried() -> None:
    candidates = Candidates.gather({"x": {"1": {"a": 1.0}, "2": {}}, "y": {"1": {"b": 1.0}}})
    assert candidates.topics == ("1", "2")
    assert candidates.length.tolist() == [[1, 0], [1, 0]]
    assert candidates.present.tolist() == [[True, True], [True, False]]
    assert candidates.documents_of(1) == slice(2, 2)
    assert candidates.find("2", "a") is None


def test_ties_of_score_go_as_everywhere() -> None:
    candidates = Candidates.gather({"x": {"1": {"a": 1.0, "b": 1.0, "c": 2.0}}})
    assert dict(zip(candidates.document, candidates.cell_rank.tolist(), strict=True)) == {"a": 3, "b": 2, "c": 1}


def test_what_is_not_there_is_named() -> None:
    candidates = Candidates.gather({"x": {str(topic): {"a": 1.0} for topic in range(7)}})
    with pytest.raises(InputError, match=r"no run has a topic '9'; the topics are 0, 1, 2, 3, 4 and 2 more$"):
        candidates.place("9", "a")
    with pytest.raises(InputError, match="no run retrieved document 'b' for topic '1'"):
        candidates.place("1", "b")
    assert candidates.find("9", "a") is None


def test_nothing_to_gather_is_refused() -> None:
    with pytest.raises(InputError, match="depth must be at least 1, not 0"):
        Candidates.gather({"x": {"1": {"a": 1.0}}}, depth=0)
    with pytest.raises(InputError, match="retrieved no documents"):
        Candidates.gather({"x": {"1": {}}})

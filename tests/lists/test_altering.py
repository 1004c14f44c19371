"""What would be is what evaluate says of the changed files, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.formats import read_run
from cranfield.lists.altering import Alterable, Changes, what_if
from cranfield.plumbing.errors import InputError

MEASURES = ["nDCG@3", "AP", "RR", "ERR@3", "Bpref", "RBP(p=0.5)", "Twist@4", "Judged@3", "Rprec", "OIE"]

lists = st.permutations("abcdef").flatmap(lambda order: st.integers(1, 5).map(lambda n: order[:n]))
grades = st.dictionaries(st.sampled_from("abcdef"), st.integers(-1, 3), min_size=1, max_size=4)
made = st.fixed_dictionaries({"1": st.tuples(grades, lists, lists), "2": st.tuples(grades, lists, lists)})


@given(made, st.data())
def test_equal_to_evaluate_of_what_is_written(made: dict[str, Any], data: st.DataObject) -> None:
    qrels = {topic: judged for topic, (judged, _, _) in made.items()}
    runs = {
        name: {topic: {d: 9.0 - i for i, d in enumerate(made[topic][which])} for topic in made}
        for which, name in ((1, "one"), (2, "two"))
    }
    joined = cf.join(qrels, runs, bounds=True)
    own = made["1"][1]
    moves = data.draw(
        st.lists(st.tuples(st.just("one"), st.sampled_from(own), st.integers(1, len(own))), max_size=3), label="moves"
    )
    known = sorted({*qrels["1"], *own, *made["1"][2]})
    changed = data.draw(
        st.dictionaries(st.sampled_from(known), st.integers(0, 4) | st.none(), max_size=3), label="grades"
    )
    if all(changed.get(document, grade) is None for document, grade in qrels["1"].items()) and not any(
        grade is not None for grade in changed.values()
    ):
        return
    found = what_if(joined, None, MEASURES, topic="1", moves=moves, grades=changed)
    table = {name: found.run(name, read_run(run)) for name, run in runs.items()}
    expected = cf.evaluate(found.qrels, table, MEASURES)
    order = [expected.topics.index(topic) for topic in found.after.topics]
    np.testing.assert_array_equal(found.after.values, expected.values[:, :, order])
    np.testing.assert_array_equal(found.after.averages, expected.averages)
    np.testing.assert_array_equal(found.before.values, joined.scores(MEASURES).values)


def test_a_move_by_hand() -> None:
    """Of x, a, y the user wants a; y is moved to the top, then a."""
    qrels, runs = {"1": {"a": 1}, "2": {"b": 1}}, {"r": {"1": {"x": 3.0, "a": 2.0, "y": 1.0}, "2": {"b": 1.0}}}
    found = what_if(qrels, runs, "RR", topic="1", moves=[("r", "y", 1)])
    assert found.lists == {"r": ("y", "x", "a")}
    assert found.after.values[0, 0].tolist() == [1 / 3, 1.0]
    found = what_if(qrels, runs, "RR", topic="1", moves=[("r", "y", 1), ("r", "a", 1)])
    assert found.lists == {"r": ("a", "y", "x")}
    assert found.values.select("topic_before", "topic_after", "before", "after").row(0) == (0.5, 1.0, 0.75, 1.0)
    assert found.caption() == "Topic 1 with 2 moves changed"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (Changes("9"), "the qrels have no topic '9'"),
        (Changes("1", (("s", "a", 1),)), "no run is called 's'"),
        (Changes("1", (("r", "z", 1),)), "r did not retrieve document 'z' for topic '1'"),
        (Changes("1", (("r", "a", 4),)), "has ranks 1 to 3, not 4"),
        (Changes("1", (("r", "a", 0),)), "has ranks 1 to 3, not 0"),
        (Changes("1", (), (("z", 1),)), "no run retrieved document 'z' for topic '1', and nobody judged it"),
        (Changes("1", (), (("a", float("nan")),)), "a grade must be a number, or None"),
        (Changes("1", (), (("a", None),)), "topic '1' would have no judgment left"),
    ],
)
def test_what_cannot_be_is_said(changes: Changes, problem: str) -> None:
    qrels, runs = {"1": {"a": 1}, "2": {"b": 1}}, {"r": {"1": {"x": 3.0, "a": 2.0, "y": 1.0}, "2": {"b": 1.0}}}
    ready = Alterable(cf.join(qrels, runs, bounds=True), "RR")
    with pytest.raises(InputError, match=problem):
        ready.altered(changes)


def test_of_real_runs(data: Path, tmp_path: Path) -> None:
    """The last document of the best run goes to the top, an unjudged one is relevant, a relevant one is not."""
    folder = data / "dl19-passage"
    files = sorted((folder / "runs").iterdir())[:3]
    joined = cf.join(folder / "qrels.txt", files, bounds=True)
    ready = Alterable(joined, ["nDCG@10", "AP", "Twist", "RBP(p=0.8)"])
    topic, run = joined.topics[3], joined.runs[1]
    listed = ready.list_of(run, topic)
    judged = cf.to_dict(cf.read_qrels(folder / "qrels.txt"))[topic]
    unjudged = next(document for document in listed if document not in judged)
    relevant = next(document for document in listed if judged.get(document, 0) > 1)
    found = ready.altered(Changes(topic, ((run, listed[-1], 1),), ((unjudged, 3), (relevant, 0))))
    cf.write_qrels(found.qrels, tmp_path / "qrels.txt")
    for file, name in zip(files, joined.runs, strict=True):
        cf.write_run(found.run(name, read_run(file)), tmp_path / f"{name}.txt", name=name)
    written = [tmp_path / f"{name}.txt" for name in joined.runs]
    expected = cf.evaluate(tmp_path / "qrels.txt", written, ["nDCG@10", "AP", "Twist", "RBP(p=0.8)"])
    order = [expected.topics.index(each) for each in found.after.topics]
    np.testing.assert_array_equal(found.after.values, expected.values[:, :, order])
    np.testing.assert_array_equal(found.after.averages, expected.averages)


def test_what_a_document_is_worth() -> None:
    """By P@2 a adds 1/2 to r and nothing to s, which has it third; AP of r would fall from 1/2 to 0 without it."""
    qrels = {"1": {"a": 1, "b": 1}}
    runs = {"r": {"1": {"a": 3.0, "x": 2.0}}, "s": {"1": {"x": 3.0, "b": 2.0, "a": 1.0}}, "t": {"1": {"x": 1.0}}}
    ready = Alterable(cf.join(qrels, runs, bounds=True), ["P@2", "AP"])
    assert ready.worth("1", "a").rows() == [
        ("r", 1, "P@2", 0.5, 0.5, True),
        ("r", 1, "AP", 0.5, 0.5, False),
        ("s", 3, "P@2", 0.5, 0.0, True),
        ("s", 3, "AP", (1 / 2 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2 - 1 / 2, False),
        ("t", None, "P@2", 0.0, 0.0, True),
        ("t", None, "AP", 0.0, 0.0, False),
    ]
    with pytest.raises(InputError, match="no run retrieved document 'z'"):
        ready.worth("1", "z")


def test_moves_may_be_lists_as_json_has_them() -> None:
    qrels, runs = {"7": {"a": 1}}, {"bm25": {"7": {"x": 3.0, "y": 2.0, "a": 1.0}}}
    moves: Any = [["bm25", "a", 1]]
    assert cf.what_if(qrels, runs, "RR", topic="7", moves=moves).after.averages.tolist() == [[1.0]]

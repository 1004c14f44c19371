"""The small collection with texts is whole, whichever Python it is gathered from."""

from __future__ import annotations

import numpy as np

import cranfield as cf
from cranfield.demonstration import demonstration
from cranfield.demonstration.docstrings import DOCUMENTED_MODULES, SHORTEST
from cranfield.demonstration.rankers import DEPTH, RANKERS, Index, bm25, cosine, likelihood


def test_documents_are_named_after_what_they_describe() -> None:
    found = demonstration().documents
    assert len(found) > 2500
    for name, each in found.items():
        assert name == each.doc_id
        assert any(name == module or name.startswith(f"{module}.") for module in DOCUMENTED_MODULES)
        assert len(each.text) >= SHORTEST
        assert each.title == each.text.partition("\n")[0].strip()
    assert "uuid.bytes_" not in found  # what a module has from elsewhere is not its own


def test_every_topic_has_answers_and_what_is_none() -> None:
    made = demonstration()
    assert len(made.topics) == 25
    for topic in made.topics:
        grades = list(made.qrels[topic].values())
        assert 2 in grades
        assert 0 in grades
        assert set(made.qrels[topic]) <= set(made.documents)


def test_runs_can_be_told_apart_and_are_partly_unjudged() -> None:
    made = demonstration()
    scores = cf.evaluate(made.qrels, made.runs, ["nDCG@10", "Judged@10"])
    assert scores.runs == tuple(RANKERS)
    assert scores.averages[0].argmax() == 0  # bm25
    assert np.all((scores.averages[1] > 0.4) & (scores.averages[1] < 0.95))
    for run in made.runs.values():
        assert set(run) == set(made.topics)
        for listed in run.values():
            assert 0 < len(listed) <= DEPTH
            assert list(listed.values()) == sorted(listed.values(), reverse=True)


def test_rankers_by_hand() -> None:
    """Two documents of three and one word; red is in one of them, twice."""
    index = Index.of({"a": "red red apple", "b": "pear"})
    norm = 0.9 * (1 - 0.4 + 0.4 * 3 / 2)
    assert np.allclose(bm25(index, ["red"]), [np.log(1 + 1.5 / 1.5) * 2 * 1.9 / (2 + norm), 0])
    rare = np.log(2)
    assert np.allclose(cosine(index, ["red"]), [(1 + rare) * rare**2 / np.hypot((1 + rare) * rare, rare), 0])
    smoothed = [np.log((2 + 100 * 0.5) / 103), np.log(100 * 0.5 / 101)]
    difference = np.subtract(*likelihood(index, ["red"]))
    assert np.isclose(likelihood(index, ["red"])[1], 0)
    assert np.isclose(difference, smoothed[0] - np.log(0.5) - min(0, *(s - np.log(0.5) for s in smoothed)) + 1)

"""Silence where there is no answer: by which measures it pays, and by which it does not show."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.measures.framework.declaration import search
from cranfield.measures.framework.guide import GUIDE_NODES, Advice

RECOMMENDED: Final = (
    *("NDCGT", "ERRT", "RBPT(p=0.8)", "OIE"),
    *("FlatUtility(e=0.05)", "DCGU(e=0.05)", "ERRU(e=0.05)", "RBPU(p=0.9,e=0.05)"),
)
"""What docs/unanswerable.md recommends."""
UNAWARE: Final = ("P@1", "P@10", "nDCG", "nDCG@10", "AP", "RR", "R@10", "SetF", "Success@5")

DOCS = st.lists(st.sampled_from([f"d{i}" for i in range(8)]), unique=True, min_size=1, max_size=6)
LIST = DOCS.map(lambda docs: {doc: float(-rank) for rank, doc in enumerate(docs)})
GRADES = st.dictionaries(st.sampled_from([f"d{i}" for i in range(8)]), st.integers(0, 3), max_size=5)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(GRADES.filter(lambda grades: any(grades.values())), LIST), max_size=3),
    st.lists(st.tuples(GRADES.map(lambda grades: dict.fromkeys(grades, 0)), LIST), min_size=1, max_size=3),
)
def test_who_always_answers_is_never_above_who_abstains_rightly(
    with_answer: list[tuple[dict[str, int], dict[str, float]]],
    without: list[tuple[dict[str, int], dict[str, float]]],
) -> None:
    """Two runs equal on what has an answer: one answers the other questions, too, and one has no line for them."""
    every = [*with_answer, *without]
    qrels = {f"q{i}": grades for i, (grades, _) in enumerate(every)}
    answers = {f"q{i}": ranking for i, (_, ranking) in enumerate(every)}
    abstains = {topic: answers[topic] for topic in list(answers)[: len(with_answer)]}
    runs = {"answers": answers, "abstains": abstains or {"q0": {}}}
    scores = cf.evaluate(qrels, runs, [*RECOMMENDED, *UNAWARE], missing="empty")
    for measure, (answering, abstaining) in zip(scores.measures, scores.averages, strict=True):
        if str(measure) in UNAWARE:
            assert answering == abstaining, measure
        else:
            assert answering < abstaining, measure


def test_the_numbers_of_the_page() -> None:
    """Two questions, the second without an answer: two documents there are worth 1 / log2(4) by NDCGT, none 1."""
    qrels = {"q1": {"a": 1}, "q2": {}}
    runs = {"answers": {"q1": {"a": 1.0}, "q2": {"x": 2.0, "y": 1.0}}, "abstains": {"q1": {"a": 1.0}}}
    scores = cf.evaluate(qrels, runs, ["P@1", "nDCG", "NDCGT", "ERRT", "FlatUtility(e=0.05)"], missing="empty")
    of = scores.by_run()
    assert list(of["answers"]["q2"].values()) == pytest.approx([0, 0, 1 / 2, 1 / 3, -0.1])
    assert scores.averages[2].tolist() == pytest.approx([0.75, 1.0])
    assert list(of["abstains"]["q2"].values()) == pytest.approx([0, 0, 1, 1, 0])


@each_of("word", ["unanswerable", "abstain", "silence", "no answer"])
def test_words_that_people_search_for(word: str) -> None:
    found = {measure.__name__ for measure in search(word)}
    assert {name.partition("(")[0] for name in RECOMMENDED} <= found


def test_the_guide_recommends_what_the_page_does() -> None:
    advice = GUIDE_NODES["silence"]
    assert isinstance(advice, Advice)
    assert {*advice.measures} <= {*RECOMMENDED}

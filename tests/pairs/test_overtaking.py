"""What it takes for a run to overtake another, beside all that unjudged documents could be."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.measures import REGISTRY
from cranfield.measures.framework.declaration import example_of
from cranfield.measures.framework.names import parse_measure
from cranfield.pairs import overtaking
from cranfield.pairs.overtaking import overtake
from cranfield.plumbing.errors import InputError
from cranfield.statistics.on_paper import side

SUMS = ["RBP(p=0.5)", "P@2", "DCG@3", "CG@3", "DCG(averaged=True)@3", "INSQ", "SDCG@3", "nDCG@3", "P(rel=2)@3"]
OTHERS = ["nDCG@3", "AP", "RR", "Bpref", "ERR@3", "Rprec", "R@2", "Twist@4", "Recovery"]

lists = st.permutations("abcdef").flatmap(lambda order: st.integers(2, 5).map(lambda n: order[:n]))
grades = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1, max_size=4)
topics = st.lists(st.tuples(grades, st.lists(lists, min_size=3, max_size=3)), min_size=1, max_size=2)
Runs = dict[str, dict[str, dict[str, float]]]


def scored(order: list[str]) -> dict[str, float]:
    return {document: -float(place) for place, document in enumerate(order)}


def least_number(
    qrels: dict[str, dict[str, int]], runs: dict[str, dict[str, dict[str, float]]], name: str
) -> int | None:
    """Try every set of unjudged documents, the smaller first."""
    top = max(grade for judged in qrels.values() for grade in judged.values()) or 1
    open_ = [
        (topic, document)
        for topic in qrels
        for document in sorted({d for run in runs.values() for d in run[topic]} - set(qrels[topic]))
    ]
    joined = cf.join(qrels, runs, bounds=True, complete=False)
    measure = parse_measure(name)
    sign = 1 if measure.higher_is_better else -1
    place = {
        (topic, document): i
        for i, (topic, document) in enumerate(
            zip(
                [joined.topics[code] for code in joined.judgments.topic],
                joined.judgments.document.to_list(),
                strict=True,
            )
        )
    }
    for many in range(len(open_) + 1):
        for chosen in combinations(open_, many):
            grade = joined.judgments.grade.copy()
            grade[[place[each] for each in chosen]] = top
            behind, ahead, _ = joined.scores([measure], grade).averages[0]
            if side(sign * (behind - ahead)) > 0:
                return many
    return None


def of_lists(made: list[tuple[dict[str, int], list[list[str]]]]) -> tuple[dict[str, dict[str, int]], Runs]:
    qrels = {str(i): judged for i, (judged, _) in enumerate(made)}
    names = ("one", "two", "three")
    return qrels, {
        name: {str(i): scored(found[which]) for i, (_, found) in enumerate(made)} for which, name in enumerate(names)
    }


@settings(max_examples=25)
@given(topics, st.sampled_from([*SUMS, *OTHERS]))
def test_beside_every_set(made: list[tuple[dict[str, int], list[list[str]]]], name: str) -> None:
    """A third run has documents, too; and some of all three stand below the cutoff."""
    qrels, runs = of_lists(made)
    found = overtake(qrels, runs, name, behind="one", ahead="two", complete=False)
    truth = least_number(qrels, runs, name)
    assert found.exact or found.answer == "none found"
    match found.answer:
        case "ahead already":
            assert truth == 0
        case "these":
            assert truth == found.documents.height == found.at_least
        case _:
            assert truth is None


@settings(max_examples=25)
@given(topics, st.sampled_from(OTHERS))
def test_beside_every_set_where_not_all_are_tried(
    made: list[tuple[dict[str, int], list[list[str]]]], name: str
) -> None:
    qrels, runs = of_lists(made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overtaking, "MOST_SETS", 0)
        found = overtake(qrels, runs, name, behind="one", ahead="two", complete=False)
    truth = least_number(qrels, runs, name)
    if found.answer == "these":
        assert truth is not None
        assert (found.at_least or 1) <= truth <= found.documents.height
        if found.exact:
            assert truth == found.documents.height
    elif found.answer == "none can":
        assert truth is None


def test_the_least_number_is_that_of_topics_that_must_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one ahead has RR 1/2 on three topics and 1 on a fourth, 2.5 in all; each of the three turns by 1."""
    monkeypatch.setattr(overtaking, "MOST_SETS", 0)
    turning = {t: {"x": 0, "r": 1} for t in "123"}
    behind = {t: ["u", "x"] for t in "123"} | {"4": ["x"]}
    ahead = {t: ["x", "r"] for t in "123"} | {"4": ["r"]}
    qrels = {**turning, "4": {"x": 0, "r": 1}}
    found = overtake(qrels, {"b": behind, "a": ahead}, "RR", behind="b", ahead="a", complete=False)
    assert (found.answer, found.documents.height, found.at_least, found.exact) == ("these", 3, 3, True)


@pytest.mark.parametrize("has_it", ["good", "third"])
@pytest.mark.parametrize("few", [overtaking.MOST_SETS, 0])
def test_documents_below_the_cutoff_enlarge_the_ideal(monkeypatch: pytest.MonkeyPatch, has_it: str, few: int) -> None:
    """Were c of grade 3, good would have 1/3 where it had 1, and poor still 2/3 on the other topic."""
    monkeypatch.setattr(overtaking, "MOST_SETS", few)
    qrels = {"1": {"a": 1, "y": 0}, "2": {"b": 2, "e": 3, "z": 0}}
    lists = {"good": ["a", "y"], "third": ["y", "a"]}
    lists[has_it].append("c")
    runs = {name: {"1": scored(found), "2": scored(["z"])} for name, found in lists.items()}
    runs["poor"] = {"1": scored(["y"]), "2": scored(["b"])}
    found = overtake(qrels, runs, "nDCG@1", behind="poor", ahead="good")
    assert (found.answer, found.documents.rows()) == ("these", [("1", "c", pytest.approx((1 - 1 / 3) / 2))])


def test_documents_that_neither_has_are_counted_beside_the_sets_of_those_they_have() -> None:
    """good has y unjudged; third alone has u and v: found relevant, both, they leave good 1/3 where poor has 2/5."""
    qrels = {"1": {"a": 1, "z": 0}, "2": dict.fromkeys("bcdef", 1) | {"z": 0}}
    lists = {"good": (["a", "y"], ["z"]), "poor": (["z"], ["b", "c"]), "third": (["u", "v"], ["z"])}
    runs = {name: {"1": scored(one), "2": scored(two)} for name, (one, two) in lists.items()}
    found = overtake(qrels, runs, "R", behind="poor", ahead="good")
    assert (found.answer, sorted(found.documents["document"]), found.exact) == ("these", ["u", "v"], True)


def test_all_that_one_run_alone_has_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """By R-precision of two relevant documents, x and y alone change nothing that counts; together they do."""
    monkeypatch.setattr(overtaking, "MOST_SETS", 0)
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"good": {"1": scored(["a", "b"])}, "poor": {"1": scored(["x", "y", "b"])}}
    found = overtake(qrels, runs, "Rprec", behind="poor", ahead="good")
    assert (found.answer, sorted(found.documents["document"])) == ("these", ["x", "y"])
    assert (found.at_least, found.exact) == (1, False)  # a topic has to turn; not all pairs of documents were tried


def test_the_set_does_it_and_one_less_does_not(data: Path) -> None:
    """On dl19-passage's two best runs, judged anew by evaluate itself."""
    folder = data / "dl19-passage"
    behind, ahead = "idst_bert_p1", "idst_bert_p3"
    runs = cf.read_runs([folder / "runs" / f"{name}.gz" for name in (behind, ahead)])
    found = overtake(folder / "qrels.txt", runs, "RBP(p=0.8)", behind=behind, ahead=ahead, rel=2)
    assert (found.answer, found.exact, found.documents.height) == ("these", True, 5)
    qrels = {topic: dict(judged) for topic, judged in cf.to_dict(cf.read_qrels(folder / "qrels.txt")).items()}
    for topic, document in found.documents.select("topic", "document").rows():
        first, second = cf.evaluate(qrels, runs, "RBP(p=0.8)", rel=2).averages[0]
        assert first < second
        qrels[topic][document] = 3
    first, second = cf.evaluate(qrels, runs, "RBP(p=0.8)", rel=2).averages[0]
    assert first > second


def test_what_documents_contribute_adds_up_to_the_value(campaign: Path) -> None:
    joined = cf.join(campaign / "qrels.txt", campaign / "runs", bounds=True)
    rankings = joined.of_run(0)
    summed = set()
    for name in sorted({example_of(measure) for measure in REGISTRY.values() if not measure.text} | {*SUMS, "RBP@7"}):
        measure = parse_measure(name)
        adds = measure.contributions(rankings)
        if adds is not None:
            summed.add(type(measure).__name__)
            assert np.bincount(rankings.row, adds, rankings.rows) == pytest.approx(measure.score(rankings))
            if "judged_only" in measure.parameters:
                assert type(measure)(**measure.given | {"judged_only": True}).contributions(rankings) is None
    assert summed == {"P", "RBP", "INSQ", "SDCG", "CG", "DCG"}


def test_one_document_is_never_too_many() -> None:
    """Whatever is known of the bounds of Twist, without any document the run stays behind."""
    qrels = {"1": {"a": 1}}
    runs = {"good": {"1": scored(["x", "a"])}, "poor": {"1": scored(["y", "z", "w", "a"])}}
    found = overtake(qrels, runs, "Twist@4", behind="poor", ahead="good", complete=False)
    assert (found.answer, found.documents["document"].to_list(), found.at_least, found.exact) == (
        "these",
        ["y"],
        1,
        True,
    )


def test_the_largest_grade_need_not_gain_most() -> None:
    """Grade 2 gains nothing here: found to have it, no document helps; of grade 1, x would."""
    qrels = {"1": {"a": 1, "b": 2}}
    runs = {"good": {"1": scored(["y", "a"])}, "poor": {"1": scored(["x", "z"])}}
    for measure, answer in (("RBP(p=0.5,gains={1:1,2:0})", "none found"), ("RBP(p=0.5)", "these")):
        assert overtake(qrels, runs, measure, behind="poor", ahead="good", complete=False).answer == answer


def test_what_cannot_be_asked() -> None:
    qrels, runs = {"1": {"a": 1}}, {"one": {"1": {"a": 1.0}}, "two": {"1": {"b": 1.0}}}
    with pytest.raises(InputError, match="no run is called 'three'"):
        overtake(qrels, runs, behind="three", ahead="one")
    with pytest.raises(InputError, match="takes one measure, not 2"):
        overtake(qrels, runs, ["AP", "RR"], behind="two", ahead="one")
    with pytest.raises(InputError, match="condensed lists have no unjudged documents"):
        overtake(qrels, runs, behind="two", ahead="one", judged_only=True)
    with pytest.raises(InputError, match="geometric mean"):
        overtake(qrels, runs, "gmAP", behind="two", ahead="one")


def test_where_nothing_is_left_to_judge_the_reason_is_said() -> None:
    """Were b relevant, poor would be ahead; where all are judged, or judgments are complete, nothing can help."""
    runs = {"good": {"1": scored(["a", "n"])}, "poor": {"1": scored(["n", "a"])}}
    wide = {"good": {"1": scored(["a", "n"])}, "poor": {"1": scored(["b", "a"])}}
    asked = {"measure": "RR", "behind": "poor", "ahead": "good"}
    judged = overtake({"1": {"a": 1, "n": 0}}, runs, **asked)  # type: ignore[arg-type]
    assert judged.says() == "poor cannot overtake good by RR: no document is left to judge (all are judged)"
    golden = overtake({"1": {"a": 1}}, wide, **asked)  # type: ignore[arg-type]
    assert golden.says().endswith("no document is left to judge (the judgments name relevant documents only)")
    assert golden.settled
    opened = overtake({"1": {"a": 1}}, wide, complete=False, **asked)  # type: ignore[arg-type]
    assert not opened.settled

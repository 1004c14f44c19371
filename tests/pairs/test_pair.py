"""Two runs by one measure, beside all that the unjudged documents could be, enumerated with plain loops."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.experiments import EXPERIMENTS
from cranfield.measures.framework import weighted_share
from cranfield.measures.framework.names import parse_measure
from cranfield.pairs.board import Board, certain_ranks
from cranfield.pairs.pair import Pair, Rivals, fewest, fewest_of_each, least_of_each
from cranfield.statistics.on_paper import EQUAL, side

Qrels = dict[str, dict[str, int]]
Lists = dict[str, dict[str, list[str]]]

MEASURES = ["P@2", "RBP(p=0.5)", "nDCG@2", "AP", "RR", "R@2", "ESL", "BalancePoint@4", "Bpref"]
lists = st.permutations("abcd").flatmap(lambda all_: st.integers(0, 3).map(lambda n: list(all_[:n])))
runs_ = st.lists(st.dictionaries(st.sampled_from("12"), lists, min_size=1), min_size=2, max_size=3).map(
    lambda runs: {f"run{n}": run for n, run in enumerate(runs)}
)
qrels_ = st.fixed_dictionaries(
    {topic: st.dictionaries(st.sampled_from("abcd"), st.integers(0, 1), min_size=2) for topic in "12"}
)


def completions(qrels: Qrels, lists: Lists) -> Iterator[Qrels]:
    open_ = sorted({(t, d) for run in lists.values() for t, found in run.items() for d in found if d not in qrels[t]})
    for grades in itertools.product((0, 1), repeat=len(open_)):
        completed = {topic: dict(judged) for topic, judged in qrels.items()}
        for (topic, document), grade in zip(open_, grades, strict=True):
            completed[topic][document] = grade
        yield completed


def scored(lists: Lists) -> dict[str, dict[str, dict[str, float]]]:
    return {
        name: {topic: {d: -float(rank) for rank, d in enumerate(found)} for topic, found in run.items()}
        for name, run in lists.items()
    }


def means(qrels: Qrels, lists: Lists, measure: str) -> np.ndarray:
    """More being better."""
    sign = 1 if parse_measure(measure).higher_is_better else -1
    found: np.ndarray = sign * cf.evaluate(qrels, scored(lists), measure).averages[0]
    return found


@pytest.mark.parametrize("measure", ["AP", "CrossingRank", "BackwardSum"])
def test_a_run_that_lacks_a_topic_has_0_there(measure: str) -> None:
    """Whatever the other's documents are; 0 is not what an empty list has by every measure."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 0}}
    lists = {"one": {"1": ["a", "x", "b"]}, "two": {"1": ["x", "b", "a"], "2": ["c", "y", "a"]}}
    board = Board(cf.join(qrels, scored(lists), complete=False), parse_measure(measure))
    every = np.array([means(completed, lists, measure) for completed in completions(qrels, lists)])
    for one, other in ((0, 1), (1, 0)):
        apart = every[:, one] - every[:, other]
        assert board.pair(one, other).least() <= apart.min() + EQUAL
        assert board.pair(one, other).most() >= apart.max() - EQUAL


@settings(max_examples=40)
@given(qrels_, runs_, st.sampled_from(MEASURES))
def test_no_completion_lies_outside(qrels: Qrels, lists: Lists, measure: str) -> None:
    joined = cf.join(qrels, scored(lists), complete=False)
    every = np.array([means(completed, lists, measure) for completed in completions(qrels, lists)])
    board = Board(joined, parse_measure(measure))
    n = len(lists)
    for one, other in itertools.permutations(range(n), 2):
        pair, apart = board.pair(one, other), every[:, one] - every[:, other]
        assert pair.lead().mean() == pytest.approx(board.mean[one] - board.mean[other])
        if pair.kind == "tried":
            continue
        assert pair.least() <= apart.min() + EQUAL
        assert pair.most() >= apart.max() - EQUAL
        assert pair.least() <= pair.if_all_against() + EQUAL
        assert np.isclose(apart, pair.if_all_against()).any()
        if pair.attained:
            assert pair.least() == pytest.approx(apart.min(), abs=1e-12)
        if pair.reached:
            assert min(pair.least() if pair.attained else 1.0, pair.if_all_against()) == pytest.approx(apart.min())
    if n > 1 and board.pair(0, 1).kind != "tried":
        least = np.array([board.least(one) for one in range(n)])
        from_, to = certain_ranks(least)
        ranks = 1 + (side(every[:, :, None] - every[:, None, :]) < 0).sum(axis=2)
        assert (from_ <= ranks.min(axis=0)).all()
        assert (to >= ranks.max(axis=0)).all()


@settings(max_examples=30)
@given(qrels_, runs_, st.sampled_from([*MEASURES, "nDCG", "nDCG(dcg='exp-log2')@3"]), st.data())
def test_pairs_at_once_are_what_each_is_alone(qrels: Qrels, lists: Lists, measure: str, data: st.DataObject) -> None:
    """To the last bit, topics that a run lacks and documents that are found not relevant among them."""
    board = Board(cf.join(qrels, scored(lists), complete=False), parse_measure(measure))
    pairs = [board.pair(*both) for both in itertools.permutations(range(len(lists)), 2)]
    known = [pair.against()[: data.draw(st.integers(0, 2))] for pair in pairs]
    judged = [pair.found_not_relevant(documents) for pair, documents in zip(pairs, known, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted_share, "_CELLS", data.draw(st.sampled_from([1, 1 << 18])))
        assert least_of_each(pairs).tolist() == [pair.least() for pair in pairs]
        assert least_of_each(pairs, known).tolist() == [pair.least() for pair in judged]


def test_turned_round_and_lower_is_better() -> None:
    runs = scored({"early": {"1": ["a", "x"]}, "late": {"1": ["x", "y", "a"]}})
    pair = Rivals(cf.join({"1": {"a": 1, "x": 0, "y": 0}}, runs), ("1",)).of(parse_measure("ESL"), 0, 1)
    assert pair.lead().tolist() == [2.0]
    assert (pair.least(), pair.most(), pair.turned().lead().tolist()) == (2.0, 2.0, [-2.0])


def test_only_the_topics_that_count() -> None:
    """On topic 2 alone, the other has nothing against the one."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    runs = scored({"one": {"1": ["a"], "2": ["a"]}, "other": {"1": ["x"], "2": ["a", "y"]}})
    joined = cf.join(qrels, runs, complete=False)
    both, second = (Rivals(joined, topics).of(parse_measure("P@1"), 0, 1) for topics in (("2", "1"), ("2",)))
    assert both.lead().tolist() == [0.0, 1.0]
    assert both.named(both.against()) == (["1"], ["x"])
    assert (second.lead().tolist(), second.least(), len(second.against())) == ([0.0], 0.0, 0)


def test_grades_that_are_found() -> None:
    pair = Rivals(
        cf.join({"1": {"a": 2}}, scored({"one": {"1": ["a", "x"]}, "other": {"1": ["y", "x"]}}), complete=False), ("1",)
    ).of(parse_measure("DCG(gains={1:1,2:2})@1"), 0, 1)

    def leads(of: Pair) -> float:
        return float(of.lead()[0])

    [y] = pair.against()
    assert pair.judgments.ids(np.array([y])) == ["y"]
    assert leads(pair) == 2.0
    assert leads(pair.found(np.array([y]))) == 0.0  # of the largest grade
    assert (pair.least(), pair.found_not_relevant(np.array([y])).least()) == (0.0, 2.0)
    assert pair.open_only(np.array([], int)).least() == 2.0


def test_fewest() -> None:
    documents = np.array([4, 2, 9])
    for needed in range(4):
        assert fewest(documents, lambda some, needed=needed: len(some) >= needed) == needed  # type: ignore[misc]
    assert fewest(documents, lambda some: False) is None


def test_fewest_of_several_lists_at_once() -> None:
    """Of 0 to 4 documents, 0 to 5 needed: as each alone."""
    many, needed = np.arange(30) % 5, np.arange(30) // 5
    alone = [
        fewest(np.arange(of), lambda some, least=least: len(some) >= least)  # type: ignore[misc]
        for of, least in zip(many, needed, strict=True)
    ]
    assert fewest_of_each(many, lambda which, first: first >= needed[which]) == alone
    assert fewest_of_each(many[:0], lambda which, first: first > 0) == []


def test_a_certificate_is_at_the_relevance_level_of_the_runs() -> None:
    """Of grade 1, b is not relevant at level 2; whatever x is, good has a above it."""
    qrels = {t: {"a": 2, "b": 1} for t in "123"}
    runs = scored({"good": {t: ["a", "x"] for t in qrels}, "poor": {t: ["b", "x"] for t in qrels}})
    for joined in (cf.join(qrels, runs, rel=2), cf.join(qrels, runs, rel=2, bounds=True)):
        found = EXPERIMENTS["certificate"](joined, "P@2")
        rows = found["pairs"].select("measure", "difference", "least", "certain").rows()
        assert rows == [("P(rel=2)@2", 0.5, 0.5, True)]


def test_documents_are_weighed_as_the_measure_weighs_their_ranks() -> None:
    """x is at rank 2 and at rank 1: no matter to R@2 and, undiscounted down to rank 10, to nDCG(base=10)."""
    runs = cf.join({"1": {"a": 1}}, {"one": {"1": ["z", "x"]}, "other": {"1": ["x", "w"]}}, bounds=True, complete=False)
    for name, against in (("R@2", ["w"]), ("nDCG(base=10)@2", ["w"]), ("CG@2", ["w"]), ("nDCG@2", ["w", "x"])):
        pair = Rivals(runs, ["1"]).of(parse_measure(name), 0, 1)
        assert sorted(pair.judgments.ids(pair.against())) == against, name


def test_the_unjudged_share_is_of_the_documents_down_to_the_cutoff() -> None:
    """Of a x y b and z, two of four and all of one; at 2, one of two; of an empty list nothing."""
    runs = scored({"one": {"1": ["a", "x", "y", "b"], "2": []}, "other": {"1": ["z"], "2": []}})
    joined = cf.join({"1": {"a": 1, "b": 0}, "2": {"a": 1}}, runs, bounds=True, complete=False)
    for topic, measure, shares in (
        ("1", "AP", (0.5, 1.0)),
        ("1", "P@1", (0.0, 1.0)),
        ("1", "P@2", (0.5, 1.0)),
        ("1", "P@3", (pytest.approx(2 / 3), 1.0)),
        ("2", "P@2", (0.0, 0.0)),
    ):
        assert Rivals(joined, [topic]).of(parse_measure(measure), 0, 1).unjudged_shares() == shares


@pytest.mark.parametrize("measure", [*MEASURES, "gmAP", "Twist", "Q", "infAP", "AP(judged_only=True)", "nDCG@2"])
def test_no_grade_puts_the_same_lists_apart(measure: str) -> None:
    """Down to the cutoff; what follows it is another matter. Nor is anything said to be possible that is not."""
    qrels = {topic: {"a": 1, "b": 0} for topic in "12345678"}
    first = {topic: ["a", "z", "b"] for topic in qrels} | {"1": ["x", "a", "y"]}
    other = first | {"1": ["x", "a", "w"] if measure.endswith("@2") else first["1"]}
    joined = cf.join(qrels, scored({"one": first, "two": other}), complete=False)
    pair = Rivals(joined, tuple(qrels)).of(parse_measure(measure), 0, 1).of_what_is_listed()
    assert (pair.least(), pair.most(), pair.kind) == (0.0, 0.0, "exact")
    table = cf.gate(joined, None, measure, margin=0.1).to_polars()
    assert table["holds"].to_list() == ["certain"]
    told = " ".join(cf.compare(joined, None, measure).opening())
    assert "Judging these" not in told


def test_of_equal_runs_one_alone_may_come_out_ahead() -> None:
    """The other has nothing unjudged."""
    qrels = {topic: {"a": 1, "b": 0} for topic in "12"}
    runs = scored({"one": {"1": ["a", "b"], "2": ["a", "b"]}, "two": {"1": ["a", "x"], "2": ["a", "b"]}})
    told = " ".join(cf.compare(cf.join(qrels, runs, complete=False), None, "P@2").opening())
    assert "Judging these could put two ahead." in told

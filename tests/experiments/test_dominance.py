"""Dominance: what it certifies holds by every measure of its kind; what it denies has a witness."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.real_runs import Joined

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.experiments import EXPERIMENTS
from cranfield.pairs.dominance import Completed, TopCounts, layers, steps, strictly
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> JudgedRuns:
    folder = tmp_path_factory.mktemp("campaign")
    write_campaign(simulate(systems=14, topics=9, depth=40, seed=5), folder)
    return cf.join(folder / "qrels.txt", folder / "runs")


def _grades(runs: JudgedRuns, depth: int) -> np.ndarray:
    """Grades by rank from the definition: array of shape (runs, topics, ranks), 0 where nothing is known."""
    found = np.zeros((len(runs.runs), len(runs.topics), depth))
    for number in range(len(runs.runs)):
        cells = runs.of_run(number).judged
        within = cells.rank <= depth
        found[number, cells.row[within], cells.rank[within] - 1] = cells.grade[within]
    return found


def test_a_hundred_thousand_measures_never_contradict_a_certificate(campaign: JudgedRuns) -> None:
    depth, chance = 20, np.random.default_rng(11)
    found = TopCounts.of(campaign, depth)
    grades = _grades(campaign, depth)
    assert found.at_least.any(axis=1).all()
    assert strictly(found.at_least).sum() > 20
    at = np.stack([(grades == level).sum(axis=1) for level in found.levels])  # levels, runs, ranks
    weights = np.sort(chance.exponential(size=(100_000, depth)) ** 3, axis=1)[:, ::-1]
    gains = np.cumsum(chance.exponential(size=(100_000, len(found.levels))) ** 3, axis=1)
    values = sum(gains[:, [g]] * (weights @ at[g].T) for g in range(len(found.levels)))
    for one, other in np.argwhere(found.at_least):
        assert (values[:, one] >= values[:, other] * (1 - 1e-12)).all()
    crossing = ~found.at_least & ~found.at_least.T
    assert crossing.any()


def test_every_witness_is_a_measure_that_says_so(campaign: JudgedRuns) -> None:
    pairs = EXPERIMENTS["dominance"](campaign, depth=20, resamples=20)["pairs"]
    wins = pairs.unpivot(["a_wins_by", "b_wins_by"], index=["run_a", "run_b", "a_lead", "b_lead"])
    wins = wins.filter(pl.col("value") != "")
    scores = campaign.scores(wins["value"].unique(maintain_order=True).to_list())
    mean = {
        (str(measure), run): scores.averages[m, r]
        for m, measure in enumerate(scores.measures)
        for r, run in enumerate(scores.runs)
    }
    for run_a, run_b, a_lead, b_lead, which, measure in wins.iter_rows():
        lead = mean[measure, run_a] - mean[measure, run_b]
        assert (lead if which == "a_wins_by" else -lead) == pytest.approx(a_lead if which == "a_wins_by" else b_lead)
        assert (a_lead if which == "a_wins_by" else b_lead) > 0
    denied = pairs.filter(pl.col("dominates") == "neither")
    assert denied.height
    assert (denied.select("a_wins_by", "b_wins_by") != "").to_numpy().all()


LISTS = st.lists(st.lists(st.permutations("abcdef").map(lambda docs: docs[:4]), min_size=2, max_size=2), min_size=1)


def _joined(by_topic: list[list[list[str]]], grades: dict[str, int]) -> JudgedRuns:
    """Each topic has the same judgments; of each, the lists of both runs."""
    qrels = {str(topic): grades for topic in range(len(by_topic))}
    runs = {
        name: {str(topic): {doc: -float(rank) for rank, doc in enumerate(lists[n])}
               for topic, lists in enumerate(by_topic)}
        for n, name in enumerate(("one", "other"))
    }  # fmt: skip
    return cf.join(qrels, runs, complete=False)


@settings(max_examples=60)
@given(LISTS)
def test_relations_are_those_of_the_definition(by_topic: list[list[list[str]]]) -> None:
    runs = _joined(by_topic, {"a": 2, "b": 1, "c": 0})
    found = TopCounts.of(runs)
    grades = _grades(runs, 4)
    counts = np.array([[[[(g[:k] >= level).sum() for k in (1, 2, 3, 4)] for level in (1, 2)] for g in run]
                       for run in grades])  # fmt: skip
    assert (found.counts == counts).all()
    for one, other in ((0, 1), (1, 0)):
        assert found.at_least[one, other] == (counts[one].sum(axis=0) >= counts[other].sum(axis=0)).all()
        assert found.on_every_topic[one, other] == (counts[one] >= counts[other]).all()


@settings(max_examples=60)
@given(LISTS)
def test_on_every_topic_nothing_that_normalises_by_topic_says_otherwise(by_topic: list[list[list[str]]]) -> None:
    runs = _joined(by_topic, {"a": 2, "b": 1, "c": 0, "d": 1})
    found = TopCounts.of(runs)
    values = runs.scores(["AP", "RR", "nDCG", "nDCG@2", "R@3", "nCG@3", "AP(rel=2)"]).values
    for one, other in ((0, 1), (1, 0)):
        if found.on_every_topic[one, other]:
            assert (values[:, one] >= values[:, other] - 1e-12).all()


@pytest.mark.integration
@settings(max_examples=25)
@given(st.lists(st.permutations("abxyz").map(lambda docs: docs[:4]), min_size=2, max_size=2))
def test_completions_are_those_of_enumeration(lists: list[list[str]]) -> None:
    runs = _joined([lists], {"a": 2, "b": 1})
    found = TopCounts.of(runs)
    completed = Completed.of(runs, found)
    every = []
    for grades in itertools.product((0, 1, 2), repeat=3):
        judged = {"a": 2, "b": 1} | dict(zip("xyz", grades, strict=True))
        every.append(TopCounts.of(_joined([lists], judged)).at_least)
    assert (completed.surely == np.all(every, axis=0)).all()
    assert (completed.possibly == np.any(every, axis=0)).all()


def test_an_unjudged_document_of_one_run_alone_counts_down_to_the_last_rank() -> None:
    """Were x relevant, the one would have two at rank 2, and the other one: neither is surely ahead."""
    lists = {"one": {"1": {"a": 2.0, "x": 1.0}}, "other": {"1": {"a": 2.0, "n": 1.0}}}
    runs = cf.join({"1": {"a": 1, "n": 0}}, lists, complete=False)
    completed = Completed.of(runs, TopCounts.of(runs))
    assert completed.surely.tolist() == [[True, True], [False, True]]
    assert completed.possibly.tolist() == [[True, True], [True, True]]


def test_topics_in_another_order_and_runs_twice(campaign: JudgedRuns) -> None:
    sources = {name: cf.to_dict(source.read()) for name, source in zip(campaign.runs, campaign.sources, strict=True)}
    qrels = cf.to_dict(campaign.judgments.table())
    turned = {topic: qrels[topic] for topic in reversed(qrels)}
    twice = sources | {f"{name} again": run for name, run in sources.items()}
    first, other = TopCounts.of(campaign), TopCounts.of(cf.join(turned, twice))
    assert (other.at_least == np.tile(first.at_least, (2, 2))).all()
    better = strictly(other.at_least)
    assert not better[:14, 14:].diagonal().any()
    assert (layers(better) == np.tile(layers(strictly(first.at_least)), 2)).all()
    reached = better.copy()
    for _ in range(14):
        reached = steps(better) | (steps(better) @ reached)
    assert (reached == better).all()


def test_topics_that_are_missing_count_nothing_or_are_left_out() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    lists = {"whole": {"1": {"x": 2.0, "a": 1.0}, "2": {"a": 1.0}}, "half": {"1": {"a": 1.0}}}
    assert TopCounts.of(cf.join(qrels, lists)).sums.tolist() == [[[1, 2]], [[1, 1]]]
    assert TopCounts.of(cf.join(qrels, lists, topics="shared")).sums.tolist() == [[[0, 1]], [[1, 1]]]


def test_what_is_unjudged_on_topics_that_are_left_out_has_no_say() -> None:
    """On topic 2, which half lacks, whole has x, unjudged: were it to count, whole could catch up on topic 1."""
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    lists = {"whole": {"1": {"y": 2.0, "a": 1.0}, "2": {"x": 1.0}}, "half": {"1": {"a": 2.0, "y": 1.0}}}
    both = {"1": {"a": 1, "y": 0}, "2": {"b": 1}}
    for judged, possibly in ((qrels, True), (both, False)):
        runs = cf.join(judged, lists, topics="shared", complete=False)
        completed = Completed.of(runs, TopCounts.of(runs))
        assert completed.surely[1, 0]
        assert completed.possibly[0, 1] == possibly


def test_a_witness_is_at_the_level_that_was_asked_for() -> None:
    lists = {"one": {"1": {"a": 2.0, "b": 1.0}}, "other": {"1": {"b": 2.0, "a": 1.0}}}
    found = TopCounts.of(cf.join({"1": {"a": 1.0, "b": 0.5}}, lists, rel=1))
    witness = found.witness(0, 1)
    assert witness is not None
    assert str(witness.measure) == "P(rel=1)@1"


def test_chance_holds_a_lead_against_the_largest_that_luck_would_show() -> None:
    """On 8 topics one finds its document at once and the other does not: of 256 sign patterns 2 reach that."""
    qrels = {str(topic): {"a": 1} for topic in range(8)}
    good, poor = ({str(topic): {doc: 1.0} for topic in range(8)} for doc in "ax")
    found = EXPERIMENTS["dominance"](cf.join(qrels, {"poor": poor, "good": good}))
    row = found["pairs"].row(0, named=True)
    assert (row["dominates"], row["leads"], row["p_a"], row["b_lead"]) == ("run_b", "run_b", None, 1.0)
    assert row["p_b"] == pytest.approx(2 / 256)
    assert found["chance"].rows() == [("one leads", 1, 1.0), ("both lead", 0, 0.0), ("none leads", 0, 0.0)]
    assert found["order"].rows() == [("good", "poor")]


def test_equal_runs_are_counted_apart() -> None:
    """The first two have the same documents at the same ranks, and both dominate the third."""
    lists = {"one": {"1": {"a": 1.0}}, "twin": {"1": {"a": 1.0}}, "none": {"1": {"x": 1.0}}}
    summary = EXPERIMENTS["dominance"](cf.join({"1": {"a": 1}}, lists), depth=5)["summary"]
    assert summary.filter(of="as judged").select("pairs", "equal", "depth").rows() == [(3, 1, 5)]


def test_one_topic_and_condensed_lists_say_what_they_cannot() -> None:
    qrels, lists = {"1": {"a": 1}}, {"one": {"1": {"x": 2.0, "a": 1.0}}, "other": {"1": {"a": 1.0}}}
    found = EXPERIMENTS["dominance"](cf.join(qrels, lists))
    assert found["chance"].height == 0
    assert found["pairs"]["leads"].to_list() == [None]
    assert found.notes[0].endswith("at relevance level 1")
    assert "only one topic" in found.notes[-1]
    condensed = EXPERIMENTS["dominance"](cf.join(qrels, lists, judged_only=True))
    assert condensed["pairs"]["dominates"].to_list() == ["both"]
    assert "surely" not in condensed["pairs"].columns
    with pytest.raises(InputError, match="there is only one: one"):
        EXPERIMENTS["dominance"](cf.join(qrels, {"one": lists["one"]}))
    with pytest.raises(InputError, match="no document of the qrels is relevant"):
        EXPERIMENTS["dominance"](cf.join({"1": {"a": 0}}, lists))


@pytest.mark.parametrize(
    ("collection", "depth", "pairs", "undominated"),
    [
        ("covid-round1", 100, 7094, 14),
        ("covid-round1", 10, 7950, 7),
        ("trec8-adhoc", 1000, 57, 2),
        ("dl19-passage", 1000, 163, 14),
        ("dl19-passage", 10, 458, 7),
    ],
)
def test_pairs_that_need_no_choice_of_measure(
    joined: Joined, collection: str, depth: int, pairs: int, undominated: int
) -> None:
    found = TopCounts.of(joined(collection), depth)
    assert np.triu(found.at_least | found.at_least.T, 1).sum() == pairs
    assert (layers(strictly(found.at_least)) == 0).sum() == undominated


def test_judgments_and_runs_that_are_not_joined_are_told_to_be() -> None:
    with pytest.raises(cf.InputError, match=r"dominance takes joined runs, dominance\(cranfield.join\(qrels, runs\)"):
        cf.experiments.dominance({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}})  # type: ignore[call-arg, dict-item, arg-type]

"""No falsifier finds a sentence of the report wrong, of many small collections, and each refuses what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Any

import falsifiers_of_judges as of_judges
import pytest
from falsifiers import BY_HAND, DOCUMENTS, FALSIFIERS, OTHERS, Case, Falsifier, Ranking, leading, scored, sign
from tools.each import each_of

import cranfield as cf
from cranfield.reports.reporting import evidence_of
from cranfield.reports.reviewing import review_of
from cranfield.reports.sentence import SENTENCES, Said, all_sentences, said_of

SAMPLE, MANY = 60, 600


def random_judge(seed: int, case: Case) -> Case:
    """Put a cheap judge beside each fifth collection: who lacks labels, errs at random, or has a scale of its own."""
    chance = Random(f"judge {seed}")  # noqa: S311
    if seed % 5:
        return case
    grades = sorted(of_judges.scale_of(case))
    scale = chance.choice([grades, grades, grades, grades[-2:], [0.0, 0.25, 0.5, 1.0]])
    all_ = chance.random() < 0.7
    labels = {
        topic: {
            d: grade if scale == grades and chance.random() < 0.5 else chance.choice(scale)
            for d, grade in (each | dict.fromkeys(chance.sample(DOCUMENTS, 1), 0)).items()
            if all_ or d == min(each) or chance.random() < 0.7
        }
        for topic, each in case.qrels.items()
    }
    several = len(case.names) > 1 and chance.random() < 0.7
    kinds = {name: "even" if n % 2 else "odd" for n, name in enumerate(case.names)} if several else None
    return replace(case, labels=labels, kinds=kinds, circular=chance.choice([None, *case.names]))


@lru_cache(SAMPLE)
def random_case(seed: int) -> Case:
    """Make a small collection, with what makes sentences wrong: ties, twins, missing topics, negative grades."""
    chance = Random(seed)  # noqa: S311 - a sample
    topics = [f"t{n}" for n in range(1, chance.choice([1, 2, 3, 3, 4, 12]) + 1)]
    grades = chance.choice([[0, 1], [0, 1, 2], [-1, 0, 1, 2]])
    qrels = {}
    for topic in topics:
        judged = chance.sample(DOCUMENTS, chance.randint(3, len(DOCUMENTS)))
        qrels[topic] = {d: 0 if chance.random() < 0.1 else chance.choice(grades) for d in judged}
        if chance.random() < 0.2:
            qrels[topic] = dict.fromkeys(judged, 0)
    runs: dict[str, dict[str, Ranking]] = {}
    for number in range(chance.choice([1, 2, 3, 3, 4])):
        if runs and chance.random() < 0.15:
            twin = dict(runs[chance.choice(list(runs))])
            runs[f"run{number}"] = twin | ({"outside": ("a", "b")} if chance.random() < 0.5 else {})
            continue
        runs[f"run{number}"] = {
            topic: ranking(chance)
            for topic in [*topics, "outside"]
            if topic == topics[0] or chance.random() < (0.9 if topic != "outside" else 0.2)
        }
    if len(runs) > 1 and chance.random() < 0.1:  # one that is far ahead of another, everywhere
        best, *_, last = runs
        runs[best] = {t: tuple(sorted(qrels[t], key=qrels[t].__getitem__, reverse=True)) for t in topics}
        runs[last] = {t: tuple(sorted(qrels[t], key=qrels[t].__getitem__)) for t in topics}
    measures = chance.sample([*BY_HAND, *BY_HAND, *OTHERS], 3)
    baseline = chance.choice(list(runs)) if len(runs) > 1 and chance.random() < 0.15 else None
    made = Case(qrels, runs, tuple(dict.fromkeys(measures)), baseline)
    return random_judge(seed, replace(made, groups={t: t[-1] for t in topics}) if seed % 15 in {3, 6, 9, 12} else made)


def ranking(chance: Random) -> Ranking:
    documents = chance.sample(DOCUMENTS, chance.choice([1, 2, 3, 4, 4, 5]))
    ranked: list[str] = []
    for document in documents:
        if ranked and chance.random() < 0.2:
            ranked[-1] += document
        else:
            ranked.append(document)
    return tuple(ranked)


def held(case: Case) -> Iterator[str]:
    """Hold all that is said of a collection against its falsifiers."""
    for each, said in said_of(case.evidence):
        FALSIFIERS[each.name](case.ran, {**said.numbers, "words": said.words})
        yield each.name


def test_every_sentence_has_a_falsifier() -> None:
    assert set(FALSIFIERS) == {each.name for each in all_sentences()}


def test_small_collections_falsify_no_sentence() -> None:
    said = {name for seed in range(SAMPLE) for name in held(random_case(seed))}
    assert said >= {"leader", "overtaken", "never-overtaken", "dominated", "nothing-relevant", "same-rankings"}


@pytest.mark.integration
def test_many_small_collections_falsify_no_sentence() -> None:
    said = {name for seed in range(SAMPLE, SAMPLE + MANY) for name in held(random_case(seed))}
    assert said == set(FALSIFIERS)


def wrong(numbers: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Say something else: another number, another name, other words."""
    for name, value in numbers.items():
        if isinstance(value, int | float):
            yield numbers | {name: value + 1}
        elif isinstance(value, list):
            yield numbers | {name: [*value, "another"]}
        elif name not in {"words", "method", "measure", "decides", "first", "second", "effort"}:
            yield numbers | {name: "another"}


def refused(falsifier: Falsifier, case: Case, numbers: dict[str, Any]) -> bool:
    try:
        falsifier(case, numbers)
    except (AssertionError, KeyError, ValueError):
        return True
    return False


def test_falsifiers_refuse_what_is_wrong() -> None:
    """Each does so for one of the numbers of its sentence at least, in every collection."""
    tried = set()
    for case in map(random_case, range(SAMPLE)):
        for each, said in said_of(case.evidence):
            numbers = {**said.numbers, "words": said.words}
            assert any(refused(FALSIFIERS[each.name], case.ran, other) for other in wrong(numbers)), each.name
            tried.add(each.name)
    assert len(tried) >= len(FALSIFIERS) - 3


def test_what_a_review_says_could_change() -> None:
    """Pairs that keep their order do so by all grades of what is open, and pairs that could be turned by some."""
    known = 0
    for case in (random_case(seed).ran for seed in range(SAMPLE)):
        found = dict(_answers(case)).get("What that could change")
        if found is None or "kept" not in found:
            continue
        means = case.means(case.measures[0])
        order = sorted(range(len(means)), key=lambda run: (-round(float(means[run]), 9), run))
        least = [case.least_lead(case.measures[0], one, other) for one, other in pairwise(order)]
        assert found["kept"] <= sum(sign(lead) >= 0 for lead in least)
        assert found["turned"] <= sum(sign(lead) < 0 for lead in least)
        known += 1
    assert known > 5


def _answers(case: Case) -> Iterator[tuple[str, dict[str, Any]]]:
    for item, _, numbers in review_of(case.evidence).answers.iter_rows():
        yield item, json.loads(numbers)


def told(name: str, case: Case) -> Said:
    found = SENTENCES[name].finder(case.evidence)
    assert found is not None
    return found


def test_equal_counts_of_sums_say_nothing_of_other_measures() -> None:
    """Found by hard use: RR prefers B and AP prefers A, and both have the same counts at every rank."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1, "d": 1}}
    runs: dict[str, dict[str, Ranking]] = {
        "A": {"1": ("a", "b"), "2": ("x", "y")},
        "B": {"1": ("a", "z"), "2": ("x", "c")},
    }
    case = Case(qrels, runs, ("RR", "AP"))
    assert (leading(case, "RR"), leading(case, "AP")) == ({"B"}, {"A"})
    said = told("dominated", case)
    assert (said.numbers["settled"], said.numbers["equal"]) == (0, 1)
    assert "averages over topics" in said.words
    assert "not AP, RR, nDCG, ERR, Twist" in said.words


def test_what_no_run_retrieved_is_not_in_the_scope() -> None:
    """Found by hard use: nine relevant documents that nobody has turn .667 to .333 into .147 to .333."""
    qrels = {"1": {"a": 1, "n": 0}, "2": {"a": 1, "n": 0}, "3": {"a": 1, "n": 0}}
    runs: dict[str, dict[str, Ranking]] = {
        "good": {"1": ("a", "u"), "2": ("a",), "3": ("n",)}, "poor": {"1": ("n",), "2": ("n",), "3": ("a",)}
    }  # fmt: skip
    said = told("never-overtaken", Case(qrels, runs, ("nDCG@10",)))
    assert "whatever grades from 0 to 1 the unjudged documents in these runs have" in said.words
    more = {f"z{n}": 1 for n in range(9)}
    means = cf.evaluate(qrels | {topic: qrels[topic] | more for topic in "12"}, scored(runs), "nDCG@10").averages[0]
    assert means.round(3).tolist() == [0.147, 0.333]


@each_of("measure", ["OIE", "ERRT", "NDCGT", "FlatUtility", "RBU(p=0.8)"])
def test_runs_may_differ_where_nothing_is_relevant(measure: str) -> None:
    """Found by hard use: there a list that ends early is better, and a whole lead can come from that."""
    qrels = {"1": {"a": 1, "b": 0}, "none": {"b": 0, "c": 0}}
    runs: dict[str, dict[str, Ranking]] = {
        "short": {"1": ("a",), "none": ("b",)},
        "long": {"1": ("a",), "none": ("b", "c")},
    }
    said = told("nothing-relevant", Case(qrels, runs, (measure, "P@1")))
    assert said.words.endswith(f"the runs still differ there in {measure}.")
    assert told("nothing-relevant", Case(qrels, runs, ("P@1",))).words.endswith("all runs are equal there in P@1.")


def test_runs_that_differ_elsewhere_are_alike_on_the_topics_of_the_qrels() -> None:
    runs: dict[str, dict[str, Ranking]] = {"one": {"1": ("a",), "9": ("a",)}, "other": {"1": ("a",), "9": ("b",)}}
    assert told("same-rankings", Case({"1": {"a": 1}}, runs, ("P@1",))).words == (
        "one and other have the same rankings on every topic of the qrels (1)."
    )


def test_topics_that_no_average_holds_are_not_named() -> None:
    """Of shared topics only: the runs lack the topic without a relevant document."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "lacking": {"a": 0}}
    runs: dict[str, dict[str, Ranking]] = {name: {"1": ("a",), "2": (name,)} for name in ("a", "b")}
    found = evidence_of(qrels, scored(runs), ("P@1",), None, 7, topics="shared")
    assert SENTENCES["nothing-relevant"].finder(found) is None
    assert found.over == "2 runs on 2 of 3 topics, which all runs have"
    assert found.scores.caption() == "Averages over 2 of 3 topics."
    assert evidence_of(qrels, scored(runs), ("P@1",), None, 7).scores.caption() == "Averages over 3 topics."


def test_ties_alone_are_no_other_order() -> None:
    qrels = {"1": {"a": 1, "b": 1, "c": 1}}
    runs: dict[str, dict[str, Ranking]] = {"one": {"1": ("a", "x")}, "two": {"1": ("a", "b")}, "none": {"1": ("x",)}}
    said = told("another-order", Case(qrels, runs, ("P@1", "R@2")))
    assert said.words.startswith("P@1 and R@2 reverse none of 3 pairs of runs, but one of them ties 1 ")

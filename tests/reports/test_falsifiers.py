"""Each sentence of the report is held against small collections that are enumerated, by code that is not the report's.

A falsifier takes a sentence as it was said, and the collection that it was said of, and looks for
what would make it wrong: every set of grades of the unjudged documents, every order of tied ones,
every prefix, every measure of a class. Values of P, RR, AP, RBP, nDCG and recall are computed here,
of other measures by `evaluate`; nothing is taken from `pairs`, `comparison` or `lists`.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, permutations, product
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pytest
from scipy import stats
from tools.each import each_of

import cranfield as cf
from cranfield.plumbing.options import Missing
from cranfield.reports.evidence import Evidence
from cranfield.reports.reporting import evidence_of
from cranfield.reports.reviewing import review_of
from cranfield.reports.sentence import SENTENCES, Said, all_sentences, said_of
from cranfield.scoring.grouping import TopicGroups

Grades = dict[str, int]
Ranking = tuple[str, ...]
"""Documents from the top, those of the same score as one word: ``("a", "bc")``."""
EQUAL: Final = 1e-9
DOCUMENTS: Final = "abcdef"
SAMPLE, MANY = 60, 600


@dataclass(frozen=True)
class Case:
    """A collection: judgments and rankings by topic, measures, and a baseline or a cheap judge, if there is one."""

    qrels: dict[str, Grades]
    runs: dict[str, dict[str, Ranking]]
    measures: tuple[str, ...]
    baseline: str | None = None
    labels: dict[str, dict[str, float]] | None = None
    kinds: dict[str, str] | None = None
    circular: str | None = None
    groups: dict[str, str] | None = None

    @property
    def evidence(self) -> Evidence:
        """What a report knows of it."""
        found = self._evidence
        return found if self.groups is None else replace(found, groups=TopicGroups.taken(self.groups))

    @property
    def _evidence(self) -> Evidence:
        asked = (self.qrels, scored(self.runs), self.measures, self.baseline, 7)
        if self.labels is None:
            return evidence_of(*asked)
        with TemporaryDirectory() as folder:
            rows = [f"{t} 0 {d} {label}\n" for t, of in self.labels.items() for d, label in of.items()]
            (cheap := Path(folder, "judge.txt")).write_text("".join(rows))
            kinds = None if self.kinds is None else Path(folder, "kinds.txt")
            if kinds is not None and self.kinds is not None:
                kinds.write_text("".join(f"{run} {kind}\n" for run, kind in self.kinds.items()))
            return evidence_of(*asked, cheap=cheap, kinds=kinds, circular=self.circular)

    @property
    def names(self) -> list[str]:
        return list(self.runs)

    @property
    def topics(self) -> list[str]:
        return list(self.qrels)

    @property
    def top(self) -> int:
        return max([grade for grades in self.qrels.values() for grade in grades.values()] + [0]) or 1

    def lists(self, topic: str) -> list[list[str] | None]:
        """The documents of each run, equal scores by falling id; None where it lacks the topic."""
        return [flat(run[topic]) if topic in run else None for run in self.runs.values()]

    def values(self, measure: str) -> np.ndarray[Any, Any]:
        """Array of shape (runs, topics), more being better."""
        return values_of(measure, self.top, [(self.qrels[topic], self.lists(topic)) for topic in self.topics])

    def means(self, measure: str) -> np.ndarray[Any, Any]:
        found: np.ndarray[Any, Any] = self.values(measure).mean(axis=1)
        return found

    def relevant(self, topic: str) -> set[str]:
        return {document for document, grade in self.qrels[topic].items() if grade > 0}

    def open(self, topic: str) -> list[str]:
        """What any run retrieved for the topic and nobody judged."""
        if all(grade > 0 for grades in self.qrels.values() for grade in grades.values()):
            return []  # relevant documents are named, and all others are not relevant
        found = {document for ranking in self.lists(topic) for document in ranking or ()}
        return sorted(found - set(self.qrels[topic]))

    def completed(self, measure: str) -> list[np.ndarray[Any, Any]]:
        """By topic an array of shape (runs, completions): every grade for every document that is open."""
        columns = []
        for topic in self.topics:
            open_ = self.open(topic)
            all_grades = product(range(self.top + 1), repeat=len(open_))
            every = [self.qrels[topic] | dict(zip(open_, grades, strict=True)) for grades in all_grades]
            columns.append(values_of(measure, self.top, [(grades, self.lists(topic)) for grades in every]))
        return columns

    def least_lead(self, measure: str, one: int, other: int) -> float:
        """Topics are judged independently of each other, so that the least of a mean is the mean of the least."""
        return float(np.mean([(of[one] - of[other]).min() for of in self.completed(measure)]))


def scored(runs: dict[str, dict[str, Ranking]]) -> dict[str, dict[str, dict[str, float]]]:
    return {
        name: {
            topic: {document: -float(place) for place, tied in enumerate(ranking) for document in tied}
            for topic, ranking in run.items()
        }
        for name, run in runs.items()
    }


def flat(ranking: Ranking) -> list[str]:
    return [document for tied in ranking for document in sorted(tied, reverse=True)]


def precision(found: list[int], k: int) -> float:
    return sum(grade > 0 for grade in found[:k]) / k


def average_precision(found: list[int], base: int) -> float:
    hits = [rank for rank, grade in enumerate(found, 1) if grade > 0]
    return sum(n / rank for n, rank in enumerate(hits, 1)) / base if base else 0.0


def dcg(found: list[int], k: int) -> float:
    return sum(max(grade, 0) / math.log2(rank + 1) for rank, grade in enumerate(found[:k], 1))


def ndcg(found: list[int], judged: list[int], k: int) -> float:
    ideal = dcg(sorted(judged, reverse=True), k)
    return dcg(found, k) / ideal if ideal else 0.0


BY_HAND: Final[dict[str, Callable[[list[int], list[int], int], float]]] = {
    "P@2": lambda found, judged, top: precision(found, 2),
    "RR": lambda found, judged, top: max([0.0] + [1 / rank for rank, grade in enumerate(found, 1) if grade > 0]),
    "AP": lambda found, judged, top: average_precision(found, sum(grade > 0 for grade in judged)),
    "RBP(p=0.5)": lambda found, judged, top: sum(max(g, 0) / top / 2**rank for rank, g in enumerate(found, 1)),
    "nDCG@2": lambda found, judged, top: ndcg(found, judged, 2),
    "R@2": lambda found, judged, top: (
        sum(grade > 0 for grade in found[:2]) / (sum(grade > 0 for grade in judged) or 1)
    ),
}  # fmt: skip
"""From the grades of a list, those of all judged documents, and the largest of all topics."""
OTHERS: Final = (
    "OIE",
    "ERRT",
    "NDCGT",
    "RBU(p=0.8)",
    "FlatUtility",
    "SetF",
    "ERR@2",
    "BalancePoint",
    "Twist@6",
    "ESL",
    "Bpref",
)


def values_of(
    measure: str, top: int, given: list[tuple[Grades, list[list[str] | None]]], missing: Missing = "zero"
) -> np.ndarray[Any, Any]:  # fmt: skip
    """Score the lists of all runs under several judgments: array of shape (runs, judgments), more being better."""
    if measure in BY_HAND:
        hand = BY_HAND[measure]
        return np.array(
            [
                [hand([grades.get(d, 0) for d in each or ()], [*grades.values()], top) for each in lists]
                for grades, lists in given
            ]
        ).T  # fmt: skip
    scale: dict[str, Grades] = {"scale": {"x": top}}  # the largest grade is that of all topics, and each run has a list
    runs: dict[str, dict[str, dict[str, float]]] = {f"{n}": {"scale": {"x": 0.0}} for n in range(len(given[0][1]))}
    for number, (_, lists) in enumerate(given):
        for run, each in enumerate(lists):
            if each is not None:
                runs[f"{run}"][f"{number}"] = {document: -float(rank) for rank, document in enumerate(each)}
    scores = cf.evaluate({f"{n}": each for n, (each, _) in enumerate(given)} | scale, runs, measure, missing=missing)
    way = 1 if scores.measures[0].higher_is_better else -1
    columns = [scores.topics.index(f"{n}") for n in range(len(given))]
    found: np.ndarray[Any, Any] = way * scores.values[0][:, columns]
    return found


Falsifier = Callable[[Case, dict[str, Any]], None]
FALSIFIERS: Final[dict[str, Falsifier]] = {}


def falsifies(name: str) -> Callable[[Falsifier], Falsifier]:
    def register(falsifier: Falsifier) -> Falsifier:
        FALSIFIERS[name] = falsifier
        return falsifier

    return register


def sign(difference: float) -> int:
    return 0 if abs(difference) < EQUAL else int(math.copysign(1, difference))


def leading(case: Case, measure: str | None = None) -> set[str]:
    """The runs that no other is ahead of."""
    means = case.means(measure or case.measures[0])
    return {name for name, mean in zip(case.names, means, strict=True) if sign(means.max() - mean) == 0}


def all_flips(differences: Any) -> float:
    """The share of all sign patterns of which the sum is as far from 0 as it was, the patterns grown one by one."""
    sums = np.zeros(1)
    for each in differences:
        sums = np.concatenate([sums + each, sums - each])
    return float((np.abs(sums) >= abs(sum(differences)) - 1e-9).mean())


def p_values(case: Case) -> dict[frozenset[str], float]:
    """By pair, of paired t-tests, or all sign flips where that is larger, with Holm's correction over all of them."""
    values = dict(zip(case.names, case.values(case.measures[0]), strict=True))
    pairs = [pair for pair in combinations(case.names, 2) if case.baseline is None or case.baseline in pair]
    raw = {}
    for one, other in pairs:
        difference = values[one] - values[other]
        if np.ptp(difference) < EQUAL:
            raw[frozenset((one, other))] = 0.0 if sign(difference[0]) else 1.0
        else:
            raw[frozenset((one, other))] = float(stats.ttest_1samp(difference, 0).pvalue)
        if len(difference) < 25:
            raw[frozenset((one, other))] = max(raw[frozenset((one, other))], all_flips(difference))
    adjusted, so_far = {}, 0.0
    for place, pair in enumerate(sorted(raw, key=lambda pair: raw[pair])):
        so_far = max(so_far, min(1.0, (len(raw) - place) * raw[pair]))
        adjusted[pair] = so_far
    return adjusted


def significant(case: Case) -> set[frozenset[str]]:
    return {pair for pair, p in p_values(case).items() if p <= 0.05}


@falsifies("leader")
def leader(case: Case, said: dict[str, Any]) -> None:
    assert leading(case) == {said["leader"]}
    means = dict(zip(case.names, case.means(case.measures[0]), strict=True))
    best = means.pop(said["leader"])
    assert abs(said["mean"]) == pytest.approx(abs(best))
    assert said["lead"] == pytest.approx(best - max(means.values()))
    assert set(said["second"]) == {name for name, mean in means.items() if not sign(max(means.values()) - mean)}


@falsifies("shared-lead")
def shared_lead(case: Case, said: dict[str, Any]) -> None:
    assert leading(case) == set(said["runs"])
    assert len(said["runs"]) > 1


@falsifies("alone")
def alone(case: Case, said: dict[str, Any]) -> None:
    assert case.names == [said["run"]]
    assert (abs(said["mean"]), said["topics"]) == (
        pytest.approx(abs(case.means(case.measures[0])[0])),
        len(case.topics),
    )


@falsifies("one-topic")
def one_topic(case: Case, said: dict[str, Any]) -> None:
    assert case.topics == [said["topic"]]


@falsifies("lead-significant")
def lead_significant(case: Case, said: dict[str, Any]) -> None:
    pair = frozenset((said["leader"], said["second"]))
    assert leading(case) == {said["leader"]}
    assert pair in significant(case)
    assert said["p"] == pytest.approx(p_values(case)[pair], abs=1e-6)


@falsifies("lead-not-significant")
def lead_not_significant(case: Case, said: dict[str, Any]) -> None:
    pair = frozenset((said["leader"], said["second"]))
    assert leading(case) == {said["leader"]}
    assert pair not in significant(case)
    assert said["p"] == pytest.approx(p_values(case)[pair], abs=1e-6)
    apart = [pair for pair in significant(case) if said["leader"] in pair]
    assert said["alike"] == len(case.names) - 1 - len(apart)


@falsifies("against-baseline")
def against_baseline(case: Case, said: dict[str, Any]) -> None:
    means = dict(zip(case.names, case.means(case.measures[0]), strict=True))
    others = [next(iter(pair - {case.baseline})) for pair in significant(case)]
    ahead = [sign(means[other] - means[str(case.baseline)]) for other in others]
    assert (said["better"], said["worse"]) == (ahead.count(1), ahead.count(-1))


@falsifies("overtaken")
def overtaken(case: Case, said: dict[str, Any]) -> None:
    place = case.names.index(said["leader"])
    least = [case.least_lead(case.measures[0], place, other) for other in range(len(case.names))]
    really = sum(sign(lead) < 0 for lead in least)
    furthest = least[case.names.index(said["furthest"])]
    assert 1 <= said["runs"] <= really
    assert said["lead"] <= -furthest + EQUAL
    if "at least" not in said["words"]:
        assert said["runs"] == really
        assert said["lead"] == pytest.approx(-min(least))


@falsifies("never-overtaken")
def never_overtaken(case: Case, said: dict[str, Any]) -> None:
    place = case.names.index(said["leader"])
    others = [other for other in range(len(case.names)) if other != place]
    least = min(case.least_lead(case.measures[0], place, other) for other in others)
    assert sign(least) >= 0
    assert said["least"] <= least + EQUAL


@falsifies("hangs-on-a-topic")
def hangs_on_a_topic(case: Case, said: dict[str, Any]) -> None:
    values = case.values(case.measures[0])
    place = case.names.index(said["leader"])
    assert leading(case) == {said["leader"]}
    left = {topic: np.delete(values, n, axis=1).mean(axis=1) for n, topic in enumerate(case.topics)}
    others = {topic: np.delete(means, place).max() - means[place] for topic, means in left.items()}
    passed = sum(sign(behind) > 0 for behind in others.values())
    assert ("shared" in said["words"]) == (passed == 0)
    assert said["topics"] == (passed or sum(sign(behind) == 0 for behind in others.values()))
    assert sign(left[said["topic"]][case.names.index(said["other"])] - left[said["topic"]].max()) == 0


@falsifies("falls-in-a-group")
def falls_in_a_group(case: Case, said: dict[str, Any]) -> None:
    """No group has a larger fall of the leader behind the other; its interval is scipy's."""
    assert case.groups is not None
    assert said["leader"] in leading(case)
    values = dict(zip(case.names, case.values(case.measures[0]), strict=True))
    behind = dict(zip(case.topics, values[said["other"]] - values[said["leader"]], strict=True))
    groups = {name: [behind[t] for t in case.topics if case.groups[t] == name] for name in case.groups.values()}
    fallen = groups[said["group"].removeprefix("group ")]
    assert said["fall"] == pytest.approx(np.mean(fallen))
    assert said["fall"] >= max([0.05, *(float(np.mean(each)) for each in groups.values())]) - EQUAL
    assert said["topics"] == len(fallen)
    assert ("low" in said) == (len(fallen) > 1)
    if len(set(fallen)) > 1:
        expected = stats.ttest_1samp(fallen, 0).confidence_interval()
        assert (said["low"], said["high"]) == pytest.approx((expected.low, expected.high))
    if case.baseline is not None and said["leader"] != case.baseline:
        assert said["other"] == case.baseline


@falsifies("neighbours")
def neighbours(case: Case, said: dict[str, Any]) -> None:
    """Runs that are equal may follow each other either way."""
    means = dict(zip(case.names, case.means(case.measures[0]), strict=True))
    apart = significant(case)
    assert said["share"] == pytest.approx(len(apart) / math.comb(len(case.names), 2))
    orders = (
        order
        for order in permutations(case.names)
        if not any(sign(means[b] - means[a]) > 0 for a, b in pairwise(order))
    )
    assert said["apart"] in {sum(frozenset(pair) in apart for pair in pairwise(order)) for order in orders}


def unjudged(case: Case, run: int) -> float:
    documents = [(t, d) for t in case.topics for d in (case.lists(t)[run] or [])[:10]]
    return sum(document not in case.qrels[topic] for topic, document in documents) / max(1, len(documents))


@falsifies("holes")
def holes(case: Case, said: dict[str, Any]) -> None:
    shares = [unjudged(case, run) for run in range(len(case.names))]
    assert said["share"] == pytest.approx(np.mean(shares))
    assert said["most"] == pytest.approx(max(shares))
    worst = {name for name, share in zip(case.names, shares, strict=True) if share == pytest.approx(max(shares))}
    assert set(said["worst"]) == worst


@falsifies("all-judged")
def all_judged(case: Case, said: dict[str, Any]) -> None:
    assert said["top"] == 10
    assert not any(unjudged(case, run) for run in range(len(case.names)))


@falsifies("complete")
def complete(case: Case, said: dict[str, Any]) -> None:
    assert "name relevant documents only" in said["words"]
    grades = [grade for grades in case.qrels.values() for grade in grades.values()]
    assert min(grades) > 0
    assert said["judgments"] == len(grades)


@falsifies("nothing-relevant")
def nothing_relevant(case: Case, said: dict[str, Any]) -> None:
    assert set(said["topics"]) == {topic for topic in case.topics if not case.relevant(topic)}
    assert said["count"] == len(said["topics"])
    values = case.values(case.measures[0])
    spread = {topic: float(np.ptp(values[:, case.topics.index(topic)])) for topic in said["topics"]}
    assert ("all runs are equal there" in said["words"]) == (len(case.names) > 1 and max(spread.values()) < EQUAL)
    if "differ there" in said["words"]:
        widest = {topic for topic in spread if spread[topic] > max(spread.values()) - EQUAL}
        assert set(said["widest"]) == widest
        assert ("most on" in said["words"]) == (widest != set(said["topics"]))


@falsifies("nothing-gained")
def nothing_gained(case: Case, said: dict[str, Any]) -> None:
    values = case.values(case.measures[0])
    nothing = [topic for n, topic in enumerate(case.topics) if case.relevant(topic) and not values[:, n].any()]
    assert sorted(said["topics"]) == sorted(nothing)


@falsifies("missing-topics")
def missing_topics(case: Case, said: dict[str, Any]) -> None:
    lacking = {name: sum(topic not in run for topic in case.topics) for name, run in case.runs.items()}
    assert said["runs"] == sum(map(bool, lacking.values()))
    assert said["missing"] == max(lacking.values())
    assert set(said["worst"]) == {name for name, many in lacking.items() if many == said["missing"]}


@falsifies("ties-decide")
def ties_decide(case: Case, said: dict[str, Any]) -> None:
    """Go through all orders of tied documents: of two runs they have nothing to do with each other."""

    def ends(name: str) -> tuple[float, float]:
        least, most = [], []
        for topic in case.topics:
            ranking = case.runs[name].get(topic)
            orders = (
                [[d for tied in each for d in tied] for each in product(*map(permutations, ranking))]
                if ranking is not None
                else [None]
            )
            of = values_of(case.measures[0], case.top, [(case.qrels[topic], [order]) for order in orders])
            least.append(of.min())
            most.append(of.max())
        return float(np.mean(least)), float(np.mean(most))

    assert ends(said["second"])[1] > ends(said["first"])[0] + EQUAL
    means = dict(zip(case.names, case.means(case.measures[0]), strict=True))
    assert means[said["first"]] > means[said["second"]]
    low, high = ends(said["widest"])
    assert sorted(map(abs, (said["low"], said["high"]))) == pytest.approx(sorted(map(abs, (low, high))))


@falsifies("same-rankings")
def same_rankings(case: Case, said: dict[str, Any]) -> None:
    found = [[name for name in case.names if alike(case, name, first)] for first in case.names]
    assert sorted(map(sorted, said["groups"])) == sorted(
        {tuple(names): sorted(names) for names in found if len(names) > 1}.values()
    )
    assert "qrels" in said["words"]


def alike(case: Case, one: str, other: str) -> bool:
    return all(case.lists(t)[case.names.index(one)] == case.lists(t)[case.names.index(other)] for t in case.topics)


@falsifies("another-leader")
def another_leader(case: Case, said: dict[str, Any]) -> None:
    means = {measure: dict(zip(case.names, case.means(measure), strict=True)) for measure in case.measures}
    ahead = [m for m in case.measures[1:] if sign(max(means[m].values()) - means[m][said["leader"]]) > 0]
    assert leading(case) == {said["leader"]}
    assert said["count"] == len(ahead)
    assert said["of"] == len(case.measures) - 1
    assert said["other"] in leading(case, said["measure"])
    assert said["measure"] in ahead


@falsifies("same-leader")
def same_leader(case: Case, said: dict[str, Any]) -> None:
    assert leading(case) == {said["leader"]}
    assert said["measures"] == list(case.measures[1:])
    assert all(said["leader"] in leading(case, measure) for measure in case.measures[1:])


@falsifies("another-order")
def another_order(case: Case, said: dict[str, Any]) -> None:
    """Kendall's τ_b by counting: pairs in the same order less those turned round, over those untied in each."""
    pairs = list(combinations(range(len(case.names)), 2))
    x, y = ([sign(means[i] - means[j]) for i, j in pairs] for means in map(case.means, case.measures[:2]))
    both = sum(a * b for a, b in zip(x, y, strict=True))
    untied = sum(map(abs, x)) * sum(map(abs, y))
    assert said["tau"] == (pytest.approx(both / math.sqrt(untied)) if untied else None)
    assert said["turned"] == sum(a * b < 0 for a, b in zip(x, y, strict=True))
    assert said["levelled"] == sum(a != b for a, b in zip(x, y, strict=True)) > 0
    assert ("different orders" in said["words"]) == (said["turned"] > 0)
    assert ("τ_b is" in said["words"]) == (untied > 0)


@falsifies("dominated")
def dominated(case: Case, said: dict[str, Any]) -> None:
    """Try measures of the class: all steps of weights and gains, of which the others are sums; and some of these."""
    grades = sorted({grade for of in case.qrels.values() for grade in of.values() if grade > 0})
    chance = Random(1)  # noqa: S311 - a sample
    steps = [
        ((1.0,) * k, {g: float(g >= level) for g in grades}) for k in range(1, 1 + len(DOCUMENTS)) for level in grades
    ]
    mixed = [
        (
            sorted((chance.random() for _ in DOCUMENTS), reverse=True),
            dict(zip(grades, sorted(chance.random() for _ in grades), strict=True)),
        )
        for _ in range(20)
    ]
    means = np.array([[mean_of_sums(case, run, *each) for run in range(len(case.names))] for each in [*steps, *mixed]])
    pairs = [means[:, i] - means[:, j] for i, j in combinations(range(len(case.names)), 2)]
    equal = sum(bool((np.abs(lead) < EQUAL).all()) for lead in pairs)
    settled = sum(bool((lead > -EQUAL).all() or (lead < EQUAL).all()) for lead in pairs)
    assert (said["settled"], said["equal"], said["pairs"]) == (settled - equal, equal, len(pairs))
    assert "not AP, RR, nDCG, ERR, Twist" in said["words"]


def mean_of_sums(case: Case, run: int, weights: Any, gains: dict[int, float]) -> float:
    return math.fsum(
        weight * gains.get(case.qrels[topic].get(document, 0), 0.0)
        for topic in case.topics
        for weight, document in zip(weights, case.lists(topic)[run] or (), strict=False)
    )


@falsifies("effort")
def effort(case: Case, said: dict[str, Any]) -> None:
    gain = dict(zip(case.names, case.means(case.measures[0]), strict=True))
    twist = next((measure for measure in case.measures if measure.startswith("Twist")), "Twist@100")
    ease = dict(zip(case.names, case.means(twist), strict=True))
    one, other = said["leader"], said["other"]
    assert one in leading(case)
    assert gain[other] > 0.95 * gain[one]
    assert (said["ease"], said["ease_of_leader"]) == pytest.approx((ease[other], ease[one]))
    assert abs(ease[other] - ease[one]) > 0.1
    assert ("much less" in said["words"]) == (ease[other] > ease[one])
    assert f"N = {twist.partition('@')[2]}" in said["words"]


@falsifies("too-long")
def too_long(case: Case, said: dict[str, Any]) -> None:
    """The best prefix by F, the harmonic mean of precision and recall of a set; the shortest of several."""

    def best(topic: str, ranking: list[str]) -> int:
        relevant = case.relevant(topic)
        found = [len(relevant & set(ranking[:n])) for n in range(len(ranking) + 1)]
        f = [2 * hits / (n + len(relevant)) if hits else 0.0 for n, hits in enumerate(found)]
        return next(n for n, value in enumerate(f) if value > max(f) - EQUAL)

    place = case.names.index(said["run"])
    lists = [(topic, ranking) for topic in case.topics if (ranking := case.lists(topic)[place])]
    assert said["run"] in leading(case)
    assert said["retrieved"] == median(len(ranking) for _, ranking in lists)
    assert said["best"] == median(best(topic, ranking) for topic, ranking in lists)


def judged_by_both(case: Case) -> dict[str, list[tuple[float, float]]]:
    """Grade and label of each document that has both, by topic."""
    assert case.labels is not None
    pairs = {
        topic: [(float(grade), case.labels[topic][d]) for d, grade in grades.items() if d in case.labels[topic]]
        for topic, grades in case.qrels.items()
    }
    return {topic: both for topic, both in pairs.items() if both}


def scale_of(case: Case) -> set[float]:
    """All grades of the qrels, and those from 0 to the largest."""
    given = {float(grade) for each in case.qrels.values() for grade in each.values()}
    return given | {float(grade) for grade in range(int(max(given)) + 1)}


def other_labels(case: Case) -> int:
    """How many labels of judged documents are no grades of the qrels."""
    grades = scale_of(case)
    return sum(label not in grades for both in judged_by_both(case).values() for _, label in both)


def over_topics(case: Case, said: dict[str, Any], name: str, statistic: Callable[[list[Any]], float]) -> None:
    """Hold a number against all that is judged, and its interval against what is left without each topic."""
    topics = [*judged_by_both(case).values()]
    assert said[name] == pytest.approx(statistic([pair for both in topics for pair in both]))
    assert ("low" in said) == (len(topics) > 1) == ("on topics like these" in said["words"])
    if len(topics) > 1:
        left = [statistic([p for k, both in enumerate(topics) if k != n for p in both]) for n in range(len(topics))]
        error = math.sqrt((len(left) - 1) / len(left) * sum((one - sum(left) / len(left)) ** 2 for one in left))
        half = stats.t.ppf(0.975, len(left) - 1) * error
        most = math.inf if name == "leniency" else 1.0  # kappa is from -1 to 1
        limits = max(said[name] - half, -most), min(said[name] + half, most)
        assert (said["low"], said["high"]) == pytest.approx(limits)


@falsifies("judge-labels")
def judge_labels(case: Case, said: dict[str, Any]) -> None:
    both = judged_by_both(case).values()
    assert said["missing"] == sum(map(len, case.qrels.values())) - sum(map(len, both))
    assert said["outside"] == other_labels(case)
    assert ("order of its labels alone" in said["words"]) == (said["outside"] > 0)  # one in a hundred, of some dozen
    assert said["judge"] == "judge"


@falsifies("judge-binary")
def judge_binary(case: Case, said: dict[str, Any]) -> None:
    pairs = [pair for both in judged_by_both(case).values() for pair in both]
    assert sorted({label for _, label in pairs}) == [said["lower"], said["higher"]]
    assert len({grade for grade, _ in pairs}) == said["grades"] > 2
    assert not other_labels(case)


@falsifies("judge-leniency")
def judge_leniency(case: Case, said: dict[str, Any]) -> None:
    pairs = [pair for both in judged_by_both(case).values() for pair in both]
    assert said["documents"] == len(pairs)
    shares = [sum(sign(label - grade) == way for grade, label in pairs) / len(pairs) for way in (0, 1, -1)]
    assert [said["same"], said["over"], said["under"]] == pytest.approx(shares)
    over_topics(case, said, "leniency", lambda some: sum(label - grade for grade, label in some) / len(some))
    way = {1: "above the mean", -1: "below the mean", 0: "as high as the mean"}[sign(said["leniency"])]
    assert way in said["words"]


@falsifies("judge-agreement")
def judge_agreement(case: Case, said: dict[str, Any]) -> None:
    def kappa(pairs: list[Any], apart: Callable[[float, float], float]) -> float:
        found = sum(apart(a, b) for a, b in pairs) / len(pairs)
        chance = sum(apart(a, b) for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
        return 1 - found / chance if chance else 1.0

    pairs = [pair for both in judged_by_both(case).values() for pair in both]
    assert said["kappa"] == pytest.approx(kappa(pairs, lambda a, b: float(a != b)))
    given = {grade for each in (case.qrels, case.labels or {}) for t in case.qrels for grade in each[t].values()}
    step = {grade: n for n, grade in enumerate(sorted(given))}
    over_topics(case, said, "weighted", lambda some: kappa(some, lambda a, b: abs(step[a] - step[b])))


@falsifies("judge-concordance")
def judge_concordance(case: Case, said: dict[str, Any]) -> None:
    shares = []
    for both in judged_by_both(case).values():
        order = [(sign((a - b) * (x - y)) + 1) / 2 for (a, x), (b, y) in combinations(both, 2) if a != b]
        shares += [sum(order) / len(order)] if order else []
    assert said["share"] == pytest.approx(np.mean(shares))
    assert ("low" in said) == (len(shares) > 1) == ("on topics like these" in said["words"])
    if len(shares) > 1:  # both ends, but for 0 and 1, are where Wilson's condition is an equality
        mean, t = float(np.mean(shares)), stats.t.ppf(0.975, len(shares) - 1)
        spread = np.var(shares, ddof=1) / (mean * (1 - mean)) if 0 < mean < 1 and np.ptp(shares) > EQUAL else 1.0
        for end in (said["low"], said["high"]):
            assert (mean - end) ** 2 == pytest.approx(t**2 * min(1.0, spread) * end * (1 - end) / len(shares), abs=1e-6)
        assert said["low"] <= mean <= said["high"]


@dataclass(frozen=True)
class ByBoth:
    """Runs, the last of them sorted by the labels, by the labels and by the qrels."""

    case: Case

    @property
    def lists(self) -> list[tuple[str, list[list[str] | None]]]:
        """By topic with both judgments, the lists of all runs and of the one that is sorted by the labels."""
        found = []
        for topic in judged_by_both(self.case):
            given = self.case.lists(topic)
            assert self.case.labels is not None
            own = {d: of for d, of in self.case.labels[topic].items() if d in self.case.qrels[topic]}
            count = {d: sum(d in (ranking or [])[:10] for ranking in given) for d in own}
            there = [d for d in own if count[d]]
            made = sorted(there, key=lambda d: (own[d], count[d], d), reverse=True)
            found.append((topic, [*given, made or None]))
        return found

    def values(self, who: str) -> np.ndarray[Any, Any]:
        """Array of shape (runs, topics), more being better."""
        assert self.case.labels is not None
        both = {
            topic: grades if who == "qrels" else {d: self.case.labels[topic][d] for d in grades if d in of}
            for topic, grades in self.case.qrels.items() if (of := self.case.labels[topic]) is not None
        }  # fmt: skip
        given: Any = [({d: int(g) for d, g in both[topic].items()}, lists) for topic, lists in self.lists]
        found = values_of(self.case.measures[0], self.case.top, given)
        found[-1] = values_of(self.case.measures[0], self.case.top, given, "empty")[
            -1
        ]  # where nobody has its documents
        return found

    @property
    def way(self) -> int:
        """1 where more of the measure is better."""
        measured = cf.evaluate({"1": {"a": 1}}, {"r": {"1": ["a"]}}, self.case.measures[0]).measures[0]
        return 1 if measured.higher_is_better else -1

    def means(self, who: str) -> dict[str, float]:
        """The means of the runs, more being better."""
        return dict(zip(self.case.names, self.values(who).mean(axis=1)[:-1].tolist(), strict=True))

    def favour(self, own: list[int], others: list[int]) -> tuple[float, float, float] | None:
        """What the labels give some rows more than others, beyond the qrels, with the t interval."""
        more = self.way * (self.values("judge") - self.values("qrels"))
        by_topic = more[own].mean(axis=0) - more[others].mean(axis=0)
        if len(by_topic) < 2:
            return None
        half = stats.t.ppf(0.975, len(by_topic) - 1) * by_topic.std(ddof=1) / math.sqrt(len(by_topic))
        return float(by_topic.mean()), float(by_topic.mean() - half), float(by_topic.mean() + half)


def number_of(means: dict[str, float], run: str) -> int:
    return 1 + sum(sign(mean - means[run]) > 0 for mean in means.values())


def first_of(means: dict[str, float]) -> set[str]:
    return {run for run in means if number_of(means, run) == 1}


@falsifies("judge-leader")
def judge_leader(case: Case, said: dict[str, Any]) -> None:
    by_judge, by_qrels = ByBoth(case).means("judge"), ByBoth(case).means("qrels")
    assert (set(said["theirs"]), set(said["ours"])) == (first_of(by_judge), first_of(by_qrels))
    lost = max(by_qrels.values()) - min(by_qrels[run] for run in said["theirs"])
    assert said["lost"] == pytest.approx(lost, abs=EQUAL)
    assert ("lack" in said["words"]) == (sign(lost) > 0)


@falsifies("judge-ties-all")
def judge_ties_all(case: Case, said: dict[str, Any]) -> None:
    assert said["runs"] == len(case.names) == len(first_of(ByBoth(case).means("judge"))) > 1


@falsifies("judge-order")
def judge_order(case: Case, said: dict[str, Any]) -> None:
    by_judge, by_qrels = ByBoth(case).means("judge"), ByBoth(case).means("qrels")
    pairs = [*combinations(case.names, 2)]
    one, other = ([sign(by[a] - by[b]) for a, b in pairs] for by in (by_judge, by_qrels))
    assert (said["runs"], said["topics"]) == (len(case.names), len(judged_by_both(case)))
    assert (said["by_judge"], said["by_qrels"]) == (one.count(0), other.count(0))
    untied = math.sqrt((len(pairs) - one.count(0)) * (len(pairs) - other.count(0)))
    assert said["tau"] == pytest.approx(sum(x * y for x, y in zip(one, other, strict=True)) / untied)


@falsifies("judge-swaps")
def judge_swaps(case: Case, said: dict[str, Any]) -> None:
    def tested(values: np.ndarray[Any, Any], a: int, b: int) -> int:
        difference = values[a] - values[b]
        apart = sign(difference.mean())
        if np.ptp(difference) < EQUAL:
            return apart
        return apart if stats.ttest_1samp(difference, 0).pvalue < 0.05 else 0

    by_judge, by_qrels = ByBoth(case).values("judge"), ByBoth(case).values("qrels")
    both = [(tested(by_qrels, *p), tested(by_judge, *p)) for p in combinations(range(len(case.names)), 2)]
    assert said["significant"] == sum(one != 0 for one, _ in both)
    assert said["swapped"] == sum(one * other < 0 for one, other in both)


def scores_by_both(case: Case, said: dict[str, Any]) -> None:
    for who, found in (("judge", ByBoth(case).means("judge")), ("qrels", ByBoth(case).means("qrels"))):
        assert abs(said[f"by_{who}"]) == pytest.approx(abs(found[said["run"]]))
        assert abs(said[f"mean_by_{who}"]) == pytest.approx(abs(np.mean([*found.values()])))
        assert said[f"place_by_{who}"] == number_of(found, said["run"])


@falsifies("judge-favours")
def judge_favours(case: Case, said: dict[str, Any]) -> None:
    by_judge, by_qrels = ByBoth(case).means("judge"), ByBoth(case).means("qrels")
    more = {run: by_judge[run] - by_qrels[run] for run in case.names}
    assert set(said["favoured"]) == first_of(more)
    assert said["run"] in said["favoured"]
    scores_by_both(case, said)


@falsifies("judge-circular-run")
def judge_circular_run(case: Case, said: dict[str, Any]) -> None:
    assert said["run"] == case.circular
    scores_by_both(case, said)


@falsifies("judge-sorts")
def judge_sorts(case: Case, said: dict[str, Any]) -> None:
    board, last = ByBoth(case), len(case.names)
    assert said["pool"] == 10  # more than any list has
    for who in ("judge", "qrels"):
        means = dict(enumerate(board.values(who).mean(axis=1).tolist()))
        assert abs(said[f"by_{who}"]) == pytest.approx(abs(means[last]))
        assert said[f"place_by_{who}"] == 1 + sum(sign(mean - means[last]) > 0 for mean in means.values())
    same_favour(said, board.favour([last], [*range(last)]))


@falsifies("judge-sorts-on-its-scale")
def judge_sorts_on_its_scale(case: Case, said: dict[str, Any]) -> None:
    means = ByBoth(case).values("qrels").mean(axis=1)
    assert other_labels(case) > 0
    assert abs(said["mean"]) == pytest.approx(abs(means[-1]))
    assert said["place"] == 1 + sum(sign(mean - means[-1]) > 0 for mean in means)
    assert said["pool"] == 10


@falsifies("judge-kinds")
def judge_kinds(case: Case, said: dict[str, Any]) -> None:
    assert case.kinds is not None
    board, kinds = ByBoth(case), case.kinds
    members = {kind: [n for n, name in enumerate(case.names) if kinds[name] == kind] for kind in kinds.values()}
    others = {kind: [n for n in range(len(case.names)) if n not in own] for kind, own in members.items()}
    more = board.values("judge") - board.values("qrels")
    favour = {kind: more[own].mean() - more[others[kind]].mean() for kind, own in members.items()}
    assert said["runs"] == len(members[said["kind"]])
    assert sign(favour[said["kind"]] - max(favour.values())) == 0
    for who in ("judge", "qrels"):
        assert abs(said[f"by_{who}"]) == pytest.approx(abs(board.values(who)[members[said["kind"]]].mean()))
    assert said["favour"] == pytest.approx(board.way * favour[said["kind"]])
    same_favour(said, board.favour(members[said["kind"]], others[said["kind"]]))


def same_favour(said: dict[str, Any], found: tuple[float, float, float] | None) -> None:
    assert ("low" in said) == (found is not None) == ("on topics like these" in said["words"])
    if found is not None:
        assert (said["favour"], said["low"], said["high"]) == pytest.approx(found, abs=EQUAL)


def random_judge(seed: int, case: Case) -> Case:
    """Put a cheap judge beside each fifth collection: who lacks labels, errs at random, or has a scale of its own."""
    chance = Random(f"judge {seed}")  # noqa: S311
    if seed % 5:
        return case
    grades = sorted(scale_of(case))
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
        FALSIFIERS[each.name](case, {**said.numbers, "words": said.words})
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
            assert any(refused(FALSIFIERS[each.name], case, other) for other in wrong(numbers)), each.name
            tried.add(each.name)
    assert len(tried) >= len(FALSIFIERS) - 3


def test_what_a_review_says_could_change() -> None:
    """Pairs that keep their order do so by all grades of what is open, and pairs that could be turned by some."""
    known = 0
    for case in map(random_case, range(SAMPLE)):
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
    assert said.words.endswith(f"by {measure} the runs differ there nevertheless.")
    assert told("nothing-relevant", Case(qrels, runs, ("P@1",))).words.endswith("by P@1 all runs are equal there.")


def test_runs_that_differ_elsewhere_are_alike_on_the_topics_of_the_qrels() -> None:
    runs: dict[str, dict[str, Ranking]] = {"one": {"1": ("a",), "9": ("a",)}, "other": {"1": ("a",), "9": ("b",)}}
    assert told("same-rankings", Case({"1": {"a": 1}}, runs, ("P@1",))).words == (
        "one and other rank the same documents alike on every topic of the qrels (1)."
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
    assert said.words.startswith("P@1 and R@2 tie different runs, in 1 of 3 pairs, but none stands the other way round")


WIDE: Final = re.compile(
    r"(?i)whatever|does not depend|no run can|every measure|other topics|topics like|no choice of|all grades|any grade"
    r"|any weights"
)
"""Words that claim something of all grades, measures or topics."""
SURE: Final = re.compile(r"cannot|for certain|is certain to")
"""Words that do so where a sentence tells what was found."""
SAYING: Final = frozenset(
    path
    for pattern in ("reports/**/*.py", "plots/dominance.py", "plots/certificate.py", "plots/learning_curve.py",
                    "pairs/overtaking.py", "comparison/gating.py", "selection/stop_rules.py", "selection/clicks.py",
                    "selection/status.py")
    for path in Path(cf.__file__).parent.glob(pattern)
)  # fmt: skip
ELSEWHERE: Final = {
    "conventions/tools.py": "whatever tool",  # what other programs do
    "judged/audit.py": "level above all grades",  # a number beside it says which
    "measures/framework/guide.py": "whatever was not",  # an answer of the reader's
    "measures/framework/declaration.py": "whatever its order",  # a question
    "plots/interval_width.py": "for topics like these",  # which of two intervals is drawn
    "plumbing/scope.py": "",  # where the words are at home
    "reproductions/relative_position.py": "all grades",  # what is told apart, not what is claimed
}
"""Where such words claim nothing of runs."""
SOURCE: Final = Path(cf.__file__).parent


@each_of("path", sorted(SOURCE.rglob("*.py"), key=lambda path: (path not in SAYING, path)))
def test_words_that_claim_much_come_from_a_scope(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if not (WIDE.search(text) or SURE.search(text)):
        return
    tree = ast.parse(text)
    exempt = ELSEWHERE.get(path.relative_to(SOURCE).as_posix(), "no words are exempt here")
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    about = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    about |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    about |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.Raise) for part in ast.walk(node)}
    within = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if id(node) in about | within or not isinstance(node, ast.JoinedStr | ast.Constant):
            continue
        words = ast.unparse(node) if isinstance(node, ast.JoinedStr) else str(node.value)
        wide = WIDE.search(words) or (path in SAYING and SURE.search(words))
        assert not wide or re.search(r"scope|AT_WORST", words, re.IGNORECASE) or exempt in words, words

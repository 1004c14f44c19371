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
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations, product
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final

import numpy as np
import pytest
from scipy import stats
from tools.each import each_of

import cranfield as cf
from cranfield.reports.evidence import Evidence
from cranfield.reports.reporting import evidence_of
from cranfield.reports.reviewing import review_of
from cranfield.reports.sentence import SENTENCES, Said, all_sentences, said_of

Grades = dict[str, int]
Ranking = tuple[str, ...]
"""Documents from the top, those of the same score as one word: ``("a", "bc")``."""
EQUAL: Final = 1e-9
DOCUMENTS: Final = "abcdef"
SAMPLE, MANY = 40, 600


@dataclass(frozen=True)
class Case:
    """A collection: judgments and rankings by topic, measures, and a baseline, if there is one."""

    qrels: dict[str, Grades]
    runs: dict[str, dict[str, Ranking]]
    measures: tuple[str, ...]
    baseline: str | None = None

    @property
    def evidence(self) -> Evidence:
        return evidence_of(self.qrels, scored(self.runs), self.measures, self.baseline, 7)

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
    measure: str, top: int, given: list[tuple[Grades, list[list[str] | None]]]
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
    scores = cf.evaluate({f"{n}": grades for n, (grades, _) in enumerate(given)} | scale, runs, measure)
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


def p_values(case: Case) -> dict[frozenset[str], float]:
    """By pair, of paired t-tests with Holm's correction over all that are tested."""
    values = dict(zip(case.names, case.values(case.measures[0]), strict=True))
    pairs = [pair for pair in combinations(case.names, 2) if case.baseline is None or case.baseline in pair]
    raw = {}
    for one, other in pairs:
        difference = values[one] - values[other]
        if np.ptp(difference) < EQUAL:
            raw[frozenset((one, other))] = 0.0 if sign(difference[0]) else 1.0
        else:
            raw[frozenset((one, other))] = float(stats.ttest_1samp(difference, 0).pvalue)
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


@falsifies("few-topics")
def few_topics(case: Case, said: dict[str, Any]) -> None:
    """Draw what is true from what is left open, and as many topics again, one by one; test all of them together."""
    values = dict(zip(case.names, case.values(case.measures[0]), strict=True))
    difference = values[said["leader"]] - values[said["second"]]
    n, chance = len(difference), np.random.default_rng(1)
    spread = np.sqrt(difference.var(ddof=1) * (n - 1) / chance.chisquare(n - 1, 5000))[:, np.newaxis]
    true = difference.mean() + spread / math.sqrt(n) * chance.standard_normal((5000, 1))
    topics = np.hstack([np.tile(difference, (5000, 1)), true + spread * chance.standard_normal((5000, n))])
    tested = stats.ttest_1samp(topics, 0, axis=1)
    found = tested.pvalue <= said["alpha"]
    assert said["topics"] == n
    assert said["chance"] == pytest.approx(found.mean(), abs=0.04)
    assert said["ahead"] == pytest.approx((found & (tested.statistic > 0)).mean(), abs=0.04)


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
    assert said["most"] == pytest.approx(max(shares)) == pytest.approx(shares[case.names.index(said["worst"])])


@falsifies("all-judged")
def all_judged(case: Case, said: dict[str, Any]) -> None:
    assert said["top"] == 10
    assert not any(unjudged(case, run) for run in range(len(case.names)))


@falsifies("nothing-relevant")
def nothing_relevant(case: Case, said: dict[str, Any]) -> None:
    assert set(said["topics"]) == {topic for topic in case.topics if not case.relevant(topic)}
    assert said["count"] == len(said["topics"])
    values = case.values(case.measures[0])
    spread = {topic: float(np.ptp(values[:, case.topics.index(topic)])) for topic in said["topics"]}
    assert ("all runs are equal there" in said["words"]) == (len(case.names) > 1 and max(spread.values()) < EQUAL)
    if "differ there" in said["words"]:
        assert spread[said["widest"]] == max(spread.values())


@falsifies("nothing-gained")
def nothing_gained(case: Case, said: dict[str, Any]) -> None:
    values = case.values(case.measures[0])
    nothing = [topic for n, topic in enumerate(case.topics) if case.relevant(topic) and not values[:, n].any()]
    assert sorted(said["topics"]) == sorted(nothing)


@falsifies("missing-topics")
def missing_topics(case: Case, said: dict[str, Any]) -> None:
    lacking = {name: sum(topic not in run for topic in case.topics) for name, run in case.runs.items()}
    assert said["runs"] == sum(map(bool, lacking.values()))
    assert said["missing"] == lacking[said["worst"]] == max(lacking.values())


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


def random_case(seed: int) -> Case:
    """Make a small collection, with what makes sentences wrong: ties, twins, missing topics, negative grades."""
    chance = Random(seed)  # noqa: S311 - a sample
    topics = [f"t{n}" for n in range(1, chance.choice([1, 2, 3, 3, 4, 7]) + 1)]
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
    measures = chance.sample([*BY_HAND, *BY_HAND, *OTHERS], 3)
    baseline = chance.choice(list(runs)) if len(runs) > 1 and chance.random() < 0.15 else None
    return Case(qrels, runs, tuple(dict.fromkeys(measures)), baseline)


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
    assert said.words.endswith(f"by {measure} the runs differ there nevertheless, most on none.")
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
    assert found.scores.caption() == "Averages over the topics that a run has, 2 of 3 topics."
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
    "measures/framework/overview.py": "whatever its order",  # a question
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

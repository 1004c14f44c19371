"""Each sentence of the report is held against small collections that are enumerated, by code that is not the report's.

A falsifier takes a sentence as it was said, and the collection that it was said of, and looks for
what would make it wrong: every set of grades of the unjudged documents, every order of tied ones,
every prefix, every measure of a class. Values of P, RR, AP, RBP, nDCG and recall are computed here,
of other measures by `evaluate`; nothing is taken from `pairs`, `comparison` or `lists`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise, permutations, product
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.plumbing.options import Missing
from cranfield.reports.facts import Evidence
from cranfield.reports.reporting import evidence_of
from cranfield.scoring.grouping import TopicGroups

Grades = dict[str, int]
Ranking = tuple[str, ...]
"""Documents from the top, those of the same score as one word: ``("a", "bc")``."""
EQUAL: Final = 1e-9
DOCUMENTS: Final = "abcdef"


@dataclass(frozen=True, eq=False)
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
    left_out: dict[str, dict[str, Ranking]] = field(default_factory=dict)

    @cached_property
    def ran(self) -> Case:
        """The same without runs that lack half of the topics that some run has, or more, unless all do."""
        asked = {topic for run in self.runs.values() for topic in run if topic in self.qrels}
        gone = {
            name: run for name, run in self.runs.items() if len(asked) and 2 * len(asked - run.keys()) >= len(asked)
        }
        if not gone or len(gone) == len(self.runs):
            return self
        runs = {name: run for name, run in self.runs.items() if name not in gone}
        baseline, circular = (name if name in runs else None for name in (self.baseline, self.circular))
        return replace(self, runs=runs, left_out=gone, baseline=baseline, circular=circular)

    @cached_property
    def evidence(self) -> Evidence:
        """What a report knows of it."""
        found = self._evidence
        return found if self.groups is None else replace(found, groups=TopicGroups.taken(self.groups))

    @property
    def _evidence(self) -> Evidence:
        asked = (self.qrels, scored(self.runs), self.measures, self.ran.baseline, 7)  # one that did not run is refused
        if self.labels is None:
            return evidence_of(*asked)
        with TemporaryDirectory() as folder:
            rows = [f"{t} 0 {d} {label}\n" for t, of in self.labels.items() for d, label in of.items()]
            (cheap := Path(folder, "judge.txt")).write_text("".join(rows))
            kinds = None if self.kinds is None else Path(folder, "kinds.txt")
            if kinds is not None and self.kinds is not None:
                kinds.write_text("".join(f"{run} {kind}\n" for run, kind in self.kinds.items()))
            found = evidence_of(*asked, cheap=cheap, kinds=kinds, circular=self.circular)
            assert found.ran.judge is not None  # read while the files are there
            return found

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

    @cached_property
    def _known(self) -> dict[str, np.ndarray[Any, Any]]:
        return {}

    def values(self, measure: str) -> np.ndarray[Any, Any]:
        """Array of shape (runs, topics), more being better."""
        if measure not in self._known:
            given = [(self.qrels[topic], self.lists(topic)) for topic in self.topics]
            self._known[measure] = values_of(measure, self.top, given)
            self._known[measure].setflags(write=False)
        return self._known[measure]

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
        found |= {document for run in self.left_out.values() for tied in run.get(topic, ()) for document in tied}
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
    if "or more" not in said["words"]:
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
    assert ("would tie" in said["words"]) == (passed == 0)
    if passed:
        assert said["lead"] > 0
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
    equal = len(case.names) > 1 and max(spread.values()) < EQUAL
    assert ("all runs are equal there" in said["words"]) == (equal and said["count"] < len(case.topics))
    assert ("None of" in said["words"]) == (max(spread.values()) < EQUAL and said["count"] == len(case.topics))
    if "differ there" in said["words"]:
        widest = {topic for topic in spread if spread[topic] > max(spread.values()) - EQUAL}
        assert set(said["widest"]) == widest
        assert ("most on" in said["words"]) == (widest != set(said["topics"]))


@falsifies("nothing-gained")
def nothing_gained(case: Case, said: dict[str, Any]) -> None:
    values = case.values(case.measures[0])
    nothing = [topic for n, topic in enumerate(case.topics) if case.relevant(topic) and not values[:, n].any()]
    assert sorted(said["topics"]) == sorted(nothing)


@falsifies("did-not-run")
def did_not_run(case: Case, said: dict[str, Any]) -> None:
    lacking = {name: sum(topic not in run for topic in case.topics) for name, run in case.left_out.items()}
    nowhere = sum(not any(topic in run for run in (case.runs | case.left_out).values()) for topic in case.topics)
    assert said["count"] == len(lacking) > 0
    assert said["missing"] == lacking[said["run"]] - nowhere
    assert [each.partition(" ")[0] for each in said["each"]] == [*lacking]


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
    assert ("disagree on the order" in said["words"]) == (said["turned"] > 0)
    assert ("τ_b" in said["words"]) == (untied > 0)


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
    if len(pairs) == 1 and said["settled"]:
        first, other = ([*case.names].index(said[which]) for which in ("first", "other"))
        assert (means[:, first] - means[:, other] > -EQUAL).all()
        assert said["words"].startswith(f"{said['first']} is at least as good as {said['other']} by every")


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

"""Falsifiers of what the report says of a cheap judge: its labels, the measures that it turns, the runs it favours."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from falsifiers import EQUAL, Case, falsifies, sign, values_of
from scipy import stats

import cranfield as cf


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
    assert ("only the order of its labels" in said["words"]) == (said["outside"] > 0)  # one in a hundred, of some dozen
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
    assert ("behind" in said["words"]) == (sign(lost) > 0)


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
    same_favour(said, board.favour([last], [run for run in range(last) if case.names[run] != case.circular]))


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

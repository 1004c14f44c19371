"""The referee, tried with tables that a plain evaluator made: by forty ways, by none, and by chance."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from math import floor, log, log2
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from tools.each import each_of

from cranfield.compat.reconciling import Reconciled, reconcile

# A plain evaluator, of which nothing is cranfield's. A way is a dict of what is unusual about it.

Lines: TypeAlias = dict[str, list[tuple[str, float]]]
Grades: TypeAlias = dict[str, dict[str, int]]
How: TypeAlias = Mapping[str, Any]


def qrels_of(path: Path) -> Grades:
    found: Grades = {}
    for line in path.read_text().splitlines():
        topic, _, document, grade = line.split()
        found.setdefault(topic, {})[document] = int(grade)
    return found


def run_of(path: Path, depth: int) -> Lines:
    """Read a run, the lines in their order; of each topic the first so many."""
    found: Lines = {}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            topic, _, document, _, score, *_ = line.split()
            of = found.setdefault(topic, [])
            if len(of) < depth:
                of.append((document, float(score)))
    return found


def ranked(lines: Sequence[tuple[str, float]], ties: str) -> list[str]:
    if ties == "file":
        return [document for document, _ in lines]
    if ties == "as given":
        return [document for document, _ in sorted(lines, key=lambda line: -line[1])]
    by_id = sorted(lines, key=lambda line: line[0].encode(), reverse=ties == "last id")
    return [document for document, _ in sorted(by_id, key=lambda line: -line[1])]


def gained(grades: Sequence[float], how: How) -> float:
    total = 0.0
    for rank, grade in enumerate(grades, 1):
        gain = 2.0**grade - 1 if how.get("gain") == "exponential" else grade
        discounts = {"log2": log2(rank + 1), "from 2": max(1, log2(rank)), "ln": log(rank + 1), "root": rank**0.5}
        total += gain / discounts[how.get("discount", "log2")]
    return total


def ndcg(found: Sequence[float], judged: Sequence[float], k: int, how: How) -> float:
    level = how.get("graded level", 1)
    found, judged = ([grade if grade >= level else 0 for grade in of] for of in (found, judged))
    kind = how.get("ideal", "judged")
    best = sorted({"retrieved": found, "first": found[:k]}.get(kind, judged), reverse=True)
    best = best if kind == "uncut" else [best[0]] * k if kind == "full" and best else best[:k]
    ideal = gained(best, how)
    return gained(found[:k], how) / ideal if ideal else 0.0


def of_topic(name: str, k: int | None, found: Sequence[float], judged: Sequence[float], how: How) -> float:
    k = None if k is None else k + how.get("off", 0)
    if name == "nDCG":
        return ndcg(found, judged, k or len(found), how)
    if name == "DCG":
        level = how.get("graded level", 1)
        return gained([grade if grade >= level else 0 for grade in found][:k], how)
    level = how.get("level", 1)
    hits = [grade >= level for grade in found]
    relevant = sum(grade >= level for grade in judged)
    first = hits[:k]
    if name == "P":
        return sum(first) / (max(1, len(first)) if how.get("divisor") == "length" else k or 1)
    divisors = {"all": relevant, "k": min(relevant, k or relevant), "found": sum(first if name == "AP" else hits)}
    base = divisors[how.get("divisor", "all")] or 1
    if name == "R":
        return sum(first) / base
    if name == "RR":
        return next((1 / rank for rank, hit in enumerate(first, 1) if hit), 0.0)
    total, seen = 0.0, 0
    for rank, hit in enumerate(first, 1):
        seen += hit
        total += hit * seen / rank
    return total / base


def by_topic(run: Lines, qrels: Grades, measure: str, how: How) -> dict[str, float]:
    name, _, cut = measure.partition("@")
    values = {}
    for topic, grades in qrels.items():
        documents = ranked(run.get(topic, []), how.get("ties", "last id"))
        if how.get("judged only"):
            documents = [document for document in documents if document in grades]
        found = [max(0, grades.get(document, 0)) for document in documents]
        values[topic] = of_topic(name, int(cut) if cut else None, found, [max(0, g) for g in grades.values()], how)
    return values


def mean(run: Lines, qrels: Grades, measure: str, how: How) -> float:
    values = by_topic(run, qrels, measure, how)
    level = how.get("level", 1)
    over = {
        "all": list(qrels),
        "shared": [topic for topic in qrels if topic in run],
        "answered": [topic for topic in qrels if any(grade >= level for grade in qrels[topic].values())],
        "above 0": [topic for topic in qrels if values[topic] > 0],
    }[how.get("topics", "all")]
    return sum(values[topic] for topic in over) / (len(over) or 1)


def printed(value: float, how: How) -> str:
    digits = how.get("digits", 4)
    if how.get("percent"):
        return f"{100 * value:.{digits - 2}f}"
    return (
        f"{floor(value * 10**digits + 1e-9) / 10**digits:.{digits}f}" if how.get("cut off") else f"{value:.{digits}f}"
    )


OF_NDCG, OF_AP, OF_P, OF_R, OF_RR = "nDCG@10", "AP", "P@10", "R@50", "RR@10"
TABLE: Final = (OF_NDCG, OF_AP, OF_P)

SINGLE: Final[list[tuple[How, dict[str, str]]]] = [
    ({}, {}),
    ({"gain": "exponential"}, {OF_NDCG: "gain 2^grade - 1"}),
    ({"discount": "from 2"}, {OF_NDCG: "discounted by log2(rank) from rank 2"}),
    ({"ideal": "retrieved"}, {OF_NDCG: "ideal list of the retrieved documents"}),
    ({"ideal": "first"}, {OF_NDCG: "ideal list of the first 10 retrieved"}),
    ({"ideal": "uncut"}, {OF_NDCG: "ideal list not cut at 10"}),
    ({"ideal": "full"}, {OF_NDCG: "ideal list of 10 documents of the best grade"}),
    ({"graded level": 2}, {OF_NDCG: "grades below 2 count 0"}),
    ({"graded level": 3}, {OF_NDCG: "grades below 3 count 0"}),
    ({"off": 1}, {OF_NDCG: "cut at 11", OF_P: "cut at 11"}),
    ({"off": -1}, {OF_NDCG: "cut at 9", OF_P: "cut at 9"}),
    ({"divisor": "found"}, {OF_AP: "divided by the relevant documents retrieved"}),
    ({"level": 2}, {OF_AP: "relevant from grade 2", OF_P: "relevant from grade 2"}),
    ({"level": 3}, {OF_AP: "relevant from grade 3", OF_P: "relevant from grade 3"}),
    ({"judged only": True}, {OF_NDCG: "unjudged documents removed"}),
    ({"ties": "first id"}, {OF_NDCG: "the first in byte order first"}),
    ({"topics": "shared"}, {OF_NDCG: "over the topics that the run has"}),
    ({"topics": "answered"}, {OF_NDCG: "over the topics with a relevant document"}),
    ({"cut off": True}, {OF_NDCG: "digits cut off"}),
    ({"percent": True}, {}),
]
"""What is unusual, and what the referee has to say of a measure."""
PAIRS: Final = [
    (1, 12), (1, 14), (1, 7), (2, 14), (3, 12), (4, 14), (5, 18), (6, 16), (7, 12), (7, 9),
    (9, 14), (10, 12), (11, 12), (11, 16), (12, 14), (12, 19), (14, 15), (15, 16), (16, 18), (1, 15),
]  # fmt: skip


def forty() -> list[tuple[dict[str, Any], dict[str, list[str]]]]:
    """Give each way with what has to be said of each measure."""
    made: list[tuple[dict[str, Any], dict[str, list[str]]]] = []
    for places in [*((place,) for place in range(len(SINGLE))), *PAIRS]:
        how: dict[str, Any] = {}
        says: dict[str, list[str]] = {}
        for place in places:
            how |= SINGLE[place][0]
            for name, words in SINGLE[place][1].items():
                says.setdefault(name, []).append(words)
        made.append((how, says))
    return made


def collection(data: Path) -> tuple[Grades, dict[str, Lines]]:
    """Return DL 2019 with two runs, cut at 100, some scores tied, and a topic that is missing and two without answer."""
    folder = data / "dl19-passage"
    qrels = qrels_of(folder / "qrels.txt")
    topics = list(qrels)
    for topic in (topics[3], topics[7]):
        qrels[topic] = dict.fromkeys(qrels[topic], 0)
    files = {file.name.split(".")[0]: file for file in sorted((folder / "runs").iterdir())}
    runs = {name: run_of(files[name], 100) for name in ("bm25base_p", "idst_bert_p1")}
    for run in runs.values():
        del run[topics[5]]
        for topic, lines in run.items():  # in pairs of the same score, as quantised models have them
            run[topic] = [(document, lines[at - at % 2][1]) for at, (document, _) in enumerate(lines)]
    return qrels, runs


def told(found: Reconciled, says: dict[str, list[str]]) -> bool:
    """Tell whether one of the ways has everything that was to be said; of a measure that is as usual, nothing else."""
    for (_,), of in found.rows.group_by("way"):
        said = {row["measure"]: f"{row['variant']}; {row['says']}" for row in of.iter_rows(named=True)}
        if all(words in said[name] for name, parts in says.items() for words in parts):
            return True
    return False


def asked(qrels: Grades, runs: dict[str, Lines], how: How, names: tuple[str, ...] = TABLE) -> Reconciled:
    given = {(run, name, "all"): printed(mean(of, qrels, name, how), how) for run, of in runs.items() for name in names}
    return reconcile(given, qrels, {run: {t: dict(lines) for t, lines in of.items()} for run, of in runs.items()})


def verdict(found: Reconciled, says: dict[str, list[str]]) -> str:
    return "none" if not found.ways else "right" if told(found, says) else "wrong"


@each_of("place", [0, 7, 12, 23, 34])
def test_some_of_forty_ways_are_named(place: int, data: Path) -> None:
    how, says = forty()[place]
    found = asked(*collection(data), how)
    assert verdict(found, says) == "right", (how, found.table(), found.caption())
    assert found.chance < 0.001


@pytest.mark.slow
def test_forty_ways_are_named(data: Path) -> None:
    """docs/reconciling.md has the counts."""
    qrels, runs = collection(data)
    found = [(how, says, asked(qrels, runs, how)) for how, says in forty()]
    counts = Counter(verdict(each, says) for _, says, each in found)
    assert counts == {"right": 40}, [
        (how, each.caption()) for how, says, each in found if verdict(each, says) != "right"
    ]


def no_ways(qrels: Grades, runs: dict[str, Lines], chance: random.Random) -> list[dict[tuple[str, str, str], str]]:
    """Make twenty tables that no way makes: ten of numbers near the true ones, ten computed otherwise."""
    true = {(run, name, "all"): mean(of, qrels, name, {}) for run, of in runs.items() for name in TABLE}
    tables = [
        {key: f"{value + chance.uniform(-d, d):.4f}" for key, value in true.items()}
        for d in (0.001, 0.003, 0.01, 0.03, 0.1)
        for _ in range(2)
    ]
    for number in range(10):
        mine, others = runs, dict(qrels)
        how: dict[str, Any] = {}
        if number < 3:  # another judgment here and there
            others = {
                t: {d: chance.choice((0, 1, 2, 3)) if chance.random() < 0.02 else g for d, g in of.items()}
                for t, of in qrels.items()
            }
        elif number < 6:  # other runs: a neighbouring pair exchanged here and there
            mine = {run: {t: shaken(lines, chance) for t, lines in of.items()} for run, of in runs.items()}
        elif number < 8:
            how = ({"discount": "root"}, {"discount": "root", "ideal": "full", "level": 2})[number - 6]
        else:  # the middle of the topics' values, or their product's root
            tables.append(
                {key: f"{middle(by_topic(runs[key[0]], qrels, key[1], {}), number == 8):.4f}" for key in true}
            )
            continue
        tables.append({(run, name, "all"): f"{mean(mine[run], others, name, how):.4f}" for run, name, _ in true})
    return tables


def shaken(lines: list[tuple[str, float]], chance: random.Random) -> list[tuple[str, float]]:
    documents = [document for document, _ in lines]
    for at in range(len(documents) - 1):
        if chance.random() < 0.05:
            documents[at : at + 2] = documents[at + 1], documents[at]
    return [(document, -float(at)) for at, document in enumerate(documents)]


def middle(values: dict[str, float], median: bool) -> float:
    ordered = sorted(values.values())
    product = 1.0
    for value in ordered:
        product *= max(value, 1e-5) ** (1 / len(ordered))
    return ordered[len(ordered) // 2] if median else product


@pytest.mark.slow
def test_what_no_way_makes_is_explained_by_none(data: Path) -> None:
    """docs/reconciling.md has the counts: whole tables, and each of their numbers alone."""
    qrels, runs = collection(data)
    as_dicts = {run: {t: dict(lines) for t, lines in of.items()} for run, of in runs.items()}
    tables = no_ways(qrels, runs, random.Random(11))  # noqa: S311
    found = [reconcile(table, qrels, as_dicts) for table in tables]
    assert len(found) == 20
    assert [each.caption() for each in found if each.ways] == []
    alone = [reconcile({key: text}, qrels, as_dicts) for table in tables[:4] for key, text in islice(table.items(), 3)]
    assert not [each.caption() for each in alone if each.ways and each.chance < 0.01]

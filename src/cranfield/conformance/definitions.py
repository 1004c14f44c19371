"""The measures as loops, written from their definitions: slow, and independent of the code that they may judge.

How a value comes about is a mapping from a question (``"ties"``) to one of its choices (``"last-id"``); `choices` lists
and explains all of them, the mistakes among them. Every function here takes it as ``how``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations, product
from math import inf, log, log2, nan
from statistics import fmean
from struct import pack, unpack
from typing import Final, TypeAlias

How: TypeAlias = Mapping[str, str]
Grades: TypeAlias = Sequence[float | None]
"""The grade at each rank; None where the document is unjudged."""
QrelsRows: TypeAlias = Sequence[tuple[str, str, float]]
RunRows: TypeAlias = Sequence[tuple[str, str, float]]


@dataclass(frozen=True, eq=False)
class SuiteCollection:
    """Judgments, a run and excluded documents, as rows."""

    qrels: QrelsRows  # Topic, document, grade
    run: RunRows  # Topic, document, score, in the order of the input
    excluded: Sequence[tuple[str, str]] = ()
    """Topic and document: what does not count for a topic, because its query was made from it, say."""


# From rows to ranked lists.


def by_topic(rows: Iterable[tuple[str, str, float]]) -> dict[str, list[tuple[str, float]]]:
    """Return documents and their numbers by topic, in the order of the rows."""
    found: dict[str, list[tuple[str, float]]] = {}
    for topic, document, number in rows:
        found.setdefault(topic, []).append((document, number))
    return found


def narrowed(score: float) -> float:
    """Round a score to 32 bits; what is too large becomes infinite."""
    try:
        return float(unpack("f", pack("f", score))[0])
    except OverflowError:
        return inf if score > 0 else -inf


def kept(topic: str, lines: Iterable[tuple[str, float]], how: How) -> list[tuple[str, float]] | None:
    """Return the lines of a list that count; None where it is refused, for a document stands in it twice."""
    lines = [(document, score) for document, score in lines if how["own"] == "kept" or document != topic]
    if how["scores"] == "positive":
        lines = [(document, score) for document, score in lines if score > 0]
    if how["duplicates"] == "twice" or len({document for document, _ in lines}) == len(lines):
        return lines
    if how["duplicates"] == "refused":
        return None
    found: dict[str, float] = {}
    for document, score in lines:
        if how["duplicates"] == "last" or document not in found:
            found[document] = score
    return list(found.items())


def appended(lines: list[tuple[str, float]], judged: Iterable[str]) -> list[tuple[str, float]]:
    """Return the lines, and behind them the judged documents that are not in them, tied."""
    least = min((score for _, score in lines), default=0) - 1
    there = {document for document, _ in lines}
    return [*lines, *((document, least) for document in judged if document not in there)]


def rankings(lines: Sequence[tuple[str, float]], grades: Mapping[str, float], how: How) -> Iterator[list[str]]:
    """Give the ranked list, or each that there could be where values are averaged over the orders of ties."""
    ties = how["ties"]
    scored = [(document, narrowed(score) if how["scores"] == "32" else score) for document, score in lines]
    if ties == "file":
        yield [document for document, _ in (scored[::-1] if how["direction"] == "low" else scored)]
        return
    groups = [
        [document for document, _ in group]
        for _, group in groupby(sorted(scored, key=lambda line: -line[1]), key=lambda line: line[1])
    ]
    if how["direction"] == "low":
        groups.reverse()
    for orders in product(*(_orders(group, grades, ties) for group in groups)):
        yield [document for order in orders for document in order]


def _orders(tied: list[str], grades: Mapping[str, float], ties: str) -> list[Sequence[str]]:
    """Return the orders in which tied documents, in the order of the input, are ranked."""
    if ties == "averaged":
        return list(permutations(tied))
    if ties == "last-given":
        return [tied[::-1]]
    keys: dict[str, Callable[[str], tuple[float, str]]] = {
        "last-id": lambda document: (0, document),
        "first-id": lambda document: (0, document),
        "last-number": lambda document: (float(document) if document.isdigit() else inf, document),
        "first-number": lambda document: (float(document) if document.isdigit() else inf, document),
        "favours-relevant": lambda document: (-grades.get(document, 0), ""),
    }
    if ties not in keys:
        return [tied]
    return [sorted(tied, key=keys[ties], reverse=ties in ("last-id", "last-number"))]


def ranked(grade: float | None, how: How) -> bool:
    """Tell whether a document of this grade, None if it is unjudged, is ranked."""
    kept = {"kept": True, "removed": grade is not None, "removed-below-0": grade is not None and grade >= 0}
    return kept[how["unjudged"]]


# What grades are worth.


def relevant(grade: float | None, how: How) -> float:
    """Return 1 for a relevant document, 0 for any other."""
    if grade is None:
        return 0
    if how["relevance"] == "grades":
        return max(grade, 0)
    return float({"above-0": grade > 0, "from-1": grade >= 1, "judged": True, "nonzero": grade != 0}[how["relevance"]])


def gain(grade: float | None, kind: str, how: How) -> float:
    """Return what a document of this grade adds."""
    grade = 0 if grade is None else float(int(grade)) if how["fractions"] == "whole" else grade
    if grade < 0 and how["negative"] == "nothing":
        return 0
    return {"linear": grade, "exponential": 2**grade - 1, "binary": float(grade > 0)}[kind]


def discount(rank: int, how: How) -> float:
    """Return what the gain at a rank is divided by."""
    return {
        "log2": log2(rank + 1),
        "from-rank-3": max(1, log2(rank)),
        "shifted": log2(rank + 2),
        "natural": log(rank + 1),
    }[how["discount"]]


def cut(grades: Grades, k: int | None, how: How) -> Grades:
    """Return the first k of a list."""
    if k is None or how["cutoff"] == "ignored":
        return grades
    return grades[: {"k": k, "one-fewer": k - 1, "one-more": k + 1}[how["cutoff"]]]


# Measures of one topic: the grade at each rank, those of all judged documents, the cutoff.


def dcg(found: Grades, _: Grades, k: int | None, how: How) -> float:
    """Σ gain / discount over the first k."""
    kind = {"exponential-over-linear": "exponential", "linear-over-exponential": "linear"}.get(how["gain"], how["gain"])
    return _dcg(cut(found, k, how), kind, how)


def _dcg(grades: Grades, kind: str, how: How) -> float:
    return sum(gain(grade, kind, how) / discount(rank, how) for rank, grade in enumerate(grades, 1))


def ndcg(found: Grades, judged: Grades, k: int | None, how: How) -> float:
    """DCG divided by that of the best list there could be of all judged documents."""
    kind = {"exponential-over-linear": "linear", "linear-over-exponential": "exponential"}.get(how["gain"], how["gain"])
    pool = {"retrieved": found, "top-k": cut(found, k, how)}.get(how["ideal"], judged)
    best: Grades = sorted((grade or 0 for grade in pool), reverse=True)
    if how["ideal"] == "full" and best:
        best = [best[0]] * (k or 0)
    if how["ideal"] != "uncut":
        best = cut(best, k, how)
    if how["ideal"] == "returned":
        best = best[: len(found)]
    ideal = _dcg(best, kind, how)
    return dcg(found, judged, k, how) / ideal if ideal else 0


def average_precision(found: Grades, judged: Grades, k: int | None, how: How) -> float:
    """Σ precision at the ranks of relevant documents, divided by how many are relevant."""
    hits, total = 0.0, 0.0
    for rank, grade in enumerate(cut(found, k, how), 1):
        if relevant(grade, how):
            hits += 1
            total += hits / rank
    base = sum(relevant(grade, how) for grade in judged)
    return _share(total, {"R": base, "min": min(base, k or inf), "found": hits, "k": k or inf}[how["divisor"]])


def reciprocal_rank(found: Grades, _: Grades, k: int | None, how: How) -> float:
    """1 / rank of the first relevant document; 0 without one."""
    first = {"1": 1, "2": 2}[how["first rank"]]
    return next((1 / rank for rank, grade in enumerate(cut(found, k, how), first) if relevant(grade, how)), 0)


def precision(found: Grades, _: Grades, k: int | None, how: How) -> float:
    """Relevant documents among the first k, divided by k."""
    first = cut(found, k, how)
    return _share(sum(relevant(grade, how) for grade in first), k if how["divisor"] == "k" and k else len(first))


def recall(found: Grades, judged: Grades, k: int | None, how: How) -> float:
    """Relevant documents among the first k, divided by how many are relevant."""
    base = sum(relevant(grade, how) for grade in judged)
    retrieved = sum(relevant(grade, how) for grade in found)
    divisors = {"R": base, "min": min(base, k or inf), "found": retrieved, "k": k or inf}
    return _share(sum(relevant(grade, how) for grade in cut(found, k, how)), divisors[how["divisor"]])


def success(found: Grades, _: Grades, k: int | None, how: How) -> float:
    """1 where a relevant document is among the first k."""
    hits = sum(relevant(grade, how) for grade in cut(found, k, how))
    return hits if how["counted"] == "documents" else min(hits, 1)


def bpref(found: Grades, judged: Grades, _: int | None, how: How) -> float:
    """(1/R) Σ [1 - min(n, R) / min(N, R)] over the relevant documents found; n of N not relevant ones stand above."""

    def against(grade: float | None) -> bool:
        if grade is None:
            return how["skipped"] == "nothing"
        return not relevant(grade, how) and (grade >= 0 or how["skipped"] != "negative")

    base = sum(relevant(grade, how) for grade in judged)
    others = sum(against(grade) for grade in judged)
    total, above = 0.0, 0
    for grade in found:
        if relevant(grade, how):
            most = base if how["divisor"] == "R" else min(others, base)
            total += 1 - min(above, base) / most if above and most else 1
        above += against(grade)
    return _share(total, base)


def _share(of: float, whole: float) -> float:
    return of / whole if whole else 0


DEFINITIONS: Final[Mapping[str, Callable[[Grades, Grades, int | None, How], float]]] = {
    "nDCG@k": ndcg,
    "DCG@k": dcg,
    "AP": average_precision,
    "AP@k": average_precision,
    "RR": reciprocal_rank,
    "RR@k": reciprocal_rank,
    "P@k": precision,
    "R@k": recall,
    "Success@k": success,
    "Bpref": bpref,
}
"""By the name of a measure, its value on one topic."""


# From topics to a mean.


def value(measure: str, k: int | None, of: SuiteCollection, how: How) -> float | None:
    """Return the mean of a measure over topics: None where the run is refused, NaN where no topic is left."""
    qrels = [row for row in of.qrels if how["excluded"] != "residual" or row[:2] not in of.excluded]
    grades = {topic: dict(lines) for topic, lines in by_topic(qrels).items()}
    lists = by_topic(row for row in of.run if how["excluded"] == "ranked" or row[:2] not in of.excluded)
    values = []
    for topic in _averaged_over(grades, lists, how):
        lines = kept(topic, lists.get(topic, ()), how)
        if lines is None:
            return None
        if how["list"] == "appended":
            lines = appended(lines, grades.get(topic, {}))
        worth = _of_topic(measure, k, lines, grades.get(topic, {}), how)
        if worth is not None and (worth or how["topics"] != "found"):
            values.append(worth)
    return fmean(values) if values else nan


def _averaged_over(grades: Iterable[str], lists: Iterable[str], how: How) -> list[str]:
    judged, retrieved = list(grades), list(lists)
    if how["topics"] == "shared":
        return [topic for topic in judged if topic in retrieved]
    return retrieved if how["topics"] == "run" else judged


def _of_topic(
    measure: str, k: int | None, lines: list[tuple[str, float]], grades: Mapping[str, float], how: How
) -> float | None:
    """Return the value of one topic; None where it is left out."""
    judged = list(grades.values())
    answers = any(relevant(grade, how) if "relevance" in how else gain(grade, "binary", how) > 0 for grade in judged)
    if grades and not answers and how["no answer"] != "0":
        return 1 if how["no answer"] == "1" else None
    orders = (map(grades.get, ranking) for ranking in rankings(lines, grades, how))
    lists = ([grade for grade in order if ranked(grade, how)] for order in orders)
    return fmean(DEFINITIONS[measure](found, judged, k, how) for found in lists)

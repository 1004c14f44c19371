"""Slow twins of the measures of subtopics: loops from the definitions, over sets of subtopics.

`slow` takes what each document of a list covers, and `TWINS` has the same for judgments without
subtopics, in which a relevant document covers the topic itself. Nothing is shared with the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from typing import TypeAlias

Covers: TypeAlias = Set[str]
Grades: TypeAlias = Sequence[float | None]

DISCOUNTS: Mapping[str, Callable[[int, float], float]] = {
    "alpha_DCG": lambda rank, beta: 1 / math.log2(rank + 1),
    "ERR_IA": lambda rank, beta: 1 / rank,
    "NRBP": lambda rank, beta: beta ** (rank - 1),
}
NORMALISED = {"alpha_nDCG": "alpha_DCG", "nERR_IA": "ERR_IA", "nNRBP": "NRBP"}


def gained(ranking: Sequence[Covers], weights: Mapping[str, float], of: str, alpha: float, beta: float) -> float:
    """Add up what is new in each document, discounted."""
    worth, total = dict(weights), 0.0
    for rank, covers in enumerate(ranking, start=1):
        for subtopic in covers:
            total += worth[subtopic] * DISCOUNTS[of](rank, beta)
            worth[subtopic] *= 1 - alpha
    return total


def greedy(pool: Mapping[str, Covers], weights: Mapping[str, float], alpha: float) -> list[Covers]:
    """Put the document first that adds most, then the one that adds most to it; ties by id, the last one first."""
    worth, left, ranking = dict(weights), sorted(pool, reverse=True), []
    while left:
        values = {document: sum(worth[subtopic] for subtopic in sorted(pool[document])) for document in left}
        most = max(values.values())
        best = next(document for document in left if values[document] >= most * (1 - 1e-9))
        left.remove(best)
        ranking.append(pool[best])
        for subtopic in pool[best]:
            worth[subtopic] *= 1 - alpha
    return ranking


def average_precision(ranking: Sequence[Covers], subtopic: str, many: int, cutoff: int | None) -> float:
    assert cutoff is None
    hits = [rank for rank, covers in enumerate(ranking, start=1) if subtopic in covers]
    return sum(nth / rank for nth, rank in enumerate(hits, start=1)) / many


def precision(ranking: Sequence[Covers], subtopic: str, many: int, cutoff: int | None) -> float:
    assert cutoff
    return sum(subtopic in covers for covers in ranking) / cutoff


def found_at_all(ranking: Sequence[Covers], subtopic: str, many: int, cutoff: int | None) -> float:
    return any(subtopic in covers for covers in ranking)


OF_ONE: Mapping[str, Callable[[Sequence[Covers], str, int, int | None], float]] = {
    "AP_IA": average_precision,
    "P_IA": precision,
    "StRecall": found_at_all,
    "Coverage": found_at_all,
}
"""What is averaged over subtopics."""


def slow(
    name: str,
    ranking: Sequence[Covers],
    pool: Mapping[str, Covers],
    weights: Mapping[str, float],
    *,
    cutoff: int | None = None,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> float:
    """Measure one list.

    Parameters
    ----------
    ranking
        What each document covers, from the top.
    pool
        What each judged document covers, those of the list among them.
    weights
        Of all subtopics of the topic, held by a document or not.
    """
    ranking = ranking if cutoff is None else ranking[:cutoff]
    held = {subtopic: weight for subtopic, weight in weights.items() if any(subtopic in each for each in pool.values())}
    counting = weights if name == "Coverage" else held
    total = sum(counting.values())
    if not total:
        return 0.0
    if name in OF_ONE:
        many = {subtopic: sum(subtopic in each for each in pool.values()) for subtopic in held}
        found = {subtopic: OF_ONE[name](ranking, subtopic, many.get(subtopic, 1), cutoff) for subtopic in counting}
        return sum(weight * found[subtopic] for subtopic, weight in counting.items()) / total
    of = NORMALISED.get(name, name)
    if name in NORMALISED:
        most = gained(greedy(pool, weights, alpha)[:cutoff], weights, of, alpha, beta)
    elif name == "NRBP":
        most = total / (1 - (1 - alpha) * beta)
    else:
        ranks = range(1, (cutoff or 0) + 1)
        most = sum(total * (1 - alpha) ** (rank - 1) * DISCOUNTS[of](rank, beta) for rank in ranks)
    return gained(ranking, weights, of, alpha, beta) / most


def of_one(
    name: str,
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    rel: float | None,
    judged_only: bool,
    vital: bool,
    weighted: bool,
    cutoff: int | None = None,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> float:
    """Take the topic for its only subtopic."""
    assert not vital
    assert not weighted
    kept = [grade for grade in ranking if grade is not None or not judged_only]

    def covers(grade: float | None) -> Covers:
        return {"it"} if grade is not None and (grade > 0 if rel is None else grade >= rel) else set()

    judged = [grade for grade in (*kept, *unretrieved) if grade is not None]
    pool = {f"d{number}": covers(grade) for number, grade in enumerate(judged)}
    return slow(name, list(map(covers, kept)), pool, {"it": 1.0}, cutoff=cutoff, alpha=alpha, beta=beta)


NAMES = (*DISCOUNTS, *NORMALISED, *OF_ONE)
TWINS = {name: partial(of_one, name) for name in NAMES}

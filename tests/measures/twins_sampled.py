"""Slow twins of the measures of sampled pools, from the definitions; one list and its pool, written down as pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Document: TypeAlias = tuple[str, float] | None
"""Stratum and grade of a document in the pool, negative where it was not drawn; None: it is not in the pool."""

EPSILON = 0.00001


def relevant(document: Document, rel: float | None) -> bool:
    return document is not None and (document[1] > 0 if rel is None else document[1] >= rel)


def judged(document: Document) -> bool:
    return document is not None and document[1] >= 0


def stands_for(stratum: str, pool: Sequence[Document]) -> float:
    there = [document for document in pool if document is not None and document[0] == stratum]
    return len(there) / len([document for document in there if judged(document)])


def share_of_relevant(documents: Sequence[Document], rel: float | None, smoothing: str) -> float:
    """Of documents of one stratum, as those that were judged are; 1/2 or 1/3 where none was."""
    found = len([document for document in documents if relevant(document, rel)])
    known = len([document for document in documents if judged(document)])
    return (found + EPSILON) / (known + {"paper": 2, "sample_eval": 3}[smoothing] * EPSILON)


def extended_inferred_ap(
    ranking: Sequence[Document], pool: Sequence[Document], rel: float | None, smoothing: str = "paper"
) -> float:
    strata = {document[0] for document in pool if document is not None}
    total = 0.0
    for rank, document in enumerate(ranking, start=1):
        if document is None or not relevant(document, rel):
            continue
        expected = 1 / rank
        for stratum in strata:
            above = [other for other in ranking[: rank - 1] if other is not None and other[0] == stratum]
            expected += len(above) / rank * share_of_relevant(above, rel, smoothing)
        total += stands_for(document[0], pool) * expected
    base = inferred_recall_base(pool, rel)
    return total / base if base else 0.0


def inferred_precision(ranking: Sequence[Document], cutoff: int, rel: float | None, smoothing: str = "paper") -> float:
    total = 0.0
    for stratum in {document[0] for document in ranking[:cutoff] if document is not None}:
        there = [document for document in ranking[:cutoff] if document is not None and document[0] == stratum]
        total += len(there) * share_of_relevant(there, rel, smoothing)
    return total / cutoff


def inferred_recall_base(pool: Sequence[Document], rel: float | None) -> float:
    return sum(stands_for(each[0], pool) for each in pool if each is not None and relevant(each, rel))


def inferred_ndcg(ranking: Sequence[Document], pool: Sequence[Document], cutoff: int | None) -> float:
    ranking = ranking[:cutoff]
    strata = {document[0] for document in pool if document is not None}
    total = 0.0
    for stratum in strata:
        there = [(i, d) for i, d in enumerate(ranking, start=1) if d is not None and d[0] == stratum]
        known = [(i, d) for i, d in there if judged(d)]
        if known:
            total += len(there) / len(known) * sum(d[1] / math.log2(i + 1) for i, d in known)
    ideal: list[float] = []
    for grade in sorted({d[1] for d in pool if d is not None and d[1] > 0}, reverse=True):
        many = sum(stands_for(d[0], pool) for d in pool if d is not None and d[1] == grade)
        ideal += [grade] * math.floor(many + 0.5)
    best = sum(grade / math.log2(i + 1) for i, grade in enumerate(ideal[:cutoff], start=1))
    return total / best if best else 0.0


def one_stratum(grades: Sequence[float | None]) -> list[Document]:
    return [None if grade is None else ("0", grade) for grade in grades]


def extended(
    ranking: Sequence[float | None], unretrieved: Sequence[float], *, rel: float | None, smoothing: str
) -> float:
    return extended_inferred_ap(one_stratum(ranking), one_stratum([*ranking, *unretrieved]), rel, smoothing)


def precision(
    ranking: Sequence[float | None], unretrieved: Sequence[float], *, cutoff: int, rel: float | None, smoothing: str
) -> float:
    return inferred_precision(one_stratum(ranking), cutoff, rel, smoothing)


def recall_base(ranking: Sequence[float | None], unretrieved: Sequence[float], *, rel: float | None) -> float:
    return inferred_recall_base(one_stratum([*ranking, *unretrieved]), rel)


def ndcg(ranking: Sequence[float | None], unretrieved: Sequence[float], *, cutoff: int | None) -> float:
    return inferred_ndcg(one_stratum(ranking), one_stratum([*ranking, *unretrieved]), cutoff)


TWINS: dict[str, Callable[..., Any]] = {
    "xinfAP": extended,
    "infP": precision,
    "infNumRel": recall_base,
    "infNDCG": ndcg,
}

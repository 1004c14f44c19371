"""Slow twins of search lengths, sliding ratios, graded precision and Sakai's measures: loops from the definitions.

As in twins.py: each takes the grades by rank (None: unjudged), those of judged documents not
retrieved, and all parameters of the measure; nothing is shared with the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

Grades: TypeAlias = Sequence[float | None]
Gains: TypeAlias = Mapping[float, float] | None
Twin: TypeAlias = Callable[..., float]

TWINS: dict[str, Twin] = {}


def twin_of(*names: str) -> Callable[[Twin], Twin]:
    def register(function: Twin) -> Twin:
        for name in names:
            assert name not in TWINS
            TWINS[name] = function
        return function

    return register


def seen(ranking: Grades, cutoff: int | None = None, judged_only: bool = False) -> list[float | None]:
    """Return the documents that a measure looks at."""
    kept = [grade for grade in ranking if grade is not None or not judged_only]
    return kept if cutoff is None else kept[:cutoff]


def relevant(grade: float | None, rel: float | None) -> bool:
    return grade is not None and (grade > 0 if rel is None else grade >= rel)


def divided(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


# Search lengths: where every relevant document stands in a collection that is written down from top
# to bottom.


def ranks_of_relevant(documents: Grades, rel: float | None) -> list[int]:
    return [rank for rank, grade in enumerate(documents, start=1) if relevant(grade, rel)]


def missing(unretrieved: Sequence[float], rel: float | None) -> int:
    return len([grade for grade in unretrieved if relevant(grade, rel)])


def size_of(documents: Grades, missed: int, docs: int | None) -> int:
    return max(docs or 0, len(documents) + missed)


@twin_of("ASL")
def average_search_length(
    ranking: Grades, unretrieved: Sequence[float], *, rel: float | None, judged_only: bool, docs: int | None
) -> float:
    documents = seen(ranking, None, judged_only)
    missed = missing(unretrieved, rel)
    below = list(range(len(documents) + 1, size_of(documents, missed, docs) + 1))
    positions: list[float] = [*ranks_of_relevant(documents, rel)]
    if missed:
        positions += [sum(below) / len(below)] * missed
    return divided(sum(positions), len(positions))


@twin_of("ESL")
def expected_search_length(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    rel: float | None,
    judged_only: bool,
    docs: int | None,
    wanted: int,
    count: str,
) -> float:
    documents = seen(ranking, None, judged_only)
    found, missed = ranks_of_relevant(documents, rel), missing(unretrieved, rel)
    target = min(wanted, len(found) + missed)
    if target == 0:
        return 0.0
    if target <= len(found):
        examined = float(found[target - 1])
    else:
        # Cooper: of i irrelevant documents of a tied level with r relevant ones, s·i/(r + 1) come
        # before the s-th.
        irrelevant = size_of(documents, missed, docs) - len(documents) - missed
        sought = target - len(found)
        examined = len(documents) + sought + sought * irrelevant / (missed + 1)
    return examined - target if count == "not relevant" else examined


@twin_of("nRecall")
def normalised_recall(
    ranking: Grades, unretrieved: Sequence[float], *, rel: float | None, judged_only: bool, docs: int | None
) -> float:
    documents = seen(ranking, None, judged_only)
    found, missed = ranks_of_relevant(documents, rel), missing(unretrieved, rel)
    size, base = size_of(documents, missed, docs), len(found) + missed
    if base == 0:
        return 0.0
    if size == base:
        return len(found) / base
    positions = found + list(range(size - missed + 1, size + 1))
    best = sum(range(1, base + 1))
    worst = sum(range(size - base + 1, size + 1))
    return 1 - (sum(positions) - best) / (worst - best)


# Ratios to other orders of the same list.


def gain(grade: float | None, gains: Gains) -> float:
    """Return what a document is worth; what is worth less than nothing is worth nothing."""
    if grade is None:
        return 0.0
    return max(gains.get(grade, grade) if gains is not None else grade, 0.0)


def of_the_best_order(values: Sequence[float], rank: int) -> float:
    return divided(sum(values[:rank]), sum(sorted(values, reverse=True)[:rank]))


@twin_of("SlidingRatio")
def sliding_ratio(
    ranking: Grades, unretrieved: Sequence[float], *, rank: int, judged_only: bool, gains: Gains
) -> float:
    return of_the_best_order([gain(grade, gains) for grade in seen(ranking, None, judged_only)], rank)


@twin_of("Satisfaction")
def satisfaction(
    ranking: Grades, unretrieved: Sequence[float], *, rank: int, rel: float | None, judged_only: bool
) -> float:
    documents = seen(ranking, None, judged_only)
    return of_the_best_order([grade or 0.0 if relevant(grade, rel) else 0.0 for grade in documents], rank)


@twin_of("Frustration")
def frustration(
    ranking: Grades, unretrieved: Sequence[float], *, rank: int, rel: float | None, judged_only: bool
) -> float:
    documents = seen(ranking, None, judged_only)
    return of_the_best_order([0.0 if relevant(grade, rel) else 1.0 for grade in documents], rank)


@twin_of("SatisfactionTotal")
def satisfaction_total(
    ranking: Grades, unretrieved: Sequence[float], *, rank: int, rel: float | None, judged_only: bool, weight: float
) -> float:
    pleased = satisfaction(ranking, unretrieved, rank=rank, rel=rel, judged_only=judged_only)
    vexed = frustration(ranking, unretrieved, rank=rank, rel=rel, judged_only=judged_only)
    return weight * pleased - (1 - weight) * vexed


# Borlund and Ingwersen (1998).


@twin_of("RHL")
def ranked_half_life(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, judged_only: bool, gains: Gains
) -> float:
    values = [gain(grade, gains) for grade in seen(ranking, cutoff, judged_only)]
    half, above = sum(values) / 2, 0.0
    for rank, value in enumerate(values, start=1):
        if value > 0 and above + value >= half:
            return rank - 1 + (half - above) / value
        above += value
    return len(values)


@twin_of("RelativeRelevance")
def relative_relevance(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, judged_only: bool, gains: Gains, weights: str
) -> float:
    by_user = [gain(grade, gains) for grade in seen(ranking, cutoff, judged_only)]
    by_system = [1.0 if weights == "equal" else 1 / rank for rank in range(1, len(by_user) + 1)]
    product = sum(s * u for s, u in zip(by_system, by_user, strict=True))
    return divided(product, math.hypot(*by_system) * math.hypot(*by_user))


# Kekalainen and Jarvelin (2002).


def relevance(grade: float | None, known: Sequence[float], gains: Gains) -> float:
    """Return the gain as a share of the largest that a known document has or that is named."""
    named = [] if gains is None else [*gains.values()]
    top = max([0.0, *named, *(gain(judged, gains) for judged in known)])
    return divided(gain(grade, gains), top)


@twin_of("gP")
def generalised_precision(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int, judged_only: bool, gains: Gains
) -> float:
    known = [grade for grade in [*ranking, *unretrieved] if grade is not None]
    return sum(relevance(grade, known, gains) for grade in seen(ranking, cutoff, judged_only)) / cutoff


@twin_of("gR")
def generalised_recall(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, judged_only: bool, gains: Gains
) -> float:
    known = [grade for grade in [*ranking, *unretrieved] if grade is not None]
    got = sum(relevance(grade, known, gains) for grade in seen(ranking, cutoff, judged_only))
    return divided(got, sum(relevance(grade, known, gains) for grade in known))


@twin_of("gAP")
def generalised_average_precision(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, judged_only: bool, gains: Gains
) -> float:
    known = [grade for grade in [*ranking, *unretrieved] if grade is not None]
    total = 0.0
    for rank, grade in enumerate(seen(ranking, cutoff, judged_only), start=1):
        if relevance(grade, known, gains) > 0:
            total += generalised_precision(ranking, unretrieved, cutoff=rank, judged_only=judged_only, gains=gains)
    return divided(total, len([grade for grade in known if relevance(grade, known, gains) > 0]))


# Robertson, Kanoulas and Yilmaz (2010): users with every threshold, each of whom counts precisions
# of their own.


@twin_of("GAP")
def graded_average_precision(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, judged_only: bool, gains: Gains
) -> float:
    known = [gain(grade, gains) for grade in [*ranking, *unretrieved] if grade is not None]
    values = [gain(grade, gains) for grade in seen(ranking, cutoff, judged_only)]
    total = expected_base = lower = 0.0
    for bar in sorted({value for value in known if value > 0}):
        users = bar - lower  # to whom documents are relevant from just this bar on
        found = 0
        for rank, value in enumerate(values, start=1):
            if value >= bar:
                found += 1
                total += users * found / rank
        expected_base += users * len([value for value in known if value >= bar])
        lower = bar
    return divided(total, expected_base)


# Sakai: blended ratio, and Sakai and Robertson (2008).


def blended(values: Sequence[float], ideal: Sequence[float], rank: int, beta: float) -> float:
    found = len([value for value in values[:rank] if value > 0])
    return (found + beta * sum(values[:rank])) / (rank + beta * sum(ideal[:rank]))


def positive_gains(
    ranking: Grades, unretrieved: Sequence[float], cutoff: int | None, judged_only: bool, gains: Gains
) -> tuple[list[float], list[float], list[int]]:
    """Return the gains by rank, those of the ideal list, and the ranks with a gain."""
    values = [gain(grade, gains) for grade in seen(ranking, cutoff, judged_only)]
    known = [gain(grade, gains) for grade in [*ranking, *unretrieved] if grade is not None]
    ideal = sorted([value for value in known if value > 0], reverse=True)
    return values, ideal, [rank for rank, value in enumerate(values, start=1) if value > 0]


@twin_of("OMeasure")
def o_measure(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, judged_only: bool, gains: Gains, beta: float
) -> float:
    values, ideal, found = positive_gains(ranking, unretrieved, cutoff, judged_only, gains)
    if not found:
        return 0.0
    return (1 + beta * values[found[0] - 1]) / (found[0] + beta * sum(ideal[: found[0]]))


@twin_of("PMeasure")
def p_measure(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, judged_only: bool, gains: Gains, beta: float
) -> float:
    values, ideal, found = positive_gains(ranking, unretrieved, cutoff, judged_only, gains)
    return blended(values, ideal, values.index(max(values)) + 1, beta) if found else 0.0


@twin_of("PPlus")
def p_plus(
    ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None, judged_only: bool, gains: Gains, beta: float
) -> float:
    values, ideal, found = positive_gains(ranking, unretrieved, cutoff, judged_only, gains)
    if not found:
        return 0.0
    preferred = values.index(max(values)) + 1
    ratios = [blended(values, ideal, rank, beta) for rank in found if rank <= preferred]
    return sum(ratios) / len(ratios)


@twin_of("NCU")
def normalised_cumulative_utility(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    cutoff: int | None,
    judged_only: bool,
    gains: Gains,
    beta: float,
    gamma: float,
    stop: str,
    utility: str,
) -> float:
    values, ideal, found = positive_gains(ranking, unretrieved, cutoff, judged_only, gains)
    total = 0.0
    for nth, rank in enumerate(found):
        chance = {
            "uniform": 1 / len(ideal),
            "graded": values[rank - 1] / sum(ideal),
            "rank-biased": gamma**nth / sum(gamma**i for i in range(len(ideal))),
        }[stop]
        total += chance * ((nth + 1) / rank if utility == "precision" else blended(values, ideal, rank, beta))
    return total

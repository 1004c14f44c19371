"""Slow twins of the measures of truncated rankings: plain loops from the definitions, one ranking at a time.

As in twins.py: a twin takes the grades by rank (None: unjudged; negative: judged, not relevant),
the grades of the judged documents that were not retrieved, and the parameters of the measure by
their names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

Grades: TypeAlias = Sequence[float | None]
Twin: TypeAlias = Callable[..., float]

TWINS: dict[str, Twin] = {}


def twin_of(*names: str) -> Callable[[Twin], Twin]:
    def register(function: Twin) -> Twin:
        for name in names:
            assert name not in TWINS
            TWINS[name] = function
        return function

    return register


def grade_of(grade: float | None) -> float:
    """Return the grade, what is unjudged or negative being 0."""
    return 0.0 if grade is None else max(grade, 0.0)


def every_grade(ranking: Grades, unretrieved: Sequence[float]) -> list[float]:
    return [grade_of(grade) for grade in [*ranking, *unretrieved]]


def rel(ranking: Grades, unretrieved: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return Rel of the list and of all documents: the share of the largest grade."""
    top = max(every_grade(ranking, unretrieved), default=0.0) or 1.0
    return [grade_of(g) / top for g in ranking], [g / top for g in every_grade(ranking, unretrieved)]


def chance(ranking: Grades, unretrieved: Sequence[float], mode: str = "paper") -> tuple[list[float], list[float]]:
    """Return the chance to satisfy of the list's documents and of all."""
    top = max(every_grade(ranking, unretrieved), default=0.0)

    def p(grade: float) -> float:
        return grade / (top + 1) if mode == "ntcir" else (2**grade - 1) / 2**top

    return [p(grade_of(g)) for g in ranking], [p(g) for g in every_grade(ranking, unretrieved)]


def stopped(chances: Sequence[float]) -> list[float]:
    """Return for each rank the chance to stop there."""
    found = []
    for i in range(len(chances)):
        on = 1.0
        for j in range(i):
            on *= 1 - chances[j]
        found.append(on * chances[i])
    return found


def with_terminal(listed: Sequence[float], whole: Sequence[float]) -> list[float]:
    """Add the terminal document at rank n + 1."""
    return [*listed, sum(listed) / sum(whole) if sum(whole) > 0 else 1.0]


def dcg(gains: Sequence[float]) -> float:
    return sum(gains[i - 1] / math.log2(i + 1) for i in range(1, len(gains) + 1))


def err(chances: Sequence[float]) -> float:
    return sum(value / rank for rank, value in enumerate(stopped(chances), start=1))


def rbp(gains: Sequence[float], p: float) -> float:
    return (1 - p) * sum(gains[i - 1] * p ** (i - 1) for i in range(1, len(gains) + 1))


def best(values: Sequence[float], cutoff: int | None = None) -> list[float]:
    return sorted((value for value in values if value > 0), reverse=True)[:cutoff]


def shared(value: float, of: float) -> float:
    return value / of if of else 0.0


# Terminal documents: Amigo, Mizzaro and Spina (2022), section 3.2


@twin_of("NDCGT")
def ndcgt(ranking: Grades, unretrieved: Sequence[float]) -> float:
    listed, whole = rel(ranking, unretrieved)
    return dcg(with_terminal(listed, whole)) / dcg([*best(whole), 1.0])


@twin_of("ERRT")
def errt(ranking: Grades, unretrieved: Sequence[float]) -> float:
    return err(with_terminal(*chance(ranking, unretrieved)))


@twin_of("RBPT")
def rbpt(ranking: Grades, unretrieved: Sequence[float], *, p: float) -> float:
    return rbp(with_terminal(*rel(ranking, unretrieved)), p)


@twin_of("RRT")
def rrt(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None) -> float:
    def one(grade: float | None) -> float:
        return 1.0 if grade is not None and (grade > 0 if rel is None else grade >= rel) else 0.0

    listed = with_terminal([one(g) for g in ranking], [one(g) for g in [*ranking, *unretrieved]])
    for rank, relevance in enumerate(listed, start=1):
        if relevance > 0:
            return 1 / rank
    return 0.0


# Utility: the same, section 3.3


@twin_of("FlatUtility")
def flat_utility(ranking: Grades, unretrieved: Sequence[float], *, e: float, per: str = "document") -> float:
    return sum(gain - e for gain in rel(ranking, unretrieved)[0])


@twin_of("DCGU")
def dcgu(ranking: Grades, unretrieved: Sequence[float], *, e: float, per: str = "document") -> float:
    return dcg([gain - e for gain in rel(ranking, unretrieved)[0]])


@twin_of("ERRU")
def erru(ranking: Grades, unretrieved: Sequence[float], *, e: float, per: str = "document") -> float:
    chances = chance(ranking, unretrieved)[0]
    return sum((value - e) / rank for rank, value in enumerate(stopped(chances), start=1))


@twin_of("RBPU")
def rbpu(ranking: Grades, unretrieved: Sequence[float], *, p: float, e: float, per: str = "document") -> float:
    return rbp([gain - e for gain in rel(ranking, unretrieved)[0]], p)


@twin_of("RBU")
def rbu(
    ranking: Grades, unretrieved: Sequence[float], *, p: float, e: float, per: str = "document", mode: str
) -> float:
    utility = [value - e for value in stopped(chance(ranking, unretrieved, mode)[0])]
    if mode == "ntcir":
        return sum(p**rank * value for rank, value in enumerate(utility, start=1))
    return rbp(utility, p)


@twin_of("iRBU")
def irbu(ranking: Grades, unretrieved: Sequence[float], *, p: float, mode: str) -> float:
    return rbu(ranking, unretrieved, p=p, e=0, mode=mode)


# Divided by the best list's value: the same, section 3.1


@twin_of("nERR")
def nerr(ranking: Grades, unretrieved: Sequence[float], *, cutoff: int | None) -> float:
    listed, whole = chance(ranking, unretrieved)
    return shared(err(listed[:cutoff]), err(best(whole, cutoff)))


@twin_of("nRBP")
def nrbp(ranking: Grades, unretrieved: Sequence[float], *, p: float, cutoff: int | None) -> float:
    listed, whole = rel(ranking, unretrieved)
    return shared(rbp(listed[:cutoff], p), rbp(best(whole, cutoff), p))


@twin_of("niRBU")
def nirbu(ranking: Grades, unretrieved: Sequence[float], *, p: float, mode: str, cutoff: int | None) -> float:
    listed, whole = chance(ranking, unretrieved, mode)
    return shared(rbp(stopped(listed[:cutoff]), p), rbp(stopped(best(whole, cutoff)), p))


@twin_of("Q")
def q_measure(
    ranking: Grades,
    unretrieved: Sequence[float],
    *,
    beta: float,
    gains: Mapping[float, float] | None,
    cutoff: int | None,
) -> float:
    """Sakai (2004); NTCIREVAL's ntcir_eval.c."""
    named = dict(gains or {})

    def worth(grade: float | None) -> float:
        return 0.0 if grade is None else named.get(grade, max(grade, 0.0))

    ideal = best([worth(g) for g in [*ranking, *unretrieved]])
    total, found, gained = 0.0, 0, 0.0
    for rank, grade in enumerate(ranking[:cutoff], start=1):
        gained += worth(grade)
        if worth(grade) > 0:
            found += 1
            total += (beta * gained + found) / (beta * sum(ideal[:rank]) + rank)
    return shared(total, len(ideal) if cutoff is None else min(len(ideal), cutoff))


# The order of the whole collection. A document is (place in the list, grade, how many there are of
# the kind): what was neither retrieved nor is relevant is one kind.


def collection(ranking: Grades, unretrieved: Sequence[float], docs: int) -> list[tuple[float, float, int]]:
    known = [(float(rank), grade_of(grade), 1) for rank, grade in enumerate(ranking, start=1)]
    known += [(math.inf, grade_of(grade), 1) for grade in unretrieved]
    return [*known, (math.inf, 0.0, docs - len(known))]


def sign(one: float, other: float) -> int:
    return (one > other) - (one < other)


@twin_of("AUC")
def auc(ranking: Grades, unretrieved: Sequence[float], *, rel: float | None, docs: int) -> float:
    right, pairs = 0.0, 0
    documents = collection(ranking, unretrieved, docs)
    for place, grade, many in documents:
        if not (grade > 0 if rel is None else grade >= rel):
            continue
        for other_place, other_grade, other_many in documents:
            if other_grade > 0 if rel is None else other_grade >= rel:
                continue
            pairs += many * other_many
            right += many * other_many * (1 + sign(other_place, place)) / 2
    return shared(right, pairs)


@twin_of("Kendall")
def kendall(ranking: Grades, unretrieved: Sequence[float], *, docs: int) -> float:
    agreeing = in_list = in_grade = 0
    documents = collection(ranking, unretrieved, docs)
    for place, grade, many in documents:
        for other_place, other_grade, other_many in documents:
            by_place, by_grade = sign(other_place, place), sign(grade, other_grade)
            agreeing += many * other_many * by_place * by_grade
            in_list += many * other_many * by_place**2
            in_grade += many * other_many * by_grade**2
    return shared(agreeing, math.sqrt(in_list * in_grade))


@twin_of("Spearman")
def spearman(ranking: Grades, unretrieved: Sequence[float], *, docs: int) -> float:
    documents = collection(ranking, unretrieved, docs)

    def deviation(key: Sequence[float], own: float) -> float:
        """Return the mean place of what is tied with this, less the mean of all places."""
        before = sum(d[2] for d, other in zip(documents, key, strict=True) if other < own)
        tied = sum(d[2] for d, other in zip(documents, key, strict=True) if other == own)
        return before + (tied + 1) / 2 - (docs + 1) / 2

    places, falling = [d[0] for d in documents], [-d[1] for d in documents]
    product = of_place = of_grade = 0.0
    for place, grade, many in documents:
        x, y = deviation(places, place), deviation(falling, -grade)
        product += many * x * y
        of_place += many * x * x
        of_grade += many * y * y
    return shared(product, math.sqrt(of_place * of_grade))


# Information: the same, section 3.4


def information(
    ranking: Grades, unretrieved: Sequence[float], docs: int, among: Callable[[float, float, float, float], bool]
) -> float:
    """Return H: the mean of -log of the share of documents that are counted with each one."""
    documents = collection(ranking, unretrieved, docs)
    total = 0.0
    for place, grade, many in documents:
        counted = sum(m for other, other_grade, m in documents if among(place, grade, other, other_grade))
        total -= many * math.log(counted / docs) if many else 0.0
    return total / docs


@twin_of("SystemInformation")
def h_s(ranking: Grades, unretrieved: Sequence[float], *, docs: int) -> float:
    return information(ranking, unretrieved, docs, lambda place, grade, p, g: p <= place)


@twin_of("GoldInformation")
def h_g(ranking: Grades, unretrieved: Sequence[float], *, docs: int) -> float:
    return information(ranking, unretrieved, docs, lambda place, grade, p, g: g >= grade)


@twin_of("JointInformation")
def h_sg(ranking: Grades, unretrieved: Sequence[float], *, docs: int) -> float:
    return information(ranking, unretrieved, docs, lambda place, grade, p, g: p <= place and g >= grade)


@twin_of("OIE")
def oie(ranking: Grades, unretrieved: Sequence[float], *, docs: int, beta: float) -> float:
    apart = h_s(ranking, unretrieved, docs=docs) + h_g(ranking, unretrieved, docs=docs)
    return apart - beta * h_sg(ranking, unretrieved, docs=docs)

"""The best end in decimals of 800 digits: from the definitions, prefix by prefix, with no sum that loses anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from functools import cache, partial

import numpy as np
import pytest

import cranfield as cf
from cranfield.experiments.truncation import TRUNCATED
from cranfield.judged.rankings import one_ranking
from cranfield.measures import Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.measures.framework.prefix_steps import Steps
from cranfield.stopping.optimal import best_ends, optimal_lengths

DIGITS = 800
SAME = Decimal(10) ** (50 - DIGITS)
"""Ties are exact on paper; what 800 digits make of them is far below this, and what is no tie far above."""

MEASURES = (
    *TRUNCATED, "RRT", "RBPT(p=0.3)", "FlatUtility", "FlatUtility(e=0.5)", "DCGU(e=0)", "ERRU(e=0)", "RBPU(p=0.8,e=0)",
    "RBU(p=0.9,e=0.001)", "iRBU(p=0.3)", "iRBU(p=0.8)", "iRBU(p=0.98)", "OIE(docs=1000)", "OIE(beta=0.9)", "SetF",
    "SetF(beta=2)",
)  # fmt: skip

Grades = list[int]
Prefixes = Callable[[Measure, Grades, Grades], Iterator[Decimal]]


def number(value: float) -> Decimal:
    """What was written: 0.8, not the nearest binary fraction."""
    return Decimal(str(value))


@cache
def ln(value: Decimal) -> Decimal:
    return value.ln()


def log2(value: int) -> Decimal:
    return ln(Decimal(value)) / ln(Decimal(2))


def shares(grades: Grades, top: int) -> list[Decimal]:
    return [Decimal(grade) / top for grade in grades]


def chances(grades: Grades, top: int) -> list[Decimal]:
    return [(Decimal(2) ** grade - 1) / Decimal(2) ** top for grade in grades]


def terminal(gains: list[Decimal], missed: list[Decimal]) -> list[Decimal]:
    """Relevance of the terminal document of each prefix."""
    nothing = Decimal(0)
    whole = sum(gains, nothing) + sum(missed, nothing)
    return [sum(gains[:n], nothing) / whole if whole else Decimal(1) for n in range(len(gains) + 1)]


def ndcgt(measure: Measure, ranked: Grades, missed: Grades) -> Iterator[Decimal]:
    """Not divided by the best list, which is the same for every prefix."""
    top = max(ranked + missed)
    gains = shares(ranked, top)
    gained = Decimal(0)
    for n, last in enumerate(terminal(gains, shares(missed, top))):
        yield gained + last / log2(n + 2)
        gained += gains[n] / log2(n + 2) if n < len(gains) else 0


def rbpt(measure: Measure, ranked: Grades, missed: Grades) -> Iterator[Decimal]:
    top, p = max(ranked + missed), number(measure.p)  # type: ignore[attr-defined]
    gains = shares(ranked, top)
    gained = Decimal(0)
    for n, last in enumerate(terminal(gains, shares(missed, top))):
        yield gained + last * p**n
        gained += gains[n] * p**n if n < len(gains) else 0


def errt(measure: Measure, ranked: Grades, missed: Grades) -> Iterator[Decimal]:
    top = max(ranked + missed)
    gains = chances(ranked, top)
    gained, left = Decimal(0), Decimal(1)
    for n, last in enumerate(terminal(gains, chances(missed, top))):
        yield gained + left * last / (n + 1)
        if n < len(gains):
            gained += left * gains[n] / (n + 1)
            left *= 1 - gains[n]


def rrt(measure: Measure, ranked: Grades, missed: Grades) -> Iterator[Decimal]:
    first = next((i for i, grade in enumerate(ranked, 1) if grade), None)
    for n in range(len(ranked) + 1):
        if not any(ranked + missed):
            yield Decimal(1) / (n + 1)
        else:
            yield Decimal(1) / first if first and first <= n else Decimal(0)


def utility(
    gain: Callable[[Grades, int], list[Decimal]],
    weight: Callable[[Measure, int], Decimal],
    cascade: bool,
    measure: Measure,
    ranked: Grades,
    missed: Grades,
) -> Iterator[Decimal]:
    """Σ weight(i) (gain(i) - e), or with the chance in place of the gain that the user stops there."""
    gains, e = gain(ranked, max(ranked + missed)), number(measure.e)  # type: ignore[attr-defined]
    worth, left = Decimal(0), Decimal(1)
    yield worth
    for i, one in enumerate(gains, 1):
        worth += weight(measure, i) * (left * one - e)
        left *= 1 - one if cascade else 1
        yield worth


def geometric(measure: Measure, rank: int) -> Decimal:
    return number(measure.p) ** (rank - 1)  # type: ignore[attr-defined]


def oie(measure: Measure, ranked: Grades, missed: Grades) -> Iterator[Decimal]:
    """Without H(G), which is the same for every prefix: H(S) - beta H(S,G) of the documents retrieved, times docs.

    In both together a document that is not retrieved has what it has by grade; so each one
    retrieved changes that.
    """
    docs, beta = Decimal(measure.docs), number(measure.beta)  # type: ignore[attr-defined]
    every = ranked + missed
    worth = Decimal(0)
    yield worth
    for i, grade in enumerate(ranked, 1):
        alone = -ln(i / docs)
        if grade:
            at_least = sum(one >= grade for one in every)
            above = sum(one >= grade for one in ranked[:i])
            worth += alone - beta * (-ln(above / docs) + ln(at_least / docs))
        else:
            worth += alone - beta * alone
        yield worth


def set_f(measure: Measure, ranked: Grades, missed: Grades) -> Iterator[Decimal]:
    squared, base = number(measure.beta) ** 2, sum(grade > 0 for grade in ranked + missed)  # type: ignore[attr-defined]
    for n in range(len(ranked) + 1):
        found = sum(grade > 0 for grade in ranked[:n])
        yield (1 + squared) * found / (squared * base + n)


DEFINITIONS: dict[str, Prefixes] = {
    "NDCGT": ndcgt,
    "RBPT": rbpt,
    "ERRT": errt,
    "RRT": rrt,
    "FlatUtility": partial(utility, shares, lambda measure, rank: Decimal(1), False),
    "DCGU": partial(utility, shares, lambda measure, rank: 1 / log2(rank + 1), False),
    "ERRU": partial(utility, chances, lambda measure, rank: Decimal(1) / rank, True),
    "RBPU": partial(utility, shares, geometric, False),
    "RBU": partial(utility, chances, geometric, True),
    "iRBU": partial(utility, chances, geometric, True),
    "OIE": oie,
    "SetF": set_f,
}


def exact_end(measure: Measure, ranked: Grades, missed: Grades) -> int:
    """The shortest of the best prefixes."""
    with localcontext(prec=DIGITS):
        values = list(DEFINITIONS[type(measure).__name__](measure, ranked, missed))
        best = max(values)
        return next(n for n, value in enumerate(values) if best - value <= SAME)


def drawn(seed: int) -> tuple[Grades, Grades]:
    """A list of some hundred documents, of which up to nine tenths are relevant, rarer towards the end or not."""
    chance = np.random.default_rng(seed)
    length, share = int(chance.integers(200, 500)), chance.uniform(0.05, 0.9)
    falling = np.linspace(1, chance.uniform(0, 1), length)
    relevant = chance.random(length) < share * falling
    ranked = np.where(relevant, chance.integers(1, 3, length), 0).tolist()
    return ranked, [2, *chance.integers(0, 3, int(chance.integers(0, 60))).tolist()]


@pytest.mark.integration  # takes ten seconds
@pytest.mark.parametrize("name", MEASURES)
def test_the_best_end_is_that_of_800_digits(name: str) -> None:
    measure = parse_measure(name)
    for seed in range(8):
        ranked, missed = drawn(seed)
        [length] = optimal_lengths(measure, one_ranking(ranked, missed))[0].tolist()
        assert length == exact_end(measure, ranked, missed), seed


@pytest.mark.parametrize("p", [0.3, 0.8, 0.9, 0.98])
def test_where_everything_is_relevant_no_document_is_one_too_many(p: float) -> None:
    """RBPT: the list has T = n / R at its end, and each document adds p^(n-1) (1 + p / R - (1 - p) (n - 1) / R) > 0."""
    assert optimal_lengths(cf.RBPT(p=p), one_ranking([1] * 400))[0].tolist() == [400]


def test_users_who_are_all_but_surely_satisfied_count_as_ever() -> None:
    """ERRT after 300 of 301 relevant documents: 2^-300 of the users are left, for whom the terminal one is 300/301.

    It stands at rank 301. Or the last relevant document stands there, satisfies half of them, and
    the other half find the terminal one, now 1, at rank 302; or it stands one rank further down,
    and that is one too many.
    """
    assert 1 / 2 / 302 + 1 / 2 / 303 < 300 / 301 / 301 < 1 / 2 / 301 + 1 / 2 / 302
    assert optimal_lengths(cf.ERRT(), one_ranking([*[1] * 300, 1]))[0].tolist() == [301]
    assert optimal_lengths(cf.ERRT(), one_ranking([*[1] * 300, 0, 1]))[0].tolist() == [300]


def test_what_comes_after_a_long_stretch_of_nothing_counts() -> None:
    """0.01^500 is no number of 64 bits, and yet more than nothing."""
    rankings = one_ranking([*[0] * 500, 1, 0])
    for name in ("RBPT(p=0.01)", "iRBU(p=0.01)"):
        assert optimal_lengths(parse_measure(name), rankings)[0].tolist() == [501]


def test_ends_by_hand() -> None:
    """Three documents: - 1/4 + 1/4 = 0 is a tie, and the shorter list; with 1/8 more on the third it is not."""
    half, nothing = np.ones((1, 3)), np.array([[1 / 4, 0, 0]])
    assert best_ends(Steps(np.array([[0, 1 / 4, 0]]), nothing, half)).tolist() == [0]
    assert best_ends(Steps(np.array([[0, 1 / 4, 1 / 8]]), nothing, half)).tolist() == [3]
    assert best_ends(Steps(np.array([[0, 1 / 4, 1 / 8]]), nothing, half / 2)).tolist() == [0]  # 1/8 + 1/32 < 1/4

"""Eighteen mistakes planted in a tool, in each order of ties and with each answer for topics without a relevant one.

The tool is written as people write one, and knows nothing of the suite's own definitions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from math import log2
from typing import Final, TypeAlias

import pytest
from tools.each import each_of

import cranfield as cf

Qrels: TypeAlias = dict[str, dict[str, float]]
Lists: TypeAlias = dict[str, list[tuple[str, float]]]

TIES: Final = ("last id", "first id", "as given")
EMPTY: Final = ("zero", "left out", "one")

PLANTED: Final = {
    # The measure that shows it, the mistake, and a part of the sentence that names it.
    "ideal of what was retrieved": ("nDCG", "takes the ideal from the retrieved documents"),
    "ideal of the first k": ("nDCG", "takes the ideal from the first k retrieved"),
    "ideal not cut": ("nDCG", "does not cut the ideal at k"),
    "ideal as long as the list": ("nDCG", "cuts the ideal at the length of the list"),
    "exponential over linear": ("nDCG", "divides exponential gains by a linear ideal"),
    "one rank too far": ("nDCG", "one rank too far"),
    "gain of 1": ("nDCG", "gains 1 for each relevant document"),
    "one more": ("P", "looks at the first k + 1 documents"),
    "one fewer": ("P", "looks at the first k - 1 documents"),
    "no cutoff": ("RR", "looks at the whole list instead of the first k"),
    "by the list's length": ("P", "divides by the length of a list that is shorter than k"),
    "judged is relevant": ("AP", "treats every judged document as relevant"),
    "recall of what was found": ("R", "divides by the relevant documents that the whole list has"),
    "precision over what was found": ("AP", "divides by the number of relevant documents found"),
    "from rank 2": ("RR", "gives the first document rank 2"),
    "documents counted": ("Success", "counts the relevant documents found"),
    "zeros left out": ("RR", "leaves topics of value 0 out of the mean"),
    "upside down": ("nDCG", "ranks low scores first"),
}


def ordered(lines: list[tuple[str, float]], ties: str, mistake: str) -> list[str]:
    sign = 1 if mistake == "upside down" else -1
    last = {"last id": True, "first id": False, "as given": None}[ties]
    unique = list(dict(lines).items())
    if last is not None:
        unique.sort(key=lambda line: line[0], reverse=last)
    return [document for document, _ in sorted(unique, key=lambda line: sign * line[1])]


def gains_up(gains: list[float], mistake: str) -> float:
    first = 3 if mistake == "one rank too far" else 2
    return sum(gain / log2(place) for place, gain in enumerate(gains, first))


def ndcg(ranked: list[float], judged: list[float], k: int, mistake: str) -> float:
    ranked, judged = ([max(grade, 0) for grade in of] for of in (ranked, judged))
    if mistake == "gain of 1":
        ranked, judged = ([float(grade > 0) for grade in of] for of in (ranked, judged))
    pool = {"ideal of what was retrieved": ranked, "ideal of the first k": ranked[:k]}.get(mistake, judged)
    best = sorted(pool, reverse=True)
    best = best if mistake == "ideal not cut" else best[:k]
    best = best[: len(ranked)] if mistake == "ideal as long as the list" else best
    gains = [2**grade - 1 for grade in ranked] if mistake == "exponential over linear" else ranked
    ideal = gains_up(best, mistake)
    return gains_up(gains[:k], mistake) / ideal if ideal else 0.0


def of_topic(name: str, k: int | None, ranked: list[float], judged: list[float], mistake: str) -> float:
    k = k or len(ranked)
    if name == "nDCG":
        return ndcg(ranked, judged, k, mistake)
    relevant = [grade > 0 for grade in ranked]
    base = sum(grade > 0 for grade in judged)
    depth = {"one more": k + 1, "one fewer": k - 1, "no cutoff": len(ranked)}.get(mistake, k)
    first = relevant[:depth]
    if name == "P":
        return sum(first) / ((len(first) or 1) if mistake == "by the list's length" else k)
    if name == "R":
        return sum(first) / ((sum(relevant) if mistake == "recall of what was found" else base) or 1)
    if name == "RR":
        start = 2 if mistake == "from rank 2" else 1
        return next((1 / place for place, hit in enumerate(first, start) if hit), 0.0)
    if name == "Success":
        return float(sum(first) if mistake == "documents counted" else any(first))
    hits = [sum(first[:place]) / place for place, hit in enumerate(first, 1) if hit]
    return sum(hits) / ((len(hits) if mistake == "precision over what was found" else base) or 1)


def tool(mistake: str, ties: str, empty: str, only: str | None = None) -> Callable[[Qrels, Lists, str], float | None]:
    def scores(qrels: Qrels, run: Lists, measure: str) -> float | None:
        name, _, cut = measure.partition("@")
        if name not in ("nDCG", "P", "R", "RR", "AP", "Success") or only not in (None, name):
            return None
        values = []
        for topic, grades in qrels.items():
            worth = dict.fromkeys(grades, 1.0) if mistake == "judged is relevant" else grades
            ranked = [worth.get(document, 0.0) for document in ordered(run.get(topic, []), ties, mistake)]
            if not any(grade > 0 for grade in worth.values()) and empty != "zero":
                values += [1.0] if empty == "one" else []
                continue
            values.append(of_topic(name, int(cut) if cut else None, ranked, list(worth.values()), mistake))
        if mistake == "zeros left out":
            values = [value for value in values if value]
        return sum(values) / len(values) if values else 0.0

    return scores


def said_of(mistake: str, ties: str, empty: str) -> str:
    """Say whether the mistake is named, another one is (what empty topics count is no other one), or none is."""
    measure, words = PLANTED[mistake]
    found = cf.conform(tool(mistake, ties, empty, measure)).measures
    sentences = [sentence.split(" and ") for each in found for sentence in each.mistakes]
    ones = "counts 1 for a topic without a relevant document" if empty == "one" else words
    if any(words not in part and ones not in part for sentence in sentences for part in sentence):
        return "another"
    return "named" if any(words in part for sentence in sentences for part in sentence) else "missed"


@each_of("place", range(len(PLANTED)))
def test_planted_mistakes_are_named(place: int) -> None:
    """A ninth of all; the slow tier has them all."""
    how = list(product(TIES, EMPTY))[place % 9]
    assert said_of(list(PLANTED)[place], *how) == "named", how


@pytest.mark.slow
def test_every_planted_mistake_is_named() -> None:
    """docs/conformance.md has these counts."""
    found = Counter(said_of(*each) for each in product(PLANTED, TIES, EMPTY))
    assert found == {"named": 162}


@each_of(("ties", "empty"), product(TIES, EMPTY[:2]))
def test_a_correct_tool_is_told_so_first(ties: str, empty: str) -> None:
    found = cf.conform(tool("", ties, empty), tool="mine")
    assert found.caption().startswith("mine is correct by cranfield-conformance/")
    assert all(each.headline().startswith("correct") for each in found.measures)

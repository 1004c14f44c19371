"""The axioms of Amigó, Mizzaro and Spina (2022): what a measure of rankings, and of truncated ones, should do.

Each axiom is a set of comparisons between rankings, all of which a measure must decide as the axiom
says. Paper: "Ranking interruptus: when truncated rankings are better and how to measure that",
SIGIR 2022, section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cranfield.axioms.graded_lists import NO_GRADE, Lists, joined
from cranfield.plumbing.arrays import Booleans, Floats

AXIOMS: dict[str, Axiom] = {}
"""All axioms by name, in the order of the paper's Table 1."""

Comparisons: TypeAlias = tuple[Lists, ...]
"""Lists to compare, row by row: a better with a worse one; or a better change, from the second to the first, with a
worse change, from the fourth to the third."""

_EQUAL = 1e-12
"""Scores that differ by less, relative to the larger one, are equal; so are parts, relative to those that differ."""


def margins(scores: Sequence[Floats]) -> Floats:
    """Say by how much the better side wins in each comparison: negative where it loses, 0 where both are equal."""
    changes = [better - worse for better, worse in zip(scores[::2], scores[1::2], strict=True)]
    margin = changes[0] - changes[1] if len(changes) == 2 else changes[0]
    if margin.ndim == 1:
        amount = np.max(np.abs(scores), axis=0)
    else:
        margin, amount = margin.sum(axis=1), np.sum([np.abs(change).sum(axis=1) for change in changes], axis=0)
    return np.where(np.abs(margin) <= _EQUAL * amount, 0.0, margin)


@dataclass(frozen=True)
class Axiom:
    """What a measure should do."""

    name: str  # its name in the paper
    demand: str  # the axiom in a sentence
    # makes its comparisons from any lists and the largest grade; all of them must hold
    of_lists: Callable[[Lists, int], Comparisons] | None = None
    # Instead, for an axiom that there *is* a size with some property: ``"large"``, it must hold from that size on, or
    # ``"small"``, for at least one. Its comparisons are those of `thresholds`.
    limit: str | None = None

    def __post_init__(self) -> None:
        AXIOMS[self.name] = self

    def compared(self, lists: Lists, top_grade: int) -> Comparisons:
        """Make its comparisons from these lists; a threshold has none."""
        return self.of_lists(lists, top_grade) if self.of_lists else ()


def something_found(compared: Sequence[Lists]) -> Booleans:
    """Tell in which comparisons every list retrieves something relevant."""
    return np.asarray(np.logical_and.reduce([(lists.grade > 0).any(axis=1) for lists in compared]))


def priority(lists: Lists, top_grade: int) -> Comparisons:
    """Swap any two documents of which the lower one is better."""
    grade = lists.grade
    upper, lower = grade[:, :, np.newaxis], grade[:, np.newaxis, :]
    row, one, other = np.nonzero((upper >= 0) & (upper < lower) & _later(grade.shape[1], 1))
    return lists[row].exchanging(one, other), lists[row]


def top_weightedness(lists: Lists, top_grade: int) -> Comparisons:
    """Swap neighbours for the better, higher up or further down, where their grades are the same."""
    upper, lower = lists.grade[:, :-1], lists.grade[:, 1:]
    # A pair of neighbours as one number; -1 where the swap would not be for the better.
    pair = np.where((upper >= 0) & (upper < lower), upper * np.int16(128) + lower, -1)
    same = (pair[:, :, np.newaxis] >= 0) & (pair[:, :, np.newaxis] == pair[:, np.newaxis, :])
    row, early, late = np.nonzero(same & _later(pair.shape[1], 2))
    chosen = lists[row]
    return chosen.exchanging(early, early + 1), chosen.exchanging(late, late + 1)


def confidence(lists: Lists, top_grade: int) -> Comparisons:
    """Append a document that is not relevant, which was in the collection before."""
    return lists.missing(0), lists.appending(0)


def recall(lists: Lists, top_grade: int) -> Comparisons:
    """Add a relevant document to the collection, where something relevant is retrieved."""
    found = lists[something_found([lists])]
    grades = range(1, top_grade + 1)
    return joined([found for _ in grades]), joined([found.missing(grade) for grade in grades])


def redundancy(lists: Lists, top_grade: int) -> Comparisons:
    """Judge the last document relevant: above it there is nothing relevant, or one document just above it.

    The four lists are of topics that differ in these judgments; what they leave out is the same.
    """
    long = lists[lists.length >= 2]
    nothing = Lists(np.where(long.grade >= 0, np.int8(0), np.int8(NO_GRADE)), long.unretrieved).unique()[0]
    first, second = nothing.grading(1, top_grade), nothing.grading(2, top_grade)
    return first, nothing, second.grading(1, top_grade), second


def redundancy_within_a_topic(lists: Lists, top_grade: int) -> Comparisons:
    """Do the same with lists of one topic: what one of them retrieves and another does not is missed there."""
    first, nothing, both, second = redundancy(lists, top_grade)
    return (
        first.missing(top_grade, 0),
        nothing.missing(top_grade, top_grade),
        both.missing(0, 0),
        second.missing(top_grade, 0),
    )


def thresholds(sizes: Sequence[int], top_grade: int) -> Comparisons:
    """Compare one relevant document at the top with n of them after n that are not relevant, for each size n.

    Each size twice: in a collection that holds nothing else, and in one with as many documents
    again of both kinds, which neither list retrieves.
    """
    short, long = [], []
    for n in sizes:
        right, wrong = [top_grade] * n, [0] * n
        for spare in ([], right + wrong):
            short.append(([top_grade], right[1:] + wrong + spare))
            long.append((wrong + right, spare))
    return Lists.of(short), Lists.of(long)


def _later(size: int, by: int) -> Booleans:
    """Which columns come later than the row's by at least this many places."""
    return np.triu(np.ones((size, size), bool), by)


Axiom("Priority", "swapping a better document with a worse one above it raises the score", priority)
Axiom(
    "Top-weightedness",
    "the same improving swap of neighbours raises the score by more at a higher rank",
    top_weightedness,
)
Axiom(
    "Deepness threshold",
    "for a large enough n, one relevant document at the top beats n relevant ones below n that are not relevant",
    limit="large",
)
Axiom(
    "Shallowness threshold",
    "for some small n, n relevant documents below n that are not relevant beat one relevant document at the top",
    limit="small",
)
Axiom("Confidence", "appending a document that is not relevant lowers the score", confidence)
Axiom("Recall", "one more missed relevant document lowers the score", recall)
Axiom(
    "Redundancy",
    "making a document relevant raises the score by more if none above it is relevant than if the one just above it is",
    redundancy,
)
Axiom(
    "Redundancy within a topic",
    "the first of two equally relevant documents raises the score by more than the second",
    redundancy_within_a_topic,
)

"""Which grade has a document that several people judged? A policy says so; each is a function of all grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

Policy: TypeAlias = Literal["first", "majority", "mean", "adjudicated"]
Grades: TypeAlias = Sequence[tuple[float, bool]]
"""Grade, and whether it settles the matter, of each judgment that has a grade, in the order of time."""


def first(grades: Grades) -> float | None:
    """Return the grade that was given first."""
    return grades[0][0]


def majority(grades: Grades) -> float | None:
    """Return the grade that was given most often; None if two were given equally often."""
    given = [grade for grade, _ in grades]
    votes = {grade: given.count(grade) for grade in given}
    most = [grade for grade, count in votes.items() if count == max(votes.values())]
    return most[0] if len(most) == 1 else None


def mean(grades: Grades) -> float | None:
    """Return the mean of the grades. Their order makes no difference."""
    found = sum(sorted(grade for grade, _ in grades)) / len(grades)
    return int(found) if found.is_integer() else found


def adjudicated(grades: Grades) -> float | None:
    """Return the last grade that settles the matter; without one, the grade that all gave, or None."""
    settled = [grade for grade, settles in grades if settles]
    if settled:
        return settled[-1]
    return grades[0][0] if len({grade for grade, _ in grades}) == 1 else None


POLICIES: Final[dict[Policy, Callable[[Grades], float | None]]] = {
    "first": first,
    "majority": majority,
    "mean": mean,
    "adjudicated": adjudicated,
}
"""All policies by name."""

"""From grades to gains: how much a document of each grade is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

import numpy as np

from cranfield.judged.judgments import is_relevant
from cranfield.measures.framework.parameters import Written, computable
from cranfield.plumbing.arrays import Floats

Dcg: TypeAlias = Literal["log2", "exp-log2"]

LARGEST_POWER: Final = 1000
"""2 to this power, a million times over, is still a number in 64 bits; 2^1024 is not."""


WHOLE: Final = 10**16
"""From here on floating point writes whole numbers shorter."""


class GainMap(Mapping[float, float], Written):
    """A gain for each of some grades; a grade that is not named is its own gain, or 0 if it is negative."""

    written = "a map such as {1:5,2:10}"

    def __init__(self, gains: Mapping[int, float] | Mapping[float, float]) -> None:
        if not isinstance(gains, Mapping):
            raise TypeError("gains are written as {grade: gain}, such as {1:5,2:10}")
        self._gains = {float(grade): computable(float(gain)) for grade, gain in sorted(gains.items())}
        if not np.isfinite(list(self._gains)).all():
            raise ValueError("grades and gains are finite numbers")

    def of(self, grade: Floats | float) -> Floats:
        """Return the gain of each grade."""
        gain = linear(grade)
        for mapped, worth in self._gains.items():
            gain = np.where(grade == mapped, worth, gain)
        return gain

    def __getitem__(self, grade: float) -> float:
        return self._gains[grade]

    def __iter__(self) -> Iterator[float]:
        return iter(self._gains)

    def __len__(self) -> int:
        return len(self._gains)

    def __hash__(self) -> int:
        return hash(tuple(self._gains.items()))

    def __str__(self) -> str:
        return "{" + ",".join(f"{number(grade)}:{number(gain)}" for grade, gain in self._gains.items()) + "}"

    __repr__ = __str__


def number(value: float) -> str:
    """Write a number as short as it can be read back: whole ones without a point."""
    return repr(int(value)) if abs(value) < WHOLE and value == int(value) else repr(float(value))


def linear(grade: Floats | float) -> Floats:
    """Gain equal to the grade; negative grades (spam, say) are worth nothing."""
    return np.maximum(grade, 0.0)


def exponential(grade: Floats | float, top_grade: float = 0.0) -> Floats:
    """Gain 2^grade - 1; divided by 2^(top_grade - 1000) where the largest grade is above 1000, to stay a number."""
    too_much = max(top_grade - LARGEST_POWER, 0.0)
    gain: Floats = np.exp2(linear(grade) - too_much) - np.exp2(-too_much)
    return gain


def share_of_top(grade: Floats | float, top_grade: float) -> Floats:
    """Gain in [0, 1]: the grade as a share of the largest one."""
    return linear(grade) / (top_grade or 1.0)


def binary(grade: Floats | float, rel: float | None) -> Floats:
    """Gain 1 of what is relevant, 0 of the rest."""
    return np.asarray(is_relevant(np.asarray(grade), rel), np.float64)

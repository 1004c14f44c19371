"""Measures that a table of scores has values of, and that nothing here computes."""

from __future__ import annotations

import math
from typing import ClassVar

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import MeasureError


class KnownByName(Measure, registered=False):
    """What is it called? More of it is better.

    >>> KnownByName("resolved"), KnownByName("resolved") == KnownByName("won")
    (resolved, False)
    """

    range: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    @property
    def definition(self) -> str:
        """Its name."""
        return self.name

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnownByName) and self.name == other.name

    def __hash__(self) -> int:
        return hash((KnownByName, self.name))

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Refuse: there are values alone."""
        raise MeasureError(f"{self.name} is known by its name alone: a table has its values, and none can be computed")

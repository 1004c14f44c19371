"""Precision at levels of recall, interpolated: the highest from a level on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gains import number
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import Written, condensed, level, parameter
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import MeasureError

Rounding: TypeAlias = Literal["trec9", "trec10"]


class Interpolated(Measure, registered=False):
    """Precision at recall levels, interpolated as the highest precision from there on."""

    rel: float | None = level()
    judged_only: bool = condensed()
    rounding: Rounding = parameter(
        "trec9",
        "how a level becomes a number of documents: floor(level·R + 0.9), or to the nearest as in trec_eval 10",
        kind=str,
        choices=("trec9", "trec10"),
    )

    def at_level(self, rankings: JudgedRankings, level: float) -> Floats:
        """Return, by row, the highest precision at that many relevant documents or more; 0 where there are fewer."""
        relevant, base = rankings.relevant(self.rel), rankings.recall_base(self.rel)
        wanted = np.floor(level * base + (0.9 if self.rounding == "trec9" else 0.5))
        best = rankings.once(
            ("interpolated precision", self.rel), lambda: relevant.largest_from(relevant.nth / relevant.rank)
        )
        return relevant.sum(np.where(relevant.nth == np.maximum(wanted, 1)[relevant.row], best, 0.0))


class IPrec(Interpolated):
    """What is the highest precision at or above this recall?

    IPrec@r = max of P@i over the ranks i at which at least c relevant documents were retrieved, c =
    floor(r·R + 0.9)

    The rounding of r·R to a number of documents is trec_eval 9's; rounding='trec10' takes the
    nearest number, as trec_eval 10 does, which changes figures where R is small.

    Paper: trec_eval, iprec_at_recall; van Rijsbergen (1979), "Information retrieval", chapter 7.

    >>> IPrec(recall=0.5).of([0, 1, 1, 0, 1], unretrieved=[1])  # R = 4, c = 2: max(2/3, 3/5)
    0.666...
    """

    trec_at = "iprec_at_recall_{at:.2f}"
    at = "recall"
    at_required = True
    at_typical = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    recall: float | None = parameter(None, "the recall level", at_least=0, at_most=1)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Highest precision from the level on."""
        return self.at_level(rankings, self.recall or 0.0)

    def trec_name(self) -> str:
        """The rounding is the version's, not the name's."""
        return f"iprec_at_recall_{self.recall:.2f}"


class Levels(tuple[float, ...], Written):
    """Recall levels, rising.

    >>> str(Levels([0.2, 0.5]))
    '[0.2,0.5]'
    """

    __slots__ = ()
    written = "a list of numbers from 0 to 1"

    def __new__(cls, levels: tuple[float, ...] | list[float]) -> Levels:
        """Check that each is a share."""
        numbers = sorted(float(level) for level in levels)
        if not numbers or not 0 <= numbers[0] <= numbers[-1] <= 1:
            raise ValueError("recall levels are a list of numbers from 0 to 1")
        return super().__new__(cls, numbers)

    def __str__(self) -> str:
        return "[" + ",".join(map(number, self)) + "]"


ELEVEN = Levels([i / 10 for i in range(11)])


class IPrecAvg(Interpolated):
    """What is the interpolated precision, averaged over levels of recall?

    IPrecAvg = mean of IPrec@r over the levels r = 0, 0.1, ..., 1 (11-point average precision)

    Paper: trec_eval, 11pt_avg; Salton and McGill (1983), "Introduction to modern information
    retrieval", chapter 5.

    >>> IPrecAvg(levels=[0.5, 1]).of([0, 1, 1], unretrieved=[])  # (2/3 + 2/3) / 2
    0.666...
    """

    trec = "11pt_avg"
    levels: Levels = parameter(ELEVEN, "the recall levels", kind=Levels)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean over the levels."""
        total = np.zeros(rankings.rows)
        for recall in reversed(self.levels):  # added up from the highest, as trec_eval does
            total += self.at_level(rankings, recall)
        return total / len(self.levels)

    def trec_name(self) -> str:
        """Name it as trec_eval does: 11pt_avg_.25,.5."""
        written = ",".join(number(level).removeprefix("0") or "0" for level in self.levels)
        return self.name_given or ("11pt_avg" if self.levels == ELEVEN else f"11pt_avg_{written}")

    @classmethod
    def from_trec(cls, given: str) -> Iterator[Measure]:
        """Read trec_eval's list of levels."""
        try:
            yield cls(levels=Levels([float(part) for part in given.split(",")]))
        except ValueError:
            raise MeasureError(f"11pt_avg.{given}: recall levels are numbers from 0 to 1") from None

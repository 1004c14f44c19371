"""Whether a paper's claim holds here: three verdicts, from estimates with their intervals.

A claim about data is declared once (`Paper.claim`): the paper's own words, the conditions under which it has
them, what is estimated, and where that should be. An item tells it from what it finds, by name::

    LEAST_LIKE_RBP.told(study, estimated(tau_difference, {"bpref less RBP": ..., "nDCG less RBP": ...}))

The rule is one for all claims. A part holds where its whole interval lies strictly within what the claim
says, and does not hold where the whole interval lies outside; the claim holds where all its parts do, and
does not hold where one does not. Otherwise, where the data are less than the claim is of (`ClaimSetting`)
or lack what it needs besides, and where there is no interval, it cannot be told here. The intervals of a
claim's k parts hold together: each has the level 1 - .05/k.

What a definition implies is no claim about data: it is shown on the page of claims, and tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Final

from cranfield.reports.document import Statement
from cranfield.reproductions.needs import ClaimSetting, Need
from cranfield.reproductions.study import Study

HOLDS: Final = "holds"
FAILS: Final = "does not hold"
OPEN: Final = "cannot be told here"
VERDICTS: Final = (HOLDS, FAILS, OPEN)


@dataclass(frozen=True)
class Estimate:
    """A number, and the ends of its interval; infinite ends where there is no interval."""

    value: float
    low: float = -inf
    high: float = inf

    @classmethod
    def counted(cls, value: float) -> Estimate:
        """Take a number that is counted and not estimated: its interval is itself."""
        return cls(value, value, value)


@dataclass(frozen=True)
class ClaimPart:
    """One number that a claim speaks of: it should be above one limit, below another, or between two."""

    name: str
    estimate: Estimate  # The number with its interval
    above: float = -inf  # Where the claim puts it, strictly
    below: float = inf
    digits: int = 2  # With how many decimal places it is written
    percent: bool = False  # Whether it is a share, written in per cent

    @property
    def verdict(self) -> str:
        """Judge by the whole interval: strictly within the claim, it holds; wholly outside, it does not."""
        low, high = self.estimate.low, self.estimate.high
        if self.above < low and high < self.below:
            return HOLDS
        return FAILS if high < self.above or low > self.below else OPEN

    def __str__(self) -> str:
        """Write name, estimate and interval, such as ``empty 10% [5, 15]``."""
        scale, unit = (100, "%") if self.percent else (1, "")
        value, low, high = (
            _written(scale * number, self.digits)
            for number in (self.estimate.value, self.estimate.low, self.estimate.high)
        )
        between = f" [{low}, {high}]" if isfinite(self.estimate.low) and low != high else ""
        return f"{self.name} {value}{unit}{between}"


def _written(number: float, digits: int) -> str:
    """Write a number, without a sign where it is 0 as written."""
    text = f"{number:.{digits}f}"
    return text.removeprefix("-") if isfinite(number) and float(text) == 0 else text


def verdict(parts: Sequence[ClaimPart]) -> str:
    """Judge a claim by its parts: it holds if all do, and does not if one does not."""
    found = {part.verdict for part in parts}
    return FAILS if FAILS in found else OPEN if OPEN in found or not found else HOLDS


@dataclass(frozen=True)
class Claim:
    """What a paper says of data, and what would tell whether it is so elsewhere."""

    words: str  # The paper's own
    where: str  # The section, table or figure
    conditions: str  # On how much data the paper has it, and of which kind
    estimand: str  # What is estimated here, and what its interval is over
    asks: str  # Which values of it would bear the claim out
    of: ClaimSetting
    """Of how many systems and topics, lists how deep, and which pool it is: with less no verdict is passed."""
    needs: tuple[Need, ...] = ()  # What else the data must have for a verdict
    above: float = -inf  # Where the claim puts its numbers, strictly
    below: float = inf
    digits: int = 2  # With how many decimal places they are written
    percent: bool = False  # Whether they are shares, written in per cent
    may: bool = False  # Whether the paper says only that it may be so, which nothing that is not found refutes

    def told(
        self, study: Study, found: Mapping[str, Estimate | float] | Sequence[ClaimPart], says: str = ""
    ) -> Statement:
        """State what is found, with the verdict that it allows.

        Numbers go by name into the words of the claim; those without an estimate have no interval.
        """
        parts = [self._part(*each) for each in found.items()] if isinstance(found, Mapping) else found
        lack = self.lack(study)
        passed = OPEN if lack else verdict(parts)
        if self.may and passed == FAILS:
            passed = OPEN
        unsure = not lack and passed == OPEN and bool(parts) and not any(isfinite(p.estimate.low) for p in parts)
        sentences = [
            lack,
            "; ".join(map(str, parts)) + "." if parts else "",
            says,
            "These numbers have no interval of known coverage." if unsure else "",
        ]
        by = {
            "Where": self.where,
            "Paper's data": self.conditions,
            "Needs": str(self.of),
            "Estimate": self.estimand,
            "Holds if": self.asks,
        }
        return Statement(self.words, " ".join(filter(None, sentences)), passed, tuple(by.items()))

    def _part(self, name: str, found: Estimate | float) -> ClaimPart:
        estimate = found if isinstance(found, Estimate) else Estimate(found)
        return ClaimPart(name, estimate, self.above, self.below, self.digits, self.percent)

    def lack(self, study: Study) -> str:
        """Name everything that a study lacks for a verdict."""
        return " ".join(lack for need in (*self.of.needs, *self.needs) if (lack := need(study)))


def beside(paper: str, here: str | Mapping[str, str]) -> Statement:
    """Show numbers of the paper's own data, or definitions, next to those found here, without a verdict."""
    return Statement(paper, here if isinstance(here, str) else f"{'; '.join(map(': '.join, here.items()))}.")


def level(parts: int) -> float:
    """Return the level of each interval that makes all hold together with .95 (Bonferroni): 1 - .05/parts."""
    return 1 - 0.05 / max(parts, 1)

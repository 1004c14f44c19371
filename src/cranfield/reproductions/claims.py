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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from math import inf, isfinite
from typing import Final, Literal, TypeAlias

from cranfield.plumbing.wording import counted
from cranfield.reports.elements import Statement
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
        """State what is found, with the verdict that it allows; numbers without an estimate have no interval."""
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


Need: TypeAlias = Callable[[Study], str | None]
"""Says what a study lacks, or None where it lacks nothing."""


_LACKS: Final = {
    "collections": "This needs at least {least} {of}; there {are} {there}. Add others with --also.",
    "grades": "This needs at least {least} {of} of relevance; there {are} {there}.",
    "depth": "This needs lists of {least:,} documents; half of those here have {there:,} or fewer.",
    "pool": "This needs lists judged to rank {least:,}; half of those here are judged to rank {there:,} or less.",
}


def at_least(least: int, of: Literal["runs", "topics", "grades", "collections", "depth", "pool"]) -> Need:
    """Return the need for as many runs, topics, grades above 0 or collections, or for lists or a pool as deep.

    Half of the lists or more must reach that rank, or be judged without a gap down to it.
    """
    return partial(_lack, least, of)


def _lack(least: int, of: str, study: Study) -> str | None:
    there = study.counts[of]
    words = _LACKS.get(of, "This needs at least {least} {of}; there {are} {there}.")
    return None if there >= least else words.format(least=least, of=of, there=there, are="is" if there == 1 else "are")


@dataclass(frozen=True)
class ClaimSetting:
    """Of which data a claim is: what it presupposes, and what a verdict on it takes elsewhere, too."""

    runs: int = 1  # How many systems and topics
    topics: int = 1
    depth: int = 1  # Down to which rank lists go
    pool: int = 0  # Down to which rank lists are judged; 0 where any judgments will do

    @property
    def needs(self) -> tuple[Need, ...]:
        """What a study must have of it."""
        least = (self.runs, "runs"), (self.topics, "topics"), (self.depth, "depth"), (self.pool, "pool")
        return tuple(starmap(at_least, least))

    def __str__(self) -> str:
        """Write it as ``33 runs, 20 topics, lists of 1,000 documents, judged to rank 50``."""
        parts = [
            counted(self.runs, "run"),
            counted(self.topics, "topic"),
            f"lists of {counted(self.depth, 'document')}" if self.depth > 1 else "",
            f"judged to rank {self.pool:,}" if self.pool else "",
        ]
        return ", ".join(filter(None, parts))

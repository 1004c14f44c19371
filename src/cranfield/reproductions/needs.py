"""What a study must have, for an item to be done and for a claim to be judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from cranfield.plumbing.wording import counted
from cranfield.reproductions.study import Study

Need: TypeAlias = Callable[[Study], str | None]
"""Says what a study lacks, or None where it lacks nothing."""


def at_least(least: int, of: Literal["runs", "topics", "grades", "collections"]) -> Need:
    """Return the need for this many runs, topics, grades of relevance above 0, or collections."""
    return partial(_too_few, least, of)


def lists_of(least: int) -> Need:
    """Return the need of lists so deep: half of them or more must reach that rank."""
    return partial(_too_short, least)


def judged_to(least: int) -> Need:
    """Return the need of a pool so deep: half of the lists or more must be judged without a gap down to that rank."""
    return partial(_too_shallow, least)


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
        return at_least(self.runs, "runs"), at_least(self.topics, "topics"), lists_of(self.depth), judged_to(self.pool)

    def __str__(self) -> str:
        """Write it down.

        >>> str(ClaimSetting(runs=33, topics=20, depth=1000, pool=50)), str(ClaimSetting())
        ('33 runs, 20 topics, lists of 1,000 documents, judged to rank 50', '1 run, 1 topic')
        """
        parts = [
            counted(self.runs, "run"),
            counted(self.topics, "topic"),
            f"lists of {counted(self.depth, 'document')}" if self.depth > 1 else "",
            f"judged to rank {self.pool:,}" if self.pool else "",
        ]
        return ", ".join(filter(None, parts))


def _too_few(least: int, of: str, study: Study) -> str | None:
    there = study.counts[of]
    if there >= least:
        return None
    more = {"collections": "; name further ones with --also", "grades": " of relevance"}.get(of, "")
    return f"It takes at least {least} {of}, and there {'is' if there == 1 else 'are'} {there}{more}."


def _too_short(least: int, study: Study) -> str | None:
    depth = study.counts["depth"]
    if depth >= least:
        return None
    return f"It takes lists of {least:,} documents; half of those here have {depth:,} or fewer."


def _too_shallow(least: int, study: Study) -> str | None:
    pool = study.counts["pool"]
    if pool >= least:
        return None
    return f"It takes lists judged to rank {least:,}; half of those here are judged to rank {pool:,} or less."

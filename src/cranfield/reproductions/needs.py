"""What a study must have, for an item to be done and for a claim to be judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import Final, Literal, TypeAlias

from cranfield.plumbing.wording import counted
from cranfield.reproductions.study import Study

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
    are = "is" if there == 1 else "are"
    return None if there >= least else words.format(least=least, of=of, there=there, are=are)


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

"""What is asked of the lists of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cranfield.altering import Changes
from cranfield.app.explorer.questions.explored import Explored
from cranfield.judgments import is_relevant
from cranfield.plots.theme import NOT_RELEVANT, RELEVANT, UNJUDGED
from cranfield.rankings import JudgedRankings

LISTS: Final = 4
"""So many lists stand side by side at the most."""
SHOWN: Final = 20
"""So many ranks of a list are shown, unless more are asked for."""


@dataclass(frozen=True)
class Entry:
    """A document in a list.

    Attributes
    ----------
    rank, document, title
        Where it stands, and what it is.
    grade, state
        Its grade (None is unjudged), and what that is called.
    was
        The rank that it had before anything was changed.
    other
        Its rank in the first of the lists; None where that lacks it, or this is the first.
    alone
        Whether no other of the lists has it.
    """

    rank: int
    document: str
    title: str
    grade: float | None
    state: str
    was: int
    other: int | None
    alone: bool


@dataclass(frozen=True)
class RankedList:
    """A run's list of a topic: its first entries, and how long it is."""

    run: str
    entries: tuple[Entry, ...]
    length: int


def lists(
    explored: Explored, topic: str, runs: Sequence[str], changes: Changes | None = None, first: int = SHOWN
) -> list[RankedList]:
    """Return the lists of some runs, side by side."""
    before, now = explored.on(topic, runs), explored.on(topic, runs, changes)
    grade, rel = now.judgments.grade, explored.runs.grading.rel
    ids = now.judgments.documents[0]
    ranks, was = _ranks(now), _ranks(before)
    found = []
    for number, run in enumerate(runs):
        others = {place for other, listed in enumerate(ranks) if other != number for place in listed}
        entries = [
            Entry(
                rank,
                ids[place],
                explored.title_of_document(ids[place]),
                None if np.isnan(grade[place]) else float(grade[place]),
                _state(grade[place], rel),
                was[number][place],
                ranks[0].get(place) if number else None,
                len(runs) > 1 and place not in others,
            )
            for place, rank in sorted(ranks[number].items(), key=lambda pair: pair[1])[:first]
        ]
        found.append(RankedList(run, tuple(entries), len(ranks[number])))
    return found


def _ranks(rankings: JudgedRankings) -> list[dict[int, int]]:
    """Return, for each run of a topic, the rank of each document that it has, by its place in the judgments."""
    each = [rankings.only(run) for run in range(len(rankings.runs))]
    return [dict(zip(one.judgment.tolist(), one.rank.tolist(), strict=True)) for one in each]


def _state(grade: float, rel: float | None) -> str:
    """Say what a document of a grade is called."""
    if np.isnan(grade):
        return UNJUDGED
    return RELEVANT if is_relevant(np.array(grade), rel) else NOT_RELEVANT

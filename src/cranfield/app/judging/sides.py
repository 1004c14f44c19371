"""Lists of runs as assessors see them: the first ten of one, or of two side by side under names that tell nothing."""

from __future__ import annotations

from hashlib import sha256
from itertools import combinations
from typing import Final

import numpy as np

from cranfield.app.judging.board import TaskBoard
from cranfield.app.judging.task import Task
from cranfield.scoring.orientation import best_first

FIRST: Final = 10
"""How many documents of a list are shown."""
BEST: Final = 5
"""The pairs of how many runs are compared: those that are best so far."""


def blinded(task: Task, who: str, topic: str, run: str) -> str:
    """Return a name for a run that tells nothing, another one for each topic and person.

    >>> blinded(Task("t", "", [(0, "0"), (1, "1")], {}), "Ann", "1", "bm25")
    '80552a7c4489'
    """
    return sha256("\0".join((task.id, who, topic, run)).encode()).hexdigest()[:12]


def first_of(board: TaskBoard, run: str, topic: str) -> list[str]:
    """Return the first ten documents of a run; none where it lacks the topic."""
    candidates = board.candidates
    if topic not in candidates.topics:
        return []
    code, cells = candidates.topic_code(topic), candidates.cells_of(candidates.topic_code(topic))
    own = np.flatnonzero(
        (candidates.cell_run[cells] == candidates.runs.index(run)) & (candidates.cell_rank[cells] <= FIRST)
    )
    own = own[np.argsort(candidates.cell_rank[cells][own])]
    places = candidates.cell_document[cells][own] + candidates.documents_of(code).start
    return [candidates.document[place] for place in places.tolist()]


def best_runs(board: TaskBoard) -> list[str]:
    """Name all runs, the best so far first."""
    return [board.candidates.runs[run] for run in best_first(board.judging.state.base.mean(axis=1))]


def open_pairs(board: TaskBoard, who: str, topic: str) -> list[tuple[str, str]]:
    """List the pairs of the best runs that somebody has not compared on a topic, left and right as chance has it."""
    compared = {
        frozenset((each.left, each.right)) for each in board.preferred if (each.who, each.topic) == (who, topic)
    }
    best = [run for run in best_runs(board)[:BEST] if first_of(board, run, topic)]  # an empty list is no better one
    pairs = [pair for pair in combinations(best, 2) if frozenset(pair) not in compared]
    return [tuple(sorted(pair, key=lambda run: blinded(board.task, who, topic, run))) for pair in pairs]  # type: ignore[misc]

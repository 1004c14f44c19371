"""What is asked of two runs."""

from __future__ import annotations

import numpy as np

from cranfield.app.explorer.questions.explored import Explored
from cranfield.arrays import Integers
from cranfield.lazily import pl
from cranfield.overtaking import Overtaking, overtake


def contrasts(explored: Explored, a: str, b: str, measure: str | None = None) -> pl.DataFrame:
    """On which topics do two runs differ most?

    A row for each topic, the largest difference first: columns topic, title, a, b (their
    values), difference (a less b), shared (of the first ten documents).
    """
    m = explored.place(measure)
    one, other = (explored.runs.runs.index(explored.run(name)) for name in (a, b))
    values = explored.scores.values[m]
    found = pl.DataFrame(
        {
            "topic": explored.runs.topics,
            "title": [explored.title_of(topic) for topic in explored.runs.topics],
            "a": values[one],
            "b": values[other],
            "difference": values[one] - values[other],
            "shared": shared(explored, one, other),
        }
    )
    return found.sort(pl.col("difference").abs(), descending=True, maintain_order=True)


def overtaking(explored: Explored, behind: str, ahead: str, measure: str | None = None) -> Overtaking:
    """What would it take for one run to overtake another?"""
    m = explored.place(measure)
    return overtake(explored.runs, None, explored.scores.measures[m], behind=behind, ahead=ahead)


def shared(explored: Explored, one: int, other: int, first: int = 10) -> Integers:
    """How many of the first documents two runs have in common, by topic."""
    mine, theirs = (explored.runs.of_run(run).cut(first).judgment for run in (one, other))
    both = np.intersect1d(mine, theirs)
    return np.bincount(explored.runs.judgments.topic[both], minlength=len(explored.runs.topics))

"""The second of two steps: a batch of judged rankings and the conditions to a block of values, bounds and audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cranfield.arrays import Booleans, Floats
from cranfield.audit import RunAudit
from cranfield.completions import Kind, surely
from cranfield.conditions import USUAL_GRADING, Grading
from cranfield.measures.machinery.measure import Measure
from cranfield.rankings import JudgedRankings


@dataclass(frozen=True, eq=False)
class Block:
    """What a batch of rankings was scored.

    Attributes
    ----------
    runs
        Names of the runs of the batch.
    measures
        The measures that are numbers, at the relevance level that was asked for.
    values
        Array of shape (measures, runs, topics): 0 where a run lacks the topic.
    present
        Array of shape (runs, topics): whether the run has the topic.
    audits
        What was found of each run when it was ranked.
    texts
        For measures that are a text to read: array of shape (runs, topics).
    limits
        Where bounds were asked for: array of shape (2, measures, runs, topics), lowest and highest
        values.
    kinds
        For each measure with bounds, what is sure about them.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    present: Booleans
    audits: tuple[RunAudit, ...]
    texts: dict[Measure, npt.NDArray[np.object_]] = field(default_factory=dict)
    limits: Floats | None = None
    kinds: dict[Measure, Kind] = field(default_factory=dict)


def score(rankings: JudgedRankings, measures: Sequence[Measure], grading: Grading = USUAL_GRADING) -> Block:
    """Score a batch of rankings by measures.

    Parameters
    ----------
    rankings
        What `rank` gave, of one run or of several put together.
    measures
        What to score by.
    grading
        The lowest relevant grade, whether unjudged documents are dropped first, and whether bounds
        are asked for.

    Examples
    --------
    >>> from cranfield.measures import REGISTRY
    >>> from cranfield.rankings import one_ranking
    >>> score(one_ranking([None, 1, 2]), [REGISTRY["RR"]()], Grading(rel=2)).values.tolist()
    [[[0.3333333333333333]]]
    """
    asked = at_level(measures, grading.rel)
    rankings = rankings.condensed() if grading.judged_only else rankings
    shape = (len(rankings.runs), len(rankings.topics))
    numbers = tuple(measure for measure in asked if not measure.text)
    values = [measure.by_run(rankings) for measure in numbers]
    kinds: dict[Measure, Kind] = {}
    return Block(
        runs=rankings.runs,
        measures=numbers,
        values=np.array(values, dtype=np.float64).reshape(len(numbers), *shape),
        present=rankings.present.reshape(shape),
        audits=rankings.audits,
        texts={measure: measure.by_run(rankings) for measure in asked if measure.text},
        limits=_limits(numbers, rankings, kinds) if grading.bounds else None,
        kinds=kinds,
    )


def at_level(measures: Sequence[Measure], rel: float | None) -> tuple[Measure, ...]:
    """Return the measures with this lowest relevant grade, those that know one and have none of their own."""
    return tuple(measures) if rel is None else tuple(dict.fromkeys(measure.with_level(rel) for measure in measures))


def _limits(measures: tuple[Measure, ...], rankings: JudgedRankings, kinds: dict[Measure, Kind]) -> Floats:
    """Lowest and highest values, run by run: array of shape (2, measures, runs, topics)."""
    runs = len(rankings.runs)
    limits = np.zeros((2, len(measures), runs, len(rankings.topics)))
    for r in range(runs):
        run = rankings.only(r)
        for m, measure in enumerate(measures):
            found = measure.bounds(run)
            kinds[measure] = surely(found.kind, kinds.get(measure, found.kind))
            there = np.ones_like(run.present) if measure.of_topic else run.present
            limits[:, m, r] = np.where(there, (found.low, found.high), 0.0)
    return limits

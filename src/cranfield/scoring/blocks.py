"""The second of two steps: a batch of judged rankings and the conditions to a block of values, bounds and audit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from cranfield.judged.audit import RunAudit
from cranfield.judged.completions import Kind, surely
from cranfield.judged.conditions import USUAL_GRADING, Grading
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.late import late

_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Block:
    """What a batch of rankings was scored."""

    runs: tuple[str, ...]  # names of the runs of the batch
    measures: tuple[Measure, ...]  # the measures that are numbers, at the relevance level that was asked for
    values: Floats  # array of shape (measures, runs, topics): 0 where a run lacks the topic
    present: Booleans  # array of shape (runs, topics): whether the run has the topic
    audits: tuple[RunAudit, ...] = late()  # what was found of each run when it was ranked
    # for measures that are a text to read: array of shape (runs, topics)
    texts: dict[Measure, npt.NDArray[np.object_]] = field(default_factory=dict)
    # where bounds were asked for: array of shape (2, measures, runs, topics), lowest and highest values
    limits: Floats | None = None
    kinds: dict[Measure, Kind] = field(default_factory=dict)  # for each measure with bounds, what is sure about them
    # where the block is of some topics alone, which topics of the collection they are; None where it is of all
    places: Integers | None = None

    def __getstate__(self) -> dict[str, object]:
        """What is sent elsewhere has its audits."""
        return vars(self) | {"audits": self.audits}


def score(rankings: JudgedRankings, measures: Sequence[Measure], grading: Grading = USUAL_GRADING) -> Block:
    """Score a batch of rankings, of one run or of several put together, by measures."""
    asked = as_taken(measures, grading)
    rankings = rankings.condensed() if grading.judged_only else rankings
    shape = (len(rankings.runs), len(rankings.topics))
    numbers = tuple(measure for measure in asked if not measure.text)
    values = np.empty((len(numbers), *shape))
    for value, measure in zip(values, numbers, strict=True) if rankings.rows else ():
        value[:] = measure.by_run(rankings)
    texts = [measure for measure in asked if measure.text]
    kinds: dict[Measure, Kind] = {}
    return Block(
        runs=rankings.runs,
        measures=numbers,
        values=values,
        present=rankings.present.reshape(shape),
        audits=vars(rankings)["audits"],  # not looked at yet, where nobody has asked
        texts={each: np.asarray(each.by_run(rankings)) if rankings.rows else np.empty(shape, object) for each in texts},
        limits=_limits(numbers, rankings, kinds) if grading.bounds else None,
        kinds=kinds,
        places=rankings.judgments.places,
    )


def over_topics(blocks: Iterable[Block], judgments: Judgments) -> list[Block]:
    """Put blocks of some topics together, so that each block is of all topics; what is so already stays as it is."""
    found: list[list[Block]] = []
    parts_of: dict[tuple[str, ...], list[Block]] = {}
    for block in blocks:
        if block.places is None:
            found.append([block])
        else:
            if block.runs not in parts_of:
                found.append(parts_of.setdefault(block.runs, []))
            parts_of[block.runs].append(block)
    return [parts[0] if parts[0].places is None else _whole(parts, judgments) for parts in found]


def _whole(parts: list[Block], judgments: Judgments) -> Block:
    """Put the parts of a block together."""
    first, topics = parts[0], len(judgments.topics)
    places = np.concatenate([part.places for part in parts if part.places is not None])
    if (np.bincount(places, minlength=topics) != 1).any():
        raise ValueError("the parts of a run hold each topic once")

    def spread(arrays: Iterable[npt.NDArray[_T]]) -> npt.NDArray[_T]:
        together = np.concatenate(list(arrays), axis=-1)
        whole = np.empty_like(together)
        whole[..., places] = together
        return whole

    limits = [part.limits for part in parts if part.limits is not None]
    found = {m: [part.kinds[m] for part in parts if m in part.kinds] for part in parts for m in part.kinds}
    return replace(
        first,
        values=spread(part.values for part in parts),
        present=spread(part.present for part in parts),
        audits=tuple(RunAudit.of_parts(audits, judgments) for audits in zip(*(p.audits for p in parts), strict=True)),
        texts={measure: spread(part.texts[measure] for part in parts) for measure in first.texts},
        limits=spread(limits) if limits else None,
        kinds={measure: surely(*kinds) for measure, kinds in found.items()},
        places=None,
    )


def as_taken(measures: Sequence[Measure], grading: Grading) -> tuple[Measure, ...]:
    """Return the measures as judgments are taken: with the parameters of a convention, at the relevance level."""
    return at_level(as_followed(measures, grading), grading.rel)


def as_followed(measures: Sequence[Measure], grading: Grading) -> tuple[Measure, ...]:
    """Return the measures with the parameters of a convention, each once, and no level yet."""
    if grading.convention is None:
        return tuple(dict.fromkeys(measures))
    followed = (measure.with_parameters(grading.parameters(type(measure).__name__)) for measure in measures)
    return tuple(dict.fromkeys(followed))


def measures_of(convention: str) -> tuple[Measure, ...]:
    """Return the measures that a convention reports, as it takes them."""
    grading = Grading(convention=convention)
    return as_taken(parse_measures(grading.measures(())), grading)


def at_level(measures: Sequence[Measure], rel: float | None) -> tuple[Measure, ...]:
    """Return the measures with this lowest relevant grade, those that know one and have none of their own."""
    return tuple(measures) if rel is None else tuple(dict.fromkeys(measure.with_level(rel) for measure in measures))


def _limits(measures: tuple[Measure, ...], rankings: JudgedRankings, kinds: dict[Measure, Kind]) -> Floats:
    """Lowest and highest values, run by run: array of shape (2, measures, runs, topics)."""
    runs = len(rankings.runs)
    limits = np.zeros((2, len(measures), runs, len(rankings.topics)))
    for r in range(runs if rankings.rows else 0):
        run = rankings.only(r)
        for m, measure in enumerate(measures):
            found = measure.bounds(run)
            kinds[measure] = surely(found.kind, kinds.get(measure, found.kind))
            there = np.ones_like(run.present) if measure.of_topic else run.present
            limits[:, m, r] = np.where(there, (found.low, found.high), 0.0)
    return limits

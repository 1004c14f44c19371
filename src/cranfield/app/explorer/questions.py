"""What can be asked of joined runs: questions in, tables and figures out. Nothing here knows of the web."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Protocol

import numpy as np

from cranfield.altering import Alterable, Changes
from cranfield.arrays import Integers
from cranfield.errors import InputError
from cranfield.judged_runs import JudgedRuns
from cranfield.judgments import is_relevant
from cranfield.lazily import pl
from cranfield.measures.machinery.names import MeasureNames
from cranfield.orientation import direction
from cranfield.overtaking import Overtaking, overtake
from cranfield.plots import Figure, plot_named
from cranfield.plots.theme import NOT_RELEVANT, RELEVANT, UNJUDGED
from cranfield.plotting import FIRST, plot_collections
from cranfield.rankings import JudgedRankings
from cranfield.scores import Scores

LISTS: Final = 4
"""So many lists stand side by side at the most."""
SHOWN: Final = 20
"""So many ranks of a list are shown, unless more are asked for."""
OF_TOPIC: Final = ("crp", "delta-gain", "crossing")
"""Figures of one topic: what the prototype of 2012 showed, and why Twist is what it is."""


class Text(Protocol):
    """A document that can be read."""

    @property
    def title(self) -> str:
        """Its first line."""

    @property
    def text(self) -> str:
        """All of it."""


class Asked(Protocol):
    """A topic that can be read."""

    @property
    def title(self) -> str:
        """In a few words."""

    @property
    def description(self) -> str:
        """In a sentence."""

    @property
    def narrative(self) -> str:
        """What would answer it."""


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


class Explored:
    """Joined runs, by some measures, with what there is to read.

    Parameters
    ----------
    runs
        Joined with ``bounds=True``, so that it is known where every document stands.
    measures
        By what; the first one orders the runs, unless another is named.
    documents, topics
        What can be read, by id.
    """

    def __init__(
        self,
        runs: JudgedRuns,
        measures: MeasureNames,
        documents: Mapping[str, Text] | None = None,
        topics: Mapping[str, Asked] | None = None,
    ) -> None:
        self.runs = runs
        self.alterable = Alterable(runs, measures)
        self.documents = documents
        self.topics = topics or {}

    @property
    def scores(self) -> Scores:
        """The scores of all runs, as they were given."""
        return self.alterable.before

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """What the measures are called."""
        return tuple(map(str, self.scores.measures))

    @cached_property
    def grades(self) -> list[str]:
        """The grades that there are, and 0."""
        known = self.runs.judgments.grades
        return [f"{grade:g}" for grade in sorted({0.0, *known[np.isfinite(known)].tolist()})]

    def measure(self, name: str | None) -> str:
        """Return a measure by its name, the first if none is named."""
        if name and name not in self.measures:
            raise InputError(f"there is no measure {name!r} here; there are {', '.join(self.measures)}")
        return name or self.measures[0]

    def run(self, name: str) -> str:
        """Return a run by its name."""
        if name not in self.runs.runs:
            raise InputError(f"no run is called {name!r}")
        return name

    def ordered(self, measure: str | None = None) -> Scores:
        """Return the scores, the best run first."""
        return self.scores.sorted_by(self.measure(measure))

    def by_topic(self, measure: str | None = None) -> pl.DataFrame:
        """What is each topic like for the runs?

        A row for each topic, the hardest first: columns topic, title, relevant, judged (documents),
        mean, least, most (of the measure, over the runs), best (the run that has most).
        """
        name = self.measure(measure)
        m = self.measures.index(name)
        values, sign = self.scores.values[m], direction(self.scores.measures[m])
        judgments = self.runs.judgments
        found = pl.DataFrame(
            {
                "topic": self.runs.topics,
                "title": [self.title_of(topic) for topic in self.runs.topics],
                "relevant": judgments.recall_base(self.runs.grading.rel).astype(np.int64),
                "judged": judgments.count(~np.isnan(judgments.grade)).astype(np.int64),
                "mean": values.mean(axis=0),
                "least": values.min(axis=0),
                "most": values.max(axis=0),
                "best": [self.runs.runs[run] for run in (sign * values).argmax(axis=0)],
            }
        )
        return found.sort(sign * pl.col("mean"), maintain_order=True)

    def contrasts(self, a: str, b: str, measure: str | None = None) -> pl.DataFrame:
        """On which topics do two runs differ most?

        A row for each topic, the largest difference first: columns topic, title, a, b (their
        values), difference (a less b), shared (of the first ten documents).
        """
        m = self.measures.index(self.measure(measure))
        one, other = (self.runs.runs.index(self.run(name)) for name in (a, b))
        values = self.scores.values[m]
        found = pl.DataFrame(
            {
                "topic": self.runs.topics,
                "title": [self.title_of(topic) for topic in self.runs.topics],
                "a": values[one],
                "b": values[other],
                "difference": values[one] - values[other],
                "shared": self._shared(one, other),
            }
        )
        return found.sort(pl.col("difference").abs(), descending=True, maintain_order=True)

    def overtaking(self, behind: str, ahead: str, measure: str | None = None) -> Overtaking:
        """What would it take for one run to overtake another?"""
        m = self.measures.index(self.measure(measure))
        return overtake(self.runs, None, self.scores.measures[m], behind=behind, ahead=ahead)

    def title_of(self, topic: str) -> str:
        """Return what a topic is about, as far as that is known."""
        return self.topics[topic].title if topic in self.topics else ""

    def grade_of(self, topic: str, document: str) -> float:
        """Return the grade of a document; NaN is unjudged."""
        judgments = self._on(topic, (), None).judgments
        if document not in judgments.documents[0]:
            raise InputError(f"no run retrieved document {document!r} for topic {topic!r}, and nobody judged it")
        return float(judgments.grade[judgments.documents[0].index(document)])

    def lists(
        self, topic: str, runs: Sequence[str], changes: Changes | None = None, first: int = SHOWN
    ) -> list[RankedList]:
        """Return the lists of some runs, side by side."""
        before, now = self._on(topic, runs, None), self._on(topic, runs, changes)
        grade, rel = now.judgments.grade, self.runs.grading.rel
        ids = now.judgments.documents[0]
        ranks, was = _ranks(now), _ranks(before)
        found = []
        for number, run in enumerate(runs):
            others = {place for other, listed in enumerate(ranks) if other != number for place in listed}
            entries = [
                Entry(
                    rank,
                    ids[place],
                    self._title(ids[place]),
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

    def figure(
        self, name: str, *, measure: str | None = None, runs: Sequence[str] = (), changes: Changes | None = None
    ) -> Figure:
        """Draw a figure: of all runs, or of some, or of some on a topic, with what is changed there."""
        known = plot_named(name)
        asked = [self.measure(measure)] if measure or known.source in {"scores", "curves", "comparison"} else None
        return plot_collections(known, {FIRST: self._some(runs, changes)}, asked)

    def _some(self, runs: Sequence[str], changes: Changes | None) -> JudgedRuns:
        """Return some of the runs, joined as they are; on one topic, if anything is said of one."""
        names = [self.run(name) for name in runs] or list(self.runs.runs)
        places = [self.runs.runs.index(name) for name in names]
        sources = tuple(self.runs.sources[place] for place in places)
        if changes is not None:
            batch = self._on(changes.topic, names, changes)
            batch = replace(batch, judgments=batch.judgments.of_topic(changes.topic), _made={})
        else:
            batch = JudgedRankings.batch([self.runs.of_run(place) for place in places])
        return replace(self.runs, judgments=batch.judgments, sources=sources, batches=(batch,))

    def _on(self, topic: str, runs: Sequence[str], changes: Changes | None) -> JudgedRankings:
        return self.alterable.rankings(replace(changes, topic=topic) if changes else Changes(topic), runs or None)

    def _shared(self, one: int, other: int, first: int = 10) -> Integers:
        """How many of the first documents two runs have in common, by topic."""
        mine, theirs = (self.runs.of_run(run).cut(first).judgment for run in (one, other))
        both = np.intersect1d(mine, theirs)
        return np.bincount(self.runs.judgments.topic[both], minlength=len(self.runs.topics))

    def _title(self, document: str) -> str:
        text = self.documents.get(document) if self.documents is not None else None
        return "" if text is None else text.title


def _ranks(rankings: JudgedRankings) -> list[dict[int, int]]:
    """Return, for each run of a topic, the rank of each document that it has, by its place in the judgments."""
    each = [rankings.only(run) for run in range(len(rankings.runs))]
    return [dict(zip(one.judgment.tolist(), one.rank.tolist(), strict=True)) for one in each]


def _state(grade: float, rel: float | None) -> str:
    """Say what a document of a grade is called."""
    if np.isnan(grade):
        return UNJUDGED
    return RELEVANT if is_relevant(np.array(grade), rel) else NOT_RELEVANT

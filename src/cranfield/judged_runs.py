"""Runs joined with the judgments once, to be scored as often as a study needs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cranfield.arrays import Booleans, Floats
from cranfield.audit import Audit, audit_batch, without_relevant
from cranfield.engines.local import judged_batches
from cranfield.formats import RunSource, read_qrels, read_runs
from cranfield.joining import Order
from cranfield.judgments import Judgments
from cranfield.measures.measure import Measure
from cranfield.rankings import JudgedRankings
from cranfield.scores import Scores, Topics


@dataclass(frozen=True)
class JudgedRuns:
    """All runs of a study, ranked and joined with the judgments; no file is read again.

    Attributes
    ----------
    batches
        The rankings, a few runs at a time, in the order given.
    judgments
        What they were joined with.
    averaged, order
        Which topics averages are over, and what ranked the documents, as in `evaluate`.
    audit
        What was found of the runs and the qrels on the way.
    sources
        Where the runs came from, for the few studies that want their scores.
    """

    batches: tuple[JudgedRankings, ...]
    judgments: Judgments
    averaged: Topics
    order: Order
    audit: Audit
    sources: tuple[RunSource, ...]

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(name for batch in self.batches for name in batch.runs)

    @property
    def topics(self) -> tuple[str, ...]:
        """Ids of the topics, in the order of the qrels."""
        return self.judgments.topics

    @cached_property
    def present(self) -> Booleans:
        """Array of shape (runs, topics): whether the run has the topic."""
        return np.concatenate([batch.present for batch in self.batches]).reshape(len(self.runs), len(self.topics))

    def of_run(self, number: int) -> JudgedRankings:
        """Return the rankings of one run, by its place among the runs."""
        for batch in self.batches:
            if number < len(batch.runs):
                return batch.only(number)
            number -= len(batch.runs)
        raise IndexError(f"there are {len(self.runs)} runs")

    def scores(self, measures: Sequence[Measure], grade: Floats | None = None) -> Scores:
        """Score all runs by measures that are numbers.

        Parameters
        ----------
        measures
            What to score by.
        grade
            Other grades for the same documents, in the order of the judgments; NaN makes a document unjudged.
        """
        batches = self.batches if grade is None else [batch.rejudged(grade) for batch in self.batches]
        shape = (len(measures), len(self.runs), len(self.topics))
        values = np.concatenate([np.array([m.by_run(batch) for m in measures]) for batch in batches], axis=1)
        return Scores(
            runs=self.runs,
            topics=self.topics,
            measures=tuple(measures),
            values=values.reshape(shape),
            present=self.present,
            averaged=self.averaged,
            order=self.order,
            audit=self.audit,
        )

    @cached_property
    def fingerprint(self) -> str:
        """A digest of all rankings and judgments: two studies with the same one study the same."""
        digest = hashlib.sha256(repr((self.runs, self.topics, self.averaged)).encode())
        arrays: list[Any] = [self.judgments.topic, self.judgments.grade]
        for batch in self.batches:
            arrays += [batch.length, batch.present, batch.row, batch.rank, batch.judgment]
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]


def join(
    qrels: Any,
    runs: Any,
    *,
    topics: Topics = "all",
    order: Order = "score",
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> JudgedRuns:
    """Read the runs and join them with the judgments, once, for all that a study asks of them afterwards.

    The parameters are those of `evaluate`. All runs are kept (what is left of a run of 50 topics and 1,000 documents
    takes about half a megabyte), while `evaluate` lets each go when it is scored.

    >>> runs = join({"1": {"a": 2, "b": 0}}, {"bm25": {"1": {"b": 3.0, "a": 2.5}}})
    >>> from cranfield.measures.names import parse_measures
    >>> runs.scores(parse_measures(["AP", "RR"])).averages.tolist()
    [[0.5], [0.5]]
    """
    sources = read_runs(runs).sources
    judgments = qrels if isinstance(qrels, Judgments) else Judgments(read_qrels(qrels))
    batches, audits = [], []
    for ranked, rankings in judged_batches(sources, judgments, order=order, workers=workers):
        batches.append(rankings)
        audits += audit_batch(ranked, rankings)
        if progress:
            progress(len(audits), len(sources))
    audit = Audit(tuple(audits), len(judgments.topics), without_relevant(judgments), order)
    return JudgedRuns(tuple(batches), judgments, topics, order, audit, sources)

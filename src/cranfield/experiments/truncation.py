"""Where should each list have ended?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from cranfield.experiments.declared import Rows
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.lazy import pl
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel, panel_of
from cranfield.stopping.optimal import optimal_lengths

TRUNCATED = (
    "NDCGT", "ERRT", "RBPT(p=0.8)", "RBPT(p=0.9)", "RBPT(p=0.98)", "RBU(p=0.8)", "RBU(p=0.9)", "RBU(p=0.98)",
    "DCGU", "ERRU", "RBPU(p=0.8)", "RBPU(p=0.9)", "RBPU(p=0.98)", "OIE",
)  # fmt: skip
"""The truncation-aware measures of the paper's Table 2."""

_RUNS_AT_ONCE: Final = 8  # How many runs have a value for each of their ranks at a time


class Optimum(NamedTuple):
    """Where the lists of all runs should have ended, by one measure: arrays of shape (runs, topics)."""

    retrieved: Integers
    length: Integers  # The best number of documents to return
    value: Floats  # The value of that list; 0 where a run lacks the topic
    whole: Floats
    panel: Panel  # The values of the best lists, to be compared


def optimum(runs: JudgedRuns, measure: Measure) -> Optimum:
    """Find where each list should have ended by this measure, and its value there."""
    found = [(part.length, *optimal_lengths(measure, part)) for batch in runs.batches for part in _parts(batch, runs)]
    retrieved, length, value = (np.concatenate(each).reshape(runs.present.shape) for each in zip(*found, strict=True))
    whole = runs.scores([measure])
    best = replace(whole, values=np.where(runs.present, value, 0.0)[np.newaxis], limits=None)
    return Optimum(retrieved, length, best.values[0], whole.values[0], panel_of(best))


@experiment
def truncation(
    runs: JudgedRuns, measures: MeasureNames = ("SetF", "FlatUtility", *TRUNCATED), *, work: Work
) -> Outcome:
    """Where should each list have ended, by truncation-aware measures?

    For each run, topic and measure every prefix of the list is scored, from the empty one to the whole; the shortest of
    the best ones is the optimal list. Their lengths are counted in the intervals 0, 1-4, 5-8, 9-16, ..., together with
    the topics' numbers of relevant documents. Topics that a run lacks are not counted.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        The measures by which lists are cut.
    work
        Where progress is shown and kept: two steps for each measure.

    Tables
    ------
    summary
        A row for each measure.
        measure : text
        rankings : whole number
            The number of lists: of all runs, for all their topics.
        empty, untouched : number
            The share of the optimal lists that are empty, and that are the whole list.
        mean_length, median_length : number
            Of the optimal lists.
        whole, optimal : number
            Mean value over all whole lists, and over all optimal ones.
    intervals
        The distribution of lengths.
        interval : text
        relevant documents : number
            The share of the topics with this many.
        <measure> : number
            The share of its optimal lists with such a length.
    prefixes
        The value of lists cut after this many documents; shorter lists stay as they are.
        measure : text
        length : whole number
            From 0 on.
        value : number
            Mean over all lists.
    lists
        A row for each measure and list.
        run, topic, measure : text
        retrieved, length : whole number
            The length of the whole list and of the optimal one.
        value, whole : number
            The value of the optimal list and of the whole one.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 4.2 and Figures 1 and 2.

    Examples
    --------
    With an effort of 1/4 for each document, one relevant document at rank 3 pays for three:

    >>> from cranfield import join
    >>> runs = join({"1": {"a": 1}}, {"mine": {"1": {"x": 3.0, "y": 2.0, "a": 1.0, "z": 0.5}}})
    >>> truncation(runs, "FlatUtility(e=0.25)")["lists"].rows()
    [('mine', '1', 'FlatUtility(e=0.25)', 4, 3, 0.25, 0.0)]
    """
    asked = number_measures(measures)

    lists = work.table("lists", range(len(asked)), lambda step: _lists(runs, asked[step]))
    prefixes = work.table(
        "prefixes", range(len(asked), 2 * len(asked)), lambda step: _prefixes(runs, asked[step - len(asked)])
    )
    relevant = runs.judgments.recall_base(runs.grading.rel).astype(np.int64)
    length = pl.col("length")
    summary = lists.group_by("measure", maintain_order=True).agg(
        rankings=pl.len(),
        empty=(length == 0).mean(),
        untouched=(length == pl.col("retrieved")).mean(),
        mean_length=length.mean(),
        median_length=length.median(),
        whole=pl.col("whole").mean(),
        optimal=pl.col("value").mean(),
    )
    intervals = _intervals(lists, list(map(str, asked)), relevant)
    return Outcome({"summary": summary, "intervals": intervals, "prefixes": prefixes, "lists": lists})


def _lists(runs: JudgedRuns, measure: Measure) -> Rows:
    """One row for each run and topic it retrieved."""
    found = optimum(runs, measure)
    run, topic = np.nonzero(runs.present)
    return {
        "run": pl.Series(runs.runs).gather(run),
        "topic": pl.Series(runs.topics).gather(topic),
        "measure": str(measure),
        "retrieved": found.retrieved[run, topic],
        "length": found.length[run, topic],
        "value": found.value[run, topic],
        "whole": found.whole[run, topic],
    }


def _prefixes(runs: JudgedRuns, measure: Measure) -> Rows:
    """Return the mean value of the prefixes over all lists, length by length."""
    depth = max(int(batch.length.max(initial=0)) for batch in runs.batches)
    total = np.zeros(depth + 1)
    for batch in runs.batches:
        of_batch = np.zeros((1, depth + 1))
        for part in _parts(batch, runs):
            values = measure.by_prefix(part)[part.present]
            values = np.pad(values, ((0, 0), (0, depth + 1 - values.shape[1])), "edge")
            of_batch = np.vstack([of_batch, values]).sum(axis=0, keepdims=True)
        total += of_batch[0]
    return {"measure": str(measure), "length": np.arange(depth + 1), "value": total / runs.present.sum()}


def _parts(batch: JudgedRankings, runs: JudgedRuns) -> Iterator[JudgedRankings]:
    """Give a few runs of a batch at a time: there is a value for each rank of each list."""
    rankings = batch.condensed() if runs.grading.judged_only else batch
    alone = map(rankings.only, range(len(rankings.runs)))
    while part := list(islice(alone, _RUNS_AT_ONCE)):
        yield JudgedRankings.batch(part)


def _intervals(lists: pl.DataFrame, names: list[str], relevant: Integers) -> Rows:
    """Share of the topics by their relevant documents, and of the optimal lists, in each interval."""
    lengths = {name: lists.filter(measure=name)["length"].to_numpy() for name in names}
    places = {name: interval_of(values) for name, values in ({"relevant documents": relevant} | lengths).items()}
    last = max(int(place.max(initial=0)) for place in places.values())
    shares = {name: np.bincount(place, minlength=last + 1) / max(len(place), 1) for name, place in places.items()}
    return {"interval": [interval_name(i) for i in range(last + 1)], **shares}


def interval_of(length: Integers) -> Integers:
    """Return the interval of a length: 0, 1 to 4, 5 to 8, 9 to 16, and so on, numbered from 0."""
    return np.where(length == 0, 0, np.ceil(np.log2(np.maximum(length, 4))) - 1).astype(np.int64)


def interval_name(interval: int) -> str:
    """Write an interval as its ends, such as ``5-8``."""
    if interval == 0:
        return "0"
    return f"{1 if interval == 1 else 2**interval + 1}-{2 ** (interval + 1)}"

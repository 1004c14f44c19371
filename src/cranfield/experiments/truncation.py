"""Where would each list better have ended?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from cranfield.arrays import Floats, Integers
from cranfield.experiments.experiment import Findings, MeasureNames, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.judged_runs import JudgedRuns
from cranfield.measures.measure import Measure
from cranfield.stopping.optimal import optimal_lengths

TRUNCATED = (
    "NDCGT", "ERRT", "RBPT(p=0.8)", "RBPT(p=0.9)", "RBPT(p=0.98)", "RBU(p=0.8)", "RBU(p=0.9)", "RBU(p=0.98)",
    "DCGU", "ERRU", "RBPU(p=0.8)", "RBPU(p=0.9)", "RBPU(p=0.98)", "OIE",
)  # fmt: skip
"""The measures of the paper's Table 2 that know when a list should end."""


@dataclass(frozen=True)
class Optimum:
    """Where the lists of all runs should have ended by one measure.

    Attributes
    ----------
    length
        Array of shape (runs, topics): the best number of documents to return.
    value, whole
        Arrays of the same shape: the value of that list, and of the whole one; 0 where a run lacks the topic.
    averages
        By run, the average value of the best lists.
    """

    length: Integers
    value: Floats
    whole: Floats
    averages: Floats


def optimum(runs: JudgedRuns, measure: Measure) -> Optimum:
    """Where should each list have ended by this measure, and what would it then be worth?

    >>> from cranfield import join
    >>> from cranfield.measures.utility import FlatUtility
    >>> runs = join({"1": {"a": 1}}, {"mine": {"1": {"a": 2.0, "x": 1.0}}})
    >>> found = optimum(runs, FlatUtility(e=0.25))
    >>> found.length.tolist(), found.value.tolist(), found.whole.tolist()
    ([[1]], [[0.75]], [[0.5]])
    """
    shape = (len(runs.runs), len(runs.topics))
    found = [optimal_lengths(measure, batch) for batch in runs.batches]
    length = np.concatenate([length for length, _ in found]).reshape(shape)
    value = np.concatenate([value for _, value in found]).reshape(shape)
    whole = runs.scores([measure])
    best = replace(whole, values=np.where(runs.present, value, 0.0)[np.newaxis])
    return Optimum(length, best.values[0], whole.values[0], best.averages[0])


@experiment
def truncation(
    runs: JudgedRuns,
    measures: MeasureNames = ("SetF", "FlatUtility", *TRUNCATED),
    *,
    work: Work | None = None,
) -> Findings:
    """Where would each list better have ended, by measures that know when one should?

    For each run, topic and measure every prefix of the list is scored, from the empty one to the whole; the shortest of
    the best ones is the optimal list. Their lengths are counted in the intervals 0, 1-4, 5-8, 9-16, ..., beside the
    number of relevant documents of the topics. Topics that a run lacks are not counted.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        By which lists are cut.
    work
        Where progress is shown and kept: a step for each measure.

    Returns
    -------
    Findings with the tables ``summary`` (measure, rankings, share of empty optimal lists, of those left whole, mean and
    median length, mean value of the whole lists and of the optimal ones), ``intervals`` (a row for each interval, a
    column for each measure and one for the relevant documents, shares) and ``lists`` (run, topic, measure, retrieved,
    length, value, whole).

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better and how to measure
    that", SIGIR, section 4.2 and Figure 2.

    Examples
    --------
    With an effort of 1/4 for each document, one relevant document at rank 3 pays for three:

    >>> from cranfield import join
    >>> runs = join({"1": {"a": 1}}, {"mine": {"1": {"x": 3.0, "y": 2.0, "a": 1.0, "z": 0.5}}})
    >>> truncation(runs, "FlatUtility(e=0.25)")["lists"].rows()
    [('mine', '1', 'FlatUtility(e=0.25)', 4, 3, 0.25, 0.0)]
    """
    asked = number_measures(measures)
    names = [str(measure) for measure in asked]

    def of_measure(i: int) -> pl.DataFrame:
        return _lists(runs, asked[i])

    lists = (work or Work()).steps(
        "truncation", {"measures": names, "runs": runs.fingerprint}, range(len(asked)), of_measure
    )
    relevant = runs.judgments.recall_base(None).astype(np.int64)
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
    return Findings(
        "truncation",
        {"summary": summary, "intervals": _intervals(lists, names, relevant), "lists": lists},
        {"measures": names, "runs": len(runs.runs), "topics": len(runs.topics)},
    )


def _lists(runs: JudgedRuns, measure: Measure) -> pl.DataFrame:
    """One row for each run and topic that it has."""
    found = optimum(runs, measure)
    retrieved = np.concatenate([batch.length for batch in runs.batches]).reshape(found.length.shape)
    run, topic = np.nonzero(runs.present)
    return pl.DataFrame(
        {
            "run": pl.Series(runs.runs).gather(run),
            "topic": pl.Series(runs.topics).gather(topic),
            "measure": pl.repeat(str(measure), len(run), eager=True),
            "retrieved": retrieved[run, topic],
            "length": found.length[run, topic],
            "value": found.value[run, topic],
            "whole": found.whole[run, topic],
        }
    )


def _intervals(lists: pl.DataFrame, names: list[str], relevant: Integers) -> pl.DataFrame:
    """Share of the optimal lists, and of the topics by their relevant documents, in each interval."""
    lengths = {name: lists.filter(pl.col("measure") == name)["length"].to_numpy() for name in names}
    counted = lengths | {"relevant documents": relevant}
    last = max(int(interval_of(values).max(initial=0)) for values in counted.values())
    shares = {
        name: np.bincount(interval_of(values), minlength=last + 1) / max(len(values), 1)
        for name, values in counted.items()
    }
    return pl.DataFrame({"interval": [interval_name(i) for i in range(last + 1)], **shares})


def interval_of(length: Integers) -> Integers:
    """In which interval is a length: 0, 1 to 4, 5 to 8, 9 to 16, and so on?

    >>> interval_of(np.array([0, 1, 4, 5, 8, 9, 16, 17])).tolist()
    [0, 1, 1, 2, 2, 3, 3, 4]
    """
    interval: Integers = np.where(length == 0, 0, np.ceil(np.log2(np.maximum(length, 4))) - 1).astype(np.int64)
    return interval


def interval_name(interval: int) -> str:
    """Write an interval down.

    >>> [interval_name(i) for i in range(4)]
    ['0', '1-4', '5-8', '9-16']
    """
    if interval == 0:
        return "0"
    return f"{1 if interval == 1 else 2**interval + 1}-{2 ** (interval + 1)}"

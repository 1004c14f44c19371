"""Which topics decide: how the order of the runs changes without each of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.experiments.declared import Columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel
from cranfield.statistics.correlation_vectors import correlation
from cranfield.statistics.differences import differences as of_pairs
from cranfield.statistics.differences import slices_that_fit
from cranfield.statistics.influence import fewest_that_undo, means_without_each
from cranfield.statistics.on_paper import leaders, levelled, side

MOST_NAMED = 8
"""A longer list of topics is cut."""


@experiment
def influence(runs: JudgedRuns, measures: MeasureNames = ("AP",)) -> Outcome:
    """Which topics decide the order of the runs?

    Each topic is left out in turn, and the runs are ranked by their means over the others. The tables report the
    difference of the two best runs (of runs with equal means, those given first) with and without the topic, and for
    all runs the leader, the number of pairs that change places, and Kendall's τ_b with the order on all topics.

    A single topic seldom changes the order. The experiment therefore also names the fewest topics without which the
    leader is no longer ahead of the second: topics are removed from the largest difference down, until the mean over
    the rest is 0 or below. No smaller set would do for these two runs. An order that few topics decide is not wrong,
    but you should know what it depends on. The tables describe only these topics; for other topics, see `compare`.
    Differences are reversed if lower is better. Topics missing from a run count 0.

    Parameters
    ----------
    runs
        At least two runs, joined with the judgments.
    measures
        The measures by which runs are scored.

    Tables
    ------
    measures
        A row for each measure.
        measure : text
        runs, topics : whole number
        leader, second : text
            The two best runs.
        difference : number
            Of their means, the leader minus the second; 0 if they tie.
        turning : whole number
            The number of single topics without which other runs lead.
        decisive : whole number
            The fewest topics that must be removed for the leader to be no longer ahead of the second; 0 if they
            tie, null if the leader is better on every topic.
        lowest_tau : number
    topics
        A row for each measure and topic, those that favour the leader most first.
        measure, topic : text
        difference : number
            Difference of the two best runs on this topic.
        without : number
            Difference of their means without this topic.
        influence : number
            How much the topic raises the difference of their means: with it minus without it.
        leads : text
            The leader without it; several if they tie.
        turns : yes or no
            Whether the leaders differ from those on all topics.
        swaps : whole number
            The number of pairs of runs whose order reverses; pairs that become tied, or cease to be, are not counted.
        tau : number
            With the order of the runs on all topics; null if all runs tie, with the topic or without it.
        decisive : yes or no
            Whether the topic is among these fewest topics.

    Side by side
    ------------
    measures
        measure : row
        difference, turning, decisive : value

    Raises
    ------
    InputError
        If there are fewer than two runs or two topics.

    Paper: Broderick, Giordano and Meager (2020), "An automatic finite-sample robustness metric: when can
    dropping a little data make a big difference?", arXiv:2011.14999; Guiver, Mizzaro and Robertson (2009), "A
    few good topics: experiments in topic set reduction for retrieval evaluation", TOIS 27(4), on topics that
    do not rank runs the same way.

    Examples
    --------
    By RR one is ahead by 1/2 on topic 1 and behind by 1/4 on topics 2 and 3: without topic 1 the other leads.

    >>> from cranfield import join
    >>> at = lambda rank: {**{f"x{i}": 9.0 - i for i in range(1, rank)}, "a": 1.0}
    >>> one, other = {"1": at(1), "2": at(4), "3": at(4)}, {"1": at(2), "2": at(2), "3": at(4)}
    >>> found = influence(join({t: {"a": 1} for t in "123"}, {"one": one, "other": other}), "RR")
    >>> found["topics"].select("topic", "difference", "without", "leads", "turns").rows()[:2]
    [('1', 0.5, -0.125, 'other', True), ('3', 0.0, 0.125, 'one', False)]
    """
    panel = runs.panel(number_measures(measures))
    if len(panel.runs) < 2:
        raise InputError(f"{panel.runs[0]} is the only run; give at least two")
    if len(panel.topics) < 2:
        raise InputError("a single topic cannot be left out; at least two topics are needed")
    found = [_of_measure(panel, m) for m in range(len(panel.measures))]
    notes = [note for row, topics in found for note in _notes(row, topics)]
    by_measure, by_topic = zip(*found, strict=True)
    return Outcome({"measures": by_measure, "topics": pl.concat(by_topic)}, (*panel.notes, *notes))


def _of_measure(panel: Panel, m: int) -> tuple[Columns, pl.DataFrame]:
    """Return the row of the first table and the rows of the second, for one measure."""
    values, topics = panel.values[m], len(panel.topics)
    averages, without = panel.averages[m], means_without_each(values).T  # of runs; of topics and runs
    first, second = best_first(averages)[:2]
    apart = values[first] - values[second]
    gap = float(side(averages[first] - averages[second]) * (averages[first] - averages[second]))
    gaps = without[:, first] - without[:, second]
    leads = leaders(without)
    turns = (leads != leaders(averages)).any(axis=1)
    undone = fewest_that_undo(apart)
    decisive = np.isin(np.arange(topics), [] if undone is None else undone)
    swaps = _swaps(averages, without)
    level = levelled(averages)
    tau = correlation("tau_b", levelled(without), np.broadcast_to(level, without.shape))
    flat = (np.ptp(levelled(without), axis=1) == 0) | (np.ptp(level) == 0)
    order = np.lexsort((np.arange(topics), -apart))
    rows = pl.DataFrame(
        {
            "measure": panel.measures[m],
            "topic": [panel.topics[t] for t in order],
            "difference": apart[order] + 0.0,
            "without": gaps[order] + 0.0,
            "influence": (gap - gaps)[order] + 0.0,
            "leads": [named([panel.runs[r] for r in np.flatnonzero(leads[t])]) for t in order],
            "turns": turns[order],
            "swaps": swaps[order],
            "tau": np.where(flat, np.nan, tau)[order],
            "decisive": decisive[order],
        }
    )
    of_measure: Columns = {
        "measure": panel.measures[m],
        "runs": len(panel.runs),
        "topics": topics,
        "leader": panel.runs[first],
        "second": panel.runs[second],
        "difference": gap,
        "turning": int(turns.sum()),
        "decisive": None if undone is None else len(undone),
        "lowest_tau": None if flat.all() else float(tau[~flat].min()),
    }
    return of_measure, rows


def _swaps(averages: Floats, without: Floats) -> Integers:
    """Count, for each topic, the pairs of runs whose order reverses without it."""
    usual, found = side(of_pairs(averages)), np.zeros(len(without), np.int64)
    for block in slices_that_fit(len(without), len(usual)):
        found[block] = (usual * side(of_pairs(without[block])) < 0).sum(axis=1)
    return found


def _notes(found: Columns, topics: pl.DataFrame) -> Iterator[str]:
    """Report which topics change the leader, and how few decide the order."""
    leader, second = found["leader"], found["second"]
    of = f"{found['measure']} on these {topics.height:,} topics"
    if not found["difference"]:
        yield f"{of}: {leader} and {second} tie"
        return
    turning = topics.filter("turns")
    if turning.height:
        each = [f"{topic} (then {leads})" for topic, leads in turning.select("topic", "leads").iter_rows()]
        yield f"{of}: {leader} leads, but not without topic {named(each, MOST_NAMED)}"
    else:
        yield f"{of}: {leader} leads, whichever single topic is left out"
    if found["decisive"] is None:
        yield f"{of}: {leader} is better than {second} on every topic"
    else:
        few = topics.filter("decisive")["topic"].to_list()
        yield (
            f"{of}: leaving out {counted(len(few), 'topic')} ends the lead of {leader} over {second}, and no fewer do: "
            f"{named(few, MOST_NAMED)}"
        )

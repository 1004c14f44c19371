"""Do lists that are cut with a guarantee lose no more than promised?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

import numpy as np

from cranfield.experiments.declared import Row, Rows
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Level, Range, Seed
from cranfield.plumbing.wording import counted
from cranfield.scoring.engines.local import read_ranked
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.on_paper import EQUAL
from cranfield.stopping.guarantee import (
    TABLE_CELLS,
    check_can_be_lost,
    lengths_at,
    shares_lost,
    still_to_come,
    thresholds_of_levels,
    topics_needed,
)
from cranfield.stopping.optimal import values_by_length
from cranfield.stopping.rules import ScoredLists, rules_for

_ERRORS: Final = 3.0  # Number of standard errors beyond which the mean of random splits seldom lies by chance


@experiment
def cut_guarantee(
    runs: JudgedRuns,
    measures: MeasureNames = ("R",),
    *,
    levels: tuple[Level, ...] = (0.1, 0.2, 0.3),
    splits: Annotated[int, Range(at_least=2, at_most=1_000_000)] = 2_000,
    learned_on: Level = 0.5,
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """Do lists that are cut with a guarantee lose no more than promised, on topics that the rule never saw?

    The topics are split at random, many times. Each time a rule learns on one part how short lists may be (`cranfield
    cut --lose-at-most`), and what they lose is measured on the other part: 1 - value / value of the whole list. The
    plain threshold, at which the lists of the first part lose exactly the level, is given for comparison: it promises
    nothing.

    The guarantee holds for the mean over all splits; the mean over some of them differs by chance, with the standard
    error ``error``. Topics on which a run retrieved nothing are excluded; topics whose whole list is worth nothing lose
    nothing, and count.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; their files are read again for the scores.
    measures
        The measures by which lists lose; more must be better.
    levels
        The expected losses to hold.
    splits
        The number of random splits.
    learned_on
        The share of the topics on which a rule is learned; what lists lose is measured on the others.
    seed
        Seed of the splits.
    work
        Where progress is shown and kept: a step for each run.

    Tables
    ------
    summary
        A row for each measure, rule and level.
        measure, rule : text
        level : number
            The expected loss to hold.
        runs : whole number
        lost : number
            What lists lose on the other topics: the mean over splits and runs.
        highest : number
            The loss of the run that loses most: the mean over its splits.
        over : whole number
            The number of runs whose mean loss is above the level by more than three standard
            errors: none, if the guarantee holds.
        plain, highest_plain : number
            The same losses by the plain threshold.
        plain_over : whole number
            The number of runs whose mean loss by the plain threshold is above the level so far.
        kept : number
            The share of the documents that lists keep, on the other topics: the mean over the runs.
    runs
        A row for each run, measure, rule and level.
        run, measure, rule : text
        level : number
        topics : whole number
            The number of topics a rule is learned on.
        lost, error : number
            What lists lose on the other topics, and the standard error over splits.
        plain, plain_error : number
            The same by the plain threshold.
        kept, whole : number
            Documents a topic: of the lists that are cut, and of the whole ones.

    Raises
    ------
    InputError
        If a run has documents on fewer than two topics, less of a measure is better, or lists lack
        their unjudged documents.

    Paper: Angelopoulos, Bates, Fisch, Lei and Schuster (2024), "Conformal risk control", ICLR,
    section 3, which does so for image segmentation and question answering.

    Examples
    --------
    Four topics need a depth of 1, 2, 3 and 4, and a rule learns on three of them. To hold 0.4, all
    three have to be whole, and the fourth is lost where it is the deepest: one time in four. The
    plain threshold lets one of three be lost, and so loses the fourth every other time.

    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}, "4": {"d": 1}}
    >>> runs = join(qrels, {"mine": {topic: {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0} for topic in qrels}})
    >>> found = cut_guarantee(runs, levels=(0.4,), learned_on=0.75, splits=1000)
    >>> found["summary"].filter(rule="depth").select("lost", "plain").rows()
    [(0.258, 0.497)]
    """
    asked = number_measures(measures)
    for measure in asked:
        check_can_be_lost(measure)
    if runs.grading.judged_only:
        raise InputError("this experiment needs the unjudged documents; join the runs without judged_only")

    losses = partial(_losses_of, runs, asked, levels, splits, learned_on, seed)
    rows = work.also_on(contents=runs.contents).table("runs", range(len(runs.runs)), losses)
    above = pl.col("level") + _ERRORS * pl.col("error")
    above_plain = pl.col("level") + _ERRORS * pl.col("plain_error")
    summary = rows.group_by("measure", "rule", "level", maintain_order=True).agg(
        runs=pl.len(),
        lost=pl.col("lost").mean(),
        highest=pl.col("lost").max(),
        over=(pl.col("lost") > above + EQUAL).sum(),
        plain=pl.col("plain").mean(),
        highest_plain=pl.col("plain").max(),
        plain_over=(pl.col("plain") > above_plain + EQUAL).sum(),
        kept=(pl.col("kept") / pl.col("whole")).mean(),
    )
    fewest = rows.group_by("level", maintain_order=True).agg(pl.col("topics").min())
    whole = [
        f"lists stay whole at level {level:g}: it needs {topics_needed(level)} topics to learn on, not {topics}"
        for level, topics in fewest.rows()
        if topics < topics_needed(level)
    ]
    return Outcome({"summary": summary, "runs": rows}, whole)


def _losses_of(
    runs: JudgedRuns,
    measures: Sequence[Measure],
    levels: Sequence[float],
    splits: int,
    learned_on: float,
    seed: int,
    number: int,
) -> Rows:
    """Learn all rules for one run on one part of each split, and measure what is lost on the other."""
    rankings, name = runs.of_run(number), runs.runs[number]
    ranked = ScoredLists.of(read_ranked(runs.sources[number], runs.reading), runs.reading, runs.runs[number])
    lists, codes = ranked.judged(runs.judgments.code_of_topic)
    mine = _splits(name, len(codes), learned_on, splits, seed)
    whole = float(lists.length.mean())
    rows = list[Row]()
    for measure in measures:
        lost = shares_lost(values_by_length(measure, rankings)[codes])
        falling = still_to_come(lost)
        for rule in rules_for(lists):
            least = rule.least(lists)
            asked = [(level, sure) for level in levels for sure in (True, False)]
            learned = thresholds_of_levels(least, falling, mine, asked)
            for level, both in zip(levels, learned.reshape(len(levels), 2, -1), strict=True):
                found, plain = (_on_the_others(least, lost, mine, each) for each in both)
                row = (*_mean_and_error(found[0]), *_mean_and_error(plain[0]), float(found[1].mean()), whole)
                rows.append((name, str(measure), rule.name, level, int(mine[0].sum()), *row))
    return rows


def _splits(run: str, topics: int, learned_on: float, splits: int, seed: int) -> Booleans:
    """Draw the topics that a rule is learned on: an array of shape (splits, topics), of as many in each split."""
    if topics < 2:
        raise InputError(
            f"{run} has documents on {counted(topics, 'judged topic')}; at least two are needed to split them"
        )
    size = min(max(round(learned_on * topics), 1), topics - 1)
    drawn = np.tile(np.arange(topics) < size, (splits, 1))
    return np.random.default_rng(seed).permuted(drawn, axis=1)


def _on_the_others(least: Floats, lost: Floats, mine: Booleans, threshold: Floats) -> tuple[Floats, Floats]:
    """Return for each split what lists lose on the topics that the threshold was not learned on, and their length."""
    rows = max(1, TABLE_CELLS // len(lost))
    parts = [slice(first, first + rows) for first in range(0, len(mine), rows)]
    lengths = ((part, lengths_at(least, threshold[part])) for part in parts)
    both = [
        [(values * ~mine[part]).sum(axis=1) for values in (lost[np.arange(len(lost)), length], length)]
        for part, length in lengths
    ]
    losses, documents = (np.concatenate(sums) / (~mine).sum(axis=1) for sums in zip(*both, strict=True))
    return losses, documents


def _mean_and_error(values: Floats) -> tuple[float, float]:
    """Return the mean of the splits, and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))

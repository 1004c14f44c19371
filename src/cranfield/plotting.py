"""Figures of runs: what a figure is drawn from is computed first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from cranfield.curves import curve, cutoff_of
from cranfield.errors import InputError
from cranfield.evaluation import evaluate
from cranfield.experiments import EXPERIMENTS
from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged_runs import JudgedRuns, Progress, join
from cranfield.judgments import Judgments
from cranfield.measures.machinery.names import MeasureNames, parse_measures
from cranfield.plots import Figure, Plot, plot_named
from cranfield.results import Result

if TYPE_CHECKING:
    from cranfield.conditions import Asked

LAST_RANK = 20
"""Where curves end, if the measure does not say it."""


def plot(
    name: str,
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Figure:
    """Draw a figure of runs.

    Scores, curves or the findings of an experiment are made first, with the defaults of each; a
    result that is there already draws itself: ``scores.plot("leaderboard")``.

    Parameters
    ----------
    name
        Which figure: ``cranfield plot --list`` names them all.
    qrels, runs
        All that `evaluate` takes, joined runs too.
    measures
        By what; by default what the figure is of in its paper.
    progress
        Called with how much is done and how much there is.
    conditions
        As in `evaluate`: topics, missing, order, depth, comments, rel, judged_only.

    Raises
    ------
    InputError
        Where there is no such figure, or the runs do not suffice for it.

    Examples
    --------
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"good": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "poor": {"1": {"x": 2.0, "a": 1.0}}}
    >>> plot("leaderboard", qrels, runs, "RR")
    Figure(leaderboard: Leaderboard by RR. By RR the best of 2 runs is good with 1.000 ...)
    """
    known = plot_named(name)
    return known.of(_result(known, qrels, runs, measures, progress, conditions).material())


def _result(
    known: Plot,
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None,
    measures: MeasureNames | None,
    progress: Progress | None,
    conditions: Asked,
) -> Result:
    """Compute what the figure is drawn from."""
    measures = measures or known.measures or None
    if known.source == "scores":
        return evaluate(qrels, runs, measures or (), progress=progress, **conditions)
    if known.source == "curves":
        names = parse_measures(measures or (), complete=False)
        if len(names) != 1:
            raise InputError(f"{known.name} shows one measure, not {', '.join(map(str, names))}")
        return curve(qrels, runs, names[0], last_rank=cutoff_of(names[0]) or LAST_RANK, progress=progress, **conditions)
    joined = qrels if isinstance(qrels, JudgedRuns) else join(qrels, runs, progress=progress, **conditions)
    experiment = EXPERIMENTS[known.source]
    return experiment(joined, measures) if measures else experiment(joined)

"""Figures of runs: what a figure is drawn from is computed first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, Unpack

from cranfield.curves import curve, cutoff_of
from cranfield.errors import InputError
from cranfield.experiments import EXPERIMENTS
from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged_runs import JudgedRuns, Progress, join
from cranfield.judgments import Judgments
from cranfield.lazily import pl
from cranfield.measures.machinery.names import MeasureNames, parse_measures
from cranfield.plots import COLLECTION, Figure, Material, Plot, plot_named
from cranfield.results import Result

if TYPE_CHECKING:
    from cranfield.conditions import Asked

LAST_RANK = 20
"""Where curves end, if the measure does not say it."""
FIRST: Final = "qrels"
"""What the collection that is given first is called beside others."""


def plot(
    name: str,
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    topic: str | None = None,
    also: Mapping[str, tuple[QrelsLike, RunsLike]] | None = None,
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
    topic
        The id of the only topic that is to be looked at; all of them, if it is not given.
    also
        Further collections by name, each its qrels and its runs: every collection is a panel.
    progress
        Called with how much is done and how much there is.
    conditions
        As in `evaluate`: topics, missing, order, depth, comments, rel, judged_only.

    Raises
    ------
    InputError
        Where there is no such figure or topic, or the runs do not suffice for it.

    Examples
    --------
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"good": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "poor": {"1": {"x": 2.0, "a": 1.0}}}
    >>> plot("leaderboard", qrels, runs, "RR")
    Figure(leaderboard: Leaderboard by RR. By RR the best of 2 runs is good with 1.000 ...)
    >>> plot("leaderboard", qrels, runs, "RR", topic="1").description
    'Leaderboard by RR. By RR the best of 2 runs is good with 1.000, the last poor with 0.500.'
    """
    known = plot_named(name)
    if FIRST in (also or {}):
        raise InputError(f"a further collection cannot be called {FIRST!r}, which is the first")
    joined = {
        collection: join(its_qrels, its_runs, progress=progress, **conditions)
        for collection, (its_qrels, its_runs) in {FIRST: (qrels, runs), **(also or {})}.items()
    }
    return plot_collections(known, joined, measures, topic=topic)


def plot_collections(
    known: Plot,
    collections: Mapping[str, JudgedRuns],
    measures: MeasureNames | None = None,
    *,
    topic: str | None = None,
) -> Figure:
    """Draw a figure of joined runs, a panel for each collection: see `plot`."""
    make = SOURCES.get(known.source) or partial(_experiment, known.source)
    chosen = measures or known.measures or None
    found = {
        name: make(runs if topic is None else runs.of_topic(topic), chosen).material()
        for name, runs in collections.items()
    }
    return known.of(_together(found))


def _scores(runs: JudgedRuns, measures: MeasureNames | None) -> Result:
    return runs.scores(measures or ())


def _curves(runs: JudgedRuns, measures: MeasureNames | None) -> Result:
    names = parse_measures(measures or (), complete=False)
    if len(names) != 1:
        raise InputError(f"a curve is of one measure, not of {', '.join(map(str, names))}")
    return curve(runs, measure=names[0], last_rank=cutoff_of(names[0]) or LAST_RANK)


def _experiment(name: str, runs: JudgedRuns, measures: MeasureNames | None) -> Result:
    experiment = EXPERIMENTS[name]
    return experiment(runs, measures) if measures else experiment(runs)


SOURCES: Final[Mapping[str, Callable[[JudgedRuns, MeasureNames | None], Result]]] = {
    "scores": _scores,
    "curves": _curves,
}
"""What figures are drawn from besides the findings of experiments, and how it is made of runs."""


def _together(found: Mapping[str, Material]) -> Material:
    """Put the tables of several collections below each other, their names in front."""
    first = next(iter(found.values()))
    if len(found) == 1:
        return first

    def stacked(table: str) -> pl.DataFrame:
        parts = (each.tables[table]().select(pl.lit(name).alias(COLLECTION), pl.all()) for name, each in found.items())
        return pl.concat(parts, how="diagonal_relaxed")

    about = "; ".join(f"{name}: {each.about.rstrip('.')}" for name, each in found.items()) + "."
    return Material(first.source, {table: partial(stacked, table) for table in first.tables}, about)

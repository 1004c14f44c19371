"""Choose the runs that take part: without the worst, which tell little about a measure; one is the baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Share, checked
from cranfield.plumbing.wording import counted, did_you_mean, named
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel
from cranfield.statistics.correlation_vectors import is_constant


def best_runs(runs: JudgedRuns, share: float) -> Booleans:
    """Keep the ceil(share · n) of n runs with the highest mean AP; of runs with the same mean, those given first.

    Shapes: the result (runs,).

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The twist measure for IR evaluation", section
    "Experiments": the top 75% of the runs.

    >>> from cranfield import join
    >>> good, fair, poor = {"1": {"a": 2.0, "x": 1.0}}, {"1": {"a": 1.0, "x": 2.0}}, {"1": {"x": 1.0}}
    >>> best_runs(join({"1": {"a": 1}}, {"poor": poor, "good": good, "fair": fair}), 0.5).tolist()
    [False, True, True]
    """
    share = checked("the share of runs that take part", share, Share)
    # Without the small step back, 0.55 of 100 runs, 55.000000000000007 in binary, would be 56.
    count = math.ceil(share * len(runs.runs) - 1e-9)
    if count < 2:
        raise InputError(f"{share:.2g} of {counted(len(runs.runs), 'run')} is fewer than two; give more runs")
    means = runs.panel("AP").averages[0]
    kept = np.zeros(len(means), dtype=bool)
    kept[best_first(means)[:count]] = True
    return kept


def correlated_runs(runs: JudgedRuns, share: float) -> Booleans:
    """Return the same for runs whose ranking is to be correlated: at least three."""
    kept = best_runs(runs, share)
    if kept.sum() < 3:
        raise InputError(
            f"{counted(kept.sum(), 'run is', 'runs are')} left of {len(runs.runs)}; correlations need at least three"
        )
    return kept


def left_out(runs: JudgedRuns, kept: Booleans) -> tuple[str, ...]:
    """Name the excluded runs in a note on the findings; kept is of shape (runs,)."""
    names = [name for name, stays in zip(runs.runs, kept, strict=True) if not stays]
    of = counted(len(runs.runs), "run")
    return (f"excluded: the {len(names)} of {of} with the lowest mean AP, {', '.join(names)}",) if names else ()


def that_rank_nothing(measures: Sequence[str], means: Floats) -> Iterator[str]:
    """Which measures give all runs the same mean, as a note for the reader of the findings?"""
    if same := [name for name, level in zip(measures, is_constant(means), strict=True) if level]:
        yield f"constant over the runs, so it cannot rank them: {', '.join(same)}"


def baseline_of(panel: Panel, name: str) -> tuple[int, list[int]]:
    """Return the position of the baseline, and those of all other runs, in order."""
    if name and name not in panel.runs:
        hint = did_you_mean(name, panel.runs) or f"; the runs are {named(panel.runs)}"
        raise InputError(f"no run is called {name!r} (the baseline){hint}")
    place = panel.runs.index(name) if name else 0
    if len(panel.runs) < 2:
        raise InputError(f"a baseline is compared with other runs; {panel.runs[0]} is alone, give two runs or more")
    return place, [run for run in range(len(panel.runs)) if run != place]

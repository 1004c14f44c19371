"""What can be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lists import Asked, joined
from cranfield.judged_runs import JudgedRuns
from cranfield.plots import Figure, plot_named
from cranfield.plots.crp_and_dcg import with_former
from cranfield.plotting import FIRST, plot_collections
from cranfield.rankings import JudgedRankings

CRP_AND_DCG = "crp-and-dcg"
KEPT = 32
"""So many figures of whole runs are remembered, which never change."""


@lru_cache(KEPT)
def figure(explored: Explored, name: str, measures: tuple[str, ...] = (), runs: tuple[str, ...] = ()) -> Figure:
    """Draw a figure of all runs, or of some, on all topics."""
    return _figure(explored, name, measures, _some(explored, runs))


def figure_of_lists(explored: Explored, name: str, asked: Asked, measures: tuple[str, ...] = ()) -> Figure:
    """Draw a figure of lists; the curves of what they were stay visible behind those of what was changed."""
    if not asked.is_changed:
        return _of_lists(explored, name, replace(asked, changes=None), measures)
    found = _figure(explored, name, measures, joined(explored, asked))
    as_it_is = replace(asked, changes=None)
    return with_former(found, _of_lists(explored, name, as_it_is, measures)) if name == CRP_AND_DCG else found


@lru_cache(KEPT)
def _of_lists(explored: Explored, name: str, asked: Asked, measures: tuple[str, ...]) -> Figure:
    return _figure(explored, name, measures, joined(explored, asked))


def _figure(explored: Explored, name: str, measures: Sequence[str], runs: JudgedRuns) -> Figure:
    known = plot_named(name)
    chosen = list(measures) or (known.measures and list(known.measures))
    if not chosen and known.source in {"scores", "curves", "comparison"}:
        chosen = [explored.measures[0]]
    return plot_collections(known, {FIRST: runs}, chosen or None)


def _some(explored: Explored, runs: Sequence[str]) -> JudgedRuns:
    """Return some of the runs, joined as they are."""
    names = explored.checked(runs) or explored.runs.runs
    batch = JudgedRankings.batch([explored.runs.of_run(explored.runs.runs.index(name)) for name in names])
    return replace(explored.runs, sources=explored.sources(names), batches=(batch,))

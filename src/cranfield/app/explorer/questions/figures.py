"""What can be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cranfield.altering import Changes
from cranfield.app.explorer.questions.explored import Explored
from cranfield.judged_runs import JudgedRuns
from cranfield.plots import Figure, plot_named
from cranfield.plotting import FIRST, plot_collections
from cranfield.rankings import JudgedRankings


def figure(
    explored: Explored,
    name: str,
    *,
    measures: Sequence[str] = (),
    runs: Sequence[str] = (),
    changes: Changes | None = None,
) -> Figure:
    """Draw a figure: of all runs, or of some, or of some on a topic, with what is changed there."""
    known = plot_named(name)
    asked = [explored.measure(measure) for measure in measures]
    if not asked and known.source in {"scores", "curves", "comparison"} and not known.measures:
        asked = [explored.measure(None)]
    return plot_collections(known, {FIRST: _some(explored, runs, changes)}, asked or None)


def _some(explored: Explored, runs: Sequence[str], changes: Changes | None) -> JudgedRuns:
    """Return some of the runs, joined as they are; on one topic, if anything is said of one."""
    names = [explored.run(name) for name in runs] or list(explored.runs.runs)
    places = [explored.runs.runs.index(name) for name in names]
    sources = tuple(explored.runs.sources[place] for place in places)
    if changes is not None:
        batch = explored.on(changes.topic, names, changes)
        batch = replace(batch, judgments=batch.judgments.of_topic(changes.topic), _made={})
    else:
        batch = JudgedRankings.batch([explored.runs.of_run(place) for place in places])
    return replace(explored.runs, judgments=batch.judgments, sources=sources, batches=(batch,))

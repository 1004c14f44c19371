"""What can be looked at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Final

from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.app.explorer.questions.lists import ListsAsked, joined
from cranfield.lists.altering import Changes
from cranfield.plots import Figure, plot_named
from cranfield.plots.crp_and_dcg import with_former
from cranfield.plots.plot import LETTERS_IN_LINE
from cranfield.plotting import FIRST, plot_collections
from cranfield.scoring.judged_runs import JudgedRuns

CRP_AND_DCG = "crp-and-dcg"
FIGURES_REMEMBERED = 16
"""How many figures of lists are remembered: while a document is moved, what was is drawn again and again."""
AT_HAND: Final = ("scores", "curves", "trace", "why")
"""What figures are made of in no time, and of lists, too, that are other than in the files."""


def is_quick(name: str, kind: str) -> bool:
    """Tell whether a figure is there at once: what is drawn by the browser, and not of an experiment."""
    return kind == "json" and of_lists(name)


def of_lists(name: str) -> bool:
    """Tell whether a figure can be drawn of some lists of a topic; others are of experiments with whole runs."""
    return plot_named(name).source in AT_HAND


def figure(explored: Explored, name: str, measures: tuple[str, ...] = (), runs: tuple[str, ...] = ()) -> Figure:
    """Draw a figure of all runs, or of some, on all topics."""
    return _figure(explored, name, measures, explored.runs.of_runs(explored.checked(runs)) if runs else explored.runs)


@remembered(FIGURES_REMEMBERED)
def figure_of_lists(explored: Explored, name: str, asked: ListsAsked, measures: tuple[str, ...] = ()) -> Figure:
    """Draw a figure of lists; the curves of what they were stay visible behind those of what was changed."""
    found = _about(_figure(explored, name, measures, joined(explored, asked)), explored.title_of(asked.topic))
    if not asked.is_changed or name != CRP_AND_DCG:
        return found
    was = replace(asked, changes=Changes(asked.topic))  # as the page asked for it before the first change
    return with_former(found, figure_of_lists(explored, name, was, measures))


@remembered(FIGURES_REMEMBERED)
def written_figure_of_lists(explored: Explored, name: str, asked: ListsAsked, measures: tuple[str, ...] = ()) -> str:
    """Write a figure of lists as its page reads it."""
    return json.dumps(dict(figure_of_lists(explored, name, asked, measures).spec))


def _about(found: Figure, topic: str) -> Figure:
    """Say below the title what the topic is about, if it has words."""
    if not topic:
        return found
    title, words = found.spec["title"], wrap(f"“{topic}”", LETTERS_IN_LINE)
    said = words if len(words) <= 2 else [words[0], f"{words[1]} …”"]
    return replace(found, spec={**found.spec, "title": {**title, "subtitle": [*said, *title["subtitle"]]}})


def _figure(explored: Explored, name: str, measures: Sequence[str], runs: JudgedRuns) -> Figure:
    known = plot_named(name)
    chosen = list(measures) or (known.measures and list(known.measures))
    if not chosen and known.source in {"scores", "curves", "comparison"}:
        chosen = [explored.measures[0]]
    return plot_collections(known, {FIRST: runs}, chosen or None)

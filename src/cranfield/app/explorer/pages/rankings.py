"""All rankings: every run on every topic, by two measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cranfield.app.explorer.page import Fills, Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lists import CURVES, RankedList
from cranfield.app.explorer.questions.rankings_of import (
    PICKED,
    RANKING_KINDS,
    Choice,
    archetypes_of,
    chosen,
    picked,
    rankings_of,
    tallied,
    usual_axes,
)
from cranfield.lists.tracing import GAIN
from cranfield.measures.framework.misplacement import LENGTH
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

ROWS: Final = 50
"""How many of the chosen rankings are listed; all are in the file."""
MOST_NAMED: Final = 6
"""How many runs, and topics, are named: those that have most of the chosen rankings."""


@dataclass(frozen=True)
class RankingsFills(Fills):
    """What the page shows.

    Attributes
    ----------
    asked, ends
        What the address asks for, and between which values.
    runs, topics, kinds
        What there is to choose from; the first is no choice.
    picks, pick_runs, pick_topics, most_picks
        The lists that are looked at, as the address says them, and how many can be.
    n, curves
        Of what length their curves are, and of which measures.
    rows, few, every
        The first of the chosen rankings, how many are chosen, and of how many.
    counts, archetypes
        Of which runs, topics and archetypes they are.
    state
        What the picture is told: the rectangle, what the filters leave, and what is picked.
    """

    asked: Mapping[str, Any]
    ends: Mapping[str, float | None]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    kinds: tuple[str, ...]
    picks: list[tuple[str, RankedList]]
    pick_runs: list[str]
    pick_topics: list[str]
    most_picks: int
    n: int
    curves: list[str]
    rows: list[dict[str, Any]]
    few: int
    every: int
    counts: Mapping[str, list[dict[str, Any]]]
    archetypes: list[dict[str, Any]]
    state: Mapping[str, Any]


@page("Rankings", place=15)
def rankings(explored: Explored, query: Query) -> View:
    """Which rankings are good by one measure and poor by another? A point is a run on a topic, by two measures."""
    usual = usual_axes(explored, query.text("y") or query.text("measure"))
    x, y = explored.measure(query.text("x") or usual[0]), explored.measure(usual[1])
    run, topic = query.text("run"), query.text("topic")
    if run is not None:
        explored.run(run)
    if topic is not None and topic not in explored.runs.topics:
        raise InputError(f"the qrels have no topic {topic!r}")
    choice = Choice(run, topic, query.text("archetype"), _ends(query, "x"), _ends(query, "y"))
    every = rankings_of(explored, x, y)
    few = chosen(every, choice)
    counts = {by: tallied(few, every, by) for by in ("run", "topic")}
    archetypes = archetypes_of(few, every)
    runs, topics = query.given.getlist("pick_run"), query.given.getlist("pick_topic")
    ends = dict(zip(("x_from", "x_to", "y_from", "y_to"), (*choice.x, *choice.y), strict=True))
    filtered = any((run, topic, choice.archetype))
    return View(
        RankingsFills(
            y,
            asked={"x": x, "y": y, "run": run, "topic": topic, "archetype": choice.archetype, **ends},
            ends=ends,
            runs=("", *explored.ordered(y).runs),
            topics=("", *explored.runs.topics),
            kinds=("", *RANKING_KINDS),
            picks=picked(explored, runs, topics, LENGTH),
            pick_runs=runs,
            pick_topics=topics,
            most_picks=PICKED,
            n=LENGTH,
            curves=[f"CRP@{LENGTH}", f"{GAIN}@{CURVES}"],
            rows=few.head(ROWS).to_dicts(),
            few=few.height,
            every=every.height,
            counts={by: table.head(MOST_NAMED).to_dicts() for by, table in counts.items()},
            archetypes=archetypes.to_dicts(),
            state={
                "brush": None if all(end is None for end in ends.values()) else list(ends.values()),
                "kept": _kept(every, choice) if filtered else None,
                "picks": [list(pick) for pick in zip(runs, topics, strict=True)],
            },
        ),
        {
            "chosen": lambda: few,
            "runs": lambda: counts["run"],
            "topics": lambda: counts["topic"],
            "archetypes": lambda: archetypes,
        },
    )


def _ends(query: Query, name: str) -> tuple[float | None, float | None]:
    """Return from where to where the values of a measure are asked for."""
    return _end(query, f"{name}_from"), _end(query, f"{name}_to")


def _end(query: Query, name: str) -> float | None:
    given = query.text(name)
    if given is None:
        return None
    try:
        found = float(given)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError(f"{name} is a number, not {given!r}")
    return found


def _kept(every: pl.DataFrame, choice: Choice) -> str:
    """Write a 1 for each ranking that the filters leave, and a 0 for the others, as the figure reads it."""
    return "".join("01"[left] for left in every.select(choice.filters()).to_series())

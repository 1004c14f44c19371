"""All rankings: every run on every topic, by two measures."""

from __future__ import annotations

from typing import Final

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions import rankings_of as questions
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lists import CURVES_GO_TO
from cranfield.lists.tracing import GAIN
from cranfield.measures.framework.misplacement import LENGTH
from cranfield.plumbing.errors import InputError

RANKINGS_LISTED: Final = 50
RUNS_AND_TOPICS_NAMED: Final = 6


@page("Rankings", place=15)
def rankings(explored: Explored, query: Query) -> View:
    """Which rankings are good by one measure and poor by another? A point is a run on a topic, by two measures."""
    usual = questions.usual_axes(explored, query.text("y") or query.text("measure"))
    x, y = explored.measure(query.text("x") or usual[0]), explored.measure(usual[1])
    run, topic = query.text("run"), query.text("topic")
    if run is not None:
        explored.run(run)
    if topic is not None and topic not in explored.runs.topics:
        raise InputError(f"the qrels have no topic {topic!r}")
    choice = questions.Choice(run, topic, query.text("archetype"), _ends(query, "x"), _ends(query, "y"))
    every = questions.rankings_of(explored, x, y)
    few = questions.chosen(every, choice)
    counts = {by: questions.tallied(few, every, by) for by in ("run", "topic")}
    archetypes = questions.archetypes_of(few, every)
    runs, topics = query.given.getlist("pick_run"), query.given.getlist("pick_topic")
    ends = dict(zip(("x_from", "x_to", "y_from", "y_to"), (*choice.x, *choice.y), strict=True))
    left_by_filters = every.select(choice.filters()).to_series()
    fills = {
        "measure": y,
        "asked": {"x": x, "y": y, "run": run, "topic": topic, "archetype": choice.archetype, **ends},
        "ends": ends,
        "runs": ("", *explored.ordered(y).runs),  # the first is no choice
        "topics": ("", *explored.runs.topics),
        "kinds": ("", *questions.RANKING_KINDS),
        "picks": questions.picked(explored, runs, topics, LENGTH),
        "pick_runs": runs,
        "pick_topics": topics,
        "most_picks": questions.MOST_PICKED,
        "curves": [f"CRP@{LENGTH}", f"{GAIN}@{CURVES_GO_TO}"],
        "rows": few.head(RANKINGS_LISTED).to_dicts(),
        "few": few.height,
        "every": every.height,
        "counts": {by: table.head(RUNS_AND_TOPICS_NAMED).to_dicts() for by, table in counts.items()},
        "archetypes": archetypes.to_dicts(),
        "state": {  # what the picture is told
            "brush": None if all(end is None for end in ends.values()) else list(ends.values()),
            "kept": "".join("01"[left] for left in left_by_filters) if any((run, topic, choice.archetype)) else None,
            "picks": [list(pick) for pick in zip(runs, topics, strict=True)],
        },
    }
    tables = {"chosen": few, "runs": counts["run"], "topics": counts["topic"], "archetypes": archetypes}
    return View(fills, {name: lambda table=table: table for name, table in tables.items()})  # type: ignore[misc]


def _ends(query: Query, name: str) -> tuple[float | None, float | None]:
    """Return from where to where the values of a measure are asked for."""
    return query.value(f"{name}_from", None, finite=True), query.value(f"{name}_to", None, finite=True)

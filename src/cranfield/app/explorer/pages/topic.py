"""One topic: lists side by side, and what would be if they were others."""

from __future__ import annotations

import json

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions import lists as questions
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.web import address
from cranfield.lists.altering import Changes
from cranfield.lists.tracing import GAIN, trace
from cranfield.plumbing.lazy import pl

FURTHER_FIGURES = ("crossing", "relative-position")


def _seeks_swaps(query: Query) -> bool:
    return query.text("swap") is not None


@page("A topic", takes_long=_seeks_swaps)
def topic(explored: Explored, query: Query) -> View:
    """Where does a system lose its user? Drag a document, or change its grade, and all numbers and curves follow."""
    measure = explored.measure(query.text("measure"))
    asked = query.lists(query.texts("run") or explored.ordered(measure).runs[:2])
    changes = asked.changes or Changes(asked.topic)
    found = explored.alterable.altered(changes)
    first, last = query.number("first", questions.RANKS_SHOWN), query.number("to", min(questions.CURVES_GO_TO, asked.n))
    shown = questions.lists(explored, asked, first)
    by_run = found.values.filter(pl.col("run").is_in(asked.runs)).rows_by_key("run", named=True)
    curves = [f"CRP@{asked.n}", f"{GAIN}@{last}"]
    sought = questions.swaps_are_quick(explored, measure) or _seeks_swaps(query)
    fills = {
        "measure": measure,
        "topic": asked.topic,
        "about": explored.topics.get(asked.topic),
        "asked": asked,
        "lists": shown,
        "values": {run: by_run[run] for run in asked.runs},
        "runs": explored.ordered(measure).runs,
        "most": questions.MOST_LISTS,
        "orders": list(questions.LIST_ORDERS),
        "grades": explored.grades,
        "changed": asked.is_changed,
        "changes": query.text("changes") or "",
        "changes_of": {run: _concerning(changes, run) for run in asked.runs},
        "regraded": bool(changes.grades),
        "moved": list(found.lists),
        "first": first,
        "to": last,
        "curves": curves,
        "swaps": {run: _tried(explored, query, asked, measure, run) for run in asked.runs if sought},
        "sought": sought,  # by some measures swaps take time, and are looked for when that is asked
        "terms": questions.TERMS,
        "further": [name for name in FURTHER_FIGURES if name == query.text("also")],
        "all_further": ("", *FURTHER_FIGURES),
    }
    tables = {
        "values": lambda: found.values,
        "lists": lambda: questions.entries(shown),
        "curves": lambda: trace(questions.joined(explored, asked), crp=curves[0], gain=curves[1], last_rank=last).steps,
    }
    return View(fills, tables)


def _tried(
    explored: Explored, query: Query, asked: questions.ListsAsked, measure: str, run: str
) -> dict[str, object] | None:
    """Find the best exchange in a list as it is now, and the address where it is tried: as two moves more."""
    found = questions.swap(explored, asked, run, measure)
    if found is None:
        return None
    changes = json.dumps([*json.loads(query.text("changes") or "[]"), *questions.moves_of(found)])
    given = {name: query.given.getlist(name) for name in query.given if name != "changes"}
    return {"found": found, "address": address("topic", **(given | {"run": asked.runs}), changes=changes)}


def _concerning(changes: Changes, run: str) -> str:
    """Write down the changes that a run's figure depends on, so that others need not be drawn anew."""
    moves = [list(move) for move in changes.moves if move[0] == run]
    return json.dumps([*moves, *map(list, changes.grades)]) if moves or changes.grades else ""

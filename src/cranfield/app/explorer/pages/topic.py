"""One topic: lists side by side, and what would be if they were others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lists import CURVES, LISTS, ORDERS, SHOWN, entries, joined, lists
from cranfield.lists.altering import Changes, WhatIf
from cranfield.lists.tracing import GAIN, trace
from cranfield.plumbing.lazy import pl

FURTHER = ("crossing", "relative-position")
"""Further figures of a list."""


@page("A topic")
def topic(explored: Explored, query: Query) -> View:
    """Where does a system lose its user? Drag a document, or change its grade, and all numbers and curves follow."""
    measure = explored.measure(query.text("measure"))
    asked = query.lists(query.texts("run") or explored.ordered(measure).runs[:2])
    changes = asked.changes or Changes(asked.topic)
    found = explored.alterable.altered(changes)
    first, last = query.number("first", SHOWN), query.number("to", min(CURVES, asked.n))
    shown = lists(explored, asked, first)
    curves = [f"CRP@{asked.n}", f"{GAIN}@{last}"]
    return View(
        {
            "measure": measure,
            "topic": asked.topic,
            "about": explored.topics.get(asked.topic),
            "lists": shown,
            "values": _by_run(found, asked.runs),
            "curves": curves,
            "changes_of": {run: _concerning(changes, run) for run in asked.runs},
            "asked": asked,
            "orders": list(ORDERS),
            "runs": explored.ordered(measure).runs,
            "most": LISTS,
            "changed": asked.is_changed,
            "regraded": bool(changes.grades),
            "moved": list(found.lists),
            "changes": query.text("changes") or "",
            "first": first,
            "to": last,
            "further": [name for name in FURTHER if name == query.text("also")],
            "all_further": ("", *FURTHER),
            "grades": explored.grades,
        },
        {
            "values": lambda: found.values,
            "lists": lambda: entries(shown),
            "curves": lambda: trace(joined(explored, asked), crp=curves[0], gain=curves[1], last_rank=last).steps,
        },
    )


def _concerning(changes: Changes, run: str) -> str:
    """Write down the changes that a run's figure depends on, so that others need not be drawn anew."""
    moves = [list(move) for move in changes.moves if move[0] == run]
    return json.dumps([*moves, *map(list, changes.grades)]) if moves or changes.grades else ""


def _by_run(found: WhatIf, runs: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the values of some runs, a row for each measure."""
    by_run = found.values.filter(pl.col("run").is_in(runs)).rows_by_key("run", named=True)
    return {run: by_run[run] for run in runs}

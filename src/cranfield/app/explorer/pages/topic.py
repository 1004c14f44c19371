"""One topic: lists side by side, and what would be if they were others."""

from __future__ import annotations

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lists import LISTS, lists
from cranfield.errors import InputError

OF_TOPIC = ("crp", "delta-gain", "crossing")
"""Figures of one topic: what the prototype of 2012 showed, and why Twist is what it is."""


@page("A topic")
def topic(explored: Explored, query: Query) -> View:
    """Where does a system lose its user? Drag a document, or change its grade, and all numbers and curves follow."""
    name = query.required("topic")
    measure = explored.measure(query.text("measure"))
    runs = query.texts("run") or explored.ordered(measure).runs[:2]
    if len(runs) > LISTS:
        raise InputError(f"{LISTS} lists can be shown side by side, not {len(runs)}")
    for run in runs:
        explored.run(run)
    changes = query.changes(name)
    found = explored.alterable.altered(changes)
    values = found.values.partition_by("run", as_dict=True)
    return View(
        {
            "measure": measure,
            "topic": name,
            "about": explored.topics.get(name),
            "lists": lists(explored, name, runs, changes, query.shown()),
            "values": {run: values[(run,)].to_dicts() for run in runs},
            "chosen": runs,
            "runs": explored.ordered(measure).runs,
            "changed": bool(changes.moves or changes.grades),
            "changes": query.text("changes") or "",
            "first": query.shown(),
            "figures": OF_TOPIC,
            "grades": explored.grades,
        },
        {"values": lambda: found.values},
    )

"""One topic: lists side by side, and what would be if they were others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cranfield.app.explorer.page import Fills, Query, View, page
from cranfield.app.explorer.questions.explored import About, Explored
from cranfield.app.explorer.questions.lists import (
    CURVES,
    LISTS,
    ORDERS,
    SHOWN,
    TERMS,
    ListsAsked,
    RankedList,
    entries,
    joined,
    lists,
    swap,
    swaps_are_quick,
)
from cranfield.app.web import address
from cranfield.lists.altering import Changes, WhatIf
from cranfield.lists.tracing import GAIN, trace
from cranfield.pairs.swaps import Swap
from cranfield.plumbing.lazy import pl

FURTHER = ("crossing", "relative-position")
"""Further figures of a list."""


@dataclass(frozen=True)
class TopicFills(Fills):
    """What the page shows.

    Attributes
    ----------
    topic, about
        The topic, and what it is about.
    asked, lists, values
        Which lists are asked for, the lists, and their runs' values, a row for each measure.
    runs, most, orders, grades
        What there is to choose from: runs, of which so many at the most; ways to show a list; grades.
    changed, changes, changes_of
        Whether anything is otherwise, what, as the address says it, and what of it concerns each run.
    regraded, moved
        Whether judgments are others, and the runs whose lists are.
    first, to, curves
        So many documents are shown, so far go the curves, and of which measures they are.
    swaps
        The best exchange of two documents in each list, and where it is tried.
    sought
        Whether they were looked for, which takes time by some measures.
    terms
        What the curves and their points are.
    further, all_further
        Further figures that are shown, and those that could be.
    """

    topic: str
    about: About | None
    asked: ListsAsked
    lists: list[RankedList]
    values: Mapping[str, list[dict[str, Any]]]
    runs: tuple[str, ...]
    most: int
    orders: list[str]
    grades: list[str]
    changed: bool
    changes: str
    changes_of: Mapping[str, str]
    regraded: bool
    moved: list[str]
    first: int
    to: int
    curves: list[str]
    swaps: Mapping[str, TriedSwap | None]
    sought: bool
    terms: Mapping[str, str]
    further: list[str]
    all_further: tuple[str, ...]


def _seeks_swaps(query: Query) -> bool:
    return query.text("swap") is not None


@page("A topic", takes_long=_seeks_swaps)
def topic(explored: Explored, query: Query) -> View:
    """Where does a system lose its user? Drag a document, or change its grade, and all numbers and curves follow."""
    measure = explored.measure(query.text("measure"))
    asked = query.lists(query.texts("run") or explored.ordered(measure).runs[:2])
    changes = asked.changes or Changes(asked.topic)
    found = explored.alterable.altered(changes)
    first, last = query.number("first", SHOWN), query.number("to", min(CURVES, asked.n))
    shown = lists(explored, asked, first)
    curves = [f"CRP@{asked.n}", f"{GAIN}@{last}"]
    sought = swaps_are_quick(explored, measure) or _seeks_swaps(query)
    return View(
        TopicFills(
            measure,
            topic=asked.topic,
            about=explored.topics.get(asked.topic),
            asked=asked,
            lists=shown,
            values=_by_run(found, asked.runs),
            runs=explored.ordered(measure).runs,
            most=LISTS,
            orders=list(ORDERS),
            grades=explored.grades,
            changed=asked.is_changed,
            changes=query.text("changes") or "",
            changes_of={run: _concerning(changes, run) for run in asked.runs},
            regraded=bool(changes.grades),
            moved=list(found.lists),
            first=first,
            to=last,
            curves=curves,
            swaps={run: _tried(explored, query, asked, measure, run) for run in asked.runs if sought},
            sought=sought,
            terms=TERMS,
            further=[name for name in FURTHER if name == query.text("also")],
            all_further=("", *FURTHER),
        ),
        {
            "values": lambda: found.values,
            "lists": lambda: entries(shown),
            "curves": lambda: trace(joined(explored, asked), crp=curves[0], gain=curves[1], last_rank=last).steps,
        },
    )


@dataclass(frozen=True)
class TriedSwap:
    """An exchange of two documents, and the address of the page that shows what it does."""

    found: Swap
    address: str


def _tried(explored: Explored, query: Query, asked: ListsAsked, measure: str, run: str) -> TriedSwap | None:
    """Find the best exchange in a list as it is now, and say where it is tried: as two moves more."""
    found = swap(explored, asked, run, measure)
    if found is None:
        return None
    moves = [[run, found.document_low, found.high], [run, found.document_high, found.low]]
    changes = json.dumps([*json.loads(query.text("changes") or "[]"), *moves])
    given = {name: query.given.getlist(name) for name in query.given if name != "changes"}
    return TriedSwap(found, address("topic", **(given | {"run": asked.runs}), changes=changes))


def _concerning(changes: Changes, run: str) -> str:
    """Write down the changes that a run's figure depends on, so that others need not be drawn anew."""
    moves = [list(move) for move in changes.moves if move[0] == run]
    return json.dumps([*moves, *map(list, changes.grades)]) if moves or changes.grades else ""


def _by_run(found: WhatIf, runs: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the values of some runs, a row for each measure."""
    by_run = found.values.filter(pl.col("run").is_in(runs)).rows_by_key("run", named=True)
    return {run: by_run[run] for run in runs}

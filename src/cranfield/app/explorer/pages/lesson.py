"""A lesson with the demonstration."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cranfield.app.explorer.page import Fills, Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lesson import Step, steps
from cranfield.app.web import address


@dataclass(frozen=True)
class LessonFills(Fills):
    """What the page shows: the steps, each with the address that it leads to."""

    steps: list[tuple[Step, str]]


@page("A lesson", place=50, there=lambda explored: explored.demonstration)
def lesson(explored: Explored, query: Query) -> View:
    """Where does a system lose its user? Eight steps, as a class would go them with the prototype of 2012."""
    found = [(step, address(step.page, **_written(step.asks))) for step in steps(explored)]
    return View(LessonFills(explored.measure(query.text("measure")), found), {})


def _written(asks: dict[str, object]) -> dict[str, object]:
    """Write changes as addresses have them."""
    return {name: json.dumps(value) if name == "changes" else value for name, value in asks.items()}

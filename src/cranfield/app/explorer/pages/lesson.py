"""A lesson with the demonstration."""

from __future__ import annotations

import json

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lesson import steps
from cranfield.app.web import address


@page("A lesson", place=50, there=lambda explored: explored.demonstration)
def lesson(explored: Explored, query: Query) -> View:
    """Where does a system lose its user? Eight steps, as a class would go them with the prototype of 2012."""
    found = [(step, address(step.page, **_written(step.asks))) for step in steps(explored)]
    return View({"measure": explored.measure(query.text("measure")), "steps": found}, {})


def _written(asks: dict[str, object]) -> dict[str, object]:
    """Write changes as addresses have them."""
    return {name: json.dumps(value) if name == "changes" else value for name, value in asks.items()}

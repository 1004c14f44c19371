"""A lesson with the demonstration."""

from __future__ import annotations

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lesson import steps
from cranfield.app.web import address


@page("A lesson", place=50, there=lambda explored: explored.demonstration)
def lesson(explored: Explored, query: Query) -> View:
    """Where does a system lose its user? Eight steps, as a class would take them with the prototype of 2012."""
    found = [(step, address(step.page, **step.asks)) for step in steps(explored)]
    return View({"measure": explored.measure(query.text("measure")), "steps": found}, {})

"""Two runs."""

from __future__ import annotations

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.pairs import contrasts, overtaking


@page("Two runs", place=30)
def pair(explored: Explored, query: Query) -> View:
    """On which topics do two runs differ most, and what would it take for one to overtake the other?"""
    measure = explored.measure(query.text("measure"))
    ordered = explored.ordered(measure).runs
    a = explored.run(query.text("a") or ordered[0])
    b = explored.run(query.text("b") or next((run for run in ordered if run != a), a))
    table = contrasts(explored, a, b, measure)
    ahead, behind = sorted((a, b), key=ordered.index)
    return View(
        {
            "measure": measure,
            "a": a,
            "b": b,
            "runs": ordered,
            "rows": table.to_dicts(),
            "overtaking": None if a == b else overtaking(explored, behind, ahead, measure),
        },
        {"contrasts": lambda: table},
    )

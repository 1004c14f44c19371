"""All topics."""

from __future__ import annotations

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.documents import topics_with
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.runs import by_topic
from cranfield.plumbing.lazy import pl


@page("Topics", place=20)
def topics(explored: Explored, query: Query) -> View:
    """Which topics are hard for all runs? The hardest comes first; click one to see the lists of the best two runs."""
    measure = explored.measure(query.text("measure"))
    table = by_topic(explored, measure)
    find, best = query.text("find") or "", explored.ordered(measure).runs[:2]
    rows = table.filter(pl.col("topic").is_in(topics_with(explored, find))).to_dicts()
    return View({"measure": measure, "rows": rows, "best": best, "find": find}, {"topics": lambda: table})

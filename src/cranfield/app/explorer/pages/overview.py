"""All runs on all topics."""

from __future__ import annotations

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.topics import by_topic

FIGURES = ("heatmap", "leaderboard", "effort-gain", "parallel", "measure-correlation", "archetypes", "residuals")
"""What there is to look at of all runs."""


@page("Overview", place=10)
def overview(explored: Explored, query: Query) -> View:
    """Which run is best, which topics are hard, and what do gains cost? A click in the picture leads to the lists."""
    measure = explored.measure(query.text("measure"))
    figure = query.text("figure") or FIGURES[0]
    scores = explored.ordered(measure)
    return View(
        {
            "measure": measure,
            "figures": FIGURES,
            "figure": figure,
            "runs": scores.runs,
            "means": scores.averages.T.tolist(),
            "topics": len(scores.topics),
        },
        {
            "leaderboard": lambda: scores.means,
            "topics": lambda: by_topic(explored, measure),
            "scores": lambda: scores.per_topic,
        },
    )

"""All runs on all topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from cranfield.app.explorer.brushing import kept_lines
from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.parallel import FIGURE
from cranfield.app.explorer.questions.runs import archetypes_by_run, groups, odd_lists, oddness, ranges
from cranfield.app.explorer.questions.topics import by_topic
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

Answer = TypeVar("Answer")

FIGURES: Final = ("heatmap", "leaderboard", "effort-gain", FIGURE, "measure-correlation", "archetypes")
"""What there is to look at of all runs."""
OF_ONE_MEASURE: Final = ("heatmap", "leaderboard")
"""Those that are of the measure that is chosen."""
FURTHER: Final = {
    "ranges": "What unjudged documents could change",
    "groups": "Which runs cannot be told apart",
    "archetypes": "Archetypes of rankings",
}
"""What can be asked for besides (``with``): it takes time, or room."""
HARDEST: Final = 5
ODDEST: Final = 10


@page("Overview", place=10)
def overview(explored: Explored, query: Query) -> View:
    """Which run is best, which topics are hard, and what do gains cost? A click in the picture leads to the lists."""
    measure = explored.measure(query.text("measure"))
    figure, further = query.text("figure") or FIGURES[0], query.texts("with")
    scores, hardest, odd = explored.ordered(measure), by_topic(explored, measure), odd_lists(explored, measure)
    refused: list[str] = []

    def answered(name: str, question: Callable[[Explored, str], Answer]) -> Answer | None:
        """Answer a further question if it is asked; what refuses it is said on the page."""
        try:
            return question(explored, measure) if name in further else None
        except InputError as error:
            refused.append(str(error))
            return None

    ranged = answered("ranges", ranges)
    fills: dict[str, object] = {
        "measure": measure,
        "figures": FIGURES,
        "figure": figure,
        "of_one_measure": figure in OF_ONE_MEASURE,
        "choices": FURTHER,
        "further": further,
        "runs": scores.runs,
        "topics": len(scores.topics),
        "means": scores.averages.T.tolist(),
        "ranges": {} if ranged is None else {run: ends for run, *ends in ranged.select("run", "low", "high").rows()},
        "groups": answered("groups", groups),
        "refused": refused,
        "oddness": oddness(explored, measure),
        "archetypes": archetypes_by_run(explored, measure) if "archetypes" in further else None,
        "titled": bool(explored.topics),
        "hardest": hardest.head(HARDEST).to_dicts(),
        "odd": odd.head(ODDEST).to_dicts(),
    }
    tables: dict[str, Callable[[], pl.DataFrame]] = {
        "leaderboard": lambda: scores.means,
        "scores": lambda: scores.per_topic,
        "topics": lambda: hardest,
        "odd-lists": lambda: odd,
        "ranges": lambda: ranges(explored, measure),
        "groups": lambda: groups(explored, measure).places,
        "archetypes": lambda: archetypes_by_run(explored, measure),
    }
    if figure == FIGURE:
        lines, kept = kept_lines(explored, query)
        fills |= lines
        tables["kept"] = lambda: kept
    return View(fills, tables)

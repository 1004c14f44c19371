"""All runs on all topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from cranfield.app.explorer.brushing import BRUSHED_FIGURE, kept_lines
from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions import runs as questions
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.oddities import oddities, oddities_table
from cranfield.app.explorer.questions.possible import SHARES_CALLED, possible_table
from cranfield.lists.possibilities import TIE_ORDERS
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

Answer = TypeVar("Answer")

_FIGURES: Final = ("heatmap", "leaderboard", "effort-gain", BRUSHED_FIGURE, "measure-correlation", "archetypes")
FIGURES_OF_ONE_MEASURE: Final = ("heatmap", "leaderboard")
_FURTHER: Final = {
    "ranges": "What unjudged documents could change",
    "groups": "Which runs cannot be told apart",
    "archetypes": "Archetypes of rankings",
}
"""What can be asked for besides (``with``): it takes time, or room."""
HARDEST: Final = 5
ODDEST: Final = 10


def _takes_long(query: Query) -> bool:
    return bool({*query.texts("with"), query.text("csv")} & {*_FURTHER, "possible"})


@page("Overview", place=10, takes_long=_takes_long)
def overview(explored: Explored, query: Query) -> View:
    """Which run is best, which topics are hard, and what do gains cost? Click in the picture to see the lists."""
    measure = explored.measure(query.text("measure"))
    figure, further = query.text("figure") or _FIGURES[0], query.texts("with")
    scores, hardest = explored.ordered(measure), questions.by_topic(explored, measure)
    odd = questions.odd_lists(explored, measure)
    refused: list[str] = []

    def answered(name: str, question: Callable[[Explored, str], Answer]) -> Answer | None:
        """Answer a further question if it is asked; the page shows why it is refused."""
        try:
            return question(explored, measure) if name in further else None
        except InputError as error:
            refused.append(str(error))
            return None

    ranged, found_odd = answered("ranges", questions.ranges), None
    try:
        found_odd = oddities(explored, measure)
    except InputError as error:  # a file changed, say
        refused.append(f"what is odd about runs cannot be said: {error}")
    keeping, kept = kept_lines(explored, query) if figure == BRUSHED_FIGURE else (None, None)
    fills = {
        "measure": measure,
        "figures": _FIGURES,
        "figure": figure,
        "of_one_measure": figure in FIGURES_OF_ONE_MEASURE,
        "choices": _FURTHER,
        "further": further,
        "runs": scores.runs,
        "led": questions.led(explored, measure),
        "means": scores.averages.T.tolist(),
        "topics": scores.population.of_topics,  # how many
        "ranges": {} if ranged is None else {run: ends for run, *ends in ranged.select("run", "low", "high").rows()},
        "groups": answered("groups", questions.groups),
        "archetypes": questions.archetypes_by_run(explored, measure) if "archetypes" in further else None,
        "refused": refused,
        "audit": explored.audit,
        "oddness": questions.oddness(explored, measure),
        "oddities": found_odd or {},
        "tie_steps": TIE_ORDERS,
        "share_steps": SHARES_CALLED,
        "hardest": hardest.drop_nulls("mean").head(HARDEST).to_dicts(),
        "odd": odd.head(ODDEST).to_dicts(),
        "keeping": keeping,
    }
    tables: dict[str, Callable[[], pl.DataFrame]] = {
        "leaderboard": lambda: scores.means,
        "scores": lambda: scores.per_topic,
        "topics": lambda: hardest,
        "odd-lists": lambda: odd,
        "audit": explored.audit.table,
        "ranges": lambda: questions.ranges(explored, measure),
        "groups": lambda: questions.groups(explored, measure).places,
        "archetypes": lambda: questions.archetypes_by_run(explored, measure),
        "possible": lambda: possible_table(explored, measure),
        "oddities": lambda: oddities_table(explored, measure),
    }
    if kept is not None:
        tables["kept"] = lambda: kept
    return View(fills, tables)

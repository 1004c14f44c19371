"""All runs on all topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from cranfield.app.explorer.brushing import Keeping, kept_lines
from cranfield.app.explorer.page import Fills, Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.oddities import OddThing, oddities, oddities_table
from cranfield.app.explorer.questions.parallel import FIGURE
from cranfield.app.explorer.questions.possible import SHARES_CALLED, possible_table
from cranfield.app.explorer.questions.runs import Groups, archetypes_by_run, groups, odd_lists, oddness, ranges
from cranfield.app.explorer.questions.topics import by_topic
from cranfield.judged.audit import Audit
from cranfield.lists.possibilities import TIE_ORDERS
from cranfield.measures.framework.misplacement import LENGTH
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


@dataclass(frozen=True)
class OverviewFills(Fills):
    """What the page shows.

    Attributes
    ----------
    figures, figure
        What there is to look at, and what is looked at.
    of_one_measure
        Whether that is of the measure that is chosen.
    choices, further
        What can be asked for besides, and what is.
    runs, means
        The runs, the best first, and their means by measure.
    topics
        How many there are.
    ranges, groups, archetypes
        The answers to further questions: what each run's mean could be, which runs cannot be told
        apart, and on how many topics each is of each archetype.
    n
        What lists are cut or padded to for that.
    refused
        Why some of them are not answered.
    audit
        What was found of the runs and judgments: in a line or two, and run by run.
    oddness, oddities
        That of each run, and what is odd about it.
    tie_steps, share_steps
        What the steps of both sliders are called.
    titled
        Whether it is known what topics are about.
    hardest, odd
        The hardest topics, and the oddest lists.
    keeping
        The runs as lines across measures, where that is the picture.
    """

    figures: tuple[str, ...]
    figure: str
    of_one_measure: bool
    choices: Mapping[str, str]
    further: tuple[str, ...]
    runs: tuple[str, ...]
    means: list[list[float]]
    topics: str
    ranges: Mapping[str, list[Any]]
    groups: Groups | None
    archetypes: pl.DataFrame | None
    n: int
    refused: list[str]
    audit: Audit
    oddness: Mapping[str, float]
    oddities: Mapping[str, tuple[OddThing, ...]]
    tie_steps: tuple[str, ...]
    share_steps: tuple[str, ...]
    titled: bool
    hardest: list[dict[str, Any]]
    odd: list[dict[str, Any]]
    keeping: Keeping | None


def _takes_long(query: Query) -> bool:
    return bool({*query.texts("with"), query.text("csv")} & {*FURTHER, "possible"})


@page("Overview", place=10, takes_long=_takes_long)
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

    ranged, found_odd = answered("ranges", ranges), None
    try:
        found_odd = oddities(explored, measure)
    except InputError as error:  # a file changed, say
        refused.append(f"what is odd about runs cannot be said: {error}")
    keeping, kept = kept_lines(explored, query) if figure == FIGURE else (None, None)
    shown = OverviewFills(
        measure,
        figures=FIGURES,
        figure=figure,
        of_one_measure=figure in OF_ONE_MEASURE,
        choices=FURTHER,
        further=further,
        runs=scores.runs,
        means=scores.averages.T.tolist(),
        topics=scores.population.of_topics,
        ranges={} if ranged is None else {run: ends for run, *ends in ranged.select("run", "low", "high").rows()},
        groups=answered("groups", groups),
        archetypes=archetypes_by_run(explored, measure) if "archetypes" in further else None,
        n=LENGTH,
        refused=refused,
        audit=explored.audit,
        oddness=oddness(explored, measure),
        oddities=found_odd or {},
        tie_steps=TIE_ORDERS,
        share_steps=SHARES_CALLED,
        titled=bool(explored.topics),
        hardest=hardest.drop_nulls("mean").head(HARDEST).to_dicts(),
        odd=odd.head(ODDEST).to_dicts(),
        keeping=keeping,
    )
    tables: dict[str, Callable[[], pl.DataFrame]] = {
        "leaderboard": lambda: scores.means,
        "scores": lambda: scores.per_topic,
        "topics": lambda: hardest,
        "odd-lists": lambda: odd,
        "audit": explored.audit.table,
        "ranges": lambda: ranges(explored, measure),
        "groups": lambda: groups(explored, measure).places,
        "archetypes": lambda: archetypes_by_run(explored, measure),
        "possible": lambda: possible_table(explored, measure),
        "oddities": lambda: oddities_table(explored, measure),
    }
    if kept is not None:
        tables["kept"] = lambda: kept
    return View(shown, tables)

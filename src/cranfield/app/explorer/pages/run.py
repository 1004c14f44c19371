"""One run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cranfield.app.explorer.brushing import Keeping, kept_lines
from cranfield.app.explorer.page import Fills, Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.oddities import OddThing, oddities
from cranfield.app.explorer.questions.runs import archetypes_by_run, means_of, oddness, topics_of
from cranfield.measures.framework.misplacement import LENGTH
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl


@dataclass(frozen=True)
class RunFills(Fills):
    """What the page shows.

    Attributes
    ----------
    run, runs
        The run, and all of them, the best first.
    means, topics
        Its means by measure, and its topics, a row each.
    archetypes, n
        On how many topics it is of each, lists being cut or padded to N.
    odd, unknown
        What is odd about it, or why that cannot be said.
    oddness
        The root mean square of its residuals, where there are any.
    titled
        Whether it is known what topics are about.
    keeping
        Its topics as lines across measures.
    """

    run: str
    runs: tuple[str, ...]
    means: list[dict[str, Any]]
    topics: list[dict[str, Any]]
    archetypes: Mapping[str, int]
    n: int
    odd: tuple[OddThing, ...]
    unknown: str
    oddness: float | None
    titled: bool
    keeping: Keeping


@page("A run")
def run(explored: Explored, query: Query) -> View:
    """On which topics is a run good, on which is it odd, and what do they have in common?"""
    measure = explored.measure(query.text("measure"))
    name = explored.run(query.required("run"))
    means, topics = means_of(explored, name), topics_of(explored, name, measure)
    counts = archetypes_by_run(explored).filter(pl.col("run") == name)
    keeping, kept = kept_lines(explored, query, name)
    odd: tuple[OddThing, ...] = ()
    unknown = ""
    try:
        odd = oddities(explored, measure)[name]
    except InputError as error:  # a file changed, say
        unknown = str(error)
    return View(
        RunFills(
            measure,
            run=name,
            runs=explored.ordered(measure).runs,
            means=means.to_dicts(),
            topics=topics.to_dicts(),
            archetypes=counts.drop("run").row(0, named=True),
            n=LENGTH,
            odd=odd,
            unknown=unknown,
            oddness=oddness(explored, measure).get(name),
            titled=bool(explored.topics),
            keeping=keeping,
        ),
        {"means": lambda: means, "topics": lambda: topics, "kept": lambda: kept},
    )

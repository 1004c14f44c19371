"""One run."""

from __future__ import annotations

from cranfield.app.explorer.brushing import kept_lines
from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.oddities import OddThing, oddities
from cranfield.app.explorer.questions.runs import archetypes_by_run, means_of, oddness, topics_of
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl


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
    fills = {
        "measure": measure,
        "run": name,
        "runs": explored.ordered(measure).runs,
        "means": means.to_dicts(),
        "topics": topics.to_dicts(),
        "archetypes": counts.drop("run").row(0, named=True),  # on how many topics it is of each
        "odd": odd,
        "unknown": unknown,
        "oddness": oddness(explored, measure).get(name),
        "keeping": keeping,
    }
    return View(fills, {"means": lambda: means, "topics": lambda: topics, "kept": lambda: kept})

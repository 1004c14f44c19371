"""One document of a topic."""

from __future__ import annotations

import json
import math

import numpy as np

from cranfield.app.explorer.page import LARGEST_NUMBER, Query, View, page
from cranfield.app.explorer.questions.documents import grade_of, reading, standings, topics_of
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lists import RANKS_SHOWN
from cranfield.app.web import address
from cranfield.pages.look import UNJUDGED

LISTS_BESIDE = 2  # How many lists are shown side by side when the grade of the document is changed


@page("A document")
def document(explored: Explored, query: Query) -> View:
    """Where does each run have this document, and what is it worth to every measure there?"""
    topic, name = query.required("topic"), query.required("document")
    measure = explored.measure(query.text("measure"))
    worth = explored.alterable.worth(topic, name)
    grade = grade_of(explored, topic, name)
    rows = standings(worth, explored.ordered(measure).runs)
    having = [row for row in rows if row.rank is not None]
    shown = (having or rows)[:LISTS_BESIDE]
    asked = {
        "topic": topic,
        "run": [row.run for row in shown],
        "measure": measure,
        "first": min(LARGEST_NUMBER, max([RANKS_SHOWN, *(row.rank or 0 for row in shown)])),
    }
    text = reading(explored, topic, name)
    fills = {
        "measure": measure,
        "topic": topic,
        "about": explored.topics.get(topic),
        "document": name,
        "grade": None if math.isnan(grade) else grade,
        "text": text,
        "has_texts": explored.documents is not None,
        "as_page": text is not None and text.is_page and query.text("as") == "page",
        "other_topics": {each: explored.title_of(each) for each in topics_of(explored, name) if each != topic},
        "rows": rows,
        "having": having,
        "best": min(having, key=lambda row: row.rank or 0, default=None),
        "adds_up": dict(worth.select("measure", "adds_up").unique(maintain_order=True).iter_rows()),
        "lists": address("topic", **asked),
        "what_if": {  # the addresses of what would be, had it another grade
            other: address("topic", **asked, changes=json.dumps([[name, given]]))
            for other, given in _others(explored, topic, grade).items()
        },
    }
    return View(fills, {"worth": lambda: worth})


def _others(explored: Explored, topic: str, grade: float) -> dict[str, float | None]:
    """Return what the grade could be instead; a topic must keep a judgment."""
    found: dict[str, float | None] = {each: float(each) for each in explored.grades if float(each) != grade}
    judged = np.count_nonzero(~np.isnan(explored.on(topic).judgments.grade))
    return found if math.isnan(grade) or judged == 1 else {**found, UNJUDGED: None}

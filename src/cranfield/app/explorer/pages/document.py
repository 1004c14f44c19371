"""One document of a topic."""

from __future__ import annotations

import math

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions.documents import grade_of
from cranfield.app.explorer.questions.explored import Explored


@page("A document")
def document(explored: Explored, query: Query) -> View:
    """Where does each run have this document, and what is it worth to every measure there?"""
    topic, name = query.required("topic"), query.required("document")
    worth = explored.alterable.worth(topic, name)
    text = None if explored.documents is None else explored.documents.get(name)
    grade = grade_of(explored, topic, name)
    return View(
        {
            "topic": topic,
            "about": explored.topics.get(topic),
            "document": name,
            "text": text,
            "grade": None if math.isnan(grade) else grade,
            "rows": worth.to_dicts(),
        },
        {"worth": lambda: worth},
    )

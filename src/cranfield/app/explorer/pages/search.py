"""Whatever has a name."""

from __future__ import annotations

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions import documents as questions
from cranfield.app.explorer.questions.explored import Explored

TOPICS_OF_A_DOCUMENT = 5


@page("Search", place=40)
def search(explored: Explored, query: Query) -> View:
    """Where is a topic, a run or a document? Its id, name or title must contain all words. Press / to come here."""
    text = (query.text("find") or "").strip()
    found = questions.search(explored, text)
    fills = {
        "measure": explored.measure(query.text("measure")),
        "find": text,
        "found": found if text else None,
        "titles": {topic: explored.title_of(topic) for topic in found.topics},
        "first": questions.SHOWN_OF_EACH_KIND,
        "topics_shown": TOPICS_OF_A_DOCUMENT,
    }
    return View(fills, {"documents": lambda: found.documents.explode("topics").rename({"topics": "topic"})})

"""Whatever has a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cranfield.app.explorer.page import Fills, Query, View, page
from cranfield.app.explorer.questions import search as questions
from cranfield.app.explorer.questions.explored import Explored

TOPICS = 5
"""How many topics of a document are shown."""


@dataclass(frozen=True)
class SearchFills(Fills):
    """What the page shows: what is looked for, what was found, the titles of topics, and how many of each are named."""

    find: str
    found: questions.Hits | None
    titles: Mapping[str, str]
    first: int
    topics_shown: int


@page("Search", place=40)
def search(explored: Explored, query: Query) -> View:
    """Where is a topic, a run or a document? All words must be in its id, name or title. The key / leads here."""
    text = (query.text("find") or "").strip()
    found = questions.search(explored, text)
    return View(
        SearchFills(
            explored.measure(query.text("measure")),
            find=text,
            found=found if text else None,
            titles={topic: explored.title_of(topic) for topic in found.topics},
            first=questions.FIRST,
            topics_shown=TOPICS,
        ),
        {"documents": lambda: found.documents.explode("topics").rename({"topics": "topic"})},
    )

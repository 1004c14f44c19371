"""Two runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from cranfield.app.explorer.page import Query, View, page
from cranfield.app.explorer.questions import pairs as questions
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.lists import moves_of
from cranfield.app.explorer.questions.runs import led
from cranfield.app.web import address
from cranfield.pairs.overtaking import Overtaking
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

DOCUMENTS_SHOWN: Final = 50
DOCUMENTS_THAT_SAY_WHY: Final = 10
QUICK_SECONDS: Final = 2.0  # An answer that takes more seconds is worked out when it is asked for


@page("Two runs", place=30, takes_long=lambda query: query.text("overtake") is not None)
def pair(explored: Explored, query: Query) -> View:
    """On which topics do two runs differ most, which documents decide that, and what would it take to overtake?"""
    measure = explored.measure(query.text("measure"))
    ordered = explored.ordered(measure).runs
    a = explored.run(query.text("a") or ordered[0])
    b = explored.run(query.text("b") or next((run for run in ordered if run != a), a))
    by, topic = query.text("by") or next(iter(questions.TOPIC_ORDERS)), query.text("topic")
    found = questions.contrasts(explored, a, b, measure, by)
    asked = query.text("overtake") is not None
    tables: dict[str, Callable[[], pl.DataFrame]] = {"contrasts": lambda: found.table}
    because, adds, tries, decided, documents, chase = None, [], "", None, [], None
    if a != b:
        because = found_why = questions.reason(explored, a, b, measure, topic)
        adds = _titled(explored, because.deciding.filter(pl.col("contribution") != 0).head(DOCUMENTS_THAT_SAY_WHY))
        if because.swap is not None:
            changes = json.dumps(moves_of(because.swap))
            tries = address("topic", topic=because.topic, measure=measure, run=[because.a, because.b], changes=changes)
        tables["why"] = lambda: found_why.deciding
        if not topic:
            decided = questions.decisive(explored, a, b, measure)
            documents = _titled(explored, decided.documents.head(DOCUMENTS_SHOWN))
        tables["deciding"] = lambda: questions.decisive(explored, a, b, measure).documents
        ahead, behind = sorted((a, b), key=ordered.index)
        chase = _Chase(explored, behind, ahead, measure, asked=asked)
        tables["overtaking"] = chase.documents
    fills = {
        "measure": measure,
        "led": () if a == b else led(explored, measure, (a, b)),
        "a": a,
        "b": b,
        "runs": ordered,
        "by": by,
        "orders": list(questions.TOPIC_ORDERS),
        "topic": topic,
        "reason": because,  # on the topic that is asked for, or on the one on which they differ most
        "adds": adds,
        "tries": tries,  # where the best exchange is tried
        "contrasts": found,
        "rows": found.table.to_dicts(),
        "decided": decided,
        "documents": documents,
        "chase": chase,
        "asked": asked,
    }
    return View(fills, tables)


def _titled(explored: Explored, documents: pl.DataFrame) -> list[tuple[dict[str, Any], str]]:
    """Return documents as rows, each with its title."""
    return [(row, explored.title_of_document(row["document"])) for row in documents.to_dicts()]


class _Chase:
    """What it would take to overtake, or why it is not said: worked out where that is quick, or asked for."""

    def __init__(self, explored: Explored, behind: str, ahead: str, measure: str, *, asked: bool) -> None:
        self.explored, self.behind, self.ahead = explored, behind, ahead
        self.found: Overtaking | None = None
        self.refused = ""
        try:
            self.seconds = 0.0 if asked else questions.reckoned(explored, behind, ahead, measure)
            if self.seconds <= QUICK_SECONDS:
                self.found = questions.overtaking(explored, behind, ahead, measure)
        except InputError as error:
            self.refused = str(error)

    @property
    def needed(self) -> str:
        """How many documents it takes, in words; nothing where none were found."""
        if self.found is None or not self.found.documents.height:
            return ""
        most = self.found.documents.height
        return f"exactly {most}" if self.found.exact else f"at least {self.found.at_least or 1}, at most {most}"

    def documents(self) -> pl.DataFrame:
        """Return the documents that bring the one behind ahead, with their ranks in both runs."""
        if self.found is None:
            raise InputError(self.refused or "what it would take to overtake was not computed: add overtake=yes")
        both = {"rank_behind": self.behind, "rank_ahead": self.ahead}
        return questions.with_ranks(self.explored, self.found.documents, both)

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The first of them."""
        return self.documents().head(DOCUMENTS_SHOWN).to_dicts()

    @property
    def by_topic(self) -> list[tuple[str, int, str]]:
        """The topics that they are of, how many there are, and what is changed there if all of them are relevant."""
        if self.found is None:
            return []
        top = self.explored.runs.judgments.scale
        parts = self.found.documents.group_by("topic", maintain_order=True).agg("document")
        return [
            (topic, len(documents), json.dumps([[document, top] for document in documents]))
            for topic, documents in parts.iter_rows()
        ]

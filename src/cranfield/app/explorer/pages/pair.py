"""Two runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from cranfield.app.explorer.page import Fills, Query, View, page
from cranfield.app.explorer.questions.deciding import Deciding, decisive
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.pairs import (
    ORDERS,
    Contrasts,
    contrasts,
    overtaking,
    reason,
    reckoned,
    with_ranks,
)
from cranfield.app.web import address
from cranfield.pairs.overtaking import Overtaking
from cranfield.pairs.why import Why
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

SHOWN: Final = 50
"""How many documents are shown; all are in the CSV."""
BECAUSE: Final = 10
"""How many documents say why; all are in the CSV."""
PATIENCE: Final = 2.0
"""An answer that takes more seconds is worked out when it is asked for."""


@dataclass(frozen=True)
class PairFills(Fills):
    """What the page shows.

    Attributes
    ----------
    a, b, runs
        The two runs, and all of them, the best first.
    by, orders
        By what topics are ordered, and could be.
    topic
        The one that was asked for, if one was.
    reason, adds, tries
        Why one list is better than the other: on the topic, or on the one on which they differ most; the
        documents that contribute to that, with their titles; and where the best exchange is tried.
    contrasts, rows
        On which topics they differ, and these as rows.
    decided, documents
        What decides the difference on average, the first documents with their titles; none where a topic was asked
        for, nor of a run and itself.
    chase
        What it would take to overtake.
    asked
        Whether that was asked for, however long it takes.
    """

    a: str
    b: str
    runs: tuple[str, ...]
    by: str
    orders: list[str]
    topic: str | None
    reason: Why | None
    adds: list[tuple[dict[str, Any], str]]
    tries: str
    contrasts: Contrasts
    rows: list[dict[str, Any]]
    decided: Deciding | None
    documents: list[tuple[dict[str, Any], str]]
    chase: _Chase | None
    asked: bool


def _takes_long(query: Query) -> bool:
    return query.text("overtake") is not None


@page("Two runs", place=30, takes_long=_takes_long)
def pair(explored: Explored, query: Query) -> View:
    """On which topics do two runs differ most, which documents decide that, and what would it take to overtake?"""
    measure = explored.measure(query.text("measure"))
    ordered = explored.ordered(measure).runs
    a = explored.run(query.text("a") or ordered[0])
    b = explored.run(query.text("b") or next((run for run in ordered if run != a), a))
    by, topic = query.text("by") or next(iter(ORDERS)), query.text("topic")
    found = contrasts(explored, a, b, measure, by)
    asked = query.text("overtake") is not None
    tables: dict[str, Callable[[], pl.DataFrame]] = {"contrasts": lambda: found.table}
    decided, documents, chase = None, [], None
    because, adds = None, []
    if a != b:
        because = found_why = reason(explored, a, b, measure, topic)
        adds = [
            (row, explored.title_of_document(row["document"]))
            for row in because.deciding.filter(pl.col("contribution") != 0).head(BECAUSE).to_dicts()
        ]
        tables["why"] = lambda: found_why.deciding
        decided = None if topic else decisive(explored, a, b, measure)
        shown = [] if decided is None else decided.documents.head(SHOWN).to_dicts()
        documents = [(row, explored.title_of_document(row["document"])) for row in shown]
        tables["deciding"] = lambda: decisive(explored, a, b, measure).documents
        ahead, behind = sorted((a, b), key=ordered.index)
        chase = _Chase(explored, behind, ahead, measure, asked=asked)
        tables["overtaking"] = chase.documents
    return View(
        PairFills(
            measure,
            a=a,
            b=b,
            runs=ordered,
            by=by,
            orders=list(ORDERS),
            topic=topic,
            reason=because,
            adds=adds,
            tries=_tries(because, measure),
            contrasts=found,
            rows=found.table.to_dicts(),
            decided=decided,
            documents=documents,
            chase=chase,
            asked=asked,
        ),
        tables,
    )


def _tries(because: Why | None, measure: str) -> str:
    """Return the address at which the best exchange is tried."""
    if because is None or because.swap is None:
        return ""
    swap = because.swap
    moves = [[swap.run, swap.document_low, swap.high], [swap.run, swap.document_high, swap.low]]
    runs = [because.a, because.b]
    return address("topic", topic=because.topic, measure=measure, run=runs, changes=json.dumps(moves))


class _Chase:
    """What it would take to overtake, or why it is not said: worked out where that is quick, or asked for."""

    def __init__(self, explored: Explored, behind: str, ahead: str, measure: str, *, asked: bool) -> None:
        self.explored, self.behind, self.ahead = explored, behind, ahead
        self.found: Overtaking | None = None
        self.refused = ""
        try:
            self.seconds = 0.0 if asked else reckoned(explored, behind, ahead, measure)
            if self.seconds <= PATIENCE:
                self.found = overtaking(explored, behind, ahead, measure)
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
            raise InputError(
                self.refused or "what it would take to overtake has not been worked out here: add overtake=yes"
            )
        return with_ranks(self.explored, self.found.documents, {"rank_behind": self.behind, "rank_ahead": self.ahead})

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The first of them."""
        return self.documents().head(SHOWN).to_dicts()

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

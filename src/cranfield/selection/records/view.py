"""What follows from the events: grades, who holds what, qrels. A view of the log, kept up to date event by event."""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, checked
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE, WEIGHT
from cranfield.selection.judging import Judging
from cranfield.selection.records.events import (
    KINDS,
    SCHEMA,
    Amended,
    Assessed,
    Event,
    Expired,
    Leased,
    Released,
    Retracted,
)
from cranfield.selection.records.log import Log
from cranfield.selection.records.policies import POLICIES, Policy

Document: TypeAlias = tuple[str, str]
"""Topic and document."""
_ABOUT: Final[dict[type[Event], tuple[type[Event], ...]]] = {
    Amended: (Assessed,),
    Retracted: (Assessed, Amended, Retracted),
    Released: (Leased,),
    Expired: (Leased,),
}
"""Which events an event may be about."""


class Held(NamedTuple):
    """A document that an assessor has on lease and has not judged."""

    topic: str
    document: str
    assessor: str
    until: float
    lease: str


class Counted(NamedTuple):
    """A judgment that counts, with its grade and note as they are by now."""

    judged: Assessed
    grade: float | None
    note: str


class Records:
    """Who judged what, which grade has each document, and who holds which documents?

    All of it follows from the events alone, whatever their order: an event changes what it is
    about and nothing else, and the result is what a replay of all events gives, to the last byte
    (`snapshot`). Only the session's sums also depend, in their last bits, on the order in which it
    was told of grades. No clock is read: times and ids are the caller's.

    Parameters
    ----------
    events
        The events so far; or a `Log`, to which each further event is added before it counts.
    policy
        Which grade has a document that several people judged: ``"first"``, ``"majority"``,
        ``"mean"`` or ``"adjudicated"``, see `POLICIES`.
    per_document
        How many assessors are to judge each document. Leases see to it; judgments beyond are kept.
    judging
        The session that chooses what is leased. It is told of every grade that changes: a grade
        below 0 as 0, and a document of which all say that it cannot be judged as skipped. It is
        not told of a document that no run retrieved, or that it had a grade of before.

    Raises
    ------
    InputError
        If an event is about one that is not there, ids are not unique, or a grade is above the
        session's top grade.

    Examples
    --------
    Two assessors lease from the order of Method A; b weighs more than a and c.

    >>> runs = {"x": {"1": {"a": 3.0, "b": 2.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> records = Records(judging=Judging(runs, "RBP(p=0.5)", method="A"))
    >>> records.lease("Ann", 1, id="l1", now=0, until=60).documents
    (('1', 'b'),)
    >>> records.lease("Ben", 2, id="l2", now=1, until=61).documents
    (('1', 'a'), ('1', 'c'))
    >>> records.append(Assessed("j1", 5, "1", "b", 1, "Ann"))
    True
    >>> records.grade("1", "b"), records.judging.state.base.tolist()
    (1, [[0.25], [0.5]])
    >>> records.append(Retracted("r1", 6, "j1"))
    True
    >>> records.grade("1", "b"), records.judging.state.base.tolist()
    (None, [[0.0], [0.0]])
    """

    def __init__(
        self,
        events: Iterable[Event] | Log = (),
        *,
        policy: Policy = "first",
        per_document: int = 1,
        judging: Judging | None = None,
    ) -> None:
        self.policy: Policy = checked("policy", policy, Policy)
        self.per_document: int = checked("per_document", per_document, Count)
        self.judging = judging
        self._events: dict[str, Event] = {}
        self._judged: dict[str, Assessed] = {}
        self._retractions: dict[str, int] = {}  # by event: how many count that retract it
        self._judgments: dict[Document, list[tuple[float, str]]] = {}  # time and id, rising, retracted or not
        self._amendments: dict[str, list[tuple[float, str]]] = {}  # of a judgment
        self._leases: dict[Document, list[str]] = {}
        self._running: dict[str, Leased] = {}  # leases that have not ended
        self._told: dict[Document, float | None] = {}  # what the session was told: None is skipped
        self._log: Log | None = None
        for event in events:
            self.append(event)
        if isinstance(events, Log):
            self._log = events

    def __iter__(self) -> Iterator[Event]:
        """Go through the events, in the order in which they were added."""
        return iter(self._events.values())

    def __len__(self) -> int:
        return len(self._events)

    def event(self, name: str) -> Event:
        """Return the event of this name, or raise an InputError."""
        if name not in self._events:
            raise InputError(f"there is no event {name!r}")
        return self._events[name]

    def append(self, event: Event) -> bool:
        """Add an event. Return False if it is there already; then nothing changes.

        Raises
        ------
        InputError
            If there is another event with its id, or it is about one that is not there or of the
            wrong kind. Nothing has changed then.
        """
        if type(event) not in KINDS.values():
            raise InputError(f"an event is one of {', '.join(kind.__name__ for kind in KINDS.values())}, not {event!r}")
        if event.id in self._events:
            if self._events[event.id] != event:
                raise InputError(f"there is another event {event.id!r} already, of kind {self._events[event.id].kind}")
            return False
        self._check(event)
        if self._log is not None:
            self._log.append(event)
        self._events[event.id] = event
        if isinstance(event, Assessed):
            self._judged[event.id] = event
            insort(self._judgments.setdefault((event.topic, event.document), []), (event.time, event.id))
            self._settle((event.topic, event.document))
        elif isinstance(event, Amended):
            insort(self._amendments.setdefault(event.judgment, []), (event.time, event.id))
            self._settle(self._document(event))
        elif isinstance(event, Retracted):
            self._retract(event)
        elif isinstance(event, Leased):
            self._running[event.id] = event
            for document in event.documents:
                self._leases.setdefault(document, []).append(event.id)
        else:  # released or expired
            for lease in event.names:
                self._running.pop(lease, None)
        return True

    def lease(
        self,
        assessor: str,
        n: int = 1,
        *,
        id: str,  # noqa: A002 - what events call it
        now: float,
        until: float,
        topics: Iterable[str] | None = None,
        exclude: Iterable[Document] = (),
    ) -> Leased | None:
        """Lease the next n documents to an assessor; return the event, or None if nothing is left for them.

        Documents that others have begun and that still lack judgments (``per_document``) come
        first, by their first judgment or lease; then those that the session chooses. Nobody gets a
        document that they judged or hold, and no document is leased to more assessors than are
        asked for. Leases whose time is over count until `expire` is called.

        Parameters
        ----------
        assessor, n
            Who is to judge, and how many documents at most.
        id, now, until
            The id and the time of the event, and when the lease ends.
        topics
            Lease documents of these topics only.
        exclude
            Pairs of topic and document not to lease.

        Raises
        ------
        InputError
            If there is no session, no run has one of the topics, or the id is taken.
        """
        if self.judging is None:
            raise InputError("nothing chooses what is leased; give a session: Records(..., judging=Judging(...))")
        n, kept = checked("n", n, Count), {(topic, document) for topic, document in exclude}
        among = None if topics is None else {*checked("topics", topics, tuple[str, ...])}
        for topic in sorted(among or ()):
            self.judging.candidates.topic_code(topic)
        found: dict[Document, float | None] = dict.fromkeys(
            document
            for document in self._begun()
            if (among is None or document[0] in among) and document not in kept and self._wants(document, assessor)
        )
        documents = [*found.items()][:n]
        documents += self._chosen(assessor, n - len(documents), among, kept | found.keys())
        if not documents:
            return None
        pairs, weights = zip(*documents, strict=True)
        leased = Leased(id, now, assessor, pairs, until, str(self.judging.method), weights)
        if not self.append(leased):
            raise InputError(f"there is an event {id!r} already; each event has an id of its own")
        return leased

    def expire(self, *, id: str, now: float) -> Expired | None:  # noqa: A002
        """End the leases whose time is over by now; return the event, or None if there are none.

        >>> records = Records([Leased("l1", 0, "Ann", (("1", "a"),), until=60)])
        >>> records.expire(id="x1", now=59), records.expire(id="x2", now=60).leases, records.held()
        (None, ('l1',), [])
        """
        over = sorted(lease.id for lease in self._running.values() if lease.until <= now)
        if not over:
            return None
        expired = Expired(id, now, tuple(over))
        if not self.append(expired):
            raise InputError(f"there is an event {id!r} already; each event has an id of its own")
        return expired

    def held(self, assessor: str | None = None) -> list[Held]:
        """List the documents that are on lease and not judged by their holders, of one assessor or of all."""
        return sorted(
            Held(*document, lease.assessor, lease.until, lease.id)
            for lease in self._running.values()
            if assessor is None or lease.assessor == assessor
            for document in lease.documents
            if lease.assessor not in self._judges(document)
        )

    def conflicts(self) -> list[tuple[Held, ...]]:
        """List the documents held by more assessors than are asked for: merged logs can have such.

        >>> here, there = (Leased(id, 0, who, (("1", "a"),), 60) for id, who in (("l1", "Ann"), ("l2", "Ben")))
        >>> [[held.assessor for held in each] for each in Records([here, there]).conflicts()]
        [['Ann', 'Ben']]
        """
        by_document: dict[Document, list[Held]] = {}
        for held in self.held():
            by_document.setdefault((held.topic, held.document), []).append(held)
        return [
            tuple(each) for each in by_document.values() if len({held.assessor for held in each}) > self.per_document
        ]

    def grade(self, topic: str, document: str, policy: Policy | None = None) -> float | None:
        """Return the grade of a document by the policy; None if it has none, or the policy cannot decide."""
        policy = checked("policy", policy, Policy | None)
        return self._grade((topic, document), policy or self.policy)

    def _grade(self, document: Document, policy: Policy) -> float | None:
        grades = [(grade, judged.settles) for judged, grade in self._counting(document) if grade is not None]
        return POLICIES[policy](grades) if grades else None

    def documents(self) -> list[Document]:
        """List the documents that somebody judged, sorted, whether or not the judgments count."""
        return sorted(self._judgments)

    def counting(self, topic: str, document: str) -> list[Counted]:
        """Return the judgments of a document that count, by time, each with grade and note as they are by now.

        >>> records = Records([Assessed("j1", 5, "1", "a", 1, "Ann"), Amended("m1", 6, "j1", 2)])
        >>> [(counted.judged.assessor, counted.grade) for counted in records.counting("1", "a")]
        [('Ann', 2)]
        """
        return [Counted(judged, *self._amended(judged)) for judged, _ in self._counting((topic, document))]

    def undecided(self, policy: Policy | None = None) -> list[Document]:
        """List the documents that have grades among which the policy cannot decide.

        >>> judged = [Assessed(who, 1, "1", "a", grade, who) for who, grade in (("Ann", 0), ("Ben", 1))]
        >>> Records(judged).undecided("majority"), Records(judged).undecided("mean")
        ([('1', 'a')], [])
        """
        policy = checked("policy", policy, Policy | None) or self.policy
        graded = (key for key in self._judgments if any(grade is not None for _, grade in self._counting(key)))
        return sorted(key for key in graded if self._grade(key, policy) is None)

    def to_qrels(self, policy: Policy | None = None) -> pl.DataFrame:
        """Return the grades by the policy as qrels, sorted by topic and document; what has no grade is not there.

        >>> judged = [Assessed(who, 1, "1", "a", grade, who) for who, grade in (("Ann", 0), ("Ben", 1))]
        >>> Records(judged).to_qrels("mean").rows()
        [('1', 'a', 0.5)]
        """
        policy = checked("policy", policy, Policy | None) or self.policy
        graded = ((*key, self._grade(key, policy)) for key in sorted(self._judgments))
        rows = [row for row in graded if row[2] is not None]
        whole = all(isinstance(grade, int) for _, _, grade in rows)
        schema = {QUERY: pl.String, DOCUMENT: pl.String, RELEVANCE: pl.Int64 if whole else pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row", strict=False)

    def judgments(self) -> pl.DataFrame:
        """Return who judged what: a row for each judgment, by time, then id.

        Grade and note are the amended ones; a grade is null where the document cannot be judged.
        ``counts`` is false where a judgment was retracted.
        """
        rows = []
        for _, name in sorted(place for places in self._judgments.values() for place in places):
            judged = self._judged[name]
            grade, note = self._amended(judged)
            why = judged.rationale
            said = (None, None, None) if why is None else (why.sentence, why.start, why.end)
            who = (judged.assessor, judged.time, judged.method, judged.weight)
            counts = not self._retractions.get(name)
            rows.append((name, judged.topic, judged.document, grade, *who, note, *said, judged.settles, counts))
        schema = {
            "event": pl.String, QUERY: pl.String, DOCUMENT: pl.String, RELEVANCE: pl.Float64,
            "assessor": pl.String, "time": pl.Float64, "method": pl.String, WEIGHT: pl.Float64, "note": pl.String,
            "rationale": pl.String, "start": pl.Int64, "end": pl.Int64, "settles": pl.Boolean, "counts": pl.Boolean,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row", strict=False)

    def snapshot(self) -> str:
        """Return all that follows from the events as JSON: the same events give the same bytes, in whatever order."""
        documents = [
            [*key, self._grade(key, self.policy), [[judged.id, grade] for judged, grade in counting]]
            for key in sorted(self._judgments)
            if (counting := self._counting(key))
        ]
        return json.dumps(
            {
                "schema": SCHEMA,
                "policy": self.policy,
                "documents": documents,
                "held": [list(held) for held in self.held()],
                "retracted": sorted(name for name, number in self._retractions.items() if number),
            },
            ensure_ascii=False,
        )

    def _check(self, event: Event) -> None:
        """Refuse what is about nothing, or beyond the session's scale."""
        for name in event.names:
            if name not in self._events:
                raise InputError(f"event {event.id!r} ({event.kind}) is about event {name!r}, which is not there")
            if not isinstance(self._events[name], _ABOUT[type(event)]):
                kinds = " or ".join(kind.kind for kind in _ABOUT[type(event)])
                found = self._events[name].kind
                raise InputError(f"event {event.id!r} ({event.kind}) is about a {kinds} event, but {name!r} is {found}")
        if self.judging is not None and isinstance(event, Assessed | Amended) and event.grade is not None:
            top = self.judging.top_grade
            if event.grade > top:
                raise InputError(f"event {event.id!r} has grade {event.grade:g}, but the largest is {top:g}")

    def _retract(self, event: Retracted) -> None:
        """Let an event no longer count; if it is a retraction, what it retracted counts again, and so on."""
        change, name = 1, event.judgment
        while True:
            before = self._retractions.get(name, 0)
            self._retractions[name] = before + change
            if bool(before) == bool(before + change):
                return
            about = self._events[name]
            if not isinstance(about, Retracted):
                self._settle(self._document(about))
                return
            change, name = -change, about.judgment

    def _document(self, event: Event) -> Document:
        """Return the document that a judgment or an amendment is of."""
        judged = self._judged[event.judgment if isinstance(event, Amended) else event.id]
        return judged.topic, judged.document

    def _amended(self, judged: Assessed) -> tuple[float | None, str]:
        """Return a judgment's grade and note, as they are by now."""
        for _, name in reversed(self._amendments.get(judged.id, ())):
            amended = self._events[name]
            if isinstance(amended, Amended) and not self._retractions.get(name):
                return amended.grade, amended.note
        return judged.grade, judged.note

    def _counting(self, document: Document) -> list[tuple[Assessed, float | None]]:
        """Return the judgments of a document that count, by time, and their grades."""
        names = (name for _, name in self._judgments.get(document, ()) if not self._retractions.get(name))
        return [(judged, self._amended(judged)[0]) for judged in map(self._judged.__getitem__, names)]

    def _judges(self, document: Document) -> set[str]:
        """Return those whose judgments of a document count."""
        names = (name for _, name in self._judgments.get(document, ()) if not self._retractions.get(name))
        return {self._judged[name].assessor for name in names}

    def _wants(self, document: Document, assessor: str) -> bool:
        """Say whether a document may be leased to an assessor."""
        leases = (self._running.get(name) for name in self._leases.get(document, ()))
        engaged = self._judges(document) | {lease.assessor for lease in leases if lease is not None}
        return assessor not in engaged and len(engaged) < self.per_document

    def _begun(self) -> list[Document]:
        """Return the documents that somebody judged or leased, by when that was first; none if one judgment is all."""
        if self.per_document == 1:
            return []
        first: dict[Document, tuple[float, str]] = {key: places[0] for key, places in self._judgments.items()}
        for key, names in self._leases.items():
            leased = min((self._events[name].time, name) for name in names)
            first[key] = min(first.get(key, leased), leased)
        return sorted(first, key=lambda key: (first[key], key))

    def _chosen(
        self, assessor: str, n: int, among: set[str] | None, kept: set[Document]
    ) -> list[tuple[Document, float | None]]:
        """Return the next n documents of the session that may be leased to an assessor, and their weights."""
        if self.judging is None or n == 0:
            return []
        candidates = self.judging.candidates
        wanted = np.array([among is None or topic in among for topic in candidates.topics])
        looked_at, found = n, dict[Document, float | None]()
        while True:
            places = self.judging.next_places(looked_at)
            weight = self.judging.weight
            found = {}
            for place in places[wanted[candidates.topic[places]]].tolist():
                document = candidates.topics[candidates.topic[place]], candidates.document[place]
                if document not in kept and self._wants(document, assessor):
                    found[document] = float(weight[place])
                if len(found) == n:
                    return [*found.items()]
            if len(places) < looked_at:
                return [*found.items()]
            looked_at *= 2

    def _settle(self, document: Document) -> None:
        """Tell the session of a grade that changed."""
        if self.judging is None:
            return
        counting = self._counting(document)
        grade = self._grade(document, self.policy)
        settled = grade is not None or (bool(counting) and all(given is None for _, given in counting))
        heard = None if grade is None else max(grade, 0)
        if document in self._told:
            if settled and self._told[document] == heard:
                return
            self.judging.take_back(*document)
            del self._told[document]
        place = self.judging.candidates.find(*document)
        if not settled or place is None or not self.judging.state.open[place]:
            return
        self.judging.skip(*document) if heard is None else self.judging.record(*document, heard)
        self._told[document] = heard

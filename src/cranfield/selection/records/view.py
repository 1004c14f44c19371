"""What follows from the events: grades, who holds what, qrels. A view of the log, kept up to date event by event."""

from __future__ import annotations

import json
import math
from bisect import insort
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, TypeVar, cast

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, checked, shown
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE, WEIGHT
from cranfield.selection.judging import Judging, qrels_of
from cranfield.selection.records.arrangement import Arrangement, Document
from cranfield.selection.records.events import (
    EVENT_KINDS,
    RECORDS_SCHEMA,
    Added,
    Amended,
    Assessed,
    Changed,
    Event,
    Expired,
    Found,
    Leased,
    Released,
    Retracted,
    events_in,
    plain,
)
from cranfield.selection.records.leasing import Since, Turns, Waiting
from cranfield.selection.records.log import Log
from cranfield.selection.records.policies import POLICIES, Policy
from cranfield.selection.records.session import SessionOfRecords

_ABOUT: Final[dict[type[Event], tuple[type[Event], ...]]] = {
    Amended: (Assessed,),
    Retracted: (Assessed, Amended, Retracted, Found, Added, Changed),
    Released: (Leased,),
    Expired: (Leased,),
}
"""Which events an event may be about."""
_SUBJECTS: Final[dict[type[Event], Callable[[Any], Sequence[Any]]]] = {
    **dict.fromkeys((Assessed, Found), lambda event: ((event.topic, event.document),)),
    Leased: lambda event: event.documents,
    Amended: lambda event: (event.judgment,),
    **dict.fromkeys((Added, Changed), lambda _: (None,)),
    **dict.fromkeys((Retracted, Released, Expired), lambda _: ()),
}
"""What an event is noted by: documents, the judgment that it amends, or None of a setting."""
_PLAIN: Final = Arrangement()  # What holds until something else is arranged
_NEVER: Final[Since] = (math.inf, "")  # Later than all events
_Kind = TypeVar("_Kind", bound=Event)


class Held(NamedTuple):
    """A document that an assessor has on lease and has not judged.

    Attributes
    ----------
    topic, document
        Which document.
    assessor
        Who has it.
    until
        When the lease ends, on the clock of the events.
    lease
        The id of the lease.
    """

    topic: str
    document: str
    assessor: str
    until: float
    lease: str


class DocumentState(NamedTuple):
    """What follows from the events of one document."""

    judges: frozenset[str] = frozenset()  # whose judgment of it counts
    held: tuple[Held, ...] = ()  # by those who have not judged it
    who: frozenset[str] = frozenset()  # who judged it, or has it at hand
    first: str | None = None  # who was the first of them
    since: Since = _NEVER  # when somebody first judged it, had it at hand, or found it


_NOTHING: Final = DocumentState()


class Counted(NamedTuple):
    """A judgment that counts, with its grade and note as they are by now."""

    judged: Assessed
    grade: float | None
    note: str


def last_grades(said: Iterable[Counted]) -> list[Counted]:
    """Return the judgment of each assessor that gave the last grade.

    That a document cannot be judged is no grade and replaces none: another one's neither, nor one's own of before.

    >>> said = [Counted(Assessed(name, 1, "1", "a", 1, "Ann"), grade, "") for name, grade in (("j", 1), ("k", None))]
    >>> [each.grade for each in last_grades(said)]
    [1]
    """
    return [*{each.judged.assessor: each for each in said if each.grade is not None}.values()]


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
        Which grade has a document that several people judged: ``"first"``, ``"majority"``, ``"mean"`` or
        ``"adjudicated"``, see `POLICIES`.
    per_document
        How many assessors are to judge each document, unless the `arrangement` asks for more or says
        otherwise. Leases see to it; judgments beyond are kept.
    judging
        The session that chooses what is leased. It hears of every grade that changes: a grade below 0 as 0,
        and a document of which all say that it cannot be judged as skipped. It is not told of a document
        that no run retrieved, or that it had a grade of before. When a run joins (`Added`) or the session
        goes on otherwise (`Changed`), it begins anew and hears all grades again. Documents that somebody has
        are held there (`Judging.hold`).

    Raises
    ------
    InputError
        If an event is about one that is not there, ids are not unique, two late runs have the same
        name, or a grade that counts is above the scale.

    Notes
    -----
    A document that was found by hand (`Found`) was not drawn. It has its place in qrels and, where a run
    retrieved it, in the ranges of scores; but no estimate may treat it as part of a sample: `estimate`
    looks at the documents of its sample alone.

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
        if not isinstance(judging, Judging | None):
            raise InputError(f"judging must be a cranfield.Judging, not {shown(judging)}")
        self.judging = judging
        self._session = None if judging is None else SessionOfRecords(judging)
        self._events: dict[str, Event] = {}
        self._noted: dict[type[Event], dict[Any, list[Since]]] = {kind: {} for kind in EVENT_KINDS.values()}
        self._over: Counter[str] = Counter()  # by event: how many count that retract it, or end the lease
        self._changes: dict[str, Any] = {}  # what is otherwise by now
        self._state: dict[Document, DocumentState] = {}
        self._heard: dict[Document, float | None] = {}  # what the session is told, in the order of the changes
        self._on_lease: dict[Document, None] = {}  # documents that somebody holds
        self._partly: dict[Document, None] = {}  # judged, but by fewer than asked for
        self._begun: dict[str, Counter[str]] = {}  # by topic: who has begun how many documents
        self._made = self._spent = 0
        self._waiting = Waiting()
        self._log: Log | None = None
        self._live = False
        for event in events_in(events):
            self.append(event)
        self._check_settings()
        for document in {**self._noted[Assessed], **self._noted[Leased], **self._noted[Found]}:
            self._file(document)
        self._go_on()
        self._live = True
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

    @property
    def arrangement(self) -> Arrangement:
        """How the work is shared out by now."""
        return cast("Arrangement", self._changes.get("arrangement", _PLAIN))

    @property
    def budget(self) -> int | None:
        """How many judgments are to be made in all; None: no number is set."""
        return self._changes.get("budget")

    @property
    def made(self) -> int:
        """How many judgments are made: of each document one by everybody who judged it."""
        return self._made

    @property
    def spent(self) -> int:
        """How many judgments are made, or on lease."""
        return self._spent

    @property
    def left(self) -> int | None:
        """How many judgments the budget has left, of those that are neither made nor on lease; None: no end is set."""
        return None if self.budget is None else max(0, self.budget - self._spent)

    def append(self, event: Event) -> bool:
        """Add an event. Return False if it is there already; then nothing changes.

        Raises
        ------
        InputError
            If there is another event with its id, it is about one that is not there or of the
            wrong kind, or the session could not go on with it. Nothing has changed then.
        """
        if type(event) not in EVENT_KINDS.values():
            raise InputError(
                f"an event is one of {', '.join(kind.__name__ for kind in EVENT_KINDS.values())}, not {event!r}"
            )
        if event.id in self._events:
            if self._events[event.id] != event:
                raise InputError(f"another event {event.id!r} exists already, of kind {self._events[event.id].kind}")
            return False
        self._check(event)
        changed = self._note(event)
        if not self._live:  # all events are to be there before anything follows from them but the order of grades
            if self._session is not None and isinstance(changed, Assessed | Amended):
                self._settle(*self._concerned(changed))
            return True
        try:
            if isinstance(changed, Changed | Added):
                self._check_settings()
            elif isinstance(event, Retracted) and isinstance(changed, Assessed | Amended) and self.judging is not None:
                self._refuse_beyond(self._concerned(changed), self.judging.top_grade)
            if self._log is not None:
                self._log.append(event)
        except InputError:
            self._note(event, back=True)
            raise
        if isinstance(changed, Changed | Added):
            self._go_on()
        else:
            for document in self._concerned(changed):
                self._file(document)
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
        first: Iterable[Document] = (),
        called: str | None = None,
    ) -> Leased | None:
        """Lease the next n documents to an assessor; return the event, or None if nothing is left for them.

        Documents that others have begun or found and that still lack judgments come first, by the
        time of their first judgment, lease or finding; then those that the session chooses. Nobody
        gets a document that they judged or hold, and no document is leased to more assessors than
        are asked for (`wanted`). The `arrangement` says who may begin documents of which topics, and
        there are no more than the `budget` has left. Leases whose time is over count until `expire`
        is called.

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
        first
            Pairs of topic and document to lease before all others, in this order, such as those of an
            audit; they need not be the session's.
        called
            What stands for the method where a document of ``first`` is leased; else it is the session's.

        Raises
        ------
        InputError
            If there is no session, no run has one of the topics, or the id is taken.
        """
        if self._session is None:
            raise InputError("nothing chooses what is leased; give a session: Records(..., judging=Judging(...))")
        n, kept = checked("n", n, Count), {(topic, document) for topic, document in exclude}
        among = None if topics is None else {*checked("topics", topics, tuple[str, ...])}
        for topic in sorted(among or ()):
            self._session.judging.candidates.topic_code(topic)
        if id in self._events:
            raise InputError(f"an event {id!r} exists already; give each event its own id")
        turns = Turns(self.arrangement, assessor, self._begun, among)
        n = n if self.left is None else min(n, self.left)
        documents: dict[Document, float | None] = {}
        first = dict.fromkeys(first)
        # What others have begun is not bound by whose topic it is: only who *begins* a document needs a turn.
        for document in chain(first, self._waiting.first(assessor, among)):
            if len(documents) >= n:
                break
            engaged = self.who_has(*document)
            if document in kept or assessor in engaged or not self.lacks(*document):
                continue
            if document in documents or not (engaged or turns.may_begin(document[0])):
                continue
            documents[document] = None
            if not engaged:
                turns.take(document[0])
        documents |= self._session.choose(n - len(documents), turns, kept | documents.keys())
        if not documents:
            return None
        blind = self.arrangement.blind
        order = sorted(documents, key=self.arrangement.place) if blind else [*documents]
        weights = tuple(documents[document] for document in order)
        chosen = called is None or documents.keys().isdisjoint(first)
        method = str(self._session.judging.method) if chosen else called
        leased = Leased(id, now, assessor, tuple(order), until, method, weights, blind)
        self.append(leased)
        return leased

    def for_anybody(self, topic: str, n: int | None = None) -> list[str]:
        """Return the next n documents of a topic that nobody has, or all: what was found, then what is chosen.

        They are no more than the budget has left, and on nobody's lease: sheets are made of them for whoever comes.
        """
        n = min((each for each in (n, self.left) if each is not None), default=None)
        found = [name for of, name in self._waiting.first("", [topic]) if not self.who_has(of, name)]
        candidates = None if self.judging is None else self.judging.candidates
        if self.judging is not None and candidates is not None and topic in candidates.topics:
            places = self.judging.next_places(len(candidates) if n is None else n, [topic])
            found += [candidates.document[place] for place in places.tolist()]
        return found[:n]

    def expire(self, *, id: str, now: float) -> Expired | None:  # noqa: A002
        """End the leases whose time is over by now and that hold documents still; return the event, or None.

        >>> records = Records([Leased("l1", 0, "Ann", (("1", "a"),), until=60)])
        >>> records.expire(id="x1", now=59), records.expire(id="x2", now=60).leases, records.held()
        (None, ('l1',), [])
        """
        over = sorted({held.lease for held in self._holdings() if held.until <= now})
        if not over:
            return None
        expired = Expired(id, now, tuple(over))
        if not self.append(expired):
            raise InputError(f"an event {id!r} exists already; give each event its own id")
        return expired

    def held(self, assessor: str | None = None) -> list[Held]:
        """List the documents that are on lease and not judged by their holders, of one assessor or of all."""
        return sorted(held for held in self._holdings() if assessor is None or held.assessor == assessor)

    def _holdings(self) -> Iterator[Held]:
        return chain.from_iterable(self._state[document].held for document in self._on_lease)

    def conflicts(self) -> list[tuple[Held, ...]]:
        """List the documents held by more assessors than are asked for: merged logs can have such.

        >>> here, there = (Leased(id, 0, who, (("1", "a"),), 60) for id, who in (("l1", "Ann"), ("l2", "Ben")))
        >>> [[held.assessor for held in each] for each in Records([here, there]).conflicts()]
        [['Ann', 'Ben']]
        """
        held = (self._state[document].held for document in sorted(self._on_lease))
        return [tuple(sorted(of)) for of in held if len({each.assessor for each in of}) > self.wanted(*of[0][:2])]

    def wanted(self, topic: str, document: str) -> int:
        """Return how many assessors are to judge a document: ``per_document``, or 2 of those judged twice."""
        return self.arrangement.wanted((topic, document), self.per_document)

    def lacks(self, topic: str, document: str, besides: str | None = None) -> bool:
        """Say whether fewer have judged a document, or have it at hand, than are to; but for one of them."""
        return len(self.who_has(topic, document) - {besides}) < self.wanted(topic, document)

    def found(self) -> list[Document]:
        """List the documents that somebody found by hand, whether judged or not.

        They are no sample. Leave them out of estimates of what is relevant among the unjudged.
        """
        return sorted(filter(self._was_found, self._noted[Found]))

    def grade(self, topic: str, document: str, policy: Policy | None = None) -> float | None:
        """Return the grade of a document by the policy; None if it has none, or the policy cannot decide."""
        return self._decided((topic, document), checked("policy", policy, Policy | None) or self.policy)[0]

    def _decided(self, document: Document, policy: Policy) -> tuple[float | None, bool]:
        """Return a document's grade by the policy, and whether there is nothing left to decide."""
        apart = policy == "adjudicated"  # which alone asks whose word settles it
        said = self.counting(*document)
        if settling := [each.grade for each in said if apart and each.judged.settles]:
            return settling[-1], True
        graded = [(each.grade, each.judged.settles) for each in last_grades(said) if each.grade is not None]
        grade = POLICIES[policy](graded) if graded else None
        return grade, bool(said) and (grade is not None or not graded)

    def documents(self) -> list[Document]:
        """List the documents that somebody judged, sorted, whether or not the judgments count."""
        return sorted(self._noted[Assessed])

    def counting(self, topic: str, document: str) -> list[Counted]:
        """Return the judgments of a document that count, by time, each with grade and note as they are by now.

        >>> records = Records([Assessed("j1", 5, "1", "a", 1, "Ann"), Amended("m1", 6, "j1", 2)])
        >>> [(counted.judged.assessor, counted.grade) for counted in records.counting("1", "a")]
        [('Ann', 2)]
        """
        return [Counted(judged, *self._amended(judged)) for judged in self._that_count(Assessed, (topic, document))]

    def graded(self, topic: str, document: str) -> dict[str, Counted]:
        """Return by assessor the judgment of a document that counts; of several the last that gave a grade."""
        said = self.counting(topic, document)
        return {each.judged.assessor: each for each in (*said, *last_grades(said))}

    def by_several(self) -> dict[Document, list[Counted]]:
        """Return the documents that several people graded, and the last grade of each, but for what settles it.

        These are the grades from which a policy makes the document's: see `grade`.

        >>> judged = [Assessed(who, 1, "1", "a", grade, who) for who, grade in (("Ann", 0), ("Ben", 1))]
        >>> [each.grade for each in Records(judged).by_several()["1", "a"]]
        [0, 1]
        """
        found = {}
        for document in self.documents():
            graded = last_grades(each for each in self.counting(*document) if not each.judged.settles)
            if len(graded) > 1:
                found[document] = graded
        return found

    def engaged(self) -> Iterable[Document]:
        """Go through the documents that somebody has judged, or has at hand."""
        return (document for document, state in self._state.items() if state.who)

    def who_has(self, topic: str, document: str) -> frozenset[str]:
        """Name those who judged a document, or have it at hand."""
        return self._state.get((topic, document), _NOTHING).who

    def holding(self, assessor: str, topic: str, document: str) -> Held | None:
        """Return somebody's lease of a document that they have not judged."""
        held = self._state.get((topic, document), _NOTHING).held
        return next((each for each in held if each.assessor == assessor), None)

    def had(self, assessor: str, topic: str, document: str) -> bool:
        """Say whether somebody ever had a document on lease."""
        leases = self._noted[Leased].get((topic, document), ())
        return any(cast("Leased", self._events[name]).assessor == assessor for _, name in leases)

    def partly(self, assessor: str, topics: Container[str]) -> int:
        """How many documents of topics are judged, but by fewer people than asked for, and not by this one?"""
        return sum(topic in topics and assessor not in self.graded(topic, name) for topic, name in self._partly)

    def undecided(self, policy: Policy | None = None) -> list[Document]:
        """List the documents that have grades among which the policy cannot decide.

        >>> judged = [Assessed(who, 1, "1", "a", grade, who) for who, grade in (("Ann", 0), ("Ben", 1))]
        >>> Records(judged).undecided("majority"), Records(judged).undecided("mean")
        ([('1', 'a')], [])
        """
        policy = checked("policy", policy, Policy | None) or self.policy
        judged = (key for key in self._noted[Assessed] if self._that_count(Assessed, key))
        return sorted(key for key in judged if not self._decided(key, policy)[1])

    def to_qrels(self, policy: Policy | None = None) -> pl.DataFrame:
        """Return the grades by the policy as qrels, sorted by topic and document; what has no grade is not there.

        >>> judged = [Assessed(who, 1, "1", "a", grade, who) for who, grade in (("Ann", 0), ("Ben", 1))]
        >>> Records(judged).to_qrels("mean").rows()
        [('1', 'a', 0.5)]
        """
        policy = checked("policy", policy, Policy | None) or self.policy
        return qrels_of((*document, self._decided(document, policy)[0]) for document in self.documents())

    def judgments(self) -> pl.DataFrame:
        """Return who judged what: a row for each judgment, by time, then id.

        Grade and note are the amended ones; a grade is null where the document cannot be judged.
        ``found`` says that somebody found the document by hand, ``counts`` is false where a judgment
        was retracted.
        """
        rows = []
        for _, name in sorted(place for places in self._noted[Assessed].values() for place in places):
            judged = cast("Assessed", self._events[name])
            grade, note = self._amended(judged)
            why = judged.rationale
            said = (None, None, None) if why is None else (why.sentence, why.start, why.end)
            who = (judged.assessor, judged.time, judged.method, judged.weight)
            found, counts = self._was_found((judged.topic, judged.document)), not self._over.get(name)
            rows.append((name, judged.topic, judged.document, grade, *who, note, *said, judged.settles, found, counts))
        schema = {
            "event": pl.String, QUERY: pl.String, DOCUMENT: pl.String, RELEVANCE: pl.Float64,
            "assessor": pl.String, "time": pl.Float64, "method": pl.String, WEIGHT: pl.Float64, "note": pl.String,
            "rationale": pl.String, "start": pl.Int64, "end": pl.Int64, "settles": pl.Boolean, "found": pl.Boolean,
            "counts": pl.Boolean,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row", strict=False)

    def snapshot(self) -> str:
        """Return what follows from the events as JSON: the same events give the same bytes, in whatever order."""
        documents = [
            [*key, self._decided(key, self.policy)[0], [[judged.id, grade] for judged, grade, _ in counting]]
            for key in self.documents()
            if (counting := self.counting(*key))
        ]
        return json.dumps(
            {
                "schema": RECORDS_SCHEMA,
                "policy": self.policy,
                "documents": documents,
                "held": [list(held) for held in self.held()],
                "found": [list(document) for document in self.found()],
                "changes": {name: plain(self._changes[name]) for name in sorted(self._changes)},
                "runs": sorted(self._lists()),
                "retracted": sorted(
                    name for name, times in self._over.items() if times and not isinstance(self._events[name], Leased)
                ),
            },
            ensure_ascii=False,
        )

    def _check(self, event: Event) -> None:
        """Refuse what is about nothing, or beyond the session's scale."""
        for name in event.names:
            if name not in self._events:
                raise InputError(f"event {event.id!r} ({event.kind}) is about event {name!r}, which does not exist")
            if not isinstance(self._events[name], _ABOUT[type(event)]):
                kinds = " or ".join(kind.kind for kind in _ABOUT[type(event)])
                found = self._events[name].kind
                raise InputError(
                    f"event {event.id!r} ({event.kind}) is about an event of kind {kinds}, but {name!r} is {found}"
                )
        if self._live and self.judging is not None and isinstance(event, Assessed | Amended):
            _refuse_beyond(event.id, event.grade, self.judging.top_grade)

    def _note(self, event: Event, *, back: bool = False) -> Event | None:
        """Note or forget an event; return what counts now or no longer (itself, or what it retracts), or None."""
        put: Callable[[list[Since], Since], None] = list.remove if back else insort
        if back:
            del self._events[event.id]
        else:
            self._events[event.id] = event
        for subject in _SUBJECTS[type(event)](event):
            put(self._noted[type(event)].setdefault(subject, []), (event.time, event.id))
        if isinstance(event, Retracted):
            return self._retract(event, -1 if back else 1)
        if isinstance(event, Released | Expired):
            for lease in event.names:
                self._over[lease] += -1 if back else 1
        return event

    def _retract(self, event: Retracted, change: int) -> Event | None:
        """Let an event no longer count; if it is a retraction, what it retracted counts again, and so on."""
        name = event.judgment
        while True:
            before = self._over[name]
            self._over[name] = before + change
            if bool(before) == bool(before + change):
                return None
            about = self._events[name]
            if not isinstance(about, Retracted):
                return about
            change, name = -change, about.judgment

    def _check_settings(self) -> None:
        """Refuse changes and late runs, as they are noted, that the session could not go on with."""
        lists = self._lists()
        if self._session is None:
            return
        changes = self._changed()
        self._session.check(changes, lists)
        top = self._session.top_grade(changes)
        if not self._live or top < self._session.judging.top_grade:
            self._refuse_beyond(self._noted[Assessed], top)

    def _refuse_beyond(self, documents: Iterable[Document], top: float) -> None:
        """Refuse judgments of these documents that count and are above the scale."""
        for document in documents:
            for judged, grade, _ in self.counting(*document):
                _refuse_beyond(judged.id, grade, top)

    def _changed(self) -> dict[str, Any]:
        """Return what is otherwise by now: of each thing, the last change."""
        found: dict[str, Any] = {}
        for event in self._that_count(Changed, None):
            found |= event.changes
        return found

    def _lists(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Return the runs that joined, in the order of time."""
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        for event in self._that_count(Added, None):
            if found.setdefault(event.run, event.by_topic) != event.by_topic:
                raise InputError(f"event {event.id!r} adds a run {event.run!r}, but a run of that name exists")
        return found

    def _go_on(self) -> None:
        """Go on with changes and late runs, as they are noted."""
        arrangement, self._changes = self.arrangement, self._changed()
        if self.arrangement != arrangement:  # another number of judgments may be wanted
            for document in [*self._state]:
                self._file(document)
        if self._session is not None:
            lists = self._lists()
            if self._live or self._changes or lists:
                self._session.restart(self._changes, lists)
            for document, grade in self._heard.items():
                self._session.tell(document, grade)
            for document, state in self._state.items():
                if state.since != _NEVER:
                    self._session.hold(document)

    def _concerned(self, changed: Event | None) -> Sequence[Document]:
        """Return the documents for which it makes a difference that an event counts now, or no longer."""
        if isinstance(changed, Amended | Released | Expired):
            return [document for name in changed.names for document in self._concerned(self._events[name])]
        return [] if changed is None else _SUBJECTS[type(changed)](changed)

    def _that_count(self, kind: type[_Kind], subject: object) -> list[_Kind]:
        """Return the events of a kind about something that count, by time: not retracted, and no lease that ended."""
        events: dict[str, Any] = self._events  # asked several times for each event: nothing dear here
        return [events[name] for _, name in self._noted[kind].get(subject, ()) if not self._over.get(name)]

    def _was_found(self, document: Document) -> bool:
        return bool(self._that_count(Found, document))

    def _amended(self, judged: Assessed) -> tuple[float | None, str]:
        """Return a judgment's grade and note, as they are by now."""
        amended = judged.id in self._noted[Amended] and self._that_count(Amended, judged.id)
        by_now = amended[-1] if amended else judged
        return by_now.grade, by_now.note

    def _state_of(self, document: Document) -> DocumentState:
        """Say what follows from the events of a document, all of them looked at anew."""
        since: dict[str, Since] = {}
        for judged in self._that_count(Assessed, document):
            since.setdefault(judged.assessor, (judged.time, judged.id))
        judges, running = frozenset(since), self._that_count(Leased, document)
        for lease in running:
            since[lease.assessor] = min(since.get(lease.assessor, _NEVER), (lease.time, lease.id))
        open_ = [lease for lease in running if lease.assessor not in judges]
        held = tuple([Held(*document, lease.assessor, lease.until, lease.id) for lease in open_])
        who = frozenset(since) if open_ else judges
        found = [(each.time, each.id) for each in self._that_count(Found, document)]
        first = min(since, key=since.__getitem__, default=None)
        return DocumentState(judges, held, who, first, min([_NEVER, *found, *since.values()]))

    def _file(self, document: Document) -> None:
        """Put a document where it belongs by now: who has it, whether it waits, what the session hears of it."""
        self._settle(document)
        before, now = self._state.get(document, _NOTHING), self._state_of(document)
        self._state[document], wanted = now, self.wanted(*document)
        for those, is_one in ((self._on_lease, now.held), (self._partly, 0 < len(now.judges) < wanted)):
            if is_one:
                those[document] = None
            else:
                those.pop(document, None)
        self._made += len(now.judges) - len(before.judges)
        self._spent += len(now.who) - len(before.who)
        if now.first != before.first:
            begun = self._begun.setdefault(document[0], Counter())
            begun.subtract([who for who in (before.first,) if who])
            begun.update([who for who in (now.first,) if who])
        if now.since != _NEVER and self.lacks(*document):
            self._waiting.put(document, now.who, now.since)
        else:
            self._waiting.drop(document)
        if self._session is not None and self._live:
            self._session.hold(document, held=now.since != _NEVER)

    def _settle(self, document: Document) -> None:
        """Let the session hear of a grade that changed; in this order it hears of them if it begins anew."""
        if self._session is None:
            return
        grade, settled = self._decided(document, self.policy)
        heard = None if grade is None else max(grade, 0)
        if document in self._heard:
            if settled and self._heard[document] == heard:
                return
            del self._heard[document]
            if self._live:
                self._session.take_back(document)
        if settled:
            self._heard[document] = heard
            if self._live:
                self._session.tell(document, heard)


def _refuse_beyond(judgment: str, grade: float | None, top: float) -> None:
    """Refuse a grade above the scale."""
    if grade is not None and grade > top:
        raise InputError(f"event {judgment!r} has grade {grade:g}, but the largest is {top:g}")

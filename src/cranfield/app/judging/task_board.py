"""What follows from a task's log: grades, leases, people, and all else. Nothing but events changes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from cranfield.app.judging import acts
from cranfield.app.judging.answers import Point, Reason, Role
from cranfield.app.judging.task import Task
from cranfield.selection.candidates import Candidates
from cranfield.selection.judging import Judging
from cranfield.selection.records import events
from cranfield.selection.records.arrangement import Document
from cranfield.selection.records.events import Assessed, Event
from cranfield.selection.records.view import Counted, Held, Records
from cranfield.selection.topic_audit import TopicAudit


@dataclass(frozen=True)
class Person:
    """Somebody who takes part, with topics of their own."""

    name: str
    role: Role
    topics: tuple[str, ...] = ()
    shared: bool = True  # whether those topics are theirs, too, that are nobody's own
    active: bool = True  # whether they are let in
    turn: int = 0  # how often they were revoked: sessions of an earlier turn are good no longer

    @property
    def program(self) -> bool:
        """Whether it is no human being."""
        return self.role == "program"


class TaskBoard(Records):
    """The state of a judging task: records, and acts besides. It follows from the lines of its log, in their order."""

    judging: Judging  # which there always is

    def __init__(self, task: Task, candidates: Candidates, lines: Iterable[str] = ()) -> None:
        super().__init__(policy=task.policy, per_document=task.per_document, judging=task.judging(candidates))
        self.task = task
        self.settings = acts.Settled("", 0, task.method, task.measure, task.budget, [*task.stop])  # as they are now
        self.people: dict[str, Person] = {}
        self.seen: dict[str, acts.JudgmentSeen] = {}  # by judgment
        self.skipped: dict[tuple[str, Document], acts.Skipped] = {}
        self.flagged: list[acts.Flagged] = []
        self.preferred: list[acts.Preferred] = []
        self.own: defaultdict[str, list[Assessed]] = defaultdict(list)  # by assessor
        self.audit = TopicAudit(candidates, task.among, task.seed)
        self.reasons: dict[str, Reason | None] = {}  # by judgment, where they were changed
        self._outside: dict[Document, None] = {}
        self._leases: dict[str, int] = {}  # by lease: which one it was, from 0
        self.time = 0.0  # when the last event happened
        self.curve: list[Point] = [self.known()]  # after 0, 1, 2, ... judgments; of many, see `is_noted`
        self.unkept: list[Event | acts.Act] = []  # what happened since
        for line in lines:
            self.append(acts.read(line))
        self.unkept.clear()

    def append(self, event: Event | acts.Act) -> bool:
        """Let an event or an act happen; return False if the event is there already."""
        if isinstance(event, acts.Act):
            self._acted(event)
        elif not super().append(event):
            return False
        self.time = max(self.time, event.time)
        self.unkept.append(event)
        match event:
            case Assessed(topic=topic, document=document):
                self.audit.judged(topic, document)
                self.own[event.assessor].append(event)
                self.skipped.pop((event.assessor, (topic, document)), None)
                if not self.is_candidate(topic, document):
                    self._outside[topic, document] = None
                self._draw_on()
            case events.Amended() | events.Retracted() if isinstance(self._about(event), Assessed):
                self._draw_on()
            case events.Leased():
                self._leases[event.id] = len(self._leases)
                self.audit.leased(event.method, event.documents)
        return True

    def _acted(self, event: acts.Act) -> None:
        match event:
            case acts.PersonJoined():
                shared = not event.topics if event.shared is None else event.shared
                turn = self.people[event.name].turn if event.name in self.people else 0
                self.people[event.name] = Person(event.name, event.role, tuple(event.topics), shared, turn=turn)
            case acts.Revoked():
                before = self.people[event.name]
                self.people[event.name] = replace(before, active=False, turn=before.turn + 1)
            case acts.JudgmentSeen():
                self.seen[event.judgment] = event
            case acts.Reasoned():
                self.reasons[event.judgment] = event.reason
            case acts.Skipped():
                own = self.graded(event.topic, event.document).get(event.who)
                if own is None or own.judged.time < event.time:  # else on a sheet, whose judgments are read first
                    self.skipped[event.who, (event.topic, event.document)] = event
            case acts.Flagged():
                self.flagged.append(event)
            case acts.Preferred():
                self.preferred.append(event)
            case acts.Settled():
                self.settings = event

    # What is asked of it.

    @property
    def budget(self) -> int | None:
        """How many judgments are to be made in all, as the organiser settled it last; None: no number is set."""
        return self.settings.budget

    @property
    def candidates(self) -> Candidates:
        """The documents of all runs, those that joined late among them."""
        return self.judging.candidates

    def counted(self, judged: Assessed) -> Counted | None:
        """Return a judgment with its grade and note as they are by now; None if it was taken back."""
        found = self.counting(judged.topic, judged.document)
        return next((each for each in found if each.judged.id == judged.id), None)

    def counting_of(self, name: str, topic: str | None = None) -> list[Counted]:
        """List somebody's judgments that count, the first one first."""
        own = (self.counted(each) for each in self.own.get(name, []) if topic in {None, each.topic})
        return [each for each in own if each is not None]

    def by_program(self, judged: Assessed) -> bool:
        """Tell whether a judgment is no human being's."""
        person, seen = self.people.get(judged.assessor), self.seen.get(judged.id)
        return (person is not None and person.program) or (seen is not None and seen.program)

    def reason(self, judged: Assessed) -> Reason | None:
        """Return why a judgment is what it is, as it was given last."""
        if judged.id in self.reasons:
            return self.reasons[judged.id]
        why = judged.rationale
        return None if why is None else Reason(why.sentence, why.start, why.end)

    def at_hand(self, name: str, topic: str | None = None) -> list[Held]:
        """List what somebody has at hand, in the order in which they got it."""
        held = (each for each in self.held(name) if topic in {None, each.topic})
        return sorted(held, key=lambda each: self._leases[each.lease])

    def is_candidate(self, topic: str, document: str) -> bool:
        """Tell whether a run retrieved a document."""
        return self.candidates.find(topic, document) is not None

    def allowed(self, name: str) -> tuple[str, ...]:
        """List the topics that somebody may judge: their own, then those that are nobody's own, if they share these."""
        person = self.people[name]
        owned = {topic for each in self.people.values() if each.active for topic in each.topics}
        nobodys = (topic for topic in self.task.topics if topic not in owned) if person.shared else ()
        return tuple(dict.fromkeys((*person.topics, *nobodys)))

    def owners(self, topic: str) -> list[str]:
        """Name those whose own a topic is."""
        return [each.name for each in self.people.values() if each.active and topic in each.topics]

    def opened(self, topic: str) -> int:
        """How many documents of a topic that runs retrieved can still be judged."""
        if topic not in self.candidates.topics:
            return 0
        return int(self.judging.state.open[self.candidates.documents_of(self.candidates.topic_code(topic))].sum())

    def judged(self, topic: str) -> int:
        """How many documents of a topic are judged, those found by hand among them."""
        found = sum(of == topic for of, _ in self.outside)
        if topic not in self.candidates.topics:
            return found
        return len(self.judging.state.order[self.candidates.topic_code(topic)]) + found

    @property
    def outside(self) -> dict[Document, float]:
        """Documents that no run retrieved, not even one that joined late, and their grades."""
        graded = ((each, self.grade(*each)) for each in self._outside if not self.is_candidate(*each))
        return {each: grade for each, grade in graded if grade is not None}

    # How events change it.

    def known(self) -> Point:
        """Return what is known now."""
        state = self.judging.state
        return Point(int(state.judged.sum()), int((state.grade > 0).sum()), float(state.residual.mean()))

    def _draw_on(self) -> None:
        """Let the curve go on from what is judged now."""
        number = int(self.judging.state.judged.sum())
        while self.curve and self.curve[-1].judged >= number:
            self.curve.pop()
        if is_noted(number):
            self.curve.append(self.known())

    def _about(self, event: Event) -> Event:
        """Return the event that another one is about, perhaps by way of others: a judgment for the most part."""
        while event.names:
            event = self.event(event.names[0])
        return event


def is_noted(judged: int) -> bool:
    """Tell whether a curve has a point at this distance in judgments.

    >>> [judged for judged in (0, 99, 101, 110, 1001, 1050) if is_noted(judged)]
    [0, 99, 110, 1050]
    """
    return judged < 100 or judged % (10 if judged < 1_000 else 50) == 0


def rationale_of(reason: Reason | None) -> events.Rationale | None:
    """Return a reason as the records keep it."""
    return None if reason is None else events.Rationale(reason.sentence, reason.start, reason.end)

"""What organisers do: settle disagreements, let people in and out, change how documents are chosen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from cranfield.app.judging.acts import PersonJoined, Revoked, Settled
from cranfield.app.judging.answers import ActDone, DoneTo, Role
from cranfield.app.judging.assessing import TAKEN, released_of, require_document
from cranfield.app.judging.desk import ConflictError, Desk
from cranfield.app.judging.task_board import Person
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.options import shown
from cranfield.selection.candidates import Candidates
from cranfield.selection.method import method_named
from cranfield.selection.records.events import Added, Assessed, Changed, Leased, Released, Retracted
from cranfield.selection.state import weighted_measure
from cranfield.selection.stop_rules import rule_named

_LONGEST_NAME: Final = 80


def adjudicate(desk: Desk, who: Person, *, topic: str, document: str, grade: float | None, note: str = "") -> ActDone:
    """Settle what others graded differently."""
    require_document(desk, topic, document)
    if not desk.board.graded(topic, document):
        raise ConflictError(f"nobody judged document {document!r} of topic {topic!r}")
    grade = desk.task.on_scale(grade)
    settled = Assessed(desk.fresh(), desk.now, topic, document, grade, who.name, note=note, settles=True)
    return desk.done(settled, who.name, topic)


def people(desk: Desk, who: Person, *, name: str, role: Role, topics: list[str] | None = None) -> DoneTo:
    """Add somebody, or make a new link for them. Somebody who is known gets the new settings."""
    given, name = name, name.strip()
    if not 0 < len(name) <= _LONGEST_NAME or printable(name) != name:
        raise InputError(f"a name has 1 to {_LONGEST_NAME} characters that can be printed, not {shown(given)}")
    for topic in topics or ():
        desk.task.require_topic(topic)
    if name == who.name and role != who.role:
        raise ConflictError("you cannot change your own role; let another organiser do it")
    before = desk.board.people.get(name)
    own, shared = tuple(dict.fromkeys(topics or ())), not topics
    if before is not None and topics is None:
        own, shared = before.topics, before.shared
    if before is None or not before.active or (before.role, before.topics, before.shared) != (role, own, shared):
        desk.take(PersonJoined(desk.fresh(), desk.now, name, role, [*own], shared))
        return DoneTo(desk.board.people[name].name, 1)
    return DoneTo(name, 0)


def revoke(desk: Desk, who: Person, *, name: str) -> DoneTo:
    """Let somebody in no longer. What they have at hand is taken back."""
    person = desk.person(name)
    if person.name == who.name:
        raise ConflictError("you cannot lock yourself out; let another organiser do it")
    released, revoked = released_of(desk, person.name), Revoked(desk.fresh(), desk.now, person.name)
    desk.take(*released, revoked)
    return DoneTo(revoked.id, len(released))


def out(desk: Desk, who: Person, *, name: str) -> DoneTo:
    """Take all judgments of somebody out. The documents are to be judged again."""
    person = desk.person(name)
    judged = [each.judged.id for each in desk.board.counting_of(person.name)]
    retracted = [Retracted(desk.fresh(), desk.now, each) for each in judged]
    desk.take(*released_of(desk, person.name), *retracted)
    return DoneTo(retracted[0].id if retracted else "", len(retracted))


def hand(desk: Desk, who: Person, *, from_: str, to: str) -> DoneTo:
    """Hand topics and open documents on."""
    giver, taker = desk.person(from_), desk.person(to)
    if giver.name == taker.name or not taker.active or taker.role == "observer":
        raise ConflictError(f"{taker.name} cannot take over from {giver.name}")
    first = ""
    if giver.topics:
        topics = [*dict.fromkeys((*taker.topics, *giver.topics))]
        joined = PersonJoined(desk.fresh(), desk.now, taker.name, taker.role, topics, taker.shared)
        first = joined.id
        desk.take(PersonJoined(desk.fresh(), desk.now, giver.name, giver.role, []), joined)
        if not giver.active:
            desk.take(Revoked(desk.fresh(), desk.now, giver.name))  # who was let in no longer still is not
    held = desk.board.at_hand(giver.name)
    for each in held:
        released = Released(desk.fresh(), desk.now, each.lease)
        first = first or released.id
        desk.take(released)
        if taker.name not in desk.board.who_has(each.topic, each.document):
            document = (each.topic, each.document)
            desk.take(Leased(desk.fresh(), desk.now, taker.name, (document,), desk.lease_ends, TAKEN))
    return DoneTo(first, len(held) + len(giver.topics))


def change(
    desk: Desk,
    who: Person,
    *,
    method: str | None = None,
    measure: str | None = None,
    budget: int | None = None,
    stop: list[str] | None = None,
) -> DoneTo:
    """Change method, measure, budget or stop rules."""
    now = desk.board.settings
    if budget is not None and budget < 0:
        raise InputError("a budget is 0 (no limit) or more")
    budget = now.budget if budget is None else budget or None
    stop = now.stop if stop is None else rejoined(stop)
    for name in stop:
        rule_named(name)
    method = str(method_named(method or now.method))
    measure = str(weighted_measure(measure or now.measure))
    settled = Settled(desk.fresh(), desk.now, method, measure, budget, stop)
    if (method, measure) != (now.method, now.measure):
        desk.take(Changed(desk.fresh(), desk.now, method, measure))
    desk.take(settled)
    return DoneTo(settled.id, 1)


class JoinedLate(NamedTuple):
    """Which runs joined, how many documents no other run has, and topics that are not of the task."""

    runs: tuple[str, ...]
    documents: int
    left_out: tuple[str, ...]


def add_runs(desk: Desk, late: Candidates) -> JoinedLate:
    """Let runs join late, all or none: their documents can be judged from now on; what is judged counts for them."""
    for run in sorted({*late.runs}.intersection(desk.board.candidates.runs)):
        raise InputError(f"the task has a run {run!r} already; give another one another name, as in NAME=FILE")
    before = len(desk.board.candidates)
    lists = {
        run: {topic: ranked.to_list() for topic, ranked in of_run.items() if topic in desk.task.topics}
        for run, of_run in late.lists().items()
    }
    for run, of_run in lists.items():
        if not of_run:
            raise InputError(f"run {run!r} has no topic of this task")

    def do() -> None:
        desk.take(*(Added(desk.fresh(), desk.now, run, of_run) for run, of_run in lists.items()))

    desk.act("", None, ("add", None), do)
    outside = tuple(topic for topic in late.topics if topic not in desk.task.topics)
    return JoinedLate(late.runs, len(desk.board.candidates) - before, outside)


def rejoined(pieces: Iterable[str]) -> list[str]:
    """Rejoin rules that were split at the commas between their parameters.

    >>> rejoined(["LeaderAbove", "LeaderDecided(level=.01", "test=sign)"])
    ['LeaderAbove', 'LeaderDecided(level=.01, test=sign)']
    """
    rules: list[str] = []
    for piece in pieces:
        if rules and rules[-1].count("(") > rules[-1].count(")"):
            rules[-1] += f", {piece}"
        else:
            rules.append(piece)
    return rules

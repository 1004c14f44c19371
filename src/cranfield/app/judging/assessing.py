"""What assessors do: have the next document, judge it, change their mind."""

from __future__ import annotations

import json
from typing import Final, Literal

from cranfield.app.judging.acts import Flagged, JudgmentSeen, Preferred, Reasoned, Skipped
from cranfield.app.judging.answers import ActDone, By, DoneTo, LeasedDocument, NextDocuments, Reason, Undone
from cranfield.app.judging.desk import AbsentError, ConflictError, Desk
from cranfield.app.judging.reading import blinded
from cranfield.app.judging.store import KeptText
from cranfield.app.judging.task_board import Person, TaskBoard, rationale_of
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.selection.records.events import Amended, Assessed, Found, Leased, Released, Retracted
from cranfield.selection.records.view import Counted, Held
from cranfield.selection.topic_audit import BY_AUDIT

MOST_AT_HAND: Final = 20
TAKEN: Final = "taken"
"""What stands for the method of a document that somebody chose themselves."""


def next_documents(
    desk: Desk, who: Person, *, n: int = 1, topic: str | None = None, key: str | None = None
) -> NextDocuments:
    """Have documents to judge: those at hand, then more. Under a key, the same ones again."""
    del key
    if not 1 <= n <= MOST_AT_HAND:
        raise InputError(f"n is 1 to {MOST_AT_HAND}, not {n}")
    board = desk.board
    topics = board.allowed(who.name)
    desk.task.require_topic(topic)
    if topic is not None:
        _require_theirs(board, who, topic)
        topics = (topic,)
    for _ in range(n - len(board.at_hand(who.name, topic))):
        if not _lease(desk, who, topics, among_skipped=not board.at_hand(who.name) and not who.program):
            break
    held = board.at_hand(who.name, topic)
    left = sum(map(board.opened, topics)) + board.partly(who.name, topics) - len(held)
    left = left if board.left is None else min(left, board.left)
    return NextDocuments([_shown(each) for each in held], max(left, 0))


def _lease(desk: Desk, who: Person, topics: tuple[str, ...], *, among_skipped: bool) -> bool:
    """Lease one more document; those that they skipped come back when there are no others."""
    board = desk.board
    of_runs = [topic for topic in topics if topic in board.candidates.topics]
    if not of_runs:
        return False
    skipped = [document for name, document in board.skipped if name == who.name]
    for exclude in (skipped, []) if among_skipped and skipped else (skipped,):
        leased = board.lease(
            who.name, 1, id=desk.fresh(), now=desk.now, until=desk.lease_ends, topics=of_runs, exclude=exclude,
            first=board.audit.due(board, of_runs, desk.task.audit) if desk.task.audit else (), called=BY_AUDIT,
        )  # fmt: skip
        if leased is not None:
            return True
    return False


def _shown(held: Held) -> LeasedDocument:
    return LeasedDocument(held.topic, held.document, held.lease, held.until)


def judge(
    desk: Desk,
    who: Person,
    *,
    topic: str,
    document: str,
    grade: float | None,
    reason: Reason | None = None,
    note: str = "",
    seconds: float | None = None,
    by: By = "click",
) -> ActDone:
    """Judge a document. It is at hand, or was, or is nobody's. The same judgment from a second window is the first."""
    require_document(desk, topic, document)
    grade = desk.task.on_scale(grade)
    text = desk.store.document(document)
    reason = _reason(desk, reason, grade, text)
    own = desk.board.graded(topic, document).get(who.name)
    if own is not None and own.grade == grade and note in {"", own.note} and (
        reason is None or reason == desk.board.reason(own.judged)
    ):  # fmt: skip
        return ActDone(own.judged.id, desk.progress(who.name, topic))
    held = _theirs(desk, who, topic, document)
    if seconds is not None and seconds < 0:
        raise InputError("seconds must be 0 or more")
    lease = None if held is None else desk.board.event(held.lease)
    method, weight = (lease.method, (lease.weights or (None,))[0]) if isinstance(lease, Leased) else (TAKEN, None)
    judged = Assessed(
        desk.fresh(), desk.now, topic, document, grade, who.name, method, weight, note, rationale_of(reason)
    )
    _found(desk, who, topic, document)
    by, digest = "program" if who.program else by, "" if text is None else text.digest
    desk.take(judged, JudgmentSeen(desk.fresh(), desk.now, judged.id, seconds, by, digest, who.program))
    if held is not None:
        desk.take(Released(desk.fresh(), desk.now, held.lease))
    return ActDone(judged.id, desk.progress(who.name, topic))


def _theirs(desk: Desk, who: Person, topic: str, document: str) -> Held | None:
    """Find the lease of a document; without one it must have been theirs, or be nobody's."""
    board = desk.board
    require_document(desk, topic, document)
    if own := board.graded(topic, document).get(who.name):
        said = "as one that cannot be judged" if own.grade is None else f"with grade {own.grade:g}"
        raise ConflictError(f"you already judged document {document!r} of topic {topic!r}, {said}: change it there")
    held = board.holding(who.name, topic, document)
    if held is None and not board.had(who.name, topic, document):
        _require_free(desk, who, topic, document)
    return held


def require_document(desk: Desk, topic: str, document: str) -> None:
    """Refuse a document that is neither a run's nor among the texts."""
    desk.task.require_topic(topic)
    if not desk.board.is_candidate(topic, document) and desk.store.document(document) is None:
        raise AbsentError(f"there is no document {shown(document)}")


def _require_free(desk: Desk, who: Person, topic: str, document: str) -> None:
    """Refuse a document that is somebody else's."""
    _require_theirs(desk.board, who, topic)
    if not desk.board.lacks(topic, document, besides=who.name):
        raise ConflictError(f"document {document!r} of topic {topic!r} is already judged, or assigned to somebody else")


def _require_theirs(board: TaskBoard, who: Person, topic: str) -> None:
    """Refuse a topic that is somebody else's."""
    if topic not in board.allowed(who.name):
        raise ConflictError(f"topic {topic} is {', '.join(board.owners(topic)) or 'not yours'}'s")


def _reason(desk: Desk, reason: Reason | None, grade: float | None, of: KeptText | None) -> Reason | None:
    """Check a reason: it is there where one is required, and its characters are of the text."""
    required = desk.task.reason_from is not None and grade is not None and grade >= desk.task.reason_from
    if reason is None or (not reason.sentence.strip() and reason.start is None):
        if required:
            raise InputError(f"grades from {desk.task.reason_from:g} on need a reason: a sentence, or a passage")
        return None
    rationale_of(reason)  # which refuses what is no span
    if reason.end is not None and of is not None and reason.end > len(of.text):
        raise InputError(f"the passage ends at character {reason.end}, but the text has only {len(of.text)}")
    return reason


def undo(desk: Desk, who: Person, *, event: str | None = None, of: str | None = None) -> Undone:
    """Take a judgment back, and have the document at hand again.

    Without an event, or the key under which it was sent, it is the last one.
    """
    judged = (_own(desk, who, event) if event is not None else _last(desk, who, of)).judged
    retracted = Retracted(desk.fresh(), desk.now, judged.id)
    desk.take(retracted)
    if not judged.settles and desk.board.lacks(judged.topic, judged.document):
        desk.take(_leased(desk, who, judged.topic, judged.document, judged.method, judged.weight))
    return Undone(retracted.id, judged.topic, judged.document, desk.progress(who.name, judged.topic))


def _last(desk: Desk, who: Person, key: str | None) -> Counted:
    """Find the judgment that was sent under a key; without one the last."""
    if key is not None:
        answered = desk.store.answer(who.name, key)
        if answered is None:
            raise ConflictError("the judgment to take back was not recorded")
        return _own(desk, who, str(json.loads(answered[1]).get("event")))
    own = [each for each in desk.board.counting_of(who.name) if not each.judged.settles]
    if not own:
        raise ConflictError("you have no judgment to take back")
    return own[-1]


def _leased(
    desk: Desk, who: Person, topic: str, document: str, method: str | None = TAKEN, weight: float | None = None
) -> Leased:
    return Leased(desk.fresh(), desk.now, who.name, ((topic, document),), desk.lease_ends, method, (weight,))


def skip(desk: Desk, who: Person, *, topic: str, document: str, why: str = "") -> ActDone:
    """Leave a document to others, or for later."""
    require_document(desk, topic, document)
    if held := desk.board.holding(who.name, topic, document):
        desk.take(Released(desk.fresh(), desk.now, held.lease))
    return desk.done(Skipped(desk.fresh(), desk.now, topic, document, who.name, why), who.name, topic)


def flag(desk: Desk, who: Person, *, topic: str, document: str, why: str = "") -> ActDone:
    """Show a document to the organiser."""
    require_document(desk, topic, document)
    return desk.done(Flagged(desk.fresh(), desk.now, topic, document, who.name, why), who.name, topic)


def _own(desk: Desk, who: Person, event: str) -> Counted:
    judged = next((each for each in desk.board.own.get(who.name, ()) if each.id == event), None)
    if judged is None:
        raise AbsentError(f"there is no judgment {shown(event)} of yours")
    counted = desk.board.counted(judged)
    if counted is None:
        raise ConflictError("this judgment was taken back; judge the document again")
    return counted


def amend(
    desk: Desk, who: Person, *, event: str, grade: float | None, note: str | None = None, reason: Reason | None = None
) -> ActDone:
    """Change a judgment of one's own."""
    judged, _, noted = _own(desk, who, event)
    grade, before = desk.task.on_scale(grade), desk.board.reason(judged)
    reason = _reason(desk, before if reason is None else reason, grade, desk.store.document(judged.document))
    amended = Amended(desk.fresh(), desk.now, judged.id, grade, noted if note is None else note)
    desk.take(amended)
    if reason != before:
        desk.take(Reasoned(desk.fresh(), desk.now, judged.id, reason))
    return ActDone(amended.id, desk.progress(who.name, judged.topic))


def retract(desk: Desk, who: Person, *, event: str) -> ActDone:
    """Take a judgment of one's own back. It may be long ago."""
    judged = _own(desk, who, event).judged
    return desk.done(Retracted(desk.fresh(), desk.now, judged.id), who.name, judged.topic)


def release(desk: Desk, who: Person) -> DoneTo:
    """Give all documents at hand back."""
    released = released_of(desk, who.name)
    desk.take(*released)
    return DoneTo(released[0].id if released else "", len(released))


def released_of(desk: Desk, name: str) -> list[Released]:
    """Return the events by which somebody gives back every document at hand."""
    return [Released(desk.fresh(), desk.now, held.lease) for held in desk.board.at_hand(name)]


def take(desk: Desk, who: Person, *, topic: str, document: str) -> NextDocuments:
    """Take a document that was found, to judge it."""
    held = _theirs(desk, who, topic, document)
    if held is None:
        _require_free(desk, who, topic, document)
        _found(desk, who, topic, document)
        desk.take(_leased(desk, who, topic, document))
        held = desk.board.holding(who.name, topic, document)
    return NextDocuments([_shown(held)] if held else [], desk.board.opened(topic))


def _found(desk: Desk, who: Person, topic: str, document: str) -> None:
    """Take note that somebody found a document that no run has: it is no part of any sample."""
    if not desk.board.is_candidate(topic, document) and (topic, document) not in desk.board.found():
        desk.take(Found(desk.fresh(), desk.now, topic, document, who.name))


def prefer(
    desk: Desk,
    who: Person,
    *,
    topic: str,
    left: str,
    right: str,
    better: Literal["left", "right", "same"],
    note: str = "",
) -> ActDone:
    """Say which of two lists is better."""
    desk.task.require_topic(topic)
    runs = {blinded(desk.task, who.name, topic, run): run for run in desk.board.candidates.runs}
    if not {left, right} <= runs.keys() or left == right:
        raise InputError("left and right must name the two lists shown")
    left, right = runs[left], runs[right]
    won = {"left": left, "right": right, "same": None}[better]
    return desk.done(Preferred(desk.fresh(), desk.now, topic, left, right, won, who.name, note), who.name, topic)

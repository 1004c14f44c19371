"""What was judged elsewhere: logs and sheets, qrels with who judged, Quepid's books, or a rehearsal by qrels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple

from cranfield.app.judging.acts import Act, PersonJoined, Revoked, Settled, read
from cranfield.app.judging.assessing import judge, next_documents
from cranfield.app.judging.desk import AFTER, Desk
from cranfield.formats import QrelsLike, delimited
from cranfield.formats.records import placed
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.scoring.judged_runs import qrels_table
from cranfield.selection.records.events import Added, Amended, Assessed, Changed, Event, Found, Leased, in_order
from cranfield.selection.records.log import lines_of

METHOD: Final = "imported"
"""What stands for the method of a judgment that was made elsewhere."""
_NOBODY: Final = frozenset({"0", "Q0", "-"})  # What stands in the second column of qrels that do not say who judged
ASSESSOR: Final = "simulated"
LOCAL: Final = (PersonJoined, Revoked, Settled)
"""Who takes part, and by what documents are chosen, is this task's own matter."""


class Imported(NamedTuple):
    """How many events, or judgments, were taken, and how many were there already."""

    taken: int
    known: int


class ReadJudgment(NamedTuple):
    """A judgment, and where it stands in a file."""

    number: int
    topic: str
    document: str
    grade: float | None
    who: str


def imported(desk: Desk, text: str, source: str, *, by: str | None = None) -> Imported:
    """Take what a file holds, all of it or nothing."""
    if text.lstrip().startswith("{"):
        return merged(desk, [(source, text)])
    header = text.partition("\n")[0].casefold()
    quepid = "," in header and "query" in header and "docid" in header.replace("_", "")
    lines = of_quepid(desk, text, source, by) if quepid else _by_name(desk, of_qrels(text, source, by))
    return _judged(desk, [*lines], source)


def merged(desk: Desk, logs: Iterable[tuple[str, str]]) -> Imported:
    """Take the events of other logs, or sheets, by their ids; who takes part and what is settled stays as it is."""
    all_of_them: dict[str, Event | Act] = {}
    for source, text in logs:
        for number, line in lines_of(text.encode()):
            with placed(source, number):
                event = read(line.decode())
                if isinstance(event, Event):
                    _check(desk, event)
                if all_of_them.setdefault(event.id, event) != event:
                    raise InputError(f"there is another event {event.id!r}")
    changes = {name for name, each in all_of_them.items() if isinstance(each, Changed)}
    events = {
        name: each
        for name, each in all_of_them.items()
        if isinstance(each, Event) and name not in changes and not changes.intersection(each.names)
    }
    acts = {name: each for name, each in all_of_them.items() if isinstance(each, Act)}
    known = {each.id: each for each in desk.board}
    for name in events.keys() & known.keys():
        if replace(events[name], time=known[name].time) != known[name]:  # whose clock may have been put right
            raise InputError(f"there is another event {name!r} in this task; ids must differ between tasks")
    there = desk.store.ids([*events, *acts])
    new: list[Event | Act] = [each for each in in_order([*known.values(), *events.values()]) if each.id not in known]
    new += [each for each in acts.values() if each.id not in there and not isinstance(each, LOCAL)]
    _take(desk, _by_our_clock(new, desk.time))
    return Imported(len(new), len(events) + len(acts) - len(new))


def _by_our_clock(events: Sequence[Event | Act], now: float) -> list[Event | Act]:
    """Move events of a clock that is ahead to now, in order, so that what is done next comes later.

    >>> [each.time for each in _by_our_clock([Revoked("a", 5, "Ann"), Revoked("b", 99, "Ben")], 10)]
    [5, 10.0]
    """
    ahead = sorted((each for each in events if each.time > now), key=lambda each: (each.time, each.id))
    times = {each.id: now + place * AFTER for place, each in enumerate(ahead)}
    return [replace(each, time=times[each.id]) if each.id in times else each for each in events]


def _check(desk: Desk, event: Event) -> None:
    if isinstance(event, Assessed | Found):
        desk.task.require_topic(event.topic)
    if isinstance(event, Leased | Added):
        for topic, _ in event.documents if isinstance(event, Leased) else event.by_topic.items():
            desk.task.require_topic(topic)
    if isinstance(event, Assessed | Amended):
        desk.task.on_scale(event.grade)


def of_qrels(text: str, source: str, by: str | None) -> Iterator[ReadJudgment]:
    """Read qrels; the second column names the assessor, unless it is 0."""
    for number, line in enumerate(text.split("\n"), 1):  # and not at what ends a line inside a name
        parts = line.split()
        if not parts:
            continue
        try:
            topic, who, document, grade = parts
            given = float(grade)
        except ValueError:
            raise InputError("a line is topic, assessor, document and grade", source=source, line=number) from None
        who = by if who in _NOBODY else who  # type: ignore[assignment]
        if who is None:
            raise InputError("the assessor is missing; give --by NAME", source=source, line=number)
        yield ReadJudgment(number, topic, document, given, who)


def _by_name(desk: Desk, lines: Iterable[ReadJudgment]) -> Iterator[ReadJudgment]:
    """Call people by the names that they have here: qrels hold them without their spaces."""
    people = {*desk.board.people, *desk.board.own}
    names = {"".join(name.split()): name for name in people} | {name: name for name in people}
    return (line._replace(who=names.get(line.who, line.who)) for line in lines)


def of_quepid(desk: Desk, text: str, source: str, by: str | None) -> Iterator[ReadJudgment]:
    """Read a book of Quepid's: query, docid, and ratings, in one column or in one for each person."""
    (_, names), *rows = delimited.rows(text, ",", source=source)
    header = [cell.strip() for cell in names]
    plain = [cell.casefold().replace("_", "") for cell in header]
    if "query" not in plain or "docid" not in plain:
        raise InputError("a book has the columns query and docid", source=source, line=1)
    query, document = plain.index("query"), plain.index("docid")
    raters = [at for at in range(len(header)) if at not in {query, document}]
    by_words = {title.casefold().strip(): topic for topic, (title, *_) in desk.task.topics.items() if title}
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(f"{len(row)} cells, but the header has {len(header)}", source=source, line=number)
        asked = row[query].strip()
        topic = asked if asked in desk.task.topics else by_words.get(asked.casefold())
        if topic is None:
            raise InputError(f"no topic reads {shown(asked)}", source=source, line=number)
        for at in raters:
            if not (rating := row[at].strip()):
                continue
            who = by if plain[at] == "rating" else header[at]
            if who is None:
                raise InputError("the assessor is missing; give --by NAME", source=source, line=number)
            try:
                yield ReadJudgment(number, topic, row[document].strip(), float(rating), who)
            except ValueError:
                raise InputError(f"the rating {shown(rating)} is not a number", source=source, line=number) from None


def _judged(desk: Desk, lines: list[ReadJudgment], source: str) -> Imported:
    """Record judgments; those that are there already are left alone."""
    new: list[Event | Act] = []
    seen: dict[tuple[str, str, str], float | None] = {}
    now = desk.time
    for line in lines:
        with placed(source, line.number):
            desk.task.require_topic(line.topic)
            if line.grade is not None and not math.isfinite(line.grade):
                raise InputError("a grade is a number")
            grade = desk.task.on_scale(line.grade)
            before = desk.board.graded(line.topic, line.document).get(line.who)
            key = (line.who, line.topic, line.document)
            given = seen.get(key, None if before is None else before.grade)
            if (before is not None or key in seen) and given != grade:
                raise InputError(f"{line.who} gave document {line.document!r} of topic {line.topic!r} two grades")
        if before is None and key not in seen:
            name = sha256("\0".join((desk.task.id, METHOD, *key, repr(grade))).encode()).hexdigest()[:24]
            new.append(Assessed(name, now, line.topic, line.document, grade, line.who, METHOD))
        seen[key] = grade
    there = desk.store.ids([each.id for each in new])
    again = [each for each in new if each.id in there]  # imported before, and taken back since
    _take(desk, [each for each in new if each.id not in there])
    return Imported(len(new) - len(again), len(lines) - len(new) + len(again))


def _take(desk: Desk, events: list[Event | Act]) -> None:
    desk.act("", None, ("import", None), partial(desk.take, *events))


def simulated(desk: Desk, qrels: QrelsLike, most: int | None = None) -> list[tuple[str, str, float]]:
    """Judge a task by qrels, one document after the other."""
    grades: dict[str, dict[str, float]] = {}
    for topic, document, grade in qrels_table(qrels).select(QUERY, DOCUMENT, RELEVANCE).iter_rows():
        grades.setdefault(topic, {})[document] = max(float(grade), 0.0)
    topics = [topic for topic in desk.board.candidates.topics if topic in grades]
    if not topics:
        raise InputError("the qrels share no topic with the runs of the task")
    joined = PersonJoined(desk.fresh(), desk.time, ASSESSOR, "program", topics)
    desk.act(ASSESSOR, None, ("join", None), partial(desk.take, joined))
    who, made = desk.person(ASSESSOR), list[tuple[str, str, float]]()
    while most is None or len(made) < most:
        found = desk.act(ASSESSOR, None, ("next", None), partial(next_documents, desk, who))["documents"]
        if not found:
            break
        topic, document = found[0]["topic"], found[0]["document"]
        grade = grades[topic].get(document, 0.0)
        do = partial(judge, desk, who, topic=topic, document=document, grade=grade, by="program")
        desk.act(ASSESSOR, None, ("judge", None), do)
        made.append((topic, document, grade))
    return made

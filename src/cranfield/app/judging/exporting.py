"""What was judged, as files: the same log gives the same bytes, whenever and wherever it is replayed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final, NamedTuple

from cranfield.app.judging.desk import AbsentError, Desk
from cranfield.app.judging.task_board import Person, TaskBoard
from cranfield.app.web import Served
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.selection.records.policies import Policy
from cranfield.selection.records.view import Counted, last_grades

NAMES: Final = frozenset({"assessor", "who", "name"})
"""What people are called in lines of the log."""
TEXTS: Final = frozenset({"note", "sentence", "why", "title"})  # Where people may be named in lines of the log

BY_POLICY: Final[dict[str, Policy | None]] = {
    "qrels": None, "qrels-first": "first", "qrels-majority": "majority", "qrels-adjudicated": "adjudicated"
}  # fmt: skip
"""Files of one grade a document, and what gives it; none: the task's policy."""


class Exported(NamedTuple):
    """A file: what it holds, its suffix, and its name."""

    content: str
    kind: str
    name: str


class Pseudonyms:
    """What people are called in exports: names or pseudonyms, also within notes.

    >>> names = Pseudonyms("task", ["Ann", "Anna"], hidden=True)
    >>> sorted((names.of("Ann"), names.of("Anna"))), names.within("Anna agrees with Ann.") != "Anna agrees with Ann."
    (['assessor-1', 'assessor-2'], True)
    """

    def __init__(self, task: str, people: Iterable[str], *, hidden: bool) -> None:
        order = sorted(people, key=lambda name: sha256(f"{task}\0{name}".encode()).digest())
        self._of = {name: f"assessor-{number}" if hidden else name for number, name in enumerate(order, 1)}
        longest = sorted(map(re.escape, order), key=len, reverse=True)
        self._written = re.compile(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)") if hidden and order else None

    def of(self, name: str) -> str:
        """Return what somebody is called."""
        return self._of.get(name, name)

    def within(self, text: str) -> str:
        """Return a text in which people are called as they are here."""
        return text if self._written is None else self._written.sub(lambda found: self._of[found[0]], text)


def export(desk: Desk, who: Person, *, what: str, pseudonyms: int = 0) -> Served:
    """A file of what was judged. People are called by pseudonyms (1) or by their names (0)."""
    if what not in EXPORTS:
        raise AbsentError(f"there is no file {shown(what)}; choose from {', '.join(EXPORTS)}")
    if pseudonyms not in {0, 1}:
        raise InputError("pseudonyms is 0 or 1")
    with desk.lock:
        return Served(*exported(desk, what, pseudonyms=bool(pseudonyms)))


def exported(desk: Desk, what: str, *, pseudonyms: bool = False) -> Exported:
    """Return one of `EXPORTS` as a file: what each holds, `cranfield judge export --help` says."""
    kind, write = _FILES[what]
    return Exported(write(desk, _names(desk, hidden=pseudonyms)), kind, f"{what}.{kind}")


def _names(desk: Desk, *, hidden: bool) -> Pseudonyms:
    """Return what people are called, whoever is named anywhere."""
    people = {*desk.board.people, *desk.board.own}
    if hidden:  # somebody may have flagged, skipped or compared and no more
        people |= {name for line in desk.store.lines() for name in _named(json.loads(line))}
    return Pseudonyms(desk.task.id, people, hidden=hidden)


class LeftOut(NamedTuple):
    """What has no grade in an export: who graded it how, how much of it nobody settled, and which exports have more."""

    documents: tuple[str, ...]
    unsettled: int
    organisers: tuple[str, ...]
    others: tuple[str, ...]


def left_out(desk: Desk, what: str, *, pseudonyms: bool = False) -> LeftOut | None:
    """Which documents that people graded have no grade in one of `EXPORTS`, since its policy cannot decide?"""
    board = desk.board
    open_ = board.undecided(BY_POLICY[what]) if what in BY_POLICY else []
    if not open_:
        return None
    names = _names(desk, hidden=pseudonyms)
    given = [
        f"{document} of topic {topic}: {', '.join(f'{names.of(by.judged.assessor)} {by.grade:g}' for by in graded)}"
        for topic, document in open_
        for graded in [last_grades(board.counting(topic, document))]
    ]
    organisers = [names.of(each.name) for each in board.people.values() if each.active and each.role == "organiser"]
    others = [name for name, policy in BY_POLICY.items() if len(board.undecided(policy)) < len(open_)]
    return LeftOut(tuple(given), len({*open_} & {*board.undecided("adjudicated")}), tuple(organisers), tuple(others))


def _counting(desk: Desk) -> Iterator[Counted]:
    """Go through the judgments that count, by document."""
    records = desk.board
    return (each for document in records.documents() for each in records.counting(*document))


def _qrels(policy: Policy | None, desk: Desk, names: Pseudonyms) -> str:
    return "".join(f"{topic} 0 {name} {grade:g}\n" for topic, name, grade in desk.board.to_qrels(policy).rows())


def _by_assessor(desk: Desk, names: Pseudonyms) -> str:
    return "".join(
        f"{each.judged.topic} {''.join(names.of(each.judged.assessor).split()) or '-'} {each.judged.document} "
        f"{each.grade:g}\n"
        for document in desk.board.documents()
        for each in last_grades(desk.board.counting(*document))
    )


def _judgments(desk: Desk, names: Pseudonyms) -> str:
    header = [
        "query_id", "doc_id", "relevance", "assessor", "program", "time", "seconds", "by", "method", "weight", "note",
        "reason", "start", "end", "settles", "event",
    ]  # fmt: skip
    return _csv(header, (_row(desk.board, names, each) for each in _counting(desk)))


def _row(board: TaskBoard, names: Pseudonyms, each: Counted) -> list[object]:
    judged, seen, reason = each.judged, board.seen.get(each.judged.id), board.reason(each.judged)
    return [
        judged.topic, judged.document, _number(each.grade), cell(names.of(judged.assessor)),
        int(board.by_program(judged)), _number(judged.time), _number(seen.seconds) if seen else "",
        seen.by if seen else "", judged.method or "", _number(judged.weight), cell(names.within(each.note)),
        cell(names.within(reason.sentence)) if reason else "", _number(reason.start) if reason else "",
        _number(reason.end) if reason else "", int(judged.settles), judged.id,
    ]  # fmt: skip


def _preferences(desk: Desk, names: Pseudonyms) -> str:
    rows = []
    for each in desk.board.preferred:
        pair = sorted((each.left, each.right), key=lambda run: run != each.better)
        said = cell(names.of(each.who)), _number(each.time), cell(names.within(each.note))
        rows.append([each.topic, *pair, int(each.better is None), *said])
    return _csv(["topic", "better", "worse", "same", "assessor", "time", "note"], rows)


def _spans(desk: Desk, names: Pseudonyms) -> str:
    rows = []
    for each in _counting(desk):
        judged, reason = each.judged, desk.board.reason(each.judged)
        if reason is not None and reason.start is not None and each.grade is not None:
            who = names.of(judged.assessor)
            rows.append([judged.topic, judged.document, reason.start, reason.end, _number(each.grade), who])
    return _csv(["topic", "document", "start", "end", "grade", "assessor"], rows)


def _pool(desk: Desk, names: Pseudonyms) -> str:
    pool = {(each.judged.topic, each.judged.document) for each in _counting(desk)}
    pool |= {(each.topic, each.document) for each in desk.board.held()}
    return "".join(f"{topic} {document}\n" for topic, document in sorted(pool))


def _log(desk: Desk, names: Pseudonyms) -> str:
    lines = (json.dumps(_hidden(json.loads(line), names), ensure_ascii=False) for line in desk.store.lines())
    return "".join(f"{line}\n" for line in lines)


def _hidden(said: Mapping[str, Any], names: Pseudonyms) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in said.items():
        if isinstance(value, Mapping):
            found[key] = _hidden(value, names)
        elif isinstance(value, str) and key in NAMES:
            found[key] = names.of(value)
        elif isinstance(value, str) and key in TEXTS:
            found[key] = names.within(value)
        else:
            found[key] = value
    return found


def _named(said: Mapping[str, Any]) -> Iterator[str]:
    for key, value in said.items():
        if isinstance(value, Mapping):
            yield from _named(value)
        elif isinstance(value, str) and key in NAMES:
            yield value


def cell(text: str) -> str:
    """Escape a text so that no spreadsheet reads it as a formula.

    >>> print(cell("=HYPERLINK(1)"), cell("a note"), cell("-"))
    '=HYPERLINK(1) a note -
    """
    return f"'{text}" if len(text) > 1 and text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _number(value: float | None) -> str:
    return "" if value is None else repr(int(value)) if float(value).is_integer() else repr(value)


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


_FILES: Final[dict[str, tuple[str, Callable[[Desk, Pseudonyms], str]]]] = {
    **{what: ("txt", partial(_qrels, policy)) for what, policy in BY_POLICY.items()},
    "qrels-assessors": ("txt", _by_assessor),
    "judgments": ("csv", _judgments),
    "preferences": ("csv", _preferences),
    "spans": ("csv", _spans),
    "pool": ("txt", _pool),
    "log": ("jsonl", _log),
}
"""Every file that can be exported, by name: of what suffix it is, and what writes it."""
EXPORTS: Final = tuple(_FILES)

"""A task is begun, and opened: its desk, its door, and everybody who takes part let in."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

from cranfield.app.judging.acts import PersonJoined, read
from cranfield.app.judging.answering import Office
from cranfield.app.judging.board import Person
from cranfield.app.judging.desk import Desk, fixed_in
from cranfield.app.judging.making import make
from cranfield.app.judging.organising import people
from cranfield.app.judging.people import Door
from cranfield.app.judging.store import Image, KeptText, Store
from cranfield.app.judging.task import Task, scale_of, topics_of
from cranfield.formats.topic_files import Topic
from cranfield.formats.writing import new_folder
from cranfield.selection.candidates import Candidates
from cranfield.selection.records import Added, Event, Records
from cranfield.selection.stop_rules import rule_named


def fresh() -> str:
    """Return a name for an event, unlike that of any event of any task."""
    return token_hex(12)


def opened(folder: str | Path, address: str = "", *, writing: bool = True) -> Office:
    """Open a task."""
    with ExitStack() as undone:
        desk = Desk(undone.enter_context(Store(folder, writing=writing)), time.time, fresh)
        office = Office(desk, Door(desk), address)
        undone.pop_all()
    return office


@dataclass(frozen=True)
class TaskSoFar:
    """What a task's log says, read without its session: much faster, and also while the task is served."""

    task: Task
    records: Records
    runs: frozenset[str]  # those that joined late among them
    people: frozenset[str]  # all who ever took part

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a task."""
        with Store(folder, writing=False) as store:
            task, candidates = fixed_in(store)
            log = [*map(read, store.lines())]
        late = (each.run for each in log if isinstance(each, Added))
        people = frozenset(each.name for each in log if isinstance(each, PersonJoined))
        events = [each for each in log if isinstance(each, Event)]
        records = Records(events, policy=task.policy, per_document=task.per_document)
        return cls(task, records, frozenset((*candidates.runs, *late)), people)


def begun(
    folder: Path,
    candidates: Candidates,
    about: Mapping[str, Topic],
    documents: Iterable[tuple[KeptText, list[Image]]],
    *,
    scale: str,
    organiser: str,
    assessors: Iterable[str],
    **fixed: Any,
) -> Office:
    """Make a task in a new or empty folder, let everybody in, and open it."""
    for rule in fixed["stop"]:
        rule_named(rule)
    task = Task(id=fresh(), scale=scale_of(scale), topics=topics_of(candidates, about), **fixed)
    with new_folder(folder, now=True, mode=0o700) as aside:
        make(aside, task, candidates, documents, fresh=fresh(), now=time.time(), organiser=organiser)
        with closing(opened(aside).desk) as desk:
            let_in(desk, organiser, assessors)
    return opened(folder)


def let_in(desk: Desk, organiser: str, assessors: Iterable[str]) -> None:
    """Let assessors in who are not in yet; who was locked out stays so."""
    first = Person(organiser, "organiser")
    for name in assessors:
        if name not in desk.board.people:
            key = fresh()
            asked = {"key": key, "name": name, "role": "assessor", "topics": None}
            desk.act(organiser, key, ("people", asked), partial(people, desk, first, name=name, role="assessor"))

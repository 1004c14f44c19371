"""The desk of a task, which knows no web: what is done is done whole, once, and kept before anybody hears of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from hashlib import sha256
from threading import RLock
from typing import Any, Final

from cranfield.app.judging.acts import Act
from cranfield.app.judging.answers import ActDone, TopicProgress
from cranfield.app.judging.shapes import written
from cranfield.app.judging.store import UNFINISHED, Store
from cranfield.app.judging.task import Task, unpacked
from cranfield.app.judging.task_board import Person, TaskBoard
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.options import shown
from cranfield.selection.candidates import Candidates
from cranfield.selection.records.events import Event, Leased, Released

LONGEST_KEY: Final = 200
AFTER: Final = 0.001
"""Seconds by which an event comes after the one before, where the clock is behind: what was done last counts."""
MINUTE: Final = 60.0
BEHIND: Final = 2.0  # Seconds by which the clock may be behind the last event without a word


class ConflictError(CranfieldError):
    """Something that cannot be done as things stand; it may have been right a moment ago."""


class AbsentError(CranfieldError):
    """Something is asked for that is not there."""


def fixed_in(store: Store) -> tuple[Task, Candidates]:
    """Return what is fixed about a task: its settings, and the documents of the runs that it began with."""
    task, runs = store.fact("task"), store.fact("runs")
    if task is None or runs is None:
        raise InputError(UNFINISHED, source=str(store.path))
    return Task.of_bytes(task), unpacked(runs)


class Desk:
    """A task at work: one thing happens at a time, whoever asks, from any thread.

    The clock tells seconds since 1970, but times of events never fall. ``fresh`` makes unique names for events.
    """

    def __init__(self, store: Store, clock: Callable[[], float], fresh: Callable[[], str]) -> None:
        self.store, self.clock, self.fresh = store, clock, fresh
        self.task, self._candidates = fixed_in(store)
        self.lock = RLock()
        self.sketches: dict[str, frozenset[int]] = {}  # of documents, by which one tells which are much alike
        self.listeners: list[Callable[[], None]] = []  # called after each change
        self.now, self.sequence = 0.0, 0
        self._since: dict[str, float] = {}  # by lease: when the clock saw it first
        self._replay()

    def act(self, who: str, key: str | None, asked: tuple[str, object], do: Callable[[], object]) -> Any:
        """Do something once: under the same key the same answer is given again, and nothing happens."""
        with self.lock:
            digest = sha256(json.dumps([asked[0], written(asked[1])], sort_keys=True).encode()).hexdigest()
            if key is not None and (before := self._before(who, key, digest)) is not None:
                return before
            self.now = self.time
            self._expire()
            try:
                said = json.dumps(written(do()), ensure_ascii=False)
                self._keep(None if key is None else (who, key, digest, said))
            except BaseException:
                if self.board.unkept:  # memory is ahead of what is kept
                    self._replay()
                raise
        self._tell()
        return json.loads(said)

    def take(self, *events: Event | Act) -> None:
        """Let events happen; they are kept when the action ends."""
        for event in events:
            self.board.append(event)

    @property
    def lease_ends(self) -> float:
        """Until when a document is somebody's that is handed out now."""
        return self.now + self.task.lease * MINUTE

    @property
    def time(self) -> float:
        """The time of the next event: by the clock, but later than all events so far, whatever the clock says."""
        clock, last = self.clock(), self.board.time
        return clock if clock >= last else round(last + AFTER, 3)

    def person(self, name: str) -> Person:
        """Return somebody who takes part."""
        found = self.board.people.get(name)
        if found is None:
            raise AbsentError(f"this task has nobody named {shown(name)}")
        return found

    def progress(self, name: str, topic: str) -> TopicProgress:
        """Say how far a topic is."""
        board = self.board
        return TopicProgress(board.judged(topic), board.opened(topic), len(board.counting_of(name, topic)))

    def done(self, event: Event | Act, name: str, topic: str) -> ActDone:
        """Let an event happen, and say how far the topic is."""
        self.take(event)
        return ActDone(event.id, self.progress(name, topic))

    def warnings(self) -> list[str]:
        """Say what is not as it should be, though nothing is lost."""
        behind = self.board.time - self.clock()
        if behind <= BEHIND:
            return []
        return [f"the clock is {behind:,.0f} seconds behind the last event; times stand still until then"]

    def close(self) -> None:
        """End; everything is kept already."""
        with self.lock:
            self.store.close()

    def _before(self, who: str, key: str, digest: str) -> Any:
        if not 0 < len(key) <= LONGEST_KEY:
            raise InputError(f"a key has 1 to {LONGEST_KEY} characters")
        before = self.store.answer(who, key)
        if before is None:
            return None
        if before[0] != digest:
            raise ConflictError("this key was used for another action; give each action its own key")
        return json.loads(before[1])

    def _expire(self) -> None:
        """End leases whose time is over: by what they say, or by how long they were held, if a clock went wrong."""
        self.board.expire(id=self.fresh(), now=self.now)
        clock, held = self.clock(), {each.lease: each for each in self.board.held()}
        self._since = {lease: min(self._since.get(lease, clock), clock) for lease in held}
        over = [lease for lease, since in self._since.items() if clock - since >= self._lasts(lease)]
        self.take(*(Released(self.fresh(), self.now, lease) for lease in over))
        if self.board.unkept:
            try:
                self._keep(None)
            except BaseException:
                self._replay()
                raise

    def _lasts(self, lease: str) -> float:
        """Return for how many seconds a lease was given."""
        event = self.board.event(lease)
        return event.until - event.time if isinstance(event, Leased) else 0.0

    def _keep(self, answered: tuple[str, str, str, str] | None) -> None:
        unkept = self.board.unkept
        if unkept or answered:
            self.store.commit([(each.id, each.to_line()) for each in unkept], answered)
        self.sequence += len(unkept)
        unkept.clear()

    def _replay(self) -> None:
        """Go back to what is kept."""
        lines = [*self.store.lines()]
        self.sequence = len(lines)
        self.board = TaskBoard(self.task, self._candidates, lines)

    def _tell(self) -> None:
        for listener in self.listeners:
            try:
                listener()
            except Exception:
                logging.getLogger(__name__).exception("a listener failed")

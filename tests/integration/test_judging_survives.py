"""A server that is killed while six assessors judge: what was acknowledged is there once, and nobody got too much."""

from __future__ import annotations

import json
import random
import signal
import threading
import time
from collections import Counter
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final

import pytest
from tools.judging_desk import free_port, new_task, serve, snapshot, works

from cranfield.app.judging.exporting import exported
from cranfield.app.judging.task import scale_of
from cranfield.app.judging.task_board import TaskBoard
from cranfield.selection.records.events import Assessed, Leased, event_of

pytestmark = pytest.mark.integration
ASSESSORS: Final = 6
TOPICS: Final = {str(topic): (f"question {topic}", "", "") for topic in range(1, 9)}
PER_DOCUMENT: Final = 2


class Assessor(threading.Thread):
    """Judges what it is given until it is told to stop; what gets no answer is sent again, under the same key."""

    def __init__(self, number: int, port: int, token: str) -> None:
        super().__init__(daemon=True)
        self.number, self.port, self.token = number, port, token
        self.stop = threading.Event()
        self.acknowledged: dict[str, tuple[str, str, int]] = {}
        self.refused: list[str] = []
        self.resent = 0
        self._way: HTTPConnection | None = None

    def ask(self, path: str, given: dict[str, Any]) -> dict[str, Any]:
        """Ask until there is an answer."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        while True:
            try:
                self._way = self._way or HTTPConnection("127.0.0.1", self.port, timeout=20)
                self._way.request("POST", path, json.dumps(given), headers)
                answer = self._way.getresponse()
                found: dict[str, Any] = json.loads(answer.read())
                if answer.status != 200:
                    self.refused.append(found["problem"])
                return found
            except (OSError, HTTPException, ValueError):
                self.close()
                self.resent += 1
                time.sleep(0.02)

    def close(self) -> None:
        """Ask by another way from now on."""
        if self._way is not None:
            self._way.close()
        self._way = None

    def run(self) -> None:
        """Judge."""
        try:
            self._judge()
        finally:
            self.close()

    def _judge(self) -> None:
        drawn, step = random.Random(self.number), 0  # noqa: S311
        while not self.stop.is_set():
            step += 1
            documents = self.ask("/api/next", {"n": 2, "key": f"n{step}"}).get("documents", [])
            if not documents:
                return
            for each in documents:
                step += 1
                grade = drawn.randint(0, 2)
                of = {"topic": each["topic"], "document": each["document"]}
                done = self.ask("/api/judge", of | {"grade": grade, "key": f"j{step}", "by": "program"})
                if "event" in done:
                    self.acknowledged[done["event"]] = (each["topic"], each["document"], grade)


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_nothing_is_lost_or_doubled_when_the_server_is_killed(tmp_path: Path, kills: int) -> None:
    """Killed at random times, mostly inside of commits: six programs do nothing but judge."""
    names = [f"d{n:04}" for n in range(400)]
    drawn = random.Random(kills)  # noqa: S311
    runs = {
        run: {topic: {name: -n for n, name in enumerate(drawn.sample(names, 300))} for topic in TOPICS} for run in "xyz"
    }
    task = new_task(
        tmp_path / "task", runs=runs, documents=[], topics=TOPICS, scale=scale_of("0-2"), per_document=PER_DOCUMENT,
        method="C", measure="RBP(p=0.8)",
    )  # fmt: skip
    at, port = works(task), free_port()
    at.clock.now = time.time()
    tokens = [at.office.door.token(at.person(f"p{n}", "program").name) for n in range(ASSESSORS)]
    at.desk.close()

    server = serve(task, port)
    assessors = [Assessor(n, port, token) for n, token in enumerate(tokens)]
    for each in assessors:
        each.start()
    for _ in range(kills):
        time.sleep(drawn.uniform(0.3, 0.8))
        server.send_signal(signal.SIGKILL)
        server.wait()
        server = serve(task, port)
    time.sleep(0.5)
    for each in assessors:
        each.stop.set()
    for each in assessors:
        each.join(30)
    server.kill()
    server.wait()

    assert not any(each.is_alive() for each in assessors)
    assert sum(each.resent for each in assessors) >= kills  # the kills were felt
    assert not [problem for each in assessors for problem in each.refused]
    again = works(task, prefix="after")
    lines = [*again.desk.store.lines()]
    judged = {event.id: event for line in lines if isinstance(event := _event(line), Assessed)}
    acknowledged = {event: (n, *of) for n, each in enumerate(assessors) for event, of in each.acknowledged.items()}
    assert len(acknowledged) > 20 * kills
    for event, (n, topic, document, grade) in acknowledged.items():
        found = judged[event]  # none is lost
        assert (found.assessor, found.topic, found.document, found.grade) == (f"p{n}", topic, document, grade)
    by_hand = Counter((each.assessor, each.topic, each.document) for each in judged.values())
    assert max(by_hand.values()) == 1  # none is doubled
    assert set(judged) == set(acknowledged)  # everyone asked again until there was an answer
    by_document = Counter((each.topic, each.document) for each in judged.values())
    assert max(by_document.values()) <= PER_DOCUMENT
    _no_document_in_too_many_hands(lines)
    assert again.desk.store.problems() == []
    before = snapshot(again.desk.board)
    assert snapshot(TaskBoard(again.desk.task, again.desk.board.candidates, lines)) == before
    assert exported(again.desk, "log").content.splitlines() == [
        json.dumps(json.loads(line), ensure_ascii=False) for line in lines
    ]
    again.desk.close()


def _event(line: str) -> Any:
    return event_of(line) if '"cranfield.records/' in line[:40] else None


def _no_document_in_too_many_hands(lines: list[str]) -> None:
    """Go through the log: who judged a document or has it on lease is never more than asked for."""
    hands: dict[tuple[str, str], set[str]] = {}
    for line in lines:
        event = _event(line)
        if isinstance(event, Leased | Assessed):
            for document in event.documents if isinstance(event, Leased) else [(event.topic, event.document)]:
                hands.setdefault(document, set()).add(event.assessor)
    assert max(map(len, hands.values())) <= PER_DOCUMENT  # no lease ended but by its judgment

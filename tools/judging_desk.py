"""A small judging task in this process, whose clock and names are the test's own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from socket import socket
from typing import Any, Final

from cranfield.app.judging.desk import Desk
from cranfield.app.judging.door import Door
from cranfield.app.judging.reading import digest
from cranfield.app.judging.routes import JUDGING_ROUTES, Office, Route
from cranfield.app.judging.shapes import read, written
from cranfield.app.judging.store import Image, KeptText, Store
from cranfield.app.judging.task import Task, scale_of
from cranfield.app.judging.task_board import Person, TaskBoard
from cranfield.app.judging.task_folder import make
from cranfield.selection.candidates import Candidates

RUNS: Final = {"x": {"1": {"a": 3.0, "b": 2.0}, "2": {"d": 2.0, "e": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
"""Two runs; by Method A and RBP(p=0.5), b of topic 1 weighs most (0.5² + 0.5 = 0.75), then a and d (0.5)."""
TOPICS: Final = {"1": ("lift of wings", "", ""), "2": ("drag of tails", "", "")}
TEXTS: Final = {name: (f"On {name}", f"What {name} says of wings and of tails.") for name in "abcde"} | {
    "z": ("On propellers", "What no run found: propellers lift wings.")
}
PNG: Final = b"\x89PNG\r\n\x1a\n"
AT: Final = "http://127.0.0.1:8018"


@dataclass
class Clock:
    """A clock that goes when it is told to."""

    now: float = 1_000.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


@dataclass
class Names:
    """Names of events, e1, e2, ..., other ones after each opening."""

    prefix: str = "e"
    numbers: Any = field(default_factory=lambda: count(1))

    def __call__(self) -> str:
        """Make a name."""
        return f"{self.prefix}{next(self.numbers)}"


def texts(of: dict[str, tuple[str, str]] | None = None) -> Iterable[tuple[KeptText, list[Image]]]:
    """Return documents as they are kept; d has a field and an image."""
    for name, (title, text) in (TEXTS if of is None else of).items():
        fields = {"year": "1955"} if name == "d" else {}
        images = [Image("png", PNG)] if name == "d" else []
        yield KeptText(name, title, text, fields, digest(title, text, fields)), images


def new_task(folder: Path, *, runs: Any = None, documents: Any = None, **given: Any) -> Path:
    """Make a task, whose organiser is Olga."""
    usual: dict[str, Any] = {"id": "t", "title": "Wings", "scale": scale_of("0-2"), "topics": TOPICS, "method": "A"}
    task = Task(**{"measure": "RBP(p=0.5)"} | usual | given)
    make(
        folder, task, Candidates.gather(RUNS if runs is None else runs), texts() if documents is None else documents,
        fresh=f"{task.id}-0", now=1_000.0, organiser="Olga",
    )  # fmt: skip
    return folder


@dataclass
class Works:
    """A task at work, and those who work at it."""

    office: Office
    clock: Clock

    @property
    def desk(self) -> Desk:
        """Its desk."""
        return self.office.desk

    def person(self, name: str, role: str = "assessor", topics: list[str] | None = None) -> Person:
        """Add somebody."""
        self.ask("Olga", "people", key=self.desk.fresh(), name=name, role=role, topics=topics or [])
        return self.desk.person(name)

    def ask(self, who: str, name: str, parts: dict[str, str] | None = None, /, **asked: Any) -> Any:
        """Ask a route by its name, as the HTTP interface does; the answer as JSON has it."""
        route = route_named(name)
        return written(self.office.answer(route, self.desk.person(who), read(route.asked, asked), parts))

    def judge(self, who: str, topic: str, document: str, grade: float | None, **more: Any) -> str:
        """Judge a document; return the name of the judgment."""
        more.setdefault("key", self.desk.fresh())
        event: str = self.ask(who, "judge", topic=topic, document=document, grade=grade, **more)["event"]
        return event


def route_named(name: str) -> Route:
    """Return a route by its name."""
    return next(each for each in JUDGING_ROUTES if each.name == name)


def works(folder: Path, clock: Clock | None = None, prefix: str = "e") -> Works:
    """Open a task."""
    clock = clock or Clock()
    with ExitStack() as undone:
        desk = Desk(undone.enter_context(Store(folder)), clock, Names(prefix))
        undone.pop_all()
    return Works(Office(desk, Door(desk), AT), clock)


def snapshot(board: TaskBoard) -> str:
    """Return all that follows from the log as JSON: a replay gives the same, to the last byte."""
    judging = board.judging
    return json.dumps(
        {
            "records": json.loads(board.snapshot()),
            "people": [list(vars(each).values()) for each in board.people.values()],
            "settings": board.settings.to_line(),
            "history": [list(each) for each in judging.history],
            "base": judging.state.base.tolist(),
            "residual": judging.state.residual.tolist(),
            "curve": [list(vars(each).values()) for each in board.curve],
            "acts": [
                each.to_line()
                for each in (*board.seen.values(), *board.skipped.values(), *board.flagged, *board.preferred)
            ],
            "reasons": {name: vars(each) if each else None for name, each in sorted(board.reasons.items())},
        },
        ensure_ascii=False,
    )


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        found: int = free.getsockname()[1]
        return found


def serve(task: Path, port: int, patience: float = 60) -> subprocess.Popen[bytes]:
    """Serve a task by the command, in a process of its own; return it when it answers."""
    command = (sys.executable, "-m", "cranfield", "judge", "serve", str(task), "--port", str(port), "--no-browser")
    server = subprocess.Popen([*command, "--quiet"], stderr=subprocess.DEVNULL)  # noqa: S603
    until = time.monotonic() + patience
    while time.monotonic() < until and server.poll() is None:
        try:
            with closing(HTTPConnection("127.0.0.1", port, timeout=2)) as way:
                way.request("GET", "/enter")
                way.getresponse().read()
                return server
        except (OSError, HTTPException):
            time.sleep(0.05)
    server.kill()
    server.wait()
    raise TimeoutError("the server does not come up")


@contextmanager
def served(task: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Serve a task as long as it takes."""
    server = serve(task, port)
    try:
        yield server
    finally:
        server.kill()
        server.wait()

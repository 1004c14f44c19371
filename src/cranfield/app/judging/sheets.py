"""Sheets, pages to send by mail: each judges a topic without a server, and gives back the lines of a log."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from cranfield.app.judging.answers import DocumentShown, TaskShown
from cranfield.app.judging.desk import Desk
from cranfield.app.judging.door import DAY
from cranfield.app.judging.reading import document, task
from cranfield.app.judging.serving import JUDGING_PACKAGE
from cranfield.app.judging.shapes import written
from cranfield.app.judging.task_board import Person
from cranfield.app.web import template
from cranfield.pages.writer import data, page
from cranfield.plumbing.errors import InputError
from cranfield.selection.candidates import chance
from cranfield.selection.records.arrangement import Document

SHEET_SCRIPTS: Final = ("pieces.js", "bench.js", "sheet.js")
"""What the page runs: what the server's page runs, on another source of documents."""
_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ", re.MULTILINE)


def on_sheet(
    desk: Desk, topic: str, assessor: str | None, count: int | None, *, days: int
) -> tuple[TaskShown, list[DocumentShown]]:
    """Return the task and the documents to judge; with an assessor, they are leased for this many days."""
    desk.task.require_topic(topic)
    who = Person("", "organiser") if assessor is None else desk.person(assessor)
    chosen = desk.board.for_anybody(topic, count) if assessor is None else _leased(desk, who, topic, count, days)
    if not chosen:
        raise InputError(f"nothing is left to judge for topic {topic!r}" + (f" for {assessor}" if assessor else ""))
    order = sorted(chosen, key=lambda name: chance(desk.task.seed, "sheet", topic, name))
    shown = [_with_images(desk, document(desk, who, topic=topic, document=name)) for name in order]
    return task(desk, Person(assessor or "", "organiser")), shown


def _leased(desk: Desk, who: Person, topic: str, count: int | None, days: int) -> list[str]:
    """Lease documents to somebody, one lease each, and return them with those of the topic that they had."""
    names: list[Document] = []

    def do() -> None:
        names.extend((each.topic, each.document) for each in desk.board.at_hand(who.name, topic))
        if topic not in desk.board.candidates.topics:
            return
        while count is None or len(names) < count:
            until = desk.now + days * DAY
            leased = desk.board.lease(who.name, 1, id=desk.fresh(), now=desk.now, until=until, topics=[topic])
            if leased is None:
                return
            names.extend(leased.documents)

    desk.act(who.name, None, ("sheet", None), do)
    return [name for _, name in names]


def _with_images(desk: Desk, shown: DocumentShown) -> DocumentShown:
    """Put images into the page itself, which asks nobody for anything."""
    found = (desk.store.image(shown.document, number) for number in range(len(shown.images)))
    data = [f"data:image/{each.kind};base64,{b64encode(each.data).decode()}" for each in found if each is not None]
    return replace(shown, images=data)


def sheet(task: TaskShown, topic: str, documents: Sequence[DocumentShown], *, assessor: str = "") -> str:
    """Write a page that judges the documents of one topic offline: it asks nobody for anything.

    Its judgments are kept in the browser, and downloaded as lines of a task's log. Whoever opens the page says who
    judges where no assessor is named.
    """
    asked = next((each for each in task.topics if each.id == topic), None)
    if asked is None:
        raise InputError(f"there is no topic {topic!r}; choose from {', '.join(each.id for each in task.topics)}")
    if not documents:
        raise InputError(f"topic {topic!r} has no documents to judge")
    told = {
        "task": written(replace(task, topics=[asked], runs=[], searchable=False)),
        "documents": [written(each) for each in documents],
        "assessor": assessor,
    }
    told["id"] = sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    body = template(JUDGING_PACKAGE, "sheet.html.jinja").render(assessor=assessor) + data(told)
    return page(f"{task.title}, topic {topic}", body, styles=[_asset("judging.css")], scripts=[script()])


@cache
def script() -> str:
    """Join the modules into one script, without imports and exports."""
    modules = "\n".join(_EXPORT.sub("", _IMPORT.sub("", _asset(name))) for name in SHEET_SCRIPTS)
    return f"(() => {{\n{modules}}})();\n"


@cache
def _asset(name: str) -> str:
    return files(JUDGING_PACKAGE).joinpath("assets", name).read_text(encoding="utf-8")

"""What stands on a sheet: the documents of a topic, in an order that tells nothing, with their images in them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from cranfield.app.judging.answers import DocumentShown, TaskShown
from cranfield.app.judging.assessing import budget_left
from cranfield.app.judging.board import Document, Person
from cranfield.app.judging.desk import Desk
from cranfield.app.judging.reading import document, task
from cranfield.plumbing.errors import InputError
from cranfield.selection.chance import chance

DAY: Final = 86_400.0


def on_sheet(
    desk: Desk, topic: str, assessor: str | None, count: int | None, *, days: int
) -> tuple[TaskShown, list[DocumentShown]]:
    """Return the task and the documents to judge; with an assessor, they are leased for so many days."""
    desk.task.require_topic(topic)
    who = Person("", "organiser") if assessor is None else desk.person(assessor)
    chosen = _open(desk, topic, count) if assessor is None else _leased(desk, who, topic, count, days)
    if not chosen:
        raise InputError(f"nothing is left to judge of topic {topic!r}" + (f" for {assessor}" if assessor else ""))
    order = sorted(chosen, key=lambda name: chance(desk.task.seed, "sheet", topic, name))
    shown = [_with_images(desk, document(desk, who, topic=topic, document=name)) for name in order]
    return task(desk, Person(assessor or "", "organiser")), shown


def _open(desk: Desk, topic: str, count: int | None) -> Iterable[str]:
    """Return the open documents of a topic that nobody has at hand: what was found, then the most useful ones."""
    judging, candidates, left = desk.board.judging, desk.board.candidates, budget_left(desk)
    count = left if count is None else count if left is None else min(count, left)
    found = [name for of, name in desk.board.records.found() if of == topic and not desk.board.engaged(of, name)]
    if topic in candidates.topics:
        wanted = np.arange(len(candidates.topics)) == candidates.topic_code(topic)
        places = judging.next_places(len(candidates) if count is None else count, wanted)
        found += [candidates.document[place] for place in places.tolist()]
    return found[:count]


def _leased(desk: Desk, who: Person, topic: str, count: int | None, days: int) -> list[str]:
    """Lease documents to somebody, one lease each, and return them with those of the topic that they had."""
    names: list[Document] = []

    def do() -> None:
        names.extend((each.topic, each.document) for each in desk.board.held(who.name, topic))
        if topic not in desk.board.candidates.topics:
            return
        while (count is None or len(names) < count) and budget_left(desk) != 0:
            until = desk.now + days * DAY
            leased = desk.board.records.lease(who.name, 1, id=desk.fresh(), now=desk.now, until=until, topics=[topic])
            if leased is None:
                return
            desk.took(leased)
            names.extend(leased.documents)

    desk.act(who.name, None, ("sheet", None), partial(do))
    return [name for _, name in names]


def _with_images(desk: Desk, shown: DocumentShown) -> DocumentShown:
    """Put images into the page itself, which asks nobody for anything."""
    found = (desk.store.image(shown.document, number) for number in range(len(shown.images)))
    data = [f"data:image/{each.kind};base64,{b64encode(each.data).decode()}" for each in found if each is not None]
    return replace(shown, images=data)

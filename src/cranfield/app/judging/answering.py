"""What is answered on each route: no web is known here, so that a test, a command or a server can ask."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from cranfield.app.judging import assessing, exporting, organising, reading, standing
from cranfield.app.judging.board import Person
from cranfield.app.judging.desk import AbsentError, Desk
from cranfield.app.judging.people import Door
from cranfield.app.judging.routes import ExportAsked, LinkMade, Nothing, OfDocument, PersonAsked, Route, openapi
from cranfield.app.web import Served
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.options import shown

Handler = Callable[[Desk, Person, Any], object]


class ForbiddenError(CranfieldError):
    """Something that somebody of this role may not do."""


READ: Final[Mapping[str, Handler]] = {
    "me": reading.me,
    "task": reading.task,
    "document": reading.document,
    "history": reading.history,
    "search": reading.search,
    "first": reading.first,
    "pair": reading.pair,
    "status": standing.status,
    "disputes": standing.disputes,
}
"""What changes nothing, by the name of its route."""
DONE: Final[Mapping[str, Handler]] = {
    "next": assessing.next_documents,
    "judge": assessing.judge,
    "undo": assessing.undo,
    "skip": assessing.skip,
    "flag": assessing.flag,
    "amend": assessing.amend,
    "retract": assessing.retract,
    "release": assessing.release,
    "take": assessing.take,
    "prefer": assessing.prefer,
    "adjudicate": organising.adjudicate,
    "people": organising.people,
    "people_revoke": organising.revoke,
    "people_out": organising.out,
    "people_hand": organising.hand,
    "change": organising.change,
}
"""What changes something."""


@dataclass(frozen=True)
class Office:
    """A desk, its door, and the address at which both are found.

    Attributes
    ----------
    desk, door, address
        All of it; links are made of the address.
    """

    desk: Desk
    door: Door
    address: str

    def answer(self, route: Route, who: Person, asked: Any, parts: Mapping[str, str] | None = None) -> object:
        """Answer somebody: a shape of the route, what `act` made of one, or something that is served as it is."""
        if who.role not in route.roles:
            raise ForbiddenError(f"this is for {', '.join(sorted(route.roles))}; you are {who.role}")
        name, parts = route.name, parts or {}
        if name in READ:
            return READ[name](self.desk, who, asked)
        if name in DONE:
            do = partial(DONE[name], self.desk, who, asked)
            done = self.desk.act(who.name, asked.key, (name, asked), do)
            return self._link(asked) if name == "people" else self._ended(name, asked, done)
        return FILES[name](self.desk, who, asked, parts)

    def link(self, name: str, seed: str | None = None) -> LinkMade:
        """Make a link for a person, or a token for a program."""
        if self.desk.person(name).program:
            return LinkMade(self.address, self.door.token(name, seed))
        return LinkMade(f"{self.address}/enter#{self.door.link(name, seed)}", None)

    def _link(self, asked: PersonAsked) -> LinkMade:
        return self.link(asked.name.strip(), asked.key)

    def _ended(self, name: str, asked: Any, done: object) -> object:
        """End the sessions of somebody who was locked out."""
        if name == "people_revoke":
            self.desk.store.end_sessions(asked.name)
        return done


def _image(desk: Desk, who: Person, asked: OfDocument, parts: Mapping[str, str]) -> Served:
    del who
    number = parts["number"]
    found = desk.store.image(asked.document, int(number)) if number.isdigit() and len(number) < 9 else None
    if found is None:
        raise AbsentError(f"document {shown(asked.document)} has no such image")
    return Served(found.data, found.kind)


def _export(desk: Desk, who: Person, asked: ExportAsked, parts: Mapping[str, str]) -> Served:
    del who
    what = parts["what"]
    if what not in exporting.EXPORTS:
        raise AbsentError(f"there is no file {shown(what)}; there are {', '.join(exporting.EXPORTS)}")
    if asked.pseudonyms not in {0, 1}:
        raise InputError("pseudonyms is 0 or 1")
    with desk.lock:
        file = exporting.exported(desk, what, pseudonyms=bool(asked.pseudonyms))
    return Served(file.content, file.name.rpartition(".")[2], file.name)


def _openapi(desk: Desk, who: Person, asked: Nothing, parts: Mapping[str, str]) -> Served:
    del who, asked, parts
    return Served(json.dumps(openapi(desk.task.title), ensure_ascii=False, indent=1), "json")


FILES: Final[Mapping[str, Callable[[Desk, Person, Any, Mapping[str, str]], Served]]] = {
    "image": _image,
    "export": _export,
    "openapi_json": _openapi,
}
"""What is served as it is."""

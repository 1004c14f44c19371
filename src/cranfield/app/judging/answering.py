"""A task and those who ask: no web is known here, so that a test, a command or a server can ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from cranfield.app.judging.answers import LinkMade
from cranfield.app.judging.board import Person
from cranfield.app.judging.desk import Desk
from cranfield.app.judging.people import Door
from cranfield.app.judging.routes import Route
from cranfield.plumbing.errors import CranfieldError


class ForbiddenError(CranfieldError):
    """Something that somebody of this role may not do."""


@dataclass(frozen=True)
class Office:
    """A desk, its door, and the address at which both are found, of which links are made."""

    desk: Desk
    door: Door
    address: str

    def answer(self, route: Route, who: Person, asked: Any, parts: Mapping[str, str] | None = None) -> object:
        """Answer somebody: a shape of the route, what `act` made of one, or something that is served as it is."""
        if who.role not in route.roles:
            raise ForbiddenError(f"this is for {', '.join(sorted(route.roles))}; you are {who.role}")
        do = partial(route.do, self.desk, who, **route.given(asked), **(parts or {}))
        if not route.is_act:
            return do()
        done = self.desk.act(who.name, asked.key, (route.name, asked), do)
        if route.name == "people":
            return self.link(asked.name.strip(), asked.key)
        if route.name == "people_revoke":
            self.desk.store.end_sessions(asked.name)
        return done

    def link(self, name: str, seed: str | None = None) -> LinkMade:
        """Make a link for a person, or a token for a program."""
        if self.desk.person(name).program:
            return LinkMade(self.address, self.door.token(name, seed))
        return LinkMade(f"{self.address}/enter#{self.door.link(name, seed)}", None)

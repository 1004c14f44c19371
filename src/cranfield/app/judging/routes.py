"""Every request that a task answers, as one table: who may ask, what answers, what is sent. It needs no web to ask."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, make_dataclass
from functools import cached_property, partial
from inspect import Parameter, signature
from typing import Any, Final, Literal, get_type_hints

from cranfield import __version__
from cranfield.app.judging import answers, assessing, exporting, organising, reading, task_status
from cranfield.app.judging.desk import Desk
from cranfield.app.judging.door import Door
from cranfield.app.judging.shapes import called, properties, schema, shapes_in
from cranfield.app.judging.task_board import Person
from cranfield.app.web import Served
from cranfield.plumbing.errors import CranfieldError

_ORGANISER: Final[frozenset[answers.Role]] = frozenset({"organiser"})
JUDGES: Final[frozenset[answers.Role]] = frozenset({"organiser", "assessor", "program"})
READERS: Final[frozenset[answers.Role]] = frozenset({"organiser", "observer"})
_ALL: Final[frozenset[answers.Role]] = frozenset({"organiser", "assessor", "observer", "program"})
_APART: Final = frozenset({"/enter", "/api/leave", "/api/changes"})
"""What the server answers itself, since it is about cookies, or has no end: its function is but what it says."""


@dataclass(frozen=True)
class Route:
    """What can be asked: at which address, by whom (no role: by anybody), and what answers it.

    What is sent, as JSON or in the address, are the parameters by name of the function that answers. Who lets something
    happen sends a key, too, under which it happens once.
    """

    method: Literal["GET", "POST"]
    path: str
    roles: frozenset[answers.Role]
    do: Callable[..., object]
    sent: str  # what the shape of what is sent is called
    answered: type
    parts: tuple[str, ...] = ()  # what stands in the address, and is no part of that shape

    @property
    def name(self) -> str:
        """What it is called: OpenAPI's operation."""
        return self.path.partition("/{")[0].removeprefix("/api").strip("/").replace("/", "_").replace(".", "_")

    @property
    def says(self) -> str:
        """What it does, as the first sentence of its function says."""
        return re.split(r"\.(?:\s|$)", self.do.__doc__ or "", maxsplit=1)[0]

    @property
    def is_act(self) -> bool:
        """Whether it lets something happen at the desk."""
        return self.method == "POST" and self.path not in _APART

    @cached_property
    def asked(self) -> type[Any]:
        """The shape of what is sent."""
        kinds = get_type_hints(self.do)
        fields: list[Any] = [] if "key" in self._named or not self.is_act else [("key", str)]
        for name, each in self._named.items():
            if name not in self.parts:
                usual = () if each.default is Parameter.empty else (field(default=each.default),)
                fields.append((name, kinds[name], *usual))
        return make_dataclass(self.sent, fields, frozen=True)

    def given(self, asked: object) -> dict[str, Any]:
        """Return what the function that answers is given of what was sent."""
        return {name: value for name, value in vars(asked).items() if name in self._named}

    @cached_property
    def _named(self) -> dict[str, Parameter]:
        """What the function that answers takes by name."""
        takes = signature(self.do).parameters
        return {name: each for name, each in takes.items() if each.kind is Parameter.KEYWORD_ONLY}


def _enter(desk: Desk, who: Person, *, link: str) -> None:
    """Come in by a link that is good once."""


def _leave(desk: Desk, who: Person) -> None:
    """Leave: the cookie is taken back."""


def _changes(desk: Desk, who: Person) -> None:
    """Server-sent events: that something has changed."""


def _described(desk: Desk, who: Person) -> Served:
    """This table, as OpenAPI."""  # noqa: D404 - it is what the table says
    return Served(json.dumps(openapi(desk.task.title), ensure_ascii=False, indent=1), "json")


JUDGING_ROUTES: Final[tuple[Route, ...]] = (
    Route("POST", "/enter", frozenset(), _enter, "Enter", answers.Entered),
    Route("POST", "/api/leave", _ALL, _leave, "Nothing", answers.Nothing),
    Route("GET", "/api/me", _ALL, reading.me, "Nothing", answers.Me),
    Route("GET", "/api/task", _ALL, reading.task, "Nothing", answers.TaskShown),
    Route("POST", "/api/next", JUDGES, assessing.next_documents, "NextAsked", answers.NextDocuments),
    Route("GET", "/api/document", _ALL, reading.document, "OfDocument", answers.DocumentShown),
    Route("POST", "/api/judge", JUDGES, assessing.judge, "Judge", answers.ActDone),
    Route("POST", "/api/undo", JUDGES, assessing.undo, "Undo", answers.Undone),
    Route("POST", "/api/skip", JUDGES, assessing.skip, "Why", answers.ActDone),
    Route("POST", "/api/flag", JUDGES, assessing.flag, "Why", answers.ActDone),
    Route("POST", "/api/amend", JUDGES, assessing.amend, "Amend", answers.ActDone),
    Route("POST", "/api/retract", JUDGES, assessing.retract, "Retract", answers.ActDone),
    Route("POST", "/api/release", JUDGES, assessing.release, "Keyed", answers.DoneTo),
    Route("GET", "/api/history", JUDGES, reading.history, "OfTopic", answers.History),
    Route("GET", "/api/search", JUDGES, reading.search, "SearchAsked", answers.SearchFound),
    Route("POST", "/api/take", JUDGES, assessing.take, "Take", answers.NextDocuments),
    Route("GET", "/api/first", JUDGES, reading.first, "FirstAsked", answers.FirstTen),
    Route("GET", "/api/pair", JUDGES, reading.pair, "PairAsked", answers.PairOfLists),
    Route("POST", "/api/prefer", JUDGES, assessing.prefer, "Prefer", answers.ActDone),
    Route("GET", "/api/image", _ALL, reading.image, "OfDocument", answers.FileAnswered, ("number",)),
    Route("GET", "/api/changes", _ALL, _changes, "Nothing", answers.FileAnswered),
    Route("GET", "/api/status", READERS, task_status.status, "Nothing", answers.StatusShown),
    Route("GET", "/api/disputes", READERS, task_status.disputes, "OfTopic", answers.Disputes),
    Route("POST", "/api/adjudicate", _ORGANISER, organising.adjudicate, "Adjudicate", answers.ActDone),
    Route("POST", "/api/people", _ORGANISER, organising.people, "PersonAsked", answers.LinkMade),
    Route("POST", "/api/people/revoke", _ORGANISER, organising.revoke, "Named", answers.DoneTo),
    Route("POST", "/api/people/out", _ORGANISER, organising.out, "Named", answers.DoneTo),
    Route("POST", "/api/people/hand", _ORGANISER, organising.hand, "Hand", answers.DoneTo),
    Route("POST", "/api/change", _ORGANISER, organising.change, "Change", answers.DoneTo),
    Route("GET", "/api/export/{what}", READERS, exporting.export, "ExportAsked", answers.FileAnswered, ("what",)),
    Route("GET", "/openapi.json", _ALL, _described, "Nothing", answers.FileAnswered),
)
"""All of it; a role that a route does not name is refused."""


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

    def link(self, name: str, seed: str | None = None) -> answers.LinkMade:
        """Make a link for a person, or a token for a program."""
        if self.desk.person(name).program:
            return answers.LinkMade(self.address, self.door.token(name, seed))
        return answers.LinkMade(f"{self.address}/enter#{self.door.link(name, seed)}", None)


def openapi(title: str) -> dict[str, Any]:
    """Describe all routes as OpenAPI 3.1."""
    shapes = {
        called(each): each for route in JUDGING_ROUTES for of in (route.asked, route.answered) for each in shapes_in(of)
    }
    shapes[called(answers.Problem)] = answers.Problem
    paths: dict[str, Any] = {}
    for route in JUDGING_ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {name: properties(each) for name, each in sorted(shapes.items())},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(route: Route) -> dict[str, Any]:
    answer = {"description": route.says}
    if route.answered is not answers.FileAnswered:
        answer["content"] = _json(route.answered)  # type: ignore[assignment]
    said: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.says,
        "responses": {"200": answer, "default": {"description": "A problem", "content": _json(answers.Problem)}},
    }
    if route.roles:
        said["description"] = f"For: {', '.join(sorted(route.roles))}."
    else:
        said["security"] = []
    if route.method == "POST":
        said["requestBody"] = {"required": True, "content": _json(route.asked)}
        return said
    asked = properties(route.asked)
    said["parameters"] = [
        *(
            {"name": name, "in": "query", "required": name in asked["required"], "schema": of}
            for name, of in asked["properties"].items()
        ),
        *(
            {"name": name, "in": place, "required": True, "schema": {"type": "string"}}
            for name in route.parts
            for place in ["path" if f"{{{name}}}" in route.path else "query"]
        ),
    ]
    return said


def _json(shape: type) -> dict[str, Any]:
    return {"application/json": {"schema": schema(shape)}}

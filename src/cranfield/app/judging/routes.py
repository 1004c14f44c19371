"""All that can be asked over HTTP, as one table: who may ask, what is sent, what is answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from cranfield import __version__
from cranfield.app.judging.shapes import properties, schema, shapes_in

Role: TypeAlias = Literal["organiser", "assessor", "observer", "program"]
By: TypeAlias = Literal["key", "click", "program"]

ORGANISER: Final[frozenset[Role]] = frozenset({"organiser"})
JUDGES: Final[frozenset[Role]] = frozenset({"organiser", "assessor", "program"})
READERS: Final[frozenset[Role]] = frozenset({"organiser", "observer"})
ALL: Final[frozenset[Role]] = frozenset({"organiser", "assessor", "observer", "program"})


# Pieces.


@dataclass(frozen=True)
class Grade:
    """A grade of the scale."""

    grade: float
    label: str


@dataclass(frozen=True)
class Me:
    """Who asks."""

    name: str
    role: Role
    program: bool


@dataclass(frozen=True)
class TopicShown:
    """A topic: what it says, its words to mark, and how far its judging is. ``mine`` are judgments of whoever asks."""

    id: str
    title: str
    fields: dict[str, str]
    terms: list[str]
    judged: int
    open: int
    mine: int


@dataclass(frozen=True)
class Progress:
    """Documents judged, still open, and judged by whoever asks."""

    judged: int
    open: int
    mine: int


@dataclass(frozen=True)
class Reason:
    """Why a grade is what it is: a sentence, and characters of the text from ``start`` to ``end``."""

    sentence: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class LeasedDocument:
    """A document to judge, whose it is until a time (seconds since 1970)."""

    topic: str
    document: str
    lease: str
    until: float


@dataclass(frozen=True)
class Near:
    """A document much like another one, and what whoever asks graded it."""

    document: str
    grade: float | None


@dataclass(frozen=True)
class Judged:
    """A judgment of whoever asks."""

    event: str
    topic: str
    document: str
    title: str
    grade: float | None
    note: str
    reason: Reason | None
    time: float
    changed: bool


@dataclass(frozen=True)
class Skipped:
    """A document that whoever asks has skipped, or flagged."""

    topic: str
    document: str
    title: str
    kind: Literal["skipped", "flagged"]
    why: str
    time: float


@dataclass(frozen=True)
class Hit:
    """A document found by search. ``mine`` is what whoever asks graded it; ``event`` that judgment."""

    document: str
    title: str
    snippet: str
    judged: bool
    mine: float | None
    event: str | None


@dataclass(frozen=True)
class Listed:
    """A document of a list: its text, and what whoever asks graded it."""

    rank: int
    document: str
    title: str
    text: str
    judged: bool
    mine: float | None
    event: str | None


@dataclass(frozen=True)
class RunBar:
    """What is certain of a run (base), what is open (residual), and whether it can still win."""

    run: str
    base: float
    residual: float
    top: float
    can_win: bool
    leader: bool


@dataclass(frozen=True)
class Point:
    """What was known after so many judgments: relevant documents, the mean residual of all runs."""

    judged: int
    relevant: int
    residual: float


@dataclass(frozen=True)
class Pace:
    """Judgments in the last hour, and the median of the seconds that one took."""

    last_hour: int
    seconds: float | None


@dataclass(frozen=True)
class Person:
    """Somebody, and what they have done: their own topics, and whether they share in those that are nobody's own."""

    name: str
    role: Role
    program: bool
    active: bool
    entered: bool
    topics: list[str]
    shared: bool
    judged: int
    held: int
    seconds: float | None
    last: float | None


@dataclass(frozen=True)
class Agreement:
    """How far judgments of the same documents agree: of how many, kappa where it is two people, alpha of any."""

    documents: int
    share: float | None
    kappa: float | None
    alpha: float | None


@dataclass(frozen=True)
class GradeGiven:
    """Who gave a document which grade."""

    assessor: str
    grade: float | None
    note: str
    reason: Reason | None
    program: bool


@dataclass(frozen=True)
class Disagreement:
    """A document that was graded differently; once ``is_settled``, ``settled`` is its grade, null if it has none."""

    topic: str
    document: str
    title: str
    grades: list[GradeGiven]
    settled: float | None
    is_settled: bool


@dataclass(frozen=True)
class Assigned:
    """A topic, whose it is (nobody's: everybody's), and how far it is."""

    topic: str
    title: str
    owners: list[str]
    judged: int
    open: int


@dataclass(frozen=True)
class Settings:
    """By what documents are chosen, and when it is enough."""

    method: str
    measure: str
    budget: int | None
    stop: list[str]
    per_document: int


@dataclass(frozen=True)
class Flag:
    """A document that somebody flagged for the organiser."""

    topic: str
    document: str
    title: str
    who: str
    why: str
    time: float


# What is sent.


@dataclass(frozen=True)
class Nothing:
    """Nothing is sent."""


@dataclass(frozen=True)
class Enter:
    """The secret of a one-time link."""

    link: str


@dataclass(frozen=True)
class NextAsked:
    """How many documents to have at hand, of one topic or of any."""

    n: int = 1
    topic: str | None = None
    key: str | None = None


@dataclass(frozen=True)
class OfDocument:
    """A document of a topic."""

    topic: str
    document: str


@dataclass(frozen=True)
class Judge:
    """A judgment; no grade: the document cannot be judged. ``by`` says how the grade was given."""

    key: str
    topic: str
    document: str
    grade: float | None
    reason: Reason | None = None
    note: str = ""
    seconds: float | None = None
    by: By = "click"


@dataclass(frozen=True)
class Keyed:
    """An action that needs no more than its key."""

    key: str


@dataclass(frozen=True)
class Undo:
    """The judgment to take back: by its event, or by the key under which it was sent; without either, the last one."""

    key: str
    event: str | None = None
    of: str | None = None


@dataclass(frozen=True)
class Why:
    """A document, and why it is skipped or flagged."""

    key: str
    topic: str
    document: str
    why: str = ""


@dataclass(frozen=True)
class Amend:
    """Another grade for a judgment of one's own; a note or reason that is null stays as it is, an empty one goes."""

    key: str
    event: str
    grade: float | None
    note: str | None = None
    reason: Reason | None = None


@dataclass(frozen=True)
class Retract:
    """A judgment of one's own that is to count no longer."""

    key: str
    event: str


@dataclass(frozen=True)
class OfTopic:
    """A topic, or all."""

    topic: str | None = None


@dataclass(frozen=True)
class SearchAsked:
    """Words to look for; grades shown are those of a topic."""

    q: str
    topic: str


@dataclass(frozen=True)
class Take:
    """A document, found by search or seen in a list, that whoever asks wants to judge."""

    key: str
    topic: str
    document: str


@dataclass(frozen=True)
class FirstAsked:
    """A run's list for a topic; without a run, the one that is best so far."""

    topic: str
    run: str | None = None


@dataclass(frozen=True)
class PairAsked:
    """A topic whose lists are shown side by side; without one, the next."""

    topic: str | None = None


@dataclass(frozen=True)
class Prefer:
    """Which of the two lists of a pair is better."""

    key: str
    topic: str
    left: str
    right: str
    better: Literal["left", "right", "same"]
    note: str = ""


@dataclass(frozen=True)
class Adjudicate:
    """The grade that settles what others graded differently; none: the document cannot be judged."""

    key: str
    topic: str
    document: str
    grade: float | None
    note: str = ""


@dataclass(frozen=True)
class PersonAsked:
    """Somebody new; or a new link for somebody who is known. Topics: those alone are theirs."""

    key: str
    name: str
    role: Role
    topics: list[str] | None = None


@dataclass(frozen=True)
class Named:
    """Somebody."""

    key: str
    name: str


@dataclass(frozen=True)
class Hand:
    """The topics and open documents of somebody become somebody else's."""

    key: str
    from_: str
    to: str


@dataclass(frozen=True)
class Change:
    """What is to be otherwise from now on; a budget of 0 is none; ``stop`` are names of rules."""

    key: str
    method: str | None = None
    measure: str | None = None
    budget: int | None = None
    stop: list[str] | None = None


@dataclass(frozen=True)
class ExportAsked:
    """Whether people are called by pseudonyms: 1 or 0."""

    pseudonyms: int = 0


# What is answered.


@dataclass(frozen=True)
class Entered:
    """Who has come in; browsers have a cookie from now on."""

    me: Me


@dataclass(frozen=True)
class TaskShown:
    """All that an assessor needs to know of the task. Guidelines are Markdown; no other task has the id."""

    id: str
    title: str
    scale: list[Grade]
    guidelines: str
    reason_from: float | None
    topics: list[TopicShown]
    runs: list[str]
    searchable: bool
    me: Me


@dataclass(frozen=True)
class NextDocuments:
    """Documents to judge, the first one first; how many more there are for whoever asks, at most."""

    documents: list[LeasedDocument]
    left: int


@dataclass(frozen=True)
class DocumentShown:
    """A document: fields in their order, the text, addresses of its images, words of the topic to mark.

    ``near`` are documents much like it that whoever asks has judged; ``found``: no run retrieved it;
    ``changed``: it was judged when it said something else; ``missing``: no text is at hand.
    """

    topic: str
    document: str
    title: str
    fields: dict[str, str]
    text: str
    images: list[str]
    terms: list[str]
    near: list[Near]
    digest: str
    found: bool
    changed: bool
    missing: bool


@dataclass(frozen=True)
class Done:
    """The event that was recorded (the first, of several), and how far the topic is."""

    event: str
    progress: Progress


@dataclass(frozen=True)
class Undone:
    """Which document is no longer judged, and is at hand again."""

    event: str
    topic: str
    document: str
    progress: Progress


@dataclass(frozen=True)
class History:
    """What whoever asks has judged, skipped and flagged, the last first."""

    judgments: list[Judged]
    skipped: list[Skipped]


@dataclass(frozen=True)
class Found:
    """What was found, best first."""

    hits: list[Hit]


@dataclass(frozen=True)
class FirstTen:
    """The first ten documents of a run."""

    topic: str
    run: str
    documents: list[Listed]


@dataclass(frozen=True)
class Pair:
    """Two lists side by side, each under a name that tells nothing; no lists: all pairs are compared."""

    topic: str
    left: str
    right: str
    lists: list[list[Listed]]
    remaining: int


@dataclass(frozen=True)
class StatusShown:
    """How sure the systems' scores are, and how judging goes.

    ``missed_at_most`` bounds the relevant documents among those not judged, by the audit; null where there is none.
    ``reasons`` say why it is enough, if it is, and ``lacking`` what the other rules lack. ``judged`` are documents,
    ``spent`` judgments: what a budget counts, those on lease among them. ``disputed`` are documents that were graded
    differently, ``unsettled`` those of them that nothing settles.
    """

    runs: list[RunBar]
    judged: int
    spent: int
    relevant: int
    left: int
    missed_at_most: int | None
    level: float
    pace: Pace
    curve: list[Point]
    reasons: list[str]
    lacking: list[str]
    people: list[Person]
    agreement: Agreement
    disputed: int
    unsettled: int
    assignment: list[Assigned]
    flags: list[Flag]
    settings: Settings
    sequence: int
    warnings: list[str]


@dataclass(frozen=True)
class Disputes:
    """Documents that were graded differently, by topic, those that nothing settles first."""

    disagreements: list[Disagreement]


@dataclass(frozen=True)
class LinkMade:
    """A link that is good once, for a person; or, for a program, the token that it sends as Bearer."""

    link: str
    token: str | None


@dataclass(frozen=True)
class DoneTo:
    """How many judgments or documents it concerned."""

    event: str
    count: int


@dataclass(frozen=True)
class Problem:
    """What was wrong, and what would be right."""

    problem: str


@dataclass(frozen=True)
class FileAnswered:
    """A file."""


@dataclass(frozen=True)
class Route:
    """What can be asked.

    Attributes
    ----------
    method, path
        At which address.
    roles
        Who may ask; nobody in particular where it is empty.
    asked, answered
        What is sent (as JSON, or in the address), and what is answered.
    says
        What it does.
    """

    method: Literal["GET", "POST"]
    path: str
    roles: frozenset[Role]
    asked: type
    answered: type
    says: str
    parts: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        """What it is called: the method of the desk, and OpenAPI's operation."""
        return self.path.partition("/{")[0].removeprefix("/api").strip("/").replace("/", "_").replace(".", "_")


EXPORTS: Final = (
    "qrels", "qrels-first", "qrels-majority", "qrels-adjudicated", "qrels-assessors", "judgments", "preferences",
    "spans", "pool", "log",
)  # fmt: skip
"""What can be had as a file."""

ROUTES: Final[tuple[Route, ...]] = (
    Route("POST", "/enter", frozenset(), Enter, Entered, "Come in by a link that is good once"),
    Route("POST", "/api/leave", ALL, Nothing, Nothing, "Leave: the cookie is taken back"),
    Route("GET", "/api/me", ALL, Nothing, Me, "Who asks"),
    Route("GET", "/api/task", ALL, Nothing, TaskShown, "The task: topics, scale, guidelines"),
    Route("POST", "/api/next", JUDGES, NextAsked, NextDocuments, "Have documents to judge: those at hand, then more"),
    Route("GET", "/api/document", ALL, OfDocument, DocumentShown, "A document, as it is to be judged"),
    Route("POST", "/api/judge", JUDGES, Judge, Done, "Judge a document"),
    Route("POST", "/api/undo", JUDGES, Undo, Undone, "Take a judgment back, and have the document at hand again"),
    Route("POST", "/api/skip", JUDGES, Why, Done, "Leave a document to others, or for later"),
    Route("POST", "/api/flag", JUDGES, Why, Done, "Show a document to the organiser"),
    Route("POST", "/api/amend", JUDGES, Amend, Done, "Change a judgment of one's own"),
    Route("POST", "/api/retract", JUDGES, Retract, Done, "Take a judgment of one's own back"),
    Route("POST", "/api/release", JUDGES, Keyed, DoneTo, "Give all documents at hand back"),
    Route("GET", "/api/history", JUDGES, OfTopic, History, "What one has judged, skipped and flagged"),
    Route("GET", "/api/search", JUDGES, SearchAsked, Found, "Search the documents"),
    Route("POST", "/api/take", JUDGES, Take, NextDocuments, "Take a document that was found, to judge it"),
    Route("GET", "/api/first", JUDGES, FirstAsked, FirstTen, "A run's first ten documents"),
    Route("GET", "/api/pair", JUDGES, PairAsked, Pair, "Two lists side by side, of which one does not see whose"),
    Route("POST", "/api/prefer", JUDGES, Prefer, Done, "Say which of two lists is better"),
    Route("GET", "/api/image", ALL, OfDocument, FileAnswered, "An image of a document", ("number",)),
    Route("GET", "/api/changes", ALL, Nothing, FileAnswered, "Server-sent events: that something has changed"),
    Route("GET", "/api/status", READERS, Nothing, StatusShown, "How sure the scores are, and how judging goes"),
    Route("GET", "/api/disputes", READERS, OfTopic, Disputes, "Documents that were graded differently"),
    Route("POST", "/api/adjudicate", ORGANISER, Adjudicate, Done, "Settle what others graded differently"),
    Route("POST", "/api/people", ORGANISER, PersonAsked, LinkMade, "Add somebody, or make a new link for them"),
    Route("POST", "/api/people/revoke", ORGANISER, Named, DoneTo, "Let somebody in no longer"),
    Route("POST", "/api/people/out", ORGANISER, Named, DoneTo, "Take all judgments of somebody out"),
    Route("POST", "/api/people/hand", ORGANISER, Hand, DoneTo, "Hand topics and open documents on"),
    Route("POST", "/api/change", ORGANISER, Change, DoneTo, "Change method, measure, budget or stop rules"),
    Route("GET", "/api/export/{what}", READERS, ExportAsked, FileAnswered, "A file of what was judged", ("what",)),
    Route("GET", "/openapi.json", ALL, Nothing, FileAnswered, "This table, as OpenAPI"),
)
"""All of it; a role that a route does not name is refused."""


_TEXT: Final = {"schema": {"type": "string"}}


def openapi(title: str) -> dict[str, Any]:
    """Return the description of all routes as OpenAPI 3.1.

    >>> openapi("Wings")["paths"]["/api/judge"]["post"]["operationId"]
    'judge'
    """
    shapes = {each.__name__: each for route in ROUTES for of in (route.asked, route.answered) for each in shapes_in(of)}
    shapes[Problem.__name__] = Problem
    paths: dict[str, Any] = {}
    for route in ROUTES:
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
    if route.answered is not FileAnswered:
        answer["content"] = _json(route.answered)  # type: ignore[assignment]
    said: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.says,
        "responses": {"200": answer, "default": {"description": "A problem", "content": _json(Problem)}},
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
            {"name": name, "in": "path" if f"{{{name}}}" in route.path else "query", "required": True} | _TEXT
            for name in route.parts
        ),
    ]
    return said


def _json(shape: type) -> dict[str, Any]:
    return {"application/json": {"schema": schema(shape)}}

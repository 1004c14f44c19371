"""What happens while people judge, as events: each has an id and a time that the caller gives, and is never changed."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from functools import partial
from types import UnionType
from typing import Any, ClassVar, Final, TypeAlias, TypeGuard, TypeVar, cast

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import NO_TEXT
from cranfield.plumbing.options import Count, checked, shown
from cranfield.selection.records.arrangement import Arrangement

RECORDS_SCHEMA: Final = "cranfield.records/2"
"""What each line of a log says it is."""
READ: Final = ("cranfield.records/1", RECORDS_SCHEMA)
"""What lines may say: the first version had no events but those of judgments and leases."""
_BEYOND: Final = 2**53  # From here on, whole numbers are no longer told apart

Lists: TypeAlias = Mapping[str, Sequence[str]] | Sequence[tuple[str, Sequence[str]]]
"""By topic the documents of a run, the best first."""

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Rationale:
    """Why a judgment is what it is: a sentence, and the characters of the document from ``start`` to ``end``.

    >>> Rationale("says what a boundary layer is", 17, 51).start
    17
    """

    sentence: str
    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        _text(self, "sentence", empty=True)
        span = self.start, self.end
        if any(each is not None for each in span) and not (
            _is_place(self.start) and _is_place(self.end) and self.start <= self.end
        ):
            raise InputError(f"a rationale has a start and an end, 0 ≤ start ≤ end, or neither, not {shown(span)}")


@dataclass(frozen=True)
class Event:
    """What all events have.

    Attributes
    ----------
    id
        Its name, unlike that of any other event of any log.
    time
        When it happened: a number that rises, such as seconds since 1970.
    """

    kind: ClassVar[str] = ""
    id: str
    time: float

    def __post_init__(self) -> None:
        for name in vars(self):
            if look := _CHECKS.get(name):
                look(self, name)

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the events that it is about."""
        named = _NAMES_ANOTHER.get(self.kind)
        return (getattr(self, named),) if named else ()

    def to_line(self) -> str:
        """Return the event as one line of JSON, without its end.

        >>> Retracted("e2", 20, "e1").to_line()
        '{"schema": "cranfield.records/2", "event": "retracted", "id": "e2", "time": 20, "judgment": "e1"}'
        """
        said = {field.name: plain(getattr(self, field.name)) for field in fields(self)}
        return json.dumps({"schema": RECORDS_SCHEMA, "event": self.kind} | said, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class Assessed(Event):
    """Somebody judged a document.

    Attributes
    ----------
    topic, document, assessor
        Who judged what. Any document may be judged, whether or not a run retrieved it.
    grade
        Any number; below 0 is judged and not relevant. None: the document cannot be judged.
    method, weight
        Which method chose the document, and what it weighed; None where nothing chose it.
    note, rationale
        What the assessor said about it, and why the grade is what it is.
    settles
        Whether it was made to settle what others judged differently (see the policy ``"adjudicated"``).
    """

    kind: ClassVar[str] = "assessed"
    topic: str
    document: str
    grade: float | None
    assessor: str
    method: str | None = None
    weight: float | None = None
    note: str = ""
    rationale: Rationale | None = None
    settles: bool = False


@dataclass(frozen=True)
class Amended(Event):
    """The judgment with this id now has another grade and note. Of several amendments the last one counts."""

    kind: ClassVar[str] = "amended"
    judgment: str
    grade: float | None
    note: str = ""


@dataclass(frozen=True)
class Retracted(Event):
    """The event with this id no longer counts: a judgment, what was amended, found, added or changed, a retraction."""

    kind: ClassVar[str] = "retracted"
    judgment: str


@dataclass(frozen=True)
class Leased(Event):
    """These documents, pairs of topic and document, are the assessor's to judge until a time.

    Attributes
    ----------
    assessor, documents, until
        Who has what, and how long.
    method
        Which method chose the documents.
    weights
        What each of them weighed then; None where it was not the method that chose it.
    blind
        Whether they are in an order that was drawn (`Arrangement.blind`).
    """

    kind: ClassVar[str] = "leased"
    assessor: str
    documents: tuple[tuple[str, str], ...]
    until: float
    method: str | None = None
    weights: tuple[float | None, ...] | None = None
    blind: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.until < self.time:
            raise InputError(f"a lease ends after it begins, at {self.time:g}, not at {self.until:g}")
        if not isinstance(self.documents, list | tuple) or not all(_is_pair(each) for each in self.documents):
            raise InputError(f"documents of a lease are pairs of topic and document, not {shown(self.documents)}")
        object.__setattr__(self, "documents", tuple((topic, document) for topic, document in self.documents))
        if not self.documents or len(set(self.documents)) < len(self.documents):
            raise InputError(f"a lease has documents, no one twice, not {shown(self.documents)}")
        if self.weights is None:
            return
        if not isinstance(self.weights, list | tuple) or len(self.weights) != len(self.documents):
            raise InputError(f"a lease has one weight per document, not {shown(self.weights)}")
        weights = tuple(None if each is None else plain_number("a weight of a lease", each) for each in self.weights)
        object.__setattr__(self, "weights", weights)


@dataclass(frozen=True)
class Released(Event):
    """The assessor gives back what is not judged of a lease."""

    kind: ClassVar[str] = "released"
    lease: str


@dataclass(frozen=True)
class Expired(Event):
    """These leases ended because their time was over."""

    kind: ClassVar[str] = "expired"
    leases: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.leases, list | tuple) or not all(_is_text(each) for each in self.leases):
            raise InputError(f"leases that expired are a list of their ids, not {shown(self.leases)}")
        object.__setattr__(self, "leases", tuple(self.leases))

    @property
    def names(self) -> tuple[str, ...]:
        """The leases."""
        return self.leases


@dataclass(frozen=True)
class Found(Event):
    """Somebody found a document that is to be judged, by a search rather than by a method.

    It is leased before what the session chooses, and marked in `Records.judgments`. It was not drawn:
    no estimate may count it as part of a sample (see `Records`).
    """

    kind: ClassVar[str] = "found"
    topic: str
    document: str
    assessor: str
    query: str = ""


@dataclass(frozen=True)
class Added(Event):
    """A run joins late: its documents can be judged from now on, and count for it.

    Attributes
    ----------
    run
        What it is called; no other run is called so.
    lists
        By topic its documents, the best first: ``{topic: documents}``, or pairs of these.
    """

    kind: ClassVar[str] = "added"
    run: str
    lists: Lists

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = [*self.lists.items()] if isinstance(self.lists, Mapping) else self.lists
        if not isinstance(given, list | tuple) or not all(_is_ranked(each) for each in given):
            raise InputError(f"lists of run {self.run!r} are topics, each with its documents, not {shown(given)}")
        lists = tuple(sorted((topic, tuple(documents)) for topic, documents in given))
        if len({topic for topic, _ in lists}) < len(lists):
            raise InputError(f"lists of run {self.run!r} have a topic twice")
        for topic, documents in lists:
            if len({*documents}) < len(documents):
                raise InputError(f"run {self.run!r} has a document of topic {topic!r} twice")
        object.__setattr__(self, "lists", lists)

    @property
    def by_topic(self) -> dict[str, tuple[str, ...]]:
        """The documents of each topic."""
        return dict(cast("tuple[tuple[str, tuple[str, ...]], ...]", self.lists))


@dataclass(frozen=True)
class Changed(Event):
    """From now on the session goes on otherwise; what is None stays as it is. The last change of each thing counts.

    Attributes
    ----------
    method, measure
        By which the session chooses: names as `Judging` takes them.
    top_grade
        The largest grade of the scale.
    budget
        How many judgments are made in all, those on lease among them.
    arrangement
        How the work is shared out.
    """

    kind: ClassVar[str] = "changed"
    method: str | None = None
    measure: str | None = None
    top_grade: float | None = None
    budget: int | None = None
    arrangement: Arrangement | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.top_grade is not None and self.top_grade <= 0:
            raise InputError(f"top_grade of an event 'changed' must be above 0, not {self.top_grade:g}")
        checked("budget of an event 'changed'", self.budget, Count | None)
        if self.changes == {}:
            raise InputError("an event 'changed' changes something: method, measure, top_grade, budget or arrangement")

    @property
    def changes(self) -> dict[str, Any]:
        """What is changed, by name."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in given.items() if name not in {"id", "time"} and value is not None}


EVENT_KINDS: Final[dict[str, type[Event]]] = {
    kind.kind: kind for kind in (Assessed, Amended, Retracted, Leased, Released, Expired, Found, Added, Changed)
}
"""All events, by the word that a line has for them."""


def event_of(line: str | bytes) -> Event:
    """Read one line of a log."""
    try:
        said = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"an event is one line of JSON ({error.msg})") from None
    except (UnicodeDecodeError, RecursionError, ValueError):
        raise InputError("an event is one line of JSON in UTF-8") from None
    if not isinstance(said, dict) or said.get("schema") not in READ:
        raise InputError(f'an event is an object of JSON with "schema": "{RECORDS_SCHEMA}", or an earlier version')
    kind = said.get("event")
    if not isinstance(kind, str) or kind not in EVENT_KINDS:
        raise InputError(f"unknown event {shown(kind)}; known are {', '.join(EVENT_KINDS)}")
    given = {name: value for name, value in said.items() if name not in {"schema", "event"}}
    for name, part in _PARTS.items():
        if isinstance(value := given.get(name), Mapping):
            given[name] = _made(part, value)
    return _made(EVENT_KINDS[kind], given)


_PARTS: Final[dict[str, type]] = {"rationale": Rationale, "arrangement": Arrangement}
"""Parts of an event that are objects of their own."""


def in_order(events: Iterable[Event]) -> list[Event]:
    """Return events in the order of time, then id. What is about another event comes after it.

    Where clocks disagree, an event counts as no earlier than those that it is about.

    >>> [event.id for event in in_order([Retracted("a", 5, "j"), Assessed("j", 6, "1", "d", 1, "Ann")])]
    ['j', 'a']
    """
    events = events_in(events)
    by_id = {event.id: event for event in events}
    key: dict[str, tuple[float, int, str]] = {}
    for event in events:
        path = [event]
        while path:
            top = path[-1]
            about = [by_id[name] for name in top.names if name in by_id]
            if waiting := [each for each in about if each.id not in key]:
                if any(each is waiting[0] for each in path):
                    raise InputError(f"events {waiting[0].id!r} and {top.id!r} are each about the other")
                path.append(waiting[0])
                continue
            keys = [key[each.id] for each in about]
            time = max([top.time, *(before for before, _, _ in keys)])
            key[top.id] = time, 1 + max((depth for _, depth, _ in keys), default=-1), top.id
            path.pop()
    return sorted(events, key=lambda event: key[event.id])


def events_in(given: object) -> list[Event]:
    """Return the events of a log or a list, and refuse anything else."""
    events: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
    if wrong := [each for each in events if not isinstance(each, Event)]:
        raise InputError(f"events are those of a Log, or a list of them; {shown(wrong[0])} is none")
    return events


def merge(*logs: Iterable[Event]) -> list[Event]:
    """Merge the logs of several tasks or offices: each event once, in the order of time, then id.

    Neither the order of the logs nor merging one of them twice makes a difference.

    Raises
    ------
    InputError
        If two different events have the same id; it names them.

    >>> here, there = Assessed("h1", 2, "1", "d", 1, "Ann"), Assessed("t1", 1, "1", "d", 0, "Ben")
    >>> [event.id for event in merge([here], [there], [here])]
    ['t1', 'h1']
    >>> merge([here], [Assessed("h1", 2, "1", "d", 0, "Ann")])
    Traceback (most recent call last):
    ...
    cranfield.InputError: the logs have different events of the same id: 'h1'; ids must differ between tasks
    """
    found: dict[str, Event] = {}
    conflicts: set[str] = set()
    for event in (event for log in logs for event in events_in(log)):
        if found.setdefault(event.id, event) != event:
            conflicts.add(event.id)
    if conflicts:
        ids = ", ".join(map(repr, sorted(conflicts)[:5])) + (", ..." if len(conflicts) > 5 else "")
        raise InputError(f"the logs have different events of the same id: {ids}; ids must differ between tasks")
    return in_order(found.values())


def _made(kind: type[_Made], given: Mapping[str, Any]) -> _Made:
    declared = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    lacking = [name for name, each in declared.items() if each.default is MISSING and name not in given]
    if lacking or (unknown := given.keys() - declared.keys()):
        wrong = f"lacks {lacking[0]!r}" if lacking else f"has no field {min(unknown)!r}"
        raise InputError(f"{kind.__name__} {wrong}; its fields are {', '.join(declared)}")
    return kind(**given)


def plain(value: object) -> object:
    """Return a part of an event as JSON has it."""
    return asdict(value) if isinstance(value, Rationale | Arrangement) else value


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != "" and (value.isascii() or not NO_TEXT.search(value))


def _is_place(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_pair(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(_is_text(part) for part in value)


def _is_ranked(value: object) -> bool:
    """Tell whether it is a topic with its documents."""
    if not isinstance(value, list | tuple) or len(value) != 2 or not _is_text(value[0]):
        return False
    return isinstance(value[1], list | tuple) and all(_is_text(each) for each in value[1])


def _text(event: object, name: str, *, empty: bool = False, none: bool = False) -> None:
    value = getattr(event, name)
    if not (_is_text(value) or (none and value is None) or (empty and isinstance(value, str) and not value)):
        raise InputError(f"{name} of {_called(event)} must be text that can be written, not {shown(value)}")


def _number(event: object, name: str, *, none: bool = False) -> None:
    value = getattr(event, name)
    if value is not None or not none:
        object.__setattr__(event, name, plain_number(f"{name} of {_called(event)}", value))


def _is(event: object, name: str, *, kind: type | UnionType, must: str) -> None:
    value = getattr(event, name)
    if not isinstance(value, kind):
        raise InputError(f"{name} {must}, not {shown(value)}")


_CHECKS: Final[Mapping[str, Callable[[object, str], None]]] = {
    **dict.fromkeys(("id", "topic", "document", "assessor", "judgment", "lease", "run"), _text),
    **dict.fromkeys(("note", "query"), partial(_text, empty=True)),
    **dict.fromkeys(("method", "measure"), partial(_text, none=True)),
    **dict.fromkeys(("time", "until"), _number),
    **dict.fromkeys(("grade", "weight", "top_grade"), partial(_number, none=True)),
    "rationale": partial(_is, kind=Rationale | None, must="of a judgment must be a Rationale or None"),
    "settles": partial(_is, kind=bool, must="of a judgment must be True or False"),
    "blind": partial(_is, kind=bool, must="of a lease must be True or False"),
    "arrangement": partial(_is, kind=Arrangement | None, must="of a change must be an Arrangement or None"),
}
"""What a field of this name must be, in whatever event; each kind looks at the others itself."""

_NAMES_ANOTHER: Final = {"amended": "judgment", "retracted": "judgment", "released": "lease"}
"""Which field names the event that an event is about."""


def plain_number(what: str, value: object) -> float:
    """Check a number, and return a whole one as such: 1.0 and 1 are written in the same way."""
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, numbers.Real) else float(value)
    except OverflowError:
        number = math.inf
    if not abs(number) < _BEYOND:
        raise InputError(f"{what} must be a number between -2**53 and 2**53, not {shown(value)}")
    return int(number) if number.is_integer() else number


def _called(event: object) -> str:
    return f"an event {event.kind!r}" if isinstance(event, Event) else "a rationale"

"""What happens at a desk besides judging and leasing, as events: the same log holds them, and a replay needs both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar, Final

from cranfield.app.judging.answers import By, Reason, Role
from cranfield.app.judging.shapes import JsonShape
from cranfield.app.judging.shapes import read as shaped
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.selection.records.events import READ as RECORDS
from cranfield.selection.records.events import RECORDS_SCHEMA, Event, event_of
from cranfield.selection.records.log import ACTS

ACT_KINDS: Final[dict[str, type[Act]]] = {}  # All acts, by the word that a line has for them


class Act(JsonShape):
    """What all acts have: a name unlike any other's, and the time (seconds since 1970)."""

    kind: ClassVar[str] = ""
    id: str
    time: float

    def __init_subclass__(cls, kind: str) -> None:
        super().__init_subclass__()
        cls.kind = kind
        ACT_KINDS[kind] = cls

    def to_line(self) -> str:
        """Return the act as one line of JSON."""
        return json.dumps({"schema": ACTS, "event": self.kind} | asdict(self), ensure_ascii=False, allow_nan=False)


class PersonJoined(Act, kind="joined"):
    """Somebody takes part, in a role, with topics of their own. The last one of a name counts."""

    name: str
    role: Role
    topics: list[str]
    shared: bool | None = None  # whether they judge those, too, that are nobody's own; None: if they have none


class Revoked(Act, kind="revoked"):
    """Somebody is let in no longer: all their links and sessions end."""

    name: str


class JudgmentSeen(Act, kind="seen"):
    """How a judgment was made: seconds before the document, key or click, what the document said (its digest)."""

    judgment: str
    seconds: float | None
    by: By
    digest: str
    program: bool


class Reasoned(Act, kind="reasoned"):
    """The judgment with this id now has another reason."""

    judgment: str
    reason: Reason | None


class Skipped(Act, kind="skipped"):
    """Somebody leaves a document to others, or for later."""

    topic: str
    document: str
    who: str
    why: str


class Flagged(Act, kind="flagged"):
    """Somebody shows a document to the organiser."""

    topic: str
    document: str
    who: str
    why: str


class Preferred(Act, kind="preferred"):
    """Somebody compared the lists of two runs: the better one's name, or none where they are the same."""

    topic: str
    left: str
    right: str
    better: str | None
    who: str
    note: str


class Settled(Act, kind="settled"):
    """From now on documents are chosen by this method and measure; the budget in judgments; when it is enough."""

    method: str
    measure: str
    budget: int | None
    stop: list[str]


def read(line: str) -> Event | Act:
    """Read a line of a task's log; another schema is refused."""
    try:
        said: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("an event is one line of JSON") from None
    schema = said.get("schema") if isinstance(said, Mapping) else None
    if schema in RECORDS:
        return event_of(line)
    if schema != ACTS:
        raise InputError(f'an event is an object of JSON with "schema": "{RECORDS_SCHEMA}" or "{ACTS}"')
    kind = said.get("event")
    if not isinstance(kind, str) or kind not in ACT_KINDS:
        raise InputError(f"unknown event {shown(kind)}; known are {', '.join(ACT_KINDS)}")
    return shaped(ACT_KINDS[kind], {name: value for name, value in said.items() if name not in {"schema", "event"}})

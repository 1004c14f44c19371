"""A task is begun, in a folder that needs nothing else from then on, and opened: its desk, its door, all let in."""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import Any, Final, Self

from cranfield.app.judging.acts import Act, PersonJoined, read
from cranfield.app.judging.desk import Desk, fixed_in
from cranfield.app.judging.door import SECRET, Door
from cranfield.app.judging.organising import people
from cranfield.app.judging.reading import digest
from cranfield.app.judging.routes import Office
from cranfield.app.judging.store import Image, KeptText, Store
from cranfield.app.judging.task import Task, packed, scale_of, topics_of
from cranfield.app.judging.task_board import Person
from cranfield.formats.documents import DOCUMENT_COLUMNS, TITLES, Documents, read_documents
from cranfield.formats.folders import require_within
from cranfield.formats.loading import Loaded, load
from cranfield.formats.topic_files import Topic
from cranfield.formats.writing import new_folder
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.tables import DOCUMENT
from cranfield.selection.candidates import Candidates
from cranfield.selection.records import Added, Event, Records
from cranfield.selection.records.arrangement import Arrangement
from cranfield.selection.records.events import Changed
from cranfield.selection.stop_rules import rule_named

USUAL_ORGANISER: Final = "organiser"
IMAGES: Final = ("image", "images")
"""What fields are called that hold images: data, or the names of files next to the documents."""
LARGEST_IMAGE: Final = 5_000_000
_DATA: Final = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,(.*)", re.DOTALL)
_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_BEGINS: Final = {
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "jpeg": re.compile(rb"\xff\xd8\xff"),
    "gif": re.compile(rb"GIF8[79]a"),
    "webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
_OWN: Final = frozenset(name for names in (*DOCUMENT_COLUMNS.values(), *TITLES.values()) for name in names)


def fresh() -> str:
    """Return a name for an event, unlike that of any event of any task."""
    return token_hex(12)


def opened(folder: str | Path, address: str = "", *, writing: bool = True) -> Office:
    """Open a task."""
    with ExitStack() as undone:
        desk = Desk(undone.enter_context(Store(folder, writing=writing)), time.time, fresh)
        office = Office(desk, Door(desk), address)
        undone.pop_all()
    return office


@dataclass(frozen=True)
class TaskSoFar:
    """What a task's log says, read without its session: much faster, and also while the task is served."""

    task: Task
    records: Records
    runs: frozenset[str]  # those that joined late among them
    people: frozenset[str]  # all who ever took part

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a task."""
        with Store(folder, writing=False) as store:
            task, candidates = fixed_in(store)
            log = [*map(read, store.lines())]
        late = (each.run for each in log if isinstance(each, Added))
        people = frozenset(each.name for each in log if isinstance(each, PersonJoined))
        events = [each for each in log if isinstance(each, Event)]
        records = Records(events, policy=task.policy, per_document=task.per_document)
        return cls(task, records, frozenset((*candidates.runs, *late)), people)


def begun(
    folder: Path,
    candidates: Candidates,
    about: Mapping[str, Topic],
    documents: Iterable[tuple[KeptText, list[Image]]],
    *,
    scale: str,
    organiser: str,
    assessors: Iterable[str],
    **fixed: Any,
) -> Office:
    """Make a task in a new or empty folder, let everybody in, and open it."""
    for rule in fixed["stop"]:
        rule_named(rule)
    task = Task(id=fresh(), scale=scale_of(scale), topics=topics_of(candidates, about), **fixed)
    with new_folder(folder, now=True, mode=0o700) as aside:
        make(aside, task, candidates, documents, fresh=fresh(), now=time.time(), organiser=organiser)
        with closing(opened(aside).desk) as desk:
            let_in(desk, organiser, assessors)
    return opened(folder)


def let_in(desk: Desk, organiser: str, assessors: Iterable[str]) -> None:
    """Let assessors in who are not in yet; who was locked out stays so."""
    first = Person(organiser, "organiser")
    for name in assessors:
        if name not in desk.board.people:
            key = fresh()
            asked = {"key": key, "name": name, "role": "assessor", "topics": None}
            desk.act(organiser, key, ("people", asked), partial(people, desk, first, name=name, role="assessor"))


def make(
    folder: str | Path,
    task: Task,
    candidates: Candidates,
    documents: Iterable[tuple[KeptText, list[Image]]] = (),
    *,
    fresh: str,
    now: float,
    organiser: str = USUAL_ORGANISER,
) -> None:
    """Make a task in a folder, which must be new or empty."""
    task.judging(candidates)  # which refuses what cannot be
    with Store.create(folder, {"runs": packed(candidates), SECRET: token_bytes(32)}) as store:
        store.put_documents(documents)
        first: list[Event | Act] = [PersonJoined(fresh, now, organiser, "organiser", [])]
        if task.twice:
            first.append(Changed(f"{fresh}-twice", now, arrangement=Arrangement(twice=task.twice, seed=task.seed)))
        store.commit([(each.id, each.to_line()) for each in first])
        store.put_facts({"task": task.to_bytes()})  # last: without it, the task is not made to its end


def texts_of(documents: Documents | Mapping[str, Any]) -> Iterator[tuple[KeptText, list[Image]]]:
    """Go through documents as they are kept."""
    for name, document in documents.items():
        yield _kept(name, document.title, document.text, {}), []


def texts_in(path: str | Path) -> Iterator[tuple[KeptText, list[Image]]]:
    """Go through the documents of a file or folder as they are kept: with other fields, in JSON lines, and images."""
    held = None if Path(path).is_dir() else load(path)
    documents = read_documents(held or path)
    others = {} if held is None else _records(held)
    beside = Path(path).parent
    for name, document in documents.items():
        record = others.get(name, {})
        held_there = [record[key] for key in IMAGES if record.get(key)]
        given = [each for value in held_there for each in (value if isinstance(value, list) else [value])]
        images = [_image(value, beside, name) for value in given]
        fields = {
            key: _written(value) for key, value in record.items() if key not in IMAGES and value not in (None, "")
        }
        yield _kept(name, document.title, document.text, fields), images


def _kept(name: str, title: str, text: str, fields: dict[str, str]) -> KeptText:
    title, text = storable(title), storable(text)
    return KeptText(name, title, text, fields, digest(title, text, fields))


def _records(held: Loaded) -> dict[str, dict[str, Any]]:
    """Return what JSON lines hold besides id, title and text, by id; nothing for files of other kinds."""
    if held.is_parquet or not held.text.lstrip().startswith("{"):
        return {}
    found = {}
    for _, said in held.objects(texts=True):
        name = next(str(said[key]) for key in DOCUMENT_COLUMNS[DOCUMENT] if key in said)
        if others := {key: value for key, value in said.items() if key not in _OWN}:
            found[name] = others
    return found


def _written(value: Any) -> str:
    """Return a field as people read it."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return storable(", ".join(value))
    return storable(json.dumps(value, ensure_ascii=False))


def _image(value: Any, beside: Path, name: str) -> Image:
    """Return an image that a field holds, or a file next to the documents; its first bytes say of which kind it is."""
    if not isinstance(value, str):
        raise InputError(f"an image of document {name!r} is not a text")
    written = _DATA.fullmatch(value)
    try:
        data = base64.b64decode(written[1], validate=True) if written else _in_file(value, beside, name)
    except binascii.Error:
        raise InputError(f"an image of document {name!r} is not base64") from None
    if len(data) > LARGEST_IMAGE:
        raise InputError(f"an image of document {name!r} has more than {LARGEST_IMAGE:,} bytes")
    kind = next((kind for kind, begins in _BEGINS.items() if begins.match(data)), None)
    if kind is None:
        raise InputError(f"an image of document {name!r} is not an image: it is neither PNG, JPEG, GIF nor WebP")
    return Image(kind, data)


def _in_file(value: str, beside: Path, name: str) -> bytes:
    """Read a file that really lies next to the documents."""
    file = beside / value
    if file.suffix.casefold() not in _SUFFIXES or ".." in Path(value).parts or Path(value).is_absolute():
        raise InputError(
            f"an image of document {name!r} is data:image/...;base64, or a file {', '.join(_SUFFIXES)} next to "
            f"the documents, not {value:.60}"
        )
    try:
        require_within(file, beside)
        if file.exists() and not file.is_file():
            raise InputError(f"an image of document {name!r} is not a file", source=value)
        with file.open("rb") as held:
            return held.read(LARGEST_IMAGE + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        problem = f"an image of document {name!r} cannot be read ({getattr(error, 'strerror', error)})"
        raise InputError(problem, source=value) from None

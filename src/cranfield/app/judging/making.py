"""A new task: runs, topics and texts are gathered into its folder, which needs nothing else from then on."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from cranfield.app.judging.acts import Act, PersonJoined
from cranfield.app.judging.people import Door
from cranfield.app.judging.reading import digest
from cranfield.app.judging.store import Image, KeptText, Store
from cranfield.app.judging.task import Task, packed
from cranfield.formats.documents import COLUMNS, TITLES, Documents, read_documents
from cranfield.formats.folders import require_within
from cranfield.formats.loading import Loaded, load
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.tables import DOCUMENT
from cranfield.selection.candidates import Candidates
from cranfield.selection.records.arrangement import Arrangement
from cranfield.selection.records.events import Changed, Event

ORGANISER: Final = "organiser"
"""What the first organiser is called, if nobody says otherwise."""
IMAGES: Final = ("image", "images")
"""What fields are called that hold images: data, or the names of files beside the documents."""
LARGEST: Final = 5_000_000
"""How many bytes an image may have."""
_DATA: Final = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,(.*)", re.DOTALL)
_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_BEGINS: Final = {
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "jpeg": re.compile(rb"\xff\xd8\xff"),
    "gif": re.compile(rb"GIF8[79]a"),
    "webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
_OWN: Final = frozenset(name for names in (*COLUMNS.values(), *TITLES.values()) for name in names)


def make(
    folder: str | Path,
    task: Task,
    candidates: Candidates,
    documents: Iterable[tuple[KeptText, list[Image]]] = (),
    *,
    fresh: str,
    now: float,
    organiser: str = ORGANISER,
) -> None:
    """Make a task in a folder, which must be new or empty."""
    task.judging(candidates)  # which refuses what cannot be
    with Store.create(folder, {"runs": packed(candidates)}) as store:
        Door.made(store)
        store.put_documents(documents)
        joined = PersonJoined(fresh, now, organiser, "organiser", [])
        first: list[Event | Act] = [joined]
        if task.twice:
            arrangement = Arrangement(twice=task.twice, seed=task.seed)
            first.append(Changed(f"{fresh}-twice", now, arrangement=arrangement))
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
        given = [value for key in IMAGES if key in record for value in _each(record[key])]
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
        name = next(str(said[key]) for key in COLUMNS[DOCUMENT] if key in said)
        if others := {key: value for key, value in said.items() if key not in _OWN}:
            found[name] = others
    return found


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _written(value: Any) -> str:
    """Return a field as people read it."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return storable(", ".join(value))
    return storable(json.dumps(value, ensure_ascii=False))


def _image(value: Any, beside: Path, name: str) -> Image:
    """Return an image that a field holds, or a file beside the documents; its first bytes say of which kind it is."""
    if not isinstance(value, str):
        raise InputError(f"an image of document {name!r} is no text")
    written = _DATA.fullmatch(value)
    try:
        data = base64.b64decode(written[1], validate=True) if written else _in_file(value, beside, name)
    except binascii.Error:
        raise InputError(f"an image of document {name!r} is not written in base64") from None
    if len(data) > LARGEST:
        raise InputError(f"an image of document {name!r} has more than {LARGEST:,} bytes")
    kind = next((kind for kind, begins in _BEGINS.items() if begins.match(data)), None)
    if kind is None:
        raise InputError(f"an image of document {name!r} holds none: neither PNG, JPEG, GIF nor WebP begins so")
    return Image(kind, data)


def _in_file(value: str, beside: Path, name: str) -> bytes:
    """Read a file that lies beside the documents, and does not only seem to."""
    file = beside / value
    if file.suffix.casefold() not in _SUFFIXES or ".." in Path(value).parts or Path(value).is_absolute():
        raise InputError(
            f"an image of document {name!r} is data:image/...;base64, or a file {', '.join(_SUFFIXES)} beside "
            f"the documents, not {value:.60}"
        )
    try:
        require_within(file, beside)
        if file.exists() and not file.is_file():
            raise InputError(f"an image of document {name!r} is no file", source=value)
        with file.open("rb") as held:
            return held.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        problem = f"an image of document {name!r} cannot be read ({getattr(error, 'strerror', error)})"
        raise InputError(problem, source=value) from None

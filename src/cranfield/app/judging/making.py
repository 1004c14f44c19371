"""A new task: runs, topics and texts are gathered into its folder, which needs nothing else from then on."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from cranfield.app.judging.acts import Act, Joined
from cranfield.app.judging.people import Door
from cranfield.app.judging.reading import digest
from cranfield.app.judging.store import Image, KeptText, Store
from cranfield.app.judging.task import Task, packed
from cranfield.formats.documents import COLUMNS, TITLES, Documents, read_documents
from cranfield.formats.files import read_bytes
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
_DATA: Final = re.compile(r"data:image/(png|jpeg|gif|webp);base64,(.*)", re.DOTALL)
_SUFFIXES: Final = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}
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
    """Make a task in a folder, which must be new or empty.

    Parameters
    ----------
    folder, task, candidates, documents
        Where, what, the runs' documents, and texts.
    fresh, now, organiser
        A name for the first event, its time, and who organises the task.
    """
    task.judging(candidates)  # which refuses what cannot be
    with Store.create(folder, {"runs": packed(candidates)}) as store:
        Door.made(store)
        store.put_documents(documents)
        joined = Joined(fresh, now, organiser, "organiser", [])
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
    """Go through the documents of a file or folder as they are kept: in JSON lines, with their other fields and images.

    Raises
    ------
    InputError
        If they cannot be read, or an image cannot, or is too large.
    """
    documents = read_documents(str(path))
    others = _records(Path(path)) if Path(path).is_file() else {}
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


def _records(path: Path) -> dict[str, dict[str, Any]]:
    """Return what JSON lines hold besides id, title and text, by id; nothing for files of other kinds."""
    data = read_bytes(str(path))
    if not data[:4096].lstrip().startswith(b"{"):
        return {}
    found = {}
    for line in data.splitlines():
        if line.strip():
            said = json.loads(line)
            name = next(str(said[key]) for key in COLUMNS[DOCUMENT] if key in said)
            others = {storable(key): value for key, value in said.items() if key not in _OWN}
            if others:
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
    """Return an image that a field holds, or that stands in a file beside the documents."""
    if not isinstance(value, str):
        raise InputError(f"an image of document {name!r} is no text")
    try:
        if found := _DATA.fullmatch(value):
            image = Image(found[1], base64.b64decode(found[2], validate=True))
        else:
            file = beside / value
            kind = _SUFFIXES.get(file.suffix.casefold())
            if kind is None or ".." in Path(value).parts or Path(value).is_absolute():
                raise InputError(
                    f"an image of document {name!r} is data:image/...;base64, or a file {', '.join(_SUFFIXES)} beside "
                    f"the documents, not {value:.60}"
                )
            image = Image(kind, file.read_bytes())
    except OSError as error:
        raise InputError(f"an image of document {name!r} cannot be read ({error.strerror})", source=value) from None
    except (binascii.Error, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"an image of document {name!r} is not written in base64") from None
    if len(image.data) > LARGEST:
        raise InputError(f"an image of document {name!r} has {len(image.data):,} bytes; {LARGEST:,} are the most")
    return image

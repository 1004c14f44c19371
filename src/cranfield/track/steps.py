"""What is made, what it follows from, and that nothing is made twice: a small `make` whose files carry digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, TypedDict

from cranfield.experiments.provenance import code_digest
from cranfield.formats import write_whole
from cranfield.formats.writing import all_or_nothing
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl

STATE: Final = "made.json"  # Where it is noted what was made, from what
_SCHEMA: Final = "cranfield.track/1"
Files: TypeAlias = Mapping[str, str | bytes]
"""By their paths, from the folder of the track."""


Row: TypeAlias = tuple[object, ...]
"""Of a table that is written as CSV."""


class StepNote(TypedDict):
    """What is remembered of a part: the digest of what it follows from, and those of its files."""

    digest: str
    files: dict[str, str]


@dataclass(frozen=True)
class StepPart:
    """Files that are made together, and everything that they follow from."""

    name: str  # Of the step, and of the part of it
    follows_from: Mapping[str, object]  # Digests of files, and settings: plain values
    make: Callable[[], Files]
    filled_in: bool = False
    """Whether people write into the files: what they changed is left as it is. Any other file that was changed since it
    was made is refused, and never overwritten."""

    @property
    def digest(self) -> str:
        """A digest of everything that it follows from, the code of cranfield among it."""
        return digest_of(json.dumps([self.name, self.follows_from, code_digest()], sort_keys=True).encode())


@dataclass(frozen=True)
class Done:
    """What became of a part: whether it was made anew, and which files have another content or went."""

    name: str
    anew: bool
    changed: tuple[str, ...] = ()


class Workshop:
    """The folder of a track, and a note of what was made in it.

    A part is made anew if anything that it follows from has changed, or one of its files is not what was written. All
    its files are then written, or none; one that comes out the same is not touched, and one no longer made is removed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made = _read(folder / STATE)

    def bring(self, part: StepPart) -> Done:
        """Bring a part up to date."""
        files, there, kept = self._there(part)
        if self.is_current(part):
            return Done(part.name, anew=False)
        self._refuse_edited(file for file, was in files.items() if file not in kept and there[file] not in {None, was})
        made = {name: data.encode() if isinstance(data, str) else data for name, data in part.make().items()}
        digests = {name: digest_of(data) for name, data in sorted(made.items())}
        changed = [name for name, is_now in digests.items() if name not in kept and self.digest(name) != is_now]
        self._refuse_edited(name for name in changed if name not in files and self.digest(name) is not None)
        gone = [name for name, was in files.items() if name not in digests and self.digest(name) == was]
        self._made = {**self._made, part.name: StepNote(digest=part.digest, files=digests)}
        with all_or_nothing(now=True) as changes:
            for name in changed:
                try:
                    changes.make_folder((self.folder / name).parent)
                except OSError as error:
                    raise InputError(f"cannot be made ({error.strerror})", source=str(self.folder / name)) from None
                write_whole(self.folder / name, made[name])
            write_whole(self.folder / STATE, _written(self._made))
            self._take_away(gone)  # first: where it is interrupted in between, the part is made anew
        return Done(part.name, anew=True, changed=(*changed, *gone))

    def is_current(self, part: StepPart) -> bool:
        """Tell whether a part is up to date: what it follows from and its files are what they were."""
        files, there, kept = self._there(part)
        same = self._made.get(part.name, StepNote(digest="", files={}))["digest"] == part.digest
        return same and all(file in kept or there[file] == was for file, was in files.items())

    def _there(self, part: StepPart) -> tuple[dict[str, str], dict[str, str | None], set[str]]:
        """Return the digests of a part's files as they were made and as they are, and those that people filled in."""
        files = self._made.get(part.name, StepNote(digest="", files={}))["files"]
        there = {file: self.digest(file) for file in files}
        kept = {file for file, is_now in there.items() if part.filled_in and is_now not in {None, files[file]}}
        return files, there, kept

    def edited(self, part: str) -> set[str]:
        """Name the files of a part that people changed since it made them."""
        files = self._made[part]["files"] if part in self._made else {}
        return {file for file, was in files.items() if self.digest(file) not in {None, was}}

    def _refuse_edited(self, files: Iterable[str]) -> None:
        """Refuse to overwrite what somebody else wrote."""
        for file in files:
            raise InputError(
                "was edited, or not written by this step: move or delete it, and the step writes it again",
                source=str(self.folder / file),
            )

    def forget(self, step: str, parts: Iterable[str]) -> None:
        """Take away the files of parts of a step, or of one part, that are no longer made: of a run that went, say."""
        kept = set(parts)
        left = [name for name in self._made if f"{name}/".startswith(f"{step}/") and name not in kept]
        for name in left:
            files = self._made.pop(name)["files"]
            self._take_away(file for file, was in files.items() if self.digest(file) == was)
        if left:
            with all_or_nothing(now=True):
                write_whole(self.folder / STATE, _written(self._made))

    def files_of(self, *steps: str) -> dict[str, str]:
        """Return the files of steps, with their digests, sorted."""
        found = {
            file: digest
            for name, part in self._made.items()
            if name.partition("/")[0] in steps
            for file, digest in part["files"].items()
        }
        return dict(sorted(found.items()))

    def digest(self, file: str) -> str | None:
        """Return the digest of a file of the folder; None where there is none."""
        return file_digest(self.folder / file)

    def _take_away(self, files: Iterable[str]) -> None:
        for file in files:
            path = self.folder / file
            with suppress(OSError):
                path.unlink()
                path.parent.rmdir()  # where it was the last


def csv_of(rows: Iterable[Row], *names: str, whole: Collection[str] = ()) -> str:
    """Write rows as CSV: texts, but for columns of whole numbers."""
    schema = {name: pl.Int64 if name in whole else pl.String for name in names}
    return pl.DataFrame(list(rows), schema, orient="row").write_csv()


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str | None:
    """Return the SHA-256 of a file, or of the names and digests of all files in a folder; None where there is none."""
    if path.is_dir():
        inner = sorted(each for each in path.rglob("*") if each.is_file())
        return digest_of(repr([(str(each.relative_to(path)), file_digest(each)) for each in inner]).encode())
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _read(path: Path) -> dict[str, StepNote]:
    """Read the note of what was made; what is no such note counts as none, and everything is made anew."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    parts = found.get("parts") if isinstance(found, dict) and found.get("schema") == _SCHEMA else None
    return parts if isinstance(parts, dict) else {}


def _written(made: Mapping[str, object]) -> bytes:
    note = {"schema": _SCHEMA, "parts": dict(sorted(made.items()))}
    return (json.dumps(note, indent=1, ensure_ascii=False) + "\n").encode()

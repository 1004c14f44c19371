"""What a killed process leaves: a note next to the files that were being written, by which a later call mends them.

The note stands next to the first of the files, and is locked while its process lives. It names the files. Each is
written next to its place under a hidden name that bears the note's own, so that a note can say nothing of other files.
Where files cannot be locked, as on Windows, what a killed process left stays as it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, Final, NamedTuple, Self

PREFIX: Final = ".cranfield-"
_SUFFIX: Final = ".unfinished"


class Aside(NamedTuple):
    """A file or a folder that is made next to its place, and the file that stands there, while that is kept."""

    target: Path
    beside: Path
    """The name that it has until then."""
    old: Path
    """The name under which the old file is kept."""

    @classmethod
    def of(cls, target: Path, mark: str) -> Self:
        """Find the names, which no other file has."""
        name = f".{target.name[:100]}.{mark}"
        return cls(target, target.with_name(f"{name}.part"), target.with_name(f"{name}.old"))


def finish(every: list[Aside]) -> None:
    """Give those their names that do not have them yet."""
    for each in every:
        if each.beside.exists():
            each.beside.replace(each.target)


def undo(every: list[Aside]) -> None:
    """Put back what was there."""
    for each in reversed(every):
        if each.old.exists():
            each.old.replace(each.target)


def remove(every: list[Aside]) -> None:
    """Remove what stands next to the places."""
    for each in every:
        for left in (each.beside, each.old):
            with suppress(OSError):
                if left.is_dir():
                    import shutil

                    shutil.rmtree(left)
                else:
                    left.unlink(missing_ok=True)


class WriteNote:
    """Says which files one process writes together, and how far it is."""

    def __init__(self, folder: Path, mark: str) -> None:
        self.path = folder / f"{PREFIX}{mark}{_SUFFIX}"
        self._file: BinaryIO = self.path.open("xb", buffering=0)
        with suppress(OSError):  # not on every disk
            _locked(self._file)

    def add(self, target: Path) -> None:
        """Say that a file is begun."""
        folder = self.path.parent
        self._write("file", str(target.relative_to(folder) if target.is_relative_to(folder) else target))

    def whole(self, *, undone: bool = False) -> None:
        """Say that all are written, and get their names; or that they do not, and what was there comes back."""
        self._write("undone" if undone else "whole", "")

    def _write(self, kind: str, name: str) -> None:
        self._file.write(json.dumps([kind, name]).encode() + b"\n")

    def close(self) -> None:
        """Nothing is unfinished any more."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        self._file.close()


def mend(folder: Path) -> Iterator[str]:
    """Finish what killed processes had written whole in a folder, remove what they had not, and say what was done."""
    for note in sorted(folder.glob(f"{PREFIX}*{_SUFFIX}")):
        with suppress(OSError, ValueError), note.open("r+b") as file:
            if not _locked(file) or not os.fstat(file.fileno()).st_nlink:
                continue  # its process lives, or another one has mended it
            yield from _mended(folder, note.name.removeprefix(PREFIX).removesuffix(_SUFFIX), file)
            note.unlink(missing_ok=True)


def _mended(folder: Path, mark: str, file: BinaryIO) -> Iterator[str]:
    said = [json.loads(line) for line in file if line.endswith(b"\n")]
    every = [Aside.of(folder / name, mark) for kind, name in said if kind == "file"]
    kinds = {kind for kind, _ in said}
    left = [each for each in every if each.beside.exists() or each.old.exists()]
    if "undone" in kinds:
        undo(every)
    elif "whole" in kinds:
        finish(every)
    remove(every)
    if left:
        names = ", ".join(str(each.target) for each in left[:3]) + (", ..." if len(left) > 3 else "")
        if "whole" in kinds and "undone" not in kinds:
            yield f"an earlier call was killed while it replaced {names}; the replacement is now complete"
        else:
            yield f"an earlier call was killed while writing {names}; its leftovers were removed"


def _locked(file: BinaryIO) -> bool:
    """Lock a file until it is closed, and say whether that could be done."""
    locks = _locks()
    if locks is None:
        return False
    try:
        locks.flock(file, locks.LOCK_EX | locks.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _locks() -> ModuleType | None:
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    return fcntl

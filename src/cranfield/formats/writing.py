"""Files and folders written whole or not at all, one by one or several together."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cranfield.formats.files import STANDARD_STREAM, FilePath, called, is_stream, refuse_folder, what_went_wrong
from cranfield.formats.packing import pack
from cranfield.formats.unfinished import Aside, WriteNote, finish, mend, remove, undo
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.interrupts import signals_wait

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def write_whole(path: FilePath, data: bytes) -> None:
    """Write a file atomically: readers find the old file or the new one, never a part.

    ``.gz`` and ``.zst`` are compressed; ``-`` is the standard output; within `all_or_nothing` it appears at the end.
    """
    data = pack(data, os.fspath(path))
    if path == STANDARD_STREAM or is_stream(path):  # a pipe or a device is written as it is
        with all_or_nothing() as changes:
            changes.poured.append((path, data))
        return
    refuse_folder(path)
    try:
        with all_or_nothing() as changes:
            changes.write(path, Path(os.path.realpath(path)), data)
    except OSError as error:
        raise InputError(what_went_wrong(error, "written"), source=called(path)) from None


def write_together(folder: Path, files: Mapping[Path, str | bytes]) -> list[Path]:
    """Write the files of a folder: all or none; folders made for them go again if that fails."""
    with all_or_nothing() as changes:
        changes.make_folder(folder)
        for path, content in files.items():
            changes.make_folder(path.parent)
            write_whole(path, content.encode() if isinstance(content, str) else content)
    return list(files)


@contextmanager
def new_folder(folder: FilePath, *, now: bool = False, mode: int = 0o777) -> Iterator[Path]:
    """Give a folder to write into, which has its name at the end: whoever looks finds all of it, or nothing."""
    refuse_taken(folder)
    target = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow a link that is to be named
    try:
        with all_or_nothing(now=now) as changes:
            changes.make_folder(target.parent)
            aside = changes.begin(folder, target).beside
            aside.mkdir(mode=mode)
            yield aside
            if target.exists():
                changes.fill(folder, target, aside)
    except OSError as error:
        raise InputError(f"cannot be made ({error.strerror or error})", source=called(folder)) from None


def refuse_taken(folder: FilePath) -> None:
    """Refuse a folder that is not to be made where something is."""
    there = Path(folder)
    try:
        if there.is_dir():
            if next(there.iterdir(), None) is not None:
                raise InputError("holds something already; name a folder that is new or empty", source=called(folder))
        elif there.exists() or there.is_symlink():
            raise InputError("is a file; name a folder that is new or empty", source=called(folder))
    except OSError as error:
        raise InputError(f"cannot be made ({error.strerror or error})", source=called(folder)) from None


_CHANGES: Final[ContextVar[WriteChanges | None]] = ContextVar("_CHANGES", default=None)
_mended: Final[set[Path]] = set()  # The folders in which this process has looked for what killed ones left


class WriteChanges:
    """Files and folders that are made next to their places, and get their names together."""

    def __init__(self, refused: Callable[[FilePath], None] | None, told: Callable[[str], None]) -> None:
        self.refused, self.told = refused, told
        self.poured: list[tuple[FilePath, bytes]] = []
        self._mark = os.urandom(6).hex()
        self._note: WriteNote | None = None
        self._begun: dict[Path, Aside] = {}
        self._given: dict[Path, FilePath] = {}
        self._made: list[Path] = []
        self.when_done: list[Callable[[], None]] = []

    def begin(self, given: FilePath, target: Path) -> Aside:
        """Find a name next to the place of a file or a folder, after a look at what killed processes left there."""
        if self.refused is not None:
            self.refused(given)
        if target in self._begun:
            raise InputError("two outputs go to this file; name another", source=called(given))
        folder = target.parent
        with signals_wait():
            if folder not in _mended:
                for said in mend(folder):
                    self.told(said)
                _mended.add(folder)
            if self._note is None:
                self._note = WriteNote(folder, self._mark)
            self._note.add(target)
            self._given[target] = given
            self._begun[target] = Aside.of(target, self._mark)
        return self._begun[target]

    def write(self, given: FilePath, target: Path, data: bytes) -> None:
        """Write a file next to its place; who could not read the old file cannot read this one."""
        if any(Path(os.path.realpath(each.beside)) in target.parents for each in self._begun.values()):
            target.write_bytes(data)  # the folder that it stands in gets its name at the end, and the file with it
            return
        with self.begin(given, target).beside.open("xb") as file:
            if target.exists():
                os.chmod(file.name, stat.S_IMODE(target.stat().st_mode))  # noqa: PTH101 - a name that is there
            file.write(data)

    def make_folder(self, folder: Path) -> None:
        """Make a folder, and those above it, where there are none; if the files are not written, they go again."""
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        self._made += reversed(missing)

    def fill(self, given: FilePath, target: Path, aside: Path) -> None:
        """Let what stands in a folder get its names in another one, which is there and stays the same."""
        for part in sorted(aside.iterdir()):
            part.replace(self.begin(given, target / part.name).beside)
        aside.rmdir()
        del self._begun[target]

    def pour(self) -> None:
        """Write what goes to pipes, devices and the standard output: nothing can be taken back from there."""
        for path, data in self.poured:
            if path == STANDARD_STREAM:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
                continue
            try:
                Path(path).write_bytes(data)
            except OSError as error:
                raise InputError(what_went_wrong(error, "written"), source=called(path)) from None

    def put_in_place(self) -> None:
        """Give the files their names; if one cannot have it, those before get back what was there."""
        every = [*self._begun.values()]
        new = [file for file in every if not file.target.exists()]
        try:
            if self._note is not None and len(every) > 1:
                for file in every:
                    if file.target.is_file():
                        _keep(file.target, file.old)
                self._note.whole()
            finish(every)
        except BaseException as error:
            failed = next((file for file in every if file.beside.exists()), every[-1])
            if self._note is not None:
                self._note.whole(undone=True)
            undo(every)
            for file in new:
                if not file.beside.exists():
                    file.target.replace(file.beside)
            if isinstance(error, OSError):
                problem = what_went_wrong(error, "written")
                if isinstance(error, PermissionError):
                    problem = "cannot be replaced: no permission, or another program has it open"
                raise InputError(problem, source=called(self._given[failed.target])) from None
            raise
        self._made.clear()

    def clear_up(self) -> None:
        """Remove what stands next to the files, and folders that were made for them."""
        with signals_wait():
            remove([*self._begun.values()])
            if self._note is not None:
                self._note.close()
            for folder in reversed(self._made):
                with suppress(OSError):  # somebody else has put something there
                    folder.rmdir()


@contextmanager
def all_or_nothing(
    *,
    now: bool = False,
    refused: Callable[[FilePath], None] | None = None,
    told: Callable[[str], None] | None = None,
) -> Iterator[WriteChanges]:
    """Make the files written in here appear together at the end, or not at all.

    An error or an interrupt leaves nothing behind; what a killed process leaves, the next one that writes there mends.
    """
    outer = _CHANGES.get()
    if outer is not None and not now:
        yield outer
        return
    if outer is not None:
        refused, told = refused or outer.refused, told or outer.told
    changes = WriteChanges(refused, told or _warn)
    try:
        _CHANGES.set(changes)
        yield changes
        changes.pour()
        with signals_wait():  # an interrupt between two files would leave one new and one old
            changes.put_in_place()
            changes.clear_up()
            _CHANGES.set(outer)
        for do in changes.when_done:
            do()
    except BaseException:
        _CHANGES.set(outer)
        try:
            changes.clear_up()
        except BaseException:  # another signal
            changes.clear_up()
            raise
        raise


def when_written(do: Callable[[], None]) -> None:
    """Do something as soon as what is being written is there: at once, outside of `all_or_nothing`."""
    changes = _CHANGES.get()
    if changes is None:
        do()
    else:
        changes.when_done.append(do)


def tell(said: str) -> None:
    """Tell users something: in a shell by a note, where notes of files are, and in Python by a warning."""
    changes = _CHANGES.get()
    (_warn if changes is None else changes.told)(said)


def _warn(said: str) -> None:
    warnings.warn(said, stacklevel=2)


def _keep(file: Path, name: Path) -> None:
    try:
        os.link(file, name)
    except OSError:  # not on every disk
        import shutil

        shutil.copy2(file, name)

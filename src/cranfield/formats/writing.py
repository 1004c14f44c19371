"""Files written whole or not at all, one by one or several together."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from cranfield.formats.files import STANDARD_STREAM, FilePath, called, is_stream, refuse_folder, what_went_wrong
from cranfield.formats.packing import pack
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def write_whole(path: FilePath, data: bytes) -> None:
    """Write a file in one piece: whoever looks finds the old file or the new one, never a part of it.

    A name that ends in ``.gz`` or ``.zst`` is packed so; ``-`` is the standard output. Within
    `all_or_nothing` it is there when that ends.

    >>> import tempfile
    >>> from cranfield.formats.packing import unpack
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "bm25.txt.gz"), b"401 Q0 d1 1 9.5 bm25")
    ...     unpack(Path(folder, "bm25.txt.gz").read_bytes(), source="bm25.txt.gz")
    b'401 Q0 d1 1 9.5 bm25'
    """
    if path == STANDARD_STREAM:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    refuse_folder(path)
    target = Path(os.path.realpath(path))
    data = pack(data, target.suffix)
    try:
        if is_stream(path):  # a pipe or a device is written as it is
            Path(path).write_bytes(data)
            return
        with all_or_nothing() as staged:
            staged.append(_Staged.of(path, target))
            staged[-1].write(data)
    except OSError as error:
        raise InputError(what_went_wrong(error, "written"), source=called(path)) from None


class _Staged(NamedTuple):
    """A file that is written beside the one that it is to be, and the one that is there now, if it is kept."""

    given: FilePath
    target: Path
    beside: Path
    old: Path

    @classmethod
    def of(cls, given: FilePath, target: Path) -> _Staged:
        """Find names beside the target that no other file has."""
        name = f".{target.name[:100]}.{os.urandom(6).hex()}"
        return cls(given, target, target.with_name(f"{name}.part"), target.with_name(f"{name}.old"))

    def write(self, data: bytes) -> None:
        """Write it; who could not read the old file cannot read this one."""
        with self.beside.open("xb") as file:
            if self.target.exists():
                self.beside.chmod(stat.S_IMODE(self.target.stat().st_mode))
            file.write(data)


_STAGED: Final[ContextVar[list[_Staged] | None]] = ContextVar("_STAGED", default=None)


def write_together(folder: Path, files: Mapping[Path, str | bytes]) -> list[Path]:
    """Write the files of a folder, which is made where there is none: all of them, whole, or none."""
    folder.mkdir(parents=True, exist_ok=True)
    with all_or_nothing():
        for path, content in files.items():
            write_whole(path, content.encode() if isinstance(content, str) else content)
    return list(files)


@contextmanager
def all_or_nothing() -> Iterator[list[_Staged]]:
    """Let the files that are written in here be there at its end: all of them, or none and the old ones.

    Whatever ends it otherwise, an interrupt too, leaves nothing behind. Within another one, the end
    of the outer one counts.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         with all_or_nothing():
    ...             write_whole(Path(folder, "a.txt"), b"a")
    ...             write_whole(Path(folder, "nowhere", "b.txt"), b"b")
    ...     except InputError:
    ...         list(Path(folder).iterdir())
    []
    """
    outer = _STAGED.get()
    if outer is not None:
        yield outer
        return
    staged: list[_Staged] = []
    before = _STAGED.set(staged)
    try:
        yield staged
        _put_in_place(staged)
    finally:
        try:
            _clear_up(staged)
        except BaseException:  # a signal may come now as well
            _clear_up(staged)
            raise
        finally:
            _STAGED.reset(before)


def _clear_up(staged: list[_Staged]) -> None:
    """Remove what stands beside the files."""
    for file in staged:
        for left in (file.beside, file.old):
            with suppress(OSError):
                left.unlink(missing_ok=True)


def _put_in_place(staged: list[_Staged]) -> None:
    """Give the files their names; if one cannot have it, those before get back what was there."""
    begun: list[_Staged] = []
    try:
        for file in staged:
            begun.append(file)
            if len(staged) > 1 and file.target.exists():
                _keep(file.target, file.old)
            file.beside.replace(file.target)
    except BaseException as error:
        for file in reversed([file for file in begun if not file.beside.exists()]):
            if file.old.exists():
                file.old.replace(file.target)
            else:
                file.target.unlink()
        if isinstance(error, PermissionError):
            problem = "cannot be replaced: no permission, or another program has it open"
            raise InputError(problem, source=called(begun[-1].given)) from None
        if isinstance(error, OSError):
            raise InputError(what_went_wrong(error, "written"), source=called(begun[-1].given)) from None
        raise


def _keep(file: Path, name: Path) -> None:
    try:
        os.link(file, name)
    except OSError:  # not on every disk
        import shutil

        shutil.copy2(file, name)

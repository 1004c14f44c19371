"""Files as users call them, and the bytes in them."""

from __future__ import annotations

import glob
import os
import stat
import sys
import zlib
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, TypeGuard

from cranfield.formats.folders import holds_parts, parts_in
from cranfield.formats.packing import CHUNK, TIMES_ITS_SIZE, gathered, split_packed, unpack, unpack_head
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable, storable
from cranfield.plumbing.memory import require
from cranfield.plumbing.options import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FilePath: TypeAlias = str | os.PathLike[str]

STANDARD_STREAM: Final = "-"

NAMELESS: Final = "an open file"
"""Stands for the path where something open has none."""


class OpenFile(Protocol):
    """A file that was opened to be read: of bytes or of text, in memory, packed, or somewhere else."""

    def read(self, size: int, /) -> str | bytes:
        """Give what comes next, so much of it at most."""

    def readline(self) -> str | bytes:
        """Give the next line."""


NO_RUN_SUFFIXES: Final = (".md", ".rst", ".html", ".pdf", ".py", ".sh", ".ipynb", ".yaml", ".yml", ".toml", ".json")
NO_RUN_NAMES: Final = ("readme", "license", "licence", "makefile", "sha256sums", "md5sums")
_OF_PYTERRIER: Final = ("aggregated.csv", "perquery.csv")
"""Scores that PyTerrier writes next to the runs that it saves. A file that is called so is plainly no run; in a folder
of runs it is passed over."""


_kept: dict[object, bytes] | None = None  # What came through the standard input and through pipes, where it is kept


@contextmanager
def keeping_streams() -> Iterator[None]:
    """Keep, for as long as a command runs, what can be read only once, so that who asks again gets the same."""
    global _kept  # noqa: PLW0603 - a process has one standard input, whatever its threads
    _kept = {}
    try:
        yield
    finally:
        _kept = None


def read_bytes(path: FilePath) -> bytes:
    """Read a whole file, or the standard input (``-``), decompressed if it is gzip or Zstandard.

    Refused where it would exceed the memory (an endless pipe, a bomb). Within a command a pipe is read only once.
    """
    if _kept is None or not is_stream(path):
        return _read_bytes(path)
    name = path if path == STANDARD_STREAM else os.stat(path)[1:3]  # noqa: PTH116 - its inode and device
    if name not in _kept:
        _kept[name] = _read_bytes(path)
    return _kept[name]


def _read_bytes(path: FilePath) -> bytes:
    source = called(path)
    if path == STANDARD_STREAM:
        if sys.stdin is None:
            raise InputError("is closed", source=source)
        return unpack(gathered(_chunks(sys.stdin.buffer), source), source=source)
    with reading(source), _path(path).open("rb") as file:
        before = os.fstat(file.fileno())
        require(TIMES_ITS_SIZE * before.st_size, "reading it", source=source)
        data = gathered(_chunks(file, before.st_size + 1 if before.st_size else CHUNK), source)
        after = os.fstat(file.fileno())
    if stat.S_ISREG(before.st_mode) and (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise InputError("changed while it was read; read it again when it is complete", source=source)
    return unpack(data, source=source)


def read_head(path: FilePath, most: int) -> bytes:
    """Read the first bytes of a file, unpacked; nothing where that fails, of which whoever reads it all will speak."""
    try:
        with _path(path).open("rb") as file:
            return unpack_head(file, most)
    except (OSError, ValueError):
        return b""


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Say of a file that cannot be read why, and which it is."""
    try:
        yield
    except InputError:  # a ValueError too, and said already
        raise
    except (OSError, ValueError) as error:
        raise InputError(what_went_wrong(error, "read"), source=source) from None


def read_open(file: OpenFile) -> bytes:
    """Read what is left of an open file, of bytes or of text."""
    source = called(open_as(file))
    try:
        with reading(source):
            data = gathered(_chunks(file), source)
    except (EOFError, zlib.error) as error:  # of whoever unpacks it
        raise InputError(f"cannot be read: {error}", source=source) from None
    return unpack(data, source=source)


def _path(given: FilePath) -> Path:
    """Give a path as it is, where it is one: to make it again takes longer than to ask the system about it."""
    return given if isinstance(given, Path) else Path(given)


def _chunks(file: OpenFile, first: int = CHUNK) -> Iterator[bytes]:
    """Give what a file holds in large pieces, for which room is made; the first of them may be known to be less."""
    size = min(first, CHUNK)
    while chunk := file.read(size):
        yield chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else chunk
        size = CHUNK


def is_open(given: object) -> TypeGuard[OpenFile]:
    """Say whether something is an open file, or reads like one."""
    return hasattr(given, "read") and hasattr(given, "readline")


def open_as(file: OpenFile) -> str:
    """Return the name that a file was opened by; in memory, a file has none."""
    name = getattr(file, "name", None)
    return os.fsdecode(name) if isinstance(name, str | bytes) else NAMELESS


def called(path: FilePath) -> str:
    """Call a file as messages do."""
    return "standard input" if path == STANDARD_STREAM else printable(os.fspath(path))


def size(path: FilePath) -> int:
    """Return how many bytes a file has; 0 if it is not there, which whoever reads it will say."""
    try:
        return _path(path).stat().st_size
    except (OSError, ValueError):
        return 0


def is_stream(path: FilePath) -> bool:
    """Say whether something can be read only once: the standard input, a pipe, a device."""
    if path == STANDARD_STREAM:
        return True
    try:
        mode = _path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def has_no_name(path: FilePath) -> bool:
    """Say whether a path names nothing, or only numbers something open, as the shell's ``<(zcat run.gz)`` does."""
    *_, folder, name = ("", "", *_path(path).parts)
    return path == NAMELESS or (folder == "fd" and name.isdecimal() and is_stream(path))


def is_folder(path: FilePath) -> bool:
    """Say whether a folder is there; where no name can be so long, none is."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir() raises errors


def refuse_folder(path: FilePath) -> None:
    """Refuse to write a file where a folder is, or is named."""
    given = os.fspath(path)
    if "\0" in given:
        raise InputError("a file name cannot contain a zero byte", source=called(path))
    if given.endswith(("/", os.sep)) or is_folder(given):
        raise InputError("is a folder; name a file", source=given)


def refuse_unwritable(path: FilePath) -> None:
    """Refuse, before the work, to write a file where there is no folder for it, or none that may be written."""
    refuse_folder(path)
    folder = Path(os.path.realpath(path)).parent
    if path == STANDARD_STREAM or is_stream(path):
        return
    if not folder.is_dir():
        raise InputError("no such folder", source=called(path))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError("no permission: it cannot be written", source=called(path))


def refuse_overwriting(written: Iterable[FilePath], read: Iterable[FilePath]) -> None:
    """Refuse to write a file that is read, too, whatever it is called: no output may be an input."""
    inputs = {found: os.fspath(path) for path in read if (found := _identity(path)) is not None}
    for path in written:
        here = _identity(path)
        if here in inputs:
            known = inputs[here] if inputs[here] != STANDARD_STREAM else "the standard input"
            called = "" if known == os.fspath(path) else f" (it is {known})"
            raise InputError(
                f"is an input and would be overwritten{called}; write somewhere else", source=os.fspath(path)
            )


def _identity(path: FilePath) -> tuple[int, int] | None:
    """Return what two names of one file have in common (see `os.path.samefile`); None where there is no file."""
    if path == STANDARD_STREAM and sys.stdin is None:
        return None
    try:
        found = os.fstat(sys.stdin.fileno()) if path == STANDARD_STREAM else Path(path).stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def what_went_wrong(error: OSError | ValueError, done: str) -> str:
    """Say why a file cannot be read or written; a name that no file can have is a ValueError."""
    if isinstance(error, ValueError):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return "no such file" if done == "read" else "no such folder"
    if isinstance(error, IsADirectoryError):
        return "is a folder; name a file"
    if isinstance(error, PermissionError):
        return f"no permission: it cannot be {done}"
    return f"cannot be {done}: {error.strerror or error}"


def unpacked_name(path: FilePath) -> str:
    """Give a file's name, as text, without the suffix of its compression."""
    return split_packed(storable(_path(path).name))[0]


def named(given: FilePath) -> tuple[str | None, FilePath]:
    """Split ``NAME=FILE``; without a name it is None. A path that exists as written is not split.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "p=0.8.run").touch()
    ...     named(f"bm25={folder}/p=0.8.run")[0], named(f"{folder}/p=0.8.run")[0], named("p=nowhere.run")[0]
    ('bm25', None, None)
    """
    if not isinstance(given, str):
        return None, given
    name, _, path = given.partition("=")
    is_name = bool(name.strip() and path) and not {"/", os.sep} & set(name)
    if not is_name or is_there(given) or not (path == STANDARD_STREAM or is_there(path)):
        return None, given
    return name.strip(), path


def is_there(path: str) -> bool:
    """Tell whether a file, a folder or what a glob stands for is there."""
    try:
        return Path(path).exists() or any(glob.iglob(path, recursive=True))  # noqa: PTH207 - absolute too
    except (OSError, ValueError):
        return False


def files_of(runs: Iterable[FilePath]) -> list[FilePath]:
    """List the files that runs are read from, whatever names they are given; the standard input is one of them."""
    paths = [named(given)[1] for given in runs]
    found = [path for given in paths for path in ([given] if given == STANDARD_STREAM else expand([given]))]
    inside = (
        [part for part, _ in parts_in(path)] if isinstance(path, Path) and path.is_dir() else [path] for path in found
    )
    return list(chain.from_iterable(inside))


def expand(patterns: Iterable[FilePath]) -> list[Path]:
    """List the files that names, globs and folders stand for, in the order given.

    A folder stands for its files, sorted, without hidden ones and those that are `plainly_no_run`; a folder that holds
    the parts of runs (`folders.holds_parts`) stands for itself.
    """
    return [path for pattern in patterns for path in _expand_one(pattern)]


def _expand_one(pattern: FilePath) -> list[Path]:
    try:
        given = os.fspath(pattern)
    except TypeError:
        raise InputError(f"a file name is a string or a path, not {shown(pattern)}") from None
    path = Path(given)
    try:
        if path.is_file():
            return [path]
        if path.is_dir() and not holds_parts(path):
            found = [file for file in _runs_among(path.iterdir()) if not plainly_no_run(file)]
            others = (each.name.partition(".json")[2] for each in path.glob("*.json*"))  # which may be anything
            nothing = "no run in this folder"
            nothing += next((f"; JSON files must be named: {path}/*.json{other}" for other in others), "")
        elif path.exists():
            return [path]
        else:
            found = _runs_among(Path(match) for match in glob.glob(given, recursive=True))  # noqa: PTH207 - absolute too
            nothing = "no file matches" if glob.has_magic(given) else "no such file"
    except (OSError, ValueError) as error:
        raise InputError(what_went_wrong(error, "read"), source=given) from None
    if not found:
        raise InputError(nothing, source=given)
    return found


def _runs_among(paths: Iterable[Path]) -> list[Path]:
    """Keep visible files, and folders that hold the parts of runs."""
    shown = sorted(path for path in paths if not path.name.startswith("."))
    return [path for path in shown if path.is_file() or (path.is_dir() and holds_parts(path))]


def plainly_no_run(file: Path) -> bool:
    """Tell by its name that a file is not a run.

    >>> [plainly_no_run(Path(name)) for name in ("README.md", "README", "bm25.run", "readme-first.txt.gz")]
    [True, True, False, False]
    """
    name = unpacked_name(file).casefold()
    return name in _OF_PYTERRIER or name.endswith(NO_RUN_SUFFIXES) or name.partition(".")[0] in NO_RUN_NAMES


def passed_over(given: object) -> tuple[str, ...]:
    """Name the files that are passed over in the folders among what is given."""
    if isinstance(given, str | os.PathLike):
        folder = Path(named(os.fspath(given))[1])
        if not is_folder(folder):
            return ()
        with suppress(OSError, ValueError):
            visible = (file for file in sorted(folder.glob("[!.]*")) if file.is_file())
            return tuple(storable(str(file)) for file in visible if plainly_no_run(file))
    return tuple(file for each in given for file in passed_over(each)) if isinstance(given, list | tuple) else ()

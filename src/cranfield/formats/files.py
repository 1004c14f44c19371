"""Files as bytes: compressed or not, read whole, written whole or not at all; what users call them."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
import stat
import sys
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Protocol, TypeAlias

from cranfield.errors import InputError
from cranfield.escaping import printable, storable
from cranfield.memory import require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FilePath: TypeAlias = str | os.PathLike[str]

STANDARD_STREAM: Final = "-"
PACKED_SUFFIXES: Final = (".gz", ".zst")

NO_RUN_SUFFIXES: Final = (".md", ".rst", ".html", ".pdf", ".py", ".sh", ".ipynb", ".yaml", ".yml", ".toml", ".json")
NO_RUN_NAMES: Final = ("readme", "license", "licence", "makefile", "sha256sums", "md5sums")
"""A file that is called so is plainly no run; in a folder of runs it is passed over."""

_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"

READING: Final = 5
"""So many times the size of a file is what it takes to make a table of it."""

_CHUNK: Final = 16 << 20
_PIECE: Final = 4096


def read_bytes(path: FilePath) -> bytes:
    """Read a whole file; what was packed by gzip or Zstandard, whatever its name, comes out unpacked.

    ``-`` is the standard input. What takes more memory than there is, an endless pipe or a bomb, is
    refused.

    >>> read_bytes("no-such-file.txt")
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: no-such-file.txt: no such file
    """
    source = called(path)
    if path == STANDARD_STREAM:
        return unpack(_gathered(_chunks(sys.stdin.buffer), source), source=source)
    try:
        with Path(path).open("rb") as file:
            require(READING * os.fstat(file.fileno()).st_size, "reading it", source=source)
            data = _gathered(_chunks(file), source)
    except OSError as error:
        raise InputError(_what_went_wrong(error, "read"), source=source) from None
    except ValueError as error:  # a name that no file has
        if isinstance(error, InputError):
            raise
        raise InputError(str(error), source=source) from None
    return unpack(data, source=source)


def called(path: FilePath) -> str:
    """Call a file as messages do."""
    return "standard input" if path == STANDARD_STREAM else printable(os.fspath(path))


def is_stream(path: FilePath) -> bool:
    """Say whether something can be read only once: the standard input, a pipe, a device."""
    if path == STANDARD_STREAM:
        return True
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def has_no_name(path: FilePath) -> bool:
    """Say whether a path only numbers something open, as the shell's ``<(zcat run.gz)`` does."""
    return Path(path).parent.name == "fd" and Path(path).name.isdecimal() and is_stream(path)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    return iter(partial(file.read, _CHUNK), b"")


def _gathered(parts: Iterable[bytes], source: str) -> bytes:
    """Put the parts of a content together while there is memory for what is to be made of it."""
    gathered: list[bytes] = []
    size = asked = 0
    for part in parts:
        gathered.append(part)
        size += len(part)
        if size - asked >= _CHUNK:
            require(READING * size, "what it holds", source=source)
            asked = size
    return b"".join(gathered)


def unpack(data: bytes, *, source: str) -> bytes:
    """Undo gzip or Zstandard, recognised by the first bytes; leave anything else as it is.

    >>> import gzip
    >>> unpack(gzip.compress(b"401 Q0 d1 1 9.5 bm25"), source="bm25.gz")
    b'401 Q0 d1 1 9.5 bm25'
    >>> unpack(b"plain", source="bm25.txt")
    b'plain'
    """
    if data.startswith(_GZIP_MAGIC):
        import zlib

        return _gathered(_unpacked(data, lambda: zlib.decompressobj(wbits=31), zlib.error, "gzip", source), source)
    if data.startswith(_ZSTD_MAGIC):
        import zstandard

        new = zstandard.ZstdDecompressor().decompressobj
        return _gathered(_unpacked(data, new, zstandard.ZstdError, "zstd", source), source)
    return data


class _Frame(Protocol):
    """What undoes one of the packed parts that a file consists of."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def _unpacked(
    data: bytes, new: Callable[[], _Frame], broken: type[Exception], kind: str, source: str
) -> Iterator[bytes]:
    """Undo a compression a little at a time: a few bytes may stand for gigabytes."""
    at = 0
    while at < len(data):
        frame = new()
        while not frame.eof and at < len(data):
            piece = data[at : at + _PIECE]
            try:
                yield frame.decompress(piece)
            except broken as error:
                raise InputError(
                    f"the {kind} file is damaged ({error}); fetch or make it again", source=source
                ) from None
            at += len(piece) - len(frame.unused_data)
        if not frame.eof:
            raise InputError(f"the {kind} file is cut short; fetch or make it again", source=source)
        while kind == "gzip" and data[at : at + 1] == b"\0":  # gzip fills blocks up with zeros
            at += 1


def write_whole(path: FilePath, data: bytes) -> None:
    """Write a file in one piece: whoever looks finds the old file or the new one, never a part of it.

    A name that ends in ``.gz`` or ``.zst`` is packed so; ``-`` is the standard output. Within
    `all_or_nothing` it is there when that ends.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "bm25.txt.gz"), b"401 Q0 d1 1 9.5 bm25")
    ...     read_bytes(Path(folder, "bm25.txt.gz"))
    b'401 Q0 d1 1 9.5 bm25'
    """
    if path == STANDARD_STREAM:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    refuse_folder(path)
    target = Path(os.path.realpath(path))
    data = _pack(data, target.suffix)
    try:
        if is_stream(path):  # a pipe or a device is written as it is
            Path(path).write_bytes(data)
            return
        with all_or_nothing() as staged:
            staged.append(_Staged.of(path, target))
            staged[-1].write(data)
    except OSError as error:
        raise InputError(_what_went_wrong(error, "written"), source=called(path)) from None


@dataclass(frozen=True)
class _Staged:
    """A file that is written beside the one that it is to be, and the one that is there now, if it is kept."""

    given: FilePath
    target: Path
    beside: Path
    old: Path

    @classmethod
    def of(cls, given: FilePath, target: Path) -> _Staged:
        """Find names beside the target that no other file has."""
        name = f".{target.name[:100]}.{secrets.token_hex(6)}"
        return cls(given, target, target.with_name(f"{name}.part"), target.with_name(f"{name}.old"))

    def write(self, data: bytes) -> None:
        """Write it; who could not read the old file cannot read this one."""
        with self.beside.open("xb") as file:
            if self.target.exists():
                self.beside.chmod(stat.S_IMODE(self.target.stat().st_mode))
            file.write(data)


_STAGED: Final[ContextVar[list[_Staged] | None]] = ContextVar("_STAGED", default=None)


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
        _STAGED.reset(before)
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
        for file in reversed(begun):
            if file.old.exists():
                file.old.replace(file.target)
            elif not file.beside.exists():
                file.target.unlink()
        if isinstance(error, PermissionError):
            problem = "cannot be replaced: no permission, or another program has it open"
            raise InputError(problem, source=called(begun[-1].given)) from None
        if isinstance(error, OSError):
            raise InputError(_what_went_wrong(error, "written"), source=called(begun[-1].given)) from None
        raise


def _keep(file: Path, name: Path) -> None:
    try:
        os.link(file, name)
    except OSError:  # not on every disk
        shutil.copy2(file, name)


def refuse_folder(path: FilePath) -> None:
    """Refuse to write a file where a folder is, or is named.

    >>> refuse_folder("scores.csv/")
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: scores.csv/: is a folder, where a file is written
    """
    given = os.fspath(path)
    if given.endswith(("/", os.sep)) or Path(given).is_dir():
        raise InputError("is a folder, where a file is written", source=given)


def refuse_overwriting(written: Iterable[FilePath], read: Iterable[FilePath]) -> None:
    """Refuse to write a file that is read, too, whatever it is called: no output may be an input.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = Path(folder, "bm25.run")
    ...     run.touch()
    ...     refuse_overwriting([Path(folder, "scores.csv")], [run])
    ...     refuse_overwriting([Path(folder, ".", "bm25.run")], [run])
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: ...bm25.run: would be overwritten, though it is read; write somewhere else
    """
    inputs = {found: os.fspath(path) for path in read if (found := _identity(path)) is not None}
    for path in written:
        here = _identity(path)
        if here in inputs:
            known = inputs[here] if inputs[here] != STANDARD_STREAM else "the standard input"
            called = "" if known == os.fspath(path) else f" (it is {known})"
            raise InputError(
                f"would be overwritten, though it is read{called}; write somewhere else", source=os.fspath(path)
            )


def _identity(path: FilePath) -> tuple[int, int] | None:
    """Return what two names of one file have in common (see `os.path.samefile`); None where there is no file."""
    try:
        found = os.fstat(sys.stdin.fileno()) if path == STANDARD_STREAM else Path(path).stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _pack(data: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        import gzip

        return gzip.compress(data, compresslevel=6, mtime=0)
    if suffix == ".zst":
        import zstandard

        return zstandard.ZstdCompressor().compress(data)
    return data


def _what_went_wrong(error: OSError, done: str) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file" if done == "read" else "no such folder"
    if isinstance(error, IsADirectoryError):
        return f"is a folder, where a file is {done}"
    if isinstance(error, PermissionError):
        return f"no permission: it cannot be {done}"
    return f"cannot be {done}: {error.strerror or error}"


def unpacked_name(path: FilePath) -> str:
    """Give a file's name, as text, without the suffix of its compression.

    >>> unpacked_name("runs/bm25.txt.gz")
    'bm25.txt'
    """
    name = storable(Path(path).name)
    return next((name[: -len(suffix)] for suffix in PACKED_SUFFIXES if name.casefold().endswith(suffix)), name)


def named(given: FilePath) -> tuple[str | None, FilePath]:
    """Take ``NAME=FILE`` apart; the name is None where there is none. What exists as it is written is a path.

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
    if not is_name or _is_there(given) or not (path == STANDARD_STREAM or _is_there(path)):
        return None, given
    return name.strip(), path


def _is_there(path: str) -> bool:
    """Tell whether a file, a folder or what a glob stands for is there."""
    try:
        return Path(path).exists() or any(glob.iglob(path, recursive=True))  # noqa: PTH207 - absolute too
    except (OSError, ValueError):
        return False


def files_of(runs: Iterable[FilePath]) -> list[FilePath]:
    """List the files that runs are read from, whatever names they are given; the standard input is one of them."""
    paths = [named(given)[1] for given in runs]
    return [path for given in paths for path in ([given] if given == STANDARD_STREAM else expand([given]))]


def expand(patterns: Iterable[FilePath]) -> list[Path]:
    """List the files that names, globs and folders stand for, in the order given.

    A folder stands for the files in it, sorted; hidden ones, and those that are `plainly_no_run`,
    are left out.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.txt", "a.txt", "c.run", ".hidden"):
    ...         Path(folder, name).touch()
    ...     [path.name for path in expand([Path(folder, "*.run"), folder])]
    ['c.run', 'a.txt', 'b.txt', 'c.run']
    >>> expand(["runs-of-nobody/*.gz"])
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: runs-of-nobody/*.gz: no file matches
    """
    return [path for pattern in patterns for path in _expand_one(pattern)]


def _expand_one(pattern: FilePath) -> list[Path]:
    given = os.fspath(pattern)
    path = Path(given)
    try:
        if path.is_dir():
            found = [file for file in _visible_files(path.iterdir()) if not plainly_no_run(file)]
            nothing = "no run in this folder"
        elif path.exists():
            return [path]
        else:
            found = _visible_files(Path(match) for match in glob.glob(given, recursive=True))  # noqa: PTH207 - absolute too
            nothing = "no file matches" if glob.has_magic(given) else "no such file"
    except (OSError, ValueError) as error:
        problem = _what_went_wrong(error, "read") if isinstance(error, OSError) else str(error)
        raise InputError(problem, source=given) from None
    if not found:
        raise InputError(nothing, source=given)
    return found


def plainly_no_run(file: Path) -> bool:
    """Say whether a file's name tells that it is no run.

    >>> [plainly_no_run(Path(name)) for name in ("README.md", "README", "bm25.run", "readme-first.txt.gz")]
    [True, True, False, False]
    """
    name = unpacked_name(file).casefold()
    return name.endswith(NO_RUN_SUFFIXES) or name.partition(".")[0] in NO_RUN_NAMES


def passed_over(given: object) -> tuple[str, ...]:
    """Name the files that are passed over in the folders among what is given."""
    if isinstance(given, str | os.PathLike):
        folder = Path(named(os.fspath(given))[1])
        with suppress(OSError, ValueError):
            return tuple(storable(str(file)) for file in _visible_files(folder.glob("*")) if plainly_no_run(file))
    if isinstance(given, list | tuple):
        return tuple(file for each in given for file in passed_over(each))
    return ()


def _visible_files(paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if path.is_file() and not path.name.startswith("."))

"""Files as bytes: compressed or not, read whole, written whole or not at all; what users call them."""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from cranfield.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

FilePath: TypeAlias = str | os.PathLike[str]

STANDARD_STREAM: Final = "-"
PACKED_SUFFIXES: Final = (".gz", ".zst")

NO_RUN_SUFFIXES: Final = (".md", ".rst", ".html", ".pdf", ".py", ".sh", ".ipynb", ".yaml", ".yml", ".toml", ".json")
NO_RUN_NAMES: Final = ("readme", "license", "licence", "makefile", "sha256sums", "md5sums")
"""A file that is called so is plainly no run; in a folder of runs it is passed over."""

_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"


def read_bytes(path: FilePath) -> bytes:
    """Read a whole file; what was packed by gzip or Zstandard, whatever its name, comes out unpacked.

    ``-`` is the standard input.

    >>> read_bytes("no-such-file.txt")
    Traceback (most recent call last):
    ...
    cranfield.errors.InputError: no-such-file.txt: no such file
    """
    if path == STANDARD_STREAM:
        return unpack(sys.stdin.buffer.read(), source="standard input")
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(_what_went_wrong(error, "read"), source=os.fspath(path)) from None
    return unpack(data, source=os.fspath(path))


def unpack(data: bytes, *, source: str) -> bytes:
    """Undo gzip or Zstandard, recognised by the first bytes; leave anything else as it is.

    >>> import gzip
    >>> unpack(gzip.compress(b"401 Q0 d1 1 9.5 bm25"), source="bm25.gz")
    b'401 Q0 d1 1 9.5 bm25'
    >>> unpack(b"plain", source="bm25.txt")
    b'plain'
    """
    if data.startswith(_GZIP_MAGIC):
        return _gunzip(data, source)
    if data.startswith(_ZSTD_MAGIC):
        return _unzstd(data, source)
    return data


def _gunzip(data: bytes, source: str) -> bytes:
    import gzip
    import zlib

    try:
        return gzip.decompress(data)
    except EOFError:
        raise InputError("the gzip file is cut short; fetch or make it again", source=source) from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"the gzip file is damaged ({error}); fetch or make it again", source=source) from None


def _unzstd(data: bytes, source: str) -> bytes:
    import zstandard

    parts = []
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(frame.decompress(data))
        except zstandard.ZstdError as error:
            raise InputError(f"the zstd file is damaged ({error}); fetch or make it again", source=source) from None
        if not frame.eof:
            raise InputError("the zstd file is cut short; fetch or make it again", source=source)
        data = frame.unused_data
    return b"".join(parts)


def write_whole(path: FilePath, data: bytes) -> None:
    """Write a file in one piece: whoever looks finds the old file or the new one, never a part of it.

    A name that ends in ``.gz`` or ``.zst`` is packed so; ``-`` is the standard output.

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
        if target.exists() and not target.is_file():  # a pipe or a device is written as it is
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise InputError(_what_went_wrong(error, "written"), source=os.fspath(path)) from None


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


def _replace(target: Path, data: bytes) -> None:
    beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        with beside.open("xb") as file:
            if target.exists():
                beside.chmod(stat.S_IMODE(target.stat().st_mode))  # who could not read the old one cannot read this
            file.write(data)
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def _what_went_wrong(error: OSError, done: str) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file" if done == "read" else "no such folder"
    if isinstance(error, IsADirectoryError):
        return f"is a folder, where a file is {done}"
    if isinstance(error, PermissionError):
        return f"no permission: it cannot be {done}"
    return f"cannot be {done}: {error.strerror or error}"


def unpacked_name(path: FilePath) -> str:
    """Give a file's name without the suffix of its compression.

    >>> unpacked_name("runs/bm25.txt.gz")
    'bm25.txt'
    """
    name = Path(path).name
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
        with contextlib.suppress(OSError, ValueError):
            return tuple(str(file) for file in _visible_files(folder.glob("*")) if plainly_no_run(file))
    if isinstance(given, list | tuple):
        return tuple(file for each in given for file in passed_over(each))
    return ()


def _visible_files(paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if path.is_file() and not path.name.startswith("."))

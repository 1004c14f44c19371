"""Archives that teams send instead of files: unpacked next to the submissions, and nothing in them leads elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Final, NamedTuple

from cranfield.formats.packing import unpack, unpack_head
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.wording import counted

UNPACKED: Final = "unpacked"
"""Where archives are unpacked, in the folder of the track, each under the beginning of its digest."""
MEMBERS: Final = 1_000  # How many files an archive may hold
MOST_BYTES: Final = 2 << 30  # How many bytes these may have
_LIST: Final = "members.json"
_PIECE: Final = 1 << 20
_TAR_AT: Final = 257
_LINK: Final = "is a link: send the file itself"
_OFFICE: Final = frozenset({".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".npz", ".jar"})
"""What is a zip archive, too, and not one of runs."""
_TAR_SUFFIXES: Final = (".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst")


class Member(NamedTuple):
    """A file of an archive: what it is called there, and where it was unpacked; or why it was not."""

    name: str
    file: str
    problem: str = ""


def is_archive(file: Path) -> bool:
    """Tell whether a file is an archive of files, by its content; a damaged one by its name (``.txt.gz`` is none)."""
    name = file.name.casefold()
    if file.is_dir() or name.endswith(tuple(_OFFICE)):
        return False
    if name.endswith((".zip", *_TAR_SUFFIXES)):
        return True
    try:
        with file.open("rb") as content:
            if content.read(4) == b"PK\x03\x04":
                return True
            content.seek(0)
            return unpack_head(content, _TAR_AT + 5)[_TAR_AT:] == b"ustar"
    except OSError:  # of which whoever reads it will speak
        return False


def unpacked(archive: Path, to: Path) -> list[Member]:
    """Unpack an archive, unless it is, and list its files; what is not unpacked is listed with the reason."""
    with suppress(OSError, ValueError):  # not done yet, or not to its end
        return [Member(*each) for each in json.loads((to / _LIST).read_bytes())]
    beside = to.with_name(f"{to.name}.part")
    shutil.rmtree(beside, ignore_errors=True)
    shutil.rmtree(to, ignore_errors=True)
    try:
        beside.mkdir(parents=True)
        members = [*_written(archive, beside)]
        (beside / _LIST).write_text(json.dumps(members), encoding="utf-8")
        beside.rename(to)
    except (NotImplementedError, RuntimeError):  # as zipfile says of a method or a cipher that it does not know
        says = "the archive uses a compression we cannot read; send a plain .zip or .tar.gz"
        raise InputError(says, source=str(archive)) from None
    except (tarfile.TarError, zipfile.BadZipFile, EOFError):
        raise InputError("the archive is damaged or cut short", source=str(archive)) from None
    except OSError as error:
        raise InputError(f"cannot be unpacked ({error.strerror or error})", source=str(archive)) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        with suppress(OSError):
            to.parent.rmdir()  # if nothing else was unpacked
    return members


class _Packed(NamedTuple):
    """A file as an archive has it: its size, what opens it, and why it is not unpacked."""

    name: str
    size: int
    opened: Callable[[], IO[bytes] | None]
    problem: str = ""


def _written(archive: Path, folder: Path) -> Iterator[Member]:
    with _opened(archive) as packed:
        listed = sorted(_files(packed), key=lambda each: each.name)
        if len(listed) > MEMBERS:
            raise InputError(f"the archive holds {counted(len(listed), 'file')}; at most {MEMBERS:,} are read")
        if sum(each.size for each in listed) > MOST_BYTES:
            raise InputError(f"the archive holds more than {MOST_BYTES >> 30} GiB")
        for number, each in enumerate(listed):
            name = storable(each.name)
            if each.problem:
                yield Member(name, "", each.problem)
                continue
            # Of its name, which may be another file's, or none that a disk takes, only the end says how it is read.
            file = f"{number:04}{''.join(PurePosixPath(name).suffixes[-2:])}"
            file = file if file.isascii() and len(file) < 40 and file.replace(".", "").isalnum() else f"{number:04}"
            with (folder / file).open("xb") as written:
                _copied(each, written)
            inner = "is an archive within an archive: send its files directly" if is_archive(folder / file) else ""
            if inner:
                (folder / file).unlink()
            yield Member(name, "" if inner else file, inner)


@contextmanager
def _opened(archive: Path) -> Iterator[zipfile.ZipFile | tarfile.TarFile]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            yield packed
        return
    with archive.open("rb") as head:
        by_python = head.read(6).startswith((b"BZh", b"\xfd7zXZ"))
    content: IO[bytes] = archive.open("rb") if by_python else BytesIO(_unpacked(archive))
    with content, tarfile.open(fileobj=content, mode="r:*", encoding="utf-8", errors="surrogateescape") as packed_:
        yield packed_


def _unpacked(archive: Path) -> bytes:
    try:
        return unpack(archive.read_bytes(), source=str(archive))
    except InputError as error:
        raise InputError(error.problem.replace("file", "archive"), source=str(archive)) from None


def _files(packed: zipfile.ZipFile | tarfile.TarFile) -> Iterable[_Packed]:
    if isinstance(packed, zipfile.ZipFile):
        return [
            _Packed(each.filename, each.file_size, partial(packed.open, each), _why_not(each.filename, _of_zip(each)))
            for each in packed.infolist()
            if not each.is_dir() and not _passed_over(each.filename)
        ]
    return [
        _Packed(
            each.name,
            each.size if each.isfile() else 0,
            partial(packed.extractfile, each),
            _why_not(each.name, "" if each.isfile() else _LINK),
        )
        for each in packed.getmembers()
        if not each.isdir() and not _passed_over(each.name)
    ]


def _passed_over(name: str) -> bool:
    """Tell whether a system left it there: nobody sent it."""
    return any(part in {"__MACOSX", ".DS_Store"} or part.startswith("._") for part in name.split("/"))


def _why_not(name: str, problem: str) -> str:
    """Say why a file is not unpacked; an empty text if it is.

    >>> _why_not("../../etc/passwd", "")
    'has a path that leads out of the archive: send the file itself'
    """
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts:
        return "has a path that leads out of the archive: send the file itself"
    return problem


def _of_zip(member: zipfile.ZipInfo) -> str:
    kind = member.external_attr >> 16 & 0o170000
    if member.create_system == 3 and kind not in {0, 0o100000}:  # as Unix wrote it
        return _LINK
    return "is encrypted: send it unencrypted" if member.flag_bits & 1 else ""


def _copied(member: _Packed, to: IO[bytes]) -> None:
    """Copy a file, piece by piece, and no more of it than its header says: an archive may lie about its sizes."""
    content = member.opened()
    if content is None:
        raise tarfile.ReadError("an empty entry")
    import zlib

    left = member.size
    with content:
        try:
            while left > 0 and (piece := content.read(min(_PIECE, left))):
                left -= len(piece)
                to.write(piece)
        except zlib.error as error:
            raise zipfile.BadZipFile(str(error)) from None
    if left:
        raise EOFError("it ends too early")


def forget_others(folder: Path, kept: set[str]) -> None:
    """Take away what was unpacked of archives that are there no more."""
    where = folder / UNPACKED
    if where.is_dir():
        for each in os.scandir(where):
            if each.name not in kept:
                shutil.rmtree(each.path, ignore_errors=True)
        if not kept:
            shutil.rmtree(where, ignore_errors=True)

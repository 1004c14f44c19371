"""Compressed bytes to plain ones and back, while there is memory for what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final, Protocol

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.memory import require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PACKED_SUFFIXES: Final = (".gz", ".zst")

TIMES_ITS_SIZE: Final = 5
"""How many times the size of a file is what it takes to make a table of it."""

CHUNK: Final = 16 << 20
_PIECE: Final = 4096

_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"


def split_packed(name: str) -> tuple[str, str]:
    """Take the suffix of a compression off a file's name: the name without it, and the suffix, which may be ""."""
    suffix = next((suffix for suffix in PACKED_SUFFIXES if name.casefold().endswith(suffix)), "")
    return name[: len(name) - len(suffix)], suffix


def unpack_head(file: BinaryIO, most: int) -> bytes:
    """Unpack up to this many bytes of a file in gzip or Zstandard, or anything else; nothing where that fails."""
    magic = file.read(len(_ZSTD_MAGIC))
    file.seek(0)
    if magic.startswith(_GZIP_MAGIC):
        import gzip
        import zlib

        try:
            return gzip.GzipFile(fileobj=file).read(most)
        except (EOFError, zlib.error):
            return b""
    if magic == _ZSTD_MAGIC:
        import zstandard

        try:
            return zstandard.ZstdDecompressor().stream_reader(file).read(most)
        except zstandard.ZstdError:
            return b""
    return file.read(most)


def unpack(data: bytes, *, source: str) -> bytes:
    """Undo gzip or Zstandard, recognised by the first bytes; leave anything else as it is."""
    if data.startswith(_GZIP_MAGIC):
        import zlib

        return gathered(_unpacked(data, lambda: zlib.decompressobj(wbits=31), zlib.error, "gzip", source), source)
    if data.startswith(_ZSTD_MAGIC):
        import zstandard

        new = zstandard.ZstdDecompressor().decompressobj
        return gathered(_unpacked(data, new, zstandard.ZstdError, "zstd", source), source)
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
                problem = f"the {kind} file is damaged ({error}); download or create it again"
                raise InputError(problem, source=source) from None
            at += len(piece) - len(frame.unused_data)
        if not frame.eof:
            raise InputError(f"the {kind} file is cut short; download or create it again", source=source)
        while kind == "gzip" and data[at : at + 1] == b"\0":  # gzip fills blocks up with zeros
            at += 1


def pack(data: bytes, name: str) -> bytes:
    """Pack what a file of this name is to hold."""
    suffix = split_packed(name)[1]
    if suffix == ".gz":
        import gzip

        return gzip.compress(data, compresslevel=6, mtime=0)
    if suffix == ".zst":
        import zstandard

        return zstandard.ZstdCompressor().compress(data)
    return data


def gathered(parts: Iterable[bytes], source: str) -> bytes:
    """Put the parts of a content together while there is memory for what is to be made of it."""
    held: list[bytes] = []
    size = asked = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size - asked >= CHUNK:
            require(TIMES_ITS_SIZE * size, "what it holds", source=source)
            asked = size
    return b"".join(held)

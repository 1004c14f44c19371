"""The native road: `native.c`, called where it was compiled; whoever calls it has another road, for what it declines.

It is compiled when the package is installed, if there is a compiler, and is then a library next to this module. One
that was made of another source than the one that lies there is not taken, as after a change to the sources of an
editable install. ``CRANFIELD_NATIVE=0`` in the environment turns it off.
"""

from __future__ import annotations

import ctypes
import os
import weakref
import zlib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.threads import stop_if_unwanted

NATIVE_VARIABLE: Final = "CRANFIELD_NATIVE"
"""The environment variable that turns it off, where it is 0."""

SOURCE: Final = Path(__file__).with_name("native.c")
LIBRARY: Final = Path(__file__).with_name("_native.abi3.so")

_Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

_DONE, _MORE = 0, 1
_KINDS: Final = (np.int32, np.int64, np.int32, np.int32, np.int32)  # of the arrays that `rank` gives
_PIECE: Final = 1 << 22  # Bytes that are read before signals are looked at, which takes some hundredths of a second
_MANY_TOPICS: Final = 20_000  # to make a dict for each of more takes longer than a table
_SECRETS: Final = tuple(int.from_bytes(os.urandom(8), "little") for _ in range(2))
"""What hashes follow from: drawn once a process, since an index that was made with others finds nothing any more."""
_SHORTEST_OF_A_RUN, _SHORTEST_OF_QRELS = len("1 0 d 1 1 t\n"), len("1 0 d 1\n")


def library() -> ctypes.CDLL | None:
    """Give the compiled library; None where there is none, it is turned off, or it is of another source."""
    return None if os.environ.get(NATIVE_VARIABLE) == "0" else _loaded()


def state() -> str:
    """Say whether it is there."""
    if os.environ.get(NATIVE_VARIABLE) == "0":
        return f"turned off ({NATIVE_VARIABLE}=0)"
    return "there" if _loaded() else "out of date" if LIBRARY.exists() else "not compiled"


@cache
def _loaded() -> ctypes.CDLL | None:
    try:
        found = ctypes.CDLL(str(LIBRARY))
        found.cranfield_digest.restype = ctypes.c_char_p
        if found.cranfield_digest() != b"%08x" % zlib.crc32(SOURCE.read_bytes()):  # sha256 takes 2 ms to load
            return None
    except (OSError, AttributeError):  # not there, or something else of this name
        return None
    text, pointer = (ctypes.c_char_p, ctypes.c_size_t), ctypes.c_void_p
    found.cranfield_number.argtypes = *text, ctypes.POINTER(ctypes.c_double)
    found.cranfield_judgments.argtypes = *text, pointer, ctypes.c_size_t
    found.cranfield_judgments.restype = pointer
    found.cranfield_fill.argtypes = pointer, pointer
    found.cranfield_forget.argtypes, found.cranfield_forget.restype = (pointer,), None
    found.cranfield_run_begin.argtypes, found.cranfield_run_begin.restype = (pointer,), pointer
    found.cranfield_run_end.argtypes, found.cranfield_run_end.restype = (pointer,), None
    size = ctypes.c_size_t
    found.cranfield_run.argtypes = pointer, pointer, pointer, *text, size, ctypes.c_int, ctypes.POINTER(_Run)
    found.cranfield_qrels.argtypes = *text, size, ctypes.POINTER(_Qrels)
    found.cranfield_secret.argtypes, found.cranfield_secret.restype = (ctypes.c_uint64, ctypes.c_uint64), None
    found.cranfield_secret(*_SECRETS)
    return found


@cache
def _ranker() -> Any:
    """Give the function that ranks runs in memory; None where the library has none: it was compiled without Python."""
    loader = ExtensionFileLoader("cranfield.formats._native", str(LIBRARY))
    try:
        module = loader.create_module(ModuleSpec(loader.name, loader, origin=loader.path))
        loader.exec_module(module)
        return module.rank
    except (ImportError, AttributeError):
        return None


class _Run(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("code", "length", "name", "size", "own", "topic", "rank", "judgment")),
        *((name, ctypes.c_int64) for name in ("topics", "cells", "tied", "excluded", "beyond_ascii")),
    )


class _Qrels(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("length", "name", "size", "ids", "label")),
        *((name, ctypes.c_int64) for name in ("stretches", "lines", "ids_size", "at")),
    )


_OF_TOPICS: Final = {"length": np.int64, "name": np.int64, "size": np.int64, "code": np.int32, "own": np.uint8}


def _larger(topics: _Arrays, run: _Run, more: int) -> _Arrays:
    """See that there is room for this many more topics than were found."""
    needed = run.topics + more
    if needed > len(topics["code"]):
        room = max(needed, 2 * len(topics["code"]))
        grown: _Arrays = {name: np.empty(room, kind) for name, kind in _OF_TOPICS.items()}
        for name, array in grown.items():
            array[: run.topics] = topics[name][: run.topics]
            setattr(run, name, array.ctypes.data)
        return grown
    return topics


def _addresses(arrays: _Arrays) -> dict[str, int]:
    return {name: array.ctypes.data for name, array in arrays.items()}


def _is_text(data: bytes) -> bool:
    """Say whether bytes are UTF-8, without the mark that some begin with."""
    if data.isascii():
        return True
    try:
        return not data.decode().startswith("\ufeff")
    except UnicodeDecodeError:
        return False


class Joined(NamedTuple):
    """A run that was read, ranked and looked up."""

    code: Integers
    length: Integers
    """Of each topic that is judged, in the order of the file, its code and how many documents it has."""
    topic: Integers
    rank: Integers
    judgment: Integers
    """Of each judged document, topic by topic and by rank: the code of the topic, its rank, its judgment's place."""
    extra: tuple[str, ...]
    """The topics that are not judged."""
    tied: int
    """How many documents share their score with another of a judged topic."""
    own: list[int]
    """The codes of the topics that have a document of their own id."""
    excluded: int
    """How many documents were passed over."""


class Ranked(NamedTuple):
    """A run in memory that was ranked and looked up, as in `Joined`."""

    code: Integers
    length: Integers
    topic: Integers
    rank: Integers
    judgment: Integers
    extra: list[str]
    empty: list[str]
    own: list[str]
    """The topics that are not judged; that have no document; that have a document of their own id."""
    tied: int


class NativeIndex:
    """Topics and judged documents, in which the library looks the documents of runs up."""

    def __init__(self, library: ctypes.CDLL, handle: int, judgments: int) -> None:
        self._library, self._handle, self._judgments = library, handle, judgments
        weakref.finalize(self, library.cranfield_forget, handle)

    @classmethod
    def of(cls, documents: Mapping[str, Sequence[str]]) -> NativeIndex | None:
        """Make one of the ids of judged documents by topic; None without the library, or for ids of several lines."""
        try:
            lines = "\n".join(chain(documents, *documents.values())).encode()
        except UnicodeEncodeError:
            return None
        return cls.of_lines(lines, np.array([len(ids) for ids in documents.values()], np.int64))

    @classmethod
    def of_lines(cls, lines: bytes, many: Integers) -> NativeIndex | None:
        """Make one of lines: the topics, then the documents of each, in these numbers; none of them twice."""
        there = library()
        if there is None:
            return None
        handle, done = there.cranfield_judgments(lines, len(lines), many.ctypes.data, len(many)), _MORE
        if not handle:
            return None
        made = cls(there, handle, int(many.sum()))
        while done == _MORE:
            done = there.cranfield_fill(handle, many.ctypes.data)
            stop_if_unwanted()
        return made if done == _DONE else None

    def join(self, data: bytes, *, in_32_bits: bool, excluded: NativeIndex | None = None) -> Joined | None:
        """Read a run, rank it by its scores (as 32 bits hold them, if need be), and look its documents up.

        Documents that are ``excluded``, an index of the same topics, are passed over.
        """
        of_cells: _Arrays = {name: np.empty(self._judgments, np.int32) for name in ("topic", "rank", "judgment")}
        topics: _Arrays = {name: np.empty(0, kind) for name, kind in _OF_TOPICS.items()}
        run = _Run(**_addresses(of_cells))
        passed_over = None if excluded is None else excluded._handle
        handle, done = self._library.cranfield_run_begin(self._handle), _MORE
        try:
            while done == _MORE:
                topics = _larger(topics, run, min(len(data), _PIECE) // _SHORTEST_OF_A_RUN + 2)
                done = self._library.cranfield_run(
                    handle, self._handle, passed_over, data, len(data), _PIECE, in_32_bits, run
                )
                stop_if_unwanted()
        finally:
            self._library.cranfield_run_end(handle)
        if done != _DONE or not run.topics or (run.beyond_ascii and not _is_text(data)):
            return None
        arrays = topics | of_cells
        code, length, name, size, own = (arrays[of][: run.topics] for of in ("code", "length", "name", "size", "own"))
        topic, rank, judgment = (arrays[of][: run.cells].copy() for of in ("topic", "rank", "judgment"))
        known = code >= 0
        unknown = zip(name[~known].tolist(), size[~known].tolist(), strict=True)
        extra = tuple(data[at : at + many].decode() for at, many in unknown)
        if len(set(extra)) < len(extra):  # a topic comes back
            return None
        return Joined(
            code[known].astype(np.int64), length[known], topic, rank, judgment, extra, run.tied,
            own=code[known & (own > 0)].tolist(), excluded=run.excluded,
        )  # fmt: skip

    def rank(self, nested: Mapping[str, Collection[object]], *, in_32_bits: bool) -> Ranked | None:
        """Rank ``{topic: {document: score}}`` or lists of documents; None where anything is out of the ordinary."""
        ranker = _ranker() if nested else None
        found = None if ranker is None else ranker(self._handle, nested, in_32_bits, stop_if_unwanted)
        if found is None:
            return None
        *arrays, extra, empty, own, tied = found
        code, length, topic, rank, judgment = map(np.frombuffer, arrays, _KINDS)
        return Ranked(code, length, topic, rank, judgment, extra, empty, own, tied)


class ReadQrels(NamedTuple):
    """Qrels that were read, in stretches of lines that have the same topic."""

    topics: list[str]
    length: Integers
    """Of each stretch its topic, and how many lines it has."""
    ids: bytes
    """The ids of the documents, a line each."""
    label: Floats
    """Of each line, the label."""

    def indexed(self) -> NativeIndex | None:
        """Make the index of the documents; None where a topic comes back, or has a document twice."""
        if len(set(self.topics)) < len(self.topics):
            return None
        return NativeIndex.of_lines("\n".join(self.topics).encode() + b"\n" + self.ids, self.length)

    def nested(self) -> dict[str, dict[str, float]] | None:
        """Give them as dicts; None where a topic has a document twice."""
        ids, labels = self.ids.decode().split("\n"), self.label.tolist()
        nested: dict[str, dict[str, float]] = {}
        line = 0
        for topic, length in zip(self.topics, self.length.tolist(), strict=True):
            end = line + length
            nested.setdefault(topic, {}).update(zip(ids[line:end], labels[line:end], strict=True))
            line = end
        return nested if sum(map(len, nested.values())) == line else None


def native_qrels(data: bytes) -> ReadQrels | None:
    """Read qrels; None where the library is not there, or anything is out of the ordinary."""
    there = library()
    if there is None or not _is_text(data):
        return None
    lines = len(data) // _SHORTEST_OF_QRELS + 1
    arrays: _Arrays = {name: np.empty(lines, np.int64) for name in ("length", "name", "size")}
    arrays |= {"label": np.empty(lines), "ids": np.empty(len(data) + 1, np.uint8)}
    qrels = _Qrels(**_addresses(arrays))
    while (done := there.cranfield_qrels(data, len(data), _PIECE, qrels)) == _MORE:
        stop_if_unwanted()
    if done != _DONE or not 0 < qrels.stretches <= _MANY_TOPICS:
        return None
    names = zip(*(arrays[of][: qrels.stretches].tolist() for of in ("name", "size")), strict=True)
    return ReadQrels(
        [data[at : at + many].decode() for at, many in names],
        arrays["length"][: qrels.stretches].copy(),
        arrays["ids"][: qrels.ids_size - 1].tobytes(),
        arrays["label"][: qrels.lines].copy(),
    )

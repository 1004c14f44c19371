"""What holds records of questions, whatever it is: JSON, JSON lines, Parquet, a table with lists in cells, a frame."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from math import isnan
from typing import Any, Final, TypeAlias

import numpy as np

from cranfield.formats import delimited, files, frames, json_text, parquet
from cranfield.formats.golden_shapes import NOT_TOPICS
from cranfield.formats.optional import library
from cranfield.formats.text import LOOKED_AT, decodable, without_mark
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import Frame

GoldenLike: TypeAlias = files.FilePath | Frame | Iterable[Any] | Mapping[str, Any]
"""A golden set: a file, or what it holds."""
_FIRST_KEY: Final = re.compile(rb'\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*([^\s])')
_LISTED: Final = re.compile(rb'(?:^|[,;\t])"?\[')  # A row of a table with a list in a cell
_WITHOUT_COMMAS: Final = re.compile(r"""['"]\s+['"]|\d\s+\d""")


def held(given: GoldenLike) -> object:
    """Return what a file or a frame holds, as dicts and lists."""
    if isinstance(given, str | os.PathLike):
        return parsed_records(files.read_bytes(given), files.called(given))
    if frames.is_frame(given):
        return rows_of(given)
    if isinstance(given, Mapping):
        return given
    if not isinstance(given, Iterable):
        raise InputError(f"a golden set is a file, records or a frame, not {shown(given)}")
    return list(given)


def may_hold(data: bytes) -> bool:
    """Say whether these bytes may hold records, by how they begin."""
    return data.startswith(b"PAR1") or _begins_as_json(data) or _has_lists(data)


def _begins_as_json(data: bytes) -> bool:
    return without_mark(data[:64]).lstrip()[:1] in {b"{", b"["}


def _has_lists(data: bytes) -> bool:
    """Say whether a table in text has a list in its first row."""
    header, _, rows = data[:LOOKED_AT].partition(b"\n")
    separated = any(each in header for each in (b",", b";", b"\t")) and not _begins_as_json(data)
    return separated and _LISTED.search(rows.partition(b"\n")[0]) is not None


def first_records(data: bytes, *, named: bool) -> object:
    """Parse the first record of a list or of lines, or an object that may be one or hold them; else nothing."""
    if data.startswith(b"PAR1"):
        return rows_of(parquet.table(data, source=""), 1) if named or parquet.has_lists(data, source="") else []
    if _has_lists(data):
        return _of_cells(data[:LOOKED_AT].decode(errors="ignore"), "", most=1)
    text = without_mark(data).lstrip()
    if text[:1] == b"[":
        return [_first_of(text[1:])]
    line, _, others = text.partition(b"\n")
    if others.strip():
        try:
            return [json.loads(line)]
        except ValueError:
            pass  # one object on several lines
    key = _FIRST_KEY.match(text)
    plain = key is None or (key[2] in b"{[" and key[1].decode(errors="replace") not in NOT_TOPICS)
    if plain and not named and len(text) > LOOKED_AT:
        return None
    found = json_text.parsed(text, "", texts=True)
    kinds = set(map(type, found.values())) if isinstance(found, Mapping) else set[type]()
    return [found] if str in kinds and not kinds.isdisjoint({list, dict}) else found  # no topic has a text


def _first_of(text: bytes) -> object:
    """Parse the first value of a list, of which no more than it takes is looked at."""
    for most in (LOOKED_AT, 64 * LOOKED_AT, len(text)):
        try:
            return json.JSONDecoder().raw_decode(text[:most].decode(errors="ignore").lstrip())[0]
        except ValueError:
            if most >= len(text):
                break
    return None


def parsed_records(data: bytes, source: str) -> object:
    """Return what a file holds, as dicts and lists."""
    if data.startswith(b"PAR1"):
        return rows_of(parquet.table(data, source=source))
    if _has_lists(data):
        return _of_cells(decodable(data, source=source).decode(), source)
    return json_text.parsed(data, source, texts=True)


def _of_cells(text: str, source: str, most: int | None = None) -> list[dict[str, Any]]:
    """Give the rows of a table with lists in its cells as records."""
    separator, names = delimited.split_header(text.encode())
    rows = islice(delimited.rows(text, separator, source=source), 1, None if most is None else most + 1)
    return [{name: _list_in(cell, source, line) for name, cell in zip(names, row, strict=False)} for line, row in rows]


def _list_in(cell: str, source: str, line: int) -> Any:
    """Read the list in a cell, as JSON or Python writes it; any other cell is a text, and an empty one is nothing."""
    if not cell.startswith("["):
        return cell or None
    if not source:  # it is only looked at
        return [_WITHOUT_COMMAS.sub("", cell)]
    try:
        if not _WITHOUT_COMMAS.search(cell):
            return json.loads(cell)
    except ValueError:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return ast.literal_eval(cell)
    raise InputError(
        f"{shown(cell)} is no list with commas: write JSON lines, df.to_json(FILE, orient='records', lines=True)",
        source=source,
        line=line,
    )


def nested_columns(frame: Frame) -> list[str]:
    """Name the columns of a frame that hold lists or objects."""
    narwhals = library("narwhals.stable.v2")
    kinds = (narwhals.List, narwhals.Array, narwhals.Struct, narwhals.Object)
    return [name for name, dtype in frames.clothed(frame).collect_schema().items() if isinstance(dtype, kinds)]


def rows_of(frame: Frame, most: int | None = None) -> list[dict[str, Any]]:
    """Give the rows of a frame as records."""
    narwhal = frames.clothed(frame)
    rows = (narwhal if most is None else narwhal.head(most)).lazy().collect().rows(named=True)
    return [{name: _plain(value) for name, value in row.items()} for row in rows]


def _plain(value: Any) -> Any:
    """Give a cell as JSON would have it: arrays as lists, and what is missing as nothing."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    missing = type(value).__name__ in {"NAType", "NaTType"} or (isinstance(value, float) and isnan(value))
    return None if missing else value

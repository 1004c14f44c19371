"""JSON: dicts as ranx and many scripts write them, ``{topic: {document: value}}``, and lists of records."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from cranfield.formats import dicts, frames, mteb_predictions, neighbours
from cranfield.formats.columns import Kind
from cranfield.formats.format import Format
from cranfield.formats.records import placed
from cranfield.formats.runs import from_memory
from cranfield.formats.text import DEEPEST_NESTING, LOOKED_AT, decodable, require_care, too_deep
from cranfield.formats.trec import best_first
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import NO_TEXT, storable
from cranfield.plumbing.tables import STRATUM, SUBTOPIC

if TYPE_CHECKING:
    import polars as pl

    from cranfield.plumbing.tables import Frame

_BEGINS: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:)|\[\s*[\[{])')
"""An object, or a list of objects or lists."""
_OF_ONE_RUN: Final = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*(?:\[|\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:[^{\s]|\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^\[{\s]))'
)
"""A list, or an object whose first value is no object, or one with a first value that is neither object nor list."""
_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")
"""What may be half a character, or one of the two halves of a whole one."""


def recognises(data: bytes, name: str) -> bool:
    """Say whether a file begins as an object, or a list of them, or is called ``.json``."""
    return name.casefold().endswith(".json") or _BEGINS.match(data, 0, LOOKED_AT) is not None


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a run or qrels from JSON: what Python's dicts and lists may be; a row's number, from 1, is its line."""
    found = _plain(parsed(data, source), kind, source)
    if isinstance(found, Mapping):
        table = dicts.judgments_of(found, kind, source=source)
    elif isinstance(found, list):
        table = dicts.from_tuples(found, kind, source=source)
    else:
        table = frames.read(cast("Frame", found), kind, source=source)
    return from_memory(table, kind, source, rank=rank, lines=lines)


def read_small(data: bytes, kind: Kind) -> Mapping[str, Mapping[str, float]] | None:
    """Read dicts of dicts of numbers as they are; None for anything else."""
    try:
        given = parsed(data, "")
    except InputError:  # which is said when it is read with its name
        return None
    if not isinstance(given, Mapping) or not given or not dicts.is_plain(given):
        return None
    values = [value for documents in given.values() for value in documents.values()]
    whole, numbers = all(given.values()) or kind.is_qrels, {*map(type, values)} <= {int, float}
    usual = whole and numbers and all(abs(value) < 2.0**53 for value in values)  # larger ones are not themselves
    return given if usual else None


def lists(data: bytes, kind: Kind, *, source: str) -> Mapping[str, Mapping[Any, Any]] | None:
    """Read ``{name: {topic: documents}}``; None for anything else, most of which is recognised by its beginning."""
    alone = _OF_ONE_RUN.match(data, 0, LOOKED_AT) and not mteb_predictions.begins_as_predictions(data)
    if alone or not _BEGINS.match(data, 0, LOOKED_AT):
        return None
    found = _plain(parsed(data, source), kind, source)
    if not isinstance(found, Mapping) or not dicts.names_runs(found, kind):
        return None
    with placed(source):
        runs = {name: neighbours.plain(run, kind) for name, run in found.items()}
    strange = next((name for name, run in runs.items() if not isinstance(run, Mapping)), None)
    if strange is not None:
        raise InputError(f"the run {strange!r} is not {{topic: documents}}, unlike the others", source=source)
    return cast("Mapping[str, Mapping[Any, Any]]", runs)


def empty_topics(data: bytes, kind: Kind, *, source: str) -> tuple[str, ...]:
    """Name the topics that have no document."""
    given = parsed(data, source)
    found = _plain(given, kind, source) if isinstance(given, Mapping) else given
    return dicts.empty_topics(found, source=source) if isinstance(found, Mapping) else ()


def _plain(given: object, kind: Kind, source: str) -> neighbours.Shape:
    with placed(source):
        return neighbours.plain(given, kind)


def parsed(data: bytes, source: str, *, texts: bool = False) -> Any:
    """Parse the file: one value, or an object in each line. See `loads`."""
    whole, values = _values(data, source, texts=texts)
    return values[0][1] if whole else [value for _, value in values]


def numbered(data: bytes, *, source: str, texts: bool = False) -> list[tuple[int, Any]]:
    r"""Return the objects of a file with their lines: one object, a list of them, or one per line; see `loads`.

    Objects of a list have the line on which the list begins.

    >>> numbered(b'{"a": 1}\n\n{"a": 2}\n', source="log.jsonl"), numbered(b'[{"a": 1}]', source="log.json")
    ([(1, {'a': 1}), (3, {'a': 2})], [(1, {'a': 1})])
    """
    whole, values = _values(data, source, texts=texts)
    if whole and isinstance(values[0][1], list):
        return [(1, value) for value in values[0][1]]
    return values


def _values(data: bytes, source: str, *, texts: bool) -> tuple[bool, list[tuple[int, Any]]]:
    """Parse the file: whether it is one value, and its values, each with its line."""
    data = decodable(data, source=source)
    require_care(data, source=source)
    if not data.strip():
        raise InputError("is empty", source=source)
    if _in_lines(data):
        lines = enumerate(data.split(b"\n"), start=1)
        return False, [(number, line_of(line, number, source, texts=texts)) for number, line in lines if line.strip()]
    try:
        return True, [(1, loads(data, texts=texts))]
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", source=source, line=error.lineno) from None
    except ValueError as error:
        raise InputError(f"not readable as JSON ({error})", source=source) from None


def _in_lines(data: bytes) -> bool:
    """Say whether each line is a value of its own: the first of several is."""
    first, _, others = data.strip().partition(b"\n")
    try:
        if others:
            json.loads(first)
        return bool(others)
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):  # which will be said with its line
        return True


def line_of(line: str | bytes, number: int, source: str, *, texts: bool = False) -> Any:
    """Parse a line of a file, which the error names. See `loads`."""
    try:
        return loads(line, texts=texts)
    except ValueError as error:
        problem = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise InputError(f"not JSON ({problem})", source=source, line=number) from None


def loads(text: str | bytes, *, texts: bool = False) -> Any:
    """Parse JSON that is not nested too deep and has no key twice in an object; a ValueError says what is wrong."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if too_deep(data):
        raise ValueError(f"lists or objects are nested more than {DEEPEST_NESTING} deep")
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise ValueError(str(error).partition(";")[0]) from None
    except RecursionError:  # called deep within something else
        raise ValueError("lists or objects are nested too deep") from None
    if _HALF.search(data) and (half := NO_TEXT.search(json.dumps(found, ensure_ascii=False))):
        if not texts:
            raise ValueError(f"{storable(half[0])} is half a character and cannot be part of an id")
        return _storable(found)
    return found


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {storable(name): _storable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_storable(each) for each in value]
    return storable(value) if isinstance(value, str) else value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that an object has twice, of which Python would keep the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{next(key for key in found if keys.count(key) > 1)!r} occurs twice in one object")
    return found


def write(table: pl.DataFrame, kind: Kind, *, source: str, name: str) -> bytes:
    """Write ``{topic: {document: value}}``, the best documents of a run first."""
    for column, what in ((STRATUM, "strata"), (SUBTOPIC, "subtopics")):
        if column in table.columns:
            raise InputError(f"{what} do not fit JSON; write .txt, .csv or .parquet", source=source)
    nested = dicts.to_dict(best_first(table) if kind.is_run else table)
    try:
        return (json.dumps(nested, ensure_ascii=False, allow_nan=False) + "\n").encode()
    except ValueError:
        raise InputError("an infinite score does not fit JSON; write .txt, .csv or .parquet", source=source) from None


FORMAT: Final = Format(
    "JSON",
    recognises=recognises,
    read=read,
    write=write,
    suffixes=(".json",),
    read_small=read_small,
    empty_topics=empty_topics,
    lists=lists,
    text=False,
)

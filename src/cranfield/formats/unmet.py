"""Names of a user's own that no input has: a slip of the pen, which is reported before any work is done."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, TypeVar, cast

from cranfield.formats import delimited, files, frames, hits, json_text, parquet
from cranfield.formats.golden import GoldenSet
from cranfield.formats.records import at
from cranfield.formats.runs import Runs
from cranfield.formats.text import LOOKED_AT
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.naming import Naming, OwnNames
from cranfield.plumbing.options import Taken
from cranfield.plumbing.wording import did_you_mean, some_of

_T = TypeVar("_T", bound=Mapping[str, Any])

_RECORDS: Final = 100  # This many records are looked at: a part that none of them has is nowhere
_DEEPEST: Final = 5
_UNKNOWN: Final = object()  # Stands for an input that cannot be looked at without reading it away


def settle(options: _T, *inputs: object) -> _T:
    """Refuse names among options that none of the inputs has; the options come back with names that are settled.

    >>> settle({"columns": {"query_id": "serch"}}, [{"search": "1", "url": "a"}])
    Traceback (most recent call last):
    ...
    cranfield.InputError: no column 'serch' (query_id) in any input; did you mean `search`?; found: search, url
    """
    asked = {name: options.get(name) for name in ("columns", "fields")}
    if all(names is None for names in asked.values()):
        return options
    naming = settled(Naming.of(**asked), *inputs)
    return cast("_T", {**options, "columns": naming.columns or None, "fields": naming.fields or None})


def settled(naming: Naming, *inputs: object) -> Naming:
    """Return the names as ones that are settled; one that none of the inputs has is refused."""
    if naming and not (naming.columns.settled and naming.fields.settled):
        held = [one for given in inputs for one in _held(given, 0)]
        for names in () if any(one is _UNKNOWN for one in held) else naming:
            _refuse(names, held)
    return Naming(naming.columns.as_settled(), naming.fields.as_settled())


def _refuse(names: OwnNames, held: list[object]) -> None:
    there = list(dict.fromkeys(str(name) for one in held if isinstance(one, tuple | Mapping) for name in one))
    for ours, several in names.names.items():
        for theirs in several:
            if not any(_has(one, theirs) for one in held):
                meant = did_you_mean(theirs, there)
                noun = names.parameter.removesuffix("s")
                raise InputError(f"no {noun} {theirs!r} ({ours}) in any input{meant}; found: {some_of(there, 12)}")


def _has(one: object, name: str) -> bool:
    there = {str(each).strip().casefold() for each in one} if isinstance(one, tuple | Mapping) else set[str]()
    if name.strip().casefold() in there:
        return True
    if isinstance(one, tuple):  # a cell may hold objects
        return name.partition(".")[0].strip().casefold() in there
    found = at(one, name, into_lists=True) if isinstance(one, Mapping) else hits.at(one, name)
    return any(each is not None for each in (found if isinstance(found, list) else [found]))


def _held(given: Any, depth: int) -> Iterator[object]:
    """Give what an input holds, as far as it has names: columns in a tuple, and records."""
    if given is None or depth > _DEEPEST or frames.is_series(given):
        return
    if isinstance(given, str | os.PathLike):
        if depth <= 1:
            yield from _of_paths(given)
        elif files.is_there(os.fspath(given)):
            yield _UNKNOWN
    elif frames.is_frame(given):
        yield tuple(frames.clothed(given).collect_schema().names())
    elif isinstance(given, Mapping):
        yield given
        yield from _of_each(given.values(), depth)
    elif isinstance(given, list | tuple):
        yield from _of_each(given, depth)
    elif isinstance(given, GoldenSet | Runs | Taken | Iterator) or files.is_open(given):
        yield _UNKNOWN
    elif not isinstance(given, int | float | bytes | set | frozenset):
        yield given if depth else _UNKNOWN


def _of_each(several: Iterable[object], depth: int) -> Iterator[object]:
    for one in islice(several, _RECORDS):
        yield from _held(one, depth + 1)


def _of_paths(given: str | os.PathLike[str]) -> Iterator[object]:
    _, path = files.named(given)
    try:
        for file in [path] if path == files.STANDARD_STREAM else files.expand([path]):
            yield from _of_file(file)
    except InputError:  # which whoever reads it says better
        return


def _of_file(path: files.FilePath) -> Iterator[object]:
    if files.is_stream(path) or files.is_folder(path):
        yield _UNKNOWN
        return
    data = files.read_head(path, LOOKED_AT)
    name = files.unpacked_name(path)
    if parquet.recognises(data, name):
        yield tuple(parquet.names(files.read_bytes(path), source=files.called(path)))
    elif json_text.recognises(data, name):
        whole = data if len(data) < LOOKED_AT else data[: data.rfind(b"\n") + 1]
        try:
            yield from _of_each([json.loads(line) for line in whole.split(b"\n") if line.strip()], 1)
        except ValueError:  # no lines, but one value
            yield from _held(json_text.parsed(files.read_bytes(path), files.called(path), texts=True), 2)
    else:
        columns = delimited.names(data, source=files.called(path))
        words = columns[0].split() if len(columns) == 1 else columns
        plain = not any(word.lstrip("-").replace(".", "").isdigit() for word in words)
        # In a table of scores, topics may be called by numbers; and without names columns are called by their places.
        yield tuple(words) if plain else (*words, *map(str, range(1, len(words) + 1))) if len(columns) > 1 else ()

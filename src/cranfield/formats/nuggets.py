"""Nuggets as JSON lines: what an answer has to say, and the documents that say it.

A line is one nugget: ``{"topic": "q1", "nugget": "q1_2", "documents": ["d7"], "vital": true, "weight": 2}``.
``documents`` may also say the grades, ``{"d7": 2, "d9": 0}``, and may be empty: nobody found a document
that holds the nugget. A line may be a topic instead, with all of its ``nuggets``, as FreshStack
publishes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from cranfield.formats.columns import Kind, tidy
from cranfield.formats.format import Format
from cranfield.formats.json_text import parsed
from cranfield.formats.records import RecordPart, filled, placed
from cranfield.formats.runs import from_memory
from cranfield.formats.text import LOOKED_AT
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import (
    DOCUMENT,
    LINE,
    QRELS_EXTRAS,
    QUERY,
    RELEVANCE,
    RUN_COLUMNS,
    SUBTOPIC,
    VITAL,
    WEIGHT,
)

_LIST: Final = "nuggets"
_IMPORTANCE: Final = {"vital": True, "okay": False}


def _graded(documents: Any, grade: int) -> dict[str, Any]:
    """Give documents with their grades, whether they are listed or graded."""
    if isinstance(documents, list) and all(isinstance(each, str | int) for each in documents):
        return {str(each): grade for each in documents}
    if isinstance(documents, Mapping) and all(isinstance(each, int | float) for each in documents.values()):
        return dict(documents)
    raise InputError(_NO_DOCUMENTS)


def _name(name: Any, refusal: str) -> str:
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise InputError(refusal)
    return str(name)


def _vital(said: Any) -> bool:
    """Say whether a nugget is vital: by ``vital``, or ``importance`` as TREC has it."""
    if isinstance(said, bool):
        return said
    if not isinstance(said, str) or said not in _IMPORTANCE:
        raise InputError(f"vital must be true or false, not {said!r} (or importance 'vital' or 'okay')")
    return _IMPORTANCE[said]


def _named(what: str, names: tuple[str, ...], but: int = 0) -> RecordPart:
    """Declare the name of something; the last names that it is known as are those of an object in a list alone."""
    refusal = f"names no {what} (known as {', '.join(names)})"
    return RecordPart(names[: len(names) - but], partial(_name, refusal=refusal), refusal)


_DOCUMENT_NAMES: Final = ("documents", "docs", "document_ids", "doc_ids", "relevant_corpus_ids")
_NO_DOCUMENTS: Final = "documents must be a list of ids, or {id: grade}"
_NUGGET_NAMES: Final = (*QRELS_EXTRAS[SUBTOPIC], "_id", "id", "text")
_TOPIC: Final = _named("topic", RUN_COLUMNS[QUERY])
_LISTED: Final = _named("nugget", _NUGGET_NAMES)
_ALONE: Final = _named("nugget", _NUGGET_NAMES, but=3)
_DOCUMENTS: Final = RecordPart(_DOCUMENT_NAMES, partial(_graded, grade=1), _NO_DOCUMENTS)
_OTHERS: Final = filled(("non_relevant_corpus_ids",), partial(_graded, grade=0))
_VITAL: Final = RecordPart((VITAL, "importance"), _vital)
_PERHAPS: Final = re.compile(
    rb'\s*(?:\xef\xbb\xbf)?\s*\[?\s*\{.*?"(?:' + "|".join((*_DOCUMENT_NAMES, _LIST)).encode() + rb')"\s*:', re.DOTALL
)


def recognises(data: bytes, name: str) -> bool:
    """Say whether the first object of a file is a nugget, or a topic with its nuggets."""
    if not _PERHAPS.match(data, 0, LOOKED_AT):
        return False
    try:
        first, _ = json.JSONDecoder().raw_decode(
            data.decode("utf-8-sig", "replace").lstrip().removeprefix("[").lstrip()
        )
    except (ValueError, RecursionError):
        return False
    if not isinstance(first, Mapping) or _TOPIC.found(first)[1] is None:
        return False
    several = first.get(_LIST)
    if several is not None:
        return isinstance(several, list) and all(isinstance(each, Mapping) for each in several)
    return _ALONE.found(first)[1] is not None and isinstance(_DOCUMENTS.found(first)[1], list | dict)


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read nuggets as judgments by subtopic; a nugget that no document holds has a row without document."""
    if kind.value != RELEVANCE:
        raise InputError("holds nuggets, which are judgments: give them first, then the runs", source=source)
    given, rows = parsed(data, source), []
    for line, item in enumerate(given if isinstance(given, list) else [given], 1):
        with placed(source, line):
            rows += [(*row, line) for row in _rows(item)]
    names = (QUERY, SUBTOPIC, DOCUMENT, RELEVANCE, VITAL, WEIGHT, LINE)
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    said = [name for name in (VITAL, WEIGHT) if any(value is not None for value in columns[name])]
    if WEIGHT in said:
        columns[WEIGHT] = [1.0 if weight is None else weight for weight in columns[WEIGHT]]
    schema = {QUERY: pl.String, SUBTOPIC: pl.String, DOCUMENT: pl.String, LINE: pl.Int64}
    kept = [QUERY, SUBTOPIC, DOCUMENT, RELEVANCE, *said, LINE]
    frame = pl.DataFrame([pl.Series(name, columns[name], dtype=schema.get(name), strict=False) for name in kept])
    return from_memory(tidy(frame, kind, source=source), kind, source, rank=rank, lines=lines)


def _rows(item: Any) -> Iterator[tuple[Any, ...]]:
    """Give the rows of a line: of one nugget, or of all those of a topic."""
    if not isinstance(item, Mapping):
        raise InputError("is not an object: a nugget is {topic, nugget, documents}")
    topic, nuggets = _TOPIC.of(item), item.get(_LIST, [item])
    if not isinstance(nuggets, list):
        raise InputError(f"{_LIST} is not a list")
    for nugget in nuggets:
        if not isinstance(nugget, Mapping):
            raise InputError(f"{_LIST} holds something other than objects: a nugget is {{nugget, documents}}")
        name = (_ALONE if nugget is item else _LISTED).of(nugget)
        documents, others = _DOCUMENTS.of(nugget), _OTHERS.of(nugget) or {}
        held = {**documents, **{each: 0 for each in others if each not in documents}}
        vital, weight = _VITAL.of(nugget), nugget.get(WEIGHT)
        for document, grade in (held or {None: None}).items():
            yield topic, name, document, grade, vital, weight


FORMAT: Final = Format("JSON lines of nuggets", recognises=recognises, read=read, text=False)

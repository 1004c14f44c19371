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
from typing import Any, Final, NoReturn

from cranfield.formats.columns import Kind, tidy
from cranfield.formats.format import Format
from cranfield.formats.json_text import parsed
from cranfield.formats.runs import from_memory
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

_LOOKED_AT: Final = 65_536
_TOPICS: Final = RUN_COLUMNS[QUERY]
_NUGGETS: Final = (*QRELS_EXTRAS[SUBTOPIC], "_id", "id", "text")
_DOCUMENTS: Final = ("documents", "docs", "document_ids", "doc_ids", "relevant_corpus_ids")
_OTHERS: Final = ("non_relevant_corpus_ids",)
_LIST: Final = "nuggets"
_PERHAPS: Final = re.compile(
    rb'\s*(?:\xef\xbb\xbf)?\s*\[?\s*\{.*?"(?:' + "|".join((*_DOCUMENTS, _LIST)).encode() + rb')"\s*:', re.DOTALL
)
_IMPORTANCE: Final = {"vital": True, "okay": False}


def recognises(data: bytes, name: str) -> bool:
    """Say whether the first object of a file is a nugget, or a topic with its nuggets.

    >>> recognises(b'{"topic": "q1", "nugget": "n1", "documents": []}', ""), recognises(b'{"401": {"d7": 1}}', "")
    (True, False)
    """
    del name
    if not _PERHAPS.match(data, 0, _LOOKED_AT):
        return False
    try:
        first, _ = json.JSONDecoder().raw_decode(
            data.decode("utf-8-sig", "replace").lstrip().removeprefix("[").lstrip()
        )
    except (ValueError, RecursionError):
        return False
    if not isinstance(first, Mapping) or _value(first, _TOPICS) is None:
        return False
    several = first.get(_LIST)
    if several is not None:
        return isinstance(several, list) and all(isinstance(each, Mapping) for each in several)
    return _value(first, QRELS_EXTRAS[SUBTOPIC]) is not None and isinstance(_value(first, _DOCUMENTS), list | dict)


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read nuggets as judgments by subtopic; a nugget that no document holds has a row without document.

    >>> from cranfield.formats.columns import QRELS_KIND
    >>> text = b'{"topic": "q1", "nuggets": [{"id": "n1", "documents": ["a"]}, {"id": "n2", "documents": []}]}'
    >>> read(text, QRELS_KIND, source="nuggets.jsonl").rows()
    [('q1', 'a', 1, 'n1'), ('q1', None, None, 'n2')]
    """
    if kind.value != RELEVANCE:
        raise InputError("holds nuggets, which are judgments: they come first, and then the runs", source=source)
    given = parsed(data, source)
    rows = [
        row
        for line, item in enumerate(given if isinstance(given, list) else [given], 1)
        for row in _rows(item, line, source)
    ]
    names = (QUERY, SUBTOPIC, DOCUMENT, RELEVANCE, VITAL, WEIGHT, LINE)
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    said = [name for name in (VITAL, WEIGHT) if any(value is not None for value in columns[name])]
    if WEIGHT in said:
        columns[WEIGHT] = [1.0 if weight is None else weight for weight in columns[WEIGHT]]
    schema = {QUERY: pl.String, SUBTOPIC: pl.String, DOCUMENT: pl.String, LINE: pl.Int64}
    kept = [QUERY, SUBTOPIC, DOCUMENT, RELEVANCE, *said, LINE]
    frame = pl.DataFrame([pl.Series(name, columns[name], dtype=schema.get(name), strict=False) for name in kept])
    return from_memory(tidy(frame, kind, source=source), kind, source, rank=rank, lines=lines)


def _rows(item: Any, line: int, source: str) -> Iterator[tuple[Any, ...]]:
    """Give the rows of a line: of one nugget, or of all those of a topic."""

    def wrong(problem: str) -> NoReturn:
        raise InputError(problem, source=source, line=line)

    if not isinstance(item, Mapping):
        wrong("is no object: a nugget is {topic, nugget, documents}")
    topic = _value(item, _TOPICS)
    if not isinstance(topic, str | int) or isinstance(topic, bool):
        wrong(f"names no topic (known as {', '.join(_TOPICS)})")
    nuggets = item.get(_LIST, [item])
    if not isinstance(nuggets, list):
        wrong(f"{_LIST} is no list")
    for nugget in nuggets:
        if not isinstance(nugget, Mapping):
            wrong(f"{_LIST} holds something that is no object: a nugget is {{nugget, documents}}")
        name = _value(nugget, _NUGGETS if nugget is not item else QRELS_EXTRAS[SUBTOPIC])
        if not isinstance(name, str | int) or isinstance(name, bool):
            wrong(f"names no nugget (known as {', '.join(_NUGGETS)})")
        documents = _graded(_value(nugget, _DOCUMENTS), 1)
        others = _graded(_value(nugget, _OTHERS) or [], 0)
        if documents is None or others is None:
            wrong("documents must be a list of ids, or {id: grade}")
        of = (_vital(nugget, wrong), nugget.get(WEIGHT), line)
        held = documents | {each: 0 for each in others if each not in documents}
        for document, grade in held.items():
            yield (str(topic), str(name), document, grade, *of)
        if not held:
            yield (str(topic), str(name), None, None, *of)


def _value(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Give what an object has under the first of these names."""
    return next((item[name] for name in names if item.get(name) is not None), None)


def _graded(documents: Any, grade: int) -> dict[str, Any] | None:
    """Give documents with their grades; None where they are neither listed nor graded."""
    if isinstance(documents, list) and all(isinstance(each, str | int) for each in documents):
        return {str(each): grade for each in documents}
    if isinstance(documents, Mapping) and all(isinstance(each, int | float) for each in documents.values()):
        return dict(documents)
    return None


def _vital(nugget: Mapping[str, Any], wrong: Any) -> bool | None:
    """Say whether a nugget is vital: by ``vital``, or ``importance`` as TREC has it; None where nobody says."""
    said = nugget.get(VITAL, nugget.get("importance"))
    if said is None or isinstance(said, bool):
        return said
    if not isinstance(said, str) or said not in _IMPORTANCE:
        wrong(f"vital must be true or false, not {said!r} (or importance 'vital' or 'okay')")
    return _IMPORTANCE[said]


def _refuse(table: pl.DataFrame, kind: Kind, *, source: str, name: str) -> bytes:
    del table, kind, name
    raise InputError("nuggets are not written as JSON lines; write .csv or .parquet", source=source)


FORMAT: Final = Format("JSON lines of nuggets", recognises=recognises, read=read, write=_refuse, text=False)

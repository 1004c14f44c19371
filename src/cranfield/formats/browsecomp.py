"""BrowseComp-Plus's ``run_*.json``: what an agent did for one question, its tool calls with their outputs as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from cranfield.formats.records import RecordPart, at, is_number, placed
from cranfield.formats.search_log import LoggedQuestion, LoggedSearch, Read
from cranfield.formats.topic_tables import an_id
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import counted

_READING: Final = "get_document"  # The tool that opens a document by its id
SEARCHING: Final = ("search", "retrieval")  # What the name of a tool that searches holds
_QUERY: Final = RecordPart(("query", "user_query"))
_DOCID: Final = re.compile(r'"docid"\s*:\s*("(?:[^"\\]|\\.)*"|[0-9]+)')


def recognises(first: object) -> bool:
    """Say whether an object is such a record."""
    return isinstance(first, Mapping) and "query_id" in first and isinstance(first.get("result"), list)


def read(objects: Iterable[tuple[str, int | None, Any]]) -> Read:
    """Read records, each with its file and line (None where the file holds one).

    The tool ``get_document`` reads, one with *search* or *retrieval* in its name searches, any other does neither.
    Searches count in the order of ``result``, failed ones included.
    """
    questions, loose, failed, others = [], 0, 0, 0
    for source, line, record in objects:
        with placed(source, line):
            if not recognises(record):
                raise InputError("has no query_id or no list named result, unlike the other records")
            topic = an_id(record["query_id"], "query_id")
            searches, reads = [], 0
            for place, item in enumerate(record["result"]):
                if not isinstance(item, Mapping):
                    raise InputError(f"result[{place}] is not an object")
                kind = _kind(item) if item.get("type") == "tool_call" else ""
                reads += kind == "read"
                others += kind == "other"
                if kind == "search":
                    documents, whole = _documents(item.get("output"), f"result[{place}]")
                    searches.append(LoggedSearch(documents or (), _asked(item.get("arguments")), documents is None))
                    loose += not whole
                    failed += documents is None
            if searches and record.get("retrieved_docids") and not any(search.documents for search in searches):
                raise InputError(
                    "the file does not say which search found what: search outputs are text without document ids, and "
                    "retrieved_docids is unordered"
                )
            questions.append(LoggedQuestion(topic, tuple(searches), (source, line), reads, _tokens(record)))
    return Read(questions, tuple(_notes(loose, failed, others)))


def _notes(loose: int, failed: int, others: int) -> Iterator[str]:
    if failed:
        many = counted(failed, "search", "searches")
        yield f"{many} failed or returned no list of documents: they count as searches without documents"
    if loose:
        yield (
            f"{counted(loose, 'output is', 'outputs are')} not complete JSON: their documents are the docids in the "
            "text, in order"
        )
    if others:
        yield f"{counted(others, 'tool call is', 'tool calls are')} neither a search nor a reading, and not counted"


def _kind(item: Mapping[str, Any]) -> str:
    name = str(item.get("tool_name") or "").casefold()
    if name == _READING:
        return "read"
    if any(word in name for word in SEARCHING):
        return "search"
    if name:
        return "other"
    output = str(item.get("output") or "").lstrip()  # a result without its call: a search returns a list
    return "search" if output.startswith("[") else "read" if output.startswith("{") else "other"


def _asked(arguments: object) -> str | None:
    """Return what was searched for."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    _, found = _QUERY.found(arguments)
    return found if isinstance(found, str) else None


def _documents(output: object, where: str) -> tuple[tuple[str, ...] | None, bool]:
    """Return the documents of an output (None where it has no list of them), and whether it could be read whole."""
    values, whole = _values(output) if isinstance(output, str) else ([output], True)
    hits: list[Any] = [hit for value in values for hit in (value if isinstance(value, list) else [value])]
    if isinstance(output, str) and not whole:
        try:
            named = tuple(str(json.loads(found)) for found in _DOCID.findall(output))
        except ValueError as error:
            raise InputError(f"a docid in {where} is not JSON ({error})") from None
        return (named, False) if named else (None, True)
    if not all(isinstance(hit, Mapping) for hit in hits) or (hits and not any("docid" in hit for hit in hits)):
        return None, True
    return tuple(an_id(hit.get("docid"), f"docid in {where}") for hit in hits), True


def _values(text: str) -> tuple[list[Any], bool]:
    """Read JSON values that follow each other, as some clients join the parts of an output."""
    decoder, place, values = json.JSONDecoder(), 0, []
    text = text.strip()
    try:
        while place < len(text):
            value, place = decoder.raw_decode(text, place)
            values.append(value)
            place += len(text[place:]) - len(text[place:].lstrip())
    except (ValueError, RecursionError):
        return [], False
    return values, bool(values)


def _tokens(record: Mapping[str, Any]) -> float | None:
    """Return what the whole question cost: ``usage`` is of the whole conversation."""
    whole = ("usage.total_tokens",)
    paths = ("usage.input_tokens", "usage.output_tokens") if at(record, *whole) is None else whole
    found = {path: each for path in paths if (each := at(record, path)) is not None}
    for path, each in found.items():
        if not is_number(each) or not 0 <= each < 2**53:
            raise InputError(f"{path} must be a number, 0 or more")
    return sum(found.values(), 0.0) if found else None

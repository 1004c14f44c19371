r"""Topics as people asked them: TREC's markup, two columns, or JSON lines."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from cranfield.formats.files import FilePath, called, read_bytes
from cranfield.formats.text import decodable
from cranfield.plumbing.errors import InputError

_TOPIC: Final = re.compile(r"<(top|topic)\b([^>]*)>(.*?)(?=</\1>|<\1\b|\Z)", re.IGNORECASE | re.DOTALL)
_NUMBER: Final = re.compile(r"""\b(?:number|id)\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_FIELD: Final = re.compile(r"<(\w+)>(.*?)(?=<\w+>|\Z)", re.DOTALL)
_CLOSED: Final = re.compile(r"</\w+>")
_LABEL: Final = re.compile(r"^\s*(?:number|topic|description|narrative)\s*:", re.IGNORECASE)

_IDS: Final = ("num", "number", "query_id", "qid", "topic", "topic_id", "_id", "id")
_TITLES: Final = ("title", "query", "text")
_MORE: Final = ("desc", "description", "question")
_STORIES: Final = ("narr", "narrative")


class Topic(NamedTuple):
    """What somebody wanted to know: in a few words, in a sentence, and what would answer it."""

    title: str
    description: str = ""
    narrative: str = ""


def read_topics(path: FilePath) -> dict[str, Topic]:
    r"""Read topics by their ids, in the order of the file.

    Parameters
    ----------
    path
        TREC's markup (``<top> <num> Number: 301 <title> ... <desc> ... <narr> ...``, tags closed or
        not, or ``<topic number="1"><query>``), lines of an id and a text with a tab between, or JSON
        lines with ``query_id`` and ``title``, ``query`` or ``text``; packed or not.

    Raises
    ------
    InputError
        If it is none of these, or a topic has no id, no words, or appears twice.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"<top>\n<num> Number: 301\n<title> organized crime\n<desc> Description:\nWho?\n</top>")
    ...     _ = file.flush()
    ...     read_topics(file.name)
    {'301': Topic(title='organized crime', description='Who?', narrative='')}
    """
    source = called(path)
    text = decodable(read_bytes(path), source=source).decode()
    found: dict[str, Topic] = {}
    for line, number, topic in _read(text, source):
        if not number or not any(topic):
            problem = "a topic has no id" if not number else f"topic {number!r} has no words"
            raise InputError(problem, source=source, line=line)
        if number in found:
            raise InputError(f"topic {number!r} is there twice", source=source, line=line)
        found[number] = topic
    if not found:
        raise InputError("it contains no topics", source=source)
    return found


def _read(text: str, source: str) -> Iterator[tuple[int, str, Topic]]:
    """Go through the topics: the line, the id, and the words of each."""
    start = text.lstrip()[:1]
    if start == "<":
        return _marked_up(text)
    return _json_lines(text, source) if start == "{" else _columns(text, source)


def _marked_up(text: str) -> Iterator[tuple[int, str, Topic]]:
    for part in _TOPIC.finditer(text):
        fields = {name.lower(): _words(inner) for name, inner in _FIELD.findall(part[3])}
        if number := _NUMBER.search(part[2]):
            fields |= {"num": number[1].strip()}
        yield 1 + text.count("\n", 0, part.start()), *_of(fields)


def _words(inner: str) -> str:
    return " ".join(html.unescape(_LABEL.sub("", _CLOSED.sub(" ", inner))).split())


def _json_lines(text: str, source: str) -> Iterator[tuple[int, str, Topic]]:
    for line, written in enumerate(text.splitlines(), start=1):
        if not written.strip():
            continue
        try:
            row = json.loads(written)
        except ValueError as error:
            raise InputError(f"not JSON ({error})", source=source, line=line) from None
        if not isinstance(row, dict):
            raise InputError(
                f"a topic is an object with query_id and title, not {written[:40]}", source=source, line=line
            )
        yield line, *_of({str(name).lower(): str(value) for name, value in row.items() if value is not None})


def _columns(text: str, source: str) -> Iterator[tuple[int, str, Topic]]:
    for line, written in enumerate(text.splitlines(), start=1):
        if not written.strip():
            continue
        number, tab, words = written.partition("\t")
        if not tab:
            raise InputError(
                f"a topic is an id and a text with a tab between, not {written[:40]!r}", source=source, line=line
            )
        yield line, number.strip(), Topic(" ".join(words.split()))


def _of(fields: dict[str, str]) -> tuple[str, Topic]:
    """Pick the id and the words out of fields that go by several names."""
    number, *words = (
        next((fields[name] for name in names if fields.get(name)), "") for names in (_IDS, _TITLES, _MORE, _STORIES)
    )
    return number, Topic(*words)

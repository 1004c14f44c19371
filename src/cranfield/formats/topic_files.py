r"""Topics as people asked them: TREC's markup, two columns, or JSON lines."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from cranfield.formats.files import FilePath
from cranfield.formats.loading import Loaded, load
from cranfield.formats.text import numbered_lines, without_mark
from cranfield.formats.topic_tables import header, names_topics
from cranfield.plumbing.options import shown
from cranfield.plumbing.wording import counted

_TOPIC: Final = re.compile(r"<(top|topic)\b([^>]*)>(.*?)(?=</\1>|<\1\b|\Z)", re.IGNORECASE | re.DOTALL)
_NUMBER: Final = re.compile(r"""\b(?:number|id)\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_FIELD: Final = re.compile(r"<(\w+)>(.*?)(?=<\w+>|\Z)", re.DOTALL)
_CLOSED: Final = re.compile(r"</\w+>")
_JSON: Final = re.compile(rb"\s*(?:\[\s*)?\{")
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
        not, or ``<topic number="1"><query>``), lines of an id and a text with a tab or a blank between,
        a table (tabs, commas or semicolons) or objects of JSON, in lines or in a list, with ``query_id``
        and ``title``, ``query`` or ``text``; packed or not.

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
    return topics_of(load(path))


def topics_of(held: Loaded) -> dict[str, Topic]:
    """Take topics from what was loaded: see `read_topics`."""
    found: dict[str, Topic] = {}
    for line, number, topic in _read(held):
        if not number or not any(topic):
            problem = "a topic has no id" if not number else f"topic {number!r} has no words"
            raise held.wrong(problem, line)
        if number in found:
            raise held.wrong(f"topic {number!r} is there twice", line)
        found[number] = topic
    if not found:
        raise held.wrong("it contains no topics")
    return found


def is_json(data: bytes) -> bool:
    """Say whether topics are JSON: one object, a list of them, or one in each line."""
    return _JSON.match(without_mark(data)) is not None


def _read(held: Loaded) -> Iterator[tuple[int, str, Topic]]:
    """Go through the topics: the line, the id, and the words of each."""
    if is_json(held.data):
        return _records(held)
    return _marked_up(held.text) if held.text.lstrip()[:1] == "<" else _columns(held)


def _marked_up(text: str) -> Iterator[tuple[int, str, Topic]]:
    for part in _TOPIC.finditer(text):
        fields = {name.lower(): _words(inner) for name, inner in _FIELD.findall(part[3])}
        if number := _NUMBER.search(part[2]):
            fields |= {"num": number[1].strip()}
        yield 1 + text.count("\n", 0, part.start()), *_of(fields)


def _words(inner: str) -> str:
    return " ".join(html.unescape(_LABEL.sub("", _CLOSED.sub(" ", inner))).split())


def _records(held: Loaded) -> Iterator[tuple[int, str, Topic]]:
    for line, row in held.objects(texts=True):
        if not isinstance(row, dict):
            problem = f"a topic is an object with query_id and title, not {shown(row)}"
            raise held.wrong(problem, line)
        yield line, *_of({str(name).lower(): str(value) for name, value in row.items() if value is not None})


def _columns(held: Loaded) -> Iterator[tuple[int, str, Topic]]:
    """Read cells below a header, or an id and, after a tab or a blank, its words."""
    separator, names = header(held)
    if any(name in _TITLES for name in names):
        for line, cells in held.rows(separator)[1:]:
            if len(cells) != len(names):
                raise held.wrong(f"{counted(len(cells), 'column')}, where the header has {len(names)}", line)
            yield line, *_of({name: " ".join(cell.split()) for name, cell in zip(names, cells, strict=True)})
        return
    for place, (line, written) in enumerate(numbered_lines(held.text)):
        number, *words = written.split("\t", 1) if "\t" in written else written.split(" ", 1)
        if not words:
            raise held.wrong(f"a topic is an id and, after a tab or a blank, a text, not {written[:40]!r}", line)
        if place or not names_topics(number):
            yield line, number.strip(), Topic(" ".join(words[0].split()))


def _of(fields: dict[str, str]) -> tuple[str, Topic]:
    """Pick the id and the words out of fields that go by several names."""
    number, *words = (
        next((fields[name] for name in names if fields.get(name)), "") for names in (_IDS, _TITLES, _MORE, _STORIES)
    )
    return number, Topic(*words)

"""Topics as people asked them: TREC's markup, two columns, or JSON lines; and lists of ids, of topics or documents."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from cranfield.formats.files import FilePath, called
from cranfield.formats.loading import Loaded, load
from cranfield.formats.named_datasets import dataset_in
from cranfield.formats.records import filled
from cranfield.formats.text import numbered_lines, without_mark
from cranfield.formats.topic_tables import header, names_topics
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import DOCUMENT, QUERY
from cranfield.plumbing.wording import counted

_TOPIC: Final = re.compile(r"<(top|topic)\b([^>]*)>(.*?)(?=</\1>|<\1\b|\Z)", re.IGNORECASE | re.DOTALL)
_NUMBER: Final = re.compile(r"""\b(?:number|id)\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_FIELD: Final = re.compile(r"<(\w+)>(.*?)(?=<\w+>|\Z)", re.DOTALL)
_CLOSED: Final = re.compile(r"</\w+>")
_JSON: Final = re.compile(rb"\s*(?:\[\s*)?\{")
_LABEL: Final = re.compile(r"^\s*(?:number|topic|description|narrative)\s*:", re.IGNORECASE)

_ID: Final = filled(("num", "number", "query_id", "qid", "topic", "topic_id", "_id", "id"))
_TITLE: Final = filled(("title", "query", "text"))
_DESCRIPTION: Final = filled(("desc", "description", "question"))
_NARRATIVE: Final = filled(("narr", "narrative"))


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
        and ``title``, ``query`` or ``text``; packed or not. Or the name of a dataset of ir_datasets.

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
    if (dataset := dataset_in(path)) is not None:
        return _gathered(((None, *_of(fields)) for fields in dataset.topics()), dataset.wrong)
    return topics_of(load(path))


def topics_of(held: Loaded) -> dict[str, Topic]:
    """Take topics from what was loaded: see `read_topics`."""
    return _gathered(_read(held), held.wrong)


def _gathered(
    topics: Iterable[tuple[int | None, str, Topic]], wrong: Callable[[str, int | None], InputError]
) -> dict[str, Topic]:
    found: dict[str, Topic] = {}
    for line, number, topic in topics:
        if not number or not any(topic):
            raise wrong("a topic has no id" if not number else f"topic {number!r} has no words", line)
        if number in found:
            raise wrong(f"topic {number!r} occurs twice", line)
        found[number] = topic
    if not found:
        raise wrong("it contains no topics", None)
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
            raise held.wrong(f"a topic is an object with query_id and title, not {shown(row)}", line)
        yield line, *_of({str(name).lower(): str(value) for name, value in row.items() if value is not None})


def _columns(held: Loaded) -> Iterator[tuple[int, str, Topic]]:
    """Read cells below a header, or an id and, after a tab or a blank, its words."""
    separator, names = header(held)
    if any(name in _TITLE.paths for name in names):
        for line, cells in held.rows(separator)[1:]:
            if len(cells) != len(names):
                raise held.wrong(f"{counted(len(cells), 'column')}, but the header has {len(names)}", line)
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
    number, *words = (part.of(fields) or "" for part in (_ID, _TITLE, _DESCRIPTION, _NARRATIVE))
    return number, Topic(*words)


_TREC_TOPIC: Final = re.compile(
    r"<num>\s*(?:Number:)?\s*([^\s<]+)"  # TREC's own topics
    r"|<(?:topic|query|top)\b[^>]*?\s(?:number|num|id)\s*=\s*[\"']\s*([^\"']*?)\s*[\"']",  # XML since
    re.IGNORECASE,
)
_FIRST_WORD: Final = re.compile(r"[ \t]*([^ \t]+)")


def read_topic_ids(path: FilePath) -> pl.Series:
    """Read the ids of topics, each once, in the order of the file.

    One topic per line, its id before a space, a tab or (in ``.csv``) a comma; or a table with a column of ids; or
    TREC's ``<num>`` or ``<topic number="1">``; or JSON; or the name of a dataset of ir_datasets.
    """
    if (dataset := dataset_in(path)) is not None:
        ids = [fields["query_id"] for fields in dataset.topics()]
        return _some(pl.Series(QUERY, ids, dtype=pl.String), "a topic", path)
    held = load(path)
    if is_json(held.data):
        return _some(pl.Series(QUERY, [*_json_ids(held)], dtype=pl.String), "a topic in each line", path)
    found = [number or attribute for number, attribute in _TREC_TOPIC.findall(held.text)] or _first_cells(held)
    return _some(pl.Series(QUERY, found, dtype=pl.String), "a topic in each line", path)


def _json_ids(held: Loaded) -> Iterator[str]:
    """Give the id of each object; words it need not have."""
    for line, number, _ in _records(held):
        if not number:
            raise held.wrong("a topic has no id", line)
        yield number


def _first_cells(held: Loaded) -> list[str]:
    """Give the ids below a header, or what stands in front in each line."""
    separator, names = header(held)
    if separator or held.suffix == ".csv":
        column = next((place for place, name in enumerate(names) if names_topics(name)), 0)
        rows = [row[column] for _, row in held.rows(separator or ",") if len(row) > column]
    else:
        rows = [found[1] for _, line in numbered_lines(held.text) if (found := _FIRST_WORD.match(line))]
    cells = [cell.strip(" \t") for cell in rows if cell.strip()]
    return cells[1:] if cells and names_topics(cells[0]) else cells


def read_document_ids(path: FilePath) -> pl.Series:
    """Read the ids of a collection's documents, one a line, each once; there may be millions."""
    data = load(path).text.encode()
    if not data.strip():
        return _some(pl.Series(DOCUMENT, [], dtype=pl.String), "a document's id in each line", path)
    # No text holds a zero byte, so each line is one column.
    lines = pl.scan_csv(data, separator="\0", has_header=False, quote_char=None, schema={DOCUMENT: pl.String})
    ids = lines.select(pl.col(DOCUMENT).str.strip_chars(" \t\r")).collect()[DOCUMENT]
    return _some(ids.filter(ids != ""), "a document's id in each line", path)


def _some(ids: pl.Series, wanted: str, path: FilePath) -> pl.Series:
    if ids.is_empty():
        raise InputError(f"is empty: {wanted} is needed", source=called(path))
    return ids.unique(maintain_order=True)

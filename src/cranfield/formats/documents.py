"""The texts of documents, for people who are to see what was, or was not, judged."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from cranfield.formats import delimited, json_text, parquet
from cranfield.formats.files import FilePath, called, is_folder, unpacked_name
from cranfield.formats.folders import files_within
from cranfield.formats.loading import Loaded, load
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Columns
from cranfield.plumbing.tables import CHUNK_ID, DOCUMENT, LINE, RUN_COLUMNS, match_columns

CORPUS: Final = "corpus.jsonl"  # What the documents are called in a collection of BEIR's or MTEB's
TITLE: Final = "title"
TEXT: Final = "text"
DOCUMENT_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    DOCUMENT: (*RUN_COLUMNS[DOCUMENT], "_id", "id", "pid", CHUNK_ID),
    TEXT: (TEXT, "contents", "content", "body", "passage", "abstract"),
}
TITLES: Final[dict[str, tuple[str, ...]]] = {TITLE: (TITLE, "headline")}
"""What the parts of a document are called by those who made collections."""
HTML: Final = "html"
_FIELDS: Final = {**DOCUMENT_COLUMNS, **TITLES, TEXT: (*DOCUMENT_COLUMNS[TEXT], HTML)}
"""What they are called in JSON lines, where HTML may stand in the text's place."""

Row: TypeAlias = tuple[str, str, str, int]
"""Id, title, text, and the line on which the document stands."""

_AT_ONCE: Final = 10_000  # How many documents are held as objects before they become a table


@dataclass(frozen=True)
class Document:
    """The text of a document.

    Attributes
    ----------
    title
        Its title; empty if unknown.
    written
        A text, or a page of HTML.

    >>> Document("On wings", "Wings in a slipstream were studied.").beginning(3)
    'On wings: Wings in a …'
    >>> Document("On wings", "<!doctype html><p>Wings &amp; tails<script>fly()</script>").text
    'Wings & tails'
    """

    title: str
    written: str

    @cached_property
    def text(self) -> str:
        """What there is to read."""
        return text_of(self.written) if is_page(self.written) else self.written

    @property
    def page(self) -> str:
        """The page as it was written; empty where it is a text."""
        return self.written if is_page(self.written) else ""

    def beginning(self, words: int = 30) -> str:
        """Return the title, unless the text begins with it, and the first words, with an ellipsis if there are more."""
        title, _ = first_words(self.title, words)
        first, more = first_words(self.text, words)
        shown = [first] if first.startswith(title) else [title, first]
        return ": ".join(filter(None, shown)) + (" …" if more else "")


LONG_WORD: Final = 15  # Words are not longer than that on average: where they are, it is no prose, and is cut


def first_words(text: str, words: int) -> tuple[str, bool]:
    """Return the first words of a text, and whether there are more; text without spaces is cut, too.

    >>> first_words("one  two three", 2), first_words("x" * 100, 2)
    (('one two', True), ('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', True))
    """
    room = LONG_WORD * words
    start = " ".join(text.lstrip()[: 4 * room].split())
    shown = " ".join(start.split(" ")[:words])[:room]
    return shown, shown != start


_PAGE: Final = re.compile(r"(?i)\A\s*(?:<!doctype\s+html|<html[\s>])")
_PAGE_INSIDE: Final = re.compile(r"(?i)<!doctype\s+html|<html[\s>]")
_PAGE_TITLE: Final = re.compile(r"(?is)<title[^<>]*>(.*?)</title")


def is_page(written: str) -> bool:
    """Tell whether what was written is a page of HTML: it begins with ``<!doctype html`` or ``<html``."""
    return _PAGE.match(written) is not None


def as_page(written: str) -> str:
    """Let HTML begin as a page does."""
    return written if is_page(written) else f"<!doctype html>\n{written}"


BLOCKS: Final = frozenset(
    {"article", "blockquote", "br", "dd", "div", "dt", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr"}
    | {"li", "main", "ol", "option", "p", "pre", "section", "table", "tr", "ul"}
)
"""What begins a line, and ends one."""
_MARKUP: Final = re.compile(
    r"""<!--.*?(?:-->|\Z)
    | <(title|script|style|template|noscript)\b[^<>]*>.*?(?:</\1\s*>|\Z)  # what is not read
    | </?([a-z][a-z0-9]*)(?:[^<>"']|"[^"<]*"|'[^'<]*')*+>
    | <[a-z!?/][^<>]*>""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
"""What is not text. No piece of it is looked at again and again, as Python's parser does: that takes minutes for a
page of a megabyte whose tags are not closed."""


def text_of(page: str) -> str:
    r"""Return the readable text of an HTML page, one line per block.

    >>> text_of("<html><title>Flight</title><h1>On wings</h1>They <b title='>'>lift</b>\n&amp; drag.<!-- so what? -->")
    'On wings\nThey lift & drag.'
    """

    def between(found: re.Match[str]) -> str:
        tag = (found[2] or "").casefold()
        return "\n" if tag in BLOCKS else " " * (tag in {"td", "th"})

    lines = _MARKUP.sub(between, " ".join(page.split())).split("\n")
    return "\n".join(filter(None, (" ".join(html.unescape(line).split()) for line in lines)))


class Documents(Mapping[str, Document]):
    """Documents by id, as a table: a document becomes an object on access.

    They are sorted by id. ``get`` returns None for an unknown id.

    >>> found = Documents.of([("d2", "On wings", "Wings …", 1), ("d1", "", "Shear flow …", 2)], "docs.jsonl")
    >>> list(found), found["d2"].title, found.get("d3")
    (['d1', 'd2'], 'On wings', None)
    """

    def __init__(self, table: Annotated[pl.DataFrame, Columns(DOCUMENT, TITLE, TEXT)]) -> None:
        self._table = table
        self._ids = table[DOCUMENT]

    @classmethod
    def of(cls, rows: Iterable[Row], source: str) -> Documents:
        """Take rows; a repeated document is refused, unless its text is the same."""
        schema = {DOCUMENT: pl.String, TITLE: pl.String, TEXT: pl.String, LINE: pl.Int64}
        left, parts = iter(rows), [pl.DataFrame(schema=schema)]
        while part := list(islice(left, _AT_ONCE)):
            parts.append(pl.DataFrame(part, schema=schema, orient="row"))
        return cls.of_table(pl.concat(parts), source)

    @classmethod
    def of_table(cls, table: pl.DataFrame, source: str) -> Documents:
        """Take a table with columns doc_id, title, text and line."""
        table = table.unique([DOCUMENT, TITLE, TEXT], keep="first", maintain_order=True)
        twice = table.filter(pl.col(DOCUMENT).is_duplicated())
        if twice.height:
            name = twice[DOCUMENT][0]
            first, second, *_ = twice.filter(pl.col(DOCUMENT) == name)[LINE]
            problem = f"document {name} has two different texts, the first on line {first}"
            raise InputError(problem, source=source, line=second)
        return cls(table.select(DOCUMENT, _title(), TEXT).sort(DOCUMENT))

    def __getitem__(self, name: str) -> Document:
        place = self._ids.search_sorted(name) if isinstance(name, str) else len(self)
        if place == len(self) or self._ids[place] != name:
            raise KeyError(name)
        _, title, written = self._table.row(place)
        return Document(title, written)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return self._table.height

    def __repr__(self) -> str:
        return f"Documents({len(self):,})"

    @property
    def titles(self) -> pl.DataFrame:
        """What all documents are called: columns doc_id and title."""
        return self._table.select(DOCUMENT, TITLE)


def _title() -> pl.Expr:
    """Return the title, in one line: a page that was given none has its own."""
    untitled = (pl.col(TITLE) == "") & pl.col(TEXT).str.contains(_PAGE.pattern)
    own = pl.col(TEXT).str.extract(_PAGE_TITLE.pattern).fill_null("")
    title = pl.when(untitled).then(own.map_elements(html.unescape, return_dtype=pl.String)).otherwise(TITLE)
    return title.str.replace_all(r"\s+", " ").str.strip_chars().alias(TITLE)


def read_documents(path: FilePath | Loaded, *, only: Iterable[str] | None = None) -> Documents:
    r"""Read the texts of documents.

    Parameters
    ----------
    path
        A file, packed by gzip or Zstandard or not, what was loaded of it, or a folder:

        - JSON lines with ``doc_id`` (or ``docno``, ``id``, ``_id``, ...), ``text`` (``contents``, ``body``, ...)
          and perhaps ``title``; or with ``html`` where there is no text;
        - TREC's SGML: ``<DOC>`` with ``<DOCNO>``, ``<TITLE>`` or ``<HEADLINE>``, and ``<TEXT>``; without that,
          the page of HTML that is in it; or else all but the title is text;
        - CSV or TSV with such columns; or TSV of two columns without a header, id and text;
        - Parquet with such columns;
        - a folder of texts or HTML (``.html``, ``.htm``, ``.xhtml``), a document a file, whose id is the name of the
          file without suffix.

        What begins with ``<!doctype html`` or ``<html`` is a page, wherever it stands: its text is what there is to
        read on it, and its title its own, unless one is given.
    only
        Ids of the documents to keep; all others are discarded while reading.

    Returns
    -------
    Documents : a mapping from id to `Document`.

    Raises
    ------
    InputError
        If something cannot be read (with its line), or a document has no id or appears twice with
        different texts.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
    ...     _ = file.write(b'{"_id": "d1", "title": "On wings", "text": "Wings ..."}\n'), file.flush()
    ...     read_documents(file.name)["d1"]
    Document(title='On wings', written='Wings ...')
    """
    wanted = None if only is None else frozenset(only)
    if not isinstance(path, Loaded):
        source = called(path)
        if is_folder(path) and Path(path, CORPUS).is_file():
            path = Path(path, CORPUS)
        if is_folder(path):
            return Documents.of(_chosen(_of_folder(Path(path)), wanted), source)
        path = replace(load(path), source=source)
    held, source = path, path.source
    if held.is_parquet:
        return Documents.of_table(_of_parquet(held.data, wanted, source), source)
    data = held.text.encode()
    return Documents.of(_chosen(_reader(data)(data, source=source), wanted), source)


def _reader(data: bytes) -> Callable[..., Iterator[Row]]:
    """Tell what a file is by how it begins."""
    start = data[:4096].lstrip()
    if start.startswith((b"{", b"[")):
        return of_json_lines
    return of_sgml if start.startswith(b"<") else of_table


def _chosen(rows: Iterator[Row], wanted: frozenset[str] | None) -> Iterator[Row]:
    return rows if wanted is None else (row for row in rows if row[0] in wanted)


def of_json_lines(data: bytes, *, source: str) -> Iterator[Row]:
    """Read an object a line."""
    for line, written in enumerate(io.BytesIO(data), start=1):
        if not written.strip():
            continue
        try:
            found = json_text.line_of(written, line, source, texts=True)
        except InputError as error:
            raise InputError(f"{error.problem}; each line should hold an object", source=source, line=line) from None
        if not isinstance(found, dict):
            problem = 'each line should hold an object such as {"doc_id": ..., "text": ...}'
            raise InputError(problem, source=source, line=line)
        part = partial(_part, found, source=source, line=line)
        yield part(DOCUMENT), part(TITLE), part(TEXT), line


def _part(found: Mapping[str, object], ours: str, *, source: str, line: int) -> str:
    """Return one part of a document: its id must be there, a title need not be."""
    names = _FIELDS[ours]
    called = next((name for name in names if name in found), "")
    value = found.get(called)
    if isinstance(value, str) and (value or ours != DOCUMENT):
        value = value if value.isascii() else storable(value)
        return as_page(value) if called == HTML else value
    if ours == DOCUMENT and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None and (ours == TITLE or (ours == TEXT and called)):
        return ""
    known = f"no {ours} (known as {', '.join(names)})"
    written = "" if value is None else json.dumps(value)
    problem = f"the {ours} is {written:.40}, not a text" if written.strip('"') else known
    raise InputError(problem, source=source, line=line)


_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_OPENED: Final = re.compile(rb"<doc(?:\s[^<>]*)?>", re.IGNORECASE)
_CLOSED: Final = re.compile(rb"</doc\s*>", re.IGNORECASE)


def _elements(*names: str) -> re.Pattern[str]:
    return re.compile(rf"<({'|'.join(names)})(?:\s[^<>]*)?>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)


_DOCNO, _TITLE, _TEXT = _elements("docno"), _elements("title", "headline", "head", "ti"), _elements("text")


def of_sgml(data: bytes, *, source: str) -> Iterator[Row]:
    """Read TREC's SGML."""
    line, seen, at = 1, 0, 0
    while opened := _OPENED.search(data, at):
        line, seen = line + data.count(b"\n", seen, opened.start()), opened.start()
        closed = _CLOSED.search(data, opened.end())
        following = _OPENED.search(data, opened.end(), closed.start() if closed else len(data))
        if closed is None or following:
            raise InputError("a <DOC> without </DOC>", source=source, line=line)
        document = data[opened.end() : closed.start()].decode()
        number = _DOCNO.search(document)
        if number is None or not number[2].strip():
            raise InputError("a <DOC> without a <DOCNO>", source=source, line=line)
        yield number[2].strip(), *_parts(document), line
        at = closed.end()
    if not at:
        raise InputError("no <DOC>, so this is not TREC's SGML; HTML documents are read from a folder", source=source)


def _parts(document: str) -> tuple[str, str]:
    """Return title and text of a document in SGML, or the page that it holds."""
    texts = _TEXT.findall(document)
    text = " ".join(each for _, each in texts) if texts else document
    if page := (_PAGE if texts else _PAGE_INSIDE).search(text):
        return "", text[page.start() :]
    title = _TITLE.search(document)
    rest = text if texts else _TITLE.sub("", _DOCNO.sub("", document, 1), 1)
    return _plain(title[2]) if title else "", _plain(rest)


def _plain(text: str) -> str:
    return html.unescape(_TAG.sub("", text)).strip()


def of_table(data: bytes, *, source: str) -> Iterator[Row]:
    """Read CSV, TSV, or TSV without a header: id and text."""
    separator = "\t" if b"\t" in data.lstrip().partition(b"\n")[0] else ","
    usual = csv.field_size_limit(sys.maxsize)  # cells may be as long as documents are, which `csv` refuses
    try:
        rows = delimited.rows(data.decode(), separator, source=source)
        line, header = next(rows, (1, []))
        if separator == "\t" and len(header) == 2 and not _names_columns(header):
            found, width = {DOCUMENT: 0, TEXT: 1}, 2
            yield _row(header, found, line, width, source)
        else:
            names = match_columns(header, DOCUMENT_COLUMNS, optional=TITLES, source=source)
            found, width = {ours: header.index(theirs) for ours, theirs in names.items()}, len(header)
        for line, row in rows:
            yield _row(row, found, line, width, source)
    finally:
        csv.field_size_limit(usual)


def _names_columns(header: list[str]) -> bool:
    names = {cell.strip().casefold() for cell in header}
    return any(names.intersection(known) for known in DOCUMENT_COLUMNS.values())


def _row(row: list[str], found: Mapping[str, int], line: int, width: int, source: str) -> Row:
    if len(row) != width:
        raise InputError(f"{len(row)} cells instead of {width}", source=source, line=line)
    name = row[found[DOCUMENT]]
    if not name:
        raise InputError("a document without an id", source=source, line=line)
    return name, row[found[TITLE]] if TITLE in found else "", row[found[TEXT]], line


def _of_parquet(data: bytes, wanted: frozenset[str] | None, source: str) -> pl.DataFrame:
    found = match_columns(parquet.names(data, source=source), DOCUMENT_COLUMNS, optional=TITLES, source=source)
    table = parquet.pick(data, found, source=source)
    for name in found:
        if table[name].dtype != pl.String and not (name == DOCUMENT and table[name].dtype.is_integer()):
            raise InputError(f"the {name} is of type {table[name].dtype}; make it a column of strings", source=source)
    title = pl.col(TITLE).fill_null("") if TITLE in found else pl.lit("").alias(TITLE)
    table = table.select(pl.col(DOCUMENT).cast(pl.String), title, pl.col(TEXT).fill_null(""), LINE)
    missing = table.filter(pl.col(DOCUMENT).is_null() | (pl.col(DOCUMENT) == ""))
    if missing.height:
        raise InputError("a document without an id", source=source, line=missing[LINE][0])
    return table if wanted is None else table.filter(pl.col(DOCUMENT).is_in(list(wanted)))


def _of_folder(folder: Path) -> Iterator[Row]:
    """Read a document a file."""
    files = files_within(folder)
    if not files:
        raise InputError("no document in this folder", source=called(folder))
    for file in files:
        text, name = load(file).text, Path(unpacked_name(file))
        text = as_page(text) if name.suffix.casefold() in {".html", ".htm", ".xhtml"} else text
        yield name.stem, "", text, 1

"""Lists of ids, of topics or of documents: one a line, the first column of a table, or the topics of TREC."""

from __future__ import annotations

import re
from typing import Final

from cranfield.formats.files import FilePath, called
from cranfield.formats.loading import Loaded, load
from cranfield.formats.text import numbered_lines
from cranfield.formats.topic_files import is_json, topics_of
from cranfield.formats.topic_tables import header, names_topics
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY

_TREC_TOPIC: Final = re.compile(
    r"<num>\s*(?:Number:)?\s*([^\s<]+)"  # TREC's own topics
    r"|<(?:topic|query|top)\b[^>]*?\s(?:number|num|id)\s*=\s*[\"']\s*([^\"']*?)\s*[\"']",  # XML since
    re.IGNORECASE,
)
_FIRST: Final = re.compile(r"[ \t]*([^ \t]+)")


def read_topics(path: FilePath) -> pl.Series:
    r"""Read the ids of topics, each once, in the order of the file.

    A file of topics has one in a line, the id in front, alone or before a blank, a tab or (in a
    file called ``.csv``) a comma; or a table below a header that names the column of ids; or it is one
    of TREC's, with ``<num>`` or ``<topic number="1">``, or JSON.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".tsv") as file:
    ...     _ = file.write(b"qid\ttext\n401\tforeign minorities\n402\tgenetics\n"), file.flush()
    ...     read_topics(file.name).to_list()
    ['401', '402']
    """
    held = load(path)
    if is_json(held.data):
        return pl.Series(QUERY, [*topics_of(held)], dtype=pl.String)
    found = [number or attribute for number, attribute in _TREC_TOPIC.findall(held.text)] or _first_cells(held)
    return _some(pl.Series(QUERY, found, dtype=pl.String), "a topic in each line", path)


def _first_cells(held: Loaded) -> list[str]:
    """Give the ids below a header, or what stands in front in each line."""
    separator, names = header(held)
    if separator or held.suffix == ".csv":
        column = next((place for place, name in enumerate(names) if names_topics(name)), 0)
        rows = [row[column] for _, row in held.rows(separator or ",") if len(row) > column]
    else:
        rows = [found[1] for _, line in numbered_lines(held.text) if (found := _FIRST.match(line))]
    cells = [cell.strip(" \t") for cell in rows if cell.strip()]
    return cells[1:] if cells and names_topics(cells[0]) else cells


def read_documents(path: FilePath) -> pl.Series:
    r"""Read the ids of a collection's documents, one a line, each once; there may be millions.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"FT911-1\nLA0101-7\n\nFT911-1\n"), file.flush()
    ...     read_documents(file.name).to_list()
    ['FT911-1', 'LA0101-7']
    """
    data = load(path).text.encode()
    if not data.strip():
        return _some(pl.Series(DOCUMENT, [], dtype=pl.String), "a document's id in each line", path)
    # No text holds a zero byte, so each line is one column.
    lines = pl.scan_csv(data, separator="\0", has_header=False, quote_char=None, schema={DOCUMENT: pl.String})
    ids = lines.select(pl.col(DOCUMENT).str.strip_chars(" \t\r")).collect()[DOCUMENT]
    return _some(ids.filter(ids != ""), "a document's id in each line", path)


def _some(ids: pl.Series, wanted: str, path: FilePath) -> pl.Series:
    if ids.is_empty():
        raise InputError(f"is empty: {wanted} is wanted", source=called(path))
    return ids.unique(maintain_order=True)

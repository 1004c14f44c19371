"""Lists of ids, of topics or of documents: one a line, the first column of a table, or the topics of TREC."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Final

from cranfield.formats.files import FilePath, called, read_bytes, unpacked_name
from cranfield.formats.text import decodable, read_text
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RUN_COLUMNS

_TREC_TOPIC: Final = re.compile(
    r"<num>\s*(?:Number:)?\s*([^\s<]+)"  # TREC's own topics
    r"|<(?:topic|query|top)\b[^>]*?\s(?:number|num|id)\s*=\s*[\"']\s*([^\"']*?)\s*[\"']",  # XML since
    re.IGNORECASE,
)


def read_topics(path: FilePath) -> pl.Series:
    r"""Read the ids of topics, each once, in the order of the file.

    A file of topics has one in a line, the id in front, alone or before a blank, a tab or (in a
    file called ``.csv``) a comma; or it is one of TREC's, with ``<num>`` or ``<topic number="1">``.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".tsv") as file:
    ...     _ = file.write(b"qid\ttext\n401\tforeign minorities\n402\tgenetics\n"), file.flush()
    ...     read_topics(file.name).to_list()
    ['401', '402']
    """
    text = read_text(path)
    tagged = [number or attribute for number, attribute in _TREC_TOPIC.findall(text)]
    found = tagged or _first_cells(text, is_csv=Path(unpacked_name(path)).suffix.casefold() == ".csv")
    return _some(pl.Series(QUERY, found, dtype=pl.String), "a topic in each line", path)


def _first_cells(text: str, *, is_csv: bool) -> list[str]:
    """Give what stands in front in each line, less a header."""
    rows = csv.reader(io.StringIO(text)) if is_csv else (line.split(maxsplit=1) for line in text.splitlines())
    cells = [row[0].strip() for row in rows if row and row[0].strip()]
    return cells[1:] if cells and cells[0].casefold() in RUN_COLUMNS[QUERY] else cells


def read_documents(path: FilePath) -> pl.Series:
    r"""Read the ids of a collection's documents, one a line, each once; there may be millions.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"FT911-1\nLA0101-7\n\nFT911-1\n"), file.flush()
    ...     read_documents(file.name).to_list()
    ['FT911-1', 'LA0101-7']
    """
    data = decodable(read_bytes(path), source=called(path))
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

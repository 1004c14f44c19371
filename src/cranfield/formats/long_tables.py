"""Tables as our commands write them for programs: csv (or tabs), json, parquet, and lists of documents by topic."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from cranfield.formats import parquet
from cranfield.formats.columns import ids
from cranfield.formats.files import FilePath
from cranfield.formats.loading import Loaded, load
from cranfield.formats.numbers import BadCell
from cranfield.formats.records import at, paths_in
from cranfield.formats.trec import refuse_unwritable
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.options import shown
from cranfield.plumbing.wording import some_of


def read_table(path: FilePath, what: str, naming: Naming = NO_NAMES) -> pl.DataFrame:
    """Read a table; columns of csv are texts."""
    return table_of(load(path), what, naming)


def _layout(text: str) -> dict[str, Any]:
    """Say what is between cells, by the header; where it is tabs, a quote is a character like any other."""
    header = text.lstrip().partition("\n")[0]
    if "," in header:
        return {}
    return {"separator": "\t", "quote_char": None} if "\t" in header else {"separator": ";"} if ";" in header else {}


def table_of(held: Loaded, what: str, naming: Naming = NO_NAMES) -> pl.DataFrame:
    """Take a table from what was loaded: see `read_table`."""
    if held.data.startswith(b"PAR1"):
        return parquet.table(held.data, source=held.source)
    try:
        if held.text.lstrip().startswith(("[", "{")):
            rows = [{**row, **{path: at(row, path) for path in paths_in(row, naming)}} for row in _rows(held)]
            return pl.DataFrame(rows, infer_schema_length=None)
        return pl.read_csv(held.text.encode(), infer_schema=False, **_layout(held.text))
    except InputError:
        raise
    except (pl.exceptions.PolarsError, ValueError, TypeError, OverflowError) as error:
        raise held.wrong(f"no table of {what} ({str(error).partition(chr(10))[0]:.100})") from None


def cells_of(held: Loaded, what: str) -> pl.DataFrame:
    """Take the cells of a csv as they stand, all of them texts, the first line among them."""
    try:
        return pl.read_csv(held.text.encode(), has_header=False, infer_schema=False, **_layout(held.text))
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise held.wrong(f"no table of {what} ({str(error).partition(chr(10))[0]:.100})") from None


def _rows(held: Loaded) -> list[dict[str, Any]]:
    """Give the objects of a list in JSON."""
    rows = [row for _, row in held.objects(texts=True)]
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise held.wrong(f"row {number} of a table is an object, {{...}}, not {shown(row)}")
    return rows


_COLUMNS: Final = ["topic", "document"]
_WORD: Final = re.compile(r"[^ \t\r\v\f]+")  # Blanks of Unicode are part of ids


def read_list(path: FilePath) -> list[tuple[str, str]]:
    """Read documents by topic, each once, in the order in which they are listed."""
    held = load(path)
    lines = None if held.is_parquet else _lines(held.text)
    if lines is not None:
        return list(dict.fromkeys(lines))
    table = table_of(held, "documents by topic")
    if not {*_COLUMNS} <= {*table.columns}:
        there = some_of(table.columns)
        raise held.wrong(f"a list of documents has lines `topic document`, or columns topic and document, not {there}")
    table = table.select(_COLUMNS).drop_nulls()
    try:
        listed = table.with_columns(ids(table[name]) for name in _COLUMNS)
    except BadCell as bad:
        raise held.wrong(bad.problem) from None
    return [(topic, document) for topic, document in listed.unique(maintain_order=True).iter_rows()]


def written_list(documents: Iterable[tuple[str, str]], source: str) -> str:
    """Write documents by topic, a line ``topic document`` each, as `read_list` reads them."""
    rows = pl.DataFrame(list(documents), dict.fromkeys(_COLUMNS, pl.String), orient="row")
    for name in _COLUMNS:
        refuse_unwritable(rows[name], source)
    return "".join(f"{topic} {document}\n" for topic, document in rows.iter_rows())


def _lines(text: str) -> list[tuple[str, str]] | None:
    """Take lines of two words each; None, if it is something else."""
    rows = [words for line in text.split("\n") if (words := _WORD.findall(line))]
    return [(topic, document) for topic, document in rows] if all(len(row) == 2 for row in rows) else None

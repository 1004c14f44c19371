r"""Lists of documents by topic: pools as assessors are handed them, and what our commands list for judging."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from cranfield.formats.files import FilePath
from cranfield.formats.loading import load
from cranfield.formats.long_tables import table_of
from cranfield.formats.trec import refuse_unwritable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import some_of

_COLUMNS: Final = ["topic", "document"]
_WORD: Final = re.compile(r"[^ \t\r\v\f]+")
"""Blanks of Unicode are part of ids."""


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
    listed = table.select(pl.col(_COLUMNS).cast(pl.String)).drop_nulls()
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

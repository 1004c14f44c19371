"""MS MARCO's runs: lines ``topic document rank``, without scores and without names for columns."""

from __future__ import annotations

import re
from typing import Final

from cranfield.formats import trec
from cranfield.formats.columns import Kind, tidy
from cranfield.formats.format import Format
from cranfield.formats.text import LOOKED_AT, in_lines
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, LINE, QUERY, RANK

_COLUMNS: Final = (QUERY, DOCUMENT, RANK)
_LINE: Final = re.compile(rb"[^\s#]\S*[ \t]+\S+[ \t]+[0-9]+[ \t]*\r?(?=\n|\Z)")


def recognises(data: bytes, name: str) -> bool:
    """Say whether lines have three columns, the last of which is a whole number, as far as one looks."""
    if not _LINE.match(data):  # nearly every other file, by its first line
        return False
    lines = data[:LOOKED_AT].split(b"\n")
    whole = [line for line in (lines if len(data) <= LOOKED_AT else lines[:-1]) if line.strip()]
    return bool(whole) and all(map(_LINE.fullmatch, whole))


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a run whose third column is the rank, which rises line by line.

    Three columns whose numbers do not rise could be scores; they are refused rather than guessed at.
    """
    if kind.is_qrels:
        return trec.read(data, kind, source=source, rank=rank, lines=lines)
    cells = trec.split_lines(in_lines(data, source=source), (*_COLUMNS, trec.FURTHER))
    other = cells.filter(pl.col(RANK).is_null() | pl.col(trec.FURTHER).is_not_null())
    if other.height:
        problem = f"{len(other['text'][0].split())} columns, but the lines before have 3: topic doc rank"
        raise InputError(problem, source=source, line=other[LINE][0])
    table = tidy(cells.select(*_COLUMNS, LINE), kind, source=source)
    _refuse_scores(table, source)
    return table.drop([*([] if rank else [RANK]), *([] if lines else [LINE])])


def _refuse_scores(table: pl.DataFrame, source: str) -> None:
    """Refuse numbers that do not rise within a topic, which ranks do."""
    before = pl.col(RANK).shift().over(QUERY)
    falling = table.with_columns(before.alias("before")).filter(pl.col(RANK) <= pl.col("before"))
    if falling.height:
        topic, number, then, line = falling.select(QUERY, "before", RANK, LINE).row(0)
        raise InputError(
            f"three columns are read as topic, doc and rank, but {then} follows {number} in topic {topic}; "
            "if these are scores, write lines `topic Q0 doc rank score tag`",
            source=source,
            line=line,
        )


FORMAT: Final = Format("MS MARCO's three columns", recognises=recognises, read=read)

"""The first rows of a run as they stand: enough to see that its scores rise, and next to nothing to read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.tables import (
    DOCUMENT,
    QRELS_COLUMNS,
    QUERY,
    RANK,
    RELEVANCE,
    RUN_COLUMNS,
    RUN_EXTRAS,
    SCORE,
    match_columns,
)

if TYPE_CHECKING:
    from cranfield.formats.dicts import NestedDict
    from cranfield.plumbing.lazy import pl

HEAD_BYTES: Final = 1024
_ROWS: Final = 10
_COLUMNS_OF_A_RUN: Final = 6
_COLUMNS_OF_QRELS: Final = 4


class HeadRow(NamedTuple):
    """A row of a run; the rank is None where none is written."""

    topic: str
    document: str
    score: float
    rank: int | None


def of_text(data: bytes, name: str, naming: Naming = NO_NAMES) -> list[HeadRow]:
    """Read the first lines of TREC text or, by the name, of a table; none where they are something else."""
    text = data[: data.rfind(b"\n") + 1].decode("utf-8-sig", errors="replace")
    try:
        if name[-4:].casefold() in {".csv", ".tsv"}:
            return _of_delimited(text, "," if name[-4:].casefold() == ".csv" else "\t", naming)
        rows = [line.split() for line in text.splitlines()[:_ROWS]]
        return [HeadRow(row[0], row[2], float(row[4]), int(row[3])) for row in rows if len(row) >= _COLUMNS_OF_A_RUN]
    except (ValueError, InputError, csv.Error):
        return []


def are_grades(data: bytes, name: str) -> bool:
    r"""Say whether the first lines are those of judgments, and cannot be a run's: in TREC text, or in a named column.

    >>> are_grades(b"401 0 d1 2\n401 0 d2 0\n", "x.txt"), are_grades(b"401 Q0 d1 1 2.5 bm25\n", "x.txt")
    (True, False)
    >>> are_grades(b"qid,docid,grade\n401,d1,2\n", "x.csv"), are_grades(b"qid,docid,score\n401,d1,2\n", "x.csv")
    (True, False)
    """
    lines = data[: data.rfind(b"\n") + 1].decode("utf-8-sig", errors="replace").splitlines()[:_ROWS]
    if name[-4:].casefold() in {".csv", ".tsv"}:
        cells = {cell.strip().casefold() for cell in re.split(r"[,;\t]", "".join(lines[:1]))}
        return bool(cells & {*QRELS_COLUMNS[RELEVANCE]} - {*RUN_COLUMNS[SCORE], *RUN_EXTRAS[RANK]})
    rows = [line.split() for line in lines]
    return bool(rows) and all(len(row) == _COLUMNS_OF_QRELS and re.fullmatch(r"-?\d+", row[3]) for row in rows)


def _of_delimited(text: str, delimiter: str, naming: Naming) -> list[HeadRow]:
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    names = next(rows, [])
    wanted = {name: RUN_COLUMNS[name] for name in (QUERY, DOCUMENT)}
    optional = {SCORE: RUN_COLUMNS[SCORE], RANK: RUN_EXTRAS[RANK]}
    found = match_columns(names, wanted, optional=optional, columns=naming.names)
    at = {ours: names.index(theirs) for ours, theirs in found.items()}
    if SCORE not in at and RANK not in at:
        return []
    return [
        HeadRow(
            row[at[QUERY]],
            row[at[DOCUMENT]],
            float(row[at[SCORE]]) if SCORE in at else -float(row[at[RANK]]),
            int(row[at[RANK]]) if RANK in at else None,
        )
        for row in islice((row for row in rows if len(row) == len(names)), _ROWS)
    ]


def of_dict(nested: NestedDict, *, ranked: bool = False) -> list[HeadRow]:
    """Read the first documents of a dict of dicts or of pairs; of lists their ranks, if these are to be told of."""
    rows = (
        row
        for topic, documents in nested.items()
        for row in (_by_rank(topic, documents) if ranked else ())
        or (HeadRow(str(topic), str(document), float(score), None) for document, score in _pairs(documents))
    )
    try:
        return list(islice(rows, _ROWS))
    except (TypeError, ValueError):
        return []


def _by_rank(topic: object, documents: object) -> list[HeadRow]:
    """Give the first documents of a list without scores."""
    listed = documents if isinstance(documents, list) and documents and isinstance(documents[0], str) else []
    return [HeadRow(str(topic), each, -float(rank), rank) for rank, each in enumerate(listed[:_ROWS], start=1)]


def _pairs(documents: object) -> Iterable[tuple[Any, Any]]:
    """Give documents with their scores, in a dict or in pairs; none of a list without scores."""
    if isinstance(documents, Mapping):
        return documents.items()
    listed = documents if isinstance(documents, list) else []
    return (each for each in listed if isinstance(each, tuple) and len(each) == 2)


def of_table(table: pl.DataFrame) -> list[HeadRow]:
    """Take the first rows of a table."""
    ranks = [RANK] if RANK in table.columns else []
    rows = table.head(_ROWS).select(QUERY, DOCUMENT, SCORE, *ranks).rows()
    return [HeadRow(row[0], row[1], row[2], row[3] if ranks else None) for row in rows]

"""Runs with a column that says which search of its topic a document came from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from cranfield.formats import delimited, numbers, parquet
from cranfield.formats.columns import RUN_KIND, ids, read_column
from cranfield.formats.search_log import CALL, FAILED, QUERY_TEXT, READS, TOKENS, SearchLog
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.tables import DOCUMENT, LINE, QUERY, RANK, RUN, RUN_COLUMNS, RUN_EXTRAS, SCORE, match_columns
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

OF_CALL: Final = "call_tokens"
_QUERY: Final = "query"
_WANTED: Final = {
    QUERY: (*(name for name in RUN_COLUMNS[QUERY] if name != _QUERY), _QUERY),
    CALL: (CALL, "call_number", "search_number"),
    DOCUMENT: RUN_COLUMNS[DOCUMENT],
}
_OPTIONAL: Final = {
    SCORE: RUN_COLUMNS[SCORE],
    RANK: RUN_EXTRAS[RANK],
    RUN: RUN_EXTRAS[RUN],
    TOKENS: (TOKENS,),
    OF_CALL: (OF_CALL,),
    QUERY_TEXT: ("query_text", "search_query", _QUERY),
}
_BLANKS: Final = re.compile(rb"[ \t]+")
_NUMBER: Final = r"^[0-9]{1,18}$"
_KEY: Final = "key"
_ROW: Final = "row"


def recognises(names: Sequence[str], naming: Naming = NO_NAMES) -> bool:
    """Say whether columns with these names are such a table."""
    return bool(match_columns(names, {}, optional={CALL: _WANTED[CALL]}, columns=naming.names))


def found_in(names: Sequence[str], naming: Naming = NO_NAMES, *, source: str) -> dict[str, str]:
    """Say which column plays which part."""
    found = match_columns(names, _WANTED, optional=_OPTIONAL, source=source, columns=naming.names)
    if found.get(QUERY_TEXT) == found[QUERY]:  # the topics are called query
        del found[QUERY_TEXT]
    if TOKENS in found and OF_CALL in found:
        raise InputError(
            f"has both {TOKENS} (of documents) and {OF_CALL} (of searches): leave one of them out", source=source
        )
    return found


def pick(data: bytes, naming: Naming = NO_NAMES, *, source: str) -> pl.DataFrame:
    """Take the columns out of Parquet, CSV, TSV, or text with blanks between cells and a header."""
    if parquet.recognises(data, ""):
        return parquet.pick(data, found_in(parquet.names(data, source=source), naming, source=source), source=source)
    if not delimited.recognises(data, "") and not delimited.names_any(data, RUN_KIND.called(naming)):
        data = _BLANKS.sub(b"\t", data)
    names = delimited.names(data, source=source)
    if not recognises(names, naming):
        raise InputError(
            f"no column {CALL} (the number of the search); a log of searches is a table with columns topic, call and "
            "document, BrowseComp-Plus's run_*.json, or spans as JSON lines",
            source=source,
        )
    return delimited.pick(data, found_in(names, naming, source=source), source=source)


def read(frame: pl.DataFrame, *, name: str, source: str) -> list[SearchLog]:
    """Make logs of a table with our column names: one log, or one per run that it names.

    Order: searches by number if all have one, else by first row; documents by rank, else score, else row. A row without
    a document is a search that returned nothing; without a search, too, it is a topic for which none was made.
    """
    if not frame.height:
        raise InputError("is empty: a log of searches has at least one row", source=source)
    if LINE not in frame.columns:
        frame = frame.with_columns(pl.int_range(1, pl.len() + 1).alias(LINE))
    frame = frame.with_columns(
        pl.int_range(pl.len()).alias(_ROW),
        read_column(frame, QUERY, source),
        read_column(frame, RUN, source) if RUN in frame.columns else pl.lit(name).alias(RUN),
    )
    # Neither a search nor a document: a topic for which nothing was searched, which is no row of the others.
    empty = {each: _is_empty(frame[each]) for each in (CALL, DOCUMENT)}
    if (lost := empty[CALL] & ~empty[DOCUMENT]).any():
        raise InputError("the call is missing", source=source, line=frame[LINE].filter(lost)[0])
    asked = frame.filter(~empty[CALL])
    hits = frame.filter(~empty[DOCUMENT])
    asked, notes = _numbered(asked, source)
    hits = _ordered(hits.drop(CALL).join(asked.select(_ROW, CALL), on=_ROW), source)
    calls = _calls(asked, hits, source)
    if TOKENS not in hits.columns:
        hits = hits.with_columns(pl.lit(None, pl.Float64).alias(TOKENS))
    return [
        SearchLog(
            run,
            source,
            part.select(QUERY).unique(maintain_order=True).with_columns(
                pl.lit(None, pl.Float64).alias(TOKENS), pl.lit(0, pl.Int64).alias(READS)
            ),
            calls.filter(pl.col(RUN) == run).drop(RUN),
            hits.filter(pl.col(RUN) == run).select(QUERY, CALL, DOCUMENT, TOKENS),
            notes,
        )
        for (run,), part in frame.group_by(RUN, maintain_order=True)
    ]  # fmt: skip


def _is_empty(cells: pl.Series) -> pl.Series:
    return cells.is_null() | (cells == "").fill_null(value=True) if cells.dtype == pl.String else cells.is_null()


def _numbered(asked: pl.DataFrame, source: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Number the searches of each topic from 1, as their numbers say, or else as they appear."""
    cells = asked[CALL]  # pandas has whole numbers as floats where some are missing
    by_number = cells.dtype.is_numeric() or (cells.dtype == pl.String and cells.str.contains(_NUMBER).all())
    names = read_column(asked, CALL, source, numbers.whole if by_number else ids)
    one = (RUN, QUERY)
    asked = asked.with_columns(names.alias("number"))
    asked = asked.with_columns(order=pl.col("number") if by_number else pl.col(_ROW).min().over(*one, "number"))
    asked = asked.with_columns(pl.col("order").rank("dense").over(one).cast(pl.Int64).alias(CALL)).drop("order")
    if not by_number:
        return asked.drop("number"), ("searches are not numbered, and are taken in order of first appearance",)
    spans = asked.group_by(one).agg(
        gaps=pl.col("number").max() - pl.col("number").min() + 1 - pl.col("number").n_unique()
    )
    gaps = spans.filter(pl.col("gaps") > 0).height
    note = (
        f"the numbers of searches have gaps in {counted(gaps, 'topic')}: they are renumbered 1, 2, 3; a search that "
        "returned nothing should be a row without a document"
    )
    return asked.drop("number"), (note,) if gaps else ()


def _ordered(hits: pl.DataFrame, source: str) -> pl.DataFrame:
    """Read the documents, and put them into the order of searches and, in each, of the list that was returned."""
    hits = hits.with_columns(read_column(hits, DOCUMENT, source))
    if RANK in hits.columns:
        key = read_column(hits, RANK, source).cast(pl.Float64)
    elif SCORE in hits.columns:
        key = -read_column(hits, SCORE, source)
    else:
        key = hits[_ROW].cast(pl.Float64)
    if TOKENS in hits.columns:
        hits = hits.with_columns(read_column(hits, TOKENS, source, numbers.amounts))
    hits = hits.with_columns(key.alias(_KEY), pl.col(_ROW).min().over(RUN, QUERY).alias("topic"))
    return hits.sort("topic", CALL, _KEY, _ROW, maintain_order=True)


def _calls(asked: pl.DataFrame, hits: pl.DataFrame, source: str) -> pl.DataFrame:
    """Return a row for each search: what was asked, and what it cost."""
    told = QUERY_TEXT in asked.columns and not asked[QUERY_TEXT].dtype.is_nested()  # lists are no text
    text = pl.col(QUERY_TEXT).cast(pl.String).drop_nulls().first() if told else pl.lit(None, pl.String)
    one = [RUN, QUERY, CALL]
    if OF_CALL in asked.columns:
        asked = asked.with_columns(read_column(asked, OF_CALL, source, numbers.amounts))
        other = asked.filter(pl.col(OF_CALL) != pl.col(OF_CALL).first().over(one))
        if other.height:
            raise InputError(
                f"search {other[CALL][0]} of topic {other[QUERY][0]} has different {OF_CALL} than in its first row; "
                f"tokens of each document belong in a column {TOKENS}",
                source=source,
                line=other[LINE][0],
            )
    calls = asked.group_by(one, maintain_order=True).agg(
        text.alias(QUERY_TEXT),
        (pl.col(OF_CALL).first() if OF_CALL in asked.columns else pl.lit(None, pl.Float64)).alias(TOKENS),
    )
    if TOKENS in hits.columns:
        cost = hits.group_by(one).agg(pl.col(TOKENS).sum())
        calls = calls.drop(TOKENS).join(cost, on=one, how="left").with_columns(pl.col(TOKENS).fill_null(0.0))
    return calls.with_columns(pl.lit(value=False).alias(FAILED)).sort(QUERY, CALL, maintain_order=True).select(
        RUN, QUERY, CALL, QUERY_TEXT, TOKENS, FAILED
    )  # fmt: skip

"""TREC text: runs in six columns, qrels in four or five, separated by blanks.

Qrels of five columns are those of a pool of which a sample was judged: ``topic iteration doc stratum
label``, where the label of what was not drawn is -1. That tells them from qrels of four columns with
something behind; so a sample of all documents has the usual four, and its strata mean nothing.

Two roads lead to the same table. Most files have exactly one separator between columns and nothing
unusual: that is proved by counting bytes, and they are read as CSV. Everything else, and everything
wrong, takes the careful road, which knows the number of each line. A small file with nothing
unusual is read into dicts, before a table could be thought of.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from cranfield.formats.columns import QRELS_KIND, RUN_KIND, SWAPPED, Kind, tidy
from cranfield.formats.format import Format
from cranfield.formats.native import native_qrels
from cranfield.formats.numbers import are_ranks, are_scores
from cranfield.formats.text import in_lines
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, ITERATION, LINE, QUERY, RANK, RELEVANCE, SCORE, STRATUM, SUBTOPIC

_BLANKS: Final = " \t\r\x0b\x0c"
_NEWLINE, _SPACE = 10, 32
_COMMENT: Final = "; --comments, or comments=True, skips lines that begin with #"
_BLOCK: Final = 1 << 17  # bytes looked at together: what the processor keeps at hand
_ROW: Final = "\0row"
Q0: Final = "Q0"
TAG: Final = "tag"
FURTHER: Final = "further"
UNSAMPLED: Final = -1
"""The label of a document in the pool that was not drawn to be judged."""


class Layout(NamedTuple):
    """What stands in which column of a line."""

    kind: Kind
    picture: str
    columns: tuple[str, ...]
    number: str

    def schema(self) -> dict[str, type[pl.DataType]]:
        """Give the columns' types as the fast road reads them."""
        numbers: dict[str, type[pl.DataType]] = {self.kind.value: getattr(pl, self.number), RANK: pl.Int64}
        return {name: numbers.get(name, pl.String) for name in self.columns}


_DIGITS: Final = {"Float64": frozenset("0123456789.eE+-"), "Int64": frozenset("0123456789+-")}

LAYOUTS: Final = {
    "run": Layout(RUN_KIND, "topic Q0 doc rank score tag", (QUERY, Q0, DOCUMENT, RANK, SCORE, TAG), "Float64"),
    "qrels": Layout(QRELS_KIND, "topic iteration doc label", (QUERY, ITERATION, DOCUMENT, RELEVANCE), "Int64"),
}


def read(data: bytes, kind: Kind, *, source: str, rank: bool = False, lines: bool = False) -> pl.DataFrame:
    """Read a run or qrels in TREC text."""
    layout = LAYOUTS[kind.name]
    table = None if lines else _read_plain(data.lstrip(b"\n"), layout, rank=rank)
    if table is None:
        table = _read_careful(data, layout, source=source, rank=rank)
    return table if lines else table.select(pl.exclude(LINE))


def read_small(data: bytes, kind: Kind) -> dict[str, dict[str, float]] | None:
    """Read a file in which nothing is out of the ordinary into dicts; None when something is."""
    if kind.is_qrels and (read := native_qrels(data)) and (found := read.nested()):
        return found
    layout = LAYOUTS[kind.name]
    rows = [line.split() for line in data.lstrip(b"\n").removesuffix(b"\n").split(b"\n")]
    if set(map(len, rows)) != {len(layout.columns)} or b"\0" in data or data.startswith(b"\xef\xbb\xbf"):
        return None
    places = map(layout.columns.index, (QUERY, DOCUMENT, kind.value))
    try:
        data.decode()  # all of it is text, and not only what is wanted
        topics, documents, texts = ([row[place].decode() for row in rows] for place in places)
        values = list(map(float, texts))
    except ValueError:
        return None
    nested: dict[str, dict[str, float]] = {}
    for topic, document, value in zip(topics, documents, values, strict=True):
        nested.setdefault(topic, {})[document] = value
    largest = math.inf if kind.is_run else 2.0**53  # larger whole numbers are not themselves as floats
    usual = set("".join(texts)) <= _DIGITS[layout.number] and all(-largest < value < largest for value in values)
    return nested if usual and sum(map(len, nested.values())) == len(rows) else None


def _read_plain(data: bytes, layout: Layout, *, rank: bool) -> pl.DataFrame | None:
    """Read a file in which nothing is out of the ordinary; None when something is."""
    separator = "\t" if b"\t" in data[: data.find(b"\n")] else " "
    lines = _count_plain_lines(data, len(layout.columns))
    if not lines:
        return None
    extras = [name for name in layout.kind.extras if name in layout.columns]
    wanted = [*layout.kind.ours, *extras, *([RANK] if rank else [])]
    try:
        table = (
            pl.scan_csv(data, separator=separator, has_header=False, quote_char=None, schema=layout.schema())
            .select(*dict.fromkeys([*wanted, layout.columns[-1]]))
            .collect()
        )
    except pl.exceptions.PolarsError:
        return None
    # A line without its last column gives itself away here: see how lines are counted.
    whole = table.height == lines and not any(column.null_count() for column in table)
    values = table[layout.kind.value]
    if not whole or (values.dtype.is_float() and values.is_nan().any()):
        return None
    return table.select(wanted)


def _count_plain_lines(data: bytes, columns: int) -> int:
    """Count the lines of a file that has exactly one separator between columns; 0 if it has not.

    It suffices to count: no two blanks touch, and there are columns - 1 per line on average. A line with more of them
    would leave another with fewer, which then lacks its last column.
    """
    if not data or data.startswith(b"\xef\xbb\xbf"):
        return 0
    codes = np.frombuffer(data, np.uint8)
    blanks = newlines = 0
    for start in range(0, len(codes), _BLOCK):
        block = codes[start : start + _BLOCK + 1]  # with the byte that follows, for a pair that lies across
        blank = block <= _SPACE
        if (blank[1:] & blank[:-1]).any():
            return 0
        blanks += int(np.count_nonzero(blank[:_BLOCK]))
        newlines += int(np.count_nonzero(block[:_BLOCK] == _NEWLINE))
    lines = newlines + (data[-1] != _NEWLINE)
    return lines if blanks == (columns - 1) * lines + newlines else 0


def _read_careful(data: bytes, layout: Layout, *, source: str, rank: bool) -> pl.DataFrame:
    """Read any file, line by line, with the numbers of the lines in a column."""
    rows = cells(data, layout.kind, source=source)
    _refuse_short_lines(rows, layout, source)
    _refuse_a_run(rows, layout, source)
    if layout.kind.is_qrels and _is_a_sample(rows[FURTHER]):
        rows = rows.rename({RELEVANCE: STRATUM, FURTHER: RELEVANCE})
    extras = (name for name in layout.kind.extras if name in rows.columns)
    return tidy(rows.select([*layout.kind.ours, *extras, *([RANK] if rank else []), LINE]), layout.kind, source=source)


def _is_a_sample(fifth: pl.Series) -> bool:
    """Say whether the fifth column of qrels holds the labels: whole numbers, -1 among them."""
    whole = fifth.cast(pl.Int64, strict=False)
    return not whole.has_nulls() and bool((whole == UNSAMPLED).any())


def cells(data: bytes, kind: Kind, *, source: str) -> pl.DataFrame:
    """Give all cells as they are written, with the number and the text of each line; those a line lacks are null.

    What stands behind the last column is in one that is called ``further``.
    """
    text = in_lines(data, source=source)
    if not text.strip():
        raise InputError(f"is empty: a {kind.name} has at least one line", source=source)
    return split_lines(text, (*LAYOUTS[kind.name].columns, FURTHER))


def split_lines(data: bytes, columns: tuple[str, ...]) -> pl.DataFrame:
    """Give each line that is not blank: its number, its text, and its columns."""
    text = pl.col("text")
    rows = (
        # No text holds a zero byte, so each line is one column. Polars numbers blank lines too.
        pl.scan_csv(
            data, separator="\0", has_header=False, quote_char=None, schema={"text": pl.String}, row_index_name=LINE
        )
        .with_columns(pl.col(LINE).cast(pl.Int64) + 1, text.str.strip_chars(_BLANKS))
        .filter(text.is_not_null() & (text != ""))
    )
    split = text.str.replace_all(f"[{_BLANKS}]+", " ").str.splitn(" ", len(columns)).struct.rename_fields(columns)
    return rows.with_columns(split.alias("cells")).unnest("cells").collect()


def _refuse_short_lines(rows: pl.DataFrame, layout: Layout, source: str) -> None:
    short = rows.filter(pl.col(layout.columns[-1]).is_null())
    if short.height:
        line, text = short.select(LINE, "text").row(0)
        there, hint = len(text.encode().split()), ""
        if text.startswith("#"):
            hint = _COMMENT
        elif layout.kind.is_run and not rows[SCORE].count() and are_ranks(rows[RANK]).fill_null(value=False).all():
            hint = f"; {SWAPPED['run']}"  # four columns, the last of them a whole number, as qrels have
        raise InputError(
            f"{there} column{'s' * (there != 1)} where {layout.kind.name} lines have {len(layout.columns)}: "
            f"{layout.picture}{hint}",
            source=source,
            line=line,
        )


def _refuse_a_run(rows: pl.DataFrame, layout: Layout, source: str) -> None:
    """Refuse a run in the place of qrels: six columns, Q0 the second and a number the fifth, in every line."""
    if not layout.kind.is_qrels or rows[ITERATION].str.to_uppercase().ne("Q0").any():
        return
    further = rows[FURTHER].str.splitn(" ", 2).struct.unnest()
    if not further.to_series(1).has_nulls() and are_scores(further.to_series(0)).all():
        raise InputError(f"6 columns, {LAYOUTS['run'].picture}: {SWAPPED['qrels']}", source=source)


def tag(data: bytes) -> str | None:
    """Find what a run calls itself: the sixth column of its last line, as trec_eval has it."""
    cells = data.rstrip().rpartition(b"\n")[2].split(maxsplit=6)
    return cells[5].decode(errors="replace") if len(cells) > 5 else None


def write(table: pl.DataFrame, kind: Kind, *, source: str, name: str) -> bytes:
    """Write a run, best documents first, or qrels, in the order they have; those of a sample with its strata."""
    words = [STRATUM] if STRATUM in table.columns and (table[RELEVANCE] == UNSAMPLED).any() else []
    if table[DOCUMENT].has_nulls():
        raise InputError("a subtopic without documents does not fit TREC text; write .csv or .parquet", source=source)
    for cells in (
        *table[[QUERY, DOCUMENT, *words, *([SUBTOPIC] if SUBTOPIC in table.columns else [])]],
        *([pl.Series("name", [name])] if kind.is_run else []),
    ):
        refuse_unwritable(cells, source)
    texts = {
        QUERY: pl.col(QUERY),
        DOCUMENT: pl.col(DOCUMENT),
        kind.value: pl.col(kind.value).cast(pl.String),
        RANK: (pl.int_range(pl.len()).over(QUERY) + 1).cast(pl.String),
        "Q0": pl.lit("Q0"),
        ITERATION: pl.col(SUBTOPIC) if SUBTOPIC in table.columns else pl.lit("0"),
        "tag": pl.lit(name),
        STRATUM: pl.col(STRATUM),
    }
    if kind.is_run:
        table = best_first(table)
    *first, last = LAYOUTS[kind.name].columns
    columns = [texts[column] for column in (*first, *words, last)]
    return "".join(f"{line}\n" for line in table.select(pl.concat_str(columns, separator=" ")).to_series()).encode()


def best_first(table: pl.DataFrame) -> pl.DataFrame:
    """Sort a run: topics as they first appear, scores descending, ties by document id descending."""
    numbered = table.with_row_index(_ROW)
    return numbered.sort(pl.col(_ROW).min().over(QUERY), SCORE, DOCUMENT, descending=[False, True, True]).drop(_ROW)


def refuse_unwritable(ids: pl.Series, source: str) -> None:
    """Refuse ids that would be something else once they are read from text with blanks between its columns."""
    wrong = ids.filter((ids == "") | ids.str.contains(f"[{_BLANKS}\n\0]|^\ufeff"))
    if len(wrong):
        raise InputError(
            f"the {ids.name} {wrong[0]!r} does not fit TREC text, where ids hold no blank and are not empty;"
            " write .csv or .parquet",
            source=source,
        )


FORMAT: Final = Format(
    "TREC text",
    recognises=lambda data, name: True,
    read=read,
    write=write,
    suffixes=(".txt", ".run", ".res", ".trec"),
    tag=tag,
    read_small=read_small,
    cells=cells,
)

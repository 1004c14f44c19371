"""Any frame with the right columns, whatever their types, becomes a tidy run or a tidy qrels table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from shlex import quote
from typing import Final, NamedTuple, TypeAlias

from cranfield.formats import numbers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.surface import in_shell
from cranfield.plumbing.tables import (
    CLUSTER,
    DOCUMENT,
    ITERATION,
    LINE,
    OF_SUBTOPICS,
    QRELS_COLUMNS,
    QRELS_EXTRAS,
    QUERY,
    RANK,
    RELEVANCE,
    RUN,
    RUN_COLUMNS,
    RUN_EXTRAS,
    SCORE,
    STRATUM,
    SUBTOPIC,
    VITAL,
    WEIGHT,
    match_columns,
)

Reader: TypeAlias = "Callable[[pl.Series], pl.Series]"
"""Reads the cells of a column, or raises `numbers.BadCell`."""
_NO_MORE: Final[Mapping[str, tuple[str, ...]]] = {}


class Kind(NamedTuple):
    """Run or qrels: which columns the table has, and may have, and which of them has the number."""

    name: str
    columns: Mapping[str, tuple[str, ...]]
    value: str
    extras: Mapping[str, tuple[str, ...]] = _NO_MORE
    naming: Naming = NO_NAMES
    """What a user says of what is what."""

    @property
    def ours(self) -> tuple[str, str, str]:
        """The columns of the tidy table, in order."""
        return (QUERY, DOCUMENT, self.value)

    @property
    def is_run(self) -> bool:
        """Whether it is a run, and not qrels."""
        return self.value == SCORE

    @property
    def is_qrels(self) -> bool:
        """Whether it is qrels."""
        return not self.is_run

    def called(self, naming: Naming) -> Kind:
        """Return the same with names of a user's own."""
        return self._replace(naming=naming) if naming else self


RUN_KIND: Final = Kind("run", RUN_COLUMNS, SCORE)
QRELS_KIND: Final = Kind("qrels", QRELS_COLUMNS, RELEVANCE, QRELS_EXTRAS)

_RANK_COLUMN: Final = {RANK: RUN_EXTRAS[RANK]}
_GRADES: Final = {RELEVANCE: tuple(name for name in QRELS_COLUMNS[RELEVANCE] if name not in RUN_COLUMNS[SCORE])}
"""What grades are called, and scores are not."""


_CLICKS: Final = ("clicks", "click", "n_clicks")
SWAPPED: Final = {
    "run": "this looks like qrels; put them before the runs, or after --qrels if the command has it",
    "qrels": "this looks like a run; put the qrels first, then the runs",
}
"""The advice on input of another kind for a run, or for qrels."""


def find_columns(
    present: Sequence[str],
    kind: Kind,
    *,
    rank: bool,
    source: str,
    first: Callable[[], Sequence[object]] = tuple,
) -> dict[str, str]:
    """Map our names for columns to those in the file; the rank only where it is wanted or there is no score."""
    names = kind.naming.names
    wanted = {**kind.columns, **(_RANK_COLUMN if rank else {})}
    scores = {SCORE: kind.columns[SCORE]} if kind.is_run else _GRADES
    if has_rank(present, kind) and not match_columns(present, {}, optional=scores, columns=names):
        if kind.is_qrels:
            raise InputError(f"columns {', '.join(present)}: {SWAPPED['qrels']}", source=source)
        _refuse_misspelt(present, source)
        del wanted[SCORE]
        wanted.update(_RANK_COLUMN)
    other = QRELS_KIND if kind.is_run else RUN_KIND
    columns = {name for name in other.columns[other.value] if name not in kind.columns[kind.value]}
    folded = {name.strip().casefold() for name in present}
    hint = SWAPPED[kind.name] if columns.intersection(folded) else ""
    if kind.is_qrels and folded.intersection(_CLICKS) and RELEVANCE not in names:
        graded = f"`cranfield clicks {quote(source)} --cuts 0.1,0.3 --qrels-to clicked.txt` grades documents by clicks"
        log = "log" if source == "DataFrame" else repr(source)
        python = f"cranfield.judge_clicks({log}, cuts=[0.1, 0.3]).to_polars() grades documents by clicks"
        hint = graded if in_shell() else python
    found = match_columns(present, wanted, optional=kind.extras, source=source, hint=hint, columns=names, first=first)
    return found if SUBTOPIC in found else {ours: theirs for ours, theirs in found.items() if ours not in OF_SUBTOPICS}


def _refuse_misspelt(present: Sequence[str], source: str) -> None:
    """Refuse to go by the rank where a column may be the score under another name."""
    from difflib import get_close_matches

    known = RUN_COLUMNS[SCORE]
    for name in present:
        folded = name.strip().casefold()
        if "scor" in folded or get_close_matches(folded, known, 1, 0.75):
            raise InputError(
                f"no column for score (known as {', '.join(known)}), but {name!r} looks like one: "
                "rename it to score, or remove it to order the run by its ranks",
                source=source,
            )


def has_rank(present: Sequence[str], kind: Kind) -> bool:
    """Say whether one of the columns is the rank."""
    return bool(match_columns(present, {}, optional=_RANK_COLUMN, columns=kind.naming.names))


def run_column(present: Sequence[str], kind: Kind, source: str | None = None) -> dict[str, str]:
    """Find the column that says to which run a row belongs, if there is one."""
    return match_columns(present, {}, optional={RUN: RUN_EXTRAS[RUN]}, source=source, columns=kind.naming.names)


def tidy(frame: pl.DataFrame, kind: Kind, *, source: str) -> pl.DataFrame:
    """Check a frame that has our column names, and give each column its type; errors name the line, or else the row.

    Ranks without scores become falling scores. A subtopic without documents has a row without document and grade.
    """
    if not frame.height:
        raise InputError(f"is empty: a {kind.name} has at least one line", source=source)
    if SUBTOPIC in frame.columns and frame[DOCUMENT].has_nulls():
        return _with_bare_subtopics(frame, kind, source)
    ours = [name for name in kind.ours if name in frame.columns or RANK not in frame.columns]
    extras = (extra for extra in (*kind.extras, RANK, LINE) if extra in frame.columns)
    table = pl.DataFrame([read_column(frame, name, source) for name in (*ours, *extras)])
    if kind.value in ours:
        return table
    return table.select(QUERY, DOCUMENT, (-pl.col(RANK)).cast(pl.Float64).alias(SCORE), pl.exclude(QUERY, DOCUMENT))


def _with_bare_subtopics(frame: pl.DataFrame, kind: Kind, source: str) -> pl.DataFrame:
    """Read a frame some rows of which name a subtopic, and neither document nor grade."""
    lacking, grade = frame[DOCUMENT].is_null(), frame[kind.value]
    with placed(frame, source):
        numbers.refuse(lacking & grade.is_not_null(), grade, f"the {DOCUMENT} is missing")
    nothing: object = "0" if grade.dtype == pl.String else 0
    filled = frame.with_columns(
        frame[DOCUMENT].cast(pl.String).fill_null("-"),
        pl.when(lacking).then(pl.lit(nothing, grade.dtype)).otherwise(grade).alias(kind.value),
    )
    read = tidy(filled, kind, source=source)
    return read.with_columns(pl.when(~lacking).then(pl.col(each)).alias(each) for each in kind.ours[1:])


@contextmanager
def placed(frame: pl.DataFrame, source: str) -> Iterator[None]:
    """Say of a wrong cell where it stands."""
    try:
        yield
    except numbers.BadCell as bad:
        if LINE in frame.columns:
            raise InputError(bad.problem, source=source, line=frame[LINE][bad.row]) from None
        row = frame.row(bad.row, named=True)
        ids = ((what, row.get(name)) for what, name in (("topic", QUERY), ("document", DOCUMENT)))
        which = ", ".join(f"{what} {value}" for what, value in ids if isinstance(value, str | int))
        raise InputError(f"row {bad.row + 1}{which and f' ({which})'}: {bad.problem}", source=source) from None


def read_column(frame: pl.DataFrame, name: str, source: str, reader: Reader | None = None) -> pl.Series:
    """Read a column as its name says (`COLUMN_READERS`), or by a reader of its own; an error names the line."""
    reader = reader or COLUMN_READERS.get(name)
    with placed(frame, source):
        return frame[name] if reader is None else reader(frame[name]).alias(name)


def ids(cells: pl.Series) -> pl.Series:
    """Read a column of ids: of topics, documents or runs."""
    numbers.refuse(cells.is_null(), cells, f"the {cells.name} is missing")
    if cells.dtype in (pl.String, pl.Binary):
        texts = pl.Series(cells.name, map(_decoded, cells), dtype=pl.String) if cells.dtype == pl.Binary else cells
        numbers.refuse(texts.is_null(), texts, f"the {cells.name} is not UTF-8 text")
        numbers.refuse(texts == "", texts, f"the {cells.name} is empty")
        return texts
    if cells.is_empty() or cells.dtype.is_integer() or isinstance(cells.dtype, pl.Categorical | pl.Enum):
        return cells.cast(pl.String)
    kind = "floating-point numbers" if cells.dtype.is_float() else f"of type {cells.dtype}"
    shown = "" if cells.dtype.is_nested() else f" {cells[0]!r}"
    raise numbers.BadCell(
        0, f"the {cells.name}{shown} is not an id: the column's values are {kind}; make it a column of strings"
    )


def strata(cells: pl.Series) -> pl.Series:
    """Read a column of names of strata, which may be anything; documents without one are a stratum, too."""
    return cells.cast(pl.String).fill_null("")


def subtopics(cells: pl.Series) -> pl.Series:
    """Read a column of names of subtopics: texts or numbers, each of which has one."""
    names = cells.cast(pl.String)
    numbers.refuse(names.is_null() | (names == ""), names, "the subtopic is missing")
    return names


def _decoded(cell: bytes) -> str | None:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return None


COLUMN_READERS: Final[Mapping[str, Reader]] = {
    **dict.fromkeys((QUERY, DOCUMENT, RUN, CLUSTER), ids),
    **dict.fromkeys((STRATUM, ITERATION), strata),
    SUBTOPIC: subtopics,
    SCORE: numbers.scores,
    RANK: numbers.ranks,
    RELEVANCE: numbers.labels,
    VITAL: numbers.yes_or_no,
    WEIGHT: partial(numbers.amounts, what="weights"),
}
"""How the columns of a table are read, by our names; any other stays as it is."""

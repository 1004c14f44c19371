"""DataFrames of other libraries: pandas, polars (eager and lazy), pyarrow and DuckDB, in through narwhals, and out."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeGuard, overload

from cranfield.formats.columns import SWAPPED, Kind, find_columns, has_rank, read_column, run_column, tidy
from cranfield.formats.optional import library
from cranfield.formats.trec import LAYOUTS
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import ITERATION, LINE, RANK, RUN, Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import narwhals.stable.v2 as nw
    import pandas as pd
    import pyarrow as pa
    from duckdb import DuckDBPyRelation

Narwhal: TypeAlias = "nw.DataFrame[Any] | nw.LazyFrame[Any]"
"""A DataFrame of any library in the clothes of one."""


def is_frame(source: object) -> TypeGuard[Frame]:
    """Say whether something is a DataFrame of a library that is understood."""
    if not hasattr(type(source), "columns"):  # a lazy frame would have to work for its own
        return False
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return True
    narwhals = library("narwhals.stable.v2")
    return isinstance(narwhals.from_native(source, pass_through=True), narwhals.DataFrame | narwhals.LazyFrame)


def read(frame: Frame, kind: Kind, *, source: str = "DataFrame") -> pl.DataFrame:
    """Read a run or qrels from a DataFrame; the rank comes along where there is one."""
    narwhal = clothed(frame)
    names = narwhal.collect_schema().names()
    found = _by_place(names, kind, source)
    if found is None:
        rank = kind.is_run and has_rank(names, kind)
        found = find_columns(names, kind, rank=rank, source=source, first=lambda: first_row(narwhal))
    return tidy(to_polars(narwhal, found), kind, source=source)


def first_row(narwhal: Narwhal) -> Sequence[object]:
    """Return the first row of a frame, for examples; empty where there is none."""
    return next(iter(to_polars(narwhal.head(1), {name: name for name in narwhal.collect_schema().names()}).rows()), ())


def is_series(given: object) -> bool:
    """Say whether something is a column of pandas, whose index says which topic or document each value is of."""
    return type(given).__name__ == "Series" and is_pandas(given)


def by_index(given: Any) -> list[tuple[Any, Any]]:
    """Return pairs of such an index and its values, plain ones; None where one is missing."""
    return [
        (name, None if lacks else value)
        for name, value, lacks in zip(given.index.tolist(), given.tolist(), given.isna().tolist(), strict=True)
    ]


def is_pandas(frame: object) -> TypeGuard[pd.DataFrame]:
    """Say whether something is a DataFrame of pandas, which nobody imports for that."""
    return type(frame).__module__.partition(".")[0] == "pandas"


def clothed(frame: Frame) -> Narwhal:
    """Clothe a frame, so that the names of its columns are texts; in pandas they may be anything."""
    native: Any = frame
    if is_pandas(frame):
        lost = [name for name in frame.index.names if name is not None and name not in frame.columns]
        native = frame.reset_index(lost) if lost else frame  # ids may stand in the index, under a name
        if not all(isinstance(name, str) for name in native.columns):
            native = native.rename(columns=str)
    narwhal: Narwhal = library("narwhals.stable.v2").from_native(native)
    return narwhal


_PLACE: Final = re.compile(r"(?:f|column_?)?([0-9]+)")
"""How libraries call the columns of a file that names none: pandas 0, polars column_1, pyarrow f0, DuckDB column0."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def _by_place(names: Sequence[str], kind: Kind, source: str) -> dict[str, str] | None:
    """Find the columns of TREC text that was read without names; None where columns have names."""
    columns = LAYOUTS[kind.name].columns
    wanted = (*kind.ours, *([RANK] if kind.is_run else [ITERATION]))
    places = [int(found[1]) for found in map(_PLACE.fullmatch, names) if found]
    if places and len(places) == len(names) and places == list(range(places[0], places[0] + len(names))):
        if len(names) == len(columns):
            return {ours: names[columns.index(ours)] for ours in wanted}
        swapped = any(len(names) == len(other.columns) for other in LAYOUTS.values())
        hint = f": {SWAPPED[kind.name]}" if swapped else f"; name them {', '.join(kind.ours)}"
        raise InputError(f"{len(names)} columns without names{hint}", source=source)
    if len(names) == len(columns) and any(map(_NUMBER.fullmatch, names)):
        shown = ", ".join(names)
        raise InputError(
            f"the first line was taken for names of columns ({shown}): read with header=None", source=source
        )
    return None


def read_by_run(frame: Frame, kind: Kind, *, source: str = "DataFrame") -> dict[str, pl.DataFrame] | None:
    """Read several runs from a DataFrame that names them in a column; None where there is no such column."""
    narwhal = clothed(frame)
    named = run_column(narwhal.collect_schema().names(), kind, source)
    if not named:
        return None
    return split(read(frame, kind, source=source), to_polars(narwhal, named)[RUN], source=source)


def split(table: pl.DataFrame, runs: pl.Series, *, source: str) -> dict[str, pl.DataFrame]:
    """Split a table by the run that each row belongs to, in order of appearance; ``line`` says where rows stood."""
    missing = runs.is_null()
    if missing.any():
        raise InputError(f"row {(missing.arg_max() or 0) + 1}: the run's name is missing", source=source)
    if LINE not in table.columns:
        table = table.with_columns(pl.int_range(1, pl.len() + 1).alias(LINE))
    named = table.with_columns(read_column(table.with_columns(runs.alias(RUN)), RUN, source))
    return {part[RUN][0]: part.drop(RUN) for part in named.partition_by(RUN, maintain_order=True)}


def to_polars(narwhal: Narwhal, found: dict[str, str]) -> pl.DataFrame:
    """Carry the columns that were found over to polars, with our names."""
    native = narwhal.select(list(dict.fromkeys(found.values()))).to_native()
    if isinstance(native, pl.LazyFrame):
        native = native.collect()
    if isinstance(native, pl.DataFrame):
        frame = native
    elif narwhal.implementation.is_pandas_like():
        frame = pl.DataFrame([_from_pandas(native[name], name) for name in native.columns])
    elif narwhal.implementation.is_duckdb() and find_spec("pyarrow"):
        frame = native.pl()  # by its stream, DuckDB complains at Python's end of what polars still refers to
    else:
        frame = pl.DataFrame(native)
    return frame.select(pl.col(theirs).alias(ours) for ours, theirs in found.items())


def _from_pandas(column: pd.Series, name: str) -> pl.Series:
    """Carry a pandas column over without pyarrow, which polars would ask for."""
    if column.dtype.kind in "iufb" and not column.hasnans:
        return pl.Series(name, column.to_numpy())
    values = [None if missing else value for value, missing in zip(column.tolist(), column.isna(), strict=True)]
    return column_of(name, values, "DataFrame")


def column_of(name: str, values: list[Any], source: str) -> pl.Series:
    """Make a column of Python's objects; text and whole numbers together are ids, whole and others are numbers."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {str, int}:  # a column of objects: each is an id as it stands
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
    dtype = None if kinds else pl.String
    try:
        return pl.Series(name, values, strict=True, dtype=pl.Float64 if kinds == {int, float} else dtype)
    except (TypeError, pl.exceptions.PolarsError):
        found = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise InputError(f"the column {name} holds values of several types: {found}", source=source) from None
    except OverflowError:
        raise InputError(f"the column {name} holds a whole number of more than 38 digits", source=source) from None


@overload
def to_frame(table: pl.DataFrame, library_name: Literal["polars"]) -> pl.DataFrame: ...
@overload
def to_frame(table: pl.DataFrame, library_name: Literal["pandas"]) -> pd.DataFrame: ...
@overload
def to_frame(table: pl.DataFrame, library_name: Literal["pyarrow"]) -> pa.Table: ...
@overload
def to_frame(table: pl.DataFrame, library_name: Literal["duckdb"]) -> DuckDBPyRelation: ...
@overload
def to_frame(table: pl.DataFrame, library_name: str) -> Frame: ...
def to_frame(table: pl.DataFrame, library_name: str) -> Frame:
    """Return a table as a DataFrame of another library.

    Parameters
    ----------
    table
        Any table of polars.
    library_name
        ``"polars"``, ``"pandas"``, ``"pyarrow"`` or ``"duckdb"``.

    Examples
    --------
    >>> to_frame(pl.DataFrame({"query_id": ["001"], "doc_id": ["d1"], "score": [1.5]}), "pandas")
      query_id doc_id  score
    0      001     d1    1.5
    """
    if library_name not in _WRITERS:
        raise InputError(f"no DataFrame library {library_name!r}; choose from {', '.join(_WRITERS)}")
    return _WRITERS[library_name](table)


def _to_pandas(table: pl.DataFrame) -> pd.DataFrame:
    pandas = library("pandas")
    return pandas.DataFrame(
        {each.name: each.to_list() if each.dtype == pl.String else each.to_numpy() for each in table.iter_columns()}
    )


def _to_pyarrow(table: pl.DataFrame) -> pa.Table:
    library("pyarrow")
    return table.to_arrow()


_WRITERS: Final[dict[str, Callable[[pl.DataFrame], Frame]]] = {
    "polars": lambda table: table,
    "pandas": _to_pandas,
    "pyarrow": _to_pyarrow,
    "duckdb": lambda table: library("duckdb").from_arrow(_to_pyarrow(table)),
}

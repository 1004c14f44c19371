"""Tables of scores, long or wide, from files, frames and dicts: one long table, whatever they looked like.

A long table has a row for each score. A wide one has a row for each topic and a column for each system, or a row for
each system and a column for each topic. Which of the two it is follows from names alone, never from how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from os.path import isdir
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypeGuard, cast

from cranfield.formats import frames, mteb_results, parquet
from cranfield.formats.files import STANDARD_STREAM, FilePath
from cranfield.formats.leaderboard_files import leaderboard_in, read_leaderboard
from cranfield.formats.loading import Loaded, load
from cranfield.formats.long_tables import cells_of, table_of
from cranfield.formats.unmet import settled
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NO_NAMES, ColumnNames, Naming
from cranfield.plumbing.options import OrInMemory
from cranfield.plumbing.surface import in_shell
from cranfield.plumbing.tables import ATTEMPT, CLUSTER, QUERY, RUN, SCORE_COLUMNS, TASK, VALUE, Frame, match_columns
from cranfield.plumbing.wording import named, some_of

SystemsIn: TypeAlias = Literal["rows", "columns"]
"""Where a wide table has its systems."""

_MEASURE: Final = "measure"
_REQUIRED: Final = (RUN, QUERY, _MEASURE, VALUE)
_OPTIONAL: Final = (ATTEMPT, CLUSTER, TASK, "low", "high")
_KNOWN: Final = frozenset(name for names in SCORE_COLUMNS.values() for name in names)
_ORDERS: Final = {3: (RUN, QUERY, VALUE), 4: (RUN, QUERY, _MEASURE, VALUE)}
"""What columns without names are, where all but the last hold names."""
_YES: Final = ("true", "yes", "resolved", "passed", "pass", "correct", "solved", "success")
_NO: Final = ("false", "no", "unresolved", "failed", "fail", "incorrect", "unsolved", "failure")
_WORDS: Final[Mapping[str, str]] = dict.fromkeys(_YES, "1") | dict.fromkeys(_NO, "0")
_NUMBER: Final = r"^[+-]?(?i:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)$"
_INTEGER: Final = r"^[0-9]+$"
_OF_ROWS: Final = ("", "index", "Unnamed: 0")  # What libraries call the column that names the rows
UNNAMED_MEASURE: Final = "score"


class ScoreTable(NamedTuple):
    """Scores in a long table: run, topic, measure and value, and attempt, cluster, task, low and high if there are."""

    table: pl.DataFrame  # A value is null where the run has none: its cell is empty
    notes: tuple[str, ...] = ()  # How it was read, where nothing in it said so
    source: str = ""  # The file that it was read from

    @property
    def columns(self) -> list[str]:
        """The names of its columns, as a DataFrame has them."""
        return self.table.columns


ScoresLike: TypeAlias = ScoreTable | FilePath | Frame | Mapping[str, Any]
"""A file, a DataFrame, ``{run: {topic: value}}`` or ``{run: {topic: {measure: value}}}``, or what was read already."""
ScoresFile: TypeAlias = Annotated[str | Path | Frame | Mapping[str, object], OrInMemory()]
"""The same as an option of experiments."""


def read_score_table(
    given: ScoresLike,
    naming: Naming = NO_NAMES,
    *,
    systems: SystemsIn | None = None,
    header: bool | None = None,
    is_measure: Callable[[str], bool] | None = None,
    source: str = "scores",
) -> ScoreTable:
    r"""Read scores by run, topic and measure from a table of any shape.

    Parameters
    ----------
    given
        A file (CSV, TSV, JSON, JSON lines or Parquet), a DataFrame, or nested dicts by run and topic; a result of
        mteb, or the folder of its results, whose items are the tasks.
    naming
        What its columns are called: run, topic, measure, value, attempt and cluster; by their places, from 1, where
        they have no names.
    systems
        Whether a wide table has systems as its rows or as its columns, where no name says so.
    header
        Whether the first line of a file names the columns, where that cannot be seen.
    is_measure
        Which names are those of measures, for leaderboards whose lines have no names (`leaderboard_files`).
    source
        What messages call what is no file.

    >>> read_score_table({"a": {"1": 0.5, "2": None}}).table.rows()
    [('a', '1', 'score', 0.5), ('a', '2', 'score', None)]
    >>> wide = pl.DataFrame({"task": ["t1", "t2"], "a": ["yes", "no"], "b": ["yes", "yes"]})
    >>> read_score_table(wide).table["run", "topic", "value"].rows()
    [('a', 't1', 1.0), ('a', 't2', 0.0), ('b', 't1', 1.0), ('b', 't2', 1.0)]
    """
    if isinstance(given, ScoreTable):
        return given
    naming = settled(naming, given)
    if isinstance(given, Mapping):
        return ScoreTable(_tidy(_of_dicts(given, source), source))
    if not (frames.is_frame(given) or isinstance(given, str | PathLike)):
        kind = type(given).__name__
        raise InputError(
            f"must be the path of a table, a DataFrame, or {{run: {{topic: value}}}}, not {kind}", source=source
        )
    if frames.is_frame(given):
        cells = _of_frame(given)
    elif isinstance(given, str | PathLike) and given != STANDARD_STREAM and isdir(given):  # noqa: PTH112 - never raises
        results = mteb_results.results_in(Path(given))
        return ScoreTable(read_leaderboard(given, known=is_measure) if results is None else results, source=str(given))
    else:
        held = load(cast("FilePath", given))
        plain = naming == NO_NAMES and systems is None and header is None
        board = leaderboard_in(held, known=is_measure) if plain else None
        if board is not None:
            return ScoreTable(board, source=held.source)
        source, nested = held.source, _of_file(held, naming, header)
        if isinstance(nested, Mapping):
            return ScoreTable(_tidy(_of_dicts(nested, source), source), source=source)
        cells = nested
    long, note = _Shape(cells, naming, systems, source, is_measure).long()
    return ScoreTable(_tidy(long, source), tuple(filter(None, [note])), "" if frames.is_frame(given) else source)


class _Cells(NamedTuple):
    """A table as it was found; columns that have no names are called by their places."""

    table: pl.DataFrame
    named: bool = True


def _of_frame(frame: Frame) -> _Cells:
    if frames.is_pandas(frame) and frame.index.names == [None] and type(frame.index).__name__ != "RangeIndex":
        frame = frame.rename_axis("index").reset_index()
    narwhal = frames.clothed(frame)
    return _Cells(frames.to_polars(narwhal, {name: name for name in narwhal.collect_schema().names()}))


def _of_file(held: Loaded, naming: Naming, header: bool | None) -> _Cells | Mapping[str, Any]:
    if held.is_parquet:
        return _Cells(parquet.table(held.data, source=held.source))
    if held.text.lstrip().startswith(("[", "{")):
        objects = [each for _, each in held.objects(texts=True)]
        if len(objects) == 1 and mteb_results.are_results(objects[0]):
            return _Cells(mteb_results.results_table(held, objects[0]))
        if len(objects) == 1 and isinstance(objects[0], dict) and is_nested(objects[0]):
            return objects[0]
        return _Cells(table_of(held, "scores", naming))
    cells = cells_of(held, "scores")
    first = ["" if cell is None else cell.strip() for cell in cells.row(0)] if cells.height else []
    body = cells.slice(1)
    if not _names(first, body, naming, held, header):
        return _Cells(cells.rename(dict(zip(cells.columns, map(str, range(1, cells.width + 1)), strict=True))), False)
    if twice := [name for place, name in enumerate(first) if name in first[:place]]:
        raise held.wrong(f"two columns are called {twice[0]!r}; rename one", line=1)
    return _Cells(body.rename(dict(zip(cells.columns, first, strict=True))))


def _names(first: Sequence[str], body: pl.DataFrame, naming: Naming, held: Loaded, header: bool | None) -> bool:
    """Say whether the first line names the columns; where it holds values as the lines below it do, it does not."""
    if header is not None:
        return header
    known = _KNOWN | {name.casefold() for several in naming.names.values() for name in several if not name.isdigit()}
    if not known.isdisjoint(name.casefold() for name in first):
        return True
    above = [name for name, column in zip(first, body, strict=True) if _holds_values(column)]
    if not above or not all(_are_values(pl.Series(above, dtype=pl.String))):
        return True
    ids = pl.Series(above, dtype=pl.String).str.contains(_INTEGER).all() and len(set(above)) == len(above) > 1
    below = {cell for column in body if _holds_values(column) for cell in column}
    if ids and not {*above} <= below:  # topics that are called by numbers
        return True
    if ids:
        both = "--header or --no-header" if in_shell() else "header=True or header=False"
        raise held.wrong(f"the first line may be a header or scores: give {both}", line=1)
    return False


def is_nested(given: object) -> TypeGuard[Mapping[str, Mapping[str, Any]]]:
    """Say whether something is a dict of dicts."""
    return isinstance(given, Mapping) and bool(given) and all(isinstance(each, Mapping) for each in given.values())


def _of_dicts(given: Mapping[str, Any], source: str) -> pl.DataFrame:
    """Lay nested dicts out: by run, topic and perhaps measure."""
    if not is_nested(given):
        raise InputError(
            "a dict of scores is {run: {topic: value}}, or {run: {topic: {measure: value}}}", source=source
        )
    rows = [
        (run, topic, measure, value)
        for run, topics in given.items()
        for topic, held in topics.items()
        for measure, value in (held.items() if isinstance(held, Mapping) else [(UNNAMED_MEASURE, held)])
    ]
    columns = zip(*rows, strict=True) if rows else ((),) * len(_REQUIRED)
    return pl.DataFrame({name: _column(name, list(cells)) for name, cells in zip(_REQUIRED, columns, strict=True)})


def _column(name: str, cells: list[Any]) -> pl.Series:
    """Make a column of whatever a dict holds: texts, unless these are values and all of them numbers."""
    if name == VALUE and all(cell is None or isinstance(cell, bool | int | float) for cell in cells):
        return pl.Series(name, [None if cell is None else float(cell) for cell in cells], dtype=pl.Float64)
    return pl.Series(name, [None if cell is None else str(cell) for cell in cells], dtype=pl.String)


class _Shape:
    """What the columns of a table are, and the long table that follows."""

    def __init__(
        self, cells: _Cells, naming: Naming, systems: SystemsIn | None, source: str,
        is_measure: Callable[[str], bool] | None = None,
    ) -> None:  # fmt: skip
        self.is_measure = is_measure
        self.table, self.named, self.naming, self.systems, self.source = *cells, naming, systems, source
        if not self.table.height:
            raise InputError("the table of scores has no rows", source=source)
        if self.table.width < 2:
            raise InputError(
                "not a table with several columns, separated by commas, semicolons or tabs; if these are qrels, name "
                "RUNS, too",
                source=source,
            )
        self.found = self._found({name: SCORE_COLUMNS[name] for name in (*_REQUIRED, *_OPTIONAL)})
        if QUERY not in self.found and TASK in self.found:  # a task is a single value, and so is the topic
            self.found[QUERY] = self.found.pop(TASK)
        played = {*self.found.values()}
        self.left = [name for name in self.table.columns if name not in played]
        self.values = [name for name in self.left if name not in _OF_ROWS and _holds_values(self.table[name])]

    def _found(self, parts: Mapping[str, tuple[str, ...]], required: Iterable[str] = ()) -> dict[str, str]:
        wanted = {name: names for name, names in parts.items() if name in required}
        return match_columns(
            self.table.columns, wanted, optional={name: names for name, names in parts.items() if name not in wanted},
            source=self.source, columns=self.naming.names, first=lambda: self.table.row(0),
        )  # fmt: skip

    def long(self) -> tuple[pl.DataFrame, str]:
        """Return the long table, and how it was read where nothing said so."""
        found, note = self.found, ""
        if not self.named and not found and self.systems is None:
            found = self._by_place()
            note = f"no header: columns are read as {', '.join(map(_as_said, found))}"
        return (self._of_long(found), note) if VALUE in found or {RUN, QUERY} <= found.keys() else self._of_wide()

    def _by_place(self) -> dict[str, str]:
        """Say what columns without names are: the last holds values, and the others names, in our order."""
        order = _ORDERS.get(self.table.width, ())
        if not order or self.values != self.left[-1:]:
            raise InputError(
                "the first line holds scores, not a header: name the columns, as "
                f"{ColumnNames.spelled(('run', '1'), ('topic', '2'), ('value', '3'))}, or of a "
                f"wide table {_either()}", source=self.source,
            )  # fmt: skip
        return dict(zip(order, self.table.columns, strict=True))

    def _of_long(self, found: Mapping[str, str]) -> pl.DataFrame:
        if not found.keys() >= {RUN, QUERY} or (VALUE not in found and not self.values):
            self._found(SCORE_COLUMNS, required=(RUN, QUERY, VALUE))  # which says what is missing
        if VALUE not in found and _MEASURE not in found:  # a column for each measure, called as it is
            return self._unpivoted(found, self.values, _MEASURE)
        if VALUE not in found and len(self.values) > 1:
            self._found(SCORE_COLUMNS, required=(VALUE,))
        found = {VALUE: self.values[0] if self.values else "", **found}
        named = found[VALUE] if found[VALUE].casefold() not in _KNOWN and self.named else UNNAMED_MEASURE
        measure = [] if _MEASURE in found else [pl.lit(named).alias(_MEASURE)]
        return self.table.select(*(pl.col(theirs).alias(ours) for ours, theirs in found.items()), *measure)

    def _of_wide(self) -> tuple[pl.DataFrame, str]:
        found = dict(self.found)
        if RUN in found or QUERY in found:
            rows = RUN if RUN in found else QUERY
            if rows == RUN and self.values and self.is_measure and all(map(self.is_measure, self.values)):
                raise InputError(
                    f"{named(self.values)} are measures, and averages say nothing of single topics: give scores by "
                    "topic (in PyTerrier with perquery=True, from `cranfield evaluate` with --per-topic)",
                    source=self.source,
                )
            return self._unpivoted(found, self.values, QUERY if rows == RUN else RUN), ""
        values, names = self.values, [name for name in self.left if name not in self.values]
        if len(names) > 1 or not values or any(self.table[name].dtype.is_nested() for name in names):
            self._found(SCORE_COLUMNS, required=(RUN, QUERY, VALUE))
        ids = self.table[names[0]] if names else None
        rows = self._rows(values, ids)
        key = pl.int_range(1, self.table.height + 1) if ids is None else pl.col(names[0])
        across = QUERY if rows == RUN else RUN
        long = self._unpivoted({**found, rows: rows}, values, across, key.cast(pl.String).alias(rows))
        return long, self._said(rows, named=ids is not None)

    def _rows(self, values: Sequence[str], ids: pl.Series | None) -> str:
        """Say what the rows of a wide table are; names that are numbers are topics'."""
        if self.systems is not None:
            return RUN if self.systems == "rows" else QUERY
        across = self.named and not all(name.isdigit() for name in values)
        down = ids is not None and not ids.cast(pl.String).str.contains(_INTEGER).fill_null(value=True).all()
        if across == down:
            raise InputError(f"systems may be the rows or the columns: give {_either()}", source=self.source)
        return QUERY if across else RUN

    def _said(self, rows: str, *, named: bool) -> str:
        numbered = [] if named else [f"{'systems' if rows == RUN else 'topics'} are numbered as the rows are"]
        if not self.named:
            numbered.append(f"{'topics' if rows == RUN else 'systems'} are numbered as the columns are")
        return "; ".join(numbered)

    def _unpivoted(self, found: Mapping[str, str], values: Sequence[str], across: str, *keys: pl.Expr) -> pl.DataFrame:
        """Turn columns into rows; what they are called is what ``across`` says."""
        if not values:
            raise InputError(
                f"no column holds scores; columns found: {some_of(self.table.columns)}", source=self.source
            )
        made = {key.meta.output_name() for key in keys}
        kept = [pl.col(theirs).alias(ours) for ours, theirs in found.items() if ours not in made]
        rows = self.table.select(*kept, *keys, *(_as_text(self.table[name]).alias(f"\0{name}") for name in values))
        on = [f"\0{name}" for name in values]
        index = [name for name in rows.columns if name not in on]
        long = rows.unpivot(on, index=index, variable_name=across, value_name=VALUE)
        long = long.with_columns(pl.col(across).str.strip_prefix("\0"))
        return long if _MEASURE in long.columns else long.with_columns(pl.lit(UNNAMED_MEASURE).alias(_MEASURE))


def _as_said(part: str) -> str:
    return "topic" if part == QUERY else part


def _either() -> str:
    return "--systems rows or --systems columns" if in_shell() else "systems='rows' or systems='columns'"


def _as_text(column: pl.Series) -> pl.Series:
    """Write a column as texts, so that columns of several types stand in one."""
    return column.cast(pl.Int8).cast(pl.String) if column.dtype == pl.Boolean else column.cast(pl.String)


def _holds_values(column: pl.Series) -> bool:
    """Say whether a column holds scores: most of its cells do (another is an error), or all are empty."""
    if column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        return True
    if column.dtype != pl.String:
        return False
    cells = column.drop_nulls()
    cells = cells.filter(cells.str.strip_chars() != "")
    return 2 * int(_are_values(cells).sum()) >= len(cells)


def _are_values(cells: pl.Series) -> pl.Series:
    plain = cells.str.strip_chars()
    return plain.str.contains(_NUMBER) | plain.str.to_lowercase().is_in([*_WORDS])


def _tidy(long: pl.DataFrame, source: str) -> pl.DataFrame:
    """Make names texts and values numbers; nothing but an empty cell is null."""
    named = [name for name in (RUN, QUERY, _MEASURE, ATTEMPT, CLUSTER, TASK) if name in long.columns]
    numbers = [name for name in (VALUE, "low", "high") if name in long.columns]
    for name in (*named, *numbers):
        if long[name].dtype.is_nested():
            raise InputError(f"the column of {_as_said(name)} holds lists or records", source=source)
    for name in (RUN, QUERY, _MEASURE):
        if (lacking := long[name].cast(pl.String).fill_null("").str.strip_chars() == "").any():
            raise InputError(f"row {int(lacking.arg_max() or 0) + 1} has no {_as_said(name)}", source=source)
    table = long.select(pl.col(named).cast(pl.String), *(_read(long[name]).alias(name) for name in numbers))
    given = [_as_text(long[name]).str.strip_chars().fill_null("") != "" for name in numbers]
    for name, there in zip(numbers, given, strict=True):
        broken = table.filter(there & ~table[name].is_finite().fill_null(value=False))
        if broken.height:
            run, topic, measure = broken.select(RUN, QUERY, _MEASURE).row(0)
            raise InputError(
                f"{measure} of run {run} on topic {topic} has a value that is not a finite number", source=source
            )
    return table.rename({QUERY: "topic"})


def _read(column: pl.Series) -> pl.Series:
    if column.dtype == pl.String:
        column = column.str.strip_chars().str.to_lowercase().replace(_WORDS)
    return column.cast(pl.Float64, strict=False)

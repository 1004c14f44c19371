"""What came of each run on each topic: tables with a run, a topic and a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeAlias

import numpy as np

from cranfield.formats import frames
from cranfield.formats.columns import read_column
from cranfield.formats.files import called
from cranfield.formats.long_tables import read_table
from cranfield.formats.numbers import BadCell, refuse
from cranfield.formats.optional import library
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import OrInMemory
from cranfield.plumbing.tables import QUERY, RUN, RUN_COLUMNS, RUN_EXTRAS, Frame, match_columns
from cranfield.plumbing.wording import counted, named

OutcomesLike: TypeAlias = Annotated[str | Path | Frame | Mapping[str, Mapping[str, float]], OrInMemory()]
"""A file, a DataFrame of any library, or ``{run: {topic: value}}``."""

_VALUE: Final = "value"
_COLUMNS: Final = {
    RUN: (*RUN_EXTRAS[RUN], "runid"),
    QUERY: RUN_COLUMNS[QUERY],
    _VALUE: (_VALUE, "outcome", "success", "correct", "right", "label", "rating", "score"),
}
_WORDS: Final = {"true": "1", "yes": "1", "false": "0", "no": "0", "nan": "", "null": ""}
"""What texts may stand for a number, or for none."""


class Outcomes(NamedTuple):
    """Outcomes of the given runs and topics that have any, which are positions among those given."""

    runs: Sequence[int]
    topics: Sequence[int]
    values: Floats  # Array of shape (runs, topics); NaN where there is none
    notes: tuple[str, ...]  # What is missing on either side and left out


def outcomes_of(given: OutcomesLike, runs: Sequence[str], topics: Sequence[str]) -> Outcomes:
    """Read outcomes, and arrange them by these runs and topics; notes name what is left out."""
    table = read_outcomes(given)
    values = np.full((len(runs), len(topics)), np.nan)
    there = {RUN: {run: i for i, run in enumerate(runs)}, QUERY: {topic: i for i, topic in enumerate(topics)}}
    notes = []
    for key, noun in ((RUN, "run"), (QUERY, "topic")):
        known = table[key].is_in(list(there[key]))
        if not known.any():
            raise InputError(
                f"the outcomes name none of the {noun}s: their first {noun} is {table[key][0]!r}, and the {noun}s are "
                f"{named([repr(each) for each in there[key]], 3)}",
                source=_source(given),
            )
        if others := sorted(table.filter(~known)[key].unique()):
            kind = counted(len(others), f"unknown {noun}", f"unknown {noun}s")
            notes.append(f"outcomes of {kind} left out: {named(others)}")
        table = table.filter(known)
    place = tuple(table[key].replace_strict(there[key], return_dtype=pl.Int64).to_numpy() for key in (RUN, QUERY))
    values[place] = table[_VALUE].to_numpy()
    has = np.isfinite(values)
    kept = has.any(axis=1), has.any(axis=0)
    lacking = [
        f"{counted(len(names), f'{noun} without an outcome', f'{noun}s without an outcome')} left out: {named(names)}"
        for noun, every, stays in (("run", runs, kept[0]), ("topic", topics, kept[1]))
        if (names := [name for name, stay in zip(every, stays, strict=True) if not stay])
    ]
    values = values[np.ix_(*kept)]
    if empty := int(np.isnan(values).sum()):
        notes.append(f"{empty:,} of {counted(values.size, 'pair')} of a run and a topic left out: no outcome")
    places = [np.flatnonzero(stays).tolist() for stays in kept]
    return Outcomes(places[0], places[1], values, (*lacking, *notes))


def read_outcomes(given: OutcomesLike) -> pl.DataFrame:
    """Read outcomes: the columns run, query_id and value, the last a number."""
    source = _source(given)
    table = _frame(given, source)
    ids = [read_column(table, name, source) for name in (RUN, QUERY)]
    table = table.with_columns(*ids, read_column(table, _VALUE, source, _numbers))
    twice = table.filter(table.select(RUN, QUERY).is_duplicated())
    if twice.height:
        run, topic, _ = twice.row(0)
        raise InputError(f"run {run!r} has more than one outcome on topic {topic!r}", source=source)
    table = table.drop_nulls()
    if not table.height:
        raise InputError("no outcomes: give each run's value on each topic", source=source)
    return table


def _source(given: OutcomesLike) -> str:
    return called(str(given)) if isinstance(given, str | Path) else "outcomes"


def _frame(given: OutcomesLike, source: str) -> pl.DataFrame:
    """Carry the three columns over to polars."""
    if isinstance(given, Mapping):
        return _of_dicts(given, source)
    frame = read_table(str(given), "outcomes") if isinstance(given, str | Path) else given
    if not frames.is_frame(frame):
        raise InputError(
            "outcomes are a file, a DataFrame with the columns run, topic and value, or {run: {topic: value}}"
        )
    narwhal = library("narwhals.stable.v2").from_native(frame)
    found = match_columns(list(map(str, narwhal.collect_schema().names())), _COLUMNS, source=source)
    return frames.to_polars(narwhal, found)


def _of_dicts(given: Mapping[str, Mapping[str, float]], source: str) -> pl.DataFrame:
    rows = []
    for run, values in given.items():
        if not isinstance(values, Mapping):
            raise InputError(f"run {run!r} has no {{topic: value}}", source=source)
        rows += [(str(run), str(topic), None if value is None else str(value)) for topic, value in values.items()]
    return pl.DataFrame(rows, schema=dict.fromkeys(_COLUMNS, pl.String), orient="row")


def _numbers(cells: pl.Series) -> pl.Series:
    """Read values; null where there is none."""
    if cells.dtype.is_numeric() or cells.dtype in (pl.Boolean, pl.Null):
        read = cells.cast(pl.Float64).fill_nan(None)
        missing = cells.is_null() | read.is_null()
    elif isinstance(cells.dtype, pl.String | pl.Categorical | pl.Enum):
        texts = cells.cast(pl.String).str.strip_chars().str.to_lowercase().replace(_WORDS)
        missing = texts.fill_null("") == ""
        read = texts.cast(pl.Float64, strict=False).fill_nan(None)
    else:
        raise BadCell(0, f"the values have type {cells.dtype}; numbers are needed")
    refuse(~missing & ~read.is_finite().fill_null(value=False), cells, "the value {!r} is not a finite number")
    return read

r"""Small tables by topic, which come with qrels and runs: excluded documents, weights, groups."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from cranfield.formats import frames, hits, parquet
from cranfield.formats.files import FilePath, called
from cranfield.formats.loading import Loaded, load
from cranfield.formats.records import at, paths_in
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.naming import NO_NAMES, Naming
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import QUERY, RUN_COLUMNS, Frame, match_columns
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from cranfield.plumbing.lazy import pl

TopicTableLike: TypeAlias = FilePath | Frame
"""What a table by topic is read from: a file, or a DataFrame of any library."""

ByTopic: TypeAlias = tuple[int | None, Any, Any]
"""The line of a file, a topic, and what it has."""

TOPIC_NAMES: Final = (*RUN_COLUMNS[QUERY], "_id", "id")
_WORD: Final = re.compile(r"[^ \t\r]+")  # Blanks of Unicode are part of ids
_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}


class TopicTable(NamedTuple):
    """A table by topic, as it was written."""

    columns: tuple[str, ...]  # What the columns are called; empty where none is, and lines are words
    rows: tuple[tuple[int, tuple[Any, ...]], ...]  # The line (or row, from 1) of each, and its cells
    source: str
    naming: Naming = NO_NAMES

    def first(self) -> tuple[Any, ...]:
        """Return the first row, for examples."""
        return self.rows[0][1] if self.rows else ()

    def wrong(self, line: int, problem: str) -> InputError:
        """Say what is wrong in a line."""
        return InputError(problem, source=self.source, line=line)

    def picked(self, wanted: Mapping[str, tuple[str, ...]], words: Mapping[int, Sequence[int]]) -> TopicTable:
        """Keep some of the columns."""
        names = tuple(wanted)
        if self.columns:
            found = match_columns(
                self.columns, dict(wanted), source=self.source, columns=self.naming.names, first=self.first
            )
            places = [self.columns.index(found[name]) for name in names]
            return TopicTable(
                names, tuple((line, tuple(row[i] for i in places)) for line, row in self.rows), self.source
            )
        rows = []
        for line, row in self.rows:
            if len(row) not in words:
                many = " or ".join(map(str, words))
                hint = "; a table with commas is called .csv" if len(row) == 1 and "," in row[0] else ""
                raise self.wrong(line, f"a line is {' and '.join(names)}, {many} words, not {len(row)}{hint}")
            rows.append((line, tuple(row[i] for i in words[len(row)])))
        return TopicTable(names, tuple(rows), self.source)

    def without_header(self, *names: Sequence[str]) -> TopicTable:
        """Take a first line for the names of the columns, where it is such."""
        first = self.rows[0][1]
        if self.columns or len(first) != len(names):
            return self
        known = all(str(cell).casefold() in of for cell, of in zip(first, names, strict=True))
        return TopicTable((), self.rows[1:], self.source) if known and len(self.rows) > 1 else self


def read_topic_table(given: TopicTableLike | Loaded, what: str, naming: Naming = NO_NAMES) -> TopicTable:
    """Read a table by topic."""
    table = _read(given, what, naming)
    if not table.rows:
        raise InputError(f"is empty: it holds no {what}", source=table.source)
    return table._replace(naming=naming)


def values_by_topic(
    value: object, what: str, part: str, names: tuple[str, ...], naming: Naming = NO_NAMES
) -> tuple[str, str | None, list[ByTopic]]:
    """Read one value for each topic, of a file, a DataFrame or a dict: the file's name, its source, and the rows."""
    if isinstance(value, Mapping) or frames.is_series(value):
        pairs = value.items() if isinstance(value, Mapping) else frames.by_index(value)
        return "", None, [(None, topic, each) for topic, each in pairs]
    if value is None or (isinstance(value, bool | int | float | Sequence) and not isinstance(value, str)):
        raise InputError(f"{what} must be a file, a DataFrame or a dict, not {shown(value)}")
    given: Any = value
    wanted = {"topic": TOPIC_NAMES, part: names}
    table = read_topic_table(given, what, naming).without_header(*wanted.values()).picked(wanted, {2: (0, 1)})
    name = called(given) if isinstance(given, str | os.PathLike) else ""
    return name, table.source, [(line, *row) for line, row in table.rows]


def _read(given: TopicTableLike | Loaded, what: str, naming: Naming) -> TopicTable:
    if frames.is_frame(given):
        narwhal = frames.clothed(given)
        names = narwhal.collect_schema().names()
        return _of_frame(frames.to_polars(narwhal, {name: name for name in names}), "DataFrame")
    if not isinstance(given, str | os.PathLike | Loaded):
        raise InputError(f"{what} are read from a file, a DataFrame or a dict, not from {shown(given)}")
    held = given if isinstance(given, Loaded) else load(given)
    if held.data.startswith(b"PAR1"):
        return _of_frame(parquet.table(held.data, source=held.source), held.source)
    if held.text.lstrip()[:1] in {"{", "["} and held.suffix not in _DELIMITERS:
        return _of_json(held, naming)
    if delimiter := _delimiter(held) or header(held, naming)[0].strip("\t"):
        return _of_cells(held, delimiter)
    lines = enumerate(held.text.split("\n"), start=1)
    rows = tuple((line, tuple(words)) for line, written in lines if (words := _WORD.findall(written)))
    return TopicTable((), rows, held.source)


def _delimiter(held: Loaded) -> str | None:
    """Say what is between cells, by the file's name; in CSV that may be semicolons."""
    first = held.text.lstrip().partition("\n")[0]
    usual = _DELIMITERS.get(held.suffix)
    return ";" if usual == "," and ";" in first and "," not in first else usual


def header(held: Loaded, naming: Naming = NO_NAMES) -> tuple[str, list[str]]:
    """Tell a table by its first line, where no name does, as with a pipe: the separator, and the names of its columns.

    Without a column of topics' ids the line is no header, and both are empty.
    """
    first = held.text.lstrip().partition("\n")[0]
    theirs = {name.casefold() for several in naming.names.values() for name in several}
    for separator in "\t,;":
        names = [cell.strip(' "\r').casefold() for cell in first.split(separator)]
        if len(names) > 1 and any(names_topics(name) or name in theirs for name in names):
            return separator, names
    return "", []


def names_topics(cell: str) -> bool:
    """Say whether a column of that name has ids of topics."""
    return cell.strip().casefold() in TOPIC_NAMES


def an_id(cell: object, of: str) -> str:
    """Return an id as text; whole numbers are ids, too."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        raise InputError(f"the {of} is missing")
    if hits.is_id(cell):
        return str(cell)
    raise InputError(f"the {of} {shown(cell)} is not an id; write it as text")


def an_amount(cell: object, wanted: str) -> float:
    """Return a finite number from 0 on, as a number or as text; any other is refused in these words."""
    try:
        number = math.nan if isinstance(cell, bool) or cell is None else float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise InputError(f"{wanted}, not {shown(cell)}")
    return number


def _of_frame(table: pl.DataFrame, source: str) -> TopicTable:
    return TopicTable(tuple(table.columns), tuple(enumerate(table.iter_rows(), start=1)), source)


def _of_cells(held: Loaded, delimiter: str) -> TopicTable:
    [(_, names), *given] = held.rows(delimiter) or [(1, [])]
    for line, row in given:
        if len(row) != len(names):
            raise held.wrong(f"{counted(len(row), 'column')}, but the header has {len(names)}", line)
    return TopicTable(tuple(names), tuple((line, tuple(row)) for line, row in given), held.source)


def _of_json(held: Loaded, naming: Naming) -> TopicTable:
    whole = held.text.lstrip().startswith("[")
    objects = [(number if whole else line, each) for number, (line, each) in enumerate(held.objects(), start=1)]
    for line, each in objects:
        if not isinstance(each, dict):
            raise held.wrong(f"each row must be an object {{...}}, not {shown(each)}", line)
    names = tuple(dict.fromkeys(name for _, each in objects for name in each))
    within = tuple(dict.fromkeys(path for _, each in objects for path in paths_in(each, naming)) if naming else ())
    rows = tuple(
        (line, (*(each.get(name) for name in names), *(at(each, path) for path in within)))
        for line, each in objects
        if each
    )
    return TopicTable((*names, *within), rows, held.source)

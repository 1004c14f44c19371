r"""Small tables by topic, which stand beside qrels and runs: excluded documents, weights, groups."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from cranfield.formats import frames, parquet
from cranfield.formats.files import FilePath, called, read_bytes, unpacked_name
from cranfield.formats.optional import library
from cranfield.formats.text import decodable
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import QUERY, RUN_COLUMNS, Frame, match_columns
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from cranfield.plumbing.lazy import pl

TopicTableLike: TypeAlias = FilePath | Frame
"""What a table by topic is read from: a file, or a DataFrame of any library."""

TOPIC_NAMES: Final = (*RUN_COLUMNS[QUERY], "_id", "id")
_WORD: Final = re.compile(r"[^ \t\r]+")
"""Blanks of Unicode are part of ids."""
_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}


class TopicTable(NamedTuple):
    """A table by topic, as it was written.

    Attributes
    ----------
    columns
        What the columns are called; empty where none is, and lines are words.
    rows
        The line (or row, from 1) of each, and its cells.
    source
        What the file is called.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[Any, ...]], ...]
    source: str

    def wrong(self, line: int, problem: str) -> InputError:
        """Say what is wrong in a line."""
        return InputError(problem, source=self.source, line=line)

    def picked(self, wanted: Mapping[str, tuple[str, ...]], words: Mapping[int, Sequence[int]]) -> TopicTable:
        """Keep some of the columns.

        Parameters
        ----------
        wanted
            ``{name: the names that its column may have}``, the topic's first.
        words
            Where columns have no names: by how many words a line has, the places of those that are wanted.

        >>> table = TopicTable((), ((1, ("401", "0", "d1", "2")),), "qrels.txt")
        >>> table.picked({"topic": (), "document": ()}, {2: (0, 1), 4: (0, 2)}).rows
        ((1, ('401', 'd1')),)
        """
        names = tuple(wanted)
        if self.columns:
            found = match_columns(self.columns, dict(wanted), source=self.source)
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


def read_topic_table(given: TopicTableLike, what: str) -> TopicTable:
    r"""Read a table by topic.

    Parameters
    ----------
    given
        A file, packed or not: lines of words; a table with named columns, called ``.csv`` or ``.tsv``, or in
        Parquet; JSON, a list of objects or one a line. Or a DataFrame.
    what
        What it holds, for errors.

    Raises
    ------
    InputError
        Where it is none of these, or empty.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b'topic,group\n401,"a, b"\n'), file.flush()
    ...     read_topic_table(file.name, "groups").rows
    ((2, ('401', 'a, b')),)
    """
    if frames.is_frame(given):
        names = [str(name) for name in library("narwhals.stable.v2").from_native(given).collect_schema().names()]
        narwhal = library("narwhals.stable.v2").from_native(given)
        return _of_frame(frames.to_polars(narwhal, {name: name for name in names}), "DataFrame", what)
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"{what} are read from a file, a DataFrame or a dict, not from {shown(given)}")
    source, data = called(given), read_bytes(given)
    if data.startswith(b"PAR1"):
        return _of_frame(parquet.table(data, source=source), source, what)
    text = decodable(data, source=source).decode()
    suffix = Path(unpacked_name(given)).suffix.casefold()
    if text.lstrip()[:1] in {"{", "["} and suffix not in _DELIMITERS:
        return _some(_of_json(text, source), what)
    if suffix in _DELIMITERS:
        return _some(_of_cells(text, _DELIMITERS[suffix], source), what)
    lines = enumerate(text.split("\n"), start=1)
    rows = tuple((line, tuple(words)) for line, written in lines if (words := _WORD.findall(written)))
    return _some(TopicTable((), rows, source), what)


def an_id(cell: object, of: str) -> str:
    """Return an id as text: whole numbers are ids, too.

    >>> an_id(7, "topic"), an_id("007", "topic")
    ('7', '007')
    """
    if isinstance(cell, str):
        if not cell.strip():
            raise InputError(f"the {of} is missing")
        return cell
    if cell is None:
        raise InputError(f"the {of} is missing")
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    raise InputError(f"the {of} {shown(cell)} is not an id; write it as text")


def _some(table: TopicTable, what: str) -> TopicTable:
    if not table.rows:
        raise InputError(f"is empty: there are no {what} in it", source=table.source)
    return table


def _of_frame(table: pl.DataFrame, source: str, what: str) -> TopicTable:
    return _some(TopicTable(tuple(table.columns), tuple(enumerate(table.iter_rows(), start=1)), source), what)


def _of_cells(text: str, delimiter: str, source: str) -> TopicTable:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, tuple[str, ...]]] = []
    names: list[str] = []
    try:
        for row in reader:
            if not any(map(str.strip, row)):
                continue
            if not names:
                names = row
                continue
            if len(row) != len(names):
                raise InputError(
                    f"{counted(len(row), 'column')}, where the header has {len(names)}",
                    source=source,
                    line=reader.line_num,
                )
            rows.append((reader.line_num, tuple(row)))
    except csv.Error as error:
        raise InputError(f"not a table ({error})", source=source, line=reader.line_num) from None
    return TopicTable(tuple(names), tuple(rows), source)


def _of_json(text: str, source: str) -> TopicTable:
    objects = list(_objects(text, source))
    names = tuple(dict.fromkeys(name for _, each in objects for name in each))
    return TopicTable(names, tuple((line, tuple(each.get(name) for name in names)) for line, each in objects), source)


def _objects(text: str, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    whole = text.lstrip().startswith("[")
    parts = [(1, text)] if whole else [(n, part) for n, part in enumerate(text.split("\n"), 1) if part.strip()]
    for line, part in parts:
        try:
            read = json.loads(part)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not JSON ({error})", source=source, line=line) from None
        for number, each in enumerate(read if whole else [read], start=1):
            if not isinstance(each, dict):
                raise InputError(
                    f"an object is wanted, {{...}}, not {shown(each)}", source=source, line=number if whole else line
                )
            yield (number if whole else line), each

"""The tables that an experiment declares in its docstring, and how they are made of what it returns."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cranfield.plumbing.lazy import pl
from cranfield.statistics.differences import pairs

COLUMN_KINDS: Final[dict[str, type[pl.DataType]]] = {
    "text": pl.String,
    "number": pl.Float64,
    "whole number": pl.Int64,
    "yes or no": pl.Boolean,
}
"""What a column can hold, and as which type it is kept."""

Columns: TypeAlias = dict[str, object]
"""Columns by name: a value, or a text for all rows."""
Row: TypeAlias = tuple[object, ...]
"""What a row has, in the order of the columns."""
Rows: TypeAlias = "pl.DataFrame | Columns | Sequence[Columns] | Sequence[Row]"
"""A table, or what one is made of: columns; or rows, each by the names of the columns or in their order."""


class Column(NamedTuple):
    """One column of a table; the name ``<measure>`` means one column per measure."""

    name: str
    kind: str
    meaning: str
    optional: bool = False
    blank: str = ""  # What people read where a number does not exist

    @property
    def many(self) -> bool:
        """Whether it stands for any number of columns."""
        return self.name.startswith("<")


class Table(NamedTuple):
    """A table that an experiment returns: its name, what a row is, and its columns."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    def made(self, of: Rows) -> pl.DataFrame:
        """Make the table, every column of its declared kind."""
        if isinstance(of, pl.DataFrame):
            return self._kept(of)
        if isinstance(of, Mapping):
            return self._kept(pl.DataFrame(of, strict=False))  # a column may hold 1 and 0.5
        if not of:
            known = (column for column in self.columns if not (column.many or column.optional))
            return pl.DataFrame(schema={column.name: COLUMN_KINDS[column.kind] for column in known})
        names = None if isinstance(of[0], Mapping) else [column.name for column in self.columns]
        return self._kept(pl.DataFrame(of, schema=names, orient="row", infer_schema_length=None))

    def _kept(self, table: pl.DataFrame) -> pl.DataFrame:
        """Cast the columns; what is not declared, not in its place, or would be lost is a mistake of the experiment."""
        left = list(table.columns)
        expressions = []
        for column in self.columns:
            while left and (column.many or left[0] == column.name):
                expressions.append(pl.col(left.pop(0)).cast(COLUMN_KINDS[column.kind], strict=False))
                if not column.many:
                    break
            else:
                if not (column.optional or column.many):
                    raise TypeError(f"table {self.name}: no column {column.name} among {', '.join(table.columns)}")
        if left:
            raise TypeError(f"table {self.name}: column {left[0]} is not declared, or not in its place")
        kept = table.select(expressions)
        if lost := [name for name in table.columns if kept[name].null_count() > table[name].null_count()]:
            raise TypeError(f"table {self.name}: column {lost[0]} holds {table[lost[0]].dtype}")
        return kept


def tables_of(docstring: str, under: str = "Tables") -> dict[str, Table]:
    """Read the tables declared under *Tables*.

    A table is its name on a line, indented below it what a row is, then its columns, ``names : kind``, and indented
    below each its meaning. A name that ends in ``?`` is an optional column. A kind of ``number, or none suffices`` says
    what people read where a number does not exist.
    """
    return {name: Table(name, *_described(lines)) for name, lines in _indented(section(docstring, under).splitlines())}


def section(docstring: str, name: str) -> str:
    """Return the text of one section of a docstring, or an empty string."""
    text = inspect.cleandoc(docstring)
    found = re.search(rf"^{name}\n-+\n(.*?)(?=\n\S[^\n]*\n-+\n|\nPaper: |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1].rstrip() if found else ""


def explained(docstring: str) -> Mapping[str, str]:
    """Read the names and meanings under *Parameters*; names that share a meaning are separated by commas."""
    return {
        name.strip(): " ".join(" ".join(lines).split())
        for names, lines in _indented(section(docstring, "Parameters").splitlines())
        for name in names.split(",")
    }


def _indented(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Give each line that is not indented with the lines below it that are, brought to the margin."""
    head, below = "", list[str]()
    for line in [*lines, "end"]:
        if line.strip() and not line.startswith(" "):
            if head:
                yield head, inspect.cleandoc("\n" + "\n".join(below)).splitlines()
            head, below = line.strip(), []
        else:
            below.append(line)


def _described(lines: list[str]) -> tuple[str, tuple[Column, ...]]:
    """Read what a row is, and the columns."""
    first = next((i for i, line in enumerate(lines) if " : " in line and not line.startswith(" ")), len(lines))
    columns = []
    for head, below in _indented(lines[first:]):
        names, _, kinds = head.partition(" : ")
        kind, _, blank = kinds.partition(", or ")
        meaning = " ".join(" ".join(below).split())
        columns += [
            Column(name.strip().rstrip("?"), kind, meaning, optional=name.strip().endswith("?"), blank=blank)
            for name in names.split(",")
        ]
    return " ".join(" ".join(lines[:first]).split()), tuple(columns)


def long_columns(keys: Mapping[str, Sequence[str]], **values: ArrayLike) -> Columns:
    """Flatten arrays to columns: each axis is one of the keys, the last of which varies fastest."""
    rows = list(product(*keys.values()))
    named = {name: [row[place] for row in rows] for place, name in enumerate(keys)}
    return named | {name: np.ravel(value) for name, value in values.items()}


def stacked(parts: Sequence[Columns]) -> Rows:
    """Stack parts of a table vertically; there may be none."""
    return pl.concat(map(pl.DataFrame, parts), how="vertical_relaxed") if parts else []


def pair_columns(names: Sequence[str], of: str = "run") -> Columns:
    """Name both sides of all pairs, in the order of `pairs`."""
    return {f"{of}_{side}": [names[i] for i in place] for side, place in zip("ab", pairs(len(names)), strict=True)}

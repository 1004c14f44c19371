"""The tables that an experiment declares in its docstring, checked against what it returns."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from cranfield.plumbing.lazy import pl

COLUMN_KINDS: Final[dict[str, type[pl.DataType]]] = {
    "text": pl.String,
    "number": pl.Float64,
    "whole number": pl.Int64,
    "yes or no": pl.Boolean,
}
"""What a column can hold, and as which type it is kept."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name
        Its name; ``<measure>`` means one column per measure.
    kind
        One of `COLUMN_KINDS`.
    meaning
        What it means, if the name does not say so.
    optional
        Whether the table may lack it.
    """

    name: str
    kind: str
    meaning: str
    optional: bool = False

    @property
    def many(self) -> bool:
        """Whether it stands for any number of columns."""
        return self.name.startswith("<")


@dataclass(frozen=True)
class Table:
    """A table that an experiment returns: its name, what a row is, and its columns."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    def kept_to(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return the table with every column of its declared kind."""
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
        lost = [name for name in table.columns if kept[name].null_count() > table[name].null_count()]
        if lost:
            raise TypeError(f"table {self.name}: column {lost[0]} holds {table[lost[0]].dtype}")
        return kept


def tables_of(docstring: str, under: str = "Tables") -> dict[str, Table]:
    """Read the tables under *Tables*.

    Each has its name on a line; indented below it what a row is, then its columns,
    ``names : kind``, and indented below each what it says. A name that ends in ``?`` marks an
    optional column.

    >>> found = tables_of('''Why?
    ...
    ... Tables
    ... ------
    ... pairs
    ...     A row for each pair.
    ...     run_a, run_b : text
    ...     difference : number
    ...         of the means
    ... ''')
    >>> [(column.name, column.kind, column.meaning) for column in found["pairs"].columns]
    [('run_a', 'text', ''), ('run_b', 'text', ''), ('difference', 'number', 'of the means')]
    """
    return {name: Table(name, *_described(lines)) for name, lines in _indented(section(docstring, under).splitlines())}


def section(docstring: str, name: str) -> str:
    r"""Return one section of a docstring, or nothing.

    >>> section('''Why?
    ...
    ... Parameters
    ... ----------
    ... seed
    ...     A number.
    ... ''', "Parameters")
    'seed\n    A number.'
    """
    text = inspect.cleandoc(docstring)
    found = re.search(rf"^{name}\n-+\n(.*?)(?=\n\S[^\n]*\n-+\n|\nPaper: |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1].rstrip() if found else ""


def explained(docstring: str) -> Mapping[str, str]:
    """Read the names and meanings under *Parameters*.

    >>> explained('''Why?
    ...
    ... Parameters
    ... ----------
    ... runs, seed
    ...     The runs, and
    ...     a number.
    ... ''')
    {'runs': 'The runs, and a number.', 'seed': 'The runs, and a number.'}
    """
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
        names, _, kind = head.partition(" : ")
        meaning = " ".join(" ".join(below).split())
        columns += [
            Column(name.strip().rstrip("?"), kind, meaning, optional=name.strip().endswith("?"))
            for name in names.split(",")
        ]
    return " ".join(" ".join(lines[:first]).split()), tuple(columns)

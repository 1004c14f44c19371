"""What a person is shown: columns of plain values, before any format writes them down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import isnan
from typing import TYPE_CHECKING, Final, NamedTuple

from cranfield.plumbing.escaping import printable

if TYPE_CHECKING:
    import polars as pl

_NONE: Final[Mapping[str, float]] = {}  # Nothing is emphasised
NEXT: Final = "Next: "
"""What stands before a command, among the sentences above a table."""
ROWS_SHOWN: Final = 60
"""More rows than these are for programs: people see how many there are."""


class Ranged(NamedTuple):
    """A range, and optionally a value within it."""

    low: float
    high: float
    value: float | None = None

    def __str__(self) -> str:
        return f"{shown(self.value)} [{shown(self.low)}, {shown(self.high)}]".lstrip()


class Marked(NamedTuple):
    """A value, the marks that follow it, and what would fill them up to the width of the others in the column."""

    value: float
    marks: str = ""
    room: str = ""


class SheetColumn(NamedTuple):
    """One column: name, cells, whether they are numbers, and which rows are bold (best) or underlined (second)."""

    name: str
    cells: Sequence[object]
    numeric: bool = False
    bold: frozenset[int] = frozenset()
    underlined: frozenset[int] = frozenset()
    above: str = ""
    """A head that it shares with its neighbours, where a format has heads over columns; its name begins with that."""

    @property
    def below(self) -> str:
        """What its name is below the head."""
        return self.name.removeprefix(f"{self.above} ")

    @property
    def to_the_right(self) -> bool:
        """Whether it stands to the right on a screen, as ranges do that are text elsewhere."""
        return self.numeric or any(isinstance(cell, Ranged) for cell in self.cells)


class Sheet(NamedTuple):
    """A table that a person reads; all columns have as many cells."""

    columns: tuple[SheetColumn, ...]
    keys: int = 1  # How many columns, from the left, say what a row is
    caption: str = ""
    more: int = 0  # How many rows there are besides, which are not shown
    headings: tuple[tuple[int, str], ...] = ()
    """Rows of one kind stand together, below a heading: the row that it stands before, and its text."""
    above: tuple[str, ...] = ()  # Sentences above the table: the verdict, and what it rests on

    @classmethod
    def of(cls, table: pl.DataFrame, *, best: Mapping[str, float] = _NONE, keys: int = 1, caption: str = "") -> Sheet:
        """Take the columns of a table; ``best`` says where the largest value (1) or the least (-1) is emphasised."""
        columns = tuple(
            SheetColumn(
                column.name,
                cells := column.to_list(),
                column.dtype.is_numeric(),
                best_rows(cells, best[column.name]) if column.name in best else frozenset(),
            )
            for column in table
        )
        return cls(columns, keys, caption)

    @property
    def heads(self) -> list[tuple[str, list[SheetColumn]]]:
        """The heads over columns, each with its columns; empty where no column has one."""
        found = [(head, list(of)) for head, of in groupby(self.columns, lambda column: column.above)]
        return found if any(head for head, _ in found) else []

    @property
    def height(self) -> int:
        """How many rows are shown."""
        return len(self.columns[0].cells) if self.columns else 0

    @property
    def legend(self) -> str:
        """The caption, and what bold and underlined print mean where they are used."""
        if not any(column.bold for column in self.columns):
            return self.caption
        second = ", second best underlined" if any(column.underlined for column in self.columns) else ""
        return f"{self.caption.removesuffix('.')}. Best in bold{second}." if self.caption else f"Best in bold{second}."

    def filled(self) -> Sheet:
        """Return the sheet without empty columns."""
        return self._replace(columns=tuple(column for column in self.columns if any(map(shown, column.cells))))

    def first(self, rows: int) -> Sheet:
        """Return the same with at most this many rows; the best cells stay those of the whole table."""
        if rows >= self.height:
            return self
        columns = (each._replace(cells=each.cells[:rows]) for each in self.columns)
        headings = tuple((row, heading) for row, heading in self.headings if row < rows)
        return self._replace(columns=tuple(columns), more=self.more + self.height - rows, headings=headings)

    def in_groups(self, groups: Sequence[tuple[str, Sequence[int]]]) -> Sheet:
        """Return the sheet with its rows in groups, each with its heading, if any."""
        order = [row for _, rows in groups for row in rows]
        place = {row: new for new, row in enumerate(order)}
        columns = (
            each._replace(
                cells=[each.cells[row] for row in order],
                bold=frozenset(place[row] for row in each.bold),
                underlined=frozenset(place[row] for row in each.underlined),
            )
            for each in self.columns
        )
        headings = tuple((place[rows[0]], heading) for heading, rows in groups if heading and rows)
        return self._replace(columns=tuple(columns), headings=headings)


def shown(value: object) -> str:
    """Write one cell: floats with four decimals, yes or no, lists with commas, None as nothing, controls escaped."""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    return "" if value is None else printable(str(value))


def listed(names: Sequence[object], most: int = 3) -> str:
    """Name the first few, and say how many more there are."""
    more = len(names) - most
    return ", ".join(map(str, names[:most])) + (f" and {more} more" if more > 0 else "")


def best_rows(values: Sequence[object], direction: float) -> frozenset[int]:
    """Find the rows of the largest value (for 1) or the least (for -1), ties as printed included; one row has none."""
    numbers = [value for value in values if isinstance(value, int | float) and not isnan(value)]
    if len(values) < 2 or not numbers:
        return frozenset()
    best = shown(max(numbers) if direction > 0 else min(numbers))
    return frozenset(row for row, value in enumerate(values) if shown(value) == best)


def second_rows(values: Sequence[object], direction: float) -> frozenset[int]:
    """Find the rows with the second best value, ties as printed included; none among fewer than three values."""
    best = best_rows(values, direction)
    others = [None if row in best else value for row, value in enumerate(values)]
    different = {shown(value) for value in others if isinstance(value, int | float) and not isnan(value)}
    return best_rows(others, direction) if len(different) > 1 else frozenset()

"""A table of several collections as papers print it: a column for each, for people; programs get the stacked one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cranfield.experiments.declared import tables_of
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import COLLECTION
from cranfield.results.sheet import Marked, Sheet, SheetColumn
from cranfield.statistics.conclusions import significant

_LEVELS: Final = {"*": 0.05, "**": 0.01}  # The p-value up to which each mark is shown; the last that applies


@record
@dataclass(frozen=True)
class SideBySide:
    """The layout of a table of several collections: one column per collection, and marks of significance."""

    rows: tuple[str, ...]  # The columns that identify a row
    values: tuple[str, ...]  # The columns whose values appear under the collections; if several, one row each
    mark: str | None = None  # The column of p-values, if values are marked
    meaning: str = ""  # What that p is

    @property
    def legend(self) -> str:
        """What the marks mean."""
        levels = ", ".join(f"{mark} p ≤ {level:g}" for mark, level in _LEVELS.items())
        return f"{levels}: {self.meaning}" if self.mark else ""

    def sheet(self, stacked: pl.DataFrame, caption: str = "") -> Sheet:
        """Return the stacked table as shown to people."""
        keys = [name for name in self.rows if name in stacked.columns]
        found = {
            (row[COLLECTION], *(row[key] for key in keys), value): self._cell(row, value)
            for row in stacked.iter_rows(named=True)
            for value in self.values
        }
        first = stacked.select(keys).unique(maintain_order=True).rows()
        rows = [(*row, value) for row in first for value in self.values]
        several = len(self.values) > 1
        columns = [
            SheetColumn(
                name, [row[place] for row in rows], name in stacked.columns and stacked[name].dtype.is_numeric()
            )
            for place, name in enumerate([*keys, "value"] if several else keys)
        ]
        columns += [
            SheetColumn(name, [found.get((name, *row)) for row in rows], numeric=True)
            for name in stacked[COLLECTION].unique(maintain_order=True)
        ]
        return Sheet(tuple(columns), len(columns) - stacked[COLLECTION].n_unique(), caption)

    def table(self, stacked: pl.DataFrame) -> pl.DataFrame:
        """Return the same without marks."""
        return pl.DataFrame({each.name: _plain(each.cells) for each in self.sheet(stacked).columns})

    def _cell(self, row: Mapping[str, object], value: str) -> object:
        number, p = row[value], None if self.mark is None else row[self.mark]
        if self.mark is None or not isinstance(number, float):
            return number
        p = p if isinstance(p, float) else 1.0
        mark = max((mark for mark, level in _LEVELS.items() if significant(p, level)), default="", key=len)
        return Marked(number, mark, "*" * (max(map(len, _LEVELS)) - len(mark)))


def _plain(cells: Sequence[object]) -> list[object]:
    """Return cells without marks; whole numbers among others become numbers of their kind."""
    values = [cell.value if isinstance(cell, Marked) else cell for cell in cells]
    if not any(isinstance(value, float) for value in values):
        return values
    return [float(value) if isinstance(value, int) else value for value in values]


def side_by_side(docstring: str) -> dict[str, SideBySide]:
    """Read what is declared under *Side by side*: a table's name, and below it what its columns are."""
    layouts = {}
    for name, declared in tables_of(docstring, "Side by side").items():
        of = {kind: [each for each in declared.columns if each.kind == kind] for kind in ("row", "value", "mark")}
        rows, values = (tuple(each.name for each in of[kind]) for kind in ("row", "value"))
        mark = of["mark"][0] if of["mark"] else None
        layouts[name] = SideBySide(rows, values, mark.name if mark else None, mark.meaning if mark else "")
    return layouts

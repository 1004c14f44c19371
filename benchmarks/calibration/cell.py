"""What was counted, and whether it is what was promised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

AVERAGE, LEAST = 0.93, 0.90
"""For a nominal 95%: how often intervals must hold, on average over runs and for each of them."""
ALLOWED: Final = 0.95 - AVERAGE
"""How much less often an interval of another level may hold than it says, on average."""
PROMISE: Final = 0.08
"""How far what came true may be from what was said."""


def error_of(rate: float, draws: int) -> float:
    """Monte Carlo error of a rate; where all draws held, that of half a draw."""
    return float(np.sqrt(max(rate * (1 - rate), 1 / (4 * draws)) / draws))


def short(rate: float, draws: int, least: float | None = None, average: float = AVERAGE) -> bool:
    """Whether a cell falls short: two Monte Carlo errors do not bring it to what must be.

    >>> short(0.91, 400), short(0.90, 400), short(0.95, 400, 0.86), short(0.95, 400, average=0.978)
    (False, True, True, True)
    """
    return rate + 2 * error_of(rate, draws) < average or (
        least is not None and least + 2 * error_of(least, draws) < LEAST
    )


@dataclass(frozen=True)
class Cell:
    """How often something held.

    Attributes
    ----------
    section, method, where
        What was counted, how it was made, and of which runs and topics.
    rate, least
        How often it held; that of the run with the least, where there are several.
    draws
        How many samples that comes from.
    width
        Mean width of the intervals, where there are any.
    """

    section: str
    method: str
    where: str
    rate: float
    draws: int
    least: float | None = None
    width: float | None = None

    @classmethod
    def of(cls, section: str, method: str, where: str, held: object, width: float | None = None) -> Cell:
        """Count, to three decimals, as the page has it: array of shape (draws,) or (draws, runs), whether it held."""
        table = np.asarray(held, dtype=np.float64)
        least = None if table.ndim == 1 else round(float(table.mean(axis=0).min()), 3)
        return cls(section, method, where, round(float(table.mean()), 3), len(table), least, width)

    @property
    def error(self) -> float:
        """Monte Carlo error of the rate, were all runs of a sample one."""
        return error_of(self.rate, self.draws)

    @property
    def fails(self) -> bool:
        """Whether it falls short of what it says: 95%, unless the method names another level."""
        level = re.match(r"at ([\d.]+)%", self.method)
        return short(self.rate, self.draws, self.least, float(level[1]) / 100 - ALLOWED if level else AVERAGE)


@dataclass(frozen=True)
class Kept:
    """How often more topics decided as was said.

    Attributes
    ----------
    what, where
        Of what, and of which scores.
    said, came
        The mean chance that was said, and how often it came true.
    draws
        Of how many.
    """

    what: str
    where: str
    said: float
    came: float
    draws: int

    @property
    def fails(self) -> bool:
        """Whether it is further off than may be, by more than two Monte Carlo errors."""
        return abs(self.said - self.came) - 2 * error_of(self.came, self.draws) > PROMISE

    def row(self) -> str:
        """Write a row of a table of Markdown."""
        came = f"{self.came:.3f} ± {error_of(self.came, self.draws):.3f}"
        came = f"**{came}**" if self.fails else came
        return f"| {self.what} | {self.where} | {self.said:.3f} | {came} | {self.draws:,} |"


def table(cells: list[Cell]) -> str:
    """Write a table of Markdown for each section, in their order."""
    sections: dict[str, list[Cell]] = {}
    for cell in cells:
        sections.setdefault(cell.section, []).append(cell)
    return "\n".join(f"## {section}\n\n{_by_topics(of) or _listed(of)}\n" for section, of in sections.items())


def _held(cell: Cell, error: str = "") -> str:
    held = f"{cell.rate:.3f}{error}"
    return f"**{held}**" if cell.fails else held


def _listed(cells: list[Cell]) -> str:
    """Give each cell a row."""
    lines = ["| method | where | held | least | width | draws |", "|---|---|--:|--:|--:|--:|"]
    for cell in cells:
        least = "" if cell.least is None else f"{cell.least:.3f}"
        width = "" if cell.width is None else f"{cell.width:.3g}"
        held = _held(cell, f" ± {cell.error:.3f}")
        lines.append(f"| {cell.method} | {cell.where} | {held} | {least} | {width} | {cell.draws:,} |")
    return "\n".join(lines)


def _by_topics(cells: list[Cell]) -> str:
    """Give each table of scores a row and each number of topics a column, where one method was counted, and no more."""
    places = [re.fullmatch(r"(.+), (\d+) (topics|clusters)", cell.where) for cell in cells]
    alike = {(cell.method, cell.draws, cell.least, cell.width) for cell in cells}
    if len(alike) > 1 or cells[0].least is not None or not all(places):
        return ""
    rows: dict[str, dict[int, str]] = {}
    for cell, place in zip(cells, places, strict=True):
        if place:
            rows.setdefault(place[1], {})[int(place[2])] = _held(cell)
    sizes = sorted({size for row in rows.values() for size in row})
    unit = places[0][3] if places[0] else ""
    head = f"| scores, by {unit} | {' | '.join(map(str, sizes))} |\n|---|{'--:|' * len(sizes)}\n"
    body = "\n".join(f"| {name} | {' | '.join(row.get(size, '') for size in sizes)} |" for name, row in rows.items())
    error = max(cell.error for cell in cells)
    return f"{cells[0].method}, {cells[0].draws:,} draws each; Monte Carlo error at most {error:.3f}.\n\n{head}{body}"


def cells_in(page: str) -> Iterator[Cell]:
    """Read the cells of a page back, as `table` wrote them.

    >>> cells = [Cell("S", "usual", f"a, {n} topics", 0.95, 1600) for n in (2, 25)]
    >>> list(cells_in(table(cells))) == cells
    True
    """
    section, method, draws, unit, sizes = "", "", 0, "", list[str]()
    for line in page.splitlines():
        row = [cell.strip(" *") for cell in line.strip("|").split("|")]
        if line.startswith("## "):
            section, draws = line.removeprefix("## "), 0
        elif said := re.match(r"(.+), ([\d,]+) draws each; ", line):
            method, draws = said[1], int(said[2].replace(",", ""))
        elif draws and row[0].startswith("scores, by "):
            unit, sizes = row[0].removeprefix("scores, by "), row[1:]
        elif draws and line.startswith("|") and "--:" not in line:
            held = ((size, cell) for size, cell in zip(sizes, row[1:], strict=True) if cell)
            yield from (Cell(section, method, f"{row[0]}, {size} {unit}", float(cell), draws) for size, cell in held)
        elif len(row) == 6 and row[5].replace(",", "").isdigit():
            rate, (least, width) = float(row[2].split()[0]), (float(cell) if cell else None for cell in row[3:5])
            yield Cell(section, row[0], row[1], rate, int(row[5].replace(",", "")), least, width)

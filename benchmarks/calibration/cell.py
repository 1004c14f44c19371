"""What was counted, and whether it is what was promised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

AVERAGE, LEAST = 0.93, 0.90
"""For a nominal 95 %: how often intervals must hold, on average over runs and for each of them."""


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
        """Count: array of shape (draws,) or (draws, runs), whether it held."""
        table = np.asarray(held, dtype=np.float64)
        least = None if table.ndim == 1 else float(table.mean(axis=0).min())
        return cls(section, method, where, float(table.mean()), len(table), least, width)

    @property
    def error(self) -> float:
        """Monte Carlo error of the rate, were all runs of a sample one."""
        return float(np.sqrt(max(self.rate * (1 - self.rate), 1 / (4 * self.draws)) / self.draws))

    @property
    def fails(self) -> bool:
        """Whether it held too seldom, by more than two Monte Carlo errors."""
        below = self.rate + 2 * self.error < AVERAGE
        least_error = np.sqrt(LEAST * (1 - LEAST) / self.draws)
        # The least of many runs is low by chance: three errors.
        return below or (self.least is not None and self.least + 3 * least_error < LEAST)


def table(cells: list[Cell]) -> str:
    """Write a table of Markdown, the sections in their order."""
    lines = []
    for section in dict.fromkeys(cell.section for cell in cells):
        lines += [f"## {section}", "", "| method | where | held | least | width | draws |", "|---|---|--:|--:|--:|--:|"]
        for cell in cells:
            if cell.section != section:
                continue
            least = "" if cell.least is None else f"{cell.least:.2f}"
            width = "" if cell.width is None else f"{cell.width:.3g}"
            held = f"{cell.rate:.3f} ± {cell.error:.3f}"
            held = f"**{held}**" if cell.fails else held
            lines.append(f"| {cell.method} | {cell.where} | {held} | {least} | {width} | {cell.draws:,} |")
        lines.append("")
    return "\n".join(lines)

"""What falls short is named; one family of the benchmark runs, as small as can be."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from benchmarks.calibration.cell import Cell, Kept, table
from benchmarks.calibration.scores import SHAPES, means

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"


def test_a_cell_falls_short_by_more_than_its_errors() -> None:
    assert not Cell("s", "m", "w", rate=0.92, draws=400).fails  # two errors of .014 reach .93
    assert Cell("s", "m", "w", rate=0.88, draws=400).fails
    assert not Cell("s", "m", "w", rate=0.95, draws=100, least=0.84).fails
    assert Cell("s", "m", "w", rate=0.95, draws=100, least=0.76).fails
    assert not Kept("gates", "w", said=0.80, came=0.70, draws=100).fails  # off by .10, of which .09 may be chance
    assert Kept("gates", "w", said=0.80, came=0.70, draws=4000).fails


def falls_short(rate: float, draws: int, least: float | None) -> bool:
    """Count as the page says it does."""
    error, of_least = (math.sqrt(max(r * (1 - r), 0.25 / draws) / draws) for r in (rate, least or 1.0))
    return rate + 2 * error < 0.93 or (least is not None and least + 2 * of_least < 0.90)


def cells_of(page: str) -> Iterator[tuple[str, bool, bool]]:
    """Name the cells of a page, and say whether they are in bold, and whether they fall short."""
    section = ""
    for line in page.splitlines():
        section = line.removeprefix("## ") if line.startswith("## ") else section
        row = [cell.strip() for cell in line.strip("|").split("|")]
        if len(row) == 6 and row[-1].replace(",", "").isdigit():
            rate, least, draws = (
                float(row[2].strip("*").split()[0]),
                float(row[3] or "nan"),
                int(row[5].replace(",", "")),
            )
            short = falls_short(rate, draws, None if math.isnan(least) else least)
            yield f"{section}: {row[0]}; {row[1]}", row[2].startswith("**"), short


def test_every_cell_of_the_page_that_falls_short_is_named() -> None:
    page = PAGE.read_text(encoding="utf-8")
    cells = list(cells_of(page))
    listed = page.partition("## What falls short")[2].partition("\n## ")[0]
    named = {
        line.removeprefix("- ").rpartition(": ")[0] for line in listed.splitlines() if re.search(r": 0\.\d{3}", line)
    }
    assert len(cells) > 150
    assert {name for name, _, short in cells if short} == named == {name for name, bold, _ in cells if bold}
    assert f"Of {len(cells):,} cells that is {len(named)}." in page.replace("\n", " ")


def test_what_was_said_of_more_topics_came_true() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## More topics")[2].partition("\n## ")[0]
    rows = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in table.splitlines()]
    kept = [
        Kept(what, where, float(said), float(came.split()[0]), int(draws.replace(",", "")))
        for what, where, said, came, draws in (row for row in rows if len(row) == 5)
        if draws.replace(",", "").isdigit()
    ]
    assert len(kept) == 4 * len(SHAPES)
    assert [each for each in kept if each.fails] == []


def test_runs_are_counted_each_and_together() -> None:
    held = np.array([[True, False], [True, True]])
    cell = Cell.of("Section", "method", "where", held, width=0.12345)
    assert (cell.rate, cell.least, cell.draws) == (0.75, 0.5, 2)
    assert "| method | where |" in table([cell]).splitlines()[2]
    assert "| 0.500 | 0.123 | 2 |" in table([cell])


def test_a_family_counts_every_shape(data: Path) -> None:
    if not (data / "score-matrices").exists():
        pytest.skip("the score matrices are not there")
    found = list(means(data, 2))
    assert len(found) == 6 * len(SHAPES)
    assert all(cell.draws == 20 for cell in found)

"""What falls short is named; one family of the benchmark runs, as small as can be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.calibration.cell import Cell, table
from benchmarks.calibration.scores import SHAPES, means


def test_a_cell_falls_short_by_more_than_its_errors() -> None:
    assert not Cell("s", "m", "w", rate=0.92, draws=400).fails  # two errors of .014 reach .93
    assert Cell("s", "m", "w", rate=0.88, draws=400).fails
    assert not Cell("s", "m", "w", rate=0.95, draws=100, least=0.84).fails
    assert Cell("s", "m", "w", rate=0.95, draws=100, least=0.76).fails


def test_runs_are_counted_each_and_together() -> None:
    held = np.array([[True, False], [True, True]])
    cell = Cell.of("Section", "method", "where", held, width=0.12345)
    assert (cell.rate, cell.least, cell.draws) == (0.75, 0.5, 2)
    assert "| method | where |" in table([cell]).splitlines()[2]
    assert "| 0.50 | 0.123 | 2 |" in table([cell])


def test_a_family_counts_every_shape(data: Path) -> None:
    if not (data / "score-matrices").exists():
        pytest.skip("the score matrices are not there")
    found = list(means(data, 2))
    assert len(found) == 6 * len(SHAPES)
    assert all(cell.draws == 20 for cell in found)

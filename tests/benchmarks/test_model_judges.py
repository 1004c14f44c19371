"""What the study of model judges says is what was promised; one of its settings runs, as small as can be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.calibration.cell import error_of
from benchmarks.model_judges import (
    CHECK,
    COMBINED,
    GPT4,
    MADE,
    MODELLED,
    RATIOS,
    THESE,
    TOGETHER,
    UTILITIES,
    Setting,
    counted,
)

PAGE = Path(__file__).parents[2] / "docs" / "studies" / "model-judges.md"


class Row(NamedTuple):
    """How often an interval held."""

    section: str
    method: str
    where: str
    held: float
    least: float
    draws: int


def rows() -> Iterator[Row]:
    """Read the tables of the study."""
    section = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        section = line.removeprefix("## ") if line.startswith("## ") else section
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[-1].replace(",", "").isdigit():
            method, where, held, least, _, draws = cells
            yield Row(section, method, where, float(held.split()[0]), float(least), int(draws.replace(",", "")))


def falls_short(row: Row, promised: float) -> bool:
    """Tell whether the worst hold less often, by more than two Monte Carlo errors where draws are few."""
    return row.least + (row.draws < 2000) * 2 * error_of(row.least, row.draws) < promised


def test_intervals_for_these_topics_hold_for_every_run() -> None:
    promised = [row for row in rows() if row.section.startswith("These topics") and "20 a topic" in row.where
                and "15 topics" not in row.where]  # fmt: skip
    of_runs = [row for row in promised if row.method.endswith("runs")]
    apart = [row for row in promised if row.method.endswith("differences")]
    assert len(of_runs) == len(apart) == 9 + 14 + 2 + 2 * len([*MADE, *COMBINED, TOGETHER]) + len(UTILITIES)
    assert {row.draws for row in promised if row.section.endswith("sizes")} == {2000}
    assert [row for row in of_runs if row.held < 0.94 or falls_short(row, 0.93)] == []
    assert [row for row in apart if falls_short(row, 0.92)] == []


def test_what_holds_less_often_is_in_the_table() -> None:
    assert {row.where for row in rows() if row.section == "Topics like these"} != set()
    assert any("10 a topic" in row.where for row in rows())
    assert any("15 topics" in row.where for row in rows())


def test_intervals_of_modelled_ratios_that_are_given_hold() -> None:
    modelled = [row for row in rows() if row.section == MODELLED and "like these" not in row.where]
    offered = [row for row in modelled if "weighted" in row.where and "10 a topic" not in row.where]
    assert len(offered) == 8 * 2 * len(RATIOS)
    assert [row for row in offered if row.held < 0.95 or falls_short(row, 0.93)] == []
    assert any("useless, 20 a topic, uniform" in row.where for row in modelled)


def test_a_bound_without_a_distribution_always_held() -> None:
    assert [row.held for row in rows() if row.section == CHECK] == [1.0, 1.0]


@pytest.mark.integration
def test_ratios_and_the_bound_are_counted(data: Path) -> None:
    if not (data / "dl19-passage" / "model-judges").exists():
        pytest.skip("the labels of model judges are not there")
    cells = [*counted(data, Setting(MODELLED, measures=RATIOS), 3), *counted(data, Setting(CHECK), 3)]
    assert len(cells) == 2 * len(RATIOS) + 1
    assert min(cell.rate for cell in cells) > 0.8


@pytest.mark.integration
@pytest.mark.parametrize("judge", [GPT4, "wrong on 3 of one run", TOGETHER])
def test_a_setting_is_counted(data: Path, judge: str) -> None:
    if not (data / "dl19-passage" / "model-judges").exists():
        pytest.skip("the labels of model judges are not there")
    runs, apart = counted(data, Setting(THESE, judge), 4)
    assert runs.draws == apart.draws == 4
    assert runs.rate > 0.8
    assert runs.width is not None
    assert 0.02 < runs.width < 0.15

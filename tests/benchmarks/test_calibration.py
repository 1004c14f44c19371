"""What falls short is named; one family of the benchmark runs, as small as can be."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from benchmarks.calibration.__main__ import PARTS, made_then, told_of
from benchmarks.calibration.boards import MadeBoard, boards
from benchmarks.calibration.cell import Cell, Kept, cells_in, table
from benchmarks.calibration.clustered import conversations, sizes_of
from benchmarks.calibration.scores import SHAPES, gates

from cranfield.statistics.intervals import HELD

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"


def test_a_cell_falls_short_by_more_than_its_errors() -> None:
    assert not Cell("s", "m", "w", rate=0.92, draws=400).fails  # two errors of .014 reach .93
    assert Cell("s", "m", "w", rate=0.88, draws=400).fails
    assert not Cell("s", "m", "w", rate=0.95, draws=100, least=0.84).fails
    assert Cell("s", "m", "w", rate=0.95, draws=100, least=0.76).fails
    assert not Kept("gates", "w", said=0.80, came=0.70, draws=100).fails  # off by .10, of which .09 may be chance
    assert Kept("gates", "w", said=0.80, came=0.70, draws=4000).fails


def falls_short(rate: float, draws: int, least: float | None, method: str = "") -> bool:
    """Count as the page says it does."""
    level = float(method[3:].partition("%")[0]) / 100 if method.startswith("at ") else 0.95
    error, of_least = (math.sqrt(max(r * (1 - r), 0.25 / draws) / draws) for r in (rate, least or 1.0))
    return rate + 2 * error < level - 0.02 or (least is not None and least + 2 * of_least < 0.90)


def cells_of(page: str) -> Iterator[tuple[str, bool, bool]]:
    """Give the section of each cell of a page, and say whether it is in bold, and whether it falls short."""
    section, draws_of_all = "", 0
    for line in page.splitlines():
        if line.startswith("## "):
            section, draws_of_all = line.removeprefix("## "), 0
        if said := re.search(r"([\d,]+) draws each", line):
            draws_of_all = int(said[1].replace(",", ""))
        row = [cell.strip() for cell in line.strip("|").split("|")]
        if row[0].startswith("scores, by "):
            continue
        if draws_of_all and line.startswith("|") and "--" not in row[0]:
            for held in filter(None, row[1:]):
                yield section, held.startswith("**"), falls_short(float(held.strip("*")), draws_of_all, None)
        elif len(row) == 6 and row[-1].replace(",", "").isdigit():
            least, draws = float(row[3] or "nan"), int(row[5].replace(",", ""))
            rate = float(row[2].strip("*").split()[0])
            short = falls_short(rate, draws, None if math.isnan(least) else least, row[0])
            yield section, row[2].startswith("**"), short


def test_every_cell_of_the_page_that_falls_short_is_in_bold_and_counted() -> None:
    page = PAGE.read_text(encoding="utf-8")
    cells = list(cells_of(page))
    listed = page.partition("## What falls short")[2].partition("\n## ")[0]
    counted = re.findall(r"^\| (.+?) \| (\d+) of (\d+) \|", listed, re.M)
    assert len(cells) > 150
    assert [bold for _, bold, _ in cells] == [short for _, _, short in cells]
    assert {section for section, bold, _ in cells if bold} == {section for section, _, _ in counted}
    for section, short, of in counted:
        inside = [bold for name, bold, _ in cells if name == section]
        assert (sum(inside), len(inside)) == (int(short), int(of)), section
    assert f"Of {len(cells):,} cells that is {sum(bold for _, bold, _ in cells)}." in page.replace("\n", " ")


def test_what_was_said_of_more_topics_came_true() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## More topics")[2].partition("\n## ")[0]
    rows = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in table.splitlines()]
    kept = [
        Kept(what, where, float(said), float(came.split()[0]), int(draws.replace(",", "")))
        for what, where, said, came, draws in (row for row in rows if len(row) == 5)
        if draws.replace(",", "").isdigit()
    ]
    assert len(kept) == 2 * (len(SHAPES) + 3)
    assert [each for each in kept if each.fails] == []


def test_what_is_said_beside_intervals_is_the_least_that_the_page_found() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for kind, held in HELD.items():
        table = page.partition(f"## Scores: interval of a {kind}\n")[2].partition("\n## ")[0]
        lines = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in table.splitlines()]
        sizes = next(line[1:] for line in lines if line[0] == "scores, by topics")
        rows = [line[1:] for line in lines if re.fullmatch(r"\w+_\w+", line[0])]
        assert len(rows) == len(SHAPES) + 3
        least = (min(float(held) for held in column if held) for column in zip(*rows, strict=True))
        assert held == dict(zip(map(int, sizes), least, strict=True))


def test_what_is_said_of_leads_is_what_the_page_found() -> None:
    page = PAGE.read_text(encoding="utf-8")
    cells = [cell for cell in cells_in(page) if cell.section == "Scores: interval of the lead of 8, after correction"]
    fine = [cell.rate for cell in cells if cell.where.split(",")[0] in {"adhoc8_ap", "adhoc7_p10", "web2011_ndcg20"}]
    worst = min(cells, key=lambda cell: cell.rate)
    assert worst.where.startswith(("dl19_rr", "dl19_r5"))
    assert f"held in {min(fine):.1%} of samples or more by AP" in " ".join(page.split())
    assert f"in as few as {worst.rate:.1%} by RR and R@5 of dl19" in " ".join(page.split())
    few = [cell.rate for cell in cells_in(page) if cell.section.endswith("runs that differ on few topics")]
    assert f"as few as {min(few):.1%} held; the sentence" in " ".join(page.split())
    levels = [float(cell.method.split()[1].strip("%")) for cell in cells]
    assert 99 < min(levels) < max(levels) == 99.8  # 1 - .05 / 28 where nothing is significant


def test_runs_are_counted_each_and_together() -> None:
    held = np.array([[True, False], [True, True]])
    cell = Cell.of("Section", "method", "where", held, width=0.12345)
    assert (cell.rate, cell.least, cell.draws) == (0.75, 0.5, 2)
    assert "| method | where |" in table([cell]).splitlines()[2]
    assert "| 0.500 | 0.123 | 2 |" in table([cell])


def test_one_method_over_numbers_of_topics_is_a_table_of_them() -> None:
    cells = [Cell("S", "usual", f"{name}, {n} topics", 0.9 + n / 1000, 1600) for name in "ab" for n in (2, 25)]
    written = table(cells[:-1])
    assert "| scores, by topics | 2 | 25 |" in written
    assert "| a | **0.902** | 0.925 |" in written
    assert "| b | **0.902** |  |" in written
    assert "1,600 draws each; Monte Carlo error at most 0.007" in written


def test_clusters_are_renewed_and_other_sections_kept() -> None:
    page = PAGE.read_text(encoding="utf-8")
    cells = list(cells_in(page))
    tables = page[page.index(f"## {cells[0].section}\n") : page.index("## More topics")]
    assert table(cells).strip() == tables.strip()
    assert len(cells) == len(list(cells_of(page)))
    assert {"times": "400"}.items() <= made_then(page).items()
    assert [name for name in PARTS if not told_of(name, page)] == []


def test_topics_of_a_made_conversation_are_as_alike_as_they_should_be() -> None:
    random, code = np.random.default_rng(1), np.repeat(np.arange(50), 4)
    at = conversations(1000, code, 0.36, 40, random).reshape(40, 50, 4)
    assert float((at[..., 0] == at[..., 1]).mean()) == pytest.approx(0.36, abs=0.05)
    assert (sizes_of("8 each", 3, random) == 8).all()
    assert set(sizes_of("1 to 30", 500, random)) <= set(range(1, 31))


def test_a_family_counts_every_shape(data: Path) -> None:
    if not (data / "score-matrices").exists():
        pytest.skip("the score matrices are not there")
    found = list(gates(data, 2))
    assert len(found) == 4 * (len(SHAPES) + 3)
    assert all(cell.draws == 16 for cell in found)


INTERVALS = {
    "t_interval": "Scores: interval of a difference",
    "tell_apart": "Scores: no run told from another",
    "conclude": "Scores: not called better",
    "by_unit": "Clusters: interval of a difference",
    "weighted_t_interval": "Weighted means and differences",
    "stratified_interval": "Means over three collections",
    "simultaneous_intervals": "intervals of all pairs, bootstrap-t",
    "tukey_hsd": "Tukey",
    "dunnett": "Dunnett",
    "max_t": "step-down max-t, sign flips",
    "rank_intervals": "Likely ranks",
    "behind": "Differences from the best run",
    "bootstrap_correlation": "average over such collections",
    "bootstrap_difference": "difference of two such averages",
    "agreement_over_topics": "τ_AP, over topics",
    "agreement_over_systems": "τ_AP, over runs",
    "gained_places": "places that a run gains",
    "mean_over_topics": "mean over topics of each topic's τ",
    "jackknife_interval": "Agreement: kappa",
    "mean_of_shares": "Interleaving: lead of a ranker",
    "cluster_interval": "Clicks: difference of two rankings",
    "enough_topics": "More topics: said and come true",
    "resembling": "Verdicts on pools that were cut",
    "interval": "Estimates from samples",  # of selection.assisted; of rank_correlation as bootstrap_correlation
}
"""For each function that gives an interval or a level, what the page calls its rows."""
WITHOUT = {
    "topics_for_interval",  # of a width that is asked for
}


def test_each_function_with_an_interval_has_its_rows() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name, words in INTERVALS.items() if words not in page] == []
    source = PAGE.parents[1] / "src" / "cranfield"
    found = {
        name
        for room in ("statistics", "selection")
        for path in (source / room).rglob("*.py")
        for name in re.findall(r"^def (\w*interval\w*)\(", path.read_text(encoding="utf-8"), re.M)
    }
    assert found <= INTERVALS.keys() | WITHOUT | {"click_intervals"}


def test_boards_of_tasks_hold_in_small() -> None:
    cells = [*boards(6, [MadeBoard(4, 12), MadeBoard(4, 12, spread=3, families=12)])]
    assert len(cells) == 6
    assert {cell.where for cell in cells} == {
        "4 systems all equal, 12 tasks", "4 systems evenly apart, 3 in all, 12 tasks, in 12 families",
    }  # fmt: skip
    assert min(cell.rate for cell in cells) >= 4 / 6

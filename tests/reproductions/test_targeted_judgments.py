"""Targeted judgments, done once more: the arithmetic of the paper, and what sessions on made runs find."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import cranfield as cf
from cranfield.reproductions import PAPERS, Reproduction, reproduce
from cranfield.reproductions.papers import targeted_judgments as paper
from cranfield.reproductions.study import Study


@pytest.fixture(scope="module")
def done(campaign: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Reproduction, Path]:
    folder = tmp_path_factory.mktemp("done")
    return reproduce("targeted-judgments", campaign / "qrels.txt", campaign / "runs", folder=folder), folder


def held(reproduction: Reproduction, item: str) -> list[bool | None]:
    rows = reproduction.statements.filter(pl.col("item").str.starts_with(f"{item}:"))
    return rows["holds"].to_list()


def test_the_arithmetic(done: tuple[Reproduction, Path]) -> None:
    """Base and residual of the example are right, MAP is bounded; of Table 1 the mean alone is wrong."""
    assert held(done[0], "Section 2")[:3] == [True, True, False]
    assert held(done[0], "Table 1") == [True, True, True, False]


def test_too_few_runs_leave_the_arithmetic() -> None:
    small = reproduce("targeted-judgments", {"1": {"a": 1}}, {"run": {"1": ["a", "b"]}})
    assert {item.partition(":")[0] for item in small.statements["item"]} == {"Section 2", "Table 1"}


def test_all_that_the_data_allow_is_there(done: tuple[Reproduction, Path]) -> None:
    told = {item.partition(":")[0] for item in done[0].statements["item"]}
    assert told == {item.label for item in PAPERS["targeted-judgments"].items} - {"Section 3"}


def test_tables_are_those_of_the_experiment(done: tuple[Reproduction, Path], campaign: Path) -> None:
    """Eight topics: the paper's 1,000 judgments of 50 are 160 here."""
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    assert [paper.budget(Study({"qrels": runs}), each) for each in paper.PER_TOPIC] == [160, 320, 800, 1600, 3200]
    alone = cf.experiments.judging(
        runs, methods=("pool", "A", "B", "C", "C1", "C2"), budgets=(160, 320, 800, 1600, 3200), renew_every=20
    )
    written = pl.read_csv(done[1] / "table-2-relevant.csv")
    of_four = alone["relevant"].filter(missing="bypassed").filter(pl.col("method").is_in(["pool", "A", "B", "C"]))
    assert written.equals(of_four)
    [claim] = done[0].statements.filter(pl.col("claimed").str.starts_with("At 5,000"))["found"].to_list()
    count = dict(of_four.filter(budget=800).select("method", "relevant").iter_rows())
    more = 100 * (count["C"] / count["pool"] - 1)
    assert claim == f"At 800 it finds {count['C']} to {count['pool']}, {more:.0f} % more."


def test_thirds_are_of_the_order_of_the_runs() -> None:
    ranges = pl.DataFrame({"place": [3, 1, 2, 6, 5, 4], "residual": [0.5, 0.1, 0.3, 0.8, 0.6, 0.7]})
    thirds = paper._thirds(ranges)
    assert thirds["all"] == pytest.approx(0.5)
    assert (thirds["first"], thirds["middle"], thirds["last"]) == pytest.approx((0.2, 0.6, 0.7))
    rivals = pl.DataFrame({"place": [1, 2, 3], "base": [0.5, 0.4, 0.1], "top": [0.6, 0.55, 0.3]})
    assert paper._rivals(rivals) == 1

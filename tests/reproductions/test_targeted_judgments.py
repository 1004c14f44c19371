"""Targeted judgments, done once more: the arithmetic of the paper, and what sessions on made runs find."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.experiments.downsampling import best_rank
from cranfield.reproductions import PAPERS, Reproduction, reproduce
from cranfield.reproductions.papers import targeted_judgments as paper
from cranfield.reproductions.papers.targeted_judgments import ranges as ranges_of
from cranfield.reproductions.study import Study


@pytest.fixture(scope="module")
def done(campaign: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Reproduction, Path]:
    folder = tmp_path_factory.mktemp("done")
    return reproduce("targeted-judgments", campaign / "qrels.txt", campaign / "runs", folder=folder), folder


def example(reproduction: Reproduction, item: str) -> pl.DataFrame:
    [table] = [each for each in reproduction.document.tables() if each.name == f"{item}-example"]
    return table.rows


def test_the_arithmetic(done: tuple[Reproduction, Path]) -> None:
    """Base, residual and top of the example are right; of Table 1 the mean alone is wrong."""
    assert example(done[0], "section-2")["calculated"].to_list() == ["0.380", "0.160", "0.540", "0.0092"]
    assert example(done[0], "table-1")["calculated"].to_list() == [
        "10, 18, 21, 22, 35, 11, 15, 16, 13",  # those of one rank come by their names
        "18 (0.48), 22 (0.46), 11 (0.44), 10 (0.41), 21 (0.20), 13 (0.17)",
        "0.403, 0.446, 0.645, 0.344",
        "0.460",
    ]


def test_too_few_runs_leave_the_arithmetic() -> None:
    small = reproduce("targeted-judgments", {"1": {"a": 1}}, {"run": {"1": ["a", "b"]}})
    assert small.claims["item"].to_list() == ["Section 2: Rank-biased precision, its residual, and average precision"]
    assert small.claims["verdict"].to_list() == ["cannot be told here"]


def test_all_that_the_data_allow_is_there(done: tuple[Reproduction, Path]) -> None:
    told = {item.partition(":")[0] for item in done[0].claims["item"]}
    assert told == {item.label for item in PAPERS["targeted-judgments"].items} - {"Section 3", "Table 1"}


def test_sessions_pass_no_verdict(done: tuple[Reproduction, Path]) -> None:
    """They share a budget over all topics, so that their numbers have no interval, whatever they are."""
    of_sessions = done[0].claims.filter(pl.col("estimand").str.contains("one session"))
    assert of_sessions.height == 13
    assert set(of_sessions["verdict"]) == {"cannot be told here"}


def test_map_by_part_of_the_judgments(done: tuple[Reproduction, Path], campaign: Path) -> None:
    """The mean over runs and topics of the differences, under the judgments of a shallow pool."""
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    kept = np.where(best_rank(runs) <= 10, runs.judgments.grade, np.nan)
    difference = runs.scores("AP", kept).values.mean() - runs.scores("AP").values.mean()
    [found] = done[0].claims.filter(pl.col("claim").str.contains("MAP scores"))["found"].to_list()
    assert f"by the first 10 documents {difference:.3f} [" in found


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
    [found] = done[0].claims.filter(pl.col("claim").str.starts_with("The biased methods"))["found"].to_list()
    count = dict(of_four.filter(budget=800).select("method", "relevant").iter_rows())
    assert f"C at 800: {count['C'] / count['pool'] - 1:.2f}" in found


def test_thirds_are_of_the_order_of_the_runs() -> None:
    ranges = pl.DataFrame({"place": [3, 1, 2, 6, 5, 4], "residual": [0.5, 0.1, 0.3, 0.8, 0.6, 0.7]})
    thirds = ranges_of.thirds(ranges)
    assert thirds["all"] == pytest.approx(0.5)
    assert (thirds["first"], thirds["middle"], thirds["last"]) == pytest.approx((0.2, 0.6, 0.7))
    rivals = pl.DataFrame({"place": [1, 2, 3], "base": [0.5, 0.4, 0.1], "top": [0.6, 0.55, 0.3]})
    assert ranges_of._rivals(rivals) == 1

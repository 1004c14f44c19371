"""The critical-difference diagram: places, the critical difference, and the groups that cannot be told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import rankdata

import cranfield as cf
from cranfield.cli import main
from cranfield.comparison import compare_scores
from cranfield.plots.critical_difference import groups_of
from cranfield.plumbing.errors import InputError


def _scores(values: np.ndarray, measure: str = "AP") -> pl.DataFrame:
    runs, topics = values.shape
    return pl.DataFrame(
        {
            "run": np.repeat([f"r{i}" for i in range(runs)], topics),
            "topic": [str(t) for t in range(topics)] * runs,
            "measure": measure,
            "value": values.ravel(),
        }
    )


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    """Four runs on fourteen topics, as in Demšar's example."""
    rng = np.random.default_rng(3)
    values: np.ndarray = rng.normal(size=(4, 14)) * 0.05 + np.array([[0.5], [0.48], [0.6], [0.62]])
    return values


def _rows(figure: cf.Figure, column: str) -> list[dict[str, Any]]:
    return [row for data in figure.spec["datasets"].values() for row in data if column in row]


def test_places_are_mean_ranks_and_the_bar_is_as_long_as_in_the_paper(values: np.ndarray) -> None:
    """Demšar, section 3.2.3: for 4 classifiers and 14 data sets the critical difference is 1.25 at 0.05."""
    found = compare_scores(_scores(values), test="nemenyi")
    figure = found.plot("critical-difference")
    ranks = rankdata(-values, axis=0).mean(axis=1)
    assert {row["run"]: row["x"] for row in _rows(figure, "edge")} == pytest.approx(
        {f"r{i}": rank for i, rank in enumerate(ranks)}
    )
    [scale] = _rows(figure, "says")
    assert abs(scale["x2"] - scale["x"]) == pytest.approx(1.25, abs=0.01)
    assert scale["says"] == "critical difference 1.25 at 0.05"
    bars = [{i for i in range(4) if bar["x"] <= ranks[i] <= bar["x2"]} for bar in _rows(figure, "runs")]
    assert all(max(ranks[list(bar)]) - min(ranks[list(bar)]) < 1.25 for bar in bars)
    assert figure.to_bytes("svg").decode().count('aria-roledescription="point"') == 4


def test_after_another_test_runs_stand_by_their_means(values: np.ndarray) -> None:
    figure = compare_scores(_scores(values), test="tukey").plot("critical-difference")
    assert {row["run"]: row["x"] for row in _rows(figure, "edge")} == pytest.approx(
        {f"r{i}": mean for i, mean in enumerate(values.mean(axis=1))}
    )
    assert [len(row["says"]) > 0 for row in _rows(figure, "says")] == [True]
    assert not _rows(compare_scores(_scores(values)).plot("critical-difference"), "says")  # of a t-test there is none


def _two_measures(values: np.ndarray) -> pl.DataFrame:
    return pl.concat([_scores(values, "AP"), _scores(np.roll(values, 1, axis=0), "RR")])


@pytest.mark.parametrize("baseline", [None, "r0"])
@pytest.mark.parametrize("test", ["nemenyi", "tukey"])
@pytest.mark.parametrize("correction", ["none", "bonferroni"])
def test_what_is_as_far_apart_as_the_critical_difference_is_significant(
    values: np.ndarray, correction: str, test: str, baseline: str | None
) -> None:
    """By two measures Bonferroni's correction halves alpha: significant are pairs as far apart, and no others."""
    level = 0.95 if correction == "none" else 0.975
    asked = {"test": test, "correction": correction, "level": level, "baseline": baseline}
    found = compare_scores(_two_measures(values), **asked)  # type: ignore[arg-type]
    least = dict(found.material().tables["critical"]().select("measure", "critical_difference").iter_rows())
    assert len(least) == 2
    apart = "statistic" if test == "nemenyi" else "difference"
    for measure, distance, significant in found.differences.select("measure", apart, "significant").iter_rows():
        assert significant == (abs(distance) >= least[measure])
    if test == "nemenyi":  # 2.569 is in Demšar's Table 5 for 4 classifiers; at .025 scipy's studentized range has 2.817
        quantile = {"none": 2.569, "bonferroni": 2.817}[correction]
        assert least["AP"] == pytest.approx(quantile * (4 * 5 / (6 * 14)) ** 0.5, abs=1e-3)


def test_the_best_is_on_the_right_where_less_is_better(values: np.ndarray) -> None:
    lower = compare_scores(_scores(values, "BalancePoint"), test="nemenyi")
    table = lower.material().tables["places"]()
    expected = rankdata(values, axis=0).mean(axis=1)
    assert table["mean_rank"].to_list() == pytest.approx(expected.tolist())


def test_groups_are_the_longest_stretches_without_a_significant_pair() -> None:
    apart = {frozenset(pair) for pair in ("ac", "ad", "ae", "be")}
    assert groups_of("abcde", apart) == [(0, 1), (1, 3), (2, 4)]
    assert groups_of("abc", set()) == [(0, 2)]
    assert groups_of("ab", {frozenset("ab")}) == []


def test_of_many_runs_each_has_a_row_and_each_group_a_bar() -> None:
    """Steps of 0.1, and noise that is far smaller: Tukey's test tells apart what is further than its difference."""
    rng = np.random.default_rng(1)
    many = np.linspace(0, 1, 40)[:, None] + rng.normal(size=(40, 10)) * 0.05
    found = compare_scores(_scores(many), test="tukey")
    figure = found.plot("critical-difference")
    dots = {row["run"]: row["x"] for row in _rows(figure, "edge")}
    assert dots == pytest.approx({f"r{i}": mean for i, mean in enumerate(many.mean(axis=1))})
    order = sorted(dots, key=lambda run: -dots[run])
    pairs = found.differences.filter("significant").select("run_a", "run_b").rows()
    apart = {frozenset(pair) for pair in pairs}
    bars = _rows(figure, "runs")
    assert len(bars) > 3
    for bar in bars:
        first, last = round(bar["y"] + 0.3), round(bar["y2"] - 0.3)
        group = order[first : last + 1]
        assert len(group) == bar["runs"]
        assert not any(frozenset((one, other)) in apart for one in group for other in group)
    assert "critical difference" in str(figure.spec["hconcat"])
    with pytest.raises(InputError, match="compare them without a baseline"):
        compare_scores(_scores(many[:4]), baseline="r1").plot("critical-difference")


def test_of_more_runs_than_anybody_reads_the_best_are_drawn() -> None:
    many = np.linspace(0, 1, 155)[:, None] + np.random.default_rng(1).normal(size=(155, 4)) * 0.01
    figure = compare_scores(_scores(many), test="nemenyi").plot("critical-difference")
    assert len(_rows(figure, "edge")) == 60
    assert "The best 60 of 155 runs, compared with all" in str(figure.spec["title"])
    assert any(bar["on"] for bar in _rows(figure, "runs"))


def test_the_command_draws_its_comparison(values: np.ndarray, tmp_path: Path) -> None:
    _scores(values).write_csv(tmp_path / "scores.csv")
    out = tmp_path / "groups.json"
    asked = ["compare", "--scores", str(tmp_path / "scores.csv"), "--test", "tukey"]
    done = CliRunner().invoke(main, [*asked, "--plot", str(out)])
    assert done.exit_code == 0, done.stderr
    drawn = json.loads(out.read_bytes())
    assert drawn.pop("usermeta")["command"].startswith("cranfield compare --scores ")
    assert drawn == compare_scores(_scores(values), test="tukey").plot("critical-difference").spec
    wrong = CliRunner().invoke(main, [*asked, "--plot", "groups.bmp"])
    assert wrong.exit_code != 0
    assert "a figure is written to a file in .html" in wrong.stderr

"""``cranfield topics`` as a person uses it, and `plan_topics`."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

import cranfield as cf
from cranfield.cli import main
from cranfield.statistics.effect_size import standardised_difference
from cranfield.statistics.power import topics_needed

# Differences of x and y: 0, 0.2, 0, 0.2; their variance is 0.04 / 3.
ROWS = [(run, str(t), "AP", 0.1 * t + 0.2 * (run == "x") * (t % 2)) for run in "xy" for t in range(4)]
PILOT = pl.DataFrame(ROWS, schema=["run", "topic", "measure", "value"], orient="row")


@pytest.fixture
def scores(tmp_path: Path) -> str:
    PILOT.write_csv(tmp_path / "scores.csv")
    return str(tmp_path / "scores.csv")


def topics(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["topics", *arguments])


def test_a_pilot_of_two_runs(scores: str) -> None:
    result = topics(scores, "--difference", "0.1")
    assert result.stdout.splitlines() == [
        "measure  variance  variance_of_differences   t  anova  interval",
        "AP         0.0300                   0.0133  13     49         8",
    ]
    assert result.stderr.startswith("Topics needed to detect a difference of 0.1, from a pilot of 2 runs on 4 topics: ")
    assert "variances over 4 topics are rough" in result.stderr
    (row,) = json.loads(topics(scores, "--difference", "0.1", "--format", "json").stdout)
    assert row["t"] == int(topics_needed(0.1 / np.sqrt(0.04 / 3)))


def test_options(scores: str) -> None:
    def row(*options: str) -> dict[str, float]:
        found: list[dict[str, float]] = json.loads(topics(scores, *options, "--format", "json").stdout)
        return found[0]

    usual = row("--difference", "0.1")
    assert row("--difference", "0.1", "--systems", "9")["anova"] > usual["anova"]
    assert row("--difference", "0.1", "--width", "0.1")["interval"] > usual["interval"]
    assert row("--difference", "0.1", "--power", "0.9")["t"] > usual["t"]
    assert row("--difference", "0.1", "--alpha", "0.01")["interval"] > usual["interval"]
    assert row()["t"] > usual["t"]  # 0.05


def test_the_variance_of_differences_is_the_mean_over_pairs() -> None:
    values = np.random.default_rng(2).random((4, 30)) + np.random.default_rng(3).random(30)
    table = pl.DataFrame(
        [(f"r{r}", str(t), "AP", float(v)) for r, row in enumerate(values) for t, v in enumerate(row)],
        schema=["run", "topic", "measure", "value"],
        orient="row",
    )
    found = cf.plan_topics(table, 0.1).to_polars().row(0, named=True)
    of_pairs = [np.var(values[a] - values[b], ddof=1) for a, b in combinations(range(4), 2)]
    assert found["variance_of_differences"] == pytest.approx(np.mean(of_pairs))
    assert found["variance"] == pytest.approx(np.var(values, axis=1, ddof=1).mean())
    assert cf.plan_topics(table, 0.1).notes == ()
    two = table.filter(pl.col("run").is_in(["r0", "r1"]))
    effect = standardised_difference((values[0] - values[1])[None])[0]
    difference = float(abs((values[0] - values[1]).mean()))
    assert cf.plan_topics(two, difference).to_polars()["t"].to_list() == [int(topics_needed(effect))]


def test_runs_without_variance_and_differences_too_small_to_see() -> None:
    level = PILOT.with_columns(value=pl.lit(0.5))
    assert cf.plan_topics(level, 0.1).to_polars().row(0) == ("AP", 0, 0, 2, 2, 2)
    assert cf.plan_topics(PILOT, 1e-9).to_polars().row(0)[-3:] == (None, None, None)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--difference", "0"), "above 0, not 0"),
        (("--systems", "1"), "at least 2, not 1"),
        (("-m", "RR"), "RR"),
    ],
)
def test_what_is_wrong_takes_one_line(scores: str, arguments: tuple[str, ...], problem: str) -> None:
    result = topics(scores, *arguments)
    assert result.exit_code == 2
    assert problem in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_pilot_is_of_two_runs(tmp_path: Path) -> None:
    PILOT.filter(run="x").write_csv(tmp_path / "one.csv")
    result = topics(str(tmp_path / "one.csv"))
    assert result.stderr == "cranfield: a pilot needs at least two runs and two topics; there are 1 and 4\n"


def test_the_width_is_that_of_the_average_interval(scores: str) -> None:
    """Of samples of so many topics not half have a wider interval, by the distribution of s, but nearly."""
    from scipy.stats import chi2, t

    variance, width = 0.04 / 3, 0.1
    row = json.loads(topics(scores, "--width", str(width), "--format", "json").stdout)[0]
    n = row["interval"]
    largest = (width * np.sqrt(n) / 2 / t.ppf(0.975, n - 1)) ** 2  # the variance of a sample whose interval is so wide
    assert 0.4 < chi2.sf((n - 1) * largest / variance, n - 1) < 0.5
    assert "interval of expected width 0.1" in topics(scores, "--width", str(width)).stderr
    assert "Average width" in " ".join(topics("--help").stdout.split())

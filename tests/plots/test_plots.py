"""Figures: their tables are the experiments', every row is drawn, and what cannot be drawn is said in a line."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.cli import main
from cranfield.errors import InputError
from cranfield.experiments import EXPERIMENTS
from cranfield.plots import PLOTS
from cranfield.plots.figure import WRITERS


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    write_campaign(simulate(systems=6, topics=8, depth=50, seed=3), folder)
    return folder


@pytest.mark.parametrize("name", sorted(set(PLOTS) - {"downsampling"}))
def test_every_figure_of_runs_is_valid_and_described(campaign: Path, name: str) -> None:
    figure = cf.plot(name, campaign / "qrels.txt", campaign / "runs")
    assert figure.chart.to_dict(validate=True)["description"] == figure.description
    assert re.search(r"\d", figure.description)
    assert PLOTS[name].question.endswith("?")
    assert figure.to_bytes("svg").startswith(b"<svg")


def test_a_leaderboard_draws_every_run_with_the_interval_of_scipy(campaign: Path) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "AP")
    table = scores.intervals()
    best = table.row(0, named=True)
    values = scores.values[0, scores.runs.index(best["run"])]
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert (best["low"], best["high"]) == pytest.approx(expected)
    assert table["mean"].is_sorted(descending=True)
    drawn = scores.plot("leaderboard").to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="point"') == len(scores.runs)


def test_one_topic_has_a_mean_and_no_interval() -> None:
    scores = cf.evaluate({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, "RR")
    assert scores.intervals().drop("measure").rows() == [("x", 1, 1.0, None, None)]
    assert "one topic alone" in str(scores.plot("leaderboard").spec["title"])


def test_findings_read_back_are_drawn_alike(campaign: Path, tmp_path: Path) -> None:
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    found = EXPERIMENTS["downsampling"](runs, "AP", repetitions=3, rates=(0.5, 0.1))
    found.write(tmp_path / "found")
    figure = found.plot("downsampling")
    out = tmp_path / "figure.json"
    done = CliRunner().invoke(main, ["plot", "downsampling", str(tmp_path / "found"), "-o", str(out)])
    assert done.exit_code == 0, done.stderr
    assert out.read_bytes() == figure.to_bytes("json")
    taus = found["correlation"].filter(pl.col("rate") == 0.1)["tau"]
    assert f"AP {taus[0]:.3f}" in figure.description


def test_more_than_five_thousand_rows_are_drawn() -> None:
    qrels = {"1": {"a": 1}}
    runs = {f"r{i}": {"1": {"x": 2.0, "a": 1.0}} for i in range(60)}
    figure = cf.curve(qrels, runs, "P", last_rank=100).plot("curves")
    assert sum(map(len, figure.spec["datasets"].values())) == 61 * 100
    assert "the other 54 in grey" in str(figure.spec["title"])


@pytest.mark.parametrize("format_", sorted(WRITERS))
def test_every_format_is_written(campaign: Path, tmp_path: Path, format_: str) -> None:
    path = tmp_path / f"figure.{format_}"
    cf.plot("leaderboard", campaign / "qrels.txt", campaign / "runs").save(path)
    assert path.stat().st_size > 1000


def test_what_cannot_be_is_said(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "AP")
    with pytest.raises(InputError, match="there is no figure 'pie'; there are asl, "):
        scores.plot("pie")
    with pytest.raises(InputError, match="asl is drawn from discriminative-power, not from scores; of scores there"):
        scores.plot("asl")
    with pytest.raises(InputError, match=r"a figure is written to a file in \.html"):
        scores.plot("leaderboard").save("figure.bmp")
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(InputError, match=r'altair, which is not installed: pip install "cranfield\[plots\]"'):
        scores.plot("leaderboard")

"""A release: its command, run in its folder, gives the numbers that the organiser has; written whole or not at all."""

from __future__ import annotations

import json
import shlex
from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from cranfield.cli import main
from cranfield.formats import write_run
from cranfield.plumbing.errors import InputError
from cranfield.selection.candidates import Candidates
from cranfield.selection.estimates import Estimates, estimate
from cranfield.selection.published_sample import RELEASED, release
from cranfield.selection.sampling import prior_sample, weighted_sample

POOL = ["d 0", 'd"1', "d,2", *(f"d{i}" for i in range(3, 12))]
TOPICS = ["1", "topic two", "3", "4"]
RANDOM = np.random.default_rng(2)
RUNS = {run: {topic: [POOL[i] for i in RANDOM.permutation(12)[:6]] for topic in TOPICS} for run in ("x", "y", "z")}
GRADES = {topic: {d: int(RANDOM.integers(0, 4)) for d in POOL} for topic in TOPICS}
LABELS = {topic: {d: grade / 3 for d, grade in of.items() if d != "d5"} for topic, of in GRADES.items()}
CANDIDATES = Candidates.gather(RUNS)
SAMPLE = weighted_sample(CANDIDATES, 6, measures="DCG")
MEASURES = ["P(rel=2)@5", "RBP(p=0.5)", "FlatUtility", "AP"]


def published(folder: Path) -> Estimates:
    found = estimate(CANDIDATES, SAMPLE, GRADES, MEASURES, cheap=LABELS)
    release(folder, found, CANDIDATES, SAMPLE, GRADES, cheap=LABELS)
    return found


def test_its_command_gives_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = published(tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    rows = [(topic, d, -float(i)) for topic, ids in RUNS["y"].items() for i, d in enumerate(ids)]
    write_run(pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row"), "y.csv")
    [line] = [each for each in Path("README.md").read_text().splitlines() if each.startswith("cranfield ")]
    command = [each.replace("YOUR.run", "y.csv") for each in shlex.split(line)[1:]]
    assert CliRunner().invoke(main, [*command, "-o", "again.csv"], catch_exceptions=False).exit_code == 0
    again = pl.read_csv("again.csv")
    ours = found.means.filter(run="y")
    assert again["kind"].to_list() == ours["kind"].to_list() == ["unbiased"] * 3 + ["modelled"]
    for name in ("value", "standard_error", "low", "high", "like_low", "like_high"):
        np.testing.assert_allclose(again[name].to_list()[:3], ours[name].to_list()[:3], rtol=1e-9)
    np.testing.assert_allclose(again["value"], ours["value"])


def test_the_scale_is_the_one_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a scale of 0 to 6 grades of 0 to 3 gain half as much."""
    published(tmp_path / "first")
    monkeypatch.chdir(tmp_path / "first")
    rows = [(topic, d, -float(i)) for topic, ids in RUNS["x"].items() for i, d in enumerate(ids)]
    write_run(pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row"), "x.csv")
    call = ["estimate", "sample.csv", "experts.csv", "x.csv", "--cheap", "cheap.csv", "-m", "RBP(p=0.5)"]
    asked = [*call, "--top-grade", "6", "--release", "../second", "-o", "asked.csv"]
    assert CliRunner().invoke(main, asked, catch_exceptions=False).exit_code == 0
    design = json.loads(Path("../second/design.json").read_text())
    assert design["top_grade"] == 6
    command = [each.replace("YOUR.run", "x.csv") for each in shlex.split(design["command"])[1:]]
    assert CliRunner().invoke(main, [*command, "-o", "again.csv"], catch_exceptions=False).exit_code == 0
    assert pl.read_csv("again.csv")["value"].item() == pytest.approx(pl.read_csv("asked.csv")["value"].item())


def test_what_it_holds(tmp_path: Path) -> None:
    published(tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(RELEASED)
    experts, cheap = (pl.read_csv(tmp_path / "out" / f"{name}.csv") for name in ("experts", "cheap"))
    assert experts.height == SAMPLE["drawn"].sum()
    assert experts["source"].unique().to_list() == ["expert"]
    assert [GRADES[topic][d] for topic, d in experts.select("query_id", "doc_id").rows()] == experts[
        "relevance"
    ].to_list()
    assert cheap["source"].unique().to_list() == ["cheap"]
    assert "d5" not in cheap["doc_id"]
    design = json.loads((tmp_path / "out" / "design.json").read_text())
    assert (design["drawn"], design["modelled"], design["top_grade"]) == (experts.height, ["AP"], 3)
    for name, digest in design["sha256"].items():
        assert sha256((tmp_path / "out" / name).read_bytes()).hexdigest() == digest
    chances = pl.read_csv(tmp_path / "out" / "chances.csv")
    assert chances["documents"].sum() == experts.height
    np.testing.assert_allclose(chances.group_by("label").agg(pl.col("chance").sum())["chance"], 1)
    exact = chances.filter(pl.col("label").is_not_null() & ((pl.col("label") * 3 - pl.col("grade")).abs() < 1e-6))
    np.testing.assert_allclose(exact["chance"], 1)  # of these labels each is a grade


def test_nothing_is_written_where_something_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("mine")
    prior = prior_sample(CANDIDATES, 6)
    for folder, cheap, sample, said in (
        ("full", LABELS, SAMPLE, "new or empty"),
        ("full/a", LABELS, SAMPLE, "is a file"),
        ("new", None, SAMPLE, "give cheap"),
        ("new", LABELS, prior, "does not list what could have been drawn"),
    ):
        found = estimate(CANDIDATES, sample, GRADES, "P@5", cheap=cheap)
        with pytest.raises(InputError, match=said):
            release(tmp_path / folder, found, CANDIDATES, sample, GRADES, cheap=LABELS)
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "a"]


def test_the_command_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published(tmp_path / "first")
    monkeypatch.chdir(tmp_path)
    rows = [(topic, d, -float(i)) for topic, ids in RUNS["x"].items() for i, d in enumerate(ids)]
    write_run(pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row"), "x.csv")
    call = ["estimate", "first/sample.csv", "first/experts.csv", "x.csv", "--release", "second", "--depth", "3"]
    assert CliRunner().invoke(main, call).exit_code == 2
    assert not Path("second").exists()
    assert CliRunner().invoke(main, [*call, "--cheap", "first/cheap.csv"], catch_exceptions=False).exit_code == 0
    assert "--depth 3" in Path("second/README.md").read_text()
    again = CliRunner().invoke(main, [*call, "--cheap", "first/cheap.csv"])
    assert (again.exit_code, "new or empty" in again.stderr) == (2, True)

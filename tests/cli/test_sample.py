"""``cranfield sample`` as a person uses it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cranfield.cli import main
from cranfield.selection.candidates import Candidates
from cranfield.selection.sampling import (
    prior_sample,
    proportional_sample,
    read_sample,
    stratified_sample,
    uniform_sample,
    weighted_sample,
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, documents in {"x": "abcdefgh", "y": "hgfedcbaij"}.items():
        lines = [f"{t} Q0 {d} 1 {-i} {name}\n" for t in ("007", "2") for i, d in enumerate(documents)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def sample(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["sample", *arguments])


def test_the_same_chance_for_all(here: Path) -> None:
    result = sample("x.run", "y.run", "--per-topic", "4", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == ["query_id", "doc_id", "probability", "stratum"]
    assert [row["query_id"] for row in rows] == ["2"] * 4 + ["007"] * 4
    assert {(row["probability"], row["stratum"]) for row in rows} == {("0.4", "0")}
    assert result.stderr == "uniform sample of 4 documents a topic: 8 of 20 candidates of 2 topics; seed 7\n"


def test_strata_by_rank(here: Path) -> None:
    asked = ("x.run", "y.run", "--per-topic", "6", "--design", "stratified", "--depths", "2", "--shares", "2,1")
    result = sample(*asked, "--format", "csv")
    first = list(csv.DictReader(io.StringIO(result.stdout)))[:6]
    # a, b, g and h are at ranks 1 and 2: drawn whole by their share of 4 of 6; the other 2 are of
    # the 6 that are left.
    assert [(r["doc_id"], r["probability"]) for r in first if r["stratum"] == "0"] == [(d, "1.0") for d in "abgh"]
    assert {float(r["probability"]) for r in first if r["stratum"] == "1"} == {2 / 6}
    assert "strata down to rank 2 and below" in result.stderr


def test_a_depth_and_another_seed(here: Path) -> None:
    shallow = sample("x.run", "y.run", "--per-topic", "9", "-M", "1", "--format", "csv").stdout
    assert [row["doc_id"] for row in csv.DictReader(io.StringIO(shallow))] == ["a", "h"] * 2
    seven, eight = (sample("x.run", "y.run", "--per-topic", "3", "--seed", seed).stdout for seed in ("7", "8"))
    assert seven == sample("x.run", "y.run", "--per-topic", "3").stdout != eight


def test_by_weight(here: Path) -> None:
    asked = ("x.run", "y.run", "--per-topic", "5", "--design", "weighted", "-m", "P@5", "-m", "RBP", "-M", "5")
    result = sample(*asked, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == ["query_id", "doc_id", "probability", "stratum", "drawn"]
    assert len(rows) == 2 * len("abcdefgh")
    assert sum(int(row["drawn"]) for row in rows) == 2 * 5
    assert result.stderr == (
        "weighted sample of 5 documents a topic by P@5, RBP(p=0.8): 10 of 16 candidates of 2 topics; seed 7\n"
    )


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "csv.zst"])
def test_what_is_written_is_read_back(here: Path, suffix: str) -> None:
    candidates = Candidates.gather(["x.run", "y.run"])
    for design, expected in {
        "uniform": uniform_sample(candidates, 6, seed=3),
        "stratified": stratified_sample(candidates, 6, seed=3),
        "proportional": proportional_sample(candidates, 6, seed=3),
        "prior": prior_sample(candidates, 6, seed=3),
        "weighted": weighted_sample(candidates, 6, seed=3),
    }.items():
        asked = ("x.run", "y.run", "--per-topic", "6", "--seed", "3", "--design", design)
        assert sample(*asked, "-o", f"sample.{suffix}").exit_code == 0
        assert read_sample(f"sample.{suffix}").equals(expected)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "missing option '--per-topic'"),
        (["--per-topic", "0"], "per_topic must be at least 1, not 0"),
        (["--per-topic", "1"], "per_topic must be at least 2, 2 for each stratum, not 1"),
        (["--per-topic", "5", "--design", "stratified"], "per_topic must be at least 6, 2 for each stratum, not 5"),
        (["--per-topic", "5", "--design", "cluster"], "design must be 'uniform' or 'stratified' or 'proportional'"),
        (["--per-topic", "5", "--depths", "3"], "depths and shares apply to strata; a uniform sample has none"),
        (
            ["--per-topic", "9", "--design", "stratified", "--depths", "5,4"],
            "depths must be increasing whole numbers, 1 or more, not (5, 4)",
        ),
        (["--per-topic", "9", "--design", "stratified", "--shares", "1,2"], "2 depths make 3 strata"),
        (["--per-topic", "9", "--design", "stratified", "--shares", "1,0,2"], "must be above 0, not 0"),
        (["--per-topic", "9", "-m", "P@5"], "measures are those of a weighted sample; a uniform sample has none"),
        (["--per-topic", "9", "--design", "weighted", "-m", "AP"], "AP is not a weighted sum over ranks"),
        (
            ["--per-topic", "9", "--design", "weighted", "-m", "P@5"],
            "4 candidates of 20 cannot change any of the measures, since they are below the cutoff in every run",
        ),
        (["--per-topic", "1", "--design", "weighted"], "per_topic must be at least 2, not 1"),
        (["--per-topic", "9", "-o", "x.run"], "x.run: is an input and would be overwritten"),
        (["--per-topic", "9", "--seed", "-1"], "seed must be at least 0"),
    ],
)
def test_mistakes(here: Path, arguments: list[str], problem: str) -> None:
    result = sample("x.run", "y.run", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr
    assert result.stderr.startswith("cranfield: ")
    assert result.stderr.count("\n") == 1

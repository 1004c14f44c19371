"""Where the grades of assessors disagree: counted by hand, drawn from findings, in Python and by the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS

ANN = {"1": {"a": 2, "b": 1, "c": 0, "d": 0, "only-ann": 2}}
BOB = {"1": {"a": 1, "b": 1, "c": 1, "d": 0, "only-bob": 0}}
COUNTS = [(0, 0, 1), (0, 1, 1), (0, 2, 0), (1, 0, 0), (1, 1, 1), (1, 2, 0), (2, 0, 0), (2, 1, 1), (2, 2, 0)]


def test_every_cell_is_counted_and_drawn() -> None:
    found = cf.agreement({"ann": ANN, "bob": BOB})
    assert found.confusion.select("grade_a", "grade_b", "documents").rows() == COUNTS
    assert type(found).from_dict(found.to_dict()) == found
    figure = found.plot("assessor-confusion")
    [data] = figure.spec["datasets"].values()
    assert [(float(row["grade_a"]), float(row["grade_b"]), row["documents"]) for row in data] == COUNTS
    assert [row["share"] for row in data][:3] == [0.5, 0.5, 0]
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="rect mark"') == 9 + 3  # cells, and frames of those where both agree
    assert "ann and bob gave the same grade to 50% of 4 documents; they disagree most often on 0 and 1, for 1." in (
        figure.description
    )
    kappa = found.to_polars()["kappa"][0]
    assert f"4 documents, 50% the same, κ {kappa:.2f}." in str(figure.spec["title"])


def test_the_experiment_counts_beside_the_qrels_and_draws_the_first_pairs(tmp_path: Path) -> None:
    files = tmp_path / "assessors"
    files.mkdir()
    for number in range(5):
        (files / f"a{number}.txt").write_text(f"1 0 a {number % 2}\n1 0 b 1\n")
    runs = cf.join(ANN, {"one": {"1": ["a", "b"]}, "two": {"1": ["c", "b"]}})
    found = EXPERIMENTS["assessors"](runs, "AP", assessors=(files,))
    counts = found["confusion"].filter(assessor_a="qrels", assessor_b="a1")
    assert counts.filter(counts["documents"] > 0).rows() == [("qrels", "a1", 1, 1, 1), ("qrels", "a1", 2, 1, 1)]
    found.write(tmp_path / "found")
    out = tmp_path / "figure.json"
    done = CliRunner().invoke(main, ["plot", "assessor-confusion", str(tmp_path / "found"), "-o", str(out)])
    assert done.exit_code == 0, done.stderr
    assert "The first 12 of 15 pairs of assessors." in out.read_text()


@pytest.mark.parametrize("suffix", ["svg", "html"])
def test_the_command_draws_beside_its_table(tmp_path: Path, suffix: str) -> None:
    for name, qrels in {"ann": ANN, "bob": BOB}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"1 0 {doc} {grade}\n" for doc, grade in qrels["1"].items()))
    out = tmp_path / f"confusion.{suffix}"
    files = [str(tmp_path / "ann.txt"), str(tmp_path / "bob.txt")]
    done = CliRunner().invoke(main, ["agreement", *files, "--plot", str(out)])
    assert done.exit_code == 0, done.stderr
    assert "ann         bob" in done.stdout
    assert out.stat().st_size > 1000
    wrong = CliRunner().invoke(main, ["agreement", *files, "--plot", str(tmp_path / "x.bmp")])
    assert wrong.exit_code != 0
    assert "a figure is written to a file in .html" in wrong.stderr


def test_a_small_share_is_not_printed_as_none() -> None:
    """Shares in what figures say are written as sentences have them: 0% is none, and 100% all."""
    qrels = {"1": {f"d{n}": int(n < 300) for n in range(600)}}
    other = {"1": {d: grade if d == "d0" else 1 - grade for d, grade in qrels["1"].items()}}
    found = cf.agreement({"ann": qrels, "bob": other})
    assert "gave the same grade to 0.2% of 600" in found.plot("assessor-confusion").description

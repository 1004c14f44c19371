"""What earlier releases wrote is read as it was meant."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from cranfield.cli import main
from cranfield.experiments import Findings

WRITTEN = Path(__file__).parents[1] / "golden" / "written-by"
VERSIONS = sorted(folder.name for folder in WRITTEN.iterdir())


def test_each_release_has_files() -> None:
    assert {"0.1.0", "0.2.0"} <= set(VERSIONS)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_scores_are_compared(version: str, kind: str) -> None:
    """From any of the three files the same means are read, which are those of the rows in CSV."""
    done = CliRunner().invoke(
        main, ["compare", "--scores", str(WRITTEN / version / f"scores.{kind}"), "-m", "AP", "--format", "csv"]
    )
    assert done.exit_code == 0, done.output
    found = pl.read_csv(done.stdout.encode())
    rows = pl.read_csv(WRITTEN / version / "scores.csv", schema_overrides={"topic": pl.String})
    means = rows.filter(topic="all", measure="AP").select("run", "value")
    pairs = found.filter(measure="AP").unique(["run_a"]).select("run_a", "mean_a")
    assert pairs.height == means.height - 1
    for run, mean in pairs.iter_rows():
        assert mean == pytest.approx(means.filter(run=run)["value"].item(), abs=1e-12)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["discriminative-power", "swap"])
def test_findings_are_read_and_drawn(version: str, name: str, tmp_path: Path) -> None:
    folder = WRITTEN / version / name
    found = Findings.read(folder)
    assert found.experiment == name
    for table in found.tables:
        file = folder / f"{name}-{table}.csv"
        assert found.tables[table].height == len(file.read_text(encoding="utf-8").splitlines()) - 1
    if name == "discriminative-power":
        drawn = CliRunner().invoke(main, ["plot", "asl", str(folder), "-o", str(tmp_path / "asl.json")])
        assert drawn.exit_code == 0, drawn.output


@pytest.mark.parametrize("version", VERSIONS)
def test_topics_are_planned_from_old_scores(version: str) -> None:
    planned = CliRunner().invoke(main, ["topics", str(WRITTEN / version / "scores.json"), "--difference", "0.1"])
    assert planned.exit_code == 0, planned.output
    assert "nDCG@10" in planned.stdout

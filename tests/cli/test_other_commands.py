"""The commands beside ``evaluate``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tools.each import each_of

from cranfield.cli import main
from cranfield.measures import REGISTRY


def test_measures_lists_every_measure() -> None:
    output = CliRunner().invoke(main, ["measures"]).stdout
    for name, measure in REGISTRY.items():
        assert f"  {name} " in output
        assert measure.documentation().question in output


@each_of("name", list(REGISTRY))
def test_measures_describes_each(name: str) -> None:
    result = CliRunner().invoke(main, ["measures", name])
    assert result.exit_code == 0
    for parameter in REGISTRY[name].parameters:
        assert f"\n  {parameter} " in result.stdout
    assert "worked example" in result.stdout


def test_measures_takes_trec_evals_names() -> None:
    assert CliRunner().invoke(main, ["measures", "ndcg_cut_10"]).stdout.startswith("nDCG ")
    assert CliRunner().invoke(main, ["measures", "nope"]).exit_code == 2


def test_demo_says_that_it_simulates_and_what_comes_next(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["demo", "--keep", str(tmp_path / "kept")])
    assert result.exit_code == 0
    assert "SIMULATED" in result.stdout
    assert f"cranfield evaluate {tmp_path}/kept/qrels.txt" in result.stdout
    assert f"A report of all that, for a browser: {tmp_path}/kept/report.html" in result.stdout
    assert "SIMULATED" in (tmp_path / "kept" / "report.html").read_text(encoding="utf-8")
    again = CliRunner().invoke(
        main, ["evaluate", f"{tmp_path}/kept/qrels.txt", f"{tmp_path}/kept/runs", "-m", "AP", "--format", "csv"]
    )
    assert again.exit_code == 0
    assert len(again.stdout.splitlines()) == 1 + 12


def test_the_report_of_the_demo_outlives_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0
    [page] = tmp_path.rglob("*.html")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["report.html"]
    assert f"A report of all that, for a browser: {page}" in result.stdout


def test_the_demo_needs_nothing_but_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = CliRunner().invoke(main, ["demo", "--keep", str(tmp_path / "kept")])
    assert result.exit_code == 0
    assert 'No report was written: this needs jinja2, which is not installed: pip install "cranfield[plots]"' in (
        result.stdout
    )
    assert not (tmp_path / "kept" / "report.html").exists()


def test_an_unknown_command_is_answered_with_those_there_are() -> None:
    result = CliRunner().invoke(main, ["evalute"])
    assert result.exit_code == 2
    assert "evaluate" in result.stderr

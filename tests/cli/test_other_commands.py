"""The commands beside ``evaluate``."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from tools.each import each_of

from cranfield.cli import main
from cranfield.cli._help import BriefHelp
from cranfield.measures import REGISTRY
from cranfield.plumbing.deprecations import DEPRECATED


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
    assert f"Report (open it in a browser): {tmp_path}/kept/report.html" in result.stdout
    assert "SIMULATED" in (tmp_path / "kept" / "report.html").read_text(encoding="utf-8")
    again = CliRunner().invoke(
        main, ["evaluate", f"{tmp_path}/kept/qrels.txt", f"{tmp_path}/kept/runs", "-m", "AP", "--format", "csv"]
    )
    assert again.exit_code == 0
    assert len(again.stdout.splitlines()) == 1 + 12


@pytest.mark.integration
def test_the_report_of_the_demo_outlives_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0
    [page] = tmp_path.rglob("*.html")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["report.html"]
    assert f"Report (open it in a browser): {page}" in result.stdout


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


TOP = click.Context(main)
COMMANDS = [name for name in main.list_commands(TOP) if isinstance(main.get_command(TOP, name), BriefHelp)]


@each_of("name", COMMANDS)
def test_a_long_help_begins_with_what_most_calls_need(name: str) -> None:
    brief, whole = (CliRunner().invoke(main, [name, flag]).stdout for flag in ("--help", "--help-all"))
    command = main.get_command(TOP, name)
    assert command is not None
    flags = [each.opts[-1] for each in command.params if isinstance(each, click.Option) and not each.hidden]
    assert all(f" {flag}" in whole for flag in flags)
    assert all(flag in brief.replace("-\n              ", "-") for flag in flags)  # the others are named
    assert ("More options, explained by --help-all" in brief) == (len(flags) > 16)
    assert "Explained by" not in whole


def test_the_help_of_compare_fits_a_screen() -> None:
    brief, whole = (CliRunner().invoke(main, ["compare", flag]).stdout for flag in ("--help", "--help-all"))
    assert (brief.count("\n") <= 50, whole.count("\n") > 100) == (True, True)
    assert "[not with --scores]" in whole
    first = [line.split("  ")[1] for line in brief.split("Most used:\n")[1].splitlines() if line[2:3] == "-"][:5]
    assert [flags.split()[0].rstrip(",") for flags in first] == ["-m", "--baseline", "--layout", "--format", "-o"]
    for option in main.get_command(click.Context(main), "compare").params:  # type: ignore[union-attr]
        if isinstance(option, click.Option) and not option.hidden:
            assert all(option.opts[-1] in "".join(text.split()) for text in (brief, whole))


def test_curve_takes_its_measure_by_an_option_and_still_in_front(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 0 a 1\n")
    Path("a run.txt").write_text("1 Q0 a 1 2 r\n")

    def curve(*words: str) -> Result:
        return CliRunner().invoke(main, ["curve", *words, "--no-audit"])

    found = curve("qrels.txt", "a run.txt", "-m", "DCG(base=2)")
    former = curve("DCG(base=2)", "qrels.txt", "a run.txt")
    assert (found.exit_code, found.stderr, found.stdout) == (0, "", former.stdout)
    form, instead = (
        "cranfield curve MEASURE QRELS RUN...",
        "cranfield curve qrels.txt 'a run.txt' --no-audit -m 'DCG(base=2)'",
    )
    assert former.stderr == f"warning: {form} ends with cranfield {DEPRECATED[form].ends}: write {instead}\n"
    for words, said in (
        ((), "missing argument 'MEASURE'"),
        (("qrels.txt", "a run.txt"), "say by --measure MEASURE what"),
    ):
        assert (curve(*words).exit_code, said in curve(*words).stderr) == (2, True)


def test_what_reaching_a_value_means_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 0 a 1\n1 0 b 1\n")
    Path("short.run").write_text("1 Q0 a 1 1 short\n")
    found = CliRunner().invoke(
        main, ["curve", "qrels.txt", "short.run", "-m", "CG", "--reach", "2", "--last-rank", "3", "--no-audit"]
    )
    assert found.stdout.split() == ["run", "rank", "short"]
    assert " ".join(found.stderr.split()) == (
        "The rank at which each run has as much CG as ideal at rank 2, averaged over 1 topic; empty: not down to rank "
        "3."
    )

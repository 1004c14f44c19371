"""``cranfield compare`` as a person uses it."""

from __future__ import annotations

import csv
import inspect
import io
import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import cranfield as cf
from cranfield.cli import main
from cranfield.comparison import CORRECTIONS, TESTS, Settings

TOPICS = range(1, 8)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Seven topics: one run has the relevant document first; one has it last; one has what nobody judged."""
    orders = {"good": "rnm", "poor": "nmr", "other": "uvw"}
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 r 1\n{t} 0 n 0\n{t} 0 m 0\n" for t in TOPICS))
    for run, order in orders.items():
        lines = [f"{t} Q0 {d} {i} {9 - i} {run}\n" for t in TOPICS for i, d in enumerate(order)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    return tmp_path


def compare(study: Path, *arguments: str, runs: tuple[str, ...] = ("good", "poor")) -> Result:
    files = [f"{study}/{run}.run" for run in runs]
    return CliRunner().invoke(main, ["compare", f"{study}/qrels.txt", *files, *arguments])


def test_the_table_has_letters_and_stderr_says_how(study: Path) -> None:
    result = compare(study, "-m", "RR", "--test", "sign")
    assert result.exit_code == 0
    files = " ".join(f"{study}/{name}" for name in ("qrels.txt", "good.run", "poor.run"))
    assert result.stdout == (
        "good leads poor by 0.6667 in RR: a significant difference.\n"
        "The lead shows no spread, so it has no interval (p = 0.016).\n"
        "good wins 7 topics, ties 0 and loses 0.\n"
        "All retrieved documents are judged.\n"
        f"Next: cranfield why {files} -m RR\n\n"
        "   run         RR\na  good  1.0000 b\nb  poor  0.3333\n"
    )
    assert result.stderr.splitlines()[0] == (
        "Means over 7 topics. Letters: significantly better than the run of that letter (sign test, two-sided, "
        "alpha = 0.05, exact)."
    )
    assert result.stderr.splitlines()[1].startswith("audit: 2 runs, 7 topics")


def test_csv_holds_every_measure_and_pair(study: Path) -> None:
    result = compare(
        study, "-m", "RR", "-m", "P@1", "--format", "csv", "--test", "sign", runs=("good", "poor", "other")
    )
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["measure"], row["run_a"], row["run_b"]) for row in rows] == [
        (measure, *pair)
        for measure in ("RR", "P@1")
        for pair in (("good", "poor"), ("good", "other"), ("poor", "other"))
    ]
    assert float(rows[0]["p"]) == 2 * 0.5**7
    assert float(rows[0]["p_adjusted"]) == 6 * 2 * 0.5**7  # the smallest of six
    assert rows[5]["p"] == "1.0"  # neither has the relevant document first


def test_a_baseline_and_residuals(study: Path) -> None:
    options = ("--baseline", "other", "-m", "P@1", "--test", "sign", "--residuals")
    result = compare(study, *options, "--format", "json", runs=("other", "good"))
    (row,) = json.loads(result.stdout)["rows"]
    assert (row["run_a"], row["run_b"], row["wins"], row["significant"]) == ("good", "other", 7, True)
    assert (row["p_base"], row["p_top"], row["certain"]) == (0.5**7, 1.0, False)  # its first document may be relevant
    shown = compare(study, *options, "--layout", "pairs", runs=("other", "good")).stdout.split("\n\n")[1].splitlines()
    assert shown[0].split()[-2:] == ["significant", "certain"]
    assert shown[1].split()[-2:] == ["yes", "no"]
    marked = compare(study, *options, runs=("other", "good"))
    assert "good   1.0000 †" in marked.stdout
    assert "† significantly better than other, ‡ significantly worse" in marked.stderr


def test_an_omnibus_test_is_on_stderr(study: Path) -> None:
    (study / "qrels.txt").write_text("".join(f"{t} 0 r {t % 3}\n{t} 0 n {t % 2}\n{t} 0 m 0\n" for t in TOPICS))
    result = compare(study, "-m", "RR", "--test", "friedman", runs=("good", "poor", "other"))
    assert result.exit_code == 0
    assert any(line.startswith("RR: Friedman, chi-squared(2) = ") for line in result.stderr.splitlines())


def test_files(study: Path) -> None:
    assert compare(study, "--format", "parquet", "-o", f"{study}/found.parquet").exit_code == 0
    assert pl.read_parquet(study / "found.parquet").columns[:3] == ["measure", "run_a", "run_b"]
    assert compare(study, "--format", "latex", "-o", f"{study}/found.tex").stdout == ""
    assert (study / "found.tex").read_text().startswith("\\begin{table}\n")


def test_resamples_and_seed_are_said(study: Path) -> None:
    result = compare(study, "-m", "RR", "--test", "bootstrap", "--resamples", "200", "--seed", "3")
    assert "200 resamples, seed 3" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--baseline", "bm25"), "no run is called 'bm25' (the baseline); the runs are good, poor"),
        (("--alpha", "2"), "below 1, not 2.0"),
        (("--test", "tukey", "--correction", "holm"), "tukey corrects for all pairs of a measure"),
        (("--test", "dunnett"), "dunnett compares all runs with one baseline; baseline must name it"),
        (("-m", "APP"), "no measure is called 'APP'"),
    ],
)
def test_what_is_wrong_takes_one_line(study: Path, arguments: tuple[str, ...], problem: str) -> None:
    result = compare(study, *arguments)
    assert result.exit_code == 2
    assert problem in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_one_run_is_not_enough(study: Path) -> None:
    result = compare(study, runs=("good",))
    assert result.exit_code == 2
    assert result.stderr == "cranfield: a comparison needs at least two runs; there is only one: good\n"


def test_every_test_and_correction_is_listed() -> None:
    text = CliRunner().invoke(main, ["compare", "--help-all"]).stdout
    assert f"--test [{'|'.join(TESTS)}]" in text
    assert f"--correction [{'|'.join(CORRECTIONS)}]" in text
    listed = CliRunner().invoke(main, ["compare", "--tests"])
    assert listed.exit_code == 0
    words = " ".join(listed.stdout.split())
    for row in (*TESTS.values(), *CORRECTIONS.values()):
        assert row.words[1:] in words
        assert row.purpose in words
    assert "t, ttest" in words


def test_every_test_can_be_chosen(study: Path) -> None:
    (study / "qrels.txt").write_text("".join(f"{t} 0 r {t % 3}\n{t} 0 n {t % 2}\n{t} 0 m 0\n" for t in TOPICS))
    for name in (*TESTS, *(alias for test in TESTS.values() for alias in test.aliases)):
        options = ("-m", "RR", "--test", name, "--resamples", "50", "--format", "csv", "--baseline", "other")
        result = compare(study, *options, runs=("good", "poor", "other"))
        assert result.exit_code == 0, result.stderr
        row = next(csv.DictReader(io.StringIO(result.stdout)))
        assert row["test"] == name or name in TESTS[row["test"]].aliases


def test_several_baselines_in_one_table(study: Path) -> None:
    """Of the three runs the first wins every topic, and the others are not compared with each other."""
    options = ("-m", "P@1", "--test", "sign", "--baseline", "good", "--baseline", "good")
    one = compare(study, *options, runs=("good", "poor", "other"))
    assert "poor   0.0000 ‡\n" in one.stdout
    result = compare(study, *options, "--baseline", "poor", runs=("good", "poor", "other"))
    assert result.stdout == "   run          P@1\na  good   1.0000 bc\nb  poor   0.0000\nc  other  0.0000\n"
    assert "letter, of those compared with good and poor (sign test" in result.stderr


def test_a_margin_asks_for_equivalence(study: Path) -> None:
    options = ("-m", "P@1", "--margin", "0.1", "--layout", "pairs")
    shown = compare(study, *options, runs=("poor", "other"))
    assert shown.stdout.splitlines()[-2].split()[-3:] == ["significant", "not_worse", "equivalent"]
    assert shown.stdout.splitlines()[-1].split()[-3:] == ["no", "yes", "yes"]
    assert "note: margin 0.1: the first run is not worse in 1 of 1 pair, and equivalent in 1 (paired" in shown.stderr


def test_a_test_or_correction_that_there_is_not_takes_one_line(study: Path) -> None:
    assert compare(study, "--test", "z").stderr.startswith("cranfield: there is no test 'z'; choose from t, sign")
    assert compare(study, "--correction", "z").stderr.startswith(
        "cranfield: there is no correction 'z'; choose from none"
    )


def test_the_conditions_of_evaluate_hold_here(study: Path) -> None:
    """Without its unjudged documents the last run has none at all; of depth 1, the second has no relevant one."""
    shown = compare(study, "-m", "RR", "--depth", "1", "--test", "sign")
    opening, table = shown.stdout.split("\n\n")
    assert table == "   run         RR\na  good  1.0000 b\nb  poor  0.0000\n"
    assert opening.endswith("poor.run -m RR --depth 1")  # what comes next is asked under the same conditions
    assert "note: scored with depth=1\n" in shown.stderr
    assert "0.0000" in compare(study, "-m", "RR", "--rel", "2").stdout
    (study / "good.run").write_text("# what follows is a run\n" + (study / "good.run").read_text())
    assert compare(study, "-m", "RR").exit_code == 2
    assert compare(study, "-m", "RR", "--comments").exit_code == 0


def test_the_audit_can_be_left_out(study: Path) -> None:
    assert "audit:" in compare(study).stderr
    assert "audit:" not in compare(study, "--no-audit").stderr


def test_help_loads_nothing_that_computes() -> None:
    code = "import sys, cranfield.cli.compare; print({'numpy', 'polars', 'scipy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_tests_need_no_more_of_scipy_than_its_functions(study: Path) -> None:
    asked = ["compare", f"{study}/qrels.txt", f"{study}/good.run", f"{study}/poor.run", "-m", "RR", "--test"]
    code = (
        "import sys; from cranfield.cli import main\n"
        "for test in ('t', 'wilcoxon', 'randomisation', 'sign'):\n"
        f"    main([*{asked}, test], standalone_mode=False)\n"
        "    assert 'scipy.stats' not in sys.modules, test"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("poor") >= 4


def test_the_command_and_the_function_have_the_same_defaults() -> None:
    usual = {name: parameter.default for name, parameter in inspect.signature(cf.compare).parameters.items()}
    settings = Settings()
    given = {field.name: getattr(settings, field.name) for field in fields(settings)}
    assert {name: usual[name] for name in given} == given | {"correction": None, "level": None}


def test_a_paragraph_instead_of_the_table(study: Path) -> None:
    shown = compare(study, "-m", "RR", "--paragraph")
    assert (shown.exit_code, shown.stdout.count("\n")) == (0, 2)
    said = " ".join(shown.stdout.split())
    assert said.startswith("On 7 topics, good beats poor by RR (+0.6667). Differences are tested by the paired t-test")
    assert "Means over" not in shown.stderr
    assert "audit: 2 runs, 7 topics" in shown.stderr
    compare(study, "-m", "RR", "--paragraph", "-o", f"{study}/said.txt")
    assert (study / "said.txt").read_text() == shown.stdout
    one = ("--collection", "one", f"{study}/qrels.txt", f"{study}/*r.run")
    several = CliRunner().invoke(main, ["compare", *one, "-m", "RR", "--paragraph", "--baseline", "poor"])
    assert several.stdout.startswith("The runs are compared on 1 collection: one with 7 topics. By RR, ")


@pytest.mark.parametrize(
    ("further", "said"),
    [
        (("--layout", "pairs"), "with --paragraph, leave --layout out"),
        (("--sort",), "with --paragraph, leave --sort out"),
        (("--format", "csv"), "with --paragraph the output is text, not csv"),
        (("-o", "said.json"), "with --paragraph the output is text, not json"),
    ],
)
def test_a_paragraph_is_no_table(study: Path, further: tuple[str, ...], said: str) -> None:
    found = compare(study, "--paragraph", *further)
    assert (found.exit_code, found.stdout) == (2, "")
    assert said in found.stderr

"""``--collection`` and ``--collections`` of evaluate and compare, as a person uses them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cranfield.cli import main


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "qrels.txt").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in range(6)))
        (tmp_path / name / "good.run").write_text("".join(f"{t} Q0 a 1 2 g\n{t} Q0 b 2 1 g\n" for t in range(6)))
        (tmp_path / name / "poor.run").write_text("".join(f"{t} Q0 b 1 2 p\n{t} Q0 a 2 1 p\n" for t in range(6)))
    tables = [f'[collections.{name}]\nqrels = "{name}/qrels.txt"\nruns = "{name}/*.run"\n' for name in ("one", "two")]
    (tmp_path / "both.toml").write_text("".join(tables))
    return tmp_path


def called(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


BOTH = ("--collection", "one", "one/qrels.txt", "one/*.run", "--collection", "two", "two/qrels.txt", "two/*.run")


def test_a_column_a_collection_however_they_are_named(here: Path) -> None:
    of_file = called("evaluate", "--collections", "both.toml", "-m", "RR")
    assert of_file.stdout == (
        "run      one     two  average\ngood  1.0000  1.0000   1.0000\npoor  0.5000  0.5000   0.5000\n"
    )
    assert of_file.stderr.splitlines()[0].startswith("Averages over topics: RR of one (6 topics), two (6 topics).")
    said = [line.partition(": ")[2] for line in of_file.stderr.splitlines() if line.startswith("audit: ")]
    assert said == [
        f"{name}: {fact}" for name in ("one", "two") for fact in ("2 runs, 6 topics", "all of the top 100 judged")
    ]
    # A collection that is named twice has the runs of both.
    parts = ("--collection", "one", "one/qrels.txt", "one/good.run", "--collection", "one", "one/qrels.txt")
    one_by_one = called("evaluate", *parts, "one/poor.run", *BOTH[4:], "-m", "RR")
    assert one_by_one.stdout == of_file.stdout


def test_for_programs(here: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(called("evaluate", *BOTH, "-m", "RR", "-q", "--format", "csv").stdout)))
    assert list(rows[0]) == ["collection", "run", "topic", "measure", "value"]
    assert sum(row["topic"] != "all" for row in rows) == 2 * 2 * 6
    assert [row["value"] for row in rows if row["collection"] == "all"] == ["1.0", "0.5"]
    compared = called("compare", *BOTH, "-m", "RR", "-o", "found.csv")
    assert (compared.exit_code, compared.stdout) == (0, "")
    found = list(csv.DictReader((here / "found.csv").read_text().splitlines()))
    assert [(row["collection"], row["run_a"], row["significant"]) for row in found] == [
        ("one", "good", "true"),
        ("two", "good", "true"),
        ("all", "good", "true"),
    ]


def test_a_table_to_paste(here: Path) -> None:
    found = called("compare", "--collections", "both.toml", "-m", "RR", "--baseline", "poor", "--format", "latex")
    assert r"a & good & \textbf{1.0000}$^{\dagger}$ & \textbf{1.0000}$^{\dagger}$ & \textbf{1.0000}$^{\dagger}$" in (
        found.stdout
    )
    assert "topics kept within their collection" in found.stdout.replace("\n", " ")
    assert "<table>" in called("evaluate", "--collections", "both.toml", "--format", "html").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("evaluate",), "missing argument 'QRELS'"),
        (("evaluate", "one/qrels.txt"), "missing argument '[NAME=]RUN...'"),
        (("evaluate", "one/qrels.txt", "one/good.run", *BOTH), "leave QRELS and RUNS out"),
        (("evaluate", *BOTH, "--collections", "both.toml"), "leave --collection out"),
        (("evaluate", *BOTH, "--bounds"), "with --collection, leave --bounds out"),
        (("evaluate", *BOTH, "--engine", "spark"), "with --engine spark, leave --collection out"),
        (("evaluate", *BOTH, "--format", "trec_eval"), "there is no format 'trec_eval'"),
        (("evaluate", *BOTH, "-q"), "scores by topic of several collections are available as csv"),
        (("evaluate", *BOTH[:4], "--collection", "one", "two/qrels.txt", "two"), "collection one has two qrels"),
        (("evaluate", "--collection", "all", "one/qrels.txt", "one"), "a collection cannot be called 'all'"),
        (("evaluate", "--collections", "both.toml", "-o", "both.toml"), "both.toml"),
        (("evaluate", "--collections", "both.toml", "-o", "one/qrels.txt"), "one/qrels.txt"),
        (("evaluate", *BOTH, "-o", "two/good.run"), "two/good.run"),
        (("evaluate", "--collections", "none.toml"), "none.toml: no such file"),
        (("compare", *BOTH, "--residuals"), "with --collection, leave --residuals out"),
        (("compare", *BOTH, "--scores", "both.toml"), "with --collection, leave --scores out"),
        (("compare", *BOTH, "--baseline", "gold"), "no run is called 'gold' (the baseline)"),
    ],
)
def test_what_is_refused(here: Path, arguments: tuple[str, ...], said: str) -> None:
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    found = called(*arguments)
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert said in found.stderr
    assert before == {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}


def test_what_the_audit_warns_of_ends_in_status_1_where_one_is_strict(here: Path) -> None:
    (here / "two" / "poor.run").write_text("0 Q0 nowhere 1 2 p\n")
    found = called("evaluate", "--collections", "both.toml", "-m", "RR", "--strict")
    assert found.exit_code == 1
    assert "audit: two: warning" in found.stderr

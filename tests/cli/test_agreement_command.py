"""``cranfield agreement`` as a person uses it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import cranfield as cf
from cranfield.cli import main
from cranfield.statistics.agreement import gwet_ac

ANN = "1 0 a 2\n1 0 b 1\n1 0 c 0\n1 0 d 0\n2 0 a 1\n"
BOB = "2 0 a 1\n1 0 d 0\n1 0 c 1\n1 0 b 1\n1 0 a 1\n1 0 z 2\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "more").mkdir()
    for name, text in {"ann.txt": ANN, "bob.txt": BOB, "more/ann.txt": BOB, "more/eve.txt": "9 0 a 1\n"}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def agreement(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["agreement", *arguments])


def test_by_hand(here: Path) -> None:
    result = agreement("ann.txt", "bob.txt", "--format", "json")
    assert result.exit_code == 0
    [row] = json.loads(result.stdout)
    # Grades of 1a 1b 1c 1d 2a: 2 1 0 0 1 and 1 1 1 0 1.
    assert (row["assessor_a"], row["assessor_b"], row["topics"], row["documents"]) == ("ann", "bob", 2, 5)
    assert (row["same_grade"], row["overlap"]) == (3 / 5, 3 / 4)
    # By chance: grade 0 2/5 · 1/5, grade 1 2/5 · 4/5.
    assert row["kappa"] == pytest.approx((3 / 5 - 10 / 25) / (1 - 10 / 25))
    # Two one-step disagreements of five; by chance 0-1 8, 1-0 2, 2-1 4, and 2-0 1, of two steps;
    # all of 25.
    assert row["weighted_kappa"] == pytest.approx(1 - (2 / 5) / ((8 + 2 + 4 + 2 * 1) / 25))
    # Of ten grades 3 are 0, 6 are 1, 1 is 2: unequal ordered pairs 2 · 2 observed, 2 · (18 + 3 + 6)
    # / 9 by chance.
    assert row["alpha_nominal"] == pytest.approx(1 - 4 / (2 * (18 + 3 + 6) / 9))
    assert f"on 5 documents: alpha {row['alpha_nominal']:.4f} nominal," in result.stderr


def test_quadratic_weights_and_a_relevance_level(here: Path) -> None:
    [row] = json.loads(agreement("ann.txt", "bob.txt", "--weights", "quadratic", "--format", "json").stdout)
    assert row["weighted_kappa"] == pytest.approx(1 - (2 / 5) / ((8 + 2 + 4 + 4 * 1) / 25))
    assert json.loads(agreement("ann.txt", "bob.txt", "-l", "2", "--format", "json").stdout)[0]["overlap"] == 0


def test_names_folders_and_pairs_without_a_document(here: Path) -> None:
    result = agreement("nist=ann.txt", "more", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["assessor_a"], row["assessor_b"]) for row in rows] == [("nist", "ann")]
    assert result.stderr.splitlines()[0].startswith("3 assessors, linear weights. All together, on 5")
    assert "note: 2 pairs of assessors have no document in common: left out" in result.stderr
    assert agreement("nist=ann.txt", "more", "--quiet").stderr == ""


def test_the_suffix_says_the_format(here: Path) -> None:
    assert agreement("ann.txt", "bob.txt", "-o", "found.md").exit_code == 0
    assert (here / "found.md").read_text().startswith("| assessor_a |")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["ann.txt"], "agreement needs two or more assessors; only 'ann' is given (a file of several"),
        (["ann.txt", "more/ann.txt"], "two assessors are called 'ann'; name them as NAME=FILE"),
        (["ann.txt", "more/eve.txt"], "no two assessors judged the same document of a topic"),
        (["x=ann.txt", "y=more"], "more: 2 files match, but only one can be the assessor 'y'"),
        (["ann.txt", "nowhere.txt"], "nowhere.txt: no such file"),
        (["ann.txt", "bob.txt", "--weights", "cubic"], "weights must be 'linear' or 'quadratic', not 'cubic'"),
        (["ann.txt", "bob.txt", "-o", "bob.txt"], "bob.txt: is an input and would be overwritten"),
        (["x=ann.txt", "bob.txt", "-o", "ann.txt"], "ann.txt: is an input and would be overwritten"),
        ([], "missing argument"),
    ],
)
def test_mistakes(here: Path, arguments: list[str], problem: str) -> None:
    result = agreement(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr
    assert result.stderr.startswith("cranfield: ")
    assert result.stderr.count("\n") == 1
    assert (here / "ann.txt").read_text() == ANN


def test_one_file_of_several_assessors_is_each_of_them(here: Path) -> None:
    """As `judge export` writes it, and as a hand would split it: the same rows."""
    lines = {name: (here / f"{name}.txt").read_text().splitlines() for name in ("ann", "bob")}
    parted = {name: [line.split() for line in each] for name, each in lines.items()}
    both = "".join(f"{t} {name} {d} {grade}\n" for name, each in parted.items() for t, _, d, grade in each)
    (here / "both.txt").write_text(both)
    together, apart = (agreement(*files, "--format", "json") for files in (["both.txt"], ["ann.txt", "bob.txt"]))
    assert json.loads(together.stdout) == json.loads(apart.stdout)
    assert together.stderr == apart.stderr
    rows = json.loads(agreement("nist=ann.txt", "both.txt", "--format", "json").stdout)
    assert [(row["assessor_a"], row["assessor_b"]) for row in rows] == [
        ("nist", "ann"), ("nist", "bob"), ("ann", "bob")
    ]  # fmt: skip
    for arguments, problem in (
        (["x=both.txt", "ann.txt"], "both.txt: holds the judgments of ann and bob, not of the one assessor 'x'"),
        (["ann.txt", "both.txt"], "two assessors are called 'ann'; put the judgments of each into one file"),
    ):
        assert problem in agreement(*arguments).stderr
    (here / "numbers.txt").write_text(both.replace(" ann ", " 1 ").replace(" bob ", " 2 "))
    assert "judgments by subtopic" in agreement("numbers.txt").stderr


def test_the_agreement_of_two_does_not_depend_on_others() -> None:
    """Whoever stands beside them: grades that a third alone gave are no steps of their scale."""
    ann = {"1": {f"d{n}": n % 2 for n in range(12)}}
    bob = {"1": {f"d{n}": int(n % 3 > 0) for n in range(12)}}
    eve = {"1": {f"d{n}": n / 7 for n in range(12)}}
    alone = cf.agreement({"ann": ann, "bob": bob}).to_polars().row(0, named=True)
    beside = cf.agreement({"ann": ann, "eve": eve, "bob": bob}).to_polars()
    assert beside.filter(assessor_a="ann", assessor_b="bob").row(0, named=True) == alone
    assert alone["ac1"] == pytest.approx(gwet_ac([*ann["1"].values()], [*bob["1"].values()]))


def test_of_many_grades_only_those_that_met_are_listed() -> None:
    """Of 30 labels of each there are 30 pairs that met, and not 900; and no picture of so many."""
    both = {name: {"1": {f"d{n}": n / of for n in range(30)}} for name, of in (("ann", 7), ("bob", 8))}
    found = cf.agreement(both)
    assert found.confusion.height == 30 - 0
    assert found.confusion["documents"].to_list() == [1] * 30
    with pytest.raises(cf.InputError, match="different grades do not fit a matrix, which has at most 20"):
        found.plot("assessor-confusion")

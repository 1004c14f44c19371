"""The experiment on axioms: its tables, and a measure of one's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from cranfield.axioms import AXIOMS
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS, Work
from cranfield.experiments.axioms import TABLE_1, axioms
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.errors import InputError

SMALL: dict[str, Any] = {"longest": 4, "random": 50, "largest": 50}

OWN = '''
from cranfield.measures import Measure


class FirstTwo(Measure):
    """What are the first two documents worth?

    FirstTwo = 2 g(1) + g(2)
    """

    range = (0.0, float("inf"))
    graded = True
    range = (0.0, 9.0)

    def compute(self, rankings):
        cells = rankings.cut(2).judged
        return cells.sum(cells.grade * (3 - cells.rank))
'''


def test_tables() -> None:
    found = axioms(["RR", "DCGU"], **SMALL)
    assert list(found.tables) == ["axioms", "searches", "counterexamples"]
    assert found["axioms"].columns == ["measure", *AXIOMS]
    assert found["axioms"]["measure"].to_list() == ["RR", "DCGU"]
    verdicts = dict(found["axioms"].drop("measure").unpivot().filter(pl.col("value") == "violated").rows())
    searches = found["searches"]
    assert searches.height == 2 * len(AXIOMS)
    violated = searches.filter(pl.col("verdict") == "violated")
    assert found["counterexamples"].select("measure", "axiom").rows() == violated.select("measure", "axiom").rows()
    assert set(verdicts) == set(violated["axiom"])
    # A threshold is found among the sizes, or not; of the others every comparison must come out
    # right.
    rows = searches.filter(~pl.col("axiom").str.ends_with("threshold"))
    assert ((rows["equal"] + rows["reversed"] == 0) == (rows["verdict"] == "satisfied")).all()
    assert found.settings["seed"] == 7


def test_binary_measures_are_searched_with_two_grades() -> None:
    searches = axioms(["AP", "nDCG"], **SMALL)["searches"]
    assert dict(searches.select("measure", "top_grade").unique().rows()) == {"AP": 1, "nDCG": 2}


def test_every_counter_example_contradicts() -> None:
    examples = axioms(TABLE_1, **SMALL)["counterexamples"]
    scale = pl.max_horizontal(pl.col("better_score").abs(), pl.col("worse_score").abs())
    assert examples.select((pl.col("better_score") <= pl.col("worse_score") + 1e-12 * scale).all()).item()


def test_same_seed_same_findings_and_steps_are_taken_up_again(tmp_path: Path) -> None:
    work = Work(folder=tmp_path)
    one, again = (axioms(["Q", "OIE"], work=work, **SMALL) for _ in range(2))
    for name in one.tables:
        assert one[name].equals(again[name])


def test_a_measure_of_ones_own_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN)
    command = [
        "experiment",
        "axioms",
        "--measures-from",
        str(file),
        "-m",
        "FirstTwo",
        "--longest",
        "4",
        "--random",
        "0",
    ]
    result = CliRunner().invoke(main, [*command, "--largest", "5", "--table", "counterexamples", "--format", "csv"])
    assert result.exit_code == 0, result.output
    # Both sides are equal; the smallest lists: a third rank that it does not see, and a fourth.
    assert "FirstTwo,Priority,0 0 1 0,0.0,0 0 0 1,0.0," in result.stdout
    assert "FirstTwo,Confidence,(empty) | unretrieved 0,0.0,0,0.0," in result.stdout


def test_the_experiment_takes_no_runs() -> None:
    assert EXPERIMENTS["axioms"].takes == {"measures", "work"}
    assert EXPERIMENTS["axioms"].measures == TABLE_1
    assert all(option.meaning for option in EXPERIMENTS["axioms"].options)
    parse_measures(TABLE_1)


def test_where_less_is_better_the_negative_is_searched() -> None:
    found = axioms(["RR", "RBPResidual(p=0.5)"], **SMALL)
    assert found.notes[1:] == (
        "lower is better for RBPResidual(p=0.5): its scores are negated in the search and in the tables",
    )
    examples = found["counterexamples"].filter(pl.col("measure") == "RBPResidual(p=0.5)")
    # All documents are judged, so that the order of two is no matter: what is left of 1 after two
    # is 1/4.
    priority = examples.filter(axiom="Priority").row(0, named=True)
    ranks = len(priority["better"].split())
    assert priority["better_score"] == priority["worse_score"] == -(0.5**ranks)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"longest": 0}, "longest must be at least 1"),
        ({"random": -1}, "random must be at least 0"),
        ({"random": 1.5}, "random must be a whole number"),
        ({"top_grade": True}, "top_grade must be a whole number"),
    ],
)
def test_numbers_out_of_range_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        axioms("RR", **SMALL | options)


@pytest.mark.slow
def test_the_table_of_the_documentation_is_what_the_experiment_finds() -> None:
    page = (Path(__file__).parents[2] / "docs" / "axioms.md").read_text(encoding="utf-8")
    page = re.sub(r" [✓✗]|\*\*", "", page)  # without the paper's word
    for measure, *verdicts in axioms()["axioms"].rows():
        cells = [{"satisfied": "●", "violated": "○", "open": "◌"}[verdict] for verdict in verdicts]
        assert f"| {measure} | {' | '.join(cells)} |" in page


def test_parameters_are_swept() -> None:
    found = axioms(["RBPU", "AP"], longest=3, random=0, largest=20, sweep="e=0|0.05|0.2")
    assert found["axioms"].select("measure", "Confidence", "Shallowness threshold").rows() == [
        ("RBPU(e=0,p=0.8)", "violated", "satisfied"),
        ("RBPU(p=0.8)", "satisfied", "satisfied"),
        ("RBPU(e=0.2,p=0.8)", "satisfied", "open"),
        ("AP", "violated", "satisfied"),
    ]
    with pytest.raises(InputError, match="no measure has beta; parameters of RBPU"):
        axioms("RBPU", sweep="beta=1|2")

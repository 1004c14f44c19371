"""A portrait says of a measure what the experiments say one by one, and finds out a measure that is upside down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns


@pytest.fixture(scope="module")
def joined(campaign: Path) -> JudgedRuns:
    return cf.join(campaign / "qrels.txt", campaign / "runs")


@pytest.fixture(scope="module")
def found(joined: JudgedRuns) -> Findings:
    return EXPERIMENTS["portrait"](joined, "RBP(p=0.7)", beside=("AP", "P@5"), repetitions=3, longest=3)


def row_of(found: Findings, measure: str) -> dict[str, object]:
    return found["portrait"].filter(measure=measure).row(0, named=True)


def test_numbers_are_those_of_the_experiments(joined: JudgedRuns, found: Findings) -> None:
    names = ["RBP(p=0.7)", "AP", "P@5"]
    pairs = EXPERIMENTS["correlation"](joined, names, top=1)["pairs"]
    assert found["correlation"].equals(pairs.select("measure_a", "measure_b", "correlation"))
    of_rbp = pairs.filter(measure_a="RBP(p=0.7)").sort("correlation", descending=True, maintain_order=True)
    row = row_of(found, "RBP(p=0.7)")
    assert (row["nearest"], row["tau"]) == (of_rbp["measure_b"][0], of_rbp["correlation"][0])
    power = EXPERIMENTS["discriminative-power"](joined, names, test="t", alphas=(0.05,), top=1)["power"]
    assert found["portrait"]["told_apart"].to_list() == power["share"].to_list()
    robust = EXPERIMENTS["downsampling"](joined, names, rates=(0.5, 0.1), repetitions=3, top=1)["correlation"]
    assert row["tau_tenth"] == robust.filter(pl.col("rate") == 0.1, measure="RBP(p=0.7)")["tau"][0]
    bounded = cf.evaluate(joined, measures=names, bounds=True)
    assert bounded.limits is not None
    widths = (bounded.limits[1] - bounded.limits[0]).mean(axis=(1, 2))
    assert found["portrait"]["width"].to_numpy() == pytest.approx(widths)


def test_weighted_sums_never_prefer_the_dominated_run(found: Findings) -> None:
    for measure in ("RBP(p=0.7)", "P@5"):
        row = row_of(found, measure)
        assert (row["against_means"], row["against_topics"]) == (0, 0)
        assert 0 not in (row["of_means"], row["of_topics"])
    assert found["portrait"]["asked"].to_list() == [True, False, False]


def test_what_bounds_need(joined: JudgedRuns) -> None:
    """Precision rises with grades; the share of documents that are not relevant falls; neither says so."""

    def share(of: Callable[[float], bool]) -> Callable[[Sequence[float | None]], float]:
        return lambda grades: sum(grade is not None and of(grade) for grade in grades) / 1000

    asked = [cf.measure("Mine", share(lambda grade: grade > 0)), cf.measure("Waste", share(lambda grade: grade <= 0))]
    found = EXPERIMENTS["portrait"](joined, asked, beside=("AP",), repetitions=2, longest=3)["portrait"]
    assert dict(found.select("measure", "bounds_need").rows()) == {
        "Mine": "rises_with_grades declared",
        "Waste": "a formula of its own",
        "AP": "nothing",
    }


def test_it_ends_with_a_verdict_on_each_of_ones_own(found: Findings) -> None:
    row = row_of(found, "RBP(p=0.7)")
    words = found.notes[0]
    order = "nearly the order" if float(str(row["tau"])) >= 0.9 else "another order than that"
    assert words.startswith(f"RBP(p=0.7) gives these runs {order} of {row['nearest']}, the most similar (Kendall's τ_b")
    violated = found["axioms"].filter(measure="RBP(p=0.7)", verdict="violated").height
    assert words.endswith(f"violates {violated} of {found['axioms'].filter(measure='RBP(p=0.7)').height} axioms")
    assert not any(note.startswith("AP gives") for note in found.notes)


def test_settings_are_those_that_the_measure_takes(found: Findings) -> None:
    assert found["parameters"]["setting"].to_list() == ["RBP(p=0.35)", "RBP(p=0.85)"]


def test_a_measure_that_is_upside_down_is_found_out(campaign: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "import numpy as np\n"
        "from cranfield.measures import Measure\n\n\n"
        "class Late(Measure):\n"
        '    """How late is the first relevant document, as a share of a hundred ranks?"""\n\n'
        "    rewards_promotion = False\n\n"
        "    def compute(self, rankings):\n"
        "        return np.minimum(rankings.relevant().first_rank, 100.0) / 100\n"
    )
    out = tmp_path / "found"
    call = ["experiment", "portrait", f"{campaign}/qrels.txt", f"{campaign}/runs", "-m", "Late", "--measures-from"]
    done = CliRunner().invoke(main, [*call, str(mine), "--repetitions", "2", "--longest", "3", "--out", str(out)])
    assert done.exit_code == 0, done.stderr
    row = pl.read_csv(out / "portrait-portrait.csv").filter(measure="Late").row(0, named=True)
    assert row["against_topics"] > 0
    assert "Late prefers the run that is worse at every rank and grade of every topic" in done.stdout + done.stderr
    verdicts = pl.read_csv(out / "portrait-axioms.csv").filter(measure="Late", axiom="Priority")
    assert verdicts["verdict"].to_list() == ["violated"]


def test_two_runs_are_too_few() -> None:
    runs = cf.join({"1": {"a": 1}}, {"x": {"1": ["a"]}, "y": {"1": ["b"]}})
    with pytest.raises(InputError, match="at least three runs; there are 2"):
        EXPERIMENTS["portrait"](runs)

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
from cranfield.experiments.portrait import _sentences
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
    words = found.notes[-1]
    nearly = f"RBP(p=0.7) orders these runs nearly as {row['nearest']} does (Kendall's τ_b {row['tau']:.2f}); "
    own = f"RBP(p=0.7) has an order of its own, most similar to that of {row['nearest']} (Kendall's τ_b "
    assert words.startswith("verdict: " + (nearly if float(str(row["tau"])) >= 0.9 else own))
    assert [note for note in found.notes if note.startswith("verdict")] == [words]
    assert not any(note.startswith("AP ") for note in found.notes)


def violations(found: Findings, measure: str) -> int:
    return found["axioms"].filter(measure=measure, verdict="violated").height


def test_each_number_is_compared_with_the_usual_measures(found: Findings) -> None:
    mine, ap, p = (row_of(found, measure) for measure in ("RBP(p=0.7)", "AP", "P@5"))
    of = found["axioms"].filter(measure="AP").height
    violated = [violations(found, name) for name in ("RBP(p=0.7)", "AP", "P@5")]
    told = (
        f"RBP(p=0.7) violates {violated[0]} of {of} axioms; AP violates {violated[1]}, P@5 {violated[2]}",
        f"RBP(p=0.7) has bounds that are {mine['width']:.2f} wide on average; AP has {ap['width']:.2f}, "
        f"P@5 {p['width']:.2f}",
        f"RBP(p=0.7) prefers the dominated run in 0 of {mine['of_means']:,} pairs; AP prefers {ap['against_means']}, "
        "P@5 0",
        f"RBP(p=0.7) keeps its order with half of the judgments (τ_b {mine['tau_half']:.2f}); AP keeps "
        f"{ap['tau_half']:.2f}, P@5 {p['tau_half']:.2f}",
    )
    assert set(told) < set(found.notes)


def test_a_verdict_names_where_a_measure_is_better_or_worse_than_all() -> None:
    numbers = {"told_apart": 0.5, "tau_half": 0.9, "tau_tenth": 0.5, "width": 0.4, "against_means": 0}
    usual = {"asked": False, "nearest": "Mine", "tau": 0.5, "against_topics": 0, "of_means": 7, "of_topics": 7}
    rows = [
        usual | numbers | {"measure": "Mine", "asked": True, "nearest": "AP", "told_apart": 0.6, "width": 0.5},
        usual | numbers | {"measure": "AP", "tau_half": 0.8, "tau_tenth": None},
        usual | numbers | {"measure": "RR", "tau_half": 0.95, "tau_tenth": None},
    ]
    searches = pl.DataFrame(
        {
            "measure": ["Mine", "Mine", "AP", "AP", "RR", "RR"],
            "verdict": ["violated", "violated", "violated", "satisfied", "satisfied", "violated"],
        }
    )
    *others, verdict = _sentences(pl.DataFrame(rows), searches)
    assert verdict == (
        "verdict: Mine has an order of its own, most similar to that of AP (Kendall's τ_b 0.50); it is better than "
        "each of AP and RR in significant differences, and worse than each in width of the bounds and axioms violated"
    )
    assert "Mine finds 60% of all differences significant; AP finds 50%, RR 50%" in others
    assert "Mine violates 2 of 2 axioms; AP violates 1, RR 1" in others
    assert not any("a tenth" in other for other in others)  # what the others have not is not compared
    *_, alone = _sentences(pl.DataFrame(rows[:2]), searches)
    assert alone.endswith(
        "better than AP in significant differences and stability with half, and worse than AP in width of the bounds "
        "and axioms violated"
    )
    like = pl.DataFrame(
        [rows[1] | {"measure": "Mine", "asked": True, "nearest": "AP", "tau": 0.95, "of_means": 0}, rows[1]]
    )
    *others, same = _sentences(like, searches.filter(measure="AP").with_columns(measure=pl.lit("Mine")).vstack(
        searches.filter(measure="AP")))  # fmt: skip
    assert same == (
        "verdict: Mine orders these runs nearly as AP does (Kendall's τ_b 0.95); no number sets it apart from AP"
    )
    assert not any("dominated" in other for other in others)  # of no pair there is nothing to prefer


def test_of_measures_of_ones_own_alone_each_has_a_verdict(joined: JudgedRuns) -> None:
    found = EXPERIMENTS["portrait"](joined, ["AP", "RR"], beside=("AP",), repetitions=2, longest=3)
    verdicts = [note for note in found.notes if note.startswith("verdict: ")]
    assert found.notes[-1] == verdicts[1] and [verdict.split()[1] for verdict in verdicts] == ["AP", "RR"]
    of = {name: violations(found, name) for name in ("AP", "RR")}
    axioms = found["axioms"].filter(measure="AP").height
    assert f"AP violates {of['AP']} of {axioms} axioms; RR violates {of['RR']}" in found.notes
    assert f"RR violates {of['RR']} of {axioms} axioms; AP violates {of['AP']}" in found.notes


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
    assert "Late prefers the dominated run, worse at every rank and grade on every topic," in done.stdout + done.stderr
    verdicts = pl.read_csv(out / "portrait-axioms.csv").filter(measure="Late", axiom="Priority")
    assert verdicts["verdict"].to_list() == ["violated"]


def test_two_runs_are_too_few() -> None:
    runs = cf.join({"1": {"a": 1}}, {"x": {"1": ["a"]}, "y": {"1": ["b"]}})
    with pytest.raises(InputError, match="at least three runs; there are 2"):
        EXPERIMENTS["portrait"](runs)

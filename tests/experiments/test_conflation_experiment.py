"""Conflation of grades, in every way: which ways there are, by hand, beside qrels that were conflated, on real runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tools.real_runs import Joined

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS
from cranfield.selection.conflation import conflated

conflation = EXPERIMENTS["conflation"]
QRELS = {"1": {"a": 3, "b": 2, "c": 1, "n": 0}, "2": {"a": 2, "b": 1, "c": 1}, "3": {"a": 3, "c": 2, "s": -1}}
RUNS = {name: {topic: list(name) for topic in QRELS} for name in ("abcns", "cbasn", "sncab", "bnacs", "nscba")}


def test_every_way_keeps_the_order_of_the_grades() -> None:
    """Of three grades: a line between any two neighbours or not, and one line at least; 2³ - 1."""
    found = conflation(cf.join(QRELS, RUNS), ("AP", "nDCG"), top=1, resamples=20)["conflations"]
    assert found.select("conflation", "degrees", "lowest_relevant").rows() == [
        ("0,1,2 | 3", 2, 3), ("0,1 | 2,3", 2, 2), ("0 | 1,2,3", 2, 1),
        ("0,1 | 2 | 3", 3, 2), ("0 | 1,2 | 3", 3, 1), ("0 | 1 | 2,3", 3, 1),
        ("0 | 1 | 2 | 3", 4, 1),
    ]  # fmt: skip


def test_each_is_what_correlation_finds_by_conflated_qrels() -> None:
    ways = {
        "0,1,2 | 3": {1: 0, 2: 0, 3: 1}, "0,1 | 2,3": {1: 0, 2: 1, 3: 1}, "0 | 1,2,3": {2: 1, 3: 1},
        "0,1 | 2 | 3": {1: 0, 2: 1, 3: 2}, "0 | 1 | 2,3": {3: 2}, "0 | 1,2 | 3": {2: 1, 3: 2}, "0 | 1 | 2 | 3": {},
    }  # fmt: skip
    measures = ("AP", "nDCG", "ERR", "Twist")
    found = conflation(cf.join(QRELS, RUNS), measures, top=1, resamples=50)
    for way, grades in ways.items():
        other = EXPERIMENTS["correlation"](cf.join(cf.conflate(QRELS, grades), RUNS), measures, top=1, resamples=50)
        columns = ["measure_a", "measure_b", "correlation", "low", "high"]
        ours = found["conflations"].filter(conflation=way).select(columns)
        assert ours.rows() == other["pairs"].select(columns).rows()


grades_ = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1)


@given(grades_, st.permutations("abcdefghxy"))
def test_joined_runs_are_judged_as_conflated_qrels_judge_them(judged: dict[str, int], ranked: list[str]) -> None:
    """Measures that look at the largest grade of all (ERR, RBP) find the new one."""
    qrels = {"1": judged}
    there = {grade: max(grade - 1, 0) for grade in set(judged.values()) if grade > 0}
    measures = ["AP", "nDCG", "ERR", "RBP", "NumRel"]
    joined = conflated(cf.join(qrels, {"r": {"1": ranked}}), there)
    again = cf.join(cf.conflate(qrels, there), {"r": {"1": ranked}})
    assert joined.scores(measures).values.tolist() == again.scores(measures).values.tolist()


def test_by_hand() -> None:
    """One grade: AP and nDCG agree; of two, nDCG alone sees that fair has the better document second."""
    runs = cf.join({"1": {"a": 2, "b": 1}}, {name: {"1": list(name)} for name in ("abx", "bax", "bxa", "xba")})
    found = conflation(runs, ("AP", "nDCG"), top=1, resamples=20)
    table = found["conflations"].select("conflation", "correlation", "difference", "p")
    # By AP abx = bax > bxa > xba, by nDCG abx > bax > bxa > xba: 5 of 6 pairs, one tied by AP.
    tau = 5 / np.sqrt(5 * 6)
    assert table["correlation"].to_list() == pytest.approx([1, 1, tau])
    assert table["difference"].to_list() == pytest.approx([1 - tau, 1 - tau, 0])
    assert table["p"][-1] == 1
    rows = found["degrees"].drop("measure_a", "measure_b").rows()
    assert rows == [(2, 2, 1, 1, 1), (3, 1, *[pytest.approx(tau)] * 3)]


def test_one_grade_and_what_cannot_be() -> None:
    runs = cf.join({topic: dict.fromkeys("ab", 1) for topic in QRELS}, RUNS)
    found = conflation(runs, top=1, resamples=20)
    assert found["degrees"]["degrees"].to_list() == [2]
    assert found.notes[-1] == "only one grade is relevant, so there is nothing to conflate"
    many = cf.join({"1": {f"d{g}": g for g in range(9)}}, {name: {"1": ["d1"]} for name in "xyz"})
    with pytest.raises(cf.InputError, match="8 relevant grades are not supported; give 1 to 7"):
        conflation(many, top=1)
    with pytest.raises(cf.InputError, match="AP alone cannot be correlated"):
        conflation(runs, ["AP"])
    with pytest.raises(cf.InputError, match="omit the relevance level"):
        conflation(cf.join(QRELS, RUNS), rel=2)
    with pytest.raises(cf.InputError, match="2 runs are left of 5; correlations need at least three"):
        conflation(cf.join(QRELS, RUNS), top=0.4)


def test_on_the_command_line(tmp_path: Path) -> None:
    cf.write_qrels(cf.read_qrels(QRELS), tmp_path / "qrels.txt")
    for name, run in RUNS.items():
        cf.write_run(cf.read_run(run), tmp_path / f"{name}.run")
    runs = [str(tmp_path / f"{name}.run") for name in RUNS]
    command = ["experiment", "conflation", f"{tmp_path}/qrels.txt", *runs, "--top", "1", "--resamples", "20"]
    shown = CliRunner().invoke(main, command)
    assert shown.exit_code == 0, shown.output
    assert [line.split()[0] for line in shown.stdout.splitlines()[2:5]] == ["2", "3", "4"]


@pytest.mark.parametrize("collection", ["dl19-passage", "covid-round1"])
def test_by_the_papers_ndcg_more_grades_do_not_part_it_from_ap(joined: Joined, collection: str) -> None:
    """The paper explains by the grades of TREC 21 why AP and nDCG agree less there than on TREC 14 and 20."""
    runs = joined(collection)
    found = conflation(runs, resamples=2)["conflations"].filter(lowest_relevant=1)
    assert (found["difference"][:-1] < 0).all()

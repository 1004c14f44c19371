"""How runs rank under each setting of a measure's parameters, beside SciPy and by hand."""

from __future__ import annotations

from itertools import combinations
from math import prod
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata
from tools.each import each_of
from tools.real_runs import Joined

from cranfield import join
from cranfield.cli import main
from cranfield.experiments.sensitivity import USUAL, sensitivity
from cranfield.experiments.sweeps import read_sweep, settings_of, taken_by
from cranfield.measures import OIE, RBP, REGISTRY, nDCG
from cranfield.plumbing.errors import CranfieldError, InputError, MeasureError
from cranfield.scoring.judged_runs import JudgedRuns


def one_topic(**rankings: str) -> JudgedRuns:
    """Runs on one topic; a document is its grade: a is 1, b is 2, c is 3, all others 0."""
    runs = {name: {"1": {d: -float(rank) for rank, d in enumerate(found)}} for name, found in rankings.items()}
    return join({"1": {"a": 1, "b": 2, "c": 3}}, runs)


def test_weights_turn_two_runs_round() -> None:
    """The best document alone, or the two others: gains 3 and 1 + 2 are alike, 3 and 1 + 1 are not, nor 1 and 1 + 1."""
    runs = one_topic(best="cxy", others="abx", none="xyz")
    sweep = "gains={1:1,2:2,3:3}|{1:1,2:1,3:3}|{1:1,2:1,3:1}"
    found = sensitivity(runs, "CG@3", sweep=sweep)
    places = found["places"]["place"].to_numpy().reshape(3, 3).tolist()
    assert places == [[1, 1, 3], [1, 2, 3], [2, 1, 3]]
    # Three pairs of runs. Tied and not: 2 alike of √(2 · 3). Turned round: 2 alike, 1 not.
    assert found["pairs"]["tau"].to_list() == pytest.approx([2 / 6**0.5, 2 / 6**0.5, (2 - 1) / 3])
    [row] = found["parameters"].rows(named=True)
    assert (row["parameter"], row["pairs"], row["lowest"], row["furthest"]) == ("gains", 3, pytest.approx(1 / 3), 1)
    assert row["mean"] == pytest.approx((4 / 6**0.5 + 1 / 3) / 3)


def test_where_nothing_moves_no_run_is_named() -> None:
    found = sensitivity(one_topic(good="cba", bad="xyz"), "RBP", sweep="p=0.5|0.8")
    assert found["parameters"].select("lowest", "lowest_ap", "furthest", "run").row(0) == (1, 1, 0, None)
    assert found.notes == ("lowest tau 1.000: RBP(p=0.5) and RBP(p=0.8)",)


def test_settings_are_all_combinations_of_what_the_measure_knows() -> None:
    sweep = read_sweep("p=0.5|0.8, docs=10|20, beta=1|1.05|1.1")
    assert [str(each) for each in settings_of(RBP(p=0.9), sweep)] == ["RBP(p=0.5)", "RBP(p=0.8)"]
    assert len(settings_of(OIE(), sweep)) == 2 * 3
    assert settings_of(nDCG(cutoff=5), sweep) == [nDCG(cutoff=5)]
    assert settings_of(nDCG(base=2), {"base": (None, 2, 2.0)}) == [nDCG(), nDCG(base=2)]


@each_of("name", [name for name, measure in REGISTRY.items() if not measure.text])
def test_every_measure_takes_the_usual_sweep_or_has_none_of_its_parameters(name: str) -> None:
    measure = REGISTRY[name]()
    usual = taken_by(measure, read_sweep(USUAL))
    assert set(usual) <= set(measure.parameters)
    assert 1 <= len(settings_of(measure, usual)) <= prod(map(len, usual.values()))


def test_gains_that_rbp_does_not_take_are_left_out_of_the_usual_sweep() -> None:
    found = sensitivity(one_topic(a="abx", b="xbc"), ("RBP", "nDCG@3"))
    swept = found["parameters"].select("measure", "parameter").rows()
    assert swept == [("RBP(p=0.8)", "p"), ("nDCG@3", "gains"), ("nDCG@3", "base")]
    with pytest.raises(MeasureError, match="gains must be at least 0 and at most 1"):
        sensitivity(one_topic(a="abx", b="xbc"), "RBP", sweep="gains={1:1,2:2}|{1:1,2:10}")


def test_a_parameter_is_judged_by_the_pairs_that_differ_in_it_alone() -> None:
    found = sensitivity(one_topic(a="abx", b="xbc", c="cxa"), ("OIE", "AP"), sweep="docs=10|20|30, beta=1|1.1")
    assert found["pairs"].height == 7 * 6 / 2  # six settings, and AP as it is
    pairs = {name: pairs for _, name, pairs, *_ in found["parameters"].rows()}
    assert pairs == {"docs": 2 * 3, "beta": 3 * 1}


def test_measures_that_share_settings_have_them_once() -> None:
    found = sensitivity(one_topic(a="abx", b="xbc"), ("RBP(p=0.5)", "RBP(p=0.8)"), sweep="p=0.5|0.8")
    assert found["matrix"].columns == ["setting", "RBP(p=0.5)", "RBP(p=0.8)"]
    assert found["parameters"]["pairs"].to_list() == [1, 1]


@given(st.dictionaries(st.sampled_from(["p", "e", "base"]), st.lists(st.floats(0.01, 0.99), min_size=1), min_size=1))
def test_a_sweep_is_read_back_as_it_was_written(sweep: dict[str, list[float]]) -> None:
    text = ", ".join(f"{name}={'|'.join(map(repr, values))}" for name, values in sweep.items())
    assert read_sweep(text) == {name: tuple(values) for name, values in sweep.items()}


@pytest.mark.parametrize(
    ("measures", "sweep", "said"),
    [
        ("nDCG", "p=0.5|0.8", "no measure has p; parameters of nDCG: averaged, base"),
        ("RBP", "p=0.5|3", "RBP: p must be a number above 0 and below 1, not 3"),
        ("RBP", "p", "a sweep looks like p=0.8|0.9, base=2|10; 'p' does not"),
        ("RBP", "p=0.5|", "'p=0.5|' does not"),
        ("RBP", "p=0.5, p=0.8", "sweep names p twice"),
        ("RBP", "p=0.5", "fewer than two settings"),
        ("AP", USUAL, "fewer than two settings"),
        ("nDCG", "cutoff=" + "|".join(map(str, range(1, 102))), "101 settings are too many"),
    ],
)
def test_what_cannot_be_swept_is_refused(measures: str, sweep: str, said: str) -> None:
    with pytest.raises(CranfieldError) as refused:
        sensitivity(one_topic(a="abx", b="xbc"), measures, sweep=sweep)
    assert said in str(refused.value)


def test_one_run_is_no_ranking() -> None:
    with pytest.raises(InputError, match="a single run has no ranking"):
        sensitivity(one_topic(a="abx"))


def test_dl19_beside_scipy(joined: Joined) -> None:
    runs = joined("dl19-passage")
    found = sensitivity(runs, "nDCG@100")
    settings = [str(each) for each in settings_of(nDCG(cutoff=100), read_sweep(USUAL))]
    averages = runs.scores(settings).averages
    places = rankdata(-averages, method="min", axis=1)
    for (a, b), row in zip(combinations(range(6), 2), found["pairs"].rows(named=True), strict=True):
        assert (row["setting_a"], row["setting_b"]) == (settings[a], settings[b])
        assert row["tau"] == pytest.approx(kendalltau(averages[a], averages[b]).statistic)
        assert row["furthest"] == abs(places[a] - places[b]).max()


def test_weights_and_bases_have_little_effect_as_in_the_paper(joined: Joined) -> None:
    """Järvelin and Kekäläinen call the effect of weights on the differences of curves minor."""
    runs = joined("covid-round1")
    found = sensitivity(runs, "nDCG@100")["parameters"]
    assert found["parameter"].to_list() == ["gains", "base"]
    assert (found["lowest"] > 0.93).all()


def test_the_command(data: Path) -> None:
    folder = data / "trec8-adhoc"
    asked = ["experiment", "sensitivity", f"{folder}/qrels.txt", f"{folder}/runs", "-m", "RBP", "--sweep", "p=0.5|0.95"]
    said = CliRunner().invoke(main, asked)
    assert said.exit_code == 0
    assert "lowest tau" in said.output
    assert "RBP(p=0.5) and RBP(p=0.95)" in said.output


def test_measures_without_a_parameter_that_is_swept_are_refused() -> None:
    runs = join({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}})
    with pytest.raises(InputError, match="name a measure that has one of them"):
        sensitivity(runs, ["AP", "RR"])

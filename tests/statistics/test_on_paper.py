"""Means that are equal on paper are equal in all that ranks runs, as exact sums have it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.correlated import bootstrap_correlation

import cranfield as cf
from cranfield.experiments import EXPERIMENTS
from cranfield.experiments.swap import count_swaps
from cranfield.measures import gmAP
from cranfield.pairs.board import Board
from cranfield.scoring.orientation import best_first
from cranfield.statistics.correlation_vectors import correlation
from cranfield.statistics.differences import checked
from cranfield.statistics.multiple_comparisons import simultaneous_intervals
from cranfield.statistics.on_paper import EQUAL, levelled, places, settled, side
from cranfield.statistics.rank_correlation import kendall_p, spearman, tau_ap
from cranfield.statistics.rank_intervals import rank_intervals

THIRDS = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]]
"""Three runs whose means are equal on paper and are three floats."""


def test_the_example_has_what_it_takes() -> None:
    assert len({sum(row) / 3 for row in THIRDS}) > 1


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=6), st.floats(-1000, 1000), st.data())
def test_what_differs_by_rounding_is_equal_wherever_it_lies(steps: list[int], at: float, data: st.DataObject) -> None:
    """There is no edge on whose sides equal ones could fall."""
    noise = data.draw(st.lists(st.floats(-1e-12, 1e-12), min_size=len(steps), max_size=len(steps)))
    values = at + np.array(steps) * 1e-6 + noise
    level = levelled(values)
    for i, j in itertools.product(range(len(steps)), repeat=2):
        assert (level[i] == level[j]) == (steps[i] == steps[j])
        assert np.sign(level[i] - level[j]) == np.sign(steps[i] - steps[j]) == side(values[i] - values[j])
    assert places(values).tolist() == [1 + sum(other > step for other in steps) for step in steps]


@given(st.lists(st.floats(0, 5e-9), min_size=1, max_size=8), st.randoms())
def test_chains_depend_on_no_order(values: list[float], random: object) -> None:
    """Two are equal if steps of less than the tolerance lead from the one to the other."""
    level = dict(zip(values, levelled(values).tolist(), strict=True))
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert dict(zip(shuffled, levelled(shuffled).tolist(), strict=True)) == level
    rising = sorted(values)
    for lower, higher in itertools.pairwise(rising):
        assert (level[lower] == level[higher]) == (higher - lower < EQUAL)


def test_numbers_that_are_none_and_infinite_ones() -> None:
    assert levelled([math.inf, 1.0, math.inf, -math.inf]).tolist() == [math.inf, 1.0, math.inf, -math.inf]
    assert np.isnan(levelled([math.nan, 1.0])).tolist() == [True, False]
    assert best_first(np.array([1.0, math.inf, 1.0 + 1e-12])) == [1, 0, 2]


def exact_tau_b(x: list[Fraction], y: list[Fraction]) -> float:
    pairs = list(itertools.combinations(range(len(x)), 2))
    signs = [((x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])) for i, j in pairs]
    concordant = sum(a * b for a, b in signs)
    return concordant / math.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))


@given(st.integers(0, 2**32), st.integers(3, 8), st.integers(3, 30))
def test_precisions_beside_exact_sums(seed: int, runs: int, topics: int) -> None:
    """P@5 and P@10 are whole numbers of documents: their sums are exact."""
    drawn = np.random.default_rng(seed).integers(0, [[[6]], [[11]]], (2, runs, topics))
    table = pl.DataFrame(
        [(f"r{r}", str(t), f"P@{k}", drawn[m, r, t] / k)
         for m, k in enumerate((5, 10)) for r in range(runs) for t in range(topics)],
        schema=["run", "topic", "measure", "value"], orient="row",
    )  # fmt: skip
    x, y = ([Fraction(int(row.sum()), k * topics) for row in of] for of, k in zip(drawn, (5, 10), strict=True))
    if len(set(x)) == 1 or len(set(y)) == 1:
        return
    assert cf.correlate(table).to_polars()["correlation"][0] == pytest.approx(exact_tau_b(x, y), abs=1e-12)


def test_the_worked_numbers_of_a_real_collection(data: Path) -> None:
    """143 runs: P@5 and P@10 by the numbers of relevant documents, exactly; nDCG@10 has no such sums."""
    folder = data / "covid-round1"
    scores = cf.evaluate(folder / "qrels.txt", folder / "runs", ["P@5", "P@10", "nDCG@10"])
    x, y = (
        [Fraction(round(float(row.sum() * k)), k * len(row)) for row in scores.values[m]] for m, k in ((0, 5), (1, 10))
    )
    found = cf.correlate(scores).to_polars()["correlation"].to_list()
    assert found[0] == pytest.approx(exact_tau_b(x, y), abs=1e-12)
    assert [round(each, 4) for each in found[:2]] == [0.9068, 0.92]


def test_every_correlation_ties_them() -> None:
    means = np.array([sum(row) / 3 for row in THIRDS] + [0.9, 0.1])
    exact = np.array([2.0, 2.0, 2.0, 9.0, 1.0])
    truth = [5.0, 4.0, 3.0, 2.0, 1.0]
    assert cf.kendall_tau(means, truth) == cf.kendall_tau(exact, truth)
    assert tau_ap(means, truth) == tau_ap(exact, truth)
    assert spearman(means, truth) == spearman(exact, truth)
    assert kendall_p(means, truth) == kendall_p(exact, truth)
    assert correlation("pearson", means[:3], truth[:3]) == 0
    scores = np.array(THIRDS)
    assert bootstrap_correlation(scores[:, [0, 0]], scores[:, [0, 0]]) == (1.0, 1.0)


def test_runs_that_are_equal_on_paper_share_a_rank_by_rbo() -> None:
    rows = [(f"r{r}", str(t), m, v) for m in ("AP", "RR") for r, row in enumerate(THIRDS) for t, v in enumerate(row)]
    rows += [("r3", str(t), m, 0.9 if m == "AP" else 0.0) for m in ("AP", "RR") for t in range(3)]
    table = pl.DataFrame(rows, schema=["run", "topic", "measure", "value"], orient="row")
    equal = table.with_columns(pl.when(pl.col("run") == "r3").then("value").otherwise(0.2).alias("value"))
    assert cf.correlate(table, kind="rbo").to_polars().rows() == cf.correlate(equal, kind="rbo").to_polars().rows()


def test_swaps_of_equal_means_are_none() -> None:
    """The topics of X and Y are those of two runs that are equal on paper on each: nothing swaps."""
    values = np.array([[*THIRDS[0], *THIRDS[1]], [*THIRDS[1], *THIRDS[2]]])
    assert len(set(values[:, :3].mean(axis=1))) > 1
    assert count_swaps(values, np.array([[0, 1, 2, 3, 4, 5]]), 3, width=0.01, bins=3)[1].sum() == 0


def test_a_gate_takes_no_rounding_for_a_loss_or_a_gain() -> None:
    from cranfield.statistics.conclusions import Paired, conclude

    assert conclude(Paired(np.array([[1e-17] * 9, [-1e-17] * 9])), 0.0).verdicts == ("undecided", "undecided")
    at_the_margin = Paired(np.array([[-0.1 + 1e-17] * 9]))
    assert conclude(at_the_margin, 0.1).verdicts == ("undecided",)  # the loss is the margin, no more and no less


def test_a_certificate_and_the_report_agree_who_leads() -> None:
    """AP 1/2 + 1/6 and 1/3 + 1/3 over two topics: two floats, one mean on paper."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    lists = {"one": ("xa", "xyzvwa"), "two": ("xya", "xya")}
    runs = {
        name: {
            topic: {d: -float(rank) for rank, d in enumerate(found)} for topic, found in zip("12", both, strict=True)
        }
        for name, both in lists.items()
    }
    judged = {topic: grades | dict.fromkeys("xyzvw", 0) for topic, grades in qrels.items()}
    joined = cf.join(judged, runs)
    first, second = joined.scores("AP").averages[0]
    assert first == pytest.approx(second, abs=1e-15)
    ranks = EXPERIMENTS["certificate"](joined, "AP")["ranks"]
    assert ranks["rank"].to_list() == ranks["certain_from"].to_list() == ranks["certain_to"].to_list() == [1, 1]
    assert cf.review(joined, measures="AP").ranks["rank"].to_list() == [1, 1]


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=8), st.data())
def test_differences_that_are_equal_on_paper_are_ties(steps: list[int], data: st.DataObject) -> None:
    """Of 0, of each other and of one size; settled again, and turned round, they are the same."""
    noise = data.draw(st.lists(st.floats(-1e-12, 1e-12), min_size=len(steps), max_size=len(steps)))
    given_ = np.array(steps) * 0.1 + noise
    found = settled(given_)
    assert np.sign(found).tolist() == np.sign(steps).tolist()
    for i, j in itertools.product(range(len(steps)), repeat=2):
        assert (abs(found[i]) == abs(found[j])) == (abs(steps[i]) == abs(steps[j]))
    assert settled(found).tolist() == found.tolist() == (-settled(-given_) + 0.0).tolist()
    assert found == pytest.approx(given_, abs=EQUAL)
    assert checked([given_, given_[::-1]]).tolist() == [found.tolist(), found[::-1].tolist()]


TESTS = ("t", "wilcoxon", "randomisation", "bootstrap", "randomised-tukey")


def doors(runs: cf.JudgedRuns, measure: str, pair: tuple[str, str]) -> tuple[set[tuple[int, int, int]], str]:
    """What is counted of a pair of runs at every door (better, equal, worse), and what the figure says of them.

    The p of each test is the same at both of its doors.
    """
    two = cf.compare(runs, measures=measure).to_polars()
    a, b = pair
    assert two.select("run_a", "run_b").rows() == [pair]
    counted = {two.select("wins", "ties", "losses").row(0)}
    risk = EXPERIMENTS["risk"](runs, measure, baseline=b)["runs"]
    counted.add(risk.filter(run=a).select("wins", "ties", "losses").row(0))
    [estimated] = EXPERIMENTS["estimation"](runs, measure, baseline=b)["differences"].filter(run=a).rows(named=True)
    topics, better, worse = two["topics"][0], estimated["better"], estimated["worse"]
    counted.add((better, topics - better - worse, worse))
    for test in TESTS:
        compared = cf.compare(runs, measures=measure, test=test, resamples=1000, seed=7).to_polars()["p"]
        power = EXPERIMENTS["discriminative-power"](runs, measure, test=test, top=1.0, resamples=1000, seed=7)
        assert power["pairs"].filter(run_a=a, run_b=b)["asl"].to_list() == pytest.approx(compared.to_list(), abs=1e-12)
    return counted, str(cf.plot("differences", runs, measures=measure).description)


def test_every_door_ties_two_runs_that_differ_by_rounding_alone() -> None:
    """The sums of .1, .2 and .3 and of .3, .2 and .1 are two floats: nothing is better on any topic."""
    topics = [str(t) for t in range(12)]
    qrels = {topic: {"a": 0.1, "b": 0.2, "c": 0.3} for topic in topics}
    runs = cf.join(qrels, {name: {t: list(found) for t in topics} for name, found in (("up", "abc"), ("down", "cba"))})
    first, second = runs.scores("CG@3").averages[0]
    assert first != second
    counted, words = doors(runs, "CG@3", ("up", "down"))
    assert counted == {(0, 12, 0)}
    assert "up is higher on 0 topics, down on 0, and they are equal on 12;" in words
    for test in TESTS:
        assert cf.compare(runs, measures="CG@3", test=test).to_polars()["p"].to_list() == [1.0]


def test_every_door_counts_two_real_runs_alike(data: Path) -> None:
    """By ERR@20 they differ by less than 1e-9, and by more than rounding, on several topics."""
    folder = data / "dl19-passage"
    names = ("idst_bert_p3", "idst_bert_pr2")
    runs = cf.join(folder / "qrels.txt", [folder / "runs" / f"{name}.gz" for name in names])
    [values] = runs.panel(["ERR@20"]).values
    apart = values[0] - values[1]
    assert ((np.abs(apart) > 1e-12) & (np.abs(apart) < EQUAL)).sum() > 2
    expected = tuple(int((side(apart) == sign).sum()) for sign in (1, 0, -1))
    counted, words = doors(runs, "ERR@20", names)
    assert counted == {expected}
    better, equal, worse = expected
    assert f"{names[0]} is higher on {better} topics, {names[1]} on {worse}, and they are equal on {equal};" in words


def test_a_constant_difference_on_few_topics_is_tested_nowhere_by_drawing_topics() -> None:
    """Drawn again they never vary: that is no evidence of how they do."""
    values = np.array([[0.6] * 9, [0.5] * 9])
    assert rank_intervals(values).p.tolist() == simultaneous_intervals(values[:1] - values[1:]).p.tolist() == [1.0]
    assert rank_intervals(values).doubt is not None


def test_by_a_geometric_mean_runs_have_one_order() -> None:
    """One of two relevant documents at rank 40,001 or 40,000: means that differ by 3e-10, which is nothing on paper."""
    far = [f"x{n}" for n in range(40_000)]
    runs = {"behind": {"1": [*far, "a"]}, "ahead": {"1": [*far[1:], "a"]}}
    joined = cf.join({"1": {"a": 1, "b": 1}}, runs)
    scores = joined.scores(["gmAP"])
    assert 0 < scores.averages[0, 1] - scores.averages[0, 0] < EQUAL
    board = Board(joined, gmAP())
    assert [joined.runs[run] for run in board.leaders] == ["behind", "ahead"]
    assert scores.sorted_by().runs == ("behind", "ahead")
    assert scores.places_by(gmAP()).tolist() == board.rank.tolist() == [1, 1]


def test_left_out_groups_leave_equal_runs_equal_ranks() -> None:
    """AP 1/2 + 1/6 and 1/3 + 1/3 over two topics: two floats that share the first rank."""
    lists = {"one": ("xa", "xyzvwa"), "two": ("xya", "xya"), "last": ("xyzvwa", "xyzvwa")}
    runs = {name: dict(zip("12", map(list, both), strict=True)) for name, both in lists.items()}
    judged = {topic: {"a": 1, **dict.fromkeys("xyzvw", 0)} for topic in "12"}
    rows = EXPERIMENTS["reusability"](cf.join(judged, runs), "AP")["runs"]
    assert dict(rows.select("run", "rank_with").iter_rows()) == {"one": 1, "two": 1, "last": 3}

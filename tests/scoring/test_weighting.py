"""Topics that count for more than others: weighted means, their intervals, tests and gates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.comparison.methods import TESTS
from cranfield.scoring.weighting import TopicWeights
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.paired_tests import randomisation_test, t_test
from cranfield.statistics.weighted_means import (
    weighted_effect,
    weighted_means,
    weighted_randomisation_test,
    weighted_t_interval,
    weighted_t_test,
)

TOPICS = [str(topic) for topic in range(6)]
QRELS = {topic: {"a": 1, "b": 1, "x": 0} for topic in TOPICS}
ORDERS = {"old": ["xab", "axb", "abx", "xyz", "zab", "bxa"], "now": ["abx", "abx", "axb", "xya", "bza", "abx"]}
RUNS = {name: {t: list(order) for t, order in zip(TOPICS, orders, strict=True)} for name, orders in ORDERS.items()}
WEIGHTS = {"0": 4.0, "1": 1.0, "2": 0.5, "3": 2.0, "4": 1.0, "5": 0.0}
M = ["AP", "RR", "gmAP", "NumRelRet", "nDCG@2"]

rows = st.lists(st.lists(st.floats(-1, 1), min_size=5, max_size=5), min_size=1, max_size=4).map(np.array)


def by_hand(rows: Any, weights: Any) -> tuple[float, float]:
    """The slow twin of one row: mean and variance, straight from the formula."""
    total = sum(weights)
    mean = sum(w * x for w, x in zip(weights, rows, strict=True)) / total
    squares = sum((w / total) ** 2 for w in weights)
    variance = sum(
        (w / total) ** 2 * (x - mean) ** 2 / (1 - 2 * w / total + squares)
        for w, x in zip(weights, rows, strict=True)
        if w
    )
    return mean, variance


def test_means_by_hand() -> None:
    """RR of old is 1/2, 1, 1, 0, 1/2, 1: weighted (4/2 + 1 + 1/2 + 0 + 1/2 + 0) / 8.5; counts stay sums."""
    scores = cf.evaluate(QRELS, RUNS, ["RR", "NumRelRet"], weights=WEIGHTS)
    assert scores["old", "RR"] == pytest.approx(4 / 8.5)
    assert scores["old", "NumRelRet"] == 10
    assert scores.means["measure"].to_list()[:2] == ["weighted RR", "NumRelRet"]
    assert "weighted by 6 weights (1 of weight 0), effective number of topics 3.2" in str(scores)  # 8.5² / 22.25
    assert scores.averaged_by("geometric")["old", "RR"] == pytest.approx(
        np.exp((4 * np.log(0.5) + 2 * np.log(1e-5) + np.log(0.5)) / 8.5)
    )


@given(rows, st.lists(st.floats(0.01, 10), min_size=5, max_size=5))
@settings(max_examples=25)
def test_the_twin(values: Any, weights: list[float]) -> None:
    values = np.round(values, 6)  # what differs by less than 1e-9 is equal
    found = weighted_means(values, weights)
    for row, mean, error in zip(values, found.mean, found.error, strict=True):
        expected = by_hand(row, weights)
        assert mean == pytest.approx(expected[0], abs=1e-12)
        assert error**2 == pytest.approx(expected[1], abs=1e-12)


def test_the_degrees_of_freedom_are_those_of_the_quadratic_form() -> None:
    """Written as matrices: v = x'Bx with B = M' diag(share) M, M = I - 1p', freedom tr(B)² / tr(BB)."""
    p = np.array([4, 1, 0.5, 2, 1]) / 8.5
    share, centred = p**2 / (1 - 2 * p + (p**2).sum()), np.eye(5) - np.outer(np.ones(5), p)
    form = centred.T @ np.diag(share) @ centred
    expected = np.trace(form) ** 2 / np.trace(form @ form)
    assert weighted_means(np.zeros((1, 5)), 8.5 * p).freedom == pytest.approx(expected)


@given(rows, st.floats(1e-3, 1e3))
@settings(max_examples=20)
def test_equal_weights_are_none(values: Any, weight: float) -> None:
    """To 1e-12: means, intervals, both tests and effects."""
    values, weights = np.round(values, 3), np.full(5, weight)
    for ends, twin in zip(weighted_t_interval(values, weights), t_interval(values), strict=True):
        assert ends == pytest.approx(twin, abs=1e-12, rel=1e-12)
    found, twin_ = weighted_t_test(values, weights, "two-sided"), t_test(values, "two-sided", 1, 0)
    assert found.p == pytest.approx(twin_.p, abs=1e-12, rel=1e-12)
    drawn = weighted_randomisation_test(values, weights, "two-sided", 500, 7)
    assert drawn.p == pytest.approx(randomisation_test(values, "two-sided", 500, 7).p, abs=1e-12, rel=1e-12)
    assert np.isfinite(weighted_effect(values, weights)).all() == np.isfinite(found.statistic).all()


def test_equal_weights_are_none_in_all_results() -> None:
    alike = dict.fromkeys(TOPICS, 2.5)
    plain, weighted = (cf.evaluate(QRELS, RUNS, M, bounds=True, weights=each) for each in (None, alike))
    assert weighted.averages == pytest.approx(plain.averages, abs=1e-12, rel=1e-12)
    for name in ("low", "high"):
        assert weighted.means[name].to_list() == pytest.approx(plain.means[name].to_list(), abs=1e-12, rel=1e-12)
        ours, theirs = (each.intervals()[name].to_list() for each in (weighted, plain))
        assert ours == pytest.approx(theirs, abs=1e-12, rel=1e-12)
    for test in ("t", "randomisation"):
        first, second = (
            cf.compare(QRELS, RUNS, M, test=test, margin=0.1, weights=each).differences for each in (alike, None)
        )
        for column in ("mean_a", "difference", "low", "high", "effect", "statistic", "p", "p_adjusted", "p_equivalent"):
            assert first[column].to_list() == pytest.approx(second[column].to_list(), abs=1e-12, rel=1e-12), column
    first, second = (cf.gate(QRELS, RUNS, ["AP", "RR"], weights=each).rows for each in (alike, None))
    for column in ("mean_base", "difference", "low", "high", "p", "p_adjusted", "p_margin", "least", "most"):
        assert first[column].to_list() == pytest.approx(second[column].to_list(), abs=1e-12, rel=1e-12), column


@given(st.permutations(TOPICS))
@settings(max_examples=5)
def test_the_order_of_topics_changes_nothing(order: list[str]) -> None:
    weights = {topic: WEIGHTS[topic] for topic in order}
    turned = cf.evaluate({t: QRELS[t] for t in order}, RUNS, M, weights=weights)
    assert turned.averages.tolist() == cf.evaluate(QRELS, RUNS, M, weights=WEIGHTS).averages.tolist()


def test_a_topic_of_weight_0_changes_nothing() -> None:
    """Intervals, tests and gates are those of the other topics."""
    some = {t: judged for t, judged in QRELS.items() if t != "5"}
    less = {t: w for t, w in WEIGHTS.items() if t != "5"}
    ours, theirs = (cf.evaluate(qrels, RUNS, "AP", weights=w) for qrels, w in ((QRELS, WEIGHTS), (some, less)))
    for name in ("mean", "low", "high"):
        assert ours.intervals()[name].to_list() == pytest.approx(theirs.intervals()[name].to_list())
    ours_, theirs_ = (
        cf.compare(qrels, RUNS, "AP", weights=w).differences for qrels, w in ((QRELS, WEIGHTS), (some, less))
    )
    assert ours_["p"].to_list() == pytest.approx(theirs_["p"].to_list())


def test_a_comparison_by_hand() -> None:
    found = cf.compare(QRELS, RUNS, "RR", weights=WEIGHTS)
    row = found.differences.row(0, named=True)
    differences = [0.5 - 1, 0.0, 0.0, 0 - 1 / 3, 0.5 - 1, 0.0]
    mean, variance = by_hand(differences, list(WEIGHTS.values()))
    assert (row["difference"], row["statistic"]) == pytest.approx((mean, mean / variance**0.5))
    assert row["mean_a"] - row["mean_b"] == pytest.approx(mean)
    assert "weighted by 6 weights (1 of weight 0), effective number of topics 3.2" in found.caption()
    again = cf.compare_scores(cf.evaluate(QRELS, RUNS, "RR", weights=WEIGHTS))
    assert again.differences.equals(found.differences)
    table = cf.evaluate(QRELS, RUNS, "RR").per_topic
    assert cf.compare_scores(table, weights=WEIGHTS).differences["p"].to_list() == [row["p"]]


@each_of("test", [name for name in TESTS if not TESTS[name].with_weights])
def test_other_tests_refuse(test: str) -> None:
    asked: dict[str, Any] = {"baseline": "old"} if TESTS[test].one_baseline else {}
    with pytest.raises(cf.InputError, match="is not defined with weights; t and randomisation are"):
        cf.compare(QRELS, RUNS, "AP", test=test, weights=WEIGHTS, **asked)


@each_of(
    ("asked", "said"),
    [
        ({"correction": "max-t"}, "the correction max-t is not defined with weights"),
        ({"worthwhile": 0.1}, "worthwhile assumes equal weights"),
        ({"residuals": True}, "residuals assumes equal weights"),
        ({"dominance": True}, "dominance assumes equal weights"),
    ],
)
def test_other_questions_refuse(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        cf.compare(QRELS, RUNS, "AP", weights=WEIGHTS, **asked)
    assert said in str(caught.value)


def test_a_gate_of_one_topic_that_counts_most() -> None:
    """By the mean of all topics now is better; where all but nothing lies on topic 2, it is behind.

    One topic tells nothing: turned round or not, it is as far from 0, and half of all sign patterns reach what was seen
    or go beyond it, those that turn it round likewise.
    """
    heavy = dict.fromkeys(TOPICS, 0.001) | {"2": 100.0}
    plain, weighted = (
        cf.gate(QRELS, RUNS, "AP", margin=0.01, weights=each).rows.row(0, named=True) for each in (None, heavy)
    )
    assert plain["difference"] > 0 > weighted["difference"]
    assert weighted["difference"] == pytest.approx((5 / 6 - 1) * 100 / 100.005, abs=1e-4)
    assert (weighted["verdict"], weighted["topics"]) == ("undecided", None)
    assert weighted["p"] >= 0.5
    assert "weighted by 6 weights" in cf.gate(QRELS, RUNS, "AP", weights=heavy).caption()


def test_what_could_be_of_a_gate_is_weighted() -> None:
    """Nobody judged y and z. On topic 4 old has z first, which would take away what now is ahead there; no list of now
    begins with y or z, so that nothing could raise it."""
    found = cf.gate(QRELS, RUNS, "P@1", weights=WEIGHTS).rows.row(0, named=True)
    assert found["difference"] == pytest.approx((4 + 0 + 0 + 0 + 1 + 0) / 8.5)
    assert (found["least"], found["most"]) == pytest.approx(((4 + 0) / 8.5, 5 / 8.5))


WRONG: list[tuple[Any, str]] = [
    ({"0": 1}, "5 of 6 topics have no weight: 1, 2, 3, 4 and 5; give each one, 0 where a topic should not count"),
    ({**WEIGHTS, "3": -1}, "a weight is a number of at least 0, not -1"),
    ({**WEIGHTS, "3": float("nan")}, "a weight is a number of at least 0, not nan"),
    ({**WEIGHTS, "3": "much"}, "a weight is a number of at least 0, not 'much'"),
    (dict.fromkeys(TOPICS, 0), "all topics of the qrels have weight 0"),
    ({**WEIGHTS, 0: 2.0}, "topic '0' has a second weight"),
    ([1, 2], "weights must be a file, a DataFrame or a dict, not [1, 2]"),
    (3, "weights must be a file"),
]


@each_of(("weights", "said"), WRONG)
def test_what_is_wrong(weights: Any, said: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        cf.evaluate(QRELS, RUNS, "AP", weights=weights)
    assert said in str(caught.value)


def test_medians_refuse() -> None:
    with pytest.raises(cf.InputError, match="not for medians"):
        cf.evaluate(QRELS, RUNS, "AP", average="median", weights=WEIGHTS)
    with pytest.raises(cf.InputError, match="cannot mark weighted means"):
        cf.evaluate(QRELS, RUNS, "AP", weights=WEIGHTS).render("trec_eval")


def test_one_topic_that_counts_has_no_interval() -> None:
    scores = cf.evaluate(QRELS, RUNS, "AP", weights=dict.fromkeys(TOPICS, 0) | {"1": 1})
    assert scores.intervals()["low"].to_list() == [None, None]
    with pytest.raises(cf.InputError, match="fewer than two topics have a weight above 0"):
        cf.compare(QRELS, RUNS, "AP", weights=scores.weights)


FILES = {
    "w.txt": "".join(f"{t}\t{w}\n" for t, w in WEIGHTS.items()),
    "w.csv": "note,qid,weight\n" + "".join(f'"a, b",{t},{w}\n' for t, w in WEIGHTS.items()),
    "headed.txt": "topic traffic\n" + "".join(f"{t} {w}\n" for t, w in WEIGHTS.items()),
}


@pytest.mark.integration
@each_of("name", FILES)
def test_files_and_commands(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name])
    assert TopicWeights.taken(tmp_path / name).weights == WEIGHTS
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t in TOPICS for d, g in QRELS[t].items()))
    paths = []
    for run, lists in RUNS.items():
        lines = [f"{t} Q0 {d} 1 {-rank} {run}\n" for t, found in lists.items() for rank, d in enumerate(found)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
        paths.append(str(tmp_path / f"{run}.run"))
    for command in ("evaluate", "compare", "gate"):
        words = [command, str(tmp_path / "qrels.txt"), *paths, "-m", "AP", "--weights", str(tmp_path / name)]
        result = CliRunner().invoke(main, [*words, "--format", "csv"])
        assert result.exit_code in {0, 1, 3, 4}, result.output
        assert f"weighted by {tmp_path / name} (1 of weight 0), effective number of topics 3.2" in result.stderr
    frame = pl.DataFrame({"query_id": TOPICS, "weight": list(WEIGHTS.values())})
    assert TopicWeights.taken(frame).weights == TopicWeights.taken(cf.to_frame(frame, "pandas")).weights == WEIGHTS


@each_of(
    ("text", "said"),
    [
        ("", "is empty: it holds no weights"),
        ("0 1\n1 2 3\n", "line 2: a line is topic and weight, 2 words, not 3"),
        ("0 1\n1 x\n", "line 2: a weight is a number of at least 0, not 'x'"),
        ("0 1\n0 2\n", "line 2: topic '0' has a second weight"),
        ("\x1b[31m,1\n", "a table with commas is called .csv"),
    ],
)
def test_files_that_are_wrong(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text(text)
    with pytest.raises(cf.InputError) as caught:
        TopicWeights.taken(tmp_path / "w.txt")
    assert said in str(caught.value)


def test_scores_go_to_json_and_back() -> None:
    scores = cf.evaluate(QRELS, RUNS, "AP", weights=WEIGHTS)
    assert type(scores).from_dict(scores.to_dict()) == scores


@pytest.mark.slow
def test_intervals_hold_about_as_often_as_those_without_weights() -> None:
    """Student's t on 25 topics holds in 93 to 95 of 100 (docs/calibration.md); with weights it is much the same."""
    chance = np.random.default_rng(11)
    held = []
    for _ in range(2000):
        weights, scores = chance.lognormal(size=25), chance.beta(1.2, 2.0, size=25)
        low, high = weighted_t_interval(scores[np.newaxis], weights)
        held.append(bool((low <= 0.375) & (high >= 0.375)))  # the mean of that distribution is 1.2 / 3.2
    assert np.mean(held) == pytest.approx(0.95, abs=0.025)

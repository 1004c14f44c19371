"""Comparisons: by hand, against scipy and statsmodels, and what is said when something is missing."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from tools.each import each_of

from cranfield.comparison import Comparison, compare, compare_scores
from cranfield.comparison.gating import gate
from cranfield.comparison.methods import CORRECTIONS, TESTS
from cranfield.comparison.p_values import projected
from cranfield.comparison.settings import Settings
from cranfield.plumbing.errors import InputError
from cranfield.scoring.evaluation import evaluate
from cranfield.scoring.judged_runs import join
from cranfield.scoring.panel import panel_of
from cranfield.statistics.anova import anova
from cranfield.statistics.intervals import clause
from cranfield.statistics.paired_tests import PAIRED_TESTS
from cranfield.statistics.tukey import tukey_hsd

Values = dict[str, dict[str, dict[str, float]]]


def table(values: Values) -> pl.DataFrame:
    """``{measure: {run: {topic: value}}}`` as a long table."""
    rows = [
        (run, topic, measure, value)
        for measure, runs in values.items()
        for run, topics in runs.items()
        for topic, value in topics.items()
    ]
    return pl.DataFrame(rows, schema=["run", "topic", "measure", "value"], orient="row")


def scattered(runs: int = 4, topics: int = 20, measures: tuple[str, ...] = ("AP",)) -> pl.DataFrame:
    """Runs of which each later one is somewhat better, on topics of which some are hard."""
    rng = np.random.default_rng(5)
    hardness = rng.random(topics)
    return table(
        {
            measure: {
                f"run{r}": {str(t): float(hardness[t] + 0.1 * r + 0.2 * rng.standard_normal()) for t in range(topics)}
                for r in range(runs)
            }
            for measure in measures
        }
    )


def all_flips(differences: Any) -> float:
    """The share of all sign patterns of which the sum is as far from 0 as it was, the patterns grown one by one."""
    sums = np.zeros(1)
    for each in differences:
        sums = np.concatenate([sums + each, sums - each])
    return float((np.abs(sums) >= abs(sum(differences)) - 1e-9).mean())


def confirmed(p: Any, differences: Any) -> list[float]:
    """The p that significance rests on below 25 topics: that of the test, or of sign flips if it is larger."""
    return [max(one, all_flips(row)) for one, row in zip(p, differences, strict=True)]


def wide(scores: pl.DataFrame, measure: str = "AP") -> np.ndarray[Any, np.dtype[np.float64]]:
    """Runs by topics."""
    return np.array([part["value"].to_list() for part in scores.filter(measure=measure).partition_by("run")])


THREE = {"AP": {"x": {"1": 0.2, "2": 0.4, "3": 0.6}, "y": {"3": 0.3, "1": 0.1, "2": 0.2}}}


def test_three_topics_by_hand() -> None:
    row = compare_scores(table(THREE)).to_polars().row(0, named=True)
    assert row["mean_a"] == pytest.approx((0.2 + 0.4 + 0.6) / 3)
    assert row["mean_b"] == pytest.approx((0.1 + 0.2 + 0.3) / 3)
    assert row["difference"] == pytest.approx((0.1 + 0.2 + 0.3) / 3)  # the standard deviation is 0.1
    assert row["effect"] == pytest.approx(0.2 / 0.1)
    assert row["statistic"] == pytest.approx(0.2 / (0.1 / math.sqrt(3)))
    t = 2 * math.sqrt(3)
    assert row["p"] == pytest.approx(1 - t / math.sqrt(t**2 + 2))  # Student's t with 2 degrees of freedom, two-sided
    assert row["low"] == pytest.approx(0.2 - 4.302653 * 0.1 / math.sqrt(3))
    assert row["high"] == pytest.approx(0.2 + 4.302653 * 0.1 / math.sqrt(3))
    assert (row["topics"], row["wins"], row["ties"], row["losses"]) == (3, 3, 0, 0)
    assert row["p_adjusted"] == 2 / 2**3  # of eight sign patterns (+ + +) and (- - -) reach the sum: more than t's .074
    assert not row["significant"]
    assert "topics_needed" not in row  # at the difference that was seen power is not kept


def test_topics_are_aligned_by_id_and_not_by_position() -> None:
    straight, shuffled = scattered(), scattered().sample(fraction=1, shuffle=True, seed=3)
    for test in ("t", "randomisation", "bootstrap"):
        found = compare_scores(straight, test=test, resamples=500).to_polars()
        again = compare_scores(shuffled, test=test, resamples=500).to_polars()
        turned = found.join(again, left_on=["run_a", "run_b"], right_on=["run_b", "run_a"], suffix="_other")
        both = found.join(again, on=["run_a", "run_b"], suffix="_other")
        assert len(turned) + len(both) == len(found)
        assert both["p"].to_list() == both["p_other"].to_list()
        if test != "bootstrap":  # which resamples the other tail
            assert turned["p"].to_list() == pytest.approx(turned["p_other"].to_list())


def test_runs_that_list_topics_in_different_orders_compare_alike() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    good = {str(t): {"a": 2.0, "b": 1.0 + 2 * (t == 3)} for t in range(6)}
    poor = {str(t): {"b": 2.0, "a": 1.0 + 2 * (t == 5)} for t in range(6)}
    backwards = dict(reversed(poor.items()))
    one = compare(qrels, {"good": good, "poor": poor}, ["RR"]).to_polars()
    assert one.equals(compare(dict(reversed(qrels.items())), {"good": good, "poor": backwards}, ["RR"]).to_polars())
    assert one["wins"].to_list() == [4]  # all but topics 3 and 5
    assert one["ties"].to_list() == [2]  # both wrong on topic 3, both right on topic 5


@pytest.mark.parametrize(
    ("test", "peer"),
    [
        ("t", lambda a, b: stats.ttest_rel(a, b).pvalue),
        ("wilcoxon", lambda a, b: stats.wilcoxon(a, b).pvalue),
        ("sign", lambda a, b: stats.binomtest(int((a > b).sum()), len(a)).pvalue),
    ],
)
def test_every_pair_against_scipy(test: str, peer: Any) -> None:
    scores = scattered()
    values = wide(scores)
    found = compare_scores(scores, test=test, correction="none").to_polars()
    assert found["p"].to_list() == pytest.approx([peer(values[a], values[b]) for a, b in combinations(range(4), 2)])
    assert found.select("run_a", "run_b").rows() == [(f"run{a}", f"run{b}") for a, b in combinations(range(4), 2)]


def test_the_family_is_all_pairs_by_all_measures() -> None:
    from tools.peers import multipletests

    scores = scattered(3, 12, ("AP", "RR"))
    found = compare_scores(scores)
    values = [wide(scores, measure) for measure in ("AP", "RR")]
    apart = [of[a] - of[b] for of in values for a, b in combinations(range(3), 2)]
    by_t = [stats.ttest_1samp(row, 0).pvalue for row in apart]
    assert found.to_polars()["p"].to_list() == pytest.approx(by_t)
    p = np.array(confirmed(by_t, apart))
    assert any(p > by_t)
    assert any(p == by_t)  # each of the two has its say
    assert found.to_polars()["p_adjusted"].to_list() == pytest.approx(multipletests(p, method="holm")[1].tolist())
    assert "over 6 comparisons" in found.method
    each = compare_scores(scores, family="measure", correction="bonferroni").to_polars()
    assert each["p_adjusted"].to_list() == pytest.approx(np.minimum(3 * p, 1).tolist())
    plain = compare_scores(scores, correction="none").to_polars()
    assert plain["p_adjusted"].to_list() == pytest.approx(p.tolist())


@pytest.mark.parametrize(("topics", "confirms"), [(24, True), (25, False)])
def test_below_25_topics_sign_flips_must_agree(topics: int, confirms: bool) -> None:
    """Won by .1 and .11 in turn: t knows no doubt, but 2 of 2^24 sign patterns, 1.2 in ten million, go as far."""
    apart = [0.1 + 0.01 * (t % 2) for t in range(topics)]
    by_t = stats.ttest_1samp(apart, 0).pvalue
    assert by_t < 1e-20
    values = {"x": {str(t): each for t, each in enumerate(apart)}, "y": {str(t): 0.0 for t in range(topics)}}
    row = compare_scores(table({"AP": values}), alpha=1e-7).to_polars().row(0, named=True)
    assert row["p"] == pytest.approx(by_t)
    assert row["p_adjusted"] == pytest.approx(2 / 2**24 if confirms else by_t)
    assert row["significant"] != confirms


def test_max_t_goes_over_pairs_and_measures_jointly() -> None:
    """All 2^5 sign patterns, flipped alike for both measures, by a plain loop."""
    values = {
        "AP": {"x": dict(zip("12345", (0.9, 0.8, 0.7, 0.9, 0.6), strict=True)), "y": dict.fromkeys("12345", 0.1)},
        "RR": {"x": dict(zip("12345", (0.5, 0.1, 0.3, 0.2, 0.9), strict=True)), "y": dict.fromkeys("12345", 0.3)},
    }
    d = np.array([[values[m]["x"][t] - values[m]["y"][t] for t in "12345"] for m in ("AP", "RR")])

    def t(rows: Any) -> Any:
        return np.abs(rows.mean(axis=1) / (rows.std(axis=1, ddof=1) / math.sqrt(5)))

    largest = [t(d * [1 if flips >> i & 1 else -1 for i in range(5)]).max() for flips in range(2**5)]
    expected = [sum(one >= seen - 1e-9 for one in largest) / 2**5 for seen in t(d)]
    found = compare_scores(table(values), test="randomisation", correction="max-t").to_polars()
    assert found["p_adjusted"].to_list() == pytest.approx(expected)


def test_against_a_baseline() -> None:
    scores = scattered()
    found = compare_scores(scores, baseline="run1").to_polars()
    assert found.select("run_a", "run_b").rows() == [("run0", "run1"), ("run2", "run1"), ("run3", "run1")]
    values = wide(scores)
    assert found["difference"].to_list() == pytest.approx([(values[i] - values[1]).mean() for i in (0, 2, 3)])


@pytest.mark.parametrize("test", [name for name, test in TESTS.items() if test.joint and not test.one_baseline])
def test_joint_tests_take_all_runs_and_turn_pairs_round_for_a_baseline(test: str) -> None:
    scores = scattered()
    everything = {
        (a, b): (s, low, high, p)
        for a, b, s, low, high, p in compare_scores(scores, test=test, resamples=500)
        .to_polars()
        .select("run_a", "run_b", "statistic", "low", "high", "p")
        .rows()
    }
    found = compare_scores(scores, test=test, resamples=500, baseline="run1").to_polars()
    for a, b, s, low, high, p in found.select("run_a", "run_b", "statistic", "low", "high", "p").rows():
        if (a, b) in everything:
            assert (s, low, high, p) == pytest.approx(everything[a, b])
        else:
            other, lower, higher, same = everything[b, a]
            assert (s, low, high, p) == pytest.approx((-other, -higher, -lower, same))


def test_tukey_is_not_corrected_again_but_over_measures_where_asked() -> None:
    scores = scattered(4, 20, ("AP", "RR"))
    plain = compare_scores(scores, test="tukey").to_polars()
    assert plain.filter(measure="RR")["p"].to_list() == pytest.approx(tukey_hsd(wide(scores, "RR")).p.tolist())
    apart = [of[a] - of[b] for of in (wide(scores), wide(scores, "RR")) for a, b in combinations(range(4), 2)]
    sure = confirmed(plain["p"].to_list(), apart)  # Tukey's test presumes a shape as t does
    assert plain["p_adjusted"].to_list() == pytest.approx(sure)
    both = compare_scores(scores, test="tukey", correction="bonferroni")
    assert both.to_polars()["p_adjusted"].to_list() == pytest.approx([min(2 * p, 1) for p in sure])
    many = compare_scores(scattered(4, 25), test="tukey").to_polars()
    assert many["p_adjusted"].to_list() == many["p"].to_list()
    assert "Bonferroni correction over 2 measures" in both.method
    with pytest.raises(InputError, match="corrects for all pairs"):
        compare_scores(scores, test="tukey", correction="holm")


def test_dunnetts_test_is_for_the_pairs_of_the_baseline() -> None:
    scores = scattered()
    values = wide(scores)
    error = anova(values).mean_square_error
    found = compare_scores(scores, test="dunnett", baseline="run1")
    rows = found.to_polars()
    assert rows["run_b"].to_list() == ["run1"] * 3
    expected = [(values[i] - values[1]).mean() / math.sqrt(2 * error / 20) for i in (0, 2, 3)]
    assert rows["statistic"].to_list() == pytest.approx(expected)
    together = stats.multivariate_t(shape=0.5 + 0.5 * np.eye(3), df=57)
    for t, p in rows.select(pl.col("statistic").abs(), "p").iter_rows():
        assert p == pytest.approx(1 - together.cdf([t] * 3, lower_limit=[-t] * 3, random_state=1), abs=3e-4)
    assert ((rows["low"] > 0) | (rows["high"] < 0)).to_list() == (rows["p"] < 0.05).to_list()
    assert "Dunnett's test, for all pairs with the baseline together" in found.method
    tukey = compare_scores(scores, test="tukey", baseline="run1").to_polars()
    assert (rows["p"] < tukey["p"]).all()  # three pairs, not six
    for baseline in (None, ["run0", "run1"]):
        with pytest.raises(InputError, match="dunnett compares all runs with one baseline; baseline must name it"):
            compare_scores(scores, test="dunnett", baseline=baseline)


def test_several_baselines_are_compared_with_each_other_once() -> None:
    scores = scattered()
    found = compare_scores(scores, baseline=["run1", "run3"])
    pairs = [("run0", "run1"), ("run2", "run1"), ("run3", "run1"), ("run0", "run3"), ("run2", "run3")]
    assert list(found.pairs) == pairs
    assert "over 5 comparisons" in found.method
    everything = {
        frozenset((a, b)): p for a, b, p in compare_scores(scores).to_polars().select("run_a", "run_b", "p").rows()
    }
    assert found.to_polars()["p"].to_list() == pytest.approx([everything[frozenset(pair)] for pair in pairs])
    assert compare_scores(scores, baseline=["run1", "run1"]) == compare_scores(scores, baseline="run1")


def test_stepping_down_finds_no_less() -> None:
    scores = scattered(5, 12, ("AP", "RR"))
    single, down = (
        np.array(compare_scores(scores, test="randomisation", correction=name).to_polars()["p_adjusted"])
        for name in ("max-t", "step-down-max-t")
    )
    assert (down <= single).all()
    assert down.min() == single.min()
    assert (down < single).any()


def test_the_omnibus_tests_against_their_peers() -> None:
    from statsmodels.stats.anova import AnovaRM

    scores = scattered()
    values = wide(scores)
    chi = stats.friedmanchisquare(*values)
    found = compare_scores(scores, test="friedman")
    assert found.omnibus.select("measure", "statistic", "df", "p").row(0) == pytest.approx(
        ("AP", chi.statistic, 3, chi.pvalue)
    )
    assert found.settings.correction == "holm"  # Conover's test of pairs takes each for the only one
    f = AnovaRM(scores.to_pandas(), "value", "topic", within=["run"]).fit().anova_table.iloc[0]
    row = compare_scores(scores, test="anova").omnibus.row(0, named=True)
    assert (row["statistic"], row["df"], row["df_error"], row["p"]) == pytest.approx(
        (f["F Value"], f["Num DF"], f["Den DF"], f["Pr > F"])
    )
    assert 0 < row["p"] <= row["p_greenhouse_geisser"] <= 1  # fewer degrees of freedom


def test_where_lower_is_better_wins_count_the_lower() -> None:
    lower = {"BalancePoint": {"x": dict.fromkeys("12345678", 10.0), "y": {t: 20.0 + int(t) for t in "12345678"}}}
    found = compare_scores(table(lower), test="sign")
    row = found.to_polars().row(0, named=True)
    assert row["difference"] == -(10 + (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8) / 8)
    assert (row["wins"], row["ties"], row["losses"]) == (8, 0, 0)
    assert found.table().rows() == [("a", "x", "10.0000 b"), ("b", "y", "24.5000  ")]
    assert "\\textbf{10.0000}$^{b}$" in found.to_latex()


def plain(notes: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out how seldom intervals of so few topics held."""
    return tuple(note for note in notes if "95% intervals covered the true difference" not in note)


def test_a_topic_that_a_run_lacks_counts_0_or_is_left_out() -> None:
    lacking = {"AP": {"x": {"1": 0.2, "2": 0.4, "3": 0.6}, "y": {"3": 0.3, "1": 0.1}}}
    whole = compare_scores(table(lacking))
    assert whole.to_polars().select("topics", "mean_b").row(0) == pytest.approx((3, (0.1 + 0 + 0.3) / 3))
    few = "too few for any verdict; at least 6 are needed"
    assert plain(whole.notes) == ("missing topics counted 0: y (2)", f"3 topics are {few}")
    shared = compare_scores(table(lacking), topics="shared")
    assert shared.to_polars().select("topics", "mean_a").row(0) == pytest.approx((2, (0.2 + 0.6) / 2))
    assert plain(shared.notes) == ("compared on the 2 topics that all runs have, without 2", f"2 topics are {few}")


def test_shared_topics_of_evaluated_runs_are_those_that_all_runs_have() -> None:
    qrels = {t: {"a": 1} for t in "1234"}
    runs = {"x": {t: {"a": 1.0} for t in "123"}, "y": {t: {"b": 2.0, "a": 1.0} for t in "234"}}
    found = compare(qrels, runs, ["RR"], topics="shared")
    assert found.topics == ("2", "3")
    assert found.means.tolist() == [[1.0, 0.5]]
    assert compare_scores(evaluate(qrels, runs, ["RR"], topics="shared")).topics == ("2", "3")
    assert compare(qrels, runs, ["RR"]).means.tolist() == [[3 / 4, 1.5 / 4]]


@pytest.mark.parametrize(("topics", "significant"), [(2, False), (5, False), (6, True), (24, True), (25, True)])
def test_constant_differences_show_a_direction_and_no_spread(topics: int, significant: bool) -> None:
    """Of 2^n sign patterns 2 reach the sum: on 5 topics 1/16, on 6 1/32; and nothing says how they vary."""
    values = {run: {str(t): base + t / 100 for t in range(topics)} for run, base in (("x", 0.3), ("y", 0.1))}
    row = compare_scores(table({"AP": values})).to_polars().row(0, named=True)
    assert row["difference"] == pytest.approx(0.2)
    assert (row["effect"], row["low"], row["high"]) == (None, None, None)
    assert (row["statistic"], row["p"], row["significant"]) == (math.inf, 0.0, significant)
    assert row["p_adjusted"] == (2 / 2**topics if topics < 25 else 0.0)
    same = compare_scores(table({"AP": {"x": {"1": 0.3, "2": 0.5}, "y": {"1": 0.3, "2": 0.1 + 0.4}}}))
    row = same.to_polars().row(0, named=True)
    assert (row["effect"], row["p"], row["ties"]) == (0.0, 1.0, 2)
    assert '"statistic": null' in str(compare_scores(table({"AP": values})).render("json"))  # JSON knows no infinity


def test_values_that_differ_by_rounding_alone_are_ties() -> None:
    almost = {"AP": {"x": {"1": 0.1 + 0.2, "2": 0.5}, "y": {"1": 0.3, "2": 0.4}}}
    assert compare_scores(table(almost)).to_polars().select("wins", "ties").row(0) == (1, 1)


def residual_study(unjudged: bool) -> Comparison:
    """Six topics: one run has a relevant document and one that is not, the other two that may be unjudged."""
    judged = {"r": 1, "n": 0} | ({} if unjudged else {"u": 0, "v": 0})
    qrels = {str(t): judged for t in range(6)}
    runs = {
        "good": {str(t): {"r": 2.0, "n": 1.0} for t in range(6)},
        "poor": {str(t): {"u": 2.0, "v": 1.0} for t in range(6)},
    }
    return compare(qrels, runs, ["P@2"], test="sign", residuals=True)


def test_unjudged_documents_could_undo_a_significant_difference() -> None:
    row = residual_study(unjudged=True).to_polars().row(0, named=True)
    assert row["p"] == 2 * 0.5**6  # six heads of six, either way
    assert row["significant"]
    assert row["p_base"] == 0.5**6  # 1/2 against 0
    assert row["p_top"] == 1.0  # 1/2 against 2/2 on all topics
    assert row["p_projected"] == 0.5**6  # without a judged document there is nothing to project from
    assert not row["certain"]
    judged = residual_study(unjudged=False).to_polars().row(0, named=True)
    assert (judged["p_base"], judged["p_top"], judged["p_projected"]) == (0.5**6, 0.5**6, 0.5**6)
    assert judged["certain"]


def test_of_logarithms_the_least_difference_is_the_low_less_the_high() -> None:
    """One run finds the relevant document first, the other second: all is judged, so that log(1 / .5) is certain."""
    qrels = {str(t): {"r": 1, "n": 0} for t in range(6)}
    runs = {"good": {t: {"r": 2.0, "n": 1.0} for t in qrels}, "poor": {t: {"n": 2.0, "r": 1.0} for t in qrels}}
    row = compare(qrels, runs, ["gmAP"], test="sign", residuals=True).to_polars().row(0, named=True)
    assert (row["p_worst"], row["certain"]) == (0.5**6, True)


def certainty_study(test: str) -> tuple[Comparison, Comparison]:
    """Five topics on which one run is slightly better; a later judgment on one of them makes it much better there."""
    runs = {name: {str(t): {f"{name}{i}": -float(i) for i in range(10)} for t in range(5)} for name in ("good", "poor")}
    judged = {str(t): {f"{run}{i}": int(run == "good" and i == 0) for run in runs for i in range(10)} for t in range(5)}
    later = {t: dict(grades) for t, grades in judged.items()}
    for i in range(1, 10):
        del judged["4"][f"good{i}"]  # open, and all found relevant afterwards
        later["4"][f"good{i}"] = 1
    judged["0"]["good1"] = later["0"]["good1"] = 1  # so that the differences are not all the same
    found = [compare(qrels, runs, ["P@10"], test=test, residuals=True, alpha=0.07) for qrels in (judged, later)]
    return found[0], found[1]


def test_what_t_calls_certain_is_certain_by_wilcoxons_test() -> None:
    """By t the difference is significant, and no more so after another relevant document of the better run."""
    before, after = (found.to_polars().row(0, named=True) for found in certainty_study("t"))
    assert before["significant"]
    assert not after["significant"]
    assert before["certain"]  # which says nothing of t: all five topics are won, whatever is judged
    assert before["p_worst"] == after["p_worst"] == 1 / 2**5
    assert any(note.startswith("certain: Wilcoxon") for note in certainty_study("t")[0].notes)


def test_the_better_run_is_tested_whichever_comes_first() -> None:
    scores = table(
        {"AP": {"poor": {str(t): 0.1 for t in range(6)}, "good": {str(t): 0.4 for t in range(6)}}}
    ).with_columns(
        low=pl.col("value"), high=pl.col("value") + pl.when(pl.col("run") == "poor").then(0.2).otherwise(0.5)
    )
    row = compare_scores(scores, test="sign", residuals=True).to_polars().row(0, named=True)
    assert row["wins"] == 0
    assert (row["p_base"], row["p_top"], row["certain"]) == (0.5**6, 0.5**6, True)  # 0.4 against 0.1 + 0.2


def test_where_lower_is_better_the_top_is_the_low_limit() -> None:
    scores = table(
        {"BalancePoint": {"x": {str(t): 10.0 for t in range(6)}, "y": {str(t): 20.0 for t in range(6)}}}
    ).with_columns(low=pl.when(pl.col("run") == "y").then(5.0).otherwise(10.0), high=pl.lit(30.0))
    row = compare_scores(scores, test="sign", residuals=True).to_polars().row(0, named=True)
    assert (row["p_base"], row["p_top"], row["p_projected"], row["certain"]) == (0.5**6, 1.0, None, False)


def test_the_projection_is_that_of_rbp() -> None:
    rng = np.random.default_rng(2)
    documents = [f"d{i}" for i in range(12)]
    qrels = {str(t): {d: int(rng.integers(0, 2)) for d in rng.permutation(documents)[:7]} for t in range(5)}
    runs = {name: {str(t): {d: float(rng.random()) for d in documents} for t in range(5)} for name in "xy"}
    panel = panel_of(evaluate(qrels, runs, ["RBP(p=0.7)"], bounds=True), "all")
    expected = evaluate(qrels, runs, ["RBPProjected(p=0.7)"]).values[:, :, np.argsort(list(qrels))]
    assert projected(panel) == pytest.approx(expected)
    plain = evaluate(qrels, runs, ["AP"], bounds=True)  # no weighted sum: more relevant documents can lower it
    assert np.isnan(projected(panel_of(plain, "all"))).all()


@pytest.mark.parametrize(
    ("measure", "value", "low", "high"), [("BalancePoint", 20.0, 5.0, 20.0), ("gmAP", 0.2, 0.2, 0.5)]
)
def test_what_is_no_sum_of_gains_has_no_projection(measure: str, value: float, low: float, high: float) -> None:
    """Neither where less is better, nor of logarithms, though the worst that could be is what is known."""
    scores = table({measure: {run: dict.fromkeys("123", value) for run in "xy"}})
    scores = scores.with_columns(low=pl.lit(low), high=pl.lit(high))
    assert compare_scores(scores, residuals=True).to_polars()["p_projected"].to_list() == [None]


def test_residuals_with_a_joint_test_and_without_bounds() -> None:
    scores = scattered().with_columns(low=pl.col("value"), high=pl.col("value") + 0.01)
    found = compare_scores(scores, test="nemenyi", residuals=True)
    assert plain(found.notes) == (
        "certain: Wilcoxon signed-rank test of the least possible differences, by the ranges that were "
        "given, one-tailed, Holm correction",
    )
    with pytest.raises(InputError, match="residuals need scores with bounds"):
        compare_scores(scattered(), residuals=True)


def test_a_rank_test_against_the_mean_is_said() -> None:
    """Nine small wins and one loss that outweighs them: significant by signs, and the mean says the opposite."""
    torn = {"AP": {"x": {str(t): 0.2 for t in range(10)}, "y": {str(t): 0.1 for t in range(9)} | {"9": 5.0}}}
    found = compare_scores(table(torn), test="sign")
    assert found.to_polars()["significant"].to_list() == [True]
    assert plain(found.notes) == (
        "AP: of x and y, the run with the better mean wins fewer topics; see wins and losses",
    )


@pytest.mark.parametrize(
    ("values", "options", "problem"),
    [
        ({"AP": {"x": {"1": 0.2, "2": 0.4}}}, {}, "at least two runs; there is only one: x"),
        ({"AP": {"x": {"1": 0.2}, "y": {"1": 0.4}}}, {}, "at least two topics, not 1"),
        ({"AP": {"x": {"1": 0.2}, "y": {"2": 0.4}}}, {"topics": "shared"}, "the runs share no topic"),
        (THREE, {"baseline": "z"}, r"no run is called 'z' \(the baseline\); the runs are x, y"),
        (THREE, {"test": "z"}, "there is no test 'z'; choose from t, sign"),
        (THREE, {"correction": "z"}, "there is no correction 'z'; choose from none, bonferroni"),
        (THREE, {"correction": "max-t", "test": "sign"}, "test must be 't' or 'randomisation'"),
        (THREE, {"family": "z"}, "family must be 'all' or 'measure'"),
        (THREE, {"alpha": 5}, "alpha must be .*below 1, not 5"),
        (THREE, {"resamples": 0}, "resamples must be at least 1"),
        (THREE, {"topics": "some"}, "topics must be 'all' or 'shared'"),
        (
            {"AP": {"x": {"1": math.nan}, "y": {"1": 1.0}}},
            {},
            "AP of run x on topic 1 has a value that is not a finite",
        ),
        ({"AP": {"x": {"all": 0.3}, "y": {"all": 0.2}}}, {}, "no scores by topic"),
    ],
)
def test_what_is_wrong_is_said(values: Values, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        compare_scores(table(values), **options)


def test_tables_are_read_whatever_library_made_them() -> None:
    scores = table(THREE)
    expected = compare_scores(scores).to_polars()
    for frame in (
        scores.lazy(),
        scores.to_pandas(),
        scores.to_arrow(),
        scores.rename({"run": "system", "topic": "qid"}),
    ):
        assert compare_scores(frame).to_polars().equals(expected)
    averages = pl.concat([scores, pl.DataFrame({"run": ["x"], "topic": ["all"], "measure": ["AP"], "value": [0.4]})])
    assert compare_scores(averages).to_polars().equals(expected)
    with pytest.raises(InputError, match="AP of run x on topic 1 occurs more than once"):
        compare_scores(pl.concat([scores, scores]))
    with pytest.raises(InputError, match="scores must be what evaluate"):
        compare_scores({"x": 1})
    assert compare_scores(scores).to_pandas()["run_a"].tolist() == ["x"]


def test_measures_that_are_a_text_are_refused() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}
    with pytest.raises(InputError, match="RunID: a text, which cannot be compared"):
        compare(qrels, {"x": run, "y": run}, ["AP", "runid"])
    other = table({"Own": THREE["AP"]})
    assert compare_scores(other).notes[0] == "higher is assumed to be better: Own"


def test_every_paired_test_has_a_row() -> None:
    assert {name for name, test in TESTS.items() if not test.joint} == set(PAIRED_TESTS)


SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"test": "F"}, "there is no test 'F'; choose from t, sign"),
    ({"test": None}, "there is no test None"),
    ({"correction": "fdr"}, "there is no correction 'fdr'; choose from none, bonferroni"),
    ({"test": "nemenyi", "correction": "holm"}, "nemenyi corrects for all pairs of a measure"),
    ({"test": "anova", "correction": "max-t"}, "anova corrects for all pairs of a measure"),
    ({"test": "friedman", "correction": "max-t"}, "test must be 't' or 'randomisation', not 'friedman'"),
    ({"family": "pairs"}, "family must be 'all' or 'measure', not 'pairs'"),
    ({"baseline": 3}, "baseline must be a text, not 3"),
    ({"alpha": 0}, "alpha must be above 0"),
    ({"alpha": "5%"}, "alpha must be a number"),
    ({"level": 95}, "level must be .*below 1, not 95"),
    ({"margin": 0}, "margin must be above 0, not 0"),
    ({"power": 1}, "power must be .*below 1, not 1"),
    ({"worthwhile": 0}, "worthwhile must be above 0, not 0"),
    ({"worthwhile": math.inf}, "worthwhile must be above 0, not inf"),
    ({"resamples": 2.5}, "resamples must be a whole number"),
    ({"seed": -1}, "seed must be at least 0"),
]


@each_of(("asked", "problem"), SETTINGS)
def test_settings_are_checked_when_they_are_made(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Settings(**asked)


@pytest.mark.parametrize(
    ("asked", "correction", "level"),
    [
        ({}, "holm", 0.95),
        ({"alpha": 0.25}, "holm", 0.75),
        ({"alpha": 0.25, "level": 0.9}, "holm", 0.9),
        ({"test": "tukey"}, "none", 0.95),
        ({"test": "tukey", "correction": "bonferroni"}, "bonferroni", 0.95),
        ({"test": "friedman"}, "holm", 0.95),  # Conover's test takes each pair for the only one
    ],
)
def test_settings_fill_in_what_follows(asked: dict[str, Any], correction: str, level: float) -> None:
    settings = Settings(**asked)
    assert (settings.correction, settings.level) == (correction, level)


@pytest.mark.parametrize(("alias", "name"), [("ttest", "t"), ("permutation", "randomisation")])
def test_a_test_goes_by_other_names_too(alias: str, name: str) -> None:
    found, expected = (compare_scores(table(THREE), test=test) for test in (alias, name))
    assert found == expected
    assert found.settings.test == name
    assert TESTS[name].words in found.method


def test_a_new_test_is_a_new_row(monkeypatch: pytest.MonkeyPatch) -> None:
    row = replace(TESTS["sign"], words="coin test", where="statistics.paired_tests:sign_test", has_max_t=True)
    monkeypatch.setitem(TESTS, "coin", row)
    found = compare_scores(table(THREE), test="coin", correction="bh").to_polars()
    assert found.select("test", "p").row(0) == ("coin", 2 * 0.5**3)
    assert Settings(test="coin").described(1, 1, exact=True).startswith("coin test, two-sided")
    with pytest.raises(InputError, match="test must be 't' or 'randomisation' or 'coin', not 'sign'"):
        Settings(test="sign", correction="max-t")


def test_geometric_means_are_compared_by_logarithms() -> None:
    """Twice, twice and four times as good: logarithms differ by (1, 1, 2) log 2, which spread by log 2 / √3."""
    values = {"gmAP": {"x": {"1": 0.4, "2": 0.1, "3": 0.8}, "y": {"1": 0.2, "2": 0.05, "3": 0.2}}}
    found = compare_scores(table(values))
    row = found.to_polars().row(0, named=True)
    assert row["mean_a"] == pytest.approx((0.4 * 0.1 * 0.8) ** (1 / 3))
    assert row["mean_b"] == pytest.approx((0.2 * 0.05 * 0.2) ** (1 / 3))
    assert row["difference"] == pytest.approx((1 + 1 + 2) / 3 * math.log(2))
    assert row["effect"] == pytest.approx(4 / 3 * math.sqrt(3))
    assert row["statistic"] == pytest.approx(4)  # (4/3 log 2) / (log 2 / √3 / √3)
    assert row["p"] == pytest.approx(1 - 4 / math.sqrt(4**2 + 2))  # Student's t with 2 degrees of freedom, two-sided
    assert (row["low"], row["high"]) == pytest.approx(
        (math.log(2) * (4 / 3 - 4.302653 / 3), math.log(2) * (4 / 3 + 4.302653 / 3)), rel=1e-5
    )
    assert any("logarithms" in note and "gmAP" in note for note in found.notes)


def test_the_geometric_mean_of_runs_is_that_of_their_scores() -> None:
    qrels = {t: {"a": 1, "b": 0} for t in "123"}
    runs = {"x": {t: {"a": 2.0, "b": 1.0} for t in "123"}, "y": {t: {"a": 1.0, "b": 2.0 * (t > "1")} for t in "123"}}
    found = compare(qrels, runs, ["GMAP"])
    assert found.means[0].tolist() == pytest.approx([1.0, (1 * 0.5 * 0.5) ** (1 / 3)])
    assert found.means.tolist() == evaluate(qrels, runs, ["GMAP"]).averages.tolist()


def test_the_long_table_says_how_it_was_found() -> None:
    options: dict[str, Any] = {"test": "bootstrap", "alpha": 0.1, "resamples": 50, "seed": 3, "family": "measure"}
    found = compare_scores(scattered(3, 12, ("AP", "RR")), **options)
    rows = list(csv.DictReader(io.StringIO(str(found.render("csv")))))
    said = ("test", "correction", "family", "alpha", "level", "resamples", "seed")
    assert {tuple(row[name] for name in said) for row in rows} == {
        ("bootstrap", "holm", "measure", "0.1", "0.9", "50", "3")
    }
    omnibus = ("", "_statistic", "_df", "_df_error", "_p", "_p_greenhouse_geisser", "_p_huynh_feldt")
    assert {tuple(row[f"omnibus{name}"] for name in omnibus) for row in rows} == {("",) * len(omnibus)}


def test_seed_and_resamples_are_null_where_nothing_is_left_to_chance() -> None:
    def chance(**options: Any) -> tuple[Any, ...]:
        return compare_scores(table(THREE), **options).to_polars().select("resamples", "seed").row(0)

    assert chance() == (None, None)
    assert chance(test="randomisation") == (None, None)  # all 2³ exchanges are tried
    assert chance(test="randomisation", resamples=5) == (5, 7)
    assert chance(test="randomised-tukey", seed=1) == (10_000, 1)


@pytest.mark.parametrize("test", ["anova", "friedman", "nemenyi"])
def test_the_long_table_has_the_omnibus_test_of_each_measure(test: str) -> None:
    found = compare_scores(scattered(3, 12, ("AP", "RR")), test=test)
    columns = ["measure", *(name for name in found.to_polars().columns if name.startswith("omnibus"))]
    assert len(columns) == 8
    assert found.to_polars().select(columns).unique(maintain_order=True).rows() == found.omnibus.rows()


@pytest.mark.parametrize("test", TESTS)
def test_the_columns_are_the_same_for_every_test(test: str) -> None:
    expected = compare_scores(scattered()).to_polars().schema
    assert compare_scores(scattered(), test=test, resamples=50, baseline="run0").to_polars().schema == expected


def test_intervals_that_hold_for_one_pair_at_a_time_are_said() -> None:
    """At 95%, Student's interval excludes 0 where p < 0.05; Holm's correction keeps fewer of them."""
    scores = scattered(8, 12)
    found = compare_scores(scores)
    both = found.to_polars()
    many = both.filter((pl.col("p") < 0.05) & (pl.col("p_adjusted") > 0.05)).height
    assert many > 1
    note = f"{many} intervals exclude 0 though their differences are not significant: they hold for one difference at a"
    few = "12 topics: below 25 a difference is significant only if sign flips confirm it"
    assert plain(found.notes) == (few,)
    assert found.caption(layout="pairs").endswith(f". {note} time.")
    assert "exclude 0" not in " ".join((found.caption(), *found.remarks()))  # this layout has no intervals
    assert "exclude 0" not in compare_scores(scores, correction="none").caption(layout="pairs")


def test_intervals_that_hold_for_all_pairs_of_a_measure_are_said_to() -> None:
    """Tukey's intervals exclude 0 where his p is below 0.05, which Bonferroni's correction over measures doubles."""
    found = compare_scores(scattered(6, 25, ("AP", "RR")), test="tukey", correction="bonferroni")
    both = found.to_polars().filter((pl.col("p") < 0.05) & ~pl.col("significant"))
    assert both.filter((pl.col("low") > 0) | (pl.col("high") < 0)).height == both.height > 0
    said = f"{both.height} intervals exclude 0 though their differences are not significant"
    assert f"{said}: they hold for all pairs of a measure together." in found.caption(layout="pairs")
    one = compare_scores(scattered(6, 25, ("AP",)), test="tukey", correction="bonferroni")
    assert "exclude 0" not in one.caption(layout="pairs") and "correction" not in one.opening()[1]


def test_the_bootstrap_test_has_students_intervals() -> None:
    """Bootstrapped ones (BCa) hold too seldom: .63 to .91 at ten topics, .84 to .96 at fifty."""
    scores = scattered(2, 12)
    rows = [compare_scores(scores, test=test, resamples=200).to_polars().select("low", "high").row(0) for test in
            ("bootstrap", "t")]  # fmt: skip
    assert rows[0] == rows[1]


def test_a_topic_that_a_run_lacks_can_be_an_empty_list() -> None:
    qrels, runs = joinable()
    usual, empty = (compare(qrels, runs, "OIE", missing=missing) for missing in ("zero", "empty"))
    assert empty.means.tolist() == evaluate(qrels, runs, "OIE", missing="empty").averages.tolist()
    assert empty.means.tolist() != usual.means.tolist()


def joinable() -> tuple[dict[str, Any], dict[str, Any]]:
    """Three topics of graded documents; one run lacks the last topic."""
    qrels = {t: {"a": 2, "b": 1, "c": 0} for t in "123"}
    runs = {
        "x": {t: {"a": 3.0, "c": 2.0, "b": 1.0} for t in "123"},
        "y": {t: {"b": 3.0, "u": 2.5, "a": 2.0 - 2 * (t == "2")} for t in "12"},
    }
    return qrels, runs


def test_joined_runs_are_compared_as_they_are() -> None:
    qrels, runs = joinable()
    assert compare(join(qrels, runs)) == compare(qrels, runs)
    assert compare(join(qrels, runs, depth=1, rel=2), measures="P@2") == compare(qrels, runs, "P@2", depth=1, rel=2)
    assert compare(qrels, runs, topics="shared").topics == ("1", "2")
    assert compare(join(qrels, runs, topics="shared")).topics == ("1", "2")
    with pytest.raises(InputError, match="joined with order='score', not 'rank'"):
        compare(join(qrels, runs), order="rank")
    with pytest.raises(InputError, match="joined with topics='all', not 'shared'"):
        compare(join(qrels, runs), topics="shared")
    with pytest.raises(InputError, match="topics must be 'all' or 'shared', not 'some'"):
        compare(join(qrels, runs), topics="some")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "means", "notes"),
    [
        ({}, [(1 / 2 + 1 / 2) / 2, (2 / 2 + 1 / 2) / 2], ()),
        ({"depth": 1}, [(1 / 2 + 0) / 2, (1 / 2 + 0) / 2], ("scored with depth=1",)),
        ({"rel": 2}, [(1 / 2 + 0) / 2, (1 / 2 + 0) / 2], ("scored with rel=2",)),
        ({"judged_only": True}, [(2 / 2 + 1 / 2) / 2, (2 / 2 + 2 / 2) / 2], ("scored with judged_only=True",)),
    ],
)
def test_runs_are_compared_under_the_conditions_asked(
    options: dict[str, Any], means: list[float], notes: tuple[str, ...]
) -> None:
    qrels = {t: {"a": 2, "b": 1} for t in "12"}
    runs = {
        "aub ubv": {"1": {"a": 3.0, "u": 2.0, "b": 1.0}, "2": {"u": 3.0, "b": 2.0, "v": 1.0}},
        "bau uba": {"1": {"b": 3.0, "a": 2.0, "u": 1.0}, "2": {"u": 3.0, "b": 2.0, "a": 1.0}},
    }
    found = compare(qrels, runs, "P@2", **options)
    assert found.means.tolist() == [means]
    few = "2 topics are too few for any verdict; at least 6 are needed"
    of_intervals = [clause("difference", 2).removesuffix(".").replace("With", "with", 1)]
    assert found.notes == (*notes, few, *of_intervals * found.differences["low"].count())


def test_trec8_scores_are_those_that_others_published(data: Path) -> None:
    """Per-topic AP of trec_eval, from a study of significance tests: 50 topics, columns named by the official means."""
    names = pl.read_csv(data / "score-matrices" / "columns.tsv", separator="\t").filter(collection="adhoc8")
    column = dict(names.select("run", "column").iter_rows())
    paths = {path.stem: path for path in sorted((data / "trec8-adhoc" / "runs").glob("*.gz"))}
    matrix = pl.read_csv(data / "score-matrices" / "adhoc8_ap.csv.gz", infer_schema_length=None)
    expected = np.array([matrix[f"run{column[run]}"].to_numpy() for run in paths])
    scores = evaluate(data / "trec8-adhoc" / "qrels.txt", paths, ["AP"], order="trec9")
    panel = panel_of(scores, "all")
    assert np.abs(panel.values[0] - expected).max() <= 0.00005 + 1e-9  # printed with four decimals
    found = compare_scores(scores, correction="none").to_polars()
    by_scipy = [stats.ttest_rel(expected[a], expected[b]).pvalue for a, b in combinations(range(15), 2)]
    assert found["p"].to_list() == pytest.approx(by_scipy, rel=0.01, abs=0.001)


@pytest.mark.integration
def test_table_5_on_the_runs_of_trec8(data: Path) -> None:
    """Base against top claims least, base against base most; with all judgments, they hardly differ.

    The paper has 0.502, 0.498 and 0.502 for its top third of the 129 runs; these are 15 others.
    """
    runs = sorted((data / "trec8-adhoc" / "runs").glob("*.gz"))
    found = compare(
        data / "trec8-adhoc" / "qrels.txt", runs, ["RBP(p=0.8)"], test="wilcoxon", correction="none", residuals=True
    ).to_polars()
    share = {name: float((found[name] < 0.05).cast(pl.Float64).mean()) for name in ("p_base", "p_projected", "p_top")}  # type: ignore[arg-type]
    assert share["p_base"] >= share["p_projected"] >= share["p_top"]
    assert share["p_base"] - share["p_top"] < 0.05
    assert (found["p_base"] <= found["p_top"]).all()


@pytest.mark.parametrize("margin", [0.15, 0.25])
def test_no_worse_and_equivalent_within_a_margin(margin: float) -> None:
    """Read off Student's interval at the level that Holm's correction of the usual two-sided p leaves.

    Where less is better, the run with more is the worse one.
    """
    from tools.peers import multipletests

    scores = scattered(3, 30)
    found = compare_scores(scores, margin=margin)
    rows = found.to_polars()
    values = wide(scores)
    apart = [values[0] - values[1], values[0] - values[2], values[1] - values[2]]
    lower, upper = (
        [min(1.0, 2 * stats.ttest_1samp(row, threshold, alternative=side).pvalue) for row in apart]
        for threshold, side in ((-margin, "greater"), (margin, "less"))
    )
    assert rows["p_not_worse"].to_list() == pytest.approx(lower)
    assert rows["p_equivalent"].to_list() == pytest.approx(np.maximum(lower, upper).tolist())
    rejected = int(multipletests([stats.ttest_1samp(row, 0).pvalue for row in apart], method="holm")[0].sum())
    level = 0.05 / max(1, 3 - rejected)
    ends = [stats.ttest_1samp(row, 0).confidence_interval(1 - level) for row in apart]
    assert rows["not_worse"].to_list() == [low >= -margin for low, _ in ends]
    assert rows["equivalent"].to_list() == [low >= -margin and high <= margin for low, high in ends]
    assert rows["equivalent"].to_list() == [margin == 0.25, False, margin == 0.25]  # both answers are had
    assert rows["margin"].to_list() == [margin] * 3
    less = compare_scores(scores.with_columns(measure=pl.lit("BalancePoint")), margin=margin).to_polars()
    assert less["p_not_worse"].to_list() == pytest.approx(upper)
    assert less["not_worse"].to_list() == [high <= margin for _, high in ends] == [True] * 3
    assert less["p_equivalent"].to_list() == pytest.approx(rows["p_equivalent"].to_list())
    assert found.notes[-1].startswith(f"margin {margin}: the first run is not worse in ")
    assert found.table(layout="pairs").columns[-3:] == ["significant", "not_worse", "equivalent"]
    tukey = compare_scores(scores, margin=margin, test="tukey")
    assert tukey.to_polars()["equivalent"].to_list() == rows["equivalent"].to_list()
    assert "Holm correction" in tukey.notes[-1]
    assert "equivalent" not in compare_scores(scores).to_polars().columns


def test_topics_that_a_worthwhile_difference_takes() -> None:
    """Differences 1, 2, 3 spread by 1, so that a difference of 2 is two standard deviations, and 1 is one."""
    table = pl.DataFrame(
        {
            "run": ["x"] * 3 + ["y"] * 3,
            "topic": ["1", "2", "3"] * 2,
            "measure": ["gain"] * 6,
            "value": [1.0, 2.0, 3.0, 0.0, 0.0, 0.0],
        }
    )
    seen = compare_scores(table).to_polars().row(0, named=True)
    large, wanted = (compare_scores(table, worthwhile=size).to_polars().row(0, named=True) for size in (2.0, 1.0))
    assert large["topics_needed"] == 5  # statsmodels: TTestPower().solve_power(2, alpha=0.05, power=0.8) is 4.2
    assert wanted["topics_needed"] == 10  # and 9.94 for an effect of 1
    assert wanted["detectable"] == seen["detectable"] > 2  # three topics are too few for what was seen
    assert "topics_needed" not in seen
    found = compare_scores(table, worthwhile=1.0)
    [told] = [note for note in found.notes if "worthwhile" in note]
    assert "10 topics in all find a difference of that size with probability 0.8 (paired t-test" in told
    assert str(found.render(layout="pairs")).splitlines()[-1].endswith(" 10")
    tiny = compare_scores(table, worthwhile=1e-9)
    assert '"topics_needed": null' in str(tiny.render("json"))  # no number that counts is enough
    with pytest.raises(InputError, match="worthwhile must be above 0, not -1"):
        compare_scores(table, worthwhile=-1)


def test_dominance_says_which_pairs_need_no_choice_of_a_measure() -> None:
    """broad has both documents in the end, sharp the better one at once; late is nowhere ahead of broad."""
    qrels = {str(topic): {"a": 1, "b": 2} for topic in range(3)}
    lists = {"broad": ("a", "b"), "sharp": ("b", "x"), "late": ("x", "a")}
    runs = {name: {topic: dict(zip(docs, (2.0, 1.0), strict=True)) for topic in qrels} for name, docs in lists.items()}
    found = compare(qrels, runs, ["AP", "P(rel=2)@1"], dominance=True)
    rows = found.to_polars().select("measure", "run_a", "run_b", "dominates", "against").rows()
    assert rows == [
        ("AP", "broad", "sharp", "neither", "P(rel=2)@1"),
        ("AP", "broad", "late", "run_a", ""),
        ("AP", "sharp", "late", "run_a", ""),
        ("P(rel=2)@1", "broad", "sharp", "neither", "P@2"),
        ("P(rel=2)@1", "broad", "late", "run_a", "P@1"),  # the means are equal: the first
        ("P(rel=2)@1", "sharp", "late", "run_a", ""),
    ]
    assert any(note.startswith("dominance: in 2 of 3 pairs one run is no worse") for note in found.notes)
    assert "dominates" not in compare(qrels, runs, ["AP"]).to_polars().columns


def test_what_the_number_of_topics_depends_on() -> None:
    """With one pair it is the measure, with one measure the pair; one pair by one measure has one number."""
    for runs, measures, said in (
        (2, ("AP", "RR"), "depending on the measure ("),
        (4, ("AP",), "depending on the pair ("),
        (4, ("AP", "RR"), "depending on the measure and the pair ("),
        (2, ("AP",), "topics in all find a difference of that size with probability 0.8 ("),
    ):
        found = compare_scores(scattered(runs, 14, measures), worthwhile=0.02)
        [note] = [each for each in found.notes if "worth" in each]
        assert said in note
        assert said.startswith("topics") == ("depending" not in note)


def test_counts_have_one_form() -> None:
    assert Settings().described(7875, 1, exact=False).endswith("over 7,875 comparisons, alpha = 0.05")


def test_a_topic_that_weighs_nothing_gives_no_interval() -> None:
    """The runs differ on one topic, which weighs 0: nothing shows how far they could be apart."""
    qrels = {t: {"a": 1, "b": 0} for t in "12345678"}
    runs = {"one": {t: ["a", "b"] for t in qrels}, "other": {t: ["b", "a"] if t == "1" else ["a", "b"] for t in qrels}}
    found = compare(qrels, runs, "RR", weights={t: float(t != "1") for t in qrels})
    assert found.to_polars().select("difference", "low", "high", "p").rows() == [(0.0, None, None, 1.0)]
    assert not any("lies between" in sentence for sentence in found.opening())


def test_where_less_is_better_nothing_is_0_and_not_minus_0() -> None:
    qrels = {t: {"a": 0} for t in "123456"}
    found = compare(qrels, {"one": {t: [] for t in qrels}, "other": {t: [] for t in qrels}}, "NumRet")
    assert "-0.0" not in str(found.render("csv"))


@pytest.mark.parametrize("topics", [5, 6, 7])
@each_of(
    ("test", "correction"),
    [
        *[("t", correction) for correction in CORRECTIONS], ("wilcoxon", "bh"), ("randomisation", "max-t"),
        *[(test, None) for test, row in TESTS.items() if row.joint and not row.one_baseline],
    ],
)  # fmt: skip
def test_topics_are_too_few_only_where_nothing_can_be_significant(
    test: str, correction: str | None, topics: int
) -> None:
    """Six runs a clear step apart, so that each of 15 differences has the smallest p there is."""
    values = {f"r{run}": {str(t): run / 10 + (t * run) % 7 / 1000 for t in range(topics)} for run in range(6)}
    found = compare_scores(table({"AP": values}), test=test, correction=correction)
    few = any("too few for any verdict" in note for note in found.notes)
    assert not (few and found.differences["significant"].any())
    if test == "t" and correction in {"holm", "bonferroni"}:  # 15 · 2 · 2⁻ⁿ ≤ .05 from 10 topics on
        assert few
    if test == "t" and correction in {"bh", "max-t"} and topics > 5:
        assert found.differences["significant"].all()
    assert few or topics > 5 or test in {"friedman", "nemenyi", "randomised-tukey"}


def test_captions_say_where_sign_flips_confirm_and_topics_of_weight_0_are_none() -> None:
    values = {run: {f"{t:02}": (t * step % 7) / 10 for t in range(30)} for run, step in (("x", 2), ("y", 3))}
    scores, few = table({"AP": values}), "below 25 topics with sign flips"
    weights = {f"{t:02}": float(t > 9) for t in range(30)}  # 20 count
    assert few not in compare_scores(scores).method
    found = compare_scores(scores, weights=weights)
    for said in (found.caption(), found.paragraph(), str(found.render("latex")), found.notes[0]):
        assert "below 25" in said
    assert few in gate(scores, weights=weights).caption()
    assert few not in compare_scores(scores, weights=weights, test="randomisation").method
    with pytest.raises(InputError, match="two topics of a weight above 0, not 1"):
        gate(scores, weights={f"{t:02}": float(t == 9) for t in range(30)})

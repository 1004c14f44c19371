"""The paragraph of a comparison: numbers as in the table, and every case in words that hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import polars as pl
import pytest

import cranfield as cf
from cranfield.comparison.paragraph import Versus, against_baseline

TOPICS = 30
"""Enough that no sign flips need to confirm a difference."""


def scores(values: Mapping[str, Mapping[str, Sequence[float]]]) -> pl.DataFrame:
    """``{measure: {run: values}}`` as a long table, the values going round over the topics."""
    rows = [
        (run, f"{t:02}", measure, float(of_run[t % len(of_run)]))
        for measure, runs in values.items()
        for run, of_run in runs.items()
        for t in range(TOPICS)
    ]
    return pl.DataFrame(rows, schema=["run", "topic", "measure", "value"], orient="row")


BASE, MORE, LESS, ROUND = [0.4, 0.5, 0.6], [0.5, 0.65, 0.7], [0.3, 0.45, 0.5], [0.7, 0.2, 0.6]
BETTER = "(+0.1167 [0.1077, 0.1256])"  # 0.1, 0.15, 0.1 in turn: 0.02397 · t(29) / √30
WORSE = "(−0.0833 [−0.0923, −0.0744])"


def test_against_a_baseline_each_run_has_a_sentence_with_what_is_better_worse_and_unclear() -> None:
    table = scores({
        "AP": {"bm25": BASE, "dense": MORE, "rm3": LESS},
        "RR": {"bm25": BASE, "dense": ROUND, "rm3": BASE},
    })  # fmt: skip
    said = cf.compare_scores(table, baseline="bm25").paragraph()
    assert said.startswith(
        f"On 30 topics, dense beats bm25 by AP {BETTER}; by RR the difference is not significant (0."
    )
    assert f"rm3 is worse than bm25 by AP {WORSE}; by RR both score the same on every topic." in said
    assert said.endswith(
        "Differences are tested by the paired t-test, two-sided, with Holm correction over 4 comparisons "
        "(alpha = 0.05). Brackets give 95% confidence intervals, which hold for one difference at a time."
    )


def test_numbers_are_those_of_the_table() -> None:
    found = cf.compare_scores(scores({"AP": {"x": MORE, "y": BASE}, "RR": {"x": ROUND, "y": LESS}}))
    said = found.paragraph()
    for difference, low, high in found.differences.select("difference", "low", "high").iter_rows():
        shown = f"({difference:+.4f} [{low:.4f}, {high:.4f}])".replace("-", "−")
        assert shown in said


def test_of_two_runs_the_better_one_is_spoken_of_whatever_their_order() -> None:
    for runs in ({"x": MORE, "y": BASE}, {"y": BASE, "x": MORE}):
        said = cf.compare_scores(scores({"AP": runs})).paragraph()
        assert said.startswith(f"On 30 topics, x beats y by AP {BETTER}. Differences are tested by the paired t-test")
        assert "two-sided (alpha = 0.05)" in said


def test_without_a_baseline_the_best_run_by_each_measure_and_whom_it_beats() -> None:
    table = scores({"AP": {"x": BASE, "y": MORE, "z": ROUND}, "RR": {"x": BASE, "y": BASE, "z": LESS}})
    said = cf.compare_scores(table).paragraph()
    assert said.startswith(
        f"On 30 topics, the best of 3 runs by AP is y (0.6167): it beats x {BETTER}; it does not differ significantly "
        "from z (+0.1167 ["
    )
    assert "x and y share the best mean of 3 runs by RR (0.5000): x beats z (+0.0833 [" in said
    assert "; x scores the same on every topic as y; y beats z (+0.0833 [" in said


def test_runs_that_are_equal() -> None:
    equal = scores({"AP": dict.fromkeys("abc", BASE)})
    alike = cf.compare_scores(equal).paragraph()
    assert alike.startswith("On 30 topics, all 3 runs have the same mean by AP (0.5000). Differences")
    said = cf.compare_scores(equal, baseline="a").paragraph()
    assert "b and a score the same on every topic by AP. c and a score the same on every topic by AP." in said
    assert "Brackets" not in alike + said


def test_many_runs_are_counted_and_six_are_named() -> None:
    runs = {f"r{i}": [value + 0.02 * i for value in (BASE if i % 2 else MORE)] for i in range(10)}
    said = cf.compare_scores(scores({"AP": runs, "RR": runs}), baseline="r1").paragraph()
    assert len(re.findall(r"r\d (?:beats|is worse than|does not)", said)) == 5
    assert "Of the other 4 runs, all beat r1 by AP; all beat r1 by RR." in said
    six = {name: runs[name] for name in [*runs][:7]}
    assert "Of the other" not in cf.compare_scores(scores({"AP": six}), baseline="r1").paragraph()
    best = cf.compare_scores(scores({"AP": runs})).paragraph()
    assert "the best of 10 runs by AP is r8" in best
    assert " and 4 more runs. Differences" in best


def test_others_that_are_counted_are_each_in_one_group() -> None:
    runs = {"base": BASE} | {f"good{i}": MORE for i in range(6)} | {"same": BASE, "poor": LESS}
    said = cf.compare_scores(scores({"AP": runs}), baseline="base").paragraph()
    assert (
        "Of the other 3 runs, 1 beats base, 1 is worse than base and 1 does not differ significantly from base by AP."
        in said
    )


def test_less_can_be_better() -> None:
    said = cf.compare_scores(scores({"BalancePoint": {"x": BASE, "y": MORE}})).paragraph()
    assert "x beats y by BalancePoint (−0.1167 [−0.1256, −0.1077]; lower is better)." in said


def test_logarithms_are_named() -> None:
    qrels, run = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}, {"1": ["a", "b"], "2": ["a"]}
    other = {"1": ["b", "a"], "2": ["b", "a"]}
    said = cf.compare(qrels, {"x": run, "y": other}, "gmAP").paragraph()
    assert "(+0.6931; of logarithms)" in said  # no interval: both topics halve


def test_ranks_that_differ_while_means_are_equal_are_not_called_no_difference() -> None:
    ahead = {"x": [0.6] * 9 + [0.0], "y": [0.5] * 9 + [0.9]}
    said = cf.compare_scores(scores({"AP": ahead}), test="sign").paragraph()
    assert "the means of x and y are equal, though the test finds a difference" in said
    assert "not significant" not in said


@pytest.mark.parametrize(
    ("asked", "how"),
    [
        ({"test": "tukey"}, "by Tukey's HSD test, for all pairs of a measure together (alpha = 0.05). Brackets"),
        ({"correction": "none"}, "by the paired t-test, two-sided, without correction (alpha = 0.05)."),
        ({"family": "measure"}, "with Holm correction over 3 comparisons of each measure (alpha = 0.05)."),
        ({"test": "randomisation", "alpha": 0.1}, "(alpha = 0.1, 10,000 resamples, seed 7). Brackets give 90%"),
        ({"test": "tukey"}, "intervals, which hold for all pairs of a measure together."),
    ],
)
def test_how_it_was_tested(asked: dict[str, object], how: str) -> None:
    found = cf.compare_scores(scores({"AP": {"x": MORE, "y": BASE, "z": ROUND}}), **asked)  # type: ignore[arg-type]
    assert how in found.paragraph()


def study(judged: str) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Thirty topics; the first run has the relevant document first, the second what is or is not judged."""
    topics = [str(t) for t in range(TOPICS)]
    runs = {name: {t: list(found) for t in topics} for name, found in (("good", "rn"), ("poor", "un"))}
    return {t: {"r": 1} | dict.fromkeys(judged, 0) for t in topics}, runs


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        ("n", "The significant difference is not certain to stay significant whatever grades from 0 to the largest"),
        ("nu", "All retrieved documents are judged."),
    ],
)
def test_what_the_unjudged_could_change(judged: str, said: str) -> None:
    qrels, runs = study(judged)
    assert said in cf.compare(qrels, runs, "RR", residuals=True).paragraph()
    assert "judged" not in cf.compare(qrels, runs, "RR").paragraph()


def test_judgments_that_are_complete_leave_nothing_open() -> None:
    qrels, runs = study("n")
    said = cf.compare(qrels, runs, "RR", residuals=True, complete=True).paragraph()
    assert said.endswith("Documents without a judgment count as not relevant.")


def test_one_topic_cannot_be_tested() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": ["a"]}
    with pytest.raises(cf.InputError, match="at least two topics"):
        cf.compare(qrels, {"x": run, "y": run}, "RR").paragraph()


def collection(x: list[int], y: list[int], z: list[int] | None = None) -> tuple[object, object]:
    """Make a collection in which runs have the relevant document at these ranks."""
    runs = {"x": x, "y": y} | ({} if z is None else {"z": z})
    lists = {
        name: {str(t): [f"n{i}" for i in range(1, rank)] + ["a"] for t, rank in enumerate(ranks)}
        for name, ranks in runs.items()
    }
    return {str(t): {"a": 1, "b": 0} for t in range(len(x))}, lists


def test_several_collections_the_average_first() -> None:
    both = {"robust": collection([1] * 9 + [2], [3] * 8 + [4] * 2), "web": collection([1, 2, 1], [3, 1, 4])}
    said = cf.compare_all(both, "RR").paragraph()
    assert said.startswith(
        "The runs are compared on 2 collections: robust with 10 topics and web with 3 topics. By RR, x beats y in the "
        "average (+"
    )
    assert re.search(r"\) and on robust \(\+0\.6333 \[[^]]*\]\); on web the difference is not significant \(\+", said)
    assert "At alpha = 0.05, differences are tested on each collection by the paired t-test, below 25 topics" in said
    assert "in the average by the paired randomisation test" in said


def test_several_collections_without_a_baseline_and_one_that_cannot_be_tested() -> None:
    robust, one = collection([1] * 9 + [2], [3] * 8 + [4] * 2, [5] * 10), collection([1], [2], [3])
    said = cf.compare_all({"robust": robust, "web": robust}, ["RR", "P@1", "AP"]).paragraph()
    assert "The best of 3 runs by RR in the average is x (0.9500): it beats y (+" in said
    assert "On web, the best of 3 runs by AP is x (0.9500): it beats" in said
    said = cf.compare_all({"robust": robust, "one": one}, "RR", baseline="y").paragraph()
    assert "By RR, x beats y on robust (+0.6333 [" in said
    assert "Nothing can be tested on one. At alpha" in said
    assert "in the average" not in said
    said = cf.compare_all({"robust": robust, "web": robust}, "RR", test="tukey").paragraph()
    assert "hold on each collection for all pairs of a measure together, in the average for one difference at" in said


def test_weighted_topics_are_said_to_be() -> None:
    table = scores({"AP": {"x": MORE, "y": BASE}})
    weights = {f"{t:02}": 1.0 + t % 2 for t in range(TOPICS)}
    said = cf.compare_scores(table, weights=weights).paragraph()
    assert re.match(r"On 30 topics, weighted by 30 weights, .*, x beats y by AP \(\+0\.", said)


def test_of_many_runs_those_that_the_test_alone_tells_apart_are_not_said_to_be_alike() -> None:
    """Six runs, of which the last has the baseline's mean and is told from it by a test of ranks."""
    findings = {f"r{at}": [Versus("by AP", "base", "better", 0.1, None, None)] for at in range(5)}
    findings |= {f"s{at}": [Versus("by AP", "base", "not significant", 0.0, None, None)] for at in range(2)}
    findings["t"] = [Versus("by AP", "base", "torn", 0.0, None, None)]
    *_, last = against_baseline("base", [*findings], [findings])
    assert last == (
        "Of the other 3 runs, 2 do not differ significantly from base and 1 differs by the test alone from base by AP"
    )

"""Runs on several collections: the test over all of them beside loops, who is tested, and the table of papers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.plumbing.arrays import Floats
from cranfield.statistics.intervals import in_one_row, stratified_interval, t_interval
from cranfield.statistics.paired_tests import randomisation_test

PLACES = "abcdefgh"


def collection(ranks: dict[str, list[int]]) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Make a collection in which each run has the relevant document at these ranks, topic by topic."""
    topics = [str(t) for t in range(len(next(iter(ranks.values()))))]
    lists = {
        run: {t: ["x" + p for p in PLACES[: rank - 1]] + ["a"] for t, rank in zip(topics, of, strict=True)}
        for run, of in ranks.items()
    }
    return {t: {"a": 1, "b": 0} for t in topics}, lists


ONE = collection({"x": [1, 1, 2, 1, 3], "y": [2, 3, 1, 4, 3], "z": [4, 4, 4, 4, 4]})
TWO = collection({"x": [1, 2, 1], "y": [2, 4, 3], "z": [1, 1, 1]})


def p_by_loops(strata: list[list[float]]) -> float:
    """Try all signs of all topics: how often is the mean over collections as far from 0 as it was?"""

    def mean_of_means(signs: tuple[int, ...]) -> float:
        left = iter(signs)
        return sum(sum(next(left) * d for d in stratum) / len(stratum) for stratum in strata) / len(strata)

    topics = sum(map(len, strata))
    seen = abs(mean_of_means((1,) * topics))
    found = [abs(mean_of_means(signs)) >= seen - 1e-12 for signs in product((1, -1), repeat=topics)]
    return sum(found) / len(found)


def test_the_test_over_all_collections_beside_loops() -> None:
    found = cf.compare_all({"one": ONE, "two": TWO}, "RR", correction="none").of_all
    ranks = {"x": ([1, 1, 2, 1, 3], [1, 2, 1]), "y": ([2, 3, 1, 4, 3], [2, 4, 3]), "z": ([4] * 5, [1] * 3)}
    for a, b, p, difference in found.select("run_a", "run_b", "p", "difference").iter_rows():
        strata = [
            [1 / i - 1 / j for i, j in zip(*lists, strict=True)] for lists in zip(ranks[a], ranks[b], strict=True)
        ]
        assert difference == pytest.approx(np.mean([np.mean(stratum) for stratum in strata]))
        assert p == pytest.approx(p_by_loops(strata))


differences = st.lists(st.integers(-4, 4), min_size=2, max_size=6).map(lambda found: np.array([found]) / 4)


@settings(max_examples=30)
@given(st.lists(differences, min_size=1, max_size=3))
def test_a_row_of_strata_has_their_mean_and_their_p(strata: list[Floats]) -> None:
    row = in_one_row(strata)
    assert row.mean() == pytest.approx(np.mean([each.mean() for each in strata]))
    if row.shape[1] <= 9:
        found = randomisation_test(row, "two-sided", 2**9, 7)
        assert found.p.item() == pytest.approx(p_by_loops([each[0].tolist() for each in strata]))
    if len(strata) == 1:
        assert np.allclose(stratified_interval(strata, 0.9), t_interval(strata[0], 0.9))


def test_intervals_of_a_topic_alone_and_of_equal_topics() -> None:
    low, high = stratified_interval([np.array([[0.1]]), np.array([[0.1, 0.3]])], 0.95)
    assert np.isnan([low, high]).all()
    assert np.allclose(stratified_interval([np.full((1, 3), 0.25)] * 2, 0.95), 0.25)


def test_who_is_tested_and_how_it_is_marked() -> None:
    good, poor = [1] * 8, [4] * 8
    three = collection({"x": good, "y": poor, "late": [2] * 8})
    found = cf.compare_all({"one": collection({"x": good, "y": poor}), "three": three}, "RR")
    assert [row[:2] for row in found.of_all.select("run_a", "run_b").rows()] == [("x", "y")]
    assert str(found).splitlines()[:7] == [
        "On one, x leads y by 0.7500 in RR: a significant difference.",
        "On three, x leads late by 0.5000 in RR: a significant difference.",
        "",
        "   run        one      three   average",
        "a  x     1.0000 b  1.0000 bc  1.0000 b",
        "b  y     0.2500    0.2500     0.2500",
        "c  late         –  0.5000 b          –",
    ]
    page = str(found.render("html"))  # a value that lacks has no mark, and the others' stand in their rows
    assert '1.0000</b></td><td class="marks"><sup>bc</sup>' in page
    assert '–</td><td class="marks"></td>' in page
    assert "the average compares only runs that all collections have" in found.remarks()
    daggers = cf.compare_all({"one": collection({"x": good, "y": poor}), "three": three}, "RR", baseline="y")
    assert "x & \\textbf{1.0000}$^{\\dagger}$" in str(daggers.render("latex"))


def test_where_nothing_can_be_tested() -> None:
    alone = collection({"x": [1, 2]})
    found = cf.compare_all({"one": ONE, "alone": alone}, "RR")
    assert list(found.tested) == ["one"]
    assert not found.of_all.height
    assert found.remarks()[0] == "one: 5 topics are too few for any verdict; at least 7 are needed"  # 2 / 2^7 < .05 / 3
    assert found.remarks()[-2:] == (
        "alone: nothing was tested; it lacks a second run",
        "the average was not tested: nothing was tested on alone",
    )
    assert "in the average by" not in found.caption()
    assert set(found.to_polars()["collection"]) == {"one"}
    with pytest.raises(cf.InputError, match="at least two runs"):
        cf.compare_all({"one": alone}, "RR")
    with pytest.raises(cf.InputError, match=r"no run is called 'w' \(the baseline\)"):
        cf.compare_all({"one": ONE}, "RR", baseline="w")


def test_pairs_of_one_run_a_collection_are_an_empty_table() -> None:
    nothing = cf.compare_all({"one": collection({"x": [1, 2]}), "two": collection({"y": [2, 1]})}, "RR")
    some = cf.compare_all({"one": ONE, "two": TWO}, "RR")
    assert nothing.table(layout="pairs").schema == some.table(layout="pairs").schema
    assert nothing.to_polars().height == 0
    assert str(nothing.sheet(layout="pairs").caption).endswith(" Nothing was tested.")
    assert nothing.render("csv", layout="pairs")


def test_no_test_is_named_that_was_not_run() -> None:
    """On one topic nothing is tested; of a run that did not run neither, and the other collections still are."""
    single = collection({"x": [1], "y": [2]})
    none = cf.compare_all({"here": single, "there": single}, "RR")
    for says in (none.caption(), none.caption(layout="pairs"), none.paragraph()):
        assert "t-test" not in says
    assert none.paragraph().endswith("Nothing can be tested on here and there.")
    qrels, runs = collection({"x": [1, 2, 1, 2, 1, 1], "y": [2, 1, 2, 2, 2, 2]})
    short = {"x": runs["x"], "y": {"1": runs["y"]["1"]}}
    found = cf.compare_all({"whole": (qrels, runs), "here": single, "short": (qrels, short)}, "RR", baseline="y")
    assert list(found.tested) == ["whole"]
    assert "alpha = 0.05: on whole by the paired t-test" in found.caption()
    assert found.remarks()[-3:] == (
        "here: nothing was tested; it lacks a second topic",
        "short: nothing was tested; it lacks the baseline y and a second run; left out, as they did not run: y (no "
        "scores on 5 of 6 topics)",
        "the average was not tested: nothing was tested on here and short",
    )
    tukey = cf.compare_all({"whole": (qrels, runs)}, "RR", test="tukey").caption()
    assert (
        "on each collection by Tukey's HSD test, for all pairs of a measure together, below 25 topics with sign flips."
        in tukey
    )


def test_the_caption_says_what_every_mark_is_and_which_tests_are_exact() -> None:
    pair = {"x": [1, 1, 2, 1], "y": [2, 1, 1, 2]}
    collections = {"few": collection(pair), "many": collection({run: ranks * 5 for run, ranks in pair.items()})}
    found = cf.compare_all(collections, "RR", test="randomisation", margin=0.9)
    assert "≈b" in str(found)
    caption = found.caption()
    assert "randomisation test (10,000 resamples, seed 7, exact on few); in the average" in caption
    assert caption.endswith("; letters after ≈: equivalent within 0.9, on each collection.")
    daggers = cf.compare_all(collections, "RR", margin=0.9, baseline="y").caption()
    assert daggers.endswith("; ≈: equivalent within 0.9; ≥: not worse by more than 0.9, on each collection.")
    few = cf.compare_all({"a": collections["few"], "b": collections["few"]}, "RR", test="randomisation", margin=0.9)
    assert few.caption().count("(exact)") == 2
    assert "resamples" not in few.caption()
    assert "etters" not in few.caption(layout="pairs")
    assert "Differences of means, alpha = 0.05: on each collection by" in few.sheet(layout="pairs").caption
    ends = few.sheet(layout="pairs").caption.rpartition(". ")[2]
    assert ends == "Low to high: 95% interval, which holds for one difference at a time."
    assert "correction" not in few.caption()  # of one comparison each
    assert "Low to high: 90% interval" in cf.compare_all(collections, "RR", level=0.9).caption(layout="pairs")


def test_on_shared_topics_the_means_are_those_that_are_tested() -> None:
    qrels, runs = collection({"x": [1, 2, 1, 2], "y": [2, 1, 4, 4]})
    del runs["y"]["3"]
    found = cf.compare_all({"one": (qrels, runs), "two": ONE}, "RR", topics="shared")
    assert found.table()["one"].to_list()[:2] == pytest.approx([(1 + 0.5 + 1) / 3, (0.5 + 1 + 0.25) / 3])
    [row] = found["one"].differences.select("mean_a", "mean_b").rows()
    assert found.table()["one"].to_list()[:2] == list(row)
    assert "one (3 topics)" in found.caption()
    of_all = found.of_all.row(0, named=True)
    assert of_all["difference"] == pytest.approx(of_all["mean_a"] - of_all["mean_b"])


def test_lower_is_better_turns_marks_round() -> None:
    low, high = [1] * 8, [3, 4] * 4
    found = cf.compare_all({"one": collection({"x": high, "y": low}), "two": collection({"x": high, "y": low})}, "ASL")
    assert "b  y    1.0000 a  1.0000 a  1.0000 a" in str(found)
    assert found.of_all["wins"].to_list() == [0]


def test_each_collection_is_compared_as_by_itself() -> None:
    found = cf.compare_all({"one": ONE, "two": TWO}, ["RR", "AP"], test="wilcoxon", alpha=0.2)
    for name, (qrels, runs) in (("one", ONE), ("two", TWO)):
        alone = cf.compare(qrels, runs, ["RR", "AP"], test="wilcoxon", alpha=0.2)
        assert found[name] == alone
        here = found.to_polars().filter(collection=name).drop("collection")
        assert here.select("p_adjusted", "significant").equals(alone.to_polars().select("p_adjusted", "significant"))


def test_the_level_over_all_collections() -> None:
    """Exchangeable runs on collections of 4, 6 and 15 topics with unequal spreads: 400 draws at the level of 10%."""
    rng, false = np.random.default_rng(7), 0
    for _ in range(400):
        strata = [spread * rng.standard_gamma(0.5, (1, n)) * rng.choice([-1, 1], (1, n)) for n, spread in
                  ((4, 1.0), (6, 0.2), (15, 0.05))]  # fmt: skip
        false += int(randomisation_test(in_one_row(strata), "two-sided", 200, 7).p.item() <= 0.1)
    assert false / 400 <= 0.1 + 2 * (0.1 * 0.9 / 400) ** 0.5

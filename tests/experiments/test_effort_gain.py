"""Effort/gain plots: every ranking in its quadrant."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.real_runs import Joined

from cranfield import join, simulate
from cranfield.experiments import Findings
from cranfield.experiments.effort_gain import EFFORTS, GAIN_CLASSES, effort_gain
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns

ABOVE = {("medium", "huge"), ("high", "huge"), ("huge", "huge"), ("high", "high"), ("huge", "high"), ("huge", "medium")}
HIGH_HIGH = {("high", "huge"), ("high", "high"), ("huge", "huge"), ("huge", "high")}
DIAGONAL = {("low", "huge"), ("medium", "high"), ("high", "medium"), ("huge", "low")}
GOOD = {("high", "medium"), ("high", "low"), ("huge", "medium"), ("huge", "low")}


def plain_quadrants(effort: list[float], gain: list[float]) -> dict[tuple[str, str], int]:
    """Place point by point, from the words of the paper."""
    first, second, third = np.quantile(gain, [0.25, 0.5, 0.75])
    counts = {(g, e): 0 for g in GAIN_CLASSES for e in EFFORTS}
    for x, y in zip(effort, gain, strict=True):
        row = "low" if y <= first else "medium" if y <= second else "high" if y <= third else "huge"
        column = "huge" if x < 0.25 else "high" if x < 0.5 else "medium" if x < 0.75 else "low"
        counts[row, column] += 1
    return counts


def counted(found: Findings, measure: str) -> dict[tuple[str, str], int]:
    table = found["quadrants"].filter(pl.col("measure") == measure)
    return {(gain, effort): n for gain, effort, n in table.select("gain", "effort", "rankings").rows()}


def retrieving(*sizes: int) -> JudgedRuns:
    """Runs that retrieve so many of 4 relevant documents in their first 4 ranks, on one topic."""
    names = [f"{'abcd'[:size]}{'wxyz'[size:]}" for size in sizes]
    runs = {f"{i}:{name}": {"1": dict(zip(name, (4.0, 3.0, 2.0, 1.0), strict=True))} for i, name in enumerate(names)}
    return join({"1": dict.fromkeys("abcd", 1)}, runs)


def test_five_rankings_on_their_bounds() -> None:
    # P@4 and R@4 are both 0, 1/4, 2/4, 3/4 and 1, and so are the quartiles: a gain at its quartile
    # stays below it, an effort at its bound goes to the right of it.
    found = effort_gain(retrieving(0, 1, 2, 3, 4), "R@4", effort="P@4")
    placed = {quadrant for quadrant, n in counted(found, "R@4").items() if n == 1}
    assert placed == {("low", "huge"), ("low", "high"), ("medium", "medium"), ("high", "low"), ("huge", "low")}
    shares = found["shares"].rows(named=True)[0]
    assert shares == {
        "measure": "R@4",
        "diagonal": 2 / 5,
        "high_high": 0.0,
        "gray": 0.0,
        "below": 3 / 5,
        "good": 2 / 5,
        "best_at_less_effort": 1.0,
    }
    top_left, bottom_right = found["quadrants"].rows()[0], found["quadrants"].rows()[-1]
    assert top_left == ("R@4", "huge", 0.75, None, "huge", None, 0.25, 0, 0.0)
    assert bottom_right == ("R@4", "low", None, 0.25, "low", 0.75, None, 0, 0.0)


def test_a_gain_of_0_is_low_however_many_there_are() -> None:
    counts = counted(effort_gain(retrieving(0, 0, 0, 0, 0, 4), "R@4", effort="P@4"), "R@4")
    assert counts["low", "huge"] == 5
    assert counts["huge", "low"] == 1


def test_of_like_gain_one_ranking_of_each_effort_is_chosen() -> None:
    """By P@2 huge are the three gains of 1, all as near to their median; so the first of each effort is taken."""
    late = {"1": dict(zip(("a", "b", *"vwxyz"), range(9, 2, -1), strict=True))}
    first = {"1": dict(zip("abcdefg", range(9, 2, -1), strict=True))}
    poor = {f"poor {i}": {"1": {"x": 3.0, "y": 2.0}} for i in range(11)}
    qrels = {"1": dict.fromkeys("abcdefg", 1)}
    found = effort_gain(join(qrels, {"late": late, "late too": late, "first": first} | poor), "P@2", effort="Twist@20")
    assert found["points"].select("run", "Twist@20").rows()[:3] == [
        *(("late", pytest.approx(13 / 41)), ("late too", pytest.approx(13 / 41)), ("first", 1.0))
    ]
    chosen = found["chosen"]
    assert chosen.select("effort", "run").unique(maintain_order=True).rows() == [("high", "late"), ("low", "first")]
    # R = 7: two in place, then RP is 3 - 8, 4 - 8, ... -1, and 0 from rank 8 on. Of the worst 28 ranks
    # 13 are spared and none is forward, so that σ is 2 · 13/28 / (1 + 13/28), and Twist half of it.
    late_curve, first_curve = chosen.partition_by("run", maintain_order=True)
    assert late_curve["crp"].to_list() == [0, 0, -5, -9, -12, -14, -15] + [-15] * 13
    assert late_curve["crp_full_scale"].to_list()[:8] == [-7, -13, -18, -22, -25, -27, -28, -28]
    assert first_curve["gain"][1] == pytest.approx(1 + 1 / np.log2(3))


def test_the_chosen_rankings_are_marked_and_drawn() -> None:
    campaign = simulate(systems=4, topics=3, depth=12, seed=3)
    runs = join(campaign.qrels, campaign.runs())
    found = effort_gain(runs, ("AP", "nDCG(base=2)"))
    curves = runs.scores(["CRP@7", "DCG(base=2)@7"])
    chosen = found["chosen"].filter(pl.col("rank") == 7)
    for row in chosen.iter_rows(named=True):
        place = runs.runs.index(row["run"]), runs.topics.index(row["topic"])
        assert (row["crp"], row["gain"]) == pytest.approx(tuple(curves.values[:, *place]))
    figure = found.plot("effort-gain-curves")
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="point"') == chosen.height
    assert drawn.count('aria-roledescription="line mark"') == 4 * chosen.height
    names = [f"{row['effort']} effort: {row['run']}, topic {row['topic']}" for row in chosen.iter_rows(named=True)]
    assert all(name in figure.description for name in names)
    assert [each["name"] for each in figure.spec["params"]] == ["picked"]
    column = figure.for_print("column").to_bytes("svg").decode()
    assert ">(logarithmic)</tspan>" in column or ">rank (logarithmic)</text>" in column  # no word is broken


def test_where_all_gains_are_equal_there_is_no_huge_one() -> None:
    found = effort_gain(retrieving(2, 2), "R@4", effort="P@4")
    assert counted(found, "R@4")["low", "medium"] == 2
    assert found["shares"]["best_at_less_effort"].item() == 0


def test_the_parts_of_the_plot_are_those_of_the_paper() -> None:
    # With bounds near 1, all but the best run cost huge effort: low, medium and high gain are in
    # the first column.
    found = effort_gain(retrieving(1, 2, 3, 4), "R@4", effort="P@4", bounds=(0.9, 0.95, 1.0))
    counts = counted(found, "R@4")
    assert [counts[gain, "huge"] for gain in GAIN_CLASSES] == [1, 1, 1, 0]
    assert counts["huge", "low"] == 1
    shares = found["shares"].rows(named=True)[0]
    assert (shares["diagonal"], shares["gray"], shares["high_high"], shares["below"]) == (2 / 4, 1 / 4, 1 / 4, 0)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.sampled_from(["AP", "R@4", "RR", "nDCG(base=10)"]))
def test_every_ranking_is_where_the_words_of_the_paper_put_it(sizes: list[int], measure: str) -> None:
    found = effort_gain(retrieving(*sizes), measure)
    points = found["points"]
    plain = plain_quadrants(points["Twist"].to_list(), points[measure].to_list())
    assert counted(found, measure) == plain
    shares, n = found["shares"].rows(named=True)[0], len(sizes)
    expected = {
        "diagonal": DIAGONAL,
        "high_high": HIGH_HIGH,
        "gray": ABOVE - HIGH_HIGH,
        "below": set(plain) - ABOVE - DIAGONAL,
        "good": GOOD,
    }
    for name, quadrants in expected.items():
        assert shares[name] == pytest.approx(sum(plain[quadrant] for quadrant in quadrants) / n)
    assert shares["diagonal"] + shares["high_high"] + shares["gray"] + shares["below"] == pytest.approx(1)


def test_only_topics_that_a_run_has_are_points() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    found = effort_gain(join(qrels, {"half": {"2": {"b": 1.0}}, "whole": {"1": {"x": 1.0}, "2": {"b": 1.0}}}), "AP")
    assert found["points"].rows() == [("half", "2", 1.0, 1.0), ("whole", "1", 0.0, 0.0), ("whole", "2", 1.0, 1.0)]


def test_a_figure_in_which_nothing_is_gained_says_so() -> None:
    qrels, lists = {"1": {"a": 0}}, {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0}}}
    figure = effort_gain(join(qrels, lists), "AP").plot("effort-gain")
    assert figure.description == (
        "Effort (Twist) against gain. AP: no ranking gains anything, so there is nothing to compare with effort."
    )
    assert any(line.startswith("No ranking gains anything") for line in figure.spec["title"]["subtitle"])
    drawn = figure.to_bytes("svg").decode()
    assert ">AP: no ranking gains anything</text>" in drawn and "%</text>" not in drawn


def test_a_figure_says_how_many_rankings_gain_nothing() -> None:
    qrels, lists = {"1": {"a": 1}, "2": {"a": 0}}, {"x": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "y": {"1": {"a": 1.0}}}
    figure = effort_gain(join(qrels, lists), "AP").plot("effort-gain")  # gains 1, 0 and 1: the 0 is on the diagonal
    assert "AP: 33% of the points on the diagonal (33% of all gain nothing), 0%" in (figure.description)
    assert not any(line.startswith("No ranking") for line in figure.spec["title"]["subtitle"])


def test_topics_without_relevant_documents_are_noted() -> None:
    found = effort_gain(join({"1": {"a": 1}, "2": {"b": 0}}, {"run": {"1": {"a": 1.0}, "2": {"b": 1.0}}}), "AP")
    assert found.notes == ("1 topic has no relevant document: 2",)


def test_what_cannot_be_plotted_is_refused() -> None:
    runs = retrieving(1, 2)
    for bounds in ((0.25, 0.5), (0.5, 0.25, 0.75), (0.25, 0.25, 0.75)):
        with pytest.raises(InputError, match="three rising numbers"):
            effort_gain(runs, bounds=bounds)
    with pytest.raises(InputError, match="bounds must be a finite number, not nan"):
        effort_gain(runs, bounds=(0.25, float("nan"), 0.75))
    with pytest.raises(InputError, match=r"lower is better for RBPResidual"):
        effort_gain(runs, effort="RBPResidual(p=0.8)")
    with pytest.raises(InputError, match="Twist is the effort measure"):
        effort_gain(runs, ("AP", "Twist"))
    with pytest.raises(InputError, match="a text"):
        effort_gain(runs, effort="runid")


def test_trec8_point_by_point(joined: Joined) -> None:
    """Mean and quadrants of 750 points, computed again with nothing but evaluate and a loop."""
    runs = joined("trec8-adhoc")
    found = effort_gain(runs)
    measures = ["Twist", "AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)"]
    values = runs.scores(measures).values.reshape(5, -1).tolist()
    assert found["points"].height == 750
    for measure, gain in zip(measures[1:], values[1:], strict=True):
        assert counted(found, measure) == plain_quadrants(values[0], gain)


def test_half_the_rankings_of_covid_are_good_at_a_high_price(joined: Joined) -> None:
    """A shallow pool as TREC 20 and 21 have it: the paper finds about 26% on the diagonal, half in the high-high."""
    found = effort_gain(joined("covid-round1"))
    for share in found["shares"].rows(named=True):
        assert share["diagonal"] == pytest.approx(0.26, abs=0.015)
        assert share["high_high"] == pytest.approx(0.49, abs=0.01)
        assert share["best_at_less_effort"] < 0.1  # "less than 10%"

"""Figures that compare runs topic by topic: what they draw of few topics, and what they say of one run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.experiments import EXPERIMENTS
from cranfield.plots import Figure, baselines
from cranfield.plumbing.errors import InputError
from cranfield.statistics.intervals import clause

QRELS = {t: {"a": 1} for t in "1234"}
BASE = {t: ["x", "a"] for t in QRELS}
BOLD = {"1": ["a"], "2": ["a"], "3": ["x", "y", "z", "a"], "4": ["x", "a"]}
"""RR of the baseline is 1/2 everywhere, that of the other 1, 1, 1/4 and 1/2."""
WORST = {t: ["x"] for t in QRELS}
TWO = {"base": BASE, "bold": BOLD}


def _rows(figure: Figure, *columns: str) -> list[dict[str, Any]]:
    """Return the rows of the first table that has these columns."""
    tables = figure.spec["datasets"].values()
    return next(rows for rows in tables if rows and set(columns) <= rows[0].keys())


def _bars(figure: Figure) -> int:
    return figure.to_bytes("svg").decode().count('aria-roledescription="bar"')


def test_a_bar_is_a_topic_against_the_median() -> None:
    """Of 1/2, 1 and 0 the median is 1/2; of 1/2, 1/4 and 0 it is 1/4."""
    figure = cf.plot("against-median", QRELS, {**TWO, "worst": WORST}, "RR")
    assert figure.description.startswith(
        "RR against the median of all runs, topic by topic. bold (mean RR 0.688) is above the median of 3 runs on "
        "2 topics, below it on 0 and equal to it on 2, from +0.000 (topic 4) to +0.500 (topic 1). base (mean RR 0.500) "
        "is above the median of 3 runs on 1 topic, below it on 0 and equal to it on 3"
    )
    topic = {row["topic"]: row for row in _rows(figure, "median", "from", "to") if row["run"] == "bold"}
    assert [topic[t]["median"] for t in "1234"] == [0.5, 0.5, 0.25, 0.5]
    assert [topic[t]["difference"] for t in "1234"] == [0.5, 0.5, 0.0, 0.0]
    assert (topic["1"]["from"], topic["1"]["to"]) == (-0.5, 0.5)
    assert _bars(figure) == 3 * 4


def test_of_many_runs_the_best_the_middle_and_the_worst_are_shown(campaign: Path) -> None:
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    order = runs.scores("AP").sorted_by("AP").runs
    figure = cf.plot("against-median", runs)
    panels = figure.spec["vconcat"]
    assert [panel["title"]["text"] for panel in panels] == [order[0], order[2], order[5]]
    assert panels[0]["title"]["subtitle"][0].startswith("best of 6 runs, mean AP 0.")
    [domain] = {tuple(panel["layer"][1]["encoding"]["y"]["scale"]["domain"]) for panel in panels}
    assert domain[0] < 0 < domain[1]
    assert "The best, the middle and the worst of 6 runs by AP." in figure.spec["title"]["subtitle"]


def test_of_runs_that_are_level_none_is_called_the_best() -> None:
    figure = cf.plot("against-median", QRELS, dict.fromkeys("abcd", WORST), "RR")
    assert "Three of 4 runs level by RR." in figure.spec["title"]["subtitle"]
    assert [panel["title"]["subtitle"] for panel in figure.spec["vconcat"]] == [["mean RR 0.0000"]] * 3


def test_one_run_alone_has_no_median_and_says_so() -> None:
    for name in ("against-median", "recall-precision"):
        figure = cf.plot(name, QRELS, {"bold": BOLD}, *([["RR"]] if name == "against-median" else []))
        assert "One run has no median to compare with" in " ".join(figure.spec["title"]["subtitle"])
        assert _bars(figure) == 4


def test_recall_and_precision_are_those_of_the_measures(campaign: Path) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", [f"IPrec@{i / 10}" for i in range(11)])
    figure = cf.plot("recall-precision", campaign / "qrels.txt", campaign / "runs")
    drawn = {(row["run"], row["recall"]): row["value"] for row in _rows(figure, "recall", "value")}
    assert drawn == pytest.approx(
        {(run, i / 10): scores.averages[i, r] for i in range(11) for r, run in enumerate(scores.runs)}
    )
    alone = scores.plot("recall-precision")
    assert "median" not in str(alone.spec["title"])
    with pytest.raises(InputError, match="drawn from IPrec at several levels of recall"):
        cf.plot("recall-precision", QRELS, TWO, "AP")


def test_weighted_means_and_logarithms_are_called_so() -> None:
    weighted = cf.evaluate(QRELS, TWO, "RR").weighted_by({"1": 3, "2": 1, "3": 1, "4": 1})
    [first, _] = weighted.plot("against-median").spec["vconcat"]
    assert first["title"]["subtitle"] == ["mean weighted RR 0.7917"]  # (3 · 1 + 1 + 1/4 + 1/2) / 6
    figure = cf.plot("estimation", QRELS, TWO, "gmAP")
    left = figure.spec["vconcat"][0]["hconcat"][0]
    assert left["layer"][0]["encoding"]["y"]["title"] == "logarithm of gmAP"
    low, high = left["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low < math.log(1 / 4) < math.log(1 / 2) < 0 < high


def test_several_collections_stand_side_by_side() -> None:
    few = {t: QRELS[t] for t in "123"}
    for name in ("recall-precision", "against-median", "estimation", "influence", "risk"):
        figure = cf.plot(name, QRELS, TWO, also={"few": (few, TWO)})
        assert "few: " in figure.description, name
    assert _bars(cf.plot("against-median", QRELS, TWO, "RR", also={"few": (few, TWO)})) == 2 * (4 + 3)


def test_two_runs_are_joined_by_a_line_for_each_topic() -> None:
    """Differences of 1/2, 1/2, −1/4 and 0: by 3/16, ± t · s/√4 with t = 3.182 and s = 3/8, which is 0.597."""
    figure = cf.plot("estimation", QRELS, TWO, "RR")
    assert figure.title == "RR: bold minus base"
    lines = _rows(figure, "kind", "topic", "run")
    assert len(lines) == 2 * 4
    assert {row["kind"] for row in lines} == {"higher on 2 topics", "lower on 1 topic", "equal on 1 topic"}
    assert "bold +0.188 (95% interval -0.409 to +0.784), better on 2 topics and worse on 1 of 4." in figure.description
    left, right = figure.spec["vconcat"][0]["hconcat"]
    domains = [part["layer"][0]["encoding"]["y"]["scale"]["domain"] for part in (left, right)]
    assert [end - 0.5 for end in domains[0]] == pytest.approx(domains[1])  # 0 is at the mean of base
    one = cf.plot("estimation", QRELS, TWO, "RR", topic="1")
    assert "With one topic there is neither an interval nor a distribution." in one.spec["title"]["subtitle"]
    assert "nan" not in str(one.spec).casefold()


def test_an_interval_of_few_topics_says_how_seldom_such_held() -> None:
    said = " ".join(cf.plot("estimation", QRELS, TWO, "RR").spec["title"]["subtitle"])
    assert clause("difference", 4) in said
    assert "95% intervals covered the true difference in as few as 79 of 100 samples of real scores." in said
    other = EXPERIMENTS["estimation"](cf.join(QRELS, TWO), "RR", level=0.9).plot("estimation")
    assert "], 90%" in str(other.spec) and "low (90% interval)" in str(other.spec)
    assert "90% interval (Student's t)." in other.spec["title"]["subtitle"][1]
    assert "samples of real scores" not in " ".join(other.spec["title"]["subtitle"])


def test_several_runs_have_a_row_each(campaign: Path) -> None:
    found = EXPERIMENTS["estimation"](cf.join(campaign / "qrels.txt", campaign / "runs"), "AP")
    figure = found.plot("estimation")
    assert [row["run"] for row in _rows(figure, "label", "low")] == found["differences"]["run"].to_list()
    assert len(_rows(figure, "topic", "difference", "middle")) == 5 * 8


def test_many_topics_are_drawn_evenly() -> None:
    many = {str(t): {"a": 1} for t in range(700)}
    runs = {"base": {t: ["x", "a"] for t in many}, "bold": {t: ["a"] if t < "4" else ["x", "a"] for t in many}}
    figure = cf.plot("estimation", many, runs, "RR")
    assert "234 of 700 topics are drawn, evenly spaced; means are over all." in figure.spec["title"]["subtitle"]
    assert len(_rows(figure, "kind", "topic", "run")) == 2 * 234
    figure = cf.plot("against-median", many, runs, "RR")
    assert "One in 2 of 700 bars, in this order, is drawn" in " ".join(figure.spec["title"]["subtitle"])
    assert len(_rows(figure, "label", "median")) == 350


def test_influence_names_who_leads_without_a_topic() -> None:
    """Bold leads by 3/16; without topic 1 or 2 by 1/12 still, without both it is behind."""
    figure = cf.plot("influence", QRELS, TWO, "RR")
    assert figure.description.endswith(
        "By RR on 4 topics bold is ahead of base by 0.1875. It leads whichever single topic is left out. Its lead "
        "over base is gone without 2 topics: 1 and 2."
    )
    assert [row["kind"] for row in _rows(figure, "kind", "without")] == [
        *["one of the fewest that turn the lead"] * 2,
        *["any other topic"] * 2,
    ]


def test_what_is_equal_everywhere_says_so() -> None:
    level = {"base": BASE, "same": BASE}
    assert "By RR base and same are level." in cf.plot("influence", QRELS, level, "RR").spec["title"]["subtitle"]
    for runs, equal in ((level, True), ({**level, "too": BASE}, True), (TWO, False)):
        says = cf.plot("estimation", QRELS, runs, "RR").spec["title"]["subtitle"]
        assert ("All values are equal." in says) is equal


def test_every_row_keeps_its_name_in_a_column() -> None:
    runs = {f"run{i}": {t: [*"xyzw"[: i % 5], "a"] for t in QRELS} for i in range(20)}
    drawn = cf.plot("estimation", QRELS, runs, "RR").for_print("column").to_bytes("svg").decode()
    assert all(drawn.count(f">{run}</text>") == 1 for run in list(runs)[1:])


def test_influence_draws_the_topics_that_matter_most() -> None:
    many = {str(t): {"a": 1} for t in range(50)}
    runs = {"base": {t: ["x", "a"] for t in many}, "bold": {t: ["a"] if t == "7" else ["x", "a"] for t in many}}
    figure = cf.plot("influence", many, runs, "RR")
    assert "The 40 of 50 topics that move the lead most." in figure.spec["title"]["subtitle"]
    rows = _rows(figure, "kind", "without")
    assert len(rows) == 40
    assert rows[0]["topic"] == "7"
    assert "Without 1 topic, each alone, another run leads: 7 (then base and bold)." in figure.description


def test_a_histogram_counts_every_topic_once() -> None:
    """Differences of 1/2, 1/2, −1/4 and 0, in bars 1/20 wide that end at the multiples of that.

    The loss counts twice: of 1/2, 1/2, −1/2 and 0 the mean is 1/8, and its standard error √(11/48) / √4.
    """
    figure = cf.plot("risk", QRELS, TWO, "RR")
    bars = {(row["left"], row["right"], row["kind"]): row["count"] for row in _rows(figure, "left", "right")}
    assert bars == {(-0.25, -0.2, "hurt"): 1, (-0.0075, 0.0075, "equal"): 1, (0.45, 0.5, "helped"): 2}
    panel = figure.spec["concat"][0]["title"]
    assert panel["subtitle"] == ["better 2 (2 helped), equal 1, worse 1 (1 hurt)", "URisk +0.1250, TRisk +0.52"]
    assert figure.description.endswith(
        "By RR bold is better than base on 2 of 4 topics, equal on 1 and worse on 1, 1 of them by more than 0.1; worst "
        "on topic 3, -0.250; URisk +0.1250, TRisk +0.52."
    )


@pytest.mark.parametrize("margin", [0.0, 0.02, 0.1, 0.7])
def test_no_bar_straddles_0_or_the_margin(margin: float) -> None:
    """A difference of the margin itself is not more than the margin."""
    differences = [-0.9, -margin, -0.013, 0.0, 0.004, margin, 0.31]
    topics = pl.DataFrame({"topic": list("abcdefg"), "difference": differences})
    edges = baselines._edges(0.9, margin)
    bars = baselines._bars(topics, margin, edges)
    assert bars["count"].sum() == 7
    assert edges[0] == 0
    assert edges[-1] >= 0.9
    for left, right, kind in bars.filter(pl.col("kind") != "equal").select("left", "right", "kind").iter_rows():
        assert left * right >= 0
        fits = {"hurt": right <= -margin, "worse": left >= -margin, "better": right <= margin, "helped": left >= margin}
        assert fits[kind]


def test_histograms_side_by_side_have_one_scale(campaign: Path) -> None:
    figure = cf.plot("risk", campaign / "qrels.txt", campaign / "runs")
    panels = [panel["layer"][0]["encoding"] for panel in figure.spec["concat"]]
    assert len(panels) == 5
    for channel in "xy":
        [domain] = {tuple(panel[channel]["scale"]["domain"]) for panel in panels}
    assert domain[0] == 0
    tables = [rows for rows in figure.spec["datasets"].values() if "left" in rows[0]]
    assert [sum(row["count"] for row in rows) for rows in tables] == [8] * 5


@pytest.mark.parametrize("name", ["estimation", "risk", "influence"])
def test_a_comparison_needs_two_runs(name: str) -> None:
    with pytest.raises(InputError, match=r"alone|single run|only run"):
        cf.plot(name, QRELS, {"base": BASE}, "RR")


def test_figures_of_means_say_which_topics_are_missing() -> None:
    """As the tables do that they are drawn from: of qrels and runs, of scores, of comparisons and of leaderboards."""
    qrels = {str(t): {"a": 1} for t in range(1, 13)}
    runs = {"whole": {t: ["x", "a"] for t in qrels}, "lacks": {t: ["a"] for t in qrels if t not in {"2", "10"}}}
    table = cf.evaluate(qrels, runs, "RR").per_topic.remove(
        (pl.col("run") == "lacks") & pl.col("topic").is_in(["2", "10"])
    )

    def below(figure: Any) -> str:
        return " ".join(figure.spec["title"]["subtitle"])

    assert "1 of 2 runs lacks topics (lacks: 2, 10), which count 0." in below(cf.plot("leaderboard", qrels, runs, "RR"))
    shared = below(cf.plot("leaderboard", qrels, runs, "RR", topics="shared"))
    assert "Each run's own topics, 10 to 12 of 12 topics. 1 of 2 runs lacks topics (lacks: 2, 10), which are" in shared
    counted = "Missing topics counted 0: lacks (2, 10)."
    assert counted in below(cf.plot("leaderboard", table))
    assert counted in below(cf.leaderboard(table).plot("rank-intervals"))
    assert counted in below(cf.compare(qrels, runs, "RR").plot("critical-difference"))

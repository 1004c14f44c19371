"""No interval reaches beyond the values that its measure can have: of means, groups, differences, clicks, estimates."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.scoring.panel import limits_of

TOPICS = [str(n) for n in range(5)]
QRELS = {topic: {"a": 1, "b": 1, "c": 0} for topic in TOPICS}
GOOD = {topic: ["a", "b"] if topic != "0" else ["c", "x"] for topic in TOPICS}
"""Right on four topics of five: a mean of .8, whose t interval is ± .56."""
BAD = {topic: ["c", "x"] if topic != "1" else ["a"] for topic in TOPICS}


def test_means_and_differences_end_where_the_measure_does() -> None:
    scores = cf.evaluate(QRELS, {"good": GOOD, "bad": BAD}, ["P@2", "NumRet"])
    good, bad = scores.intervals().filter(measure="P@2").rows(named=True)
    assert (good["mean"], good["high"], bad["low"]) == (0.8, 1, 0)
    assert good["low"] == pytest.approx(0.8 - 2.7764451 * np.sqrt(0.2 / 5))
    numbers = scores.intervals().filter(measure="NumRet", run="bad").row(0, named=True)
    assert numbers["high"] > 1  # a count has no upper end
    compared = cf.compare(QRELS, {"good": GOOD, "bad": BAD}, "P@2").differences.row(0, named=True)
    assert compared["high"] == 1  # .7 ± .56: a difference of two shares is 1 at most
    assert compared["low"] == pytest.approx(0.7 - 2.7764451 * np.sqrt(0.2 / 5))


def test_groups_end_where_the_measure_does() -> None:
    scores = cf.evaluate(QRELS, {"good": GOOD, "bad": BAD}, "R@2")
    found = scores.by_group(dict.fromkeys(TOPICS, "all of them"))
    table = found.to_polars()
    assert table["low"].min() == 0
    assert table["high"].max() == 1
    assert "which end where the measure ends" in found.caption()


def test_clicks_end_where_the_measure_does_and_say_why_a_point_is_at_the_edge() -> None:
    """On each topic 5 of 10 users clicked a, which just reaches the cut of one half: in draws it often falls below."""
    topics = [f"t{n}" for n in range(12)]
    rows = [(t, d, int(d == "a" and user < 5), 1, f"{t}u{user}") for t in topics for user in range(10) for d in "ab"]
    log = pl.DataFrame(rows, ["qid", "docno", "clicks", "shown", "user"], orient="row")
    runs = {"x": {t: ["a", "b"] for t in topics}, "y": {t: ["b", "n", "a"] for t in topics}}
    found = cf.click_intervals(log, runs, [0.5], ["nDCG@4", "RR"], by="user", resamples=100)
    table = found.to_polars()
    assert table["mean"].to_list() == pytest.approx([1, 1 / 2, 1, 1 / 3])
    assert table.select(pl.max_horizontal("high", "most").max()).item() == 1
    assert table.select(pl.min_horizontal("low", "least").min()).item() >= 0
    assert (table["low"] == table["mean"]).all()
    [_, said] = found.remarks()
    assert said.startswith("at the edge of its interval: nDCG@4 of x, nDCG@4 of y, RR of x, RR of y")
    assert said.endswith("; the interval is corrected for the bias of resampling users")


def test_a_measure_that_is_not_known_here_has_no_ends() -> None:
    table = pl.DataFrame([(run, t, "ours", value) for run, values in (("x", [0.9, 1, 1, 0.1]), ("y", [0, 1, 0, 0]))
                          for t, value in zip("1234", values, strict=True)],
                         ["run", "topic", "measure", "value"], orient="row")  # fmt: skip
    assert limits_of("ours") == (-np.inf, np.inf)
    known = table.with_columns(measure=pl.lit("AP"))
    without, within = (cf.compare_scores(of).differences.row(0, named=True) for of in (table, known))
    assert without["high"] > 1 == within["high"]
    beyond = known.with_columns(pl.col("value") * 5)  # a table of percent, say: its own values tell where they end
    assert cf.compare_scores(beyond).differences["high"].item() > 1

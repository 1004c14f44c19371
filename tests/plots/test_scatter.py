"""Scatter: where each ranking lies, which are chosen, and what is said of those that are not drawn."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.plots import PLOTS, Figure, Material
from cranfield.plots.scatter import BRIGHT, MOST_POINTS, PALE
from cranfield.plumbing.errors import InputError

QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
RUNS = {"good": {"1": ["a", "b"], "2": ["c"]}, "late": {"1": ["x", "a"], "2": ["x", "y", "c"]}}


def points(figure: Figure) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = figure.spec["data"][0]["values"]
    return values


def opaque(figure: Figure, **signals: object) -> list[str]:
    """Return how opaque the points are drawn, once a page has set signals."""
    import re

    spec = deepcopy(dict(figure.spec))
    for signal in spec["signals"]:
        if signal["name"] in signals:
            signal["value"] = signals[signal["name"]]
    drawn = Figure("scatter", spec).to_bytes("svg").decode()
    marks = re.findall(r'<path aria-label="[^"]+ on [^"]*" role="graphics-symbol"[^>]*>', drawn)
    return [found[1] for mark in marks if (found := re.search(r'fill-opacity="([\d.]+)"', mark))]


def test_a_point_by_hand() -> None:
    """Of topic 1, late has a second and no b: RR 1/2, AP (1/2) / 2; of topic 2, c third: 1/3 by both."""
    figure = cf.plot("scatter", QRELS, RUNS, ["RR", "AP"])
    assert [(p["n"], p["run"], p["topic"], p["x"], p["y"]) for p in points(figure)] == [
        (0, "good", "1", 1.0, 1.0),
        (1, "good", "2", 1.0, 1.0),
        (2, "late", "1", 1 / 2, 1 / 4),
        (3, "late", "2", pytest.approx(1 / 3), pytest.approx(1 / 3)),
    ]
    assert figure.description == (
        "AP against RR. Of 4 rankings, RR from 0.333 to 1.000, half of them below 0.750; AP from 0.250 to 1.000, "
        "half of them below 0.667. 0% are in the upper half by only one."
    )


def test_points_are_those_of_the_scores() -> None:
    scores = cf.evaluate(QRELS, RUNS, ["RR", "NumRel"])
    expected = {
        (run, topic, measure): value for run, topic, measure, value in scores.per_topic.iter_rows()
    }  # fmt: skip
    figure = scores.plot("scatter")
    for point in points(figure):
        assert point["x"] == expected[point["run"], point["topic"], "RR"]
        assert point["y"] == expected[point["run"], point["topic"], "NumRel"]
    assert [scale["domain"] for scale in figure.spec["scales"]] == [[0, 1], [0, 2]]  # counts go on


def test_a_brush_and_what_is_kept_leave_others_pale() -> None:
    figure = cf.plot("scatter", QRELS, RUNS, ["RR", "AP"])
    bright, pale = str(BRIGHT), str(PALE)
    assert opaque(figure) == [bright] * 4
    assert opaque(figure, brush=[0.4, 0.6, 0.0, 1.0]) == [pale, pale, bright, pale]
    assert opaque(figure, brush=[0.0, 0.6, 0.3, 1.0]) == [pale, pale, pale, bright]
    assert opaque(figure, kept="0110") == [pale, bright, bright, pale]
    assert opaque(figure, kept="0110", brush=[1.0, 1.0, 1.0, 1.0]) == [pale, bright, pale, pale]


def drawn_of(per_topic: pl.DataFrame) -> Figure:
    tables: Mapping[str, pl.DataFrame] = {"per_topic": per_topic}
    return PLOTS["scatter"].of(Material("scores", {"per_topic": partial(tables.__getitem__, "per_topic")}, ""))


def long(values: list[float]) -> pl.DataFrame:
    n = len(values)
    half = {"run": ["r"] * n, "topic": [str(i) for i in range(n)]}
    parts = [pl.DataFrame({**half, "measure": [name] * n, "value": values}) for name in ("P", "Q")]
    return pl.concat(parts)


def test_of_very_many_some_are_drawn_and_keep_their_numbers() -> None:
    figure = drawn_of(long([i / 30_000 for i in range(30_000)]))
    assert len(points(figure)) == MOST_POINTS
    assert all(int(point["topic"]) == point["n"] for point in points(figure))
    assert "30,000 in all. A random sample of 25,000 is drawn." in " ".join(figure.spec["title"]["subtitle"])
    assert "Of 30,000 rankings" in figure.description


def test_what_has_no_value_is_left_out_and_said() -> None:
    figure = drawn_of(long([0.5, float("nan"), 0.7]))
    assert [point["n"] for point in points(figure)] == [0, 2]
    assert "1 without a value by one of the measures are left out." in " ".join(figure.spec["title"]["subtitle"])
    with pytest.raises(InputError, match="no ranking has a value by both P and Q"):
        drawn_of(long([float("nan")]))


@pytest.mark.parametrize("measures", [["AP"], ["AP", "RR", "nDCG"]])
def test_other_than_two_measures_are_refused(measures: list[str]) -> None:
    with pytest.raises(InputError, match=f"scatter needs two measures, not {', '.join(measures)}; give two with -m"):
        cf.plot("scatter", QRELS, RUNS, measures)


def test_names_of_all_kinds_are_drawn() -> None:
    odd = """it's "odd" <b>\\"""
    runs = {odd: {"1": ["a"]}, "datum.run": {"1": ["a"]}}
    drawn = cf.plot("scatter", {"1": {"a": 1}}, runs, ["RBP(p=0.8)", "AP"]).to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="ranking"') == 2
    assert "<b>" not in drawn

"""Gain by search drawn: every mean with its interval, and what is left out is said."""

from __future__ import annotations

import pytest

import cranfield as cf

QRELS = {"q1": {"a": 1, "d": 1}, "q2": {"g": 1}}
LISTS = {"q1": [["a"], ["x"], ["d"]], "q2": [["x"]]}


def test_what_is_drawn_is_what_the_table_says() -> None:
    found = cf.searches(QRELS, {"agent": LISTS}, ["R", "P@1"], level=0.9)
    figure = found.plot("gain-by-call")
    rows = [row for data in figure.spec["datasets"].values() for row in data if row["measure"] == "R"]
    assert [(row["searches"], row["value"], row["made"]) for row in rows[:3]] == [
        (1, 0.25, 2),
        (2, 0.25, 1),
        (3, 0.5, 1),
    ]
    table = found.by_call
    assert [(row["low"], row["high"]) for row in rows[:3]] == table.select("R low", "R high").rows()
    assert [panel["layer"][0]["mark"]["type"] for panel in figure.spec["concat"]] == ["area", "area"]
    said = str(figure.spec["title"]["subtitle"])
    assert "Lists that ended earlier are carried forward." in said
    assert "90% t intervals over topics" in said
    assert "R: agent 0.250 after the first search and 0.500 after 3 searches." in figure.description


def test_many_systems_have_no_bands_and_the_best_are_shown() -> None:
    systems = {f"s{n}": {"q1": [["x"] * n + ["a"]], "q2": []} for n in range(9)}
    figure = cf.searches(QRELS, systems, "RR").plot("gain-by-call")
    assert [layer["mark"]["type"] for layer in figure.spec["layer"]] == ["line", "point"]
    assert "The 7 of 9 systems with the highest RR at the end." in str(figure.spec["title"]["subtitle"])
    shown = {row["run"] for data in figure.spec["datasets"].values() for row in data}
    assert len(shown) == 7
    assert "s0" in shown


def test_one_topic_and_one_search() -> None:
    figure = cf.searches({"q2": {"g": 1}}, {"agent": {"q2": [["g"]]}}, "R").plot("gain-by-call")
    assert [layer["mark"]["type"] for layer in figure.spec["layer"]] == ["line", "point"]  # one topic has no interval
    assert "intervals" not in str(figure.spec["title"]["subtitle"])
    with pytest.raises(cf.InputError, match="gain-by-call takes no last_rank"):
        cf.searches(QRELS, {"agent": LISTS}).plot("gain-by-call", last_rank=3)

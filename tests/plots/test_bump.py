"""Places side by side: who stands where, who is named, and where the names stand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.plots.bumps import movers, spread
from cranfield.plumbing.errors import InputError


def test_places_are_those_of_the_means_and_level_runs_share_one() -> None:
    """RR sees the first document alone that is relevant, P@2 both: one and two change places, level is as one."""
    qrels = {"1": {"a": 1, "b": 1}}
    runs = {"one": {"1": ["a", "x"]}, "level": {"1": ["b", "y"]}, "two": {"1": ["x", "y", "a"]}}
    figure = cf.plot("bump", qrels, runs, ["RR", "R@2", "P@2"])
    rows = [row for data in figure.spec["datasets"].values() for row in data if {"column", "place"} <= row.keys()]
    assert {(row["column"], row["run"]): row["place"] for row in rows if row["column"] == "RR"} == {
        ("RR", "one"): 1, ("RR", "level"): 1, ("RR", "two"): 3,
    }  # fmt: skip
    assert figure.description == "Ranks of 3 runs by 3 measures, topic 1. By RR, R@2, P@2, none of 3 runs changes rank."
    assert "In colour" not in str(figure.spec["title"])


def test_less_is_better_where_it_is() -> None:
    """Recall is better the higher, the balance point the lower: the places follow the values."""
    qrels = {"1": {"a": 1, "b": 1}}
    runs = {"early": {"1": ["a", "x", "x2", "x3"]}, "late": {"1": ["x", "y", "a", "b"]}}
    figure = cf.plot("bump", qrels, runs, ["BalancePoint", "R@4"])
    rows = [row for data in figure.spec["datasets"].values() for row in data if {"column", "value"} <= row.keys()]
    found = {(row["column"], row["run"]): (row["value"], row["place"]) for row in rows}
    assert (found["R@4", "late"], found["R@4", "early"]) == ((1, 1), (0.5, 2))
    values = {run: found["BalancePoint", run][0] for run in runs}
    assert values["early"] != values["late"]
    assert found["BalancePoint", min(values, key=lambda run: values[run])][1] == 1


def test_of_many_runs_those_that_move_and_the_first_are_named() -> None:
    qrels = {str(t): {"a": 1} for t in range(70)}
    runs = {f"r{i:02}": {t: ["a"] if int(t) >= i else ["x", "a"] for t in qrels} for i in range(70)}
    runs["r69"] = {t: ["x", "a"] for t in qrels} | {"0": ["a"], "1": ["a"]}
    figure = cf.plot("bump", qrels, runs, ["RR", "R@2", "P@1"])
    bold = [row["name"] for data in figure.spec["datasets"].values() for row in data if row.get("strong")]
    assert "r69" in bold
    assert "Labelled: these, and the top 10 on each side, of 70 runs." in str(figure.spec["title"])
    names = [row["name"] for data in figure.spec["datasets"].values() for row in data if "name" in row]
    assert 20 <= len(names) <= 4 * (10 + 7)


def test_what_cannot_be_is_said() -> None:
    qrels, runs = {"1": {"a": 1}}, {"x": {"1": ["a"]}}
    with pytest.raises(InputError, match="bump needs two measures or more, not only AP; give more with -m"):
        cf.plot("bump", qrels, runs, "AP")
    with pytest.raises(InputError, match="bump needs two runs or more; one run has one rank"):
        cf.plot("bump", qrels, runs)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.sampled_from([0.5, 1.0, 2.5]))
def test_names_do_not_touch_and_stay_in_order(places: list[int], gap: float) -> None:
    wanted = np.sort(np.array(places, dtype=float))
    at = spread(wanted, gap)
    assert (np.diff(at) >= gap - 1e-9).all()
    assert at[0] >= 1
    apart = np.diff(wanted, prepend=-100, append=100)
    alone = (apart[:-1] >= len(wanted) * gap) & (apart[1:] >= len(wanted) * gap)
    assert at[alone] == pytest.approx(wanted[alone])  # what touches nothing stays where it is


def test_those_that_move_furthest_come_first() -> None:
    rows = [("a", 1), ("b", 2), ("c", 3), ("a", 3), ("b", 2), ("c", 1), ("a", 3), ("b", 1), ("c", 2)]
    found = movers(pl.DataFrame(rows, schema=["run", "place"], orient="row"))
    assert found.rows() == [("a", 1, 3, 2), ("c", 1, 3, 2), ("b", 1, 2, 1)]


def test_one_run_that_moves_is_the_run() -> None:
    """y is level with x by P@10, and below by AP."""
    runs = {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0, "a": 0.5}}}
    scores = cf.evaluate({"1": {"a": 1, "b": 0}}, runs, ["AP", "P@10"])
    assert "the run whose" in str(scores.plot("bump").spec["title"])

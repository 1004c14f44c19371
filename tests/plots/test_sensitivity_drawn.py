"""Settings of measures drawn: a cell is what the experiment's matrix says, a line where a run stands."""

from __future__ import annotations

import cranfield as cf
from cranfield.experiments import EXPERIMENTS


def test_a_cell_is_the_correlation_of_two_settings() -> None:
    """At p = 0.5 the run with one document in front is the best, at 0.9 the one with two behind."""
    one, two = ({"1": dict(zip(found, (3.0, 2.0, 1.0), strict=True))} for found in ("axy", "xab"))
    runs = cf.join({"1": {"a": 1, "b": 1}}, {"one": one, "two": two})
    found = EXPERIMENTS["sensitivity"](runs, ("RBP", "P@1"), sweep="p=0.5|0.9")
    figure = found.plot("sensitivity-matrix")
    cells = [row for data in figure.spec["datasets"].values() for row in data]
    matrix = {row["setting"]: row for row in found["matrix"].rows(named=True)}
    assert len(cells) == 3 * 3
    assert all(cell["value"] == matrix[cell["down"]][cell["across"]] for cell in cells)
    [apart] = [cell for cell in cells if (cell["down"], cell["across"]) == ("RBP(p=0.5)", "RBP(p=0.9)")]
    assert (apart["value"], apart["furthest"], apart["moved"]) == (-1, 1, "one")
    assert figure.to_bytes("svg").decode().count('aria-roledescription="rect mark"') == 9
    assert "RBP(p=0.8), p: τ_b from -1.000, on average -1.000" in figure.description
    assert figure.spec["layer"][0]["encoding"]["x"]["sort"] == ["RBP(p=0.5)", "RBP(p=0.9)", "P@1"]  # as asked for


def test_of_too_many_settings_there_are_no_numbers() -> None:
    runs = {f"r{i}": {"1": [*"xyz"[:i], "a", "b"]} for i in range(4)}
    sweep = "p=" + "|".join(f"0.{n}" for n in range(50, 90))
    found = EXPERIMENTS["sensitivity"](cf.join({"1": {"a": 1, "b": 1}}, runs), "RBP", sweep=sweep)
    figure = found.plot("sensitivity-matrix")
    assert len(figure.spec["layer"]) == 1
    assert "In bold" not in str(figure.spec["title"])


def test_a_line_is_a_run_between_the_settings_where_it_moves_furthest() -> None:
    """Of p from 0.5 to 0.9 the ends alone are shown: there the two runs change places."""
    one, two = ({"1": dict(zip(found, (3.0, 2.0, 1.0), strict=True))} for found in ("axy", "xab"))
    runs = cf.join({"1": {"a": 1, "b": 1}}, {"one": one, "two": two})
    found = EXPERIMENTS["sensitivity"](runs, ("RBP", "P@1"), sweep="p=0.5|0.9")
    figure = found.plot("sensitivity")
    [lines] = [rows for rows in figure.spec["datasets"].values() if rows and {"column", "place"} <= rows[0].keys()]
    assert {(row["column"], row["run"]): row["place"] for row in lines} == {
        ("RBP(p=0.5)", "one"): 1, ("RBP(p=0.5)", "two"): 2, ("RBP(p=0.9)", "one"): 2, ("RBP(p=0.9)", "two"): 1,
    }  # fmt: skip
    assert "p: τ_b from -1.000, on average -1.000; one moves furthest, 1 rank" in figure.description
    assert figure.to_bytes("svg").decode().count('aria-roledescription="line mark"') == 2


def test_panels_of_many_runs_do_not_grow_with_them() -> None:
    """A run of 70 has its relevant document one rank below the run before it."""
    runs = {f"r{i:02}": {"1": [*(f"x{j}" for j in range(i)), "a"]} for i in range(70)}
    found = EXPERIMENTS["sensitivity"](cf.join({"1": {"a": 1}}, runs), ("RBP",), sweep="p=0.5|0.9")
    assert found.plot("sensitivity").spec["height"] < 400

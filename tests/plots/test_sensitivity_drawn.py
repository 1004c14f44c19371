"""Settings of measures drawn: a cell is what the experiment's matrix says."""

from __future__ import annotations

import cranfield as cf
from cranfield.experiments import EXPERIMENTS


def test_a_cell_is_the_correlation_of_two_settings() -> None:
    """At p = 0.5 the run with one document in front is the best, at 0.9 the one with two behind."""
    one, two = ({"1": dict(zip(found, (3.0, 2.0, 1.0), strict=True))} for found in ("axy", "xab"))
    runs = cf.join({"1": {"a": 1, "b": 1}}, {"one": one, "two": two})
    found = EXPERIMENTS["sensitivity"](runs, ("RBP", "P@1"), sweep="p=0.5|0.9")
    figure = found.plot("sensitivity")
    cells = [row for data in figure.spec["datasets"].values() for row in data]
    matrix = {row["setting"]: row for row in found["matrix"].rows(named=True)}
    assert len(cells) == 3 * 3
    assert all(cell["value"] == matrix[cell["down"]][cell["across"]] for cell in cells)
    [apart] = [cell for cell in cells if (cell["down"], cell["across"]) == ("RBP(p=0.5)", "RBP(p=0.9)")]
    assert (apart["value"], apart["furthest"], apart["moved"]) == (-1, 1, "one")
    assert figure.to_bytes("svg").decode().count('aria-roledescription="rect mark"') == 9
    assert "RBP(p=0.8), p: tau-b from -1.000, on average -1.000" in figure.description
    assert figure.spec["layer"][0]["encoding"]["x"]["sort"] == ["RBP(p=0.5)", "RBP(p=0.9)", "P@1"]  # as asked for


def test_of_too_many_settings_there_are_no_numbers() -> None:
    runs = {f"r{i}": {"1": [*"xyz"[:i], "a", "b"]} for i in range(4)}
    sweep = "p=" + "|".join(f"0.{n}" for n in range(50, 90))
    figure = EXPERIMENTS["sensitivity"](cf.join({"1": {"a": 1, "b": 1}}, runs), "RBP", sweep=sweep).plot("sensitivity")
    assert len(figure.spec["layer"]) == 1
    assert "In bold" not in str(figure.spec["title"])

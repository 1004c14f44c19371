"""A measure at several cutoffs: the table that it is drawn from, by hand, and what is refused."""

from __future__ import annotations

import pytest

import cranfield as cf

QRELS = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 1}}
RUNS = {"one": {"1": ["a", "b"], "2": ["a", "x", "b"]}, "two": {"1": ["x", "a"], "2": ["x", "y"]}}


def test_the_numbers_behind_the_at_and_of_budgets_are_the_axis() -> None:
    scores = cf.evaluate(QRELS, RUNS, ["AP", "R@1,3", "nDCG(dcg=exp-log2)@2", "IPrec@0"])
    table = scores.material().tables["cutoffs"]()
    assert table.filter(measure="R").rows() == [
        ("R", "cutoff", 1.0, "one", 0.5),
        ("R", "cutoff", 1.0, "two", 0.0),
        ("R", "cutoff", 3.0, "one", 1.0),
        ("R", "cutoff", 3.0, "two", 0.25),
    ]
    assert set(table["measure"]) == {"R", "nDCG(dcg='exp-log2')"}  # without a cutoff there is no place on the axis
    figure = scores.plot("cutoffs")
    assert figure.description.endswith(
        "R at cutoff 3: one 1.000, two 0.250. nDCG(dcg='exp-log2') at cutoff 2: one 0.807, two 0.193."
    )


def test_budgets_have_a_panel_of_their_own() -> None:
    chunks = {"small": {"q": [("d", 0, 10), ("d", 10, 20)]}, "large": {"q": [("d", 0, 100)]}}
    scores = cf.evidence({"q": [("d", 0, 20)]}, chunks, "EvidenceR(budget=10),EvidenceR(budget=40),EvidenceP@1,2")
    table = scores.material().tables["cutoffs"]()
    assert table.select("measure", "of").unique(maintain_order=True).rows() == [
        ("EvidenceR", "budget"), ("EvidenceP", "cutoff"),
    ]  # fmt: skip
    assert "EvidenceR at budget 40: small 1.000, large 1.000." in scores.plot("cutoffs").description


def test_measures_without_a_cutoff_are_not_drawn() -> None:
    with pytest.raises(cf.InputError, match="the table cutoffs has no rows"):
        cf.evaluate(QRELS, RUNS, "AP").plot("cutoffs")

"""Curves drawn: every rank of every run, the ideal and where it levels off, and the distances for a pointer."""

from __future__ import annotations

import pytest

import cranfield as cf
from cranfield.plotting import plot
from cranfield.plumbing.errors import InputError

QRELS = {"1": {"a": 2, "b": 1, "c": 0}}
RUNS = {"late": {"1": ["x", "b", "a", "y"]}, "good": {"1": ["a", "b", "c", "x"]}}


def _rows(figure: cf.Figure, column: str) -> list[dict[str, object]]:
    return [row for data in figure.spec["datasets"].values() for row in data if column in row]


def test_a_pointer_is_told_both_distances() -> None:
    """The ideal has 2, 3, 3, 3 and late 0, 1, 3, 3: all of it one document later."""
    figure = plot("curves", QRELS, RUNS, "CG@4")
    late = [row for row in _rows(figure, "below") if row["run"] == "late"]
    assert [(row["rank"], row["below"], row["later"]) for row in late] == [(1, 2, 1), (2, 2, 1), (3, 0, 1), (4, 0, 2)]
    assert late[1]["per_cent"] == pytest.approx(200 / 3)
    assert [row["at"] for row in late] == [0, 1, 2, 2]  # where the horizontal line begins
    rules = [layer for layer in figure.spec["layer"] if layer["mark"]["type"] == "rule"]
    assert [{"x2", "y2"} & set(rule["encoding"]) for rule in rules] == [set(), {"y2"}, {"x2"}]
    assert figure.description.endswith("The ideal levels off at rank 2.")
    assert [row["says"] for row in _rows(figure, "says")] == ["ideal levels off at rank 2"]
    assert "ideal levels off" not in str(plot("curves", QRELS, RUNS, "nDCG@4").spec["datasets"])  # level from the start


def test_every_measure_has_a_panel_with_the_same_runs_in_colour() -> None:
    runs = {f"r{i}": {"1": [*"xyzuvw"[:i], "a", "b"]} for i in range(7)}
    figure = plot("curves", QRELS, runs, ["CG@8", "DCG@8", "nCG@8", "nDCG@8"])
    titles = [panel["layer"][1]["encoding"]["y"]["title"] for panel in figure.spec["concat"]]
    assert titles == ["CG", "DCG", "nCG", "nDCG"]  # of one topic, and no means
    assert figure.title == "CG, DCG, nCG, nDCG at every rank, topic 1"
    of_two = plot("curves", QRELS | {"2": {"a": 1}}, runs, "CG@8")
    assert of_two.spec["layer"][1]["encoding"]["y"]["title"] == "CG, mean over topics"
    assert of_two.title == "CG at every rank"
    domains = [panel["layer"][1]["encoding"]["color"]["scale"]["domain"] for panel in figure.spec["concat"]]
    assert domains == [["r0", "r1", "r2", "r3", "r4", "r5", "ideal"]] * 4
    assert "In colour: the 6 runs whose CG is highest at rank 8, the other 1 in grey." in str(figure.spec["title"])
    lines = figure.to_bytes("svg").decode().count('aria-roledescription="line mark"')
    assert lines == 4 * 8  # seven runs and the ideal
    drawn = {(row["run"], row["rank"]) for row in _rows(figure, "value")}
    assert len(drawn) == 8 * 8


def test_precision_recall_curves_by_grade() -> None:
    figure = plot("curves", QRELS, RUNS, ["IPrec(rel=1)", "IPrec(rel=2)"])
    assert "IPrec(rel=2) on average over the levels: good 1.000, late 0.333, ideal 1.000." in figure.description
    runs = {f"r{i}": {"1": [*"xyzuvw"[:i], "a"]} for i in range(7)}  # nobody has b: at recall 1 all have nothing
    colour = plot("curves", QRELS, dict(reversed(runs.items())), "IPrec").spec["layer"][1]["encoding"]["color"]
    assert colour["scale"]["domain"] == ["r0", "r1", "r2", "r3", "r4", "r5", "ideal"]
    with pytest.raises(InputError, match="curves by rank and by recall have no axis in common"):
        plot("curves", QRELS, RUNS, ["IPrec", "P@5"])


def test_what_stands_beside_the_runs_is_black_and_no_run() -> None:
    figure = cf.curve(QRELS, RUNS, "CRP", last_rank=4).plot("curves")
    colour = figure.spec["layer"][0]["encoding"]["color"]["scale"]
    assert colour["domain"] == ["late", "good", "ideal", "full-scale"]
    assert colour["range"][2:] == ["#1f2328", "#1f2328"]
    dashes = figure.spec["layer"][0]["encoding"]["strokeDash"]["scale"]["range"]
    assert len({str(dash) for dash in dashes[2:]}) == 2


@pytest.mark.integration
def test_a_still_picture_has_nothing_that_nobody_sees() -> None:
    """A pointer finds the nearest of 400 ranks of each list; as SVG all these points and cells were megabytes."""
    lists = {str(t): [f"d{i}" for i in range(400)] for t in range(3)}
    qrels = {t: {f"d{i}": int(i % (3 + int(t)) == 0) for i in range(400)} for t in lists}
    figure = cf.plot("curves", qrels, {"one": lists, "two": {t: found[::-1] for t, found in lists.items()}}, "nDCG@400")
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="point"') == 0
    assert len(drawn) < 40_000
    ranks = {row["rank"] for table in figure.spec["datasets"].values() for row in table if "reference" in row}
    assert {*range(1, 51), 400} < ranks
    assert len(ranks) <= 250

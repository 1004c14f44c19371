"""The figure of two lists: which documents are drawn, where, and what is left out."""

from __future__ import annotations

import re
from typing import Any

import pytest

import cranfield as cf
from cranfield.plots import Figure
from cranfield.plots.theme import JUDGED, UNJUDGED
from cranfield.plumbing.errors import InputError


def rows(figure: Figure, *columns: str) -> list[list[dict[str, Any]]]:
    """Return the tables that have these columns."""
    return [table for table in figure.spec["datasets"].values() if table and {*columns} <= table[0].keys()]


def test_lines_places_and_rings_by_hand() -> None:
    """By DCG both have r, at 1 and 3; only one has s, at 2; the other's best exchange is of 1 and 3."""
    qrels = {"1": {"r": 2, "s": 1, "n": 0}}
    found = cf.why(qrels, {"one": {"1": ["r", "s"]}}, {"two": {"1": ["n", "x", "r"]}}, "DCG")
    figure = found.plot("why")
    [lines] = rows(figure, "place", "size")
    points = {document: [(p["x"], p["y"]) for p in lines if p["document"] == document] for document in "rs"}
    first, second, third = 34.0, 52.0, 70.0
    assert points["r"] == [(0.0, first), (0.14, first), (0.86, third), (1.0, third)]
    assert points["s"] == [(0.0, second), (0.14, second)]
    assert {line["document"]: line["size"] for line in lines}["r"] == pytest.approx(2 - 2 / 2)  # log2(1 + 3) is 2
    [*_, places] = sorted(rows(figure, "rank", "ring"), key=len)
    assert {(p["document"], p["rank"]) for p in places if p["ring"]} == {("n", 1), ("r", 3)}
    assert len(places) == 5
    assert figure.title == "one leads two by 1.6309 in DCG on topic 1"  # 1 + 1 / log2(3)
    assert figure.description.startswith(  # after the title what that does not say
        f"{figure.title}. one has 2.6309, two 1.0000. 2 documents contribute, most of all r (grade 2, rank 1 in one, "
        "rank 3 in two) +1.0000; s (grade 1, rank 2 in one, not retrieved in two) +0.6309."
    )
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count(">not retrieved</text>") == 1
    assert JUDGED[UNJUDGED].lower() in drawn.lower()
    widths = sorted(float(width) for width in re.findall(r'stroke-width="([\d.]+)"[^>]*?/?>', drawn))
    assert 9 in widths  # the widest line


def test_what_speaks_for_the_worse_list_is_dashed() -> None:
    qrels = {"1": {"r": 3, "s": 1}}
    found = cf.why(qrels, {"one": {"1": ["s", "x"]}}, {"two": {"1": ["r", "x"]}}, "DCG")
    [lines] = rows(found.plot("why"), "against")
    assert {line["document"]: line["against"] for line in lines} == {"r": False, "s": True}
    assert "Dashed: in favour of one." in str(found.plot("why").spec["title"])
    less = cf.why(qrels, {"one": {"1": ["r"]}}, {"two": {"1": ["x", "r"]}}, "ESL")
    [lines] = rows(less.plot("why"), "against")
    assert less.better == "one"
    below = {row["document"]: row["contribution"] < 0 for row in less.deciding.iter_rows(named=True)}
    assert {line["document"]: line["against"] for line in lines}.items() <= below.items()


def test_ranks_at_which_nothing_counts_are_left_out() -> None:
    """Of 1,000 documents the first ten are drawn, and the one that contributes; the rails of others end with dots."""
    long = [f"x{i}" for i in range(1000)]
    long[699] = "r"
    found = cf.why({"1": {"r": 1, "x3": 0}}, {"short": {"1": ["r"]}}, {"long": {"1": long}}, "AP")
    figure = found.plot("why")
    [*_, places] = sorted(rows(figure, "rank", "ring"), key=len)
    assert [p["rank"] for p in places] == [1, *range(1, 11), 700]
    heights = {p["rank"]: p["y"] for p in places}
    assert heights[700] == heights[10] + 18 + 10
    rails = {rail["x"]: rail["length"] == rail["last"] for rail in rows(figure, "last", "length")[0]}
    assert rails == {0.0: True, 1.0: False}


def test_most_are_said_and_the_widest_are_drawn() -> None:
    qrels = {"1": {f"r{i:02}": 1 for i in range(40)}}
    found = cf.why(qrels, {"all": {"1": [*qrels["1"]]}}, {"none": {"1": ["x"]}}, "DCG")
    figure = found.plot("why")
    [lines] = rows(figure, "place", "size")
    assert {line["document"] for line in lines} == {f"r{i:02}" for i in range(15)}
    rest = found.documents["contribution"].sort(descending=True)[15:].sum()
    assert f"25 further documents not drawn, {rest:+.4f} together." in str(figure.spec["title"]).replace("', '", " ")


def test_nothing_to_contribute_and_nothing_to_draw() -> None:
    none = cf.plot("why", {"1": {"r": 0}}, {"one": {"1": ["r"]}, "two": {"1": ["x"]}})
    assert none.title == "one and two tie in nDCG@10 on topic 1"
    assert "No document of either list contributes." in none.description
    assert none.to_bytes("svg")
    alone = cf.why({"1": {"r": 1}, "2": {"r": 1}}, {"one": {"1": ["r"]}}, {"two": {"2": ["r"]}}, "AP", topic="1")
    assert "rank 1 in one, not retrieved in two" in alone.plot("why").description
    with pytest.raises(InputError, match="why: there is nothing to draw; the table documents has no rows"):
        cf.why({"1": {"r": 1}, "2": {}}, {"one": {"1": ["r"]}}, {"two": {"1": ["r"]}}, "AP", topic="2").plot("why")


def test_of_many_runs_the_two_best_are_drawn() -> None:
    qrels = {"1": {"r": 1}}
    runs = {"worst": {"1": ["x", "y", "r"]}, "second": {"1": ["x", "r"]}, "best": {"1": ["r"]}}
    assert cf.plot("why", qrels, runs, "AP").title == "best leads second by 0.5000 in AP on topic 1"
    assert cf.plot("why", qrels, {name: runs[name] for name in ("worst", "best")}).spec["datasets"]
    with pytest.raises(InputError, match="why takes two runs; only one is given"):
        cf.plot("why", qrels, {"best": runs["best"]})
    with pytest.raises(InputError, match="why takes one measure, not 2"):
        cf.plot("why", qrels, runs, ["AP", "RR"])

"""Truncated lists drawn: what they are worth by length, how long the best are, and how runs stand when cut."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.experiments import EXPERIMENTS
from cranfield.plots import plot_named
from cranfield.plotting import plot, plot_collections

DOCS = [f"d{i:02}" for i in range(1, 31)]
LATE = {"1": {doc: int(rank > 10) for rank, doc in enumerate(DOCS, 1)}}


def _rows(figure: cf.Figure, *columns: str) -> list[dict[str, Any]]:
    return [row for data in figure.spec["datasets"].values() for row in data if set(columns) <= set(row)]


def test_ten_documents_for_nothing_as_in_the_paper() -> None:
    """Figure 1: ten documents that are not relevant, then relevant ones, at an effort of 1/20 each."""
    measures = ["DCGU(e=0.05)", "ERRU(e=0.05)", "RBU(p=0.8,e=0.05)", "RBU(p=0.98,e=0.05)", "RBPU(p=0.98,e=0.05)"]
    figure = plot("truncation-utility", LATE, {"late": {"1": DOCS}}, measures)
    rows = _rows(figure, "scaled", "length")
    of = {name: [row["scaled"] for row in rows if row["measure"] == name] for name in {row["measure"] for row in rows}}
    assert len(of) == 5
    for name, values in of.items():
        curve = values[:31]
        assert max(map(abs, curve)) == pytest.approx(1)
        assert all(b <= a for a, b in pairwise(curve[:11])), name  # each document costs
        assert (max(curve[1:]) > 0) == (name in {"DCGU", "RBPU(p=0.98)", "RBU(p=0.98)"}), name  # who is paid back
    ends = {row["measure"]: row["length"] for row in rows if row["scaled"] == max(of[row["measure"]])}
    assert ends["RBU(p=0.98)"] == 14  # "a progressive decrease after position 15"
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="line mark"') == 5
    assert drawn.count('aria-roledescription="point"') == 5


def test_prefixes_are_worth_what_the_cut_lists_are() -> None:
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
    lists = {"one": {"1": ["x", "a", "b"], "2": ["c"]}, "two": {"1": ["b", "y"]}}
    found = EXPERIMENTS["truncation"](cf.join(qrels, lists), ("SetF", "OIE"))
    for row in found["prefixes"].rows(named=True):
        cut = {run: {t: docs[: row["length"]] for t, docs in topics.items()} for run, topics in lists.items()}
        values = [
            cf.evaluate({t: qrels[t]}, {run: {t: docs}}, row["measure"]).values.item()
            if docs
            else EXPERIMENTS["truncation"](cf.join({t: qrels[t]}, {run: {t: lists[run][t]}}), row["measure"])[
                "prefixes"
            ]["value"][0]
            for run, topics in cut.items()
            for t, docs in topics.items()
        ]
        assert row["value"] == pytest.approx(sum(values) / 3)


def test_a_bar_is_an_interval_and_a_stroke_the_topics_beside_it() -> None:
    qrels = {"1": {"a": 1}, "2": dict.fromkeys(DOCS[:6], 1)}
    runs = {"one": {"1": ["a", "x"], "2": [*DOCS[:6], "y"]}, "lost": {"1": ["z"], "2": ["q"]}}
    found = EXPERIMENTS["truncation"](cf.join(qrels, runs), ("SetF", "OIE"))
    figure = found.plot("optimal-length")
    table = found["intervals"]
    rows = _rows(figure, "interval", "share", "relevant")
    assert [row["share"] for row in rows] == [*table["SetF"], *table["OIE"]]
    assert [row["relevant"] for row in rows] == [*table["relevant documents"]] * 2
    assert table["SetF"].to_list() == [0.5, 0.25, 0.25]  # two lists are lost, one has 1 and one 6
    assert "SetF: 50.0% of 4 lists are best empty, 0.0% whole" in figure.description
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="bar"') == 2 * table.height
    assert drawn.count('aria-roledescription="tick"') == 2 * table.height
    assert "title" not in plot("optimal-length", qrels, runs, "SetF").spec["layer"][0]


def test_a_point_is_a_run_of_a_collection() -> None:
    runs = {name: {"1": list(name), "2": list(name)} for name in ("abxy", "xaby", "xyab", "xyzw")}
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    joined = {"here": cf.join(qrels, runs), "there": cf.join({"1": {"b": 1}}, dict(list(runs.items())[:3]))}
    found = EXPERIMENTS["truncated-correlation"](joined, ("DCGU", "OIE"), full=("AP", "OIE", "RR", "P@2", "ERR"))
    figure = found.plot("full-against-truncated")
    panels = figure.spec["concat"]
    assert len(panels) == 4
    assert panels[0]["title"]["text"].startswith("OIE: τ_b ")
    assert len(_rows(figure, "cut", "whole")) == 4 * (4 + 3)
    assert "4 of here, 3 of there" in str(figure.spec["title"])
    assert "4 of 5 measures of whole lists" in str(figure.spec["title"])
    values = found["systems"].filter(collection="here", lists="truncated", measure="OIE")
    drawn = {row["run"]: row["cut"] for row in _rows(figure, "cut", "whole") if row["collection"] == "here"}
    assert drawn == dict(values.select("run", "value").iter_rows())
    assert figure.to_bytes("svg").decode().count('aria-roledescription="point"') == 28


def test_several_collections_are_the_experiments_own_affair() -> None:
    few = ({"1": {"a": 1}}, {name: {"1": list(name)} for name in ("axy", "xay", "xya")})
    more = ({"1": {"x": 1}}, few[1])
    figure = plot("full-against-truncated", *few, "OIE", also={"more": more})
    assert "3 of qrels, 3 of more" in str(figure.spec["title"])
    panels = plot("measure-correlation", *few, ["AP", "RR", "P@1"], also={"more": more}).spec["concat"]
    assert [panel["title"] for panel in panels] == ["qrels", "more"]


def test_collections_of_another_relevance_level_stand_beside_each_other(campaign: Path) -> None:
    """SetF is another measure in each, which the other collection has not."""
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    figure = plot_collections(plot_named("optimal-length"), {"one": runs, "two": runs.under(rel=2)}, ["SetF"])
    assert "SetF(rel=2)" in figure.description


def test_what_cut_lists_lose_is_drawn_by_level_beside_the_plain_threshold() -> None:
    qrels = {str(t): {"abcdefgh"[t % 8]: 1} for t in range(16)}
    runs = {name: {t: list(name) for t in qrels} for name in ("abcdefgh", "hgfedcba", "dcbahgfe")}
    found = EXPERIMENTS["cut-guarantee"](cf.join(qrels, runs), ("R", "AP"), levels=(0.25, 0.5), splits=40)
    figure = found.plot("cut-guarantee")
    panels = figure.spec["concat"]
    assert [panel["title"]["text"] for panel in panels] == ["at most 0.25", "at most 0.5"]
    rows = _rows(figure, "loss", "rule")
    table = found["runs"].filter(measure="R")
    assert len(rows) == 2 * table.height == 2 * 3 * 5 * 2
    for kind, column in (("with a guarantee", "lost"), ("plain threshold", "plain")):
        drawn = {(row["run"], row["rule"], row["loss"]) for row in rows if row["threshold"] == kind}
        assert drawn == set(table.select("run", "rule", column).iter_rows())
    assert "The first of 2 measures." in str(figure.spec["title"])
    lost = table.filter(level=0.5)["lost"].to_numpy()
    assert f"Level 0.5: with a guarantee {lost.min():.4f} to {lost.max():.4f}" in figure.description
    assert figure.to_bytes("svg").decode().count('aria-roledescription="point"') == 60

"""Tables of several collections: a column for each in what people read, stacked for programs, marks where p says so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.experiments.side_by_side import SideBySide
from cranfield.plumbing.tables import COLLECTION
from cranfield.results.latex import latex
from cranfield.results.people import markdown, plain

DECLARED = sorted(name for name, experiment in EXPERIMENTS.items() if experiment.side_by_side)

QRELS = {str(t): {"a": 1, "b": 1} for t in range(8)}
ORDERS = ("abxyz", "axbyz", "axybz", "xabyz", "xyabz", "xyzab")
"""By AP the runs fall from the first to the last; by RR the first three are level."""

OUTCOMES = {order: {t: int(t) % 3 > place % 3 for t in QRELS} for place, order in enumerate(ORDERS)}
"""Whether an answer was right, by run and topic."""


def lists(documents: str) -> dict[str, list[str]]:
    return {topic: list(documents) for topic in QRELS}


def study(orders: tuple[str, ...] = ORDERS) -> cf.JudgedRuns:
    return cf.join(QRELS, {name: lists(name) for name in orders})


def stacked(*rows: tuple[str, str, float | None, float | None]) -> pl.DataFrame:
    schema = {"collection": pl.String, "pair": pl.String, "tau": pl.Float64, "p": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


LAYOUT = SideBySide(("pair",), ("tau",), "p", "Kendall's test")
TWO = stacked(("old", "AP, RR", 0.9, 0.009), ("old", "AP, P", 0.5, 0.01), ("new", "AP, RR", -0.25, 0.05))


def test_by_hand_in_every_format() -> None:
    """A mark stands up to its level; what a collection lacks is empty."""
    assert plain(LAYOUT.sheet(TWO)) == (
        "pair          old         new\nAP, RR  0.9000 **  -0.2500 *\nAP, P   0.5000 **\n"
    )
    assert latex(LAYOUT.sheet(TWO)).splitlines()[4:6] == [
        r"AP, RR & 0.9000$^{**}$ & -0.2500$^{*}$\hphantom{$^{*}$} \\",
        r"AP, P & 0.5000$^{**}$ &         \\",
    ]
    assert r"0.9000<sup>\*\*</sup>" in markdown(LAYOUT.sheet(TWO))
    assert LAYOUT.table(TWO).rows() == [("AP, RR", 0.9, -0.25), ("AP, P", 0.5, None)]


def test_a_number_that_does_not_exist_has_no_mark() -> None:
    sheet = LAYOUT.sheet(stacked(("old", "AP, RR", None, 0.001), ("old", "AP, P", 0.5, None)))
    assert plain(sheet).splitlines()[1:] == ["AP, RR", "AP, P   0.5000"]


def test_several_values_have_a_row_each() -> None:
    layout = SideBySide(("pair", "rate"), ("tau", "p"))
    table = layout.table(TWO)  # the column rate is one that there is not always
    assert table.columns == ["pair", "value", "old", "new"]
    assert table.rows()[:2] == [("AP, RR", "tau", 0.9, -0.25), ("AP, RR", "p", 0.009, 0.05)]
    assert (layout.legend, LAYOUT.legend) == ("", "* p ≤ 0.05, ** p ≤ 0.01: Kendall's test")


@pytest.mark.parametrize("name", DECLARED)
def test_what_is_declared_is_there(name: str) -> None:
    """The columns of a layout are columns of its table, and together they say which row it is."""
    experiment = EXPERIMENTS[name]
    for table, layout in experiment.side_by_side.items():
        columns = {column.name: column.kind for column in experiment.tables[table].columns}
        assert layout.rows
        assert layout.values
        assert set(layout.rows) | set(layout.values) | ({layout.mark} if layout.mark else set()) <= set(columns)
        assert all(columns[value] in {"number", "whole number"} for value in layout.values)
        assert bool(layout.mark) == bool(layout.meaning)


def test_the_experiments_of_the_papers_tables_have_it() -> None:
    assert {"archetypes", "correlation", "discriminative-power", "downsampling", "effort-gain"} <= set(DECLARED)


@pytest.mark.parametrize("name", DECLARED)
def test_every_number_of_the_stacked_table_is_in_it_once(name: str) -> None:
    options: dict[str, Any] = {"resamples": 100} if name in {"correlation", "discriminative-power"} else {}
    options |= {"repetitions": 2} if name == "downsampling" else {}
    options |= {"outcomes": OUTCOMES} if name == "outcome" else {}
    options |= {"measures": ["AP", "RR"]} if "measures" in EXPERIMENTS[name].takes else {}
    both = {"here": study(), "there": study(ORDERS[1:])}
    found = EXPERIMENTS[name](both, **options)
    for table, layout in found.side_by_side.items():
        rows, wide = found.to_polars(table=table), found.table(table=table)
        assert wide.columns[-2:] == ["here", "there"]
        assert rows.select(COLLECTION, *(key for key in layout.rows if key in rows.columns)).is_unique().all()
        values = [value for row in rows.select(layout.values).rows() for value in row]
        cells = [cell for row in wide.select("here", "there").rows() for cell in row]
        assert sorted(v for v in values if v is not None) == sorted(c for c in cells if c is not None)
    assert Findings.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert EXPERIMENTS[name](study(), **options).side_by_side == {}


def test_marks_are_those_of_kendalls_test() -> None:
    found = EXPERIMENTS["correlation"]({"here": study(), "there": study(ORDERS[:4])}, ["AP", "RR"], top=1, resamples=20)
    here, there = found["pairs"].select("correlation", "p").rows()
    assert here[1] < 0.05  # six runs, two pairs of them level by RR
    assert there[1] > 0.05
    shown = str(found.render("table", tables=["pairs"])).splitlines()
    assert shown[1].split() == ["measure_a", "measure_b", "here", "there"]
    assert shown[2].split() == ["AP", "RR", f"{here[0]:.4f}", "*", f"{there[0]:.4f}"]
    assert shown[3].startswith("* p ≤ 0.05, ** p ≤ 0.01: Kendall's test")
    assert found.caption().endswith(found.legend("pairs"))
    assert found.to_polars()["collection"].to_list() == ["here", "there"]  # programs have it stacked, as ever


def test_features_of_the_collections_stand_below() -> None:
    """Table 1 of the paper on Twist: topics, runs, how long they are, degrees of relevance."""
    graded = {topic: {"a": 3, "b": 1, "c": 0, "d": -1} for topic in "12"}
    runs = {"one": {"1": list("abcde"), "2": ["a"]}, "two": {"1": ["x"]}}
    found = EXPERIMENTS["archetypes"]({"binary": study(), "graded": cf.join(graded, runs, rel=2)})
    below = [line for line in str(found.render()).splitlines() if re.match(r"collection \w+: ", line)]
    assert below == [
        "collection binary: 6 runs, 8 topics, 2 grades, lists of up to 5",
        "collection graded: 2 runs, 2 topics, 3 grades, lists of up to 5, rel=2",
    ]


def test_on_the_command_line(tmp_path: Path) -> None:
    cf.write_qrels(cf.read_qrels(QRELS), tmp_path / "qrels.txt")
    folders = {"first": ORDERS, "second": ORDERS[1:]}
    for folder, orders in folders.items():
        (tmp_path / folder).mkdir()
        for name in orders:
            cf.write_run(cf.read_run(lists(name)), tmp_path / folder / f"{name}.run")
    also = f"second={tmp_path}/qrels.txt,{tmp_path}/second"
    command = ["experiment", "correlation", f"{tmp_path}/qrels.txt", f"{tmp_path}/first", "--also", also]
    command += ["-m", "AP", "-m", "RR", "--top", "1", "--resamples", "20"]
    shown = CliRunner().invoke(main, command)
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.splitlines()[1].split()[-1] == "second"
    assert "* p ≤ 0.05" in shown.stdout
    written = CliRunner().invoke(main, [*command, "--table", "pairs", "-o", f"{tmp_path}/pairs.md"])
    assert "* p ≤ 0.05" in written.stderr
    assert r"<sup>\*</sup>" in (tmp_path / "pairs.md").read_text()
    rows = CliRunner().invoke(main, [*command, "--table", "pairs", "--format", "csv"])
    assert rows.stdout.splitlines()[0].startswith("collection,measure_a,")
    assert "* p" not in rows.stderr
    out = CliRunner().invoke(main, [*command, "--out", f"{tmp_path}/out"])
    assert out.exit_code == 0
    assert Findings.read(tmp_path / "out").side_by_side["pairs"].mark == "p"

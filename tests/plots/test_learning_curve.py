"""What is learnt from judgments, drawn: four panels, each a column of the experiment's tables."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.experiments import EXPERIMENTS, Findings


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    folder = tmp_path_factory.mktemp("campaign")
    write_campaign(simulate(systems=6, topics=8, depth=50, seed=3), folder)
    runs = cf.join(folder / "qrels.txt", folder / "runs")
    return EXPERIMENTS["judging"](runs, methods=("pool", "A"), budgets=(50, 100, 400))


def test_panels_hold_what_the_tables_say(found: Findings) -> None:
    figure = found.plot("learning-curve")
    panels = figure.spec["concat"]
    assert len(panels) == 4
    names = [panel["layer"][0]["encoding"]["y"]["title"] for panel in panels]
    assert names[2] == "runs that could still be the best"

    def drawn(place: int) -> list[dict[str, object]]:
        data = panels[place].get("data") or panels[place]["layer"][0]["data"]
        return list(figure.spec["datasets"][data["name"]])

    relevant = found["relevant"].filter(missing="bypassed")["relevant"].to_list()
    assert [row["value"] for row in drawn(0)] == relevant
    assert [row["value"] for row in drawn(3)] == found["ranking"]["tau"].to_list()
    ranges = found["ranges"].filter(method="A", budget=100)
    best = ranges["base"].max()
    [rivals] = [row["value"] for row in drawn(2) if (row["method"], row["budget"]) == ("A", 100)]
    assert rivals == ranges.filter(pl.col("top") >= best).height
    [residual] = [row["value"] for row in drawn(1) if (row["method"], row["budget"]) == ("A", 100)]
    assert residual == pytest.approx(ranges["residual"].mean())
    marks = figure.to_bytes("svg").decode()
    assert marks.count('aria-roledescription="point"') == 4 * 2 * 3
    assert ">method</text>" in marks
    assert marks.count('aria-roledescription="rule mark"') == 2  # all judgments: residual, and runs that could win


def test_findings_read_back_are_drawn_alike(found: Findings, tmp_path: Path) -> None:
    found.write(tmp_path)
    again = Findings.read(tmp_path).plot("learning-curve")
    assert again.description == found.plot("learning-curve").description
    assert "After 400 judgments pool: relevant documents found" in again.description

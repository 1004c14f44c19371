"""Measures drawn: their correlations as a heat map, and where the runs lie by each."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield as cf
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.plots.between_measures import neighbours

NAMES = ("AP", "RR", "P@1", "nDCG")


@pytest.fixture(scope="module")
def found() -> Findings:
    """Three runs: by AP both > late > one, by RR and P@1 both = one > late."""
    both, one, late = ({"1": dict(zip(found, (3.0, 2.0, 1.0), strict=True))} for found in ("abx", "axy", "xab"))
    runs = cf.join({"1": {"a": 1, "b": 1}}, {"both": both, "one": one, "late": late})
    return EXPERIMENTS["correlation"](runs, NAMES, top=1, resamples=20)


def test_a_cell_is_the_correlation_of_two_measures(found: Findings) -> None:
    figure = found.plot("measure-correlation")
    cells = [row for data in figure.spec["datasets"].values() for row in data]
    matrix = {row["measure"]: row for row in found["matrix"].rows(named=True)}
    assert len(cells) == len(NAMES) ** 2
    assert all(cell["value"] == matrix[cell["down"]][cell["across"]] for cell in cells)
    assert figure.to_bytes("svg").decode().count('aria-roledescription="rect mark"') == 16
    assert "the most similar are AP and nDCG (1.000), the least P@1 and nDCG (0.000)" in figure.description
    order = figure.spec["layer"][0]["encoding"]["x"]["sort"]
    assert abs(order.index("RR") - order.index("P@1")) == 1
    assert "Kendall's τ_b of the means of 3 runs." in str(figure.spec["title"])
    by_rho = EXPERIMENTS["correlation"](_two(), ("AP", "RR"), top=1, resamples=5, kind="spearman")
    assert "Spearman's rho" in str(by_rho.plot("measure-correlation").spec["title"])


def _two() -> cf.JudgedRuns:
    return cf.join({"1": {"a": 1}}, {name: {"1": list(name)} for name in ("ax", "xa", "xya")})


def test_order_of_names_keeps_groups_together_and_loses_none() -> None:
    groups = np.array([0, 1, 0, 1, 0, 1])
    alike = np.where(groups[:, None] == groups, 0.9, 0.1)
    order = neighbours("ABCDEF", alike.tolist())
    assert sorted(order) == list("ABCDEF")
    assert {*order[:3]} in ({*"ACE"}, {*"BDF"})


def test_a_stroke_is_a_run_and_the_bar_holds_the_middle_half(found: Findings) -> None:
    figure = found.plot("measure-distribution")
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="tick"') == 4 * (3 + 1)  # three runs and the median, by each measure
    assert drawn.count('aria-roledescription="bar"') == 4
    # By AP the runs have 1, 1/2 and (1/2 + 2/3) / 2: quartiles 13/24, 7/12 and 19/24.
    assert "AP: median 0.583, the middle half from 0.542 to 0.792." in figure.description


def test_counts_have_an_axis_of_their_own() -> None:
    figure = EXPERIMENTS["correlation"](_two(), ("AP", "NumRet"), top=1, resamples=5).plot("measure-distribution")
    domains = [panel["layer"][0]["encoding"]["x"]["scale"].get("domain") for panel in figure.spec["vconcat"]]
    assert domains == [[0, 1], None]

"""One run against all others: its own curve in colour, its own panel, and its place among them."""

from __future__ import annotations

import json

import pytest

import cranfield as cf
from cranfield.plots.appendix_sheets import LEVELS
from cranfield.plumbing.errors import InputError

QRELS = {t: {"a": 1, "b": 1, "c": 0} for t in "12"}
RUNS = {f"r{place}": {t: {"abcxyzuv"[(place + n) % 8]: 9.0 - n for n in range(8)} for t in "12"} for place in range(8)}


@pytest.fixture(scope="module")
def scores() -> cf.Scores:
    return cf.evaluate(QRELS, RUNS, [*LEVELS, "AP"])


def test_a_run_that_is_asked_for_has_the_only_panel_and_colour(scores: cf.Scores) -> None:
    order = scores.sorted_by("AP").runs
    figure = scores.sorted_by("AP").plot("recall-precision", run="r3")
    written = json.dumps(figure.spec)
    assert figure.title == "Recall and precision of r3, and AP against the median"
    assert f"number {order.index('r3') + 1} of 8 runs, " in written
    assert "in grey all other runs" in written
    assert '"domain": ["r3"]' in written
    assert "the best by AP" not in written


def test_against_the_median_shows_the_run_that_is_asked_for(scores: cf.Scores) -> None:
    found = scores.sorted_by("AP").plot("against-median", run="r3").description
    assert "r3 (mean AP " in found
    assert "By AP r0" not in found


def test_a_run_that_is_not_there_is_refused(scores: cf.Scores) -> None:
    for name in ("recall-precision", "against-median"):
        with pytest.raises(InputError, match="no run is called 'r9'; the runs are r0, r1"):
            scores.plot(name, run="r9")
    with pytest.raises(InputError, match="leaderboard takes no run"):
        scores.plot("leaderboard", run="r1")


def test_a_run_may_be_called_anything() -> None:
    name = 'a"\n<b>'
    scores = cf.evaluate(QRELS, {name: RUNS["r0"], "r1": RUNS["r1"]}, "AP")
    assert "<b>" in scores.plot("against-median", run=name).description

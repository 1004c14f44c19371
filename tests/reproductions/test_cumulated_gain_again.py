"""Cumulated gain, done once more: every number beside what `evaluate`, `curve` and `compare` say on their own."""

from __future__ import annotations

from itertools import product
from math import ceil
from pathlib import Path

import numpy as np
import pytest

import cranfield as cf
from cranfield.reports.elements import ReportTable, Statement, unfolded
from cranfield.reproductions.papers.cumulated_gain.curves import _furthest, _lead_kept
from cranfield.results.sheet import Marked

CG = "CG(gains={1:1,2:10,3:100})"
AVERAGED = ("nCG(gains={1:1,2:10,3:100},averaged=True)@200", "nDCG(base=2,gains={1:1,2:10,3:100},averaged=True)@200")


@pytest.fixture(scope="module")
def runs(campaign: Path) -> cf.JudgedRuns:
    return cf.join(campaign / "qrels.txt", campaign / "runs")


@pytest.fixture(scope="module")
def found(runs: cf.JudgedRuns) -> cf.Reproduction:
    return cf.reproduce("cumulated-gain", runs)


@pytest.fixture(scope="module")
def three(runs: cf.JudgedRuns) -> cf.JudgedRuns:
    """Return the best run by averaged nCG, the one in the middle, and the last of the best three quarters."""
    means = cf.evaluate(runs, measures=AVERAGED[0]).means.sort("value", descending=True)["run"].to_list()
    return runs.of_runs([means[0], means[len(means) // 2], means[ceil(0.75 * len(means)) - 1]])


def table(found: cf.Reproduction, name: str) -> ReportTable:
    [only] = [each for each in found.document.tables() if each.name == name]
    return only


def statement(found: cf.Reproduction, item: str, part: str) -> Statement:
    [section] = [each for each in found.document.sections if each.name == item]
    [only] = [each for each in unfolded(section.blocks) if isinstance(each, Statement) and part in each.claimed]
    return only


def test_the_worked_vectors(found: cf.Reproduction) -> None:
    """Of four vectors the paper has two as they are; it cuts two values, and forgets one. No verdict is passed."""
    rows = table(found, "section-2-vectors").rows
    assert (rows["the paper"] == rows["calculated"]).to_list() == [True, False, True, False]
    assert "10.53 10.88 11.22" in rows["calculated"][3]


def test_ncg_is_1_when_all_relevant_documents_have_been_found_and_not_before() -> None:
    """Section 3.6 says so of the curves; it follows from equation 5, for any gains."""
    for grades in product(range(3), repeat=4):
        missed = [1]
        last = max((rank for rank, grade in enumerate(grades, 1) if grade), default=0)
        for rank in range(1, 5):
            value = cf.nCG(cutoff=rank).of(list(grades))
            ideal = sum(sorted(grades, reverse=True)[:rank])
            assert value == pytest.approx(sum(grades[:rank]) / ideal if ideal else 0)
            assert rank < last or not last or value == 1
        assert cf.nCG(cutoff=5).of(list(grades), missed) < 1


def test_distances_are_those_of_the_curves(found: cf.Reproduction, three: cf.JudgedRuns) -> None:
    own = cf.curve(three, measure=CG, last_rank=200).distances()
    assert table(found, "figure-1-distances").rows.equals(own.to_polars())
    said = statement(found, "figure-1", "43 to 531 points").found
    for run, note in zip(three.runs, own.notes, strict=False):
        points = note.partition(" is ")[2].partition(" below")[0]  # "0.16 to 41.78"
        least, _, most = points.partition(" to ")
        assert f"{run} by {float(least):.3g} to {float(most):.4g} points" in said


def test_the_gain_of_the_ideal_is_reached_where_the_curve_says(found: cf.Reproduction, three: cf.JudgedRuns) -> None:
    own = cf.curve(three, measure=CG, last_rank=1000)
    goal = own.ideal_average[9]
    said = statement(found, "figure-1", "30 documents").found
    for run, values in zip(own.runs, own.averages, strict=True):
        there = [rank for rank, value in enumerate(values, 1) if value >= goal * (1 - 1e-12)]
        assert f"{run}: {f'{there[0]} documents' if there else 'never'}" in said


def test_table_1_has_the_averages_and_tests(found: cf.Reproduction, three: cf.JudgedRuns) -> None:
    sheet = table(found, "table-1-averages").sheet
    columns = {column.name: column.cells for column in sheet.columns}
    tests = {
        test: {
            (measure, frozenset((one, other))): p
            for measure, one, other, p in cf.compare(three, measures=AVERAGED, test=test, alpha=0.01)
            .to_polars()
            .select("measure", "run_a", "run_b", "p_adjusted")
            .iter_rows()
        }
        for test in ("friedman", "anova")
    }
    for row, measure in enumerate(AVERAGED):
        name_here = str(cf.parse_measure(measure))
        means = dict(cf.evaluate(three, measures=measure).means.select("run", "value").iter_rows())
        assert {run: columns[run][row] for run in means} == pytest.approx(means)
        for name, cells in columns.items():
            if isinstance(cell := cells[row], Marked):
                high, low = name.split(" - ")
                assert cell.value == pytest.approx(means[high] - means[low])
                for test, mark in (("friedman", "**"), ("anova", "##")):
                    assert (mark in cell.marks) == (tests[test][name_here, frozenset((high, low))] <= 0.01)


def test_claims_rest_on_the_curves(found: cf.Reproduction, three: cf.JudgedRuns) -> None:
    """Eight topics, and lists that end early: the numbers are there, and what is needed for a verdict is not."""
    dcg = cf.curve(three, measure="DCG(base=2,gains={1:1,2:10,3:100})", last_rank=200)
    grow = statement(found, "figure-2", "still grow")
    assert grow.verdict == "cannot be told here"
    never = statement(found, "figure-2", "never reach the gain")
    for run, values in zip(dcg.runs, dcg.averages, strict=True):
        assert f"{run}: {values[-1] - values[189]:.2f}" in grow.found
        assert f"{run}: {dcg.ideal_average[9] - values[-1]:.2f} [" in never.found


def test_the_rank_at_which_a_run_is_furthest_below_the_ideal() -> None:
    """The ideal has 3 at once, the run at ranks 3, 4 and 5: below by 1, 2, 2, 1, 0, and by 100% at rank 1."""
    judged, run = {"1": {"a": 1, "b": 1, "c": 1}}, {"r": {"1": ["x", "y", "a", "b", "c"]}}
    curves = cf.curve(judged, run, "CG", last_rank=5)
    assert _furthest(curves, np.ones((1, 1))).tolist() == [[2.0], [1.0]]


def test_what_is_left_of_a_lead() -> None:
    """CG of the ideal 1 2 2, of the first 1 2 2 and the other 0 1 2: leads 1, 1/2 and 0 of the ideal's gain."""
    judged = {"1": {"a": 1, "b": 1}}
    curves = cf.curve(judged, {"first": {"1": ["a", "b"]}, "other": {"1": ["x", "a", "b"]}}, "CG", last_rank=2)
    assert _lead_kept(curves, np.ones((1, 1))).tolist() == [[0.5]]


def test_two_runs_by_hand() -> None:
    """One topic, one relevant document, at rank 1 and at rank 3: the ideal has it at once."""
    judged = {"1": {"a": 1}}
    runs = {"good": {"1": ["a", "x", "y"]}, "late": {"1": ["x", "y", "a"]}}
    found = cf.reproduce("cumulated-gain", judged, runs)
    assert statement(found, "figure-1", "turns horizontal").found.endswith("it levels off at rank 1.")
    assert statement(found, "figure-1", "43 to 531").found == (
        "good by 0 to 0 points (0 to 0%); late by 0 to 1 points (0 to 100%)."
    )
    assert (
        statement(found, "figure-1", "30 documents").found == "For the ideal's 10: good: 1 document; late: 3 documents."
    )
    assert statement(found, "section-4", "100 to 600").found == "200% more than by good."
    assert set(found.claims["verdict"]) == {"cannot be told here"}  # of one topic
    lacks = [section.blocks[-1] for section in found.document.sections if section.name in {"table-1", "section-3-3"}]
    assert [each.sentences[0][:21] for each in lacks if hasattr(each, "sentences")] == ["Not reproduced here. "] * 2

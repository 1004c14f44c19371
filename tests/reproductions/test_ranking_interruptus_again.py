"""Ranking interruptus, done once more: its numbers beside cut runs that are scored on their own, and scipy."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from scipy.stats import kendalltau

import cranfield as cf
from cranfield.axioms import AXIOMS
from cranfield.experiments.axioms import TABLE_1
from cranfield.experiments.truncation import TRUNCATED
from cranfield.reports.elements import Block, ReportTable, Statement, unfolded
from cranfield.reproductions import PAPERS
from cranfield.reproductions.papers.ranking_interruptus import cut_lists, cut_values
from cranfield.reproductions.papers.ranking_interruptus.arithmetic import SAID
from cranfield.reproductions.papers.ranking_interruptus.correlations import COVERED, FULL, PRINTED
from cranfield.reproductions.study import Study


@pytest.fixture(scope="module")
def study(campaign: Path) -> Study:
    """Return what items are done on, one level of relevance named, by which measures are named otherwise."""
    return Study({"qrels": cf.join(campaign / "qrels.txt", campaign / "runs", rel=1)})


def done(study: Study, label: str) -> list[Block]:
    [item] = [each for each in PAPERS["ranking-interruptus"].items if each.label == label]
    return list(unfolded(list(item.writer(study))))


def statement(blocks: list[Block], part: str) -> Statement:
    [only] = [each for each in blocks if isinstance(each, Statement) and part in each.claimed]
    return only


def table(blocks: list[Block], name: str) -> ReportTable:
    [only] = [each for each in blocks if isinstance(each, ReportTable) and each.name == name]
    return only


def test_what_the_paper_prints_is_whole() -> None:
    rows = [line.split() for line in PRINTED.split("\n") if line]
    assert [len(row) for row in rows] == [len(TRUNCATED)] * len(FULL)
    assert all(0.3 < float(value) <= 1 for row in rows for value in row)
    assert list(COVERED.values()) == sorted(COVERED.values(), reverse=True)
    assert sum(len(said.measures) * len(said.axioms) for said in SAID) > 50


def test_what_is_said_is_searched() -> None:
    for said in SAID:
        assert set(said.measures) <= set(TABLE_1)
        assert set(said.axioms) <= set(AXIOMS)


def test_the_lists_of_the_introduction(study: Study) -> None:
    of = {row[0]: row[1:] for row in table(done(study, "Section 1"), "values").rows.iter_rows()}
    assert of["RBP(p=0.8)"] == pytest.approx((1 - 0.8**10, 1 - 0.8**10, 1 - 0.8**10 + 0.2 * 0.8**19))
    assert of["FlatUtility"] == pytest.approx((10 - 0.5, 10 - 1, 11 - 1))
    assert of["SetF"] == pytest.approx((20 / 21, 20 / 31, 22 / 31))
    assert of["AP"] == pytest.approx((10 / 11, 10 / 11, (10 + 11 / 20) / 11))


def test_what_an_effort_pays_for(study: Study) -> None:
    """Flat utility: 1 - n/20 is 0 for n = 20; the claims of the documentation have the others."""
    said = statement(done(study, "Section 3.3"), "twenty").found
    assert "FlatUtility: 20 documents; DCGU: 94 documents; RBPU(p=0.8): any number" in said


def test_ten_documents_for_nothing(study: Study) -> None:
    """As the tests of the measures have it: from document 13 on, and highest at 14."""
    blocks = done(study, "Figure 1")
    assert "RBPU(p=0.8): from document 13 on" in statement(blocks, "never recover").found
    assert "ERRU: never" in statement(blocks, "never recover").found
    assert statement(blocks, "position 15").found == "It is highest at 14."
    assert statement(blocks, "very similar").found.endswith("0.37 for p = .9 and by up to 0.05 for p = .98.")


def test_cut_runs_are_those_of_cut(study: Study, campaign: Path) -> None:
    """Cut the runs, score what is left, and correlate by scipy."""
    qrels, folder = campaign / "qrels.txt", campaign / "runs"
    beside = table(done(study, "Table 2"), "beside-the-paper").rows
    here = {(full, cut): value for full, cut, _, value in beside.iter_rows()}
    for measure in ("OIE", "RBPU(p=0.98)", "DCGU"):
        cut = cf.cut(folder, oracle=measure, qrels=qrels)
        values = cf.evaluate(qrels, cut, measure, missing="empty").means.sort("run")["value"]
        for full in ("nDCG", "RBP(p=0.98)", "OIE"):
            whole = cf.evaluate(qrels, folder, full).means.sort("run")["value"]
            assert here[full, measure] == pytest.approx(kendalltau(values, whole).statistic)


def test_empty_lists_are_counted(study: Study, campaign: Path) -> None:
    whole = cf.read_runs(campaign / "runs")
    cut = cf.cut(campaign / "runs", oracle="OIE", qrels=campaign / "qrels.txt")
    topics = {run: whole[run]["query_id"].n_unique() for run in whole}
    left = {run: cut[run]["query_id"].n_unique() for run in cut}
    share = 1 - sum(left.values()) / sum(topics.values())
    oie = cut_lists(study).filter(measure="OIE")
    of_topics = oie.group_by("topic").agg(empty=(pl.col("length") == 0).mean())["empty"].to_numpy()
    assert (oie["length"] == 0).to_numpy().mean() == pytest.approx(share)
    said = statement(done(study, "Figure 2"), "intermediate")
    assert f"OIE {100 * of_topics.mean():.1f}% [" in said.found
    assert said.verdict == "cannot be told here"


def test_verdicts_are_told_on_the_first_collection(study: Study) -> None:
    lists = {"p": ("axb", "c"), "q": ("xab", "xc"), "r": ("yab", "xyc")}
    runs = {name: {"1": list(one), "2": list(two)} for name, (one, two) in lists.items()}
    small = cf.join({"1": {"a": 1, "b": 1}, "2": {"c": 1}}, runs, rel=1)
    both = Study({"large": study.runs, "small": small})
    for measure, values in cut_values(study).items():
        assert (cut_values(both)[measure] == values).all()
    alone, together = (statement(done(each, "Figure 3"), "full ranking RBP").found for each in (study, both))
    assert alone == together

"""Traces: the papers' systems by hand, and every number that of the measure that it is named after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.cli import main
from cranfield.plumbing.errors import InputError, MeasureError

HR, FR, PR, NR = 3, 2, 1, 0
SYSTEM_A = [HR, HR, FR, NR, PR, FR, NR, NR, NR, PR, HR]
SYSTEM_B = [HR, HR, PR, NR, FR, PR, NR, NR, FR, PR, FR, NR, HR, PR]


def written(grades: list[int]) -> dict[str, float]:
    """Return a list with documents of these grades: those of the topic, and x3 where there is none at rank 3."""
    left = {grade: [f"{grade}{letter}" for letter in "abcd"] for grade in (HR, FR, PR)}
    documents = [left[grade].pop(0) if grade else f"x{rank}" for rank, grade in enumerate(grades, start=1)]
    return {document: -float(place) for place, document in enumerate(documents)}


QRELS = {"t": {"3a": 3, "3b": 3, "3c": 3, "2a": 2, "2b": 2, "2c": 2, "1a": 1, "1b": 1, "1c": 1, "1d": 1, "x4": 0}}
RUNS = {"A": {"t": written(SYSTEM_A)}, "B": {"t": written(SYSTEM_B)}}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    write_campaign(simulate(systems=4, topics=5, depth=60, seed=3), folder)
    return folder


def test_the_systems_of_the_paper() -> None:
    """Angelini et al. (2012), section 2.1: RP, and where CRP ends; R = 10, N = 20."""
    found = cf.trace(QRELS, RUNS, n=20)
    rp = {run: found.steps.filter(pl.col("run") == run)["rp"].to_list() for run in RUNS}
    assert rp["A"] == [0, 0, -1, -7, -2, 0, -4, -3, -2, 0, 8] + [0] * 9
    assert rp["B"] == [0, 0, -4, -7, 0, -1, -4, -3, 3, 0, 5, 0, 10, 4] + [0] * 6
    ends = found.steps.filter(pl.col("rank") == 20)
    assert ends["crp"].to_list() == [-11, 3]
    assert ends["crp_ideal"].to_list() == [0, 0]
    rows = found.marks.select("run", "mark", "rank", "crp", "crp_full_scale").rows()
    assert rows[6:] == [
        ("B", "R", 10, -16, -55),
        ("B", "min", 8, -19, -52),
        ("B", "b_r", 14, 3, -45),
        ("B", "crossing", 13, -1, -49),
        ("B", "b_w", 18, 3, 0),
        ("B", "N", 20, 3, 33),
    ]
    assert [row[2] for row in rows[:6]] == [10, 9, None, None, 18, 20]
    assert found.intervals.rows() == [("t", 3, 1, 3), ("t", 2, 4, 6), ("t", 1, 7, 10), ("t", 0, 11, None)]


def test_three_states_and_the_end() -> None:
    found = cf.trace(QRELS, {"short": {"t": {"x4": 3.0, "y": 2.0, "1a": 1.0}}}, n=4)
    assert found.steps.select("state", "grade", "doc_id").rows() == [
        ("judged not relevant", 0, "x4"),
        ("unjudged", None, "y"),
        ("relevant", 1, "1a"),
        ("beyond the end", None, None),
    ]
    # By the gains -1, 1, 2, 3: less than the ideal 3 3 3 2 by 4 (it costs 1), by 3, 2 and 2.
    assert found.steps["delta_gain"].to_list() == [-4, -3, -2, -2]
    assert cf.trace(QRELS, {"short": {"t": {"1a": 1.0}}}, n=1, rel=2).steps["state"][0] == "judged not relevant"
    condensed = cf.trace(QRELS, {"short": {"t": {"x4": 3.0, "y": 2.0, "1a": 1.0}}}, n=4, judged_only=True)
    assert condensed.steps["doc_id"].to_list() == ["x4", "1a", None, None]


def test_averages_are_those_of_the_topics(campaign: Path) -> None:
    joined = cf.join(campaign / "qrels.txt", campaign / "runs", topics="shared")
    found = cf.trace(joined, n=100)
    means = found.steps.group_by("run", "rank", maintain_order=True).agg(
        pl.col("rp", "crp", "gain", "delta_gain").mean(),
        relevant=(pl.col("state") == "relevant").mean(),
        unjudged=(pl.col("state") == "unjudged").mean(),
        early=(pl.col("rp") < 0).mean(),
    )
    for name in means.columns[2:]:
        np.testing.assert_allclose(found.means[name], means[name], atol=1e-9, err_msg=name)
    assert found.means.filter(pl.col("rank") == 1)["topics"].to_list() == joined.present.sum(axis=1).tolist()


def test_a_topic_that_a_run_lacks_counts_nothing() -> None:
    qrels = QRELS | {"u": {"a": 1}}
    found = cf.trace(qrels, {"B": RUNS["B"]}, n=20)
    assert found.means.select("topics", "relevant", "right", "crp").row(7) == (2, 0.0, 0.0, -19 / 2)
    assert found.means.select("relevant", "right").row(0) == (1 / 2, 1 / 2)
    assert set(found.steps["topic"]) == {"t"}


def test_every_number_is_that_of_its_measure(campaign: Path) -> None:
    joined = cf.join(campaign / "qrels.txt", campaign / "runs")
    found = cf.trace(joined, n=200, gain="DCG")
    names = {"R": "recall-base", "min": "turn-around", "N": "end"}
    measures = {
        (mark, column): f"CRPAt(point={point},whose={whose})@200"
        for mark, point in names.items()
        for column, whose in {"crp": "run", "crp_full_scale": "full-scale"}.items()
    }
    measures |= {("min", "rank"): "TurnAround@200", ("b_r", "rank"): "RegainedAt@200", ("R", "rank"): "NumRel"}
    measures |= {("b_w", "rank"): "RegainedAt(whose=full-scale)@200", ("crossing", "rank"): "CrossingRank@200"}
    for (mark, column), measure in measures.items():
        values = joined.scores(measure).values[0][joined.present]
        expected = [None if column == "rank" and value == 201 else value for value in values]
        assert found.marks.filter(pl.col("mark") == mark)[column].to_list() == expected, measure
    at_10 = found.steps.filter(pl.col("rank") == 10)
    for column, measure in {"rp": "RP@10", "crp": "CRP@10", "gain": "DCG@10"}.items():
        np.testing.assert_allclose(at_10[column], joined.scores(measure).values[0][joined.present])


def test_one_topic_is_walked_as_it_is_among_the_others(campaign: Path) -> None:
    joined = cf.join(campaign / "qrels.txt", campaign / "runs")
    topic = joined.topics[2]
    alone, all_ = cf.trace(joined, topic=topic, n=30), cf.trace(joined, n=30)
    assert alone.steps.equals(all_.steps.filter(pl.col("topic") == topic))
    assert alone.marks.equals(all_.marks.filter(pl.col("topic") == topic))
    assert alone.ranks["relevant"].unique().sort().to_list() == [0.0, 1.0]


def test_a_topic_without_relevant_documents_has_no_points() -> None:
    found = cf.trace({"t": {"a": 0}}, {"r": {"t": {"a": 1.0}}}, n=3)
    assert found.marks["rank"].to_list() == [None] * 5 + [3]
    assert found.steps["crp"].to_list() == [0, 0, 0]


def test_what_cannot_be_is_said(campaign: Path) -> None:
    with pytest.raises(InputError, match="the qrels have no topic 'u'; they have t"):
        cf.trace(QRELS, RUNS, topic="u")
    with pytest.raises(MeasureError, match=r"a trace needs CRP, such as CRP\(rel=2\), not nCRP"):
        cf.trace(QRELS, RUNS, crp="nCRP")
    with pytest.raises(MeasureError, match="the gain measure must be CG or DCG, not AP"):
        cf.trace(QRELS, RUNS, gain="AP")


def test_the_command_walks_and_tells_the_points(tmp_path: Path) -> None:
    judged = "".join(f"t 0 {document} {grade}\n" for document, grade in QRELS["t"].items())
    (tmp_path / "qrels.txt").write_text(judged)
    listed = "".join(f"t Q0 {document} 0 {score} B\n" for document, score in RUNS["B"]["t"].items())
    (tmp_path / "B.run").write_text(listed)
    call = ["trace", str(tmp_path / "qrels.txt"), str(tmp_path / "B.run"), "--n", "20"]
    done = CliRunner().invoke(main, call)
    assert done.exit_code == 0, done.stderr
    assert [line.split()[2] for line in done.stdout.splitlines()[1:]] == [str(rank) for rank in range(1, 21)]
    assert "B: R 10 (CRP -16), min 8 (CRP -19), b_r 14 (CRP 3), crossing 13 (CRP -1), b_w 18 (CRP 3)" in done.stderr
    marks = CliRunner().invoke(main, [*call, "--marks", "--format", "csv"])
    assert "B,t,b_w,18,3.0,0.0" in marks.stdout


def test_what_says_what_a_row_is() -> None:
    """Of several topics the means are by run and rank; of one, and by topic, a row has its topic, too."""
    found = cf.trace({"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": ["a"], "2": ["a"]}})
    assert (found.keys(), found.keys(per_topic=True), found.keys(marks=True)) == (2, 3, 3)
    assert found.to_polars().columns[:2] == ["run", "rank"]


def test_a_topic_that_one_of_the_runs_lacks() -> None:
    """Its list is empty there; a topic that no run has is refused in words that say so."""
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    runs = {"both": {"1": ["a"], "2": ["b"]}, "one": {"2": ["b"]}}
    for found in (cf.trace(qrels, runs, topic="1", n=4), cf.trace(cf.join(qrels, runs), topic="1", n=4)):
        assert found.steps["run"].unique().to_list() == ["both"]
        assert found.runs == ("both", "one")
    with pytest.raises(InputError, match="no run has topic '3', though the qrels have it"):
        cf.trace(qrels, runs, topic="3")
    assert cf.join(qrels, runs).of_topic("1").scores("RR").averages.tolist() == [[1.0, 0.0]]


def test_the_example_is_a_topic_that_some_run_has() -> None:
    """By recall base the topics are 2, 3, 1, and the middle one is in no run."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 1}}
    lists = {"solo": {"1": ["a", "x", "b"]}, "duo": {"1": ["x", "a"], "2": ["y", "c"]}}
    example = cf.trace(qrels, lists, n=4).example
    assert (example["topic"].unique().to_list(), example["run"].unique().to_list()) == (["2"], ["duo"])


def test_spam_costs_as_much_as_what_is_not_relevant() -> None:
    """Web tracks give spam the grade -2; by the default gains it costs 1, as 0 and -1 do."""
    lists = {"bad": {"1": ["s", "n", "p"]}}
    found = cf.trace({"1": {"s": -2, "n": 0, "p": -1, "a": 1}}, lists, n=4)
    assert found.steps["gain"].round(4).to_list()[:3] == [-1, -2, round(-2 - 1 / np.log2(3), 4)]


def test_n_is_said_as_the_points_have_it() -> None:
    """Where R is more than half of what was asked for, it is twice R; figures say what the table says."""
    qrels = {"1": dict.fromkeys("abcd", 1), "2": {"a": 1}}
    run = {"r": {"1": ["a", "x", "b"], "2": ["a"]}}
    found = cf.trace(qrels, run, topic="1", n=5)
    assert "; N = 8 (twice R, which is more than 5)" in found.caption(marks=True)
    assert found.material().about.endswith("N = 8 (twice R, which is more than 5)")
    assert cf.trace(qrels, run, n=5).caption().count("N = 5 (twice R on 1 topic, where that is more)") == 1
    assert "; N = 8" in cf.trace(qrels, run, n=8).caption() and "twice" not in cf.trace(qrels, run, n=8).caption()

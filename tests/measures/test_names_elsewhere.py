"""Names that mean something else in other tools: refused, said at run time, or computed as they are meant there."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.plumbing.errors import MeasureError

QRELS = {"1": {"a": 2, "b": 1, "c": 0}}
RUN = {"1": {"c": 3.0, "a": 2.0, "b": 1.0}}
SAID = (
    "ERR@20 takes 2, the largest grade of the qrels, as the highest grade; ir_measures and gdeval always take 4, "
    "which is ERR(max_rel=4)@20 here"
)


def test_the_measure_of_diversity_is_told_from_a_share_of_the_best_list() -> None:
    assert str(cf.parse_measure("NRBP")) == "NRBP"
    assert str(cf.parse_measure("nRBP(p=0.8)@10")) == "nRBP(p=0.8)@10"
    with pytest.raises(MeasureError, match=r"^NRBP, spelt so, is a measure of diversity.* nRBP is RBP divided by"):
        cf.parse_measures("nrbp")
    with pytest.raises(MeasureError, match="NRBP has no parameter 'p'"):
        cf.parse_measures("NRBP(p=0.8)")
    with pytest.raises(MeasureError, match="NRBP has no cutoff"):
        cf.parse_measures("NRBP@10")


def test_the_names_of_other_tools_stay_what_they_are() -> None:
    assert cf.parse_measures(["ndcg", "ndcg_cut_20", "ndcg@20", "err@20"]) == cf.parse_measures(
        ["nDCG", "nDCG@20", "nDCG@20", "ERR@20"]
    )


def test_another_highest_grade_is_said_where_it_matters() -> None:
    assert cf.evaluate(QRELS, RUN, ["ERR@20", "AP"]).notes == (SAID,)
    assert cf.evaluate(QRELS, RUN, ["ERR(max_rel=4)@20", "ERR(max_rel=2)", "nDCG@20"]).notes == ()
    assert cf.evaluate({"1": {"a": 4}}, RUN, "ERR@20").notes == ()  # the largest grade is 4 as it is
    scores = cf.evaluate(QRELS, RUN, "ERR@20")
    assert cf.Scores.from_dict(scores.to_dict()).notes == scores.notes == scores.sorted_by("ERR").notes


def test_the_command_says_it_once(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 2\n1 0 b 1\n1 0 c 0\n")
    for run in ("r", "s"):
        (tmp_path / run).write_text("1 Q0 c 1 3 t\n1 Q0 a 2 2 t\n1 Q0 b 3 1 t\n")
    asked = ["evaluate", *(f"{tmp_path}/{name}" for name in "qrs"), "--no-audit", "-m"]
    result = CliRunner().invoke(main, [*asked, "ERR@20"])
    assert result.stderr == f"note: {SAID}\n"
    assert CliRunner().invoke(main, [*asked, "ERR@20", "--quiet"]).stderr == ""
    result = CliRunner().invoke(main, [*asked, "gdeval"])
    assert result.stderr == "nDCG@20 is nDCG(dcg='exp-log2')@20. ERR@20 is ERR(max_rel=4)@20.\n"
    assert result.stdout.splitlines()[0].split() == ["run", "nDCG@20", "ERR@20"]
    rows = CliRunner().invoke(main, [*asked, "gdeval", "--format", "csv"]).stdout.splitlines()
    assert [row.split(",")[2] for row in rows[1:3]] == ["nDCG(dcg='exp-log2')@20", "ERR(max_rel=4)@20"]
    refused = CliRunner().invoke(main, [*asked, "nrbp"])
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)


def test_comparisons_say_it_too() -> None:
    qrels = {topic: {"a": 1} for topic in "123"}
    good, poor = {topic: {"a": 1.0} for topic in "123"}, {topic: {"b": 2.0, "a": 1.0} for topic in "123"}
    notes = cf.compare(qrels, {"good": good, "poor": poor}, ["ERR"]).notes
    assert any(note.startswith("ERR takes 1, the largest grade of the qrels,") for note in notes)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
def test_the_set_gives_what_gdeval_prints() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    chance = random.Random(6)  # noqa: S311
    topics = [str(topic) for topic in range(1, 21)]
    qrels = {t: {f"d{i}": chance.choice([-1, 0, 0, 1, 2, 3]) for i in range(40)} for t in topics}
    run = {t: {f"d{i}": chance.random() for i in chance.sample(range(60), 30)} for t in topics}
    theirs = [ir_measures.ERR @ 20, ir_measures.nDCG(dcg="exp-log2") @ 20]
    found = cf.evaluate(qrels, {"run": run}, "gdeval").by_run()["run"]
    ours = {"ERR@20": "ERR(max_rel=4)@20", "nDCG(dcg='exp-log2')@20": "nDCG(dcg='exp-log2')@20"}
    values = list(ir_measures.iter_calc(theirs, qrels, run))
    assert len(values) == 2 * len(topics)
    for value in values:
        assert found[value.query_id][ours[str(value.measure)]] == pytest.approx(value.value, abs=0.000_006)


RANX = {
    "hit_rate@1": [0.0, 0.0],
    "hit_rate@2": [1.0, 1.0],
    "f1": [4 / 7, 4 / 7],
    "f1@3": [1 / 3, 2 / 5],
    "r-precision": [1 / 3, 1 / 2],
    "ndcg_burges": [0.516053825816, 0.529605241165],
    "ndcg_burges@3": [0.470201997768, 0.173765342871],
    "dcg_burges@3": [4.416508275, 0.630929753571],
    "map@3-l2": [1 / 4, 0.0],
    "f1@4-l2": [1 / 3, 2 / 5],
    "hit_rate@2-l2": [1.0, 0.0],
}
"""What ranx 0.3.21 gives for the qrels and the run below, by topic."""


@pytest.mark.parametrize("name", RANX)
def test_names_of_ranx_are_what_they_are_there(name: str) -> None:
    qrels = {"q1": {"a": 3, "b": 1, "c": 0, "d": 2}, "q2": {"a": 1, "b": 0, "e": 2}}
    run = {"q1": {"x": 0.9, "a": 0.8, "c": 0.7, "b": 0.6}, "q2": {"b": 0.5, "a": 0.4, "y": 0.3, "e": 0.2, "z": 0.1}}
    for spelt in (name, name.upper().replace("-L", "-l")):
        assert cf.evaluate(qrels, run, spelt).values.ravel() == pytest.approx(RANX[name], abs=1e-11)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("rbp.80", "ranx' rbp.80 gains the grade; RBP(p=0.80) here, its share of the largest grade"),
        ("hits", "ranx' hits@k is k times P@k"),
        ("hits@10", "ranx' hits@k is k times P@k"),
        ("ndcg_burges@10-l2", "written grade by grade, such as nDCG(gains={1:0,2:3,3:7})@10"),
        ("hit_rate", "Success needs a cutoff"),
    ],
)
def test_names_of_ranx_without_an_equal_here_are_refused_with_a_hint(name: str, told: str) -> None:
    with pytest.raises(MeasureError) as refused:
        cf.parse_measures(name)
    assert told in str(refused.value)


@pytest.mark.filterwarnings("ignore")
def test_measures_of_ir_measures_are_computed_as_there() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    chance = random.Random(7)  # noqa: S311
    topics = [str(topic) for topic in range(1, 21)]
    qrels = {t: {f"d{i}": chance.choice([0, 0, 0, 1, 2, 3]) for i in range(40)} for t in topics}
    run = {t: {f"d{i}": chance.random() for i in chance.sample(range(60), 30)} for t in topics}
    ir = ir_measures
    theirs = [ir.nDCG @ 10, ir.AP(rel=2), ir.P @ 5, ir.RR, ir.SetF(beta=4.0), ir.Judged @ 5, ir.Bpref, ir.R(rel=2) @ 10]
    theirs += [ir.RBP(p=0.8, rel=1), ir.Success @ 3]
    theirs += [ir.ERR @ 20] if shutil.which("perl") else []  # gdeval's
    parsed = dict(zip(theirs, cf.parse_measures(theirs), strict=True))
    assert [str(cf.parse_measures(one)[0]) for one in theirs[:3]] == ["nDCG@10", "AP(rel=2)", "P@5"]
    found = cf.evaluate(qrels, {"run": run}, theirs, order="trec9").by_run()["run"]
    values = list(ir.iter_calc(theirs, qrels, run))
    assert len(values) == len(theirs) * len(topics)
    for value in values:
        assert found[value.query_id][str(parsed[value.measure])] == pytest.approx(value.value, abs=0.000_006), value


def test_a_measure_that_only_ir_measures_knows_is_refused_by_name() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    with pytest.raises(MeasureError, match="no measure is called 'Mine'"):
        cf.parse_measures(ir_measures.define_byquery(lambda qrels, run: 0.0, name="Mine"))


def test_measures_of_subtopics_are_taken_as_ir_measures_writes_them() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    theirs = [
        ir_measures.alpha_nDCG(alpha=0.25, rel=2, judged_only=True) @ 10, ir_measures.α_DCG @ 5,
        ir_measures.ERR_IA @ 20,
        ir_measures.nERR_IA @ 20, ir_measures.NRBP(alpha=0.25, beta=0.75), ir_measures.nNRBP, ir_measures.MAP_IA,
        ir_measures.P_IA @ 5, ir_measures.StRecall @ 10,
    ]  # fmt: skip
    assert [str(measure) for measure in cf.parse_measures(theirs)] == [
        "alpha_nDCG(rel=2,judged_only=True,alpha=0.25)@10", "alpha_DCG@5", "ERR_IA@20", "nERR_IA@20",
        "NRBP(alpha=0.25,beta=0.75)", "nNRBP", "AP_IA", "P_IA@5", "StRecall@10",
    ]  # fmt: skip


def test_what_names_no_measure_is_refused_in_one_line() -> None:
    for given in (7, None, [None], {"AP": 1}.values()):
        with pytest.raises(MeasureError, match="give a measure by name"):
            cf.parse_measures(given)  # type: ignore[arg-type]

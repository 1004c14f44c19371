"""Names that mean something else in other tools: refused, said at run time, or computed as they are meant there."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.errors import MeasureError

QRELS = {"1": {"a": 2, "b": 1, "c": 0}}
RUN = {"1": {"c": 3.0, "a": 2.0, "b": 1.0}}
SAID = (
    "ERR@20 takes the largest grade of the qrels, 2, for the highest there is; ir_measures and gdeval always take 4, "
    "which is ERR(max_rel=4)@20 here"
)


@pytest.mark.parametrize("name", ["NRBP", "nrbp", "NRBP(p=0.8)", "NRBP@10"])
def test_the_measure_of_diversity_is_refused(name: str) -> None:
    with pytest.raises(MeasureError, match=r"^NRBP is a measure of diversity .* nRBP, spelt so, is RBP divided by"):
        cf.parse_measures(name)
    assert str(cf.parse_measure("nRBP(p=0.8)@10")) == "nRBP(p=0.8)@10"


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
    assert result.stderr == ""
    assert result.stdout.splitlines()[0].split() == ["run", "nDCG(dcg='exp-log2')@20", "ERR(max_rel=4)@20"]
    refused = CliRunner().invoke(main, [*asked, "NRBP"])
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)


def test_comparisons_say_it_too() -> None:
    qrels = {topic: {"a": 1} for topic in "123"}
    good, poor = {topic: {"a": 1.0} for topic in "123"}, {topic: {"b": 2.0, "a": 1.0} for topic in "123"}
    notes = cf.compare(qrels, {"good": good, "poor": poor}, ["ERR"]).notes
    assert any(note.startswith("ERR takes the largest grade of the qrels, 1,") for note in notes)


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

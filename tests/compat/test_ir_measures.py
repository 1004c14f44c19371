"""cranfield as a provider of ir_measures."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import cranfield as cf

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
provider: Any = pytest.importorskip("cranfield.compat.ir_measures").provider

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ir_measures")  # by its parser of names, with 3.12

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"d": 1}}
RUN = {"1": {"b": 3.0, "x": 2.5, "a": 2.0}, "2": {"a": 1.0}, "9": {"a": 1.0}}


def of(*names: str) -> list[Any]:
    return [ir_measures.parse_measure(name) for name in names]


def test_our_measures_by_their_names() -> None:
    measures = of(
        "Twist", "RBPResidual(p=0.8)", "nDCG@10", "NDCGT", "NumNonrelJudgedRet", "CRP@5", "FlatUtility(e=0.1)"
    )
    found = ir_measures.calc_aggregate(measures, QRELS, RUN)
    for measure, value in found.items():
        expected = cf.evaluate(QRELS, RUN, str(measure), order="trec9").averages[0, 0]
        assert value == pytest.approx(expected), measure


def test_theirs_stay_theirs() -> None:
    evaluator = ir_measures.evaluator(of("AP", "Twist"), QRELS)
    kinds = {type(each).__module__ for each in evaluator.evaluators}
    assert kinds == {"ir_measures.providers.pytrec_eval_provider", "cranfield.compat.ir_measures"}
    assert ir_measures.DefaultPipeline.providers[-1] is provider


@pytest.mark.parametrize(
    "name", ["AP", "AP(rel=2)", "nDCG@2", "P@5", "R@5", "RR", "Bpref", "Rprec", "Success@1", "infAP"]
)
def test_computed_by_ours_throughout(name: str) -> None:
    [measure] = of(name)
    assert provider.calc_aggregate([measure], QRELS, RUN) == pytest.approx(
        ir_measures.pytrec_eval.calc_aggregate([measure], QRELS, RUN)
    )
    topics = {each.query_id: each.value for each in provider.iter_calc([measure], QRELS, RUN)}
    assert topics.keys() == {"1", "2", "3"}
    assert topics["3"] == 0  # of a topic that the run lacks, as there


def test_tuples_and_frames() -> None:
    qrels = [ir_measures.Qrel(t, d, g) for t, judged in QRELS.items() for d, g in judged.items()]
    run = [ir_measures.ScoredDoc(t, d, s) for t, found in RUN.items() for d, s in found.items()]
    measures = of("Twist", "AP")
    assert ir_measures.calc_aggregate(measures, iter(qrels), iter(run)) == ir_measures.calc_aggregate(
        measures, QRELS, RUN
    )


def test_unknown_names_stay_unknown() -> None:
    with pytest.raises(NameError):
        of("Nonsense")
    assert not provider.supports(ir_measures.define(lambda qrels, run: 0.0, name="Mine"))
    assert "RelString" not in ir_measures.measures.registry  # a text


def test_one_import_is_enough() -> None:
    script = (
        "import ir_measures, cranfield.compat.ir_measures\n"
        "print(ir_measures.calc_aggregate([ir_measures.parse_measure('Twist')], {'1': {'a': 1}}, {'1': {'a': 1.0}}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "{Twist: 1.0}\n"


def test_averages_are_those_of_our_measures() -> None:
    """AP is 1 and .5 on two topics: the geometric mean is the root of a half; of a topic without any, .00001 counts."""
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 2.0}, "2": {"b": 2.0, "a": 1.0}}
    for name, expected in {"gmAP": 0.5**0.5, "AP": 0.75, "NumNonrelJudgedRet": 0}.items():
        assert ir_measures.calc_aggregate(of(name), qrels, run) == {of(name)[0]: pytest.approx(expected)}
    for name in ("gmAP", "gmBpref", "gmTwist"):
        [measure] = of(name)
        ours = cf.evaluate(QRELS, RUN, name, order="trec9").averages[0, 0]
        assert ir_measures.calc_aggregate([measure], QRELS, RUN)[measure] == pytest.approx(ours), name


@pytest.mark.parametrize("measure", [ir_measures.ERR @ 20, ir_measures.SetF(beta=0.5), ir_measures.SetF(beta=4.0)])
def test_defaults_are_those_of_ir_measures(measure: Any) -> None:
    """Of ERR the largest grade is 4 there; the beta of SetF is the square of ours."""
    qrels = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "x": 1}}
    [ours] = provider.calc_aggregate([measure], qrels, RUN).values()
    assert ours == pytest.approx(cf.evaluate(qrels, RUN, [measure], order="trec9").averages[0, 0])
    if measure.NAME == "SetF":
        assert ours == pytest.approx(ir_measures.pytrec_eval.calc_aggregate([measure], qrels, RUN)[measure])
    else:  # topic 1: a grade 2 of 4 at rank 3, (2² - 1) / 2⁴ / 3; topic 2: a grade 1 of 4 at rank 1, 1 / 2⁴
        assert ours == pytest.approx((3 / 16 / 3 + 1 / 16) / 2)

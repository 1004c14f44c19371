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

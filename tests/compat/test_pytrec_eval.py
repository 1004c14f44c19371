"""pytrec_eval's interface: the same keys, values and types of exceptions as the original's."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.compat import pytrec_eval as ours

QREL = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2, "d3": 1}, "q4": {"d1": 0}, "none": {}}
RUN = {"q1": {"d1": 0.5, "d2": 0.7}, "q2": {"d3": 1.0, "x": 1.0, "d1": 0.1}, "q3": {"d1": 1.0}, "q4": {"x": 2.0}}


def theirs() -> Any:
    return pytest.importorskip("pytrec_eval")


documents = st.sampled_from(["d1", "d2", "d10", "é", "D"])
# Where all judgments of a topic are negative, the original writes where it may not, and ends or never does.
judged = st.dictionaries(documents, st.integers(-1, 3), min_size=1).filter(lambda grades: max(grades.values()) >= 0)
scored = st.dictionaries(documents, st.sampled_from([1.0, 2.0, 2.00000001, -3.5, 0.1]), min_size=1)
topics = st.sampled_from(["1", "2", "10"])


@given(st.dictionaries(topics, judged), st.dictionaries(topics, scored), st.sampled_from([1, 2]), st.booleans())
def test_the_same_as_the_original(qrel: Any, run: Any, level: int, judged_only: bool) -> None:
    """All measures at once; where trec_eval divides 0 by 0, ours is 0."""
    names = theirs().supported_measures
    expected = theirs().RelevanceEvaluator(qrel, names, level, judged_only).evaluate(run)
    found = ours.RelevanceEvaluator(qrel, names, level, judged_only).evaluate(run)
    assert found.keys() == expected.keys()
    for topic, values in expected.items():
        assert found[topic].keys() == values.keys()
        for name, value in values.items():
            assert found[topic][name] == pytest.approx(0.0 if math.isnan(value) else value, abs=1e-6), (topic, name)


@pytest.mark.parametrize(
    "measures",
    [["map"], {"P"}, {"P_5"}, {"P.5,10"}, {"ndcg_cut_3", "ndcg_cut.5,10"}, {"recall_5,20"}, {"set_F.2"}, {"map.5"},
     {"official"}, {"set"}, {"all_trec"}, {"iprec_at_recall_0.35"}, {"success.1,3"}, set(),
     {"P", "P_5"}, {"official", "P_5,7"}, {"recall_7", "all_trec"}, {"set_F.2", "set_F"}, {"map.5", "map"}],
)  # fmt: skip
def test_names(measures: Any) -> None:
    expected = theirs().RelevanceEvaluator(QREL, measures).evaluate(RUN)
    found = ours.RelevanceEvaluator(QREL, measures).evaluate(RUN)
    assert {topic: values.keys() for topic, values in found.items()} == {t: v.keys() for t, v in expected.items()}
    for topic, values in expected.items():
        assert found[topic] == pytest.approx(values, abs=1e-6)


def test_what_is_supported() -> None:
    assert ours.supported_measures == theirs().supported_measures
    for name, measures in ours.supported_nicknames.items():
        assert measures == theirs().supported_nicknames[name]
    assert {"official", "set", "all_trec"} == set(ours.supported_nicknames)  # no preference judgments


@pytest.mark.parametrize(
    ("qrel", "measures", "run"),
    [
        (QREL, {"foo"}, RUN), (QREL, "map", RUN), (QREL, {"map_cut."}, RUN), (QREL, {"prefs"}, RUN),
        ({1: {"d1": 1}}, {"map"}, RUN), ({"q1": {1: 1}}, {"map"}, RUN), ({"q1": {"d1": "x"}}, {"map"}, RUN),
        ([], {"map"}, RUN), (QREL, {"map"}, {"q1": {"d1": "x"}}), (QREL, {"map"}, {"q1": {1: 1.0}}),
        (QREL, {"map"}, {"q1": {"d1": None}}),
    ],
)  # fmt: skip
def test_the_same_exceptions(qrel: Any, measures: Any, run: Any) -> None:
    raised = []
    for module in (theirs(), ours):
        with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
            module.RelevanceEvaluator(qrel, measures).evaluate(run)
        raised.append(caught.type)
    assert issubclass(raised[1], raised[0])


@pytest.mark.parametrize("name", ["ndcg_10", "ndcg.10", "G.1=2", "utility.1,2,3,4", "11pt_avg.0.5,0.6"])
def test_parameters_are_refused_that_were_left_unread(name: str) -> None:
    """Of ndcg_10 the answer was ndcg of the whole list, where pytrec_eval ends its process."""
    with pytest.raises(cf.MeasureError, match="takes no parameter here"):
        ours.RelevanceEvaluator({"1": {"a": 1}}, {name})


def test_levels() -> None:
    with pytest.raises(TypeError, match="positive"):
        ours.RelevanceEvaluator(QREL, {"map"}, relevance_level=0)


def test_what_is_taken_beyond_the_original() -> None:
    """Numbers of numpy, and real grades; NaN as a score is refused, as everywhere here."""
    evaluator = ours.RelevanceEvaluator({"q": {"a": np.int64(2), "b": 0.5}}, {"ndcg"})  # type: ignore[dict-item]
    assert evaluator.evaluate({"q": {"a": np.float32(1.0)}})["q"]["ndcg"] > 0.7  # type: ignore[dict-item]
    with pytest.raises(cf.InputError, match="NaN"):
        evaluator.evaluate({"q": {"a": math.nan}})


def test_files() -> None:
    run, qrel = ["1 Q0 a 1 2.5 t\n", "1 Q0 b 2 1 t\n", "2 Q0 a 1 1e-3 t"], ["1 0 a 2\n", "2\t0\tb\t0\n"]
    assert ours.parse_run(run) == theirs().parse_run(run)
    assert ours.parse_qrel(qrel) == theirs().parse_qrel(qrel)
    for module in (theirs(), ours):
        with pytest.raises(AssertionError):
            module.parse_run([run[0], run[0]])
        with pytest.raises(ValueError, match=r"unpack|columns"):
            module.parse_qrel(["1 0 a"])
        with pytest.raises(ValueError, match="x"):
            module.parse_qrel(["1 0 a x"])


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map", "P_5"])
@given(values=st.lists(st.floats(-20, 20), min_size=1))
def test_averages(measure: str, values: list[float]) -> None:
    expected = theirs().compute_aggregated_measure(measure, values)
    assert ours.compute_aggregated_measure(measure, values) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_ir_measures_computes_by_ours_where_it_is_installed() -> None:
    """It hands the flag of judged documents over as a number."""
    import ir_measures

    measures = [ir_measures.AP, ir_measures.nDCG(judged_only=True) @ 3, ir_measures.P(rel=2) @ 2]
    expected = ir_measures.calc_aggregate(measures, QREL, RUN)
    with ours.install():
        evaluator: Any = ir_measures.pytrec_eval.evaluator(measures, QREL)
        assert {type(each.evaluator) for each in evaluator.invokers} == {ours.RelevanceEvaluator}
        assert evaluator.calc_aggregate(RUN) == pytest.approx(expected, abs=1e-6)


def test_installed_where_it_is_loaded_already() -> None:
    original = theirs().RelevanceEvaluator
    with ours.install():
        assert theirs().RelevanceEvaluator is ours.RelevanceEvaluator
        with ours.install():
            pass
        assert theirs().RelevanceEvaluator is ours.RelevanceEvaluator
    assert theirs().RelevanceEvaluator is original


LIBRARY = """
def evaluate(qrels, results):
    import pytrec_eval
    return pytrec_eval.RelevanceEvaluator(qrels, {"map_cut.10", "ndcg_cut.10"}).evaluate(results)
"""


def test_installed_where_it_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    script = (
        "import sys; from cranfield.compat import pytrec_eval as ours; installed = ours.install(); import library\n"
        "print(library.evaluate({'q': {'a': 1}}, {'q': {'b': 2.0, 'a': 1.0}}))\n"
        "installed.undo(); print('pytrec_eval' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == "{'q': {'map_cut_10': 0.5, 'ndcg_cut_10': 0.6309297535714575}}\nFalse\n"


def test_installed_before_ir_measures_is_loaded() -> None:
    script = (
        "from cranfield.compat import pytrec_eval as ours; ours.install(); import ir_measures\n"
        "print(ir_measures.calc_aggregate([ir_measures.AP], {'q': {'a': 1}}, {'q': {'b': 2.0, 'a': 1.0}}))\n"
        "print(ir_measures.pytrec_eval.pytrec_eval.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "{AP: 0.5}\ncranfield.compat.pytrec_eval\n"


@pytest.mark.parametrize(("collection", "level"), [("trec8-adhoc", 1), ("dl19-passage", 2)])
def test_every_topic_of_real_runs(data: Path, collection: str, level: int) -> None:
    """All measures of three runs of each."""
    names = theirs().supported_measures
    qrels = cf.to_dict(cf.read_qrels(data / collection / "qrels.txt"))
    qrels = {topic: {document: int(grade) for document, grade in judged.items()} for topic, judged in qrels.items()}
    original, evaluator = (module.RelevanceEvaluator(qrels, names, level) for module in (theirs(), ours))
    for path in sorted((data / collection / "runs").iterdir())[:3]:
        (table,) = cf.read_runs(path).values()
        run = cf.to_dict(table)
        expected, found = original.evaluate(run), evaluator.evaluate(run)
        assert expected.keys() == found.keys()
        for topic, values in expected.items():
            assert found[topic] == pytest.approx(values, abs=1e-6)


def test_without_a_level_every_grade_above_0_is_relevant() -> None:
    """pytrec_eval refuses grades that are fractions; here they count as in all other functions."""
    qrel, run = {"1": {"a": 0.5, "b": 2}}, {"1": {"a": 2.0, "x": 1.0}}
    for level, found in ((1, 1 / 2), (2, 0)):  # of a and b one; of b alone none
        evaluator = ours.RelevanceEvaluator(qrel, {"map"}, relevance_level=level)  # type: ignore[arg-type]
        assert evaluator.evaluate(run) == {"1": {"map": found}}

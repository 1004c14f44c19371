"""Agreement with pytrec_eval (trec_eval 9.0.8), ir_measures and cwl_eval, topic by topic, on small made-up data.

Where a peer is known to differ, the comment says why and the comparison makes up for it.
"""

from __future__ import annotations

import importlib.util
import logging
import math
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import cranfield as cf
from cranfield.measures.framework.names import parse_measure, parse_measures

pytestmark = pytest.mark.filterwarnings("ignore")  # the peers' own

Qrels: TypeAlias = dict[str, dict[str, int]]
Run: TypeAlias = dict[str, dict[str, float]]

TOPICS = [str(i) for i in range(1, 25)]
DOCUMENTS = [f"d{i}" for i in range(40)]


def made_up(seed: int, grades: list[int], *, ties: bool = False) -> tuple[Qrels, Run]:
    """Make up judgments of 20 of 40 documents, and lists of 12 to 30, relevant ones rather high.

    Each list has a relevant and a judged not relevant document; the first topic has no other
    relevant ones.
    """
    chance = random.Random(seed)  # noqa: S311
    qrels: Qrels = {}
    run: Run = {}
    for topic in TOPICS:
        judged = chance.sample(DOCUMENTS, 20)
        qrels[topic] = {d: chance.choice(grades if topic != "1" else [0]) for d in judged}
        qrels[topic].update({judged[0]: 1, judged[1]: 0})
        listed = {*judged[:2], *chance.sample(DOCUMENTS, chance.randint(10, 28))}
        scores = {d: qrels[topic].get(d, 0) + 4 * chance.random() for d in sorted(listed)}
        run[topic] = {d: round(s) if ties else s for d, s in scores.items()}
        assert ties == (len(set(run[topic].values())) < len(listed))
    return qrels, run


def ours(qrels: Qrels, run: Run, measures: list[Any], **how: Any) -> dict[str, dict[str, float]]:
    return cf.evaluate(qrels, {"run": run}, measures, **how).by_run()["run"]


# pytrec_eval


def pytrec_scores(qrels: Qrels, run: Run, **how: Any) -> dict[str, dict[str, float]]:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    # The two that are texts are not in what it returns.
    measures = pytrec_eval.supported_measures - {"relstring", "runid"}
    scores: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(qrels, measures, **how).evaluate(run)
    return scores


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("ties", [False, True])
def test_pytrec_eval(level: int, ties: bool) -> None:
    qrels, run = made_up(level, [-1, 0, 0, 0, 1, 1, 2, 3], ties=ties)
    theirs = pytrec_scores(qrels, run, relevance_level=level)
    names = sorted(theirs["1"])
    found = ours(qrels, run, names, order="trec9", rel=level)
    for name in names:
        # The measure as asked for: with the level, which the evaluation gives to those that take
        # one.
        measure = str(parse_measure(name).with_level(level))
        for topic in TOPICS:
            value, expected = found[topic][measure], theirs[topic][name]
            nothing_relevant = not any(grade >= level for grade in qrels[topic].values())
            if name in {"gm_map", "gm_bpref"}:  # by topic they are logarithms there
                value = math.log(max(value, 0.00001))
            if math.isnan(expected):  # 0/0 there, where a topic has nothing relevant
                assert nothing_relevant
                expected = 0.0
            assert value == pytest.approx(expected, abs=1e-6), (name, topic)
    assert len(names) > 90
    assert set(theirs) == set(TOPICS)


def test_pytrec_eval_judged_documents_only() -> None:
    # No negative grades: trec_eval's -J drops such documents as if nobody had judged them.
    qrels, run = made_up(3, [0, 0, 1, 2, 3])
    theirs = pytrec_scores(qrels, run, judged_docs_only_flag=True)
    names = [name for name in sorted(theirs["1"]) if not name.startswith("gm_")]
    found = ours(qrels, run, names, order="trec9", judged_only=True)
    for name in names:
        for topic in TOPICS:
            expected = theirs[topic][name]
            value = found[topic][str(parse_measure(name))]
            assert value == pytest.approx(0.0 if math.isnan(expected) else expected, abs=1e-6), (name, topic)


def test_pytrec_eval_scores_shared_topics_and_gives_logarithms() -> None:
    run = {"1": {"x": 2.0, "a": 1.0}, "3": {"c": 1.0}}
    theirs = pytrec_scores({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 0}}, run)
    assert sorted(theirs) == ["1", "3"]
    assert theirs["1"]["gm_map"] == pytest.approx(math.log(theirs["1"]["map"]))
    found = cf.evaluate({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 0}}, {"run": run}, "AP", topics="shared")
    assert found.averages[0, 0] == pytest.approx(sum(topic["map"] for topic in theirs.values()) / len(theirs))


def test_pytrec_eval_has_no_number_for_lists_of_which_nothing_was_judged() -> None:
    theirs = pytrec_scores({"1": {"a": 1}}, {"1": {"x": 1.0}}, judged_docs_only_flag=True)["1"]
    assert {name for name, value in theirs.items() if math.isnan(value)} == {"iprec_at_recall_0.00", "11pt_avg"}
    found = ours({"1": {"a": 1}}, {"1": {"x": 1.0}}, ["IPrec@0", "IPrecAvg"], judged_only=True)
    assert list(found["1"].values()) == [0.0, 0.0]


# ir_measures

COMMON = [
    "AP", "AP(rel=2)", "AP@10", "Rprec", "Bpref", "infAP", "RR", "RR@3", "RR(rel=2)@5", "P@5", "P(rel=2)@10", "R@10",
    "nDCG", "nDCG@10", "Judged", "Judged@5", "Judged@100", "Success@1", "Success(rel=2)@3", "SetP",
    "SetP(relative=True)", "SetR", "SetAP", "SetF", "IPrec@0.0", "IPrec@0.4", "IPrec(rel=2)@1.0", "Compat",
    "Compat(p=0.8)", "Compat(p=0.5,normalize=False)", "Accuracy", "NumRet", "NumRet(rel=1)", "NumRet(rel=2)",
]  # fmt: skip


def test_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = made_up(4, [0, 0, 0, 1, 1, 2, 3])
    for name in COMMON:
        their_name = ir_measures.parse_measure(name)
        measure = parse_measure(name)
        found = ours(qrels, run, [measure], order="trec9")
        theirs = {m.query_id: m.value for m in ir_measures.iter_calc([their_name], qrels, run)}
        assert len(theirs) >= len(TOPICS) - ("rel=2" in name)
        for topic, expected in theirs.items():
            wanted = 0.0 if math.isnan(expected) else expected
            assert found[topic][str(measure)] == pytest.approx(wanted, abs=1e-6), (name, topic)


@pytest.mark.parametrize(
    ("name", "first"),
    [("RR", "b"), ("P@1", "b"), ("nDCG@1", "b"), ("RR@5", "a"), ("Judged@1", "a"), ("Compat(p=0.5)", "a")],
)
def test_ir_measures_ranks_ties_by_one_end_of_the_alphabet_or_the_other(name: str, first: str) -> None:
    """Of two tied documents, one judged and relevant; whichever the input has first."""
    ir_measures = pytest.importorskip("ir_measures")
    for relevant in "ab":
        for listed in ("ab", "ba"):
            qrels, run = {"1": {relevant: 1}}, {"1": dict.fromkeys(listed, 1.0)}
            (theirs,) = ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)
            order: Any = "score" if first == "b" else "file"
            in_their_order = {"1": dict.fromkeys(sorted(listed), 1.0)}
            (found,) = ours(qrels, in_their_order, [name], order=order)["1"].values()
            assert found == pytest.approx(theirs.value, abs=1e-6)
            assert (found == 1.0) == (relevant == first)


@pytest.mark.parametrize("name", ["RBP(rel=1)", "Accuracy"])
def test_ir_measures_leaves_ties_in_the_order_of_the_input(name: str) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("cwl")
    for listed in ("ab", "ba"):
        qrels, run = {"1": {"a": 1, "b": 0}}, {"1": dict.fromkeys(listed, 1.0)}
        (theirs,) = ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)
        assert list(ours(qrels, run, [name], order="file")["1"].values()) == pytest.approx([theirs.value])


@pytest.mark.parametrize(("name", "theirs", "here"), [("NumQ", 1, 2), ("NumRel", 1, 3), ("AP", 0.5, 0.5)])
def test_ir_measures_counts_only_what_the_run_has(name: str, theirs: float, here: float) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = {"1": {"a": 1}, "2": {"b": 1, "c": 1}}, {"1": {"a": 1.0}}
    measure = ir_measures.parse_measure(name)
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == theirs
    assert cf.evaluate(qrels, {"run": run}, name).averages[0, 0] == here
    if name != "AP":
        assert cf.evaluate(qrels, {"run": run}, name, topics="shared").averages[0, 0] == theirs


def test_set_f_of_ir_measures_takes_the_square_of_beta() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = made_up(5, [0, 0, 1, 2])
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.SetF(beta=4.0)], qrels, run)}
    found = ours(qrels, run, [cf.SetF(beta=2)])
    assert {t: found[t]["SetF(beta=2)"] for t in TOPICS} == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("k", [3, 10, 100])
def test_gdeval(k: int) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    if not shutil.which("perl"):
        pytest.skip("gdeval needs perl")
    # gdeval wants numbers for topics, takes 4 for the highest grade whatever the qrels hold, and
    # prints five decimals.
    qrels, run = made_up(6, [0, 0, 0, 1, 2, 3])
    names = {
        ir_measures.nDCG(dcg="exp-log2") @ k: f"nDCG(dcg='exp-log2')@{k}",
        ir_measures.ERR @ k: f"ERR(max_rel=4)@{k}",
    }
    found = ours(qrels, run, list(names.values()))
    theirs = list(ir_measures.gdeval.iter_calc(list(names), qrels, run))
    assert len(theirs) == 2 * len(TOPICS)
    for metric in theirs:
        assert found[metric.query_id][names[metric.measure]] == pytest.approx(metric.value, abs=0.6e-5)


def test_gdeval_says_nothing_of_topics_without_a_relevant_document(tmp_path: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    perl = shutil.which("perl")
    if not perl:
        pytest.skip("gdeval needs perl")
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 2\n2 0 c 0\n3 0 d 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 c 1 1 t\n")
    script = Path(ir_measures.__file__).parent / "bin" / "gdeval.pl"
    call = [perl, str(script), str(tmp_path / "qrels"), str(tmp_path / "run"), "20"]
    lines = subprocess.run(call, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines == ["runid,topic,ndcg@20,err@20", "t,1,0.79671,0.15039"]
    found = cf.evaluate(tmp_path / "qrels", tmp_path / "run", "gdeval")
    assert [f"{value:.5f}" for value in found.values[:, 0, 0]] == ["0.79671", "0.15039"]
    assert found.averages[0, 0] == pytest.approx(found.values[0, 0, 0] / 3)


# cwl_eval


def test_cwl_eval_ranks_by_the_lines(tmp_path: Path) -> None:
    pytest.importorskip("cwl")
    program = Path(sys.executable).with_name("cwl-eval")
    if not program.exists():
        pytest.skip("cwl-eval is not beside the interpreter")
    if importlib.util.find_spec("distutils") is None:
        pytest.skip("cwl-eval's program needs distutils, which Python had until 3.11")
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 b 2 1.0 t\n1 Q0 a 1 2.0 t\n")
    call = [str(program), str(tmp_path / "qrels"), str(tmp_path / "run")]
    printed = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    lines = printed.splitlines()  # (it writes a log where it is called)
    theirs = {line.split("\t")[1]: float(line.split("\t")[2]) for line in lines if line.startswith("1\t")}
    assert (theirs["P@1"], theirs["RR"]) == (0.0, 0.5)
    for order, value in (("file", 0.5), ("score", 1.0), ("rank", 1.0)):
        found = cf.evaluate(tmp_path / "qrels", tmp_path / "run", "RR", order=order)  # type: ignore[arg-type]
        assert found.averages[0, 0] == value


@pytest.fixture
def silence() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def cwl_scores(name: str, qrels: Qrels, run: Run) -> dict[str, tuple[float, float]]:
    """Return, by topic, its value and the expected number of documents seen (among the first 1,000)."""
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("cwl")
    found = ir_measures.cwl_eval.iter_calc([ir_measures.parse_measure(name)], qrels, run)
    return {metric.query_id: (metric.value, metric.expected_items) for metric in found}


@pytest.mark.usefixtures("silence")
@pytest.mark.parametrize(
    "name",
    ["RBP(p=0.8,rel=1)", "RBP(p=0.5,rel=2)", "BPM(max_rel=3)@5", "BPM(T=2,max_rel=4)@10", "BPM(max_rel=3,min_rel=1)@10",
     "SDCG(max_rel=3)@5", "SDCG(max_rel=2)@20", "NERR8(max_rel=4)@10", "NERR8(max_rel=3)@4", "NERR9(max_rel=4)@10",
     "NERR10(max_rel=4)", "NERR10(p=0.5,max_rel=3,min_rel=1)"],
)  # fmt: skip
def test_cwl_eval_where_the_first_1000_ranks_are_all(name: str) -> None:
    """These users are not to be seen below rank 1,000, where cwl_eval ends its lists (0.9^1000 is below 1e-45).

    Gains are quarters where they are added up to T = 2: cwl_eval adds thirds to a little less than
    2, and goes on.
    """
    qrels, run = made_up(7, [0, 0, 0, 1, 2, 3])
    found = ours(qrels, run, [name])
    measure = str(parse_measure(name))
    theirs = cwl_scores(name, qrels, run)
    assert len(theirs) == len(TOPICS)
    for topic, (value, _) in theirs.items():
        assert found[topic][measure] == pytest.approx(value, abs=1e-9), topic


@pytest.mark.usefixtures("silence")
@pytest.mark.parametrize("kind", ["INSQ", "INST", "NERR11"])
@pytest.mark.parametrize("setting", ["T=1,max_rel=3", "T=2,max_rel=4", "T=3,max_rel=3,min_rel=1"])
def test_cwl_eval_where_some_users_go_below_rank_1000(kind: str, setting: str) -> None:
    """cwl_eval cuts off those who see rank 1,001, so that it finds fewer documents seen, and a higher value.

    V(i) is at most INSQ's (2T / (i + 2T - 1))² in all three, which from rank 1,001 on adds up to at
    most 4T² / (1,000 + 2T - 1). For INSQ it is that sum, of which the integral from 1,000.5 on is a
    close estimate.
    """
    qrels, run = made_up(8, [0, 0, 0, 1, 2, 3])
    name = f"{kind}({setting})"
    found = ours(qrels, run, [name])
    measure = parse_measures(name)[0]
    t = float(setting[2])
    theirs = cwl_scores(name, qrels, run)
    assert len(theirs) == len(TOPICS)
    for topic, (value, documents) in theirs.items():
        ours_here = found[topic][str(measure)]
        if kind == "INSQ":
            unseen = 4 * t**2 / (1000.5 + 2 * t - 1)
            assert ours_here == pytest.approx(value * documents / (documents + unseen), rel=1e-6)
        else:
            unseen = 4 * t**2 / (1000 + 2 * t - 1)
            assert value * documents / (documents + unseen) - 1e-12 <= ours_here <= value + 1e-12
            assert unseen / documents < 0.05

"""Scripts that were written for other libraries, with the import changed: they run, and the numbers are the same."""

from __future__ import annotations

import math
import random
from typing import Any

import pandas as pd
import pytest

import cranfield as cf

QRELS: dict[str, dict[str, float]] = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "d": 1}}
BM25 = {"q1": {"c": 3.0, "a": 2.0, "x": 1.0}, "q2": {"d": 2.0, "y": 1.0}}
DENSE = {"q1": {"a": 0.9, "b": 0.8}, "q2": {"y": 0.7, "z": 0.6, "a": 0.5}}
RUNS = {"bm25": BM25, "dense": DENSE}


def frame(run: dict[str, dict[str, float]], name: str | None = None) -> pd.DataFrame:
    """Lay a run out as PyTerrier's transformers do: ranks from 0, and columns that are nobody's business."""
    rows = [
        {"qid": qid, "docid": place, "docno": docno, "rank": rank, "score": score, "query": f"what is {qid}"}
        for qid, documents in run.items()
        for place, (rank, (docno, score)) in enumerate(enumerate(documents.items()))
    ]
    return pd.DataFrame(rows).assign(**({"name": name} if name else {}))


def test_a_pyterrier_flow() -> None:
    topics = pd.DataFrame({"qid": list(QRELS), "query": ["what is q1", "what is q2"]})
    qrels = pd.DataFrame(
        [(qid, docno, label) for qid, judged in QRELS.items() for docno, label in judged.items()],
        columns=["qid", "docno", "label"],
    )
    results = pd.concat([frame(BM25, "bm25"), frame(DENSE, "dense")], ignore_index=True)
    assert set(results.qid) == set(topics.qid)

    table = cf.evaluate(qrels, results, ["AP", "RR", "nDCG@10"])

    assert table.runs == ("bm25", "dense")
    assert table.by_run() == cf.evaluate(QRELS, RUNS, ["AP", "RR", "nDCG@10"]).by_run()
    assert cf.evaluate(qrels, results.drop(columns="score"), ["AP", "RR", "nDCG@10"]).by_run() == table.by_run()
    assert cf.compare(qrels, {"bm25": frame(BM25), "dense": frame(DENSE)}, "AP").to_polars().height == 1


class Qrels:
    """ranx' class, as a script sees it; inside it holds its numba dict under this name."""

    kind = "qrels"

    def __init__(self, values: dict[str, dict[str, float]], name: str | None = None) -> None:
        setattr(self, self.kind, values)
        self.name = name

    def to_dict(self) -> dict[str, dict[str, float]]:
        values: dict[str, dict[str, float]] = getattr(self, self.kind)
        return values


class Run(Qrels):
    kind = "run"


def test_a_ranx_script() -> None:
    evaluate = cf.evaluate  # instead of: from ranx import evaluate

    qrels, run = Qrels(dict(QRELS)), Run(BM25, name="bm25")
    found = evaluate(qrels, run, ["hit_rate@1", "precision@2", "recall@3", "f1@2", "r-precision", "mrr", "map-l2"])

    assert found.runs == ("bm25",)
    assert found.averages[:, 0].tolist() == pytest.approx([
        (0 + 1) / 2,  # is the first one relevant?
        (1 / 2 + 1 / 2) / 2,
        (1 / 2 + 1 / 2) / 2,
        (1 / 2 + 1 / 2) / 2,
        (1 / 2 + 1 / 2) / 2,  # R = 2 in both: c and a, d and y
        (1 / 2 + 1) / 2,
        (1 / 2 + 0) / 2,  # only a of q1 has grade 2
    ])  # fmt: skip
    assert evaluate(qrels, run, "ndcg_burges@2").averages[0, 0] == pytest.approx(
        (3 / math.log2(3) / (3 + 1 / math.log2(3)) + 1 / (1 + 1 / math.log2(3))) / 2
    )
    compared = cf.compare(qrels, [run, Run(DENSE, name="dense")], ["map@100", "mrr@100", "ndcg@10"])
    assert set(compared.to_polars()["measure"]) == {"AP@100", "RR@100", "nDCG@10"}


@pytest.mark.filterwarnings("ignore")
def test_an_ir_measures_script() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import AP, RR, P, nDCG

    chance = random.Random(8)  # noqa: S311
    qrels = [ir_measures.Qrel(str(t), f"d{d}", chance.choice([0, 0, 1, 2])) for t in range(1, 11) for d in range(20)]
    lists = {str(t): chance.sample(range(30), 15) for t in range(1, 11)}
    run = [ir_measures.ScoredDoc(t, f"d{d}", chance.random()) for t, listed in lists.items() for d in listed]
    asked: list[Any] = [nDCG @ 10, P(rel=2) @ 5, AP, RR]
    theirs = ir_measures.calc_aggregate(asked, qrels, run)

    ours = cf.evaluate(qrels, run, asked, order="trec9")  # instead of: ir_measures.calc_aggregate

    assert [str(measure) for measure in ours.measures] == ["nDCG@10", "P(rel=2)@5", "AP", "RR"]
    assert ours.averages[:, 0].tolist() == pytest.approx([theirs[measure] for measure in asked], abs=1e-6)


def test_a_pytrec_eval_script() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    theirs = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg_cut.5"}).evaluate(BM25)

    ours = cf.evaluate(QRELS, BM25, ["map", "ndcg_cut.5"], order="trec9").by_run()["run"]

    for topic, values in theirs.items():
        assert ours[topic]["AP"] == pytest.approx(values["map"])
        assert ours[topic]["nDCG@5"] == pytest.approx(values["ndcg_cut_5"])

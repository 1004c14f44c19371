"""Mistakes with files, arguments and names: each ends in the right number, or in one sentence with the remedy."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import cranfield as cf
from cranfield.formats import read_qrels, read_run, write_run

MISTAKEN = run_path(str(Path(__file__).parent / "mistaken.py"))
QRELS, RUN, ROWS, JUDGED, RR = (MISTAKEN[name] for name in ("QRELS", "RUN", "ROWS", "JUDGED", "RR"))
folder = MISTAKEN["folder"]

COMMANDS: list[tuple[str, float | str]] = [
    # Files as people have them.
    *(
        (f"evaluate qrels.txt {run} -m RR", RR)
        for run in (
            *("run.json", "run.json.gz", "indented.json", "dumped", "records.json", "run.jsonl", "lists.json"),
            *("jsons/*.json", "dev.tsv", "semi.csv"),
        )
    ),
    *((f"evaluate {q} a.run -m RR", RR) for q in ("qrels.tsv", "qrels.json", "qrels-semi.csv")),
    ("evaluate qrels.txt dev.tsv -m RR --order rank", RR),
    ("evaluate qrels.txt broken.json -m RR", "broken.json, line 1: not JSON"),
    ("evaluate qrels.txt twice.json -m RR", "'b' occurs twice in one object"),
    ("evaluate qrels.txt mine=by-name.json -m RR", "by-name.json: holds 2 runs, not the one run 'mine'"),
    ("evaluate qrels.txt unnamed.json -m RR", "give {topic: {document: score}}"),
    ("evaluate qrels.txt ragged.tsv -m RR", "3 columns where run lines have 6"),
    ("evaluate qrels.txt falling.tsv -m RR", "if these are scores, write lines `topic Q0 doc rank"),
    ("evaluate qrels.txt run.xlsx -m RR", "save the table as CSV"),
    ("evaluate qrels.txt jsons -m RR", "JSON files must be named: jsons/*.json"),
    # Arguments that change places.
    ("evaluate a.run qrels.txt", "this looks like a run; put the qrels first"),
    ("evaluate a.run b.run", "this looks like a run; put the qrels first"),
    ("evaluate qrels.txt qrels.txt", "this looks like qrels; put them before the runs"),
    ("evaluate qrels.txt qrels.csv", "this looks like qrels; put them before the runs"),
    ("select qrels.txt", "put them before the runs, or after --qrels"),
    ("evaluate run.csv qrels.csv", "this looks like a run; put the qrels first"),
    ("compare a.run b.run qrels.txt -m RR", "this looks like a run; put the qrels first"),
    ("curve qrels.txt a.run -m RR --last-rank 1", 1.0),
    ("curve -m RR qrels.txt a.run --last-rank 1", 1.0),
    ("curve qrels.txt a.run", "say by --measure MEASURE what is asked"),
    ("curve qrels.txt a.run -m RR -m AP", "--measure is given 2 times"),
    ("plot qrels.txt a.run -o x.svg", "say by --figure NAME what is asked"),
    ("plot qrels.txt a.run --figure leaderbord -o x.svg", "did you mean `leaderboard`?"),
    # Outputs that nothing writes.
    ("evaluate qrels.txt a.run -o out.xlsx", ".xlsx is not written; choose from .txt .csv"),
    ("compare qrels.txt a.run b.run -o t.docx", ".docx is not written"),
    ("conflate qrels.txt --grades 2:1 -o q.xlsx", ".xlsx cannot be written; formats of runs and qrels are"),
    # Names of measures, tests, commands and words.
    ("evaluate qrels.txt a.run -m AP,RR", RR),
    ("evaluate qrels.txt a.run -m nDCG@5,10,RR", RR),
    *(
        (f"evaluate qrels.txt a.run -m '{wrong}'", f"did you mean {meant}?")
        for wrong, meant in {
            **{
                "AP RR": "AP,RR",
                "AP,": "AP",
                "RBP(0.8)": "RBP(p=0.8)",
                "nDCG(10)": "nDCG@10",
                "RBP(0.8)@9": "RBP(p=0.8)@9",
            },
            **{"ndcg10": "nDCG@10", "NDCG 10": "nDCG@10", "ndcg-10": "nDCG@10", "nDCG@k": "nDCG@10", "P10": "P@10"},
            **{"recall100": "R@100", "mrr10": "RR@10", "ndcg_cut10": "nDCG@10"},
        }.items()
    ),
    ("evaluate qrels.txt a.run -m ndgc@10", "did you mean nDCG"),
    ("eval qrels.txt a.run", "did you mean `cranfield evaluate`?"),
    ("evalute qrels.txt a.run", "did you mean `cranfield evaluate`?"),
    ("measure", "did you mean `cranfield measures`?"),
    ("experiment correlatoin qrels.txt a.run b.run", "did you mean `correlation`?"),
    ("compare qrels.txt a.run b.run -m RR --test wilcoxn", "did you mean `wilcoxon`?"),
    ("compare qrels.txt a.run b.run -m RR --test Permutaton", "did you mean `permutation`?"),
    ("evaluate qrels.txt a.run -m RR --format CSV --average Mean --topics ALL", RR),
]


@pytest.mark.parametrize(("call", "expected"), COMMANDS, ids=[call for call, _ in COMMANDS])
def test_on_the_command_line(call: str, expected: float | str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    MISTAKEN["holds_on_the_command_line"](call, expected)


def score(qrels: Any, runs: Any, **options: Any) -> float:
    """Score a run by RR."""
    return float(cf.evaluate(qrels, runs, "RR", **options))


def both() -> cf.Scores:
    """Score two runs by two measures."""
    return cf.evaluate(QRELS, {"bm25": RUN, "worst": {"1": ["b"]}}, ["AP", "nDCG@10"])


def read_text(text: str, **options: Any) -> pd.DataFrame:
    """Read as pandas does."""
    return pd.read_csv(io.StringIO(text), sep=" ", **options)


LINES = "".join(f"{t} Q0 {d} {r} {s} a\n" for t, d, r, s in ROWS)
QRELS_LINES = "".join(f"{t} 0 {d} {g}\n" for t, d, g in JUDGED)
POLARS = pl.read_csv(io.BytesIO(LINES.encode()), separator=" ", has_header=False)
RECORDS = [{"question_id": t, "id": d, "score": s} for t, d, _, s in ROWS]

CALLS: list[tuple[str, Callable[[], object], float | str]] = [
    # Frames, records and arrays as people have them.
    ("a frame without names", lambda: score(QRELS, read_text(LINES, header=None)), RR),
    ("both without names", lambda: score(read_text(QRELS_LINES, header=None), read_text(LINES, header=None)), RR),
    ("a frame of polars without names", lambda: score(QRELS, POLARS), RR),
    ("without header=None", lambda: score(QRELS, read_text(LINES)), "read with header=None"),
    ("three columns without names", lambda: score(QRELS, POLARS[:, [0, 2, 4]].rename(str)), "no column for"),
    (
        "columns 0 to 2",
        lambda: score(QRELS, pd.DataFrame([[1, "a", 0.5]])),
        "3 columns without names; name them query_id",
    ),
    ("records with question_id and id", lambda: score(QRELS, RECORDS), RR),
    ("the same under a name", lambda: score(QRELS, {"hybrid": RECORDS}), RR),
    ("records of unknown names", lambda: score(QRELS, {"hybrid": [{"q": "1", "d": "a", "s": 1}]}), "no column for"),
    ("scores alone", lambda: score(QRELS, np.array([[0.3, 0.1]])), "give {topic: {document: score}}"),
    ("as scikit-learn has them", lambda: score(np.array([1, 0]), np.array([0.3, 0.1])), "an array of numbers"),
    ("scores by topic", lambda: score(QRELS, {"1": np.array([0.3])}), "an array of numbers does not name topics"),
    ("the documents of one topic", lambda: score(QRELS, RUN["1"]), "does not name the topic"),
    ("the grades of one topic", lambda: score(QRELS["1"], RUN), "does not name the topic"),
    # Arguments that change places.
    ("dicts swapped", lambda: score(RUN, QRELS), "give the qrels first, then the runs"),
    ("dicts swapped, the runs by name", lambda: score({"bm25": RUN}, QRELS), "give the qrels first"),
    ("frames swapped", lambda: score(read_text(LINES, header=None), QRELS), "6 columns without names: this looks"),
    ("scores for a run", lambda: cf.evaluate(QRELS, both()), "Scores cannot be read as a run"),
    ("grades that are floats, whole", lambda: score({"1": {"a": 1.0}}, {"1": {"b": 2, "a": 1}}), 1 / 2),
    ("grades that are shares", lambda: score({"1": {"a": 0.5, "b": 0.0}}, {"1": {"b": 2, "a": 1}}), 1 / 2),
    # One number.
    ("a run and a measure", lambda: both()["bm25", "AP"], ((1 / 2 + 2 / 3) / 2 + 1) / 2),
    ("a run, then the measure", lambda: both()["bm25"]["AP"], ((1 / 2 + 2 / 3) / 2 + 1) / 2),
    ("a measure, then the run", lambda: both()["AP"]["worst"], 0.0),
    ("a measure without its cutoff", lambda: both()["worst", "ndcg"], 0.0),
    ("a measure itself", lambda: both()["worst", cf.nDCG @ 10], 0.0),
    ("the measure first", lambda: both()["AP", "bm25"], "the run comes first: scores['bm25', 'AP']"),
    ("another run", lambda: both()["bm52"], "is not among the runs (bm25, worst) and measures (AP, nDCG@10)"),
    ("another measure", lambda: both()["bm25", "P@10"], "P@10 is not among the measures asked for: AP, nDCG@10"),
    ("a place", lambda: both()[0], "0 is not among the runs"),  # type: ignore[call-overload]
    ("float of four", lambda: float(both()), "2 runs by 2 measures are not one number"),
    ("a run called as a measure", lambda: cf.evaluate(QRELS, {"AP": RUN}, "AP")["AP"], "is a run and a measure"),
    ("a topic", lambda: both().topic("1")["bm25", "AP"], (1 / 2 + 2 / 3) / 2),
    ("a topic as a number", lambda: both().topic(1), "topic"),  # type: ignore[arg-type]
    # Names.
    ("measures in one text", lambda: cf.evaluate(QRELS, RUN, "AP, RR")["run", "RR"], RR),
    ("a value without a name", lambda: cf.evaluate(QRELS, RUN, "RBP(0.8)"), "did you mean RBP(p=0.8)?"),
    ("the same of a class", lambda: cf.RBP(0.8), "write cf.RBP(p=0.8)"),  # type: ignore[arg-type, call-arg]
    ("a cutoff without @", lambda: cf.evaluate(QRELS, RUN, "ndcg10"), "did you mean nDCG@10?"),
    ("Wilcoxon", lambda: cf.compare(QRELS, {"a": RUN, "b": RUN}, "RR", test="Wilcoxon").to_polars()["p"][0], 1.0),
    ("words in capitals", lambda: score(QRELS, RUN, average="MEAN", topics="All"), RR),
    ("a suffix that nothing writes", lambda: write_run(read_run(RUN), "run.xlsx"), ".xlsx cannot be written"),
    ("qrels for a run", lambda: read_run(pl.DataFrame(JUDGED, ["qid", "docno", "rel"], orient="row")), "looks like"),
    ("a run for qrels", lambda: read_qrels(pd.DataFrame(ROWS, columns=["qid", "docno", "rank", "score"])), "looks"),
]


@pytest.mark.parametrize(("call", "expected"), [each[1:] for each in CALLS], ids=[each[0] for each in CALLS])
def test_in_python(call: Callable[[], object], expected: float | str) -> None:
    MISTAKEN["holds_in_python"](call, expected)

"""evaluate(): what comes in, what the averages are over, and that no detail of the machinery shows in a score."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cranfield as cf
from cranfield.judged.judgments import Judgments
from cranfield.scoring.engines import local

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"z": 0}}
RUN = {"1": {"b": 3.0, "a": 2.5, "x": 2.0}, "2": {"a": 1.5}}


def frame_rows(run: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(topic, document, score) for topic, ranked in run.items() for document, score in ranked.items()]


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "tuples", "dict", "file"])
def test_the_same_scores_from_any_container(library: str, tmp_path: Path) -> None:
    rows = frame_rows(RUN)
    topics, documents, scores = (list(column) for column in zip(*rows, strict=True))
    given: cf.RunsLike = RUN
    if library == "polars":
        given = pl.DataFrame({"qid": topics, "docno": documents, "score": scores})
    elif library == "pandas":
        given = pd.DataFrame({"query_id": topics, "doc_id": documents, "score": scores})
    elif library == "pyarrow":
        given = pa.table({"q_id": topics, "doc_id": documents, "score": scores})
    elif library == "tuples":
        given = rows
    elif library == "file":
        given = tmp_path / "some.run"
        cf.write_run(cf.read_run(RUN), tmp_path / "some.run")
    values = cf.evaluate(QRELS, given, ["AP", "nDCG@10"]).values
    assert values[0, 0].tolist() == [(1 / 2) / 2, 1.0, 0.0]
    dcg, ideal = 2 / math.log2(3), 2 / math.log2(2) + 1 / math.log2(3)
    assert values[1, 0].tolist() == [pytest.approx(dcg / ideal), 1.0, 0.0]


def test_the_library_gives_back_what_is_asked_for() -> None:
    scores = cf.evaluate(QRELS, {"r": RUN}, ["AP"])
    assert scores.to_polars().rows() == [("r", "all", "AP", 1.25 / 3)]
    assert scores.to_pandas(per_topic=True)["value"].tolist() == [0.25, 1.0, 0.0, 1.25 / 3]
    assert scores.to_arrow().column("measure").to_pylist() == ["AP"]
    assert scores.by_run() == {"r": {"1": {"AP": 0.25}, "2": {"AP": 1.0}, "3": {"AP": 0.0}}}
    assert "AP" in scores._repr_html_()


def test_a_missing_topic_counts_0_and_an_empty_one_is_a_ranking() -> None:
    runs = {"lacks": {"1": {"a": 1.0}}, "empty": {"1": {"a": 1.0}, "2": {}}}
    all_topics = cf.evaluate(QRELS, runs, ["P@1", "NumRel", "NumQ"])
    shared = cf.evaluate(QRELS, runs, ["P@1", "NumRel", "NumQ"], topics="shared")
    assert all_topics.averages.tolist() == [[1 / 3, 1 / 3], [3, 3], [3, 3]]
    assert shared.averages.tolist() == [[1, 1 / 2], [2, 3], [1, 2]]
    assert all_topics.audit.runs[0].missing == ("2", "3")
    assert all_topics.audit.runs[1].missing == ("3",)
    assert all_topics.audit.runs[1].empty == ("2",)


def test_a_geometric_mean_takes_a_missing_topic_for_the_least_value() -> None:
    scores = cf.evaluate(QRELS, {"r": RUN}, "gmAP")
    assert scores.averages[0, 0] == pytest.approx((0.25 * 1.0 * 0.00001) ** (1 / 3))
    shared = cf.evaluate(QRELS, {"r": RUN}, "gmAP", topics="shared")
    assert shared.averages[0, 0] == pytest.approx((0.25 * 1.0) ** (1 / 2))


def test_shorter_than_the_cutoff_and_all_scores_equal() -> None:
    run = {"1": dict.fromkeys("abc", 1.0)}
    scores = cf.evaluate(QRELS, {"r": run}, ["P@10", "RR", "AP"])
    assert scores.values[:, 0, 0].tolist() == [2 / 10, 1.0, (1 + 2 / 3) / 2]  # c, b, a
    assert scores.audit.runs[0].tied == 3


def test_the_audit_as_data() -> None:
    audit = cf.evaluate(QRELS, {"r": {**RUN, "9": {"a": 1.0}}}, "AP").audit
    table = audit.to_polars()
    assert table.row(0, named=True) == {
        "run": "r",
        "topics": 2,
        "missing_topics": ["3"],
        "extra_topics": ["9"],
        "empty_topics": [],
        "retrieved": 4,
        "tied": 0,
        "unjudged@10": pytest.approx(1 / 4),
        "unjudged@100": pytest.approx(1 / 4),
    }
    assert audit.without_relevant == ("3",)


def test_the_order_of_topics_and_runs_does_not_matter() -> None:
    turned = {topic: QRELS[topic] for topic in reversed(QRELS)}
    runs = {"r": RUN, "s": {"3": {"z": 1.0}, "1": {"c": 2.0}}}
    one = cf.evaluate(QRELS, runs, ["AP", "gmAP", "nDCG", "infAP"])
    other = cf.evaluate(turned, {name: runs[name] for name in reversed(runs)}, ["AP", "gmAP", "nDCG", "infAP"])
    assert other.topics == ("3", "2", "1")
    assert (other.values == one.values[:, ::-1, ::-1]).all()
    assert (other.averages == one.averages[:, ::-1]).all()


def test_neither_threads_nor_batches_show(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    documents = [f"d{i}" for i in range(60)]
    qrels = {str(t): {d: int(random.integers(-1, 4)) for d in documents[:40]} for t in range(8)}
    runs = {
        f"r{r}": {str(t): {d: float(random.integers(5)) for d in random.permutation(documents)[:50]} for t in range(8)}
        for r in range(7)
    }
    measures = [m for m in cf.parse_measures("all_trec10") if not m.text]
    measures += cf.parse_measures(["INST", "ERR@20", "Compat", "NERR9@10"])
    whole = cf.evaluate(qrels, runs, measures, workers=1)
    monkeypatch.setattr(local, "RUNS_IN_A_BATCH", 2)
    pieces = cf.evaluate(qrels, runs, measures, workers=3)
    assert (whole.values == pieces.values).all()
    assert whole.audit == pieces.audit


def test_judgments_can_be_prepared_once() -> None:
    judgments = Judgments(cf.read_qrels(QRELS))
    assert cf.evaluate(judgments, {"r": RUN}, "AP").averages.tolist() == [[1.25 / 3]]
    assert cf.evaluate(judgments, {"r": RUN}, "P@1").averages.tolist() == [[1 / 3]]


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    cf.evaluate(QRELS, {"r": RUN, "s": RUN}, "AP", progress=lambda done, of: told.append((done, of)))
    assert told == [(2, 2)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"topics": "some"}, "topics must be 'all' or 'shared', not 'some'"),
        ({"order": "random"}, "order must be"),
        ({"depth": 0}, "depth must be at least 1"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], expected: str) -> None:
    with pytest.raises(cf.InputError, match=expected):
        cf.evaluate(QRELS, {"r": RUN}, "AP", **options)  # type: ignore[arg-type]


def test_errors_come_from_the_first_broken_run(tmp_path: Path) -> None:
    for i in range(6):
        (tmp_path / f"{i}.run").write_text("1 Q0 a 1 2.0 x\n" if i < 3 else f"1 Q0 a 1 bad{i} x\n")
    with pytest.raises(cf.InputError, match=r"3\.run, line 1"):
        cf.evaluate(QRELS, tmp_path, "AP", workers=3)


def test_what_is_plainly_no_run_is_passed_over_in_a_folder_and_named(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Runs of 1968")
    (tmp_path / "LICENSE").write_text("free")
    (tmp_path / "one.run").write_text("1 Q0 a 1 2.0 x\n")
    scores = cf.evaluate(QRELS, tmp_path, "AP")
    assert scores.runs == ("one",)
    assert f"not a run, skipped: {tmp_path}/LICENSE, {tmp_path}/README.md" in scores.audit.line()
    with pytest.raises(cf.InputError, match=r"README\.md, line 1"):  # named itself, it is read
        cf.evaluate(QRELS, [tmp_path / "one.run", tmp_path / "README.md"], "AP")
    (tmp_path / "one.run").unlink()
    with pytest.raises(cf.InputError, match="no run in this folder"):
        cf.evaluate(QRELS, tmp_path, "AP")


def test_texts_have_no_bounds() -> None:
    scores = cf.evaluate(QRELS, {"r": RUN}, "relstring", bounds=True)
    assert scores.measures == ()
    with pytest.raises(cf.InputError, match="RelString: a text"):
        scores.render("csv")


def test_public_names() -> None:
    assert cf.nDCG(dcg="exp-log2") @ 10 == cf.parse_measure("nDCG(dcg='exp-log2')@10")
    assert cf.MAP is cf.AP
    assert {"evaluate", "read_runs", "nDCG", "RBP"} <= set(dir(cf))
    with pytest.raises(AttributeError, match="nothing"):
        cf.nothing  # type: ignore[attr-defined] # noqa: B018


def test_measures_that_a_convention_makes_one_are_one() -> None:
    """ERR@20 is ERR(max_rel=4)@20 under trec-web: asked for as both, it is computed, and compared, once."""
    qrels = {str(t): {"a": 2, "b": 0} for t in range(8)}
    runs = {"x": {t: ["a", "b"] for t in qrels}, "y": {t: ["b", "a"] for t in qrels}}
    scores = cf.evaluate(qrels, runs, ["ERR@20", "ERR(max_rel=4)@20", "nDCG@20"], convention="trec-web")
    assert list(map(str, scores.measures)) == ["ERR(max_rel=4)@20", "nDCG(dcg='exp-log2')@20"]
    assert scores.table().width == 3
    assert cf.compare_scores(scores).to_polars().height == 2

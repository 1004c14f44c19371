"""Where lists had better have ended: by hand, beside a slow twin, and on real runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cranfield import evaluate, join
from cranfield.experiments.truncation import TRUNCATED, interval_name, interval_of, optimum, truncation
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.errors import InputError
from cranfield.scoring.engines import local
from cranfield.scoring.judged_runs import JudgedRuns

QRELS = {"1": {"a": 1, "b": 1}, "2": {"a": 1}, "3": {"a": 0}}
RUNS = {
    "good": {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"a": 1.0}},
    "late": {"1": {"x": 3.0, "y": 2.0, "a": 1.0}, "2": {}, "3": {"x": 1.0}},
}


def test_by_hand() -> None:
    # An effort of 2/5. good: 0 .6 .2 .8, and 0 .6. late: 0 -.4 -.8 -.2, nothing, 0 -.4.
    found = truncation(join(QRELS, RUNS), "FlatUtility(e=0.4)")
    assert found["lists"].drop("measure").rows() == [
        ("good", "1", 3, 3, pytest.approx(2 - 3 * 0.4), pytest.approx(2 - 3 * 0.4)),
        ("good", "2", 1, 1, 0.6, 0.6),
        ("late", "1", 3, 0, 0, pytest.approx(1 - 3 * 0.4)),
        ("late", "2", 0, 0, 0, 0),
        ("late", "3", 1, 0, 0, -0.4),
    ]
    [row] = found["summary"].rows(named=True)
    assert (row["rankings"], row["empty"], row["untouched"]) == (5, 3 / 5, 3 / 5)
    assert (row["mean_length"], row["median_length"]) == ((3 + 1) / 5, 0)
    assert row["whole"] == pytest.approx((0.8 + 0.6 - 0.2 - 0.4) / 5)
    assert row["optimal"] == pytest.approx((0.8 + 0.6) / 5)
    # Optimal lengths 3, 1, 0, 0, 0; of the topics one has no relevant document, and two have one or
    # two.
    assert found["intervals"].rows() == [("0", 1 / 3, 3 / 5), ("1-4", 2 / 3, 2 / 5)]
    assert found["intervals"].columns == ["interval", "relevant documents", "FlatUtility(e=0.4)"]


def test_intervals_by_plain_loop() -> None:
    bounds = [(0, 0), (1, 4), (5, 8), (9, 16), (17, 32), (33, 64), (65, 128), (129, 256), (257, 512), (513, 1024)]
    for i, (low, high) in enumerate(bounds):
        assert set(interval_of(np.arange(low, high + 1)).tolist()) == {i}
        assert interval_name(i) == (f"{low}-{high}" if high else "0")


def study(seed: int = 3) -> JudgedRuns:
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(12)]
    qrels = {str(t): dict(zip(documents, rng.integers(0, 3, 8).tolist(), strict=False)) for t in range(5)}
    runs = {
        f"r{r}": {
            str(t): dict(zip(rng.permutation(documents)[: rng.integers(1, 9)].tolist(), range(9, 0, -1), strict=False))
            for t in rng.permutation(5)[:4].tolist()
        }
        for r in range(5)
    }
    return join(qrels, runs)


@pytest.mark.parametrize("measure", ["OIE", "NDCGT", "SetF", "RBPU(p=0.8)", "RBPResidual(p=0.8)"])
def test_beside_evaluate_at_every_depth(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "RUNS_IN_A_BATCH", 2)  # runs come in several batches
    runs = study()
    asked = parse_measure(measure)
    cut = np.array([asked.by_run(runs.of_run(r).cut(k))[0] for k in range(9) for r in range(5)]).reshape(9, 5, 5)
    best = cut.max(axis=0) if asked.higher_is_better else cut.min(axis=0)
    found = optimum(runs, asked)
    assert found.value == pytest.approx(np.where(runs.present, best, 0), abs=1e-12)
    chosen = np.take_along_axis(cut, found.length[np.newaxis], axis=0)[0]
    assert chosen[runs.present] == pytest.approx(found.value[runs.present], abs=1e-12)
    assert (found.whole == runs.scores([asked]).values[0]).all()
    assert found.panel.means[0] == pytest.approx(found.value.mean(axis=1))


def test_averages_are_over_the_topics_that_averages_are_over() -> None:
    shared = join(QRELS, RUNS, topics="shared")
    measure = parse_measure("FlatUtility(e=0.4)")
    assert optimum(shared, measure).panel.means.tolist() == [[pytest.approx((0.8 + 0.6) / 2), 0]]
    assert optimum(join(QRELS, RUNS), measure).panel.means.tolist() == [[pytest.approx((0.8 + 0.6) / 3), 0]]
    # What one run alone finds on topic 3 is not compared.
    found = optimum(join(QRELS | {"3": {"x": 1}}, RUNS, topics="shared"), measure)
    assert found.value[1].tolist() == [0, 0, 0.6]
    assert found.panel.topics == ("1", "2")
    assert found.panel.means.tolist() == [[pytest.approx((0.8 + 0.6) / 2), 0]]


def test_what_is_relevant_is_said_by_the_runs() -> None:
    # Of grade 2 is a alone, on topic 1: 0 1 1/2 1/3 for a x b.
    runs = join({"1": {"a": 2, "b": 1}, "2": {"a": 1}}, {"good": {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}}, rel=2)
    found = truncation(runs, "SetP")
    assert found["lists"].rows() == [("good", "1", "SetP(rel=2)", 3, 1, 1, 1 / 3)]
    assert found["intervals"]["relevant documents"].to_list() == [1 / 2, 1 / 2]


def test_lists_without_their_unjudged_documents_are_cut_as_they_are_then() -> None:
    # x is not judged: a b is left, and its best end is the last document.
    found = truncation(join(QRELS, RUNS, judged_only=True), "FlatUtility(e=0.4)")["lists"]
    assert found.row(0)[3:] == (2, 2, pytest.approx(2 - 2 * 0.4), pytest.approx(2 - 2 * 0.4))


def test_a_run_by_its_place() -> None:
    runs = study()
    assert [runs.of_run(i).runs for i in range(5)] == [(name,) for name in runs.runs]
    with pytest.raises(IndexError, match="there are 5 runs"):
        runs.of_run(5)


def test_interrupted_it_goes_on(tmp_path: Path) -> None:
    runs, told = study(), []
    whole = truncation(runs, ("OIE", "SetF"), work=Work(lambda done, of: told.append((done, of)), tmp_path))
    assert told == [(1, 2), (2, 2)] * 2  # lists, and prefixes
    again = truncation(runs, ("OIE", "SetF"), work=Work(folder=tmp_path))
    assert all(again[name].equals(whole[name]) for name in whole.tables)


def test_a_measure_must_be_a_number() -> None:
    with pytest.raises(InputError, match="a text"):
        truncation(study(), "RunID")


@pytest.mark.integration
def test_trec8_as_in_the_paper(data: Path) -> None:
    """Figure 2, in words: terminal documents cut weakly, cascades strongly; utilities return nothing far more often."""
    qrels, folder = data / "trec8-adhoc" / "qrels.txt", data / "trec8-adhoc" / "runs"
    runs = join(qrels, folder)
    rows = {row["measure"]: row for row in truncation(runs)["summary"].rows(named=True)}
    nothing_found = float((evaluate(qrels, folder, "NumRelRet").values == 0).mean())
    for name in ("SetF", "NDCGT", "ERRT", "RBPT(p=0.8)", "RBPT(p=0.9)", "RBPT(p=0.98)"):
        assert rows[name]["empty"] == pytest.approx(nothing_found)  # never, where there is something
    for name in ("RBU(p=0.8)", "RBU(p=0.98)", "DCGU", "ERRU", "RBPU(p=0.8)", "RBPU(p=0.98)", "FlatUtility", "OIE"):
        assert rows[name]["empty"] > 10 * nothing_found
    assert rows["NDCGT"]["median_length"] > 800
    assert rows["ERRT"]["median_length"] == 652.5  # with 400 digits; of 64 bits it was 125
    assert all(row["median_length"] < 400 for name, row in rows.items() if name not in {"NDCGT", "ERRT"})
    assert all(rows[name]["median_length"] <= 4 for name in TRUNCATED if name.startswith(("RBU", "ERRU")))
    for row in rows.values():
        assert row["optimal"] > row["whole"]
    weights = [rows[f"RBPT(p={p})"]["mean_length"] for p in (0.8, 0.9, 0.98)]
    assert weights == sorted(weights)

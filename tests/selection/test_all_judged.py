"""With all candidates judged an estimate is what `evaluate` says; with some left to chance no interval is a point."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.measures.framework.measure import REGISTRY
from cranfield.measures.framework.names import parse_measures
from cranfield.selection.candidates import Candidates
from cranfield.selection.estimates import MODELLED_ALONE, Estimates, estimate
from cranfield.selection.sampling import draw_sample, proportional_sample

Qrels = dict[str, dict[str, float]]
Runs = dict[str, dict[str, list[str]]]

POOL = [f"d{n}" for n in range(9)]
EVERY: Final = [f"{name}@4" if kind.at_required else name for name, kind in REGISTRY.items() if kind.estimator]
"""Every measure that there is an estimate of."""
FURTHER: Final = [
    "AP(rel=2)@4", "nDCG@3", "nDCG@1", "nDCG(dcg='exp-log2')@5", "nDCG(gains={0:-1,1:5})", "nCG@2", "nDCG(base=3)@5",
    "DCG(gains={-1:-2,2:10})@3", "RBP(p=0.5,rel=1)@3", "Bpref(rel=2)", "R(rel=2)@3", "NumRel(rel=2)", "P(rel=3)@2",
]  # fmt: skip
GRADES: Final[dict[str, list[float]]] = {
    "mixed": [0, 0, 1, 2, 3], "low": [0, 0, 1], "one": [1], "the highest": [3], "zeros": [0], "negatives": [-2, -1],
    "some negative": [-2, -1, 0, 1, 2], "fractions": [0, 0.25, 0.5, 2.5],
}  # fmt: skip
"""What a topic's grades are drawn from."""


def made(seed: int) -> tuple[Qrels, Runs, Qrels]:
    """Make judgments, runs that may lack topics, and labels that have little to do with the judgments."""
    random = np.random.default_rng(seed)
    topics = [f"t{n}" for n in range(random.integers(1, 5))]
    runs: Runs = {}
    for n in range(random.integers(1, 4)):
        there = [topics[0], *(topic for topic in topics[1:] if random.random() < 0.9)]
        runs[f"r{n}"] = {topic: random.permutation(POOL)[: random.integers(1, 10)].tolist() for topic in there}
    runs["whole"] = {t: random.permutation(POOL).tolist() for t in topics}
    kinds = random.choice(list(GRADES), len(topics))
    qrels = {t: {d: float(random.choice(GRADES[kind])) for d in POOL} for t, kind in zip(topics, kinds, strict=True)}
    labels = {t: {d: float(random.integers(0, 3)) for d in POOL if random.random() < 0.8} for t in topics}
    labels[topics[0]]["d0"] = 1.0
    return qrels, runs, labels


def everything(candidates: Candidates, kind: int) -> pl.DataFrame:
    """Draw all candidates: in one stratum, each by itself, or as a sample that lists what could have been drawn."""
    topics = pl.Series(candidates.topics, dtype=pl.String).gather(candidates.topic)
    table = pl.DataFrame({"query_id": topics, "doc_id": candidates.document, "probability": 1.0})
    stratum = pl.lit(None, dtype=pl.Int64) if kind == 1 else pl.lit(0, dtype=pl.Int64)
    table = table.with_columns(stratum=stratum)
    return table.with_columns(drawn=pl.lit(1)) if kind == 2 else table


def check(seed: int) -> None:
    qrels, runs, labels = made(seed)
    candidates = Candidates.gather(runs)
    sample = everything(candidates, seed % 3)
    asked = [*EVERY, *FURTHER[seed % 4 :: 4]]
    truth = cf.evaluate(qrels, runs, asked)
    places = [list(truth.topics).index(topic) for topic in candidates.topics]
    alone = np.array([measure.estimator not in MODELLED_ALONE for measure in truth.measures])
    for some, cheap in ((alone, None), (alone | True, labels)):
        measures = [measure for measure, wanted in zip(truth.measures, some, strict=True) if wanted]
        found = estimate(candidates, sample, qrels, measures, cheap=cheap, baseline="whole" if cheap else None)
        np.testing.assert_allclose(found.values, truth.values[some][:, :, places], rtol=1e-9, atol=1e-9)
        means = found.means.drop_nulls("low")
        np.testing.assert_allclose(means["low"], means["value"], atol=1e-6)
        np.testing.assert_allclose(means["high"], means["value"], atol=1e-6)


def test_every_kind_of_estimate_is_among_the_measures() -> None:
    assert {measure.estimator for measure in parse_measures(EVERY)} == {
        kind.estimator for kind in REGISTRY.values()
    } - {None}


@pytest.mark.parametrize("seeds", [range(n, 40, 2) for n in range(2)])
def test_all_judged_is_evaluated(seeds: range) -> None:
    for seed in seeds:
        check(seed)


@pytest.mark.integration
@pytest.mark.parametrize("seeds", [range(n, 640, 2) for n in range(40, 42)])
def test_all_judged_is_evaluated_in_many_collections(seeds: range) -> None:
    for seed in seeds:
        check(seed)


def test_a_topic_without_the_best_grade_by_hand() -> None:
    """Topic 2 has no document of grade 3, and its list is as good as can be."""
    qrels, runs = {"1": {"a": 3, "b": 1}, "2": {"a": 1, "b": 1}}, {"x": {"1": ["a", "b"], "2": ["a", "b"]}}
    candidates = Candidates.gather(runs)
    found = estimate(candidates, everything(candidates, 2), qrels, ["nDCG", "nCG@2"], cheap=qrels)
    assert found.values[:, 0].tolist() == [[1, 1], [1, 1]]
    assert found.means.select("low", "high").rows() == [(1, 1)] * 2


def open_widths(found: Estimates) -> list[float]:
    """Return the widths of all intervals that are given, and no negative one."""
    rows = found.means.drop_nulls(["low", "high"])
    widths = (rows["high"] - rows["low"]).to_list()
    if "like_low" in rows.columns:
        widths += (rows["like_high"] - rows["like_low"]).drop_nulls().to_list()
    return widths


@pytest.mark.parametrize("design", ["proportional", "uniform", "stratified", "prior", "weighted"])
def test_what_chance_left_out_is_no_point(design: str) -> None:
    """Topics are of zeros, of ones and mixed; a run has documents that no other has, and they are seldom drawn."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        topics = [f"t{n}" for n in range(4)]
        runs = {name: {t: random.permutation(30)[:10].astype(str).tolist() for t in topics} for name in "xyz"}
        kinds = random.choice(["zeros", "one", "low"], 4)
        qrels = {t: {str(d): float(random.choice(GRADES[kind])) for d in range(30)}
                 for t, kind in zip(topics, kinds, strict=True)}  # fmt: skip
        candidates = Candidates.gather(runs)
        depths = [3] if design == "stratified" else None
        sample = draw_sample(candidates, 4, design=design, depths=depths, seed=seed).to_polars()  # type: ignore[arg-type]
        names = ["P@2", "RBP(p=0.5)", "NumRel"]
        for cheap in (None, qrels, {t: dict.fromkeys(of, 1.0) for t, of in qrels.items()}):
            if cheap is not None and not sample.height:
                continue
            widths = open_widths(estimate(candidates, sample, qrels, names, cheap=cheap, top_grade=1))
            assert min(widths, default=1.0) > 1e-6


def test_an_empty_sample_has_no_interval_and_true_notes() -> None:
    candidates = Candidates.gather({"x": {"1": ["a", "b", "c"], "2": ["d"]}})
    empty = proportional_sample(candidates, 1).clear()
    qrels = {"1": {"a": 1}, "2": {"d": 0}}
    found = estimate(candidates, empty, qrels, ["P@2", "NumRel", "AP"])
    assert found.means["low"].null_count() == found.means["standard_error"].null_count() == 3
    assert not any("uniform" in note or "other documents" in note for note in found.notes)
    assert any("no document of 2 topics" in note for note in found.notes)
    labelled = estimate(candidates, empty, qrels, "P@2", cheap=qrels)
    assert labelled.means.select("low", "high").row(0) == (0, 1)


def test_cheap_labels_allow_for_documents_that_a_proportional_sample_lacks() -> None:
    """Of y nothing was drawn, of x only what is drawn for certain: the labels are right, and nothing shows it."""
    candidates = Candidates.gather({"x": {t: ["a", "b"] for t in "12"}, "y": {t: ["c", "b"] for t in "12"}})
    rows = [(t, "a", 1.0, None) for t in "12"]
    sample = pl.DataFrame(rows, {"query_id": pl.String, "doc_id": pl.String, "probability": pl.Float64,
                                 "stratum": pl.Int64}, orient="row")  # fmt: skip
    qrels = {t: {"a": 1, "b": 1, "c": 1} for t in "12"}
    found = estimate(candidates, sample, qrels, ["P@2", "AP"], cheap=qrels)
    # One of three candidates was drawn, which is taken for a chance of 2/4: 2 disagreements, of which each adds
    # (1/2)² (1 / (1/2) - 1) to a sum over two topics
    errors = found.means.filter(measure="P@2")["standard_error"].to_list()
    assert errors == pytest.approx([np.sqrt(2 * 0.25) / 2] * 2)
    assert found.means.filter(measure="AP")["low"].null_count() == 2

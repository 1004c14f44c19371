"""Unanimous improvement and coverage, beside the formulas in plain loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr
from tools.real_runs import Joined

from cranfield import join
from cranfield.experiments.coverage import coverage, unanimous_improvement
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns

Runs = dict[str, dict[str, dict[str, float]]]


def slow_uir(values: Floats, drawn: Integers, s: int, other: int) -> float:
    """UIR(s, s') = (|{(t1, t2): s on t1 ≥ s' on t2}| - |{(t1, t2): s' on t2 ≥ s on t1}|) / pairs."""
    better = worse = 0
    for t1, t2 in drawn.T:
        better += all(measure[s][t1] >= measure[other][t2] for measure in values)
        worse += all(measure[other][t2] >= measure[s][t1] for measure in values)
    return (better - worse) / len(drawn.T)


@pytest.mark.parametrize("seed", range(5))
def test_unanimous_improvement_by_plain_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (2, 4, 5)).astype(float)
    drawn = rng.integers(5, size=(2, 30))
    found = unanimous_improvement(values, drawn)
    for s in range(4):
        for other in range(4):
            assert found[s, other] == pytest.approx(slow_uir(values, drawn, s, other))


def test_unanimity_by_hand() -> None:
    # Two measures, runs s and s' on topics 0 and 1. s: (1, 1) and (0, 1); s': (1, 0) and (1, 1).
    values = np.array([[[1.0, 0.0], [1.0, 1.0]], [[1.0, 1.0], [0.0, 1.0]]])
    # (0, 0): (1, 1) ≥ (1, 0), not the reverse. (1, 0): (0, 1) and (1, 0): neither. (0, 1): equal,
    # so both. (1, 1): (0, 1) < (1, 1).
    for pair, expected in (((0, 0), 1), ((1, 0), 0), ((0, 1), 0), ((1, 1), -1)):
        assert unanimous_improvement(values, np.array([[pair[0]], [pair[1]]]))[0, 1] == expected
    every = np.array([[0, 1, 0, 1], [0, 0, 1, 1]])
    assert unanimous_improvement(values, every)[0, 1] == (1 - 1) / 4


def study(seed: int = 7) -> JudgedRuns:
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(12)]
    qrels = {str(t): dict(zip(documents, rng.integers(0, 2, 8).tolist(), strict=False)) for t in range(6)}
    runs = {
        f"r{r}": {
            str(t): dict(zip(rng.permutation(documents)[:9].tolist(), range(9, 0, -1), strict=True)) for t in range(6)
        }
        for r in range(5)
    }
    return join(qrels, runs)


def test_coverage_by_plain_loops() -> None:
    runs = study()
    found = coverage(runs, ("AP", "RBPResidual(p=0.5)", "P@3"), reference=("P@2", "RR"), topic_pairs=40, seed=5)
    uir = {(a, b): value for a, b, value in found["unanimity"].rows()}
    assert set(uir) == {(a, b) for a in runs.runs for b in runs.runs if a != b}
    values = _values(runs, "P@2", "RR")
    drawn = np.random.default_rng(5).integers(6, size=(2, 40))
    for (a, b), value in uir.items():
        assert value == pytest.approx(slow_uir(values, drawn, runs.runs.index(a), runs.runs.index(b)))
    by_measure = dict(found["coverage"].rows())
    for name, sign in (("AP", 1), ("RBPResidual(p=0.5)", -1), ("P@3", 1)):
        means = dict(zip(runs.runs, _values(runs, name)[0].mean(axis=1), strict=True))
        differences = [round(sign * (means[a] - means[b]), 12) for a, b in uir]
        assert by_measure[name] == pytest.approx(spearmanr(differences, list(uir.values())).statistic)
    assert found["coverage"]["coverage"].to_list() == sorted(by_measure.values(), reverse=True)


def _values(runs: JudgedRuns, *measures: str) -> Floats:
    from cranfield.measures.framework.names import parse_measures

    return runs.scores(parse_measures(measures)).values


def test_lists_are_cut_first() -> None:
    late = {"1": {"x": 3.0, "y": 2.0, "a": 1.0}}
    runs = join({"1": {"a": 1}}, {"good": {"1": {"a": 1.0}}, "late": late, "lost": {"1": {"x": 1.0}}})
    for depth, tied in ((2, True), (3, False)):
        found = coverage(runs, "AP", reference=("AP",), depth=depth)["unanimity"]
        uir = found.filter((pl.col("run_a") == "late") & (pl.col("run_b") == "lost"))["uir"].item()
        assert (uir == 0) is tied


def test_sums_that_differ_by_rounding_are_ties() -> None:
    # P@10 of .1 + .2 and of .3 on two topics: the means are the same, whatever the order of adding.
    qrels = {t: {f"d{i}": 1 for i in range(10)} for t in "123"}
    hits = {"a": (1, 2, 0), "b": (3, 0, 0), "c": (0, 0, 4)}
    runs = {
        name: {t: {f"d{i}": 9.0 - i for i in range(n)} | {"x": 0.0} for t, n in zip("123", found, strict=True)}
        for name, found in hits.items()
    }
    joined = join(qrels, runs)
    means = _values(joined, "P@10")[0].mean(axis=1)
    assert means[0] != means[1]  # in 64 bits
    found = coverage(joined, "P@10", reference=("P@10",))
    uir = found["unanimity"]
    exact = {"a": 3, "b": 3, "c": 4}
    differences = [exact[a] - exact[b] for a, b in uir.select("run_a", "run_b").rows()]
    assert found["coverage"]["coverage"].item() == pytest.approx(spearmanr(differences, uir["uir"]).statistic)


def one_topic(qrels: dict[str, int], **rankings: str) -> tuple[dict[str, dict[str, int]], Runs]:
    return {"1": qrels}, {run: {"1": ranked(found)} for run, found in rankings.items()}


def ranked(documents: str) -> dict[str, float]:
    return {document: -float(rank) for rank, document in enumerate(documents)}


def unanimity_of(runs: JudgedRuns, **options: Any) -> dict[tuple[str, str], float]:
    return {(a, b): uir for a, b, uir in coverage(runs, "AP", **options)["unanimity"].rows()}


def test_what_is_relevant_is_said_by_the_runs() -> None:
    # The first document of both is relevant; of grade 2 is a alone, which stands at rank 1, 2 and
    # 3.
    runs = join(*one_topic({"a": 2, "b": 1}, first="abx", second="bax", third="xba"))
    for rel, uir in ((None, 0), (2, 1)):
        assert unanimity_of(runs.under(rel=rel), reference=("RR",))["first", "second"] == uir
    found = coverage(runs.under(rel=2), "AP", reference=("RR",))
    assert found["coverage"]["measure"].item() == "AP(rel=2)"
    assert found.settings["reference"] == ("RR(rel=2)",)


def test_shared_topics_are_those_that_every_run_has() -> None:
    # Topic 1 has a at rank 1, 2, and nowhere; topic 2 would have it the other way round, but one
    # run lacks it.
    runs = {
        "good": {"1": ranked("ax"), "2": ranked("xa")},
        "late": {"1": ranked("xa"), "2": ranked("ax")},
        "lost": {"1": ranked("xy")},
    }
    joined = join({"1": {"a": 1}, "2": {"a": 1}}, runs, topics="shared")
    found = unanimity_of(joined, reference=("RR",))
    order = list(runs)
    assert found == {(a, b): 1 if order.index(a) < order.index(b) else -1 for a, b in found}
    assert coverage(joined, "AP").notes == ("compared on the 1 topic that all runs have, without 2",)


def test_geometric_means_are_compared_by_logarithms() -> None:
    # AP is 1 and 1, 1/2 and 1/2, 1/2 and 0. The means of the logarithms (0, -.7, -6.1) say: from
    # good to low is farthest, then from half to low, then from good to half. By UIR good is above
    # both always, half above low on half of the topics: deviations from the mean rank 2.5, 1.5, .5
    # beside 2, .5, 2, and their negatives.
    rankings = {"good": ("a", "a"), "half": ("xa", "xa"), "low": ("xa", "x")}
    runs = {run: dict(zip("12", map(ranked, found), strict=True)) for run, found in rankings.items()}
    found = coverage(join({"1": {"a": 1}, "2": {"a": 1}}, runs), "gmAP", reference=("AP",))
    rho = (2.5 * 2 + 1.5 * 0.5 + 0.5 * 2) / ((2.5**2 + 1.5**2 + 0.5**2) * (2**2 + 0.5**2 + 2**2)) ** 0.5
    assert found["coverage"].rows() == [("gmAP", pytest.approx(rho))]


def test_the_seed_decides_which_topics_are_paired() -> None:
    runs = study()
    one, same, other = (coverage(runs, "AP", seed=seed)["unanimity"] for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)
    assert coverage(runs, "AP", seed=2).settings["seed"] == 2


def test_what_makes_no_sense_is_refused() -> None:
    runs = study()
    with pytest.raises(InputError, match="must be at least 1"):
        coverage(runs, "AP", depth=0)
    with pytest.raises(InputError, match="must be at least 1"):
        coverage(runs, "AP", topic_pairs=0)
    with pytest.raises(InputError, match="2 runs; coverage is a correlation"):
        coverage(join({"1": {"a": 1}}, {r: {"1": {"a": 1.0}} for r in "ab"}), "AP")


@pytest.mark.parametrize(
    "collection",
    ["trec8-adhoc", *(pytest.param(name, marks=pytest.mark.integration) for name in ("dl19-passage", "covid-round1"))],
)
def test_as_in_the_paper(joined: Joined, collection: str) -> None:
    """Table 3: measures that go deep or know recall cover most, ERR and RR least; only the order is compared."""
    runs = joined(collection)
    found = dict(coverage(runs)["coverage"].rows())
    for high in ("OIE", "nDCG", "DCG", "RBP(p=0.98)"):
        assert found[high] > 0.9
        for low in ("ERR", "RR", "iRBU(p=0.8)"):
            assert found[high] > found[low]
    assert found["RBP(p=0.98)"] > found["RBP(p=0.9)"] > found["RBP(p=0.8)"]
    assert math.isfinite(sum(found.values()))
    assert runs.scores("RR").averages.shape[1] >= 15

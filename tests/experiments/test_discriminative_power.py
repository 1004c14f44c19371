"""Discriminative power against Sakai's algorithm in plain loops, other tests, and real runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tools.real_runs import Joined

from cranfield import join
from cranfield.experiments.discriminative_power import Test, discriminative_power
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.bootstrap import resample_counts

TOPICS = [str(topic) for topic in range(1, 13)]


def _random_runs(count: int, seed: int = 5) -> JudgedRuns:
    """Runs of ten documents a topic, four of them relevant; later runs are the better ones."""
    rng = np.random.default_rng(seed)
    qrels = {topic: {f"d{i}": int(i < 4) for i in range(10)} for topic in TOPICS}
    boost = np.arange(10) < 4
    runs = {
        f"run{r}": {
            topic: {f"d{i}": float(score) for i, score in enumerate(rng.normal(size=10) + 0.6 * r * boost)}
            for topic in TOPICS
        }
        for r in range(count)
    }
    return join(qrels, runs)


def _studentised(z: list[float]) -> tuple[float, float]:
    n = len(z)
    mean = sum(z) / n
    deviation = math.sqrt(sum((x - mean) ** 2 for x in z) / (n - 1))
    return (mean / (deviation / math.sqrt(n)) if mean else 0.0), mean


def _slow_bootstrap(z: list[float], counts: list[list[float]], alphas: tuple[float, ...]) -> tuple[float, list[float]]:
    """Sakai (2006) for one pair: Figure 1 gives the ASL, Figure 4 the difference for each alpha."""
    seen, mean = _studentised(z)
    resampled = []
    for count in counts:
        sample = [x - mean for x, times in zip(z, count, strict=True) for _ in range(int(times))]
        t, difference = _studentised(sample)
        resampled.append((abs(t), abs(difference)))
    asl = sum(t >= abs(seen) for t, _ in resampled) / len(resampled)
    resampled.sort(reverse=True)
    return asl, [resampled[round(alpha * len(resampled)) - 1][1] for alpha in alphas]


def test_the_bootstrap_equals_sakais_algorithm_in_plain_loops() -> None:
    runs, alphas = _random_runs(4), (0.1, 0.05)
    found = discriminative_power(runs, ["AP"], alphas=alphas, resamples=200, seed=3, top=1.0)
    by_id = np.argsort(runs.topics)
    values = runs.scores(parse_measures(["AP"])).values[0][:, by_id].tolist()
    counts = resample_counts(len(TOPICS), 200, 3).tolist()
    expected, deltas = [], []
    for a in range(4):
        for b in range(a + 1, 4):
            z = [x - y for x, y in zip(values[a], values[b], strict=True)]
            asl, delta = _slow_bootstrap(z, counts, alphas)
            expected.append(("AP", f"run{a}", f"run{b}", pytest.approx(sum(z) / len(z)), asl))
            deltas.append(delta)
    assert found["pairs"].rows() == expected
    levels = [row[-1] for row in expected]
    for i, alpha in enumerate(alphas):
        significant = sum(level < alpha for level in levels)
        assert 0 < significant < 6
        assert found["power"].row(i) == (
            "AP",
            alpha,
            6,
            significant,
            significant / 6,
            pytest.approx(max(delta[i] for delta in deltas)),
        )
    assert found["asl"].rows() == [("AP", place, level) for place, level in enumerate(sorted(levels)[::-1], start=1)]


@pytest.mark.parametrize(("test", "tolerance"), [("t", 1e-12), ("wilcoxon", 1e-12), ("randomisation", 0.05)])
def test_the_other_tests_agree_with_scipy(test: Test, tolerance: float) -> None:
    from scipy.stats import permutation_test, ttest_rel, wilcoxon

    runs = _random_runs(4)
    found = discriminative_power(runs, ["AP"], test=test, resamples=5000, top=1.0)
    values = runs.scores(parse_measures(["AP"])).values[0]

    def peer(x: np.ndarray, y: np.ndarray) -> float:
        if test == "t":
            return float(ttest_rel(x, y).pvalue)
        if test == "wilcoxon":
            return float(wilcoxon(x, y).pvalue)
        return float(permutation_test((x, y), lambda a, b: (a - b).mean(), permutation_type="samples").pvalue)

    expected = [peer(values[a], values[b]) for a in range(4) for b in range(a + 1, 4)]
    assert found["pairs"]["asl"].to_list() == pytest.approx(expected, abs=tolerance)
    assert found["power"]["delta"].to_list() == [None, None]


def test_deltas_of_tukeys_test_part_the_pairs() -> None:
    found = discriminative_power(_random_runs(6), ["AP"], test="randomised-tukey", alphas=(0.05,), top=1.0)
    delta = found["power"]["delta"][0]
    significant = found["pairs"].filter(pl.col("asl") < 0.05)["difference"].abs()
    others = found["pairs"].filter(pl.col("asl") >= 0.05)["difference"].abs()
    assert len(significant) == found["power"]["significant"][0] > 0
    assert others.max() <= delta <= significant.min()


def test_tukeys_test_of_runs_that_do_not_differ_has_no_significant_pair() -> None:
    same = {topic: {"a": 1.0} for topic in TOPICS}
    runs = join({topic: {"a": 1} for topic in TOPICS}, {"one": same, "two": same})
    for test in ("randomised-tukey", "bootstrap", "t", "wilcoxon", "randomisation"):
        found = discriminative_power(runs, ["AP"], test=test, resamples=200, top=1.0)
        assert found["power"]["significant"].to_list() == [0, 0]
        assert found["pairs"]["asl"].to_list() == [1.0]


def test_tukeys_test_has_no_critical_difference_where_resamples_are_too_few() -> None:
    found = discriminative_power(_random_runs(3), ["AP"], test="randomised-tukey", alphas=(0.05,), resamples=10)
    assert found["power"]["delta"].to_list() == [None]
    assert found["power"]["significant"].to_list() == [0]


def test_the_worst_runs_are_left_out_and_named() -> None:
    found = discriminative_power(_random_runs(4), ["RR"], resamples=100)
    assert found["power"]["pairs"].to_list() == [3, 3]
    assert set(found["pairs"]["run_a"]) | set(found["pairs"]["run_b"]) == {"run1", "run2", "run3"}
    assert found.notes == ("excluded: the 1 of 4 runs with the lowest mean AP, run0",)
    assert len(found["pairs"].filter(measure="RR")) == 3


def test_measures_are_tested_alone() -> None:
    runs = _random_runs(4)
    both = discriminative_power(runs, ["AP", "P@5"], resamples=100)
    alone = discriminative_power(runs, ["P@5"], resamples=100)
    for table in ("power", "asl", "pairs"):
        assert both[table].filter(measure="P@5").equals(alone[table])


def test_an_interrupted_study_is_taken_up_again(tmp_path: Path) -> None:
    runs, done = _random_runs(4), list[tuple[int, int]]()
    work = Work(lambda i, of: done.append((i, of)), tmp_path)
    first = discriminative_power(runs, ["AP", "RR"], test="t", work=work)
    assert done == [(1, 2), (2, 2)]
    kept = sorted(tmp_path.glob(".discriminative-power-*/*.parquet"))
    assert len(kept) == 2
    kept[1].unlink()
    again = discriminative_power(runs, ["AP", "RR"], test="t", work=Work(folder=tmp_path))
    assert all(again[table].equals(first[table]) for table in first.tables)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, 5.0])
@pytest.mark.parametrize("test", ["bootstrap", "randomised-tukey", "t"])
def test_an_alpha_out_of_its_range_is_refused(test: Test, alpha: float) -> None:
    with pytest.raises(InputError, match="alpha"):
        discriminative_power(_random_runs(3), ["AP"], test=test, alphas=(alpha,))


def test_a_single_topic_is_refused() -> None:
    runs = join({"1": {"a": 1}}, {"one": {"1": {"a": 1.0}}, "two": {"1": {"b": 1.0}}})
    with pytest.raises(InputError, match="at least 2 topics"):
        discriminative_power(runs, ["AP"], top=1.0)


def test_on_real_runs_ndcg_tells_more_apart_than_the_reciprocal_rank(joined: Joined) -> None:
    runs = joined("dl19-passage")
    found = discriminative_power(runs, ["RR", "nDCG(base=10)"])
    reciprocal_rank, ndcg = found["power"].filter(alpha=0.05)["share"]
    assert reciprocal_rank < ndcg - 0.05
    # The bootstrap is a t test without the assumption of normality; on 43 topics they agree on
    # nearly all pairs.
    t = discriminative_power(runs, ["nDCG(base=10)"], test="t")
    assert t["power"]["share"][0] == pytest.approx(ndcg, abs=0.05)


def test_a_level_that_is_reached_exactly_is_significant() -> None:
    """As at every door, p is to be at most alpha; of twelve equal wins two sign patterns of 2^12 go as far."""
    qrels = {topic: {"a": 1} for topic in TOPICS}
    runs = join(qrels, {"good": {t: ["a"] for t in TOPICS}, "poor": {t: ["x", "a"] for t in TOPICS}})
    for alpha, significant in ((2**-11 - 1e-9, 0), (2**-11, 1)):
        found = discriminative_power(runs, ["RR"], test="randomisation", resamples=2**12, alphas=(alpha,))
        assert found["power"]["significant"].to_list() == [significant]


def test_a_name_of_ones_own_is_explained_and_kept_apart_from_another_measure_of_that_name(tmp_path: Path) -> None:
    runs = join({t: {"a": 2, "b": 1} for t in "123456"}, {"x": {t: ["a", "b"] for t in "123456"}, "y": {
        t: ["b", "a"] if t in "123" else ["c", "a"] for t in "123456"}})  # fmt: skip
    work = {"test": "t", "work": Work(folder=tmp_path), "top": 1.0}
    graded = discriminative_power(runs, "ours=AP", **work)
    binary = discriminative_power(runs, "ours=AP(rel=2)", **work)
    assert graded["pairs"]["measure"].to_list() == binary["pairs"]["measure"].to_list() == ["ours"]
    assert graded["pairs"].drop("measure").equals(discriminative_power(runs, "AP", **work)["pairs"].drop("measure"))
    assert (
        binary["pairs"].drop("measure").equals(discriminative_power(runs, "AP(rel=2)", **work)["pairs"].drop("measure"))
    )
    assert "measures ours=AP;" in graded.caption()
    assert "measures ours=AP(rel=2);" in binary.caption()

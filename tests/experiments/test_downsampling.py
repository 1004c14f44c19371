"""Downsampling: against a plain loop that rewrites the qrels, and what cannot be otherwise."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats
from tools.real_runs import Joined

import cranfield as cf
from cranfield.experiments import Findings, Work
from cranfield.experiments.downsampling import Pools, best_rank, downsampling, stratified_pool
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.arrays import Booleans
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns, join

MEASURES = ("AP", "Bpref", "nDCG@10")


@pytest.fixture(scope="module")
def study() -> JudgedRuns:
    """Twelve runs of rising quality on four topics."""
    random = np.random.default_rng(3)
    qrels = {str(t): {f"d{i}": int(random.integers(0, 3)) for i in range(40)} for t in range(4)}

    def run(skill: float) -> dict[str, dict[str, float]]:
        return {t: {d: skill * g + random.normal() for d, g in judged.items()} for t, judged in qrels.items()}

    return join(qrels, {f"run{i}": run(i / 4) for i in range(12)})


def rewritten(study: JudgedRuns, kept: Booleans) -> dict[str, dict[str, int]]:
    """Write the smaller pool as qrels of its own."""
    judgments = study.judgments
    qrels: dict[str, dict[str, int]] = {topic: {} for topic in judgments.topics}
    for place in np.flatnonzero(kept):
        qrels[judgments.topics[judgments.topic[place]]][judgments.document[int(place)]] = int(judgments.grade[place])
    return qrels


def as_runs(study: JudgedRuns) -> dict[str, dict[str, dict[str, float]]]:
    """Write the rankings down again, all documents being judged."""
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in study.runs}
    [batch] = study.batches
    for row, rank, place in zip(batch.row, batch.rank, batch.judgment, strict=True):
        name, topic = study.runs[row // len(study.topics)], study.topics[row % len(study.topics)]
        runs[name].setdefault(topic, {})[study.judgments.document[int(place)]] = -float(rank)
    return runs


def test_each_step_is_an_evaluation_under_the_smaller_qrels(study: JudgedRuns) -> None:
    found = downsampling(study, MEASURES, rates=(0.5, 0.2), repetitions=2, top=1, seed=11)
    full = cf.evaluate(rewritten(study, np.ones(len(study.judgments), bool)), as_runs(study), MEASURES).averages
    rows = iter(found["repetitions"].rows())
    for repetition in range(2):
        pool = stratified_pool(study.judgments, np.random.default_rng([11, repetition]))
        for rate in (0.5, 0.2):
            means = cf.evaluate(rewritten(study, pool(rate)), as_runs(study), MEASURES).averages
            for i, measure in enumerate(MEASURES):
                tau = stats.kendalltau(full[i], means[i]).statistic
                assert next(rows) == (rate, repetition, measure, pytest.approx(tau), pytest.approx(means[i].mean()))


def test_mean_and_spread_are_those_of_the_repetitions(study: JudgedRuns) -> None:
    found = downsampling(study, MEASURES, rates=(0.5, 0.2), repetitions=5)
    for rate, measure, tau, error, sd, least, most, repetitions in found["correlation"].rows():
        chosen = found["repetitions"].filter(pl.col("rate") == rate, pl.col("measure") == measure)["tau"].to_numpy()
        spread = chosen.std(ddof=1)
        expected = (chosen.mean(), spread / math.sqrt(5), spread, chosen.min(), chosen.max(), 5)
        assert (tau, error, sd, least, most, repetitions) == pytest.approx(expected)


@pytest.mark.integration
def test_the_default_supports_the_digits_of_the_page(data: Path) -> None:
    """Two decimals: a standard error of at most two hundredths at the smallest rate, where it is largest."""
    folder = data / "dl19-passage"
    found = downsampling(join(folder / "qrels.txt", [folder / "runs"]), rates=(0.1,))["correlation"]
    assert set(found["repetitions"]) == {100}
    assert found["standard_error"].to_numpy().max() <= 0.02
    spread = found["sd"].to_numpy()
    assert (spread / math.sqrt(10) > 0.02).any()  # ten repetitions would not do


def test_marked_documents_are_what_inferred_precision_estimates_from(study: JudgedRuns) -> None:
    def values(*, marked: bool) -> dict[str, float]:
        found = downsampling(study, ("AP", "infAP"), pools="random", rates=(0.3,), marked=marked, top=1)
        means = found["repetitions"].group_by("measure").agg(pl.col("value").mean())
        return dict(means.rows())

    full = study.scores(parse_measures(["AP"])).averages.mean()
    assert values(marked=False)["AP"] == values(marked=True)["AP"]
    assert values(marked=False)["AP"] == pytest.approx(values(marked=False)["infAP"], rel=1e-4)  # but for its epsilon
    assert abs(values(marked=True)["infAP"] - full) < abs(values(marked=True)["AP"] - full) / 2


@pytest.mark.parametrize("pools", ["stratified", "random"])
def test_the_whole_pool_changes_nothing(study: JudgedRuns, pools: Pools) -> None:
    found = downsampling(study, MEASURES, pools=pools, rates=(1.0,), repetitions=1)
    assert found["correlation"]["tau"].to_list() == pytest.approx([1.0] * 3)
    assert found["pools"].rows() == [(1.0, 40.0, pytest.approx((study.judgments.grade > 0).sum() / 4), 0.0)]


def test_shallow_pools(study: JudgedRuns) -> None:
    found = downsampling(study, MEASURES, pools="shallow", pool_depths=(40, 3), repetitions=9)
    assert found["correlation"].filter(pl.col("depth") == 40)["tau"].to_list() == pytest.approx([1.0] * 3)
    assert found["correlation"]["repetitions"].to_list() == [1] * 6
    assert found["pools"]["judged"].to_list() == [40, (best_rank(study) <= 3).sum() / 4]


def test_the_seed_says_all(study: JudgedRuns) -> None:
    def values(seed: int) -> list[float]:
        return downsampling(study, "AP", rates=(0.2,), repetitions=2, seed=seed)["repetitions"]["value"].to_list()

    assert values(1) == values(1) != values(2)
    assert downsampling(study, "AP", rates=(0.2,), repetitions=1).settings["seed"] == 7


def test_what_was_interrupted_is_taken_up_again(
    study: JudgedRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRANFIELD_THREADS", "1")  # so that no step is done ahead

    class StoppedError(Exception):
        pass

    def stop(done: int, of: int) -> None:
        if done == 2:
            raise StoppedError

    def study_with(work: Work) -> Findings:
        return downsampling(study, "AP", rates=(0.5,), repetitions=4, work=work)

    with pytest.raises(StoppedError):
        study_with(Work(stop, tmp_path))
    assert len(list(tmp_path.rglob("*.parquet"))) == 2
    steps: list[tuple[int, int]] = []
    found = study_with(Work(lambda done, of: steps.append((done, of)), tmp_path))
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert found["repetitions"].equals(study_with(Work())["repetitions"])


def test_topics_without_relevant_documents_are_counted() -> None:
    runs = {"one": {"1": {"a": 1.0}}, "two": {"1": {"b": 1.0}}}
    found = downsampling(join({"1": {"a": 1, "b": 0}, "2": {"x": 0}}, runs), "AP", pools="random", repetitions=3, top=1)
    assert set(found["repetitions"]["tau"].to_list()) <= {0.0, 1.0}  # 0 where a is unjudged: both runs have AP 0
    assert found["pools"].filter(pl.col("rate") == 0.1)["judged"].item() == 1
    assert found["pools"]["topics_without_relevant"].min() >= 1  # type: ignore[operator]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rates": (0.5, 90.0)}, "rates must be above 0 and at most 1, not 90.0"),
        ({"rates": (0.0,)}, "above 0"),
        ({"rates": ()}, "rates is empty; give one at least"),
        ({"rates": (0.5, 0.5)}, "different"),
        ({"repetitions": 0}, "at least 1"),
        ({"pools": "shallow", "pool_depths": (0,)}, "pool_depths must be at least 1, not 0"),
        ({"top": 0.05}, "fewer than two"),
    ],
)
def test_what_makes_no_pool_is_refused(study: JudgedRuns, options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        downsampling(study, "AP", **options)


@pytest.mark.slow
def test_bpref_hardly_moves_where_average_precision_does(data: Path) -> None:
    folder = data / "trec8-adhoc"
    found = downsampling(join(folder / "qrels.txt", [folder / "runs"]), ("AP", "Bpref"), rates=(0.9, 0.1), top=1)
    value = found["repetitions"].group_by("rate", "measure").agg(pl.col("value").mean())
    at = {(rate, measure): mean for rate, measure, mean in value.rows()}
    assert at[0.1, "AP"] / at[0.9, "AP"] < 0.9 < at[0.1, "Bpref"] / at[0.9, "Bpref"]


@pytest.mark.parametrize("collection", ["trec8-adhoc", pytest.param("dl19-passage", marks=pytest.mark.integration)])
def test_rbp_is_the_more_stable_the_more_patient_its_user(joined: Joined, collection: str) -> None:
    """The paper on Twist has it the other way round, for the order of the runs; its values fall as the judgments do."""
    runs = joined(collection)
    names = ("RBP(p=0.8,rel=1)", "RBP(p=0.95,rel=1)", "Twist")
    found = downsampling(runs, names, rates=(0.5, 0.1), repetitions=10)
    patient = found["correlation"].filter(measure=names[1])["tau"].to_numpy()
    for other in (names[0], "Twist"):
        assert (patient > found["correlation"].filter(measure=other)["tau"].to_numpy() + 0.05).all()
    value = found["repetitions"].group_by("measure", "rate").agg(pl.col("value").mean())
    at = {(measure, rate): mean for measure, rate, mean in value.rows()}
    for rbp in names[:2]:
        assert at[rbp, 0.1] / at[rbp, 0.5] == pytest.approx(0.2, abs=0.08)

"""Correlations of measures over the runs of a study."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau, norm, sem, spearmanr
from scipy.stats import t as student
from tools.correlated import bootstrap_correlation, bootstrap_difference
from tools.real_runs import Joined

from cranfield import join
from cranfield.experiments.correlation import correlation
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import CorrelationKind
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics import rank_correlation
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.correlation_vectors import VECTORS

PAPERS = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist")


def study(runs: int = 8, topics: int = 6, seed: int = 7) -> JudgedRuns:
    """Runs of 10 of 20 documents, half of them judged, on each of the topics."""
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(20)]
    ids = [str(t) for t in range(topics)]
    qrels = {t: dict(zip(documents, rng.integers(0, 3, 10).tolist(), strict=False)) | {"d0": 2} for t in ids}
    found = {
        f"run{r}": {t: dict(zip(rng.permutation(documents)[:10].tolist(), range(10, 0, -1), strict=True)) for t in ids}
        for r in range(runs)
    }
    return join(qrels, found)


def one_topic(judged: str = "ab", **rankings: str) -> JudgedRuns:
    """Runs on one topic of which the documents a and b are relevant, each letter a document."""
    runs = {name: {"1": {d: -float(rank) for rank, d in enumerate(found)}} for name, found in rankings.items()}
    return join({"1": {d: int(d in "ab") for d in judged}}, runs)


def values_of(runs: JudgedRuns, *measures: str) -> Floats:
    return runs.scores(parse_measures(measures)).values


def cell(table: pl.DataFrame, a: str, b: str) -> float:
    return float(table.filter(pl.col("measure") == a)[b].item())


def test_three_runs_by_hand() -> None:
    # AP: 1, 1/2, (1/2 + 2/3)/2. RR: 1, 1, 1/2. Of the 3 pairs one is alike, one turned round, one
    # tied by RR.
    found = correlation(one_topic(both="abx", one="axy", late="xab"), ("AP", "RR"), top=1, resamples=20)
    [pair] = found["pairs"].rows(named=True)
    assert (pair["correlation"], pair["runs"]) == ((1 - 1) / (3 * 2) ** 0.5, 3)
    assert found["means"].rows() == [
        ("both", "AP", 1.0),
        ("both", "RR", 1.0),
        ("one", "AP", 0.5),
        ("one", "RR", 1.0),
        ("late", "AP", pytest.approx((1 / 2 + 2 / 3) / 2)),
        ("late", "RR", 0.5),
    ]


def test_a_measure_that_is_lower_for_the_better_run_is_turned_round() -> None:
    # All is judged, so what is left of RBP's weight is the same for all lists of 3, and less for
    # longer ones.
    runs = one_topic(long="abxyz", middle="axbz", late="xab", judged="abxyz")
    found = correlation(runs, ("AP", "RBPResidual(p=0.8)"), top=1, resamples=10)
    residuals = found["means"].filter(pl.col("measure") != "AP")["mean"].to_list()
    assert residuals == pytest.approx([0.8**5, 0.8**4, 0.8**3])
    assert found["pairs"]["correlation"].item() == 1


@pytest.mark.parametrize("kind", get_args(CorrelationKind))
def test_pairs_and_matrix_tell_the_same(kind: CorrelationKind) -> None:
    found = correlation(study(), PAPERS, kind=kind, top=1, resamples=20)
    pairs, matrix = found["pairs"], found["matrix"]
    assert pairs.select("measure_a", "measure_b").rows() == list(combinations(PAPERS, 2))
    for a, b, value in pairs.select("measure_a", "measure_b", "correlation").rows():
        assert cell(matrix, a, b) == value
        assert kind == "tau_ap" or cell(matrix, b, a) == pytest.approx(value)
    assert [cell(matrix, name, name) for name in PAPERS] == pytest.approx([1] * 5)


def test_every_correlation_of_the_registry_can_be_had() -> None:
    assert set(get_args(CorrelationKind)) == set(VECTORS)


def test_the_interval_is_that_of_the_scores_by_topic() -> None:
    runs = study()
    values = values_of(runs, "AP", "RR")
    found = correlation(runs, ("AP", "RR"), top=1, resamples=50, level=0.8, seed=3)
    low, high = bootstrap_correlation(values[0], values[1], resamples=50, level=0.8, seed=3)
    assert found["pairs"].select("low", "high").row(0) == (low, high)
    assert low < high
    assert found.settings["seed"] == 3
    other = correlation(runs, ("AP", "RR"), top=1, resamples=50, level=0.8, seed=4)
    assert other["pairs"].select("low", "high").row(0) != (low, high)


def test_a_geometric_mean_is_ranked_by_its_logarithms() -> None:
    runs = study()
    [ap] = values_of(runs, "AP")
    found = correlation(runs, ("AP", "GMAP"), top=1, resamples=50)
    logarithms = np.log(np.maximum(ap, 1e-5))
    expected = bootstrap_correlation(ap, logarithms, resamples=50)
    assert found["pairs"].select("low", "high").row(0) == pytest.approx(expected)
    assert expected != pytest.approx(bootstrap_correlation(ap, ap, resamples=50))


def test_the_gains_of_the_paper_are_those_of_the_grades() -> None:
    found = correlation(study(), ("nDCG(base=10)", "nDCG(base=10,gains={1:5,2:10})"), top=1, resamples=10)
    one, other = (group["mean"].to_numpy() for _, group in found["means"].group_by("measure", maintain_order=True))
    assert one == pytest.approx(other)
    assert found["pairs"]["correlation"].item() == 1


def test_the_runs_of_low_mean_ap_are_left_out_and_named() -> None:
    runs = one_topic(worst="xyz", both="abx", one="axy", late="xab")
    found = correlation(runs, ("AP", "RR"), resamples=10)  # three of four
    assert set(found["means"]["run"]) == {"both", "one", "late"}
    assert found["pairs"]["runs"].item() == 3
    assert [collection.runs for collection in found.collections] == [4]
    assert found.notes[:-1] == ("excluded: the 1 of 4 runs with the lowest mean AP, worst",)


def test_a_measure_that_is_the_same_for_all_runs_is_noted() -> None:
    found = correlation(one_topic(a="abx", b="axb", c="axy"), ("AP", "P@1"), top=1, resamples=10)
    assert found["pairs"].select("correlation", "p").row(0) == (0, 1)
    assert found.notes[:-1] == ("constant over the runs, so it cannot rank them: P@1",)


def test_what_cannot_be_correlated_is_refused() -> None:
    runs = one_topic(both="abx", one="axy", late="xab")
    with pytest.raises(InputError, match="AP alone cannot be correlated"):
        correlation(runs, "AP")
    with pytest.raises(InputError, match="2 runs are left of 3"):
        correlation(runs, ("AP", "RR"), top=0.5)
    for wrong in ({"top": 1.5}, {"level": 95.0}, {"resamples": 0}, {"kind": "tau_c"}):
        with pytest.raises(InputError):
            correlation(runs, ("AP", "RR"), **{"top": 1.0, **wrong})


def test_shared_topics_are_those_that_all_runs_have() -> None:
    """On topic 1, which b lacks, c is the best; on the others the order is a, b, c."""
    qrels = {topic: {"a": 1} for topic in "123"}
    found = {"a": ("xxa", "a", "a"), "b": ("", "xa", "xa"), "c": ("a", "xxa", "xxa")}
    runs = {
        run: {t: {f"{d}{i}" * (d == "x") or d: -float(i) for i, d in enumerate(docs)} for t, docs in lists if docs}
        for run, lists in ((run, zip("123", lists, strict=True)) for run, lists in found.items())
    }
    shared = correlation(join(qrels, runs, topics="shared"), ("AP", "RR"), top=1, resamples=10)
    means = shared["means"].filter(measure="AP").select("run", "mean").rows()
    assert means == [("a", 1.0), ("b", 1 / 2), ("c", pytest.approx(1 / 3))]
    assert shared.notes[:-1] == ("compared on the 2 topics that all runs have, without 1",)
    every = correlation(join(qrels, runs), ("AP", "RR"), top=1, resamples=10)
    assert every["means"].filter(measure="AP")["mean"].to_list() == pytest.approx([7 / 9, 1 / 3, 5 / 9])
    assert every.notes[:-1] == ("missing topics counted 0: b (1)",)


def test_geometric_means_and_measures_of_which_less_is_better() -> None:
    """a has AP 1 and 1/4, b 1/2 twice, c 1/3 twice: gmAP is √(1/4) for a and b, and ESL 2.5, 2 and 3 documents."""
    qrels = {topic: {"a": 1} for topic in "12"}
    late = {"x1": 5.0, "x2": 4.0, "x3": 3.0, "a": 2.0}
    runs = {
        "a": {"1": {"a": 1.0}, "2": late},
        "b": {t: {"x1": 5.0, "a": 4.0} for t in "12"},
        "c": {t: {"x1": 5.0, "x2": 4.0, "a": 3.0} for t in "12"},
    }
    found = correlation(join(qrels, runs), ("gmAP", "AP", "ESL"), top=1, resamples=10)
    means = {(run, measure): mean for run, measure, mean in found["means"].rows()}
    assert [means[run, "gmAP"] for run in "abc"] == pytest.approx([1 / 2, 1 / 2, 1 / 3])
    assert [means[run, "ESL"] for run in "abc"] == pytest.approx([2.5, 2, 3])
    # AP: a > b > c. gmAP ties a and b: τ_b is 2 / √(3 · 2). ESL turns a and b round: (2 - 1) / 3.
    assert found["matrix"].filter(measure="AP").row(0)[1:] == pytest.approx((2 / math.sqrt(6), 1, 1 / 3))
    assert found.notes[:-1] == ("logarithms are compared (a difference of 0.693 is a factor of 2): gmAP",)


def test_interrupted_it_goes_on_with_the_next_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, calls, through = study(), 0, rank_correlation.interval

    def interrupted(*args: object, **options: object) -> tuple[float, float]:
        nonlocal calls
        calls += 1
        if calls == 3:  # the first measure has two pairs
            raise KeyboardInterrupt
        return through(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(sys.modules[correlation.__module__], "interval", interrupted)
    with pytest.raises(KeyboardInterrupt):
        correlation(runs, ("AP", "RR", "Twist"), resamples=10, work=Work(folder=tmp_path))
    resumed = correlation(runs, ("AP", "RR", "Twist"), resamples=10, work=Work(folder=tmp_path))
    assert calls == 3 + 1
    assert resumed["pairs"].equals(correlation(runs, ("AP", "RR", "Twist"), resamples=10)["pairs"])


def test_dl19_beside_scipy(joined: Joined) -> None:
    runs = joined("dl19-passage")
    averages = runs.scores(PAPERS).averages
    best = np.sort(np.argsort(-averages[0])[:28])  # of 37: 27.75
    peers: list[tuple[CorrelationKind, Callable[..., Any]]] = [("tau_b", kendalltau), ("spearman", spearmanr)]
    for kind, peer in peers:
        found = correlation(runs, kind=kind, resamples=100)
        for (i, j), row in zip(combinations(range(5), 2), found["pairs"].rows(named=True), strict=True):
            assert row["runs"] == 28
            assert row["correlation"] == pytest.approx(peer(averages[i, best], averages[j, best]).statistic)
            assert row["p"] == pytest.approx(kendalltau(averages[i, best], averages[j, best]).pvalue)
            assert -1 <= row["low"] < row["high"] <= 1


@pytest.mark.parametrize(
    "collection",
    ["trec8-adhoc", *(pytest.param(name, marks=pytest.mark.integration) for name in ("covid-round1", "dl19-passage"))],
)
def test_rbp_stands_apart_as_in_the_paper(joined: Joined, collection: str) -> None:
    """Table 4: Twist is less like RBP than like any other measure, in all four collections."""
    runs = joined(collection)
    others = PAPERS[1:4]
    matrix = correlation(runs, ("AP", *others, "Twist") if collection != "dl19-passage" else PAPERS, resamples=2)[
        "matrix"
    ]
    assert min(others, key=lambda name: cell(matrix, "Twist", name)) == "RBP(p=0.8,rel=1)"


def test_whether_a_measure_is_more_like_one_than_like_another() -> None:
    runs = study(runs=10, topics=8)
    found = correlation(runs, ("AP", "nDCG", "RR"), top=1, resamples=60, seed=3)
    table, matrix = found["differences"], found["matrix"]
    assert table.height == 3
    values = dict(zip(("AP", "nDCG", "RR"), values_of(runs, "AP", "nDCG", "RR"), strict=True))
    for common, like, other, difference, low, high, p, by_topic, *ends in table.iter_rows():
        assert difference >= 0
        assert difference == pytest.approx(cell(matrix, common, like) - cell(matrix, common, other))
        told = bootstrap_difference(values[common], values[like], values[other], resamples=60, seed=3)
        assert (difference, low, high, p) == pytest.approx(tuple(told))
        on_topics = [
            kendalltau(values[common][:, t], values[like][:, t]).statistic
            - kendalltau(values[common][:, t], values[other][:, t]).statistic
            for t in range(8)
        ]
        assert by_topic == pytest.approx(np.nan_to_num(on_topics).mean())
        assert ends == pytest.approx(list(student.interval(0.95, 7, by_topic, sem(np.nan_to_num(on_topics)))))
    assert correlation(runs, ("AP", "RR"), top=1, resamples=9)["differences"].is_empty()


def test_the_difference_of_two_correlations_on_each_draw_of_the_topics() -> None:
    """The draws, one by one, with scipy's tau of the means over them."""
    rng = np.random.default_rng(1)
    common, x, y = rng.random((3, 6, 4))
    counts = resample_counts(4, 40, 7)

    def taus(other: Floats) -> Floats:
        return np.array([kendalltau(common @ drawn, other @ drawn).statistic for drawn in counts])

    drawn = taus(x) - taus(y)
    found = bootstrap_difference(common, x, y, resamples=40, level=0.8)
    assert found.value == pytest.approx(
        kendalltau(common.mean(axis=1), x.mean(axis=1)).statistic
        - kendalltau(common.mean(axis=1), y.mean(axis=1)).statistic
    )
    low, high = np.quantile(drawn, [0.1, 0.9])
    normal = norm(found.value, drawn.std())
    assert (found.low, found.high) == pytest.approx((min(low, normal.ppf(0.1)), max(high, normal.ppf(0.9))))
    fewer = min((drawn < 1e-9).sum(), (drawn > -1e-9).sum())
    other_side = 2 * min(normal.cdf(0), normal.sf(0))
    assert found.p == pytest.approx(min(1, max(2 * (fewer + 1) / 41, other_side)))
    assert bootstrap_difference(common, x, x, resamples=40) == (0, 0, 0, 1)


def test_measures_that_are_equally_like_a_third_are_seldom_told_apart() -> None:
    """Two noisy copies of the same scores: the test is conservative, if anything."""
    rng = np.random.default_rng(2)
    p = []
    for _ in range(60):
        true = rng.random((12, 1)) + 0.3 * rng.random((12, 20))
        x, y = (true + 0.4 * rng.random((12, 20)) for _ in range(2))
        p.append(bootstrap_difference(true, x, y, resamples=200).p)
    assert np.mean(np.array(p) <= 0.05) <= 0.1


def test_the_interval_holds_what_it_names_where_quantiles_alone_lie_below_the_correlation() -> None:
    """Two measures that agree but for noise: drawing blurs both, so that all that is drawn is below what was seen."""
    rng = np.random.default_rng(5)
    common = rng.normal(0, 1, (12, 20)) + np.linspace(0, 0.6, 12)[:, None]
    x, y = common + rng.normal(0, 0.1, common.shape), common + rng.normal(0, 0.1, common.shape)
    seen = kendalltau(x.mean(axis=1), y.mean(axis=1)).statistic
    low, high = bootstrap_correlation(x, y, level=0.5, resamples=400)
    assert low < seen < high


def test_the_words_name_what_the_interval_is_of() -> None:
    found = correlation(study(runs=6, topics=8), ("AP", "RR"), top=1, resamples=9)
    assert "the mean correlation over collections of 8 such topics; with unlimited topics" in found.notes[-1]
    low, mean, high = found["pairs"].select("by_topic_low", "by_topic", "by_topic_high").row(0)
    assert low < mean < high

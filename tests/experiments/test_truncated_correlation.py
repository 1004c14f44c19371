"""Cut runs and full ones, ranked: by hand, beside scipy, and over several collections."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import cranfield as cf
from cranfield.experiments.truncated_correlation import truncated_correlation
from cranfield.experiments.truncation import optimum
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.errors import InputError

QRELS = {"1": {"a": 1, "b": 1}}
RUNS = {"both": "abx", "one": "axy", "late": "xab", "none": "xyz"}
Rows = dict[str, dict[str, dict[str, float]]]


def one_topic(**rankings: str) -> Rows:
    return {name: {"1": {d: -float(rank) for rank, d in enumerate(found)}} for name, found in rankings.items()}


def test_four_runs_by_hand() -> None:
    # Full lists by AP: 1, 1/2, (1/2 + 2/3)/2, 0. Best lists by FlatUtility(e=0.4): 1.2, .6, .8, 0;
    # with e = 0.7 they are .6, .3, 0 (x, a and b cost more than a and b bring), 0: of six pairs one
    # is turned round, and one tied.
    runs = cf.join(QRELS, one_topic(**RUNS))
    found = truncated_correlation(runs, ("FlatUtility(e=0.4)", "FlatUtility(e=0.7)"), full=("AP",))
    assert found["correlation"].columns == ["full", "FlatUtility(e=0.4)", "FlatUtility(e=0.7)"]
    assert found["correlation"].rows() == [("AP", 1.0, pytest.approx((4 - 1) / (6 * 5) ** 0.5))]
    values = found["systems"].filter((pl.col("lists") == "truncated") & (pl.col("measure") == "FlatUtility(e=0.7)"))
    assert values["value"].to_list() == [pytest.approx(2 * 0.3), pytest.approx(0.3), 0, 0]
    assert values["run"].to_list() == list(RUNS)
    full = found["systems"].filter(pl.col("lists") == "full")
    assert full.select("run", "measure", "value").row(2) == ("late", "AP", pytest.approx((1 / 2 + 2 / 3) / 2))
    # Of the 4! orders two are as far from no correlation as the same one: p = 2/24.
    assert found["pairs"]["p"][0] == pytest.approx(2 / 24)
    assert found["significant"].rows() == [(level, 0, 2, 0.0) for level in (0.001, 0.01, 0.05)]


def test_measures_of_which_less_is_better_are_turned_round() -> None:
    runs = cf.join({"1": dict.fromkeys("abxyz", 1)}, one_topic(long="abxyz", middle="abxy", short="a"))
    found = truncated_correlation(runs, "RBPResidual(p=0.5)", full=("RBPResidual(p=0.5)", "R@5"))
    assert found["correlation"].rows() == [("RBPResidual(p=0.5)", 1.0), ("R@5", 1.0)]


def test_the_mean_over_collections() -> None:
    first = cf.join(QRELS, one_topic(**RUNS))
    second = cf.join(QRELS, one_topic(good="abx", worse="xab", worst="axy"))
    measure = "FlatUtility(e=0.7)"  # .6, 0, .3 where AP has 1, .58, .5: one of three pairs is turned round
    found = truncated_correlation({"first": first, "second": second}, measure, full=("AP",))
    taus = [3 / 30**0.5, (2 - 1) / 3]
    assert found["pairs"]["tau"].to_list() == pytest.approx(taus)
    assert found["pairs"]["collection"].to_list() == ["first", "second"]
    assert found["correlation"].rows() == [("AP", pytest.approx(sum(taus) / 2))]
    assert found["significant"]["pairs"].to_list() == [2, 2, 2]
    assert found["systems"].height == 2 * (4 + 3)
    assert [collection.name for collection in found.collections] == ["first", "second"]
    alone = truncated_correlation(first, measure, full=("AP",))
    assert alone["pairs"]["collection"].to_list() == ["runs"]


def test_collections_are_ranked_and_averaged_as_they_were_joined() -> None:
    qrels = QRELS | {"2": {"a": 1}}
    # By score c beats a by less than 32 bits can tell, and then a comes after c by its id.
    runs: Rows = {"r": {"1": {"a": 1.0 + 1e-12, "c": 1.0}}, "s": {"2": {"a": 1.0}}, "t": {"1": {"x": 1.0, "b": 0.5}}}
    first = cf.join(QRELS, one_topic(**RUNS))
    for order, first_rank in (("score", 1), ("trec9", 1 / 2)):
        second = cf.join(qrels, runs, order=order)  # type: ignore[arg-type]
        found = truncated_correlation({"first": first, "second": second}, "SetF", full=("RR",))
        other = found["systems"].filter((pl.col("collection") == "second") & (pl.col("measure") == "RR"))
        assert other["value"].to_list() == [first_rank / 2, 1 / 2, 1 / 2 / 2]  # of two topics each lacks one
        assert found.notes == ("second: missing topics counted 0: r (2), s (1), t (2)",)
    with pytest.raises(InputError, match="the runs share no topic"):
        truncated_correlation(cf.join(qrels, runs, topics="shared"), "SetF", full=("RR",))


def test_shared_topics_are_those_that_every_run_has() -> None:
    # On topic 1 AP is 1, 1/2 and 0; on topic 2, which lost lacks, good and late change places.
    rankings = {"good": ("ax", "xa"), "late": ("xa", "ax"), "lost": ("xy",)}
    rows: Rows = {
        run: {t: {d: -float(rank) for rank, d in enumerate(ranked)} for t, ranked in zip("12", found, strict=False)}
        for run, found in rankings.items()
    }
    runs = cf.join({"1": {"a": 1}, "2": {"a": 1}}, rows, topics="shared")
    found = truncated_correlation(runs, "FlatUtility(e=0.4)", full=("AP",))
    assert found["systems"].filter(lists="full")["value"].to_list() == [1, 1 / 2, 0]
    assert found["systems"].filter(lists="truncated")["value"].to_list() == [0.6, pytest.approx(1 - 2 * 0.4), 0]
    assert found["correlation"].rows() == [("AP", 1.0)]
    assert found.notes == ("compared on the 1 topic that all runs have, without 2",)


def test_what_is_relevant_is_said_by_the_runs() -> None:
    # Of grade 2 is a alone, at ranks 1, 1, 2 and none: AP is 1, 1, 1/2, 0; SetF of the lists that
    # end there is 1, 1, 2/(2 + 1), 0.
    runs = cf.join({"1": {"a": 2, "b": 1}}, one_topic(**RUNS), rel=2)
    found = truncated_correlation(runs, "SetF", full=("AP",))
    assert found["correlation"].columns == ["full", "SetF(rel=2)"]
    assert found["correlation"].rows() == [("AP(rel=2)", 1.0)]
    assert found["systems"].filter(lists="truncated")["value"].to_list() == pytest.approx([1, 1, 2 / 3, 0])
    assert found["systems"].filter(lists="full")["value"].to_list() == [1, 1, 1 / 2, 0]


def test_geometric_means_say_what_the_measure_says() -> None:
    # AP is 1 and 1, 1 and 0, 1/2 and 1/2: by its mean the last two are level, by the geometric mean
    # they are not.
    rankings = {"good": ("a", "a"), "uneven": ("a", "x"), "even": ("xa", "xa")}
    rows: Rows = {
        run: {t: {d: -float(rank) for rank, d in enumerate(ranked)} for t, ranked in zip("12", found, strict=True)}
        for run, found in rankings.items()
    }
    runs = cf.join({"1": {"a": 1}, "2": {"a": 1}}, rows)
    found = truncated_correlation(runs, "gmAP", full=("gmAP", "AP"))
    cut = found["systems"].filter(lists="truncated")["value"].to_list()
    assert cut == pytest.approx([1, 0.00001**0.5, 1 / 2])
    assert found["systems"].filter(lists="full", measure="gmAP")["value"].to_list() == pytest.approx(cut)
    assert found["correlation"].rows() == [("gmAP", 1.0), ("AP", pytest.approx(2 / (3 * 2) ** 0.5))]


def test_what_cannot_be_averaged_is_refused() -> None:
    runs, two = cf.join(QRELS, one_topic(**RUNS)), cf.join(QRELS, one_topic(a="ab", b="xa"))
    for others, told in (
        ({"copy": cf.join(QRELS, one_topic(**RUNS))}, "copy: the same runs and judgments as first"),
        ({"second": two}, "second: 2 runs; correlations need at least three"),
        ({"second": runs.under(rel=1)}, "relevance must be the same; there are rel=None in first, rel=1.0 in second"),
    ):
        with pytest.raises(InputError) as refused:
            truncated_correlation({"first": runs} | others, "SetF", full=("AP",))
        assert told in str(refused.value)
    with pytest.raises(InputError, match="runs: 2 runs"):
        truncated_correlation(two, "SetF")


def test_interrupted_it_goes_on(tmp_path: Path) -> None:
    runs, told = cf.join(QRELS, one_topic(**RUNS)), []
    work = Work(lambda done, of: told.append((done, of)), tmp_path)
    whole = truncated_correlation(runs, ("OIE", "SetF"), full=("AP",), work=work)
    assert told == [(1, 2), (2, 2)]
    again = truncated_correlation(runs, ("OIE", "SetF"), full=("AP",), work=Work(folder=tmp_path))
    assert again["correlation"].equals(whole["correlation"])


@pytest.mark.integration
def test_trec8_beside_scipy_and_the_paper(data: Path) -> None:
    """Table 2: what terminal documents cut ranks as the whole lists do; OIE of the best lists ranks much as AP."""
    runs = cf.join(data / "trec8-adhoc" / "qrels.txt", data / "trec8-adhoc" / "runs")
    found = truncated_correlation(runs)
    tau = {(row["truncated"], row["full"]): row["tau"] for row in found["pairs"].rows(named=True)}
    p = {(row["truncated"], row["full"]): row["p"] for row in found["pairs"].rows(named=True)}
    assert len(tau) == 14 * 11
    for cut, full in (("OIE", "AP"), ("RBU(p=0.9)", "nDCG"), ("RBPT(p=0.98)", "OIE")):
        peer = kendalltau(
            optimum(runs, parse_measure(cut)).value.mean(axis=1), runs.scores([parse_measure(full)]).averages[0]
        )
        assert (tau[cut, full], p[cut, full]) == pytest.approx((peer.statistic, peer.pvalue))
    for cut, full in (("NDCGT", "nDCG"), ("ERRT", "ERR"), *((f"RBPT(p={p})", f"RBP(p={p})") for p in (0.8, 0.9, 0.98))):
        assert tau[cut, full] > 0.95
    assert tau["OIE", "AP"] > 0.75
    assert tau["RBPU(p=0.98)", "RBP(p=0.98)"] > 0.85
    assert tau["RBU(p=0.98)", "iRBU(p=0.8)"] > tau["RBU(p=0.98)", "iRBU(p=0.98)"]  # the second result of the paper
    shares = found["significant"]["share"].to_list()
    assert shares == sorted(shares)
    assert np.isfinite(found["pairs"]["tau"].to_numpy()).all()

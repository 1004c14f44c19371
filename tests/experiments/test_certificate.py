"""Certificates: intervals that hold whatever the grades, or on other topics, and cures that cure."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.experiments import EXPERIMENTS
from cranfield.experiments.findings import Findings
from cranfield.plumbing.errors import InputError
from cranfield.statistics.rank_intervals import rank_intervals

DATA = Path(__file__).parents[2].parent / "shared" / "data"
Nested = dict[str, dict[str, float]]
Lists = dict[str, dict[str, dict[str, float]]]


def certified(qrels: Nested, runs: Lists, measure: str) -> Findings:
    return EXPERIMENTS["certificate"](cf.join(qrels, runs), measure, resamples=50)


def ranks_of(qrels: Nested, runs: Lists, measure: str) -> dict[str, int]:
    means = dict(cf.evaluate(qrels, runs, measure).means.select("run", "value").iter_rows())
    return {run: 1 + sum(other > mean + 1e-12 for other in means.values()) for run, mean in means.items()}


RUNS = st.lists(st.tuples(st.permutations("abxy"), st.permutations("abxy")), min_size=3, max_size=3)


@settings(max_examples=12)
@given(RUNS, st.sampled_from(["P@2", "RBP(p=0.5)", "AP", "nDCG@3", "RR"]))
def test_certain_ranks_hold_whatever_the_grades(lists: list[tuple[list[str], list[str]]], measure: str) -> None:
    runs: Lists = {
        f"r{n}": {topic: {doc: -float(rank) for rank, doc in enumerate(docs[:3])} for topic, docs in enumerate_(both)}
        for n, both in enumerate(lists)
    }
    qrels: Nested = {topic: {"a": 1, "b": 0} for topic in "12"}
    found = certified(qrels, runs, measure)
    seen: dict[str, set[int]] = {run: set() for run in runs}
    for grades in itertools.product((0, 1), repeat=4):
        judged = {topic: qrels[topic] | {"x": x, "y": y} for topic, x, y in zip("12", grades[::2], grades[1::2],
                                                                               strict=True)}  # fmt: skip
        known = {t: {d: g for d, g in docs.items() if any(d in run[t] for run in runs.values())}
                 for t, docs in judged.items()} if measure in {"AP", "nDCG@3"} else judged  # fmt: skip
        for run, rank in ranks_of({t: known[t] | {"a": 1} for t in known}, runs, measure).items():
            seen[run].add(rank)
    for run, first, last in found["ranks"].select("run", "certain_from", "certain_to").iter_rows():
        assert first <= min(seen[run])
        assert max(seen[run]) <= last


def enumerate_(both: tuple[list[str], list[str]]) -> zip[tuple[str, list[str]]]:
    return zip("12", both, strict=True)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP(p=0.8)", "P@5"])
def test_what_was_hidden_is_within_the_certain_ranks(tmp_path: Path, measure: str) -> None:
    write_campaign(simulate(systems=8, topics=6, depth=40, seed=2), tmp_path)
    qrels = cf.to_dict(cf.read_qrels(tmp_path / "qrels.txt"))
    runs = {name: cf.to_dict(run) for name, run in cf.read_runs(tmp_path / "runs").items()}
    qrels = {t: {d: g for d, g in docs.items() if any(d in run.get(t, {}) for run in runs.values())}
             for t, docs in qrels.items()}  # fmt: skip
    truth = ranks_of(qrels, runs, measure)
    narrow = 0
    for seed in range(4):
        chance = np.random.default_rng(seed)
        left = {t: {d: g for d, g in docs.items() if chance.random() < 0.9 or g == 2} for t, docs in qrels.items()}
        for run, first, last in certified(left, runs, measure)["ranks"].select("run", "^certain.*$").iter_rows():
            assert first <= truth[run] <= last
            narrow += last - first < 7
    assert narrow  # something is certain


def test_a_cure_cures_and_one_document_less_does_not() -> None:
    """good has both relevant documents first; poor has four unjudged ones, of which the highest could harm most."""
    qrels: Nested = {str(t): {"a": 1, "b": 1, "z": 0} for t in range(3)}
    good = {t: {"a": 9.0, "b": 8.0} | {f"y{i}": 3.0 - i for i in range(3)} for t in qrels}
    poor = {t: {f"x{i}": 9.0 - i for i in range(4)} | {"a": 1.0} for t in qrels}
    found = certified(qrels, {"good": good, "poor": poor}, "RBP(p=0.8)@5")
    row = found["pairs"].row(0, named=True)
    assert (row["better"], row["certain"], row["open"]) == ("good", False, 12)
    documents = found["documents"].select("topic", "document").rows()
    assert len(documents) == row["documents"]
    assert {document for _, document in documents[:3]} == {"x0"}  # of the highest rank
    for enough, certain in ((documents, True), (documents[:-1], False)):
        judged = {t: qrels[t] | {d: 0 for topic, d in enough if topic == t} for t in qrels}
        again = certified(judged, {"good": good, "poor": poor}, "RBP(p=0.8)@5")["pairs"].row(0, named=True)
        assert again["certain"] is certain


def test_of_a_pair_that_leads_nothing_is_said_of_more_topics() -> None:
    qrels: Nested = {str(t): {"a": 1, "b": 0} for t in range(10)}
    good, poor = {t: {"a": 2.0, "b": 1.0} for t in qrels}, {t: {"b": 2.0, "a": 1.0} for t in qrels}
    assert {"topics", "decided", "confirmed"}.isdisjoint(
        certified(qrels, {"good": good, "poor": poor}, "RR")["pairs"].columns
    )


def test_who_may_lead_by_the_usual_test_stands_beside_it() -> None:
    qrels: Nested = {str(t): {"a": 1, "b": 0} for t in range(10)}
    good, poor = {t: {"a": 2.0, "b": 1.0} for t in qrels}, {t: {"b": 2.0, "a": 1.0} for t in qrels}
    ranks = certified(qrels, {"good": good, "poor": poor, "other": dict(good)}, "RR")["ranks"]
    assert ranks.filter("may_lead_by_t")["run"].to_list() == ["good", "other"]


def test_lower_is_better_and_equal_runs_share_a_rank() -> None:
    qrels: Nested = {t: {"a": 1, "b": 0} for t in "1234"}
    early, late = {t: {"a": 2.0, "b": 1.0} for t in qrels}, {t: {"b": 2.0, "a": 1.0} for t in qrels}
    found = certified(qrels, {"late": late, "early": early, "again": dict(early)}, "ASL")
    assert found["ranks"].select("run", "rank", "certain_from").rows() == [
        ("early", 1, 1), ("again", 1, 1), ("late", 3, 3)
    ]  # fmt: skip


def test_every_pair_if_asked_for() -> None:
    qrels: Nested = {t: {"a": 1} for t in "123"}
    runs = {f"r{i}": {t: {**{f"x{j}": 9.0 - j for j in range(i)}, "a": 1.0} for t in qrels} for i in range(4)}
    found = EXPERIMENTS["certificate"](cf.join(qrels, runs), "RR", resamples=20, every_pair=True)
    assert found["pairs"].select("better", "other").rows() == list(itertools.combinations(["r0", "r1", "r2", "r3"], 2))
    assert certified(qrels, runs, "RR")["pairs"].height == 3 + 2


def test_what_has_no_certificate_is_said() -> None:
    qrels: Nested = {t: {"a": 1} for t in "12"}
    run = {t: {"a": 1.0} for t in qrels}
    with pytest.raises(InputError, match="at least two runs and two topics"):
        certified(qrels, {"one": run}, "AP")
    with pytest.raises(InputError, match="condensed lists"):
        EXPERIMENTS["certificate"](cf.join(qrels, {"one": run, "two": run}, judged_only=True))


MATRICES = [
    *(f"adhoc{trec}_{measure}" for trec in (5, 6, 7, 8) for measure in ("ap", "p10", "rr")),
    *(f"web{year}_{measure}" for year in (2010, 2011, 2012, 2013) for measure in ("ndcg20", "err20")),
]
"""Scores of TREC's systems by topic, which serve as populations."""


def covered(values: np.ndarray, truth: np.ndarray, seed: int) -> bool:
    """Whether all true ranks are within the intervals."""
    found = rank_intervals(values, resamples=300, seed=seed)
    ranks = 1 + (truth[:, None] < truth - 1e-12).sum(axis=1)
    return bool(((found.best <= ranks) & (ranks <= found.worst)).all())


@pytest.mark.slow
def test_likely_ranks_cover_a_known_truth() -> None:
    """Normal scores of 10 systems on 25 topics: of 1,000 campaigns at least 95% less chance (3 deviations)."""
    chance = np.random.default_rng(3)
    truth = np.linspace(0.3, 0.5, 10)
    hits = 0
    for trial in range(1000):
        topic = chance.normal(0, 0.15, 25)
        hits += covered(truth[:, None] + topic + chance.normal(0, 0.1, (10, 25)), truth, trial)
    assert hits >= 950 - 3 * np.sqrt(1000 * 0.05 * 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("matrix", MATRICES)
def test_likely_ranks_cover_a_population_of_real_topics(matrix: str) -> None:
    file = DATA / "score-matrices" / f"{matrix}.csv.gz"
    if not file.exists():
        pytest.skip("the score matrices are not here")
    table = pl.read_csv(file).select(pl.selectors.numeric())
    values = table.to_numpy().T[:20]
    chance, hits = np.random.default_rng(5), 0
    for trial in range(1000):
        hits += covered(values[:, chance.integers(0, values.shape[1], 50)], values.mean(axis=1), trial)
    print(f"{matrix}: {hits} of 1,000")  # noqa: T201 - for the page
    assert hits >= 950 - 3 * np.sqrt(1000 * 0.05 * 0.95)


def test_runs_that_did_not_run_are_left_out_and_named() -> None:
    qrels: Nested = {str(t): {"a": 1, "b": 0} for t in range(8)}
    good, poor = {t: {"a": 2.0, "b": 1.0} for t in qrels}, {t: {"b": 2.0, "a": 1.0} for t in qrels}
    failed = {t: {"b": 2.0} for t in "012"}
    found = EXPERIMENTS["certificate"](cf.join(qrels, {"good": good, "poor": poor, "failed": failed}), "RR")
    assert found["ranks"]["run"].to_list() == ["good", "poor"]
    assert found.notes[0] == "left out, as they did not run: failed (no scores on 5 of 8 topics)"
    compared = cf.leaderboard(qrels, {"good": good, "poor": poor, "failed": failed}, "RR").to_polars()
    assert compared["run"].to_list() == ["good", "poor"]
    with pytest.raises(InputError, match="none of them ran"):
        EXPERIMENTS["certificate"](cf.join(qrels, {"a": failed, "b": {t: {"a": 1.0} for t in "345"}}), "RR")


def test_who_did_not_run_is_said_where_too_few_are_left() -> None:
    qrels = {t: {"a": 1} for t in "123456"}
    runs = {"whole": {t: ["a"] for t in qrels}, "half": {t: ["a"] for t in "12"}}
    said = r"not 1 run on 6 topics; left out, as they did not run: half \(no scores on 4 of 6 topics\)"
    with pytest.raises(InputError, match=said):
        EXPERIMENTS["certificate"](cf.join(qrels, runs), "RR")
    with pytest.raises(InputError, match=said):
        EXPERIMENTS["certificate"](scores=cf.evaluate(qrels, runs, "RR").per_topic.filter(pl.col("value") > 0))


def test_its_figure_speaks_of_the_test_and_the_judgments_that_there_are() -> None:
    """Of clusters' own test, of judgments that are complete, and of scores alone, of which no rank is certain."""
    qrels = {str(t): {"a": 1, "b": 0} for t in range(12)}
    runs = {name: {t: ["b"] * (int(t) < late) + ["a"] for t in qrels} for name, late in (("x", 1), ("y", 5), ("z", 9))}
    clusters = {t: str(int(t) // 2) for t in qrels}
    certificate = EXPERIMENTS["certificate"]
    usual = certificate(cf.join(qrels, runs), "RR", resamples=20).plot("certificate")
    assert "certain, whatever grades" in usual.description and "by paired t-tests with Holm's" in usual.description
    whole = certificate(cf.join(qrels, runs, complete=True), "RR", resamples=20).plot("certificate").description
    assert "3 of 3 ranks are certain, with the judgments taken as complete, and " in whole
    named = certificate(cf.join({t: {"a": 1} for t in qrels}, runs), "RR", resamples=20)  # complete, as positives alone
    assert "with the judgments taken as complete" in named.plot("certificate").description
    found = certificate(cf.join(qrels, runs), "RR", clusters=clusters, resamples=20)
    says = str(found.plot("certificate").spec["title"]["subtitle"])
    assert "By paired cluster-robust t-tests with Holm's correction over the pairs, " in says.replace("', '", " ")
    assert any("by the paired cluster-robust t-test with Holm's" in note for note in found.notes)
    alone = certificate(scores=cf.evaluate(qrels, runs, "RR").per_topic, resamples=20).plot("certificate")
    assert "certain" not in f"{alone.description} {alone.spec['title']}" and "may lead" in alone.description

"""A cheap judge and an expert sample: no bias whatever the judge's errors, and intervals that allow for rare ones."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

import cranfield as cf
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.selection.candidates import Candidates
from cranfield.selection.cheap_labels import CheapLabels
from cranfield.selection.estimates import Estimates, estimate, with_cheap_labels
from cranfield.selection.sampling import (
    draw_sample,
    stratified_sample,
    uniform_sample,
    weight_prior,
    weighted_sample,
)

Qrels = dict[str, dict[str, int]]
RUNS = {
    "x": {t: {d: -float(i) for i, d in enumerate("abcd")} for t in "123"},
    "y": {t: {d: -float(i) for i, d in enumerate("db")} for t in "123"},
}
CANDIDATES = Candidates.gather(RUNS)
GRADES: Qrels = {"1": {"a": 2, "b": 0, "c": 1, "d": 0}, "2": {"a": 1, "b": 1, "c": 0, "d": 0},
                 "3": {"a": 0, "b": 2, "c": 0, "d": 1}}  # fmt: skip
LABELS: Qrels = {"1": {"a": 3, "b": 3, "c": 3, "d": 0}, "2": {"a": 3, "b": 0, "c": 3, "d": 0},
                 "3": {"a": 0, "b": 3, "c": 0, "d": 3}}  # fmt: skip
MEASURES = ["P@2", "RBP(p=0.5)", "DCG@3", "CG", "NumRel", "FlatUtility(e=0.3)", "DCGU", "RBPU(p=0.5)"]


def half(*taken: str) -> pl.DataFrame:
    """Two of the four documents of each topic, in one stratum."""
    rows = [(topic, d, 0.5, 0) for topic, pair in zip("123", taken, strict=True) for d in pair]
    return pl.DataFrame(rows, ["query_id", "doc_id", "probability", "stratum"], orient="row")


def test_by_hand() -> None:
    """Topics 2 and 3 say that label 3 gains 1 in both of two, and 0 in neither of two; with one more of the mean."""
    found = estimate(CANDIDATES, half("ab", "ad", "ab"), GRADES, "P@4", cheap=LABELS, level=0.9)
    mean = 2 / 4  # of the experts' gains on topics 2 and 3: a 1, d 0; a 0, b 1; each stands for two documents
    three, nothing = (2 * 2 + mean) / (4 + 1), (0 + mean) / (4 + 1)
    # Topic 1: labels 3, 3, 3, 0 of a, b, c, d; drawn are a (relevant) and b (not), each for two.
    total = 3 * three + nothing + 2 * ((1 - three) + (0 - three))
    assert found.values[0, 0, 0] == pytest.approx(total / 4)
    [x, _] = found.means.rows(named=True)
    assert x["value"] == pytest.approx(found.values[0, 0].mean())
    spread = found.values[0, 0].std(ddof=1) / np.sqrt(3)
    assert x["like_high"] - x["value"] == pytest.approx(t.ppf(0.95, 2) * spread)


def plain(sample: pl.DataFrame, weight: dict[tuple[str, str], float], reach: float, gain: dict[int, float]) -> Any:
    """Estimate a total over three topics from the definition: values, variance and degrees of freedom."""
    rows = sample.to_dicts()
    label = {(topic, d): LABELS[topic].get(d) for topic in "123" for d in "abcd"}
    y = {(r["query_id"], r["doc_id"]): gain[GRADES[r["query_id"]][r["doc_id"]]] for r in rows}
    pi = {(r["query_id"], r["doc_id"]): r["probability"] for r in rows}

    def of_others(values: dict[tuple[str, str], float], topic: str, of: int | None) -> float:
        theirs = [key for key in values if key[0] != topic]
        overall = sum(values[key] / pi[key] for key in theirs) / sum(1 / pi[key] for key in theirs)
        same = [key for key in theirs if label[key] == of]
        return float((sum(values[key] / pi[key] for key in same) + overall) / (sum(1 / pi[key] for key in same) + 1))

    f = {key: of_others(y, key[0], label[key]) for key in label}
    error = {key: y[key] - f[key] for key in y}
    squares = {key: error[key] ** 2 for key in y}
    doubt = {key: of_others(squares, key[0], label[key]) for key in label}
    values, design, model, parts, ones = [], 0.0, 0.0, [], []
    for topic in "123":
        here = [key for key in label if key[0] == topic and key in weight]
        value = sum(weight[key] * f[key] for key in here)
        value += sum(weight[key] * error[key] / pi[key] for key in here if key in y)
        values.append(value)
        for stratum in {r["stratum"] for r in rows if r["query_id"] == topic}:
            members = [(topic, r["doc_id"]) for r in rows if (r["query_id"], r["stratum"]) == (topic, stratum)]
            n, chance = len(members), pi[members[0]]
            z = [weight.get(key, 0.0) * error[key] for key in members]
            part = (n / chance) ** 2 * (1 - chance) * float(np.var(z, ddof=1)) / n if n > 1 else 0.0
            design += part
            parts.append(part**2 / max(n - 1, 1))
        for key in here:
            model += weight[key] ** 2 * (1 / 0.5 - 1) * doubt[key]
            if key in y:
                ones.append((weight[key] * reach / pi[key]) ** 2 * (1 - pi[key]))
    one = sum(a**2 for a in ones) / sum(ones)
    return values, max(design, model, 2 * one), design**2 / sum(parts)


@pytest.mark.parametrize("taken", [("ab", "ad", "bc"), ("cd", "ab", "bd"), ("bd", "cd", "ab")])
def test_against_plain_loops(taken: tuple[str, str, str]) -> None:
    found = estimate(CANDIDATES, half(*taken), GRADES, ["RBP(p=0.5,rel=1)", "DCG@2"], cheap=LABELS, baseline="y")
    ranks = {run: {(topic, d): i for topic in "123" for i, d in enumerate(ids, 1)} for run, ids in
             {"x": "abcd", "y": "db"}.items()}  # fmt: skip
    judge = found.judge
    assert judge is not None
    assert judge.differences is not None
    for m, (of_rank, gain, reach) in enumerate(
        [([1 / 2, 1 / 4, 1 / 8, 1 / 16], {0: 0.0, 1: 1.0, 2: 1.0}, 1.0),
         ([1.0, 1 / np.log2(3), 0.0, 0.0], {0: 0.0, 1: 1.0, 2: 2.0}, 2.0)]
    ):  # fmt: skip
        weights = {run: {key: of_rank[rank - 1] for key, rank in of.items() if of_rank[rank - 1]}
                   for run, of in ranks.items()}  # fmt: skip
        for r, run in enumerate(("x", "y")):
            values, variance, freedom = plain(half(*taken), weights[run], reach, gain)
            np.testing.assert_allclose(found.values[m, r], values)
            assert found.variances_of_means[m, r] == pytest.approx(variance / 9)
            assert found.freedom[m, r] == pytest.approx(freedom)
        keys = {*weights["x"], *weights["y"]}
        apart = {key: weights["x"].get(key, 0.0) - weights["y"].get(key, 0.0) for key in keys}
        values, variance, freedom = plain(half(*taken), {k: w for k, w in apart.items() if w}, reach, gain)
        value, low, high = judge.differences[m, 0]
        assert value == pytest.approx(sum(values) / 3)
        assert (high - low) / 2 == pytest.approx(t.ppf(0.975, freedom) * np.sqrt(variance) / 3)
        assert judge.differences[m, 1].tolist() == [0, 0, 0]


def every_sample() -> list[pl.DataFrame]:
    """Each two documents of topic 1 with each two of topic 2; topic 3 is drawn whole."""
    pairs = [*map("".join, combinations("abcd", 2))]
    whole = half("", "", "abcd").with_columns(probability=1.0)
    return [pl.concat([half(first, second, ""), whole]) for first, second in product(pairs, pairs)]


JUDGES: dict[str, Qrels] = {
    "good": GRADES,
    "bad": {topic: {d: 2 - grade for d, grade in of.items()} for topic, of in GRADES.items()},
    "useless": {topic: dict.fromkeys(of, 1) for topic, of in GRADES.items()},
    "of a run's own order": {topic: {d: 9 - i for i, d in enumerate("abcd")} for topic in "123"},
    "of some": {"1": {"a": 3, "b": 0}, "2": {"d": 3}},
}


@pytest.mark.parametrize("judge", JUDGES)
def test_mean_over_all_samples_is_the_truth(judge: str) -> None:
    truth = cf.evaluate(GRADES, RUNS, MEASURES).values
    found = [estimate(CANDIDATES, sample, GRADES, MEASURES, cheap=JUDGES[judge], baseline="x", top_grade=2)
             for sample in every_sample()]  # fmt: skip
    np.testing.assert_allclose(np.mean([one.values for one in found], axis=0), truth, atol=1e-12)
    judges = [one.judge for one in found if one.judge]
    means = [i for i, name in enumerate(MEASURES) if name != "NumRel"]
    apart = np.mean([of.differences[means, 1, 0] for of in judges if of.differences is not None], axis=0)
    np.testing.assert_allclose(apart, (truth[means, 1] - truth[means, 0]).mean(axis=1), atol=1e-12)


@pytest.mark.parametrize(("pool", "topics_with", "summands"), [("abcd", 5, 20 * 2), ("abcde", 12, 12 * 2 * 2)])
def test_few_documents_are_as_sure_as_their_labels_on_other_topics(pool: str, topics_with: int, summands: int) -> None:
    """Two documents of a topic are drawn, with π = 1/2: a and b, all of P@2, or c and d.

    As a and b have the same grade, only what labels mean on other topics varies: Σ w² (1/π - 1) σ². Where two stand
    for a pool of four, π is known of all: a and b count 1/π - 1 = 1 on each of 20 topics. A pool of five leaves π
    unknown, and a and b count (1/π - 1)/π = 2 where they are drawn.
    """
    topics = [str(topic) for topic in range(20)]
    candidates = Candidates.gather({"x": {topic: {d: -float(i) for i, d in enumerate(pool)} for topic in topics}})
    rows = [(topic, d, 0.5, 0) for topic in topics for d in ("ab" if int(topic) < topics_with else "cd")]
    sample = pl.DataFrame(rows, ["query_id", "doc_id", "probability", "stratum"], orient="row")
    grades = {topic: {d: int(topic) % 2 for d in pool} for topic in topics}
    same = {topic: dict.fromkeys(pool, 1) for topic in topics}
    found = estimate(candidates, sample, grades, "P@2", cheap=same)
    error = 10 / 19  # of the 19 other topics 9 have relevant documents where a topic has them, and 10 where not
    assert found.variances_of_means[0, 0] == pytest.approx(summands * (1 / 2) ** 2 * error**2 / 20**2)


def values_of(grades: Qrels, sample: pl.DataFrame) -> Floats:
    values: Floats = estimate(CANDIDATES, sample, grades, "P@2", cheap=LABELS).values[0, 0]
    return values


def test_labels_that_were_tuned_on_are_not_estimated_with() -> None:
    """A topic's own grade changes its value by w/π and by nothing else: what its label means follows from others."""
    sample = half("ab", "ad", "bc")
    changed = {**GRADES, "1": {**GRADES["1"], "b": 1}}
    before, after = values_of(GRADES, sample), values_of(changed, sample)
    assert after[0] - before[0] == pytest.approx(1 / 2 / 0.5, abs=1e-12)
    assert abs(after[1:] - before[1:]).max() > 0.01  # while the others learn from it


def test_a_constant_judge_is_horvitz_and_thompson() -> None:
    """All documents weigh the same in P@4 of x, so that what the judge expects cancels out, and so do its variances."""
    sample = half("ab", "ad", "bc")
    same: Qrels = {topic: dict.fromkeys(of, 1) for topic, of in GRADES.items()}
    alone, found = (estimate(CANDIDATES, sample, GRADES, "P@4", cheap=cheap) for cheap in (None, same))
    np.testing.assert_allclose(found.values[0, 0], alone.values[0, 0])


@settings(max_examples=10)
@given(st.permutations(range(4)))
def test_a_topics_own_grades_do_not_change_what_its_labels_mean(order: list[int]) -> None:
    """What is learned for topic 1 stays what it is, whichever of its documents have which grade."""
    sample = half("ab", "ad", "bc")
    permuted = {**GRADES, "1": dict(zip("abcd", [GRADES["1"]["abcd"[i]] for i in order], strict=True))}
    judges = [with_cheap_labels(CANDIDATES, sample, grades, LABELS, 2).judge(parse_measure("AP"))
              for grades in (GRADES, permuted)]  # fmt: skip
    before, after = (judge.expected for judge in judges)
    np.testing.assert_array_equal(before[0], after[0])
    relevant = [judge.completed((judge.gains > 0).astype(float)) for judge in judges]
    undrawn = [2, 3]  # c and d of topic 1: what is completed for them is what others say of their labels
    np.testing.assert_array_equal(relevant[0][undrawn], relevant[1][undrawn])


@settings(max_examples=10)
@given(st.permutations(range(4)))
def test_labels_are_names(order: list[int]) -> None:
    labels = {topic: {d: order[label % 4] for d, label in of.items()} for topic, of in LABELS.items()}
    found, usual = (
        estimate(CANDIDATES, half("ab", "ad", "bc"), GRADES, "RBP", cheap=each) for each in (labels, LABELS)
    )
    np.testing.assert_allclose(found.means.drop("run", "measure"), usual.means.drop("run", "measure"))


@pytest.mark.parametrize("design", ["uniform", "weighted"])
def test_a_sample_of_everything_leaves_nothing_to_chance(design: str) -> None:
    whole = uniform_sample(CANDIDATES, 4)
    if design == "weighted":
        whole = weighted_sample(CANDIDATES, 4, measures="RBP(p=0.5)")
    found = estimate(CANDIDATES, whole, GRADES, MEASURES, cheap=LABELS, baseline="y")
    np.testing.assert_allclose(found.values, cf.evaluate(GRADES, RUNS, MEASURES).values, atol=1e-12)
    assert found.means.filter(pl.col("high") - pl.col("low") > 1e-9).is_empty()
    assert found.means.filter(measure="P@2", run="x")["like_low"].item() < found.means["low"][0]


def test_one_topic_alone_is_the_sample_alone() -> None:
    candidates = Candidates.gather({"x": {"1": RUNS["x"]["1"]}})
    sample = half("ab", "", "")
    found, alone = (estimate(candidates, sample, GRADES, "P@4", cheap=cheap) for cheap in (LABELS, None))
    assert found.values == pytest.approx(alone.values)
    assert "with one topic" in found.notes[0]
    assert found.means["like_low"].null_count() == 1


# A judge that hardly ever errs


def made(topics: int = 30, errors: int = 0) -> tuple[Candidates, Qrels, Qrels]:
    """Two runs of ten of forty documents, experts, and a judge who errs on some documents that the first run has."""
    random = np.random.default_rng(4)
    names = [str(topic) for topic in range(1, topics + 1)]
    pool = [f"d{i:02}" for i in range(40)]
    runs = {run: {topic: {d: -float(i) for i, d in enumerate(random.permutation(pool)[:10])} for topic in names}
            for run in ("x", "y", "z")}  # fmt: skip
    runs["pool"] = {topic: dict.fromkeys(pool, 0.0) for topic in names}
    grades = {topic: {d: int(random.random() < 0.4) for d in pool} for topic in names}
    labels = {topic: dict(of) for topic, of in grades.items()}
    for n in range(errors):
        topic = names[3 * n % topics]
        document = list(runs["x"][topic])[n % 10]
        labels[topic][document] = 1 - grades[topic][document]
    return Candidates.gather(runs), grades, labels


def test_a_sample_without_a_disagreement_has_an_interval() -> None:
    candidates, grades, labels = made()
    found = estimate(candidates, uniform_sample(candidates, 10), grades, "P@10", cheap=labels, baseline="y")
    x = found.means.row(0, named=True)
    # One disagreement more: w/π = (1/10)/(1/4), of which 1 - 1/4 is left to chance; over 30 topics, twice.
    assert x["standard_error"] == pytest.approx(np.sqrt(2 * 0.75) * 0.4 / 30, rel=0.02)
    assert x["high"] - x["low"] > 3 * x["standard_error"]
    assert x["difference_high"] - x["difference_low"] > 3 * x["standard_error"]


@pytest.mark.parametrize("errors", [3, 8])
def test_errors_about_one_run_alone_do_not_break_its_interval(errors: int) -> None:
    candidates, grades, labels = made(errors=errors)
    truth = sum(grades[topic][d] for topic, of in zip(candidates.topics, run_of(candidates), strict=True) for d in of)
    held = []
    for seed in range(40):
        found = estimate(candidates, uniform_sample(candidates, 10, seed=seed), grades, "P@10", cheap=labels)
        x = found.means.row(0, named=True)
        held.append(x["low"] <= truth / 300 <= x["high"])
    assert np.mean(held) >= 0.95  # by the first variance alone .6 and .9


def run_of(candidates: Candidates) -> list[list[str]]:
    """The documents of the first run, by topic."""
    place = np.repeat(np.arange(len(candidates)), np.diff(candidates.start))[candidates.cell_run == 0]
    return [candidates.document.gather(place[candidates.topic[place] == topic]).to_list()
            for topic in range(len(candidates.topics))]  # fmt: skip


def test_what_the_judge_saves_is_said() -> None:
    candidates, grades, labels = made(errors=8)
    sample = uniform_sample(candidates, 10)
    good = estimate(candidates, sample, grades, "P@10", cheap=labels)
    assert "the sample alone would need" in good.notes[0]
    assert good.judge is not None
    assert good.judge.alone[0] > 15
    same = {topic: dict.fromkeys(of, 1) for topic, of in grades.items()}
    useless = estimate(candidates, sample, grades, "P@10", cheap=same)
    assert useless.notes == ("P@10: the cheap judge saves no expert labels: the sample alone needs no more",)
    assert useless.judge is not None
    assert useless.judge.alone[0] == pytest.approx(10)


def test_a_sample_for_differences_weighs_what_runs_do_not_share() -> None:
    """Σ over runs of (w - v)², from the definition: v is what the document weighs in the run to compare with."""
    runs = {"x": {"1": list("abcdef")}, "y": {"1": list("badcfg")}, "z": {"1": list("abefcd")}}
    candidates = Candidates.gather(runs)
    weight = {run: {d: (1 - 0.5) * 0.5**i for i, d in enumerate(of["1"])} for run, of in runs.items()}
    documents = candidates.document.to_list()
    wanted = {d: sum((of.get(d, 0.0) - weight["x"].get(d, 0.0)) ** 2 for of in weight.values()) for d in documents}
    found = weight_prior(candidates, "RBP(p=0.5)", "x") ** 2
    share = found / found.sum()
    total = sum(wanted.values())
    np.testing.assert_allclose(share, [wanted[d] / total for d in documents], rtol=1e-12)
    alike = Candidates.gather({"x": {"1": list("abc")}, "y": {"1": list("abd")}})
    a, b, c, d = weight_prior(alike, "P@3", "x")  # a and b are where they are in both
    assert a == b == pytest.approx(c / 2)
    assert c == d


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"against": "z"}, "no run is named 'z'; the runs are x and y"),
        ({"against": "x", "design": "uniform"}, "a run to compare the others with is that of a weighted sample"),
    ],
)
def test_what_no_sample_is_drawn_against(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        draw_sample(CANDIDATES, 2, **({"design": "weighted"} | asked))
    with pytest.raises(InputError, match="no run differs from x"):
        weighted_sample(Candidates.gather({"x": RUNS["x"]}), 2, measures="P@4", against="x")


# Samples that list what could have been drawn


def test_a_listed_frame_says_what_an_unlisted_uniform_one_implies() -> None:
    sample = half("ab", "ad", "bc")
    rest = CANDIDATES.document.to_frame("doc_id").with_columns(
        query_id=pl.Series(CANDIDATES.topics).gather(CANDIDATES.topic), probability=pl.lit(0.5), stratum=pl.lit(0)
    )
    listed = rest.join(sample, on=["query_id", "doc_id"], how="anti").with_columns(drawn=pl.lit(0))
    listed = pl.concat([sample.with_columns(drawn=pl.lit(1)), listed], how="diagonal_relaxed")
    found, usual = (estimate(CANDIDATES, each, GRADES, MEASURES, cheap=LABELS) for each in (listed, sample))
    np.testing.assert_allclose(found.means.drop("run", "measure"), usual.means.drop("run", "measure"))
    assert estimate(CANDIDATES, listed, GRADES, MEASURES) == estimate(CANDIDATES, sample, GRADES, MEASURES)


def test_a_run_that_had_no_part_in_the_sample() -> None:
    sample = weighted_sample(CANDIDATES, 3, measures="RBP(p=0.5)")
    new = {"1": {"n": 2.0, "a": 1.0}, "2": {"a": 2.0, "m": 1.0}, "3": {"b": 1.0}}
    candidates = Candidates.gather({**RUNS, "new": new})
    labels = {**LABELS, "1": {**LABELS["1"], "n": 3}}
    found = estimate(candidates, sample, GRADES, "RBP(p=0.5)", cheap=labels, baseline="x")
    assert found.notes[-1].startswith("2 candidates could not be drawn, most of them of new (2)")
    judge = found.judge
    assert judge is not None
    assert judge.differences is not None
    assert judge.outside[0, :2].tolist() == [[0, 0], [0, 0]]
    assert judge.outside[0, 2].sum() == pytest.approx((1 / 2 + 1 / 4) / 3)  # of a first and a second rank
    value, low, high = judge.differences[0, 2]  # a t interval, and below and above it what x lacks as well
    assert (high - value) - (value - low) == pytest.approx(judge.outside[0, 2, 1] - judge.outside[0, 2, 0])
    old = estimate(CANDIDATES, sample, GRADES, "RBP(p=0.5)", cheap=LABELS)
    assert found.means.row(0)[2:6] == pytest.approx(old.means.row(0)[2:6])
    new_row = found.means.row(2, named=True)
    assert new_row["difference_high"] - new_row["difference_low"] >= 0.25
    values = found.values[0, 2]
    margin = t.ppf(0.975, 2) * values.std(ddof=1) / np.sqrt(3) + judge.outside[0, 2]
    assert [new_row["like_low"], new_row["like_high"]] == pytest.approx(values.mean() + [-1, 1] * margin)


def test_strata_that_are_not_listed_are_estimated() -> None:
    found = estimate(CANDIDATES, stratified_sample(CANDIDATES, 4, depths=[1]), GRADES, "P@4", cheap=LABELS)
    assert found.means["low"].null_count() == 0


# Labels


def test_what_is_strange_about_labels_is_counted() -> None:
    labels = {"1": {"a": 3, "b": -1, "c": 0}, "2": {"a": 1, "b": -1, "c": 0, "d": 1}, "9": {"a": 7}}
    found = CheapLabels.join(CANDIDATES, labels)
    assert found.code.tolist() == [3, 0, 1, 4, 2, 0, 1, 2, 4, 4, 4, 4]
    assert found.notes == (
        "no cheap label: 5 of 12 candidates, on 2 topics (most on 3: 4); missing counts as a separate label",
        "below 0: 2 cheap labels (-1), used as they are; leave them out if they mean that the judge did not answer",
    )  # fmt: skip


def test_many_labels_are_grouped_by_their_neighbours() -> None:
    candidates = Candidates.gather({"x": {"1": {f"d{i:02}": -float(i) for i in range(40)}}})
    found = CheapLabels.join(candidates, {"1": {f"d{i:02}": i / 7 for i in range(40)}})
    assert found.code.tolist() == [i // 4 for i in range(40)]
    assert found.groups == 10


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"measures": ["RR"]}, MeasureError, "RR cannot be estimated from a sample"),
        ({"measures": ["RBU"]}, MeasureError, "RBU(.*) cannot be estimated from a sample"),
        ({"measures": ["FlatUtility(per='cost')"]}, MeasureError, "FlatUtility(.*) cannot be estimated"),
        ({"measures": ["P@2", "R@3", "Bpref"], "cheap": None}, MeasureError, "R@3 and Bpref: modelled with cheap"),
        ({"baseline": "q"}, InputError, "no run is named 'q'; the runs are x and y"),
        (
            {"cheap": {"7": {"a": 1}}},
            InputError,
            "none of the 12 candidates has a cheap label; the topics of the labels",
        ),
        ({"cheap": None, "baseline": "x"}, InputError, "give cheap, too"),
    ],
)
def test_what_is_wrong_is_said(asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        estimate(CANDIDATES, half("ab", "ad", "bc"), GRADES, **{"measures": "P@2", "cheap": LABELS} | asked)


def test_a_result_like_any_other() -> None:
    found = estimate(CANDIDATES, half("ab", "ad", "bc"), GRADES, "P@2", cheap=LABELS, baseline="y")
    assert Estimates.from_dict(found.to_dict()) == found
    assert "differences from y" in found.caption()
    assert found.to_polars(per_topic=True).filter(topic="all").height == 2
    assert "difference_low" in found.render("csv")


def test_the_same_as_prediction_powered_inference() -> None:
    """Where each topic's weights are all the same, ours is a mean of predictions and of what they lack."""
    ppi = pytest.importorskip("ppi_py", reason="ppi-python has an environment of its own")
    sample = half("ab", "ad", "bc")
    found = estimate(CANDIDATES, sample, GRADES, "P@4", cheap=LABELS)
    relevant = {topic: [float(grade > 0) for grade in of.values()] for topic, of in GRADES.items()}
    for n, (topic, drawn) in enumerate(zip("123", ([0, 1], [0, 3], [1, 2]), strict=True)):
        others = [(o, d) for o, pair in zip("123", ("ab", "ad", "bc"), strict=True) if o != topic for d in pair]
        overall = np.mean([GRADES[o][d] > 0 for o, d in others])
        f = []
        for label in LABELS[topic].values():
            same = [GRADES[o][d] > 0 for o, d in others if LABELS[o][d] == label]
            f.append((2 * sum(same) + overall) / (2 * len(same) + 1))
        y, own = np.array(relevant[topic])[drawn], np.array(f)[drawn]
        [value] = np.atleast_1d(ppi.ppi_mean_pointestimate(y, own, np.array(f), lam=1))
        assert found.values[0, 0, n] == pytest.approx(float(value))

"""Chances of experts' grades, learned from other topics: against the formula, and no topic is tuned on."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.optimize import minimize
from scipy.special import log_softmax

import cranfield as cf
from cranfield.cli import main
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.selection.grade_chances import GradeChances, calibrate, features_of

RUNS = {run: {t: {d: -float(i) for i, d in enumerate(order)} for t in "123"} for run, order in
        {"x": "abcd", "y": "db"}.items()}  # fmt: skip
CANDIDATES = cf.Candidates.gather(RUNS)
GRADES = {"1": {"a": 2, "b": 0, "c": 1, "d": 0}, "2": {"a": 1, "b": 1, "c": 0, "d": 0},
          "3": {"a": 0, "b": 2, "c": 0, "d": 1}}  # fmt: skip
ANN = {t: {d: g + (d == "c") for d, g in of.items()} for t, of in GRADES.items()}
BOB = {t: {d: -0.5 * i for i, d in enumerate("dcb")} for t in "123"}
MEASURES = ["P@2", "DCG@3"]


def half(*taken: str) -> pl.DataFrame:
    rows = [(topic, d, 0.5, 0) for topic, pair in zip("123", taken, strict=True) for d in pair]
    return pl.DataFrame(rows, ["query_id", "doc_id", "probability", "stratum"], orient="row")


def some(documents: int = 40, topics: int = 6) -> tuple[Floats, Integers, Floats]:
    random = np.random.default_rng(5)
    features = random.random((documents, 2))
    grade = np.floor(3 * (0.7 * features[:, 0] + 0.3 * random.random(documents)))
    return features, random.integers(0, topics, documents), grade


def test_any_two_topics_learn_from_each_other() -> None:
    """Of eleven topics the first and the last alone have grades: eleven topics are cut into ten parts."""
    topic, label = np.repeat(np.arange(11), 2), np.tile([1.0, 0.0], 11)
    grade = np.where(np.isin(topic, (0, 10)), label, np.nan)
    found = GradeChances.learned(label[:, np.newaxis], topic, grade)
    np.testing.assert_allclose(found.chance.sum(axis=1), 1)


def test_chances_are_those_of_a_multinomial_model_with_a_ridge_penalty() -> None:
    features, topic, grade = some()
    found = GradeChances.learned(features, topic, grade)
    others, own = topic != 0, topic == 0
    column = np.searchsorted(found.grades, grade[others])

    def loss(parameters: Floats) -> float:
        by_grade = parameters.reshape(3, -1)
        told = log_softmax(features[others] @ by_grade[:, :2].T + by_grade[:, 2], axis=1)
        return float(-told[np.arange(len(column)), column].sum() + (by_grade[:, :2] ** 2).sum() / 2)

    best = minimize(loss, np.zeros(9), tol=1e-6).x.reshape(3, -1)
    wanted = np.exp(log_softmax(features[own] @ best[:, :2].T + best[:, 2], axis=1))
    np.testing.assert_allclose(found.chance[own], wanted, atol=2e-3)
    np.testing.assert_allclose(found.chance.sum(axis=1), 1)


def test_a_topic_tells_nothing_of_itself() -> None:
    features, topic, grade = some()
    before = GradeChances.learned(features, topic, grade)
    changed = GradeChances.learned(features, topic, np.where(topic == 2, 2 - grade, grade))
    np.testing.assert_array_equal(before.chance[topic == 2], changed.chance[topic == 2])
    assert (before.chance[topic != 2] != changed.chance[topic != 2]).any()


def test_one_grade_on_the_other_topics_and_none() -> None:
    found = GradeChances.learned(np.zeros((3, 1)), np.array([0, 1, 1]), np.array([2.0, 1.0, 1.0]))
    assert found.chance.tolist() == [[1, 0], [0, 1], [0, 1]]
    alone = GradeChances.learned(np.zeros((2, 1)), np.zeros(2, int), np.array([1.0, 0.0]))
    assert not alone.chance.any()


def mean_over_all_samples() -> Floats:
    """Mean estimates of topic 1 over each two of its documents, while those of the others stay."""
    samples = [half("".join(pair), "ab", "ad") for pair in combinations("abcd", 2)]
    found = [cf.estimate(CANDIDATES, sample, GRADES, MEASURES, cheap=(ANN, BOB), top_grade=2) for sample in samples]
    mean: Floats = np.mean([one.values[:, :, 0] for one in found], axis=0)
    return mean


def test_judges_that_are_combined_leave_no_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = cf.evaluate(GRADES, RUNS, MEASURES).values[:, :, 0]
    np.testing.assert_allclose(mean_over_all_samples(), truth, atol=1e-9)

    def tuned(features: Floats, topic: Integers, grade: Floats) -> GradeChances:
        """Learn from the topic's own sample, too: what must not be done, and what this test would see."""
        known = ~np.isnan(grade)
        grades = np.unique(grade[known])
        near = np.exp(-9 * np.abs(features[:, np.newaxis] - features[known]).sum(axis=2))
        near *= 1 + (topic[:, np.newaxis] == topic[known])
        chance = near @ (grade[known][:, np.newaxis] == grades)
        return GradeChances(grades, chance / chance.sum(axis=1, keepdims=True))

    monkeypatch.setattr(GradeChances, "learned", tuned)
    assert np.abs(mean_over_all_samples() - truth).max() > 0.02


def test_several_judges_on_the_command_line_are_a_tuple(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    labels: dict[str, Any] = {"ann": ANN, "bob": BOB, "qrels": GRADES}
    for name, of in labels.items():
        Path(f"{name}.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, row in of.items() for d, g in row.items()))
    for run, of in RUNS.items():
        Path(f"{run}.run").write_text(
            "".join(f"{t} Q0 {d} 0 {s} {run}\n" for t, row in of.items() for d, s in row.items())
        )
    sample = half("ab", "ad", "bc")
    sample.write_csv("sample.csv")
    call = ["estimate", "sample.csv", "qrels.txt", "x.run", "y.run", "-m", "P@2", "-o", "out.csv"]
    done = CliRunner().invoke(main, [*call, "--cheap", "ann.txt", "--cheap", "bob.txt"])
    assert done.exit_code == 0, done.stderr
    assert "judge 2: no cheap label: 3 of 12 candidates" in done.stderr
    wanted = cf.estimate(CANDIDATES, sample, GRADES, "P@2", cheap=(ANN, BOB))
    assert pl.read_csv("out.csv")["value"].to_list() == pytest.approx(wanted.means["value"].to_list())


def test_labels_may_be_on_any_scale() -> None:
    random = np.random.default_rng(2)
    label = np.where(random.random(20) < 0.2, np.nan, random.integers(0, 4, 20))
    np.testing.assert_allclose(features_of([label]), features_of([np.exp(label)]))


def test_calibrate_gives_chances_and_says_how_good_they_are() -> None:
    found = calibrate(GRADES, (ANN, BOB))
    table = found.to_polars()
    assert table.columns == ["query_id", "doc_id", "chance_0", "chance_1", "chance_2", "expected"]
    np.testing.assert_allclose(table.select(pl.sum_horizontal("^chance_.*$")).to_series(), 1)
    np.testing.assert_allclose(table["expected"], table["chance_1"] + 2 * table["chance_2"])
    key = [GRADES[t][d] for t, d in table.select("query_id", "doc_id").iter_rows()]
    bits = np.mean([-np.log2(row[f"chance_{grade}"]) for row, grade in zip(table.to_dicts(), key, strict=True)])
    alone = -sum(n / 12 * np.log2(n / 12) for n in (6, 4, 2))
    assert f"from 12 documents of 3 topics, each topic from others: {bits:.3f} bits" in found.caption()
    assert f"{alone:.3f} with the same chances for every document" in found.caption()


def test_what_was_learned_from_experts_is_no_label_to_estimate_with(tmp_path: Path) -> None:
    calibrate(GRADES, ANN).to_polars().write_csv(tmp_path / "chances.csv")
    with pytest.raises(InputError, match="relevance"):
        cf.estimate(CANDIDATES, half("ab", "ad", "bc"), GRADES, "P@2", cheap=tmp_path / "chances.csv")


@pytest.mark.parametrize(
    ("qrels", "says"),
    [
        ({"1": {"a": 1, "b": 0}}, "labelled documents of 1 topic; "),
        ({"9": {"a": 1}}, "labelled documents of 0 topics; "),
    ],
)
def test_one_topic_is_too_few(qrels: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        calibrate(qrels, ANN)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(InputError, match=r'pip install "cranfield\[judges\]"'):
        calibrate(GRADES, ANN)
    cf.estimate(CANDIDATES, half("ab", "ad", "bc"), GRADES, "P@2", cheap=ANN)  # a single judge needs none

"""Rules that end lists by their scores, by plain loops; and that nothing is learned from what is held out."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.stopping.cutting import best_rule
from cranfield.stopping.rules import RULES, ScoredLists, best_threshold, folds_of, learn

INFINITY = math.inf
Lists = list[list[float]]

scores = st.sampled_from([-INFINITY, -3.0, -0.5, 0.0, 0.25, 1.0, 1.0, 4.0, 1e308, INFINITY])
falling = st.lists(scores, min_size=0, max_size=6).map(lambda found: sorted(found, reverse=True))
collections = st.lists(falling, min_size=2, max_size=6)
thresholds = st.sampled_from([-INFINITY, -3.0, -0.5, -0.1, 0.0, 0.3, 0.5, 1.0, 2.0, 4.0, INFINITY])


def scored(lists: Lists) -> ScoredLists:
    depth = max(map(len, lists), default=0)
    table = np.array([[*one, *[math.nan] * (depth - len(one))] for one in lists]).reshape(len(lists), depth)
    return ScoredLists(tuple(str(i) for i in range(len(lists))), table)


def finite(score: float) -> float:
    return max(min(score, 1e300), -1e300)


def slow_length(rule: str, found: list[float], threshold: float) -> int:
    """Go down the list until the rule says stop; the threshold is the signed one."""
    high, low = (finite(max(found)), finite(min(found))) if found else (0.0, 0.0)
    for rank, score in enumerate(found, start=1):
        if rule == "depth" and rank > -threshold:
            return rank - 1
        if rule == "score" and score < threshold:
            return rank - 1
        share = (finite(score) - low) / (high - low) if high > low else 1.0
        if rule == "share" and share < threshold:
            return rank - 1
        top = max(map(finite, found))
        of_top = finite(score) / top if top > 0 else top / finite(score) if score < 0 else 1.0
        if rule == "top" and of_top < threshold:
            return rank - 1
        before = found[max(rank - 2, 0)]
        drop = ((finite(before) - low) / (high - low) - share) if high > low else 0.0
        if rule == "drop" and drop > -threshold:
            return rank - 1
    return len(found)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=60)
@given(lists=collections, threshold=thresholds)
def test_lengths_by_plain_loop(rule: str, lists: Lists, threshold: float) -> None:
    lengths = RULES[rule].lengths(scored(lists), threshold)
    assert lengths.tolist() == [slow_length(rule, found, threshold) for found in lists]


@pytest.mark.parametrize(
    ("rule", "threshold", "expected"),
    [
        ("depth", -2, [2, 1, 2]),
        ("score", 2.0, [2, 0, 4]),
        ("score", -2.0, [3, 1, 4]),
        ("share", 0.5, [2, 1, 4]),  # from 0 + 0.5 · (3 - 0) up; where all scores are equal, all stay
        ("drop", -0.4, [2, 1, 4]),  # 3 to 2 is 1/3 of the range, 2 to 0 is 2/3
        ("drop", -0.3, [1, 1, 4]),
        ("share", INFINITY, [0, 0, 0]),
        ("top", 0.5, [2, 1, 4]),  # down to 1.5; of a highest score of -2, down to -4
        ("top", 0.8, [1, 1, 4]),
    ],
)
def test_worked_lists(rule: str, threshold: float, expected: list[int]) -> None:
    lists = scored([[3.0, 2.0, 0.0], [-2.0], [2.0, 2.0, 2.0, 2.0]])
    assert RULES[rule].lengths(lists, threshold).tolist() == expected


# The best threshold


def drawn(seed: int, *, topics: int = 8, depth: int = 6) -> tuple[ScoredLists, Floats]:
    """Lists of different lengths with equal and negative scores, and what their prefixes are worth."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, depth + 1, topics)
    lists = scored([sorted(rng.integers(-4, 5, n).astype(float), reverse=True) for n in lengths])
    values = rng.integers(-3, 4, (topics, depth + 1)).astype(float)
    for row, n in zip(values, lengths, strict=True):
        row[n:] = row[n]  # as values_by_length has it
    return lists, values[:, : lists.score.shape[1] + 1]


def total(rule: str, lists: ScoredLists, values: Floats, threshold: float, counted: list[int]) -> float:
    lengths = RULES[rule].lengths(lists, threshold)
    return float(sum(values[topic, lengths[topic]] for topic in counted))


@each_of("rule", RULES)
@each_of("seed", range(15))
def test_no_threshold_is_better_than_the_best(rule: str, seed: int) -> None:
    lists, values = drawn(seed)
    counted = [topic for topic in range(8) if topic % 3]
    mask = np.array([topic in counted for topic in range(8)])
    signal = RULES[rule].signal(lists)
    everything = [INFINITY, *sorted({float(s) for s in signal[mask].ravel() if not math.isnan(s)}, reverse=True)]
    totals = [total(rule, lists, values, threshold, counted) for threshold in everything]
    found = best_threshold(RULES[rule].least(lists), values, mask)
    assert total(rule, lists, values, found, counted) == max(totals)
    assert found >= everything[totals.index(max(totals))]  # the one that keeps the least
    lengths = RULES[rule].lengths(lists, found)[mask]
    assert (lengths <= RULES[rule].lengths(lists, everything[totals.index(max(totals))])[mask]).all()


def test_where_no_document_is_worth_its_effort_nothing_is_kept() -> None:
    lists = scored([[2.0, 1.0], [2.0]])
    values = np.array([[0.0, -1.0, -2.0], [0.0, -1.0, -1.0]])
    for rule in RULES.values():
        learned = learn(rule, lists, values, np.array([0, 1]))
        assert learned.threshold == INFINITY
        assert learned.lengths(lists).tolist() == [0, 0]
        assert learned.shown is None
        assert str(learned) == f"{rule.name}: nothing"
        assert (learned.value, learned.full, learned.oracle) == (0, -(2 + 1) / 2, 0)


def test_what_is_shown_is_in_the_words_of_the_rule() -> None:
    lists = scored([[4.0, 2.0, 0.0], [4.0, 3.0, 0.0]])
    values = np.array([[0.0, 1.0, 2.0, 1.0], [0.0, 1.0, 2.0, 1.0]])  # two documents each
    shown = {name: learn(rule, lists, values, np.array([0, 1])).shown for name, rule in RULES.items()}
    # Down to a score of 2, which is half the way. Of drops, 1/4 gives one document and two, 1/2
    # three and two: worth as much, and the first keeps less.
    assert shown == {"depth": 2, "score": 2, "share": 1 / 2, "top": 1 / 2, "drop": 1 / 4}


def test_no_drop_is_shown_as_0() -> None:
    learned = learn(RULES["drop"], scored([[2.0, 1.0]] * 2), np.array([[0.0, 1.0, 0.0]] * 2), np.array([0, 1]))
    assert str(learned) == "drop 0"


def test_an_infinite_score_is_a_score() -> None:
    lists = scored([[INFINITY, 1.0, -INFINITY], [2.0, -INFINITY]])
    values = np.array([[0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 2.0]])  # whole lists are best
    for rule in RULES.values():
        assert learn(rule, lists, values, np.array([0, 1])).lengths(lists).tolist() == [3, 2]


def test_a_share_of_the_highest_score_does_not_depend_on_how_long_the_list_is() -> None:
    lists = scored([[8.0, 5.0, 4.0, 1.0], [8.0, 5.0, 4.0]])
    assert RULES["top"].lengths(lists, 0.5).tolist() == [3, 3]
    assert RULES["share"].lengths(lists, 0.5).tolist() == [2, 1]  # down to 4.5, and to 6


def test_a_share_of_a_highest_score_below_0() -> None:
    lists = scored([[-2.0, -4.0, -5.0], [0.0, -1.0], [1.0, -1.0]])
    assert RULES["top"].signal(lists)[0].tolist() == [1, 1 / 2, 2 / 5]
    assert RULES["top"].signal(lists)[1:, :2].tolist() == [[1, 0], [1, -1]]


def test_single_documents_and_equal_scores() -> None:
    lists = scored([[1.0], [1.0], [1.0, 1.0]])
    values = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
    one = {name: learn(rule, lists, values, np.arange(3)).lengths(lists).tolist() for name, rule in RULES.items()}
    # Only a depth can tell two documents of one score apart: of the others all three lists stay
    # whole.
    assert one == {"depth": [1, 1, 1], "score": [1, 1, 2], "share": [1, 1, 2], "top": [1, 1, 2], "drop": [1, 1, 2]}


# Cross-validation


@each_of("rule", RULES)
@each_of("seed", range(8))
def test_cross_validation_by_plain_loop(rule: str, seed: int) -> None:
    lists, values = drawn(seed)
    fold = folds_of(8, 3, seed)
    expected = []
    for topic in range(8):
        threshold = best_threshold(RULES[rule].least(lists), values, fold != fold[topic])
        expected.append(values[topic, RULES[rule].lengths(lists, threshold)[topic]])
    learned = learn(RULES[rule], lists, values, fold)
    assert learned.value == pytest.approx(sum(expected) / 8)
    assert learned.full == pytest.approx(sum(values[t, n] for t, n in enumerate(lists.length)) / 8)
    assert learned.oracle == pytest.approx(sum(max(row) for row in values) / 8)
    assert learned.threshold == best_threshold(RULES[rule].least(lists), values, np.ones(8, bool))
    assert learned.oracle >= learned.value


@each_of("rule", RULES)
@each_of("seed", range(5))
def test_the_topic_held_out_has_no_say(rule: str, seed: int) -> None:
    """Whatever the prefixes of one topic are worth, where its own list is cut in the test stays the same."""
    lists, values = drawn(seed)
    fold = np.arange(8)
    marked = values.copy()
    marked[0] = 1000.0 * np.arange(values.shape[1])  # so that the value tells the length
    cut_at = (learn(RULES[rule], lists, marked, fold).value - _others(rule, lists, marked, fold)) * 8 / 1000
    least = RULES[rule].least(lists)
    without = ScoredLists(lists.topics[1:], lists.score[1:])
    threshold = best_threshold(RULES[rule].least(without), values[1:], np.ones(7, bool))
    assert threshold == best_threshold(least, marked, fold != 0) == best_threshold(least, values, fold != 0)
    assert cut_at == pytest.approx(RULES[rule].lengths(lists, threshold)[0])


def _others(rule: str, lists: ScoredLists, values: Floats, fold: Integers) -> float:
    """What all topics but the first add to the mean."""
    silent = values.copy()
    least = RULES[rule].least(lists)
    kept = []
    for topic in range(1, len(fold)):
        length = RULES[rule].lengths(lists, best_threshold(least, values, fold != fold[topic]))[topic]
        kept.append(silent[topic, length])
    return float(sum(kept)) / len(fold)


def test_folds() -> None:
    fold = folds_of(23, 5, seed=3)
    assert sorted(np.bincount(fold).tolist()) == [4, 4, 5, 5, 5]
    assert fold.tolist() == folds_of(23, 5, seed=3).tolist() != folds_of(23, 5, seed=4).tolist()
    for topics, folds in ((1, 5), (4, 5), (4, 1), (0, 2)):
        with pytest.raises(InputError, match=f"number of judged topics, {topics}, not {folds}"):
            folds_of(topics, folds, seed=7)


def test_the_best_rule_is_the_one_that_does_best_on_held_out_topics() -> None:
    for seed in range(5):
        lists, values = drawn(seed)
        fold = folds_of(8, 4, seed)
        by_rule = {name: learn(rule, lists, values, fold) for name, rule in RULES.items()}
        best = best_rule("best", lists, values, 4, seed)
        assert best.value == max(learned.value for learned in by_rule.values())
        assert best == by_rule[best.rule.name]
        assert best_rule("share", lists, values, 4, seed) == by_rule["share"]


def test_scores_of_a_ranked_table() -> None:
    table = pl.DataFrame({"query_id": ["2", "2", "1"], "score": [3.0, -1.0, 2.0]})
    lists = ScoredLists.of(table)
    assert lists.topics == ("2", "1")
    assert lists.length.tolist() == [2, 1]
    assert ScoredLists.of(table.clear()).score.shape == (0, 0)
    judged, codes = lists.judged({"0": 0, "1": 1})
    assert (judged.topics, judged.score.tolist(), codes) == (("1",), [[2.0]], [1])
    nothing, none = lists.judged({})
    assert (nothing.topics, nothing.score.shape, none) == ((), (0, 0), [])

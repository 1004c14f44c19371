"""Cutting with a guarantee: exact expectations by enumeration, slow twins, and a shift under which nothing holds."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.stopping.cutting import cut
from cranfield.stopping.guarantee import (
    emptied,
    hold,
    lengths_at,
    shares_lost,
    still_to_come,
    thresholds,
    thresholds_of_levels,
    topics_needed,
)
from cranfield.stopping.optimal import values_by_length
from cranfield.stopping.rules import RULES, ScoredLists

LEVELS = (0.15, 0.2, 0.25, 0.35, 0.5, 0.8)


def drawn(seed: int, topics: int, depth: int = 6, *, steps: bool = False) -> tuple[ScoredLists, Floats]:
    """Lists of different lengths with ties and negative scores, and what prefixes are worth: growing, or anyhow."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, depth + 1, topics)
    score = np.full((topics, depth), np.nan)
    values = rng.integers(-2, 4, (topics, depth + 1)).astype(float)
    if steps:
        values = np.cumsum(rng.integers(0, 2, (topics, depth + 1)), axis=1).astype(float)
        values -= values[:, :1]
    for row, worth, n in zip(score, values, lengths, strict=True):
        row[:n] = np.sort(rng.integers(-4, 5, n))[::-1]
        worth[n:] = worth[n]
    deepest = lengths.max()
    return ScoredLists(tuple(map(str, range(topics))), score[:, :deepest]), values[:, : deepest + 1]


def slow_loss(values: Floats, length: int) -> float:
    """What one list loses that ends there, by the definition."""
    whole, value = values[-1], values[length]
    if whole > 0:
        return float(min(1.0, max(0.0, 1 - value / whole)))
    return float(value < whole)


def slow_threshold(rule: str, lists: ScoredLists, values: Floats, mine: list[int], level: float) -> float:
    """Try every threshold from the one that keeps least, and take the first by the bound."""
    signal = RULES[rule].signal(lists)
    tried = [math.inf, *sorted({float(s) for s in signal[mine].ravel() if not math.isnan(s)}, reverse=True)]
    n = len(mine)
    for threshold in tried:
        length = RULES[rule].lengths(lists, threshold)
        largest = [max(slow_loss(values[t], k) for k in range(length[t], values.shape[1])) for t in mine]
        if n / (n + 1) * math.fsum(largest) / n + 1 / (n + 1) <= level + 1e-9:
            return threshold
    return -math.inf


def test_what_is_lost_by_hand() -> None:
    values = np.array([
        [0.0, 1.0, 1.0, 4.0],  # recall-like
        [0.0, 3.0, 5.0, 2.0],  # the whole list is not the best
        [0.0, -3.0, 1.0, 2.0],  # worse than nothing counts 1
        [0.0, -1.0, -3.0, -2.0],  # nothing to lose, unless the end is worse still
        [0.0, 0.0, 0.0, 0.0],
    ])  # fmt: skip
    assert shares_lost(values).tolist() == [
        [1, 3 / 4, 3 / 4, 0],
        [1, 0, 0, 0],
        [1, 1, 1 / 2, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 0],
    ]
    assert still_to_come(shares_lost(values))[3].tolist() == [1, 1, 1, 0]
    assert emptied(values)[:, 0].tolist() == [1, 1, 1, 0, 0]


def test_three_topics_by_hand() -> None:
    # Relevant documents at ranks 1, 2, 3 of lists of 3. At depth 1 the topics lose 0, 1, 1; at 2 0, 0, 1.
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    run = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in "1234"}
    expected = {0.3: 3, 0.49: 3, 0.5: 2, 0.74: 2, 0.75: 1, 0.99: 1}  # (sum + 1) / 4 is 1/4, 2/4, 3/4, and 1 if empty
    for level, depth in expected.items():
        left = cut({"r": run}, lose_at_most=level, rule="depth", qrels=qrels)
        assert left.how == {"r": f"depth {depth}"}
        assert left["r"].height == 4 * depth  # topic 4, which nobody judged, is cut as well
        assert f"loses at most {level:g} of the whole list's R" in left.promise
        assert left.rules["r"].details == f"loses {(3 - depth) / 3:.4f} on the 3 judged topics it was learned on"


@each_of("rule", RULES)
@each_of("seed", range(4))
def test_the_threshold_by_trying_all(rule: str, seed: int) -> None:
    lists, values = drawn(seed, 9, steps=seed % 2 == 0)
    least, falling = RULES[rule].least(lists), still_to_come(shares_lost(values))
    mine = np.random.default_rng(seed).random((5, 9)) < 0.7
    mine[:, :2] = True
    for level in LEVELS:
        found = thresholds(least, falling, mine, level)
        slow = [slow_threshold(rule, lists, values, np.flatnonzero(row).tolist(), level) for row in mine]
        lengths = lengths_at(least, found)
        for row, fast, plain in zip(mine, lengths, slow, strict=True):
            # Of the topics it was learned on the same is kept; the fast one skips thresholds that change no loss.
            wanted = RULES[rule].lengths(lists, plain)
            lost = falling[np.arange(9), fast][row]
            assert lost.tolist() == falling[np.arange(9), wanted][row].tolist()
            assert (fast[row] <= wanted[row]).all() or plain == -math.inf


@each_of("seed", range(3))
def test_thresholds_of_several_levels_are_those_of_each(seed: int) -> None:
    lists, values = drawn(seed, 9)
    least, falling = RULES["depth"].least(lists), still_to_come(shares_lost(values))
    mine = np.random.default_rng(seed).random((5, 9)) < 0.7
    levels = [(level, sure) for level in LEVELS for sure in (True, False)]
    alone = [thresholds(least, falling, mine, level, guaranteed=sure).tolist() for level, sure in levels]
    assert thresholds_of_levels(least, falling, mine, levels).tolist() == alone


@each_of("seed", range(8))
def test_lengths_at_many_thresholds_are_those_at_each(seed: int) -> None:
    lists, _ = drawn(seed, 7)
    tried = np.array([-math.inf, -4, -1.5, 0, 0.3, 1, 2, math.inf])
    for rule in RULES.values():
        expected = [rule.lengths(lists, threshold).tolist() for threshold in tried]
        assert lengths_at(rule.least(lists), tried).tolist() == expected


# The guarantee, exactly


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), topics=st.integers(5, 12), level=st.sampled_from(LEVELS), steps=st.booleans())
def test_whoever_is_left_out_loses_no_more_than_the_level_on_average(
    rule: str, seed: int, topics: int, level: float, steps: bool
) -> None:
    """Each topic in turn is the next one: the mean over them is the expected loss under exchangeability, exactly."""
    lists, values = drawn(seed, topics, steps=steps)
    least, everyone = RULES[rule].least(lists), np.arange(topics)
    lost = shares_lost(values)
    for loss in (lost, emptied(values)):
        without = thresholds(least, still_to_come(loss), ~np.eye(topics, dtype=bool), level)
        lengths = lengths_at(least, without)[everyone, everyone]
        assert loss[everyone, lengths].mean() <= level + 1e-12


@each_of("level", [0.2, 0.3, 0.4, 0.6])
def test_depths_of_a_known_distribution_are_expected_to_lose_what_theory_says(level: float) -> None:
    # A topic needs depth 1, 2, 3 or 4 with the chances below, and loses all if it is cut above. Every five topics are
    # tried with their probability, and every next one after them: the expected loss is exact.
    chance = [Fraction(4, 10), Fraction(3, 10), Fraction(2, 10), Fraction(1, 10)]
    least = -np.tile(np.arange(1.0, 5.0), (5, 1))
    by_need = np.array([[1.0] * (k + 1) + [0.0] * (4 - k) for k in range(4)])  # by length 0..4
    risk = {True: Fraction(0), False: Fraction(0)}
    expected = risk.copy()
    for needs in itertools.combinations_with_replacement(range(4), 5):
        orders = Fraction(math.factorial(5), math.prod(math.factorial(needs.count(k)) for k in range(4)))
        weight = orders * math.prod(chance[k] for k in needs)
        for sure in risk:
            depth = -thresholds(least, by_need[list(needs)], np.ones((1, 5), bool), level, guaranteed=sure).item()
            risk[sure] += weight * sum(chance[int(depth) :])
            # So many of five may lose all, and the depth is what the next of them needs.
            several = math.floor(6 * level - 1 + 1e-9) if sure else math.floor(5 * level + 1e-9)
            expected[sure] += weight * sum(chance[sorted(needs, reverse=True)[several] + 1 :])
    assert risk == expected
    assert risk[True] <= level


@each_of("level", [0.2, 0.3, 0.4, 0.6])
def test_the_plain_threshold_goes_over_the_level_and_the_guarantee_up_to_it(level: float) -> None:
    # Six topics need depths of 1 to 6; five of them learn, and the sixth is next. Where so many may lose all, it does
    # if it needs as much as any of the deepest: a share of (so many + 1) / 6.
    least = -np.tile(np.arange(1.0, 7.0), (6, 1))
    lost = (np.arange(7) <= np.arange(6)[:, np.newaxis]).astype(float)
    found = {}
    for sure in (True, False):
        lengths = lengths_at(least, thresholds(least, lost, ~np.eye(6, dtype=bool), level, guaranteed=sure))
        found[sure] = lost[np.arange(6), np.diag(lengths)].mean()
    assert found[True] == pytest.approx(math.floor(6 * level + 1e-9) / 6)  # the most sixths that are within the level
    assert found[False] == pytest.approx((math.floor(5 * level + 1e-9) + 1) / 6)
    assert found[True] <= level + 1e-12 < found[False]


def test_the_chosen_rule_holds_too_for_its_topics_did_not_choose_it() -> None:
    """Of nine topics eight are judged: the mean over who is left out, and over halves, is below the level."""
    lists, values = drawn(5, 9, steps=True)
    lost, level = shares_lost(values), 0.3
    means = []
    for seed in range(25):
        for out in range(9):
            rest = [t for t in range(9) if t != out]
            learned = ScoredLists(tuple(lists.topics[t] for t in rest), lists.score[rest])
            found = hold("best", learned, values[rest], level, seed=seed)
            means.append(lost[out, found.rule.lengths(lists, found.threshold)[out]])
            assert (found.topics, found.choosing) == (4, 4)
    assert np.mean(means) <= level + 3 * np.std(means) / math.sqrt(len(means))


def test_a_shift_breaks_it() -> None:
    # Twenty easy topics need one document, and the next one needs three: nothing was promised of it.
    easy = {str(t): {"a": 1} for t in range(20)}
    hard = {f"hard {t}": {"c": 1} for t in range(5)}
    run = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in (easy | hard)}
    left = cut({"r": run}, lose_at_most=0.1, rule="depth", qrels=easy)
    assert left.how == {"r": "depth 1"}
    assert cf.evaluate(hard, left, "R").averages.item() == 0  # all is lost, ten times the level
    mixed = cut({"r": run}, lose_at_most=0.1, rule="depth", qrels=easy | hard)  # exchangeable with both
    assert mixed.how == {"r": "depth 3"}


# Topics, levels and measures


def test_too_few_topics_say_how_many_are_needed() -> None:
    qrels = {str(t): {"a": 1} for t in range(4)}
    run = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    with pytest.raises(InputError, match=r"r: a loss of at most 0.1 needs 9 judged topics .*, not 4$"):
        cut({"r": run}, lose_at_most=0.1, rule="depth", qrels=qrels)
    assert cut({"r": run}, lose_at_most=0.2, rule="depth", qrels=qrels).how == {"r": "depth 1"}
    with pytest.raises(InputError, match=r"needs 4 .*, not 2 \(the other 2 of 4 chose the rule; name one to use"):
        cut({"r": run}, lose_at_most=0.2, qrels=qrels)
    with pytest.raises(InputError, match=r"at most 0\.1 needs 9 "):  # the harder of the two
        cut({"r": run}, lose_at_most=0.2, empty_at_most=0.1, rule="score", qrels=qrels)


@each_of("level", [0.5, 1 / 3, 0.3, 0.2, 0.1, 0.07, 0.05, 0.01, 0.9])
def test_topics_needed_by_counting(level: float) -> None:
    n = next(n for n in itertools.count(1) if Fraction(1, n + 1) <= Fraction(level).limit_denominator(1000))
    assert topics_needed(level) == n


def test_topics_without_anything_lose_nothing_and_are_counted() -> None:
    qrels = {str(t): {"a": 1} for t in range(6)} | {"none": {"x": 0}, "missed": {"z": 1}}
    run = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    [fixed] = cut({"r": run}, lose_at_most=0.3, rule="depth", qrels=qrels).rules.values()
    assert fixed.details == "loses 0.0000 on the 8 judged topics it was learned on, 2 of them with nothing to lose"
    absent = {topic: lists for topic, lists in run.items() if topic != "0"} | {"1": {}}
    [fixed] = cut({"r": absent}, lose_at_most=0.3, rule="depth", qrels=qrels).rules.values()
    assert "the 6 judged topics" in fixed.details  # no documents, no end to find
    nothing = cut({"r": run}, lose_at_most=0.3, rule="score", qrels={topic: {"x": 1} for topic in qrels})
    assert nothing.how == {"r": "score: nothing"}
    assert len(nothing.sources[0].empty_topics) == 8


def test_an_empty_list_has_a_risk_of_its_own() -> None:
    # Nine topics with one relevant document at the top, of scores 9, 8, ... 1. One of ten may be lost at 0.2, and the
    # topic with score 1 is empty then; at 0.1 none may be empty.
    qrels = {str(t): {"a": 1} for t in range(1, 10)}
    run = {topic: {"a": float(topic), "b": -1.0} for topic in qrels}
    freely = cut({"r": run}, lose_at_most=0.2, rule="score", qrels=qrels)
    assert freely.how == {"r": "score 2"}
    assert freely.sources[0].empty_topics == ("1",)
    held = cut({"r": run}, lose_at_most=0.2, empty_at_most=0.1, rule="score", qrels=qrels)
    assert held.how == {"r": "score 1"}
    assert "is empty, though the whole list has something, at most 0.1 of the time" in held.promise


def test_a_rule_that_was_learned_is_applied_elsewhere() -> None:
    rng = np.random.default_rng(3)
    documents = [f"d{i}" for i in range(30)]
    qrels = {str(t): dict.fromkeys(rng.choice(documents, 6, replace=False).tolist(), 1) for t in range(12)}
    run = {topic: dict(zip(documents, rng.normal(size=30).tolist(), strict=True)) for topic in qrels}
    for rule in RULES:
        learned = cut({"r": run}, lose_at_most=0.4, rule=rule, qrels=qrels)  # type: ignore[arg-type]
        name, threshold = learned.how["r"].split()
        again = cut({"r": run}, rule=name, threshold=float(threshold))  # type: ignore[arg-type]
        assert again["r"].equals(learned["r"])
        assert 0 < again["r"].height < 360
    with pytest.raises(InputError, match="threshold needs its rule: depth, score, share, top, drop"):
        cut({"r": run}, threshold=2.0)


@each_of("measure", ["R", "nDCG", "AP", "RBP(p=0.8)", "P@5", "ERR", "RR", "Success@3"])
def test_measures_that_only_grow_need_no_largest_loss(measure: str) -> None:
    qrels, run = _graded()
    [asked] = cf.parse_measures(measure)
    lost = shares_lost(values_by_length(asked, cf.join(qrels, {"r": run}).batches[0]))
    assert (lost == still_to_come(lost)).all()
    assert lost.any()


@each_of("measure", ["SetF", "SetP", "RBPU(p=0.9)", "OIE(docs=50)", "FlatUtility(e=0.25)", "NDCGT"])
def test_others_are_held_by_the_largest_loss_to_come(measure: str) -> None:
    qrels, run = _graded()
    [asked] = cf.parse_measures(measure)
    lost = shares_lost(values_by_length(asked, cf.join(qrels, {"r": run}).batches[0]))
    assert (lost < still_to_come(lost)).any()
    left = cut({"r": run}, lose_at_most=0.3, rule="depth", measure=measure, qrels=qrels)
    depth = int(left.how["r"].removeprefix("depth "))
    n = len(lost)
    assert (still_to_come(lost)[:, depth].sum() + 1) / (n + 1) <= 0.3
    assert (still_to_come(lost)[:, depth - 1].sum() + 1) / (n + 1) > 0.3


def _graded() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = np.random.default_rng(11)
    documents = [f"d{i}" for i in range(12)]
    qrels = {str(t): dict(zip(documents, rng.choice([0, 0, 1, 2], 12).tolist(), strict=True)) for t in range(10)}
    return qrels, {t: dict(zip(documents, rng.normal(size=12).tolist(), strict=True)) for t in qrels}


def test_what_cannot_be_held_is_refused() -> None:
    qrels, run = _graded()
    with pytest.raises(InputError, match=r"RBPResidual.* is better the lower it is, so a list cannot lose a share"):
        cut({"r": run}, lose_at_most=0.3, measure="RBPResidual", qrels=qrels)
    with pytest.raises(InputError, match="lose_at_most must be"):
        cut({"r": run}, lose_at_most=1.0, qrels=qrels)
    with pytest.raises(InputError, match="lose_at_most needs qrels"):
        cut({"r": run}, lose_at_most=0.3)
    with pytest.raises(InputError, match="empty_at_most goes with lose_at_most"):
        cut({"r": run}, at=3, empty_at_most=0.3)
    with pytest.raises(InputError, match="rule goes with learned or lose_at_most or threshold, not with at"):
        cut({"r": run}, at=3, rule="score")
    with pytest.raises(InputError, match="folds goes with learned, not with lose_at_most"):
        cut({"r": run}, lose_at_most=0.3, folds=4, qrels=qrels)
    with pytest.raises(InputError, match="threshold must be"):
        cut({"r": run}, rule="share", threshold=math.nan)

"""Lists that lose no more than so much by ending early, with a guarantee: conformal risk control.

Of each judged topic it is known what its list loses wherever it ends. As a rule's threshold falls, lists grow, and
the mean loss of n topics falls with it. The threshold at which that mean is just the level would be too high for
the next topic as often as not; the one at which

    (n / (n + 1)) · mean loss + 1 / (n + 1) ≤ level

holds is not: it would do, even if the next topic lost all it has. Where judged topics and the next one are
exchangeable, its expected loss is at most the level, for every n and whatever the scores are worth.

The proof asks for losses that fall as lists grow. Recall, nDCG, AP and RBP are such; precision, F and utilities are
not, and a list that they find long enough may lose again by going on. Therefore each loss is replaced by the largest
that is still to come as the list grows, which is no smaller, falls, and is the same where losses fall already.

Paper: Angelopoulos, Bates, Fisch, Lei and Schuster (2024), "Conformal risk control", ICLR: Theorem 1, and section 2.3
on losses that are not monotone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import counted
from cranfield.scoring.orientation import direction
from cranfield.statistics.on_paper import EQUAL
from cranfield.stopping.rules import ALL_RULES, FixedRule, Rule, ScoredLists, rules_for

TABLE_CELLS: Final = 250_000
"""Size of the tables that are worked on at a time: 2 MB, for which a processor has room at hand."""


def check_can_be_lost(measure: Measure) -> None:
    """Refuse a measure that is better the lower it is: a share of it is nothing to lose."""
    if direction(measure) < 0:
        raise InputError(f"{measure} is better the lower it is, so a list cannot lose a share of it")


def shares_lost(values: Floats) -> Floats:
    """Which share of what the whole list has is lost where it ends earlier? values: (topics, depth + 1)."""
    whole = values[:, -1:]
    has = whole > EQUAL
    lost = np.where(has, 1 - values / np.where(has, whole, 1.0), values < whole - EQUAL)
    return np.where(lost > EQUAL, np.minimum(lost, 1.0), 0.0)


def emptied(values: Floats) -> Floats:
    """Is the list empty though the whole list is worth something? An array of the same shape, of 1 and 0.

    >>> emptied(np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]))
    array([[1., 0., 0.],
           [0., 0., 0.]])
    """
    wrongly = np.zeros_like(values)
    wrongly[:, 0] = (values[:, -1] > EQUAL) & (values.shape[1] > 1)
    return wrongly


def still_to_come(lost: Floats) -> Floats:
    """Give the largest loss from each length on: what falls already stays as it is.

    >>> still_to_come(np.array([[1.0, 0.2, 0.5, 0.0]]))
    array([[1. , 0.5, 0.5, 0. ]])
    """
    return np.maximum.accumulate(lost[:, ::-1], axis=1)[:, ::-1]


def topics_needed(level: float) -> int:
    """On how many judged topics can a loss of at most this be guaranteed? The least n with 1 / (n + 1) ≤ level.

    >>> [topics_needed(level) for level in (0.5, 0.3, 0.2, 0.1, 0.05)]
    [1, 3, 4, 9, 19]
    """
    return max(1, math.ceil(1 / level - 1 - EQUAL))


def thresholds(least: Floats, lost: Floats, counted: Booleans, level: float, *, guaranteed: bool = True) -> Floats:
    """Which threshold keeps least and holds the level, learned on these topics, or on those?

    Shapes: least (topics, depth); lost (topics, depth + 1); counted (splits, topics).
    """
    return np.asarray(thresholds_of_levels(least, lost, counted, [(level, guaranteed)])[0])


def thresholds_of_levels(
    least: Floats, lost: Floats, counted: Booleans, levels: Sequence[tuple[float, bool]]
) -> Floats:
    """Return `thresholds` of several levels, each guaranteed or not: array of shape (levels, splits)."""
    fall = -np.diff(lost, axis=1)
    topic, place = np.nonzero(fall)
    order = np.argsort(-least[topic, place], kind="stable")
    topic, fall, signal = topic[order], fall[topic, place][order], least[topic, place][order]
    last = np.append(signal[1:] != signal[:-1], True)[: len(signal)]  # documents of one signal come all together
    steps = np.concatenate([[np.inf], signal[last], [-np.inf]])
    found = np.empty((len(levels), len(counted)))
    rows = max(1, TABLE_CELLS // max(1, len(fall)))
    for first in range(0, len(counted), rows):
        these = counted[first : first + rows]
        n = these.sum(axis=1, keepdims=True)
        at_first = these @ lost[:, :1]
        left = at_first - np.cumsum(these[:, topic] * fall, axis=1)[:, last]
        left = np.concatenate([at_first, left, np.full_like(at_first, -np.inf)], axis=1)
        for number, (level, guaranteed) in enumerate(levels):
            allowed = level * (n + 1) - 1 if guaranteed else level * n
            found[number, first : first + rows] = steps[(left <= allowed + EQUAL).argmax(axis=1)]
    return found


def lengths_at(least: Floats, threshold: Floats) -> Integers:
    """How long does each list become by each threshold? Array of shape (thresholds, topics).

    As `Rule.lengths`, for many thresholds at once: a place in the order of all signals is looked up in the sorted
    places of each list, one list after the other.

    >>> lengths_at(np.array([[3.0, 1.0, np.nan], [2.0, 2.0, 0.0]]), np.array([2.0, 0.5, np.inf]))
    array([[1, 2],
           [2, 2],
           [0, 0]])
    """
    kept = ~np.isnan(least)
    size = kept.sum(axis=1)
    known = np.unique(-least[kept])
    stride = np.arange(len(least)) * (len(known) + 1)
    places = np.searchsorted(known, -least[kept]) + np.repeat(stride, size)
    reached = np.searchsorted(known, -threshold, side="right")  # so many of the signals there are
    return np.asarray(np.searchsorted(places, reached[:, np.newaxis] + stride) - (np.cumsum(size) - size))


@dataclass(frozen=True)
class Guaranteed(FixedRule):
    """A rule with the threshold that holds a loss on the next topic."""

    level: float  # the expected loss that it holds
    topics: int  # on how many judged topics the threshold was learned
    lost: float  # their mean loss
    without: int  # how many of them have nothing to lose, since their whole list is worth nothing; they count 0
    choosing: int  # on how many others the rule was chosen; 0 where it was given

    @property
    def details(self) -> str:
        """On what it was learned, and what it loses there."""
        without = f", {self.without} of them with nothing to lose" if self.without else ""
        chosen = f", the rule chosen on {self.choosing} others" if self.choosing else ""
        return f"loses {self.lost:.4f} on the {counted(self.topics, 'judged topic')} it was learned on{without}{chosen}"


def promise(measure: object, level: float, empty_level: float | None = None) -> str:
    """Say what is guaranteed, of whom, and what is not.

    >>> print(promise("R", 0.2))
    a cut list loses at most 0.2 of the whole list's R, on average over topics exchangeable with the judged ones; a
    single topic may lose more, and nothing is promised for other kinds of topics
    """
    empty = (
        f" and is empty, though the whole list has something, at most {empty_level:g} of the time"
        if empty_level
        else ""
    )
    return (
        f"a cut list loses at most {level:g} of the whole list's {measure}{empty}, on average over topics exchangeable "
        "with the judged ones; a single topic may lose more, and nothing is promised for other kinds of topics"
    )


def hold(
    rule: str, lists: ScoredLists, values: Floats, level: float, *, empty_level: float | None = None, seed: int = 7
) -> Guaranteed:
    """Find the rule and the threshold that keep least and hold these levels; refuse topics that are too few for them.

    ``best`` is the rule that keeps the fewest documents on one half of the topics, chosen at random; its threshold is
    learned on the others, so that the guarantee is the same. ``level`` is the share of what the whole list has that may
    be lost, ``empty_level`` how often a list may be empty though the whole list has something (by default, as often as
    the level allows), both in expectation.

    Shapes: values (topics, depth + 1), what each prefix is worth, more being better.

    >>> lists = ScoredLists(tuple("1234"), np.array([[9.0, 5.0], [8.0, 2.0], [7.0, 6.0], [5.0, 1.0]]))
    >>> worth = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    >>> found = hold("score", lists, worth, level=0.4)  # one topic of four may lose all that it has
    >>> print(found, found.details, sep=": ")
    score 6: loses 0.2500 on the 4 judged topics it was learned on
    """
    levels = [(still_to_come(shares_lost(values)), level)]
    levels += [] if empty_level is None else [(emptied(values), empty_level)]
    topics = len(values)
    mine = np.ones(topics, bool)
    if rule == "best":
        mine[np.random.default_rng(seed).permutation(topics)[: topics // 2]] = False
        rule = _shortest(lists, levels, ~mine)
    needed, n = topics_needed(min(level for _, level in levels)), int(mine.sum())
    if n < needed:
        others = f" (the other {topics - n} of {topics} chose the rule; name one to use them all)" if n < topics else ""
        raise InputError(
            f"a loss of at most {min(level for _, level in levels):g} needs {counted(needed, 'judged topic')} on which "
            f"the run has documents, not {n}{others}"
        )
    chosen = ALL_RULES[rule]
    threshold = _threshold(chosen, lists, levels, mine, guaranteed=True)
    lost = shares_lost(values)[np.arange(topics), chosen.lengths(lists, threshold)][mine].mean()
    return Guaranteed(chosen, threshold, level, n, float(lost), int((values[mine, -1] <= EQUAL).sum()), topics - n)


def _threshold(
    rule: Rule, lists: ScoredLists, levels: list[tuple[Floats, float]], mine: Booleans, *, guaranteed: bool
) -> float:
    """Find the largest threshold that holds all levels: each holds at any smaller one, too."""
    least = rule.least(lists)
    return float(min(thresholds(least, lost, mine[None], at, guaranteed=guaranteed).item() for lost, at in levels))


def _shortest(lists: ScoredLists, levels: list[tuple[Floats, float]], mine: Booleans) -> str:
    """Name the rule that keeps the fewest documents of these topics while it holds the levels on them."""
    kept = {
        rule.name: rule.lengths(lists, _threshold(rule, lists, levels, mine, guaranteed=False))[mine].sum()
        for rule in rules_for(lists)
    }
    return min(kept, key=lambda name: kept[name])

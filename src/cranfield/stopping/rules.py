"""Rules that end a list by its scores alone, learned from topics whose documents are judged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from cranfield.arrays import Booleans, Floats, Integers
from cranfield.errors import InputError
from cranfield.stopping.optimal import ROUNDING
from cranfield.tables import QUERY, SCORE


@dataclass(frozen=True)
class ScoredLists:
    """The scores of a run by topic and rank.

    Attributes
    ----------
    topics
        Ids of the topics.
    score
        Array of shape (topics, depth), falling; NaN beyond the end of a list.
    """

    topics: tuple[str, ...]
    score: Floats

    @classmethod
    def of(cls, ranked: pl.DataFrame) -> ScoredLists:
        """Take the scores of a ranked table (see `ranked_table`).

        >>> table = pl.DataFrame({"query_id": ["1", "1", "2"], "score": [3.0, 1.0, 2.0]})
        >>> ScoredLists.of(table).score
        array([[ 3.,  1.],
               [ 2., nan]])
        """
        stretches = ranked[QUERY].rle().struct.unnest()
        length = stretches["len"].to_numpy().astype(np.int64)
        row = np.repeat(np.arange(len(length)), length)
        score = np.full((len(length), int(length.max(initial=0))), np.nan)
        score[row, np.arange(len(row)) - (np.cumsum(length) - length)[row]] = ranked[SCORE].to_numpy()
        return cls(tuple(stretches["value"].to_list()), score)

    @property
    def length(self) -> Integers:
        """By topic, how many documents were retrieved."""
        length: Integers = (~np.isnan(self.score)).sum(axis=1)
        return length

    def only(self, rows: Integers) -> ScoredLists:
        """Return the lists of some topics, and no more ranks than the longest of them has."""
        depth = int(self.length[rows].max(initial=0))
        return ScoredLists(tuple(self.topics[row] for row in rows), self.score[rows, :depth])


class Rule(ABC):
    """A way to end a list that has one number to learn."""

    name: ClassVar[str]
    meaning: ClassVar[str]
    sign: ClassVar[float] = 1.0
    """-1 where the signal is the negative of what the rule speaks of."""

    @abstractmethod
    def signal(self, lists: ScoredLists) -> Floats:
        """Give what each rank is judged by: shape (topics, depth); the list goes on while it reaches the threshold."""

    def least(self, lists: ScoredLists) -> Floats:
        """Give the least signal down to each rank, which decides whether a list gets there; -inf beyond its end."""
        signal = self.signal(lists)
        return np.minimum.accumulate(np.where(np.isnan(signal), -np.inf, signal), axis=1)

    def lengths(self, lists: ScoredLists, threshold: float) -> Integers:
        """How long does each list become by a threshold? One number for each topic."""
        length: Integers = (self.least(lists) >= threshold).sum(axis=1)
        return length


class Depth(Rule):
    """The same number of documents for every topic.

    >>> lists = ScoredLists(("1", "2"), np.array([[3.0, 1.0, 0.0], [2.0, np.nan, np.nan]]))
    >>> Depth().lengths(lists, -2.0).tolist()  # two documents, where there are as many
    [2, 1]
    """

    name = "depth"
    meaning = "the first k documents"
    sign = -1.0

    def signal(self, lists: ScoredLists) -> Floats:
        """The rank, negative, so that smaller ranks reach the threshold."""
        depth = lists.score.shape[1]
        return np.where(np.isnan(lists.score), np.nan, -np.arange(1.0, depth + 1))


class Score(Rule):
    """Documents whose score reaches a threshold, the same for every topic.

    >>> Score().lengths(ScoredLists(("1",), np.array([[3.0, 1.0, 0.5]])), 1.0).tolist()
    [2]
    """

    name = "score"
    meaning = "scores of at least s"

    def signal(self, lists: ScoredLists) -> Floats:
        """The score."""
        return lists.score


class Share(Rule):
    """Documents whose score reaches a share of the way from the list's last score to its first.

    >>> Share().lengths(ScoredLists(("1",), np.array([[9.0, 7.0, 1.0]])), 0.5).tolist()
    [2]
    """

    name = "share"
    meaning = "scores of at least last + s · (first - last) of the topic's list"

    def signal(self, lists: ScoredLists) -> Floats:
        """The score between the last (0) and the first (1) of the list; 1 where all are equal."""
        last, spread = _last_and_spread(lists)
        return np.where(spread > 0, (lists.score - last) / np.where(spread > 0, spread, 1.0), 1.0 + 0 * lists.score)


class Drop(Rule):
    """All documents before the first steep drop of the score, relative to the whole drop of the list.

    >>> Drop().lengths(ScoredLists(("1",), np.array([[9.0, 8.0, 2.0, 1.0]])), -0.5).tolist()  # 8 to 2
    [2]
    """

    name = "drop"
    meaning = "until the score falls by more than s · (first - last) from one document to the next"
    sign = -1.0

    def signal(self, lists: ScoredLists) -> Floats:
        """The drop that leads to each rank, negative; nothing leads to the first."""
        _, spread = _last_and_spread(lists)
        drop = np.diff(lists.score, axis=1, prepend=lists.score[:, :1])
        return np.where(spread > 0, drop / np.where(spread > 0, spread, 1.0), 0 * lists.score)


def _last_and_spread(lists: ScoredLists) -> tuple[Floats, Floats]:
    """Last score of each list, and how far the first is above it: columns."""
    first = np.fmax.reduce(lists.score, axis=1, initial=-np.inf)[:, np.newaxis]
    last = np.fmin.reduce(lists.score, axis=1, initial=np.inf)[:, np.newaxis]
    return last, first - last


RULES: dict[str, Rule] = {rule.name: rule for rule in (Depth(), Score(), Share(), Drop())}
"""The rules by name."""


@dataclass(frozen=True)
class Learned:
    """A rule with the threshold that was learned for it.

    Attributes
    ----------
    rule, threshold
        What ends a list.
    value
        Mean value on topics that the threshold was not chosen on.
    full, oracle
        Mean value of the whole lists, and of those that end at the best place.
    """

    rule: Rule
    threshold: float
    value: float
    full: float
    oracle: float

    @property
    def regret(self) -> float:
        """How much better the best place would have been."""
        return self.oracle - self.value

    def lengths(self, lists: ScoredLists) -> Integers:
        """How long does each list become?"""
        return self.rule.lengths(lists, self.threshold)

    @property
    def shown(self) -> float:
        """The threshold as its rule is put in words: a depth and a drop are positive."""
        return self.threshold * self.rule.sign

    def __str__(self) -> str:
        return f"{self.rule.name} {self.shown:.6g}"


def folds_of(topics: int, folds: int, seed: int) -> Integers:
    """Deal topics out to folds at random, as evenly as can be.

    >>> np.bincount(folds_of(10, 4, seed=7)).tolist()
    [3, 3, 2, 2]
    """
    if not 2 <= folds <= topics:
        raise InputError(f"{topics} topics can be cut into 2 to {topics} folds, not {folds}")
    dealt: Integers = np.random.default_rng(seed).permutation(np.arange(topics) % folds)
    return dealt


def learn(rule: Rule, lists: ScoredLists, values: Floats, fold: Integers) -> Learned:
    """Which threshold ends the lists best, and how well does one do on topics that it was not chosen on?

    Parameters
    ----------
    rule
        The rule.
    lists
        The scores of a run on the judged topics.
    values
        Array of shape (topics, depth + 1): what each prefix is worth (see `values_by_length`).
    fold
        For each topic its fold: the threshold that it is judged by was chosen on the other folds.

    Returns
    -------
    Learned : the threshold chosen on all topics; its ``value`` is that of cross-validation.

    >>> lists = ScoredLists(("1", "2"), np.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> worth = np.array([[0.0, 1.0, 0.5], [0.0, 0.8, 0.2]])  # both lists should end after one document
    >>> found = learn(RULES["depth"], lists, worth, np.array([0, 1]))
    >>> str(found), round(found.value, 4), found.regret
    ('depth 1', 0.9, 0.0)
    """
    least = rule.least(lists)
    topics = np.arange(len(fold))
    value = np.zeros(len(fold))
    for out in np.unique(fold):
        length = rule.lengths(lists, best_threshold(least, values, fold != out))
        value = np.where(fold == out, values[topics, length], value)
    return Learned(
        rule,
        best_threshold(least, values, fold >= 0),
        float(value.mean()),
        float(values[topics, lists.length].mean()),
        float(values.max(axis=1).mean()),
    )


def best_threshold(least: Floats, values: Floats, counted: Booleans) -> float:
    """Which threshold is worth most, summed over the topics that are counted?

    As the threshold falls, one list after another gets one document longer: the sum of all values changes by what that
    document adds, so that one sort and one running sum try every threshold there is.

    Parameters
    ----------
    least
        Array of shape (topics, depth): the least signal down to each rank.
    values
        Array of shape (topics, depth + 1): what each prefix is worth.
    counted
        Which topics count.

    Returns
    -------
    The threshold; infinite if it is best to return nothing. Of several, the one that keeps the least.

    >>> worth = np.array([[0.0, 1.0, 0.5], [0.0, 0.8, 0.2]])
    >>> best_threshold(np.array([[9.0, 7.0], [8.0, 3.0]]), worth, np.array([True, True]))
    8.0
    """
    signal = least[counted].ravel()
    added = np.diff(values[counted], axis=1).ravel()
    order = np.argsort(-signal, kind="stable")
    order = order[signal[order] > -np.inf]
    signal = signal[order]
    last = np.append(signal[1:] != signal[:-1], True)[: len(signal)]  # documents of one signal come all together
    total = np.append(0.0, np.cumsum(added[order])[last])
    best = int((total >= total.max() - ROUNDING * max(1.0, abs(total.max()))).argmax())
    return float(np.append(np.inf, signal[last])[best])

"""Rules that end a list by its scores alone, learned from topics whose documents are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from cranfield.judged.conditions import Reading
from cranfield.judged.list_costs import costs_of_lists
from cranfield.plumbing.arrays import Booleans, Floats, Integers, members
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, SCORE
from cranfield.stopping.optimal import first_best

FINITE = 1e300
"""Where shares of scores are asked for, an infinite score is as far off as this."""


@dataclass(frozen=True)
class ScoredLists:
    """The scores of a run by topic and rank."""

    topics: tuple[str, ...]  # ids of the topics
    score: Floats  # array of shape (topics, depth): the score at each rank; NaN beyond the end of a list
    # the same for what the documents down to each rank cost together; None where no costs are given
    spent: Floats | None = None

    @classmethod
    def of(cls, ranked: pl.DataFrame, reading: Reading | None = None, run: str = "run") -> ScoredLists:
        """Take the scores of a ranked table (see `ranked_table`), and what its documents cost, if a reading says it.

        >>> table = pl.DataFrame({"query_id": ["1", "1", "2"], "score": [3.0, 1.0, 2.0]})
        >>> ScoredLists.of(table).score
        array([[ 3.,  1.],
               [ 2., nan]])
        """
        stretches = ranked[QUERY].rle().struct.unnest()
        length = stretches["len"].to_numpy().astype(np.int64)
        topic, place = members(length)
        score = np.full((len(length), int(length.max(initial=0))), np.nan)
        score[topic, place] = ranked[SCORE].to_numpy()
        return cls(tuple(stretches["value"].to_list()), score, _spent(ranked, length, reading, run))

    @property
    def length(self) -> Integers:
        """By topic, how many documents were retrieved."""
        return np.asarray((~np.isnan(self.score)).sum(axis=1))

    def judged(self, codes: Mapping[str, int]) -> tuple[ScoredLists, list[int]]:
        """Return the lists of the topics that have a code, no deeper than the longest of them, and their codes.

        >>> lists, codes = ScoredLists(("2", "9"), np.array([[3.0, np.nan], [2.0, 1.0]])).judged({"1": 0, "2": 1})
        >>> lists.topics, lists.score.tolist(), codes
        (('2',), [[3.0]], [1])
        """
        rows = [row for row, topic in enumerate(self.topics) if topic in codes]
        topics = tuple(self.topics[row] for row in rows)
        depth = int(self.length[rows].max(initial=0))
        spent = None if self.spent is None else self.spent[rows, :depth]
        return ScoredLists(topics, self.score[rows, :depth], spent), [codes[topic] for topic in topics]


def _spent(ranked: pl.DataFrame, length: Integers, reading: Reading | None, run: str) -> Floats | None:
    """Add up what the documents of each list cost, rank by rank."""
    if reading is None or reading.costs is None:
        return None
    missing, depth = reading.cost_missing, reading.deepest
    costs, _ = costs_of_lists(reading.costs, run, ranked[DOCUMENT], length, missing=missing, depth=depth)
    ranks = np.arange(1, int(length.max(initial=0)) + 1)
    return np.where(ranks <= length[:, np.newaxis], costs.until(np.minimum(ranks, length[:, np.newaxis])), np.nan)


@dataclass(frozen=True)
class Rule:
    """A way to end a list that has one number to learn: a row of `ALL_RULES`.

    >>> score, spent = np.array([[9.0, 7.0, 1.0], [-2.0, -3.0, -8.0]]), np.array([[5.0, 9.0, 17.0]] * 2)
    >>> lists = ScoredLists(("1", "2"), score, spent)
    >>> ends = {"depth": -2.0, "score": 1.0, "share": 0.5, "top": 0.5, "drop": -0.5, "budget": -10.0}
    >>> {name: ALL_RULES[name].lengths(lists, threshold).tolist() for name, threshold in ends.items()}
    {'depth': [2, 2], 'score': [3, 0], 'share': [2, 2], 'top': [2, 2], 'drop': [2, 2], 'budget': [2, 2]}
    """

    name: str
    meaning: str  # with s, or k, for the number
    # what each rank is judged by, NaN beyond the end: the list goes on while it reaches the threshold
    signal: Callable[[ScoredLists], Floats] = field(repr=False)
    sign: float = 1.0  # -1 where the signal is the negative of what the rule speaks of
    by_cost: bool = False  # whether it looks at what documents cost

    def least(self, lists: ScoredLists) -> Floats:
        """Give the least signal down to each rank, which decides whether a list gets there; NaN beyond its end."""
        return np.minimum.accumulate(self.signal(lists), axis=1)

    def lengths(self, lists: ScoredLists, threshold: float) -> Integers:
        """How long does each list become by a threshold? One number for each topic."""
        return np.asarray((self.least(lists) >= threshold).sum(axis=1))  # NaN reaches nothing


def _rank(lists: ScoredLists) -> Floats:
    """The rank, negative, so that smaller ranks reach the threshold."""
    return np.where(np.isnan(lists.score), np.nan, -np.arange(1.0, lists.score.shape[1] + 1))


def _share(lists: ScoredLists) -> Floats:
    """The score between the lowest (0) and the highest (1) of the list; 1 where all are equal."""
    score = scaled_by_list(lists)
    highest = np.fmax.reduce(score, axis=1, initial=-np.inf)[:, np.newaxis]
    return np.asarray(score + (highest == 0))


def _of_highest(lists: ScoredLists) -> Floats:
    """The score by the highest of the list, whatever the lowest is and however long the list.

    Where none is above 0 it is the highest by the score, so that negative scores shrink in their size: of a highest
    score of -2, a half is -4.
    """
    score = np.clip(lists.score, -FINITE, FINITE)
    highest = np.broadcast_to(np.fmax.reduce(score, axis=1, initial=-FINITE)[:, np.newaxis], score.shape)
    over, under = np.where(highest > 0, (score, highest), (highest, score))
    with np.errstate(over="ignore"):  # beyond all shares is as far as that
        shares: Floats = np.divide(over, under, out=np.where(np.isnan(score), np.nan, 1.0), where=under != 0)
    return shares


def _drop(lists: ScoredLists) -> Floats:
    """The drop that leads to each rank, negative; nothing leads to the first."""
    score = scaled_by_list(lists)
    return np.diff(score, axis=1, prepend=score[:, :1])


def _spent_so_far(lists: ScoredLists) -> Floats:
    """What the documents down to each rank cost, negative, so that cheaper lists reach the threshold."""
    if lists.spent is None:
        raise InputError("the rule budget needs the costs of documents: give costs")
    return -lists.spent


def scaled_by_list(lists: ScoredLists) -> Floats:
    """Scale the scores of each list from its lowest (0) to its highest (1); all 0 where they are equal.

    >>> scaled_by_list(ScoredLists(("1", "2"), np.array([[3.0, 2.0, -1.0], [5.0, 5.0, np.nan]])))
    array([[1.  , 0.75, 0.  ],
           [0.  , 0.  ,  nan]])
    """
    score = np.clip(lists.score, -FINITE, FINITE)
    highest = np.fmax.reduce(score, axis=1, initial=-FINITE)[:, np.newaxis]
    lowest = np.fmin.reduce(score, axis=1, initial=FINITE)[:, np.newaxis]
    spread = highest - lowest
    return np.asarray((score - lowest) / np.where(spread > 0, spread, 1.0))


_RULES: Final = (
    Rule("depth", "the first k documents", _rank, -1.0),
    Rule("score", "scores of at least s", lambda lists: lists.score),
    Rule("share", "scores of at least lowest + s · (highest - lowest) of the topic's list", _share),
    Rule("top", "scores of at least s · highest of the topic's list", _of_highest),
    Rule(
        "drop",
        "until the score falls by more than s · (highest - lowest) from one document to the next",
        _drop,
        sign=-1.0,
    ),
    Rule("budget", "documents that cost at most s together", _spent_so_far, sign=-1.0, by_cost=True),
)
ALL_RULES: Final = {rule.name: rule for rule in _RULES}
"""All rules by name."""
RULES: Final = {name: rule for name, rule in ALL_RULES.items() if not rule.by_cost}
"""Those that look at scores and ranks alone."""


def rules_for(lists: ScoredLists) -> list[Rule]:
    """Return the rules that can be learned from these lists."""
    return list((RULES if lists.spent is None else ALL_RULES).values())


@dataclass(frozen=True)
class FixedRule:
    """A rule with its threshold: what ends a list."""

    rule: Rule
    threshold: float  # what its signal has to reach: see `shown` for how people put it

    def lengths(self, lists: ScoredLists) -> Integers:
        """How long does each list become?"""
        return self.rule.lengths(lists, self.threshold)

    @property
    def shown(self) -> float | None:
        """The threshold as its rule is put in words (a depth and a drop are positive); None if nothing is kept."""
        return None if self.threshold == np.inf else self.rule.sign * self.threshold + 0.0  # not -0.0

    def __str__(self) -> str:
        """Say what the rule is, every digit of it, or that it keeps nothing.

        >>> str(FixedRule(RULES["score"], 0.1 + 0.2)), str(FixedRule(RULES["depth"], np.inf))
        ('score 0.30000000000000004', 'depth: nothing')
        """
        return f"{self.rule.name}: nothing" if self.shown is None else f"{self.rule.name} {self.digits}"

    @property
    def digits(self) -> str:
        """The threshold so exactly that the same lists come of it again; a whole number without a point."""
        return f"{self.shown!r}".removesuffix(".0")

    @property
    def details(self) -> str:
        """What else a reader should know of how it was found, if anything."""
        return ""


@dataclass(frozen=True)
class Learned(FixedRule):
    """A rule with the threshold that was learned for it."""

    value: float  # mean value on topics that the threshold was not chosen on, more being better
    # full, oracle: the same of the whole lists, and of those that end at the best place
    full: float
    oracle: float


def folds_of(topics: int, folds: int, seed: int) -> Integers:
    """Deal topics out to folds at random, as evenly as can be.

    >>> np.bincount(folds_of(10, 4, seed=7)).tolist()
    [3, 3, 2, 2]
    """
    if not 2 <= folds <= topics:
        raise InputError(f"folds must be from 2 to the number of judged topics, {topics}, not {folds}")
    return np.random.default_rng(seed).permutation(np.arange(topics) % folds)


def learn(rule: Rule, lists: ScoredLists, values: Floats, fold: Integers) -> Learned:
    """Which threshold ends lists best, and how well does one do on other topics? values: (topics, depth + 1)."""
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

    As the threshold falls, one list after another gets one document longer: the sum of all values
    changes by what that document adds, so that one sort and one running sum try every threshold
    there is.

    Shapes: least (topics, depth); values (topics, depth + 1).
    """
    signal = least[counted].ravel()
    added = np.diff(values[counted], axis=1).ravel()
    order = np.argsort(-signal, kind="stable")[: np.count_nonzero(~np.isnan(signal))]  # NaN comes last
    signal = signal[order]
    last = np.append(signal[1:] != signal[:-1], True)[: len(signal)]  # documents of one signal come all together
    total = np.append(0.0, np.cumsum(added[order])[last])
    size = float(np.abs(values[counted]).max(axis=1, initial=0.0).sum())
    return float(np.append(np.inf, signal[last])[first_best(total, size)])

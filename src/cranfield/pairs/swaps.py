"""The best single swap: which two documents of a list should change places?"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.interchange import record
from cranfield.scoring.orientation import direction
from cranfield.statistics.on_paper import side

MOST_SWAPS: Final = 20_000  # How many swaps are tried, where a measure does not say which of them could be the best
_DEEPEST: Final = 2_000  # Down to which rank they are looked for then
_AT_ONCE: Final = 2_000_000  # How many ranks are scored at once


@record
@dataclass(frozen=True)
class Swap:
    """A swap of two documents in the list of a run; ``high`` is the rank nearer to the top, None no grade."""

    run: str
    high: int
    low: int
    document_high: str
    document_low: str
    grade_high: float | None
    grade_low: float | None
    before: float
    after: float


def best_swap(rankings: JudgedRankings, measure: Measure, *, judged_only: bool = False) -> Swap | None:
    """Return the swap of two documents of a list that raises its value most; None if none does.

    Only different grades are tried. If promotion never lowers the value (`Measure.rewards_promotion`), swapping the
    first document of some grade with the last of another is best. By other measures every pair is tried, down to the
    rank at which there are more than `MOST_SWAPS`, or to `_DEEPEST`. Of ties, the one that reaches least far down.

    >>> from cranfield.measures import AP
    >>> from cranfield.judged.rankings import one_ranking
    >>> found = best_swap(one_ranking([0, None, 1]), AP())
    >>> found.high, found.low, found.after
    (1, 3, 1.0)
    """
    if not rankings.length[0] or not rankings.present[0]:
        return None
    tried = _Tried(rankings, measure, judged_only=judged_only)
    high, low = tried.pairs
    value = tried.values(np.append(high, 0), np.append(low, 0))  # a swap of the first with itself changes nothing
    gained = direction(measure) * (value[:-1] - value[-1])
    if side(gained.max(initial=0.0)) <= 0:
        return None
    best = np.flatnonzero(side(gained - gained.max()) == 0)
    pairs = [(tried.nearest(int(high[one]), int(low[one]), value[one]), int(high[one]), value[one]) for one in best]
    nearest, first, after = min(pairs)
    judgments, documents = rankings.judgments, tried.listed[[first, nearest]]
    grade_high, grade_low = (None if np.isnan(grade) else float(grade) for grade in judgments.grade[documents])
    document_high, document_low = judgments.ids(documents)
    return Swap(
        run=rankings.runs[0],
        high=first + 1,
        low=nearest + 1,
        document_high=document_high,
        document_low=document_low,
        grade_high=grade_high,
        grade_low=grade_low,
        before=float(value[-1]),
        after=float(after),
    )


def searched(rankings: JudgedRankings, measure: Measure, *, judged_only: bool = False) -> int | None:
    """Return the rank down to which `best_swap` looks at every swap; None if to the end or by promotion alone."""
    tried = _Tried(rankings, measure, judged_only=judged_only)
    return None if tried.deepest == len(tried.listed) else tried.deepest


class _Tried:
    """A list whose swaps are tried."""

    def __init__(self, rankings: JudgedRankings, measure: Measure, *, judged_only: bool) -> None:
        self.rankings, self.measure, self.condensed = rankings, measure, judged_only or measure.judged_only
        self.listed = np.zeros(int(rankings.length[0]), np.int64)
        self.listed[rankings.rank - 1] = rankings.judgment  # the places in the judgments, by rank
        self.kind = rankings.judgments.kinds()[self.listed]  # by rank, a number for what a measure tells apart
        many = len(self.listed)
        # How many ranks count: where unjudged documents are dropped, all may.
        self.reach = many if self.condensed else min(measure.cutoff or many, many)
        # Whether a document brings the more, the higher it comes to stand.
        self.monotone = measure.rewards_promotion and not self.condensed

    @cached_property
    def deepest(self) -> int:
        """The rank down to which swaps are tried: the last one, or where they would exceed `MOST_SWAPS`."""
        if self.monotone:
            return len(self.listed)
        kind = self.kind[:_DEEPEST]
        other = np.triu(kind[:, np.newaxis] != kind, 1)[: self.reach]
        return int(np.searchsorted(other.sum(axis=0).cumsum(), MOST_SWAPS, side="right"))

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """The ranks, from 0, of the documents that are swapped: above, and below."""
        kind = self.kind[: self.deepest]
        above, below = np.arange(min(self.reach, len(kind))), np.arange(len(kind))
        if self.monotone:
            above = np.unique(kind[above], return_index=True)[1]
            below = len(kind) - 1 - np.unique(kind[::-1], return_index=True)[1]
        other = (kind[above][:, np.newaxis] != kind[below]) & (above[:, np.newaxis] < below)
        high, low = np.nonzero(other)
        return above[high], below[low]

    def nearest(self, high: int, low: int, value: float) -> int:
        """Find the first rank from which a document of the same kind, swapped with the one above, brings as much."""
        if not self.monotone:
            return low
        alike = high + 1 + np.flatnonzero(self.kind[high + 1 : low + 1] == self.kind[low])

        def enough(rank: int) -> bool:
            return bool(side(self.values(np.array([high]), np.array([rank])) - value)[0] == 0)

        return int(alike[bisect_left(alike.tolist(), True, hi=len(alike) - 1, key=enough)])

    def values(self, high: Integers, low: Integers) -> Floats:
        """Score the list once for every swap."""
        size = max(1, _AT_ONCE // max(self.reach, 1))
        blocks = [slice(first, first + size) for first in range(0, len(high), size)]
        return np.concatenate([self._values(high[block], low[block]) for block in blocks])

    def _values(self, high: Integers, low: Integers) -> Floats:
        swapped = np.tile(self.listed[: self.reach], (len(high), 1))
        row, inside = np.arange(len(high)), np.flatnonzero(low < self.reach)
        swapped[row, high] = self.listed[low]
        swapped[inside, low[inside]] = self.listed[high[inside]]
        lists = lists_of(self.rankings.judgments, swapped, len(self.listed))
        if self.rankings.list_costs is not None:
            lists = replace(lists, list_costs="unknown")
        value: Floats = self.measure.by_run(lists.condensed() if self.condensed else lists)[:, 0]
        return value


def lists_of(judgments: Judgments, listed: Integers, length: int) -> JudgedRankings:
    """Make rankings of the only topic of some judgments from lists of shape (lists, ranks)."""
    judged = np.append(~np.isnan(judgments.grade), False)[listed]
    row, rank = np.nonzero(judged)
    many = len(listed)
    lengths, present = np.full(many, length), np.ones(many, bool)
    return JudgedRankings(("",) * many, judgments, lengths, present, row, rank + 1, listed[judged])

"""Weighted shares: a sum of gains weighted by rank, over the most that the documents of the topic could bring.

Bounds of such a measure are exact, both of a value and of the difference of two runs. Let D(n) be
the most that n documents of gain 1 can bring. Then the value is

    Σ w(i) g(i)  /  Σ h(l) D(N(l))

over the levels l of gain, h(l) being the height of a level above the one below it, and N(l) the
number of documents of the topic that gain as much. (For R, w = 1 and D(n) = n; for nDCG@k, w is the
discount down to rank k, and D(n) its sum over the first n ranks.)

A completion gives its candidates gains. The numerator is linear in them and the denominator convex,
so that the quotient is least where each candidate gains all or nothing: of n with all, those that
add least. The largest quotient c can lie in between. It is where numerator - c · denominator has
the maximum 0, and for a given c that is a sum over the levels, in each of which one may choose
anew how many candidates reach it. (The higher the level, the fewer documents it has already, the
more the next one adds to the denominator, so that never more candidates reach a higher level.) The
right c is found by starting from the best of all or nothing and taking the quotient of each
maximum for the next (Dinkelbach's method).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cranfield.judged.completions import Bounds, Kind, open_documents
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.plumbing.arrays import Booleans, Floats, Integers, nth_within, ratio

_STEPS = 100  # Dinkelbach's method takes a handful of steps, each of them nearer
_CELLS = 1 << 18  # Pairs × topics × candidates at once: some tables of 2 MB each


class WeightedShare(GainMeasure, registered=False):
    """A sum of gains weighted by rank, as a share of the most that the documents of the topic could bring."""

    bounds_are = "exact, of a difference too"

    @abstractmethod
    def rank_weight(self, rank: Integers) -> Floats:
        """Return w: what a gain of 1 brings at each rank."""

    def most(self, count: Integers) -> Floats:
        """Return D: the most that this many documents of gain 1 can bring: here, the first of a list cut like ours."""
        weights = self.rank_weight(np.arange(1, int(count.max(initial=0)) + 1))
        return np.append(0.0, weights.cumsum())[count if self.cutoff is None else np.minimum(count, self.cutoff)]

    def is_share(self, judgments: Judgments) -> bool:
        """Tell whether the measure has this form, with the parameters that it has."""
        return self.gains_rise(judgments) and self.rewards_promotion and not self.judged_only

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """All or nothing for the lowest value, level by level for the highest."""
        if not self.is_share(rankings.judgments):
            return super().bounds(rankings)
        base, open_ = self.score(rankings), open_documents(rankings.cut(self.cutoff))
        weights = open_.table(self.rank_weight(open_.rank))  # what a gain of 1 brings at the ranks of the candidates
        own = np.arange(weights.shape[1] + 1)
        there = own <= open_.own[:, np.newaxis]
        ideal = _Ideal.of(self, rankings.judgments)
        numerator = base * ideal.known

        falling, rising = -np.sort(-weights), np.sort(np.where(there[:, 1:], weights, np.inf))
        best, worst = (_sums(np.where(np.isfinite(of), of, 0.0)) for of in (falling, rising))
        low = _quotients(
            numerator, ideal, worst, np.minimum(own, open_.own[:, np.newaxis]) + open_.others[:, np.newaxis]
        )
        high = _quotients(numerator, ideal, best, np.minimum(own, open_.own[:, np.newaxis]))
        least = np.where(there, low, np.inf).min(axis=1)
        most = np.where(there, high, -np.inf).max(axis=1)
        highest = ideal.farthest(most, numerator, best, np.broadcast_to(own, best.shape), there)
        return Bounds(np.minimum(base, least), np.maximum(base, highest), "exact")

    def least_difference(self, ours: JudgedRankings, theirs: JudgedRankings) -> tuple[Floats, Kind]:
        """Candidates by what they add for one run less what they add for the other, the least first."""
        if not self.is_share(ours.judgments):
            return super().least_difference(ours, theirs)
        return self._least_of([(ours, theirs)], None)[0], "exact"

    def least_differences(
        self, pairs: Sequence[tuple[JudgedRankings, JudgedRankings]], not_relevant: Sequence[Integers] | None = None
    ) -> Floats | None:
        """As many pairs at a time as have room, unless a user's class has a `least_difference` of its own."""
        judgments = pairs[0][0].judgments
        if type(self).least_difference is not WeightedShare.least_difference or not self.is_share(judgments):
            return None
        longest = max(run.cut(self.cutoff).longest for pair in pairs for run in pair)
        at_once = max(1, _CELLS // (2 * max(1, longest) * len(judgments.topics)))
        parts = [slice(start, start + at_once) for start in range(0, len(pairs), at_once)]
        found = [self._least_of(pairs[part], None if not_relevant is None else not_relevant[part]) for part in parts]
        return np.concatenate(found)

    def _least_of(
        self, pairs: Sequence[tuple[JudgedRankings, JudgedRankings]], not_relevant: Sequence[Integers] | None
    ) -> Floats:
        judgments = pairs[0][0].judgments
        topics = len(judgments.topics)
        ideal = _Ideal.of(self, judgments)
        numerator = np.array([self.scored(ours) - self.scored(theirs) for ours, theirs in pairs]) * ideal.known

        pair, place, added = self.weights_apart(pairs)
        candidates = np.tile(judgments.open_of_topic, (len(pairs), 1))
        if not_relevant is not None:
            known, of = np.concatenate(not_relevant), np.repeat(np.arange(len(pairs)), list(map(len, not_relevant)))
            np.subtract.at(candidates, (of, judgments.topic[known]), 1)
            open_ = np.isin(pair * len(judgments) + place, of * len(judgments) + known, invert=True)
            pair, place, added = pair[open_], place[open_], added[open_]
        row = pair * topics + judgments.topic[place]
        added = added[np.lexsort((added, row))]  # the rows stay as they are: they rise with the places
        table = np.zeros((candidates.size, int(np.bincount(row, minlength=1).max(initial=0))))
        table[row, nth_within(row)] = added
        sums = _sums(table.reshape(*candidates.shape, table.shape[1]))
        less, more = (
            np.bincount(row[those], minlength=candidates.size).reshape(*candidates.shape, 1)
            for those in (added < 0, added > 0)
        )
        level = candidates[..., np.newaxis] - less - more  # candidates that add nothing to the difference

        # So many candidates: those that take away, all that add nothing, and those that add.
        number = np.arange(sums.shape[-1])
        beyond = number > less
        spread = _quotients(numerator, ideal, sums, np.minimum(number, less + more) + np.where(beyond, level, 0))
        with_level = _quotients(numerator, ideal, np.take_along_axis(sums, less, axis=-1), less + level)
        least: Floats = np.minimum(spread.min(axis=-1), with_level[..., 0])
        # Below 0 more in the denominator is no harm, and the least can lie in between.
        lowest = -ideal.farthest(-least, -numerator, -sums, np.broadcast_to(number, sums.shape), ~beyond)
        return np.where(least < 0, np.minimum(least, lowest), least)


@dataclass(frozen=True, eq=False)
class _Ideal:
    """The most that the documents of each topic could bring, some candidates among them."""

    height: Floats  # for each level of gain, how far it lies above the one below
    count: Integers  # for each level and topic, how many judged documents gain as much
    most: Floats  # D(0), D(1), ... as far as there are documents.

    @classmethod
    def of(cls, measure: WeightedShare, judgments: Judgments) -> _Ideal:
        """Count the documents of each topic at each level."""

        def made() -> _Ideal:
            judged = np.flatnonzero(~np.isnan(judgments.grade))
            gain, topic = measure.gain_of(judgments.grade[judged], judgments.top_grade), judgments.topic[judged]
            grades = np.append(np.nan_to_num(judgments.grades), judgments.scale)  # of all topics alike
            gains = measure.gain_of(grades, judgments.top_grade)
            levels = np.unique(np.append(gains[:-1], gains.max()))
            levels = levels[levels > 0]
            topics = len(judgments.topics)
            count = np.array([np.bincount(topic[gain >= of], minlength=topics) for of in levels], np.int64)
            count = count.reshape(len(levels), topics)
            deepest = int(np.bincount(judgments.topic, minlength=1).max(initial=0))
            return cls(np.diff(levels, prepend=0.0), count, measure.most(np.arange(deepest + 1)))

        return judgments.remembered(("levels", measure), made)

    @cached_property
    def known(self) -> Floats:
        """The most that each topic brings with the documents that are judged."""
        return self.sum(np.zeros((self.count.shape[1], 1), np.int64))[:, 0]

    def sum(self, more: Integers) -> Floats:
        """Return the most that a topic brings with this many more documents of the top gain: (.., topics, numbers)."""
        total = np.zeros(more.shape)
        for height, count in zip(self.height, self.count, strict=True):
            total += height * self.most[count[:, np.newaxis] + more]
        return total

    def farthest(self, start: Floats, base: Floats, sums: Floats, number: Integers, there: Booleans) -> Floats:
        """Find the largest quotient, gains in between too, from one to start with; shapes (.., topics, choices)."""
        found = start
        moving = start < 0 if len(self.height) < 2 else np.ones(start.shape, bool)  # each topic ends when it is there
        for _ in range(_STEPS if moving.any() else 0):
            over, under = base.copy(), np.zeros(base.shape)
            for height, count in zip(self.height, self.count, strict=True):
                most = self.most[np.minimum(count[:, np.newaxis] + number, len(self.most) - 1)]
                best = np.where(there, sums - found[..., np.newaxis] * most, -np.inf).argmax(axis=-1)[..., np.newaxis]
                over += height * np.take_along_axis(sums, best, axis=-1)[..., 0]
                under += height * np.take_along_axis(most, best, axis=-1)[..., 0]
            better = np.maximum(found, np.where(under > 0, ratio(over, under), found))
            moving &= better > found + 1e-15
            if not moving.any():
                break
            found = np.where(moving, better, found)
        return found


def _sums(table: Floats) -> Floats:
    """Add up along the rows, from nothing on."""
    return np.concatenate([np.zeros((*table.shape[:-1], 1)), table.cumsum(axis=-1)], axis=-1)


def _quotients(numerator: Floats, ideal: _Ideal, sums: Floats, count: Integers) -> Floats:
    """Return the value with this many candidates of the largest gain, which add these sums at a height of 1."""
    return ratio(numerator[..., np.newaxis] + ideal.height.sum() * sums, ideal.sum(count))

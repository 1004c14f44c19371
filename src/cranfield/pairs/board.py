"""All runs of a call by one measure: who leads, who could, and two of them as a pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cranfield.measures.framework.measure import Measure
from cranfield.pairs.pair import Pair, Rivals, least_of_each
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel
from cranfield.statistics.on_paper import places, side
from cranfield.statistics.rank_intervals import ranks_between


class OrderOfRuns:
    """The order of runs by one measure: that of a panel."""

    panel: Panel

    @property
    def named(self) -> str:
        """The measure's name in tables: at the relevance level of the runs."""
        return self.panel.measures[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.panel.runs

    @property
    def values(self) -> Floats:
        """Array of shape (runs, topics), more being better."""
        values: Floats = self.panel.values[0]
        return values

    @cached_property
    def mean(self) -> Floats:
        """By run, more being better."""
        mean: Floats = self.panel.averages[0]
        return mean

    @cached_property
    def shown(self) -> list[float]:
        """By run, as the measure has it."""
        shown: list[float] = self.panel.means[0].tolist()
        return shown

    @cached_property
    def order(self) -> list[int]:
        """The runs, the best first, tied where equal on paper: by means, as in tables, not by their logarithms."""
        return best_first(self._oriented)

    @cached_property
    def rank(self) -> Integers:
        """By run, from 1; those that are equal on paper share the better rank."""
        return places(self._oriented)

    @property
    def leaders(self) -> list[int]:
        """The runs that no other is ahead of."""
        return np.flatnonzero(self.rank == 1).tolist()

    @property
    def _oriented(self) -> Floats:
        oriented: Floats = self.panel.direction[0] * self.panel.means[0]
        return oriented


@dataclass(frozen=True, eq=False)
class ScoredBoard(OrderOfRuns):
    """Scores of runs by one measure, without rankings and judgments."""

    panel: Panel


@dataclass(frozen=True, eq=False)
class Board(OrderOfRuns):
    """Joined runs by one measure."""

    runs: JudgedRuns
    measure: Measure

    @cached_property
    def panel(self) -> Panel:  # type: ignore[override]  # worked out where a base class has it
        """The values as judged, more being better."""
        return self.runs.under(bounds=False).panel([self.measure])

    @property
    def known(self) -> bool:
        """Whether bounds say something of differences.

        Not of logarithms, nor without unjudged documents, nor where no grade above 0 tells what gains are scaled by.
        """
        return not (self.panel.logarithmic[0] or self.runs.grading.judged_only or self.runs.judgments.top_grade <= 0)

    def pair(self, one: int, other: int) -> Pair:
        """Return two of the runs, by their places."""
        return self._rivals.of(self.measure, one, other)

    def least(self, one: int) -> Floats:
        """Return, by run, how little the mean of the one could be ahead of its mean, whatever the grades.

        Not searched for where it cannot make the one surely better: behind as judged, or ranges apart.
        """
        worst, best = self._ends
        apart, judged = worst[one] - best, self.mean[one] - self.mean
        least: Floats = np.minimum(apart, judged)
        searched = (side(judged) >= 0) & (side(apart) <= 0) & self.known
        searched[one] = False
        others = np.flatnonzero(searched).tolist()
        least[others] = least_of_each([self.pair(one, other) for other in others])
        return least

    @cached_property
    def limits(self) -> Floats:
        """Array of shape (2, runs, topics): the worst and the best that each value could be."""
        return np.asarray(self.runs.under(bounds=True).panel([self.measure]).limits)[:, 0]

    @cached_property
    def _ends(self) -> Floats:
        """Array of shape (2, runs): the mean of the worst and of the best values."""
        ends: Floats = self.limits.mean(axis=-1)
        return ends

    @cached_property
    def _rivals(self) -> Rivals:
        return Rivals(self.runs, self.panel.topics)


def certain_ranks(least: Floats) -> tuple[Integers, Integers]:
    """Return the best and the worst rank of each run, whatever the grades; least has shape (runs, runs).

    The first is ahead of the last, and at least equal to the second:

    >>> certain_ranks(np.array([[0.0, 0.0, 0.2], [-0.3, 0.0, -0.1], [-0.5, -0.4, 0.0]]))
    (array([1, 1, 2]), array([1, 3, 3]))
    """
    return ranks_between(surely_ahead(least), surely_ahead(least, or_equal=True))


def surely_ahead(least: Floats, *, or_equal: bool = False) -> Booleans:
    """Whether the one is ahead of the other, or not behind it, whatever the grades: of no run and itself."""
    ahead: Booleans = side(least) >= (0 if or_equal else 1)
    return ahead & ~np.eye(len(least), dtype=bool)

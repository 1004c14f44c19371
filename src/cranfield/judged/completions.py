"""Completions: what the judgments could have been, had the candidates been judged as well.

Candidates are the unjudged documents that any run of the call retrieved. A completion gives each of
them a grade from 0 to the largest of the qrels, in all runs the same; documents outside all lists
are not relevant.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.plumbing.arrays import Floats, Integers, nth_within, starts

Kind: TypeAlias = Literal["exact", "enclosure", "tried"]
BOUND_KINDS: Final[dict[Kind, str]] = {
    "exact": "the least and the most under any completion (for RBP and other sums without a cutoff, also under any "
    "continuation of the list)",
    "enclosure": "no completion lies outside, but the range may be too wide",
    "tried": "the least and the most of the completions tried; the range may be too narrow",
}
"""What bounds can be, the surest first."""


class Bounds(NamedTuple):
    """How low and how high the value of each row could be, and what is sure about it."""

    low: Floats
    high: Floats
    kind: Kind


def surely(*kinds: Kind) -> Kind:
    """Say what is sure of several things together: as much as of the least sure of them."""
    return max(kinds, key=list(BOUND_KINDS).index, default="exact")


class Open:
    """The candidates of each row: those in its list, by rank, and how many others its topic has."""

    def __init__(self, rankings: JudgedRankings) -> None:
        cell = np.flatnonzero(rankings.judgments.open.take(rankings.judgment))
        self.row: Integers = rankings.row[cell]
        self.rank: Integers = rankings.rank[cell]
        self.judgment: Integers = rankings.judgment[cell]
        self.nth = nth_within(self.row)
        self.own = np.bincount(self.row, minlength=rankings.rows)
        self.others = np.tile(rankings.judgments.open_of_topic, len(rankings.runs)) - self.own

    @property
    def cells(self) -> Cells:
        """The candidates in the lists, as cells."""
        return Cells(len(self.own), self.row, self.rank, np.full(len(self.row), np.nan))

    @property
    def all(self) -> Integers:
        """For each row, how many candidates its topic has."""
        return self.own + self.others

    def table(self, values: Floats | Integers, beyond: float = 0.0) -> Floats:
        """Spread values out: array of shape (rows, most candidates of a row), ``beyond`` where a row has fewer."""
        spread = np.full((len(self.own), int(self.own.max(initial=0))), beyond)
        spread[self.row, self.nth] = values
        return spread


def open_documents(rankings: JudgedRankings) -> Open:
    """Return the candidates of each row."""
    return rankings.once("open documents", lambda: Open(rankings))


class Completions:
    """The rankings of one run, whose candidates can be given grades.

    Candidates at ranks 1 and 3, a third one in another run: two relevant ones, as well and as badly as can be:

    >>> from cranfield.judged.rankings import one_ranking
    >>> best, worst = Completions(one_ranking([None, 1, None], candidates=1)).with_relevant(np.array([2]))
    >>> best.judged.grade, best.recall_base(), worst.judged.grade, worst.recall_base()
    (array([1., 1., 1.]), array([3.]), array([0., 1., 1.]), array([3.]))
    """

    def __init__(self, rankings: JudgedRankings) -> None:
        self.rankings = rankings
        self.open = open_documents(rankings)
        self.top_grade = rankings.judgments.scale
        mine = np.zeros(len(rankings.judgments), bool)
        mine[self.open.judgment] = True
        self._others = np.flatnonzero(rankings.judgments.candidates & ~mine)
        self._topic = rankings.judgments.topic[self._others]
        self._nth = np.arange(len(self._others)) - starts(self.open.others)[self._topic]

    def judged(self, own: Integers, others: Integers, *, first: bool) -> JudgedRankings:
        """Give these numbers of own and other candidates of each row, first or last, the largest grade, the rest 0."""
        row, nth = self.open.row, self.open.nth
        chosen = nth < own[row] if first else nth >= (self.open.own - own)[row]
        grade = self.rankings.judgments.grade.copy()
        grade[self.rankings.judgments.candidates] = 0.0
        grade[self.open.judgment[chosen]] = self.top_grade
        grade[self._others[self._nth < others[self._topic]]] = self.top_grade
        return self.rankings.rejudged(grade)

    def with_relevant(self, count: Integers) -> tuple[JudgedRankings, JudgedRankings]:
        """Make this many candidates of each topic relevant: the first of the list, then others; and the reverse."""
        best = np.minimum(count, self.open.own)
        others = np.minimum(count, self.open.others)
        return self.judged(best, count - best, first=True), self.judged(count - others, others, first=False)

    def nothing(self) -> JudgedRankings:
        """Make no candidate relevant."""
        return self.judged(np.zeros_like(self.open.own), np.zeros_like(self.open.own), first=True)

    def everything(self) -> JudgedRankings:
        """Make all candidates relevant."""
        return self.judged(self.open.own, self.open.others, first=True)

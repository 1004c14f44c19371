"""Dominance: which of two runs is better whatever the weights of ranks and the gains of grades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.precision_recall import P
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.memory import require
from cranfield.scoring.judged_runs import JudgedRuns

COUNTS: np.dtype[np.int32] = np.dtype(np.int32)  # Counts of documents fit, and take half the room


@dataclass(frozen=True)
class Witness:
    """Where one run is better than another: the precision by which it is, and by how much on the mean over topics."""

    measure: P
    lead: float


@dataclass(frozen=True, eq=False)
class TopCounts:
    """How many documents of at least each grade every run has among the first k, for all k at once.

    Measures that add up a weight of the rank, never rising, times a gain of the grade, never falling, see nothing
    else. For let w be the weights, with w(depth + 1) = 0, and u the gains, with u = 0 for what is not
    relevant, and sum by parts, first over the ranks and then over the grades:

        Σ_i w(i) u(g_i) = Σ_k Σ_g [w(k) − w(k+1)] [u(g) − u(g−)] C(k, g)

    where g− is the grade below g, and C(k, g) the number of documents of at least grade g among the first k. Both
    brackets are never negative, so a run whose C is nowhere smaller is nowhere worse; and where it is smaller, P@k at
    relevance level g says so.
    """

    runs: tuple[str, ...]
    rel: float | None  # The lowest relevant grade, where one was asked for
    levels: Floats  # The relevant grades, rising
    shared: Booleans  # Array of shape (topics of the qrels,): which topics count
    counts: Integers  # Array of shape (runs, topics, levels, ranks)

    @classmethod
    def of(cls, runs: JudgedRuns, depth: int | None = None) -> TopCounts:
        """Count the relevant documents of all runs, down to a depth, or to the end of the longest list.

        Topics that a run lacks have none or, where they are to be shared, are left out for all runs.
        """
        every = (runs.of_run(number) for number in range(len(runs.runs)))
        rankings = [each.condensed() if runs.grading.judged_only else each for each in every]
        grade, rel = runs.judgments.grade, runs.grading.rel
        levels = np.unique(grade[grade > 0 if rel is None else grade >= rel])
        if not len(levels):
            raise InputError("no document of the qrels is relevant, so no run dominates another")
        topics: Booleans = np.ones(len(runs.topics), bool)
        if runs.reading.topics == "shared":
            topics &= runs.present.all(axis=0)
        if not topics.any():
            raise InputError("the runs share no topic")
        ranks = depth or max(1, *(int(each.length.max()) for each in rankings))
        shape = (len(rankings), int(topics.sum()), len(levels), ranks)
        require(1.5 * COUNTS.itemsize * np.prod(shape, dtype=float), "the counts of all runs at all ranks", "a depth")
        counts = np.empty(shape, COUNTS)
        for number, each in enumerate(rankings):
            counts[number] = _counted(each, levels, ranks)[topics]
        return cls(runs.runs, rel, levels, topics, counts)

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return int(self.counts.shape[1])

    @cached_property
    def sums(self) -> Integers:
        """Array of shape (runs, levels, ranks): over the topics."""
        sums: Integers = self.counts.sum(axis=1, dtype=np.int64)
        return sums

    @cached_property
    def at_least(self) -> Booleans:
        """Array of shape (runs, runs): whether the one has no fewer than the other, at any rank and grade."""
        return _nowhere_less(self.sums)

    @cached_property
    def on_every_topic(self) -> Booleans:
        """Array of shape (runs, runs): whether that holds on each topic, so that topics may be weighted at will."""
        return _nowhere_less(self.counts)

    def lead(self, one: int, other: int) -> Floats:
        """By how much is the precision of the one higher: array of shape (levels, ranks)."""
        lead: Floats = (self.sums[one] - self.sums[other]) / (np.arange(1, self.counts.shape[-1] + 1) * self.topics)
        return lead

    def witness(self, one: int, other: int) -> Witness | None:
        """Return the precision by which the one leads most, ties to the lowest grade and first rank; or None."""
        lead = self.lead(one, other)
        level, rank = np.unravel_index(int(lead.argmax()), lead.shape)
        if lead[level, rank] <= 0:
            return None
        lowest = self.rel if level == 0 else float(self.levels[level])
        return Witness(P(cutoff=int(rank) + 1, rel=lowest), float(lead[level, rank]))


@dataclass(frozen=True, eq=False)
class Completed:
    """Dominance, had the unjudged documents been judged that any run retrieved.

    A document has one grade, whichever run has it. The worst for a run at a rank and grade: what only the other has
    down to there is of the top grade. The best, at all of them: what it has above the other is, and nothing else. So
    both are exact.
    """

    surely: Booleans  # Array of shape (runs, runs): whether the one has no fewer, whatever is found
    possibly: Booleans  # The same: whether there are grades for which it has no fewer

    @classmethod
    def of(cls, runs: JudgedRuns, found: TopCounts) -> Completed:
        """Compare all pairs of runs under every possible judgment of the unjudged."""
        noted = runs.with_retrieved
        ranks = found.counts.shape[-1]
        open_ = [_open(noted.of_run(number), ranks, found.shared) for number in range(len(found.runs))]
        size = 2 * COUNTS.itemsize * len(noted.judgments) * len(open_)
        require(size, "the unjudged documents of all runs", "a depth")
        rank = np.full((len(open_), len(noted.judgments)), ranks + 1, COUNTS)
        for number, (judgment, its_rank) in enumerate(open_):
            rank[number, judgment] = its_rank
        surely, possibly = np.ones((2, len(open_), len(open_)), bool)
        for one, other in permutations(range(len(open_)), 2):
            lead = found.sums[one] - found.sums[other]
            surely[one, other] = (lead >= _could_gain(rank, open_, other, one, ranks)).all()
            possibly[one, other] = (lead + _could_gain(rank, open_, one, other, ranks) >= 0).all()
        return cls(surely, possibly)


def strictly(at_least: Booleans) -> Booleans:
    """Whether the one is better: no worse anywhere, and not the same everywhere."""
    return at_least & ~at_least.T


def which_of(a: Booleans, b: Booleans) -> list[str]:
    """Say of each pair for which of its two runs something holds: both, run_a, run_b or neither."""
    return [str(which) for which in np.select([a & b, a, b], ["both", "run_a", "run_b"], "neither")]


def steps(better: Booleans) -> Booleans:
    """Leave out what follows from the rest: pairs with another run between them."""
    paths = better.astype(np.float32)
    next_to: Booleans = better & (paths @ paths == 0)
    return next_to


def layers(better: Booleans) -> Integers:
    """Count the runs above each in the longest chain: 0 for those that nothing is better than."""
    layer = np.zeros(len(better), np.int64)
    for _ in range(len(better)):
        below = np.where(better, layer[:, None] + 1, 0).max(axis=0, initial=0)
        if (below == layer).all():
            break
        layer = below
    return layer


def _counted(rankings: JudgedRankings, levels: Floats, ranks: int) -> Integers:
    """Count the documents of at least each level among the first k: array of shape (rows, levels, ranks)."""
    cells = rankings.judged
    cells = cells.where((cells.grade >= levels[0]) & (cells.rank <= ranks))
    found = np.zeros((rankings.rows, len(levels), ranks), COUNTS)
    found[cells.row, np.searchsorted(levels, cells.grade, "right") - 1, cells.rank - 1] = 1
    return found[:, ::-1].cumsum(axis=1, dtype=COUNTS)[:, ::-1].cumsum(axis=2, dtype=COUNTS)


def _nowhere_less(counts: Integers) -> Booleans:
    """Compare each run's counts with those of all: array of shape (runs, runs)."""
    rows = counts.reshape(len(counts), -1)
    return np.array([[bool((one >= other).all()) for other in rows] for one in rows])


def _open(rankings: JudgedRankings, ranks: int, topics: Booleans) -> tuple[Integers, Integers]:
    """Return which documents of a run are unjudged on these topics, down to a rank, and at which rank each is."""
    unjudged = rankings.judgments.open.take(rankings.judgment)
    unjudged &= (rankings.rank <= ranks) & topics[rankings.row]
    return rankings.judgment[unjudged], rankings.rank[unjudged]


def _could_gain(rank: Integers, open_: list[tuple[Integers, Integers]], one: int, other: int, ranks: int) -> Integers:
    """Say how many unjudged documents the one has down to each rank that the other has not."""
    judgment, mine = open_[one]
    theirs = rank[other, judgment]
    above = mine < theirs
    gained = np.bincount(mine[above], minlength=ranks + 2) - np.bincount(theirs[above], minlength=ranks + 2)
    return gained[1 : ranks + 1].cumsum()

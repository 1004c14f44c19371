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

COUNTS: np.dtype[np.int32] = np.dtype(np.int32)
"""Counts of documents fit, and take half the room."""


@dataclass(frozen=True)
class Witness:
    """Where one run is better than another: the precision by which it is, and by how much on the mean over topics."""

    measure: P
    lead: float


@dataclass(frozen=True, eq=False)
class TopCounts:
    """How many documents of at least each grade every run has among the first k, for all k at once.

    This is all that a measure can see which adds up, over the ranks of a list, a weight of the rank
    times a gain of the grade, where weights never rise with the rank and gains never fall with the
    grade. For let w be the weights, with w(depth + 1) = 0, and u the gains, with u = 0 for what is
    not relevant, and sum by parts, first over the ranks and then over the grades:

        Σ_i w(i) u(g_i) = Σ_k Σ_g [w(k) − w(k+1)] [u(g) − u(g−)] C(k, g)

    where g− is the grade below g, and C(k, g) the number of documents of at least grade g among the
    first k. Both brackets are never negative. So a run whose C is nowhere smaller is nowhere worse;
    and where it is smaller, the weights 1/k down to rank k and the gain 1 from g on are a measure
    that says so: P@k at relevance level g.

    The first finds both documents early, the second the better one first, the third is late:

    >>> from cranfield.scoring.judged_runs import join
    >>> runs = {"broad": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}}, "sharp": {"1": {"b": 3.0, "x": 2.0, "y": 1.0}},
    ...         "late": {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}}
    >>> found = TopCounts.of(join({"1": {"a": 1, "b": 2}}, runs))
    >>> found.counts[0, 0].tolist()  # of at least grade 1, and of grade 2, among the first 1, 2, 3
    [[1, 2, 2], [0, 1, 1]]
    >>> found.at_least.tolist()
    [[True, False, True], [False, True, False], [False, False, True]]
    """

    runs: tuple[str, ...]
    rel: float | None
    """The lowest relevant grade, where one was asked for."""
    levels: Floats
    """The relevant grades, rising."""
    shared: Booleans
    """Array of shape (topics of the qrels,): which topics count."""
    counts: Integers
    """Array of shape (runs, topics, levels, ranks)."""

    @classmethod
    def of(cls, runs: JudgedRuns, depth: int | None = None) -> TopCounts:
        """Count the relevant documents of all runs, down to a depth, or to the end of the longest list.

        Topics count as in an average: those that a run lacks have nothing, or, where they are to be
        shared, are left out for all runs.
        """
        every = (runs.of_run(number) for number in range(len(runs.runs)))
        rankings = [each.condensed() if runs.grading.judged_only else each for each in every]
        grade, rel = runs.judgments.grade, runs.grading.rel
        levels = np.unique(grade[grade > 0 if rel is None else grade >= rel])
        if not len(levels):
            raise InputError("no document of the qrels is relevant, so that no run is better than another")
        topics: Booleans = np.ones(len(runs.topics), bool)
        if runs.reading.topics == "shared":
            topics &= runs.present.all(axis=0)
        if not topics.any():
            raise InputError("there is no topic that all runs have")
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
        ranks = np.arange(1, self.counts.shape[-1] + 1)
        lead: Floats = (self.sums[one] - self.sums[other]) / (ranks * self.topics)
        return lead

    def witness(self, one: int, other: int) -> Witness | None:
        """Return the precision by which the one leads most, if there is any: the lowest grade and first rank of these.

        >>> from cranfield.scoring.judged_runs import join
        >>> runs = {"a first": {"1": {"a": 2.0, "b": 1.0}}, "b first": {"1": {"a": 1.0, "b": 2.0}}}
        >>> found = TopCounts.of(join({"1": {"a": 1, "b": 2}}, runs))
        >>> found.witness(1, 0), found.witness(0, 1)
        (Witness(measure=P(rel=2)@1, lead=1.0), None)
        """
        lead = self.lead(one, other)
        level, rank = np.unravel_index(int(lead.argmax()), lead.shape)
        if lead[level, rank] <= 0:
            return None
        lowest = self.rel if level == 0 else float(self.levels[level])
        return Witness(P(cutoff=int(rank) + 1, rel=lowest), float(lead[level, rank]))


@dataclass(frozen=True, eq=False)
class Completed:
    """Dominance, had the unjudged documents been judged that any run retrieved.

    A document has one grade, whichever run has it. At each rank and grade the worst for the one run
    is that all documents are of the top grade which the other has down to there and it has not. The
    best for it is the same at all ranks and grades: those are of the top grade which it has above
    the other, and no others are relevant. So both are exact.
    """

    surely: Booleans
    """Array of shape (runs, runs): whether the one has no fewer, whatever is found."""
    possibly: Booleans
    """The same: whether there are grades for which it has no fewer."""

    @classmethod
    def of(cls, runs: JudgedRuns, found: TopCounts) -> Completed:
        """Hold all pairs of runs against what could have been judged.

        >>> from cranfield.scoring.judged_runs import join
        >>> lists = {"one": {"1": {"a": 2.0, "x": 1.0}}, "other": {"1": {"x": 2.0, "a": 1.0}}}
        >>> runs = join({"1": {"a": 1, "n": 0}}, lists)
        >>> completed = Completed.of(runs, TopCounts.of(runs))  # were x relevant, both would be equal
        >>> completed.surely.tolist(), completed.possibly.tolist()
        ([[True, True], [False, True]], [[True, True], [True, True]])
        """
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
    better: Booleans = at_least & ~at_least.T
    return better


def which_of(a: Booleans, b: Booleans) -> list[str]:
    """Say of each pair for which of its two runs something holds.

    >>> which_of(np.array([True, True, False]), np.array([True, False, False]))
    ['both', 'run_a', 'neither']
    """
    return [str(which) for which in np.select([a & b, a, b], ["both", "run_a", "run_b"], "neither")]


def steps(better: Booleans) -> Booleans:
    """Leave out what follows from the rest: pairs with another run between them.

    >>> steps(np.array([[False, True, True], [False, False, True], [False, False, False]])).tolist()
    [[False, True, False], [False, False, True], [False, False, False]]
    """
    paths = better.astype(np.float32)
    next_to: Booleans = better & (paths @ paths == 0)
    return next_to


def layers(better: Booleans) -> Integers:
    """How many runs stand above each in the longest chain: those that nothing is better than have 0.

    >>> layers(np.array([[False, True, True], [False, False, True], [False, False, False]])).tolist()
    [0, 1, 2]
    """
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
    of_at_least = found[:, ::-1].cumsum(axis=1, dtype=COUNTS)[:, ::-1]
    return of_at_least.cumsum(axis=2, dtype=COUNTS)


def _nowhere_less(counts: Integers) -> Booleans:
    """Hold each run's counts against those of all: array of shape (runs, runs)."""
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

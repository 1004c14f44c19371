"""What measures of subtopics share: which documents of a list cover which subtopics, and what each adds."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final, NamedTuple

import numpy as np

from cranfield.judged.completions import Bounds, open_documents
from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.judged.rankings import JudgedRankings, ideal_rankings
from cranfield.judged.subtopics import SubtopicGrades
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import condensed, level, parameter
from cranfield.plumbing.arrays import Floats, Integers, members, nth_within, ratio, starts, sums_within
from cranfield.plumbing.errors import MeasureError
from cranfield.plumbing.lazy import pl

_SAME: Final = 1e-9  # Gains that differ by a smaller share of them are equal on paper


class Covered(NamedTuple):
    """Which judgments cover which subtopics."""

    # judgment, subtopic: A pair of them for each time that a relevant document covers a subtopic; judgments rise
    judgment: Integers
    subtopic: Integers
    # topic, weight: of each subtopic, its topic, and how much it counts (0 for what does not count)
    topic: Integers
    weight: Floats


class SubtopicHits(NamedTuple):
    """The subtopics that the documents of lists cover, by row and by rank."""

    # row, rank, subtopic: where a document stands, and a subtopic that it covers
    row: Integers
    rank: Integers
    subtopic: Integers
    before: Integers  # how many documents above it in its list cover that subtopic, too


class BySubtopic(Measure, registered=False):
    """What documents add by the subtopics that they cover, as a share of what there could be.

    A document covers a subtopic if its grade for it is relevant; degrees of relevance do not count.
    Where judgments have no subtopics, each topic is its only one.
    """

    by_subtopic = True
    bounds_are = "an enclosure by subtopic; without subtopics tried"

    rel: float | None = level()
    vital: bool = parameter(False, "count only the subtopics that are marked as vital", kind=bool)
    weighted: bool = parameter(False, "count each subtopic by its weight, instead of all the same", kind=bool)
    judged_only: bool = condensed()

    @property
    def redundancy(self) -> float:
        """How much less each further document of a subtopic is worth: all of it, where a subtopic counts once."""
        return 1.0

    @abstractmethod
    def steps(self, hits: SubtopicHits, covered: Covered) -> Floats:
        """Return what each hit adds."""

    @abstractmethod
    def scale(self, k: int | None) -> float:
        """Return the most that the first k documents can add to a subtopic of weight 1."""

    def base(self, judgments: Judgments) -> Floats:
        """Return, by topic, the weight of the subtopics that count: those that some relevant document covers."""
        covered = self.covered(judgments)
        weight = np.zeros(len(covered.weight))
        weight[covered.subtopic] = covered.weight[covered.subtopic]
        return sums_within(covered.topic, weight, len(judgments.topics))

    def total(self, judgments: Judgments, k: int | None) -> Floats:
        """Return, by topic, what is divided by at rank k."""
        return self.scale(k) * self.base(judgments)

    def totals(self, judgments: Judgments, depth: int) -> Floats:
        """Return the same at ranks 1 to ``depth``: array of shape (topics, depth)."""
        return np.column_stack([self.total(judgments, k) for k in range(1, depth + 1)])

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum over what there could be."""
        total = rankings.of_topics(self.total(rankings.judgments, self.cutoff))
        return ratio(self.sums(rankings, self.covered(rankings.judgments)), total)

    def sums(self, rankings: JudgedRankings, covered: Covered) -> Floats:
        """Return what the documents of each row add."""
        hits = hits_of(rankings, covered)
        return sums_within(hits.row, self.steps(hits, covered), rankings.rows)

    def cumulated(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Return what the documents down to each rank add: array of shape (rows, depth)."""
        covered = self.covered(rankings.judgments)
        hits = hits_of(rankings.cut(depth), covered)
        cell = hits.row.astype(np.int64) * depth + hits.rank - 1
        added = sums_within(cell, self.steps(hits, covered), rankings.rows * depth)
        return added.reshape(rankings.rows, depth).cumsum(axis=1)

    def by_rank(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Value at every cutoff, in one pass."""
        if "cutoff" not in self.parameters:
            return super().by_rank(rankings, depth)
        rankings = rankings.condensed() if self.judged_only else rankings
        totals = np.tile(self.totals(rankings.judgments, depth), (len(rankings.runs), 1))
        return ratio(self.cumulated(rankings, depth), totals)

    def by_prefix(self, rankings: JudgedRankings) -> Floats:
        """Value of every prefix, in one pass."""
        depth = int(rankings.length.max(initial=0))
        if self.judged_only or not depth:
            return super().by_prefix(rankings)
        self.require_complete()
        added = self.cumulated(rankings.cut(self.cutoff), depth)
        total = rankings.of_topics(self.total(rankings.judgments, self.cutoff))
        return ratio(np.hstack([np.zeros((rankings.rows, 1)), added]), total[:, np.newaxis])

    def ideal(self, judgments: Judgments) -> JudgedRankings:
        """Return the best list of each topic, down to the cutoff."""
        return self._best(judgments, self.cutoff)

    def _best(self, judgments: Judgments, k: int | None) -> JudgedRankings:
        covered = self.covered(judgments)
        if judgments.subtopics is None:
            gain = np.zeros(len(judgments))
            gain[covered.judgment] = 1.0
            return judgments.remembered(("ideal of one", self.rel), lambda: ideal_rankings(judgments, gain)).cut(k)
        what = ("greedy", self.redundancy, self.rel, self.vital, self.weighted, k)
        return judgments.remembered(what, lambda: greedy_rankings(judgments, covered, self.redundancy, k))

    def covered(self, judgments: Judgments) -> Covered:
        """Say which judgments cover which subtopics."""
        what = ("covered", self.rel, self.vital, self.weighted)
        return judgments.remembered(what, lambda: self._covered(judgments.by_subtopic))

    def _covered(self, grades: SubtopicGrades) -> Covered:
        name = type(self).__name__
        weight: Floats = np.ones(len(grades))
        if self.weighted:
            if grades.weight is None:
                raise MeasureError(f"{name}(weighted=True) needs weights of subtopics, and these judgments have none")
            weight = np.asarray(grades.weight, np.float64)
        if self.vital:
            if grades.vital is None:
                raise MeasureError(f"{name}(vital=True) needs subtopics marked as vital; these judgments mark none")
            weight = weight * grades.vital
        relevant = np.flatnonzero(is_relevant(grades.grade, self.rel) & (weight.take(grades.subtopic) > 0))
        return Covered(grades.judgment[relevant], grades.subtopic[relevant], grades.topic, weight)

    def everything(self, judgments: Judgments) -> Floats:
        """Return, by topic, the weight of all subtopics, those that no document covers among them."""
        covered = self.covered(judgments)
        return sums_within(covered.topic, covered.weight, len(judgments.topics))

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """By subtopic, an enclosure: a candidate may cover any of the subtopics of its topic. Else as ever."""
        if rankings.judgments.subtopics is None:
            return super().bounds(rankings)
        if self.judged_only:  # ranks are then those of the judged documents alone
            return Bounds(np.zeros(rankings.rows), np.ones(rankings.rows), "enclosure")
        return self.enclosed(rankings.cut(self.cutoff))

    def enclosed(self, rankings: JudgedRankings) -> Bounds:
        """From what was found, of all subtopics, to what is found if candidates cover all, of those that count now."""
        judgments, grades = rankings.judgments, rankings.judgments.by_subtopic
        candidate = np.flatnonzero(judgments.candidates)
        top = max(judgments.top_grade, self.rel or 1.0)
        most = self._covered(grades.with_all(candidate, judgments.topic[candidate], top))
        now, scale = self.sums(rankings, self.covered(judgments)), self.scale(self.cutoff)
        low = ratio(now, rankings.of_topics(scale * self.everything(judgments)))
        base = rankings.of_topics(scale * self.base(judgments))
        found = self.sums(rankings, most)
        high = np.where(base > 0, ratio(found, base), (found > 0).astype(np.float64))
        return Bounds(low, high.clip(max=1.0), "enclosure")


def hits_of(rankings: JudgedRankings, covered: Covered) -> SubtopicHits:
    """Say which subtopics the documents of the lists cover."""
    many = np.bincount(covered.judgment, minlength=len(rankings.judgments))
    cell, nth = members(many.take(rankings.judgment))
    row, rank = rankings.row.take(cell), rankings.rank.take(cell)
    subtopic = covered.subtopic.take(starts(many).take(rankings.judgment.take(cell)) + nth)
    # Stable, so that the hits of a row and subtopic stay in the order of their ranks.
    by_both = np.argsort(row.astype(np.int64) * max(len(covered.weight), 1) + subtopic, kind="stable")
    same = np.zeros(len(cell), bool)  # True where a hit is of the same row and subtopic as the one before
    same[1:] = (row[by_both][1:] == row[by_both][:-1]) & (subtopic[by_both][1:] == subtopic[by_both][:-1])
    before = np.empty(len(cell), np.int64)
    before[by_both] = nth_within(np.cumsum(~same) - 1) if len(cell) else 0
    return SubtopicHits(row, rank, subtopic, before)


class Novel(BySubtopic, registered=False):
    """A document that covers a subtopic is worth 1 - alpha of what the one before it was that covered it."""

    alpha: float = parameter(0.5, "how much less each further document of a subtopic is worth", at_least=0, at_most=1)

    @property
    def redundancy(self) -> float:
        """Alpha."""
        return self.alpha

    def steps(self, hits: SubtopicHits, covered: Covered) -> Floats:
        """The weight of the subtopic, less for each time that it was covered before, discounted by rank."""
        return covered.weight.take(hits.subtopic) * (1 - self.alpha) ** hits.before * self.rank_weight(hits.rank)

    def scale(self, k: int | None) -> float:
        """Every one of the first k documents covers the subtopic."""
        rank = np.arange(1, (k or 1) + 1)
        return float(((1 - self.alpha) ** (rank - 1.0) * self.rank_weight(rank)).sum())


class NovelShare(Novel, registered=False):
    """The same as a share of the best list: at every rank the document that adds most to those above it."""

    bounds_are = "tried"

    def total(self, judgments: Judgments, k: int | None) -> Floats:
        """What the best list adds."""
        return self.sums(self._best(judgments, k), self.covered(judgments))

    def totals(self, judgments: Judgments, depth: int) -> Floats:
        """What the best list adds down to each rank."""
        return self.cumulated(self._best(judgments, depth), depth)

    def enclosed(self, rankings: JudgedRankings) -> Bounds:
        """From what was found, of the most there could be, to 1; a greedy list need not be best, so that is tried."""
        documents = int(np.bincount(rankings.judgments.topic, minlength=1).max())
        found = self.sums(rankings, self.covered(rankings.judgments))
        most = self.scale(self.cutoff or documents) * self.everything(rankings.judgments)
        low, value = ratio(found, rankings.of_topics(most)), self.compute(rankings)
        high = np.where(open_documents(rankings).cells.count > 0, np.maximum(1.0, value), value)
        return Bounds(np.minimum(low, value), high, "tried")


def greedy_rankings(judgments: Judgments, covered: Covered, alpha: float, depth: int | None) -> JudgedRankings:
    """Rank the documents of each topic so that each adds most to those above it; ties by id, the last one first.

    To find the very best list is NP-hard; this is how ndeval finds a good one. Documents that cover
    nothing are left out.
    """
    document, of_pair = np.unique(covered.judgment, return_inverse=True)
    topic = judgments.topic.take(document)
    by_id = pl.DataFrame({"topic": topic, "document": judgments.document.gather(document)})
    order = by_id.select(pl.arg_sort_by("topic", "document", descending=[False, True])).to_series().to_numpy()
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    document, topic, pair, subtopic = document[order], topic[order], place[of_pair], covered.subtopic
    gain, found = covered.weight.copy(), list[tuple[Integers, Integers]]()
    left = np.arange(len(document))
    # Each round takes one document of every topic that has some left: the first by id of those that add most.
    while len(left) and (depth is None or len(found) < depth):
        worth = sums_within(pair, gain.take(subtopic), len(document))[left]
        first = np.flatnonzero(np.append(True, topic[left][1:] != topic[left][:-1]))
        best = np.repeat(np.maximum.reduceat(worth, first), np.diff(np.append(first, len(left))))
        equal = np.flatnonzero(worth >= best - _SAME * best)  # sums of the same gains can differ in the last bits
        chosen = left[equal[np.append(True, topic[left[equal]][1:] != topic[left[equal]][:-1])]]
        found.append((topic[chosen], document[chosen]))
        taken = np.zeros(len(document), bool)
        taken[chosen] = True
        covers = taken[pair]
        gain[subtopic[covers]] *= 1 - alpha
        pair, subtopic, left = pair[~covers], subtopic[~covers], left[~taken[left]]
    rank = np.repeat(np.arange(1, len(found) + 1), [len(topics) for topics, _ in found])
    row = np.concatenate([topics for topics, _ in found]) if found else np.zeros(0, np.int64)
    judgment = np.concatenate([ids for _, ids in found]) if found else np.zeros(0, np.int64)
    by_row = np.argsort(row, kind="stable")
    length = np.bincount(row, minlength=len(judgments.topics))
    cells = row[by_row], rank[by_row], judgment[by_row]
    return JudgedRankings(("ideal",), judgments, length, np.ones(len(length), bool), *cells)

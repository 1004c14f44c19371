"""Average precision, and its estimate from incomplete judgments."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from cranfield.judged.completions import Bounds, Kind, open_documents
from cranfield.judged.judgments import is_relevant
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Estimator, Measure, Summary
from cranfield.measures.framework.parameters import condensed, cutoff, level
from cranfield.measures.framework.prefix_sums import sums_by_length
from cranfield.plumbing.arrays import Floats, Integers, ratio


class AveragePrecision(Measure, registered=False):
    """Average precision, whatever way it is averaged over topics."""

    bounds_are = "exact; of a difference, an enclosure"
    cutoff: int | None = cutoff()
    rel: float | None = level()
    judged_only: bool = condensed()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of the precisions at relevant ranks, over R."""
        relevant = rankings.relevant(self.rel)
        return ratio(relevant.sum(relevant.nth / relevant.rank), rankings.recall_base(self.rel))

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """The best and the worst of every number of relevant candidates."""
        if self.judged_only:
            return super().bounds(rankings)
        found = self.found(rankings)
        own = found.own[:, np.newaxis]
        there = np.arange(found.best.shape[1]) <= own
        base = found.base[:, np.newaxis] + np.minimum(np.arange(found.best.shape[1]), own)
        low = np.where(there, ratio(found.worst, base + found.others[:, np.newaxis]), np.inf).min(axis=1)
        return Bounds(low, np.where(there, ratio(found.best, base), 0.0).max(axis=1), "exact")

    def least_difference(self, ours: JudgedRankings, theirs: JudgedRankings) -> tuple[Floats, Kind]:
        """The worst of the one less the best of the other, with the same number of relevant candidates.

        While ours lacks as many as are relevant, and the other list has no more of them to add, the
        difference only shrinks or grows as R grows: such numbers need not be tried.
        """
        if self.judged_only:
            return super().least_difference(ours, theirs)
        mine, other = self.found(ours), self.found(theirs)
        all_ = (mine.own + mine.others)[:, np.newaxis]
        some = np.minimum(np.arange(other.best.shape[1]), all_)
        relevant = np.hstack([some, np.minimum(np.arange(mine.worst.shape[1]) + mine.others[:, np.newaxis], all_)])
        worst = np.take_along_axis(mine.worst, np.maximum(relevant - mine.others[:, np.newaxis], 0), axis=1)
        best = np.take_along_axis(other.best, np.minimum(relevant, other.own[:, np.newaxis]), axis=1)
        return ratio(worst - best, mine.base[:, np.newaxis] + relevant).min(axis=1), "enclosure"

    def found(self, rankings: JudgedRankings) -> PrecisionFound:
        """Add up the precisions at relevant ranks, candidates among them; see `PrecisionFound`."""
        return rankings.once(("precision found", self), lambda: self._found(rankings.cut(self.cutoff)))

    def _found(self, rankings: JudgedRankings) -> PrecisionFound:
        relevant, open_ = rankings.relevant(self.rel), open_documents(rankings)
        if not is_relevant(np.asarray(rankings.judgments.scale), self.rel):
            nothing = np.zeros_like(open_.own)
            known = relevant.sum(relevant.nth / relevant.rank)[:, np.newaxis]
            return PrecisionFound(rankings.recall_base(self.rel), nothing, nothing, known, known)
        longest = int(rankings.length.max(initial=0))
        number = sums_by_length(relevant, np.ones(len(relevant)), longest)[open_.row, open_.rank]
        down_to = sums_by_length(relevant, 1 / relevant.rank, longest)
        below = open_.table(down_to[open_.row, -1] - down_to[open_.row, open_.rank])
        above = open_.table(number)
        share = open_.table(1 / open_.rank)
        # A candidate that is relevant has its own precision, and adds 1 to what is found at all
        # relevant ranks below it: at those of known documents, and of candidates that were chosen.
        from_the_top = below + (above + np.arange(1, share.shape[1] + 1)) * share
        after = share[:, ::-1].cumsum(axis=1)[:, ::-1] - share
        from_the_end = _last_first(below + (above + 1) * share + after, open_.own)
        known = relevant.sum(relevant.nth / relevant.rank)[:, np.newaxis]
        best, worst = (known + np.hstack([0 * known, of.cumsum(axis=1)]) for of in (from_the_top, from_the_end))
        return PrecisionFound(rankings.recall_base(self.rel), open_.own, open_.others, best, worst)


class PrecisionFound(NamedTuple):
    """R times AP, had the first or the last m of the list's candidates been relevant, for every m."""

    base: Floats  # for each row, how many documents are known to be relevant
    # own, others: for each row, how many candidates the list has, and how many it lacks
    own: Integers
    others: Integers
    # best, worst: arrays of shape (rows, 1 + most candidates of a row): column m has the sum of the precisions at
    # relevant ranks, with the first m candidates relevant, or the last
    best: Floats
    worst: Floats


def _last_first(table: Floats, sizes: Integers) -> Floats:
    """Reverse the first entries of each row, as many as `sizes` says."""
    place = np.arange(table.shape[1])
    there = place < sizes[:, np.newaxis]
    return np.take_along_axis(table, np.where(there, sizes[:, np.newaxis] - 1 - place, place), axis=1)


class AP(AveragePrecision):
    """How early do the relevant documents come, averaged over all of them?

    AP = (1/R) Σ P@i over the ranks i of the relevant documents

    A relevant document that was not retrieved adds 0. @k counts the first k ranks, and still
    divides by R.

    Paper: Buckley and Voorhees (2005), "Retrieval system evaluation", in "TREC: experiment and
    evaluation in information retrieval", section 3.2; trec_eval, map and map_cut.

    >>> AP().of([1, 0, 1, 0], unretrieved=[1])  # (1/1 + 2/3) / 3
    0.555...
    """

    looked_for = ("mean average precision",)
    aliases = ("MAP",)
    estimator: Estimator | None = "average precision"
    trec = "map"
    trec_at = "map_cut_{at}"


class gmAP(AveragePrecision):  # noqa: N801 - as the field writes it
    """How early do the relevant documents come, with emphasis on the worst topics?

    gmAP = exp(mean over topics of log(max(AP, 0.00001)))

    The value of one topic is its AP.

    Paper: Robertson (2006), "On GMAP: and other transformations", CIKM; trec_eval, gm_map.

    >>> gmAP().of([1, 0, 1, 0], unretrieved=[1])  # (1/1 + 2/3) / 3
    0.555...
    """

    aliases = ("GMAP",)
    trec = "gm_map"
    summary: ClassVar[Summary] = "geometric mean"


class infAP(Measure):  # noqa: N801 - as the field writes it
    """What would AP be if only a random part of the pool was judged?

    infAP = (1/R) Σ [1/i + ((i-1)/i) · (d/(i-1)) · (r + ε) / (r + n + 2ε)] over the ranks i of the
    relevant documents

    Above rank i are r relevant and n non-relevant documents, and d documents of the pool: these and
    the documents of negative grade, which are in the pool but not judged. ε is 0.00001. At rank 1
    the term is 1.

    Paper: Yilmaz and Aslam (2006), "Estimating average precision with incomplete and imperfect
    judgments", CIKM; trec_eval, infAP.

    >>> round(infAP().of([0, 1, None, 1]), 4)  # 1/2 · [1/2 + 1/2 · 1/1 · 0/1 + 1/4 + 3/4 · 2/3 · 1/2]
    0.5
    """

    trec = "infAP"
    rewards_promotion = False
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Expected precision at relevant ranks, over R."""
        judged, relevant = rankings.judged, rankings.relevant(self.rel)
        sample = judged.where(judged.grade >= 0)
        pooled = judged.above(np.flatnonzero(is_relevant(judged.grade, self.rel)))
        sampled = sample.above(np.flatnonzero(is_relevant(sample.grade, self.rel)))
        epsilon = 0.00001
        rank, found = relevant.rank, relevant.nth - 1.0
        above = rank - 1.0
        expected = ratio(pooled.astype(float), above) * (found + epsilon) / (sampled + 2 * epsilon)
        return ratio(relevant.sum(1 / rank + above / rank * expected), rankings.recall_base(self.rel))

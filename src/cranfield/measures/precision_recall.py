"""Precision and recall: how much of the list is relevant, how much of the relevant is in the list, at some depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cranfield.judged.completions import Bounds, open_documents
from cranfield.judged.judgments import is_relevant
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.bounds import bounds_of_counts
from cranfield.measures.framework.gains import binary
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import condensed, cutoff, level, parameter
from cranfield.measures.framework.prefix_sums import PrefixSums, sums_by_length
from cranfield.measures.framework.user_model import UserModel
from cranfield.measures.framework.weighted_share import WeightedShare
from cranfield.plumbing.arrays import Booleans, Floats, Integers, harmonic_mean, ratio


class Binary(Measure, registered=False):
    """A measure of relevant documents by rank."""

    cutoff: int | None = cutoff()
    rel: float | None = level()
    judged_only: bool = condensed()


class P(Binary, UserModel):
    """What share of the first k documents is relevant?

    P@k = (relevant documents among the first k) / k

    A list shorter than k counts as non-relevant below its end: the sum is still divided by k.

    Paper: van Rijsbergen (1979), "Information retrieval", chapter 7; trec_eval, P.

    >>> P(cutoff=4).of([1, 0, 1])  # 2/4
    0.5
    """

    looked_for = ("precision",)
    aliases = ("Precision",)
    trec_at = "P_{at}"
    at_required = True
    graded = False

    def view(self, rank: Integers) -> Floats:
        """Every rank down to the cutoff is seen."""
        return np.ones(len(rank))

    @property
    def depth(self) -> float:
        """k."""
        return float(self.cutoff or 1)

    gain_of = Measure.gain_of  # 1 for a relevant document

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count over cutoff."""
        return rankings.relevant(self.rel).count / self.depth

    def contributions(self, rankings: JudgedRankings) -> Floats | None:
        """1/k for each relevant document among the first k."""
        if self.judged_only:
            return None
        grade = rankings.judgments.grade.take(rankings.judgment)
        counts: Booleans = is_relevant(grade, self.rel) & (rankings.rank <= self.depth)
        return counts / self.depth


class BinaryShare(Binary, WeightedShare, registered=False):
    """Relevant documents found, as a share of those that could be."""

    graded = False

    gain_of = Measure.gain_of  # 1 for a relevant document

    def rank_weight(self, rank: Integers) -> Floats:
        """Every rank counts the same."""
        return np.ones(len(rank))


class R(BinaryShare):
    """What share of the relevant documents is among the first k?

    R@k = (relevant documents among the first k) / R

    Paper: van Rijsbergen (1979), "Information retrieval", chapter 7; trec_eval, recall.

    >>> R(cutoff=2).of([1, 0, 1], unretrieved=[1, 1])  # 1/4
    0.25
    """

    looked_for = ("recall", "BEIR", "MS MARCO")
    estimator = "share of the relevant"
    aliases = ("Recall",)
    trec_at = "recall_{at}"

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count over recall base."""
        return ratio(rankings.relevant(self.rel).count, rankings.recall_base(self.rel))

    def most(self, count: Integers) -> Floats:
        """All of them."""
        return count.astype(float)


class F(Binary, PrefixSums):
    """How good are precision and recall of the first k documents combined?

    F@k = (1 + beta²) P R / (beta² P + R), with P = P@k and R = R@k

    Without a cutoff it is SetF.

    Paper: van Rijsbergen (1979), "Information retrieval", chapter 7.

    >>> F(cutoff=4).of([1, 0, 1], unretrieved=[1, 1])  # P = 2/4, R = 2/4
    0.5
    """

    looked_for = ("F1", "F-measure")
    bounds_are = "exact; of a difference, an enclosure"
    beta: float = parameter(1.0, "how many times more recall weighs than precision", at_least=0)

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Count the relevant cells."""
        hits = rankings.relevant(self.rel)
        return hits, (np.ones(len(hits)),)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Weighted harmonic mean."""
        return self.mean(sums[0], self.depth(length), rankings.recall_base(self.rel)[:, None])

    def depth(self, length: Integers) -> Floats:
        """Return what precision divides by: the cutoff, or the lengths of lists."""
        return np.full(length.shape, float(self.cutoff)) if self.cutoff else length.astype(float)

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """More found, and less that could be."""
        if self.judged_only:
            return super().bounds(rankings)
        cut = rankings.cut(self.cutoff)
        hits, base, depth = cut.relevant(self.rel).count, cut.recall_base(self.rel), self.depth(cut.length[:, None])
        return bounds_of_counts(cut, self.rel, hits, base, lambda found, known: self.mean(found, depth, known))

    def mean(self, relevant: Floats, depth: Floats, base: Floats) -> Floats:
        """Return the weighted harmonic mean of precision and recall."""
        return harmonic_mean(ratio(relevant, depth), ratio(relevant, base), self.beta)


class RelativeP(BinaryShare):
    """What share of the best possible number of relevant documents is among the first k?

    RelativeP@k = (relevant documents among the first k) / min(k, R)

    Paper: trec_eval, relative_P.

    >>> RelativeP(cutoff=4).of([1, 0, 0, 0], unretrieved=[1])  # 1 / min(4, 2)
    0.5
    """

    trec_at = "relative_P_{at}"
    at_required = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count over what there is room for."""
        most = np.minimum(rankings.recall_base(self.rel), float(self.cutoff or 1))
        return ratio(rankings.relevant(self.rel).count, most)


class Success(Binary):
    """Is there a relevant document among the first k?

    Success@k = 1 if any of the first k documents is relevant, else 0

    Paper: trec_eval, success; Craswell and Hawking (2004), "Overview of the TREC 2004 web track".

    >>> Success(cutoff=2).of([0, 1]), Success(cutoff=1).of([0, 1])
    (1.0, 0.0)
    """

    aliases = ("HitRate", "HR", "Hit")
    looked_for = ("hit rate", "hit_rate", "hit ratio", "top-k accuracy")
    trec_at = "success_{at}"
    at_required = True
    at_typical = (1, 5, 10)
    uses_recall_base = False
    rises_with_grades = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Any relevant cell."""
        return (rankings.relevant(self.rel).count > 0).astype(float)


class RR(Binary):
    """How early does the first relevant document come?

    RR = 1 / (rank of the first relevant document), 0 without one

    With @k a first relevant document below rank k counts 0.

    Paper: Voorhees (1999), "The TREC-8 question answering track report"; trec_eval, recip_rank.

    >>> RR().of([0, 0, 1, 1])
    0.333...
    """

    looked_for = ("mean reciprocal rank", "MS MARCO")
    aliases = ("MRR",)
    trec = "recip_rank"
    uses_recall_base = False
    rises_with_grades = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """One over the first relevant rank (infinite where there is none)."""
        return 1.0 / rankings.relevant(self.rel).first_rank


class Rprec(Measure):
    """What share of the first R documents is relevant, R being the number of relevant documents?

    Rprec = (relevant documents among the first R) / R

    Paper: Buckley and Voorhees (2005), "Retrieval system evaluation", in "TREC: experiment and
    evaluation in information retrieval", section 3.2; trec_eval, Rprec.

    >>> Rprec().of([1, 0, 1], unretrieved=[1])  # R = 3: 2/3
    0.666...
    """

    aliases = ("RPrec",)
    trec = "Rprec"
    bounds_are = "exact; of a difference, an enclosure"
    rel: float | None = level()
    judged_only: bool = condensed()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count down to R, over R."""
        relevant, base = rankings.relevant(self.rel), rankings.recall_base(self.rel)
        return ratio(relevant.where(relevant.rank <= base[relevant.row]).count, base)

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """The more documents are relevant, the more ranks count."""
        return bounds_at_depth(self, rankings, lambda base: base)


class RprecMult(Measure):
    """What share of the first m·R documents is relevant?

    RprecMult@m = (relevant documents among the first c) / c, with c = floor(m·R + 0.9)

    Paper: trec_eval, Rprec_mult.

    >>> RprecMult(multiple=2).of([1, 0, 1], unretrieved=[])  # R = 2, c = 4: 2/4
    0.5
    """

    trec_at = "Rprec_mult_{at:.2f}"
    bounds_are = "exact; of a difference, an enclosure"
    at = "multiple"
    at_required = True
    at_typical = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
    multiple: float | None = parameter(None, "the cutoff as a multiple of R", above=0)
    rel: float | None = level()
    judged_only: bool = condensed()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count down to a multiple of R."""
        depth = np.floor((self.multiple or 1.0) * rankings.recall_base(self.rel) + 0.9)
        relevant = rankings.relevant(self.rel)
        return ratio(relevant.where(relevant.rank <= depth[relevant.row]).count, depth)

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """The more documents are relevant, the more ranks count."""
        return bounds_at_depth(self, rankings, lambda base: np.floor((self.multiple or 1.0) * base + 0.9))


def bounds_at_depth(measure: Measure, rankings: JudgedRankings, depth_of: Callable[[Floats], Floats]) -> Bounds:
    """Bound a precision whose depth follows from the recall base: for every number of relevant candidates.

    At best as many as possible are among the first ranks, and at worst as few.
    """
    if measure.judged_only:
        return Measure.bounds(measure, rankings)
    open_, relevant = open_documents(rankings), rankings.relevant(measure.rel)
    more = np.arange(int(open_.all.max(initial=0)) + 1)
    can_be = binary(rankings.judgments.scale, measure.rel) > 0
    there = (more <= open_.all[:, np.newaxis]) & (can_be | (more == 0))
    depth = depth_of(rankings.recall_base(measure.rel)[:, np.newaxis] + more)
    longest = int(rankings.length.max(initial=0))
    until = np.minimum(depth, longest).astype(np.int64)
    known = np.take_along_axis(sums_by_length(relevant, np.ones(len(relevant)), longest), until, axis=1)
    room = np.take_along_axis(sums_by_length(open_.cells, np.ones(len(open_.row)), longest), until, axis=1)
    best = ratio(known + np.minimum(more, room), depth)
    worst = ratio(known + np.maximum(more - (open_.all[:, np.newaxis] - room), 0), depth)
    low, high = np.where(there, worst, np.inf).min(axis=1), np.where(there, best, -np.inf).max(axis=1)
    return Bounds(low, high, "exact")

"""Cumulated gain: documents are worth their gain, the less the later they come."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from cranfield.judged.completions import Bounds, surely
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.gain_measure import GivenGains
from cranfield.measures.framework.gains import LARGEST_POWER, Dcg
from cranfield.measures.framework.measure import Estimator
from cranfield.measures.framework.parameters import condensed, cutoff, parameter
from cranfield.measures.framework.weighted_share import WeightedShare
from cranfield.plumbing.arrays import Floats, Integers, ratio
from cranfield.plumbing.errors import MeasureError

EACH: Final = 10_000
"""Means over ranks add up every rank down to here, the same in any company of runs."""


class CumulatedGain(GivenGains, registered=False):
    """Gains added up down the list: at every rank, and read off at one."""

    cutoff: int | None = cutoff()
    averaged: bool = parameter(False, "mean of the values at ranks 1 to k, instead of the value at k", kind=bool)
    judged_only: bool = condensed()

    def require_complete(self) -> None:
        """A mean over ranks needs to know how many."""
        if self.averaged and self.cutoff is None:
            raise MeasureError(f"{type(self).__name__}: averaged needs a cutoff, such as @200")

    def discount(self, rank: Integers) -> Floats:
        """Return what the gain at each rank is divided by."""
        return np.ones(len(rank))

    def rank_weight(self, rank: Integers) -> Floats:
        """One by the discount; averaged, in as many of the ranks down to the cutoff as are not above it."""
        weight = 1 / self.discount(rank)
        return weight * np.maximum(self.cutoff + 1 - rank, 0) / self.cutoff if self.averaged and self.cutoff else weight

    def steps(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells with a gain, and how much each of them lifts the curve."""
        cells, gain = self.gainful(rankings)
        return cells, gain / self.discount(cells.rank)

    def vectors(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Return the cumulated gain at ranks 1 to ``depth``: array of shape (rows, depth)."""
        cells, step = self.steps(rankings.cut(depth))
        return cells.table(step, depth).cumsum(axis=1)

    def ideal_vectors(self, judgments: Judgments, depth: int) -> Floats:
        """Return the cumulated gain of the ideal lists: array of shape (topics, depth)."""
        return judgments.remembered(
            ("ideal vectors", type(self).__name__, tuple(self.given.items()), depth),
            lambda: self.vectors(self.ideal(judgments), depth),
        )

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of the steps; each counts at its rank and all below it, where the ranks are averaged."""
        cells, step = self.steps(rankings)
        if self.averaged and self.cutoff:
            step = step * (self.cutoff + 1 - cells.rank) / self.cutoff
        return cells.sum(step)

    def contributions(self, rankings: JudgedRankings) -> Floats | None:
        """The gain by the discount of its rank; averaged, in as many ranks as are not above it."""
        if type(self).compute is not CumulatedGain.compute or self.judged_only:
            return None
        step = self.gain_of_cells(rankings) / self.discount(rankings.rank)
        return step * (self.cutoff + 1 - rankings.rank) / self.cutoff if self.averaged and self.cutoff else step

    def by_rank(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Value at every cutoff, in one pass."""
        values = self.vectors(rankings.condensed() if self.judged_only else rankings, depth)
        return values.cumsum(axis=1) / np.arange(1, depth + 1) if self.averaged else values


class Normalised(CumulatedGain, WeightedShare, registered=False):
    """Cumulated gain as a share of that of the ideal list."""

    bounds_are = "exact, of a difference too; averaged, an enclosure: the means of the bounds at each rank"

    estimator: Estimator | None = "share of the ideal"

    def check(self) -> None:
        """A mean of shares is estimated by none."""
        super().check()
        if self.averaged:
            self.estimator = None

    def is_share(self, judgments: Judgments) -> bool:
        """A mean of shares is none."""
        return super().is_share(judgments) and not self.averaged

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """Of a mean over ranks, the means of the bounds at each."""
        if not self.averaged or self.judged_only:
            return super().bounds(rankings)
        at_once = type(self)(**{**self.given, "averaged": False})
        documents = np.bincount(rankings.judgments.topic, minlength=1)
        weights = self._weights(max(rankings.length.max(initial=0), documents.max()))
        each = [(at_once @ k).bounds(rankings) for k in range(1, len(weights) + 1)]
        low, high = (np.average([getattr(f, end) for f in each], axis=0, weights=weights) for end in ("low", "high"))
        return Bounds(low, high, surely("enclosure", *(found.kind for found in each)))

    def _weights(self, last: int) -> Floats:
        """Say how many ranks down to the cutoff each rank stands for; the quotient stays what it is at the last."""
        k = self.cutoff or 1
        weights = np.ones(max(1, min(k, last)))
        weights[-1] += k - len(weights)
        return weights

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Quotient at the end of both lists; or, averaged over the ranks, the mean of the quotients."""
        cells, step = self.steps(rankings)
        if self.averaged and self.cutoff:
            ideal = self.ideal(rankings.judgments).cut(self.cutoff)
            weights = self._weights(max(EACH, rankings.length.max(initial=0), ideal.length.max(initial=0)))
            best = self.ideal_vectors(rankings.judgments, len(weights))
            # A step at rank r lifts the quotients from rank r on, each by its share of the ideal
            # there.
            lifts = (weights * ratio(1.0, best))[:, ::-1].cumsum(axis=1)[:, ::-1]
            return cells.sum(step * lifts[cells.row % len(rankings.topics), cells.rank - 1]) / self.cutoff
        return ratio(cells.sum(step), rankings.of_topics(self._ideal_sums(rankings.judgments)))

    def _ideal_sums(self, judgments: Judgments) -> Floats:
        """Return the sum of the steps of each topic's ideal list, down to the cutoff."""

        def made() -> Floats:
            cells, step = self.steps(self.ideal(judgments).cut(self.cutoff))
            return cells.sum(step)

        return judgments.remembered(("ideal sums", self), made)

    def fraction_by_rank(self, rankings: JudgedRankings, depth: int) -> tuple[Floats, Floats]:
        """The cumulated gain of the lists and of the ideal ones, whether or not the shares are averaged over ranks."""
        gained = self.vectors(rankings.condensed() if self.judged_only else rankings, depth)
        return gained, np.tile(self.ideal_vectors(rankings.judgments, depth), (len(rankings.runs), 1))

    def by_rank(self, rankings: JudgedRankings, depth: int) -> Floats:
        """Value at every cutoff, in one pass."""
        values = ratio(*self.fraction_by_rank(rankings, depth))
        return values.cumsum(axis=1) / np.arange(1, depth + 1) if self.averaged else values


class Discounted(CumulatedGain, registered=False):
    """Gains divided by the logarithm of the rank."""

    dcg: Dcg = parameter(
        "log2",
        "gain of a grade: the grade itself, or 2^grade - 1 with 'exp-log2'",
        kind=str,
        choices=("log2", "exp-log2"),
    )
    base: float | None = parameter(
        None, "logarithm by which ranks are discounted, from rank base on (without it, log2(i + 1))", above=1
    )
    from_rank_2: bool = parameter(False, "discount by log_base(i) from rank 2 on, however large the base", kind=bool)

    def check(self) -> None:
        """Refuse what contradicts itself."""
        name = type(self).__name__
        if self.gains is not None and self.dcg == "exp-log2":
            raise MeasureError(f"{name}: give either gains or dcg='exp-log2', not both")
        if self.from_rank_2 and self.base is None:
            raise MeasureError(f"{name}: from_rank_2 needs a base")
        # log_b(2) is below 1 for b above 2: a document then gains more at rank 2 than at rank 1.
        self.rewards_promotion = not (self.from_rank_2 and self.base is not None and self.base > 2)

    def discount(self, rank: Integers) -> Floats:
        """Logarithm of the rank, as ``base`` and ``from_rank_2`` have it."""
        if self.base is None:
            return np.asarray(np.log2(rank + 1.0))
        first = 2.0 if self.from_rank_2 else self.base
        return np.where(rank < first, 1.0, np.log(np.maximum(rank, 1.0)) / math.log(self.base))


class CG(CumulatedGain):
    """How much gain does the list bring?

    CG@k = Σ_{i ≤ k} g(i)

    The gain g is the grade, or is set per grade by gains={1:5,2:10}, which may be negative or
    fractional. Unjudged documents gain nothing, nor do negative grades unless gains= sets a value
    for them. averaged=True is the mean of CG@1 to CG@k.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS
    20(4), equation 1.

    >>> CG(cutoff=7).of([3, 2, 3, 0, 0, 1, 2, 2, 3])  # 3 + 2 + 3 + 0 + 0 + 1 + 2
    11.0
    """

    cumulates = "gains"
    range = (0.0, math.inf)
    uses_recall_base = False
    rises_with_grades = True
    estimator: Estimator | None = "sum over ranks"


class nCG(Normalised):  # noqa: N801 - as the field writes it
    """What share of the best list's gain does this list bring?

    nCG@k = CG@k / CG@k of the ideal list, CG@k = Σ_{i ≤ k} g(i)

    The ideal list has all judged documents of the topic by falling gain, including those not
    retrieved. averaged=True is the mean of nCG@1 to nCG@k.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS
    20(4), equations 1 and 5.

    >>> nCG(cutoff=2).of([1, 0, 2], unretrieved=[1])  # (1 + 0) / (2 + 1)
    0.333...
    """


class DCG(Discounted, CG):
    """How much gain does the list bring, discounted by rank?

    DCG@k = Σ_{i ≤ k} g(i) / log2(i + 1)

    The gain g is the grade; with dcg='exp-log2' it is 2^grade - 1; gains={1:5,2:10} sets it per
    grade. Unjudged documents gain nothing, nor do negative grades unless gains= sets a value for
    them.

    Three discounts are in use. Without a base it is log2(i + 1), as in trec_eval. base=b divides by
    log_b(i) from rank b on and leaves the ranks before it undiscounted, as Järvelin and Kekäläinen
    do in TOIS. With from_rank_2=True as well it divides from rank 2 on, which is equation 2 of
    their research note to the letter: for b = 10 it *raises* the gains of ranks 2 to 9. For b = 2
    the last two agree. averaged=True is the mean of DCG@1 to DCG@k.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS
    20(4), equation 2; without a base, the discount of Burges et al. (2005), "Learning to rank using
    gradient descent", ICML.

    >>> round(DCG().of([3, 0, 2]), 4)  # 3/log2(2) + 2/log2(4)
    4.0
    >>> round(DCG(base=2).of([3, 2, 3]), 2)  # 3 + 2/log2(2) + 3/log2(3)
    6.89
    """

    trec = "dcg"

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """Return the gain of each grade, which must be a number without being scaled."""
        if self.dcg == "exp-log2" and top_grade > LARGEST_POWER:
            raise MeasureError(
                f"{self}: 2^{top_grade:g} is too large a gain; pass gains=, or use nDCG, which is a quotient"
            )
        return super().gain_of(grade, top_grade)


class nDCG(Normalised, Discounted):  # noqa: N801 - as the field writes it
    """What share of the best list's gain does this list bring, discounted by rank?

    nDCG@k = DCG@k / DCG@k of the ideal list, DCG@k = Σ_{i ≤ k} g(i) / log2(i + 1)

    The ideal list has all judged documents of the topic by falling gain, including those not
    retrieved. The gain g is the grade (as in trec_eval and ir_measures); with dcg='exp-log2' it is
    2^grade - 1, as in most learning to rank and in gdeval, whose ndcg@20 is
    nDCG(dcg='exp-log2')@20; gains={1:5,2:10} sets it per grade. base and from_rank_2 choose the
    discount, as in DCG. averaged=True is the mean of nDCG@1 to nDCG@k, the avg-pos of the research
    note, whose Table 1 is nDCG(base=2,gains={1:1,2:10,3:100},averaged=True)@200.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS
    20(4), equations 2 and 5; without a base, the discount of Burges et al. (2005), "Learning to
    rank using gradient descent", ICML, as in trec_eval, ndcg and ndcg_cut.

    >>> round(nDCG(cutoff=3).of([1, 0, 2], unretrieved=[1]), 4)  # (1/1 + 2/2) / (2/1 + 1/log2(3) + 1/2)
    0.6388
    >>> nDCG(base=2, averaged=True, cutoff=2).of([0, 2])  # (0/2 + (2/1)/(2/1)) / 2
    0.5
    """

    looked_for = ("normalised discounted cumulated gain", "normalized discounted cumulative gain", "BEIR", "MTEB")
    aliases = ("NDCG",)
    trec = "ndcg"
    trec_at = "ndcg_cut_{at}"

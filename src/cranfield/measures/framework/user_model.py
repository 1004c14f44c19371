"""What a user model is: a user goes down a list, and its value is the gain of the documents weighted by who sees them.

In the framework of Moffat et al. (C/W/L) a measure is determined by C(i), the chance that a user who is
at rank i goes on to rank i + 1. V(i) = C(1)···C(i-1) is the chance to see rank i, W(i) = V(i) / ΣV
the share of the attention that it gets, and the value is ΣW(i)·g(i). ΣV = 1/W(1) is the expected
number of documents seen.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from cranfield.judged.completions import Bounds, Kind, open_documents
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.measures.framework.measure import Estimator
from cranfield.measures.framework.parameters import parameter
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import MeasureError


class UserModel(GainMeasure, registered=False):
    """A measure determined by the chance that each rank is seen, whatever its document: V(i). Gains are in [0, 1]."""

    uses_recall_base = False
    rises_with_grades = True
    bounds_are = "exact, of a difference too; without a cutoff, what could follow the end of a list is in them"
    fixed_weights = True
    estimator: Estimator | None = "sum over ranks"

    @abstractmethod
    def view(self, rank: Integers) -> Floats:
        """Return V: the chance that the rank is seen; the first always is."""

    @property
    @abstractmethod
    def depth(self) -> float:
        """ΣV: how many documents the user sees, on average."""

    def rank_weight(self, rank: Integers) -> Floats:
        """Return W = V / ΣV: the share of the user's attention that each rank gets."""
        return self.view(rank) / self.depth

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of weight times gain."""
        cells, gain = self.gainful(rankings)
        return cells.sum(self.view(cells.rank) * gain) / self.depth

    def contributions(self, rankings: JudgedRankings) -> Floats | None:
        """The weight of its rank times its gain."""
        if type(self).compute is not UserModel.compute or self.judged_only:
            return None
        return self.rank_weight(rankings.rank) * self.gain_of_cells(rankings)

    def in_parts(self, rankings: JudgedRankings) -> Floats | None:
        """The chance that its rank is seen times its gain; None for a measure that is no such sum."""
        if type(self).compute is not UserModel.compute:
            return None
        cells, gain = self.gainful(rankings)
        return cells.table(self.view(cells.rank) * gain, int(rankings.length.max(initial=0)))

    @property
    def endless(self) -> bool:
        """Without a cutoff, ranks below the end of a list are open."""
        return self.cutoff is None

    @property
    def attention(self) -> float:
        """ΣW: the share of the attention that ranks get which count; less than 1 where a cutoff leaves some out."""
        return 1.0

    def below(self, rank: Integers) -> Floats:
        """Return ΣW over the ranks below each of these: what a list that ends there leaves open, however little.

        From the small weights up where there is a cutoff; where there is none, the attention less
        ΣW down to the rank. A measure whose weights become tiny has a formula of its own, since
        such a difference would be rounding alone.
        """
        deepest = self.cutoff or int(np.max(rank, initial=0))
        weight = self.rank_weight(np.arange(1, deepest + 1))
        if self.cutoff:
            left = np.append(weight[::-1].cumsum()[::-1], 0.0)
        else:
            left = (self.attention - np.append(0.0, weight.cumsum())).clip(min=0.0)
        return left[np.minimum(rank, deepest)]

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """From the base, with nothing unjudged relevant, to what it is with all candidates of the largest grade.

        As in every other measure, nothing follows the end of a list that is shorter than the cutoff.
        Without a cutoff the ranks below the end are open: so the paper has the residual.
        """
        if self.judged_only:  # ranks are then those of the judged documents alone
            return super().bounds(rankings)
        base, candidates = self.score(rankings), open_documents(rankings.cut(self.cutoff)).cells
        open_ = candidates.sum(self.rank_weight(candidates.rank)) + self._after(rankings)
        return Bounds(base, base + self._most(rankings) * open_, self._sure(rankings))

    def least_difference(self, ours: JudgedRankings, theirs: JudgedRankings) -> tuple[Floats, Kind]:
        """Every candidate is relevant that weighs more for the other run; so is what could follow the end of its list.

        What both lists have at the same rank cancels.
        """
        if self.judged_only or not self.rises_with_grades:
            return super().least_difference(ours, theirs)
        _, place, more = self.weights_apart([(theirs, ours)])
        lost = np.bincount(ours.judgments.topic[place], weights=more.clip(min=0.0), minlength=ours.rows)
        base = self.scored(ours) - self.scored(theirs)
        return base - self._most(ours) * (lost + self._after(theirs)), self._sure(ours)

    def _most(self, rankings: JudgedRankings) -> float:
        """Return what a candidate can gain: what the largest grade does, or 1 where another could gain more."""
        top = rankings.judgments.scale
        return float(self.gain_of(top, top)) if self.gains_rise(rankings.judgments) else 1.0

    def _sure(self, rankings: JudgedRankings) -> Kind:
        return "exact" if self.gains_rise(rankings.judgments) else "enclosure"

    def _after(self, rankings: JudgedRankings) -> Floats:
        """Return what relevant documents after the end of a list could weigh; nothing where all are named, or found."""
        judgments = rankings.judgments
        return np.zeros(rankings.rows) if judgments.complete or judgments.ended else self.beyond(rankings.length)

    def beyond(self, length: Integers) -> Floats:
        """Return the weight of all ranks that could follow the ends of lists; none where there is a cutoff."""
        return np.zeros(length.shape) if self.cutoff else self.below(length)

    def residual(self, rankings: JudgedRankings) -> Floats:
        """Return what the unjudged documents, those below the end of the list included, could still add."""
        judged = rankings.judged
        return (1.0 - judged.sum(self.rank_weight(judged.rank))).clip(min=0.0)


class ScaledGain(GainMeasure, registered=False):
    """A measure whose gain is (grade - min_rel) / (max_rel - min_rel), kept within [0, 1]."""

    uses_recall_base = False
    min_rel: float = parameter(0.0, "the grade that gains nothing")
    max_rel: float | None = parameter(None, "the grade that gains 1 (without it, the largest of the qrels)")

    def check(self) -> None:
        """The scale must have two ends."""
        if self.max_rel is not None and self.max_rel <= self.min_rel:
            raise MeasureError(
                f"{type(self).__name__}: max_rel must be above min_rel ({self.min_rel:g}), not {self.max_rel:g}"
            )

    @property
    def gains_below(self) -> bool:
        """Whether there are grades of 0 or less above min_rel."""
        return self.min_rel < 0

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """Return the place of each grade between min_rel and max_rel."""
        top = top_grade if self.max_rel is None else self.max_rel
        return np.minimum(np.maximum(np.subtract(grade, self.min_rel), 0.0) / (top - self.min_rel or 1.0), 1.0)


def squares_from(x: Floats) -> Floats:
    """1/x² + 1/(x+1)² + 1/(x+2)² + ..., the trigamma function; 0 at infinity."""
    from scipy.special import polygamma

    finite = np.isfinite(x)
    return np.where(finite, polygamma(1, np.where(finite, x, 1.0)), 0.0)

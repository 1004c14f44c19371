"""Static user models: whether a user goes on does not depend on what was found. The terms are those of the machinery.

See :mod:`cranfield.measures.framework.user_model`.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cranfield.judged.completions import Bounds, Completions
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.gains import GainMap, binary, share_of_top
from cranfield.measures.framework.parameters import cutoff, level, parameter, persistence
from cranfield.measures.framework.user_model import ScaledGain, UserModel, squares_from
from cranfield.plumbing.arrays import Floats, Integers, ratio
from cranfield.plumbing.errors import MeasureError


class RBP(UserModel):
    """What gain per document does a user see who goes on to the next one with probability p?

    RBP = (1 - p) Σ g(i) p^(i-1)

    The gain g is the grade as a share of the largest grade of the qrels, unless gains= maps grades
    to [0, 1] or rel= makes it 0 or 1. @k leaves the weights as they are and counts the first k
    ranks. trec_eval 10's rbp has p = 0.9.

    Paper: Moffat and Zobel (2008), "Rank-biased precision for measurement of retrieval
    effectiveness", TOIS 27(1), equation 4; Moffat, Webber and Zobel (2007), "Strategic system
    comparisons via targeted relevance judgments", SIGIR, section 2.

    >>> round(RBP(p=0.8).of([0, 1, 1, 0, 0, 1, None, 0, 0, 1]), 3)  # 0.2 · (0.8 + 0.8² + 0.8⁵ + 0.8⁹)
    0.38
    """

    looked_for = ("rank-biased precision",)
    in_trec10: ClassVar[str | None] = "rbp"  # What trec_eval 10 calls it, which has it with p = 0.9 alone
    shares_level = False  # the level of other measures leaves a graded gain graded
    cutoff: int | None = cutoff()
    p: float = persistence()
    rel: float | None = level()
    gains: GainMap | None = parameter(None, "gain of each grade, in [0, 1]", kind=GainMap)

    def check(self) -> None:
        """Gains are shares of the most that a document can give."""
        name = type(self).__name__
        if self.gains is not None and self.rel is not None:
            raise MeasureError(f"{name}: give either gains or rel, not both")
        if self.gains is not None and any(not 0 <= gain <= 1 for gain in self.gains.values()):
            raise MeasureError(f"{name}: gains must be at least 0 and at most 1, not {self.gains}")

    def view(self, rank: Integers) -> Floats:
        """Every further rank is seen with probability p."""
        return self.p ** (rank - 1.0)

    @property
    def depth(self) -> float:
        """1 / (1 - p)."""
        return 1.0 / (1.0 - self.p)

    @property
    def attention(self) -> float:
        """All of it, or that of the first k ranks: 1 - p^k."""
        return 1.0 if self.cutoff is None else 1.0 - self.p**self.cutoff

    def below(self, rank: Integers) -> Floats:
        """p^n; with a cutoff at k, p^n - p^k, and nothing from k on."""
        open_: Floats = np.power(self.p, np.asarray(rank, np.float64))
        if self.cutoff is None:
            return open_
        return open_ * (1.0 - np.power(self.p, np.maximum(self.cutoff - rank, 0.0)))

    def gain_of(self, grade: Floats | float, top_grade: float) -> Floats:
        """1 from ``rel`` on; or what ``gains`` says; or the share of the largest grade of the qrels."""
        if self.rel is not None:
            return binary(grade, self.rel)
        if self.gains is None:
            return share_of_top(grade, top_grade)
        if self.gains.of(np.append(grade, top_grade)).max() > 1:
            raise MeasureError(f"every grade of the qrels needs a gain of at most 1; {self.gains} exceeds it")
        return self.gains.of(grade)

    def gainful(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Refuse gains that leave a grade of the qrels above 1, whether it was retrieved or not."""
        if self.gains is not None:
            self.gain_of(np.nan_to_num(rankings.judgments.grades), rankings.judgments.top_grade)
        return super().gainful(rankings)

    def trec_name(self) -> str:
        """Name it as trec_eval 10 does, whose default is p = 0.9."""
        return self.in_trec10 if self.in_trec10 and self.p == 0.9 and set(self.given) == {"p"} else str(self)


class RBPResidual(RBP):
    """How much could unjudged documents still add to RBP?

    RBPResidual = (1 - p) Σ p^(i-1) over the unjudged ranks i, all ranks below the end of the list
    among them

    It is what is left of the total weight of 1. trec_eval 10 leaves out the tail p^n where every
    retrieved document is judged; here it always counts.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, section 2.

    >>> round(RBPResidual(p=0.8).of([0, 1, 1, 0, 0, 1, None, 0, 0, 1]), 3)  # 0.2 · 0.8⁶ + 0.8¹⁰
    0.16
    """

    in_trec10 = "rbp_resid"
    graded = False
    rewards_promotion = False
    fixed_weights = False
    estimator = None
    rises_with_grades = False
    higher_is_better = False
    bounds_are = "exact: what is left when all candidates are judged, and what is left now"

    def compute(self, rankings: JudgedRankings) -> Floats:
        """One less the weight of the judged cells."""
        return self.residual(rankings)

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """From what only the end of the list leaves open to what is open now."""
        return Bounds(self.score(Completions(rankings).nothing()), self.score(rankings), "exact")


class RBPProjected(RBP):
    """What would RBP be if unjudged documents gained as much as judged ones?

    RBPProjected = RBP / (1 - residual), which is RBP + residual · RBP / (1 - residual)

    Without a judged document there is nothing to project from: 0.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, section 3.

    >>> round(RBPProjected(p=0.5).of([1, None, 0]), 4)  # base 1/2, residual 1/4 + 1/8: (1/2) / (5/8)
    0.8
    """

    in_trec10 = None
    rewards_promotion = False
    fixed_weights = False
    estimator = None
    rises_with_grades = False
    bounds_are = "an enclosure: base, and base and residual, between which it estimates RBP"

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Base over what is judged of the weight."""
        return ratio(super().compute(rankings), 1.0 - self.residual(rankings))

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """Base, and base and residual: it is an estimate of what lies between them."""
        cut = rankings.cut(self.cutoff)
        base = super().compute(cut)
        return Bounds(base, base + self.residual(cut), "enclosure")


class INSQ(ScaledGain, UserModel):
    """What gain per document does a user see who expects to find T relevant documents?

    INSQ = Σ W(i) g(i), with C(i) = ((i + 2T - 1) / (i + 2T))², so that V(i) = (2T / (i + 2T - 1))²

    The gain is (grade - min_rel) / (max_rel - min_rel). The list is taken as infinite, as in the
    paper; cwl_eval ends it after 1,000 ranks, which gives values larger by one part in 600 for T =
    1.

    Paper: Moffat, Scholer and Thomas (2012), "Models and metrics: IR evaluation as a user process",
    ADCS.

    >>> round(INSQ().of([1, 0]), 4)  # V(1) = 1, ΣV = 4·(π²/6 - 1) = 2.5797
    0.3876
    """

    T: float = parameter(1.0, "the gain that the user hopes for", above=0)

    def view(self, rank: Integers) -> Floats:
        """Product of the chances to go on."""
        return (2 * self.T / (rank - 1 + 2 * self.T)) ** 2

    @property
    def depth(self) -> float:
        """Sum of the squares of 2T / (i + 2T - 1)."""
        return 4 * self.T**2 * float(squares_from(np.array([2 * self.T]))[0])


class SDCG(ScaledGain, UserModel):
    """How close is the discounted gain to that of k perfect documents?

    SDCG@k = Σ_{i ≤ k} g(i) / log2(i + 1)  /  Σ_{i ≤ k} 1 / log2(i + 1)

    Paper: Järvelin and Kekäläinen (2002), TOIS 20(4), scaled as in Moffat, Thomas and Scholer
    (2013), "Users versus models: what observation tells us about effectiveness metrics", CIKM.

    >>> round(SDCG(cutoff=2).of([0, 1]), 4)  # (1/log2 3) / (1/log2 2 + 1/log2 3)
    0.3869
    """

    at_required = True
    cutoff: int | None = cutoff()

    def view(self, rank: Integers) -> Floats:
        """Discount by the logarithm of the rank."""
        discount: Floats = 1.0 / np.log2(rank + 1.0)
        return discount

    @property
    def depth(self) -> float:
        """Sum of the discounts down to the cutoff."""
        return float(self.view(np.arange(1, (self.cutoff or 1) + 1)).sum())

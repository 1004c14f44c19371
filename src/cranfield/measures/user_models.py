"""User models: a user goes down the list, and the measure is the gain of the documents weighted by who sees them.

In the framework of Moffat et al. (C/W/L) a measure is told by C(i), the chance that a user who is at rank i goes on to
rank i + 1. V(i) = C(1)···C(i-1) is the chance to see rank i, W(i) = V(i) / ΣV the share of the attention that it gets,
and the value is ΣW(i)·g(i). ΣV = 1/W(1) is the expected number of documents seen.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from cranfield.arrays import Floats, Integers
from cranfield.errors import MeasureError
from cranfield.measures.machinery.gains import GainMap
from cranfield.measures.machinery.measure import Measure, cutoff, level, parameter, ratio
from cranfield.rankings import Cells, JudgedRankings


class UserModel(Measure, registered=False):
    """A measure told by the chance that each rank is seen, whatever stands there: V(i)."""

    graded = True
    uses_recall_base = False

    @abstractmethod
    def view(self, rank: Integers) -> Floats:
        """Return V: the chance that the rank is seen; the first always is."""

    @property
    @abstractmethod
    def depth(self) -> float:
        """ΣV: how many documents the user sees, on average."""

    @abstractmethod
    def gain(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells with a gain, and their gain in [0, 1]."""

    def weight(self, rank: Integers) -> Floats:
        """Return W = V / ΣV: the share of the user's attention that each rank gets."""
        return self.view(rank) / self.depth

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of weight times gain."""
        cells, gain = self.gain(rankings)
        return cells.sum(self.view(cells.rank) * gain) / self.depth

    @property
    def attention(self) -> float:
        """ΣW: the share of the attention that ranks get which count; less than 1 where a cutoff leaves some out."""
        return 1.0

    def bounds(self, rankings: JudgedRankings) -> tuple[Floats, Floats, bool]:
        """From the base, with nothing unjudged relevant, to the base and the residual."""
        if getattr(self, "judged_only", False):  # ranks are then those of the judged documents alone
            return super().bounds(rankings)
        k = getattr(self, "cutoff", None)
        base = self.score(rankings)
        judged = (rankings if k is None else rankings.cut(k)).judged
        open_ = self.attention - judged.sum(self.weight(judged.rank))
        return base, base + open_.clip(min=0.0), True

    def residual(self, rankings: JudgedRankings) -> Floats:
        """Return what the unjudged documents, those below the end of the list included, could still add."""
        judged = rankings.judged
        left = 1.0 - judged.sum(self.weight(judged.rank))
        return left.clip(min=0.0)


def graded_gain(rankings: JudgedRankings, rel: float | None, gains: GainMap | None) -> tuple[Cells, Floats]:
    """Gain in [0, 1]: 1 from ``rel`` on; or what ``gains`` says; or the share of the largest grade of the qrels."""
    if rel is not None:
        cells = rankings.relevant(rel)
        return cells, np.ones(len(cells))
    if gains is not None:
        if gains.of(np.nan_to_num(rankings.judgments.grade)).max(initial=0) > 1:
            raise MeasureError(f"every grade of the qrels needs a gain of 1 at the most; {gains} leaves one above it")
        return rankings.judged, gains.of(rankings.judged.grade)
    cells = rankings.relevant()
    return cells, cells.grade / (rankings.judgments.top_grade or 1.0)


class RBP(UserModel):
    """How much of what they see does a user gain, who goes on to the next document with probability p?

    RBP = (1 - p) Σ g(i) p^(i-1)

    The gain g is the grade as a share of the largest grade of the qrels, unless gains= maps grades to [0, 1] or rel=
    makes it 0 or 1. @k leaves the weights as they are and counts the first k ranks. trec_eval 10's rbp has p = 0.9.

    Paper: Moffat and Zobel (2008), "Rank-biased precision for measurement of retrieval effectiveness", TOIS 27(1),
    equation 4; Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance judgments",
    SIGIR, section 2.

    >>> round(RBP(p=0.8).of([0, 1, 1, 0, 0, 1, None, 0, 0, 1]), 3)  # 0.2 · (0.8 + 0.8² + 0.8⁵ + 0.8⁹)
    0.38
    """

    cutoff: int | None = cutoff()
    p: float = parameter(
        0.8, "persistence: the chance of going on to the next document", above=0, below=1, always_shown=True
    )
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

    def gain(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Share of the largest grade."""
        return graded_gain(rankings, self.rel, self.gains)

    def with_level(self, rel: float) -> RBP:
        """The level of other measures leaves a graded gain graded."""
        return self

    def trec_name(self) -> str:
        """Name it as trec_eval 10 does, whose default is p = 0.9."""
        return "rbp" if self.p == 0.9 and set(self.given) == {"p"} else str(self)


class RBPResidual(RBP):
    """How much could the documents that nobody judged still add to RBP?

    RBPResidual = (1 - p) Σ p^(i-1) over the unjudged ranks i, all ranks below the end of the list among them

    It is what is left of the total weight of 1. trec_eval 10 leaves out the tail p^n where every retrieved document is
    judged; here it always counts.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance judgments", SIGIR,
    section 2.

    >>> round(RBPResidual(p=0.8).of([0, 1, 1, 0, 0, 1, None, 0, 0, 1]), 3)  # 0.2 · 0.8⁶ + 0.8¹⁰
    0.16
    """

    graded = False
    rewards_promotion = False
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """One less the weight of the judged cells."""
        return self.residual(rankings)

    def bounds(self, rankings: JudgedRankings) -> tuple[Floats, Floats, bool]:
        """It is what it is: a statement about the judgments there are."""
        value = self.score(rankings)
        return value, value, True

    def trec_name(self) -> str:
        """Name it as trec_eval 10 does, whose default is p = 0.9."""
        return "rbp_resid" if self.p == 0.9 and set(self.given) == {"p"} else str(self)


class RBPProjected(RBP):
    """What would RBP be, if unjudged documents gained as much as judged ones do?

    RBPProjected = RBP / (1 - residual), which is RBP + residual · RBP / (1 - residual)

    Without a judged document there is nothing to project from: 0.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance judgments", SIGIR,
    section 3.

    >>> round(RBPProjected(p=0.5).of([1, None, 0]), 4)  # base 1/2, residual 1/4 + 1/8: (1/2) / (5/8)
    0.8
    """

    rewards_promotion = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Base over what is judged of the weight."""
        return ratio(super().compute(rankings), 1.0 - self.residual(rankings))

    def bounds(self, rankings: JudgedRankings) -> tuple[Floats, Floats, bool]:
        """Those of RBP, of which it is an estimate."""
        return RBP(**self.given).bounds(rankings)

    def trec_name(self) -> str:
        """trec_eval does not have it."""
        return str(self)


class ScaledGain(Measure, registered=False):
    """A measure whose gain is (grade - min_rel) / (max_rel - min_rel), kept within [0, 1]."""

    graded = True
    uses_recall_base = False
    min_rel: float = parameter(0.0, "the grade that gains nothing")
    max_rel: float | None = parameter(None, "the grade that gains 1 (without it, the largest of the qrels)")

    def check(self) -> None:
        """The scale must have two ends."""
        if self.max_rel is not None and self.max_rel <= self.min_rel:
            raise MeasureError(
                f"{type(self).__name__}: max_rel must be above min_rel ({self.min_rel:g}), not {self.max_rel:g}"
            )

    def gain(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells above min_rel, and their place between min_rel and max_rel."""
        top = rankings.judgments.top_grade if self.max_rel is None else self.max_rel
        judged = rankings.judged
        cells = judged.where(judged.grade > self.min_rel)
        return cells, np.minimum((cells.grade - self.min_rel) / (top - self.min_rel or 1.0), 1.0)


class INSQ(ScaledGain, UserModel):
    """How much of what they see does a user gain, who began with T relevant documents in mind?

    INSQ = Σ W(i) g(i), with C(i) = ((i + 2T - 1) / (i + 2T))², so that V(i) = (2T / (i + 2T - 1))²

    The gain is (grade - min_rel) / (max_rel - min_rel). The list is taken as infinite, as in the paper; cwl_eval ends
    it after 1,000 ranks, which gives values larger by one part in 600 for T = 1.

    Paper: Moffat, Scholer and Thomas (2012), "Models and metrics: IR evaluation as a user process", ADCS.

    >>> round(INSQ().of([1, 0]), 4)  # V(1) = 1, ΣV = 4·(π²/6 - 1) = 2.5797
    0.3876
    """

    T: float = parameter(1.0, "how much gain the user hopes for", above=0)

    def view(self, rank: Integers) -> Floats:
        """Product of the chances to go on."""
        return (2 * self.T / (rank + 2 * self.T - 1)) ** 2

    @property
    def depth(self) -> float:
        """Sum of the squares of 2T / (i + 2T - 1)."""
        return 4 * self.T**2 * float(squares_from(np.array([2 * self.T]))[0])


class SDCG(ScaledGain, UserModel):
    """How close comes the discounted gain to that of k perfect documents?

    SDCG@k = Σ_{i ≤ k} g(i) / log2(i + 1)  /  Σ_{i ≤ k} 1 / log2(i + 1)

    Paper: Järvelin and Kekäläinen (2002), TOIS 20(4), scaled as in Moffat, Thomas and Scholer (2013), "Users versus
    models: what observation tells us about effectiveness metrics", CIKM.

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


def squares_from(x: Floats) -> Floats:
    """1/x² + 1/(x+1)² + 1/(x+2)² + ..., the trigamma function; 0 at infinity.

    >>> round(float(squares_from(np.array([1.0]))[0]) * 6 / np.pi**2, 12)
    1.0
    """
    from scipy.special import polygamma

    finite = np.isfinite(x)
    squares: Floats = np.where(finite, polygamma(1, np.where(finite, x, 1.0)), 0.0)
    return squares

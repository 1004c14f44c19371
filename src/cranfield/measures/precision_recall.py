"""Precision and recall: how much of the list is relevant, how much of the relevant is in the list, at some depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from cranfield.arrays import Floats, Integers
from cranfield.errors import MeasureError
from cranfield.measures.machinery.gains import number
from cranfield.measures.machinery.measure import Measure, condensed, cutoff, level, parameter, ratio
from cranfield.measures.user_models import UserModel
from cranfield.rankings import Cells, JudgedRankings


class Binary(Measure, registered=False):
    """A measure of relevant documents by rank."""

    cutoff: int | None = cutoff()
    rel: float | None = level()
    judged_only: bool = condensed()


class P(Binary, UserModel):
    """What share of the first k documents is relevant?

    P@k = (relevant documents among the first k) / k

    A list shorter than k is not relevant below its end: it is still divided by k.

    Paper: van Rijsbergen (1979), "Information retrieval", chapter 7; trec_eval, P.

    >>> P(cutoff=4).of([1, 0, 1])  # 2/4
    0.5
    """

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

    def gain(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """1 for a relevant document."""
        cells = rankings.relevant(self.rel)
        return cells, np.ones(len(cells))

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count over cutoff."""
        return rankings.relevant(self.rel).count / self.depth


class R(Binary):
    """What share of the relevant documents is among the first k?

    R@k = (relevant documents among the first k) / R

    Paper: van Rijsbergen (1979), "Information retrieval", chapter 7; trec_eval, recall.

    >>> R(cutoff=2).of([1, 0, 1], unretrieved=[1, 1])  # 1/4
    0.25
    """

    aliases = ("Recall",)
    trec_at = "recall_{at}"

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count over recall base."""
        return ratio(rankings.relevant(self.rel).count, rankings.recall_base(self.rel))


class F(Binary):
    """How good are precision and recall of the first k documents together?

    F@k = (1 + beta²) P R / (beta² P + R), with P = P@k and R = R@k

    Without a cutoff it is SetF.

    Paper: van Rijsbergen (1979), "Information retrieval", chapter 7.

    >>> F(cutoff=4).of([1, 0, 1], unretrieved=[1, 1])  # P = 2/4, R = 2/4
    0.5
    """

    beta: float = parameter(1.0, "how many times as much recall weighs as precision", at_least=0)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Weighted harmonic mean."""
        relevant = rankings.relevant(self.rel).count
        depth = np.full(len(relevant), float(self.cutoff)) if self.cutoff else rankings.length.astype(float)
        return self.mean(relevant, depth, rankings.recall_base(self.rel))

    def mean(self, relevant: Floats, depth: Floats, base: Floats) -> Floats:
        """Return the weighted harmonic mean of precision and recall."""
        precision, recall = ratio(relevant, depth), ratio(relevant, base)
        squared = self.beta * self.beta
        return ratio((1 + squared) * precision * recall, squared * precision + recall)

    def by_prefix(self, rankings: JudgedRankings) -> Floats:
        """Count the relevant documents down to every rank: all prefixes in one pass."""
        if self.judged_only:  # ranks then shift from prefix to prefix
            return super().by_prefix(rankings)
        longest = int(rankings.length.max(initial=0))
        counted = rankings if self.cutoff is None else rankings.cut(self.cutoff)
        hits = counted.relevant(self.rel)
        relevant = np.hstack([np.zeros((rankings.rows, 1)), hits.table(np.ones(len(hits)), longest).cumsum(axis=1)])
        prefix = np.minimum(np.arange(longest + 1), rankings.length[:, None])
        depth = np.full(prefix.shape, float(self.cutoff)) if self.cutoff else prefix.astype(float)
        base = np.repeat(rankings.recall_base(self.rel), longest + 1)
        return self.mean(relevant.ravel(), depth.ravel(), base).reshape(relevant.shape)


class RelativeP(Binary):
    """What share of the first k places that could be relevant is relevant?

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

    trec_at = "success_{at}"
    at_required = True
    at_typical = (1, 5, 10)
    uses_recall_base = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Any relevant cell."""
        return (rankings.relevant(self.rel).count > 0).astype(float)


class RR(Binary):
    """How soon does the first relevant document come?

    RR = 1 / (rank of the first relevant document), 0 without one

    With @k a first relevant document below rank k counts 0.

    Paper: Voorhees (1999), "The TREC-8 question answering track report"; trec_eval, recip_rank.

    >>> RR().of([0, 0, 1, 1])
    0.333...
    """

    aliases = ("MRR",)
    trec = "recip_rank"
    uses_recall_base = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """One over the first relevant rank (infinite where there is none)."""
        return 1.0 / rankings.relevant(self.rel).first_rank


class Rprec(Measure):
    """What share of the first R documents is relevant, R being how many relevant documents there are?

    Rprec = (relevant documents among the first R) / R

    Paper: Buckley and Voorhees (2005), "Retrieval system evaluation", in "TREC: experiment and evaluation in
    information retrieval", section 3.2; trec_eval, Rprec.

    >>> Rprec().of([1, 0, 1], unretrieved=[1])  # R = 3: 2/3
    0.666...
    """

    aliases = ("RPrec",)
    trec = "Rprec"
    rel: float | None = level()
    judged_only: bool = condensed()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count down to R, over R."""
        relevant, base = rankings.relevant(self.rel), rankings.recall_base(self.rel)
        return ratio(relevant.where(relevant.rank <= base[relevant.row]).count, base)


class RprecMult(Measure):
    """What share of the first m·R documents is relevant?

    RprecMult@m = (relevant documents among the first c) / c, with c = floor(m·R + 0.9)

    Paper: trec_eval, Rprec_mult.

    >>> RprecMult(multiple=2).of([1, 0, 1], unretrieved=[])  # R = 2, c = 4: 2/4
    0.5
    """

    trec_at = "Rprec_mult_{at:.2f}"
    at = "multiple"
    at_required = True
    at_typical = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
    multiple: float | None = parameter(None, "which multiple of R is the cutoff", above=0)
    rel: float | None = level()
    judged_only: bool = condensed()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Count down to a multiple of R."""
        depth = np.floor((self.multiple or 1.0) * rankings.recall_base(self.rel) + 0.9)
        relevant = rankings.relevant(self.rel)
        return ratio(relevant.where(relevant.rank <= depth[relevant.row]).count, depth)


Rounding = Literal["trec9", "trec10"]


class Interpolated(Measure, registered=False):
    """Precision at recall levels, interpolated as the highest precision from there on."""

    rel: float | None = level()
    judged_only: bool = condensed()
    rounding: Rounding = parameter(
        "trec9",
        "how a level becomes a number of documents: floor(level·R + 0.9), or to the nearest as in trec_eval 10",
        kind=str,
        choices=("trec9", "trec10"),
    )

    def at_level(self, rankings: JudgedRankings, level: float) -> Floats:
        """Return, by row, the highest precision at that many relevant documents or more; 0 where there are fewer."""
        relevant, base = rankings.relevant(self.rel), rankings.recall_base(self.rel)
        wanted = np.floor(level * base + (0.9 if self.rounding == "trec9" else 0.5))
        best = rankings.once(
            ("interpolated precision", self.rel), lambda: relevant.largest_from(relevant.nth / relevant.rank)
        )
        at = relevant.nth == np.maximum(wanted, 1)[relevant.row]
        return relevant.sum(np.where(at, best, 0.0))


class IPrec(Interpolated):
    """What is the highest precision at this recall or a higher one?

    IPrec@r = max of P@i over the ranks i at which at least c relevant documents were retrieved, c = floor(r·R + 0.9)

    The rounding of r·R to a number of documents is trec_eval 9's; rounding='trec10' takes the nearest number, as
    trec_eval 10 does, which changes figures where R is small.

    Paper: trec_eval, iprec_at_recall; van Rijsbergen (1979), "Information retrieval", chapter 7.

    >>> IPrec(recall=0.5).of([0, 1, 1, 0, 1], unretrieved=[1])  # R = 4, c = 2: max(2/3, 3/5)
    0.666...
    """

    trec_at = "iprec_at_recall_{at:.2f}"
    at = "recall"
    at_required = True
    at_typical = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    recall: float | None = parameter(None, "the recall level", at_least=0, at_most=1)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Highest precision from the level on."""
        return self.at_level(rankings, self.recall or 0.0)

    def trec_name(self) -> str:
        """The rounding is the version's, not the name's."""
        return f"iprec_at_recall_{self.recall:.2f}"


class Levels(tuple[float, ...]):
    """Recall levels, rising.

    >>> str(Levels([0.2, 0.5]))
    '[0.2,0.5]'
    """

    __slots__ = ()
    written = "a list of numbers from 0 to 1"

    def __new__(cls, levels: tuple[float, ...] | list[float]) -> Levels:
        """Check that each is a share."""
        numbers = sorted(float(level) for level in levels)
        if not numbers or not 0 <= numbers[0] <= numbers[-1] <= 1:
            raise ValueError("recall levels are a list of numbers from 0 to 1")
        return super().__new__(cls, numbers)

    def __str__(self) -> str:
        return "[" + ",".join(map(number, self)) + "]"


ELEVEN = Levels([i / 10 for i in range(11)])


class IPrecAvg(Interpolated):
    """What is the interpolated precision, averaged over levels of recall?

    IPrecAvg = mean of IPrec@r over the levels r = 0, 0.1, ..., 1 (11-point average precision)

    Paper: trec_eval, 11pt_avg; Salton and McGill (1983), "Introduction to modern information retrieval", chapter 5.

    >>> IPrecAvg(levels=[0.5, 1]).of([0, 1, 1], unretrieved=[])  # (2/3 + 2/3) / 2
    0.666...
    """

    trec = "11pt_avg"
    levels: Levels = parameter(ELEVEN, "the recall levels", kind=Levels)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean over the levels."""
        total = np.zeros(rankings.rows)
        for recall in reversed(self.levels):  # added up from the highest, as trec_eval does
            total += self.at_level(rankings, recall)
        return total / len(self.levels)

    def trec_name(self) -> str:
        """Name it as trec_eval does: 11pt_avg_.25,.5."""
        written = ",".join(number(level).removeprefix("0") or "0" for level in self.levels)
        return "11pt_avg" if self.levels == ELEVEN else f"11pt_avg_{written}"

    @classmethod
    def from_trec(cls, given: str) -> Iterator[Measure]:
        """Read trec_eval's list of levels."""
        try:
            yield cls(levels=Levels([float(part) for part in given.split(",")]))
        except ValueError:
            raise MeasureError(f"11pt_avg.{given}: recall levels are numbers from 0 to 1") from None

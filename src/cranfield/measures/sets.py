"""Sets: measures of what was retrieved, whatever its order."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.judged.completions import Bounds
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.bounds import bounds_of_counts
from cranfield.measures.framework.gains import number
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import LARGEST_COLLECTION, condensed, level, parameter
from cranfield.measures.framework.prefix_sums import PrefixSums
from cranfield.plumbing.arrays import Floats, Integers, harmonic_mean, ratio
from cranfield.plumbing.errors import MeasureError


class SetMeasure(PrefixSums, registered=False):
    """A measure of the retrieved set: ret documents, relret of them relevant, out of R."""

    bounds_are = "exact; of a difference, an enclosure"
    rel: float | None = level()
    judged_only: bool = condensed()

    @abstractmethod
    def worth(self, relret: Floats, ret: Floats, base: Floats) -> Floats:
        """Give the value of sets, from how many relevant documents and documents they have, and the recall base."""

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Count the relevant cells."""
        hits = rankings.relevant(self.rel)
        return hits, [np.ones(len(hits))]

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Give the worth of lists of these lengths."""
        return self.worth(sums[0], length.astype(float), rankings.recall_base(self.rel)[:, np.newaxis])

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """More retrieved, and more that could be."""
        if self.judged_only:
            return super().bounds(rankings)
        hits, base = rankings.relevant(self.rel).count, rankings.recall_base(self.rel)
        ret = rankings.length[:, None].astype(float)
        return bounds_of_counts(rankings, self.rel, hits, base, lambda found, known: self.worth(found, ret, known))


class SetP(SetMeasure):
    """What share of the retrieved documents is relevant?

    SetP = relret / ret; with relative=True relret / min(ret, R)

    Paper: trec_eval, set_P; van Rijsbergen (1979), "Information retrieval", chapter 7.

    >>> SetP().of([1, 0, 0, 1])  # 2/4
    0.5
    """

    trec = "set_P"
    relative: bool = parameter(False, "divide by min(ret, R), the most that could be relevant", kind=bool)

    def worth(self, relret: Floats, ret: Floats, base: Floats) -> Floats:
        """Precision of the set."""
        return ratio(relret, np.minimum(ret, base) if self.relative else ret + 0 * base)


class SetRelP(SetMeasure):
    """What share of the relevant documents that fit in the list was retrieved?

    SetRelP = relret / min(ret, R)

    Paper: trec_eval, set_relative_P.

    >>> SetRelP().of([1, 0, 0, 0], unretrieved=[1])  # 1 / min(4, 2)
    0.5
    """

    trec = "set_relative_P"

    def worth(self, relret: Floats, ret: Floats, base: Floats) -> Floats:
        """Relative precision of the set."""
        return ratio(relret, np.minimum(ret, base))


class SetR(SetMeasure):
    """What share of the relevant documents was retrieved?

    SetR = relret / R

    Paper: trec_eval, set_recall; van Rijsbergen (1979), "Information retrieval", chapter 7.

    >>> SetR().of([1, 0, 1], unretrieved=[1, 1])  # 2/4
    0.5
    """

    trec = "set_recall"

    def worth(self, relret: Floats, ret: Floats, base: Floats) -> Floats:
        """Recall of the set."""
        return ratio(relret, base)


class SetF(SetMeasure):
    """How good are precision and recall of the retrieved set combined?

    SetF = (1 + beta²) P R / (beta² P + R), with P = relret / ret and R = relret / R

    Recall weighs beta times as much as precision. What trec_eval (and with it ir_measures) takes as
    the parameter of set_F is beta²: their set_F.0.5 is SetF(beta=0.7071) here. For beta = 1 all
    agree.

    Paper: van Rijsbergen (1979), "Information retrieval", chapter 7; trec_eval, set_F.

    >>> SetF().of([1, 0, 0, 1], unretrieved=[1, 1])  # P = 2/4, R = 2/4
    0.5
    >>> round(SetF(beta=2).of([1, 0, 0, 0], unretrieved=[1]), 4)  # (1 + 4) · 1/4 · 1/2 / (4 · 1/4 + 1/2)
    0.4167
    """

    trec = "set_F"
    beta: float = parameter(1.0, "how many times more recall weighs than precision", at_least=0)

    def worth(self, relret: Floats, ret: Floats, base: Floats) -> Floats:
        """Weighted harmonic mean."""
        return harmonic_mean(ratio(relret, ret), ratio(relret, base), self.beta)

    @classmethod
    def from_trec(cls, given: str) -> Iterator[Measure]:
        """Read trec_eval's parameter, which is the square of beta."""
        yield cls(beta=math.sqrt(float(given)))


class SetAP(SetMeasure):
    """How good are precision and recall of the retrieved set, multiplied?

    SetAP = (relret / ret) · (relret / R)

    It is what average precision would be if every relevant document had the precision of the whole
    set.

    Paper: trec_eval, set_map.

    >>> SetAP().of([1, 0, 0, 1], unretrieved=[1, 1])  # 2/4 · 2/4
    0.25
    """

    trec = "set_map"

    def worth(self, relret: Floats, ret: Floats, base: Floats) -> Floats:
        """Precision times recall."""
        return ratio(relret * relret, ret * base)


class Utility(SetMeasure):
    """What is the retrieved set worth, if each kind of document has a price?

    Utility = a·relret + b·nonrelret + c·relmissed + d·nonrelmissed

    docs - ret - R + relret documents are non-relevant and missed, so d needs the size of the
    collection.

    Paper: Lewis (1995), "The TREC-4 filtering track"; trec_eval, utility.

    >>> Utility().of([1, 0, 0], unretrieved=[1])  # 1 - 2
    -1.0
    >>> Utility(a=2, c=-1).of([1, 0, 0], unretrieved=[1])  # 2 - 2 - 1
    -1.0
    """

    trec = "utility"
    range = (-math.inf, math.inf)
    a: float = parameter(1.0, "worth of a relevant document retrieved")
    b: float = parameter(-1.0, "worth of a not relevant document retrieved")
    c: float = parameter(0.0, "worth of a relevant document missed")
    d: float = parameter(0.0, "worth of a not relevant document missed")
    docs: int = parameter(0, "size of the collection", kind=int, at_least=0, at_most=LARGEST_COLLECTION)

    def check(self) -> None:
        """A worth of what was missed needs to know how much there was to miss."""
        if self.d and not self.docs:
            raise MeasureError("Utility: with d, docs (trec_eval's -N) must say how many documents the collection has")

    def worth(self, relret: Floats, ret: Floats, base: Floats) -> Floats:
        """Sum of the four prices."""
        missed = self.docs - ret - base + relret if self.docs else 0.0
        return self.a * relret + self.b * (ret - relret) + self.c * (base - relret) + self.d * missed

    def trec_name(self) -> str:
        """Name it as trec_eval does: utility_2,-1,0,0."""
        worths = (self.a, self.b, self.c, self.d)
        usual = worths == (1, -1, 0, 0)
        return self.name_given or ("utility" if usual else "utility_" + ",".join(map(number, worths)))

    @classmethod
    def from_trec(cls, given: str) -> Iterator[Measure]:
        """Read trec_eval's four coefficients, and behind them the size of the collection, which its -N gives."""
        worths, _, docs = given.partition(",docs=")
        yield cls(**dict(zip("abcd", map(float, worths.split(",")), strict=True)), docs=int(docs or 0))

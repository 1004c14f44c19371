"""What a list costs whoever reads it, and what it gains for that."""

from __future__ import annotations

import math

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import cutoff, parameter
from cranfield.plumbing.arrays import Floats, ratio


class Cost(Measure):
    """What does it cost to read the list?

    Cost@k = Σ_{i ≤ min(k, n)} c(i)

    c is what the costs of the evaluation say of a document, in tokens or seconds; without costs a
    document costs 1, and the value is how many documents are read.

    Paper: none; the plain sum.

    >>> Cost(cutoff=2).of([1, 0, 1], costs=[120, 400, 80])  # 120 + 400
    520.0
    >>> Cost().of([1, 0, 1])
    3.0
    """

    looked_for = ("tokens", "context", "latency", "price", "budget")
    by_cost = True
    range = (0.0, math.inf)
    uses_recall_base = False
    rises_with_grades = True
    higher_is_better = False
    cutoff: int | None = cutoff()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """What the whole list costs."""
        return rankings.costs.until(rankings.length)


class GainPerCost(GainMeasure):
    """How much does the list gain for what it costs to read?

    GainPerCost@k = units · Σ_{i ≤ k} Rel(i) / Σ_{i ≤ k} c(i)

    Rel is the grade as a share of the largest grade of the qrels, c the cost of a document, and
    units=1000 asks for the gain of a thousand tokens. Without costs a document costs 1. A list that
    costs nothing has the value 0.

    Paper: none; a quotient of gain and cost. FlatUtility(per='cost') is their difference.

    >>> GainPerCost().of([1, 0, 1], costs=[120, 400, 80])  # 1000 · 2/600
    3.3333333333333335
    """

    looked_for = ("tokens", "context", "efficiency", "budget")
    by_cost = True
    range = (0.0, math.inf)
    uses_recall_base = False
    rises_with_grades = True
    units: float = parameter(1000.0, "the units of cost to which the gain refers", above=0)
    cutoff: int | None = cutoff()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Gain over cost."""
        cells, gain = self.gainful(rankings)
        return self.units * ratio(cells.sum(gain), rankings.costs.until(rankings.length))

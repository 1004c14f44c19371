"""Relative relevance and half-life: relevance by the system against relevance to the user, over one list.

Ranks are strict: where systems leave documents tied, the order of the run decides, and no average
over the orders of tied documents is taken.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gain_measure import GivenGains, PositiveGains
from cranfield.measures.framework.parameters import condensed, cutoff, parameter
from cranfield.plumbing.arrays import Floats, ratio

Weights: TypeAlias = Literal["equal", "reciprocal"]


class RHL(PositiveGains):
    """At which rank has the list delivered half of its gain?

    RHL = (i - 1) + (T/2 - gain above rank i) / g(i), T the gain of the whole list, i the first rank
    with T/2 or more

    The median of grouped data, each rank being a class. Only what is retrieved counts, so that a
    short list of a few documents can have a low half-life; missing relevant documents are for
    recall to tell. The less the better. A list without gain never gets anywhere: it has its length,
    the worst for lists of that length. The gain g is the grade, or what gains= says; one below 0
    counts as 0.

    Paper: Borlund and Ingwersen (1998), "Measures of relative relevance and ranked half-life:
    performance indicators for interactive IR", SIGIR.

    >>> RHL().of([1, 0, 3, 0])  # T/2 = 2, of which 1 above rank 3: 2 + (2 - 1)/3
    2.333...
    """

    range = (0.0, math.inf)
    uses_recall_base = False
    rewards_promotion = False
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Median rank, interpolated within its class."""
        cells, gain = self.positive(rankings)
        above, upto = cells.before(gain), cells.running(gain)
        half = cells.sum(gain)[cells.row] / 2
        median = (above < half) & (upto >= half)
        inside = np.where(median, cells.rank - 1 + (half - above) / gain, 0.0)
        return np.where(cells.count > 0, cells.sum(inside), rankings.length.astype(float))


class RelativeRelevance(GivenGains):
    """How well does the system's relevance of the retrieved documents match the assessor's?

    RelativeRelevance = Σ s(i)·g(i) / √(Σ s(i)² · Σ g(i)²), the cosine of the system's weights and
    the gains

    The list's documents are two vectors of weights of relevance. Scores of different systems are no
    such weights, so the system's are taken from the list: each retrieved document is relevant to
    it, s(i) = 1, whatever its rank; or, with weights='reciprocal', s(i) = 1/i. Järvelin and
    Kekäläinen discuss this cosine form; it is an association of two assessments, and order does not
    count in it unless s does. The gain g is the grade, or what gains= says; one below 0 counts as
    0. 0 where nothing retrieved has a gain.

    Paper: Borlund and Ingwersen (1998), "Measures of relative relevance and ranked half-life:
    performance indicators for interactive IR", SIGIR; the cosine: Borlund (2000), "Evaluation of
    interactive information retrieval systems", Åbo Akademi.

    >>> RelativeRelevance().of([2, 0, 1, 2])  # (2 + 1 + 2) / √(4 · (4 + 1 + 4))
    0.833...
    """

    uses_recall_base = False
    rewards_promotion = False  # a document of more gain that comes above the cutoff can turn the vector away
    cutoff: int | None = cutoff()
    weights: Weights = parameter(
        "equal", "the system's weight of rank i: 1, or 1/i", kind=str, choices=("equal", "reciprocal")
    )
    judged_only: bool = condensed()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Cosine of two vectors."""
        cells, gain = self.positive(rankings)
        rank = np.arange(1, rankings.length.max(initial=0) + 1)
        weight = np.ones(len(rank)) if self.weights == "equal" else 1.0 / rank
        system = np.append(0.0, np.cumsum(weight**2))[rankings.length]
        return ratio(cells.sum(weight[cells.rank - 1] * gain), np.sqrt(system * cells.sum(gain**2)))

"""Search lengths: how far one has to go until the relevant documents are found, one of them or all.

Ranks are strict: where systems leave documents tied, the order of the run decides, and no average
over the orders of tied documents is taken.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import LARGEST_COLLECTION, condensed, level, parameter
from cranfield.plumbing.arrays import Floats, ratio

Counted: TypeAlias = Literal["examined", "not relevant"]


class InCollection(Measure, registered=False):
    """A measure of the ranks of all relevant documents, those below the end of the list too."""

    rel: float | None = level()
    judged_only: bool = condensed()
    docs: int | None = parameter(
        None,
        "documents in the collection (without it, those retrieved and the relevant ones missed)",
        kind=int,
        at_least=1,
        at_most=LARGEST_COLLECTION,
    )

    def missed(self, rankings: JudgedRankings) -> Floats:
        """Return how many relevant documents the list lacks."""
        return rankings.recall_base(self.rel) - rankings.relevant(self.rel).count

    def size(self, rankings: JudgedRankings) -> Floats:
        """Return the size of the collection, which has room for all documents known of."""
        known: Floats = rankings.length + self.missed(rankings)
        return known if self.docs is None else np.maximum(known, float(self.docs))


class ASL(InCollection):
    """What is the average rank of a relevant document?

    ASL = (1/R) Σ rank of each relevant document

    A relevant document that was not retrieved stands anywhere below the end of the list, each rank
    down to the last of the collection being as likely: at (n + 1 + docs) / 2 after n retrieved
    documents. Without docs= the collection ends with the missing relevant documents, right below
    the list. The fewer the better. 0 where R = 0.

    Paper: Losee (1998), "Text retrieval and filtering: analytic models of performance", Kluwer: the
    average position of a relevant document, measured rather than predicted.

    >>> ASL().of([0, 1, 1, 0], unretrieved=[1])  # (2 + 3 + 5) / 3
    3.333...
    >>> ASL(docs=10).of([0, 1, 1, 0], unretrieved=[1])  # the missing one at (5 + 10) / 2: (2 + 3 + 7.5) / 3
    4.166...
    """

    range = (0.0, math.inf)
    rewards_promotion = False
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of the ranks, known or expected."""
        relevant = rankings.relevant(self.rel)
        below = (rankings.length + 1.0 + self.size(rankings)) / 2
        total = relevant.sum(relevant.rank.astype(float)) + self.missed(rankings) * below
        return ratio(total, rankings.recall_base(self.rel))


class ESL(InCollection):
    """How many documents must be examined to find the wanted number of relevant ones?

    ESL = rank of the q-th relevant document, q = min(wanted, R); with count='not relevant' minus q

    If the list has fewer than q, s too few, the search goes on below it in random order: after n +
    s·(d + 1)/(m + 1) documents the s-th is expected, d documents of the collection being left with
    the m relevant ones that are missing. Without docs= only those m are left. count='examined'
    counts all documents, as Korfhage and Järvelin and Kekäläinen have it; count='not relevant'
    counts those examined in vain, as Cooper does. Cooper's lists have ties; here every rank has one
    document. The fewer the better. 0 where R = 0: there is nothing to search for.

    Paper: Cooper (1968), "Expected search length: a single measure of retrieval effectiveness based
    on the weak ordering action of retrieval systems", American Documentation 19(1); Korfhage
    (1997), "Information storage and retrieval", Wiley.

    >>> ESL(wanted=2).of([0, 1, 0, 1])
    4.0
    >>> ESL(wanted=2, count="not relevant").of([0, 1, 0, 1])
    2.0
    >>> ESL(docs=9).of([0, 0, 0], unretrieved=[1])  # after 3, one of the 6 others: 3 + 7/2
    6.5
    """

    range = (0.0, math.inf)
    rewards_promotion = False
    higher_is_better = False
    wanted: int = parameter(1, "the number of relevant documents the user wants", kind=int, at_least=1)
    count: Counted = parameter(
        "examined", "which documents are counted", kind=str, choices=("examined", "not relevant")
    )

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Rank of the last relevant document wanted, known or expected."""
        relevant = rankings.relevant(self.rel)
        wanted = np.minimum(rankings.recall_base(self.rel), float(self.wanted))
        lacking = np.maximum(wanted - relevant.count, 0.0)
        below = rankings.length + lacking * (self.size(rankings) - rankings.length + 1) / (self.missed(rankings) + 1)
        last = relevant.where(relevant.nth == wanted[relevant.row])
        examined = np.where(lacking > 0, below, last.sum(last.rank.astype(float)))
        return examined - wanted if self.count == "not relevant" else examined


class nRecall(InCollection):  # noqa: N801 - as nDCG is written
    """How near to the top of the collection do the relevant documents rank?

    nRecall = 1 - (Σ r(i) - Σ i) / (R (docs - R)), r(i) the rank of the i-th relevant document, i
    from 1 to R

    The area between the ideal and the actual curve of recall by rank, as a share of the largest
    that there can be: 1 for the ideal order, 0 for its reverse. A relevant document that was not
    retrieved stands at the bottom of the collection. Without docs= the collection ends with the
    missing relevant documents, right below the list. Where there are none but relevant documents,
    the value is the share of them retrieved. 0 where R = 0.

    Paper: Rocchio (1966), "Document retrieval systems: optimization and evaluation", Harvard;
    Salton and McGill (1983), "Introduction to modern information retrieval", McGraw-Hill, section
    5.2.

    >>> nRecall().of([1, 0, 1, 0])  # 1 - ((1 + 3) - (1 + 2)) / (2 · 2)
    0.75
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """One minus the share of the area lost."""
        relevant, base, size = rankings.relevant(self.rel), rankings.recall_base(self.rel), self.size(rankings)
        # What a document is displaced by: the retrieved ones by what is not relevant above them,
        # the missing ones by all that is not relevant.
        lost = relevant.sum((relevant.rank - relevant.nth).astype(float)) + self.missed(rankings) * (size - base)
        area = base * (size - base)
        return np.where(area > 0, 1 - ratio(lost, area), ratio(relevant.count, base))

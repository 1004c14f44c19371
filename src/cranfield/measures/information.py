"""Information: how much a list tells about the documents, the judgments tell, and both tell together.

A document's observational information quantity is -log of the share of the collection's documents
that come before it or with it: in the list, by grade, or in both orders at once. H is its mean over
the collection.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.collection_order import CollectionMeasure, GoldOrder
from cranfield.measures.framework.parameters import parameter
from cranfield.measures.framework.prefix_steps import Steps, ranks
from cranfield.measures.framework.prefix_sums import best_lists, by_topic, sum_until
from cranfield.plumbing.arrays import Floats, Integers


class InformationMeasure(CollectionMeasure, registered=False):
    """A measure of the information in the list, H(S), in the judgments, H(G), and in both together, H(S,G).

    A relevant document at rank i, m documents of the topic having at least its grade and c of these
    standing at rank i or above, has -log(i / docs) in the list, -log(m / docs) in the judgments and
    -log(c / docs) in both: it saves log(c · docs / (i · m)) of the two, so that docs · (H(S) + H(G)
    - H(S,G)) is the sum of what is saved over the relevant documents retrieved. All others have in
    both together what they have in one.
    """

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """What each relevant document saves."""
        self.require_room(rankings)
        order = GoldOrder.of(rankings)
        return order.cells, (np.log(order.above_at_least / order.cells.rank) - np.log(order.at_least / self.docs),)

    def of_list(self, length: Integers) -> Floats:
        """H(S): documents at ranks 1 to n have -log(i / docs), those not retrieved nothing."""
        return sum_until(length, lambda rank: -np.log(rank / self.docs)) / self.docs

    def of_judgments(self, judgments: Judgments) -> Floats:
        """H(G) of each topic: relevant documents have -log(m / docs), all others nothing."""
        order = GoldOrder.of(best_lists(judgments))
        return order.cells.sum(-np.log(order.at_least / self.docs)) / self.docs


class SystemInformation(InformationMeasure):
    """How much information does the list give about the documents, right or wrong?

    SystemInformation = H(S) = -(1/docs) Σ_{i ≤ n} log(i / docs)

    Natural logarithms. The documents not retrieved share the last place, and tell nothing.

    Paper: Amigó, Giner, Mizzaro and Spina (2018), "A formal account of effectiveness evaluation and
    ranking fusion", ICTIR; Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section
    3.4.1.

    >>> round(SystemInformation(docs=4).of([0, 1]), 4)  # (ln(4/1) + ln(4/2)) / 4
    0.5199
    """

    uses_recall_base = False
    rises_with_grades = True

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Nothing but the length counts."""
        self.require_room(rankings)
        return rankings.relevant(), ()

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """H(S)."""
        return self.of_list(length)


class GoldInformation(InformationMeasure):
    """How much information do the judgments give about the documents?

    GoldInformation = H(G) = -(1/docs) Σ log(m(d) / docs) over the relevant documents d of the topic

    m(d) is the number of documents with at least the grade of d. Natural logarithms. All documents
    that are not relevant, those of negative grade and the unjudged ones too, share the last place,
    and tell nothing.

    Paper: Amigó, Giner, Mizzaro and Spina (2018), "A formal account of effectiveness evaluation and
    ranking fusion", ICTIR; Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section
    3.4.1.

    >>> round(GoldInformation(docs=4).of([0, 1], unretrieved=[2]), 4)  # (ln(4/1) + ln(4/2)) / 4
    0.5199
    """

    graded = True
    of_topic = True

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Nothing of the list counts."""
        self.require_room(rankings)
        return rankings.relevant(), ()

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """H(G), the same for every list."""
        return np.broadcast_to(by_topic(rankings, self.of_judgments(rankings.judgments)), length.shape).copy()


class JointInformation(InformationMeasure):
    """How much information do list and judgments give together (less if they agree)?

    JointInformation = H(S,G) = -(1/docs) Σ_d log(n(d) / docs), n(d) documents being ranked and
    graded as high as d

    n(d) counts the documents that stand at the rank of d or above and have at least its grade.
    Natural logarithms. The documents not retrieved share the last place by rank, those not relevant
    the last by grade.

    Paper: Amigó, Giner, Mizzaro and Spina (2018), "A formal account of effectiveness evaluation and
    ranking fusion", ICTIR; Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section
    3.4.1.

    >>> round(JointInformation(docs=4).of([0, 1]), 4)  # n = 1, 1: 2 ln(4/1) / 4
    0.6931
    """

    range = (0.0, math.inf)
    graded = True
    rewards_promotion = False
    higher_is_better = False

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """H(S) and H(G) less what they have in common."""
        (saved,) = sums
        return self.of_list(length) + by_topic(rankings, self.of_judgments(rankings.judgments)) - saved / self.docs


class OIE(InformationMeasure):
    """How well do list and judgments agree in what they tell, for a list that tells no more than it knows?

    OIE = H(S) + H(G) - beta · H(S,G)

    H(S), H(G) and H(S,G) are SystemInformation, GoldInformation and JointInformation: how much the
    list tells about the docs documents of the collection, how much the judgments do, and how much
    both together. An empty list has the value (1 - beta) · H(G). For beta = 1.05 and 20000
    documents the only relevant document at rank 20 is worth about as much as an empty list (to the
    letter for beta = 1.0464). Swapping neighbours for the better never lowers the value; swapping
    documents with a still better one between them can.

    Paper: Amigó, Giner, Mizzaro and Spina (2018), "A formal account of effectiveness evaluation and
    ranking fusion", ICTIR; Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated
    rankings are better and how to measure that", SIGIR, section 3.4.2.

    >>> round(OIE(docs=4).of([0, 1]), 4)  # (ln(4/1) + ln(4/2)) / 4 + ln(4/1) / 4 - 1.05 · 2 ln(4/1) / 4
    0.1386
    """

    looked_for = ("silence", "abstain", "unanswerable", "no answer")
    range = (-math.inf, 2.0)
    graded = True
    rewards_promotion = False
    beta: float = parameter(1.05, "the weight of the joint information", at_least=0)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """What is in each, less beta times what is in both."""
        (saved,) = sums
        apart = self.of_list(length) + by_topic(rankings, self.of_judgments(rankings.judgments))
        return (1 - self.beta) * apart + self.beta * saved / self.docs

    def prefix_steps(self, rankings: JudgedRankings) -> Steps:
        """Each document adds 1 - beta of its own information, and a relevant one beta times what it saves.

        That is (beta - 1) log(i / docs) + beta log(docs / m) - beta log(i / c), times 1 / docs.
        """
        rank, order = ranks(rankings), GoldOrder.of(rankings)
        of_rank = np.abs(np.log(rank / self.docs))
        gain = order.cells.table(-np.log(order.at_least / self.docs), len(rank))
        loss = order.cells.table(np.log(order.cells.rank / order.above_at_least), len(rank))
        more, less = max(1 - self.beta, 0.0) * of_rank, max(self.beta - 1, 0.0) * of_rank
        return Steps.within(rankings, self.beta * gain + more, self.beta * loss + less)

    def in_parts(self, rankings: JudgedRankings) -> Floats | None:
        """An empty list has (1 - beta) H(G), which is the topic's and no part of its own."""
        return None

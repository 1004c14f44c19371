"""Orders of the whole collection: a list ranks its documents before all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.parameters import LARGEST_COLLECTION, level, parameter
from cranfield.measures.framework.prefix_sums import PrefixSums, by_topic
from cranfield.plumbing.arrays import Floats, Integers, ratio
from cranfield.plumbing.errors import MeasureError


class CollectionMeasure(PrefixSums, registered=False):
    """A measure that takes a list for an order of the whole collection."""

    docs: int = parameter(
        20_000, "the number of documents in the collection", kind=int, at_least=1, at_most=LARGEST_COLLECTION
    )

    def require_room(self, rankings: JudgedRankings) -> None:
        """Raise a MeasureError where the collection has fewer documents than were retrieved or judged."""
        longest = int(rankings.length.max(initial=0))
        if longest > self.docs:
            raise MeasureError(f"{self}: a list of {longest} documents is longer than the collection, docs={self.docs}")
        judged = rankings.judgments.count(~np.isnan(rankings.judgments.grade))
        known = rankings.length + rankings.of_topics(judged) - rankings.judged.count
        if known.max(initial=0) > self.docs:
            topic = rankings.topics[int(known.argmax()) % len(rankings.topics)]
            raise MeasureError(
                f"{self}: {known.max():g} documents of topic {topic} were retrieved or judged, more than the "
                f"collection has, docs={self.docs}"
            )


class GoldOrder:
    """Where the relevant cells of a list stand in the order by grade, and relative to the cells above them.

    For each cell: how many documents of its topic have at least its grade, or a higher one; and how many of those
    down to its rank (itself among them).
    """

    def __init__(self, rankings: JudgedRankings) -> None:
        self.cells = cells = rankings.relevant()
        topic = cells.row % max(len(rankings.topics), 1)
        self.at_least, self.higher, self.above_at_least, self.above_higher = np.zeros((4, len(cells)))
        grade = rankings.judgments.grade
        for one in np.unique(cells.grade):
            equal, reaching = np.flatnonzero(cells.grade == one), cells.where(cells.grade >= one)
            reached = reaching.nth[reaching.grade == one]
            self.at_least[equal] = rankings.judgments.count(grade >= one)[topic[equal]]
            self.higher[equal] = rankings.judgments.count(grade > one)[topic[equal]]
            self.above_at_least[equal] = reached
            self.above_higher[equal] = reached - cells.take(equal).nth

    @classmethod
    def of(cls, rankings: JudgedRankings) -> GoldOrder:
        """Return that of these rankings, made once."""
        return rankings.once("gold order", lambda: cls(rankings))


class AUC(CollectionMeasure):
    """How likely is a relevant document to rank above a non-relevant one?

    AUC = share of the R · (docs - R) pairs of a relevant and another document in which the relevant
    one stands higher

    The order is that of the whole collection of docs documents. Documents not retrieved share the
    last place, and a pair of them counts half: an empty list scores 1/2. Unjudged documents are not
    relevant. 0 where R = 0 or R = docs.

    Paper: Mason and Graham (2002), "Areas beneath the relative operating characteristics (ROC) and
    relative operating levels (ROL) curves", Quarterly Journal of the Royal Meteorological Society
    128; Amigó, Mizzaro and Spina (2022), "Ranking interruptus", SIGIR, section 3.1.

    >>> round(AUC(docs=5).of([0, 1], unretrieved=[1]), 4)  # 2 of 3 pairs for the one, 2 halves for the other: 3 / 6
    0.5
    """

    rel: float | None = level()

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Documents above each relevant one that are not, and their number."""
        self.require_room(rankings)
        cells = rankings.relevant(self.rel)
        return cells, ((cells.rank - cells.nth).astype(float), np.ones(len(cells)))

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Count the pairs in the right order."""
        above, found = sums
        base = by_topic(rankings, rankings.judgments.recall_base(self.rel))
        other = self.docs - base
        return ratio(found * other - above + ((base - found) * (other - (length - found))) / 2, base * other)


class Kendall(CollectionMeasure):
    """Are pairs of documents ranked in the order of their grades?

    Kendall = (C - D) / √((pairs - pairs tied in the list) · (pairs - pairs tied in grade)),
    Kendall's τ_b

    C pairs of documents are in the order of their grades, D in the reverse order. All pairs of the
    collection's docs documents count. Documents not retrieved share the last place, and so tie with
    each other; documents that are unjudged, or of negative grade, are tied with those of grade 0. 0
    where one order has no two places, as for an empty list or R = 0.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 3.1; Kendall (1945), "The treatment of ties in ranking
    problems", Biometrika 33(3).

    >>> round(Kendall(docs=4).of([1, 0]), 4)  # C = 3; 5 pairs are not tied in the list, 3 not in grade: 3 / √15
    0.7746
    """

    range = (-1.0, 1.0)
    graded = True

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Pairs won less pairs lost by each relevant document, and their number."""
        self.require_room(rankings)
        order = GoldOrder.of(rankings)
        cells = order.cells
        base = rankings.recall_base()[cells.row]
        not_relevant = self.docs - base - 2.0 * (cells.rank - cells.nth)
        # With the relevant documents above; and with all of the topic, as if each stood below:
        # between two that were both retrieved that cancels out.
        with_above = order.above_higher - (cells.nth - order.above_at_least)
        return cells, (not_relevant + with_above + ((base - order.at_least) - order.higher), np.ones(len(cells)))

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Divide by the geometric mean of the pairs that are not tied."""
        won, found = sums
        base = by_topic(rankings, rankings.judgments.recall_base(None))
        lost = (base - found) * (length - found)  # relevant, not retrieved, below others that are not relevant
        every = pairs(np.array(float(self.docs)))
        in_list = every - pairs(self.docs - length.astype(float))
        in_grade = by_topic(rankings, every - tied_in_grade(rankings.judgments, self.docs, pairs))
        return ratio(won - lost, np.sqrt(in_list * in_grade))


class Spearman(CollectionMeasure):
    """How well do the ranks of the documents agree with their ranks by grade?

    Spearman = correlation of the two places over all documents of the collection, documents that
    are tied taking the mean of their places

    Documents not retrieved share the last place; those that are unjudged, or of negative grade, are
    tied with those of grade 0. docs is the size of the collection. 0 where one order has no two
    places, as for an empty list or R = 0.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 3.1.

    >>> round(Spearman(docs=3).of([1, 0]), 4)  # 1, 2, 3 beside 1, 2.5, 2.5: 1.5 / √3
    0.866
    """

    range = (-1.0, 1.0)
    graded = True

    def terms(self, rankings: JudgedRankings) -> tuple[Cells, Sequence[Floats]]:
        """Places by grade, counted from that of the documents that are not relevant."""
        self.require_room(rankings)
        order = GoldOrder.of(rankings)
        cells = order.cells
        last = (rankings.recall_base()[cells.row] + self.docs + 1) / 2
        place = (order.at_least + order.higher + 1) / 2 - last
        return cells, (place * cells.rank, place)

    def value(self, rankings: JudgedRankings, length: Integers, sums: Sequence[Floats]) -> Floats:
        """Covariance over the product of the deviations."""
        products, places = sums
        docs, n = np.array(float(self.docs)), length.astype(float)
        base = by_topic(rankings, rankings.judgments.recall_base(None))
        # Σ (place in the list - its mean) · (place by grade - its mean), the places by grade taken
        # from the last one.
        together = products - places * (docs + 1 + n) / 2 - base * n * docs / 4
        in_list = cubes(docs) - cubes(docs - n)
        in_grade = by_topic(rankings, cubes(docs) - tied_in_grade(rankings.judgments, self.docs, cubes))
        return ratio(together, np.sqrt(in_list) * np.sqrt(in_grade) / 12)


def tied_in_grade(judgments: Judgments, docs: int, amount: Callable[[Floats], Floats]) -> Floats:
    """Add up an amount for each set of documents of equal grade, by topic; what is not relevant is one of the sets."""
    grade = judgments.grade
    tied = amount(docs - judgments.recall_base(None))
    for one in np.unique(grade[grade > 0]):
        tied += amount(judgments.count(grade == one))
    return tied


def pairs(documents: Floats) -> Floats:
    """How many pairs this many documents make."""
    return documents * (documents - 1) / 2


def cubes(documents: Floats) -> Floats:
    """t³ - t: what t documents in different places add to twelve times the variance, and those in one place do not."""
    return documents**3 - documents

"""Cumulated gain: documents are worth their gain, the less the later they come."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from cranfield.errors import MeasureError
from cranfield.judgments import Floats, Judgments
from cranfield.measures.gains import Dcg, GainMap, exponential, linear, number
from cranfield.measures.measure import Measure, condensed, cutoff, level, parameter, ratio
from cranfield.rankings import Cells, JudgedRankings, ideal_rankings


class GainMeasure(Measure, registered=False):
    """A measure of the gains of a list beside those of the ideal list, which has the topic's documents by gain."""

    graded = True
    gains: GainMap | None = parameter(
        None, "gain of each grade (a grade that is not named is its own gain)", kind=GainMap
    )

    def gain_of(self, grade: Floats) -> Floats:
        """Gain of each grade."""
        return linear(grade) if self.gains is None else self.gains.of(grade)

    def gainful(self, rankings: JudgedRankings) -> tuple[Cells, Floats]:
        """Return the cells whose gain is not 0, and the gain."""
        cells = rankings.relevant() if self.gains is None else rankings.judged
        return cells, self.gain_of(cells.grade)

    def ideal(self, judgments: Judgments) -> JudgedRankings:
        """Return the ideal list of each topic."""
        return judgments.remembered(
            ("ideal", getattr(self, "dcg", None), self.gains),
            lambda: ideal_rankings(judgments, self.gain_of(np.nan_to_num(judgments.grade))),
        )

    @classmethod
    def from_trec(cls, given: str) -> Iterator[Measure]:
        """Read trec_eval's grade=gain pairs."""
        try:
            pairs = [pair.split("=") for pair in given.split(",")]
            gains = GainMap({float(grade): float(gain) for grade, gain in pairs})
        except ValueError:
            raise MeasureError(f"{cls.__name__}: gains are written grade=gain,grade=gain, not {given!r}") from None
        yield cls(gains=gains)

    def trec_name(self) -> str:
        """Name it as trec_eval does: ndcg_1=3,2=9."""
        if self.gains is None or set(self.given) != {"gains"}:
            return super().trec_name()
        return f"{self.trec}_" + ",".join(f"{number(grade)}={number(gain)}" for grade, gain in self.gains.items())


class Discounted(GainMeasure, registered=False):
    """Gains divided by the logarithm of the rank."""

    cutoff: int | None = cutoff()
    dcg: Dcg = parameter(
        "log2",
        "gain and discount: the grade, or 2^grade - 1 with 'exp-log2', over log2(i + 1)",
        kind=str,
        choices=("log2", "exp-log2"),
    )
    judged_only: bool = condensed()

    def check(self) -> None:
        """Two ways of saying what a grade is worth are one too many."""
        if self.gains is not None and self.dcg == "exp-log2":
            raise MeasureError(f"{type(self).__name__}: give either gains or dcg='exp-log2', not both")

    def gain_of(self, grade: Floats) -> Floats:
        """Gain of each grade."""
        return exponential(grade) if self.dcg == "exp-log2" else super().gain_of(grade)

    def discounted(self, rankings: JudgedRankings) -> Floats:
        """Return the discounted cumulated gain at the end of the list."""
        cells, gain = self.gainful(rankings)
        return cells.sum(gain / np.log2(cells.rank + 1.0))


class DCG(Discounted):
    """How much gain does the list bring, if what comes later is worth less?

    DCG@k = Σ_{i ≤ k} g(i) / log2(i + 1)

    The gain g is the grade; with dcg='exp-log2' it is 2^grade - 1; gains={1:5,2:10} says it grade by grade. Unjudged
    documents gain nothing, nor do negative grades, unless gains gives them something.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), with the
    discount of Burges et al. (2005), "Learning to rank using gradient descent", ICML.

    >>> round(DCG().of([3, 0, 2]), 4)  # 3/log2(2) + 2/log2(4)
    4.0
    """

    range = (0.0, math.inf)
    uses_recall_base = False
    trec = "dcg"

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Sum of discounted gains."""
        return self.discounted(rankings)


class nDCG(Discounted):  # noqa: N801 - as the field writes it
    """How much of the gain that the best list would bring does this one bring, if what comes later is worth less?

    nDCG@k = DCG@k / DCG@k of the ideal list, DCG@k = Σ_{i ≤ k} g(i) / log2(i + 1)

    The ideal list has all judged documents of the topic by falling gain, those that were not retrieved too. The gain g
    is the grade (as in trec_eval); with dcg='exp-log2' it is 2^grade - 1 (as in gdeval and most learning to rank);
    gains={1:5,2:10} says it grade by grade.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), with the
    discount of Burges et al. (2005), "Learning to rank using gradient descent", ICML; trec_eval, ndcg and ndcg_cut.

    >>> round(nDCG(cutoff=3).of([1, 0, 2], unretrieved=[1]), 4)  # (1/1 + 2/2) / (2/1 + 1/log2(3) + 1/2)
    0.6388
    """

    aliases = ("NDCG",)
    trec = "ndcg"
    trec_at = "ndcg_cut_{at}"

    def compute(self, rankings: JudgedRankings) -> Floats:
        """DCG over that of the ideal list, cut at the same rank."""
        ideal = self.ideal(rankings.judgments)
        best = self.discounted(ideal if self.cutoff is None else ideal.cut(self.cutoff))
        return ratio(self.discounted(rankings), rankings.of_topics(best))

    @classmethod
    def from_trec(cls, given: str) -> Iterator[Measure]:
        """Read trec_eval's gains (ndcg.1=3) or cutoffs (ndcg_cut.5,10)."""
        yield from (super().from_trec(given) if "=" in given else Measure.from_trec.__func__(cls, given))  # type: ignore[attr-defined]


class IdealSteps(GainMeasure, registered=False):
    """A measure that compares a list with the ideal one at several ranks: discount log2(i + 1)."""

    def ideal_by_rank(self, judgments: Judgments, depth: int) -> Floats:
        """Return for each topic the ideal DCG at ranks 0 to depth."""
        ideal = self.ideal(judgments)
        cells, gain = self.gainful(ideal)
        table = np.zeros((ideal.rows, max(depth, int(ideal.length.max(initial=0))) + 1))
        table[cells.row, cells.rank] = gain / np.log2(cells.rank + 1.0)
        return table.cumsum(axis=1)


class nDCGRel(IdealSteps):  # noqa: N801 - as the field writes it
    """What is nDCG on average, taken at each relevant document?

    nDCGRel = mean of nDCG@i over the documents with a gain, i their ranks; one not retrieved has nDCG at the end

    Paper: trec_eval, ndcg_rel.

    >>> round(nDCGRel().of([1, 0], unretrieved=[1]), 4)  # (1 + 1 / (1 + 1/log2 3)) / 2
    0.8066
    """

    trec = "ndcg_rel"
    rewards_promotion = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of the quotient over the documents with a gain."""
        cells, gain = self.gainful(rankings)
        topic = np.arange(rankings.rows) % len(rankings.topics)
        best = self.ideal_by_rank(rankings.judgments, int(rankings.length.max(initial=0)))
        dcg = gain / np.log2(cells.rank + 1.0)
        here = ratio(cells.running(dcg), best[topic[cells.row], cells.rank])
        counted = gain > 0
        base = rankings.of_topics(self.ideal(rankings.judgments).length.astype(float))
        missing = base - cells.sum(counted.astype(float))
        at_end = ratio(cells.sum(dcg), best[topic, -1])
        return ratio(cells.sum(np.where(counted, here, 0.0)) + missing * at_end, base)


class Rndcg(IdealSteps):
    """What is nDCG on average, taken where the gain of the ideal list falls?

    Rndcg = mean of nDCG@i over the last ranks i of each gain in the ideal list, and of nDCG if the list goes on for
    more than one rank beyond the last of them

    Paper: trec_eval, Rndcg.

    >>> round(Rndcg().of([1, 2, 0, 0]), 4)  # d = 1/log2(3): (1/2 + 2 · (1 + 2d) / (2 + d)) / 3
    0.7398
    """

    trec = "Rndcg"

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of the quotient over the steps of the ideal list."""
        ideal = self.ideal(rankings.judgments)
        steps, gain = self.gainful(ideal)
        falls = steps.last | np.append(gain[1:] != gain[:-1], True)[: len(gain)]
        steps = steps.where(falls)
        topics, runs = len(rankings.topics), len(rankings.runs)

        cells, gained = self.gainful(rankings)
        dcg = gained / np.log2(cells.rank + 1.0)
        best = self.ideal_by_rank(rankings.judgments, 0)
        total, points = np.zeros(rankings.rows), np.zeros(rankings.rows)
        for nth in range(1, int(steps.nth.max(initial=0)) + 1):
            at = np.full(topics, -1)
            step = steps.nth == nth
            at[steps.row[step]] = steps.rank[step]
            until = cells.sum(np.where(cells.rank <= np.tile(at, runs)[cells.row], dcg, 0.0))
            there = (at >= 0).astype(float)
            total += ratio(until, np.tile(best[np.arange(topics), np.maximum(at, 0)] * there, runs))
            points += np.tile(there, runs)
        base = rankings.of_topics(ideal.length.astype(float))
        longer = ((rankings.length > base + 1) & (base > 0)).astype(float)
        total += longer * ratio(cells.sum(dcg), rankings.of_topics(best[:, -1]))
        return ratio(total, points + longer)


class G(GainMeasure):
    """How much of the gain does the list bring, if each document is discounted by the gain missed above it?

    G = Σ g(i) / log2(2 + c(i) - s(i))  /  Σ gains of the ideal list

    s(i) is the gain of the list down to rank i, and c(i) that of the ideal list, each of whose ranks counts at least 1.

    Paper: trec_eval, G.

    >>> round(G().of([0, 2]), 4)  # c = 2, 3; s = 0, 2: 2 / log2(2 + 3 - 2) / 2
    0.6309
    """

    trec = "G"
    rewards_promotion = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Gains over the logarithm of what was missed."""
        cells, gain = self.gainful(rankings)
        ideal = self.ideal(rankings.judgments)
        steps, best = self.gainful(ideal)
        cost = np.ones((ideal.rows, max(int(rankings.length.max(initial=0)), int(ideal.length.max(initial=0))) + 1))
        cost[:, 0] = 0
        cost[steps.row, steps.rank] = np.maximum(best, 1.0)
        spent = cost.cumsum(axis=1)[cells.row % len(rankings.topics), cells.rank]
        value = gain / np.log2(np.maximum(2 + spent - cells.running(gain), 1 + 1e-12))
        return ratio(cells.sum(value), rankings.of_topics(steps.sum(best)))


class binG(Measure):  # noqa: N801 - as the field writes it
    """How early do the relevant documents come, if each is discounted by what is not relevant above it?

    binG = (1/R) Σ 1 / log2(2 + n) over the relevant documents, n documents above them not being relevant

    Paper: trec_eval, binG.

    >>> round(binG().of([1, 0, 1]), 4)  # (1/log2(2) + 1/log2(3)) / 2
    0.8155
    """

    trec = "binG"
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of the discounts."""
        relevant = rankings.relevant(self.rel)
        above = relevant.rank - relevant.nth
        return ratio(relevant.sum(1 / np.log2(2.0 + above)), rankings.recall_base(self.rel))

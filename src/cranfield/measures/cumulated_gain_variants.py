"""trec_eval's variants of cumulated gain: nDCG averaged over some ranks, and gain discounted by what was missed."""

from __future__ import annotations

import numpy as np

from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.gain_measure import GivenGains
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import level
from cranfield.measures.framework.prefix_sums import sums_by_length
from cranfield.plumbing.arrays import Floats, ratio


class IdealSteps(GivenGains, registered=False):
    """A measure that compares a list with the ideal one at several ranks: discount log2(i + 1)."""

    def ideal_by_rank(self, judgments: Judgments, depth: int) -> Floats:
        """Return for each topic the ideal DCG at ranks 0 to depth."""
        ideal = self.ideal(judgments)
        cells, gain = self.gainful(ideal)
        return sums_by_length(cells, gain / np.log2(cells.rank + 1.0), max(depth, int(ideal.length.max(initial=0))))


class nDCGRel(IdealSteps):  # noqa: N801 - as the field writes it
    """What is the mean nDCG at the relevant documents?

    nDCGRel = mean of nDCG@i over the documents with a gain, i their ranks; one not retrieved has
    nDCG at the end

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
    """What is the mean nDCG at the ranks where the ideal list's gain falls?

    Rndcg = mean of nDCG@i over the last ranks i of each gain in the ideal list, and of nDCG if the
    list goes on for more than one rank beyond the last of them

    rel= does not change what a document gains, but a topic without a document of that grade has the
    value 0, as in trec_eval.

    Paper: trec_eval, Rndcg.

    >>> round(Rndcg().of([1, 2, 0, 0]), 4)  # d = 1/log2(3): (1/2 + 2 · (1 + 2d) / (2 + d)) / 3
    0.7398
    """

    trec = "Rndcg"
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of the quotient over the steps of the ideal list."""
        ideal = self.ideal(rankings.judgments)
        steps, gain = self.gainful(ideal)
        steps = steps.where(steps.last | np.append(gain[1:] != gain[:-1], True)[: len(gain)])
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
        return np.where(rankings.recall_base(self.rel) > 0, ratio(total, points + longer), 0.0)


class G(GivenGains):
    """What share of the gain does the list bring, if each document is discounted by the gain missed above it?

    G = Σ g(i) / log2(2 + c(i) - s(i))  /  Σ gains of the ideal list

    s(i) is the gain of the list down to rank i, and c(i) that of the ideal list, each of whose
    ranks counts at least 1.

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
    """How early do the relevant documents come, if each is discounted by the non-relevant ones above it?

    binG = (1/R) Σ 1 / log2(2 + n) over the relevant documents, n documents above them not being
    relevant

    Paper: trec_eval, binG.

    >>> round(binG().of([1, 0, 1]), 4)  # (1/log2(2) + 1/log2(3)) / 2
    0.8155
    """

    trec = "binG"
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Mean of the discounts."""
        relevant = rankings.relevant(self.rel)
        return ratio(relevant.sum(1 / np.log2(2.0 + (relevant.rank - relevant.nth))), rankings.recall_base(self.rel))

"""Pools of which only a sample was judged, more of some strata than of others: what would the measures be?

A pool is cut into strata, such as the documents that some run ranks among its first ten and all
others, and of each stratum a random sample is judged. Qrels of that kind say of every document of
the pool which stratum it belongs to, and have the grade -1 where it was not drawn (see
:mod:`cranfield.formats.trec`). Where they name no strata, the whole pool is one. A document that is
not in the qrels is not in the pool, and taken for not relevant.
"""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.gains import linear
from cranfield.measures.framework.measure import Measure, Summary
from cranfield.measures.framework.parameters import cutoff, level, parameter
from cranfield.plumbing.arrays import Booleans, Floats, Integers, ratio, sums_within

EPSILON = 0.00001
"""What smooths the share of relevant documents among few, as in infAP."""

Smoothing: TypeAlias = Literal["paper", "sample_eval"]

_UNJUDGED: dict[Smoothing, float] = {"paper": 2 * EPSILON, "sample_eval": 3 * EPSILON}


class Smoothed(Measure, registered=False):
    """A measure that takes the share of relevant documents among those of a stratum that were judged."""

    rewards_promotion = False
    rel: float | None = level()
    smoothing: Smoothing = parameter(
        "paper",
        "the share of relevant documents where none was judged: 1/2, as in infAP, or 1/3, as in sample_eval.pl",
        kind=str,
        choices=("paper", "sample_eval"),
    )

    def share(self, found: Floats, known: Floats) -> Floats:
        """Return the share of relevant documents among those that were judged."""
        return (found + EPSILON) / (known + _UNJUDGED[self.smoothing])


class SampledPool(NamedTuple):
    """What is known of a pool, topic by topic and stratum by stratum."""

    strata: int  # how many strata there are
    stratum: Integers  # for each judgment, its stratum; -1 where the document is not in the pool
    weight: Floats  # for each judgment, N / n: how many documents of its stratum one that was judged stands for

    @classmethod
    def of(cls, judgments: Judgments) -> SampledPool:
        """Return what the judgments tell; open ones (NaN) are of documents that are not in the pool."""

        def made() -> SampledPool:
            given = np.zeros(len(judgments), np.int32) if judgments.stratum is None else judgments.stratum
            stratum = np.where(np.isnan(judgments.grade), -1, given)
            strata = int(stratum.max(initial=0)) + 1
            group = judgments.topic * strata + np.maximum(stratum, 0)
            groups = len(judgments.topics) * strata
            pooled = sums_within(group, (stratum >= 0).astype(np.float64), groups)
            sampled = sums_within(group, (judgments.grade >= 0).astype(np.float64), groups)
            return cls(strata, stratum, ratio(pooled, sampled)[group])

        return judgments.remembered("sampled pool", made)

    def total(self, judgments: Judgments, values: Floats) -> Floats:
        """Estimate a sum over the pool of each topic from the values of its judged documents."""
        return sums_within(judgments.topic, self.weight * values, len(judgments.topics))


class xinfAP(Smoothed):  # noqa: N801 - as the field writes it
    """What would AP be if a random part of each stratum of the pool was judged?

    xinfAP = Σ_s N_s/n_s · Σ_k E[PC_k] / Σ_s N_s/n_s · R_s, the inner sum over the ranks k of the
    relevant documents of stratum s, with

        E[PC_k] = 1/k + Σ_t d_t/k · (r_t + ε) / (r_t + n_t + 2ε)

    N_s documents of stratum s are in the pool, n_s are judged, and R_s of these relevant. Above rank
    k stand d_t documents of stratum t, judged or not; r_t of them are judged relevant and n_t judged
    not relevant. ε is 0.00001.

    Where all of the pool is judged it is AP, and with a single stratum infAP, but for ε. The official
    script (sample_eval.pl, of the authors and NIST) has 3ε for 2ε, and smoothing='sample_eval' gives
    its figures. They differ where nothing of a stratum above k was judged: its documents count as
    relevant to one third there, here to one half.

    Paper: Yilmaz, Kanoulas and Aslam (2008), "A simple and efficient sampling method for estimating
    AP and NDCG", SIGIR, section 3.

    With one stratum: 1/2 · (1/2 + 1/2 · 0/1) + 1/2 · (1/4 + 2/4 · 1/2), as infAP.

    >>> round(xinfAP().of([0, 1, None, 1]), 4)
    0.5

    Two strata: a, of which both documents are judged, and b, of which 2 of 4 are, one of them
    relevant. So R is 1 + 4/2 · 1. In the list a1 b1 b2 b3 the relevant documents a1 and b3 stand at
    ranks 1 and 4: E[PC] is 1, and 1/4 + 1/4 · 1/1 + 2/4 · 0/1 (b1 was judged, b2 was not drawn).

    >>> from cranfield import evaluate
    >>> qrels = [("1", "a1", 1, "a"), ("1", "a2", 0, "a"), ("1", "b1", 0, "b"), ("1", "b2", -1, "b"),
    ...          ("1", "b3", 1, "b"), ("1", "b4", -1, "b")]
    >>> import polars as pl
    >>> sampled = pl.DataFrame(qrels, ["query_id", "doc_id", "relevance", "stratum"], orient="row")
    >>> run = {"1": {"a1": 4, "b1": 3, "b2": 2, "b3": 1}}
    >>> round(evaluate(sampled, run, "xinfAP").averages.item(), 4)  # (1 + 2 · 1/2) / 3
    0.6667
    """

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Expected precision at relevant ranks, each standing for others of its stratum, over what R should be."""
        judgments, cells = rankings.judgments, rankings.with_grades()
        pool, relevant = SampledPool.of(judgments), is_relevant(cells.grade, self.rel)
        stratum, judged = pool.stratum[rankings.judgment], cells.grade >= 0
        expected = np.ones(int(relevant.sum()))
        for one in range(pool.strata):
            inside = stratum == one
            found, known = (_above(cells, inside & those)[relevant] for those in (relevant, judged))
            expected += _above(cells, inside)[relevant] * self.share(found, known)
        hits = cells.where(relevant)
        total = hits.sum(pool.weight[rankings.judgment[relevant]] * expected / hits.rank)
        base = pool.total(judgments, is_relevant(judgments.grade, self.rel).astype(np.float64))
        return ratio(total, rankings.of_topics(base))


class infP(Smoothed):  # noqa: N801 - as the field writes it
    """What would P be if a random part of each stratum of the pool was judged?

    infP@k = 1/k · Σ_s d_s · (r_s + ε) / (r_s + n_s + 2ε)

    Of stratum s the list has d_s documents down to rank k; r_s of them are judged relevant and n_s
    judged not relevant. ε is 0.00001. Where all of the pool is judged it is P, but for ε. The
    official script has 3ε for 2ε: infP(smoothing='sample_eval')@10 is its iP10, and 1,000 times that
    at rank 1,000 its inum_rel_ret.

    Paper: Yilmaz, Kanoulas and Aslam (2008), "A simple and efficient sampling method for estimating
    AP and NDCG", SIGIR, section 3 (the estimate that xinfAP makes above a rank); sample_eval.pl, iP.

    Of three documents of the pool two were judged, one of them relevant: 3 · 1/2, out of 4 ranks.

    >>> round(infP(cutoff=4).of([1, -1, 0, None]), 4)
    0.375
    """

    uses_recall_base = False
    at_required = True
    cutoff: int | None = cutoff()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Documents of each stratum, times the share of those judged that is relevant."""
        cells, pool = rankings.with_grades(), SampledPool.of(rankings.judgments)
        stratum, relevant, judged = (
            pool.stratum[rankings.judgment],
            is_relevant(cells.grade, self.rel),
            cells.grade >= 0,
        )
        total = np.zeros(rankings.rows)
        for one in range(pool.strata):
            there, found, known = (cells.sum((stratum == one) * those) for those in (1.0, relevant * 1.0, judged * 1.0))
            total += there * self.share(found, known)
        return total / (self.cutoff or 1)


class infNumRel(Measure):  # noqa: N801 - as the field writes it
    """How many documents of the pool are relevant by estimate, if a random part of each stratum was judged?

    infNumRel = Σ_s N_s/n_s · R_s, summed over the topics

    N_s documents of stratum s are in the pool, n_s are judged, and R_s of these relevant. It is the
    recall base of xinfAP, and inum_rel of the official script.

    Paper: Yilmaz, Kanoulas and Aslam (2008), "A simple and efficient sampling method for estimating
    AP and NDCG", SIGIR, section 3; sample_eval.pl, inum_rel.

    Of four documents of the pool three were judged, two of them relevant: 4/3 · 2.

    >>> round(infNumRel().of([1, -1, 0], unretrieved=[1]), 4)
    2.6667
    """

    range = (0.0, float("inf"))
    summary: ClassVar[Summary] = "sum"
    higher_is_better = False
    rewards_promotion = False
    of_topic = True
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """What the pool should have."""
        judgments = rankings.judgments
        relevant = is_relevant(judgments.grade, self.rel).astype(np.float64)
        return rankings.of_topics(SampledPool.of(judgments).total(judgments, relevant))


class infNDCG(Measure):  # noqa: N801 - as the field writes it
    """What would nDCG be if a random part of each stratum of the pool was judged?

    infNDCG@k = Σ_s d_s/m_s · Σ_i g(i) / log2(i + 1) / DCG@k of the ideal list, the inner sum over the
    judged documents of stratum s down to rank k

    The list has d_s documents of stratum s down to rank k, m_s of them judged. The ideal list has as
    many documents of each grade as the pool should have: Σ_s N_s/n_s of those that were judged so,
    rounded to the nearest whole number. The gain g is the grade, 0 for negative ones. Where all of
    the pool is judged it is nDCG. An estimate can be above 1.

    Paper: Yilmaz, Kanoulas and Aslam (2008), "A simple and efficient sampling method for estimating
    AP and NDCG", SIGIR, section 4; the authors' script (sample_eval.pl) has the details, with k = 1000.

    Of three documents of the list, all in the pool, two were judged; the pool has four, of which one
    was not drawn. So the gain of the one with grade 2 counts 3/2 times, and of 4/3 documents of grade
    2 the ideal list has one.

    >>> round(infNDCG().of([0, 2, -1], unretrieved=[0]), 4)  # 3/2 · 2/log2(3) / 2
    0.9464
    """

    graded = True
    rewards_promotion = False
    range = (0.0, float("inf"))
    cutoff: int | None = cutoff()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Gain of what was judged, each document standing for others of its stratum in the list, over the ideal."""
        judgments, cells = rankings.judgments, rankings.with_grades()
        pool = SampledPool.of(judgments)
        stratum, gain = pool.stratum[rankings.judgment], np.nan_to_num(linear(cells.grade))
        discounted, judged = gain / np.log2(cells.rank + 1.0), cells.grade >= 0
        total = np.zeros(rankings.rows)
        for one in range(pool.strata):
            inside = (stratum == one).astype(np.float64)
            total += ratio(cells.sum(inside), cells.sum(inside * judged)) * cells.sum(inside * discounted)
        return ratio(total, rankings.of_topics(self.ideal_gain(judgments, pool)))

    def ideal_gain(self, judgments: Judgments, pool: SampledPool) -> Floats:
        """Return the DCG of the ideal list of each topic."""

        def made() -> Floats:
            total = end = np.zeros(len(judgments.topics))
            for grade in np.unique(judgments.grade[judgments.grade > 0])[::-1]:
                there = pool.total(judgments, (judgments.grade == grade).astype(np.float64))
                start, end = end, end + np.floor(there + 0.5)
                total = total + grade * (self.discounts(end) - self.discounts(start))
            return total

        return judgments.remembered(("ideal of a sampled pool", self.cutoff), made)

    def discounts(self, rank: Floats) -> Floats:
        """Add up the discounts down to these ranks, or down to k."""
        rank = rank if self.cutoff is None else np.minimum(rank, self.cutoff)
        return np.append(0.0, np.cumsum(1 / np.log2(np.arange(2, rank.max(initial=0) + 2))))[rank.astype(np.int64)]


def _above(cells: Cells, those: Booleans) -> Floats:
    """For each cell, the number of those above it in its row."""
    before = np.append(0, np.cumsum(those))
    return np.asarray((before[:-1] - before[cells.start[cells.row]]).astype(np.float64))

"""Counts: how many topics, how many documents retrieved, relevant, known not to be relevant."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Estimator, Measure, Summary
from cranfield.measures.framework.parameters import level
from cranfield.plumbing.arrays import Floats


class Count(Measure, registered=False):
    """A number of things, summed over the topics."""

    range = (0.0, math.inf)
    summary: ClassVar[Summary] = "sum"
    uses_recall_base = False
    rises_with_grades = True
    rewards_promotion = False
    higher_is_better = False


class NumQ(Count):
    """How many topics are there?

    NumQ = 1 for each topic, summed

    Paper: trec_eval, num_q.

    >>> NumQ().of([1, 0])
    1.0
    """

    trec = "num_q"
    of_topic = True

    def compute(self, rankings: JudgedRankings) -> Floats:
        """One for each row."""
        return np.ones(rankings.rows)


class NumRet(Count):
    """How many documents were retrieved?

    NumRet = n, the length of the list; with rel= the number of retrieved documents of that grade or
    a higher one

    Paper: trec_eval, num_ret.

    >>> NumRet().of([1, 0, None])
    3.0
    >>> NumRet(rel=2).of([1, 0, 3])
    1.0
    """

    trec = "num_ret"
    shares_level = False  # without rel= every retrieved document counts, whatever level the other measures use
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Length, or relevant cells."""
        return rankings.length.astype(float) if self.rel is None else rankings.relevant(self.rel).count


class NumRel(Count):
    """How many documents are relevant?

    NumRel = R, the number of judged documents that are relevant, retrieved or not

    Paper: trec_eval, num_rel.

    >>> NumRel().of([1, 0], unretrieved=[2])
    2.0
    """

    trec = "num_rel"
    uses_recall_base = True
    estimator: Estimator | None = "recall base"
    of_topic = True
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Recall base."""
        return rankings.recall_base(self.rel)


class NumRelRet(Count):
    """How many relevant documents were retrieved?

    NumRelRet = number of relevant documents in the list

    Paper: trec_eval, num_rel_ret.

    >>> NumRelRet().of([1, 0, 1], unretrieved=[1])
    2.0
    """

    trec = "num_rel_ret"
    higher_is_better = True
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Relevant cells."""
        return rankings.relevant(self.rel).count


class NumNonrelJudgedRet(Count):
    """How many documents judged not relevant were retrieved?

    NumNonrelJudgedRet = number of documents in the list that were judged and are not relevant

    Documents of negative grade (in the pool, but not judged) are left out, as trec_eval leaves them
    out.

    Paper: trec_eval, num_nonrel_judged_ret.

    >>> NumNonrelJudgedRet().of([1, 0, None, 0, -1])
    2.0
    """

    trec = "num_nonrel_judged_ret"
    rises_with_grades = False
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Judged cells less the relevant ones."""
        judged = rankings.judged
        return judged.where(judged.grade >= 0).count - rankings.relevant(self.rel).count

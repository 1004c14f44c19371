"""Counts: how many topics, how many documents retrieved, relevant, judged."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from cranfield.arrays import Floats
from cranfield.measures.machinery.measure import Measure, Summary, cutoff, level, ratio
from cranfield.rankings import JudgedRankings


class Count(Measure, registered=False):
    """A number of things, summed over the topics."""

    range = (0.0, math.inf)
    summary: ClassVar[Summary] = "sum"
    uses_recall_base = False
    rewards_promotion = False
    higher_is_better = False


class NumQ(Count):
    """How many topics were there?

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

    NumRet = n, the length of the list; with rel= the number of retrieved documents of that grade or a higher one

    Paper: trec_eval, num_ret.

    >>> NumRet().of([1, 0, None])
    3.0
    >>> NumRet(rel=2).of([1, 0, 3])
    1.0
    """

    trec = "num_ret"
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Length, or relevant cells."""
        return rankings.length.astype(float) if self.rel is None else rankings.relevant(self.rel).count

    def with_level(self, rel: float) -> NumRet:
        """Without rel= every retrieved document counts, whatever level the other measures use."""
        return self


class NumRel(Count):
    """How many documents are relevant?

    NumRel = R, the number of judged documents that are relevant, retrieved or not

    Paper: trec_eval, num_rel.

    >>> NumRel().of([1, 0], unretrieved=[2])
    2.0
    """

    trec = "num_rel"
    uses_recall_base = True
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
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Relevant cells."""
        return rankings.relevant(self.rel).count


class NumNonrelJudgedRet(Count):
    """How many documents that are known not to be relevant were retrieved?

    NumNonrelJudgedRet = number of documents in the list that were judged and are not relevant

    Documents of negative grade (in the pool, but not judged) are left out, as trec_eval leaves them out.

    Paper: trec_eval, num_nonrel_judged_ret.

    >>> NumNonrelJudgedRet().of([1, 0, None, 0, -1])
    2.0
    """

    trec = "num_nonrel_judged_ret"
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Judged cells less the relevant ones."""
        judged = rankings.judged
        return judged.where(judged.grade >= 0).count - rankings.relevant(self.rel).count


class Judged(Measure):
    """What share of the top documents was judged at all?

    Judged@k = (judged documents among the first k) / min(k, n)

    A list of length n shorter than k is measured over its n documents; an empty one has 0.

    Paper: ir_measures, Judged@k; compare Buckley and Voorhees (2004), "Retrieval evaluation with incomplete
    information", SIGIR.

    >>> Judged(cutoff=4).of([1, None, 0, 0, None])  # 3 of 4
    0.75
    """

    cutoff: int | None = cutoff()
    uses_recall_base = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Judged cells over length."""
        return ratio(rankings.judged.count, rankings.length.astype(float))


class Unjudged(Measure):
    """What share of the top k places holds a document that nobody judged?

    Unjudged@k = (unjudged documents among the first k) / k

    The places that a short list leaves empty count as judged, as in trec_eval, where documents of negative grade
    (in the pool, but not judged) count as unjudged.

    Paper: trec_eval 10, unj.

    >>> Unjudged(cutoff=4).of([1, None, -1])  # 2 of 4
    0.5
    """

    trec_at = "unj_{at}"
    at_required = True
    at_typical = (5, 10, 20)
    cutoff: int | None = cutoff()
    uses_recall_base = False
    rewards_promotion = False
    higher_is_better = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Length less the judged cells, over the cutoff."""
        judged = rankings.judged
        return (rankings.length - judged.where(judged.grade >= 0).count) / float(self.cutoff or 1)


class Text(Measure, registered=False):
    """Something to read about a row, rather than a number."""

    text = True
    uses_recall_base = False
    rewards_promotion = False


class RelString(Text):
    """Which grades stand at the top of the list?

    RelString@k = one character for each of the first k documents: its grade (> above 9), - unjudged, . negative

    A text: it is printed for each topic in trec_eval's format, and nowhere else.

    Paper: trec_eval, relstring.

    >>> from cranfield.rankings import one_ranking
    >>> RelString(cutoff=5).score(one_ranking([2, None, 0, -1])).tolist()
    ['2-0.']
    """

    trec = "relstring"
    trec_at = "relstring_{at}"
    at_typical = (10,)
    cutoff: int | None = cutoff()

    def score(self, rankings: JudgedRankings) -> Any:
        """Ten places are shown unless the cutoff says otherwise."""
        return self.compute(rankings.cut(self.cutoff or 10))

    def compute(self, rankings: JudgedRankings) -> Any:
        """One text for each row."""
        places = [["-"] * n for n in rankings.length.tolist()]
        judged = rankings.judged
        for row, rank, grade in zip(judged.row.tolist(), judged.rank.tolist(), judged.grade.tolist(), strict=True):
            places[row][rank - 1] = "." if grade < 0 else ">" if grade > 9 else str(int(grade))
        return np.array(["".join(place) for place in places], dtype=object)


class RunID(Text):
    """Which run is it?

    RunID = the name of the run

    A text: it is printed above the averages in trec_eval's format, and nowhere else.

    Paper: trec_eval, runid.

    >>> from cranfield.rankings import one_ranking
    >>> RunID().score(one_ranking([1])).tolist()
    ['run']
    """

    trec = "runid"

    def compute(self, rankings: JudgedRankings) -> Any:
        """Give the name, for each row."""
        return np.repeat(np.array(rankings.runs, dtype=object), len(rankings.topics))

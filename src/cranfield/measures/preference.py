"""Preferences: is the relevant ranked before the not relevant? What nobody judged has no say."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cranfield.arrays import Floats, ratio
from cranfield.judgments import is_relevant
from cranfield.measures.machinery.measure import Measure, Summary
from cranfield.measures.machinery.parameters import cutoff, level
from cranfield.rankings import JudgedRankings


class BinaryPreference(Measure, registered=False):
    """Binary preferences, whatever way they are averaged over topics."""

    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Share of the preferences that hold."""
        judgments = rankings.judgments
        relevant_of_topic = judgments.recall_base(self.rel)
        judged_of_topic = judgments.count(judgments.grade >= 0)
        base = rankings.of_topics(relevant_of_topic)
        comparable = np.minimum(rankings.of_topics(judged_of_topic - relevant_of_topic), base)

        judged = rankings.judged.where(rankings.judged.grade >= 0)
        place = np.flatnonzero(is_relevant(judged.grade, self.rel))
        hits = judged.take(place)
        above = judged.above(place) - (hits.nth - 1)  # judged above it, less the relevant ones
        violated = ratio(np.minimum(above, base[hits.row]), comparable[hits.row])
        return ratio(hits.sum(1 - violated), base)


class Bpref(BinaryPreference):
    """How seldom does a document that is known not to be relevant stand before a relevant one?

    Bpref = (1/R) Σ [1 - min(n, R) / min(N, R)] over the relevant documents retrieved

    Above such a document stand n documents judged not relevant; the topic has N of them. Unjudged
    documents, and those of negative grade, are passed over.

    Paper: Buckley and Voorhees (2004), "Retrieval evaluation with incomplete information", SIGIR;
    trec_eval, bpref.

    >>> Bpref().of([1, 0, None, 1, 0])  # R = 2, N = 2: (1 + (1 - 1/2)) / 2
    0.75
    """

    aliases = ("BPref",)
    trec = "bpref"


class gmBpref(BinaryPreference):  # noqa: N801 - as the field writes it
    """How seldom is the relevant passed, where a topic that fails badly weighs more than one that shines?

    gmBpref = exp(mean over topics of log(max(Bpref, 0.00001)))

    The value of one topic is its Bpref.

    Paper: trec_eval, gm_bpref; compare Robertson (2006), "On GMAP: and other transformations",
    CIKM.

    >>> gmBpref().of([1, 0, None, 1, 0])  # R = 2, N = 2: (1 + (1 - 1/2)) / 2
    0.75
    """

    trec = "gm_bpref"
    summary: ClassVar[Summary] = "geometric mean"


class Accuracy(Measure):
    """Of a relevant and a not relevant document in the list, how often does the relevant one come first?

    Accuracy = 1 - (1 / (r·n)) Σ (not relevant documents above it) over the relevant documents, r of
    them and n others

    It looks at nothing but the retrieved documents (the first k with @k), and takes unjudged ones
    as not relevant. A list with nothing relevant has 0, one with nothing else 1.

    Paper: ir_measures, Accuracy.

    >>> round(Accuracy().of([1, 0, 1, 0, 0]), 4)  # r = 2, n = 3: 1 - (0 + 1) / 6
    0.8333
    """

    cutoff: int | None = cutoff()
    rel: float | None = level()
    uses_recall_base = False
    rewards_promotion = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Share of the pairs in order."""
        relevant = rankings.relevant(self.rel)
        pairs = relevant.count * (rankings.length - relevant.count)
        inverted = relevant.sum((relevant.rank - relevant.nth).astype(float))
        return np.where(relevant.count > 0, 1 - ratio(inverted, pairs), 0.0)

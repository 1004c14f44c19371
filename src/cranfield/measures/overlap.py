"""Overlap with the ideal list."""

from __future__ import annotations

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.parameters import parameter
from cranfield.plumbing.arrays import Floats, Integers, places_within, ratio


class Compat(Measure):
    """How much does the list overlap with the ideal list it is closest to, weighted towards the top?

    Compat = RBO(list, ideal) / RBO(ideal, ideal), RBO = Σ_{i ≤ d} p^(i-1) |first i of both| / i  /
    Σ_{i ≤ d} p^(i-1)

    The ideal list holds the relevant documents, highest grade first; within a grade those retrieved
    come first, in the order of the list. Its depth d is that of the longer of the two lists.
    normalize=False leaves the division out.

    Paper: Clarke, Vtyurina and Smucker (2021), "Assessing top-k preferences", TOIS 39(3).

    >>> round(Compat(p=0.5).of([0, 1], unretrieved=[]), 4)  # (0/1 + 1/2 · 1/2) / (1/1 + 1/2 · 1/2)
    0.2
    """

    graded = True
    p: float = parameter(0.95, "persistence: the chance of going on to the next rank", above=0, below=1)
    normalize: bool = parameter(True, "divide by the ideal list's overlap with itself", kind=bool)

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Each shared document counts from the deeper of its two ranks on."""
        base = rankings.recall_base()
        depth = np.maximum(rankings.length, base).astype(np.intp)
        # rest[d] - rest[m]: what a document adds that both lists have from rank m + 1 to d.
        ranks = np.arange(1, depth.max(initial=0) + 1)
        weight = np.power(self.p, ranks - 1.0)
        rest = np.append(0.0, np.cumsum(weight / ranks))

        relevant = rankings.relevant()
        since = np.maximum(relevant.rank, self._ideal_rank(rankings))
        overlap = relevant.sum(rest[depth[relevant.row]] - rest[since - 1])
        if self.normalize:
            full = np.append(0.0, np.cumsum(weight))
            within = np.minimum(base, depth).astype(np.intp)
            return ratio(overlap, full[within] + base * (rest[depth] - rest[within]))
        return ratio(overlap, np.append(0.0, np.cumsum(weight))[depth])

    def _ideal_rank(self, rankings: JudgedRankings) -> Integers:
        """Return the rank that each relevant cell has in the ideal list closest to its own."""
        relevant = rankings.relevant()
        known = ~np.isnan(rankings.judgments.grade)
        all_grades, topic_of = rankings.judgments.grade[known], rankings.judgments.topic[known]
        grades, code = np.unique(np.append(relevant.grade, all_grades), return_inverse=True)
        code, all_codes = code[: len(relevant)], code[len(relevant) :]
        # Documents of a higher grade in the topic, all of which the ideal list puts first ...
        topics = len(rankings.topics)
        of_grade = np.zeros((topics, len(grades)))
        np.add.at(of_grade, (topic_of, all_codes), 1)
        higher = of_grade.sum(axis=1, keepdims=True) - of_grade.cumsum(axis=1)
        # ... and those of the same grade that the list has no later.
        same = places_within(relevant.row * len(grades) + code, relevant.rank) + 1
        return np.asarray((higher[relevant.row % topics, code] + same).astype(np.intp))

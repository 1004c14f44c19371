"""Smaller pools: which documents would have been judged, had there been less to spend on judging?"""

from __future__ import annotations

import numpy as np

from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.plumbing.arrays import Booleans, Floats, Integers, places_within
from cranfield.scoring.judged_runs import JudgedRuns

LEAST_NOT_RELEVANT = 10
"""How many documents of each grade that is not relevant stay in a stratified pool, or all there are."""


class RandomPool:
    """Documents of each stratum in random order, so that a smaller pool lies in every larger one.

    >>> pool = RandomPool(np.array([0, 0, 0, 0, 1]), np.ones(5), np.random.default_rng(7))
    >>> [int(pool.kept(rate).sum()) for rate in (0.9, 0.5, 0.1)]  # 3 of 3.6, 2, and 1; the other stratum's 1 always
    [4, 3, 2]
    """

    def __init__(
        self, stratum: Integers, least: Floats, random: np.random.Generator, judged: Booleans | None = None
    ) -> None:
        self.judged = np.ones(len(stratum), bool) if judged is None else judged
        self.place = places_within(stratum, random.random(len(stratum)))
        self.size = np.bincount(stratum)[stratum]
        self.least = least

    def kept(self, rate: float) -> Booleans:
        """For each judgment, whether it is among the first max(least, rate · size) of its stratum, rounded down."""
        # Rounded first, since 0.29 of 100, 28.999999999999996 in binary, are 29 documents.
        kept = np.zeros(len(self.judged), bool)
        kept[self.judged] = self.place < np.maximum(self.least, np.floor(np.round(rate * self.size, 6)))
        return kept


def stratified_pool(judgments: Judgments, random: np.random.Generator, rel: float | None = None) -> RandomPool:
    """Sample the documents of each topic and grade by themselves: a stratum is a topic and a grade.

    Of each relevant grade at least 1 document stays, of each other one at least
    `LEAST_NOT_RELEVANT`.

    >>> from cranfield import join
    >>> judgments = join({"1": {f"d{i}": int(i < 2) for i in range(14)}}, {"r": {"1": {"d0": 1.0}}}).judgments
    >>> kept = stratified_pool(judgments, np.random.default_rng(7)).kept(0.1)
    >>> int(kept[:2].sum()), int(kept[2:].sum())
    (1, 10)
    """
    judged = ~np.isnan(judgments.grade)
    grades, grade = np.unique(judgments.grade[judged], return_inverse=True)
    least = np.where(is_relevant(judgments.grade[judged], rel), 1.0, LEAST_NOT_RELEVANT)
    return RandomPool(judgments.topic[judged] * len(grades) + grade, least, random, judged)


def random_pool(judgments: Judgments, random: np.random.Generator) -> RandomPool:
    """Sample the documents of each topic, whatever their grade; at least 1 stays."""
    judged = ~np.isnan(judgments.grade)
    return RandomPool(judgments.topic[judged], np.ones(judged.sum()), random, judged)


def best_rank(runs: JudgedRuns) -> Floats:
    """For each judgment, the best rank at which any run has the document; infinite where none has it.

    So it is of documents that nobody judged, if note was taken of what the runs retrieved.

    Those with a best rank of at most k are the pool of these runs to depth k.

    >>> from cranfield import join
    >>> runs = {"r": {"1": {"a": 2.0, "b": 1.0}}, "s": {"1": {"b": 1.0}}}
    >>> best_rank(join({"1": {"a": 1, "b": 0, "c": 1}}, runs))
    array([ 1.,  1., inf])
    """
    best = np.full(len(runs.judgments), np.inf)
    for batch in runs.batches:
        np.minimum.at(best, batch.judgment, batch.rank)
    return np.where(np.isnan(runs.judgments.grade), np.inf, best)

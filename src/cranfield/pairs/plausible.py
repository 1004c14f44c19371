"""What two runs would be worth if unjudged documents resembled judged ones: completions drawn at random."""

from __future__ import annotations

from typing import Final

import numpy as np

from cranfield.pairs.pair import Pair
from cranfield.plumbing.arrays import Floats, Integers

TIMES: Final = 200
"""Of so many completions 95 % are 190: a verdict that holds in .99 of all is nearly always found plausible."""
SEED: Final = 7


def resembling(pair: Pair, times: int = TIMES, seed: int = SEED) -> Floats | None:
    """How far would the one be ahead, if unjudged documents had the grades of judged ones like them?

    Like them are those of the same topic at like ranks: a document's rank is the better one of both lists, and ranks
    1, 2 to 3, 4 to 7, 8 to 15 and so on are alike. In each completion the shares of the grades are drawn first, from
    Dirichlet's distribution around what was judged there (and, as much as one document counts, what was judged at
    such ranks in all topics), so that a few judged documents leave the shares as open as they are; then a grade
    for each unjudged document. What neither list has above the cutoff counts as not relevant.

    Shapes: the result (times, topics).

    Nobody judged x; of four judged documents at such ranks one is relevant.

    >>> from cranfield.scoring.judged_runs import join
    >>> from cranfield.measures import P
    >>> judged = {"1": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> runs = join(judged, {"one": {"1": ["a", "b", "c"]}, "other": {"1": ["d", "b", "x"]}}, bounds=True)
    >>> pair = Pair(P(cutoff=3), runs.of_run(0), runs.of_run(1), np.array([0]))
    >>> found = resembling(pair)
    >>> found.shape, sorted(set(found[:, 0].round(3).tolist()))
    ((200, 1), [0.0, 0.333])
    """
    grade, rank = pair.judgments.grade, _better_rank(pair)
    counts = np.isfinite(rank)
    known = np.flatnonzero(counts & ~np.isnan(grade))
    unknown = np.flatnonzero(counts & pair.judgments.open)
    if not pair.regradable or not (grade[known] <= 0).any():
        return None
    there = np.concatenate([known, unknown])
    band = np.zeros(len(grade), np.int64)
    band[there] = np.log2(rank[there]).astype(np.int64)
    topics, bands = len(pair.judgments.topics), int(band.max(initial=0)) + 1
    grades, code = np.unique(grade[known], return_inverse=True)
    judged = np.zeros((topics, bands, len(grades)))
    np.add.at(judged, (pair.judgments.topic[known], band[known], code), 1.0)
    of_band = judged.sum(axis=0)
    overall = of_band.sum(axis=0)
    of_band = of_band + overall / overall.sum()  # a band in which nothing was judged has the shares of all
    cells, cell = np.unique(pair.judgments.topic[unknown] * bands + band[unknown], return_inverse=True)
    shape = (judged + of_band / of_band.sum(axis=-1, keepdims=True)).reshape(topics * bands, -1)[cells]
    random = np.random.default_rng(seed)
    base = np.nan_to_num(grade)
    drawn = []
    for _ in range(times):
        share = random.standard_gamma(shape).cumsum(axis=1)
        at = random.random(len(unknown)) * share[cell, -1]
        base[unknown] = grades[(at[:, np.newaxis] > share[cell]).sum(axis=1).clip(max=len(grades) - 1)]
        drawn.append(pair.judged(base.copy()).lead())
    return np.array(drawn)


def _better_rank(pair: Pair) -> Floats:
    """Return for each judgment the better of its ranks in both lists; infinite below the cutoff, and elsewhere."""
    rank = np.full(len(pair.judgments), np.inf)
    for run in (pair.one, pair.other):
        counts: Integers = np.flatnonzero(np.isin(run.row, pair.topics) & (run.rank <= (pair.measure.cutoff or np.inf)))
        np.minimum.at(rank, run.judgment[counts], run.rank[counts])
    return rank

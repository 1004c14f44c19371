"""Ranks of numbers, 1 for the smallest: numbers that are equal share them. (To load scipy.stats takes a second.)"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers


def spans(values: npt.ArrayLike) -> tuple[Integers, Integers]:
    """Return the first and the last of the ranks that each number shares with those equal to it, on the last axis."""
    given = np.asarray(values, np.float64)
    order = np.argsort(given, axis=-1, kind="stable")
    rising, ranks = np.take_along_axis(given, order, axis=-1), np.arange(1, given.shape[-1] + 1)
    begins = np.ones(given.shape, bool)
    begins[..., 1:] = rising[..., 1:] != rising[..., :-1]
    ends = np.ones(given.shape, bool)
    ends[..., :-1] = begins[..., 1:]
    first, last = np.empty(given.shape, np.int64), np.empty(given.shape, np.int64)
    np.put_along_axis(first, order, np.maximum.accumulate(np.where(begins, ranks, 0), axis=-1), axis=-1)
    backwards = np.where(ends, ranks, len(ranks) + 1)[..., ::-1]
    np.put_along_axis(last, order, np.minimum.accumulate(backwards, axis=-1)[..., ::-1], axis=-1)
    return first, last


def mean_ranks(values: npt.ArrayLike) -> Floats:
    """Return the rank of each number on the last axis: of those that are equal the mean of theirs."""
    first, last = spans(values)
    return (first + last) / 2


def chance_above(some: Floats, others: Floats) -> float | None:
    """The chance that one of the first is above one of the others, a tie counting half: None if either lacks."""
    if not len(some) or not len(others):
        return None
    ranks = mean_ranks(np.concatenate([some, others]))[: len(some)].sum()
    return float((ranks - len(some) * (len(some) + 1) / 2) / (len(some) * len(others)))

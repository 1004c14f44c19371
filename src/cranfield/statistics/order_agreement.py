"""How similar two leaderboards of the same systems are, with intervals over topics and systems."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.statistics.bootstrap import resample_counts, resampled_topics
from cranfield.statistics.correlation_vectors import checked_scores, correlation, is_constant
from cranfield.statistics.differences import random_from, slices_that_fit
from cranfield.statistics.on_paper import levelled
from cranfield.statistics.rank_correlation import interval

ORDER_STATISTICS: Final = ("tau_b", "tau_ap", "spearman", "top")
"""Statistics of the similarity of two orders: three correlations, and the shared fraction of the best."""
_LEAST_VALUES: Final = np.array([-1.0, -1.0, -1.0, 0.0])
FEWEST_SYSTEMS: Final = 12
"""With fewer systems there is no interval over systems: see the page on calibration."""


def shared_top(x: npt.ArrayLike, y: npt.ArrayLike, best: int, times: npt.ArrayLike = 1.0) -> Floats:
    """What share of the best systems do two leaderboards have in common?

    Systems that are tied across the border share the places that are left. A system counts as often as `times` says.
    The result is 1 for equal leaderboards, and best / n on average for unrelated ones of n systems.

    Shapes: x, y and times (..., systems), which broadcast; the result (...).

    Of the best two, a and b, the second leaderboard has a, and ties b and c at its second place:

    >>> float(shared_top([4, 3, 2, 1], [9, 5, 5, 1], best=2))  # a, and half of b
    0.75
    """
    xs, ys = checked_scores(x, y)
    if best < 1:
        raise InputError(f"the best are 1 or more, not {best}")
    spread = np.broadcast_arrays(levelled(xs), levelled(ys), np.asarray(times, dtype=np.float64))
    systems, shape = xs.shape[-1], spread[0].shape[:-1]
    rows = [of.reshape(-1, systems) for of in spread]
    values = np.empty(len(rows[0]))
    for block in slices_that_fit(len(values), 3 * systems**2):
        one, other, counts = (of[block] for of in rows)
        both = np.minimum(_among_the_best(one, counts, best), _among_the_best(other, counts, best))
        values[block] = both.sum(axis=-1) / best
    return values.reshape(shape)


def _among_the_best(scores: Floats, times: Floats, best: int) -> Floats:
    """Return how much of each system is among the best: array of shape (rankings, systems)."""
    higher, same = (
        (than(scores[:, np.newaxis, :], scores[:, :, np.newaxis]) * times[:, np.newaxis, :]).sum(axis=-1)
        for than in (np.greater, np.equal)
    )
    return np.asarray(times * np.clip((best - higher) / np.where(same > 0, same, 1.0), 0.0, 1.0))


def order_agreement(judge: npt.ArrayLike, truth: npt.ArrayLike, best: int) -> Floats:
    """How similar is a judge's leaderboard to the true one, by each of `ORDER_STATISTICS`?

    Shapes: judge and truth (..., systems), more being better; the result (4, ...). A value is NaN where one of the two
    ties all systems, and the share of the best where there are no others.

    >>> order_agreement([3, 4, 2, 1], [4, 3, 2, 1], best=1).round(4).tolist()  # a and b are swapped
    [0.6667, 0.3333, 0.8, 0.0]
    """
    found = _computed(judge, truth, best)
    one, other = checked_scores(judge, truth)
    found[:, is_constant(one) | is_constant(other)] = np.nan
    if best >= one.shape[-1]:
        found[-1] = np.nan
    return found


def _computed(judge: npt.ArrayLike, truth: npt.ArrayLike, best: int) -> Floats:
    correlations = [correlation(kind, judge, truth) for kind in ORDER_STATISTICS[:-1]]
    return np.array([*correlations, shared_top(judge, truth, best)])


def agreement_over_topics(
    judge: npt.ArrayLike, truth: npt.ArrayLike, best: int, *, resamples: int = 1000, seed: int = 7, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Between what is the agreement of two leaderboards by means over topics, on average over as many such topics?

    Topics are drawn with replacement, the same for both, and the limits are those of `interval` (of correlations). NaN
    where `order_agreement` is, and for a single topic.

    Shapes: judge and truth (systems, topics); each limit (4,).

    >>> judge, truth = np.random.default_rng(7).random((2, 12, 20))
    >>> low, high = agreement_over_topics(judge, truth, best=3, resamples=200)
    >>> bool((low <= order_agreement(judge.mean(axis=1), truth.mean(axis=1), 3)).all())
    True
    """
    one, other = (np.asarray(each, dtype=np.float64) for each in (judge, truth))
    seen = order_agreement(one.mean(axis=1), other.mean(axis=1), best)
    topics = one.shape[1]
    if topics < 2:
        return np.full_like(seen, np.nan), np.full_like(seen, np.nan)
    counts = resample_counts(topics, resamples, seed)
    return _limits(seen, _computed(counts @ one.T / topics, counts @ other.T / topics, best), level)


def agreement_over_systems(
    judge: npt.ArrayLike, truth: npt.ArrayLike, best: int, *, resamples: int = 1000, seed: int = 7, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Between what is the agreement of two leaderboards, on average over as many systems like these?

    Systems are drawn with replacement, and the limits are those of `interval`. A system that is drawn twice is tied
    with itself; in τ_AP, which breaks ties at random, its copies keep one order in both leaderboards. NaN where
    `order_agreement` is, and for fewer than `FEWEST_SYSTEMS`.

    Shapes: judge and truth (systems,); each limit (4,).

    >>> low, high = agreement_over_systems(np.arange(12.0), np.arange(12.0), best=3)
    >>> low.round(9).tolist(), high.round(9).tolist()  # equal leaderboards stay equal, whichever systems there are
    ([1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0])
    """
    one, other = (levelled(each) for each in checked_scores(judge, truth))
    seen = order_agreement(one, other, best)
    systems = len(one)
    if systems < FEWEST_SYSTEMS:
        return np.full_like(seen, np.nan), np.full_like(seen, np.nan)
    # Ranks: whole numbers, between which the copies of a system have room.
    ranks = [np.unique(each, return_inverse=True)[1].astype(np.float64) for each in (one, other)]
    drawn = resampled_topics(systems, resamples, seed)
    x, y = (each[drawn] for each in ranks)
    apart = random_from(seed).random(drawn.shape) / 2
    found = np.array([
        correlation("tau_b", x, y), correlation("tau_ap", x + apart, y + apart), correlation("spearman", x, y),
        shared_top(ranks[0], ranks[1], best, resample_counts(systems, resamples, seed)),
    ])  # fmt: skip
    return _limits(seen, found, level)


def _limits(seen: Floats, drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the limits of each statistic; drawn: array of shape (4, resamples)."""
    limits = [
        (np.nan, np.nan) if np.isnan(value) else interval(value, of, level)
        for value, of in zip(seen, drawn, strict=True)
    ]
    low, high = np.array(limits).T
    return np.maximum(low, _LEAST_VALUES), high

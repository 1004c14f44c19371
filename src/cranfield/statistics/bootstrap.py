"""The bootstrap: topics resampled with replacement, for other topics of the same kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.statistics.differences import (
    ROUNDING,
    Alternative,
    check_choices,
    check_share,
    checked,
    quotient,
    random_from,
    require_draws,
    slices_that_fit,
    t_statistics,
    towards,
)


def resampled_topics(topics: int, resamples: int, seed: int) -> Integers:
    """Draw topics with replacement: array of shape (resamples, topics) of their indices."""
    require_draws(resamples, topics)
    return random_from(seed).integers(0, topics, (resamples, topics))


def resample_counts(topics: int, resamples: int, seed: int) -> Floats:
    """How often is each topic drawn? Shapes: the result (resamples, topics)."""
    drawn = resampled_topics(topics, resamples, seed) + topics * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=topics * resamples).reshape(resamples, topics).astype(np.float64)


def discriminate(
    differences: npt.ArrayLike, *, resamples: int = 1000, seed: int = 7, alphas: Sequence[float] = (0.05,)
) -> tuple[Floats, Floats]:
    """Which pairs of systems differ, and how large must a difference be to be found?

    Each row is centred, and its topics are resampled B times: t* = mean* / (s* / √n). The achieved significance level
    is the share of |t*| ≥ |t|. Of the resamples sorted by |t*|, largest first, the one at place α·B tells the |mean*|
    that would just have been significant; the largest of these over all pairs is Sakai's Δ.

    Shapes: differences (hypotheses, topics); the result, levels and |mean*|, (hypotheses,), (hypotheses, alphas).

    Paper: Sakai (2006), "Evaluating evaluation metrics based on the bootstrap".

    >>> levels, _ = discriminate([[0.1, 0.2, 0.1, 0.3, 0.2, 0.1], [0.1, -0.2, 0.1, 0.3, -0.2, 0.1]])
    >>> levels < 0.05
    array([ True, False])
    """
    differences = checked(differences)
    check_choices("two-sided", resamples)
    places = [resamples - _place(alpha, resamples) for alpha in alphas]  # counted from the smallest, and from 0
    asl, deltas = np.empty(len(differences)), np.empty((len(differences), len(places)))
    seen = np.abs(t_statistics(differences)) - ROUNDING
    counts = resample_counts(differences.shape[1], resamples, seed)
    for block, t, means in studentised(differences, counts):
        sizes = np.abs(t, out=t)
        asl[block] = (sizes >= seen[block, None]).mean(axis=1)
        chosen = np.argpartition(sizes, places, axis=1)[:, places]
        deltas[block] = np.abs(np.take_along_axis(means, chosen, axis=1))
    return asl, deltas


def achieved_levels(differences: Floats, counts: Floats, alternative: Alternative) -> Floats:
    """Return the share of resamples whose t* speaks at least as loudly for the alternative as t does."""
    seen = towards(alternative, t_statistics(differences)) - ROUNDING
    levels = np.empty(len(differences))
    for block, t, _ in studentised(differences, counts):
        levels[block] = (towards(alternative, t) >= seen[block, None]).mean(axis=1)
    return levels


def studentised(
    differences: Floats, counts: Floats, weights: Floats | None = None
) -> Iterator[tuple[slice, Floats, Floats]]:
    """Give t* and mean* of the centred rows, by block of hypotheses: arrays of shape (hypotheses, resamples).

    Of weighted units, such as clusters by their sizes, mean* is a ratio, and its error linearised.
    """
    topics = differences.shape[1]
    share = None if weights is None else weights / weights.mean()
    mean = differences.mean(axis=1) if share is None else differences @ share / topics
    for block in slices_that_fit(len(differences), len(counts)):
        rows = differences[block]
        some = rows - mean[block, np.newaxis]
        some[np.abs(some) <= ROUNDING * np.abs(rows).max(axis=1, keepdims=True)] = 0
        if share is not None:
            some *= share
        # In place, as all below: tables of hypotheses by resamples are most of the work.
        means = some @ counts.T
        means /= topics
        squares = np.square(some) @ counts.T
        squares /= topics
        variances = np.square(means)
        if share is None:
            np.subtract(squares, variances, out=variances)
        else:
            total = counts @ share / topics
            means /= total
            both, shares = (some * share) @ counts.T / topics, counts @ share**2 / topics
            variances = (squares - 2 * means * both + np.square(means) * shares) / total**2
            squares /= total**2
        squares *= ROUNDING
        variances[variances <= squares] = 0
        variances /= topics - 1
        np.sqrt(variances, out=variances)
        yield block, quotient(means, variances), means


def _place(alpha: float, resamples: int) -> int:
    check_share("alpha", alpha)
    if alpha * resamples < 1:
        raise InputError(f"alpha {alpha:g} needs at least {1 / alpha:.0f} resamples, not {resamples}")
    return round(alpha * resamples)

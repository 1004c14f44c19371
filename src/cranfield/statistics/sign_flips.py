"""If there were no difference, each topic could as well have had the other sign: all sign flips, or many."""

from __future__ import annotations

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.statistics.differences import quotient, random_from


def sign_flips(topics: int, resamples: int, seed: int) -> tuple[Floats, bool]:
    """Which signs do the differences get?

    Parameters
    ----------
    topics
        Number of topics, n.
    resamples
        How many sign patterns may be tried. If there are no more than that (2^n ≤ resamples) each
        is taken once.
    seed
        Seed of the random signs.

    Returns
    -------
    Array of shape (patterns, topics) of 1 and −1, and whether it holds all patterns.

    Examples
    --------
    >>> sign_flips(2, 4, seed=7)
    (array([[ 1.,  1.], [-1.,  1.], [ 1., -1.], [-1., -1.]]), True)
    """
    exact = 2**topics <= resamples
    if exact:
        negative = np.arange(2**topics)[:, None] >> np.arange(topics) & 1
    else:
        negative = random_from(seed).integers(0, 2, (resamples, topics))
    return 1.0 - 2.0 * negative, exact


def share_reached(reached: Floats, patterns: int, exact: bool) -> Floats:
    """Turn the number of patterns that reach what was seen into p.

    Among all patterns is the one that was seen. Among random ones it is not, and is added to them,
    so that p is never 0 and the test keeps its level: (reached + 1) / (patterns + 1).
    """
    return reached / patterns if exact else (reached + 1) / (patterns + 1)


def directions(differences: Floats) -> Floats:
    """Scale each row to length 1, over √n: its sum, r, tells the mean and the t statistic of the row alike.

    Flips change no square, hence t = r √(n − 1) / √(1 − r²) grows with r, and r with the mean.
    Unlike t, r is bounded by 1, so that one tolerance for rounding fits all. Rows of zeros stay
    zeros.
    """
    lengths = np.sqrt(np.square(differences).sum(axis=1, keepdims=True))
    scaled: Floats = quotient(differences, lengths) / np.sqrt(differences.shape[1])
    return scaled

"""Sign flips, all or many: without a difference each topic could equally have the other sign."""

from __future__ import annotations

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.statistics.differences import ROUNDING, quotient, random_from, require_draws


def sign_flips(topics: int, resamples: int, seed: int) -> tuple[Floats, bool]:
    """Which signs do the differences get: all patterns if at most ``resamples`` (True), or random ones?

    Shapes: the result (patterns, topics).
    """
    exact = 2**topics <= resamples
    if exact:
        negative = np.arange(2**topics)[:, None] >> np.arange(topics) & 1
    else:
        require_draws(resamples, topics)
        negative = random_from(seed).integers(0, 2, (resamples, topics))
    return 1.0 - 2.0 * negative, exact


def share_reached(reached: Floats, patterns: int, exact: bool) -> Floats:
    """Turn the number of patterns that reach what was seen into p.

    Among all patterns is the one that was seen. Among random ones it is not, and is added to them, so that p is never 0
    and the test keeps its level: (reached + 1) / (patterns + 1).
    """
    return reached / patterns if exact else (reached + 1) / (patterns + 1)


def directions(differences: Floats) -> Floats:
    """Scale each row to length 1, over √n: its sum, r, tells both the mean and the t statistic of the row.

    Flips change no square, hence t = r √(n − 1) / √(1 − r²) grows with r, and r with the mean. Unlike t, r is bounded
    by 1, so that one tolerance for rounding fits all. Rows of zeros stay zeros.
    """
    lengths = np.sqrt(np.square(differences).sum(axis=1, keepdims=True))
    return np.asarray(quotient(differences, lengths) / np.sqrt(differences.shape[1]))


def exact_p(differences: Floats) -> Floats:
    """Return the two-sided p of each row's sum among all 2^n sign patterns, n being below `usual.FEW_UNITS`.

    The units are cut into two halves, whose 2^(n/2) sums are sorted and looked up in each other: 2^24
    patterns are counted in 4,096 steps.
    """
    n = differences.shape[1]
    parts = np.hsplit(differences, [n // 2])
    halves = [part @ sign_flips(part.shape[1], 2 ** part.shape[1], seed=0)[0].T for part in parts]
    # Sums that should be equal differ by rounding, and the pattern that was seen counts among those that reach it.
    seen = np.abs(differences.sum(axis=1)) - ROUNDING * n * np.abs(differences).max(axis=1)
    pairs = zip(*halves, seen, strict=True)
    below = [np.searchsorted(np.sort(other), least - one).sum() for one, other, least in pairs]
    return np.asarray(np.minimum(1.0, 2 * (2.0**n - np.array(below)) / 2.0**n))

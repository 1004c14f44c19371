"""How far is each run behind the best one, and how sure is that?"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats

DECIMALS: Final = 12
"""Values are rounded so far before they are compared, as `compare` does it: those that differ by rounding are ties."""


class Behind(NamedTuple):
    """Paired differences of runs with the best one, each less the best's: arrays of shape (runs,).

    ``low`` and ``high`` are NaN for the best itself. ``below`` says whether the run is significantly worse, and
    ``level`` is the confidence of each interval.
    """

    low: Floats
    high: Floats
    below: Booleans
    level: float


def behind(values: Floats, best: int, alpha: float = 0.05, weights: Floats | None = None) -> Behind:
    """Compare each run with the best one, topic by topic.

    The tests are those of `compare`: a paired t-test of each pair of runs, corrected by Holm's method over all pairs,
    since which run is the best is only known afterwards. Of m pairs of which k are significant, those are with
    p ≤ alpha / (m − k) (or p ≤ alpha, if all are). Intervals of that level exclude 0 for these alone.

    Parameters
    ----------
    values
        Array of shape (runs, topics), complete, more being better; two runs and two topics or more.
    best
        Which run is the best.
    alpha
        The chance of any false finding.
    weights
        What each topic counts for; None where all count alike.

    Examples
    --------
    >>> best = np.array([0.5, 0.6, 0.4, 0.7, 0.5])
    >>> found = behind(np.array([best, best - [0.1, 0.2, 0.1, 0.2, 0.1], best - [0.1, -0.1, 0.1, -0.1, 0.1]]), 0)
    >>> found.below.tolist(), found.level  # one of three pairs: 1 - 0.05 / 2
    ([False, True, False], 0.975)
    """
    from cranfield.statistics.differences import checked
    from cranfield.statistics.intervals import t_interval
    from cranfield.statistics.multiple_comparisons import adjust
    from cranfield.statistics.paired_tests import t_test
    from cranfield.statistics.pairs import pairs
    from cranfield.statistics.weighting import weighted_t_interval, weighted_t_test

    first, second = pairs(len(values))
    rows = checked(np.round(values[first] - values[second], DECIMALS))
    found = t_test(rows, "two-sided", 1, 0) if weights is None else weighted_t_test(rows, weights, "two-sided")
    significant = adjust(found.p, "holm") <= alpha
    level = 1 - alpha / max(1, len(rows) - int(significant.sum()))
    of_best = (first == best) | (second == best)
    sign = np.where(first[of_best] == best, -1.0, 1.0)[:, np.newaxis]
    apart = sign * rows[of_best]
    ends = t_interval(apart, level) if weights is None else weighted_t_interval(apart, weights, level)
    others = np.delete(np.arange(len(values)), best)  # in the order of these pairs
    low, high, below = np.full(len(values), np.nan), np.full(len(values), np.nan), np.zeros(len(values), np.bool_)
    low[others], high[others] = ends
    below[others] = significant[of_best] & ((ends[0] + ends[1]) < 0)
    return Behind(low, high, below, level)

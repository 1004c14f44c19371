"""How far is each run behind the best one, and how sure is that?"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats

RESAMPLES: Final = 1000
"""How often topics are drawn."""
SEED: Final = 7


class Behind(NamedTuple):
    """Paired differences of runs with the best one, each less the best's: arrays of shape (runs,).

    ``low`` and ``high`` hold together, for all pairs of runs; NaN for the best, and where the two runs differ on too
    few topics to be tested. ``below`` says whether the run is significantly worse.
    """

    difference: Floats
    low: Floats
    high: Floats
    below: Booleans


def behind(values: Floats, best: int, level: float = 0.95) -> Behind:
    """Compare each run with the best one, topic by topic.

    All pairs are tested at once (`simultaneous_intervals`), since which run is the best is only known afterwards. So
    a run is significantly worse where its interval excludes 0.

    Parameters
    ----------
    values
        Array of shape (runs, topics), complete, more being better; two topics or more.
    best
        Which run is the best.
    level
        Confidence, above 0 and below 1.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> best = rng.random(30)
    >>> found = behind(np.array([best, best - 0.2 + rng.normal(size=30) / 50, best + rng.normal(size=30) / 50]), 0)
    >>> found.below.tolist(), bool(found.low[1] < -0.2 < found.high[1])
    ([False, True, False], True)
    """
    from cranfield.statistics.multiple_comparisons import simultaneous_intervals
    from cranfield.statistics.pairs import pairs

    runs = len(values)
    difference = (values - values[best]).mean(axis=1)
    low, high = np.full(runs, np.nan), np.full(runs, np.nan)
    if runs > 1:
        first, second = pairs(runs)
        found = simultaneous_intervals(values[first] - values[second], level, resamples=RESAMPLES, seed=SEED)
        after, before = first == best, second == best
        low[second[after]], high[second[after]] = -found.high[after], -found.low[after]
        low[first[before]], high[first[before]] = found.low[before], found.high[before]
    return Behind(difference, low, high, high < 0)

"""How far is each run behind the best one, and how sure is that?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats, Integers


class Behind(NamedTuple):
    """Paired differences of runs with the best one, each less the best's: arrays of shape (runs,).

    ``low`` and ``high`` are NaN for the best itself, and for a run whose differences do not vary. ``below`` says
    whether the run is significantly worse, and ``level`` is the confidence of each interval.
    """

    low: Floats
    high: Floats
    below: Booleans
    level: float


def behind(
    values: Floats, best: int, alpha: float = 0.05, weights: Floats | None = None, clusters: Integers | None = None
) -> Behind:
    """Compare each run with the best one, topic by topic.

    Which runs are told from it is `tell_apart`'s answer, the usual one of all pairs, since which run is the best is
    only known afterwards. Intervals of the level that its correction leaves exclude 0 for these alone (of fewer than
    25 topics sign flips must agree).

    Shapes: values (runs, topics); clusters (topics,).
    """
    from cranfield.statistics.clusters import by_unit
    from cranfield.statistics.conclusions import Paired, tell_apart

    told = tell_apart(values, alpha, weights, clusters)
    others = np.delete(np.arange(len(values)), best)
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    apart = Paired(*by_unit(values[others] - values[best], weights, clusters))
    low[others], high[others] = apart.interval(1 - told.level)
    return Behind(low, high, told.above[best], 1 - told.level)

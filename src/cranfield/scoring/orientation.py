"""Which way is better: the one place that looks whether a measure is better the higher or the lower."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats
from cranfield.statistics.on_paper import levelled


def direction(measure: Measure) -> float:
    """Return 1 where the higher value is the better one, -1 where the lower is."""
    return 1.0 if measure.higher_is_better else -1.0


def directions(measures: Sequence[Measure]) -> Floats:
    """Return the direction of each measure, as an array to multiply values with."""
    return np.array([direction(measure) for measure in measures])


def best_first(values: Floats) -> list[int]:
    """Return the order of values, of which more is better: the best first, those equal on paper as they stand.

    >>> best_first(np.array([0.3, 0.5, 0.1 + 0.2]))
    [1, 0, 2]
    """
    order: list[int] = np.argsort(-levelled(values), kind="stable").tolist()
    return order


def oriented(measure: Measure, values: Floats) -> Floats:
    """Turn values round where less is better, so that more always is; done again, it gives the values back.

    >>> from cranfield.measures import REGISTRY
    >>> oriented(REGISTRY["BalancePoint"](), np.array([3.0])).tolist()
    [-3.0]
    """
    return values if direction(measure) > 0 else -values

"""Do the differences of all pairs of systems have equal spread, as tests with a pooled spread assume?"""

from __future__ import annotations

from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.statistics.anova import anova
from cranfield.statistics.differences import standard_deviations
from cranfield.statistics.pairs import differences

UNEVEN: Final = 1.4
"""Below it, eight runs of equal means have a false finding by Tukey's test in 5 to 6 % of samples of 25 topics (of one
table of scores in 10), and from it on in 7 to 10 % (at 5 %; see the page on calibration)."""


def spread_ratio(values: Floats) -> float:
    """How many times as much as all pairs together do the differences of the one pair vary that varies most?

    Its standard deviation by √2 · √MSE, that of all differences in the analysis of variance; 1 where
    all pairs vary alike, and where none varies.

    Shapes: values (systems, topics).

    The third run differs from the others by ±3, these from each other by ±1:

    >>> values = np.array([[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [3.0, 3.0, -3.0, -3.0]])
    >>> round(spread_ratio(values), 2)
    1.19
    """
    pooled = float(np.sqrt(2 * anova(values).mean_square_error))
    return float(standard_deviations(differences(values.T).T).max() / pooled) if pooled else 1.0

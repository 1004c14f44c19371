"""What would more topics of the same kind show? Not at the observed difference, but at all plausible ones."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import special
from cranfield.plumbing.options import Count
from cranfield.plumbing.options import checked as option
from cranfield.statistics.differences import checked, random_from, standard_deviations

MORE_TOPICS: Final = (10, 25, 50, 75, 100, 150, 200, 300, 500, 1000)
"""Of which numbers of further topics `enough_topics` answers the first that probably decides, or else the last."""
_DRAWS: Final = 4000  # How many futures are drawn: a chance is known to within .016


class Foreseen(NamedTuple):
    """What the present topics, and more like them, could have together."""

    # mean, error: arrays (draws): the mean difference, and its standard error
    mean: Floats
    error: Floats
    topics: int  # how many topics there are then

    def critical(self, alpha: float) -> Floats:
        """Return how far the mean must be from a hypothesis to be beyond it, one-tailed, in each draw."""
        return np.asarray(special.stdtrit(self.topics - 1, 1 - alpha) * self.error)


def foresee(differences: npt.ArrayLike, more: int, *, draws: int = _DRAWS, seed: int = 7) -> Foreseen:
    """What could the mean difference be, and its error, once more topics like these are added?

    Neither the true mean nor the true spread is known, and both are drawn from what n topics leave open: σ*² = (n - 1)
    s²/χ² with n - 1 degrees of freedom, μ* ~ N(mean, σ*²/n). Then m topics are drawn from N(μ*, σ*²), and put together
    with the n. Power at the difference that was seen promises more than this: it takes for true what may be luck.

    Paper: O'Hagan, Stevens and Campbell (2005), "Assurance in clinical trial design", Pharmaceutical Statistics 4(3).
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1:
        raise InputError(f"differences must be those of one pair, by topic, not an array of {values.ndim} dimensions")
    row = checked(values[np.newaxis])
    more, draws = option("more", more, Count), option("draws", draws, Count)
    n, mean, variance = row.shape[1], row.mean(), standard_deviations(row)[0] ** 2
    random = random_from(seed)
    variances = (n - 1) * variance / random.chisquare(n - 1, draws)
    means = random.normal(mean, np.sqrt(variances / n))
    new_means = random.normal(means, np.sqrt(variances / more))
    new_squares = variances * random.chisquare(more - 1, draws) if more > 1 else np.zeros(draws)
    topics = n + more
    together = (n * mean + more * new_means) / topics
    squares = (n - 1) * variance + new_squares + n * more / topics * (new_means - mean) ** 2
    return Foreseen(together, np.sqrt(squares / (topics - 1) / topics), topics)


class Assurance(NamedTuple):
    """What a test of all topics would probably show, with more of them."""

    topics: int  # how many more
    decided: float  # the chance that the test decides, one way or the other
    ahead: float  # the chance that it decides in favour: the mean is above −margin


def assurance(differences: npt.ArrayLike, more: int, alpha: float, *, margin: float = 0.0) -> Assurance:
    """How likely is a paired t-test to decide with additional topics like these?

    The share of what `foresee` draws in which the mean of all topics, old and new, is significantly above −margin, and
    in which it is that or significantly below it.

    >>> found = assurance([0.1, 0.3, -0.2, 0.2, 0.0, -0.1, 0.2, 0.3, -0.3, 0.4], 90, 0.0125)
    >>> round(found.decided, 1), round(found.ahead, 1)
    (0.7, 0.7)
    """
    then = foresee(differences, more)
    needed = then.critical(alpha)
    ahead = then.mean + margin > needed
    return Assurance(more, float((ahead | (-then.mean - margin > needed)).mean()), float(ahead.mean()))


def enough_topics(differences: npt.ArrayLike, power: float, alpha: float, *, margin: float = 0.0) -> Assurance:
    """With how many more topics like these does a paired t-test probably decide?

    No true difference is taken to be likelier than another before these topics were seen. Of pairs of real runs that
    holds to within .08 (docs/calibration.md). Where most runs hardly differ, as near-duplicates do, fewer are decided.

    >>> enough_topics([0.1, 0.3, -0.2, 0.2, 0.0, -0.1, 0.2, 0.3, -0.3, 0.4], 0.6, 0.0125).topics
    50
    """
    found = [assurance(differences, MORE_TOPICS[-1], alpha, margin=margin)]

    def decided(more: int) -> float:
        found.append(assurance(differences, more, alpha, margin=margin))
        return found[-1].decided

    bisect_left(MORE_TOPICS[:-1], power, key=decided)
    return min((each for each in found if each.decided >= power), default=found[0])

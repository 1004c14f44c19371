"""The power of the paired t-test, and the topics it takes, by the noncentral t distribution."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import special
from cranfield.statistics.differences import Alternative, check_choices, check_share, sides, towards

MOST_TOPICS = 2**24
"""The answer of `topics_needed` if it takes this many or more, or no number is enough (16,777,216)."""

_FAR = 8  # At this multiple of the critical value t is beyond it for certain, within floating point

LARGEST_EFFECT = 1e6
"""Cap of standardised differences: on 2 topics larger ones are found at any usual level."""


def power(
    effect: npt.ArrayLike, topics: npt.ArrayLike, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> Floats:
    """How likely is a difference of this size to be significant with a given number of topics?

    The chance that t, noncentral with n − 1 degrees of freedom and noncentrality d_z √n, is beyond the critical value.

    Paper: Cohen (1988), "Statistical power analysis for the behavioral sciences", section 2.3.5.

    >>> power(0.5, [10, 25, 50]).round(3)
    array([0.293, 0.67 , 0.934])
    """
    _check(alpha, alternative)
    return _found(_sizes(effect, alternative), _counts(topics), alpha, alternative)


def topics_needed(
    effect: npt.ArrayLike, power: float = 0.8, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> Integers:
    """How many topics does it take to find a difference of this size?

    >>> topics_needed([0.2, 0.5, 0.8])
    array([199,  34,  15])
    """
    _check(alpha, alternative)
    check_share("power", power)
    sizes = _sizes(effect, alternative)
    return _bisected(sizes.ravel(), power, alpha, alternative).reshape(sizes.shape)


def _bisected(sizes: Floats, power: float, alpha: float, alternative: Alternative) -> Integers:
    """Return the smallest numbers of topics with that power: near what the normal distribution says, or anywhere."""

    def enough(which: Integers, topics: Integers) -> Booleans:
        return _found(sizes[which], np.maximum(topics[which], 2), alpha, alternative) >= power

    low, high = _near(sizes, power, alpha, alternative)
    every = np.arange(len(sizes))
    low[enough(every, low)] = 1
    high[~enough(every, high)] = MOST_TOPICS
    while len(open_ := np.flatnonzero(high - low > 1)):
        middle = (low + high) // 2
        done = enough(open_, middle)
        high[open_[done]], low[open_[~done]] = middle[open_[done]], middle[open_[~done]]
    return high


def _near(sizes: Floats, power: float, alpha: float, alternative: Alternative) -> tuple[Integers, Integers]:
    """Return between how many topics the answer most likely lies: more than z, were it normal, and not by much."""
    z = special.ndtri(1 - alpha / sides(alternative))
    guess = (max(z + special.ndtri(power), 0.0) / np.maximum(sizes, 1 / LARGEST_EFFECT)) ** 2
    low = np.clip(guess - 1, 1, MOST_TOPICS - 1)
    return low.astype(np.int64), np.clip(guess + z**2 + 4, 2, MOST_TOPICS).astype(np.int64)


def detectable(
    topics: npt.ArrayLike, power: float = 0.8, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> Floats:
    """How large must a difference be to be detected with a given number of topics?

    >>> detectable([10, 25, 50]).round(3)
    array([0.996, 0.584, 0.404])
    """
    _check(alpha, alternative)
    check_share("power", power)
    if power < alpha:
        raise InputError(f"power must be at least alpha ({alpha:g}), which no difference at all has, not {power!r}")
    counts = _counts(topics)
    low, high = np.zeros(counts.shape), np.full(counts.shape, LARGEST_EFFECT)
    for _ in range(70):  # halves the interval until it is as small as the steps between numbers
        middle = (low + high) / 2
        enough = _found(middle, counts, alpha, alternative) >= power
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


def _found(sizes: Floats, counts: Integers, alpha: float, alternative: Alternative) -> Floats:
    """Return the power for effects that are positive where the alternative looks for them."""
    noncentrality, freedom = sizes * np.sqrt(counts), counts - 1
    critical = special.stdtrit(freedom, 1 - alpha / sides(alternative))
    found = _beyond(critical, freedom, noncentrality)
    return found + _beyond(critical, freedom, -noncentrality) if alternative == "two-sided" else found


def _beyond(critical: Floats, freedom: Integers, noncentrality: Floats) -> Floats:
    """Return how likely noncentral t is beyond a value: by scipy.special, since to load scipy.stats takes a second."""
    found: Floats = np.asarray(1 - special.nctdtr(freedom, noncentrality, critical))
    lost = np.isnan(found)  # where either tail is too small for a number
    if not lost.any():
        return found
    found = np.where(lost, noncentrality > critical, found)
    if (lost & (np.abs(noncentrality) < _FAR * critical)).any():
        from scipy.stats import nct

        found = np.where(lost, nct.sf(critical, freedom, noncentrality), found)
    return found


def _sizes(effect: npt.ArrayLike, alternative: Alternative) -> Floats:
    effects = np.asarray(effect, dtype=np.float64)
    if broken := int(np.isnan(effects).sum()):
        raise InputError(f"{broken} of {effects.size:,} effects are not numbers")
    return np.clip(towards(alternative, effects), -LARGEST_EFFECT, LARGEST_EFFECT)


def _counts(topics: npt.ArrayLike) -> Integers:
    counts = np.asarray(topics)
    if not np.issubdtype(counts.dtype, np.integer):
        raise InputError(f"topics must be whole numbers, not {topics!r}")
    if (counts < 2).any():
        raise InputError(f"topics must be at least 2, not {counts.min()}")
    return counts


def _check(alpha: float, alternative: Alternative) -> None:
    check_share("alpha", alpha)
    check_choices(alternative)

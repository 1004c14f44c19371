"""The best place to end each list, in hindsight.

Sums of 64 bits cannot tell it: once a weight is lost next to those above it, all longer prefixes
look the same. So the prefixes are not compared by their values but by what lies between them, from
the end of the list upwards.
"""

from __future__ import annotations

import numpy as np

from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.prefix_steps import Steps
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.scoring.orientation import oriented

VALUE_ROUNDING = 1e-14
"""Values that differ by less than this share of the largest of what was added are the same, but for rounding."""

_MIN_GAIN = 1e-250  # What is still to be gained counts at least so much, in units of any rank above; never 0


def values_by_length(measure: Measure, rankings: JudgedRankings) -> Floats:
    """What is each prefix of each list worth, more being better? The result: (rows, depth + 1)."""
    return oriented(measure, measure.by_prefix(rankings))


def optimal_lengths(measure: Measure, rankings: JudgedRankings) -> tuple[Integers, Floats]:
    """Where should each list have ended?

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 4.2.
    """
    values = values_by_length(measure, rankings)
    steps = measure.prefix_steps(rankings)
    length = first_best(values) if steps is None else best_ends(steps)
    return length, oriented(measure, values.max(axis=1))


def best_ends(steps: Steps) -> Integers:
    """After how many documents is the sum of the steps largest, for the first time, rounding aside?

    From the end upwards: what can still be gained after rank n is W(n) = max(0, gain - loss + ratio
    · W(n + 1)), in units of rank n + 1, and the list goes on where that is not 0. It is 0 where it
    is less than rounding makes of the amounts that it was added up from, those down to the best end
    alone.

    >>> one_half = np.full((1, 4), 0.5)
    >>> best_ends(Steps(np.array([[0.0, 1.0, 0.0, 0.1]]), np.array([[0.2, 0.0, 0.1, 0.0]]), one_half))  # .1 · .5 < .1
    array([2])
    """
    rows, depth = steps.gain.shape
    ahead, amount, end = np.zeros(rows), np.zeros(rows), np.full(rows, depth)
    for n in reversed(range(depth)):
        gain, loss, ratio = steps.gain[:, n], steps.loss[:, n], steps.ratio[:, n]
        ahead = gain - loss + np.maximum(ratio * ahead, np.minimum(ahead, _MIN_GAIN))
        amount = gain + loss + np.maximum(ratio * amount, np.minimum(amount, _MIN_GAIN))
        over = ahead <= VALUE_ROUNDING * amount
        ahead[over], amount[over], end[over] = 0.0, 0.0, n
    return end


def first_best(values: Floats, added: float = 0.0) -> Integers:
    """At which place of each row does the largest value stand first, rounding aside?

    0.1 + 0.2 - 0.3 is no more than 0, though that is its value in 64 bits: what matters is how large the
    numbers were that were added, of which the largest value of the row, whatever its sign, tells
    enough, unless larger ones (``added``) cancelled out.

    >>> first_best(np.array([[0.0, -0.1, 0.1 + 0.2 - 0.3], [1.0, 3.0, 3.0]]))
    array([0, 1])
    """
    tolerance = VALUE_ROUNDING * np.maximum(np.abs(values).max(axis=-1, keepdims=True), added)
    place: Integers = (values >= values.max(axis=-1, keepdims=True) - tolerance).argmax(axis=-1)
    return place

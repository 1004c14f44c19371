"""The best place to end each list, in hindsight."""

from __future__ import annotations

import numpy as np

from cranfield.arrays import Floats, Integers
from cranfield.measures.machinery.measure import Measure
from cranfield.orientation import oriented
from cranfield.rankings import JudgedRankings

ROUNDING = 1e-14
"""Values that differ by less than this share of the largest among them are the same, but for rounding."""


def values_by_length(measure: Measure, rankings: JudgedRankings) -> Floats:
    """What is each prefix of each list worth, more being better?

    Returns
    -------
    Array of shape (rows, depth + 1): column k is the value of the first k documents as a list of their own; the
    negative of it where less is better. Beyond its length a row keeps the value of the whole list.
    """
    return oriented(measure, measure.by_prefix(rankings))


def optimal_lengths(measure: Measure, rankings: JudgedRankings) -> tuple[Integers, Floats]:
    """Where should each list have ended?

    Parameters
    ----------
    measure
        What is to be as good as it can be.
    rankings
        The lists.

    Returns
    -------
    By row the length 0..n of the best prefix, the shortest of those that are equally good, and its value.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better and how to measure
    that", SIGIR, section 4.2.

    >>> from cranfield.measures import FlatUtility
    >>> from cranfield.rankings import one_ranking
    >>> optimal_lengths(FlatUtility(e=0.4), one_ranking([0, 1, 0, 1, 0]))  # 0 -.4 .2 -.2 .4 .0
    (array([4]), array([0.4]))
    """
    values = values_by_length(measure, rankings)
    return first_best(values), oriented(measure, values.max(axis=1))


def first_best(values: Floats) -> Integers:
    """At which place of each row does the largest value stand first, rounding aside?

    0.1 + 0.2 - 0.3 is no more than 0, though computed so in 64 bits: what matters is how large the numbers were that
    were added, of which the largest value of the row, whatever its sign, tells enough.

    >>> first_best(np.array([[0.0, -0.1, 0.1 + 0.2 - 0.3], [1.0, 3.0, 3.0]]))
    array([0, 1])
    """
    tolerance = ROUNDING * np.abs(values).max(axis=-1, keepdims=True)
    place: Integers = (values >= values.max(axis=-1, keepdims=True) - tolerance).argmax(axis=-1)
    return place

"""The pairs of systems that tests compare: all (a, b) with a before b, always in the same order."""

from __future__ import annotations

import numpy as np

from cranfield.plumbing.arrays import Floats, Integers


def pairs(systems: int) -> tuple[Integers, Integers]:
    """Which pairs are there, and in which order does every result list them? That of ``np.triu_indices(systems, 1)``.

    >>> first, second = pairs(4)
    >>> list(zip(first.tolist(), second.tolist()))
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    first, second = np.triu_indices(systems, 1)
    return first, second


def differences(levels: Floats) -> Floats:
    """By how much does the first system of each pair exceed the second?

    >>> differences(np.array([5.0, 3.0, 4.0])).tolist()
    [2.0, 1.0, -1.0]
    """
    first, second = pairs(levels.shape[-1])
    return levels[..., first] - levels[..., second]

"""Influence of single topics: how means, and the order of two runs, change without them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.statistics.on_paper import side


def means_without_each(values: npt.ArrayLike) -> Floats:
    """What is the mean over all topics but one, for each of them? (Σ v − v_t) / (n − 1): the jackknife's samples.

    >>> means_without_each([0.5, 0.25, 0.0]).tolist()
    [0.125, 0.25, 0.375]
    """
    given = np.asarray(values, np.float64)
    topics = given.shape[-1]
    if topics < 2:
        raise InputError(f"leaving a topic out needs at least two topics; there is {topics}")
    return np.asarray((given.sum(axis=-1, keepdims=True) - given) / (topics - 1))


def fewest_that_undo(differences: npt.ArrayLike) -> Integers | None:
    """Which topics, as few as possible, must be left out to end the lead of the run ahead?

    Topics are left out from the largest difference down until the mean of those that are left is 0 or below. For any
    number of topics no others leave a lower mean, so that no fewer would do. None if all of them would not.

    Paper: Broderick, Giordano and Meager (2020), "An automatic finite-sample robustness metric", arXiv:2011.14999, for
    the question; of a mean the answer is exact.

    Without 0.5 and 0.2, what is left is 0.1 − 0.2 < 0; without 0.5 alone it is 0.2 + 0.1 − 0.2.

    >>> fewest_that_undo([0.2, -0.2, 0.5, 0.1]).tolist(), fewest_that_undo([0.1, 0.2])
    ([2, 0], None)
    """
    values = np.asarray(differences, np.float64)
    falling = np.argsort(-values, kind="stable")
    left = values[falling][::-1].cumsum()[::-1]  # of those from each place on
    behind = np.flatnonzero(side(left / np.arange(len(left), 0, -1)) <= 0)
    return falling[: behind[0]] if len(behind) else None

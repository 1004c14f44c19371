"""Better, not worse, worse, or undecided: what is said of the mean difference of two runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cranfield.pairs.pair import Pair
from cranfield.plumbing.arrays import Floats
from cranfield.statistics.differences import Alternative, checked
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.on_paper import side
from cranfield.statistics.paired_tests import t_test
from cranfield.statistics.verdicts import Decided, decided_by
from cranfield.statistics.weighting import weighted_t_interval, weighted_t_test


def decided(
    differences: npt.ArrayLike,
    margins: npt.ArrayLike,
    alpha: float = 0.05,
    weights: Floats | None = None,
) -> Decided:
    """Is the new run better, not worse by more than a margin, or worse?

    Three one-sided paired t tests a measure, each corrected over the measures (Holm): is the mean
    difference above 0 (better), above −margin (not worse: non-inferiority), below 0 (worse)? The first
    that holds, in this order, is the verdict; if none does, it is undecided. So a loss that is real
    but surely within the margin is not worse.

    Parameters
    ----------
    differences
        Array of shape (measures, topics): new less base, more being better.
    margins
        For each measure the loss that nobody would mind; 0 asks for a gain.
    alpha
        The chance of each error: to let a run through that is worse by the margin; to call one worse
        that is as good; to call one better that is not.
    weights
        What each topic counts for; the tests are then those of weighted means.

    Paper: Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power
    approach for assessing the equivalence of average bioavailability", for the test against a margin.

    Examples
    --------
    Differences 0, 0.1 and 0.2 are 0.1 on average, with a standard error of 0.1 / √3. They are not
    surely above 0 (p = 0.11), but surely above -0.1 (p = 0.037):

    >>> found = decided([[0.0, 0.1, 0.2]], [0.1])
    >>> found.verdicts, found.p_better.round(3), found.p_not_worse.round(3)
    (('not worse',), array([0.113]), array([0.037]))
    >>> decided([[0.0, 0.1, 0.2], [-0.1, -0.1, -0.1]], [0.01, 0.01]).verdicts
    ('undecided', 'worse')
    """
    rows = checked(differences)
    margin = np.broadcast_to(np.asarray(margins, np.float64), len(rows))[:, np.newaxis]
    p = p_of(rows, margin, weights)
    low, high = (
        t_interval(rows, 1 - 2 * alpha) if weights is None else weighted_t_interval(rows, weights, 1 - 2 * alpha)
    )
    return decided_by(p, low, high, alpha)


def p_of(rows: Floats, margin: Floats, weights: Floats | None) -> Floats:
    """Test each measure: array of shape (questions, measures), better, not worse and worse."""

    def p(rows: Floats, alternative: Alternative) -> Floats:
        rows = _but_for_rounding(rows)
        return (t_test(rows, alternative, 1, 0) if weights is None else weighted_t_test(rows, weights, alternative)).p

    return np.stack([p(rows, "greater"), p(rows + margin, "greater"), p(rows, "less")])


def _but_for_rounding(rows: Floats) -> Floats:
    """Leave nothing to be tested of differences that are 0 on paper on every topic."""
    return np.where(side(rows).any(axis=1, keepdims=True), rows, 0.0)


def could_be_within(pair: Pair, apart: Floats, margin: float) -> bool:
    """Whether the mean difference is worse than the margin, and might not be, had all been judged."""
    return bool(side(pair.mean(apart) + margin) < 0 <= side(pair.most() + margin))

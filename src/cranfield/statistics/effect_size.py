"""How large is a difference, whatever the unit of the measure and the number of topics?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.statistics.differences import checked, quotient, standard_deviations
from cranfield.statistics.on_paper import side

SIZES = ("marginal", "noticeable", "material")
"""Words for a difference in practice: below 5%, from 5 to 10%, and above."""


def standardised_difference(differences: npt.ArrayLike) -> Floats:
    """How many standard deviations (n − 1) is the mean difference away from 0? d_z = mean / s; t is d_z √n.

    Paper: Cohen (1988), "Statistical power analysis for the behavioral sciences", section 2.3.5.

    >>> standardised_difference([[1, 2, 3], [2, 2, 2]])  # 2 / 1, 2 / 0
    array([ 2., inf])
    """
    differences = checked(differences)
    return quotient(differences.mean(axis=1), standard_deviations(differences))


def wins_ties_losses(differences: npt.ArrayLike, weights: Floats | None = None) -> Integers:
    """On how many topics is a better, are both equal, is b better? Shapes: the result (hypotheses, 3).

    A topic of weight 0 does not count.

    >>> wins_ties_losses([[0.1, 0.3, 0.0, -0.2]])
    array([[2, 1, 1]])
    """
    signs = np.sign(checked(differences))[:, slice(None) if weights is None else weights > 0]
    return np.stack([(signs == sign).sum(axis=1) for sign in (1, 0, -1)], axis=1)


def relative_difference(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """How much more is the larger of two means than the smaller, as a share of the smaller?

    |a − b| / min(a, b): the improvement on the poorer of two runs where more is better, whichever is named first.

    Paper: Sparck Jones (1974), "Automatic indexing", as cited by Järvelin and Kekäläinen (2002), TOIS 20(4).

    >>> relative_difference([0.5, 0.4, 0.0, 0.2], [0.4, 0.5, 0.1, -0.1])  # 0.1 / 0.4
    array([0.25, 0.25,  inf,  nan])
    """
    one, other = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    smaller = np.minimum(one, other)
    with np.errstate(over="ignore"):  # of next to nothing, anything is infinitely many
        shares: Floats = np.where(smaller < 0, np.nan, quotient(np.abs(one - other), smaller))
    return shares


def sizes_of(relative: npt.ArrayLike) -> list[str | None]:
    """Does a difference matter in practice? Spärck Jones' rule of thumb, which knows nothing of chance.

    Less than 5% is marginal, 5% to 10% noticeable, more than 10% material.
    """

    def size(share: float) -> str | None:
        if np.isnan(share):
            return None
        return SIZES[int(side(share - 0.05) >= 0) + int(side(share - 0.1) > 0)]  # 0.21 is 5 per cent more than 0.2

    return [size(share) for share in np.asarray(relative, dtype=np.float64).tolist()]

"""How large is a difference, whatever the unit of the measure and the number of topics?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.statistics.differences import checked, quotient, standard_deviations

SIZES = ("marginal", "noticeable", "material")
"""What a difference is in practice: below 5 per cent, from 5 to 10, and above."""


def standardised_difference(differences: npt.ArrayLike) -> Floats:
    """How many standard deviations of the differences is the mean difference away from 0?

    d_z = mean / s, with s the standard deviation of the differences (n − 1). t is d_z √n.

    Parameters
    ----------
    differences
        Array of shape (hypotheses, topics).

    Returns
    -------
    The effect size of each hypothesis: 0 where all differences are 0, infinite where they are all
    equal and not 0.

    Raises
    ------
    InputError
        If topics are fewer than 2, or differences are not finite.

    Paper: Cohen (1988), "Statistical power analysis for the behavioral sciences", section 2.3.5.

    Examples
    --------
    >>> standardised_difference([[1, 2, 3], [2, 2, 2]])  # 2 / 1, 2 / 0
    array([ 2., inf])
    """
    differences = checked(differences)
    return quotient(differences.mean(axis=1), standard_deviations(differences))


def hedges_g(differences: npt.ArrayLike) -> Floats:
    """How large is the standardised difference, without the flattery of few topics?

    g = J d_z with J = Γ(m/2) / (√(m/2) Γ((m − 1)/2)), about 1 − 3/(4m − 1), and m = n − 1 degrees
    of freedom. d_z is on average too large by 1/J where differences are normal.

    Parameters
    ----------
    differences
        Array of shape (hypotheses, topics), of at least 3 topics if g is to be other than 0: with
        2, J is 0.

    Returns
    -------
    g of each hypothesis; infinite where d_z is (with 2 topics, 0).

    Raises
    ------
    InputError
        If topics are fewer than 2, or differences are not finite.

    Paper: Hedges (1981), "Distribution theory for Glass's estimator of effect size and related
    estimators", equation 6e.

    Examples
    --------
    >>> hedges_g([[1, 2, 3]]) / 2  # J for m = 2 is Γ(1) / (√1 Γ(1/2)) = 1/√π
    array([0.56418958])
    """
    from scipy.special import gammaln

    effects = standardised_difference(differences)
    freedom = np.shape(differences)[1] - 1
    if freedom == 1:
        return np.zeros_like(effects)
    log_ratio = gammaln(freedom / 2) - gammaln((freedom - 1) / 2)
    g: Floats = effects * np.exp(log_ratio) / np.sqrt(freedom / 2)
    return g


def superiority(differences: npt.ArrayLike) -> Floats:
    """On a topic taken at random, how likely does a do better than b?

    (wins + ties / 2) / n: 0.5 where neither is better.

    Parameters
    ----------
    differences
        Array of shape (hypotheses, topics).

    Returns
    -------
    The probability of superiority of each hypothesis, from 0 to 1.

    Raises
    ------
    InputError
        If topics are fewer than 2, or differences are not finite.

    Paper: Grissom and Kim (2005), "Effect sizes for research", chapter 5 (dependent groups).

    Examples
    --------
    >>> superiority([[0.1, 0.3, 0.0, -0.2]])  # (2 + 1/2) / 4
    array([0.625])
    """
    wins, ties, losses = wins_ties_losses(differences).T
    chances: Floats = (wins + ties / 2) / (wins + ties + losses)
    return chances


def wins_ties_losses(differences: npt.ArrayLike) -> Integers:
    """On how many topics is a better, are both equal, is b better?

    Parameters
    ----------
    differences
        Array of shape (hypotheses, topics).

    Returns
    -------
    Array of shape (hypotheses, 3): the number of topics with d > 0, d = 0 and d < 0.

    Raises
    ------
    InputError
        If topics are fewer than 2, or differences are not finite.

    Paper: Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", section
    3.1.4.

    Examples
    --------
    >>> wins_ties_losses([[0.1, 0.3, 0.0, -0.2]])
    array([[2, 1, 1]])
    """
    signs = np.sign(checked(differences))
    return np.stack([(signs == sign).sum(axis=1) for sign in (1, 0, -1)], axis=1)


def relative_difference(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """How much more is the larger of two means than the smaller, as a share of the smaller?

    |a − b| / min(a, b): the improvement on the poorer of two runs where more is better, the same
    whichever is named first.

    Parameters
    ----------
    a, b
        Means, of shapes that broadcast.

    Returns
    -------
    Shares from 0 on; infinite where the smaller is 0 and the larger is not, NaN where one is
    negative, since nothing is a share of less than nothing.

    Paper: Sparck Jones (1974), "Automatic indexing", Journal of Documentation 30(4), as cited by
    Järvelin and Kekäläinen (2002), TOIS 20(4).

    Examples
    --------
    >>> relative_difference([0.5, 0.4, 0.0, 0.2], [0.4, 0.5, 0.1, -0.1])  # 0.1 / 0.4
    array([0.25, 0.25,  inf,  nan])
    """
    one, other = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    smaller = np.minimum(one, other)
    with np.errstate(over="ignore"):  # of next to nothing, anything is infinitely many
        shares: Floats = np.where(smaller < 0, np.nan, quotient(np.abs(one - other), smaller))
    return shares


def sizes_of(relative: npt.ArrayLike) -> list[str | None]:
    """Does a difference matter in practice? Spärck Jones' rule of thumb.

    Less than 5 per cent is marginal, 5 to 10 per cent noticeable, more than 10 per cent material.
    The rule knows nothing of chance: it goes beside a test, not in its place.

    Parameters
    ----------
    relative
        What `relative_difference` gave, of shape (hypotheses,).

    Returns
    -------
    A word for each; None for NaN.

    Paper: as `relative_difference`.

    Examples
    --------
    >>> sizes_of([0.049, 0.05, 0.1, 0.101, float("nan")])
    ['marginal', 'noticeable', 'noticeable', 'material', None]
    """

    def size(share: float) -> str | None:
        if np.isnan(share):
            return None
        share = round(share, 12)  # 0.21 is 5 per cent more than 0.2, on paper
        return SIZES[int(share >= 0.05) + int(share > 0.1)]

    return [size(share) for share in np.asarray(relative, dtype=np.float64).tolist()]

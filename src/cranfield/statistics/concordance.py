"""How often the better of two systems has the higher score: the area under the ROC curve, for outcomes of any kind."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import special
from cranfield.plumbing.memory import require
from cranfield.statistics.correlation_vectors import signs
from cranfield.statistics.differences import check_share, slices_that_fit
from cranfield.statistics.on_paper import levelled
from cranfield.statistics.weighted_means import effective_topics, weighted_means

_FEWEST_TOPICS = 2  # Topics that an interval needs


def concordance(scores: npt.ArrayLike, outcomes: npt.ArrayLike) -> tuple[Floats, Integers]:
    r"""Of two systems with different outcomes, how often does the one with the better outcome score higher?

    .. math:: c = \frac{C + T / 2}{C + D + T}

    over the pairs of systems whose outcomes differ: of C of them the score agrees, of D it says the opposite, and T it
    ties. Where outcomes are 0 or 1, it is the area under the ROC curve; 2c - 1 is Somers' d.

    Shapes: scores (measures, topics, systems); outcomes (topics, systems); the result (measures, topics).

    Paper: F. E. Harrell and others (1982), Evaluating the yield of medical tests, JAMA 247(18).

    The first system alone has the outcome. It scores higher than the second, ties the third, and is below the fourth,
    which has no outcome:

    >>> found, pairs = concordance([[[0.5, 0.2, 0.5, 0.9]]], [[1, 0, 0, np.nan]])
    >>> float(found[0, 0]) == (1 + 1 / 2) / 2, int(pairs[0])
    (True, 2)
    """
    x, y = np.asarray(scores, np.float64), np.asarray(outcomes, np.float64)
    if x.ndim != 3 or y.shape != x.shape[1:]:
        raise InputError(
            f"scores have the shape (measures, topics, systems) and outcomes (topics, systems), not {x.shape} "
            f"and {y.shape}"
        )
    if not np.isfinite(x).all():
        raise InputError("a score is missing or infinite")
    measures, topics, systems = x.shape
    require(8 * (measures + 1) * systems**2, f"all pairs of {systems:,} systems", "fewer of them")
    found, differing = np.empty((measures, topics)), np.empty(topics, np.int64)
    for block in slices_that_fit(topics, max(1, (measures + 1) * systems**2)):
        better = signs(levelled(y[block]))
        agreed = np.einsum("mtp,tp->mt", signs(levelled(x[:, block])), better)
        differing[block] = np.abs(better).sum(axis=-1)
        with np.errstate(invalid="ignore"):
            found[:, block] = (1 + agreed / differing[block]) / 2
    return found, differing


def mean_of_shares(
    shares: npt.ArrayLike,
    level: float = 0.95,
    weights: npt.ArrayLike | None = None,
    variances: npt.ArrayLike | None = None,
) -> tuple[Floats, Floats, Floats]:
    r"""Between which limits does the mean of shares lie, if other topics of the kind are drawn?

    .. math:: (\bar c - \mu)^2 \le t^2 \, \hat\rho \, \mu (1 - \mu) / n, \qquad
        \hat\rho = \min\left(1, \frac{s^2}{\bar c (1 - \bar c)}\right)

    holds for the means μ between them: Wilson's interval, with n/ρ topics in place of n, where ρ is how much the shares
    vary, as a part of the most that they could; t is Student's with n - 1 degrees of freedom. Where all shares are
    equal, nothing tells how they vary, and ρ is 1. It stays between 0 and 1, and holds where a t interval is too
    narrow, for few topics and shares near 1: the page on outcomes has figures. With weights, of clusters as `by_unit`
    has them, 1/n is Σp², s²/n the square of the error of `weighted_means`, and t has its degrees of freedom.

    Shapes: shares (..., topics); weights and variances (topics,).

    Paper: N. Dean, M. Pagano (2015), Evaluating confidence interval methods for binomial proportions in clustered
    surveys, Journal of Survey Statistics and Methodology 3(4).

    Of 0 and 1 alone ρ is 1: with k = t²/n = 12.706²/2, limits are 1/2 ± √(k/4 + k²/4) / (1 + k).

    >>> mean, low, high = mean_of_shares([0, 1])
    >>> k = 12.7062**2 / 2
    >>> float(mean), round(float(high) - 0.5, 5) == round((k / 4 + k**2 / 4) ** 0.5 / (1 + k), 5)
    (0.5, True)
    """
    values = np.asarray(shares, np.float64)
    check_share("level", level)
    mean, doubt, freedom = _of_shares(values, weights, variances)
    if values.shape[-1] < _FEWEST_TOPICS:
        return mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    k = special.stdtrit(freedom, (1 + level) / 2) ** 2 * doubt
    middle, margin = (mean + k / 2) / (1 + k), np.sqrt(k * mean * (1 - mean) + k**2 / 4) / (1 + k)
    return mean, np.maximum(middle - margin, 0), np.minimum(middle + margin, 1)


def half_or_not(
    shares: npt.ArrayLike, weights: npt.ArrayLike | None = None, variances: npt.ArrayLike | None = None
) -> Floats:
    r"""How unlikely is a mean of shares this far from 1/2, if it is 1/2 of all topics of the kind? Two-sided.

    .. math:: t = \frac{|\bar c - 1/2|}{\sqrt{\hat\rho / 4n}}

    It is below 1 − level where the interval of `mean_of_shares` leaves 1/2 out, and there alone.

    Of three shares that are 1, t = (1/2) / √(1/12) = √3, with 2 degrees of freedom: 1 − √3 / √(3 + 2).

    >>> float(half_or_not([1, 1, 1]).round(6)) == round(1 - (3 / 5) ** 0.5, 6)
    True
    """
    mean, doubt, freedom = _of_shares(np.asarray(shares, np.float64), weights, variances)
    return np.asarray(2 * special.stdtr(freedom, -np.abs(mean - 0.5) / np.sqrt(doubt / 4)))


def _of_shares(
    values: Floats, weights: npt.ArrayLike | None, variances: npt.ArrayLike | None
) -> tuple[Floats, Floats, float]:
    """Return the means, how uncertain each is (ρ/n), and the degrees of freedom."""
    topics = values.shape[-1] if values.ndim else 0
    if not topics or not ((values >= 0) & (values <= 1)).all():
        raise InputError("shares are numbers from 0 to 1, of one topic at least")
    if weights is None or topics < _FEWEST_TOPICS:
        mean, freedom, alone = values.mean(axis=-1), float(topics - 1), 1 / topics
        squares = values.var(axis=-1, ddof=1) / topics if topics >= _FEWEST_TOPICS else np.zeros_like(mean)
    else:
        found = weighted_means(np.atleast_2d(values), weights, variances)
        mean, squares = (each.reshape(values.shape[:-1]) for each in (found.mean, found.error**2))
        freedom, alone = found.freedom, 1 / effective_topics(weights)
    most = mean * (1 - mean)
    known = (np.ptp(values, axis=-1) > 0) & (most > 0)
    return mean, np.where(known, np.minimum(alone, squares / np.where(known, most, 1)), alone), freedom

r"""The largest of several normal differences, in standard errors that are themselves estimated.

With :math:`W` the largest of differences between equal means whose variance is known, and :math:`S^2`
an independent estimate of that variance with :math:`\nu` degrees of freedom,

.. math::
    P(W / S > q) = \int g(v) \, P(W > q e^v) \, dv

where :math:`g` is the density of :math:`\log S`. Which differences they are, all of them (the *studentized range*) or
those with one baseline (`dunnett`), the tail of W says. Of the range of k standard normal numbers it is

.. math::
    P(W > w) = k \int \varphi(z) \left\{ A^{k-1} - (A - B)^{k-1} \right\} dz, \quad A = \Phi(-z),\;
    B = \Phi(-z - w)

where :math:`z` is the smallest of the k. No term is the difference of two numbers near 1, so that small probabilities
are as exact as large ones. Both integrands are smooth and vanish at their ends, where the trapezoidal rule converges
faster than any power of its step.

``scipy.stats.studentized_range`` takes milliseconds for each value and has an absolute error near 1e-11, of which
nothing is left of the small p-values of clear differences; this takes all pairs of 143 systems at once.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.lazy import special
from cranfield.statistics.differences import slices_that_fit

Tail: TypeAlias = Callable[[Floats], Floats]
"""From values w to P(W > w), which falls with exp(-w² / 4): the variance of a difference is 2."""

LARGEST_RANGE: Final = 60.0
"""P(W > 60) is less than a double can hold."""

BELOW_ONE: Final = 1 - 2.0**-53

HALF_WIDTH: Final = 9.0
"""How far from its peak an integrand over a normal number is followed."""

STEP: Final = 0.1
"""The step of that integral."""

_NEGLIGIBLE: Final = 40.0  # Integrands are cut where they are below exp(-40) = 4e-18 of their peak
_LEAST_Q: Final = 1e-9  # A smaller q counts as this one; p is 1 to nine digits there
_LARGEST_RANGE: Final = 1e300

_NODES: Final = 500
"""About how many points the integral over log S takes, for the size of the blocks in which q are worked on."""


def studentized_p(q: npt.ArrayLike, tail: Tail, df: float = math.inf) -> Floats:
    """How probable is W / S above q?

    Of a single difference W = |Z - Z'| it is Student's t: t = 1 has p = 0.5 with one degree of freedom. The 5% point of
    the range of 3 means with 10 degrees of freedom is 3.877 in every table.

    >>> from scipy.special import ndtr
    >>> studentized_p(np.sqrt(2), lambda w: 2 * ndtr(-w / np.sqrt(2)), df=1).round(6)
    np.float64(0.5)
    >>> studentized_p([0.0, 3.877, 20.0], range_tail(3), df=10).round(6).tolist()
    [1.0, 0.049987, 0.0]
    """
    wanted = np.asarray(q, dtype=np.float64)
    flat = np.clip(wanted.ravel(), _LEAST_Q, _LARGEST_RANGE)
    parts = [_p(flat[block], tail, df) for block in slices_that_fit(flat.size, _NODES)]
    p = np.concatenate(parts).reshape(wanted.shape)
    return np.where(np.isinf(wanted), 0.0, np.where(wanted == 0, 1.0, np.minimum(p, 1.0)))


def studentized_critical(alpha: float, tail: Tail, df: float = math.inf) -> float:
    """Which q does W / S exceed with probability alpha?"""
    from scipy.optimize import brentq

    def excess(log_q: float) -> float:
        p = float(studentized_p(math.exp(log_q), tail, df))
        return math.log(max(p, sys.float_info.min)) - math.log(alpha)

    upper = 1.0
    while excess(upper) > 0:
        upper += 1.0
    return math.exp(brentq(excess, math.log(_LEAST_Q), upper, xtol=1e-13))


def _p(q: Floats, tail: Tail, df: float) -> Floats:
    """P(W / S > q): the product of both densities, summed over a grid of v = log S that all q share in log W."""
    if math.isinf(df):
        return tail(q)
    step = 0.6 / math.sqrt(2 * df + 50**2)
    above = math.sqrt(_NEGLIGIBLE / df)
    below = above + _NEGLIGIBLE / df
    # The peak is between v = 0, where the density of log S has its own, and that of its product
    # with exp(-w²/4), the tail of W.
    peak = -np.logaddexp(0.0, 2 * np.log(q) - math.log(2 * df)) / 2
    first = np.floor((np.log(q) + peak - below) / step).astype(np.int64)
    last = np.ceil(np.minimum(np.log(q) + above, math.log(LARGEST_RANGE)) / step).astype(np.int64)
    nodes: Integers = first[:, None] + np.arange(max(int((last - first).max()), 0) + 1)
    tails = tail(np.exp(step * np.arange(nodes.min(), nodes.max() + 1)))
    weight = _unscaled_density(step * nodes - np.log(q)[:, None], df)
    whole = _unscaled_density(np.arange(-below, above, step), df).sum()
    return np.asarray(np.sum(weight * tails[nodes - nodes.min()], axis=1) / whole)


def _unscaled_density(v: Floats, df: float) -> Floats:
    """Give the density of v = log S up to a factor; df S² is chi-squared."""
    return np.exp(df * (v - np.exp(2 * v) / 2 + 0.5))


def range_tail(systems: int) -> Tail:
    """Give P(W > w) of the range of this many standard normal numbers."""
    return partial(_normal_range_p, systems=systems)


def _normal_range_p(w: Floats, systems: int) -> Floats:
    """P(W > w); given a range of w, the smallest number is near -w/2 whatever the rest do."""
    w = np.minimum(w, LARGEST_RANGE)[..., None]
    z = np.arange(-HALF_WIDTH, HALF_WIDTH + STEP / 2, STEP) - w / 2
    above, beyond = special.ndtr(-z), special.ndtr(-z - w)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    share = np.minimum(beyond / above, BELOW_ONE)
    others = -(above ** (systems - 1)) * np.expm1((systems - 1) * np.log1p(-share))
    return np.asarray(systems * STEP * np.sum(density * others, axis=-1))

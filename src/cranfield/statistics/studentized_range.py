r"""The studentized range: how far the best and the worst of k equal means lie apart, in standard errors.

With :math:`W` the range of k standard normal numbers and :math:`S^2` an independent estimate of
their variance with
:math:`\nu` degrees of freedom,

.. math::
    P(W > w) = k \int \varphi(z) \left\{ A^{k-1} - (A - B)^{k-1} \right\} dz, \quad A = \Phi(-z),\;
    B = \Phi(-z - w)

where :math:`z` is the smallest of the k; `studentized` divides by :math:`S`. No term is the difference
of two numbers near 1, so that small probabilities are as exact as large ones. The integrand is smooth
and vanishes at its ends, where the trapezoidal rule converges faster than any power of its step.

``scipy.stats.studentized_range`` takes milliseconds for each value and has an absolute error near
1e-11, of which nothing is left of the small p-values of clear differences; this takes all pairs of
143 systems at once.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats
from cranfield.statistics.studentized import BELOW_ONE, HALF_WIDTH, LARGEST, STEP, studentized_critical, studentized_p


def studentized_range_p(q: npt.ArrayLike, systems: int, df: float = math.inf) -> Floats:
    """How probable is a studentized range above q if all systems are equal?

    The 5 % point for 3 means and 10 degrees of freedom is 3.877 in every table.

    >>> studentized_range_p([0.0, 3.877, 20.0], systems=3, df=10).round(6).tolist()
    [1.0, 0.049987, 0.0]
    """
    return studentized_p(q, partial(_normal_range_p, systems=systems), df)


def studentized_range_critical(alpha: float, systems: int, df: float = math.inf) -> float:
    """Which q does the studentized range exceed with probability alpha?

    >>> round(studentized_range_critical(0.05, systems=3, df=10), 3)
    3.877
    """
    return studentized_critical(alpha, partial(_normal_range_p, systems=systems), df)


def _normal_range_p(w: Floats, systems: int) -> Floats:
    """P(W > w); given a range of w, the smallest number is near -w/2 whatever the rest do."""
    from scipy.special import ndtr

    w = np.minimum(w, LARGEST)[..., None]
    z = np.arange(-HALF_WIDTH, HALF_WIDTH + STEP / 2, STEP) - w / 2
    above, beyond = ndtr(-z), ndtr(-z - w)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    share = np.minimum(beyond / above, BELOW_ONE)
    others = -(above ** (systems - 1)) * np.expm1((systems - 1) * np.log1p(-share))
    total: Floats = systems * STEP * np.sum(density * others, axis=-1)
    return total

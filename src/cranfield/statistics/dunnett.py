r"""Dunnett's test: all systems against one baseline, on the topics that they share.

The differences of k − 1 systems from one baseline have that baseline in common, so that any two of
them correlate by 1/2, and fewer false alarms are possible than among all k (k − 1) / 2 pairs. With
:math:`W = \max_i |Z_i - Z_0|` of independent standard normal numbers,

.. math::
    P(W > w) = \int \varphi(z) \left\{ 1 - [\Phi(z + w) - \Phi(z - w)]^{k-1} \right\} dz

where :math:`z` is that of the baseline; `studentized` divides by the estimated standard error. The
integrand is the same for z and −z, and is written so that small probabilities are as exact as large
ones.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import special
from cranfield.statistics.studentized import BELOW_ONE, HALF_WIDTH, LARGEST_RANGE, STEP
from cranfield.statistics.tukey import FromResidual


def dunnett(values: Floats) -> FromResidual:
    r"""Which systems differ from the baseline, with one level for all these comparisons?

    .. math:: t = \frac{\bar x_a - \bar x_0}{\sqrt{2\, MS_{residual} / topics}}

    is compared with the largest |t| of k − 1 equal systems with (k − 1) (topics − 1) degrees of freedom. The residual
    is that of the two-way `anova`: in Dunnett's test for independent groups, which libraries have, easy and hard topics
    would count as error. Like `tukey_hsd` it assumes the same spread for all differences; if those of one system
    spread more, ``max_t`` still holds. p and intervals hold together for the pairs of any one baseline.

    Shapes: values (systems, topics).

    Paper: Dunnett (1955), "A multiple comparison procedure for comparing several treatments with a control"; (1964),
    "New tables for multiple comparisons with a control", for two-sided tests.

    With two systems it is the paired t test: differences 2, 0, 4 have t = √3, two degrees of freedom.

    >>> found = dunnett(np.array([[0.0, 3.0, 3.0], [2.0, 3.0, 7.0]]))
    >>> found.difference.tolist(), found.p.round(6).tolist()
    ([-2.0], [0.225403])
    """
    return FromResidual.of(values, lambda systems: partial(_tail, comparisons=systems - 1))


def _tail(w: Floats, comparisons: int) -> Floats:
    """P(W > w); both halves of the integral are the same, and it has its peak near z = w / 2, if not at 0."""
    w = np.minimum(w, LARGEST_RANGE)[..., None]
    z = np.arange(0.0, LARGEST_RANGE / 2 + HALF_WIDTH, STEP)
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * np.where(z == 0, 1.0, 2.0)
    outside = np.minimum(special.ndtr(z - w) + special.ndtr(-z - w), BELOW_ONE)
    return np.asarray(-STEP * np.sum(density * np.expm1(comparisons * np.log1p(-outside)), axis=-1))

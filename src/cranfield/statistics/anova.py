r"""Analysis of variance of systems and topics: two-way, one score a cell, or one-way with repeated measures.

The score of system s on topic t is taken for
:math:`x_{st} = \mu + \alpha_s + \beta_t + \varepsilon_{st}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import special
from cranfield.statistics.differences import ROUNDING, complete_blocks, differences, quotient, standard_deviations

UNEVEN: Final = 1.4
"""Below it, eight runs of equal means have a false finding by Tukey's test in 5 to 6% of samples of 25 topics (of one
table of scores in 10), and from it on in 7 to 10% (at 5%; see the page on calibration)."""


@dataclass(frozen=True)
class Anova:
    """What an analysis of variance found: sums of squares, and everything derived from them."""

    means: Floats  # mean of each system
    residuals: Floats  # what the mean of the system and that of the topic leave of each score; shape (systems, topics)
    # ss_systems, ss_topics, ss_residual: sums of squares; one that only rounding keeps from 0 is 0
    ss_systems: float
    ss_topics: float
    ss_residual: float

    @property
    def systems(self) -> int:
        """Number of systems."""
        return len(self.residuals)

    @property
    def topics(self) -> int:
        """Number of topics."""
        return int(self.residuals.shape[1])

    @property
    def df_systems(self) -> int:
        """Degrees of freedom of the systems: systems − 1."""
        return self.systems - 1

    @property
    def df_topics(self) -> int:
        """Degrees of freedom of the topics: topics − 1."""
        return self.topics - 1

    @property
    def df_residual(self) -> int:
        """Degrees of freedom of the residual: (systems − 1) (topics − 1)."""
        return self.df_systems * self.df_topics

    @property
    def mean_square_error(self) -> float:
        """Mean square of the residual, the variance of a score that neither its system nor its topic explains."""
        return self.ss_residual / self.df_residual

    @property
    def standard_error(self) -> float:
        """Standard error of a system's mean, all topics being given: the root of mean square error / topics."""
        return float(np.sqrt(self.mean_square_error / self.topics))

    @property
    def f(self) -> float:
        """F of the systems: their mean square by that of the residual; 0 if all means are equal."""
        mean_square = self.ss_systems / self.df_systems
        return float(quotient(np.array(mean_square), np.array(self.mean_square_error)))

    @property
    def p(self) -> float:
        """How probable is a larger F if all systems are equal, and errors independent and normal?"""
        return self._p_lessened(1.0)

    @cached_property
    def greenhouse_geisser(self) -> float:
        r"""How far are differences between systems from equal variances (sphericity)? 1 if equal.

        .. math:: \hat\varepsilon = \frac{(\mathrm{tr}\, S)^2}{(k-1)\, \mathrm{tr}\, S^2}

        with S the covariance matrix of the k systems over topics, centred by row and column. At least 1 / (k − 1), at
        most 1; with more systems than topics also at most (topics − 1) / (k − 1), whatever the truth.
        """
        if self.ss_residual == 0:
            return 1.0
        # S is E Eᵀ / (topics - 1) for residuals E, and E Eᵀ and Eᵀ E have the same squares: the
        # smaller one will do.
        e = self.residuals if self.systems <= self.topics else self.residuals.T
        return float(self.ss_residual**2 / (self.df_systems * np.square(e @ e.T).sum()))

    @property
    def huynh_feldt(self) -> float:
        r"""The same estimated less cautiously, since that of Greenhouse and Geisser is too low where it is near 1.

        .. math::
            \tilde\varepsilon = \min\left(1, \frac{n (k-1) \hat\varepsilon - 2}
            {(k-1) (n - 1 - (k-1) \hat\varepsilon)}\right)

        for k systems and n topics; 1 where the denominator is 0. It is never below the other.
        """
        freedom = self.df_systems * self.greenhouse_geisser
        left = self.df_topics - freedom
        return min(1.0, (self.topics * freedom - 2) / (self.df_systems * left)) if left > ROUNDING else 1.0

    @property
    def p_greenhouse_geisser(self) -> float:
        """P of the systems, both degrees of freedom multiplied by epsilon: no equal variances needed."""
        return self._p_lessened(self.greenhouse_geisser)

    @property
    def p_huynh_feldt(self) -> float:
        """P of the systems with the epsilon of Huynh and Feldt."""
        return self._p_lessened(self.huynh_feldt)

    def _p_lessened(self, epsilon: float) -> float:
        return float(special.fdtrc(epsilon * self.df_systems, epsilon * self.df_residual, self.f))


def anova(values: Floats) -> Anova:
    r"""Do the means of the systems differ by more than chance, once topics are as easy or hard as they are?

    .. math::
        F = \frac{SS_{systems} / (s - 1)}{SS_{residual} / ((s - 1)(t - 1))}, \quad
        SS_{systems} = t \sum_s (\bar x_{s\cdot} - \bar x)^2, \quad
        SS_{residual} = \sum_{st} (x_{st} - \bar x_{s\cdot} - \bar x_{\cdot t} + \bar x)^2

    Shapes: values (systems, topics).

    Paper: Järvelin & Kekäläinen (2002), Table 1 (ANOVA of n(D)CG averages by topic); Greenhouse & Geisser (1959) and
    Huynh & Feldt (1976) for epsilon.

    Means of the systems 2 and 4, of the topics 1, 3, 5: residuals are 0, 1, -1 and 0, -1, 1.

    >>> found = anova(np.array([[0.0, 3.0, 3.0], [2.0, 3.0, 7.0]]))
    >>> (found.ss_systems, found.ss_topics, found.ss_residual), found.f, round(found.p, 6)
    ((6.0, 16.0, 4.0), 3.0, 0.225403)
    """
    scores = complete_blocks(values)
    grand = scores.mean()
    by_system, by_topic = scores.mean(axis=1), scores.mean(axis=0)
    residuals = scores - by_system[:, None] - by_topic + grand
    systems, topics = scores.shape
    rounding = scores.size * (ROUNDING * np.abs(scores).max()) ** 2
    squares = [
        topics * np.square(by_system - grand).sum(),
        systems * np.square(by_topic - grand).sum(),
        np.square(residuals).sum(),
    ]
    return Anova(by_system, residuals, *(float(ss) if ss > rounding else 0.0 for ss in squares))


def spread_ratio(values: Floats) -> float:
    """How many times as much as all pairs together do the differences of the one pair vary that varies most?

    Its standard deviation by √2 · √MSE, that of all differences in the analysis of variance, which assumes one spread
    for all pairs; 1 if they have it, and if none varies.

    The third run differs from the others by ±3, these from each other by ±1:

    >>> values = np.array([[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [3.0, 3.0, -3.0, -3.0]])
    >>> round(spread_ratio(values), 2)
    1.19
    """
    pooled = float(np.sqrt(2 * anova(values).mean_square_error))
    return float(standard_deviations(differences(values.T).T).max() / pooled) if pooled else 1.0

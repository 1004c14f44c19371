"""Friedman's test of systems by their ranks on each topic, and what follows it: tests of all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import special
from cranfield.statistics.differences import complete_blocks, differences, quotient
from cranfield.statistics.ranks import mean_ranks
from cranfield.statistics.studentized import range_tail, studentized_p


@dataclass(frozen=True)
class Friedman:
    """What Friedman's test found."""

    # rank of each system on each topic, shape (systems, topics): 1 has the highest score; ties share their mean
    ranks: Floats

    @property
    def systems(self) -> int:
        """Number of systems."""
        return len(self.ranks)

    @property
    def topics(self) -> int:
        """Number of topics."""
        return int(self.ranks.shape[1])

    @cached_property
    def mean_ranks(self) -> Floats:
        """Mean rank of each system; 1 if it is the best on every topic."""
        return np.asarray(self.ranks.mean(axis=1))

    @property
    def df(self) -> int:
        """Degrees of freedom of the statistic: systems − 1."""
        return self.systems - 1

    @property
    def df_error(self) -> int:
        """Degrees of freedom of the error of Conover's t: (systems − 1) (topics − 1)."""
        return self.df * (self.topics - 1)

    @property
    def w(self) -> float:
        """Kendall's W: how well topics agree on the order of systems, from 0 to 1, corrected for ties."""
        return float(quotient(np.array(self._between), np.array(self._spread)))

    @property
    def statistic(self) -> float:
        """Friedman's chi-squared, corrected for ties: topics (systems − 1) W."""
        return self.topics * self.df * self.w

    @property
    def p(self) -> float:
        """How probable is a larger statistic if all systems are equal, by the chi-squared approximation?"""
        return float(special.chdtrc(self.df, self.statistic))

    def pairwise(self, method: Literal["conover", "nemenyi"] = "conover") -> Floats:
        r"""Which pairs of systems differ in rank?

        ``"conover"`` asks of each pair as if it alone were tested, once Friedman's test has rejected:

        .. math:: t = \frac{|R_a - R_b|}{\sqrt{2 (n A - \sum_j R_j^2) / ((n - 1)(k - 1))}}

        with the signs of `friedman` and (n − 1) (k − 1) degrees of freedom. ``"nemenyi"`` keeps one level for all
        pairs: the difference of mean ranks by :math:`\sqrt{k (k + 1) / (12 n)}` is compared with the studentized range
        with infinite degrees of freedom. It has no correction for ties, which make it conservative.

        Paper: Conover (1980), cited by Järvelin & Kekäläinen (2002); Nemenyi (1963), as in Demšar (2006), section 3.2.
        """
        if method == "nemenyi":
            error = np.sqrt(self.systems * (self.systems + 1) / (12 * self.topics))  # of a mean rank, without ties
            return studentized_p(np.abs(differences(self.mean_ranks)) / error, range_tail(self.systems))
        if method != "conover":
            raise InputError(f"there is no method {method!r} after Friedman's test; choose from conover, nemenyi")
        difference = np.abs(differences(self.ranks.sum(axis=1)))
        left = self._spread - self._between  # the squares of ranks about their system's mean
        t = quotient(difference, np.array(np.sqrt(2 * self.topics * left / self.df_error)))
        return np.asarray(2 * special.stdtr(self.df_error, -t))

    # Ranks are whole or half numbers, so that the sums below have no rounding where one of them
    # should be 0.

    @property
    def _spread(self) -> float:
        """Sum of squares of all ranks about their mean; ties lessen it."""
        return float(np.square(self.ranks - (self.systems + 1) / 2).sum())

    @property
    def _between(self) -> float:
        """The part of the spread that is between systems."""
        return float(np.square(self.ranks.sum(axis=1) - self.topics * (self.systems + 1) / 2).sum() / self.topics)


def friedman(values: Floats) -> Friedman:
    r"""Do topics agree on an order of the systems by more than chance, whatever the size of the differences?

    .. math:: \chi^2 = \frac{(k-1) \sum_j (R_j - n (k + 1) / 2)^2}{A - n k (k + 1)^2 / 4}

    with :math:`R_j` the sum of the ranks of system j on n topics, and A the sum of all squared ranks (without ties, n k
    (k + 1) (2k + 1) / 6).

    Shapes: values (systems, topics).

    Paper: Conover (1980); Iman & Davenport (1980) for F; both as in Järvelin & Kekäläinen (2002), Table 1.

    Three systems on three topics: rank sums 4, 5, 9 where 6 is expected, so 12 / (3 · 3 · 4) · (4 + 1 + 9) = 14 / 3.

    >>> found = friedman(np.array([[0.9, 0.5, 0.4], [0.8, 0.6, 0.3], [0.1, 0.2, 0.2]]))
    >>> found.mean_ranks.round(3).tolist(), round(found.statistic, 3), round(found.w, 3)
    ([1.333, 1.667, 3.0], 4.667, 0.778)
    """
    return Friedman(mean_ranks(-complete_blocks(values).T).T)

"""Tukey's honestly significant differences: all pairs of systems at once, on the topics that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.statistics.anova import anova
from cranfield.statistics.conclusions import significant
from cranfield.statistics.differences import (
    ROUNDING,
    check_choices,
    check_share,
    complete_blocks,
    differences,
    quotient,
    random_from,
)
from cranfield.statistics.sign_flips import share_reached
from cranfield.statistics.studentized import Tail, range_tail, studentized_critical, studentized_p

CELLS_AT_ONCE: Final = 1 << 17
"""Scores permuted at a time: 1 MB, which stays in the processor's cache. More takes up to twice as long."""


@dataclass(frozen=True)
class Simultaneous(ABC):
    """The result of a test of many pairs of systems; the chance of any false alarm among them is at most the level."""

    difference: Floats  # mean of a minus mean of b, for all `pairs`
    p: Floats  # how probable it is that any of these pairs, of equal systems, lie so far apart

    def critical(self, alpha: float = 0.05) -> float:
        """Which difference is honestly significant at the level alpha? A pair that exceeds it has p ≤ alpha."""
        check_share("alpha", alpha)
        return self._critical(alpha)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Give the lower and upper ends of intervals that, with this probability, all hold their true difference."""
        check_share("level", level)
        reach = self._critical(1 - level)
        return self.difference - reach, self.difference + reach

    @abstractmethod
    def _critical(self, alpha: float) -> float: ...


@dataclass(frozen=True)
class FromResidual(Simultaneous):
    """A test that measures all differences by one standard error, that of the analysis of variance."""

    systems: int  # number of systems
    standard_error: float  # standard error of one system's mean, from the residual of the analysis of variance
    df: int  # degrees of freedom of the standard error
    tail: Tail = field(repr=False)  # of the largest of the differences that are looked at, were all systems equal

    @classmethod
    def of(cls, values: Floats, tail_of: Callable[[int], Tail]) -> FromResidual:
        """Compare the differences of all pairs with the largest one of as many equal systems."""
        found = anova(values)
        difference, tail = differences(found.means), tail_of(found.systems)
        q = quotient(np.abs(difference), np.array(found.standard_error))
        p = studentized_p(q, tail, found.df_residual)
        return cls(difference, p, found.systems, found.standard_error, found.df_residual, tail)

    def _critical(self, alpha: float) -> float:
        return studentized_critical(alpha, self.tail, self.df) * self.standard_error


@dataclass(frozen=True)
class RandomisedTukey(Simultaneous):
    """Tukey's test by permutation."""

    ranges: Floats = field(repr=False)  # the range of the means of each permutation, ascending
    rounding: float  # how much closer to a range than by this a difference counts as equal to it

    @property
    def resamples(self) -> int:
        """Number of permutations."""
        return len(self.ranges)

    def _critical(self, alpha: float) -> float:
        """Infinite where even a difference above all ranges has a p of more than alpha."""
        p_above = share_reached(np.arange(self.resamples, dtype=np.float64), self.resamples, exact=False)
        found = int(np.count_nonzero(significant(p_above, alpha)))
        return float(self.ranges[-found]) + self.rounding if found else np.inf


def tukey_hsd(values: Floats) -> FromResidual:
    r"""Which pairs of systems differ, with one level for the whole family of pairs?

    .. math:: q = \frac{|\bar x_a - \bar x_b|}{\sqrt{MS_{residual} / topics}}

    is compared with the studentized range of all systems with (systems − 1) (topics − 1) degrees of freedom. The
    residual is that of the two-way `anova`, so that easy and hard topics do not count as error. In Tukey's test for
    independent groups, which libraries have, they do: of the pairs of TREC-8 ad hoc runs it finds 22% different in AP
    at the level 0.05, and this one 41%.

    Shapes: values (systems, topics).

    Paper: Tukey (1953); for runs on shared topics, Carterette (2012), Multiple Testing in Statistical Analysis of
    Systems-Based Information Retrieval Experiments.

    With two systems it is the paired t test: differences 2, 0, 4 have t = √3, two degrees of freedom; the t of 5% is
    4.303, and 2 ± 4.303 · 2 / √3 the interval.

    >>> found = tukey_hsd(np.array([[0.0, 3.0, 3.0], [2.0, 3.0, 7.0]]))
    >>> found.difference.tolist(), found.p.round(6).tolist(), [end.round(2).tolist() for end in found.interval(0.95)]
    ([-2.0], [0.225403], [[-6.97], [2.97]])
    """
    return FromResidual.of(values, range_tail)


def randomised_tukey_hsd(values: Floats, *, resamples: int = 10_000, seed: int = 7) -> RandomisedTukey:
    r"""Which pairs of systems differ, with one level for all pairs, and no assumption on the scores?

    If all systems are equal, any of a topic's scores could be any system's. The scores of each topic are dealt out to
    the systems at random, again and again, and each time the best mean is compared with the worst:

    .. math:: p = \frac{1 + \#\{b : \max_s \bar x^b_s - \min_s \bar x^b_s \ge |\bar x_a - \bar x_b|\}}{1 + B}

    The hypothesis is that *all* systems are equal. Where they are not, their differences are dealt out too and widen
    the ranges, so that with very unequal systems fewer pairs are significant than by `tukey_hsd` (TREC-8 ad hoc, AP:
    32% of the pairs against 41%, differences from 0.134 on against 0.103).

    Shapes: values (systems, topics).

    Paper: Carterette (2012), as for `tukey_hsd`; Sakai (2018), Laboratory Experiments in Information Retrieval.

    Two systems, differences 2, 0, 4: in half of all deals, 2 and 4 stay on one side and the sums differ by 6.

    >>> found = randomised_tukey_hsd(np.array([[0.0, 3.0, 3.0], [2.0, 3.0, 7.0]]), resamples=9_999)
    >>> found.p.round(1).tolist()
    [0.5]
    """
    check_choices("two-sided", resamples)
    scores = complete_blocks(values)
    difference = differences(scores.mean(axis=1))
    rounding = ROUNDING * float(np.abs(scores).max())
    ranges = np.sort(np.concatenate(list(_ranges(scores, resamples, random_from(seed)))))
    reached: Floats = np.float64(resamples) - np.searchsorted(ranges, np.abs(difference) - rounding)
    return RandomisedTukey(difference, share_reached(reached, resamples, exact=False), ranges, rounding)


def _ranges(scores: Floats, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Permute within topics, whose scores are dealt out from the smallest on: no order of systems is in the result."""
    by_topic = np.sort(scores, axis=0).T
    step = max(1, CELLS_AT_ONCE // scores.size)
    for start in range(0, resamples, step):
        shape = (min(step, resamples - start), *by_topic.shape)
        yield np.ptp(rng.permuted(np.broadcast_to(by_topic, shape), axis=2).mean(axis=1), axis=1)

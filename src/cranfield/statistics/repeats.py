"""Several attempts of a system on each item: their agreement, and the value of more attempts or items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, checked
from cranfield.statistics.differences import ROUNDING
from cranfield.statistics.on_paper import EQUAL


@dataclass(frozen=True, eq=False)
class Repeats:
    """What several attempts say of some systems, each item counting once: arrays of shape (systems,)."""

    items: Integers  # items with at least one attempt
    # fewest, most: attempts on an item that has any
    fewest: Integers
    most: Integers
    mean: Floats  # over items, of the mean over their attempts
    error: Floats  # standard error of that mean; NaN of a single item
    between: Floats  # variance between items; NaN of a single item, or where no item has two attempts
    within: Floats  # variance of the attempts on an item; NaN where no item has two attempts
    agreement: Floats  # share of the items with two attempts or more on which all are equal; NaN without one
    per_attempt: Floats  # mean over items of 1 / attempts

    @property
    def reliability(self) -> Floats:
        """The intraclass correlation ICC(1): the share of the variance of a single attempt that lies between items."""
        return ratio_or_nan(self.between, self.between + self.within)

    def narrowing(self, *, items: float = 1, attempts: float = 1) -> Floats:
        r"""By which share would the standard error be less with a multiple of the items, or of the attempts on each?

        .. math:: 1 - \sqrt{\frac{\sigma_b^2 + \sigma_w^2 / (a m)}{i (\sigma_b^2 + \sigma_w^2 / m)}}

        for a times the attempts and i times the items. Twice the items take away 29%, and twice the attempts no more
        than that; NaN where there is no variance, or it is not known.
        """
        now = self.between + self.within * self.per_attempt
        then = (self.between + self.within * self.per_attempt / attempts) / items
        return 1 - np.sqrt(ratio_or_nan(then, now))


def repeats(values: npt.ArrayLike) -> Repeats:
    r"""How much do scores vary between items, and how much between attempts on the same item?

    Attempt j on item i has the score :math:`\mu + b_i + w_{ij}`, a one-way layout with random effects. With
    :math:`\bar y_i` the mean of the :math:`m_i` attempts on item i, of n items and N attempts,

    .. math::
        \hat\sigma_w^2 = \frac{\sum_{ij} (y_{ij} - \bar y_i)^2}{N - n}, \qquad
        \hat\sigma_b^2 = \max\left(0, s^2(\bar y) - \hat\sigma_w^2 \, \overline{1 / m}\right)

    so that the variance of the mean of item means is :math:`(\sigma_b^2 + \sigma_w^2\, \overline{1/m}) / n`. Items
    count once, however many attempts they have, as they do in the mean. Where all have as many it is the analysis of
    variance of every textbook.

    Shapes: values (systems, items, attempts), NaN where there is no such attempt.

    Paper: Thomas and Hultquist (1978), "Interval estimation for the unbalanced case of the one-way random effects
    model", Annals of Statistics 6(3), for unequal numbers; Shrout and Fleiss (1979), "Intraclass correlations: uses in
    assessing rater reliability", Psychological Bulletin 86(2), for ICC(1).

    Of two items, one is solved in 2 of 2 attempts and one in 1 of 2. Within items the variance is (0 + 1/2) / 2, and
    between them (1 - 1/2)² / 2 - 1/4 / 2 = 0.

    >>> found = repeats([[[1, 1], [1, 0]]])
    >>> found.mean.item(), found.within.item(), found.between.item(), found.agreement.item()
    (0.75, 0.25, 0.0, 0.5)
    """
    table = np.asarray(values, np.float64)
    if table.ndim != 3:
        raise InputError(f"attempts have the shape (systems, items, attempts), not {table.shape}")
    if np.isinf(table).any():
        raise InputError("the score of an attempt is infinite")
    there = ~np.isnan(table)
    many = there.sum(axis=2)
    has = many > 0
    items = has.sum(axis=1)
    if not items.all():
        raise InputError(f"system {int(np.argmin(items))} has no attempt")
    of_item = np.divide(np.where(there, table, 0).sum(axis=2), many, out=np.zeros(many.shape), where=has)
    mean = of_item.sum(axis=1) / items
    per_attempt = np.divide(1, many, out=np.zeros(many.shape), where=has).sum(axis=1) / items
    apart = np.where(there, table - of_item[..., np.newaxis], 0)
    apart[np.abs(apart) <= ROUNDING * np.abs(np.where(there, table, 0)).max(initial=0)] = 0
    within = ratio_or_nan((apart**2).sum(axis=(1, 2)), (many - has).sum(axis=1))
    means_apart = np.where(has, of_item - mean[:, np.newaxis], 0)
    means_apart[np.abs(means_apart) <= ROUNDING * np.abs(of_item).max(initial=0)] = 0
    spread = ratio_or_nan((means_apart**2).sum(axis=1), items - 1)
    several = many > 1
    spans = np.where(there, table, -np.inf).max(axis=2) - np.where(there, table, np.inf).min(axis=2)
    agreed = (several & (spans < EQUAL)).sum(axis=1)
    between = np.maximum(0, spread - within * per_attempt)
    return Repeats(
        items, np.where(has, many, many.max()).min(axis=1), many.max(axis=1), mean, np.sqrt(spread / items),
        between, within, ratio_or_nan(agreed, several.sum(axis=1)), per_attempt,
    )  # fmt: skip


def pass_at_k(successes: npt.ArrayLike, attempts: npt.ArrayLike, k: int) -> Floats:
    r"""How probable is it that at least one of k attempts succeeds? pass@k, estimated without bias.

    .. math:: \mathrm{pass}@k = 1 - \binom{n - c}{k} / \binom{n}{k}

    of c successes in n attempts: the share of all sets of k of the attempts that have a success among them. NaN where
    there are fewer than k attempts, which say nothing of k without an assumption. 1 - (1 - c/n)^k would be too low.

    Paper: Chen and others (2021), "Evaluating large language models trained on code", arXiv 2107.03374, equation 1.

    Of five attempts two succeeded. Of the 10 pairs of attempts 3 have no success:

    >>> pass_at_k(2, 5, 2).item()
    0.7
    """
    c, n = _counts(successes, attempts)
    return 1 - _all_of(n - c, n, k)


def pass_hat_k(successes: npt.ArrayLike, attempts: npt.ArrayLike, k: int) -> Floats:
    r"""How probable is it that all of k attempts succeed? pass^k, estimated without bias.

    .. math:: \mathrm{pass}^k = \binom{c}{k} / \binom{n}{k}

    of c successes in n attempts: the share of all sets of k of the attempts in which each succeeds. NaN where there are
    fewer than k attempts.

    Paper: Yao and others (2024), "τ-bench: a benchmark for tool-agent-user interaction in real-world domains",
    arXiv 2406.12045, section 3.

    Of five attempts two succeeded. Of the 10 pairs of attempts one is that of both:

    >>> pass_hat_k(2, 5, 2).item()
    0.1
    """
    return _all_of(*_counts(successes, attempts), k)


def _counts(successes: npt.ArrayLike, attempts: npt.ArrayLike) -> tuple[Floats, Floats]:
    c, n = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(attempts, np.float64))
    if not ((c >= 0) & (c <= n) & (c % 1 == 0) & (n % 1 == 0)).all():
        raise InputError("successes are whole numbers from 0 to the number of attempts")
    return c, n


def _all_of(some: Floats, n: Floats, k: int) -> Floats:
    """Return C(some, k) / C(n, k), factor by factor, so that no factorial overflows; NaN where n < k."""
    enough = n >= checked("k", k, Count)
    if not enough.any():
        return np.full(n.shape, np.nan)
    drawn = np.arange(k)
    left = np.where(enough, n, k)[..., np.newaxis] - drawn  # none is 0
    return np.where(enough, (np.maximum(some[..., np.newaxis] - drawn, 0) / left).prod(axis=-1), np.nan)


def ratio_or_nan(over: Floats | Integers, under: Floats | Integers) -> Floats:
    """Divide by what is above 0, such as degrees of freedom: NaN where there are none."""
    return np.divide(over, under, out=np.full(np.shape(over), np.nan), where=under > 0)

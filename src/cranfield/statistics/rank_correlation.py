"""Similarity of two rankings of the same systems: Kendall's tau, τ_AP, Spearman's rho and Pearson's r, in batches."""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from math import comb, erfc, factorial, sqrt
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Floats, Integers, Numbers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import special
from cranfield.plumbing.memory import require
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.correlation_vectors import (
    checked_scores,
    correlation,
    correlations,
    divided,
    is_constant,
    vectors,
)
from cranfield.statistics.differences import check_choices
from cranfield.statistics.on_paper import levelled, settled

Direction: TypeAlias = Literal["estimate", "reverse", "symmetric"]
ALIKE: Final = 0.9
"""Rankings whose correlation is at least this count as equivalent (Voorhees 2001)."""
EXACT_TO: Final = 33
"""For more systems, only orders nearest to the same or the reverse order are counted exactly."""


def kendall_tau(x: Numbers, y: Numbers, variant: Literal["a", "b"] = "b") -> Floats:
    r"""What share of the pairs of systems do two rankings order in the same way, minus the share in opposite ways?

    .. math:: \tau_a = \frac{C - D}{n (n - 1) / 2}, \qquad \tau_b = \frac{C - D}{\sqrt{n_x\, n_y}}

    with C pairs in the same order, D in the opposite order, and n_x, n_y pairs that x and y do not
    tie.

    Parameters
    ----------
    x, y
        Scores of the same n systems on the last axis, the highest best; other axes broadcast. Those
        that differ by less than 1e-9 are tied, here and in every correlation of ranks: means that
        are equal on paper seldom have the same floats.
    variant
        "b" corrects for ties, so that a ranking agrees with itself to 1; "a" does not.

    Returns
    -------
    array
        From -1 (reversed) to 1 (the same), one for each pair of rankings. It is 0 if a ranking ties
        all systems.

    Raises
    ------
    InputError
        If there are fewer than two systems, not as many in y as in x, a score is not finite, or the
        variant is neither.

    Paper: M. G. Kendall (1945), The treatment of ties in ranking problems, Biometrika 33(3).

    Examples
    --------
    Of six pairs one is tied in y, four are in the same order and one is not:

    >>> float(kendall_tau([4, 3, 2, 1], [5, 5, 1, 3], variant="a")) == (4 - 1) / 6
    True
    >>> float(kendall_tau([4, 3, 2, 1], [5, 5, 1, 3])) == (4 - 1) / (6 * 5) ** 0.5
    True
    """
    if variant not in ("a", "b"):
        raise InputError(f"Kendall's tau comes as 'a' or 'b', not {variant!r}")
    return correlation(f"tau_{variant}", x, y)


def kendall_p(x: Numbers, y: Numbers) -> Floats:
    """How likely is a τ_b at least as far from 0, if the rankings are unrelated?

    Exact without ties, where the systems or the pairs out of order are few; else by the normal approximation. It takes
    the systems as drawn at random; of a given set of systems, `interval` says more.

    Two of the 4! orders of four systems are as extreme as the same order: it and its reverse.

    >>> round(float(kendall_p([4, 3, 2, 1], [9, 7, 5, 2])) * 24, 9)
    2.0
    """

    def p(one: Floats, other: Floats) -> float:
        return 1.0 if is_constant(one) or is_constant(other) else _two_sided_p(one, other)

    levels = (levelled(each) for each in checked_scores(x, y))
    return np.asarray(np.vectorize(p, signature="(n),(n)->()", otypes=[np.float64])(*levels))


def _two_sided_p(x: Floats, y: Floats) -> float:
    r"""How likely is it that unrelated rankings agree, or disagree, at least as much as these two?

    Without ties, S = C - D has the distribution of the inversions of a random order, counted for up to `EXACT_TO`
    systems or one inversion. Else S is taken as normal, with the variance under ties

    .. math::
        \frac{m (2n + 5) - \sum t (t - 1)(2t + 5) - \sum u (u - 1)(2u + 5)}{18}
        + \frac{\sum t (t - 1) \sum u (u - 1)}{2 m}
        + \frac{\sum t (t - 1)(t - 2) \sum u (u - 1)(u - 2)}{9 m (n - 2)}, \qquad m = n (n - 1)

    for groups of t systems that x ties, and u that y does. (scipy.stats knows it, too, and takes half a second to
    load.)

    Paper: M. G. Kendall (1970), Rank correlation methods, 4th edition, chapters 4 and 5.
    """
    n = len(x)
    agreed = float((np.sign(x[:, None] - x) * np.sign(y[:, None] - y)).sum()) / 2
    ties, others = (_tied(each) for each in (x, y))
    if len(ties) == len(others) == 0:
        inversions = round((comb(n, 2) - abs(agreed)) / 2)
        if n <= EXACT_TO or inversions <= 1:
            return min(1.0, 2 * _orders_within(n, inversions) / factorial(n))
    m = n * (n - 1)
    variance = (m * (2 * n + 5) - _spread(ties) - _spread(others)) / 18
    variance += float((ties * (ties - 1)).sum() * (others * (others - 1)).sum()) / (2 * m)
    if n > 2:
        variance += _triples(ties) * _triples(others) / (9 * m * (n - 2))
    return erfc(abs(agreed) / sqrt(2 * variance))


def _tied(scores: Floats) -> Integers:
    """Return the sizes of the groups of equal scores."""
    sizes: Integers = np.unique(scores, return_counts=True)[1]
    return sizes[sizes > 1]


def _spread(sizes: Integers) -> float:
    return float((sizes * (sizes - 1) * (2 * sizes + 5)).sum())


def _triples(sizes: Integers) -> float:
    return float((sizes * (sizes - 1) * (sizes - 2)).sum())


def _orders_within(n: int, inversions: int) -> int:
    """Count the orders of n things with at most this many inversions."""
    return n if inversions == 1 and n > EXACT_TO else 1 if inversions == 0 else _counted(n)[inversions]


@cache
def _counted(n: int) -> tuple[int, ...]:
    """Count the orders of n things with at most 0, 1, ... inversions: the k-th thing goes before 0 to k - 1 others."""
    orders = [1]
    for k in range(2, n + 1):
        within = [0, *accumulate([*orders, *[0] * (k - 1)])]
        orders = [within[i + 1] - within[max(0, i + 1 - k)] for i in range(len(within) - 1)]
    return tuple(accumulate(orders))


def tau_ap(x: Numbers, y: Numbers, *, direction: Direction = "estimate") -> Floats:
    r"""How similar are two rankings, with emphasis on the top?

    .. math:: \tau_{AP} = \frac{2}{n - 1} \sum_{i=2}^{n} \frac{C(i)}{i - 1} - 1

    where C(i) counts the systems above rank i of the estimate that the truth also ranks above the
    system at rank i. Like average precision, it goes down the estimate and checks at each rank how
    much above was right. With ties, the value is the mean over all ways of breaking them in both
    rankings, computed in closed form.

    Parameters
    ----------
    x
        Scores of the estimate, with the n systems on the last axis, the highest best; other axes
        broadcast.
    y
        Scores of the truth, of the same systems.
    direction
        "estimate" goes down the estimate x; "reverse" treats x as the truth and y as the estimate;
        "symmetric" is the mean of both.

    Returns
    -------
    array
        From -1 (reversed) to 1 (the same order, without ties), one for each pair of rankings; 0
        where a ranking ties all systems.

    Raises
    ------
    InputError
        As :func:`kendall_tau`, and if the direction is none of the three.

    Paper: E. Yilmaz, J. A. Aslam, S. Robertson (2008), A new rank correlation coefficient for
    information retrieval, SIGIR, section 4. With ties in the estimate alone, it is the τ_AP,a of
    J. Urbano, M. Marrero (2017), The treatment of ties in AP correlation, ICTIR.

    Examples
    --------
    The truth is a > b > c > d. The estimate b > a > c > d errs at rank 2 (0 of 1 right), and then
    no more (2 of 2, 3 of 3). The estimate a > b > d > c errs at rank 4 only (2 of 3), and so is the
    better one; tau is the same for both.

    >>> truth = [4, 3, 2, 1]
    >>> round(float(tau_ap([3, 4, 2, 1], truth)), 9), round(2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1, 9)
    (0.333333333, 0.333333333)
    >>> round(float(tau_ap([4, 3, 1, 2], truth)), 9), round(2 / 3 * (1 / 1 + 2 / 2 + 2 / 3) - 1, 9)
    (0.777777778, 0.777777778)
    """
    if direction not in ("estimate", "reverse", "symmetric"):
        raise InputError(f"τ_AP goes by 'estimate', 'reverse' or 'symmetric', not {direction!r}")
    if direction == "reverse":
        return correlation("tau_ap", y, x)
    return correlation("tau_ap" if direction == "estimate" else "tau_ap_symmetric", x, y)


def spearman(x: Numbers, y: Numbers) -> Floats:
    """How similar are the ranks that two rankings give to the same systems? Pearson's r of them, ties at their mean.

    Paper: C. Spearman (1904), The proof and measurement of association between two things, Am. J. Psychology 15(1).

    Without ties, it is 1 - 6 Σ d² / (n (n² - 1)), with d the differences of the ranks:

    >>> round(float(spearman([40, 30, 20, 10], [8, 9, 5, 1])), 9), 1 - 6 * (1 + 1) / (4 * 15)
    (0.8, 0.8)
    """
    return correlation("spearman", x, y)


def correlation_matrix(scores: npt.ArrayLike, kind: str = "tau_b") -> Floats:
    """How similarly do several measures rank the same systems, pair by pair?

    Shapes: scores (measures, systems); the result (measures, measures).

    >>> correlation_matrix([[1, 2, 3], [3, 2, 1]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    left, right = vectors(kind)
    x, _ = checked_scores(scores, scores)
    if x.ndim != 2:
        raise InputError(f"a correlation matrix needs scores of the shape (measures, systems), not {x.shape}")
    rows, columns = left(x), right(x)
    return divided(rows.values @ columns.values.T, rows.square[:, None] * columns.square)


class Difference(NamedTuple):
    """A difference of two correlations, its interval, and p of the hypothesis of no difference."""

    value: float
    low: float
    high: float
    p: float


def difference_of(value: float, with_x: Floats, with_y: Floats, level: float) -> Difference:
    """Does a measure rank the systems more like one measure than like another?

    The two correlations share a ranking, and all three rankings the topics, so that intervals of the one and the other
    that overlap say nothing. p is twice the share of the draws on the side of 0 that has fewer of them, those at 0
    included on both, or that of the normal distribution with their standard deviation: the larger one, and at most 1.
    So it is the level at which the interval reaches 0.

    Paper: B. Efron, R. J. Tibshirani (1993), An introduction to the bootstrap, sections 13.3 and 16.
    """
    drawn = settled(with_x - with_y)
    fewer, spread = min((drawn <= 0).sum(), (drawn >= 0).sum()), float(drawn.std())
    normal = 2 * float(special.ndtr(-abs(value) / spread)) if spread else 0.0
    p = min(1.0, max(float(2 * (fewer + 1) / (len(drawn) + 1)), normal))
    return Difference(value, *interval(value, drawn, level, furthest=2.0), p)


def resampled_correlation(
    x_by_topic: npt.ArrayLike, y_by_topic: npt.ArrayLike, kind: str = "tau_b", *, resamples: int = 1000, seed: int = 7
) -> Floats:
    """Return the correlations of the means over topics that are drawn with replacement, one for each draw.

    The draws depend on the seed and the number of topics alone: values of several pairs of measures belong together.
    """
    x, y = (np.asarray(scores, dtype=np.float64) for scores in (x_by_topic, y_by_topic))
    if x.ndim != 2 or x.shape != y.shape or 0 in x.shape:
        raise InputError(f"both measures need scores of one shape (systems, topics), not {x.shape} and {y.shape}")
    check_choices("two-sided", resamples)
    counts = resample_counts(x.shape[1], resamples, seed)
    return correlation(kind, counts @ x.T / x.shape[1], counts @ y.T / x.shape[1])


def resampled_correlations(
    scores: npt.ArrayLike, kind: str = "tau_b", *, resamples: int = 1000, seed: int = 7
) -> Floats:
    """Return the same for every pair of several measures, much faster.

    Shapes: scores (measures, systems, topics); the result (measures, measures, resamples). With "tau_ap", rows are
    estimates and columns truths.

    >>> scores = np.random.default_rng(7).random((3, 5, 8))
    >>> every = resampled_correlations(scores, resamples=99)
    >>> bool((every[0, 2] == resampled_correlation(scores[0], scores[2], resamples=99)).all())
    True
    """
    by_topic = np.asarray(scores, dtype=np.float64)
    check_choices("two-sided", resamples)
    measures, _, topics = by_topic.shape
    require(
        8 * measures**2 * resamples,
        f"{resamples:,} correlations of each two of {measures:,} measures",
        "fewer resamples",
    )
    counts = resample_counts(topics, resamples, seed)
    return correlations(kind, np.array([counts @ each.T / topics for each in by_topic]))


def interval(seen: float, drawn: Floats, level: float, *, furthest: float = 1.0) -> tuple[float, float]:
    """Return the outer ends of two intervals: the middle of the resampled correlations, and seen ± z · their spread.

    It is about the average correlation over collections of as many topics. That of endless topics would be higher, for
    n topics blur both rankings; by how much, n topics cannot tell. That the two together hold: the page on calibration.
    """
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    margin = float(special.ndtri((1 + level) / 2)) * float(drawn.std())
    return min(float(low), max(seen - margin, -furthest)), max(float(high), min(seen + margin, furthest))


def mean_over_topics(by_topic: npt.ArrayLike, level: float, furthest: float = 1.0) -> tuple[Floats, Floats, Floats]:
    """How similarly do two measures rank the systems on a topic, on average over the topics?

    The interval ends at ±furthest: 1 of a correlation, 2 of the difference of two.

    Shapes: by_topic (..., topics).

    >>> [round(float(each), 3) for each in mean_over_topics([0.5, 0.7, 0.6], 0.95)]
    [0.6, 0.352, 0.848]
    """
    values = np.asarray(by_topic, dtype=np.float64)
    topics = values.shape[-1]
    mean = values.mean(axis=-1)
    if topics < 2:
        return mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    margin = special.stdtrit(topics - 1, (1 + level) / 2) * values.std(axis=-1, ddof=1) / np.sqrt(topics)
    return mean, (mean - margin).clip(min=-furthest), (mean + margin).clip(max=furthest)

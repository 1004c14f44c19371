"""Confidence intervals over topics: how large is the difference, how certain, and how often those of few held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.lazy import special
from cranfield.statistics.differences import check_share, checked, standard_deviations

Kind: TypeAlias = Literal["mean", "difference"]

AT_AN_EDGE: Final = 0.05
"""A point is at the edge of its interval if it is no further from an end than this share of the whole."""
HELD: Final[dict[Kind, dict[int, float]]] = {
    "mean": {2: 0.446, 3: 0.59, 4: 0.687, 5: 0.761, 6: 0.812, 10: 0.829, 25: 0.877, 50: 0.892},
    "difference": {2: 0.605, 3: 0.731, 4: 0.794, 5: 0.84, 6: 0.855, 10: 0.866, 25: 0.889, 50: 0.91},
}
"""The least share of 95% intervals that held on real scores (docs/calibration.md), by number of topics."""
_HELD_ENOUGH: Final = 0.9  # An interval that holds as often needs no clause


def within(ends: npt.ArrayLike, limits: npt.ArrayLike, *, differences: bool = False) -> Floats:
    """Where does an interval end that reaches beyond the possible values?

    Shapes: ends any; limits the least and the largest value on the last axis, the other axes fitting those of ends. Of
    ``differences`` of two such values the ends are no further apart than the limits.
    """
    least, most = np.moveaxis(np.asarray(limits, np.float64), -1, 0)
    if differences:
        least, most = least - most, most - least
    return np.clip(np.asarray(ends, np.float64), least, most)


def at_the_edge(values: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> Booleans:
    """Which points lie at the very edge of their interval, or beyond it? One without width has no edge."""
    value, least, most = (np.asarray(of, np.float64) for of in (values, low, high))
    room = AT_AN_EDGE * (most - least)
    return (np.minimum(value - least, most - value) <= room) & (room > 0)


def t_interval(differences: npt.ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Between which limits does the mean difference lie, if differences are about normal?

    mean ± t s / √n, with t the (1 + level)/2 quantile of Student's distribution with n − 1 degrees of freedom.

    Shapes: differences (hypotheses, topics).

    >>> low, high = t_interval([[-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4]])
    >>> low.round(4), high.round(4)
    (array([-2.4599]), array([-0.7001]))
    """
    differences = checked(differences)
    check_share("level", level)
    topics = differences.shape[1]
    means = differences.mean(axis=1)
    margin = special.stdtrit(topics - 1, (1 + level) / 2) * standard_deviations(differences) / np.sqrt(topics)
    return means - margin, means + margin


def in_one_row(strata: Sequence[Floats]) -> Floats:
    """Lay the differences of all strata out in a row, so that its mean is the mean of the strata's means.

    A difference of stratum c, of C strata with n_c topics each and N in all, is multiplied by N / (C · n_c). To flip
    signs topic by topic is then the randomisation of topics within strata: no topic changes its stratum.

    Shapes: strata (hypotheses, topics); the result (hypotheses, topics of all strata).
    """
    topics = sum(each.shape[1] for each in strata)
    return np.concatenate([each * (topics / (len(strata) * each.shape[1])) for each in strata], axis=1)


def stratified_interval(strata: Sequence[Floats], level: float) -> tuple[Floats, Floats]:
    r"""How sure is the mean over strata, were each stratum's topics drawn anew? Shapes: the result (hypotheses,).

    With :math:`v_c = s_c^2 / (C^2 n_c)` the variance is :math:`\sum_c v_c`, and Student's t has :math:`(\sum_c v_c)^2 /
    \sum_c v_c^2 / (n_c - 1)` degrees of freedom (Welch and Satterthwaite).

    Paper: Welch (1947), "The generalization of 'Student's' problem when several different population variances are
    involved", Biometrika 34.
    """
    mean = np.mean([each.mean(axis=1) for each in strata], axis=0)
    if min(each.shape[1] for each in strata) < 2:
        return np.full(len(mean), np.nan), np.full(len(mean), np.nan)
    parts = np.array([each.var(axis=1, ddof=1) / (len(strata) ** 2 * each.shape[1]) for each in strata])
    left = np.array([each.shape[1] - 1 for each in strata])[:, np.newaxis]
    variance, squares = parts.sum(axis=0), (parts**2 / left).sum(axis=0)
    freedom = np.divide(variance**2, squares, out=np.full(len(mean), np.inf), where=squares > 0)
    half = special.stdtrit(freedom, (1 + level) / 2) * np.sqrt(variance)
    return mean - half, mean + half


def clause(of: Kind, topics: int, level: float = 0.95, unit: str = "topic") -> str:
    """Say how seldom 95% intervals of so few topics held, or clusters; an empty text where they held often enough."""
    fewer = [many for many in HELD[of] if many <= topics]
    if not fewer or topics > max(HELD[of]) or level != 0.95:  # what was not measured
        return ""
    held = HELD[of][max(fewer)]
    if held >= _HELD_ENOUGH:
        return ""
    told = f"95% intervals covered the true {of}"  # measured at this level; corrected ones may stand beside it
    return f"With so few {unit}s, {told} in as few as {100 * held:.0f} of 100 samples of real scores."

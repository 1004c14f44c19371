"""Topics of several collections: the mean difference of runs over collections, each counting once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranfield.plumbing.arrays import Floats


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
    from scipy.special import stdtrit

    mean = np.mean([each.mean(axis=1) for each in strata], axis=0)
    if min(each.shape[1] for each in strata) < 2:
        return np.full(len(mean), np.nan), np.full(len(mean), np.nan)
    parts = np.array([each.var(axis=1, ddof=1) / (len(strata) ** 2 * each.shape[1]) for each in strata])
    left = np.array([each.shape[1] - 1 for each in strata])[:, np.newaxis]
    variance, squares = parts.sum(axis=0), (parts**2 / left).sum(axis=0)
    freedom = np.divide(variance**2, squares, out=np.full(len(mean), np.inf), where=squares > 0)
    half = stdtrit(freedom, (1 + level) / 2) * np.sqrt(variance)
    return mean - half, mean + half

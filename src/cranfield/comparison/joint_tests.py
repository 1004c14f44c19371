"""Tests that take all runs of a measure together, and what they are to a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.statistics.anova import anova
from cranfield.statistics.differences import quotient
from cranfield.statistics.dunnett import dunnett
from cranfield.statistics.friedman import friedman
from cranfield.statistics.pairs import differences
from cranfield.statistics.tukey import randomised_tukey_hsd, tukey_hsd


class Omnibus(NamedTuple):
    """Whether any two runs differ at all.

    ``p_greenhouse_geisser`` and the less cautious ``p_huynh_feldt``, of the analysis of variance, allow
    for differences of some pairs of runs that spread more than those of others.
    """

    test: str
    statistic: float
    df: int
    df_error: int | None
    p: float
    p_greenhouse_geisser: float | None = None
    p_huynh_feldt: float | None = None


def omnibus_table(measures: Sequence[str], found: Sequence[Omnibus]) -> pl.DataFrame:
    """Make a table of them, a row for each measure; empty for tests that have none."""
    kinds = (pl.String, pl.Float64, pl.Int64, pl.Int64, pl.Float64, pl.Float64, pl.Float64)
    schema = {"measure": pl.String, **dict(zip(Omnibus._fields, kinds, strict=True))}
    rows = [(measure, *one) for measure, one in zip(measures, found, strict=True)] if found else []
    return pl.DataFrame(rows, schema=schema, orient="row")


class JointResult(NamedTuple):
    """What a test found of all pairs of a measure: positive statistics speak for the first run's values.

    ``interval`` holds the ends of simultaneous confidence intervals, where the test has them.
    """

    statistic: Floats
    p: Floats
    interval: tuple[Floats, Floats] | None = None
    omnibus: Omnibus | None = None


JointTest: TypeAlias = Callable[[Floats, float, int, int], JointResult]
"""Takes values of shape (runs, topics), confidence level, number of resamples and seed."""


def tukey(values: Floats, level: float, resamples: int, seed: int) -> JointResult:
    """Tukey's HSD; the statistic is q, with the sign of the difference."""
    found = tukey_hsd(values)
    q = quotient(found.difference, np.array(found.standard_error))
    return JointResult(q, found.p, found.interval(level))


def randomised_tukey(values: Floats, level: float, resamples: int, seed: int) -> JointResult:
    """Tukey's HSD by permutation; the statistic is the difference itself."""
    found = randomised_tukey_hsd(values, resamples=resamples, seed=seed)
    return JointResult(found.difference, found.p, found.interval(level))


def dunnett_by_baseline(values: Floats, level: float, resamples: int, seed: int) -> JointResult:
    """Dunnett's test, of the pairs of any one run; the statistic is t."""
    found = dunnett(values)
    t = quotient(found.difference, np.array(np.sqrt(2) * found.standard_error))
    return JointResult(t, found.p, found.interval(level))


def tukey_after_anova(values: Floats, level: float, resamples: int, seed: int) -> JointResult:
    """Two-way analysis of variance, and Tukey's HSD for the pairs."""
    found = anova(values)
    lessened = found.p_greenhouse_geisser, found.p_huynh_feldt
    omnibus = Omnibus("ANOVA, F", found.f, found.df_systems, found.df_residual, found.p, *lessened)
    return tukey(values, level, resamples, seed)._replace(omnibus=omnibus)


def conover(values: Floats, level: float, resamples: int, seed: int) -> JointResult:
    """Friedman's test, and Conover's for the pairs."""
    return _by_ranks(values, "conover")


def nemenyi(values: Floats, level: float, resamples: int, seed: int) -> JointResult:
    """Friedman's test, and Nemenyi's for the pairs."""
    return _by_ranks(values, "nemenyi")


def _by_ranks(values: Floats, pairwise: Literal["conover", "nemenyi"]) -> JointResult:
    """The statistic of a pair is its difference in mean rank."""
    found = friedman(values)
    omnibus = Omnibus("Friedman, chi-squared", found.statistic, found.df, None, found.p)
    return JointResult(differences(-found.mean_ranks), found.pairwise(pairwise), None, omnibus)

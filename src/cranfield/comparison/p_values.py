"""The p-values of a comparison: of pairs one by one, of all runs together, and against what nobody judged.

A test of all runs together is a function here, and a row of `methods.TESTS` that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from cranfield.comparison.methods import CORRECTIONS
from cranfield.comparison.settings import Settings
from cranfield.plumbing.arrays import Floats, Integers, ratio
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.scoring.panel import Panel
from cranfield.statistics.anova import anova
from cranfield.statistics.clusters import Units
from cranfield.statistics.conclusions import confirmed, significant
from cranfield.statistics.differences import Alternative, checked, differences, quotient
from cranfield.statistics.dunnett import dunnett
from cranfield.statistics.friedman import friedman
from cranfield.statistics.intervals import within
from cranfield.statistics.multiple_comparisons import ADJUSTMENTS, adjust, max_t, share_left
from cranfield.statistics.on_paper import settled, side
from cranfield.statistics.paired_tests import PairedResult, PairedTest, worst_case_p
from cranfield.statistics.tukey import randomised_tukey_hsd, tukey_hsd
from cranfield.statistics.weighted_means import weighted_randomisation_test, weighted_t_interval, weighted_t_test

Pairs: TypeAlias = tuple[Integers, Integers]
"""Which run comes first, and which second."""


class Omnibus(NamedTuple):
    """Whether any runs differ: Greenhouse-Geisser and Huynh-Feldt (less cautious) correct for unequal spreads."""

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
    """What a test found of all pairs; positive statistics speak for the first run, intervals are simultaneous."""

    statistic: Floats
    p: Floats
    interval: tuple[Floats, Floats] | None = None
    omnibus: Omnibus | None = None


JointTest: TypeAlias = Callable[[Floats, float, int, int], JointResult]
"""Takes values of shape (runs, topics), confidence level, number of resamples and seed."""


def tukey(values: Floats, level: float, resamples: int, seed: int) -> JointResult:
    """Tukey's HSD; the statistic is q, with the sign of the difference."""
    found = tukey_hsd(values)
    return JointResult(quotient(found.difference, np.array(found.standard_error)), found.p, found.interval(level))


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


def _by_ranks(
    values: Floats, level: float, resamples: int, seed: int, *, pairwise: Literal["conover", "nemenyi"]
) -> JointResult:
    """Friedman's test, and one for the pairs, of which the statistic is the difference in mean rank."""
    found = friedman(values)
    omnibus = Omnibus("Friedman, chi-squared", found.statistic, found.df, None, found.p)
    return JointResult(differences(-found.mean_ranks), found.pairwise(pairwise), None, omnibus)


conover: Final[JointTest] = partial(_by_ranks, pairwise="conover")
nemenyi: Final[JointTest] = partial(_by_ranks, pairwise="nemenyi")


@dataclass(frozen=True, eq=False)
class Tested:
    """What was found of each measure and pair: shape (measures, pairs), ``exact`` if every p was counted out."""

    statistic: Floats
    p: Floats
    p_adjusted: Floats
    low: Floats
    high: Floats
    omnibus: tuple[Omnibus, ...]
    exact: bool


def tested(panel: Panel, pairs: Pairs, settings: Settings) -> Tested:
    """Test every pair by every measure."""
    found = (_jointly if settings.kind.joint else _one_by_one)(panel, pairs, settings)
    low, high = (within(ends, panel.ends[:, np.newaxis], differences=True) for ends in (found.low, found.high))
    return replace(found, low=low, high=high)


@record
class AfterCorrection(NamedTuple):
    """Intervals at the level that the correction leaves to each test, and their confidence: by measure and pair."""

    low: Floats
    high: Floats
    level: Floats


def after_correction(panel: Panel, pairs: Pairs, settings: Settings, found: Tested) -> AfterCorrection | None:
    """Return intervals that fit the verdicts of a family; None of one difference, or where no single level is left.

    Student's intervals at this level exclude 0 for those differences alone that his test finds significant.
    """
    families = [found.p_adjusted.ravel()] if settings.family == "all" else list(found.p_adjusted)
    if len(families[0]) == 1 or settings.kind.joint or settings.correction not in {*ADJUSTMENTS} - {"none"}:
        return None
    left = partial(share_left, settings.correction, len(families[0]))  # type: ignore[arg-type]
    shares = [left(int(significant(p, settings.alpha).sum())) for p in families]
    level = np.broadcast_to(1 - np.array(shares) * (1 - settings.level), len(panel.measures))
    rows = differences_of(measured(panel), pairs).reshape(*found.p.shape, -1)
    each = [
        _intervals(panel.by_unit(of), replace(settings, level=at)) for of, at in zip(rows, level.tolist(), strict=True)
    ]
    low, high = (
        within(np.array([ends[side] for ends in each]), panel.ends[:, np.newaxis], differences=True) for side in (0, 1)
    )
    return AfterCorrection(low.ravel(), high.ravel(), level.repeat(len(pairs[0])))


def measured(panel: Panel) -> Floats:
    """Return values as the measures have them, lower ones better where they are (but logarithms of geometric means)."""
    return panel.direction[:, np.newaxis, np.newaxis] * panel.values


def differences_of(values: Floats, pairs: Pairs) -> Floats:
    """First run less the second, topic by topic: a row for each measure and pair."""
    return in_rows(values[:, pairs[0]] - values[:, pairs[1]])


def in_rows(differences: Floats) -> Floats:
    """Lay differences (measures, pairs, topics) out with a row for each hypothesis, ties settled."""
    return settled(differences.reshape(-1, differences.shape[-1]))


def of_pairs(units: Units, settings: Settings, alternative: Alternative = "two-sided") -> PairedResult:
    """Test each row of differences by itself."""
    rows, weights, variances = units
    if weights is not None:
        if settings.test == "t":
            return weighted_t_test(checked(rows), weights, alternative, variances)
        return weighted_randomisation_test(checked(rows), weights, alternative, settings.resamples, settings.seed)
    test: PairedTest = settings.of_pairs.function
    return test(checked(rows), alternative, settings.resamples, settings.seed)


def corrected(
    p: Floats, differences: Floats, correction: str, settings: Settings, alternative: Alternative = "two-sided"
) -> Floats:
    """Correct p-values of shape (measures, pairs) over the family: all of them, or those of each measure."""
    families = p.reshape((1, -1) if settings.family == "all" else p.shape)
    if not CORRECTIONS[correction].random:
        return np.array([adjust(some, correction) for some in families]).reshape(p.shape)  # type: ignore[arg-type]
    of_family = partial(max_t, step_down=CORRECTIONS[correction].step_down, alternative=alternative)
    rows = differences.reshape(*families.shape, -1)
    found = [of_family(some, resamples=settings.resamples, seed=settings.seed).p for some in rows]
    return np.array(found).reshape(p.shape)


def _one_by_one(panel: Panel, pairs: Pairs, settings: Settings) -> Tested:
    shape, rows = (len(panel.measures), len(pairs[0])), differences_of(measured(panel), pairs)
    units = panel.by_unit(rows)
    found = of_pairs(units, settings)
    p = found.p.reshape(shape)
    low, high = (ends.reshape(shape) for ends in _intervals(units, settings))
    p_adjusted = corrected(_sure(p, units, settings), rows, settings.correction, settings)
    exact = found.exact and not CORRECTIONS[settings.correction].random
    return Tested(found.statistic.reshape(shape), p, p_adjusted, low, high, (), exact)


def _sure(p: Floats, units: Units, settings: Settings) -> Floats:
    """Return the p that significance rests on: of few units confirmed by sign flips, if the test presumes a shape."""
    return confirmed(p.ravel(), units.rows, units.weights).reshape(p.shape) if settings.kind.presuming else p


def _intervals(units: Units, settings: Settings) -> tuple[Floats, Floats]:
    return weighted_t_interval(units.rows, units.weights, settings.level, units.variances)


def _jointly(panel: Panel, pairs: Pairs, settings: Settings) -> Tested:
    """Test all runs together, and take out the pairs that were asked for."""
    test: JointTest = settings.kind.function
    found = [test(scores, settings.level, settings.resamples, settings.seed) for scores in measured(panel)]
    place, sign = _among_all_pairs(pairs, len(panel.runs))
    units = Units(differences_of(measured(panel), pairs))
    statistic, p = (np.array([getattr(one, name)[place] for one in found]) for name in ("statistic", "p"))
    if settings.kind.intervals == "own":
        ends = np.array([one.interval for one in found])[:, :, place]
        low, high = np.where(sign > 0, ends[:, 0], -ends[:, 1]), np.where(sign > 0, ends[:, 1], -ends[:, 0])
    else:
        low, high = (ends.reshape(p.shape) for ends in _intervals(units, settings))
    sure = _sure(p, units, settings)
    if settings.kind.simultaneous:  # the pairs are accounted for; Bonferroni's correction is for the measures
        p_adjusted = np.minimum(settings.families_of(len(panel.measures)) * sure, 1.0)
    else:
        p_adjusted = corrected(sure, sure, settings.correction, settings)
    omnibus = tuple(one.omnibus for one in found if one.omnibus is not None)
    return Tested(sign * statistic, p, p_adjusted, low, high, omnibus, exact=False)


def _among_all_pairs(pairs: Pairs, runs: int) -> Pairs:
    """Where each pair stands among all pairs, and -1 where it stands there the other way round."""
    a, b = np.minimum(*pairs), np.maximum(*pairs)
    return a * (2 * runs - a - 1) // 2 + b - a - 1, np.where(pairs[0] < pairs[1], 1, -1)


LeastDifferences: TypeAlias = Callable[[Panel, Integers, Integers], Floats]
"""From a panel, the better runs and the others, (measures, pairs), to differences (measures, pairs, topics)."""


@dataclass(frozen=True, eq=False)
class AgainstUnjudged:
    """One-tailed p-values of the better run of each pair: arrays of shape (measures, pairs).

    Of its base against the other's base, top and projection (NaN without one); then of the least differences.
    """

    p_base: Floats
    p_top: Floats
    p_projected: Floats
    p_worst: Floats
    p_worst_adjusted: Floats


def against_unjudged(
    panel: Panel, pairs: Pairs, settings: Settings, least: LeastDifferences | None = None
) -> AgainstUnjudged:
    """Test whether the better run would still be better, had the unjudged documents been judged.

    The base of the run with the better mean is held, one-tailed, against the other's base, top and projection, by the
    test of the comparison or its nearest kin for pairs. For p_worst each topic has the least possible difference, see
    `worst_case_p` and `Settings.of_worst`.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, section 5, "Establishing confidence", and Table 5 (there by Wilcoxon's test).
    """
    base, top = panel.values, limits_of(panel)[1]
    behind = side(base[:, pairs[0]].mean(axis=-1) - base[:, pairs[1]].mean(axis=-1)) < 0
    better, other = np.where(behind, pairs[1], pairs[0]), np.where(behind, pairs[0], pairs[1])  # measure by measure
    measure = np.arange(len(panel.measures))[:, None]
    one_tailed = []
    for values in (base, top, projected(panel)):
        rows = in_rows(base[measure, better] - values[measure, other])
        p, known = np.full(len(rows), np.nan), ~np.isnan(rows).any(axis=1)
        if known.any():
            p[known] = of_pairs(Units(rows[known]), settings, "greater").p
        one_tailed.append(p.reshape(behind.shape))
    worst = least(panel, better, other) if least else limits_of(panel)[0][measure, better] - top[measure, other]
    p_worst = worst_case_p(in_rows(worst), settings.of_worst, settings.resamples, settings.seed).reshape(behind.shape)
    p_worst_adjusted = corrected(p_worst, worst, settings.correction_of_others, settings, "greater")
    p_base, p_top, p_projected = one_tailed
    return AgainstUnjudged(p_base, p_top, p_projected, p_worst, p_worst_adjusted)


def projected(panel: Panel) -> Floats:
    """Project each value as if unjudged documents gained as much as judged ones do.

    base / (1 − residual), with residual = high − low, but at most high; 0 without a judged document. NaN for measures
    that are no sums of gains, known by their bounds.

    Paper: Moffat, Webber and Zobel (2007), section 3.
    """
    low, high = limits_of(panel)  # the worst and the best: of the measures in question, more is better
    sums = (side(panel.values - low) == 0) & (side(high - 1) <= 0)
    known = 1 - (high - low)
    guess = ratio(panel.values, np.where(side(known) > 0, known, 0.0))
    whole = (panel.direction > 0) & ~panel.logarithmic & sums.all(axis=(1, 2))
    return np.where(whole[:, None, None], np.minimum(guess, high), np.nan)


def limits_of(panel: Panel) -> Floats:
    """Return the worst and the best that each value could be, or raise an error where that is not known."""
    if panel.limits is None:
        raise InputError("residuals need scores with bounds: evaluate(..., bounds=True), or columns low and high")
    return panel.limits

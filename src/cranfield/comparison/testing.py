"""The p-values of a comparison: of pairs one by one, or of all runs together, and their correction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from cranfield.comparison.joint_tests import JointTest, Omnibus
from cranfield.comparison.methods import CORRECTIONS
from cranfield.comparison.settings import Settings
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.scoring.panel import Panel
from cranfield.statistics.conclusions import confirmed
from cranfield.statistics.differences import Alternative, checked
from cranfield.statistics.intervals import t_interval, within
from cranfield.statistics.multiple_comparisons import adjust, max_t
from cranfield.statistics.on_paper import settled
from cranfield.statistics.paired_tests import PairedResult, PairedTest
from cranfield.statistics.weighting import weighted_randomisation_test, weighted_t_interval, weighted_t_test

Pairs: TypeAlias = tuple[Integers, Integers]
"""Which run comes first, and which second."""


@dataclass(frozen=True, eq=False)
class Tested:
    """What was found of each measure and pair: arrays of shape (measures, pairs).

    Attributes
    ----------
    low, high
        Confidence interval of the mean difference.
    omnibus
        One entry a measure, for tests that ask first whether any runs differ.
    exact
        Whether every p was counted out.
    """

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


def measured(panel: Panel) -> Floats:
    """Return values as the measures have them, lower ones better where they are (but logarithms of geometric means)."""
    return panel.direction[:, np.newaxis, np.newaxis] * panel.values


def differences_of(values: Floats, pairs: Pairs) -> Floats:
    """First run less the second, topic by topic: a row for each measure and pair."""
    return in_rows(values[:, pairs[0]] - values[:, pairs[1]])


def in_rows(differences: Floats) -> Floats:
    """Lay differences (measures, pairs, topics) out with a row for each hypothesis, ties settled."""
    return settled(differences.reshape(-1, differences.shape[-1]))


def of_pairs(
    rows: Floats, settings: Settings, alternative: Alternative = "two-sided", weights: Floats | None = None
) -> PairedResult:
    """Test each row of differences by itself."""
    if weights is not None:
        if settings.test == "t":
            return weighted_t_test(checked(rows), weights, alternative)
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
    return np.array(
        [
            max_t(
                rows,
                step_down=CORRECTIONS[correction].step_down,
                alternative=alternative,
                resamples=settings.resamples,
                seed=settings.seed,
            ).p
            for rows in differences.reshape(*families.shape, -1)
        ]
    ).reshape(p.shape)


def _one_by_one(panel: Panel, pairs: Pairs, settings: Settings) -> Tested:
    shape, rows = (len(panel.measures), len(pairs[0])), differences_of(measured(panel), pairs)
    found = of_pairs(rows, settings, weights=panel.weight_of_topic)
    p = found.p.reshape(shape)
    low, high = (ends.reshape(shape) for ends in _intervals(rows, settings, panel.weight_of_topic))
    p_adjusted = corrected(_sure(p, rows, settings, panel.weight_of_topic), rows, settings.correction, settings)
    exact = found.exact and not CORRECTIONS[settings.correction].random
    return Tested(found.statistic.reshape(shape), p, p_adjusted, low, high, (), exact)


def _sure(p: Floats, rows: Floats, settings: Settings, weights: Floats | None = None) -> Floats:
    """Return the p that significance rests on: of few topics confirmed by sign flips, if the test presumes a shape."""
    return confirmed(p.ravel(), rows, weights).reshape(p.shape) if settings.kind.presuming else p


def _intervals(rows: Floats, settings: Settings, weights: Floats | None = None) -> tuple[Floats, Floats]:
    if weights is not None:
        return weighted_t_interval(rows, weights, settings.level)
    return t_interval(rows, settings.level)


def _jointly(panel: Panel, pairs: Pairs, settings: Settings) -> Tested:
    """Test all runs together, and take out the pairs that were asked for."""
    test: JointTest = settings.kind.function
    found = [test(scores, settings.level, settings.resamples, settings.seed) for scores in measured(panel)]
    place, sign = _among_all_pairs(pairs, len(panel.runs))
    statistic, p = (np.array([getattr(one, name)[place] for one in found]) for name in ("statistic", "p"))
    if settings.kind.intervals == "own":
        ends = np.array([one.interval for one in found])[:, :, place]
        low, high = np.where(sign > 0, ends[:, 0], -ends[:, 1]), np.where(sign > 0, ends[:, 1], -ends[:, 0])
    else:
        low, high = (ends.reshape(p.shape) for ends in _intervals(differences_of(measured(panel), pairs), settings))
    sure = _sure(p, differences_of(measured(panel), pairs), settings)
    if settings.kind.simultaneous:  # the pairs are accounted for; Bonferroni's correction is for the measures
        p_adjusted = np.minimum(settings.families_of(len(panel.measures)) * sure, 1.0)
    else:
        p_adjusted = corrected(sure, sure, settings.correction, settings)
    omnibus = tuple(one.omnibus for one in found if one.omnibus is not None)
    return Tested(sign * statistic, p, p_adjusted, low, high, omnibus, exact=False)


def _among_all_pairs(pairs: Pairs, runs: int) -> Pairs:
    """Where each pair stands among all pairs, and -1 where it stands there the other way round.

    >>> place, sign = _among_all_pairs((np.array([0, 2]), np.array([1, 1])), 3)  # of (0, 1), (0, 2), (1, 2)
    >>> place.tolist(), sign.tolist()
    ([0, 2], [1, -1])
    """
    a, b = np.minimum(*pairs), np.maximum(*pairs)
    return a * (2 * runs - a - 1) // 2 + b - a - 1, np.where(pairs[0] < pairs[1], 1, -1)

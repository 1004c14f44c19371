"""Multiple comparisons: p-values corrected for their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.statistics.bootstrap import resample_counts, studentised
from cranfield.statistics.clusters import Units
from cranfield.statistics.differences import (
    ROUNDING,
    Alternative,
    check_choices,
    check_share,
    checked,
    quotient,
    slices_that_fit,
    standard_deviations,
    t_statistics,
    towards,
)
from cranfield.statistics.on_paper import EQUAL
from cranfield.statistics.paired_tests import PairedResult
from cranfield.statistics.sign_flips import directions, share_reached, sign_flips

FEWEST_DIFFERING: Final = 10
"""On fewer topics that differ (or half of all, where that is less), resampling cannot tell how differences vary."""

Correction: TypeAlias = Literal["none", "bonferroni", "holm", "bh", "by"]


def adjust(p: npt.ArrayLike, method: Correction = "holm") -> Floats:
    """Which differences remain significant, given the number of tests?

    Paper: Holm (1979), "A simple sequentially rejective multiple test procedure"; Benjamini and Hochberg (1995),
    "Controlling the false discovery rate"; Benjamini and Yekutieli (2001), Theorem 1.3.

    >>> adjust([0.01, 0.04, 0.03], "holm")  # 3 × 0.01, then 2 × 0.03, then 0.04, which may not be below 0.06
    array([0.03, 0.06, 0.06])
    >>> adjust([0.01, 0.04, 0.03], "bh")  # 3 × 0.01 / 1, 3 × 0.03 / 2, which may not be above 3 × 0.04 / 3
    array([0.03, 0.04, 0.04])
    """
    p = np.asarray(p, dtype=np.float64)
    if method not in ADJUSTMENTS:
        raise InputError(f"there is no correction {method!r}; choose from {', '.join(ADJUSTMENTS)}")
    if p.ndim != 1:
        raise InputError(f"p must be a vector, not an array of {p.ndim} dimensions")
    if broken := int((~((p >= 0) & (p <= 1))).sum()):
        raise InputError(f"{broken} of {len(p):,} p-values are not from 0 to 1")
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(ADJUSTMENTS[method](p[order]), 1.0)
    return adjusted


def level_left(p: npt.ArrayLike, method: Correction, alpha: float) -> float:
    """At which level is each of these tests made under the correction?

    A p is significant after the correction just where it is at most this: α/(m − k) by Holm's rule where k of m are
    significant (α where all are). So an interval of the confidence 1 − level excludes 0 for those alone.
    """
    values = np.asarray(p, np.float64)
    return alpha * share_left(method, len(values), int((adjust(values, method) <= alpha).sum()))


def share_left(method: Correction, many: int, found: int) -> float:
    """Return the share of α that is left for each of ``many`` tests when ``found`` of them are significant."""
    harmonic = float((1 / np.arange(1, many + 1)).sum())
    shares = {
        "none": 1.0, "bonferroni": 1 / many, "holm": 1 / max(1, many - found),
        "bh": max(1, found) / many, "by": max(1, found) / (many * harmonic),
    }  # fmt: skip
    return shares[method]


def least_raised(method: str, many: int) -> float:
    """By which factor does a correction raise the smallest of ``many`` p at least, all others being as small?"""
    return float(adjust(np.full(many, 2.0**-60), method)[0] * 2.0**60) if method in ADJUSTMENTS else 1.0  # type: ignore[arg-type]


def _benjamini_hochberg(p: Floats) -> Floats:
    return np.minimum.accumulate((len(p) / np.arange(1, len(p) + 1) * p)[::-1])[::-1]


ADJUSTMENTS: dict[str, Callable[[Floats], Floats]] = {
    "none": np.copy,
    "bonferroni": lambda p: len(p) * p,
    "holm": lambda p: np.maximum.accumulate(np.arange(len(p), 0, -1) * p),
    "bh": _benjamini_hochberg,
    "by": lambda p: float((1 / np.arange(1, len(p) + 1)).sum()) * _benjamini_hochberg(p),
}
"""The corrections: sorted p-values to adjusted ones."""


def max_t(
    differences: npt.ArrayLike,
    *,
    step_down: bool = False,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    seed: int = 7,
) -> PairedResult:
    """Which differences exceed the largest expected by chance among all of them?

    In each sign pattern all hypotheses are flipped together, and the largest |t*| of all is taken (t* for
    ``"greater"``, −t* for ``"less"``). The adjusted p of a hypothesis is the share of patterns in which that reaches
    its own |t| (single step). The chance of any false finding is kept at the level; unlike Bonferroni's and Holm's
    corrections, this one knows which hypotheses go together, and loses less where they do.

    Stepping down, a hypothesis is compared only with those whose |t| is no larger than its own, and has at least the p
    of each that comes before it: as Holm's correction is to Bonferroni's. No p is higher, and the largest |t| has the
    same p.

    Shapes: differences (hypotheses, topics).

    Paper: Westfall and Young (1993), "Resampling-based multiple testing", single-step and step-down maxT (Algorithms
    2.5 and 2.8; there by resampling residuals, here by flipping signs).

    Of the 8 sign patterns of three topics, 2 give a |t*| as large as that of 1, 2, 3; the largest |t*| of both
    hypotheses reaches that in 2 more, + − + and − + −, which turn the second into ±(1, 2, 3). Stepping down, the second
    is compared with itself alone: its sum is 2, and those of 6 patterns are as far from 0 or further.

    >>> [max_t([[1, 2, 3], [1, -2, 3]], step_down=down).p.tolist() for down in (False, True)]
    [[0.5, 1.0], [0.5, 0.75]]
    """
    differences = checked(differences)
    check_choices(alternative, resamples)
    if not len(differences):
        raise InputError("there are no hypotheses")
    flips, exact = sign_flips(differences.shape[1], resamples, seed)
    rows = directions(differences)
    seen = towards(alternative, rows.sum(axis=1))
    reached = (_reached_stepping_down if step_down else _reached)(rows, seen, flips, alternative)
    return PairedResult(t_statistics(differences), share_reached(reached, len(flips), exact), exact)


def largest_leads(
    differences: Floats, family: Integers, families: int, *, resamples: int = 10_000, seed: int = 7
) -> Floats:
    """How significant is the largest lead of a, and that of b, in each of many families of hypotheses?

    Each family is tested by itself, as `max_t` does it: the same patterns, the single step, both alternatives. Of the p
    of its hypotheses these are the smallest where a leads, and where b does.

    Shapes: differences (hypotheses, topics); the result (2, families).
    """
    differences = checked(differences)
    check_choices("two-sided", resamples)
    flips, exact = sign_flips(differences.shape[1], resamples, seed)
    rows = directions(differences)
    seen, lead = np.abs(rows.sum(axis=1)), differences.sum(axis=1)
    largest = np.full((families, len(flips)), -np.inf)
    for block in slices_that_fit(len(rows), len(flips)):
        there, first = np.unique(family[block], return_index=True)
        reached = np.maximum.reduceat(np.abs(rows[block] @ flips.T), first)
        largest[there] = np.maximum(largest[there], reached)
    p = np.full((2, families), np.nan)
    for ahead, found in zip((lead > 0, lead < 0), p, strict=True):
        there, first = np.unique(family[ahead], return_index=True)
        if len(there):
            most = np.maximum.reduceat(seen[ahead], first)[:, np.newaxis]
            found[there] = share_reached((largest[there] >= most - ROUNDING).sum(axis=1), len(flips), exact)
    return p


def _reached(rows: Floats, seen: Floats, flips: Floats, alternative: Alternative) -> Floats:
    """Count the patterns in which the largest of all reaches what was seen of each."""
    largest = np.full(len(flips), -np.inf)
    for block in slices_that_fit(len(rows), len(flips)):
        np.maximum(largest, towards(alternative, rows[block] @ flips.T).max(axis=0), out=largest)
    return np.float64(len(flips)) - np.searchsorted(np.sort(largest), seen - ROUNDING)


def _reached_stepping_down(rows: Floats, seen: Floats, flips: Floats, alternative: Alternative) -> Floats:
    """Count the patterns in which the largest of those that come no earlier reaches it, and no fewer than before."""
    rising = rows[np.argsort(seen, kind="stable")]
    blocks = slices_that_fit(len(rows), len(flips))
    return stepping_down(seen, (towards(alternative, rising[block] @ flips.T) for block in blocks))


def stepping_down(seen: Floats, drawn: Iterable[Floats]) -> Floats:
    """Count the draws in which the largest of all statistics up to its own reaches what was seen of each.

    Shapes: drawn (hypotheses, draws), block by block, the hypotheses by rising ``seen``.
    """
    order = np.argsort(seen, kind="stable")
    reached, start = np.empty(len(seen)), 0
    largest: Floats | None = None
    for highest in drawn:
        some = order[start : start + len(highest)]
        start += len(highest)
        if largest is not None:
            np.maximum(highest[0], largest, out=highest[0])
        np.maximum.accumulate(highest, axis=0, out=highest)
        reached[some] = np.count_nonzero(highest >= (seen[some] - ROUNDING)[:, None], axis=1)
        largest = highest[-1]
    reached[order] = np.maximum.accumulate(reached[order[::-1]])[::-1]
    return reached


def resamplable(differences: Floats) -> Booleans:
    """Which differences vary enough for their topics to be drawn again: the same for every function that draws them?

    Those that are not 0 on `FEWEST_DIFFERING` topics, or on half of all where that is less, and that are not the same
    on all of fewer topics than these: a constant would count as certain.
    """
    topics = differences.shape[1]
    differing = np.count_nonzero(np.abs(differences) >= EQUAL, axis=1)
    varying = (standard_deviations(differences) > 0) | (topics >= FEWEST_DIFFERING)
    return np.asarray(varying & (differing >= fewest_differing(topics)))


def fewest_differing(topics: int) -> int:
    """On how many topics must two runs differ for how their differences vary to be seen?"""
    return min(FEWEST_DIFFERING, (topics + 1) // 2)


def bootstrap_max_t(differences: Floats, weights: Floats | None, resamples: int, seed: int) -> PairedResult:
    """Which differences exceed the largest expected from the sampling of topics among all of them?

    Topics are drawn again with replacement, the same for all hypotheses, and each is centred and studentised anew: t* =
    (mean* - mean) / (s* / √n). The largest |t*| of all hypotheses whose |t| is no larger than its own is compared with
    that of each, stepping down. Sign flips' assumption that differences are symmetric is not needed.

    Clusters of topics are drawn as a whole where their means are given, and their sizes as weights (`by_unit`).

    Shapes: differences (hypotheses, topics); weights (topics,).

    Paper: Romano and Wolf (2005), "Exact and approximate stepdown methods for multiple hypothesis testing", JASA
    100(469), section 3.

    The first is large and the second is not, whatever topics are drawn:

    >>> apart = [[0.4, 0.5, 0.6, 0.5, 0.4, 0.6, 0.5, 0.4], [0.1, -0.1, 0.2, -0.2, 0.1, -0.1, 0.1, -0.1]]
    >>> bootstrap_max_t(np.array(apart), None, 999, 7).p <= 0.05
    array([ True, False])
    """
    t = t_statistics(differences) if weights is None else _linearised_t(differences, weights)
    seen = np.abs(t)
    rising = differences[np.argsort(seen, kind="stable")]
    counts = resample_counts(differences.shape[1], resamples, seed)
    reached = stepping_down(seen, (np.abs(drawn, out=drawn) for _, drawn, _ in studentised(rising, counts, weights)))
    return PairedResult(t, (reached + 1) / (resamples + 1), exact=False)


def _linearised_t(rows: Floats, weights: Floats) -> Floats:
    """Return t of weighted means as `studentised` has t*: error of a ratio, linearised; s / √n with equal weights."""
    equals = Units(rows, weights).as_equals
    mean = equals.mean(axis=1)
    spread = np.where(standard_deviations(rows) > 0, equals.std(axis=1, ddof=1), 0.0)
    return quotient(mean, spread / np.sqrt(rows.shape[1]))


class SimultaneousIntervals(NamedTuple):
    """Intervals of several mean differences that hold together, and the adjusted p of each."""

    low: Floats
    high: Floats
    p: Floats


def simultaneous_intervals(
    differences: npt.ArrayLike, level: float = 0.95, *, resamples: int = 1000, seed: int = 7
) -> SimultaneousIntervals:
    """Between which limits do several mean differences lie, all of them at once?

    mean ± q s / √n, with q the quantile of the largest |t*| of all hypotheses in the single step of `bootstrap_max_t`.
    So whichever of the differences are looked at after the fact, those of the best system with the others among them,
    the chance that any interval misses is at most 1 - level.

    Shapes: differences (hypotheses, topics).

    Paper: as `bootstrap_max_t`.

    The first difference is above 0, and of the second that cannot be said:

    >>> apart = [[0.4, 0.5, 0.6, 0.5, 0.4, 0.6, 0.5, 0.4], [0.1, -0.1, 0.2, -0.2, 0.1, -0.1, 0.1, -0.1]]
    >>> found = simultaneous_intervals(apart)
    >>> found.low > 0, found.p <= 0.05
    (array([ True, False]), array([ True, False]))
    """
    rows = checked(differences)
    check_share("level", level)
    check_choices("two-sided", resamples)
    topics, tested = rows.shape[1], resamplable(rows)
    low, high, p = np.full(len(rows), np.nan), np.full(len(rows), np.nan), np.ones(len(rows))
    if not tested.any():
        return SimultaneousIntervals(low, high, p)
    some = rows[tested]
    counts = resample_counts(topics, resamples, seed)
    largest = np.zeros(resamples)
    for _, drawn, _ in studentised(some, counts):
        np.maximum(largest, np.abs(drawn).max(axis=0), out=largest)
    largest.sort()
    reached = resamples - np.searchsorted(largest, np.abs(t_statistics(some)) - ROUNDING)
    p[tested] = (reached + 1) / (resamples + 1)
    place = max(0, resamples - int((1 - level) * (resamples + 1) + ROUNDING))
    critical = largest[place] if place < resamples else np.inf
    spread = standard_deviations(some)
    margin = np.where(spread > 0, critical, 0.0) * spread / np.sqrt(topics)  # infinity times 0 is no number
    low[tested], high[tested] = some.mean(axis=1) - margin, some.mean(axis=1) + margin
    return SimultaneousIntervals(low, high, p)

"""What the documents that nobody judged could do to a difference: undo it, or make it smaller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cranfield.comparison.settings import Settings
from cranfield.comparison.testing import Pairs, corrected, in_rows, of_pairs
from cranfield.plumbing.arrays import Booleans, Floats, Integers, ratio
from cranfield.plumbing.errors import InputError
from cranfield.scoring.panel import Panel
from cranfield.statistics.on_paper import side
from cranfield.statistics.worst_case import worst_case_p

LeastDifferences: TypeAlias = Callable[[Panel, Integers, Integers], Floats]
"""From a panel, the better runs and the others, (measures, pairs), to differences (measures, pairs, topics)."""


@dataclass(frozen=True, eq=False)
class AgainstUnjudged:
    """One-tailed p-values of the better run of each pair: arrays of shape (measures, pairs).

    Attributes
    ----------
    p_base, p_top, p_projected
        Of its base against the other's base, the top of the other's range, and the other's
        projection (NaN for measures that have none).
    p_worst
        Of the least possible differences.
    p_worst_adjusted
        The same, corrected; the others are not.
    """

    p_base: Floats
    p_top: Floats
    p_projected: Floats
    p_worst: Floats
    p_worst_adjusted: Floats


def against_unjudged(
    panel: Panel, pairs: Pairs, settings: Settings, least: LeastDifferences | None = None
) -> AgainstUnjudged:
    """Would the better run still be better, had the unjudged documents been judged?

    Of each pair, the run with the better mean keeps its base (what it is known to have), and is
    held against three values of the other: its base, its top (the best that it could have) and its
    projection. Each is tested one-tailed, with the test of the comparison, or its nearest kin for
    pairs if that takes all runs together.

    For p_worst each topic has the least possible difference, whatever grades the documents have
    that any run retrieved; see `worst_case_p`, and `Settings.of_worst` for the test.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, section 5, "Establishing confidence", and Table 5 (there by Wilcoxon's test).
    """
    base, top = panel.values, limits_of(panel)[1]
    behind = side(base[:, pairs[0]].mean(axis=-1) - base[:, pairs[1]].mean(axis=-1)) < 0
    better, other = _ordered(pairs, behind)
    measure = np.arange(len(panel.measures))[:, None]
    rows = [in_rows(base[measure, better] - values[measure, other]) for values in (base, top, projected(panel))]
    p_base, p_top, p_projected = (_greater(differences, settings).reshape(behind.shape) for differences in rows)
    worst = least(panel, better, other) if least else limits_of(panel)[0][measure, better] - top[measure, other]
    p_worst = worst_case_p(in_rows(worst), settings.of_worst, settings.resamples, settings.seed).reshape(behind.shape)
    p_worst_adjusted = corrected(p_worst, worst, settings.correction_of_others, settings, "greater")
    return AgainstUnjudged(p_base, p_top, p_projected, p_worst, p_worst_adjusted)


def projected(panel: Panel) -> Floats:
    """What would each value be, if unjudged documents gained as much as judged ones do?

    base / (1 − residual), with residual = high − low, and no more than high: for RBP, what
    `RBPProjected` says. This first-order guess is made for measures that are sums of gains, known
    by their bounds: no completion of the judgments lowers the value or lifts it above 1. It is NaN
    for others. Without a judged document there is nothing to project from: 0.

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


def _ordered(pairs: Pairs, behind: Booleans) -> Pairs:
    """Put the better run first, measure by measure."""
    return np.where(behind, pairs[1], pairs[0]), np.where(behind, pairs[0], pairs[1])


def _greater(differences: Floats, settings: Settings) -> Floats:
    """One-tailed p of each row; NaN where a row has no values."""
    known = ~np.isnan(differences).any(axis=1)
    p = np.full(len(differences), np.nan)
    if known.any():
        p[known] = of_pairs(differences[known], settings, "greater").p
    return p

"""How far off a ratio of two totals may be: parts of the sample are left out, and what is left is asked again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.selection.drawn import Drawn

GROUPS: Final = 10
"""Into how many parts a sample is cut; t then has one degree of freedom less."""

LEAST_DRAWN: Final = 50
"""How many documents of a topic must have been drawn, on average, before the interval of a ratio holds."""


class Replicated(NamedTuple):
    """What `delete_a_group` finds."""

    whole: Floats  # (rows): θ of the whole sample
    value: Floats  # (rows): the same with its bias taken out
    means: Floats  # (groups, runs): the mean over topics without each group

    @property
    def variance(self) -> Floats:
        """Of the mean of the values over topics: array (runs)."""
        return _spread(self.means)

    def less(self, baseline: int) -> Floats:
        """Of the mean difference from one of the runs: array (runs)."""
        return _spread(self.means - self.means[:, baseline, np.newaxis])


def _spread(means: Floats) -> Floats:
    variance: Floats = (GROUPS - 1) * means.var(axis=0)
    return variance


def delete_a_group(drawn: Drawn, values: Callable[[Drawn], Floats], seed: int) -> Replicated:
    """Estimate ratios anew from nine tenths of the sample, ten times, each time without another tenth.

    The sample of each topic and stratum is cut at random into G = 10 groups; group g is left out of
    all topics at once, and the documents that are left stand for those, too. With θ of the whole
    sample and θ₍g₎ without group g,

        θ_J = G θ - (G - 1) · mean θ₍g₎,  v = (G - 1)/G · Σ_g (θ₍g₎ - mean θ₍g₎)²

    of which the first has less bias than θ, and the second is the variance of the mean over topics.
    No correction is made for strata of which much was drawn: with it, intervals are too narrow.
    Topics that were drawn whole, and strata of one document, are left as they are.

    Paper: Kott (2001), "The delete-a-group jackknife", Journal of Official Statistics 17(4).
    """
    group = drawn.cut(GROUPS, seed)
    whole = values(drawn)
    without = np.array([whole if drawn.whole.all() else values(drawn.without(group == each)) for each in range(GROUPS)])
    value = GROUPS * whole - (GROUPS - 1) * without.mean(axis=0)
    means = without.reshape(GROUPS, drawn.runs, drawn.topics).mean(axis=2)
    return Replicated(whole, value, means)


def why_none(drawn: Drawn, relevant: Booleans) -> str | None:
    """Say why the interval of a ratio would not hold, if it would not; not every topic was drawn whole."""
    open_topics = ~drawn.whole
    found = f"{relevant.sum() / max(drawn.topics, 1):.1f} relevant documents of a topic were drawn"
    if drawn.uniform:
        return f"{found} by a uniform sample, from which no interval holds: draw a stratified or a prior one"
    count = np.bincount(drawn.judgments.topic, minlength=drawn.topics)[open_topics]
    # Independent draws leave the number to chance: that of a topic varies by no more than its root.
    if count.mean() < LEAST_DRAWN - 2 * np.sqrt(LEAST_DRAWN / len(count)) * drawn.independent.any():
        return f"{found} among {count.mean():.0f} documents, where it takes {LEAST_DRAWN} for an interval that holds"
    return None

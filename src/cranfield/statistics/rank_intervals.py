"""Which ranks could the systems have on other topics of the same kind?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import counted
from cranfield.statistics.clusters import by_unit
from cranfield.statistics.conclusions import significant
from cranfield.statistics.differences import check_choices, check_share, checked, pairs
from cranfield.statistics.multiple_comparisons import bootstrap_max_t, resamplable
from cranfield.statistics.on_paper import side


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Between which ranks each system lies, all of them at once."""

    # best, worst: for each system; 1 is the first rank
    best: Integers
    worst: Integers
    above: Booleans  # array of shape (systems, systems): whether the one is surely above the other
    p: Floats  # the adjusted p of each pair, in the order of `pairs`
    untested: Booleans  # for each pair, whether its systems differ, but not so that it could be tested
    unit: str = "topic"  # what is drawn again: a topic, or a cluster of them

    @property
    def doubt(self) -> str | None:
        """A note on pairs that differ on too few topics to be tested."""
        few = int(self.untested.sum())
        if not few:
            return None
        return (
            f"{few:,} of {counted(len(self.untested), 'pair')} of runs {'differs' if few == 1 else 'differ'} on too "
            f"few {self.unit}s, or by a constant on too few, to be tested: neither run ranks above the other"
        )


def rank_intervals(
    levels: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 7,
) -> RankIntervals:
    """Between which ranks would each system lie, given all topics of the kind?

    A system's true rank is 1 more than the number of systems with a higher true mean. All pairs are tested at once
    (`bootstrap_max_t`, two-sided); a system lies below those that are significantly better, and no further down than
    all but those that it is significantly better than. The chance that any of the intervals misses is at most alpha, as
    far as the test keeps its level: the page on calibration says where it does. It cannot where two systems differ on
    few topics, as near-duplicates and coarse measures have it, and such a pair takes the power of all others: its
    resampled t has no upper end. So pairs that are not `resamplable` are not tested, and not told apart. Topics that
    belong together are drawn together (a cluster bootstrap-t), and counted by clusters.

    Shapes: levels (systems, topics); clusters (topics,), equal for topics that belong together.

    Paper: Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility across
    neighbourhoods and academic achievement across countries", Review of Economic Studies 91(1), section 3.

    On seven topics the first is far better than the others, which are about the same:

    >>> found = rank_intervals([[9, 8, 9, 7, 9, 8, 7], [1, 3, 2, 1, 3, 2, 1], [2, 1, 3, 2, 1, 3, 1]])
    >>> found.best, found.worst
    (array([1, 2, 2]), array([1, 3, 3]))
    """
    values = np.asarray(levels, dtype=np.float64)
    check_share("alpha", alpha)
    if values.ndim != 2 or len(values) < 2:
        raise InputError("rank intervals need a table (systems, topics) of at least two systems")
    first, second = pairs(len(values))
    by_topic = checked(values[first] - values[second])
    unit = "topic" if clusters is None else "cluster"
    units = by_unit(by_topic, clusters=None if clusters is None else np.asarray(clusters))
    apart = by_topic if clusters is None else checked(units.rows)
    enough = resamplable(apart)
    p = np.ones(len(apart))
    if enough.any():
        check_choices("two-sided", resamples)
        p[enough] = bootstrap_max_t(apart if enough.all() else apart[enough], units.weights, resamples, seed).p
    ahead = np.zeros((len(values), len(values)), bool)
    apart_so, mean = significant(p, alpha), side(by_topic.mean(axis=1))
    ahead[first, second], ahead[second, first] = apart_so & (mean > 0), apart_so & (mean < 0)
    return RankIntervals(*ranks_between(ahead, ahead), ahead, p, by_topic.any(axis=1) & ~enough, unit)


def ranks_between(above: Booleans, no_worse: Booleans) -> tuple[Integers, Integers]:
    """Turn what is sure of pairs into the best and the worst rank of each; equal systems share the better rank.

    Shapes: above, no_worse (systems, systems).
    """
    others = ~np.eye(len(above), dtype=bool)
    return 1 + above.sum(axis=0), 1 + (others & ~no_worse).sum(axis=1)

"""Systems on several tasks: by the mean, by the standardised mean and by Borda's count, and how sure each order is.

Each of the three is a mean over tasks of what a task gives to each system, and a task gives that whatever the other
tasks are. So the same rank intervals serve for all: tasks are drawn again, or families of tasks as a whole.

What is seen of a task is what it is worth and the luck of its items, and both vary between tasks. So it is enough to
draw tasks again; to draw their items again as well would count the luck twice. Where tasks are to stay as they are,
items alone are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.statistics.conclusions import significant
from cranfield.statistics.differences import (
    ROUNDING,
    check_share,
    differences,
    pairs,
    quotient,
    random_from,
    require_draws,
    slices_that_fit,
    standard_deviations,
)
from cranfield.statistics.multiple_comparisons import FEWEST_DIFFERING, stepping_down
from cranfield.statistics.on_paper import levelled, places, side
from cranfield.statistics.rank_intervals import RankIntervals, rank_intervals, ranks_between
from cranfield.statistics.ranks import mean_ranks
from cranfield.statistics.usual import ALPHA

Way: TypeAlias = Literal["mean", "standardised mean", "Borda"]
"""How what systems reach on several tasks becomes one number."""


def by_task(levels: npt.ArrayLike, way: Way) -> Floats:
    """What does each task give to each system, so that its mean over tasks is the system's number?

    By the mean, the level itself. By the standardised mean, how many standard deviations of the systems (n - 1) it lies
    above their mean; 0 where all are equal. By Borda, how many systems are below, those that are equal counting half:
    with S systems and the ranks r from the top, S - r.

    Shapes: levels (..., systems), more being better; the result too.

    Paper: Borda (1781), "Mémoire sur les élections au scrutin"; Webber, Moffat and Zobel (2008), "Score standardization
    for inter-collection comparison of retrieval systems", SIGIR.

    >>> by_task([3.0, 1.0, 2.0], "standardised mean"), by_task([0.9, 0.1, 0.1], "Borda")
    (array([ 1., -1.,  0.]), array([2. , 0.5, 0.5]))
    """
    if way == "mean":
        return np.asarray(levels, np.float64)
    values = levelled(levels)
    if way == "Borda":
        return mean_ranks(values) - 1
    flat = values.reshape(-1, values.shape[-1])
    spread = standard_deviations(flat) if values.shape[-1] > 1 else np.zeros(len(flat))
    apart = np.where(spread[:, np.newaxis] > 0, flat - flat.mean(axis=-1, keepdims=True), 0)
    return quotient(apart, spread[:, np.newaxis]).reshape(values.shape)


@dataclass(frozen=True, eq=False)
class TaskOrder:
    """The systems in one of the three orders."""

    way: Way
    value: Floats  # by system, the mean over tasks of what they give
    place: Integers  # by system, from 1; those that are equal on paper share the better one
    other_tasks: RankIntervals | None  # had other tasks of the kind been chosen; None of one task, family or system
    other_items: RankIntervals | None  # had these tasks other items; None by Borda, and where items are not known

    def turned(self, other: TaskOrder) -> Booleans:
        """Which systems is each ahead of here, and behind there? Array of shape (systems, systems)."""
        here, there = (side(each.value[:, np.newaxis] - each.value) for each in (self, other))
        return (here > 0) & (there < 0)


def task_orders(
    levels: npt.ArrayLike,
    *,
    families: Integers | None = None,
    items: Sequence[Floats] = (),
    alpha: float = ALPHA,
    resamples: int = 1000,
    seed: int = 7,
) -> tuple[TaskOrder, ...]:
    """Which order do several tasks give, by the mean, the standardised mean and Borda's count?

    Shapes: levels (systems, tasks), complete, more being better; families (tasks,), equal for tasks that belong
    together; items one array of shape (systems, items) for each task, or none.

    Paper: for the rank intervals, as `rank_intervals`.

    The first is far ahead on one task, and last on the two others:

    >>> for order in task_orders([[9.0, 1.0, 1.0], [4.0, 2.0, 2.1], [4.5, 1.5, 2.0]]):
    ...     print(order.way, order.place.tolist())
    mean [1, 2, 3]
    standardised mean [3, 1, 2]
    Borda [3, 1, 2]
    """
    table = np.asarray(levels, np.float64)
    check_share("alpha", alpha)
    if table.ndim != 2 or not table.size:
        raise InputError(f"levels have the shape (systems, tasks), not {table.shape}")
    if not np.isfinite(table).all():
        s, t = np.argwhere(~np.isfinite(table))[0]
        raise InputError(f"system {s} has no finite level on task {t}: leave out systems or tasks first")
    units = table.shape[1] if families is None else len(np.unique(families))
    drawable = len(items) > 0 and len(table) > 1 and all(each.shape[1] > 1 for each in items)
    found = []
    for way in get_args(Way):
        given = by_task(table.T, way).T
        others = None
        if min(len(table), units) > 1:
            others = rank_intervals(given, clusters=families, alpha=alpha, resamples=resamples, seed=seed)
        value = given.cumsum(axis=1)[:, -1] / given.shape[1]  # added task by task, so that equal systems are equal
        again, weights = None, _weights(table, way) if drawable else None
        if weights is not None:
            again = _by_items(value, _drawn_by_items(items, weights, resamples, seed), items, alpha)
        found.append(TaskOrder(way, value, places(value), others, again))
    return tuple(found)


def shares_of_the_spread(levels: npt.ArrayLike) -> Floats:
    r"""How much of the differences between means comes from each task? Shares that add up to 1, or NaN.

    .. math:: \frac{\mathrm{cov}(x_t, \bar x)}{T \, \mathrm{var}(\bar x)}

    over the systems, of T tasks with the levels x. If all tasks were exchangeable it would be 1/T of each; the mean
    follows the tasks on which systems spread most.

    Shapes: levels (systems, tasks).

    >>> shares_of_the_spread([[0.0, 0.1], [0.9, 0.2]])  # means .05 and .55: .9 of the 1.0 between their sums
    array([0.9, 0.1])
    """
    table = np.asarray(levels, np.float64)
    apart = table - table.mean(axis=0)
    mean = apart.mean(axis=1)
    whole = table.shape[1] * (mean**2).sum()
    if whole <= ROUNDING * (table**2).sum():
        return np.full(table.shape[1], np.nan)
    return np.asarray((apart * mean[:, np.newaxis]).sum(axis=0) / whole)


def _weights(levels: Floats, way: Way) -> Floats | None:
    """What each task's level counts for, its scale as it is; None by Borda, whose count jumps where systems are equal.

    Draws of items do not follow such jumps: of equal systems their intervals would hold in .7 of boards.
    """
    if way == "Borda":
        return None
    scale = standard_deviations(levels.T) if way == "standardised mean" else np.ones(levels.shape[1])
    return np.divide(1, scale, out=np.zeros(len(scale)), where=scale > 0) / len(scale)


def _drawn_by_items(items: Sequence[Floats], weights: Floats, resamples: int, seed: int) -> Floats:
    """Draw the items of each task again: array of shape (draws, systems).

    One fewer than there are, so that the mean of those drawn varies as that of the task does (Rao and Wu 1988,
    "Resampling inference with complex survey data", JASA 83).
    """
    random, drawn = random_from(seed), np.zeros((resamples, len(items[0])))
    for each, weight in zip(items, weights, strict=True):
        many = each.shape[1]
        require_draws(resamples, many)
        counts = random.multinomial(many - 1, np.full(many, 1 / many), size=resamples)
        drawn += counts @ each.T * (weight / (many - 1))
    return drawn


def _by_items(value: Floats, drawn: Floats, items: Sequence[Floats], alpha: float) -> RankIntervals:
    """Tell pairs apart by the largest |t*| of all, stepping down; t in standard deviations of the draws.

    As in `rank_intervals`, pairs that differ on too few items are not tested: their draws hardly vary.
    """
    first, second = pairs(len(value))
    apart = differences(value)
    sign, enough = side(apart), _differing(items, first, second)
    deviation, centre = np.zeros(len(apart)), np.zeros(len(apart))
    for block in slices_that_fit(len(apart), len(drawn)):
        each = drawn[:, first[block]] - drawn[:, second[block]]
        deviation[block], centre[block] = each.std(axis=0), each.mean(axis=0)
    deviation[deviation <= ROUNDING * np.abs(value).max()] = 0
    seen = np.abs(quotient(np.where(sign == 0, 0, apart), deviation))

    def t_of(at: Integers) -> Floats:
        off = np.where(deviation[at] > 0, drawn[:, first[at]] - drawn[:, second[at]] - centre[at], 0)
        return np.abs(quotient(off, deviation[at])).T

    tested, p = np.flatnonzero(enough), np.ones(len(apart))
    rising = tested[np.argsort(seen[tested], kind="stable")]
    each_t = (t_of(rising[block]) for block in slices_that_fit(len(rising), len(drawn)))
    p[tested] = (stepping_down(seen[tested], each_t) + 1) / (len(drawn) + 1)
    ahead = np.zeros((len(value), len(value)), np.bool_)
    told = significant(p, alpha)
    ahead[first, second], ahead[second, first] = told & (sign > 0), told & (sign < 0)
    return RankIntervals(*ranks_between(ahead, ahead), ahead, p, (sign != 0) & ~enough)


def _differing(items: Sequence[Floats], first: Integers, second: Integers) -> Booleans:
    """Say which pairs of systems differ on enough items; the first tasks tell that of nearly all of them."""
    count = np.zeros(len(first), np.int64)
    fewest = min(FEWEST_DIFFERING, (sum(each.shape[1] for each in items) + 1) // 2)
    for each in items:
        left = np.flatnonzero(count < fewest)
        for block in slices_that_fit(len(left), each.shape[1]):
            at = left[block]
            count[at] += (side(each[first[at]] - each[second[at]]) != 0).sum(axis=1)
    return np.asarray(count >= fewest)

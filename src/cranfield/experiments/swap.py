"""The swap method: how often two sets of topics rank two systems differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from cranfield.experiments.best_runs import best_runs, left_out, that_rank_nothing
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Range, Seed, Share
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.on_paper import EQUAL

COMPARISONS_AT_ONCE = 1 << 16
"""Comparisons held at once: a processor's cache has room for them."""


@experiment
def swap(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist"),
    *,
    sizes: tuple[Count, ...] = (),
    repetitions: Count = 5000,
    width: Annotated[float, Range(above=0)] = 0.01,
    bins: Annotated[int, Range(at_least=1, at_most=10_000)] = 21,
    accepted: Annotated[float, Range(at_least=0, at_most=1)] = 0.05,
    fewest: Count = 500,
    top: Share = 0.75,
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """How large must a difference be so that other topics seldom reverse it?

    Two disjoint sets X and Y of equally many topics are drawn at random, repeatedly. For each pair of runs, d(X) and
    d(Y) are the differences of their means over the topics of X and of Y. The comparison belongs to the bin of |d(X)|;
    it is a swap if d(X) · d(Y) < 0: Y prefers the other run (means that differ by less than 1e-9 are equal). The swap
    rate of a bin is its swaps divided by its comparisons. If d(X) is 0, X prefers neither run and nothing can be
    reversed: such ties have a row of their own and belong to no bin. The difference needed is the lower end of the
    lowest bin whose swap rate is at most the accepted one, in the bin itself and in all comparisons from there on; the
    sensitivity of the measure is the share of all comparisons, including ties, with at least that difference. All
    measures share the same topic sets.

    A rate from few comparisons is not reliable. A bin with fewer than 500 is judged only by all
    comparisons from its lower end on, including larger differences; if these are fewer than 500 as
    well, no difference from there on is accepted.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        The measures to compare.
    sizes
        Numbers of topics in a set, each at most half of the topics; by default, five sizes up to that half.
    repetitions
        The number of draws of two sets for each size.
    width
        Width of a bin of differences, above 0.
    bins
        Number of bins; the last holds all larger differences.
    accepted
        Highest acceptable swap rate of a difference, from 0 to 1.
    fewest
        The smallest number of comparisons for a reliable swap rate.
    top
        Share of the runs to include, those with the highest mean AP; 1 includes all.
    seed
        Seed of the topic sets.

    Tables
    ------
    power
        A row for each measure and size of the topic sets.
        measure : text
        size : whole number
        difference : number, or none suffices
            The difference needed; null if all bins swap too often, or have too few comparisons to tell.
        sensitivity : number
        rate : number
            The swap rate of all comparisons with at least that difference.
    swaps
        A row for the ties, whose bin begins and ends at 0, and one for each bin of differences.
        measure : text
        size : whole number
        low, high : number
            Where the bin begins and ends; the last has no end.
        comparisons, swaps : whole number
        rate : number
            Null if there are no comparisons, and for ties.

    Raises
    ------
    InputError
        If an option is out of range, or there are fewer than two topics.

    Paper: Voorhees and Buckley (2002), "The effect of topic set size on retrieval experiment error", SIGIR, Figure 1;
    Sakai (2006), "Evaluating evaluation metrics based on the bootstrap", SIGIR, section 4.3 for the sensitivity.

    Examples
    --------
    >>> from cranfield import join
    >>> good, poor = {t: {"a": 2.0, "x": 1.0} for t in "1234"}, {t: {"a": 1.0, "x": 2.0} for t in "1234"}
    >>> found = swap(join({t: {"a": 1} for t in "1234"}, {"good": good, "poor": poor}), ["RR"], top=1.0)
    >>> found["power"].rows()  # RR is 1 and 1/2 on every topic: in the last bin, from 0.2 on, nothing swaps
    [('RR', 1, 0.2, 1.0, 0.0), ('RR', 2, 0.2, 1.0, 0.0)]
    """
    kept = best_runs(runs, top)
    panel = runs.panel(number_measures(measures)).of_runs(kept)
    sizes = _sizes(sizes, len(panel.topics))
    drawn = draw_topic_sets(len(panel.topics), repetitions, seed)

    def count(step: int) -> pl.DataFrame:
        counts = (count_swaps(panel.values[step], drawn, size, width=width, bins=bins) for size in sizes)
        return _rows(panel.measures[step], sizes, np.array(list(counts)), width)

    swaps = work.steps(range(len(panel.measures)), count, in_threads=True)
    notes = (*left_out(runs, kept), *panel.notes, *that_rank_nothing(panel.measures, panel.averages))
    return Outcome({"power": _power(swaps, accepted, fewest), "swaps": swaps}, notes)


def draw_topic_sets(topics: int, repetitions: int, seed: int) -> Integers:
    """Draw orders of the topics, (repetitions, topics): the first are set X, as many after them set Y."""
    return np.random.default_rng(seed).permuted(np.tile(np.arange(topics), (repetitions, 1)), axis=1)


def count_swaps(values: Floats, drawn: Integers, size: int, *, width: float, bins: int) -> Integers:
    """Count the comparisons by difference, and the swaps among them: (2, 1 + bins), of values (runs, topics)."""
    x, y = _means(values, drawn[:, :size]), _means(values, drawn[:, size : 2 * size])
    # In each repetition the better run by X comes first, so that no difference by X is below 0.
    order = np.argsort(-x, axis=0)
    x, y = (np.take_along_axis(means, order, axis=0) for means in (x, y))
    counts = np.zeros(2 * (1 + bins), dtype=np.int64)
    for one, both in _blocks(x, y):
        apart, of_y = (means[one] - means[one + 1 :] for means in both)
        tied, reversed_ = apart < EQUAL, of_y <= -EQUAL
        # A small step up: 0.29 / 0.01 is 28.999999999999996, but belongs to the bin that begins at
        # 0.29.
        apart /= width
        apart += EQUAL
        bin_ = np.minimum(apart, bins - 1, out=apart).astype(np.uint16)  # there are at most 10,000 bins, twice
        bin_ += 1
        bin_ += reversed_ * np.uint16(1 + bins)
        bin_[tied] = 0
        counts += np.bincount(bin_.ravel(), minlength=len(counts))
    kept, swapped = counts.reshape(2, -1)
    return np.array([kept + swapped, swapped])


def _blocks(*means: Floats) -> Iterator[tuple[int, list[Floats]]]:
    """Go through the repetitions, some at a time, and with each through the runs that others follow."""
    runs, repetitions = means[0].shape
    length = max(1, COMPARISONS_AT_ONCE // runs)
    for start in range(0, repetitions, length):
        block = [np.ascontiguousarray(each[:, start : start + length]) for each in means]
        yield from ((one, block) for one in range(runs - 1))


def _means(values: Floats, chosen: Integers) -> Floats:
    """Array of shape (runs, repetitions)."""
    picked = np.zeros((len(chosen), values.shape[1]))
    np.put_along_axis(picked, chosen, 1.0, axis=1)
    return np.asarray(values @ picked.T / chosen.shape[1])


def _rows(measure: str, sizes: tuple[int, ...], counts: Integers, width: float) -> pl.DataFrame:
    bins = counts.shape[-1]
    # Rounded: 3 * 0.01 is not quite 0.03.
    edges = np.append(0.0, (np.arange(bins - 1) * width).round(12))
    table = pl.DataFrame(
        {
            "measure": np.repeat(measure, len(sizes) * bins),
            "size": np.repeat(np.array(sizes, dtype=np.int64), bins),
            "low": np.tile(edges, len(sizes)),
            "high": pl.Series([*edges[1:].tolist(), None] * len(sizes), dtype=pl.Float64),
            "comparisons": counts[:, 0].ravel(),
            "swaps": counts[:, 1].ravel(),
        }
    )
    rate = pl.when((pl.col("comparisons") > 0) & ~_tied()).then(pl.col("swaps") / pl.col("comparisons"))
    return table.with_columns(rate=rate)


def _power(swaps: pl.DataFrame, accepted: float, fewest: int) -> pl.DataFrame:
    """The lowest bin with an acceptable swap rate, and all comparisons from there on."""
    key = ["measure", "size"]
    needed = pl.col("low").filter(_relied_on(accepted, fewest)).min().over(key)
    above = ~_tied() & (pl.col("low") >= pl.col("difference"))
    comparisons, swapped = (pl.col(name).filter(above).sum() for name in ("comparisons", "swaps"))
    return (
        swaps.with_columns(difference=needed)
        .group_by(*key, "difference", maintain_order=True)
        .agg(
            sensitivity=comparisons / pl.col("comparisons").sum(),
            rate=pl.when(comparisons > 0).then(swapped / comparisons),
        )
    )


def _relied_on(accepted: float, fewest: int) -> pl.Expr:
    """Which bins of one size have an acceptable rate: over all comparisons from there on, and their own unless few."""
    comparisons, swapped = pl.col("comparisons"), pl.col("swaps")
    from_there, swapped_from_there = (column.cum_sum(reverse=True) for column in (comparisons, swapped))
    together = (from_there >= fewest) & (swapped_from_there <= accepted * from_there)
    return ~_tied() & (comparisons > 0) & together & ((comparisons < fewest) | (swapped <= accepted * comparisons))


def _tied() -> pl.Expr:
    """Which row is that of the ties: of comparisons in which the first set prefers neither run."""
    return pl.col("high").eq_missing(0.0)


def _sizes(sizes: tuple[int, ...], topics: int) -> tuple[int, ...]:
    """Return the sizes asked for, if there are as many topics; or five sizes up to half the topics."""
    half = topics // 2
    if not half:
        raise InputError("only one topic; two disjoint sets of topics need at least two")
    sizes = sizes or tuple(dict.fromkeys(max(1, half * fifth // 5) for fifth in range(1, 6)))
    if wrong := [size for size in sizes if size > half]:
        raise InputError(
            f"{counted(topics, 'topic')} cannot form two disjoint sets of {wrong[0]}; a size must be from 1 to {half}"
        )
    return sizes

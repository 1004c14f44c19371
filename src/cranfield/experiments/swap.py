"""The swap method: how often two sets of topics rank two systems differently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from cranfield.arrays import Floats, Integers
from cranfield.errors import InputError
from cranfield.experiments.best_runs import best_runs, left_out
from cranfield.experiments.experiment import Findings, MeasureNames, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.judged_runs import JudgedRuns
from cranfield.statistics.pairs import pairs

COMPARISONS_AT_ONCE = 1 << 20
"""How many comparisons are held in memory."""


@experiment
def swap(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist"),
    *,
    sizes: tuple[int, ...] = (),
    repetitions: int = 1000,
    width: float = 0.01,
    bins: int = 21,
    accepted: float = 0.05,
    top: float = 0.75,
    seed: int = 7,
    work: Work | None = None,
) -> Findings:
    """How large must a difference be, that other topics would seldom turn it round?

    Two disjoint sets X and Y of as many topics are drawn at random, again and again. For each pair of runs, d(X) and
    d(Y) are the differences of their means over the topics of X and of Y. The comparison belongs to the bin of |d(X)|;
    it is a swap if d(X) · d(Y) < 0: Y prefers the other run. The swap rate of a bin is its swaps by its comparisons.
    The difference needed begins the lowest bin with a swap rate of at most the one accepted; the sensitivity of the
    measure is the share of comparisons with at least that difference. All measures share the same topic sets.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; a topic that a run lacks counts 0.
    measures
        What to score by.
    sizes
        Numbers of topics of a set, each at most half of the topics; without them, five up to that half.
    repetitions
        How often two sets are drawn for each size.
    width
        Width of a bin of differences, above 0.
    bins
        Number of bins; the last holds all larger differences.
    accepted
        Highest swap rate of a difference that is relied on, from 0 to 1.
    top
        Share of the runs that take part, those with the highest mean AP; 1 takes all.
    seed
        Seed of the topic sets.

    Returns
    -------
    Findings with the tables ``power`` (measure, size, difference: the one needed, null where all bins swap too often;
    sensitivity; rate: the swap rate of all comparisons with at least that difference) and ``swaps`` (measure, size,
    low, high: the bin, without ``high`` for the last; comparisons, swaps, rate: null where there are no comparisons).

    Raises
    ------
    InputError
        If an option is out of its range, or there are fewer than two topics.

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
    sizes = _checked_sizes(sizes, len(runs.topics))
    _check(repetitions, width, bins, accepted)
    chosen, kept, work = number_measures(measures), best_runs(runs, top), work or Work()
    settings = {"measures": [str(measure) for measure in chosen], "sizes": sizes, "repetitions": repetitions}
    settings |= {"width": width, "bins": bins, "accepted": accepted, "top": top, "seed": seed}
    drawn = draw_topic_sets(len(runs.topics), repetitions, seed)

    def count(step: int) -> pl.DataFrame:
        measure = chosen[step]
        values = runs.scores([measure]).values[0][kept]
        counts = (count_swaps(values, drawn, size, width=width, bins=bins) for size in sizes)
        return _rows(str(measure), sizes, np.array(list(counts)), width)

    swaps = work.steps("swap", settings | {"of": runs.fingerprint}, range(len(chosen)), count)
    return Findings(
        "swap",
        {"power": _power(swaps, accepted), "swaps": swaps},
        settings | {"runs": int(kept.sum()), "topics": len(runs.topics)},
        left_out(runs, kept),
    )


def draw_topic_sets(topics: int, repetitions: int, seed: int) -> Integers:
    """Which topics are drawn? Of each order of all topics, the first are set X, as many after them set Y.

    Parameters
    ----------
    topics, repetitions
        How many there are, and how many orders are drawn.
    seed
        Seed of the orders.

    Returns
    -------
    Array of shape (repetitions, topics): orders of the topics.
    """
    return np.random.default_rng(seed).permuted(np.tile(np.arange(topics), (repetitions, 1)), axis=1)


def count_swaps(values: Floats, drawn: Integers, size: int, *, width: float, bins: int) -> Integers:
    """How many comparisons are there by difference, and how many of them swap?

    Parameters
    ----------
    values
        Array of shape (runs, topics): the scores.
    drawn
        Orders of the topics, as `draw_topic_sets` gives them.
    size
        Number of topics of each set.
    width, bins
        Width of the bins of differences, and their number; the last holds all larger differences.

    Returns
    -------
    Array of shape (2, bins): comparisons, and swaps.
    """
    a, b = pairs(len(values))
    counts = np.zeros((2, bins), dtype=np.int64)
    for block in _blocks(len(drawn), max(1, COMPARISONS_AT_ONCE // len(a))):
        x = _means(values, drawn[block, :size])
        y = _means(values, drawn[block, size : 2 * size])
        difference = x[a] - x[b]
        swapped = difference * (y[a] - y[b]) < 0
        # A small step up: 0.29 / 0.01 is 28.999999999999996, but belongs to the bin that begins at 0.29.
        bin_ = np.minimum((np.abs(difference) / width + 1e-9).astype(np.int64), bins - 1)
        counts += np.array([np.bincount(which.ravel(), minlength=bins) for which in (bin_, bin_[swapped])])
    return counts


def _blocks(count: int, length: int) -> Iterator[slice]:
    return (slice(start, start + length) for start in range(0, count, length))


def _means(values: Floats, chosen: Integers) -> Floats:
    """Array of shape (runs, repetitions); rounded, so that means that are the same on paper are the same here."""
    picked = np.zeros((len(chosen), values.shape[1]))
    np.put_along_axis(picked, chosen, 1.0, axis=1)
    means: Floats = (values @ picked.T / chosen.shape[1]).round(12)
    return means


def _rows(measure: str, sizes: tuple[int, ...], counts: Integers, width: float) -> pl.DataFrame:
    bins = counts.shape[-1]
    # Rounded: 3 * 0.01 is not quite 0.03.
    edges = (np.arange(bins) * width).round(12)
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
    rate = pl.when(pl.col("comparisons") > 0).then(pl.col("swaps") / pl.col("comparisons"))
    return table.with_columns(rate=rate)


def _power(swaps: pl.DataFrame, accepted: float) -> pl.DataFrame:
    """The lowest bin with comparisons that does not swap too often, and all comparisons from there on."""
    key = ["measure", "size"]
    needed = pl.col("low").filter(pl.col("rate") <= accepted).min().over(key)
    above = pl.col("low") >= pl.col("difference")
    comparisons, swapped = (pl.col(name).filter(above).sum() for name in ("comparisons", "swaps"))
    return (
        swaps.with_columns(difference=needed)
        .group_by(*key, "difference", maintain_order=True)
        .agg(
            sensitivity=comparisons / pl.col("comparisons").sum(),
            rate=pl.when(comparisons > 0).then(swapped / comparisons),
        )
    )


def _check(repetitions: int, width: float, bins: int, accepted: float) -> None:
    if repetitions < 1:
        raise InputError(f"{repetitions} repetitions are none; there must be at least 1")
    if not width > 0:
        raise InputError(f"the width of a bin is {width}; it must be above 0")
    if bins < 1:
        raise InputError(f"there cannot be {bins} bins; there must be at least 1")
    if not 0 <= accepted <= 1:
        raise InputError(f"the accepted swap rate is {accepted}; it must be from 0 to 1")


def _checked_sizes(sizes: Iterable[int], topics: int) -> tuple[int, ...]:
    half = topics // 2
    if not half:
        raise InputError("there is one topic; two disjoint sets of topics need at least two")
    sizes = tuple(sizes) or tuple(dict.fromkeys(max(1, half * fifth // 5) for fifth in range(1, 6)))
    wrong = [size for size in sizes if not 1 <= size <= half]
    if wrong:
        raise InputError(f"no two disjoint sets of {wrong[0]} are among {topics} topics; a size is from 1 to {half}")
    return sizes

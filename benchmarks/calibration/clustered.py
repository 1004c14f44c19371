"""Topics that belong together: made conversations of real scores, as alike as one likes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.calibration.cell import Cell
from benchmarks.calibration.scores import level, population, populations
from benchmarks.truth import of_population
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.statistics.clusters import by_unit
from cranfield.statistics.conclusions import PASSING, Paired, conclude
from cranfield.statistics.paired_tests import randomisation_test
from cranfield.statistics.rank_intervals import rank_intervals
from cranfield.statistics.weighted_means import weighted_randomisation_test

MANY: Final = (5, 10, 25, 50, 100)
"""How many clusters there are."""
ALIKE: Final = (0.0, 0.3, 0.6)
"""How alike topics of a cluster are: the intraclass correlation of their differences."""
SIZES: Final = ("4 each", "8 each", "1 to 30")
"""How many topics a cluster has; the last are log-normal, 4 in the middle."""
_BATCHES: Final = 20
_RESAMPLES: Final = 400


def sizes_of(words: str, clusters: int, random: np.random.Generator) -> Integers:
    """Draw how many topics each cluster has."""
    if words.endswith("each"):
        return np.full(clusters, int(words.partition(" ")[0]))
    return np.clip(np.round(random.lognormal(np.log(4), 0.9, clusters)), 1, 30).astype(np.int64)


def conversations(topics: int, code: Integers, alike: float, draws: int, random: np.random.Generator) -> Integers:
    """Draw topics: that of the cluster with probability √ICC, or else one of its own. Shape (draws, topics drawn).

    Two of one cluster are the same topic with probability ICC, which is their correlation, whatever the scores.
    """
    own = random.integers(0, topics, (draws, len(code)))
    shared = random.integers(0, topics, (draws, code.max() + 1))[:, code]
    return np.where(random.random(own.shape) < alike**0.5, shared, own)


def shapes(data: Path) -> Iterator[tuple[str, Floats]]:
    """Give tables of scores of dl19 and TREC-8: fine, coarse, and 0 or 1."""
    yield "adhoc8_ap", population(data, "adhoc8_ap")
    for name, values in populations(data):
        if name in ("dl19_ndcg10", "dl19_rr"):
            yield name, values
    yield "adhoc8_first, 0 or 1", (population(data, "adhoc8_rr") == 1).astype(np.float64)


def differences(values: Floats, at: Integers, random: np.random.Generator, *, exchanged: bool) -> Floats:
    """Give differences of two runs without a true one, by draw: of equal means, or each topic either way round."""
    rows = np.empty(at.shape)
    for row, places in zip(rows, at, strict=True):
        one, other = values[random.choice(len(values), 2, replace=False)]
        apart = one - other
        row[:] = (np.concatenate([apart, -apart]) if exchanged else apart - of_population(apart))[places]
    return rows


def clustered(data: Path, times: int) -> Iterator[Cell]:
    """Tests and intervals of a difference, and gates, of two runs."""
    for (name, values), size, alike in product(shapes(data), SIZES, ALIKE):
        where, zeros_and_ones = f"{name}, {size}, ICC {alike:g}", name.endswith("1")
        cells: list[Cell] = []
        for many in MANY:
            random, held = np.random.default_rng(11), dict[str, list[Booleans]]()
            for _ in range(_BATCHES):
                code = np.repeat(np.arange(many), sizes_of(size, many, random))
                topics = values.shape[1] * (1 + zeros_and_ones)
                at = conversations(topics, code, alike, 4 * times // _BATCHES, random)
                rows = differences(values, at, random, exchanged=zeros_and_ones)
                for what, right in _of_two(rows, code):
                    held.setdefault(what, []).append(right)
            cells += [
                Cell.of(
                    f"Clusters: {what}",
                    "two runs, no true difference",
                    f"{where}, {many} clusters",
                    np.concatenate(each),
                )
                for what, each in held.items()
            ]
        yield from cells


def _of_two(rows: Floats, code: Integers) -> Iterator[tuple[str, Booleans]]:
    """Say in which rows nothing false is said."""
    units = by_unit(rows, clusters=code)
    paired = Paired(*units)
    low, high = paired.interval(0.95)
    yield "interval of a difference", np.isnan(low) | ((low <= 0) & (high >= 0))
    yield "no false finding by t", paired.p() > 0.05
    if units.weights is None:
        flipped = randomisation_test(units.rows, "two-sided", _RESAMPLES, 7)
    else:
        flipped = weighted_randomisation_test(units.rows, units.weights, "two-sided", _RESAMPLES, 7)
    yield "no false finding by randomisation", flipped.p > 0.05
    told = conclude(Paired(units.rows - 0.02, *units[1:]), 0.02, correction="none").on_judged
    yield "a run that is worse by a gate's margin, .02, does not pass", np.array([each not in PASSING for each in told])


def clustered_ranks(data: Path, times: int) -> Iterator[Cell]:
    """All true ranks within the likely ones, of eight runs of equal means."""
    for (name, values), size, alike in product(list(shapes(data))[:3], SIZES[::2], ALIKE[1:]):
        for many in MANY:
            random, held = np.random.default_rng(12), []
            for seed in range(times // 2):
                code = np.repeat(np.arange(many), sizes_of(size, many, random))
                some = level(values[random.choice(len(values), 8, replace=False)])
                [at] = conversations(values.shape[1], code, alike, 1, random)
                found = rank_intervals(some[:, at], clusters=code, resamples=_RESAMPLES, seed=seed)
                held.append(bool((found.best == 1).all()))
            where = f"{name}, {size}, ICC {alike:g}, {many} clusters"
            yield Cell.of("Clusters: likely ranks of 8 runs, equal means", "cluster bootstrap-t", where, held)

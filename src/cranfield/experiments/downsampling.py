"""Do runs keep their order when fewer documents are judged?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from cranfield.experiments.best_runs import best_runs, left_out
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Booleans, Floats, Integers, places_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Seed, Share
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.rank_correlation import kendall_tau

LEAST_NOT_RELEVANT = 10
"""How many documents of each grade that is not relevant stay in a stratified pool, or all there are."""

Pools: TypeAlias = Literal["stratified", "random", "shallow"]
Kept: TypeAlias = Callable[[float], Booleans]
"""Which judgments stay at a rate or a depth."""


@experiment
def downsampling(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist"),
    *,
    pools: Pools = "stratified",
    rates: tuple[Share, ...] = (0.9, 0.7, 0.5, 0.3, 0.1),
    pool_depths: tuple[Count, ...] = (100, 50, 30, 20, 10, 5),
    repetitions: Count = 100,
    top: Share = 0.75,
    marked: bool = False,
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """How robust is the ranking of the runs when fewer documents are judged?

    Judgments are removed, the same rankings are scored again, and Kendall's τ_b compares the order of the runs by their
    means with the order under all judgments: the closer to 1, the more robust the measure. A document whose judgment is
    removed becomes unjudged. Within a repetition, smaller pools are subsets of larger ones.

    Stratified: the documents of a topic and a grade are put in random order, and of D documents the first max(1, P · D)
    stay (P · D rounded down), and at least 10 (or all) of each non-relevant grade. Random: of the D documents of a
    topic, whatever their grade, the first max(1, P · D) of one random order. Shallow: the documents that some run ranks
    within the pool depth, as if the pool had been made to that depth; nothing is random here.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; all of them contribute to a shallow pool.
    measures
        The measures by which runs are scored.
    pools
        How judgments are removed.
    rates
        Shares of the judgments to keep (stratified and random pools), above 0 and at most 1.
    pool_depths
        Depths of shallow pools, in ranks.
    repetitions
        The number of new random orders of the documents. The standard error of a mean tau falls with its square root:
        with 100 repetitions it was at most .005 at a rate of .9, and at most .022 at .1, on three collections.
    top
        Share of the runs to include, those with the highest mean AP under all judgments.
    marked
        Give documents grade -1, pooled but not judged, instead of removing their judgment: Bpref
        skips both, but infAP, which equals AP without such documents, estimates from them. Twist
        and other measures that compare grades would treat -1 as a separate grade.
    seed
        Seed of the random orders.
    work
        Where progress is shown and kept.

    Tables
    ------
    correlation
        A row for each rate (for shallow pools, each depth) and measure, over the repetitions.
        rate? : number
        depth? : whole number
        measure : text
        tau : number
            The mean over the repetitions; 0 if all runs have the same mean.
        standard_error, sd, least, most : number
            Standard error of that mean, and standard deviation of tau over the repetitions.
        repetitions : whole number
    pools
        Sizes of the pools: means over the repetitions.
        rate? : number
        depth? : whole number
        judged, relevant : number
            Documents per topic.
        topics_without_relevant : number
    repetitions
        A row for each rate, repetition and measure.
        rate? : number
        depth? : whole number
        repetition : whole number
        measure : text
        tau : number
        value : number
            The mean over the runs.

    Side by side
    ------------
    correlation
        measure, rate, depth : row
        tau : value

    Raises
    ------
    InputError
        If a rate or depth is repeated, or fewer than two runs take part.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The twist measure for IR evaluation", section
    "Robustness of Measures to Pool Downsampling", Figure 13; after Buckley and Voorhees (2004).

    Examples
    --------
    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> good, poor = {"1": {"a": 3.0, "b": 2.0}}, {"1": {"b": 3.0, "c": 2.0}}
    >>> found = downsampling(join(qrels, {"good": good, "poor": poor}), "AP", pools="shallow", pool_depths=(1,), top=1)
    >>> found["correlation"].select("depth", "measure", "tau").rows()  # c, at rank 2, is unjudged
    [(1, 'AP', 1.0)]
    >>> found["pools"].rows()
    [(1, 2.0, 1.0, 0.0)]
    """
    name = "depth" if pools == "shallow" else "rate"
    levels = pool_depths if pools == "shallow" else rates
    if not levels or len(set(levels)) < len(levels):
        raise InputError(f"{name}s must be different numbers, not {', '.join(map(str, levels)) or 'none'}")
    taking_part = best_runs(runs, top)
    asked = number_measures(measures)
    full = runs.panel(asked).of_runs(taking_part)
    taken_away = -1.0 if marked else np.nan

    def step(repetition: int) -> pl.DataFrame:
        random = np.random.default_rng([seed, repetition])  # the same whatever ran before
        kept = _pool(runs, pools, random)
        scored = (_scored(runs, asked, kept(level), taken_away, taking_part, full.averages) for level in levels)
        rows = pl.concat(
            of.select(pl.lit(level).alias(name), pl.all()) for level, of in zip(levels, scored, strict=True)
        )
        return rows.with_columns(pl.lit(repetition).alias("repetition"))

    rows = work.steps(range(1 if pools == "shallow" else repetitions), step, in_threads=True)
    sizes = pl.col("judged", "relevant", "topics_without_relevant").mean()
    tables = {
        "correlation": over_repetitions(rows, "tau", [name, "measure"]),
        "pools": rows.group_by(name, maintain_order=True).agg(sizes),
        "repetitions": rows.select(name, "repetition", "measure", "tau", "value"),
    }
    return Outcome(tables, (*left_out(runs, taking_part), *full.notes))


def _pool(runs: JudgedRuns, pools: Pools, random: np.random.Generator) -> Kept:
    """Return what is left of the pool at each rate or depth."""
    if pools == "shallow":
        best = best_rank(runs)
        return lambda depth: best <= depth
    if pools == "random":
        return random_pool(runs.judgments, random)
    return stratified_pool(runs.judgments, random, runs.grading.rel)


def _scored(
    runs: JudgedRuns, measures: list[Measure], kept: Booleans, taken_away: float, taking_part: Booleans, full: Floats
) -> pl.DataFrame:
    """Score the runs under part of the judgments: a row for each measure, with the size of the pool in each.

    Shapes: kept (judgments,); taking_part (runs,); full, the means under all judgments, (measures, runs).
    """
    known = runs.judgments.grade
    grade = np.where(kept | np.isnan(known), known, taken_away)
    panel = runs.panel(measures, grade).of_runs(taking_part)
    relevant = runs.judgments.with_grades(grade).recall_base(runs.grading.rel)
    tau, value = kendall_tau(full, panel.averages), panel.means.mean(axis=1)
    return pl.DataFrame({"measure": list(map(str, measures)), "tau": tau, "value": value}).with_columns(
        judged=pl.lit(kept.sum() / len(relevant)),
        relevant=pl.lit(relevant.mean()),
        topics_without_relevant=pl.lit(float((relevant == 0).sum())),
    )


def over_repetitions(rows: pl.DataFrame, value: str, by: Sequence[str]) -> pl.DataFrame:
    """Average a column over repetitions."""
    each = pl.col(value)
    return rows.group_by(by, maintain_order=True).agg(
        each.mean(),
        standard_error=each.std() / each.len().sqrt(),
        sd=each.std(),
        least=each.min(),
        most=each.max(),
        repetitions=pl.len().cast(pl.Int64),
    )


def stratified_pool(judgments: Judgments, random: np.random.Generator, rel: float | None = None) -> Kept:
    """Sample by topic and grade: of relevant grades at least 1 document stays, of others `LEAST_NOT_RELEVANT`."""
    judged = ~np.isnan(judgments.grade)
    grades, grade = np.unique(judgments.grade[judged], return_inverse=True)
    least = np.where(is_relevant(judgments.grade[judged], rel), 1.0, LEAST_NOT_RELEVANT)
    return _in_random_order(judged, judgments.topic[judged] * len(grades) + grade, least, random)


def random_pool(judgments: Judgments, random: np.random.Generator) -> Kept:
    """Sample the documents of each topic, whatever their grade; at least 1 stays."""
    judged = ~np.isnan(judgments.grade)
    return _in_random_order(judged, judgments.topic[judged], np.ones(judged.sum()), random)


def _in_random_order(judged: Booleans, stratum: Integers, least: Floats, random: np.random.Generator) -> Kept:
    """Keep the first max(least, rate · size) documents of each stratum, rounded down; small pools lie in large ones."""
    place, size = places_within(stratum, random.random(len(stratum))), np.bincount(stratum)[stratum]

    def kept(rate: float) -> Booleans:
        # Rounded first, since 0.29 of 100, 28.999999999999996 in binary, are 29 documents.
        stays = np.zeros(len(judged), bool)
        stays[judged] = place < np.maximum(least, np.floor(np.round(rate * size, 6)))
        return stays

    return kept


def best_rank(runs: JudgedRuns) -> Floats:
    """Return the best rank of each judgment's document in any run (up to k: their pool to depth k); else infinite."""
    best = np.full(len(runs.judgments), np.inf)
    for batch in runs.batches:
        np.minimum.at(best, batch.judgment, batch.rank)
    return np.where(np.isnan(runs.judgments.grade), np.inf, best)

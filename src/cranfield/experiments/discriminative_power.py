"""How many differences between systems a measure finds significant."""

from __future__ import annotations

from math import isfinite
from typing import Literal, TypeAlias

import numpy as np

from cranfield.experiments.best_runs import best_runs, left_out, that_rank_nothing
from cranfield.experiments.declared import Row, Rows, pair_columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Level, Seed, Share
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.bootstrap import discriminate
from cranfield.statistics.conclusions import significant
from cranfield.statistics.differences import differences
from cranfield.statistics.on_paper import side
from cranfield.statistics.paired_tests import paired_test
from cranfield.statistics.tukey import randomised_tukey_hsd

Test: TypeAlias = Literal["bootstrap", "randomised-tukey", "t", "wilcoxon", "randomisation"]


@experiment
def discriminative_power(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist"),
    *,
    test: Test = "bootstrap",
    alphas: tuple[Level, ...] = (0.05, 0.01),
    resamples: Count = 1000,
    top: Share = 0.75,
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """Which measure finds the most pairs of runs significantly different?

    Every pair of runs is tested for a difference of means over the topics. The achieved significance level (ASL) of a
    pair is the p-value of its test; the discriminative power of a measure is the share of pairs with ASL ≤ alpha. The
    ASL curve lists the pairs in falling order of ASL; the more pairs a measure separates, the further left it lies.

    For the bootstrap test, delta is the difference that suffices for significance: for each pair the |mean difference|
    at the (alpha · resamples)-th place of its bootstrap distribution, and the largest of these over all pairs. One
    unusual pair determines it, so it may even be larger for a larger alpha. For the randomised Tukey test, delta is the
    critical difference of the test. The other tests treat each pair separately and have no delta. All measures share
    the same resampled topics.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        The measures to compare.
    test
        The paired test: Sakai's studentised bootstrap, Tukey's test of all pairs at once by randomisation, or Student's
        t, Wilcoxon's or the randomisation test for each pair, all two-sided.
    alphas
        Significance levels, each between 0 and 1.
    resamples
        The number of resamples of topics, systems or signs.
    top
        Share of the runs to include, those with the highest mean AP; 1 includes all.
    seed
        Seed of the resampling.

    Tables
    ------
    power
        A row for each measure and level.
        measure : text
        alpha : number
        pairs, significant : whole number
            The number of pairs of runs, and how many of them have ASL ≤ alpha.
        share : number
        delta : number
            The difference that suffices; null for tests without one.
    asl
        The curves.
        measure : text
        place : whole number
            From 1, the hardest pair to separate first.
        asl : number
    pairs
        A row for each measure and pair of runs.
        measure, run_a, run_b : text
        difference : number
            Difference of the means, as defined by the measure.
        asl : number

    Side by side
    ------------
    power
        measure, alpha : row
        share, delta : value

    Raises
    ------
    InputError
        If an option is out of its range, or there are fewer than two topics.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The twist measure for IR evaluation", Figure 14;
    Sakai (2006), "Evaluating evaluation metrics based on the bootstrap", SIGIR, section 3.

    Examples
    --------
    RR is 1 for one run and 1/2 or 1/3 for the other. No sample of the topics makes that a coincidence:

    >>> from cranfield import join
    >>> good = {t: {"a": 3.0, "x": 2.0} for t in "12345678"}
    >>> poor = {t: {"x": 3.0, "y": 1.5, "a": 1.0 + (t in "1234")} for t in "12345678"}
    >>> runs = join({t: {"a": 1} for t in "12345678"}, {"good": good, "poor": poor})
    >>> found = discriminative_power(runs, ["RR"], test="t", alphas=(0.05,), top=1.0)
    >>> found["power"].rows()
    [('RR', 0.05, 1, 1, 1.0, None)]
    """
    kept = best_runs(runs, top)
    panel = runs.panel(number_measures(measures)).of_runs(kept)

    def do(step: int) -> pl.DataFrame:
        values = panel.values[step]
        asl, deltas = _tested(values, test, alphas, resamples, seed)
        apart = panel.direction[step] * differences(values.mean(axis=1))
        by_pair = {"difference": [apart.tolist()], "asl": [asl.tolist()]}
        delta = pl.Series("delta", [deltas], dtype=pl.List(pl.Float64))
        return pl.DataFrame({"measure": [panel.measures[step]], **by_pair}).with_columns(delta)

    both = pair_columns(panel.runs)
    found = work.steps(range(len(panel.measures)), do, in_threads=True)
    tables: dict[str, Rows] = {
        "power": _power(found, alphas),
        "asl": found.select("measure", pl.col("asl").list.sort(descending=True))
        .explode("asl")
        .select("measure", pl.int_range(1, pl.len() + 1).over("measure").alias("place"), "asl"),
        "pairs": found.with_columns(pl.Series(side, [names] * len(found)) for side, names in both.items())
        .explode(*both, "difference", "asl")
        .select("measure", *both, "difference", "asl"),
    }
    return Outcome(tables, (*left_out(runs, kept), *panel.notes, *that_rank_nothing(panel.measures, panel.averages)))


def _tested(
    values: Floats, test: Test, alphas: tuple[float, ...], resamples: int, seed: int
) -> tuple[Floats, list[float | None]]:
    """Give the ASL of each pair of runs, and delta for each alpha, for scores of shape (runs, topics)."""
    if test == "randomised-tukey":
        tukey = randomised_tukey_hsd(values, resamples=resamples, seed=seed)
        return tukey.p, [delta if isfinite(delta) else None for delta in map(tukey.critical, alphas)]
    by_topic = differences(values.T).T
    if test == "bootstrap" and side(by_topic).any():  # of runs that are equal on every topic no difference suffices
        levels, deltas = discriminate(by_topic, resamples=resamples, seed=seed, alphas=alphas)
        return levels, deltas.max(axis=0).tolist()
    return paired_test(by_topic, test, resamples=resamples, seed=seed).p, [None] * len(alphas)


def _power(found: pl.DataFrame, alphas: tuple[float, ...]) -> Rows:
    rows = list[Row]()
    for measure, asl, deltas in found.select("measure", "asl", "delta").iter_rows():
        for alpha, delta in zip(alphas, deltas, strict=True):
            many = int(significant(np.array(asl), alpha).sum())
            rows.append((measure, alpha, len(asl), many, many / len(asl), delta))
    return rows

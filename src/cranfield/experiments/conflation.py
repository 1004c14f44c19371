"""Do two measures part because of the grades?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, combinations, product

import numpy as np

from cranfield.experiments.best_runs import correlated_runs, left_out
from cranfield.experiments.declared import Row, Rows
from cranfield.experiments.experiment import Outcome, experiment, several_measures
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import CorrelationKind, Count, Level, Seed, Share
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel
from cranfield.selection.conflation import conflated
from cranfield.statistics.rank_correlation import correlation_matrix, difference_of, interval, resampled_correlations

_MOST_GRADES = 7  # Two grades have two conflations; each further grade doubles the number


@experiment
def conflation(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "nDCG(base=10)"),
    *,
    kind: CorrelationKind = "tau_b",
    top: Share = 0.75,
    resamples: Count = 1000,
    level: Level = 0.95,
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """Do more grades make measures disagree?

    The grades of the judgments are conflated in every way that keeps their order: neighbouring
    grades are merged, the lowest ones possibly into not relevant, and the rest are numbered 1, 2,
    ... Under each conflation the runs are ranked by each measure's means over topics, and the
    rankings are correlated pair by pair. Only the grades change: runs, topics and documents, which
    differ between collections, stay the same.

    If the lowest relevant grade stays, a binary measure does not change, and any effect is due to
    the graded one; if it rises, both change. The difference from the original grades has an
    interval and a p by resampling topics, with the same samples for all conflations.

    Parameters
    ----------
    runs
        The runs, joined with the judgments without a relevance level.
    measures
        Two measures or more.
    kind
        The correlation: Kendall's τ_b or τ_a, τ_AP, Spearman's rho, or Pearson's r.
    top
        The share of runs to include, those with the highest mean AP under the original grades; 1 for all.
    resamples
        The number of bootstrap samples of topics.
    level
        Level of the intervals, between 0 and 1.
    seed
        Seed of the samples.
    work
        Where progress is shown and kept: a step for each conflation.

    Tables
    ------
    degrees
        A row for each number of degrees and each pair of measures, over the conflations.
        degrees : whole number
            How many grades are distinguished, including not relevant.
        measure_a, measure_b : text
        conflations : whole number
        least, mean, most : number
            Of the correlations.
    conflations
        A row for each conflation and each pair of measures.
        conflation : text
            ``0,1 | 2 | 3``: grade 1 is not relevant, 2 is 1, and 3 is 2.
        degrees : whole number
        lowest_relevant : number
            The lowest grade that is relevant.
        measure_a, measure_b : text
        correlation : number
            Between the runs' means by the two measures.
        low, high : number
            Ends of its interval.
        difference : number
            How much larger it is than with the original grades.
        difference_low, difference_high : number
            Ends of its interval.
        p : number
            Two-sided, of the paired bootstrap over topics; not corrected for the number of rows.

    Side by side
    ------------
    degrees
        measure_a, measure_b, degrees : row
        least, mean, most : value

    Raises
    ------
    InputError
        If fewer than two measures or three runs remain, there are too many grades, or the runs were
        joined with a relevance level.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The twist measure for IR
    evaluation: taking user's effort into account", JASIST 67(3), Table 3 and the text on TREC 21.

    Examples
    --------
    AP ignores which relevant document comes first; nDCG does not, if their grades differ:

    >>> from cranfield import join
    >>> lists = {"good": "abx", "fair": "bax", "poor": "bxa", "lost": "xba"}
    >>> runs = join({"1": {"a": 2, "b": 1}}, {name: {"1": list(found)} for name, found in lists.items()})
    >>> found = conflation(runs, ("AP", "nDCG"), top=1)["conflations"]
    >>> found.select("conflation", "degrees", "correlation").rows()  # doctest: +NORMALIZE_WHITESPACE
    [('0,1 | 2', 2, 1.0), ('0 | 1,2', 2, 1.0), ('0 | 1 | 2', 3, 0.91...)]
    """
    asked = several_measures(measures)
    if runs.grading.rel is not None:
        raise InputError("this experiment varies which grades are relevant; omit the relevance level")
    kept = correlated_runs(runs, top)
    judged = runs.judgments.grade
    grades = np.unique(judged[judged > 0]).tolist()
    if not 0 < len(grades) <= _MOST_GRADES:
        raise InputError(f"{len(grades)} relevant grades are not supported; give 1 to {_MOST_GRADES}")
    ways = sorted(_ways(grades), key=lambda way: (max(way.values()), -sum(grade == 0 for grade in way.values())))

    def ranked(way: Mapping[float, int]) -> tuple[Panel, Floats]:
        panel = conflated(runs, way).panel(asked).of_runs(kept)
        return panel, correlation_matrix(panel.averages, kind)

    def drawn(panel: Panel) -> Floats:
        return resampled_correlations(panel.values, kind, resamples=resamples, seed=seed)

    finest, usual = ranked(ways[-1])
    of_finest = cache(lambda: drawn(finest))  # not drawn at all where every step was kept

    def do(step: int) -> Rows:
        way = ways[step]
        panel, matrix = ranked(way)
        lowest = min(grade for grade, becomes in way.items() if becomes)
        every = drawn(panel)
        rows = list[Row]()
        for a, b in combinations(range(len(asked)), 2):
            here = every[a, b]
            apart = difference_of(matrix[a, b] - usual[a, b], here, of_finest()[a, b], level)
            named = (_written(way), max(way.values()) + 1, lowest, panel.measures[a], panel.measures[b])
            rows.append((*named, matrix[a, b], *interval(matrix[a, b], here, level), *apart))
        return rows

    found = work.table("conflations", range(len(ways)), do)
    correlation = pl.col("correlation")
    by_degrees = found.group_by("degrees", "measure_a", "measure_b", maintain_order=True).agg(
        conflations=pl.len(), least=correlation.min(), mean=correlation.mean(), most=correlation.max()
    )
    alone = ("only one grade is relevant, so there is nothing to conflate",) if len(grades) == 1 else ()
    return Outcome({"degrees": by_degrees, "conflations": found}, (*left_out(runs, kept), *finest.notes, *alone))


def _ways(grades: Sequence[float]) -> Iterator[dict[float, int]]:
    """Yield every conflation as a mapping from old to new grades; the order of grades is kept."""
    for below in range(len(grades)):
        for steps in product((0, 1), repeat=len(grades) - below - 1):
            yield dict(zip(grades, [0] * below + list(accumulate((1, *steps))), strict=True))


def _written(way: Mapping[float, int]) -> str:
    """Write a conflation as groups of grades, such as ``0,1 | 2,3``."""
    groups = [[grade for grade, becomes in way.items() if becomes == group] for group in range(max(way.values()) + 1)]
    return " | ".join(",".join(f"{grade:g}" for grade in group) for group in [[0.0, *groups[0]], *groups[1:]])

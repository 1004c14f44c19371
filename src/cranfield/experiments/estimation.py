"""How large differences from a baseline are, and how certain: what an estimation plot shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.experiments.best_runs import baseline_of
from cranfield.experiments.declared import Columns, Row, Rows, long_columns, stacked
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.options import Count, Level, Seed
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.conclusions import Paired
from cranfield.statistics.differences import check_choices, checked, standard_deviations
from cranfield.statistics.intervals import within

BINS = 40
"""The number of bins of the distribution of a mean difference."""


@experiment
def estimation(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP",),
    *,
    baseline: str = "",
    level: Level = 0.95,
    resamples: Count = 2000,
    seed: Seed = 7,
) -> Outcome:
    """How much better is each run than a baseline, by topic and on average, and how certain is that?

    A run's difference from the baseline is the mean of its per-topic differences; both share the topics. Its interval
    is Student's t: mean ± t · s / √n. The distribution shows the mean difference over topics resampled with
    replacement: how far other topics of the same kind could move it. Differences are in the unit of the measure; for a
    geometric mean, they are differences of logarithms. Missing topics count 0.

    An interval holds for one run at a time. On real scores with 10 to 50 topics, 92 to 95 of 100 such 95%
     intervals covered the difference (page on calibration). For significance corrected for many runs,
    use `compare`.

    Parameters
    ----------
    runs
        The runs, joined with the judgments: two or more.
    measures
        The measures by which runs are scored.
    baseline
        The run to compare the others with; by default, the first.
    level
        Level of the intervals, between 0 and 1.
    resamples
        The number of bootstrap samples of topics for the distribution.
    seed
        Seed of these samples.

    Tables
    ------
    differences
        A row for each measure and each run except the baseline, the best first.
        measure, run, baseline : text
        mean, baseline_mean : number
        difference : number
            The run minus the baseline.
        low, high : number
            The ends of its interval; null for a single topic.
        better : whole number
            The number of topics on which the run is better.
        worse : whole number
            The number on which it is worse.
    topics
        A row for each measure, run (the baseline first, then the best) and topic.
        measure, run, topic : text
        value : number
            For a geometric mean, the logarithm.
    distribution
        A row for each measure, run and bin of its resampled mean differences; a single bin from and to the same
        value if all samples are equal.
        measure, run : text
        from, to : number
        share : number
            Of the resamples.

    Side by side
    ------------
    differences
        measure, run : row
        difference, low, high : value

    Raises
    ------
    InputError
        If there is only one run, no run has the baseline's name, or an option is out of range.

    Paper: Gardner and Altman (1986), "Confidence intervals rather than P values: estimation rather than
    hypothesis testing", BMJ 292; Cumming (2012), "Understanding the new statistics", for several runs; Ho,
    Tumkaya, Aryal, Choi and Claridge-Chang (2019), "Moving beyond P values: data analysis with estimation
    graphics", Nature Methods 16, for the distribution.

    Examples
    --------
    RR is 1/2 on every topic for the baseline, and 1, 1 and 1/2 for the other: by 1/3 on average, ± t · s/√3
    with t = 4.30 for 2 degrees of freedom and s = √(1/12); no difference of RR is above 1.

    >>> from cranfield import join
    >>> base = {t: {"x": 2.0, "a": 1.0} for t in "123"}
    >>> other = {**base, "1": {"a": 1.0}, "2": {"a": 1.0}}
    >>> found = estimation(join({t: {"a": 1} for t in "123"}, {"base": base, "other": other}), "RR")
    >>> found["differences"].select("run", "difference", "low", "high", "better", "worse").rows()
    [('other', 0.333..., -0.383..., 1.0, 2, 0)]
    """
    panel = runs.panel(number_measures(measures))
    place, others = baseline_of(panel, baseline)
    check_choices("two-sided", resamples)
    topics = len(panel.topics)
    counts = resample_counts(topics, resamples, seed) if topics > 1 else np.zeros((0, 1))
    found = [_of_measure(panel, m, place, others, counts, level) for m in range(len(panel.measures))]
    tables: dict[str, Rows] = {
        "differences": stacked([differences for differences, _, _ in found]),
        "topics": stacked([by_topic for _, by_topic, _ in found]),
        "distribution": [row for _, _, parts in found for row in parts],
    }
    return Outcome(tables, panel.notes)


def _of_measure(
    panel: Panel, m: int, place: int, others: Sequence[int], counts: Floats, level: float
) -> tuple[Columns, Columns, list[Row]]:
    """Return what is in all three tables, for one measure."""
    direction, topics = panel.direction[m], len(panel.topics)
    rows = checked(panel.values[m, others] - panel.values[m, place], fewest=1)  # more is better
    order = best_first(rows.mean(axis=1))
    better, rows = rows[order], direction * rows[order] + 0.0
    kept = [others[i] for i in order]
    ends = Paired(rows).interval(level) if topics > 1 else np.full((2, len(kept)), np.nan)
    low, high = within(ends, panel.ends[m], differences=True)
    names = [panel.runs[run] for run in kept]
    differences: Columns = {
        "measure": panel.measures[m],
        "run": names,
        "baseline": panel.runs[place],
        "mean": panel.means[m, kept],
        "baseline_mean": float(panel.means[m, place]),
        "difference": rows.mean(axis=1),
        "low": low,
        "high": high,
        "better": (better > 0).sum(axis=1),
        "worse": (better < 0).sum(axis=1),
    }
    by_topic = long_columns(
        {"measure": [panel.measures[m]], "run": [panel.runs[place], *names], "topic": panel.topics},
        value=direction * panel.values[m, [place, *kept]] + 0.0,
    )
    return differences, by_topic, [(panel.measures[m], *part) for part in _parts(names, rows, counts)]


def _parts(names: Sequence[str], rows: Floats, counts: Floats) -> Iterator[tuple[str, float, float, float]]:
    """Bin the distribution of each run's mean difference over the resampled topics."""
    constant = standard_deviations(rows) == 0 if len(counts) else np.ones(len(rows), bool)
    for name, row, same in zip(names, rows, constant, strict=True):
        if same:
            yield name, float(row[0]), float(row[0]), 1.0
            continue
        shares, edges = np.histogram(counts @ row / len(row), BINS)
        for share, start, end in zip(shares / len(counts), edges, edges[1:], strict=False):
            yield name, float(start), float(end), float(share)

"""How many topics should the next collection have? By a pilot: scores of some runs on some topics."""

from __future__ import annotations

import math

import numpy as np

from cranfield.comparison.methods import TESTS
from cranfield.formats.score_tables import ScoresLike
from cranfield.formats.unmet import settled
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike, Naming
from cranfield.plumbing.options import Folds, Level, Positive, Topics, checked
from cranfield.plumbing.wording import counted
from cranfield.results.result import OneTable
from cranfield.scoring.clusters import Clusters, ClustersLike, topics_in
from cranfield.scoring.panel import Panel, panel_of
from cranfield.scoring.scores import Scores
from cranfield.statistics.anova import anova
from cranfield.statistics.differences import pairs
from cranfield.statistics.power import MOST_TOPICS, topics_needed
from cranfield.statistics.topic_set_size import topics_for_anova, topics_for_interval
from cranfield.statistics.usual import NOT_RUN, TEST


def plan_topics(
    pilot: Scores | ScoresLike,
    difference: float,
    *,
    systems: int | None = None,
    width: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    topics: Topics | None = None,
    clusters: ClustersLike | Clusters | None = None,
    columns: NamesLike | None = None,
    not_run: float = NOT_RUN,
) -> OneTable:
    """How many topics are needed to detect a difference of this size, by each measure of a pilot?

    Parameters
    ----------
    pilot
        The result of `evaluate`, or a long table with run, topic, measure and value: at least two
        runs on at least two topics.
    difference
        The mean difference to detect, in the unit of the measures (for geometric means, of
        logarithms).
    systems
        The number of runs in the analysis of variance; by default, as in the pilot.
    width
        On average, the width of the confidence interval of a difference, from end to end; by default
        twice the difference. The width varies with the sample: nearly half of all samples give a
        wider interval.
    power, alpha
        The probability of detecting the difference, and the significance level.
    topics
        As in `compare_scores`.
    clusters
        The cluster of each topic of the pilot, as in `compare`: more topics are then more clusters like these, of their
        mean size.
    columns
        What the columns of the clusters' table are called: ``{"cluster": "conversation"}``.
    not_run
        As in `compare_scores`: a run that lacks at least this share of the topics is left out and named.

    Returns
    -------
    OneTable
        A row for each measure: its variances in the pilot, ``variance`` of a run over topics (the
        error of the one-way analysis, in which hard topics count), and ``variance_of_differences``
        of two runs (twice that of the two-way one, in which they do not; the mean over all pairs);
        and how many topics it takes (null where no number would do) for a paired t-test of two runs
        (``t``), for a one-way analysis of variance of all (``anova``; difference is then that of the
        best and the worst, all others half-way between), and for the interval (``interval``). With clusters
        ``variance_of_differences`` is that of as many independent topics (the design effect, ``design_effect``, times
        the former), ``clusters`` is how many clusters the topics for ``t`` are, and ``anova``, which takes topics for
        independent, is null.

    Raises
    ------
    InputError
        If there are fewer than two runs or topics, or an option is out of range.

    Paper: Sakai (2016), "Topic set size design", Information Retrieval Journal 19, section 3. The
    paper uses twice the variance of a run for that of differences, which overestimates it when
    topics are hard for all runs, as they usually are.

    Examples
    --------
    Differences of 0 and 0.2 on every other topic have a variance of 0.01 · 4/3. Runs have variances of
    0.13 / 3 and 0.05 / 3, 0.03 in the mean.

    >>> rows = [(run, str(t), "AP", 0.1 * t + 0.2 * (run == "x") * (t % 2)) for run in "xy" for t in range(4)]
    >>> pilot = pl.DataFrame(rows, schema=["run", "topic", "measure", "value"], orient="row")
    >>> print(plan_topics(pilot, difference=0.1))
    Topics needed to detect a difference of 0.1, from a pilot of 2 runs on 4 topics: paired
      t-test and one-way ANOVA of 2 runs (alpha = 0.05, power = 0.8); interval of expected width
      0.2 (level 0.95)
    measure  variance  variance_of_differences   t  anova  interval
    AP         0.0300                   0.0133  13     49         8
    """
    difference = checked("difference", difference, Positive)
    width = checked("width", 2 * difference if width is None else width, Positive)
    power, alpha = checked("power", power, Level), checked("alpha", alpha, Level)
    panel = panel_of(pilot, topics, not_run=not_run)
    panel.refuse_none()
    if len(panel.runs) < 2 or len(panel.topics) < 2:
        raise InputError(
            f"a pilot needs at least two runs and two topics; there are {len(panel.runs)} and {len(panel.topics)}"
        )
    systems = checked("systems", len(panel.runs) if systems is None else systems, Folds)
    naming = settled(Naming.of(columns), clusters)
    panel = panel.drawn_in(None if clusters is None else Clusters.taken(clusters, naming))
    size = len(panel.topics) / panel.units
    rows = []
    for measure, values in zip(panel.measures, panel.values, strict=True):
        found = anova(values)
        variance = (found.ss_topics + found.ss_residual) / (found.systems * found.df_topics)  # of a run's scores
        of_differences = 2 * found.mean_square_error
        of_units = of_differences if panel.clusters is None else _of_clusters(values, panel)
        effect = difference / np.sqrt(of_units) if of_units else np.inf
        t, interval = int(topics_needed(effect, power, alpha)), 2
        if of_units:
            interval = topics_for_interval(width, of_units, alpha=alpha)
        of_all = None
        if panel.clusters is None:
            of_all = topics_for_anova(difference, systems, variance, power=power, alpha=alpha) if variance else 2
        needed = [n if n is not None and n < MOST_TOPICS else None for n in (t, of_all, interval)]
        in_topics = (n and math.ceil(n * size) for n in needed)
        effect_of_design = size * of_units / of_differences if of_differences else None
        rows.append((measure, variance, size * of_units, *in_topics, effect_of_design, needed[0]))
    schema = {"measure": pl.String, "variance": pl.Float64, "variance_of_differences": pl.Float64}
    schema |= dict.fromkeys(("t", "anova", "interval"), pl.Int64)
    schema |= {"design_effect": pl.Float64, "clusters": pl.Int64}
    tests = f"paired t-test and one-way ANOVA of {counted(systems, 'run')}"
    tests = tests if panel.clusters is None else TESTS[TEST].of_clusters
    says = (
        f"Topics needed to detect a difference of {difference:g}, from a pilot of {counted(len(panel.runs), 'run')} on "
        f"{topics_in(len(panel.topics), panel.clustered)}: {tests} (alpha = {alpha:g}, power = {power:g}); interval of "
        f"expected width {width:g} (level {1 - alpha:g})"
    )
    notes, many = (*panel.like_clusters, *panel.notes), panel.units
    if many < 25:  # a variance of few topics, or clusters, is itself uncertain
        rough = f"variances over {counted(many, panel.unit)} are rough: {many} others could double or halve the numbers"
        notes = (rough, *notes)
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return OneTable(table.drop("design_effect", "clusters") if panel.clusters is None else table, says, notes)


def _of_clusters(values: Floats, panel: Panel) -> float:
    """Return the variance of the mean difference, over clusters, times their number: the mean over all pairs."""
    first, second = pairs(len(values))
    spread, many = panel.by_unit(values[first] - values[second]).spread
    return float((spread**2).mean() / many * panel.units)

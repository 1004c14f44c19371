"""Does a measure predict an outcome?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cranfield.experiments.declared import Columns, Rows, long_columns, pair_columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.outcome_tables import OutcomesLike, outcomes_of
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import CorrelationKind, Count, Level, Seed
from cranfield.plumbing.wording import counted
from cranfield.results.sheet import listed
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.bootstrap import resample_counts
from cranfield.statistics.conclusions import excludes_0
from cranfield.statistics.concordance import concordance, mean_of_shares
from cranfield.statistics.correlation_vectors import correlation, is_constant
from cranfield.statistics.differences import differences, pairs
from cranfield.statistics.multiple_comparisons import simultaneous_intervals
from cranfield.statistics.on_paper import side
from cranfield.statistics.rank_correlation import difference_of, interval

NO_BETTER = 0.5
"""The concordance of a measure that predicts no better than a coin."""
FEWEST_RUNS = 3
"""Two runs are in one order or the other, which says little of a measure."""
_APART = (
    *("difference", "low", "high", "p"),
    *("correlation_difference", "correlation_low", "correlation_high", "correlation_p"),
)
"""What is known of two measures."""
ENOUGH_RUNS, ENOUGH_TOPICS = 4, 20
"""Of fewer, intervals of correlations did not hold: the page on outcomes has figures."""


@experiment
def outcome(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "nDCG@10", "RR", "P@10", "R@100"),
    *,
    outcomes: OutcomesLike | None = None,
    kind: CorrelationKind = "tau_b",
    resamples: Count = 1000,
    level: Level = 0.95,
    seed: Seed = 7,
) -> Outcome:
    """Does the measure predict an outcome, such as a correct answer or a purchase?

    An outcome is a number for a run on a topic, higher being better: 1 or 0, a rating, an amount.
    It is compared with the measure in two ways.

    Within topics: of two runs whose outcomes on a topic differ, how often does the run with the better outcome have the
    better value, counting a tie as half? This concordance (the area under the ROC curve if outcomes are 0 or 1) is
    computed on each topic and averaged over the topics with differing outcomes. 0.5 is no better than a coin. Topic
    difficulty does not affect it. A topic on which the measure is the same for all runs counts 0.5: there it predicts
    nothing. The interval is for the average over all such topics, for these runs.

    Over runs: do runs with higher means have better mean outcomes? Both means are over the topics on which all these
    runs have an outcome, and are correlated. The interval is for the average of that correlation over collections of as
    many such topics, for these runs. With unlimited topics it would be higher; these topics cannot tell by how much.

    Measures are compared in pairs on the same topics, with intervals that hold for all pairs at once. One measure
    predicts better than another if that interval excludes 0; otherwise the comparison is undecided.

    Topics are not pooled: topics that are easy for every run would make any measure appear to predict.

    Parameters
    ----------
    runs
        The runs, joined with the judgments. Topics missing from a run count 0, or as empty lists if joined
        with ``missing="empty"``.
    measures
        The measures; if lower is better, the lower value is the better one.
    outcomes
        A table of run, topic and value (csv, tabs, json, parquet); in Python also a DataFrame or
        {run: {topic: value}}. Values are numbers, or true and false.
    kind
        The correlation over runs: Kendall's τ_b or τ_a, τ_AP (the measure estimates the outcome),
        Spearman's rho, or Pearson's r of the means themselves.
    resamples
        The number of bootstrap samples of topics, for intervals of correlations and of differences.
    level
        Level of the intervals, between 0 and 1.
    seed
        Seed of the samples.

    Tables
    ------
    association
        A row for each measure.
        measure : text
        concordance, low, high : number
            Within topics, and the ends of its interval; none for a single topic.
        topics : whole number
            The number of topics on which outcomes differ.
        flat : whole number
            The number of these topics on which the measure is the same for all runs with an outcome.
        correlation, correlation_low, correlation_high : number
            Over runs; null for fewer than three runs, or if all have the same mean outcome. Its
            interval needs four runs and twenty topics.
        runs : whole number
            The number of runs with outcomes.
        common : whole number
            The number of topics on which all of them have one.
    differences
        A row for each pair of measures.
        measure_a, measure_b : text
        difference, low, high : number
            Concordance of a minus that of b, and the ends of an interval that holds for all pairs at
            once; null if the two differ on too few topics, fewer than ten or half of them.
        p : number
            Two-sided, corrected for all pairs.
        correlation_difference, correlation_low, correlation_high : number
            Difference of the correlations over runs; each interval at Bonferroni's level, so that all hold at once.
        correlation_p : number
            Two-sided, corrected for all pairs by Bonferroni.
    topics
        A row for each measure and topic.
        measure, topic : text
        runs : whole number
            The number of runs with an outcome.
        pairs : whole number
            The number of pairs of them that differ in outcome.
        concordance : number
            Null if no outcomes differ.
    runs
        A row for each run and measure: the correlated means.
        run, measure : text
        mean : number
            Over the topics on which all runs have an outcome, as defined by the measure.
        outcome : number
            The mean outcome there.

    Side by side
    ------------
    association
        measure : row
        concordance : value
        correlation : value

    Raises
    ------
    InputError
        If there are no outcomes, they share no run or topic with the runs, or no two runs differ in
        outcome on any topic.

    Paper: A. Turpin, F. Scholer (2006), "User performance versus precision measures for simple search
    tasks", SIGIR, for the question; Harrell, Califf, Pryor, Lee and Rosati (1982), "Evaluating the
    yield of medical tests", JAMA 247(18), for the concordance.

    Examples
    --------
    On topic 1 the run that finds the document first is the one that answers; on topic 2 both answer,
    which tells nothing; on topic 3 RR ties them.

    >>> from cranfield import join
    >>> one = {"1": {"a": 2.0, "x": 1.0}, "2": {"a": 1.0}, "3": {"a": 2.0, "b": 1.0}}
    >>> two = {"1": {"x": 2.0, "a": 1.0}, "2": {"a": 1.0}, "3": {"a": 2.0, "x": 1.0}}
    >>> runs = join({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1, "b": 1}}, {"one": one, "two": two})
    >>> right = {"one": {"1": 1, "2": 1, "3": 1}, "two": {"1": 0, "2": 1, "3": 0}}
    >>> found = outcome(runs, ["RR", "AP"], outcomes=right)
    >>> found["association"].select("measure", "concordance", "topics", "flat").rows()
    [('RR', 0.75, 2, 1), ('AP', 1.0, 2, 0)]
    """
    asked = number_measures(measures)
    if outcomes is None:
        raise InputError("no outcomes given; pass outcomes= a table of run, topic and value")
    panel = runs.panel(asked)
    given = outcomes_of(outcomes, panel.runs, panel.topics)
    if len(given.runs) < 2:
        only = panel.runs[given.runs[0]]
        raise InputError(f"only one run has outcomes, {only!r}; at least two runs are needed on each topic")
    values = panel.values[:, given.runs][:, :, given.topics]
    study = Associations(panel.measures, values, given.values, kind, resamples, level, seed)
    if not study.differ.any():
        about = f"{counted(len(given.runs), 'run')} on {counted(len(given.topics), 'topic')}"
        raise InputError(f"no two runs differ in outcome on any topic, so there is nothing to predict ({about})")
    ids, names = [panel.topics[i] for i in given.topics], [panel.runs[i] for i in given.runs]
    common = int(study.complete.sum())
    tables: dict[str, Rows] = {
        "association": study.association(),
        "differences": pair_columns(panel.measures, "measure") | dict(zip(_APART, study.apart, strict=True)),
        "topics": long_columns(
            {"measure": panel.measures, "topic": ids},
            runs=np.tile(np.isfinite(given.values).sum(axis=0), len(asked)),
            pairs=np.tile(study.pairs, len(asked)),
            concordance=study.by_topic,
        ),
        "runs": long_columns(
            {"run": names, "measure": panel.measures},
            mean=(panel.as_measured(study.means[0]) if common else study.means[0]).T,
            outcome=np.repeat(study.means[1], len(asked)),
        ),
    }
    return Outcome(tables, (*given.notes, *panel.notes, *study.notes()))


@dataclass(frozen=True, eq=False)
class Associations:
    """Values of shape (measures, runs, topics) and outcomes of shape (runs, topics), NaN where there is none."""

    measures: Sequence[str]
    values: Floats
    outcomes: Floats
    kind: CorrelationKind
    resamples: int
    level: float
    seed: int

    @cached_property
    def _concordance(self) -> tuple[Floats, Integers]:
        return concordance(self.values.transpose(0, 2, 1), self.outcomes.T)

    @property
    def by_topic(self) -> Floats:
        """Array of shape (measures, topics): NaN where no outcomes differ."""
        return self._concordance[0]

    @property
    def pairs(self) -> Integers:
        """For each topic, how many pairs of runs differ in outcome."""
        return self._concordance[1]

    @property
    def differ(self) -> Booleans:
        """Whether any outcomes differ on a topic."""
        return self.pairs > 0

    @cached_property
    def complete(self) -> Booleans:
        """Whether all runs have an outcome on a topic: others would compare runs on topics of their own."""
        return np.asarray(np.isfinite(self.outcomes).all(axis=0))

    @cached_property
    def means(self) -> tuple[Floats, Floats]:
        """The runs' means over these topics, of shape (measures, runs), and their mean outcomes; NaN without topics."""
        return self._means(self.complete[np.newaxis].astype(np.float64), drawn=False)

    def _means(self, counts: Floats, *, drawn: bool = True) -> tuple[Floats, Floats]:
        """Weigh the topics by how often they are drawn: arrays (measures, draws, runs) and (draws, runs)."""
        topics = counts.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            x = counts @ self.values.transpose(0, 2, 1) / topics
            y = counts @ np.nan_to_num(self.outcomes).T / topics
        return (x, y) if drawn else (x[:, 0], y[0])

    @cached_property
    def ordered(self) -> bool:
        """Whether there is an order of the runs to be predicted."""
        enough = len(self.outcomes) >= FEWEST_RUNS and bool(self.complete.any())
        return enough and not bool(is_constant(self.means[1]))

    @cached_property
    def correlations(self) -> Floats:
        """Of the runs' means with their mean outcomes, a number for each measure; NaN if there is no order."""
        x, y = self.means
        return correlation(self.kind, x, y) if self.ordered else np.full(len(x), np.nan)

    @cached_property
    def drawn(self) -> Floats | None:
        """The same over topics drawn again, of shape (measures, draws); None where intervals would not hold."""
        places = np.flatnonzero(self.complete)
        if not self.ordered or len(self.outcomes) < ENOUGH_RUNS or len(places) < ENOUGH_TOPICS:
            return None
        counts = np.zeros((self.resamples, len(self.complete)))
        counts[:, places] = resample_counts(len(places), self.resamples, self.seed)
        x, y = self._means(counts)
        return correlation(self.kind, x, y)

    @cached_property
    def within(self) -> tuple[Floats, Floats, Floats]:
        """The mean concordance of each measure, and the ends of its interval."""
        return mean_of_shares(self.by_topic[:, self.differ], self.level)

    def association(self) -> Columns:
        """Return the columns of the first table."""
        mean, low, high = self.within
        there = np.where(np.isnan(self.outcomes), np.nan, self.values)[:, :, self.differ]
        flat = side(np.nanmax(there, axis=1) - np.nanmin(there, axis=1)) == 0
        limits = np.full((len(mean), 2), np.nan)
        if self.drawn is not None:
            limits[:] = [interval(*of, self.level) for of in zip(self.correlations, self.drawn, strict=True)]
        return {
            "measure": list(self.measures),
            "concordance": mean,
            "low": low,
            "high": high,
            "topics": int(self.differ.sum()),
            "flat": flat.sum(axis=1),
            "correlation": self.correlations,
            "correlation_low": limits[:, 0],
            "correlation_high": limits[:, 1],
            "runs": len(self.outcomes),
            "common": int(self.complete.sum()),
        }

    @cached_property
    def apart(self) -> Floats:
        """By pair of measures: the difference of concordances, its limits and p; the same of correlations."""
        first, second = pairs(len(self.measures))
        by_topic = differences(self.by_topic[:, self.differ].T).T
        found = np.full((len(_APART), len(first)), np.nan)
        found[0], found[4] = by_topic.mean(axis=1), differences(self.correlations)
        found[3] = 1.0
        if len(first) and by_topic.shape[1] > 1:
            low, high, p = simultaneous_intervals(by_topic, self.level, resamples=self.resamples, seed=self.seed)
            found[1:4] = np.maximum(low, -1), np.minimum(high, 1), p
        if self.drawn is not None:
            each = 1 - (1 - self.level) / max(1, len(first))
            for k, (a, b) in enumerate(zip(first, second, strict=True)):
                value, low_, high_, p_ = difference_of(found[4, k], self.drawn[a], self.drawn[b], each)
                found[4:, k] = value, low_, high_, min(1.0, p_ * len(first))
        return found

    def notes(self) -> Iterator[str]:
        """Report what was compared, and whether one measure predicts best."""
        runs, topics = counted(len(self.outcomes), "run"), int(self.differ.sum())
        if same := len(self.differ) - topics:
            yield f"on {counted(same, 'topic')} no two runs differ in outcome: left out within topics"
        mean, low, high = self.within
        scope = f"within topics ({runs}, {counted(topics, 'topic')} on which outcomes differ)"
        yield from self._best(scope, mean, self.apart[1], self.apart[2])
        if topics < 2:
            yield f"{scope}: no interval for a single topic"
        else:
            unsure = [n for n, a, b in zip(self.measures, low, high, strict=True) if a <= NO_BETTER <= b]
            worse = [n for n, b in zip(self.measures, high, strict=True) if b < NO_BETTER]
            if unsure:
                yield f"{scope}: not distinguishable from a coin, {NO_BETTER:g}: {listed(unsure, 5)}"
            if worse:
                yield f"{scope}: predicts the opposite, below {NO_BETTER:g}: {listed(worse, 5)}"
        yield from self._notes_over_runs(runs)

    def _notes_over_runs(self, runs: str) -> Iterator[str]:
        common = int(self.complete.sum())
        scope = f"over runs ({runs}, means over {counted(common, 'topic')})"
        if len(self.outcomes) < FEWEST_RUNS:
            yield f"over runs: {runs} have outcomes; a correlation needs at least {FEWEST_RUNS}"
        elif not common:
            yield f"over runs: {runs} share no topic with outcomes, and means need common topics"
        elif not self.ordered:
            yield f"{scope}: all have the same mean outcome, so there is no order to predict"
        else:
            yield from self._best(scope, self.correlations, self.apart[5], self.apart[6])
            if self.drawn is None:
                yield f"{scope}: no interval, as it needs {ENOUGH_RUNS} runs and {ENOUGH_TOPICS} topics"

    def _best(self, scope: str, values: Floats, low: Floats, high: Floats) -> Iterator[str]:
        """Name the measure that predicts best, and which others can be told from it."""
        if len(values) < 2:
            return
        if side(np.ptp(values)) == 0:
            yield f"{scope}: all measures predict equally, {values[0]:.2f}"
            return
        best = int(np.argmax(values))
        told, level = list[str](), list[str]()
        for a, b, apart in zip(*pairs(len(values)), excludes_0(low, high), strict=True):
            if best in (a, b):
                (told if apart else level).append(self.measures[b if a == best else a])
        says = f"{scope}: {self.measures[best]} predicts best, {values[best]:.2f}"
        says += f"; better than {listed(told, 5)}" if told else ""
        yield says + (f"; not distinguishable from {listed(level, 5)}" if level else "")

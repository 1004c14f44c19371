"""How often intervals and verdicts hold on scores like these, drawn topic by topic from the runs at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, NamedTuple

import numpy as np

from cranfield.experiments.declared import Rows
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Range, Seed
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.conclusions import Paired, conclude, significant
from cranfield.statistics.differences import pairs
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.multiple_comparisons import fewest_differing, level_left
from cranfield.statistics.on_paper import side
from cranfield.statistics.usual import ALPHA, CORRECTION

FAMILY: Final = 8
"""Number of runs in a family of tests."""
PROMISED: Final = 0.95
"""How often an interval says that it holds."""


@experiment
def calibration(
    runs: JudgedRuns,
    measures: MeasureNames = ("nDCG@10", "AP", "RR"),
    *,
    sizes: tuple[Annotated[int, Range(at_least=2, at_most=10_000)], ...] = (6, 10, 25, 50),
    times: Annotated[int, Range(at_least=20, at_most=1_000_000)] = 400,
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """How often do 95% intervals and verdicts at 5% hold on scores like these?

    The scores of the runs, topic by topic, serve as the population: its means are the truth. Topics are drawn from it
    with replacement, repeatedly, and each interval and each verdict uses only the sample. It holds if the interval
    contains the truth, or if a verdict is not wrong.

    Runs that are equal are made in two ways: the *means* are made equal, each run keeping its own shape, or the
    *labels* of the runs are swapped at random on each topic, so nothing else differs either. The *lead* is that of the
    best of eight runs over the second in the sample: they are picked after looking. Its interval has the level that
    Holm's correction over all pairs leaves, as `compare` prints it; samples without one (equal means, no spread) do not
    count. Those in which the two differ on few topics (fewer than 10, or than half) are counted by themselves, too.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; two at least.
    measures
        The measures to try.
    sizes
        The numbers of topics to draw.
    times
        The number of samples.
    seed
        Seed of the samples.

    Tables
    ------
    held
        A row for each measure, number of topics and statement.
        measure : text
        topics : whole number
        statement : text
            An interval, or a verdict that is not wrong.
        promised : number
            How often it should hold: 0.95 of intervals, 0.975 of verdicts in one direction, of a lead the mean level.
        held : number
            The share of samples in which it held.
        error : number
            Monte Carlo error of that share.
        draws : whole number

    Raises
    ------
    InputError
        If there are fewer than two runs or topics, or an option is out of range.

    Paper: Voorhees and Buckley (2002), "The effect of topic set size on retrieval experiment error", SIGIR, for
    drawing topics from a collection; Urbano, Lima and Hanjalic (2019), "Statistical significance testing in
    information retrieval: an empirical analysis of type I, type II and type III errors", SIGIR, for equal means.

    Examples
    --------
    >>> from cranfield import join
    >>> good, poor = {t: ["a", "x"] for t in "123456"}, {t: ["x", "a"] for t in "123"} | {t: ["a"] for t in "456"}
    >>> runs = join({t: {"a": 1, "x": 0} for t in "123456"}, {"good": good, "poor": poor})
    >>> found = calibration(runs, "RR", sizes=(6,))
    >>> found["held"].filter(statement="not called better, labels exchanged").select("topics", "draws").rows()
    [(6, 400)]
    """
    panel = runs.panel(number_measures(measures))
    if len(panel.runs) < 2 or len(panel.topics) < 2:
        raise InputError("calibration needs at least two runs and two topics to draw from")

    def of_measure(step: int) -> Rows:
        m, size = divmod(step, len(sizes))
        said = (each for each in statements(panel.values[m], sizes[size], times, seed) if len(each.held))
        return [(panel.measures[m], sizes[size], each.what, each.promised, *counted_so(each.held)) for each in said]

    return Outcome({"held": work.table("held", range(len(panel.measures) * len(sizes)), of_measure)}, panel.notes)


def counted_so(held: Booleans) -> tuple[float, float, int]:
    """Return how often something held, its Monte Carlo error (of no failure, that of half a one), of how many."""
    rate, draws = float(held.mean()), len(held)
    return rate, float(np.sqrt(max(rate * (1 - rate), 1 / (4 * draws)) / draws)), draws


class SampledStatement(NamedTuple):
    """A statement, the samples that make it in which it holds, and the share in which it promises to."""

    what: str
    held: Booleans
    promised: float = PROMISED


def statements(values: Floats, topics: int, times: int, seed: int) -> Iterator[SampledStatement]:
    """Make each statement of samples of a population: array of shape (runs, topics)."""
    random = np.random.default_rng(seed)
    chosen = random.integers(0, values.shape[1], (times, 1, topics))
    family = min(FAMILY, len(values))
    runs = random.permuted(np.tile(np.arange(len(values)), (times, 1)), axis=1)[:, :family, np.newaxis]
    some, means = values[runs, chosen], values.mean(axis=1)[runs]
    for what, rows, truth in (
        ("interval of a mean", some[:, 0], means[:, 0]),
        ("interval of a difference", some[:, 0] - some[:, 1], means[:, 0] - means[:, 1]),
    ):
        low, high = t_interval(rows, PROMISED)
        yield SampledStatement(what, (low <= truth[:, 0]) & (truth[:, 0] <= high))
    level = some - means
    yield from _verdicts(level, "equal means")
    if family > 2:
        what = f"interval of the lead of {family}, after correction"
        yield from _lead(some, means, what)
        yield from _lead(level, np.zeros_like(means), f"{what}, equal means")
    yield from _verdicts(random.permuted(some, axis=1), "labels exchanged")


def _lead(values: Floats, means: Floats, what: str) -> Iterator[SampledStatement]:
    """Check the interval of the lead of the best run of each sample: arrays (times, runs, topics), (times, runs, 1).

    At the level that is left it contains the truth where a t-test does not tell the lead from it.
    """
    place = np.argsort(-values.mean(axis=2), axis=1, kind="stable")[:, :2, np.newaxis]
    ahead, truth = (np.take_along_axis(each, place, axis=1) for each in (values, means))
    leads, apart = Paired(ahead[:, 0] - ahead[:, 1]), (truth[:, 0] - truth[:, 1])[:, 0]
    some = ~np.isnan(leads.interval(PROMISED)[0]) & (side(leads.mean) > 0)
    first, second = pairs(values.shape[1])
    p = Paired((values[some][:, first] - values[some][:, second]).reshape(-1, values.shape[2])).p()
    left = np.array([level_left(each, CORRECTION, ALPHA) for each in p.reshape(-1, len(first))])
    told = Paired((leads.rows - apart[:, np.newaxis])[some]).p_of_t
    few = np.count_nonzero(side(leads.rows[some]), axis=1) < fewest_differing(values.shape[2])
    for of, which in ((np.full(len(left), fill_value=True), ""), (few, ", runs that differ on few topics")):
        level = 1 - float(left[of].mean()) if of.any() else PROMISED
        yield SampledStatement(f"{what}{which}", (told >= left)[of], level)


def _verdicts(equal: Floats, how: str) -> Iterator[SampledStatement]:
    """Say of equal runs whether two are told apart, and whether any two of all are: array (times, runs, topics)."""
    verdicts = np.array(conclude(Paired(equal[:, 0] - equal[:, 1]), 0.0, correction="none").verdicts)
    for wrong in ("better", "worse"):
        yield SampledStatement(f"not called {wrong}, {how}", verdicts != wrong, 1 - ALPHA / 2)
    runs = equal.shape[1]
    if runs > 2:
        first, second = pairs(runs)
        apart = Paired((equal[:, first] - equal[:, second]).reshape(-1, equal.shape[2]))
        smallest = apart.p().reshape(len(equal), -1).min(axis=1)  # by Holm's rule some pair is apart if this one is
        yield SampledStatement(f"no run told from another of {runs}, {how}", ~significant(len(first) * smallest, ALPHA))

"""What the measures would be, had all candidates been judged: estimates from a sample, and how far off they may be.

Only which documents were drawn is left to chance; topics, runs and grades are what they are. A
document that was drawn with probability π stands for 1/π documents (Horvitz and Thompson). How a
sample was drawn is told by its table: see
:mod:`cranfield.selection.sampling`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from cranfield.formats import QrelsLike
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import REGISTRY, Measure
from cranfield.measures.framework.names import MeasureNames, listed, parse_measures
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Level, RelevanceLevel, Seed, checked
from cranfield.plumbing.tables import QUERY
from cranfield.plumbing.wording import counted
from cranfield.results.result import Result
from cranfield.scoring.blocks import at_level
from cranfield.scoring.judged_runs import open_qrels
from cranfield.selection.candidates import Candidates
from cranfield.selection.drawn import Drawn
from cranfield.selection.jackknife import GROUPS, delete_a_group, why_none
from cranfield.selection.sampling import PROBABILITY, STRATUM

MEASURES: Final = ("P@10", "AP")
"""What is estimated where nothing else is asked for."""

TOTALS: Final = ("sum over ranks", "recall base")
"""Estimators of what documents add up to; the others divide one total by another."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Result):
    """Estimates of measures, with their errors.

    Attributes
    ----------
    runs, topics, measures
        Names of the runs and of the topics, and the measures.
    values, variances
        Arrays of shape (measures, runs, topics): the estimates, and the estimated variance of each
        over all samples that could have been drawn; NaN where it is not known.
    variances_of_means
        Array of shape (measures, runs): of the averages over topics (of counts, of the sums).
    freedom
        Array of shape (measures, runs): degrees of freedom of their t intervals.
    level
        Confidence of the intervals.
    notes
        Caveats.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    variances: Floats
    variances_of_means: Floats
    freedom: Floats
    level: float
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Estimates({counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}: "
            f"{', '.join(map(str, self.measures[:4]))})"
        )

    def to_polars(self, *, per_topic: bool = False, **which: object) -> pl.DataFrame:
        """Return the means; or each run's topics, then its means, whose topic is ``all``."""
        del which
        if not per_topic:
            return self.means
        means = self.means.with_columns(topic=pl.lit("all")).select(self.per_topic.columns)
        order = {run: i for i, run in enumerate(self.runs)}
        both = pl.concat([self.per_topic, means])
        return both.sort(pl.col("run").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)

    def table(self, **which: bool) -> pl.DataFrame:
        """Return the same: a row for each run and measure."""
        return self.to_polars(**which)

    def caption(self, **which: object) -> str:
        """Describe the values."""
        del which
        return (
            f"estimated from a sample, with {100 * self.level:g} % intervals, over {counted(len(self.topics), 'topic')}"
        )

    def remarks(self) -> tuple[str, ...]:
        """Return the notes."""
        return self.notes

    def keys(self, *, per_topic: bool = False, **which: object) -> int:
        """Return how many columns identify a row: run, measure and, by topic, the topic."""
        del which
        return 3 if per_topic else 2

    @cached_property
    def means(self) -> pl.DataFrame:
        """Averages over topics (of counts, sums): columns run, measure, value, standard_error, low, high.

        Error and ends are null where nothing is known of them that holds: `notes` say why.
        """
        terms = _terms(self.measures, len(self.topics))
        return self._table(self.values.sum(axis=2) / terms, self.variances_of_means).drop("topic")

    @cached_property
    def per_topic(self) -> pl.DataFrame:
        """Estimates by topic: columns run, topic, measure, value, standard_error, low, high.

        Of a single topic too few documents are drawn for an interval that holds: low and high are null.
        """
        return self._table(self.values, self.variances)

    def _table(self, values: Floats, variances: Floats) -> pl.DataFrame:
        from scipy.special import stdtrit

        by_topic = values.ndim == 3
        values, variances = (np.moveaxis(array.reshape(*array.shape[:2], -1), 0, -1) for array in (values, variances))
        run, topic, measure = np.indices(values.shape).reshape(3, -1)
        error = np.sqrt(variances.clip(min=0.0)).ravel()  # rounding may leave a variance of 0 just below it
        margin = np.nan if by_topic else stdtrit(self.freedom, (1 + self.level) / 2)[measure, run] * error
        numbers = {
            "value": values.ravel(),
            "standard_error": error,
            "low": values.ravel() - margin,
            "high": values.ravel() + margin,
        }
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "topic": pl.Series(self.topics, dtype=pl.String).gather(topic),
                "measure": pl.Series([str(m) for m in self.measures], dtype=pl.String).gather(measure),
            }
            | numbers
        ).with_columns(pl.col(*numbers).fill_nan(None))


def _terms(measures: Sequence[Measure], topics: int) -> Integers:
    """By how many the sum over topics is divided: array of shape (measures, 1)."""
    return np.array([1 if measure.summary == "sum" else max(topics, 1) for measure in measures])[:, np.newaxis]


def estimate(
    candidates: Candidates,
    sample: pl.DataFrame,
    judged: QrelsLike | Judgments,
    measures: MeasureNames,
    *,
    level: float = 0.95,
    top_grade: float | None = None,
    rel: RelevanceLevel | None = None,
    seed: int = 7,
) -> Estimates:
    """What would the measures be if all candidates had been judged, not only a sample?

    A measure that weighs documents by their rank alone (P, RBP, SDCG, INSQ), and the number of
    relevant candidates (NumRel), is a total Σ y over documents. Its estimate Σ y/π over the sample
    has no bias, nor has its variance,

        Σ_h (Σ (1 - π) z² - (Σ √(1 - π) z)² / n_h) · n_h / (n_h - 1),  z = y/π, over the n_h
        documents of stratum h,

    and Σ (1 - π) z² where documents were drawn independently. AP is the ratio of two totals, as in
    statAP:

        (Σ_i 1/(π_i r_i) + Σ_{i<j} 1/(π_ij r_j)) / Σ_i 1/π_i

    over the relevant documents i of the sample, r being their rank in the run, and i < j those
    above j. So is nDCG, Σ g/(π d(r)) by the same of the ideal list, in which each document stands
    for 1/π. A ratio has a bias, though its totals have none. If some fifty documents of each topic
    were drawn, by any design but a uniform one, the delete-a-group jackknife removes the bias and
    estimates the error (`cranfield.selection.jackknife`); otherwise no interval of a ratio holds,
    and none is given.

    Parameters
    ----------
    candidates
        What the runs retrieved.
    sample
        As the functions of :mod:`cranfield.selection.sampling` return it.
    judged
        The judgments of (at least) the documents of the sample, as qrels or as `Judgments`.
    measures
        P, RBP, SDCG, INSQ and the like, NumRel, AP, nDCG and nCG: measures or their names.
    level
        Confidence of the intervals, above 0 and below 1.
    top_grade
        The grade that gains 1, for measures of graded gain; by default, the largest of ``judged``,
        which a sample may lack.
    rel
        The lowest relevant grade, for measures without one of their own.
    seed
        Seed of the jackknife groups.

    Returns
    -------
    `Estimates`: the value for each run, measure and topic, and for the means over the topics of the
    candidates, with intervals value ± z · error, for ratios value ± t · error with 9 degrees of
    freedom (not cut off at 0 and 1). Notes say why a measure has no interval, and where the sample
    cannot be one of these candidates.

    Raises
    ------
    InputError
        If a document of the sample is unjudged or not a candidate, or a column of the sample is
        missing.
    MeasureError
        If a measure is neither a sum over ranks nor AP, nDCG, nCG or NumRel.

    Notes
    -----
    For the measured coverage of the intervals, see the page on calibration. They are too narrow for
    a run if most samples contain hardly any of its relevant documents.

    Paper: Horvitz and Thompson (1952), "A generalization of sampling without replacement from a
    finite universe", JASA 47(260); Cochran (1977), "Sampling techniques", sections 5.4 and 9A.7;
    Aslam and Pavlu (2007), "A practical sampling strategy for efficient retrieval evaluation"
    (statAP); Kott (2001), "The delete-a-group jackknife", Journal of Official Statistics 17(4).

    Examples
    --------
    >>> candidates = Candidates.gather({"x": {"1": {d: -i for i, d in enumerate("abcd")}}})
    >>> sample = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "c"], "probability": [0.5, 0.5],
    ...                        "stratum": [0, 0]})
    >>> found = estimate(candidates, sample, {"1": {"a": 1, "c": 0}}, ["P@4", "NumRel"])
    >>> found.means.select("run", "measure", "value", "standard_error").rows()  # of 1/4 · 2 and 2, s² = 1/2, N = 4
    [('x', 'P@4', 0.5, 0.353...), ('x', 'NumRel', 2.0, 1.414...)]
    """
    level, seed = checked("level", level, Level), checked("seed", seed, Seed)
    given = [measure for name in listed(measures) for measure in parse_measures(name, complete=False)]
    asked = [_estimable(measure) for measure in at_level(given, rel)]
    drawn = Drawn(candidates, sample, open_qrels(judged), top_grade)
    found = [_estimated(drawn, measure, seed) for measure in asked]
    shape = (len(asked), len(candidates.runs), len(candidates.topics))
    notes = (f"no interval of {measure}: {one.why}" for measure, one in zip(asked, found, strict=True) if one.why)
    return Estimates(
        runs=tuple(candidates.runs),
        topics=tuple(candidates.topics),
        measures=tuple(asked),
        values=np.array([one.value for one in found]).reshape(shape),
        variances=np.array([one.variance for one in found]).reshape(shape),
        variances_of_means=np.array([one.of_mean for one in found]).reshape(shape[:2]),
        freedom=np.array([np.broadcast_to(one.freedom, shape[1]) for one in found]),
        level=level,
        notes=(*notes, *_notes(candidates, sample)),
    )


class _Estimated(NamedTuple):
    """Value and variance by row, variance of the mean by run, its degrees of freedom, and why there is none."""

    value: Floats
    variance: Floats
    of_mean: Floats
    freedom: Floats | float = np.inf
    why: str | None = None


def _estimated(drawn: Drawn, measure: Measure, seed: int) -> _Estimated:
    if measure.estimator in TOTALS:
        value, variance = drawn.estimate(measure)
        # Each topic's documents are drawn without regard to the others', so that variances add up.
        by_run = variance.reshape(drawn.runs, drawn.topics).clip(min=0.0)
        sums = by_run.sum(axis=1)
        of_mean = sums / _terms([measure], drawn.topics).item() ** 2
        # Satterthwaite's: as many as variances of two degrees each give, one of every topic that the error comes from.
        squares = np.square(by_run).sum(axis=1)
        freedom = np.divide(2 * sums**2, squares, out=np.full(drawn.runs, np.inf), where=squares > 0)
        return _Estimated(value, variance, of_mean, freedom)
    if drawn.whole.all():
        return _Estimated(drawn.ratio_of_totals(measure), np.zeros(drawn.rows), np.zeros(drawn.runs))
    unknown = np.full(drawn.rows, np.nan)
    why = why_none(drawn, drawn.gains(measure) > 0)
    if why:
        return _Estimated(drawn.ratio_of_totals(measure), unknown, unknown[: drawn.runs], why=why)
    value, of_mean = delete_a_group(drawn, lambda sample: sample.ratio_of_totals(measure), seed)
    return _Estimated(value, unknown, of_mean, GROUPS - 1)


def _notes(candidates: Candidates, sample: pl.DataFrame) -> Iterator[str]:
    """Say where a sample that was drawn from strata stands for more documents than there are candidates, or fewer."""
    if sample[STRATUM].is_null().any():
        return  # of independent draws, the sum of 1/π is the number of candidates on average only
    topics = pl.DataFrame(
        {QUERY: candidates.topics, "candidates": np.bincount(candidates.topic, minlength=len(candidates.topics))}
    )
    stands_for = sample.group_by(QUERY).agg((1 / pl.col(PROBABILITY)).sum().alias("for"))
    both = topics.join(stands_for, on=QUERY, how="left", maintain_order="left").with_columns(pl.col("for").fill_null(0))
    wrong = both.filter((pl.col("for") - pl.col("candidates")).abs() > 1e-6 * pl.col("candidates"))
    if wrong.height:
        topic, there, drawn = wrong.row(0)
        yield (
            f"on {counted(wrong.height, 'topic')} the sample was drawn from other documents than these runs "
            f"retrieved (topic {topic}: {drawn:g}, not {there}): give the runs, and the depth, that it was drawn from"
        )


def _estimable(measure: Measure) -> Measure:
    """Return the measure, or refuse it if there is no estimate of it."""
    measure.require_complete()
    if measure.estimator is None or measure.judged_only:
        *first, last = sorted(name for name, kind in REGISTRY.items() if kind.estimator)
        raise MeasureError(
            f"{measure} cannot be estimated from a sample; {', '.join(first)} and {last} can (without judged_only or "
            "averaged)"
        )
    return measure

"""What the measures would be, had all candidates been judged: estimates from a sample, and how far off they may be.

Only which documents were drawn is left to chance; topics, runs and grades are what they are. A document that was drawn
with probability π stands for 1/π documents (Horvitz and Thompson). How a sample was drawn stands in its table: see
:mod:`cranfield.selection.sampling`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from cranfield.formats import QrelsLike
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import REGISTRY, Measure
from cranfield.measures.framework.names import MeasureNames, listed, parse_measures
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Level, RelevanceLevel, Seed, checked
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.tables import QUERY, STRATUM
from cranfield.plumbing.wording import counted, named
from cranfield.results.result import Result
from cranfield.scoring.blocks import at_level
from cranfield.scoring.judged_runs import open_qrels
from cranfield.selection.assisted import (
    Judge,
    Lines,
    WithJudge,
    against,
    chances,
    for_topics_like_these,
    interval,
    labels_alone,
)
from cranfield.selection.candidates import Candidates
from cranfield.selection.cheap_labels import CheapLabels
from cranfield.selection.grade_chances import GradeChances, judges_of, stacked
from cranfield.selection.judged_sample import SAMPLE_GROUPS, Drawn, delete_a_group, drawn_of
from cranfield.selection.modelled import modelled, why_none
from cranfield.selection.sampling import DRAWN, PROBABILITY
from cranfield.statistics.intervals import at_the_edge, within

ESTIMATED_MEASURES: Final = ("P@10", "AP")
"""What is estimated where nothing else is asked for."""
MEASURES_WITH_JUDGE: Final = ("P@10",)
"""The same, with cheap labels, by which ratios are modelled."""

UNBIASED: Final = "unbiased"
MODELLED: Final = "modelled"
"""What kind of estimate a value is, where some are modelled."""

WORTH: Final = 1.02
"""From this many times the expert labels that the sample alone would need on, a judge pays for itself."""

_ALIKE: Final = 1e-6  # A standard error of a smaller share of its estimate is the rounding of a variance of 0

TOTALS: Final = ("sum over ranks", "recall base")
"""Estimators of what documents add up to; the others divide one total by another."""
MODELLED_ALONE: Final = ("share of the relevant", "preferences")
"""Estimators of ratios, which need cheap labels."""


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
        Array of shape (measures, runs): degrees of freedom of their t intervals; NaN where nothing varied in the
        sample, though not all was drawn, so that the variance of 0 tells nothing.
    level
        Confidence of the intervals.
    notes
        Caveats.
    judge
        What else is known where a cheap judge helped: None where none did.
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
    judge: WithJudge | None = None

    def __repr__(self) -> str:
        return (
            f"Estimates({counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}: "
            f"{', '.join(map(str, self.measures[:4]))})"
        )

    def to_polars(self, *, per_topic: bool = False, **which: object) -> pl.DataFrame:
        """Return the means; or each run's topics, then its means, whose topic is ``all``."""
        if not per_topic:
            return self.means
        columns = [name for name in self.per_topic.columns if name != "topic"]
        means = self.means.select(*columns).with_columns(topic=pl.lit("all")).select(self.per_topic.columns)
        order = {run: i for i, run in enumerate(self.runs)}
        both = pl.concat([self.per_topic, means])
        return both.sort(pl.col("run").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)

    def caption(self, **which: object) -> str:
        """Describe the values."""
        level, topics = f"{100 * self.level:g}%", counted(len(self.topics), "topic")
        if self.judge is None:
            return f"Estimated from a sample, with {level} intervals, over {topics}"
        from_ = "" if self.judge.baseline is None else f"; differences from {self.judge.baseline}"
        return (
            f"Estimated from cheap labels and a sample, over {topics}, with {level} intervals: low to high for these "
            f"topics if experts judged all candidates, like_low to like_high {Scope().on_others().alike}{from_}"
        )

    def remarks(self) -> tuple[str, ...]:
        """Return the notes, and why a point is at the edge of its interval, where one is."""
        rows = self.means.drop_nulls(["low", "high"])
        rows = rows.filter(at_the_edge(*(rows[name].to_numpy() for name in ("value", "low", "high"))))
        if not rows.height:
            return self.notes
        points = [f"{measure} of {run}" for measure, run in rows.select("measure", "run").rows()]
        return (
            *self.notes,
            f"at the edge of its interval: {named(points)}; unbiased estimates may lie near or beyond the end of a "
            "measure's range, where the interval is cut",
        )

    def keys(self, *, per_topic: bool = False, **which: object) -> int:
        """Return how many columns identify a row: run, measure and, by topic, the topic."""
        return 3 if per_topic else 2

    @cached_property
    def means(self) -> pl.DataFrame:
        """Averages over topics (of counts, sums): columns run, measure, value, standard_error, low, high.

        Error and ends are null where nothing is known of them that holds: `notes` say why. With a cheap judge
        also like_low and like_high, for topics like these, and difference, difference_low and difference_high
        if there is a baseline; and kind, if some measures are modelled: ``unbiased`` or ``modelled``.
        """
        terms = _terms(self.measures, len(self.topics))
        table = self._table(self.values.sum(axis=2) / terms, self.variances_of_means).drop("topic")
        # The least and the largest mean there can be, of counts the sum; in rows, as the table is.
        limits = np.array([measure.limits for measure in self.measures]) * (len(self.topics) / terms)
        limits = np.tile(limits, (len(self.runs), 1))
        if self.judge is None:
            return table.with_columns(_cut(table.select("low", "high"), limits))
        if self.judge.modelled:
            is_modelled = pl.col("measure").is_in(self.judge.modelled)
            kind = pl.when(is_modelled).then(pl.lit(MODELLED)).otherwise(pl.lit(UNBIASED))
            table = table.select("run", "measure", kind.alias("kind"), pl.exclude("run", "measure"))
        further = {
            "low": table["low"].to_numpy() - _in_rows(self.judge.outside[:, :, 0]),
            "high": table["high"].to_numpy() + _in_rows(self.judge.outside[:, :, 1]),
            "like_low": _in_rows(self.judge.like[:, :, 0]),
            "like_high": _in_rows(self.judge.like[:, :, 1]),
        }
        ends = _cut(pl.DataFrame(further), limits)
        if self.judge.differences is None:
            return table.with_columns(ends)
        apart, *of_apart = (_in_rows(each) for each in np.moveaxis(self.judge.differences, 2, 0))
        ends_apart = pl.DataFrame(dict(zip(("difference_low", "difference_high"), of_apart, strict=True)))
        table = table.with_columns(pl.Series("difference", apart))  # which stands before the ends of like
        return table.with_columns(ends).with_columns(_cut(ends_apart, limits, differences=True))

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
        if not by_topic:
            error[np.isnan(self.freedom[measure, run])] = np.nan
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


def _cut(ends: pl.DataFrame, limits: Floats, *, differences: bool = False) -> list[pl.Series]:
    """Let intervals end where their measure ends; what is not known is null."""
    return [pl.Series(end.name, within(end.to_numpy(), limits, differences=differences)).fill_nan(None) for end in ends]


def _in_rows(values: Floats) -> Floats:
    """Lay an array of shape (measures, runs) out as the rows of `Estimates.means` are."""
    return values.T.ravel()


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
    cheap: QrelsLike | Judgments | tuple[QrelsLike | Judgments, ...] | None = None,
    baseline: str | None = None,
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
    estimates the error (`cranfield.selection.judged_sample`); otherwise no interval of a ratio holds,
    and none is given.

    With cheap labels of all candidates, of a language model, say, a total is estimated by difference,

        Σ w f + Σ w (y - f)/π,

    the first sum over all candidates, the second over the sample, where y is the gain of the expert's
    grade, w the weight of its rank, and f the mean gain of a label among the samples of the *other*
    topics. This has no bias, whatever the errors of the labels. Its variance is the largest of three: that
    of w (y - f) in the strata; what the labels' errors on other topics let expect; and twice what one
    disagreement of the full scale would add, since a sample without any may have missed some. Utilities
    (FlatUtility, DCGU, RBPU) are such totals less the effort, which is known. Ratios (AP, nDCG, nCG, R, Bpref)
    are *modelled*: completed from these f, and corrected by the sample (`cranfield.selection.modelled`). They
    have a bias, and an interval where 20 documents a topic and a quarter of the candidates were drawn, by any
    design but a uniform one.

    Parameters
    ----------
    candidates
        What the runs retrieved.
    sample
        As the functions of :mod:`cranfield.selection.sampling` return it.
    judged
        The judgments of (at least) the documents of the sample, as qrels or as `Judgments`.
    measures
        P, RBP, SDCG, INSQ, DCG, CG, FlatUtility, DCGU, RBPU and the like, NumRel, AP, nDCG and nCG; with cheap labels
        also R and Bpref: measures or their names.
    level
        Confidence of the intervals, above 0 and below 1.
    top_grade
        The grade that gains 1, for measures of graded gain; by default, the largest of ``judged``,
        which a sample may lack.
    rel
        The lowest relevant grade, for measures without one of their own.
    seed
        Seed of the jackknife groups.
    cheap
        Labels of all candidates on any scale, in any form of qrels. Candidates without one are taken for a
        label of their own, which a note counts. A tuple holds the labels of several judges, which are combined:
        the chances of the experts' grades are learned from other topics, as in `calibrate` (by scikit-learn, in
        the extra ``judges``), and f follows from these.
    baseline
        With cheap labels, the run whose difference from each other run is estimated, too.

    Returns
    -------
    `Estimates`: the value for each run, measure and topic, and for the means over the topics of the
    candidates, with intervals value ± z · error, for ratios value ± t · error with 9 degrees of
    freedom, which end where the measure ends. There is none of a run whose drawn documents are all equal, unless
    the others could not differ. Notes say why a measure has no interval, and where the sample
    cannot be one of these candidates. With cheap labels, intervals are value ± t · error with
    Satterthwaite's degrees of freedom; a second one is for topics like these, from the spread between
    topics; and notes say how many expert labels the judge saves, if any. Candidates that could not be
    drawn (of a run that had no part in the sample) widen the interval by the least and the most that
    they can gain, where the sample lists what could be drawn (`weighted_sample` does).

    Raises
    ------
    InputError
        If a document of the sample is unjudged or not a candidate, a column of the sample is missing, no
        candidate has a cheap label, or the baseline is no run.
    MeasureError
        If a measure is neither a sum over ranks nor AP, nDCG, nCG or NumRel; nor, with cheap labels, R or Bpref.

    Notes
    -----
    For the measured coverage of the intervals, see the page on calibration. They are too narrow for
    a run if most samples contain hardly any of its relevant documents.

    Paper: Horvitz and Thompson (1952), "A generalization of sampling without replacement from a
    finite universe", JASA 47(260); Cochran (1977), "Sampling techniques", sections 5.4 and 9A.7;
    Aslam and Pavlu (2007), "A practical sampling strategy for efficient retrieval evaluation"
    (statAP); Kott (2001), "The delete-a-group jackknife", Journal of Official Statistics 17(4); Särndal,
    Swensson and Wretman (1992), "Model assisted survey sampling", section 6.3 (the difference estimator);
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), "Prediction-powered inference", Science 382.

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
    if cheap is None and baseline is not None:
        raise InputError("a baseline needs cheap labels: give cheap, too")
    if cheap is not None:
        known = with_cheap_labels(candidates, sample, judged, cheap, top_grade)
        of_judge = _with_judge(known, asked, baseline, level, seed)
        return of_judge if known.listed else replace(of_judge, notes=(*of_judge.notes, *_notes(candidates, sample)))
    sample = drawn_of(sample)
    drawn = Drawn.join(candidates, sample, open_qrels(judged), top_grade)
    if ours := [str(measure) for measure in asked if measure.estimator in MODELLED_ALONE]:
        raise MeasureError(f"{named(ours)}: modelled with cheap labels alone, not estimated from the sample alone")
    found = [_estimated(candidates, drawn, measure, seed) for measure in asked]
    return _together(candidates, asked, found, level, (), _notes(candidates, sample))


class LabelledSample(NamedTuple):
    """What is known of candidates with cheap labels."""

    candidates: Candidates  # those that could have been drawn among them
    drawn: Drawn
    labels: CheapLabels
    chances: GradeChances | None  # what several judges together let expect
    chance: Floats  # as of `Judge`
    listed: bool  # whether the sample lists what could have been drawn
    notes: tuple[str, ...]

    def judge(self, measure: Measure) -> Judge:
        """Return what estimates lines by a measure."""
        return Judge(self.candidates, self.drawn, self.labels, self.chance, measure, self.chances)


def with_cheap_labels(
    candidates: Candidates,
    sample: pl.DataFrame,
    judged: QrelsLike | Judgments,
    cheap: QrelsLike | Judgments | tuple[QrelsLike | Judgments, ...],
    top_grade: float | None,
) -> LabelledSample:
    """Put sample, experts' grades and cheap labels together; candidates are those that the sample lists, if any."""
    listed, left_out, taken = DRAWN in sample.columns, 0, drawn_of(sample)
    if listed:
        theirs = sample[QUERY].unique(maintain_order=True).to_list()
        left_out = len(set(candidates.topics).difference(theirs))
        if left_out == len(candidates.topics):
            raise InputError(
                f"the runs have none of the sample's topics; those of the sample are {named(theirs)}, "
                f"those of the runs {named(candidates.topics)}"
            )
        candidates = candidates.among(sample)
    drawn = Drawn.join(candidates, taken, open_qrels(judged), top_grade)
    chance, judges = chances(candidates, drawn, sample if listed else None), judges_of(cheap)
    one = len(judges) == 1
    labels, learned = (CheapLabels.join(candidates, judges[0]), None) if one else stacked(candidates, drawn, judges)
    said = [f"left out: {counted(left_out, 'topic')} of the runs without any document in the sample"] * (left_out > 0)
    notes = (*said, *labels.notes, *_outside(candidates, chance))
    return LabelledSample(candidates, drawn, labels, learned, chance, listed, notes)


def _with_judge(
    known: LabelledSample, measures: Sequence[Measure], baseline: str | None, level: float, seed: int
) -> Estimates:
    """Estimate totals, and model ratios, with the help of cheap labels."""
    candidates = known.candidates
    topics = len(candidates.topics)
    if baseline is not None and baseline not in candidates.runs:
        raise InputError(f"no run is named {baseline!r}; the runs are {named(candidates.runs)}")
    ratios = [str(measure) for measure in measures if measure.estimator not in TOTALS]
    if ratios and known.chances is not None:
        raise MeasureError(
            f"{named(ratios)}: ratios are modelled by the labels of one judge; `cranfield combine` makes one of several"
        )
    found = [
        _total(known.judge(measure), baseline, level)
        if measure.estimator in TOTALS
        else _modelled(known.judge(measure), baseline, level, seed)
        for measure in measures
    ]
    of_judge = WithJudge(
        drawn=len(known.drawn.place) / topics,
        alone=np.array([one.alone for one in found]),
        like=np.array([one.like for one in found]),
        outside=np.array([one.outside for one in found]),
        baseline=baseline,
        differences=np.array([one.differences for one in found]) if baseline is not None else None,
        modelled=tuple(ratios),
    )
    said = _said_of_judge(of_judge, measures, topics)
    return _together(candidates, measures, found, level, said, known.notes, of_judge)


class _Found(NamedTuple):
    """What is found of one measure: arrays by run, values and variances by topic, too; the last four with a judge."""

    values: Floats
    variances: Floats
    of_means: Floats
    freedom: Floats
    why: str | None = None  # there is no interval
    like: Floats | None = None
    outside: Floats | None = None
    alone: float = np.nan
    differences: Floats | None = None


def _together(
    candidates: Candidates,
    measures: Sequence[Measure],
    found: Sequence[_Found],
    level: float,
    said: Iterable[str],
    notes: Iterable[str],
    judge: WithJudge | None = None,
) -> Estimates:
    """Put what was found of all measures together, and say of which there is no interval."""
    none = (f"no interval of {measure}: {one.why}" for measure, one in zip(measures, found, strict=True) if one.why)
    shape = (len(measures), len(candidates.runs), len(candidates.topics))
    return Estimates(
        runs=tuple(candidates.runs),
        topics=tuple(candidates.topics),
        measures=tuple(measures),
        values=np.array([one.values.ravel() for one in found]).reshape(shape),
        variances=np.array([one.variances.ravel() for one in found]).reshape(shape),
        variances_of_means=np.array([one.of_means for one in found]).reshape(shape[:2]),
        freedom=np.array([one.freedom for one in found]).reshape(shape[:2]),
        level=level,
        notes=(*said, *none, *notes),
        judge=judge,
    )


def _total(judge: Judge, baseline: str | None, level: float) -> _Found:
    """Estimate a total, and the difference of each run from the baseline."""
    candidates, measure = judge.candidates, judge.measure
    lines, topics = Lines.of_runs(candidates, measure), len(candidates.topics)
    by = _terms([measure], topics).item()
    found, expense = judge.estimate(lines), measure.expense(candidates.length)
    values = found.values - expense
    differences = None
    if baseline is not None:
        first, second = against(candidates.runs, baseline)
        apart = judge.estimate(lines.less(first, second))
        value = (apart.values - expense[first] + expense[second]).sum(axis=1) / by
        low, high = interval(value, apart.variance / by**2, apart.freedom, level)
        differences = np.stack([value, low - apart.lower / by, high + apart.higher / by], axis=1)
    outside = np.stack([found.lower, found.higher], axis=1) / by
    like = for_topics_like_these(values * (topics / by), level, found.variance / by**2) + outside * [-1.0, 1.0]
    alone = labels_alone(judge, lines, found)
    return _Found(
        values, found.variances, found.variance / by**2, found.freedom, None, like, outside, alone, differences
    )


def _modelled(judge: Judge, baseline: str | None, level: float, seed: int) -> _Found:
    """Model a ratio, with intervals where they hold."""
    names = list(judge.candidates.runs)
    found = modelled(judge, seed, None if baseline is None else names.index(baseline))
    why, runs = why_none(judge), len(names)
    freedom, mean = np.full(runs, SAMPLE_GROUPS - 1.0), found.values.mean(axis=1)
    like = np.full((runs, 2), np.nan) if why else for_topics_like_these(found.values, level, found.variance)
    differences = None
    if found.differences is not None and baseline is not None:
        value = mean - mean[names.index(baseline)]
        differences = np.stack([value, *interval(value, found.differences, freedom, level)], axis=1)
        differences[:, 1:] += np.nan if why else 0.0
    unknown = np.full(found.values.shape, np.nan)
    variance = np.full(runs, np.nan) if why else found.variance
    return _Found(found.values, unknown, variance, freedom, why, like, np.zeros((runs, 2)), np.nan, differences)


def _said_of_judge(known: WithJudge, measures: Sequence[Measure], topics: int) -> Iterator[str]:
    """Say what the judge saves, measure by measure."""
    if topics == 1:
        yield (
            "with one topic, the meaning of cheap labels cannot be learned from others: only the sample is used, and "
            "intervals hold only for this topic"
        )
        return
    for measure, alone in zip(measures, known.alone, strict=True):
        if alone > known.drawn * WORTH:
            yield (
                f"{measure}: the sample alone would need {alone:.1f} expert labels per topic for equal errors, not "
                f"{known.drawn:.1f} (estimated on {counted(topics, 'topic')}, over all runs)"
            )
        elif known.drawn > 0 and not np.isnan(alone):
            yield f"{measure}: the cheap judge saves no expert labels: the sample alone needs no more"
    if known.modelled:
        yield (
            f"modelled: {named(known.modelled)}: predicted from the labels and corrected by the sample; a ratio has a "
            "bias that is not estimated, and a better judge may widen its interval"
        )


def _outside(candidates: Candidates, chance: Floats) -> Iterator[str]:
    """Count the candidates that could not be drawn, and name the run that has most of them."""
    out = chance == 0
    if out.any():
        of_run = np.bincount(candidates.cell_run[out[candidates.cell_place]], minlength=len(candidates.runs))
        most = int(of_run.argmax())
        yield (
            f"{counted(int(out.sum()), 'candidate')} could not be drawn, most of them of {candidates.runs[most]} "
            f"({of_run[most]:,}): they are predicted from the cheap label, and low and high allow for their lowest and "
            "highest gains"
        )


def _estimated(candidates: Candidates, drawn: Drawn, measure: Measure, seed: int) -> _Found:
    """Estimate a measure from the sample alone."""
    shape, why = (drawn.runs, drawn.topics), None
    unknown, freedom = np.full(shape, np.nan), np.full(drawn.runs, np.inf)
    if measure.estimator in TOTALS:
        value, variance = (each.reshape(shape) for each in drawn.estimate(measure))
        # Each topic's documents are drawn without regard to the others', so that variances add up.
        by_topic = variance.clip(min=0.0)
        sums, squares = by_topic.sum(axis=1), np.square(by_topic).sum(axis=1)
        # Satterthwaite's: as many as variances of two degrees each give, one of every topic that the error comes from.
        np.divide(2 * sums**2, squares, out=freedom, where=squares > 0)
        # That nothing varied in the sample says nothing of what was not drawn.
        none = (sums <= (_ALIKE * value.sum(axis=1)) ** 2) & _left_open(candidates, drawn, measure)
        freedom[none] = np.nan
        if none.any():
            names = named([run for run, each in zip(candidates.runs, none, strict=True) if each])
            why = (
                f"the documents drawn from {names} are all equal, or none were drawn, so they say nothing about the "
                "others"
            )
        of_means = sums / _terms([measure], drawn.topics).item() ** 2
        return _Found(value - measure.expense(candidates.length), variance, of_means, freedom, why)
    if drawn.whole.all():
        return _Found(drawn.ratio_of_totals(measure), np.zeros(shape), np.zeros(drawn.runs), freedom)
    if why := drawn.why_none(drawn.gains(measure) > 0):
        return _Found(drawn.ratio_of_totals(measure), unknown, unknown[:, 0], freedom, why)
    found = delete_a_group(drawn, lambda sample: sample.ratio_of_totals(measure), seed)
    return _Found(found.value, unknown, found.variance, np.full(drawn.runs, SAMPLE_GROUPS - 1.0))


def _left_open(candidates: Candidates, drawn: Drawn, measure: Measure) -> Booleans:
    """Tell, by run, whether it has a document that counts and was not drawn for certain."""
    certain = np.zeros(len(candidates), np.bool_)
    certain[drawn.place[drawn.probability == 1]] = True
    lines = Lines.of_runs(candidates, measure)
    return np.bincount(lines.line, ~certain[lines.place] & (lines.weight != 0), drawn.runs) > 0


def _notes(candidates: Candidates, sample: pl.DataFrame) -> Iterator[str]:
    """Name topics on which the sample cannot be one of these candidates, or has nothing.

    The strata of a topic stand for all its candidates; of independent draws, the sum of 1/π does on average only.
    """
    there = np.bincount(candidates.topic, minlength=len(candidates.topics))
    topics = pl.DataFrame({QUERY: candidates.topics, "candidates": there})
    stands_for = sample.group_by(QUERY).agg(
        (1 / pl.col(PROBABILITY)).sum().alias("for"), pl.col(STRATUM).is_null().any().alias("by chance")
    )
    both = topics.join(stands_for, on=QUERY, how="left", maintain_order="left").with_columns(
        pl.col("for").fill_null(0), pl.col("by chance").fill_null(sample[STRATUM].is_null().any() or sample.is_empty())
    )
    if (nothing := both.filter(pl.col("by chance") & (pl.col("for") == 0))).height:
        yield (
            f"the sample has no document of {counted(nothing.height, 'topic')} of the runs "
            f"({named(nothing[QUERY].to_list())}): they are estimated as 0, which is unbiased only if the sample was "
            "drawn from these topics, too"
        )
    apart = (pl.col("for") - pl.col("candidates")).abs() > 1e-6 * pl.col("candidates")
    if (wrong := both.filter(~pl.col("by chance") & apart)).height:
        topic, there, drawn, _ = wrong.row(0)
        yield (
            f"on {counted(wrong.height, 'topic')} the sample was drawn from other documents than these runs retrieved "
            f"(topic {topic}: {drawn:g}, not {there}): give the runs and the depth of the sample"
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

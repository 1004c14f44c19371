r"""Estimates with a cheap judge: its labels of all candidates, corrected by what experts say of a sample.

A weighted sum over ranks is, of one run on one topic, a total Σ w y over the candidates: w is the weight of the
document's rank, y the gain of the expert's grade. With f the gain that its cheap label lets expect, the difference
estimator is

.. math::
    \sum_i w_i f_i + \sum_{i \in s} \frac{w_i (y_i - f_i)}{\pi_i}

over all candidates, and over the sample s, of which i is drawn with probability π. It has no bias, whatever f is, so
long as f does not follow from the same topic's sample: f is the mean gain of a label in the samples of all *other*
topics. A judge that errs makes the second sum vary, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Booleans, Floats, Integers, members, ratio, sums_within
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY
from cranfield.selection.candidates import Candidates
from cranfield.selection.cheap_labels import CheapLabels
from cranfield.selection.grade_chances import GradeChances
from cranfield.selection.judged_sample import Drawn
from cranfield.selection.sampling import PROBABILITY
from cranfield.statistics.on_paper import EQUAL

UNSEEN: Final = 2.0
"""This many disagreements of the full scale may be where a sample has none: the variance of fewer is never given."""

_STEPS: Final = 40  # This many halvings find a number of labels


@record
@dataclass(frozen=True)
class WithJudge:
    """What is known of estimates that a cheap judge helped with."""

    drawn: float  # expert labels a topic, on average
    alone: Floats  # (measures): how many the sample alone would need for variances as small; NaN of what is modelled
    like: Floats  # (measures, runs, 2): ends of the interval for topics like these; NaN for a single topic
    outside: Floats  # (measures, runs, 2): how much lower and higher by candidates that could not be drawn
    baseline: str | None = None
    differences: Floats | None = None  # (measures, runs, 3): each run less the baseline, and the ends of the interval
    modelled: tuple[str, ...] = ()


class Lines(NamedTuple):
    """Totals to be estimated: a run's, or the difference of two runs'."""

    line: Integers  # by cell
    place: Integers  # of the document among the candidates; none is twice in a line
    weight: Floats  # by cell
    number: int  # of lines

    @classmethod
    def of_runs(cls, candidates: Candidates, measure: Measure) -> Lines:
        """A line for each run: the documents down to the cutoff, weighted by rank; of the recall base, all."""
        runs, documents = len(candidates.runs), len(candidates)
        if measure.estimator == "recall base":
            place = np.tile(np.arange(documents), runs)
            return cls(np.repeat(np.arange(runs), documents), place, np.ones(len(place)), runs)
        counts = np.flatnonzero(candidates.cell_rank <= (measure.cutoff or np.inf))
        place = candidates.cell_place[counts]
        weight = measure.rank_weight(candidates.cell_rank[counts].astype(np.int64))
        return cls(candidates.cell_run[counts].astype(np.int64), place, weight, runs)

    def less(self, first: Integers, second: Integers) -> Lines:
        """Return a line for each pair of lines: the first less the second."""
        order = np.argsort(self.line, kind="stable")
        size = np.bincount(self.line, minlength=self.number)
        start = np.append(0, np.cumsum(size))
        parts = []
        for lines, sign in ((first, 1.0), (second, -1.0)):
            pair, nth = members(size[lines])
            cell = order[start[lines][pair] + nth]
            parts.append((pair, self.place[cell], sign * self.weight[cell]))
        pair, place, weight = (np.concatenate(both) for both in zip(*parts, strict=True))
        documents = int(self.place.max(initial=0)) + 1
        key, cell = np.unique(pair * documents + place, return_inverse=True)
        weight = sums_within(cell, weight, len(key))
        apart = weight != 0
        pair, place = np.divmod(key[apart], documents)
        return Lines(pair, place, weight[apart], len(first))


class Assisted(NamedTuple):
    """Estimates of lines."""

    values: Floats  # (lines, topics)
    variances: Floats  # (lines, topics)
    variance: Floats  # (lines): of the sum over topics
    freedom: Floats  # (lines): degrees of freedom of that
    lower: Floats  # (lines): how much lower the sum may be by what could not be drawn
    higher: Floats  # (lines): how much higher


@dataclass(frozen=True)
class Judge:
    """A sample that experts judged, and cheap labels of all candidates."""

    candidates: Candidates
    sample: Drawn
    labels: CheapLabels
    chance: Floats  # (documents): of being drawn; 0 where it could not be, NaN where that is not known
    measure: Measure  # says what a grade gains
    chances: GradeChances | None = None  # of the experts' grades, by several judges: f follows from these

    @cached_property
    def gains(self) -> Floats:
        """What each document of the sample gains by its expert's grade."""
        return self.sample.gains(self.measure)

    @cached_property
    def reach(self) -> tuple[float, float]:
        """The least and the most that a document can gain."""
        top = self.sample.judgments.top_grade
        ends = np.append(self.gains, self.measure.gain_of(np.array([0.0, top]), top))
        return float(ends.min()), float(ends.max())

    def _of_others(self, values: Floats) -> tuple[Floats, Floats]:
        """Average values of the sample, weighted by 1/π, over the documents of each label on all topics but one.

        One more document, with the mean over all labels, stands in for a label that the other topics lack.
        Shapes: the result (topics, labels).
        """
        sample, topics, groups = self.sample, self.sample.topics, self.labels.groups
        group = sample.judgments.topic * groups + self.labels.code[sample.place]
        totals, sizes = (
            sums_within(group, of, topics * groups).reshape(topics, groups)
            for of in (sample.weight * values, sample.weight)
        )
        totals, sizes = (of.sum(axis=0) - of for of in (totals, sizes))
        sizes = np.where(sizes > 0.5, sizes, 0.0)  # each document counts 1 at least; less is rounding
        overall = ratio((totals * (sizes > 0)).sum(axis=1), sizes.sum(axis=1))[:, np.newaxis]
        return (totals * (sizes > 0) + overall) / (sizes + 1.0), sizes.sum(axis=1) > 0

    @cached_property
    def expected(self) -> Floats:
        """f: the mean gain of each label in the other topics' samples, of shape (topics, labels); 0 without any."""
        return self._expected_of(self.gains)

    def _expected_of(self, values: Floats) -> Floats:
        mean, known = self._of_others(values)
        return np.where(known[:, np.newaxis], mean, 0.0)

    def completed(self, values: Floats) -> Floats:
        """Return f + (y - f)/π by candidate, f alone where not drawn: the sum is the difference estimate of a total."""
        found = self._expected_of(values)[self.candidates.topic, self.labels.code]
        drawn = self.sample.place
        found[drawn] += self.sample.weight * (values - found[drawn])
        return found

    @cached_property
    def predicted(self) -> Floats:
        """f, by candidate."""
        if self.chances is not None:
            return self.chances.gain(self.measure, self.sample.judgments.top_grade)
        return self.expected[self.candidates.topic, self.labels.code]

    @cached_property
    def errors(self) -> Floats:
        """y - f of each document of the sample."""
        return self.gains - self.predicted[self.sample.place]

    @cached_property
    def doubt(self) -> Floats:
        """σ²: the mean square of y - f by label in the other topics' samples, of shape (topics, labels)."""
        return self._of_others(self.errors**2)[0]

    @cached_property
    def _open(self) -> Floats:
        """Weight of each candidate's σ² in the variance: 1/π - 1; with π unknown, (1/π - 1)/π if drawn, else 0."""
        topic, sample = self.candidates.topic, self.sample
        possible = self.chance > 0
        share = ratio(1.0 - np.where(possible, self.chance, 1.0), np.where(possible, self.chance, 1.0))
        unknown = np.isnan(self.chance)
        guessed = np.bincount(topic[unknown], minlength=sample.topics)[topic] > 0
        of_sample = np.zeros(len(topic))
        of_sample[sample.place] = (sample.weight - 1.0) * sample.weight
        return np.where(guessed, of_sample, np.where(unknown, 0.0, share))

    @cached_property
    def likely(self) -> Floats:
        """Each candidate's chance to be drawn; where unknown, the least of its topic, at most the share drawn."""
        sample, topics = self.sample, self.sample.topics
        drawn, there = (np.bincount(of, minlength=topics) for of in (sample.judgments.topic, self.candidates.topic))
        least = (drawn + 1.0) / (there + 1.0)
        np.minimum.at(least, sample.judgments.topic, sample.probability)
        return np.where(np.isnan(self.chance), least[self.candidates.topic], self.chance)

    @cached_property
    def _at(self) -> Integers:
        """By candidate: which document of the sample it is, or -1."""
        at = np.full(len(self.candidates), -1)
        at[self.sample.place] = np.arange(len(self.sample.place))
        return at

    def estimate(self, lines: Lines) -> Assisted:
        r"""Estimate all lines, all topics at once, and the variance of their sums over topics.

        .. math::
            V = \max\Big(\sum_t \sum_h N_h^2 (1 - f_h) \frac{s_h^2}{n_h},\;
                \sum_t \sum_i w_i^2 \big(\tfrac{1}{\pi_i} - 1\big) \hat\sigma^2_{t, \text{label}(i)},\; 2 a\Big)

        The first term is of the line's own documents, s² being the variance of w (y - f) in stratum h, of which a share
        f_h was drawn. The second is of the labels' errors on other topics, for lines of few documents. The third stands
        for two errors of the full scale that the sample may have missed, each adding a (`_one`). Degrees of freedom are
        Satterthwaite's, over the strata.
        """
        topics, sample = self.sample.topics, self.sample
        rows, topic = lines.number * topics, self.candidates.topic[lines.place]
        row, label = lines.line * topics + topic, self.labels.code[lines.place]
        values = sums_within(row, lines.weight * self.predicted[lines.place], rows)
        model = sums_within(row, lines.weight**2 * self._open[lines.place] * self.doubt[topic, label], rows)
        drawn = np.flatnonzero(self._at[lines.place] >= 0)
        document, of_row, weight = self._at[lines.place[drawn]], row[drawn], lines.weight[drawn]
        y = weight * self.errors[document]
        values += sums_within(of_row, y * sample.weight[document], rows)
        by_stratum = sample.variances(of_row, document, y, lines.number).clip(min=0.0)
        design = by_stratum.reshape(lines.number, -1)
        variance = np.maximum(design.sum(axis=1), model.reshape(lines.number, topics).sum(axis=1))
        variance = np.maximum(variance, UNSEEN * self._one(lines, drawn))
        squares = (design**2 / self._freedom).sum(axis=1)
        lower, higher = self.outside(lines, self.chance == 0)
        return Assisted(
            values.reshape(lines.number, topics),
            np.maximum(by_stratum.sum(axis=1), model).reshape(lines.number, topics),
            variance,
            np.where(squares > 0, ratio(design.sum(axis=1) ** 2, squares), np.inf),
            lower,
            higher,
        )

    @cached_property
    def _freedom(self) -> Floats:
        """Degrees of freedom of each stratum's variance: array (topics times strata)."""
        sample = self.sample
        group = sample.judgments.topic * sample.strata + sample.stratum
        return (np.bincount(group, minlength=sample.topics * sample.strata) - 1.0).clip(min=1.0)

    def _one(self, lines: Lines, drawn: Integers) -> Floats:
        """What one error of the full scale adds to the variance, by line: Σa²/Σa, or max a if chance drew none."""
        least, most = self.reach
        scale = (lines.weight * (most - least)) ** 2
        chance = self.sample.probability[self._at[lines.place[drawn]]]
        each = scale[drawn] * (1.0 - chance) / chance**2
        squares, sums = (sums_within(lines.line[drawn], of, lines.number) for of in (each**2, each))
        heaviest = np.zeros(lines.number)
        likely = self.likely[lines.place]
        np.maximum.at(heaviest, lines.line, scale * ratio(1.0 - likely, likely))
        return np.where(sums > 0, ratio(squares, sums), heaviest)

    def outside(self, lines: Lines, which: Booleans) -> tuple[Floats, Floats]:
        """How much lower and higher each line's sum may be if some candidates gain the least, or the most?"""
        out = np.flatnonzero(which[lines.place])
        least, most = self.reach
        place, weight = lines.place[out], lines.weight[out]
        predicted = self.predicted[place]
        ends = weight * (least - predicted), weight * (most - predicted)
        lower, higher = np.minimum(*ends), np.maximum(*ends)
        return sums_within(lines.line[out], -lower, lines.number), sums_within(lines.line[out], higher, lines.number)

    def alone(self) -> Judge:
        """Return the same sample with a judge that says the same of every document."""
        return Judge(self.candidates, self.sample, self.labels.none(), self.chance, self.measure)


def labels_alone(judge: Judge, lines: Lines, found: Assisted) -> float:
    r"""Return how many expert labels a topic the sample alone would need for the same variance; NaN if none was drawn.

    With chances min(1, kπ), the variance of the sample alone is in proportion to

    .. math::
        V(k) = \sum_i w_i^2 \big(\tfrac{1}{\min(1, k \pi_i)} - 1\big)

    Solve V(k) = ρ V(1), where the judge leaves a share ρ of the variance; the labels are Σ min(1, kπ).
    """
    topics, candidates = judge.sample.topics, judge.candidates
    if not len(judge.sample.place):
        return np.nan
    drawn = len(judge.sample.place) / topics
    possible = judge.chance != 0
    uniform = len(judge.sample.place) / possible.sum()
    chance = np.where(np.isnan(judge.chance).any(), uniform, judge.chance)[possible]
    weight = sums_within(lines.place, lines.weight**2, len(candidates))[possible]
    left = ratio(found.variance.mean(), judge.alone().estimate(lines).variance.mean())

    def variance(k: float) -> float:
        return float(weight @ (1.0 / np.minimum(1.0, k * chance) - 1.0))

    aim, low, high = left * variance(1.0), 0.0, 1.0 / chance.min()
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if variance(middle) > aim else (low, middle)
    return float(drawn * np.minimum(1.0, high * chance).sum() / chance.sum())


def interval(values: Floats, variances: Floats, freedom: Floats | float, level: float) -> tuple[Floats, Floats]:
    """Return the ends of a t interval."""
    from scipy.special import stdtrit

    margin = stdtrit(freedom, (1 + level) / 2) * np.sqrt(variances)
    return values - margin, values + margin


def for_topics_like_these(values: Floats, level: float, of_sample: Floats | float = 0.0) -> Floats:
    """Return the ends of the t interval of the mean over topics: array (lines, 2); NaN for a single topic.

    ``of_sample``, the variance that the sample brings to the mean, stands in if all topics have the same estimate.
    """
    topics = values.shape[1]
    if topics < 2:
        return np.full((len(values), 2), np.nan)
    spread = values.var(axis=1, ddof=1) / topics
    error = np.where(spread < EQUAL**2, of_sample, spread)
    return np.stack(interval(values.mean(axis=1), error, topics - 1.0, level), axis=1)


def chances(candidates: Candidates, sample: Drawn, frame: pl.DataFrame | None) -> Floats:
    """How likely was each candidate to be drawn, as far as the sample tells, or the frame that it was drawn from?"""
    if frame is not None:
        there = candidates.ids.with_row_index("place").join(frame, on=[QUERY, DOCUMENT], how="inner")
        chance = np.zeros(len(candidates))
        chance[there["place"].to_numpy()] = there[PROBABILITY].to_numpy()
        return chance
    chance = np.full(len(candidates), np.nan)
    chance[sample.place] = sample.probability
    topic = sample.judgments.topic
    strata = np.bincount(np.unique(topic * sample.strata + sample.stratum) // sample.strata, minlength=sample.topics)
    alone = np.bincount(topic, sample.independent, minlength=sample.topics) == 0
    stands_for = sums_within(topic, sample.weight, sample.topics)
    of_topic = np.bincount(candidates.topic, minlength=sample.topics)
    uniform: Booleans = alone & (strata == 1) & (np.abs(stands_for - of_topic) < 1e-6 * of_topic)
    drawn = np.bincount(topic, minlength=sample.topics)
    return np.where(uniform[candidates.topic], ratio(drawn, of_topic)[candidates.topic], chance)


def against(runs: Sequence[str], baseline: str) -> tuple[Integers, Integers]:
    """Return every run, and the baseline as often."""
    return np.arange(len(runs)), np.full(len(runs), list(runs).index(baseline))

r"""Ratios with a cheap judge: AP, nDCG, R and Bpref completed from what its labels let expect, corrected by a sample.

Each candidate gets

.. math:: \hat y_i = f_i + [i \in s] \frac{y_i - f_i}{\pi_i}

in place of the value y that experts would give it (1 if it is relevant, say): f is the mean of its label in the samples
of all other topics, the chance of an expert's grade given the label. A total of these has no bias, whatever the labels'
errors. A ratio of totals has a bias, though a small one: it is *modelled*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Floats, Integers, ratio, sums_within
from cranfield.plumbing.wording import counted, percent
from cranfield.selection.assisted import UNSEEN, Judge
from cranfield.selection.candidates import Candidates
from cranfield.selection.judged_sample import cells_of, delete_a_group

LEAST_DRAWN: Final = 20
"""How many documents of a topic must have been drawn, on average, before the interval of a ratio holds ..."""
LEAST_SHARE: Final = 0.25
"""... and which share of the candidates."""


class RankedCells(NamedTuple):
    """What the runs have at which ranks: by row (a run on a topic) and rank."""

    row: Integers
    rank: Integers  # from 1
    place: Integers  # of the document among the candidates
    runs: int  # how many there are

    @classmethod
    def of(cls, candidates: Candidates, measure: Measure) -> RankedCells:
        """Go down the lists to the measure's cutoff."""
        row, rank, place = cells_of(candidates, np.arange(len(candidates)))
        counts = rank <= (measure.cutoff or np.inf)
        return cls(row[counts], rank[counts], place[counts], len(candidates.runs))

    def above(self, values: Floats) -> Floats:
        """Add up, for each cell, the values of the cells above it in its row."""
        before = np.cumsum(values) - values
        return before - before[np.searchsorted(self.row, self.row)]


class Modelled(NamedTuple):
    """Estimates of a ratio."""

    values: Floats  # (runs, topics)
    variance: Floats  # (runs): of the mean over topics
    differences: Floats | None  # (runs): variance of the mean difference from the baseline


def modelled(judge: Judge, seed: int, baseline: int | None = None) -> Modelled:
    """Estimate a ratio of all runs, and how its means over topics vary.

    Variances are those of `delete_a_group`, but no less than what two unseen disagreements bring to a mean: 1/T each.
    """
    ratio_of, lists = RATIOS[str(judge.measure.estimator)], RankedCells.of(judge.candidates, judge.measure)
    found = delete_a_group(judge.sample, lambda sample: ratio_of(replace(judge, sample=sample), lists), seed)
    topics, chance = judge.sample.topics, judge.sample.probability
    left = chance if (chance < 1.0).any() or judge.sample.whole.all() else judge.likely
    least = UNSEEN * float((1.0 - left).mean()) / topics**2
    apart = None
    if baseline is not None:
        apart = np.maximum(found.less(baseline), least)
        apart[baseline] = 0.0
    return Modelled(found.whole.reshape(lists.runs, topics), np.maximum(found.variance, least), apart)


def why_none(judge: Judge) -> str | None:
    """Say why the interval of a modelled ratio would not hold, if it would not."""
    sample = judge.sample
    there = np.bincount(judge.candidates.topic, minlength=sample.topics)
    drawn, share = len(sample.place) / max(sample.topics, 1), len(sample.place) / len(judge.candidates)
    if sample.topics < 2:
        return "there is only one topic"
    if out := int((judge.chance == 0).sum()):
        return f"{counted(out, 'candidate')} could not be drawn"
    if sample.whole.all():
        return None
    if sample.uniform:
        return "the sample is uniform, which gives no valid interval with a bad judge: draw a weighted or a prior one"
    if drawn < np.minimum(there, LEAST_DRAWN).mean() or share < LEAST_SHARE:
        return (
            f"{drawn:.0f} documents of a topic were drawn, {percent(share)} of the candidates; a valid interval needs "
            f"{LEAST_DRAWN} and {percent(LEAST_SHARE)}"
        )
    return None


def average_precision(judge: Judge, lists: RankedCells) -> Floats:
    """Estimate AP, by row: Σ ŷ (1 + Σ ŷ above) / rank, by Σ ŷ of all candidates."""
    relevant, base = _relevant(judge)
    here = relevant[lists.place]
    return _by_topic(lists, here * ((1.0 + lists.above(here)) / lists.rank), base)


def share_of_relevant(judge: Judge, lists: RankedCells) -> Floats:
    """Estimate recall, by row."""
    relevant, base = _relevant(judge)
    return _by_topic(lists, relevant[lists.place], base)


def preferences(judge: Judge, lists: RankedCells) -> Floats:
    """Estimate Bpref, by row: what is not relevant is completed in the same way."""
    relevant, base = _relevant(judge)
    vain = (judge.gains <= 0) & (judge.sample.judgments.grade >= 0)
    others = judge.completed(vain.astype(np.float64))
    not_relevant = np.maximum(_at_least(judge, others, vain.astype(np.float64)), _one_at_least(judge))
    comparable = np.minimum(not_relevant, base)
    topic = lists.row % len(base)
    passed_by = np.minimum(lists.above(others[lists.place]).clip(min=0.0), base[topic])
    return _by_topic(lists, relevant[lists.place] * (1.0 - ratio(passed_by, comparable[topic])), base)


def share_of_ideal(judge: Judge, lists: RankedCells) -> Floats:
    """Estimate nDCG and its kin, by row; in the ideal list, documents may fill a part of a rank."""
    measure, gains, topics = judge.measure, judge.gains, judge.sample.topics
    gain = judge.completed(gains)[lists.place]
    steps = np.unique(gains[gains > 0])[::-1]
    reached = [(gains >= step).astype(np.float64) for step in steps]
    counts = np.array([_at_least(judge, judge.completed(of), of) for of in reached]).reshape(len(steps), topics)
    counts[-1:] = np.maximum(counts[-1:], _one_at_least(judge))
    counts = np.maximum.accumulate(counts, axis=0)
    last = measure.cutoff or int(np.ceil(counts.max(initial=0.0)))
    up_to = np.append(0.0, np.cumsum(measure.rank_weight(np.arange(1, last + 1))))
    filled = np.interp(counts, np.arange(last + 1), up_to)
    ideal = steps @ np.diff(filled, axis=0, prepend=0.0) if len(steps) else np.zeros(topics)
    return _by_topic(lists, gain * measure.rank_weight(lists.rank), ideal)


RATIOS: Final[dict[str, Callable[[Judge, RankedCells], Floats]]] = {
    "average precision": average_precision,
    "share of the ideal": share_of_ideal,
    "share of the relevant": share_of_relevant,
    "preferences": preferences,
}
"""How each of the ratios is estimated."""


def _relevant(judge: Judge) -> tuple[Floats, Floats]:
    """Return ŷ of every candidate, y being 1 if it is relevant, and how many are, by topic."""
    relevant = (judge.gains > 0).astype(np.float64)
    found = judge.completed(relevant)
    return found, np.maximum(_at_least(judge, found, relevant), _one_at_least(judge))


def _at_least(judge: Judge, completed: Floats, values: Floats) -> Floats:
    """Count by topic, no fewer than were drawn."""
    found = sums_within(judge.candidates.topic, completed, judge.sample.topics)
    return np.maximum(found, sums_within(judge.sample.judgments.topic, values, judge.sample.topics))


def _one_at_least(judge: Judge) -> Floats:
    """Return, by topic, the least number of relevant documents to estimate a share of: 1, unless it was drawn whole."""
    return np.where(judge.sample.whole, 0.0, 1.0)


def _by_topic(lists: RankedCells, values: Floats, base: Floats) -> Floats:
    """Add up each row and divide by its topic's base, not cut off at 0 and 1: that would bias runs near 0."""
    return ratio(sums_within(lists.row, values, lists.runs * len(base)), np.tile(base, lists.runs))

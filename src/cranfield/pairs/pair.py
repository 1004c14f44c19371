"""Two runs by one measure: the lead of one, under the judgments as they are and as they could be."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final

import numpy as np

from cranfield.judged.completions import Kind, surely
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.options import SEED
from cranfield.scoring.blocks import as_taken
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import direction


@dataclass(frozen=True, eq=False)
class Pair:
    """Two runs by one measure on the topics that count. More is better, whichever way the measure goes.

    Differences are of values, so that they say nothing of means of logarithms.
    """

    measure: Measure  # At the relevance level of the runs
    one: JudgedRankings
    other: JudgedRankings  # Both of the same judgments, in which note is taken of what was retrieved
    topics: Integers  # The topics that count, by their places
    weights: Floats | None = None

    def mean(self, by_topic: Floats) -> float:
        """Average over the topics that count, by their weights."""
        return float(by_topic.mean() if self.weights is None else by_topic @ self.weights / self.weights.sum())

    @property
    def judgments(self) -> Judgments:
        """Those of both runs."""
        return self.one.judgments

    def turned(self) -> Pair:
        """Return the same pair, seen from the other run."""
        return replace(self, one=self.other, other=self.one)

    def judged(self, grade: Floats) -> Pair:
        """Return the same pair under other grades: NaN makes a document unjudged."""
        judgments = self.judgments.with_grades(grade)
        return replace(self, one=self.one.by(judgments), other=self.other.by(judgments))

    def found(self, relevant: Integers) -> Pair:
        """Return the same pair, were these documents found to have the largest grade; others stay as they are."""
        return self.judged(_with(self.judgments.grade, relevant, self.judgments.scale))

    def found_not_relevant(self, documents: Integers) -> Pair:
        """Return the same pair, were these documents found not to be relevant; others stay as they are."""
        return self.judged(_with(self.judgments.grade, documents, 0.0))

    def open_only(self, documents: Integers) -> Pair:
        """Return the same pair, were all but these unjudged documents found not to be relevant."""
        return self.judged(_with(np.nan_to_num(self.judgments.grade), documents, np.nan))

    def lead(self) -> Floats:
        """How far is the one ahead, by topic that counts? A topic that a run lacks is worth 0 to it."""
        one, other = (self.measure.by_run(each)[0] for each in (self.one, self.other))
        lead: Floats = direction(self.measure) * (one - other)[self.topics]
        return lead

    def least_by_topic(self) -> Floats:
        """By topic, the least lead of the one had all retrieved been judged, each with one grade in all runs."""
        return self._least[0][self.topics]

    def least(self) -> float:
        """The smallest possible lead of the one, by means."""
        return self.mean(self.least_by_topic())

    def most(self) -> float:
        """The largest possible lead of the one, by means."""
        return -self.turned().least()

    @property
    def regradable(self) -> bool:
        """Whether other grades can be tried: not with judgments by subtopic."""
        return not self.measure.by_subtopic

    @property
    def kind(self) -> Kind:
        """What is sure about the least and the most."""
        return self._least[1]

    @property
    def attained(self) -> bool:
        """Whether some judgments bring about the least; the range of an endless user model also holds longer lists."""
        return self.kind == "exact" and not self.measure.endless

    @property
    def reached(self) -> bool:
        """Whether the least that some judgments bring about is known: `least`, or that `if_all_against`."""
        sums = self.measure.contributions(self.one) is not None and self.measure.gains_rise(self.judgments)
        return self.attained or sums

    @cached_property
    def _least(self) -> tuple[Floats, Kind]:
        pair = (self.one, self.other) if direction(self.measure) > 0 else (self.other, self.one)
        return least_difference_of(self.measure, *pair)

    @property
    def same(self) -> Booleans:
        """By topic that counts, whether both lists are the same down to the cutoff, so that no grade tells them."""
        return the_same(self.measure, self.one, self.other)[self.topics]

    def against(self) -> Integers:
        """Return the unjudged documents that, being earlier in the other run, would speak for it if relevant."""
        documents, weight = self.swing()
        return documents[weight > 0]

    def swing(self) -> tuple[Integers, Floats]:
        """Return unjudged documents that weigh more in one list: places in the judgments, and weights.

        A weight is that in the other's list less that in the one's; the largest swings, either way, come first.
        """
        ranks = np.full((2, len(self.judgments)), np.inf)
        for row, run in enumerate((self.one, self.other)):
            ranks[row, run.judgment] = run.rank
        there = self._unjudged()
        rank, weight = ranks[:, there], np.zeros((2, len(there)))
        counts = np.isfinite(rank) & (rank <= (self.measure.cutoff or np.inf))  # below the cutoff nothing weighs
        weight[counts] = self.measure.rank_weight(rank[counts].astype(np.int64))
        swing = weight[1] - weight[0]
        if self.weights is not None:
            of_topic = np.zeros(len(self.judgments.topics))
            of_topic[self.topics] = self.weights
            swing = swing * of_topic[self.judgments.topic[there]]
        largest = np.argsort(-np.abs(swing), kind="stable")[: int((swing != 0).sum())]
        return there[largest], swing[largest]

    def _unjudged(self) -> Integers:
        """Return the unjudged documents of either list on the topics that count, by their places in the judgments."""
        there = np.zeros(len(self.judgments), bool)
        for run in (self.one, self.other):
            there[run.judgment[np.isin(np.arange(run.rows), self.topics)[run.row]]] = True
        return np.flatnonzero(there & self.judgments.open)

    def unjudged_shares(self) -> tuple[float, float]:
        """Which share of the documents of the one, and of the other, is unjudged down to the cutoff?"""
        shares = []
        for run in (self.one, self.other):
            counts = np.isin(np.arange(run.rows), self.topics)
            there = int(np.minimum(run.length, self.measure.cutoff or np.inf)[counts].sum())
            known = counts[run.row] & (run.rank <= (self.measure.cutoff or np.inf))
            shares.append(1 - int((known & ~self.judgments.open[run.judgment]).sum()) / there if there else 0.0)
        return shares[0], shares[1]

    def of_what_is_listed(self) -> Pair:
        """Return the same pair, were nothing to follow the ends of both lists."""
        if not self.measure.endless:
            return self
        judgments = self.judgments.with_lists_ended()
        return replace(self, one=self.one.by(judgments), other=self.other.by(judgments))

    def to_depth(self) -> Pair:
        """Return the same pair, were the unjudged documents that neither list has above the cutoff not relevant."""
        cutoff = self.measure.cutoff
        if cutoff is None or not self.regradable:
            return self
        first = np.concatenate([run.judgment[run.rank <= cutoff] for run in (self.one, self.other)])
        return self.open_only(np.intersect1d(self._unjudged(), first))

    def if_all_against(self) -> float:
        """Return the mean lead of the one if just the documents are relevant that speak against it."""
        grade = np.nan_to_num(self.judgments.grade)
        return self.mean(self.judged(_with(grade, self.against(), self.judgments.scale)).lead())

    def named(self, documents: Integers) -> tuple[list[str], list[str]]:
        """Name documents, given by their places: their topics, and their ids."""
        judgments = self.judgments
        return [judgments.topics[code] for code in judgments.topic[documents]], judgments.ids(documents)


class Rivals:
    """Joined runs on the topics that count, any two of which are a pair."""

    def __init__(self, runs: JudgedRuns, topics: Sequence[str], weights: Floats | None = None) -> None:
        noted = runs.with_retrieved
        self._weights = weights
        self._grading = runs.grading
        self._rankings = [noted.of_run(number) for number in range(len(noted.runs))]
        self._topics = np.array([noted.judgments.code_of_topic[topic] for topic in topics], np.int64)

    def of(self, measure: Measure, one: int, other: int) -> Pair:
        """Return two of the runs, by their places, by a measure at the relevance level of the runs."""
        [measure] = as_taken([measure], self._grading)
        return Pair(measure, self._rankings[one], self._rankings[other], self._topics, self._weights)


def fewest(documents: Integers, enough: Callable[[Integers], bool]) -> int | None:
    """Count how many of these documents, from the first on, suffice; None if not even all do."""
    if not enough(documents):
        return None
    return bisect_left(range(len(documents) + 1), True, key=lambda many: enough(documents[:many]))


def fewest_of_each(many: Integers, enough: Callable[[Integers, Integers], Booleans]) -> list[int | None]:
    """Count as `fewest` does, for lists of these lengths at once: `enough` says of which the first few suffice."""
    suffice = enough(np.arange(len(many)), many)
    least, most = np.zeros_like(many), np.where(suffice, many + 1, 0)
    while len(left := np.flatnonzero(least < most)):
        middle = (least + most)[left] // 2
        found = enough(left, middle)
        least[left], most[left] = np.where(found, least[left], middle + 1), np.where(found, middle, most[left])
    return [number if some else None for number, some in zip(least.tolist(), suffice.tolist(), strict=True)]


def least_of_each(pairs: Sequence[Pair], not_relevant: Sequence[Integers] | None = None) -> Floats:
    """Return `Pair.least` of pairs of the same judgments by one measure, documents of each found not to be relevant."""
    whole = [
        number for number, pair in enumerate(pairs)
        if pair.measure.of_topic or (pair.one.all_present and pair.other.all_present)
    ]  # fmt: skip
    both = [(pairs[number].one, pairs[number].other) for number in whole]
    known = None if not_relevant is None else [not_relevant[number] for number in whole]
    rows = pairs[0].measure.least_differences(both, known) if whole else None
    by_topic = {} if rows is None else dict(zip(whole, rows, strict=True))
    least = np.zeros(len(pairs))
    for number, pair in enumerate(pairs):
        if number in by_topic:
            least[number] = pair.mean(by_topic[number][pair.topics])
        else:
            least[number] = (pair if not_relevant is None else pair.found_not_relevant(not_relevant[number])).least()
    return least


def least_difference_of(measure: Measure, mine: JudgedRankings, other: JudgedRankings) -> tuple[Floats, Kind]:
    """Return the least difference of the values of two runs by topic; the value of a topic that a run lacks is 0."""
    same = the_same(measure, mine, other)
    if same.all():
        return np.zeros(mine.rows), "exact"
    least, kind = measure.least_difference(mine, other)
    if not measure.of_topic and not (mine.present.all() and other.present.all()):
        my, their = measure.bounds(mine), measure.bounds(other)
        alone = np.where(mine.present, my.low, 0.0) - np.where(other.present, their.high, 0.0)
        least, kind = np.where(mine.present & other.present, least, alone), surely(kind, my.kind, their.kind)
    return np.where(same, 0.0, least), kind


def the_same(measure: Measure, mine: JudgedRankings, other: JudgedRankings) -> Booleans:
    """By topic, whether the lists of two runs are the same down to the cutoff, so that no grade puts them apart."""
    if measure.endless and not (mine.judgments.ended or mine.judgments.complete):
        return np.zeros(mine.rows, np.bool_)  # what follows their ends may differ
    cutoff = None if measure.judged_only else measure.cutoff
    marks = [run.once(("mark", cutoff), partial(_marks, run, cutoff)) for run in (mine, other)]
    same: Booleans = (mine.present == other.present) & (marks[0] == marks[1]).all(axis=0)
    one, two = (np.stack([run.judgment, run.rank])[:, same[run.row]] for run in (mine.cut(cutoff), other.cut(cutoff)))
    return same & np.array_equal(one, two)


def _marks(whole: JudgedRankings, cutoff: int | None) -> Floats:
    """Return numbers by which lists that differ can nearly always be told: lengths, and sums over documents."""
    rankings = whole.cut(cutoff)
    return np.stack(
        [rankings.length, np.bincount(rankings.row, rankings.judgment * np.sqrt(rankings.rank), rankings.rows)]
    )


def _with(grade: Floats, documents: Integers, value: float) -> Floats:
    changed = grade.copy()
    changed[documents] = value
    return changed


TIMES: Final = 200
"""Number of completions, 95% of which are 190: a verdict that holds in .99 of all is nearly always found plausible."""


def resembling(pair: Pair, times: int = TIMES, seed: int = SEED) -> Floats | None:
    """Draw the lead of the one if unjudged documents had the grades of judged ones like them: array (times, topics).

    Similar documents have the same topic and a similar rank: a document's rank is the better one of both lists, and
    ranks 1, 2 to 3, 4 to 7, 8 to 15 and so on are grouped. In each completion the shares of the grades are drawn
    first, from Dirichlet's distribution around what was judged there (and, weighing one document, at such ranks in
    all topics), so that a few judged documents leave the shares open; then a grade for each unjudged document. What
    neither list has above the cutoff counts as not relevant.
    """
    grade, rank = pair.judgments.grade, np.full(len(pair.judgments), np.inf)
    for run in (pair.one, pair.other):  # the better of both ranks; infinite below the cutoff, and elsewhere
        listed = np.flatnonzero(np.isin(run.row, pair.topics) & (run.rank <= (pair.measure.cutoff or np.inf)))
        np.minimum.at(rank, run.judgment[listed], run.rank[listed])
    counts = np.isfinite(rank)
    known = np.flatnonzero(counts & ~np.isnan(grade))
    unknown = np.flatnonzero(counts & pair.judgments.open)
    if not pair.regradable or not (grade[known] <= 0).any():
        return None
    there = np.concatenate([known, unknown])
    band = np.zeros(len(grade), np.int64)
    band[there] = np.log2(rank[there]).astype(np.int64)
    topics, bands = len(pair.judgments.topics), int(band.max(initial=0)) + 1
    grades, code = np.unique(grade[known], return_inverse=True)
    judged = np.zeros((topics, bands, len(grades)))
    np.add.at(judged, (pair.judgments.topic[known], band[known], code), 1.0)
    of_band = judged.sum(axis=0)
    overall = of_band.sum(axis=0)
    of_band = of_band + overall / overall.sum()  # a band in which nothing was judged has the shares of all
    cells, cell = np.unique(pair.judgments.topic[unknown] * bands + band[unknown], return_inverse=True)
    shape = (judged + of_band / of_band.sum(axis=-1, keepdims=True)).reshape(topics * bands, -1)[cells]
    random = np.random.default_rng(seed)
    base = np.nan_to_num(grade)
    drawn = []
    for _ in range(times):
        share = random.standard_gamma(shape).cumsum(axis=1)
        at = random.random(len(unknown)) * share[cell, -1]
        base[unknown] = grades[(at[:, np.newaxis] > share[cell]).sum(axis=1).clip(max=len(grades) - 1)]
        drawn.append(pair.judged(base.copy()).lead())
    return np.array(drawn)

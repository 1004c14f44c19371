"""Preferences: are relevant documents ranked before non-relevant ones? Unjudged documents do not count."""

from __future__ import annotations

from typing import ClassVar, Final, NamedTuple

import numpy as np

from cranfield.judged.completions import Bounds, open_documents
from cranfield.judged.judgments import is_relevant
from cranfield.judged.rankings import Cells, JudgedRankings
from cranfield.measures.framework.measure import Measure, Summary
from cranfield.measures.framework.parameters import cutoff, level
from cranfield.measures.framework.prefix_sums import sums_by_length
from cranfield.plumbing.arrays import Floats, Integers, ratio

_BETWEEN: Final = 64  # Numbers of missed relevant documents that are tried; values between them are enclosed


class BinaryPreference(Measure, registered=False):
    """Binary preferences, whatever way they are averaged over topics."""

    bounds_are = "an enclosure"
    rel: float | None = level()

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Share of the preferences that hold."""
        judgments = rankings.judgments
        relevant_of_topic = judgments.recall_base(self.rel)
        judged_of_topic = judgments.remembered("not negative", lambda: judgments.count(judgments.grade >= 0))
        base = rankings.of_topics(relevant_of_topic)
        comparable = np.minimum(rankings.of_topics(judged_of_topic - relevant_of_topic), base)

        hits, all_above = rankings.relevant(self.rel), rankings.once("judged above", lambda: _judged_above(rankings))
        if self.rel is not None:
            all_above = all_above.take(rankings.reaching(self.rel))
        above = all_above - (hits.nth - 1)  # judged above it, less the relevant ones
        violated = ratio(np.minimum(above, base.take(hits.row)), comparable.take(hits.row))
        return ratio(hits.sum(1 - violated), base)

    def bounds(self, rankings: JudgedRankings) -> Bounds:
        """Sound: every document on its own is passed by as few, or as many, as it could be.

        A candidate can also stay unjudged, and is then passed over. The highest value has the first
        candidates relevant (for every number of them all over), and no other one above a relevant
        document judged. For the lowest, no
        candidate of the list is relevant, and those of other runs make R larger: what a document
        adds rises with R and then falls, so that between two numbers that are tried it is least at
        one of them.
        """
        counted = _Preferences.of(rankings, self.rel)
        return Bounds(counted.lowest(), counted.highest(), "enclosure")


def _judged_above(rankings: JudgedRankings) -> Integers:
    """For each document of a grade above 0, how many judged ones stand above it, those of negative grades left out."""
    judged = rankings.judged.where(rankings.judged.grade >= 0)
    return judged.above(np.flatnonzero(is_relevant(judged.grade, None)))


class _Preferences(NamedTuple):
    """What Bpref knows of the lists of a run."""

    # base, others: for each row, how many documents are known to be relevant, and not to be
    base: Floats
    others: Floats
    hits: Cells  # the relevant cells
    # above, open_above: for each of them, how many documents above it are known not to be relevant, and how many
    # candidates stand there
    above: Floats
    open_above: Floats
    passed: Floats  # for each candidate of the list, in a table, how many above it are known not to be relevant
    # own, all: for each row, how many candidates of the list, and of the topic, could be relevant
    own: Integers
    all: Integers
    candidates: Integers  # for each row, how many candidates the topic has

    @classmethod
    def of(cls, rankings: JudgedRankings, rel: float | None) -> _Preferences:
        """Count what stands above what."""
        judgments, open_, longest = rankings.judgments, open_documents(rankings), int(rankings.length.max(initial=0))
        base = judgments.recall_base(rel)
        hits = rankings.relevant(rel)
        in_vain = rankings.judged.where((rankings.judged.grade >= 0) & ~is_relevant(rankings.judged.grade, rel))
        vain = sums_by_length(in_vain, np.ones(len(in_vain)), longest)
        unjudged = sums_by_length(open_.cells, np.ones(len(open_.row)), longest)
        can_be = bool(is_relevant(np.asarray(judgments.scale), rel))
        return cls(
            base,
            judgments.count(judgments.grade >= 0) - base,
            hits,
            vain[hits.row, hits.rank],
            unjudged[hits.row, hits.rank],
            open_.table(vain[open_.row, open_.rank]),
            open_.own * can_be,
            open_.all * can_be,
            open_.all,
        )

    def highest(self) -> Floats:
        """Try every number of relevant candidates, the first of the list and then those it lacks."""
        count = np.minimum(np.arange(int(self.all.max(initial=0)) + 1), self.all[:, np.newaxis])
        number = np.minimum(count, self.own[:, np.newaxis])
        relevant = self.base[:, np.newaxis] + count
        comparable = np.minimum(relevant, self.others[:, np.newaxis] + self.candidates[:, np.newaxis] - count)
        known = self._kept_known(comparable)
        there = np.arange(self.passed.shape[1]) < self.own[:, np.newaxis]
        # Column m: of the first m candidates, those that are passed by fewer than are comparable;
        # the deeper they stand, the more pass them.
        sums = np.hstack([np.zeros((len(self.own), 1)), np.where(there, self.passed, 0.0).cumsum(axis=1)])
        few = np.minimum(_how_many_below(np.where(there, self.passed, np.inf), comparable), number)
        added = np.where(comparable > 0, few - ratio(np.take_along_axis(sums, few, axis=1), comparable), number)
        return np.asarray(ratio(known + added, relevant).max(axis=1))

    def _kept_known(self, comparable: Floats) -> Floats:
        """Add up what is kept of the preferences for the known relevant documents, by row and choice."""
        above = np.full((self.hits.rows, int(self.hits.nth.max(initial=0))), np.inf)
        above[self.hits.row, self.hits.nth - 1] = self.above
        few = _how_many_below(above, comparable)
        sums = np.hstack([np.zeros((len(above), 1)), np.where(np.isfinite(above), above, 0.0).cumsum(axis=1)])
        kept = few - ratio(np.take_along_axis(sums, few, axis=1), comparable)
        return np.where(comparable > 0, kept, self.hits.count[:, np.newaxis])

    def lowest(self) -> Floats:
        """Try numbers of others, from none to all candidates, and take the least of each stretch between two."""
        choices = np.geomspace(1, np.maximum(self.all, 1), _BETWEEN, axis=1).round()
        base = self.base[:, np.newaxis] + np.minimum(np.insert(choices, 0, 0.0, axis=1), self.all[:, np.newaxis])
        row = self.hits.row
        above = (self.above + self.open_above)[:, np.newaxis]
        others = (self.others[row] + self.open_above)[:, np.newaxis]
        each = ratio(1 - ratio(np.minimum(above, base[row]), np.minimum(base[row], others)), base[row])
        total = np.zeros(base.shape)
        np.add.at(total, row, np.minimum(each, np.hstack([each[:, 1:], each[:, -1:]])))
        return np.asarray(total.min(axis=1).clip(min=0.0))


def _how_many_below(rising: Floats, limit: Floats) -> Integers:
    """Count, row by row, how many entries are below each of the limits."""
    return np.array([np.searchsorted(entries, limits) for entries, limits in zip(rising, limit, strict=True)], np.intp)


class Bpref(BinaryPreference):
    """How rarely does a document judged not relevant rank above a relevant one?

    Bpref = (1/R) Σ [1 - min(n, R) / min(N, R)] over the relevant documents retrieved

    Above each such document are n documents judged not relevant; the topic has N of them. Unjudged
    documents, and those of negative grade, are skipped.

    Paper: Buckley and Voorhees (2004), "Retrieval evaluation with incomplete information", SIGIR;
    trec_eval, bpref.

    >>> Bpref().of([1, 0, None, 1, 0])  # R = 2, N = 2: (1 + (1 - 1/2)) / 2
    0.75
    """

    aliases = ("BPref",)
    trec = "bpref"
    estimator = "preferences"


class gmBpref(BinaryPreference):  # noqa: N801 - as the field writes it
    """How rarely does a document judged not relevant rank above a relevant one, with emphasis on the worst topics?

    gmBpref = exp(mean over topics of log(max(Bpref, 0.00001)))

    The value of one topic is its Bpref.

    Paper: trec_eval, gm_bpref; compare Robertson (2006), "On GMAP: and other transformations",
    CIKM.

    >>> gmBpref().of([1, 0, None, 1, 0])  # R = 2, N = 2: (1 + (1 - 1/2)) / 2
    0.75
    """

    trec = "gm_bpref"
    summary: ClassVar[Summary] = "geometric mean"


class Accuracy(Measure):
    """How often does a relevant document in the list precede a non-relevant one?

    Accuracy = 1 - (1 / (r·n)) Σ (not relevant documents above it) over the relevant documents, r of
    them and n others

    It looks at nothing but the retrieved documents (the first k with @k), and takes unjudged ones
    as not relevant. A list with nothing relevant has 0, one with nothing else 1.

    Paper: ir_measures, Accuracy.

    >>> round(Accuracy().of([1, 0, 1, 0, 0]), 4)  # r = 2, n = 3: 1 - (0 + 1) / 6
    0.8333
    """

    cutoff: int | None = cutoff()
    rel: float | None = level()
    uses_recall_base = False
    rewards_promotion = False

    def compute(self, rankings: JudgedRankings) -> Floats:
        """Share of the pairs in order."""
        relevant = rankings.relevant(self.rel)
        pairs = relevant.count * (rankings.length - relevant.count)
        inverted = relevant.sum((relevant.rank - relevant.nth).astype(float))
        return np.where(relevant.count > 0, 1 - ratio(inverted, pairs), 0.0)

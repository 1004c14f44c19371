r"""What do candidates in random order say of all of them? How many relevant ones can be left, and which run leads?

A method chooses by what it expects, so its choices tell nothing about what it leaves. The *audit*
goes through all candidates, of all topics together, in an order that the seed alone gives. It
needs no record of its own: it follows from the seed, the candidates, and the judgments in their
order. A candidate that comes late has a random place in the order, too. One order for all
topics, and not one for each, since a bound on the sum over topics then has one sample, and no level to
share out among topics.

How it is read. At any time the first ``ahead`` documents of the order that are unjudged may be in
somebody's hands. A document is *drawn* when it comes to be one of them, and is so before anybody
can know that it is next; so it is a uniform draw from all candidates that were neither drawn nor
judged until then. A document that a method chose earlier is *known*, and is passed over. Judgments
given at the start have no order in time; the audit takes each for a draw when it comes to it. Grades are
read in the order of the draws, up to the first that is not judged yet: that is the longest prefix
that is wholly judged, whoever judged it.

Why the level survives any number of looks. Let K of N candidates be relevant, and let there be r
candidates left and f relevant ones found when a document is drawn. It is relevant with probability
p(K) = (K - f) / r, whatever happened before. So the product over draws of q / p(K), where q is any
probability of what came that was named before, is a martingale that begins at 1, and by Ville's
inequality the probability that it ever reaches 1/α is at most α. This is so for all lengths of the prefix at
once: somebody who knows all grades may choose which document is judged next, and when to look. The
documents that are neither drawn nor known are the same to him as long as he does not know their order.
The bounds are taken along the whole prefix, the smallest counts, and only for this does the
argument hold: the end of a prefix alone may have been chosen.

Paper: Waudby-Smith and Ramdas (2020), "Confidence sequences for sampling without replacement",
NeurIPS; (2024), "Estimating means of bounded random variables by betting", JRSS B 86(1).
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import STRATUM
from cranfield.selection.candidates import Candidates
from cranfield.selection.sampling import PROBABILITY

AHEAD: Final = 10
"""How many documents of the audit may be in people's hands at once, unless the session says otherwise."""
NEVER: Final = np.iinfo(np.int64).max
"""When a document is judged that is not judged yet."""


@record
@dataclass(frozen=True, eq=False)
class Draws:
    """The draws of an audit as far as they are wholly judged, in their order."""

    population: int  # candidates to draw from
    judged: int  # of these
    found: int  # known to be relevant, by the audit or otherwise
    skipped: int  # documents that the audit came to and nobody judged
    place: Integers  # by draw, among the candidates
    when: Integers  # by draw: after how many records
    known: Integers  # by draw: how many candidates were drawn before, or known
    hits: Integers  # by draw: how many of these are relevant
    relevant: Booleans  # by draw; a skipped one is taken for relevant, here and in ``hits``

    @property
    def unjudged(self) -> int:
        """How many candidates are not judged."""
        return self.population - self.judged

    def most_left(self, level: float = 0.05) -> int:
        r"""Bound how many of the unjudged candidates can be relevant, at a level that holds however often one looks.

        The largest K that no draw has ruled out, less the relevant documents that are known. K is ruled out once

        .. math::
            \frac{1}{D} \sum_{d} \prod_j \frac{q_j(K - d)}{q_j(K)} \ge \frac{1}{\alpha}

        where q_j(K) is the probability that K gives to what the j-th draw was, and d = 1, 2, 4, ... are D numbers up to
        that of the candidates. The left side rises with K. A document that the audit came to and skipped is relevant.
        """
        ruled_out = bisect_left(
            range(self.unjudged + self.found + 1),
            -math.log(level),
            lo=self.found + self.skipped + 1,
            key=lambda total: float(self.against(total).max(initial=0.0)),
        )
        return ruled_out - 1 - self.found

    def against(self, total: int) -> Floats:
        """Return the log of the martingale after each draw, if this many candidates were relevant."""
        fewer = 2.0 ** np.arange(self.population.bit_length())[:, np.newaxis]
        left, good = self.population - self.known, total - self.hits  # left to draw; relevant among them, if so
        bad = left - good
        ratio = np.where(
            self.relevant,
            np.maximum(good - fewer, 0.0) / np.maximum(good, 1),
            np.minimum(bad + fewer, left) / np.maximum(bad, 1),
        )
        with np.errstate(divide="ignore"):
            log = np.cumsum(np.log(ratio), axis=1)
        return mean_of_logs(log)


@dataclass(frozen=True, eq=False)
class RandomAudit:
    """The candidates in random order, and what is judged of them when: see this module."""

    order: Integers  # places of the population: all candidates, or those that may be judged (``among``)
    ahead: int  # how many unjudged documents may be in people's hands
    time: Integers  # by place: after how many records it was judged or skipped, from 1; 0 at the start, `NEVER` if not
    grade: Floats  # by place; NaN where there is none

    @classmethod
    def of(cls, order: Integers, ahead: int, grade: Floats, recorded: Sequence[int]) -> RandomAudit:
        """Say when each document was judged: the places of what was recorded stand in the order of the records."""
        time = np.full(len(grade), NEVER)
        time[~np.isnan(grade)] = 0
        time[recorded] = np.arange(1, len(recorded) + 1)
        return cls(order, ahead, time, grade.copy())

    def next(self, n: int) -> Integers:
        """Return the first n places of the order that are neither judged nor skipped."""
        open_: Integers = self.order[self.time[self.order] == NEVER]
        return open_[:n]

    def due(self, n: int, share: float, records: int, held: Booleans) -> int:
        """Say how many of the next n documents the audit needs for its share of all; those held, by place, count."""
        drawn = self._drawn[0]
        audited = int(((self.time[drawn] != NEVER) | held[drawn]).sum())
        return max(0, min(math.ceil(share * (records + n) - 1e-9) - audited, n, self.ahead))

    def sample(self, candidates: Candidates) -> pl.DataFrame:
        """Return the longest prefix of the order that is judged as a sample, in which all have the same chance."""
        judged = ~np.isnan(self.grade[self.order])
        places = self.order[: len(judged) if judged.all() else int(judged.argmin())]
        return candidates.ids_of(places).with_columns(
            pl.lit(len(places) / max(len(judged), 1)).alias(PROBABILITY), pl.lit(None, pl.Int64).alias(STRATUM)
        )

    @cached_property
    def _drawn(self) -> tuple[Integers, Integers]:
        """Return the places drawn, in their order, and after how many records each was drawn."""
        order = self.order[: int((self.time != NEVER).sum()) + self.ahead]  # it ends before as many unjudged ones
        time, graded = self.time[order].tolist(), (~np.isnan(self.grade[order])).tolist()
        place: list[int] = []  # in the order
        when: list[int] = []
        waiting: list[int] = []  # when those in people's hands are judged
        now, at = 0, 0
        while True:
            while at < len(order) and len(waiting) < self.ahead:
                judged, known = time[at], 0 < time[at] <= now and graded[at]
                if not known:
                    place.append(at)
                    when.append(now)
                    if judged > now:
                        heapq.heappush(waiting, judged)
                at += 1
            if not waiting or waiting[0] == NEVER:
                return order[place], np.array(when, np.int64)
            now = heapq.heappop(waiting)

    @cached_property
    def draws(self) -> Draws:
        """The draws as far as they are wholly judged."""
        place, when = self._drawn
        chosen_when = np.sort(self.time[self.chosen])
        good_when = np.sort(self.time[self.chosen & (self.grade > 0)])
        judged = self.time[place] != NEVER
        wholly = len(place) if judged.all() else int(judged.argmin())
        place, when = place[:wholly], when[:wholly]
        skipped = np.isnan(self.grade[place])
        relevant = skipped | (self.grade[place] > 0)
        of_all = self.grade[self.order]
        return Draws(
            population=len(self.order),
            judged=int((~np.isnan(of_all)).sum()),
            found=int((of_all > 0).sum()),
            skipped=int(skipped.sum()),
            place=place,
            when=when,
            known=np.searchsorted(chosen_when, when, side="right") + np.arange(wholly),
            hits=np.searchsorted(good_when, when, side="right") + np.cumsum(relevant) - relevant,
            relevant=relevant,
        )

    @cached_property
    def chosen(self) -> Booleans:
        """By place: whether it is of the population and was judged before it could be drawn."""
        chosen = (self.time > 0) & ~np.isnan(self.grade)
        chosen[self._drawn[0]] = False
        within = np.zeros_like(chosen)
        within[self.order] = True
        return chosen & within


def mean_of_logs(log: Floats) -> Floats:
    """Return the log of the mean over the first axis of numbers whose logs are given."""
    most = log.max(axis=0)
    most = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        found: Floats = np.log(np.exp(log - most).mean(axis=0)) + most
    return found


def audits_needed(unjudged: int, at_most: int, level: float = 0.05, *, looks: bool = True) -> int:
    """Count the audited documents, none relevant, that show that at most ``at_most`` of the unjudged are relevant.

    With ``looks`` by `Draws.most_left`; else by one look at the end, (N - K choose n) / (N choose n) ≤ α.

    >>> audits_needed(9_260, 99, looks=False), audits_needed(9_260, 99)
    (272, 328)
    """
    from scipy.special import gammaln

    hits = at_most + 1
    if hits > unjudged:
        return 0
    fewer = np.minimum(2.0 ** np.arange(unjudged.bit_length()), hits) if looks else np.array([float(hits)])
    left = unjudged - hits

    def against(n: int) -> float:
        tops, ends = (gammaln(left + fewer - m + 1) - gammaln(left - m + 1) for m in (0, n))
        return float(mean_of_logs((tops - ends)[:, np.newaxis])[0])

    return bisect_left(range(left + 1), -np.log(level), lo=1, key=against)

"""How the runs stand by the measure that decides: who leads, by how much, and what could change that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from cranfield.harm import documents_against
from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.ties import ties
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.user_model import UserModel
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.lazy import pl
from cranfield.scoring.blocks import at_level
from cranfield.scoring.judged_runs import JudgedRuns, least_difference_of
from cranfield.scoring.orientation import best_first, direction, oriented
from cranfield.scoring.panel import Panel

ROUNDING = 1e-9
"""Means that differ by less are equal."""


@dataclass(frozen=True, eq=False)
class Margins:
    """By how much a run would at least be ahead of each of the others, had all been judged.

    Attributes
    ----------
    least
        For each run, a lead over it that no judgments undercut.
    attained
        For each run, a lead over it that some judgments give: the least, where that is exact.
    """

    least: Floats
    attained: Floats

    @property
    def safe(self) -> bool:
        """Whether no other run is ahead, whatever the judgments."""
        return bool((self.least > -ROUNDING).all())

    @property
    def overtaken(self) -> list[int]:
        """The runs that are ahead by some judgments, the furthest first."""
        return [run for run in best_first(-self.attained) if self.attained[run] < -ROUNDING]


@dataclass(frozen=True)
class Standing:
    """Runs by one measure.

    Attributes
    ----------
    runs
        The runs, joined under bounds.
    measure
        What they are measured by.

    Examples
    --------
    >>> from cranfield.scoring.judged_runs import join
    >>> from cranfield.measures import P
    >>> runs = join({"1": {"a": 1}}, {"poor": {"1": {"x": 1.0}}, "good": {"1": {"a": 1.0}}}, bounds=True)
    >>> standing = Standing(runs, P(cutoff=1))
    >>> standing.names[standing.leader], standing.margins.least.tolist(), standing.margins.safe
    ('good', [0.0, 0.0], True)
    """

    runs: JudgedRuns
    measure: Measure

    @cached_property
    def panel(self) -> Panel:
        """The values as judged, more being better."""
        return self.runs.under(bounds=False).panel([self.measure])

    @property
    def named(self) -> str:
        """The measure's name in tables: at the relevance level of the runs."""
        return self.panel.measures[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.panel.runs

    @property
    def values(self) -> Floats:
        """Array of shape (runs, topics), more being better."""
        values: Floats = self.panel.values[0]
        return values

    @cached_property
    def mean(self) -> Floats:
        """By run, more being better."""
        mean: Floats = self.panel.averages[0]
        return mean

    @cached_property
    def shown(self) -> list[float]:
        """By run, as the measure has it."""
        shown: list[float] = self.panel.means[0].tolist()
        return shown

    @cached_property
    def order(self) -> list[int]:
        """The runs, the best first."""
        return best_first(self.mean)

    @cached_property
    def leaders(self) -> list[int]:
        """The runs that no other is ahead of."""
        return [run for run in self.order if self.mean[run] >= self.mean.max() - ROUNDING]

    @property
    def leader(self) -> int | None:
        """The run that is ahead of all others, if one is, and there are others."""
        return self.leaders[0] if len(self.leaders) == 1 < len(self.names) else None

    @cached_property
    def margins(self) -> Margins | None:
        """The least leads of the leader over all others; None where that is not known for sure.

        The leads over different runs need not be least at the same time.
        """
        if self.leader is None:
            return None
        leads = [self.at_worst(self.leader, run) for run in range(len(self.names))]
        known = [lead for lead in leads if lead is not None]
        return Margins(*np.array(known).T) if len(known) == len(leads) else None

    def at_worst(self, one: int, other: int) -> tuple[float, float] | None:
        """By how much is a run ahead of another, whatever the grades of what was not judged?

        Returns
        -------
        A lead that no judgments undercut, and one that some judgments give: the same, where ranges
        are exact. None where neither is sure: of lists without their unjudged documents, of
        geometric means, and where judgments are merely tried.
        """
        if self.runs.grading.judged_only or self.panel.logarithmic[0]:
            return None
        if one == other:
            return 0.0, 0.0
        noted = self.runs.with_retrieved
        [measure] = at_level([self.measure], self.runs.grading.rel)
        topics = np.array([noted.topics.index(topic) for topic in self.panel.topics])
        ahead, behind = noted.of_run(one), noted.of_run(other)
        found, kind = least_difference_of(measure, *((ahead, behind) if direction(measure) > 0 else (behind, ahead)))
        if kind == "tried":
            return None
        least = float(found[topics].mean())
        # The range of a user model holds what a longer list could have had, too, which no judgment brings about.
        exact = kind == "exact" and not isinstance(measure, UserModel)
        return least, least if exact else lead_at_worst(measure, ahead, behind, topics)

    @cached_property
    def tied(self) -> pl.DataFrame | None:
        """What the order of documents with equal scores is worth to the runs that have any: run, low and high.

        None where no run has any, or means are not those of runs alone.
        """
        runs = self.runs.under(bounds=False)
        tied = [number for number, audit in enumerate(runs.audit.runs) if audit.tied]
        alone = runs.reading.topics == "all" or bool(runs.present.all())
        if not tied or not alone or runs.reading.order in {"rank", "file"} or self.panel.logarithmic[0]:
            return None
        sources, batches = tuple(runs.sources[n] for n in tied), tuple(runs.of_run(n) for n in tied)
        return ties(replace(runs, sources=sources, batches=batches), None, [self.measure], orders=2).rows

    @cached_property
    def ends_of_ties(self) -> Floats | None:
        """Array of shape (runs, 2): the worst and the best mean by the order of documents with equal scores."""
        if self.tied is None:
            return None
        ends = {row["run"]: (row["low"], row["high"]) for row in self.tied.iter_rows(named=True)}
        known = [ends.get(name, (shown, shown)) for name, shown in zip(self.names, self.shown, strict=True)]
        return np.sort(self.panel.direction[0] * np.array(known), axis=1)

    @cached_property
    def turned_by_ties(self) -> list[tuple[int, int]]:
        """Pairs of runs, the better one first, of which the other is ahead in another order of ties."""
        if self.ends_of_ties is None:
            return []
        worst, best = self.ends_of_ties.T
        return [
            (ahead, behind) for ahead, behind in combinations(self.order, 2)
            if self.mean[ahead] > self.mean[behind] + ROUNDING and best[behind] > worst[ahead] + ROUNDING
        ]  # fmt: skip

    @property
    def open(self) -> bool:
        """Whether a document that any run retrieved was not judged."""
        return bool(self.runs.with_retrieved.judgments.candidates.any())

    @cached_property
    def against_the_lead(self) -> list[tuple[str, str]]:
        """Topics and ids of the unjudged documents that the second run has earlier than the first, the worst first."""
        noted = self.runs.with_retrieved
        [measure] = at_level([self.measure], self.runs.grading.rel)
        first, second = (noted.of_run(run) for run in self.order[:2])
        topics = np.array([noted.topics.index(topic) for topic in self.panel.topics])
        found = documents_against(measure, first, second, topics)
        judgments = first.judgments
        return [*zip((noted.topics[code] for code in judgments.topic[found]), judgments.ids(found), strict=True)]

    @cached_property
    def without_each_topic(self) -> Floats:
        """Array of shape (topics, runs): the means of the others."""
        others: Floats = (self.values.sum(axis=1) - self.values.T) / max(1, self.values.shape[1] - 1)
        return others

    @cached_property
    def nothing(self) -> Booleans:
        """By topic of the panel, whether no run gains anything."""
        nothing: Booleans = (self.values == 0).all(axis=0)
        return nothing


def lead_at_worst(measure: Measure, leader: JudgedRankings, other: JudgedRankings, topics: Integers) -> float:
    """By how much is a run ahead of another, should just those documents be relevant that speak for the other?

    Only y speaks for the other, which then has AP 1, and the one 1 / 2:

    >>> from cranfield.scoring.judged_runs import join
    >>> from cranfield.measures import AP
    >>> runs = {"one": {"1": {"a": 3.0, "x": 2.0}}, "other": {"1": {"y": 2.0, "a": 1.0}}}
    >>> noted = join({"1": {"a": 1}}, runs, bounds=True)
    >>> lead_at_worst(AP(), noted.of_run(0), noted.of_run(1), np.array([0]))
    -0.5
    """
    judgments = leader.judgments
    grade = np.where(np.isnan(judgments.grade), 0.0, judgments.grade)
    grade[documents_against(measure, leader, other, topics)] = judgments.top_grade or 1.0
    ours, theirs = (oriented(measure, measure.by_run(run.rejudged(grade)))[0, topics] for run in (leader, other))
    return float((ours - theirs).mean())

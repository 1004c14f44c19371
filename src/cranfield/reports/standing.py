"""How the runs stand by the measure that decides: who leads, by how much, and what could change that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from cranfield.lists.ties import ties
from cranfield.pairs.board import Board
from cranfield.pairs.pair import Pair
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.lazy import pl
from cranfield.scoring.orientation import best_first
from cranfield.statistics.on_paper import side


@dataclass(frozen=True, eq=False)
class Margins:
    """By how much a run would at least be ahead of each of the others, had all been judged."""

    least: Floats  # For each run, a lead over it that no judgments undercut
    attained: Floats  # For each run, a lead over it that some judgments give: the least, where that is exact
    exact: bool  # Whether each of these is the least that judgments give; if not, more runs could be ahead, and further

    @property
    def safe(self) -> bool:
        """Whether no other run is ahead, whatever the judgments."""
        return bool((side(self.least) >= 0).all())

    @property
    def overtaken(self) -> list[int]:
        """The runs that are ahead by some judgments, the furthest first."""
        return [run for run in best_first(-self.attained) if side(self.attained[run]) < 0]


@dataclass(frozen=True, eq=False)
class Standing(Board):
    """A board that also says what the order of ties and single topics could change."""

    @property
    def leader(self) -> int | None:
        """The run that is ahead of all others, if one is, and there are others."""
        return self.leaders[0] if len(self.leaders) == 1 < len(self.names) else None

    @cached_property
    def margins(self) -> Margins | None:
        """The least leads of the leader over each other run, not all at once; None where they are not certain."""
        if self.leader is None:
            return None
        pairs = [self.pair(self.leader, run) for run in range(len(self.names))]
        if not self.known or any(pair.kind == "tried" for pair in pairs):
            return None
        least, attained = np.array([_at_worst(pair) for pair in pairs]).T
        least[self.leader] = attained[self.leader] = 0.0
        exact = all(pair.reached for run, pair in enumerate(pairs) if run != self.leader)
        return Margins(least, attained, exact)

    def at_worst(self, one: int, other: int) -> tuple[float, float] | None:
        """By how much is a run ahead of another, whatever the grades of what was not judged?"""
        pair = self.pair(one, other)
        return _at_worst(pair) if self.known and pair.kind != "tried" else None

    @cached_property
    def tied(self) -> pl.DataFrame | None:
        """How far the order of tied documents could move runs (run, low, high); None without ties."""
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
            if side(self.mean[ahead] - self.mean[behind]) > 0 and side(best[behind] - worst[ahead]) > 0
        ]  # fmt: skip

    @property
    def open(self) -> bool:
        """Whether a document that any run retrieved was not judged."""
        return bool(self.runs.with_retrieved.judgments.candidates.any())

    @cached_property
    def against_the_lead(self) -> list[tuple[str, str]]:
        """Topics and ids of the unjudged documents that the second run has earlier than the first, the worst first."""
        pair = self.pair(*self.order[:2])
        return list(zip(*pair.named(pair.against()), strict=True))

    @cached_property
    def without_each_topic(self) -> Floats:
        """Array of shape (topics, runs): the means of the others."""
        return np.asarray((self.values.sum(axis=1) - self.values.T) / max(1, self.values.shape[1] - 1))

    @cached_property
    def nothing(self) -> Booleans:
        """By topic of the panel, whether no run gains anything."""
        return np.asarray((self.values == 0).all(axis=0))


def _at_worst(pair: Pair) -> tuple[float, float]:
    """A lead that no judgments undercut, and one that some judgments give."""
    least = pair.least()
    return least, least if pair.attained else pair.if_all_against()

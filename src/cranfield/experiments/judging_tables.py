"""What judging sessions found, at every budget: the tables of the experiment `judging`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from cranfield.comparison.settings import Settings
from cranfield.comparison.testing import against_unjudged, projected
from cranfield.judged.judgments import is_relevant
from cranfield.measures.average_precision import AP
from cranfield.measures.user_models import RBP
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel
from cranfield.selection.simulation import Simulation
from cranfield.statistics.on_paper import places, side
from cranfield.statistics.pairs import pairs
from cranfield.statistics.rank_correlation import kendall_tau

ALPHA = 0.05

QRELS = "qrels"
"""The name, in place of a method, for all judgments."""


class Session(NamedTuple):
    """Which method chose, by which persistence, and whether documents that the qrels lack were bypassed."""

    method: str
    p: float
    bypass: bool


class Snapshot(NamedTuple):
    """What is known about the runs when a method has spent a budget.

    Attributes
    ----------
    method, budget
        The method, and the number of its judgments.
    panel
        Scores by RBP and by AP, with what RBP could be at the most.
    residual
        What unjudged documents could add to RBP: array of shape (runs, topics).
    """

    method: str
    budget: int
    panel: Panel
    residual: Floats


@dataclass(frozen=True, eq=False)
class Sessions:
    """The sessions that were held, each told by the places of the documents considered.

    Attributes
    ----------
    runs, simulation
        The runs with all judgments, and what was judged in the sessions.
    chosen
        The sessions.
    methods, budgets
        As in `judging`; budgets rise.
    measure
        RBP, by which runs are scored.
    everything
        What the runs score under all judgments, by RBP and by AP, on the topics that they are
        compared on.
    best
        Which runs residuals and significance are of.
    """

    runs: JudgedRuns
    simulation: Simulation
    chosen: dict[Session, Integers]
    methods: tuple[str, ...]
    budgets: tuple[int, ...]
    measure: RBP
    everything: Panel
    best: Booleans

    def relevant(self) -> pl.DataFrame:
        """How many relevant documents were found (Table 2)?"""
        rows = []
        for missing, bypass in (("bypassed", True), ("not relevant", False)):
            for method in self.methods:
                grade = self.simulation.grade[self.chosen[Session(method, self.measure.p, bypass)]]
                relevant = is_relevant(grade, self.runs.grading.rel)
                judged = ~np.isnan(grade)
                spent = judged.cumsum() if bypass else np.arange(1, len(grade) + 1)
                for budget in self.budgets:
                    considered = int(np.searchsorted(spent, budget)) + 1  # up to the document that spends the last
                    shown = slice(0, considered)
                    found = relevant[shown].sum(), judged[shown].sum(), len(grade[shown])
                    rows.append((method, budget, missing, *map(int, found)))
        columns = ["method", "budget", "missing", "relevant", "judged", "considered"]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def overlap(self, varied: str) -> pl.DataFrame:
        """How many judgments do sessions of other persistences have in common (Table 3)?"""
        of_p = {session.p: session for session in self.chosen if session.method == varied and not session.bypass}
        rows = []
        for budget in self.budgets:
            judged = {p: self.chosen[session][:budget] for p, session in of_p.items()}
            for p, other in combinations(sorted(judged), 2):
                rows.append((varied, budget, p, other, len(np.intersect1d(judged[p], judged[other]))))
        columns = {"method": pl.String, "budget": pl.Int64, "p": pl.Float64, "other_p": pl.Float64, "common": pl.Int64}
        return pl.DataFrame(rows, schema=columns, orient="row")

    def residuals(self, measures: Sequence[RBP]) -> pl.DataFrame:
        """How large are the residuals of the best runs, if judgments are used with another persistence (Table 4)?"""
        rows = []
        for session, chosen in self.chosen.items():
            for budget in () if session.bypass else self.budgets:
                for measure in measures:
                    _, residual = self.ranges_of(chosen[:budget], measure)
                    rows.append((session.method, budget, session.p, measure.p, float(residual[self.best].mean())))
        columns = ["method", "budget", "p", "evaluation_p", "residual"]
        return pl.DataFrame(rows, schema=columns, orient="row").sort("budget", maintain_order=True)

    def significance(self) -> pl.DataFrame:
        """In how many pairs of the best runs is one run significantly better (Table 5)?"""
        settings = Settings(test="wilcoxon", correction="none", family="measure", alpha=ALPHA)
        both = pairs(int(self.best.sum()))
        rows = []
        for method, budget, panel, _ in self.snapshots:
            found = against_unjudged(panel.of_runs(self.best), both, settings)
            shares = (np.array([found.p_base, found.p_top, found.p_projected]) <= ALPHA).mean(axis=2)
            rows.append((method, budget, panel.measures[0], *shares[:, 0].tolist()))
            rows.append((method, budget, panel.measures[1], float(shares[0, 1]), None, None))
        columns = ["method", "budget", "measure", "base_vs_base", "base_vs_top", "base_vs_projected"]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def ranges(self) -> pl.DataFrame:
        """Between which values does each run lie (Figures 1 to 3)?"""
        ap = self.everything.averages[1]
        by_ap = best_first(ap)
        names = pl.Series(self.runs.runs, dtype=pl.String).gather(by_ap)
        tables = []
        for method, budget, panel, residual in self.snapshots:
            base, likely = panel.values[0], projected(panel)[0]
            values = {"base": base, "projected": likely, "top": base + residual, "residual": residual}
            means = {name: value.mean(axis=1)[by_ap] for name, value in values.items()}
            table = pl.DataFrame({"place": places(ap)[by_ap], "run": names} | means)
            tables.append(table.select(pl.lit(method).alias("method"), pl.lit(budget).alias("budget"), pl.all()))
        return pl.concat(tables)

    def identification(self) -> pl.DataFrame:
        """After how many judgments does the best run lead for good, and when is that certain?"""
        best = best_first(self.full)[0]
        others = np.arange(len(self.full)) != best
        rows: list[tuple[str, str, int | None, int | None]] = []
        for method in self.methods:
            base, high = self._course(self.chosen[Session(method, self.measure.p, False)])
            leads = side(base[:, best] - base[:, others].max(axis=1)) > 0
            certain = side(base[:, best] - high[:, others].max(axis=1)) > 0
            rows.append((method, self.runs.runs[best], _since(leads), _since(certain)))
        columns = {"method": pl.String, "best": pl.String, "leads_from": pl.Int64, "certain_from": pl.Int64}
        return pl.DataFrame(rows, schema=columns, orient="row")

    def ranking(self) -> pl.DataFrame:
        """How similar are the rankings of the runs to the ranking under all judgments?"""
        rows = [
            (method, budget, float(kendall_tau(panel.averages[0], self.full)))
            for method, budget, panel, _ in self.snapshots
            if method != QRELS
        ]
        return pl.DataFrame(rows, schema=["method", "budget", "tau"], orient="row")

    @cached_property
    def full(self) -> Floats:
        """Mean RBP of each run under all judgments."""
        means: Floats = self.everything.averages[0]
        return means

    @property
    def notes(self) -> tuple[str, ...]:
        """What there was to judge, which runs the tables cover, and which budgets were not spent."""
        documents, known = len(self.simulation.candidates), int((~np.isnan(self.simulation.grade)).sum())
        found = [
            f"the runs retrieved {counted(documents, 'document')} for "
            f"{counted(len(self.everything.topics), 'topic')}; the qrels have a grade for {known} of them",
            f"residuals and significance are for the {self.best.sum()} of {counted(len(self.best), 'run')} with "
            "the highest mean AP",
        ]
        for limit, what in ((known, "bypassing the others, "), (documents, "")):
            beyond = [str(budget) for budget in self.budgets if budget > limit]
            if beyond:
                found.append(
                    f"{what}there are {counted(limit, 'document')} to judge, fewer than budget {', '.join(beyond)}"
                )
        return tuple(found)

    @cached_property
    def snapshots(self) -> list[Snapshot]:
        """What is known of the runs by each method at each budget and, under the name `QRELS`, by all judgments."""
        return [Snapshot(method, budget, *self._known(places)) for method, budget, places in self._judged()]

    def _judged(self) -> Iterator[tuple[str, int, Integers]]:
        """Give the documents judged; those that the qrels lack are among those of a method, as not relevant."""
        for method in self.methods:
            for budget in self.budgets:
                yield method, budget, self.chosen[Session(method, self.measure.p, False)][:budget]
        judged = self.runs.judgments.count(~np.isnan(self.runs.judgments.grade))
        yield QRELS, int(judged[self._topics].sum()), np.flatnonzero(~np.isnan(self.simulation.grade))

    def _known(self, places: Integers) -> tuple[Panel, Floats]:
        """Score the runs by RBP, with its residual, and by AP, when these documents are judged."""
        base, residual = self.ranges_of(places, self.measure)
        precision = self.runs.panel([AP()], self._grades(places)).values[0]
        values, top = np.array([base, precision]), np.array([base + residual, precision])
        return replace(self.everything, values=values, limits=np.array([values, top])), residual

    def ranges_of(self, places: Integers, measure: RBP) -> tuple[Floats, Floats]:
        """Return base and residual when these documents are judged: arrays of shape (runs, topics compared on)."""
        base, known = self.simulation.standing(places, measure)
        columns = [self.everything.topics.index(topic) for topic in self.simulation.candidates.topics]
        spread = np.zeros((2, *self._present.shape))
        spread[:, :, columns] = base, known
        residual = np.where(self._present, (measure.attention - spread[1]).clip(min=0.0), 0.0)
        return spread[0], residual

    @cached_property
    def _topics(self) -> list[int]:
        """Places in the qrels of the topics that the runs are compared on."""
        return [self.runs.judgments.code_of_topic[topic] for topic in self.everything.topics]

    @cached_property
    def _present(self) -> Booleans:
        """Array of shape (runs, topics compared on): whether the run has the topic."""
        return self.runs.present[:, self._topics]

    def _grades(self, places: Integers) -> Floats:
        """Return the vector of grades when these documents alone are judged."""
        judgment = self.simulation.judgment[places]
        judgment = judgment[judgment >= 0]
        grade = np.full(len(self.runs.judgments), np.nan)
        grade[judgment] = self.runs.judgments.grade[judgment]
        return grade

    def _course(self, places: Integers) -> tuple[Floats, Floats]:
        """Return mean base and top of the runs after each judgment: arrays of shape (judgments + 1, runs)."""
        base, known = self.simulation.course(places, self.measure)
        attention = self.measure.attention * self._present.sum(axis=1)
        high = base + (attention - known).clip(min=0.0)
        topics = len(self.everything.topics)
        return base / topics, high / topics


def _since(holds: Booleans) -> int | None:
    """Return from where on it holds to the end, or None if it does not hold at the end.

    >>> _since(np.array([True, False, True, True])), _since(np.array([True, False]))
    (2, None)
    """
    if not holds[-1]:
        return None
    return int(len(holds) - np.append(np.logical_not(holds[::-1]), True).argmax())

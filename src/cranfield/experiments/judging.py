"""Which judgments are worth most: pooled ones, or ones chosen document by document?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from cranfield.comparison.p_values import against_unjudged, projected
from cranfield.comparison.settings import Settings
from cranfield.experiments.best_runs import best_runs
from cranfield.experiments.declared import Columns, Row, Rows, stacked
from cranfield.experiments.experiment import Outcome, experiment
from cranfield.experiments.work import Work
from cranfield.judged.judgments import is_relevant
from cranfield.measures.average_precision import AP
from cranfield.measures.user_models import RBP
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Level, Scope, Seed, Share
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import best_first
from cranfield.scoring.panel import Panel
from cranfield.selection import Candidates
from cranfield.selection.method import method_named
from cranfield.selection.simulation import Simulation
from cranfield.statistics.differences import pairs
from cranfield.statistics.on_paper import places, side
from cranfield.statistics.rank_correlation import kendall_tau
from cranfield.statistics.usual import ALPHA

_QRELS = "qrels"  # The name, in place of a method, for all judgments


@experiment
def judging(
    runs: JudgedRuns,
    *,
    methods: tuple[str, ...] = ("pool", "A", "B", "C"),
    budgets: tuple[Count, ...] = (1_000, 2_000, 5_000, 10_000, 20_000),
    p: Level = 0.8,
    evaluation_p: tuple[Level, ...] = (0.5, 0.8, 0.95),
    varied: str = "C",
    top: Share = 1 / 3,
    renew_every: Count = 1,
    scope: Scope = "topic",
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """Which method of choosing documents to judge learns most from a given number of judgments?

    Each method runs its own judging session, answered by the qrels: it chooses a document, learns its grade, and
    continues until the largest budget is spent. At each budget the runs are scored with the judgments so far. A run's
    base is the RBP it is known to have, its residual the most that unjudged documents could add, its top base +
    residual; the projected value assumes that unjudged documents are as good as judged ones.

    A chosen document missing from the qrels is judged not relevant. For the count of relevant documents there are also
    sessions that bypass such documents at no cost. The judged topics are those on which the runs are compared: the
    topics of the qrels or, if averages are over shared topics, those that every run has.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    methods
        The methods that choose documents: depth, pool, A, B, C, random, mtf, max-mean, ...
    budgets
        Numbers of judgments, over all topics.
    p
        Persistence of the RBP that chooses documents and scores runs.
    evaluation_p
        Persistences by which runs are scored when judgments made for one persistence are used with another.
    varied
        The method that also runs a session for each of these persistences, if it is among the methods.
    top
        Share of the runs, those with the highest mean AP, for residuals and significance.
    renew_every
        The number of judgments after which document weights are updated.
    scope
        For methods that use the standing of the runs: on the topic, or over all topics (system).
    seed
        Seed of the random methods.
    work
        Where progress is shown and kept.

    Tables
    ------
    relevant
        The number of relevant documents found.
        method : text
        budget : whole number
        missing : text
            How documents missing from the qrels are treated: bypassed, or not relevant.
        relevant : whole number
            The number found.
        judged : whole number
            The number of documents considered that the qrels judge.
        considered : whole number
    overlap
        The overlap of the varied method's sessions.
        method : text
        budget : whole number
        p, other_p : number
            The persistences that choose the documents.
        common : whole number
            The number of judgments in common.
    residuals
        How much remains unknown.
        method : text
        budget : whole number
        p : number
            The persistence that chooses documents.
        evaluation_p : number
            The persistence that scores runs.
        residual : number
            Mean over the best runs.
    significance
        The share of pairs of the best runs in which the run with the higher base is significantly better (one-tailed
        Wilcoxon test, p-value at most 0.05). The method qrels uses all judgments.
        method : text
        budget : whole number
        measure : text
        base_vs_base : number
            Better than the other run's base.
        base_vs_top, base_vs_projected : number
            Better than the other run's top, and than its projected value; null for AP, which has no residual.
    ranges
        The range of values of each run: means over topics. The method qrels uses all judgments.
        Documents missing from them remain unjudged, so residuals can be larger than those of a long
        session, which treated the same documents as not relevant.
        method : text
        budget : whole number
        place : whole number
            The run's rank by mean AP under all judgments.
        run : text
        base, projected, top, residual : number
    identification
        When the best run is identified.
        method : text
        best : text
            The run with the highest RBP under all judgments.
        leads_from : whole number
            The number of judgments after which its base stays the highest; null if it is not the highest at the end.
        certain_from : whole number
            The number after which its base stays above every other run's top; null if it is not above at the end.
    ranking
        How soon the ranking of the runs is right.
        method : text
        budget : whole number
        tau : number
            Between the rankings of the runs by base and by RBP under all judgments.

    Raises
    ------
    InputError
        If a method is unknown, a number is out of range, there are fewer than two topics or two
        best runs, or lists lack their unjudged documents.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR: Tables 2 to 5 and Figures 1 to 3; identification and ranking are ours.

    Examples
    --------
    Pooling chooses the first documents of both runs first, Method A the document that both have:

    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"z": 1}}
    >>> runs = {"one": {"1": {"b": 2.0, "a": 1.0}}, "two": {"1": {"c": 2.0, "a": 1.0}}}
    >>> found = judging(join(qrels, runs), methods=("pool", "A"), budgets=(1, 2), p=0.6, top=1)
    >>> found["relevant"].filter(missing="bypassed").select("method", "budget", "relevant").rows()
    [('pool', 1, 0), ('pool', 2, 0), ('A', 1, 1), ('A', 2, 1)]
    """
    _check(methods, budgets, evaluation_p, varied)
    measures = {q: RBP(p=q, rel=runs.grading.rel) for q in (p, *evaluation_p)}
    if runs.grading.judged_only:
        raise InputError("this experiment needs the unjudged documents; join the runs without judged_only")
    everything = runs.panel([measures[p], AP()])  # the topics that this compares are those of all tables
    if len(everything.topics) < 2:
        raise InputError("runs share only one topic; testing a difference needs at least two")
    best = best_runs(runs, top)
    simulation = Simulation(Candidates.gather(runs).of_topics(everything.topics), runs.judgments)
    sessions = [Session(method, p, bypass) for bypass in (False, True) for method in methods]
    if varied in methods:
        sessions += [Session(varied, other, bypass=False) for other in sorted({*evaluation_p} - {p})]
    budgets = tuple(sorted(budgets))

    def step(number: int) -> pl.DataFrame:
        session = sessions[number]
        places = simulation.session(
            session.method,
            measures[session.p],
            budgets[-1],
            bypass=session.bypass,
            scope=scope,
            renew_every=renew_every,
            seed=seed,
        )
        return pl.DataFrame({"session": number, "place": places})

    steps = work.also_on(contents=runs.contents).steps(range(len(sessions)), step)
    chosen = {session: steps.filter(session=number)["place"].to_numpy() for number, session in enumerate(sessions)}
    held = Sessions(runs, simulation, chosen, methods, budgets, measures[p], everything, best)
    tables = {
        "relevant": held.relevant(),
        "overlap": held.overlap(varied),
        "residuals": held.residuals([measures[q] for q in evaluation_p]),
        "significance": held.significance(),
        "ranges": held.ranges(),
        "identification": held.identification(),
        "ranking": held.ranking(),
    }
    return Outcome(tables, (*held.notes, *everything.notes))


def _check(methods: tuple[str, ...], budgets: tuple[int, ...], evaluation_p: tuple[float, ...], varied: str) -> None:
    for name in (*methods, varied):
        method_named(name)
    for what, given in (("methods", methods), ("budgets", budgets), ("evaluation_p", evaluation_p)):
        if not given or len(set(given)) < len(given):
            raise InputError(f"name {what}, each once, not {', '.join(map(str, given)) or 'none'}")


class Session(NamedTuple):
    """Which method chose, by which persistence, and whether documents that the qrels lack were bypassed."""

    method: str
    p: float
    bypass: bool


class Snapshot(NamedTuple):
    """What is known about the runs when a method has spent a budget."""

    method: str
    budget: int
    panel: Panel  # Scores by RBP and by AP, with what RBP could be at the most
    residual: Floats  # What unjudged documents could add to RBP: array of shape (runs, topics)


@dataclass(frozen=True, eq=False)
class Sessions:
    """The sessions that were held, each told by the places of the documents considered."""

    runs: JudgedRuns
    simulation: Simulation
    chosen: dict[Session, Integers]
    methods: tuple[str, ...]
    budgets: tuple[int, ...]  # They rise
    measure: RBP
    everything: Panel
    """What the runs score under all judgments, by RBP and by AP, on the topics that they are compared on."""
    best: Booleans  # Which runs residuals and significance are of

    def relevant(self) -> Rows:
        """How many relevant documents were found (Table 2)?"""
        rows = list[Row]()
        for missing, bypass in (("bypassed", True), ("not relevant", False)):
            for method in self.methods:
                grade = self.simulation.grade[self.chosen[Session(method, self.measure.p, bypass)]]
                relevant = is_relevant(grade, self.runs.grading.rel)
                judged = ~np.isnan(grade)
                spent = judged.cumsum() if bypass else np.arange(1, len(grade) + 1)
                for budget in self.budgets:
                    shown = slice(int(np.searchsorted(spent, budget)) + 1)  # up to the document that spends the last
                    found = relevant[shown].sum(), judged[shown].sum(), len(grade[shown])
                    rows.append((method, budget, missing, *map(int, found)))
        return rows

    def overlap(self, varied: str) -> Rows:
        """How many judgments do sessions of other persistences have in common (Table 3)?"""
        of_p = {session.p: session for session in self.chosen if session.method == varied and not session.bypass}
        rows = list[Row]()
        for budget in self.budgets:
            judged = {p: self.chosen[session][:budget] for p, session in of_p.items()}
            for p, other in combinations(sorted(judged), 2):
                rows.append((varied, budget, p, other, len(np.intersect1d(judged[p], judged[other]))))
        return rows

    def residuals(self, measures: Sequence[RBP]) -> Rows:
        """How large are the residuals of the best runs, if judgments are used with another persistence (Table 4)?"""
        rows = list[Row]()
        sessions = [(session, chosen) for session, chosen in self.chosen.items() if not session.bypass]
        for budget, (session, chosen), measure in product(self.budgets, sessions, measures):
            _, residual = self.ranges_of(chosen[:budget], measure)
            rows.append((session.method, budget, session.p, measure.p, float(residual[self.best].mean())))
        return rows

    def significance(self) -> Rows:
        """In how many pairs of the best runs is one run significantly better (Table 5)?"""
        settings = Settings(test="wilcoxon", correction="none", family="measure", alpha=ALPHA)
        both = pairs(int(self.best.sum()))
        rows = list[Row]()
        for method, budget, panel, _ in self.snapshots:
            found = against_unjudged(panel.of_runs(self.best), both, settings)
            shares = (np.array([found.p_base, found.p_top, found.p_projected]) <= ALPHA).mean(axis=2)
            rows.append((method, budget, panel.measures[0], *shares[:, 0].tolist()))
            rows.append((method, budget, panel.measures[1], float(shares[0, 1]), None, None))
        return rows

    def ranges(self) -> Rows:
        """Between which values does each run lie (Figures 1 to 3)?"""
        ap = self.everything.averages[1]
        by_ap = best_first(ap)
        named: Columns = {"place": places(ap)[by_ap], "run": [self.runs.runs[run] for run in by_ap]}
        parts = list[Columns]()
        for method, budget, panel, residual in self.snapshots:
            base, likely = panel.values[0], projected(panel)[0]
            values = {"base": base, "projected": likely, "top": base + residual, "residual": residual}
            means = {name: value.mean(axis=1)[by_ap] for name, value in values.items()}
            parts.append({"method": method, "budget": budget} | named | means)
        return stacked(parts)

    def identification(self) -> Rows:
        """After how many judgments does the best run lead for good, and when is that certain?"""
        best = best_first(self.everything.averages[0])[0]
        others = np.arange(len(self.runs.runs)) != best
        rows = list[Row]()
        for method in self.methods:
            base, high = self._course(self.chosen[Session(method, self.measure.p, False)])
            leads = side(base[:, best] - base[:, others].max(axis=1)) > 0
            certain = side(base[:, best] - high[:, others].max(axis=1)) > 0
            rows.append((method, self.runs.runs[best], _since(leads), _since(certain)))
        return rows

    def ranking(self) -> Rows:
        """How similar are the rankings of the runs to the ranking under all judgments?"""
        return [
            (method, budget, float(kendall_tau(panel.averages[0], self.everything.averages[0])))
            for method, budget, panel, _ in self.snapshots
            if method != _QRELS
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """What there was to judge, which runs the tables cover, and which budgets were not spent."""
        documents, known = len(self.simulation.candidates), int((~np.isnan(self.simulation.grade)).sum())
        found = [
            f"{known:,} of {counted(documents, 'retrieved document')} for "
            f"{counted(len(self.everything.topics), 'topic')} are judged",
            f"residuals and significance cover the {self.best.sum()} of {counted(len(self.best), 'run')} with "
            "the highest mean AP",
        ]
        for limit, what in ((known, "judged documents"), (documents, "documents")):
            if beyond := ", ".join(str(budget) for budget in self.budgets if budget > limit):
                found.append(f"{limit:,} {what} are fewer than budget {beyond}")
        return tuple(found)

    @cached_property
    def snapshots(self) -> list[Snapshot]:
        """What is known of the runs by each method at each budget and, under the name `_QRELS`, by all judgments."""
        return [Snapshot(method, budget, *self._known(places)) for method, budget, places in self._judged()]

    def _judged(self) -> Iterator[tuple[str, int, Integers]]:
        """Give the documents judged; those that the qrels lack are among those of a method, as not relevant."""
        for method in self.methods:
            for budget in self.budgets:
                yield method, budget, self.chosen[Session(method, self.measure.p, False)][:budget]
        judged = self.runs.judgments.count(~np.isnan(self.runs.judgments.grade))
        yield _QRELS, int(judged[self._topics].sum()), np.flatnonzero(~np.isnan(self.simulation.grade))

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
        return spread[0], np.where(self._present, (measure.attention - spread[1]).clip(min=0.0), 0.0)

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
    """Return the index from which it holds to the end; None if it does not hold at the end."""
    return int(len(holds) - np.append(np.logical_not(holds[::-1]), True).argmax()) if holds[-1] else None

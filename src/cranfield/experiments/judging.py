"""Whose judgments are worth most: pooling, or choosing what to judge next?"""

from __future__ import annotations

from cranfield.experiments.best_runs import best_runs
from cranfield.experiments.experiment import Outcome, experiment
from cranfield.experiments.judging_tables import Session, Sessions
from cranfield.experiments.work import Work
from cranfield.measures.average_precision import AP
from cranfield.measures.user_models import RBP
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Level, Scope, Seed, Share
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel
from cranfield.selection import Candidates
from cranfield.selection.method import method_named
from cranfield.selection.simulation import Simulation, of_topics


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
    """How much is learnt from so many judgments, if this method or that one chooses what to judge?

    Each method has a judging session of its own, in which the qrels answer: it chooses a document,
    learns its grade, and goes on until the largest budget is spent. At each budget the runs are
    scored by what is judged until then. RBP is what a run is known to have, its base; the residual
    is what unjudged documents could add to it, at the most, its top is base + residual, and the
    projected value takes unjudged documents to be as good as judged ones.

    A chosen document that the qrels lack is judged not relevant. Where relevant documents are
    counted there are sessions of both kinds: there it may also be bypassed, and cost nothing.
    Judged are the topics that the runs are compared on: those of the qrels or, where averages are
    over shared ones, those that every run has.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    methods
        What chooses the documents: depth, pool, A, B, C, random, mtf, max-mean, ...
    budgets
        Numbers of judgments, over all topics.
    p
        Persistence of the RBP by which documents are chosen, and runs scored.
    evaluation_p
        Persistences by which runs are scored where it is asked what becomes of judgments that were
        made for another.
    varied
        The method that also has a session for each of these persistences, if it is among the
        methods.
    top
        Share of the runs, those with the highest mean AP, that residuals and significance are of.
    renew_every
        After how many judgments the weights of documents are renewed.
    scope
        For methods that look at the standing of the runs: on the topic, or over all topics
        (system).
    seed
        For methods that leave something to chance.
    work
        Where progress is told and kept.

    Tables
    ------
    relevant
        How many relevant documents are found.
        method : text
        budget : whole number
        missing : text
            What becomes of documents that the qrels lack: bypassed, or not relevant.
        relevant : whole number
            How many are found.
        judged : whole number
            How many documents the qrels judge, of those considered.
        considered : whole number
    overlap
        How much sessions of the varied method have in common.
        method : text
        budget : whole number
        p, other_p : number
            Persistences by which the documents are chosen.
        common : whole number
            How many judgments are the same.
    residuals
        How much is open.
        method : text
        budget : whole number
        p : number
            Persistence by which documents are chosen.
        evaluation_p : number
            Persistence by which runs are scored.
        residual : number
            Mean over the best runs.
    significance
        The share of the pairs of the best runs in which the run with the higher base is
        significantly better (one-tailed Wilcoxon test, p-value at most 0.05). The method qrels is
        what all judgments say.
        method : text
        budget : whole number
        measure : text
        base_vs_base : number
            Better than the base of the other.
        base_vs_top, base_vs_projected : number
            Better than its top, and than its projected value; null for AP, which has no residual.
    ranges
        Between which values each run lies: means over topics. The method qrels is what all
        judgments say. What they lack is unjudged there, so that residuals can be larger than those
        of a long session, which took the same documents as not relevant.
        method : text
        budget : whole number
        place : whole number
            Of the run, by mean AP under all judgments.
        run : text
        base, projected, top, residual : number
    identification
        When the best run is found.
        method : text
        best : text
            The run with the highest RBP under all judgments.
        leads_from : whole number
            The number of judgments from which on its base is the highest of all; null if it is not
            at the end.
        certain_from : whole number
            That from which on its base is above the top of every other run; null if it is not at
            the end.
    ranking
        How soon the order of the runs is right.
        method : text
        budget : whole number
        tau : number
            Between the orders of the runs, by base and by RBP under all judgments.

    Raises
    ------
    InputError
        Where there is no such method, a number is out of its range, there are fewer than two
        topics, or runs among the best, or lists are without their unjudged documents.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR: Tables 2 to 5 and Figures 1 to 3; identification and ranking are ours.

    Examples
    --------
    Pooling asks for the first documents of both runs first, Method A for the document that both
    have:

    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"z": 1}}
    >>> runs = {"one": {"1": {"b": 2.0, "a": 1.0}}, "two": {"1": {"c": 2.0, "a": 1.0}}}
    >>> found = judging(join(qrels, runs), methods=("pool", "A"), budgets=(1, 2), p=0.6, top=1)
    >>> found["relevant"].filter(missing="bypassed").select("method", "budget", "relevant").rows()
    [('pool', 1, 0), ('pool', 2, 0), ('A', 1, 1), ('A', 2, 1)]
    """
    _check(methods, budgets, evaluation_p, varied)
    measures = {q: RBP(p=q, rel=runs.grading.rel) for q in (p, *evaluation_p)}
    everything = _under_all_judgments(runs, measures[p])
    best = best_runs(runs, top)
    simulation = Simulation(of_topics(Candidates.gather(runs), everything.topics), runs.judgments)
    sessions = _sessions(methods, varied, p, evaluation_p)
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
        return pl.DataFrame({"session": pl.Series([number] * len(places), dtype=pl.Int64), "place": places})

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


def _under_all_judgments(runs: JudgedRuns, measure: RBP) -> Panel:
    """Score the runs by RBP and AP; the topics that this compares are those of all tables."""
    if runs.grading.judged_only:
        raise InputError("what unjudged documents could add is the question; give the runs with theirs")
    panel = runs.panel([measure, AP()])
    if len(panel.topics) < 2:
        raise InputError("there is one topic to compare the runs on; a difference is tested on at least two")
    return panel


def _check(methods: tuple[str, ...], budgets: tuple[int, ...], evaluation_p: tuple[float, ...], varied: str) -> None:
    for name in (*methods, varied):
        method_named(name)
    for what, given in (("methods", methods), ("budgets", budgets), ("evaluation_p", evaluation_p)):
        if not given or len(set(given)) < len(given):
            raise InputError(f"{what} must be named, each once, not {', '.join(map(str, given)) or 'none'}")


def _sessions(methods: tuple[str, ...], varied: str, p: float, evaluation_p: tuple[float, ...]) -> list[Session]:
    """List the sessions: each method of both kinds, and the varied one for the other persistences."""
    found = [Session(method, p, bypass) for bypass in (False, True) for method in methods]
    others = sorted({*evaluation_p} - {p}) if varied in methods else []
    return found + [Session(varied, other, False) for other in others]

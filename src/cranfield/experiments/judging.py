"""Which judgments are worth most: pooled ones, or ones chosen document by document?"""

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
    """Which method of choosing documents to judge learns most from a given number of judgments?

    Each method runs its own judging session, answered by the qrels: it chooses a document, learns
    its grade, and continues until the largest budget is spent. At each budget the runs are scored
    with the judgments so far. A run's base is the RBP it is known to have, its residual the most
    that unjudged documents could add, its top base + residual; the projected value assumes that
    unjudged documents are as good as judged ones.

    A chosen document missing from the qrels is judged not relevant. For the count of relevant
    documents there are also sessions that bypass such documents at no cost. The judged topics are
    those on which the runs are compared: the topics of the qrels or, if averages are over shared
    topics, those that every run has.

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
        Persistences by which runs are scored when judgments made for one persistence are used with
        another.
    varied
        The method that also runs a session for each of these persistences, if it is among the
        methods.
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
        The share of pairs of the best runs in which the run with the higher base is significantly
        better (one-tailed Wilcoxon test, p-value at most 0.05). The method qrels uses all
        judgments.
        method : text
        budget : whole number
        measure : text
        base_vs_base : number
            Better than the other run's base.
        base_vs_top, base_vs_projected : number
            Better than the other run's top, and than its projected value; null for AP, which has no
            residual.
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
            The number of judgments after which its base stays the highest; null if it is not the
            highest at the end.
        certain_from : whole number
            The number after which its base stays above every other run's top; null if it is not
            above at the end.
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
        raise InputError("only one topic to compare the runs on; testing a difference needs at least two")
    best = best_runs(runs, top)
    simulation = Simulation(of_topics(Candidates.gather(runs), everything.topics), runs.judgments)
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

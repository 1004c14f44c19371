"""Whose judgments are worth most: pooling, or choosing what to judge next?"""

from __future__ import annotations

from typing import Any

import polars as pl

from cranfield.errors import InputError
from cranfield.experiments.best_runs import best_runs
from cranfield.experiments.experiment import Findings, experiment
from cranfield.experiments.judging_tables import Session, Study
from cranfield.experiments.work import Work
from cranfield.formats import Runs
from cranfield.judged_runs import JudgedRuns
from cranfield.measures.user_models import RBP
from cranfield.selection import Candidates
from cranfield.selection.method import method_named
from cranfield.selection.simulation import Simulation, of_topics
from cranfield.selection.state import Scope


@experiment
def judging(
    runs: JudgedRuns,
    *,
    methods: tuple[str, ...] = ("pool", "A", "B", "C"),
    budgets: tuple[int, ...] = (1_000, 2_000, 5_000, 10_000, 20_000),
    p: float = 0.8,
    evaluation_p: tuple[float, ...] = (0.5, 0.8, 0.95),
    varied: str = "C",
    top: float = 1 / 3,
    renew_every: int = 1,
    scope: Scope = "topic",
    seed: int = 7,
    work: Work | None = None,
) -> Findings:
    """How much is learnt from so many judgments, if this method or that one chooses what to judge?

    Each method has a judging session of its own, in which the qrels answer: it chooses a document, learns its grade,
    and goes on until the largest budget is spent. At each budget the runs are scored by what is judged until then. RBP
    is what a run is known to have, its base; the residual is what unjudged documents could add to it, at the most, its
    top is base + residual, and the projected value takes unjudged documents to be as good as judged ones.

    A chosen document that the qrels lack is judged not relevant. Where relevant documents are counted there are
    sessions of both kinds: there it may also be bypassed, and cost nothing.

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
        Persistences by which runs are scored where it is asked what becomes of judgments that were made for another.
    varied
        The method that also has a session for each of these persistences, if it is among the methods.
    top
        Share of the runs, those with the highest mean AP, that residuals and significance are of.
    renew_every
        After how many judgments the weights of documents are renewed.
    scope
        For methods that look at the standing of the runs: on the topic, or over all topics (system).
    seed
        For methods that leave something to chance.
    work
        Where progress is told and kept.

    Returns
    -------
    Findings with tables that name the method and the budget, and

    - ``relevant``: missing (what became of documents that the qrels lack), how many relevant ones were found, how many
      that the qrels judge, how many were considered in all;
    - ``overlap``: of the varied method, how many judgments two persistences have in common;
    - ``residuals``: the mean residual of the best runs, chosen by p, scored by evaluation_p;
    - ``significance``: of the pairs of the best runs by the measure, the share in which the run with the higher base is
      significantly better than the base, the top, the projected value of the other (one-tailed Wilcoxon test, p-value
      at most 0.05); of AP, which has no residual, the first alone;
    - ``ranges``: place (by mean AP under all judgments) and run, its base, projected, top and residual: means over
      topics;
    - ``identification``: the best run (highest RBP under all judgments); leads_from, the number of judgments from which
      on its base is the highest of all; certain_from, that from which on it is above the top of every other run; null
      if that is not so at the end of the session;
    - ``ranking``: tau between the orders of the runs, by base and by RBP under all judgments.

    In ``significance`` and ``ranges`` the method qrels is what all judgments say. What they lack is unjudged there, so
    that residuals can be larger than those of a long session, which took the same documents as not relevant.

    Raises
    ------
    InputError
        Where there is no such method, a number is out of its range, or there are fewer than two topics, or runs among
        the best.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance judgments", SIGIR:
    Tables 2 to 5 and Figures 1 to 3; identification and ranking are ours.

    Examples
    --------
    Pooling asks for the first documents of both runs first, Method A for the document that both have:

    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"z": 1}}
    >>> runs = {"one": {"1": {"b": 2.0, "a": 1.0}}, "two": {"1": {"c": 2.0, "a": 1.0}}}
    >>> found = judging(join(qrels, runs), methods=("pool", "A"), budgets=(1, 2), p=0.6, top=1)
    >>> found["relevant"].filter(missing="bypassed").select("method", "budget", "relevant").rows()
    [('pool', 1, 0), ('pool', 2, 0), ('A', 1, 1), ('A', 2, 1)]
    """
    _check(methods, budgets, evaluation_p, varied)
    measures = {q: RBP(p=q) for q in (p, *evaluation_p)}
    if len(runs.topics) < 2:
        raise InputError("the qrels have one topic; a difference is tested on at least two")
    best = best_runs(runs, top)
    budgets = tuple(sorted(budgets))
    sessions = _sessions(methods, varied, p, evaluation_p)
    gathered = Candidates.gather(Runs(runs.sources), order=runs.order)
    simulation = Simulation(of_topics(gathered, runs.topics), runs.judgments)

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

    settings: dict[str, Any] = {"methods": methods, "budgets": budgets, "p": p, "evaluation_p": evaluation_p}
    settings |= {"varied": varied, "renew_every": renew_every, "scope": scope, "seed": seed}
    depends_on = settings | {"of": runs.fingerprint, "documents": simulation.fingerprint}
    steps = (work or Work()).steps("judging", depends_on, range(len(sessions)), step)
    chosen = {session: steps.filter(session=number)["place"].to_numpy() for number, session in enumerate(sessions)}
    study = Study(runs, simulation, chosen, methods, budgets, p, best)
    tables = {
        "relevant": study.relevant(),
        "overlap": study.overlap(varied),
        "residuals": study.residuals(evaluation_p),
        "significance": study.significance(),
        "ranges": study.ranges(),
        "identification": study.identification(),
        "ranking": study.ranking(),
    }
    settings |= {"top": top, "best_runs": int(best.sum()), "runs": len(runs.runs), "topics": len(runs.topics)}
    return Findings("judging", tables, settings, study.notes)


def _check(methods: tuple[str, ...], budgets: tuple[int, ...], evaluation_p: tuple[float, ...], varied: str) -> None:
    for name in (*methods, varied):
        method_named(name)
    for what, given in (("methods", methods), ("budgets", budgets), ("evaluation_p", evaluation_p)):
        if not given or len(set(given)) < len(given):
            raise InputError(f"{what} must be named, each once, not {', '.join(map(str, given)) or 'none'}")
    if min(budgets) < 1:
        raise InputError(f"a budget is a number of judgments, at least 1, not {min(budgets)}")


def _sessions(methods: tuple[str, ...], varied: str, p: float, evaluation_p: tuple[float, ...]) -> list[Session]:
    """List the sessions: each method of both kinds, and the varied one for the other persistences."""
    found = [Session(method, p, bypass) for bypass in (False, True) for method in methods]
    others = sorted({*evaluation_p} - {p}) if varied in methods else []
    return found + [Session(varied, other, False) for other in others]

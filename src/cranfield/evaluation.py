"""From runs and judgments to scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, get_args

import numpy as np

from cranfield.arrays import Floats
from cranfield.audit import Audit, audit_batch, without_relevant
from cranfield.engines.local import judged_batches
from cranfield.errors import InputError
from cranfield.formats import read_qrels, read_runs
from cranfield.joining import ORDERS, Order
from cranfield.judgments import Judgments
from cranfield.measures.measure import Measure
from cranfield.measures.names import asks_for_trec9, parse_measures
from cranfield.rankings import JudgedRankings
from cranfield.scores import Missing, Scores, Topics


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | type[Measure] | Iterable[str | Measure | type[Measure]],
    *,
    topics: Topics = "all",
    missing: Missing = "zero",
    order: Order | None = None,
    depth: int | None = None,
    rel: float | None = None,
    judged_only: bool = False,
    bounds: bool = False,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Scores:
    """Score runs by measures.

    Parameters
    ----------
    qrels
        The judgments: a path, a DataFrame, ``{topic: {document: grade}}``, tuples; all that `read_qrels` takes. Or
        `Judgments`, which spare several evaluations the preparation.
    runs
        The runs: a path, glob or folder, a DataFrame, ``{topic: {document: score}}``, ``{name: any of these}``, a list
        of these; all that `read_runs` takes, and what it returns. Files are read as they are needed, a few at a time.
    measures
        Names such as ``"nDCG@10"``, measures such as ``nDCG(dcg="exp-log2") @ 10``, or sets such as ``"official"``.
    topics
        What averages are over: ``"all"`` topics of the qrels, a missing one counting 0 (trec_eval's -c), or those
        ``"shared"`` by qrels and run.
    missing
        What a topic is that a run lacks: ``"zero"`` gives it the value 0 (trec_eval's -c), ``"empty"`` takes it for an
        empty list, which some measures value otherwise (those for lists that end where they should).
    order
        What ranks the documents: ``"score"``, ``"trec9"`` (scores compared in 32 bits), ``"rank"`` or ``"file"``.
        By default the score, in 32 bits where a set of trec_eval 9 is asked for (``"official"``, ``"all_trec"``).
    depth
        Look at the first so many documents only (trec_eval's -M).
    rel
        The lowest relevant grade, for measures that have none of their own (trec_eval's -l).
    judged_only
        Drop unjudged documents from the rankings first (trec_eval's -J).
    bounds
        Say for each value how low and how high it could be, had the unjudged documents been judged. (For a measure that
        is not a weighted sum, every number of relevant documents among them is tried, which takes its time on long
        lists.)
    workers
        How many threads read; as many as there are processors (8 at the most) by default.
    progress
        Called with the number of runs done, and of all.

    Returns
    -------
    Scores : by topic and averaged, with the audit of runs and qrels.

    Raises
    ------
    InputError
        Where something cannot be read or must not be scored: it names the file and the line.
    MeasureError
        Where a measure does not exist or a parameter is outside its range.

    Examples
    --------
    >>> qrels = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}}
    >>> scores = evaluate(qrels, {"bm25": {"1": {"b": 3.0, "a": 2.5}, "2": {"a": 1.5}}}, ["AP", "P@2"])
    >>> print(scores)
    run       AP     P@2
    bm25  0.6250  0.5000
    >>> scores.to_dict()["bm25"]["1"]
    {'AP': 0.25, 'P@2': 0.5}
    """
    asked = parse_measures(measures)
    if order is None:
        order = "trec9" if asks_for_trec9(measures) else "score"
    if rel is not None:
        asked = [measure.with_level(rel) for measure in asked]
    for name, chosen, known in (
        ("topics", topics, get_args(Topics)),
        ("missing", missing, get_args(Missing)),
        ("order", order, ORDERS),
    ):
        if chosen not in known:
            raise InputError(f"{name} must be {' or '.join(map(repr, known))}, not {chosen!r}")
    if depth is not None and depth < 1:
        raise InputError(f"depth must be at least 1, not {depth}")

    sources = read_runs(runs).sources
    judgments = qrels if isinstance(qrels, Judgments) else Judgments(read_qrels(qrels))
    blocks: dict[Measure, list[Any]] = {measure: [] for measure in asked}
    present, audits, limits, done = [], [], [], 0
    exact: dict[Measure, bool] = {}
    for ranked, whole in judged_batches(sources, judgments, order=order, workers=workers):
        audits += audit_batch(ranked, whole)
        rankings = whole.missing_as_empty() if missing == "empty" else whole
        rankings = rankings if depth is None else rankings.cut(depth)
        rankings = rankings.condensed() if judged_only else rankings
        shape = (len(ranked), len(judgments.topics))
        present.append(rankings.present.reshape(shape))
        for measure in asked:
            blocks[measure].append(measure.by_run(rankings))
        if bounds:
            limits.append(_bounds(asked, rankings, exact))
        done += len(ranked)
        if progress:
            progress(done, len(sources))

    texts = {measure: np.vstack(blocks[measure]) for measure in asked if measure.text}
    for measure, text in texts.items():
        if measure.trec == "runid":
            text[:] = np.array([source.tag() for source in sources], dtype=object)[:, None]
    shape = (len(sources), len(judgments.topics))
    return Scores(
        runs=tuple(source.name for source in sources),
        topics=judgments.topics,
        measures=tuple(asked),
        values=np.array([np.vstack(blocks[m]) for m in asked if not m.text]).reshape(-1, *shape),
        present=np.vstack(present),
        averaged=topics,
        order=order,
        audit=Audit(tuple(audits), len(judgments.topics), without_relevant(judgments), order),
        texts=texts,
        limits=np.concatenate(limits, axis=2) if bounds else None,
        exact=exact,
    )


def _bounds(asked: list[Measure], rankings: JudgedRankings, exact: dict[Measure, bool]) -> Floats:
    """Lowest and highest values, run by run: array of shape (2, measures, runs, topics)."""
    runs = []
    for r in range(len(rankings.runs)):
        run = rankings.only(r)
        found = []
        for measure in asked:
            if not measure.text:
                low, high, exact[measure] = measure.bounds(run)
                found.append((low, high) if measure.of_topic else np.where(run.present, (low, high), 0.0))
        runs.append(np.array(found))  # measures, limits, topics
    return np.array(runs).transpose(2, 1, 0, 3)

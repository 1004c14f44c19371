"""Reference runs: the lists that a run can be compared with, to be written down and evaluated as any run."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from cranfield.formats import QrelsLike, Runs, RunsLike, RunSource
from cranfield.formats.runs import from_memory
from cranfield.formats.unmet import settle
from cranfield.judged.conditions import AskedReading, Reading
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings, full_scale_rankings, ideal_rankings, worst_rankings
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike
from cranfield.plumbing.options import Depth, Order, ReferenceKind, checked
from cranfield.plumbing.tables import DOCUMENT, QUERY, RANK, RELEVANCE, SCORE
from cranfield.scoring.engines.local import read_ranked
from cranfield.scoring.judged_runs import JudgedRuns, join, open_qrels, open_runs, qrels_table

FILLER: Final = "unjudged-"
"""How the ids of documents begin that stand where a list has none that was judged."""


def reference_runs(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    *,
    kind: ReferenceKind = "ideal",
    length: int = 1000,
    order: Order | None = None,
    comments: bool | None = None,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> Runs:
    """What is the best or the worst list that could have been returned?

    Parameters
    ----------
    qrels, order, comments, columns, fields
        As in `evaluate`; joined runs may be given alone.
    runs
        For ``"reranked"``, as in `evaluate`; not for the others, which follow from the judgments.
    kind
        ``"ideal"``: all relevant documents of each topic, the best first. ``"full-scale"``: the
        ideal list reversed, after unjudged documents. ``"worst"``: only unjudged documents.
        ``"reranked"``: each run's own documents in the best order, by falling grade, ties in their
        original order; unjudged documents come before negative grades. Its distance from the ideal
        run is what was not retrieved; the run's distance from it is due to ranking.
    length
        The number of documents per topic in the full-scale run (at least twice the recall base) and
        in the worst one.

    Returns
    -------
    Runs, to be evaluated (by scores), compared or written: one of the kind's name, or one for each run.

    Raises
    ------
    InputError
        If runs are given for a kind that takes none, or missing for one that needs them.

    Paper: Ferro et al. (2016), "The Twist measure for IR evaluation: taking user's effort into
    account", JASIST 67(3), definitions 12 to 14.

    Examples
    --------
    >>> qrels, run = {"1": {"a": 1, "b": 2, "c": 0}}, {"1": {"c": 9.0, "x": 8.0, "a": 7.0}}
    >>> reference_runs(qrels)["ideal"].rows()
    [('1', 'b', 2.0), ('1', 'a', 1.0)]
    >>> reference_runs(qrels, kind="full-scale", length=4)["full-scale"]["doc_id"].to_list()
    ['unjudged-1', 'unjudged-2', 'a', 'b']
    >>> reference_runs(qrels, {"bm25": run}, kind="reranked")["bm25"]["doc_id"].to_list()
    ['a', 'c', 'x']
    """
    kind, length = checked("kind", kind, ReferenceKind), checked("length", length, Depth)
    given: RunsLike | JudgedRuns | None = runs
    asked: AskedReading = {"order": order, "comments": comments, "columns": columns, "fields": fields}
    reading = Reading.asked(**settle(asked, qrels, runs))
    if isinstance(qrels, JudgedRuns):
        joined = join(qrels, runs, order=order, comments=comments)
        given, reading = joined if kind == "reranked" else None, joined.reading
        qrels = joined.judgments
    if (kind == "reranked") != (given is not None):
        spare = f"the {kind} run follows from the qrels; leave the runs out"
        raise InputError("reranked needs runs" if given is None else spare)
    if given is not None:
        grades = qrels_table(qrels, reading)
        return Runs([reranked(source, grades, reading) for source in open_runs(given, reading)])
    return Runs([_written_down(_rankings(open_qrels(qrels, reading), kind, length), kind)])


def reranked(source: RunSource, grades: pl.DataFrame, reading: Reading) -> RunSource:
    """Put the documents of one run into the best order."""
    judged = read_ranked(source, reading).join(grades, on=[QUERY, DOCUMENT], how="left")
    best = judged.with_columns(pl.col(RELEVANCE).cast(pl.Float64).fill_nan(0).fill_null(0)).sort(
        pl.int_range(pl.len()).min().over(QUERY), -pl.col(RELEVANCE), RANK, maintain_order=True
    )
    rank = pl.int_range(1, pl.len() + 1).over(QUERY)
    table = best.select(QUERY, DOCUMENT, (pl.len().over(QUERY) + 1.0 - rank).alias(SCORE), rank.alias(RANK))
    load = partial(from_memory, table)
    return RunSource(source.name, source.origin, source.path, source.empty_topics, load, source.tag)


def _rankings(judgments: Judgments, kind: str, length: int) -> JudgedRankings:
    """Rank judgments as the kind has it."""
    if kind == "worst":
        return worst_rankings(judgments, length)
    ideal = ideal_rankings(judgments, np.nan_to_num(judgments.grade))
    return ideal if kind == "ideal" else full_scale_rankings(ideal, length)


def _written_down(rankings: JudgedRankings, kind: str) -> RunSource:
    """Give the documents of rankings by their ids, and ids to those that nobody judged."""
    ids = rankings.judgments.document
    if kind != "ideal" and ids.str.starts_with(FILLER).any():
        raise InputError(f"a judged document is called {FILLER}..., like the documents that fill up the {kind} run")
    topic = np.repeat(np.arange(rankings.rows), rankings.length)
    first = np.cumsum(rankings.length) - rankings.length
    rank = np.arange(1, len(topic) + 1) - first[topic]
    document = np.char.add(FILLER, rank.astype(str)).astype(object)
    document[first[rankings.row] + rankings.rank - 1] = ids.gather(rankings.judgment).to_list()
    table = pl.DataFrame(
        {
            QUERY: np.array(rankings.topics, object)[topic].tolist(),
            DOCUMENT: document.tolist(),
            SCORE: rankings.length[topic] + 1.0 - rank,
            RANK: rank,
        },
        schema_overrides={QUERY: pl.String, DOCUMENT: pl.String},
    )
    empty = tuple(topic for topic, n in zip(rankings.topics, rankings.length, strict=True) if n == 0)
    return RunSource(kind, kind, None, empty, partial(from_memory, table))

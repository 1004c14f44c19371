"""From runs and judgments to scores: once, or again and again by the same judgments."""

from __future__ import annotations

from typing import Final

from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.conditions import AskedReading, Grading, Missing, Order, Reading, RelevanceLevel, Topics
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import MeasureNames, asks_for_trec9, parse_measures
from cranfield.plumbing.options import Count, TopicAverage, checked
from cranfield.plumbing.tables import Repeated, refuse_average
from cranfield.plumbing.wording import counted
from cranfield.scoring.engines.local import ranked_batches
from cranfield.scoring.judged_runs import JudgedRuns, Opened, Progress, open_qrels, open_runs, opened
from cranfield.scoring.scores import Scores

MEASURES: Final = ("AP", "nDCG@10", "P@10", "Bpref")
"""What runs are scored by, if nothing else is said."""


def evaluate(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames = MEASURES,
    *,
    topics: Topics | None = None,
    missing: Missing | None = None,
    order: Order | None = None,
    depth: Count | None = None,
    comments: bool | None = None,
    repeated: Repeated | None = None,
    rel: RelevanceLevel | None = None,
    judged_only: bool | None = None,
    bounds: bool = False,
    average: TopicAverage = "mean",
    workers: int | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score runs by measures.

    Parameters
    ----------
    qrels
        The judgments: a path, a DataFrame, ``{topic: {document: grade}}``, tuples; all that
        `read_qrels` takes. Or `Judgments`, which spare several evaluations the preparation. Or,
        alone, runs that were joined with their judgments by `join`: then topics, missing, order,
        depth, comments and repeated are theirs.
    runs
        The runs: a path, glob or folder, a DataFrame, ``{topic: {document: score}}``,
        ``{name: any of these}``, a list of these; all that `read_runs` takes, and what it returns.
        Files are read as they are needed, a few at a time.
    measures
        Names such as ``"nDCG@10"``, measures such as ``nDCG(dcg="exp-log2") @ 10``, or sets such as
        ``"official"``.
    topics
        What averages are over: ``"all"`` topics of the qrels (the default), a missing one counting
        0 (trec_eval's -c), or those ``"shared"`` by qrels and run.
    missing
        What a topic is that a run lacks: ``"zero"`` (the default) gives it the value 0 (trec_eval's
        -c), ``"empty"`` takes it for an empty list, which some measures value otherwise (those for
        lists that end where they should).
    order
        What ranks the documents: ``"score"``, ``"trec9"`` (scores compared in 32 bits),
        ``"stable"`` (by score; ties stay in the order of the lines), ``"rank"`` or ``"file"`` (the
        order of the lines). By default the score, in 32 bits where a set of trec_eval 9 is asked for
        (``"official"``, ``"all_trec"``).
    depth
        Look at the first so many documents only (trec_eval's -M).
    comments
        Skip lines that begin with ``#`` (an id may begin so).
    repeated
        What becomes of a document that a topic of a run has several times: the run is refused
        (``"refuse"``, the default), or of its scores the highest counts (``"max"``), the first
        (``"first"``) or the ``"sum"``.
    rel
        The lowest relevant grade, for measures that have none of their own (trec_eval's -l).
    judged_only
        Drop unjudged documents from the rankings first (trec_eval's -J).
    bounds
        Say for each value how low and how high it could be, had all documents been judged that any
        of the runs retrieved. The runs are read twice for it. (Bounds of measures without a formula
        for them are tried, which takes its time on long lists; `cranfield measures NAME` says of
        each measure what is sure about them.)
    average
        How the topics of a run become one number: ``"mean"``, ``"median"``, ``"geometric"`` or
        ``"harmonic"`` (see `Scores.averaged_by`). Counts stay sums, and gmAP what it is.
    workers
        How many threads read; as many as there are processors (8 at the most) by default.
    progress
        Called with the number of runs done, and of all; a large run, which is read a part at a time,
        counts for twice as many as it has parts (they are read, and scored).

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
    >>> scores.by_run()["bm25"]["1"]
    {'AP': 0.25, 'P@2': 0.5}
    """
    asked, average = parse_measures(measures), checked("average", average, TopicAverage)
    reading: AskedReading = {
        "topics": topics,
        "missing": missing,
        "order": order,
        "depth": depth,
        "comments": comments,
        "repeated": repeated,
    }
    usual: Order = "trec9" if asks_for_trec9(measures) else "score"
    found = opened(qrels, runs, reading, usual=usual, bounds=bounds, workers=workers, progress=progress, parts=True)
    scores = found.score(asked, found.grading.but(rel=rel, judged_only=judged_only, bounds=bounds))
    return scores.averaged_by(average)


class Evaluator:
    """Score one run after another by the same judgments and measures, as a training loop does.

    The judgments are read, and the measures looked up, once. After that a call costs what the run
    costs; a dict of dicts needs no table and starts no thread, so that an evaluator may be used in
    several threads, and in processes forked from the one that made it.

    Parameters
    ----------
    qrels, measures, topics, missing, order, depth, comments, repeated, rel, judged_only
        As for `evaluate`. Bounds, which are about all runs of a call, are for `evaluate` alone.

    Examples
    --------
    >>> evaluator = Evaluator({"1": {"a": 2, "b": 0}, "2": {"a": 1}}, ["RR", "nDCG@10"])
    >>> for epoch, score in enumerate([0.1, 0.9]):
    ...     print(epoch, evaluator({"1": {"a": score, "b": 0.5}, "2": {"a": 1.0}}).averages[0])
    0 [0.75]
    1 [1.]
    """

    def __init__(
        self,
        qrels: QrelsLike | Judgments,
        measures: MeasureNames = MEASURES,
        *,
        topics: Topics | None = None,
        missing: Missing | None = None,
        order: Order | None = None,
        depth: Count | None = None,
        comments: bool | None = None,
        repeated: Repeated | None = None,
        rel: RelevanceLevel | None = None,
        judged_only: bool | None = None,
    ) -> None:
        usual: Order = "trec9" if asks_for_trec9(measures) else "score"
        self.measures = parse_measures(measures)
        self.reading = Reading.asked(
            topics=topics, missing=missing, order=order or usual, depth=depth, comments=comments, repeated=repeated
        )
        self.grading = Grading.asked(rel=rel, judged_only=judged_only)
        self.judgments = open_qrels(qrels, self.reading)
        refuse_average(self.judgments.topics)
        self.judgments.documents  # noqa: B018 - made here, and not in each of several threads

    def __call__(self, runs: RunsLike) -> Scores:
        """Score a run, or several: all that `evaluate` takes."""
        sources = open_runs(runs, self.reading)
        batches = ranked_batches(sources, self.judgments, self.reading, parts=True)
        return Opened(self.judgments, sources, self.reading, batches).score(self.measures, self.grading)

    def __repr__(self) -> str:
        return f"Evaluator({counted(len(self.judgments.topics), 'topic')}: {', '.join(map(str, self.measures))})"

"""From runs and judgments to scores: once, or again and again by the same judgments."""

from __future__ import annotations

from typing import Final, Unpack

from cranfield.formats import QrelsLike, RunsLike
from cranfield.formats.sources import dict_source
from cranfield.formats.unmet import settle
from cranfield.judged.conditions import CONDITION_FILES, Asked, Conditions
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import MeasureNames, asks_for_trec9, parse_measures
from cranfield.plumbing.naming import Naming
from cranfield.plumbing.options import Order, TopicAverage, checked
from cranfield.plumbing.tables import refuse_average
from cranfield.plumbing.wording import counted
from cranfield.scoring.blocks import score
from cranfield.scoring.engines.local import ranked_batches, ranked_dict
from cranfield.scoring.judged_runs import JudgedRuns, Opened, Progress, by_what, knowing, open_qrels, open_runs, opened
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights, WeightsLike

USUAL_MEASURES: Final = ("AP", "nDCG@10", "P@10", "Bpref")
"""Default measures of runs."""


def evaluate(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    bounds: bool = False,
    average: TopicAverage = "mean",
    weights: WeightsLike | TopicWeights | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Scores:
    """Score runs by measures.

    Parameters
    ----------
    qrels
        The judgments: a path, a DataFrame, ``{topic: {document: grade}}``, tuples; anything that
        `read_qrels` takes. Or `Judgments`, prepared once for several evaluations. Or runs joined
        with their judgments by `join`, given alone: their topics, missing, order, depth, comments
        and repeated then apply.
    runs
        The runs: a path, glob or folder, a DataFrame, ``{topic: {document: score}}``,
        ``{name: any of these}``, a list of these; anything that `read_runs` takes or returns. Files
        are read as needed, a few at a time.
    measures
        Names such as ``"nDCG@10"``, measures such as ``nDCG(dcg="exp-log2") @ 10``, or sets such as
        ``"official"``. By default AP, nDCG@10, P@10 and Bpref, or those of the convention.
    bounds
        Also compute the lowest and highest possible value, had all documents retrieved by the runs
        been judged. The runs are then read twice. (Measures without a formula for bounds try
        completions, which is slow on long lists; `cranfield measures NAME` shows how exact the
        bounds of a measure are.)
    average
        How to average over topics: ``"mean"``, ``"median"``, ``"geometric"`` or ``"harmonic"`` (see
        `Scores.averaged_by`). Counts remain sums, and gmAP keeps its geometric mean.
    weights
        The weight of each topic in averages: a file of topics and weights, a DataFrame, or
        ``{topic: weight}`` (see `Scores.weighted_by`).
    workers
        The number of reading threads; by default, the number of processors (at most 8).
    progress
        Called with the number of runs done and the total; a large run, which is read in parts,
        counts twice for each part (read, then scored).
    **conditions
        `Asked`

    Returns
    -------
    Scores : by topic and averaged, with the audit of runs and qrels.

    Raises
    ------
    InputError
        If an input cannot be read or scored; the message names the file and the line.
    MeasureError
        If a measure does not exist or a parameter is out of range.

    Examples
    --------
    >>> qrels = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}}
    >>> scores = evaluate(qrels, {"bm25": {"1": {"b": 3.0, "a": 2.5}, "2": {"a": 1.5}}}, ["AP", "P@2"])
    >>> print(scores)
    bm25 has AP 0.6250 over 2 topics.
    run       AP     P@2
    bm25  0.6250  0.5000
    audit: 1 run, 2 topics
    audit: grades 0 to 2, relevant from 1: rel= changes it
    audit: all of the top 100 judged
    >>> scores.by_run()["bm25"]["1"]
    {'AP': 0.25, 'P@2': 0.5}
    """
    measures = by_what(measures, qrels, conditions, USUAL_MEASURES)
    asked, average = parse_measures(measures), checked("average", average, TopicAverage)
    conditions = knowing(asked, qrels, conditions)
    usual: Order = "trec9" if asks_for_trec9(measures) else "score"
    conditions = settle(conditions, qrels, runs, weights, *(conditions.get(name) for name in CONDITION_FILES))
    weighted = None if weights is None else TopicWeights.taken(weights, Naming.asked(conditions))
    found = opened(qrels, runs, conditions, usual=usual, bounds=bounds, workers=workers, progress=progress, parts=True)
    scores = found.score(asked, found.grading.but(bounds=bounds), levels=average == "mean")
    return scores.averaged_by(average).weighted_by(weighted)


class Evaluator:
    """Score one run after another with the same judgments and measures, as in a training loop.

    The judgments are read and the measures parsed once; each call then costs only its run. A dict
    of dicts needs no table and starts no thread, so an evaluator can be used in several threads and
    in forked processes.

    Parameters
    ----------
    qrels, measures
        As for `evaluate`. Bounds depend on all runs of a call, so only `evaluate` computes them.
    audit
        Whether the audit also examines the first rows of each run for unknown ids and rising scores.
    **conditions
        `Asked`

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
        measures: MeasureNames | None = None,
        *,
        audit: bool = False,
        **conditions: Unpack[Asked],
    ) -> None:
        measures = by_what(measures, qrels, conditions, USUAL_MEASURES)
        self.measures = parse_measures(measures)
        conditions = knowing(self.measures, qrels, conditions)
        asked = Conditions.asked("trec9" if asks_for_trec9(measures) else "score", **conditions)
        self.reading, self.grading = asked.reading, asked.grading
        self.audit = audit
        self.judgments = open_qrels(qrels, self.reading)
        refuse_average(self.judgments.topics)
        self.judgments.documents  # noqa: B018 - made here, and not in each of several threads
        self._plain = Opened(self.judgments, (dict_source({}, "run", ()),), self.reading, (), looks=False)

    def __call__(self, runs: RunsLike) -> Scores:
        """Score a run, or several: whatever `evaluate` takes."""
        ranked = None if self.audit else ranked_dict(runs, self.judgments, self.reading)
        if ranked is not None:
            self._plain.refuse_subtopics(self.measures)
            blocks = [score(ranked, self.measures, self.grading)]
            return self._plain.scores_of(blocks, self.measures, self.grading, late=True)
        sources = open_runs(runs, self.reading)
        batches = ranked_batches(sources, self.judgments, self.reading, parts=True)
        found = Opened(self.judgments, sources, self.reading, batches, looks=self.audit)
        return found.score(self.measures, self.grading)

    def __repr__(self) -> str:
        return f"Evaluator({counted(len(self.judgments.topics), 'topic')}: {', '.join(map(str, self.measures))})"

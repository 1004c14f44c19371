"""Can a system learn where to stop?"""

from __future__ import annotations

import polars as pl

from cranfield.experiments.experiment import Findings, MeasureNames, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.joining import ranked_table
from cranfield.judged_runs import JudgedRuns
from cranfield.measures.measure import Measure
from cranfield.stopping.optimal import values_by_length
from cranfield.stopping.rules import RULES, ScoredLists, folds_of, learn


@experiment
def stopping(
    runs: JudgedRuns,
    measures: MeasureNames = ("OIE", "RBPU(p=0.9)", "RBPU(p=0.98)", "DCGU", "SetF"),
    *,
    folds: int = 5,
    seed: int = 7,
    work: Work | None = None,
) -> Findings:
    """Can a run learn where its lists should end, from scores and ranks alone?

    A rule with one threshold ends the lists: at a depth; at a score; at a share of the way from the topic's lowest
    score to its highest; or before the first steep drop of the score. For each run and measure the threshold is chosen
    on some topics and judged on the others (cross-validation), and compared with the whole lists and with an oracle
    that knows the best place for each topic. Regret is by how much the oracle is better. Topics that a run lacks take
    no part, nor do those for which it retrieved nothing.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; their files are read once more, for the scores.
    measures
        What the lists should be best by.
    folds
        How many parts the topics are dealt out to.
    seed
        Of the deal.
    work
        Where progress is shown and kept: a step for each run.

    Returns
    -------
    Findings with the tables ``summary`` (measure, rule, mean over the runs of whole, learned, oracle and regret; which
    share of the way from whole to oracle was gone: negative where the whole lists are better) and ``rules`` (run,
    measure, rule, threshold, whole, learned, oracle, regret). The threshold is that of all topics, for use on new ones;
    it is null where the best that the rule can do is to return nothing.

    Raises
    ------
    InputError
        Where a run has fewer topics than folds.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better and how to measure
    that", SIGIR, section 4, which has the oracle; the rules are ours.

    Examples
    --------
    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1, "x": 0}, "2": {"b": 1, "y": 0}}
    >>> runs = join(qrels, {"mine": {"1": {"a": 9.0, "x": 1.0}, "2": {"b": 8.0, "y": 2.0}}})
    >>> stopping(runs, "SetP", folds=2)["rules"].head(2).rows()  # a score of 9 is too much for the second topic
    [('mine', 'SetP', 'depth', 1.0, 0.5, 1.0, 1.0, 0.0), ('mine', 'SetP', 'score', 8.0, 0.5, 0.5, 1.0, 0.5)]
    """
    asked = number_measures(measures)
    settings = {"measures": [str(measure) for measure in asked], "folds": folds, "seed": seed}

    def of_run(i: int) -> pl.DataFrame:
        return _rules_of(runs, i, asked, folds, seed)

    rules = (work or Work()).steps("stopping", settings | {"runs": runs.fingerprint}, range(len(runs.runs)), of_run)
    way = pl.col("oracle") - pl.col("whole")
    summary = (
        rules.group_by("measure", "rule", maintain_order=True)
        .agg(pl.col("whole", "learned", "oracle", "regret").mean())
        .with_columns(gone=pl.when(way != 0).then((pl.col("learned") - pl.col("whole")) / way))
    )
    order = {str(measure): place for place, measure in enumerate(asked)}
    by_measure = pl.col("measure").replace_strict(order, return_dtype=pl.Int64)
    return Findings(
        "stopping",
        {"summary": summary.sort(by_measure, maintain_order=True), "rules": rules},
        settings | {"runs": len(runs.runs), "topics": len(runs.topics)},
    )


def _rules_of(runs: JudgedRuns, number: int, measures: list[Measure], folds: int, seed: int) -> pl.DataFrame:
    """Learn all rules for one run."""
    rankings = runs.of_run(number)
    ranked = ScoredLists.of(ranked_table(runs.sources[number], runs.order))
    lists, rows = ranked.judged(runs.judgments.code_of_topic)
    fold = folds_of(len(rows), folds, seed)
    found = [
        (measure, learn(rule, lists, values_by_length(measure, rankings)[rows], fold))
        for measure in measures
        for rule in RULES.values()
    ]
    sign = [1.0 if measure.higher_is_better else -1.0 for measure, _ in found]
    return pl.DataFrame(
        {
            "run": [runs.runs[number]] * len(found),
            "measure": [str(measure) for measure, _ in found],
            "rule": [learned.rule.name for _, learned in found],
            "threshold": pl.Series([learned.shown for _, learned in found], dtype=pl.Float64),
            "whole": [s * learned.full for s, (_, learned) in zip(sign, found, strict=True)],
            "learned": [s * learned.value for s, (_, learned) in zip(sign, found, strict=True)],
            "oracle": [s * learned.oracle for s, (_, learned) in zip(sign, found, strict=True)],
            "regret": [learned.regret for _, learned in found],
        }
    )

"""Can a system learn where to stop?"""

from __future__ import annotations

import math
from typing import Annotated

from cranfield.experiments.declared import Row, Rows
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.averaging import summable
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Range, Seed
from cranfield.scoring.engines.local import read_ranked
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import direction, oriented
from cranfield.stopping.rules import ScoredLists, folds_of, learn, rules_for


@experiment
def stopping(
    runs: JudgedRuns,
    measures: MeasureNames = ("OIE", "RBPU(p=0.9)", "RBPU(p=0.98)", "DCGU", "SetF"),
    *,
    folds: Annotated[int, Range(at_least=2)] = 5,
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """Can a system learn where to end its lists from scores and ranks alone?

    A rule with one threshold ends the lists: at a depth; at a score; at a fraction of the way from the topic's lowest
    score to its highest; or before the first steep drop of the score. For each run and measure the threshold is chosen
    on some topics and evaluated on the others (cross-validation), and compared with the whole lists and with an oracle
    that knows the best place for each topic. Regret is the oracle's lead. Topics for which a run retrieved nothing are
    excluded.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; their files are read again for the scores.
    measures
        The measures to optimise.
    folds
        The number of folds of the topics.
    seed
        Seed of the folds.
    work
        Where progress is shown and kept: a step for each run.

    Tables
    ------
    summary
        A row for each measure and rule: means over the runs.
        measure, rule : text
        whole : number
            The value of the whole lists.
        learned : number
            The value of lists that the rule ends, on topics not used to choose its threshold.
        oracle : number
            The value of lists that end at the best place.
        regret : number
            How much better the oracle is than the rule.
        gone : number
            The share of the gap from whole to oracle that the rule closes: negative if the whole
            lists are better, null if they are the best.
    rules
        A row for each run, measure and rule.
        run, measure, rule : text
        threshold : number
            Chosen on all topics, for use on new ones; null if the best the rule can do is to return nothing.
        whole, learned, oracle, regret : number
            As in the summary: means over the topics, as defined by the measure.

    Raises
    ------
    InputError
        If a run has fewer topics than folds, or lists lack their unjudged documents, which no system can identify.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 4, which has the oracle; the rules are ours.

    Examples
    --------
    >>> from cranfield import join
    >>> qrels = {"1": {"a": 1, "x": 0}, "2": {"b": 1, "y": 0}}
    >>> runs = join(qrels, {"mine": {"1": {"a": 9.0, "x": 1.0}, "2": {"b": 8.0, "y": 2.0}}})
    >>> stopping(runs, "SetP", folds=2)["rules"].head(2).rows()  # a score of 9 is too much for the second topic
    [('mine', 'SetP', 'depth', 1.0, 0.5, 1.0, 1.0, 0.0), ('mine', 'SetP', 'score', 8.0, 0.5, 0.5, 1.0, 0.5)]
    """
    asked = number_measures(measures)
    if runs.grading.judged_only:
        raise InputError("this experiment needs the unjudged documents; join the runs without judged_only")

    every, kept = range(len(runs.runs)), work.also_on(contents=runs.contents)
    rules = kept.table("rules", every, lambda number: _rules_of(runs, number, asked, folds, seed))
    way = pl.col("oracle") - pl.col("whole")
    summary = (
        rules.group_by("measure", "rule", maintain_order=True)
        .agg(pl.col("whole", "learned", "oracle", "regret").mean())
        .with_columns(gone=pl.when(way != 0).then((pl.col("learned") - pl.col("whole")) / way))
    )
    return Outcome({"summary": summary, "rules": rules})


def _rules_of(runs: JudgedRuns, number: int, measures: list[Measure], folds: int, seed: int) -> Rows:
    """Learn all rules for one run."""
    rankings = runs.of_run(number)
    ranked = ScoredLists.of(read_ranked(runs.sources[number], runs.reading), runs.reading, runs.runs[number])
    lists, codes = ranked.judged(runs.judgments.code_of_topic)
    fold = folds_of(len(codes), folds, seed)
    rows = list[Row]()
    for measure in measures:
        # What each prefix of each list adds to the mean, higher being better: array of shape (topics, depth + 1).
        worth = oriented(measure, summable(measure.by_prefix(rankings), measure.summary))[codes]
        for rule in rules_for(lists):
            found = learn(rule, lists, worth, fold)
            whole, value, oracle = (_as_measured(measure, mean) for mean in (found.full, found.value, found.oracle))
            names = runs.runs[number], str(measure), rule.name
            rows.append((*names, found.shown, whole, value, oracle, abs(oracle - value)))
    return rows


def _as_measured(measure: Measure, mean: float) -> float:
    """Turn a mean back into what the measure says."""
    mean = direction(measure) * mean + 0.0  # not -0.0
    return math.exp(mean) if measure.summary == "geometric mean" else mean

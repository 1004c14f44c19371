"""Do a run's scores separate relevant documents from the others?"""

from __future__ import annotations

from typing import Final

import numpy as np

from cranfield.experiments.declared import Columns, long_columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.work import Work
from cranfield.judged.judgments import is_relevant
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.averaging import summable
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.scoring.engines.local import read_ranked
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.orientation import oriented
from cranfield.statistics.ranks import chance_above
from cranfield.stopping.rules import RULES, ScoredLists, best_threshold

DOCUMENT_STATES: Final = ("relevant", "judged not relevant", "unjudged")


@experiment
def score_distributions(
    runs: JudgedRuns, measures: MeasureNames = ("SetF",), *, bins: Count = 20, work: Work
) -> Outcome:
    """Do a run's scores separate relevant documents from the others, and where should its lists be cut?

    Scores are scaled topic by topic, from the lowest in the list (0) to the highest (1; if all are equal they are 1),
    and counted by document state: relevant, judged not relevant, or unjudged. The single score at which it would be
    best to end all lists of a run is chosen in hindsight, on the same topics; `stopping` shows the value of such a
    threshold on other topics. Topics that a run lacks, or without judgments, are excluded.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; their files are read again for the scores.
    measures
        The single measure by which lists are cut.
    bins
        The number of equal bins of the scale.
    work
        Where progress is shown and kept: a step for each run.

    Tables
    ------
    histogram
        A row for each run, state and bin of the scale.
        run : text
        state : text
            The state of the documents: relevant, judged not relevant, or unjudged.
        low, high : number
            Where the bin begins and ends; only the last bin includes its end.
        documents : whole number
        share : number
            Share of the documents of this state that the run retrieved; null if there are none.
    cuts
        A row for each run.
        run, measure : text
        threshold : number
            The lowest scaled score a document may have; null if it is best to return nothing.
        length : number
            The mean length of the cut lists.
        cut, whole : number
            The value of the cut lists, and of whole ones: means over the run's topics.
        separation : number
            The chance that a relevant document has a higher scaled score than one judged not
            relevant, a tie counting half; null if either kind is missing.

    Raises
    ------
    InputError
        If several measures are named, or lists lack their unjudged documents.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 4, on lists that end in hindsight; the scores are ours.

    Examples
    --------
    >>> from cranfield import join
    >>> runs = join({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"a": 9.0, "x": 4.0, "b": 1.0}}})
    >>> found = score_distributions(runs, bins=2)
    >>> found["histogram"].filter(pl.col("documents") > 0).select("state", "low", "documents").rows()
    [('relevant', 0.5, 1), ('judged not relevant', 0.0, 1), ('unjudged', 0.0, 1)]
    >>> found["cuts"].select("threshold", "length", "cut", "whole", "separation").rows()
    [(1.0, 1.0, 1.0, 0.5, 1.0)]
    """
    measure, *others = number_measures(measures)
    if others:
        raise InputError(f"lists are cut by exactly one measure, not by {1 + len(others)}")
    if runs.grading.judged_only:
        raise InputError("this experiment needs the unjudged documents; join the runs without judged_only")
    judged = runs.judgments.table().select(QUERY, DOCUMENT, RELEVANCE)

    def of_run(number: int) -> pl.DataFrame:
        ranked = read_ranked(runs.sources[number], runs.reading).filter(pl.col(QUERY).is_in(runs.topics))
        lists, codes = ScoredLists.of(ranked).judged(runs.judgments.code_of_topic)
        share = RULES["share"]
        scaled = share.signal(lists)  # what the rule looks at, so that its threshold is a place on the same axis
        grades = ranked.join(judged, on=[QUERY, DOCUMENT], how="left", maintain_order="left")[RELEVANCE]
        grade = grades.cast(pl.Float64).fill_null(np.nan).to_numpy()
        state = np.where(np.isnan(grade), 2, np.where(is_relevant(np.nan_to_num(grade), runs.grading.rel), 0, 1))
        score = scaled[~np.isnan(scaled)]
        worth = oriented(measure, summable(measure.by_prefix(runs.of_run(number)), measure.summary))[codes]
        threshold = best_threshold(share.least(lists), worth, np.ones(len(codes), bool))
        length = share.lengths(lists, threshold)
        topics = np.arange(len(codes))
        ends = worth[topics, length], worth[topics, lists.length]
        cut, whole = (float(np.mean(oriented(measure, end))) if len(end) else np.nan for end in ends)
        counts = np.array([np.histogram(score[state == s], bins, (0.0, 1.0))[0] for s in range(len(DOCUMENT_STATES))])
        row: Columns = {
            "run": runs.runs[number],
            "measure": str(measure),
            "threshold": None if np.isinf(threshold) else threshold,
            "length": float(length.mean()) if len(length) else 0.0,
            "cut": cut,
            "whole": whole,
            "separation": chance_above(score[state == 0], score[state == 1]),
            "counts": counts.ravel().tolist(),
        }
        return pl.DataFrame([row])

    found = work.also_on(contents=runs.contents).steps(range(len(runs.runs)), of_run)
    edges = np.linspace(0.0, 1.0, bins + 1).tolist()
    keys = {"run": runs.runs, "state": DOCUMENT_STATES, "low": edges[:-1]}
    high, documents = edges[1:] * (len(DOCUMENT_STATES) * len(found)), found["counts"].explode()
    of_state = pl.col("documents").sum().over("run", "state")
    histogram = pl.DataFrame(long_columns(keys, high=high, documents=documents)).with_columns(
        share=pl.when(of_state > 0).then(pl.col("documents") / of_state)
    )
    return Outcome({"histogram": histogram, "cuts": found.drop("counts")})

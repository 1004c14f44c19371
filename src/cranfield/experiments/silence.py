"""Which measures reward a system that returns nothing?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.experiments.declared import Columns
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.truncation import TRUNCATED
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.scoring.judged_runs import JudgedRuns, join
from cranfield.scoring.orientation import direction
from cranfield.statistics.on_paper import side


@experiment
def silence(runs: JudgedRuns, measures: MeasureNames = ("AP", "nDCG", "SetF", "FlatUtility", *TRUNCATED)) -> Outcome:
    """Which measures reward a system that returns nothing, and by how much?

    For a question without an answer, the best result is an empty list. Every list of the runs is
    compared with an empty one, on topics with relevant documents and on topics without, and a run
    that returns nothing is ranked among the others. A measure that rewards silence correctly ranks
    it first on topics without an answer, and last on those with one.

    Topics without an answer are those of the qrels with no document of a grade above 0, or of the
    lowest relevant grade where one is given.

    Parameters
    ----------
    runs
        The runs, joined with the judgments. Topics missing from a run count 0, or as empty lists if joined
        with ``missing="empty"``.
    measures
        The measures; by default, those that account for where a list ends, and three that are reported not to.

    Tables
    ------
    silence
        A row for each measure and kind of topics.
        measure : text
        answer : text
            Whether the topics have an answer: "yes", "no", or "all" for both kinds together.
        topics : whole number
        lists : number
            The mean over the lists of all runs.
        silent : number
            The mean of empty lists.
        gained : number
            How much better the empty list is; negative if it is worse.
        better : number
            The share of the lists that an empty list beats.
        place : whole number
            Rank of the silent run among the runs: 1 if none is better.
        runs : whole number
            The number of runs it is ranked among.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 4.2, on lists that had better been empty.

    Examples
    --------
    Topic 2 has no answer. Each of a list's two documents costs 1/4, and the relevant one gains 1.

    >>> from cranfield import join
    >>> run = {"1": {"a": 2.0, "x": 1.0}, "2": {"x": 2.0, "y": 1.0}}
    >>> found = silence(join({"1": {"a": 1}, "2": {"x": 0}}, {"mine": run}), "FlatUtility(e=0.25)")
    >>> found["silence"].select("answer", "lists", "silent", "gained", "better", "place").rows()
    [('yes', 0.5, 0.0, -0.5, 0.0, 2), ('no', -0.5, 0.0, 0.5, 1.0, 1), ('all', 0.0, 0.0, 0.0, 0.5, 1)]
    """
    asked = number_measures(measures)
    nothing: dict[str, dict[str, float]] = {topic: {} for topic in runs.topics}
    nobody, grading = {"silence": nothing}, runs.grading
    empty = join(runs.judgments, nobody, missing="empty", rel=grading.rel, judged_only=grading.judged_only)
    answered = runs.judgments.recall_base(grading.rel) > 0
    kinds = {"yes": answered, "no": ~answered, "all": np.ones_like(answered)}
    of_runs, of_nobody = runs.scores(asked).values, empty.scores(asked).values[:, 0]
    rows = [
        {"measure": str(measure), "answer": kind} | _compared(measure, lists[:, topics], silent[topics])
        for measure, lists, silent in zip(asked, of_runs, of_nobody, strict=True)
        for kind, topics in kinds.items()
        if topics.any()
    ]
    return Outcome({"silence": rows}, _notes(answered, asked))


def _compared(measure: Measure, lists: Floats, silent: Floats) -> Columns:
    """Compare lists, of shape (runs, topics), with the values of empty ones."""
    gained = direction(measure) * (silent - lists)
    return {
        "topics": len(silent),
        "lists": float(lists.mean()),
        "silent": float(silent.mean()),
        "gained": float(gained.mean()),
        "better": float((side(gained) > 0).mean()),
        "place": 1 + int((side(gained.mean(axis=1)) < 0).sum()),
        "runs": len(lists),
    }


def _notes(answered: Booleans, measures: Sequence[Measure]) -> Iterator[str]:
    if answered.all():
        yield "every topic has an answer"
    if lower := ", ".join(str(measure) for measure in measures if direction(measure) < 0):
        yield f"lower is better: {lower}"

"""Who rewards a system that says nothing?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.truncation import TRUNCATED
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.lazy import pl
from cranfield.scoring.judged_runs import JudgedRuns, join
from cranfield.scoring.orientation import direction


@experiment
def silence(runs: JudgedRuns, measures: MeasureNames = ("AP", "nDCG", "SetF", "FlatUtility", *TRUNCATED)) -> Outcome:
    """Who rewards a system that says nothing, and by how much?

    To a question that has no answer, the best answer is an empty list. Every list of the runs is
    compared with one, on the topics that have relevant documents and on those that have none; and a
    run that never says anything is ranked among the others. A measure that knows when to be silent
    has silence first on topics without an answer, and last on those with one.

    Topics without an answer are those of the qrels with no document of a grade above 0, or of the
    lowest relevant grade where one is given.

    Parameters
    ----------
    runs
        The runs, joined with the judgments. Topics that a run lacks count 0, or are empty lists if
        it was joined with ``missing="empty"``.
    measures
        The measures; without any, those that know where a list should end, and three that are said
        not to.

    Tables
    ------
    silence
        A row for each measure and kind of topics.
        measure : text
        answer : text
            Whether the topics have one: "yes", "no", or "all" for both kinds together.
        topics : whole number
        lists : number
            The mean over the lists of all runs.
        silent : number
            The mean of empty lists.
        gained : number
            By how much silence is the better; negative where it is the worse.
        better : number
            The share of the lists that had better been empty.
        place : whole number
            Of a run that never says anything, among the runs: 1 if none is better.
        runs : whole number
            How many it is ranked among.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 4.2, on lists that had better been empty.

    Examples
    --------
    Topic 2 has no answer. The two documents of a list cost 1/4 each, and the one found gains 1.

    >>> from cranfield import join
    >>> run = {"1": {"a": 2.0, "x": 1.0}, "2": {"x": 2.0, "y": 1.0}}
    >>> found = silence(join({"1": {"a": 1}, "2": {"x": 0}}, {"mine": run}), "FlatUtility(e=0.25)")
    >>> found["silence"].select("answer", "lists", "silent", "gained", "better", "place").rows()
    [('yes', 0.5, 0.0, -0.5, 0.0, 2), ('no', -0.5, 0.0, 0.5, 1.0, 1), ('all', 0.0, 0.0, 0.0, 0.5, 1)]
    """
    asked = number_measures(measures)
    grading = runs.grading
    empty = join(
        runs.judgments,
        {"silence": {topic: {} for topic in runs.topics}},
        missing="empty",
        rel=grading.rel,
        judged_only=grading.judged_only,
    )
    answered = runs.judgments.recall_base(grading.rel) > 0
    kinds = {"yes": answered, "no": ~answered, "all": np.ones_like(answered)}
    kinds = {name: topics for name, topics in kinds.items() if topics.any()}
    of_runs, of_nobody = runs.scores(asked).values, empty.scores(asked).values[:, 0]
    rows = [
        {"measure": str(measure), "answer": kind} | _compared(measure, lists[:, topics], silent[topics])
        for measure, lists, silent in zip(asked, of_runs, of_nobody, strict=True)
        for kind, topics in kinds.items()
    ]
    return Outcome({"silence": pl.DataFrame(rows)}, tuple(_notes(answered, asked)))


def _compared(measure: Measure, lists: Floats, silent: Floats) -> dict[str, float]:
    """Compare lists, of shape (runs, topics), with the values of empty ones."""
    gained = direction(measure) * (silent - lists)
    return {
        "topics": len(silent),
        "lists": float(lists.mean()),
        "silent": float(silent.mean()),
        "gained": float(gained.mean()),
        "better": float((gained > 0).mean()),
        "place": 1 + int((gained.mean(axis=1) < 0).sum()),
        "runs": len(lists),
    }


def _notes(answered: Booleans, measures: Sequence[Measure]) -> Iterator[str]:
    if answered.all():
        yield "every topic has an answer"
    lower = ", ".join(str(measure) for measure in measures if direction(measure) < 0)
    if lower:
        yield f"lower is better: {lower}"

"""Which documents decide the difference of two runs on average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.pairs import places_of, rank_of
from cranfield.app.explorer.questions.remembering import remembered
from cranfield.pairs.why import added, what_counts
from cranfield.plumbing.averaging import summable
from cranfield.plumbing.lazy import pl
from cranfield.scoring.orientation import best_first, direction
from cranfield.statistics.on_paper import side


@dataclass(frozen=True)
class Deciding:
    """The documents that decide the difference of two runs on average.

    Attributes
    ----------
    documents
        Columns topic, document, rank_a, rank_b (null where a run lacks it), grade, to_average: what the
        document contributes on its topic, as `why` has it, divided by the number of topics. Those that
        contribute most stand first; documents that contribute nothing are left out.
    better
        The better run, to whose lead documents contribute; None where both are equal on paper, and
        contributions are to the average of the one less that of the other.
    lead
        By how much the averages differ: of a geometric mean, those of the logarithms.
    rest
        What the contributions lack to that: by so much do empty lists differ, and lists that a run lacks.
    logarithmic
        Whether the averages are of logarithms.
    """

    documents: pl.DataFrame
    better: str | None
    lead: float
    rest: float
    logarithmic: bool


@remembered(32)
def decisive(explored: Explored, a: str, b: str, measure: str | None = None) -> Deciding:
    """Which documents decide by how much one run is ahead of another on average?"""
    m, places = explored.place(measure), places_of(explored, (a, b))
    declared, counted = explored.scores.measures[m], explored.scores.counted[places]
    runs = explored.runs.of_runs((a, b))
    judgments, (one, other) = runs.batches[0].judgments, runs.batches
    of = np.ones(2) if declared.summary == "sum" else np.maximum(counted.sum(axis=1), 1)
    values = np.where(counted, summable(explored.scores.values[m, places], declared.summary), 0.0)
    difference = float(np.subtract(*(values.sum(axis=1) / of)))
    towards = -1.0 if side(difference) < 0 else 1.0
    adds = np.zeros(len(judgments))
    for rankings, sign, many in zip(runs.batches, (towards, -towards), of, strict=True):
        kept = what_counts(rankings, declared, judged_only=runs.grading.judged_only)
        adds[kept.judgment] += sign * added(kept, declared) / many
    documents = np.flatnonzero(side(adds * of.max()))
    documents = documents[best_first(np.abs(adds[documents]))]
    ranks = {"rank_a": rank_of(one)[documents], "rank_b": rank_of(other)[documents]}
    table = pl.DataFrame(
        {
            "topic": [judgments.topics[code] for code in judgments.topic[documents]],
            "document": judgments.ids(documents),
            **ranks,
            "grade": judgments.grade[documents],
            "to_average": adds[documents],
        },
        schema_overrides={"topic": pl.String, "document": pl.String},
    ).with_columns(
        pl.col("grade").fill_nan(None), *(pl.when(pl.col(name) > 0).then(name).alias(name) for name in ranks)
    )
    ahead = side(direction(declared) * difference)
    better = None if ahead == 0 else a if ahead > 0 else b
    lead = towards * difference
    return Deciding(table, better, lead, lead - float(adds.sum()), declared.summary == "geometric mean")

"""What is asked of all topics."""

from __future__ import annotations

import numpy as np

from cranfield.app.explorer.questions.explored import Explored
from cranfield.plumbing.lazy import pl
from cranfield.scoring.orientation import direction


def by_topic(explored: Explored, measure: str | None = None) -> pl.DataFrame:
    """What is each topic like for the runs?

    A row for each topic, the hardest first: columns topic, title, relevant, judged (documents),
    mean, least, most (of the measure, over the runs), best (the run that has most; null where all have as much).
    """
    name = explored.measure(measure)
    m = explored.measures.index(name)
    values, sign = explored.scores.values[m], direction(explored.scores.measures[m])
    judgments = explored.runs.judgments
    found = pl.DataFrame(
        {
            "topic": explored.runs.topics,
            "title": [explored.title_of(topic) for topic in explored.runs.topics],
            "relevant": judgments.recall_base(explored.runs.grading.rel).astype(np.int64),
            "judged": judgments.count(~np.isnan(judgments.grade)).astype(np.int64),
            "mean": values.mean(axis=0),
            "least": values.min(axis=0),
            "most": values.max(axis=0),
            "best": [explored.runs.runs[run] for run in (sign * values).argmax(axis=0)],
        },
        schema_overrides={"best": pl.String},
    )
    alone = len(explored.runs.runs) == 1
    found = found.with_columns(pl.when(pl.lit(alone) | (pl.col("least") < pl.col("most"))).then("best").alias("best"))
    return found.sort(sign * pl.col("mean"), maintain_order=True)

"""What is asked of all topics."""

from __future__ import annotations

import numpy as np

from cranfield.app.explorer.questions.explored import Explored
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.scoring.orientation import best_named, direction


def by_topic(explored: Explored, measure: str | None = None) -> pl.DataFrame:
    """What is each topic like for the runs?

    A row for each topic, the hardest first: columns topic, title, relevant, judged (documents),
    mean, least, most (of the measure, over the runs that are counted there; null without any), best (the first few of
    these that have most; null where all do).
    """
    name = explored.measure(measure)
    m = explored.measures.index(name)
    values, sign = explored.scores.values[m], direction(explored.scores.measures[m])
    counted, judgments = explored.scores.counted, explored.runs.judgments
    of_counted = np.ma.masked_array(values, ~counted)
    found = pl.DataFrame(
        {
            "topic": explored.runs.topics,
            "title": [explored.title_of(topic) for topic in explored.runs.topics],
            "relevant": judgments.recall_base(explored.runs.grading.rel).astype(np.int64),
            "judged": judgments.count(~np.isnan(judgments.grade)).astype(np.int64),
            "mean": of_counted.mean(axis=0).tolist(),
            "least": of_counted.min(axis=0).tolist(),
            "most": of_counted.max(axis=0).tolist(),
            "best": _best(explored, sign * values),
        },
        schema_overrides={**dict.fromkeys(("mean", "least", "most"), pl.Float64), "best": pl.String},
    )
    return found.sort(sign * pl.col("mean"), nulls_last=True, maintain_order=True)


def _best(explored: Explored, values: Floats) -> list[str | None]:
    """Name the best of the runs that are counted on each topic."""
    counted = explored.scores.counted
    if counted.all():
        return best_named(explored.runs.runs, values)
    found = list[str | None]()
    for topic, there in enumerate(counted.T):
        names = [run for run, counts in zip(explored.runs.runs, there, strict=True) if counts]
        found += best_named(names, values[there, topic, np.newaxis]) if names else [None]
    return found

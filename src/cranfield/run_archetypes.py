"""Archetypes: what the curves of cumulated relative position look like, run by run and topic by topic."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from cranfield.conditions import Order
from cranfield.judged_runs import JudgedRuns, join
from cranfield.measures.effort import Archetype
from cranfield.measures.effort import archetypes as of_rankings
from cranfield.measures.machinery.gains import GainMap
from cranfield.options import Count, checked


def archetypes(
    qrels: Any,
    runs: Any = None,
    *,
    n: int = 1000,
    rel: float | None = None,
    gains: GainMap | None = None,
    order: Order | None = None,
) -> pl.DataFrame:
    """Say of each run, topic by topic, which archetype it is.

    Parameters
    ----------
    qrels, runs, order
        As in `evaluate`.
    n
        The length that all lists are cut or padded to.
    rel, gains
        Which grades are told apart: two kinds from ``rel`` on and below it, or one for each gain; without either, all.

    Returns
    -------
    Table with columns run, topic, archetype, for the topics that a run has. `share_of_archetypes` counts them.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The twist measure for IR evaluation", Table 2.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 1}}
    >>> runs = {"good": {"1": {"a": 2.0, "b": 1.0}}, "lost": {"1": {"x": 1.0}}}
    >>> archetypes(qrels, runs).rows()
    [('good', '1', 'ideal'), ('lost', '1', 'worst')]
    """
    return classify(join(qrels, runs, order=order, rel=rel), n=n, gains=gains)


def classify(runs: JudgedRuns, *, n: int = 1000, gains: GainMap | None = None) -> pl.DataFrame:
    """Do the same for runs that are joined with their judgments already, at their relevance level.

    >>> classify(join({"1": {"a": 1}}, {"r": {"1": {"x": 2.0, "a": 1.0}}})).rows()
    [('r', '1', 'excellent or ups-and-downs')]
    """
    n, rel = checked("n", n, Count), runs.grading.rel
    found = np.concatenate([of_rankings(batch, n=n, rel=rel, gains=gains) for batch in runs.batches])
    topics = len(runs.topics)
    rows = np.flatnonzero(runs.present.ravel())
    return pl.DataFrame(
        {
            "run": [runs.runs[row // topics] for row in rows],
            "topic": [runs.topics[row % topics] for row in rows],
            "archetype": [str(found[row]) for row in rows],
        },
        schema={"run": pl.String, "topic": pl.String, "archetype": pl.String},
    )


def share_of_archetypes(table: pl.DataFrame) -> pl.DataFrame:
    """Count the archetypes over all runs and topics: columns archetype, rankings, share.

    >>> table = pl.DataFrame({"run": ["r", "r"], "topic": ["1", "2"], "archetype": ["worst", "typical A"]})
    >>> share_of_archetypes(table).filter(pl.col("rankings") > 0).rows()
    [('worst', 1, 0.5), ('typical A', 1, 0.5)]
    """
    names = [str(archetype) for archetype in Archetype]
    counts = [table.filter(pl.col("archetype") == name).height for name in names]
    shares = [count / max(table.height, 1) for count in counts]
    return pl.DataFrame({"archetype": names, "rankings": counts, "share": shares})

"""Which shapes do the curves of cumulated relative position have?"""

from __future__ import annotations

from cranfield.experiments.experiment import Outcome, experiment
from cranfield.judged_runs import JudgedRuns
from cranfield.lazily import pl
from cranfield.options import Count
from cranfield.run_archetypes import Archetype, classify, share_of_archetypes


@experiment
def archetypes(runs: JudgedRuns, *, n: Count = 1000) -> Outcome:
    """How much effort do runs cost: which archetypes are they, and how often?

    The curve of cumulated relative position (CRP) of a run on a topic is ideal, excellent (or goes
    up and down), a typical A (it recovers after the recall base), a typical B (it never does), the
    worst, or full-scale. Topics that a run lacks are not counted. With a relevance level two kinds
    of documents are told apart, those that reach it and the others; without one, every grade
    counts.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    n
        The length that all lists are cut or padded to.

    Tables
    ------
    shares
        A row for each archetype.
        archetype : text
        rankings : whole number
        share : number
    runs
        A row for each run.
        run : text
        <archetype> : whole number
            On how many topics the run is of that archetype.
    rankings
        A row for each run and topic that it has.
        run, topic, archetype : text

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The twist measure for IR
    evaluation", Table 2.

    Examples
    --------
    >>> from cranfield import join
    >>> runs = join({"1": {"a": 1, "b": 1}}, {"good": {"1": {"a": 2.0, "b": 1.0}}, "lost": {"1": {"x": 1.0}}})
    >>> archetypes(runs)["rankings"].rows()
    [('good', '1', 'ideal'), ('lost', '1', 'worst')]
    """
    kinds = [str(kind) for kind in Archetype]
    rankings = classify(runs, n=n)
    by_run = rankings.group_by("run", maintain_order=True).agg(
        (pl.col("archetype") == kind).sum().cast(pl.Int64).alias(kind) for kind in kinds
    )
    return Outcome({"shares": share_of_archetypes(rankings), "runs": by_run, "rankings": rankings})

"""Which shapes do the curves of cumulated relative position have?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from cranfield.experiments.declared import Row, Rows
from cranfield.experiments.experiment import Outcome, experiment
from cranfield.judged.audit import without_relevant
from cranfield.judged.rankings import full_scale_rankings
from cranfield.lists.archetypes import Archetype, archetypes_of, classify, share_of_archetypes
from cranfield.measures.effort import Twist
from cranfield.measures.framework.names import parse_measure
from cranfield.measures.relative_position import CRP
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns

Holds: TypeAlias = Callable[[Floats, Floats, Floats], Booleans]
"""Whether a value agrees with the paper, for the recall base R and the length N of the padded list."""


LIMIT: Final = "→ 1"
BOUNDS: Final[dict[str, Holds]] = {
    "0": lambda value, base, length: value == 0,
    "1": lambda value, base, length: value == 1,
    "R": lambda value, base, length: value == base,
    "∞": lambda value, base, length: value > length,
    "≥ R + 1": lambda value, base, length: (value >= base + 1) & (value <= length),
    "≥ N - R + 1": lambda value, base, length: (value >= length - base + 1) & (value <= length),
    "≤ R": lambda value, base, length: value <= base,
    "< 1": lambda value, base, length: value < 1,
    "< 1/2": lambda value, base, length: value < 1 / 2,
    "< 1/4": lambda value, base, length: value < 1 / 4,
    "≤ R/(R + 1)": lambda value, base, length: value <= base / (base + 1),
}
"""What the paper states about a quantity: as written, and as a test unless it is a limit."""

QUANTITIES: Final = ("CrossingRank", "BalancePoint", "Recovery", "ForwardSpace", "BackwardSpace", "Space", "Twist")
"""Figures 4, 5 and 6 from top to bottom: min x, β, ρ; σ⁺, σ⁻, σ; τ."""

_FIGURES: Final = {
    Archetype.IDEAL: ("1", "R", "1", "1", "1", "1", "1"),
    Archetype.WORST: ("∞", "∞", "0", "1", "0", "0", "0"),
    Archetype.FULL_SCALE: ("≥ N - R + 1", "≥ N - R + 1", "< 1/2", "0", "0", "0", "< 1/4"),
    Archetype.EXCELLENT: ("≤ R", "R", "1", LIMIT, LIMIT, LIMIT, LIMIT),
    Archetype.TYPICAL_A: ("≥ R + 1", "≥ R + 1", "≤ R/(R + 1)", "< 1", "< 1", "< 1", "< 1"),
    Archetype.TYPICAL_B: ("∞", "∞", "0", "1", "< 1", "< 1", "< 1/2"),
}
"""What they say of each archetype."""


@experiment
def archetypes(runs: JudgedRuns, *, n: Count = 1000) -> Outcome:
    """Which effort archetypes do runs follow, and how often?

    The curve of cumulated relative position (CRP) of a run on a topic is ideal, excellent (or goes
    up and down), a typical A (it recovers after the recall base), a typical B (it never does), the
    worst, or full-scale. Topics that a run lacks, and topics without a relevant document, are not
    counted. With a relevance level, documents that reach it are distinguished from the others;
    without one, every grade counts.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    n
        The length to which all lists are cut or padded.

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
            The number of topics on which the run follows that archetype.
    figures
        A row for each archetype found and each quantity: does it agree with the paper's Figures 4
        to 6?
        archetype, quantity : text
            Quantities by the names of their measures, without the n and rel of the call.
        paper : text
            The value in the figure.
        rankings : whole number
        as_said : whole number
            How many of them agree; null where the paper names a limit.
        least, median, largest : number
            Of the values found. A missing crossing or balance point takes the rank after the end of the list.
    rankings
        A row for each run and topic it retrieved that is counted.
        run, topic, archetype : text
    examples
        The curve of one ranking of each archetype, the one with the median Twist: a row for each rank.
        archetype, run, topic : text
        recall_base, rank : whole number
        crp, full_scale : number
            CRP of the ranking, and of the full-scale list of its topic.

    Side by side
    ------------
    shares
        archetype : row
        share : value

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The twist measure for IR
    evaluation", Table 2, Figures 3 to 6.

    Examples
    --------
    >>> from cranfield import join
    >>> runs = join({"1": {"a": 1, "b": 1}}, {"good": {"1": {"a": 2.0, "b": 1.0}}, "lost": {"1": {"x": 1.0}}})
    >>> archetypes(runs)["rankings"].rows()
    [('good', '1', 'ideal'), ('lost', '1', 'worst')]
    """
    rankings = classify(runs, n=n)
    tables: dict[str, Rows] = {
        "shares": share_of_archetypes(rankings),
        "runs": rankings.group_by("run", maintain_order=True).agg(
            (pl.col("archetype") == str(kind)).sum().alias(str(kind)) for kind in Archetype
        ),
        "figures": figures(runs, n),
        "rankings": rankings,
        "examples": examples(runs, rankings, n),
    }
    nothing = without_relevant(runs.judgments, runs.grading.rel)
    left_out = f"left out, as nothing is relevant there: {counted(len(nothing), 'topic')} ({', '.join(nothing)})"
    return Outcome(tables, [left_out] * bool(nothing))


def figures(runs: JudgedRuns, n: int) -> list[Row]:
    """Compare the values of the rankings with those of their archetypes in Figures 4 to 6."""
    rel = runs.grading.rel
    level = {} if rel is None else {"rel": rel}
    measures = [type(parse_measure(name))(cutoff=n, **level) for name in QUANTITIES]
    found = []
    for batch in runs.batches:
        base = batch.recall_base(rel)
        here = batch.present & (base > 0)
        values = np.array([measure.score(batch)[here] for measure in measures])
        found.append((archetypes_of(batch, n=n, rel=rel)[here], values, base[here]))
    kinds, values, base = (np.concatenate(several, axis=-1) for several in zip(*found, strict=True))
    length = np.maximum(n, 2 * base)
    rows = list[Row]()
    for kind, bounds in _FIGURES.items():
        here = kinds == kind.value
        if not here.any():
            continue
        for name, bound, some in zip(QUANTITIES, bounds, values[:, here], strict=True):
            as_said = None if bound == LIMIT else int(BOUNDS[bound](some, base[here], length[here]).sum())
            spread = float(some.min()), float(np.median(some)), float(some.max())
            rows.append((kind.value, name, bound, len(some), as_said, *spread))
    return rows


def examples(runs: JudgedRuns, rankings: pl.DataFrame, n: int) -> Rows:
    """Return the curve of one ranking of each archetype: the one with the median Twist."""
    level = {} if runs.grading.rel is None else {"rel": runs.grading.rel}
    crp, base = CRP(cutoff=n, **level), runs.judgments.recall_base(runs.grading.rel).astype(np.int64)
    here = runs.present & (base > 0)
    known = rankings.with_columns(
        twist=runs.scores(Twist(cutoff=n, **level)).values[0][here],
        recall_base=np.broadcast_to(base, here.shape)[here],
    ).sort("twist", maintain_order=True)
    full_scale = crp.by_rank(full_scale_rankings(crp.ideal(runs.judgments), n), n)
    curves = []
    for kind in _FIGURES:
        of_kind = known.filter(pl.col("archetype") == kind.value)
        if of_kind.height:
            chosen = of_kind.select("run", "topic", "recall_base").row((of_kind.height - 1) // 2, named=True)
            run, topic = runs.runs.index(chosen["run"]), runs.topics.index(chosen["topic"])
            columns = {"crp": crp.by_rank(runs.of_run(run), n)[topic], "full_scale": full_scale[topic]}
            curves.append(pl.DataFrame({"archetype": kind.value, **chosen, "rank": np.arange(1, n + 1), **columns}))
    return pl.concat(curves) if curves else []

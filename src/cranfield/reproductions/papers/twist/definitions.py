"""Definitions 1 to 6 and Figures 1 to 6: the example, archetypes, and the bounds of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from cranfield.lists.archetypes import Archetype, classify
from cranfield.measures.effort import Recovery
from cranfield.measures.framework.measure import Measure
from cranfield.measures.relative_position import CRP, RP
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.elements import Block, Folded, Words
from cranfield.reproductions.papers.twist import PAPER
from cranfield.reproductions.relative_position import TWO_KINDS, by_ranking, something_relevant, telling_apart
from cranfield.reproductions.study import Study, rounded_table

_LISTS: Final = {
    "w": ([0] * 15, [3, 3, 2, 2, 1, 1, 1]),
    "fs": ([0] * 8 + [1, 1, 1, 2, 2, 3, 3], []),
    "a": ([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0], [1]),
    "b": ([3, 0, 1, 0, 2, 0, 0, 0, 2, 1, 0, 0, 3, 1, 0], []),
}
"""The runs of the paper's example, nr to hr being 0 to 3: what they retrieve, and what they lack."""
_PRINTED: Final = {
    "w": ("-7 -6 -5 -4 -3 -2 -1 0 0 0 0 0 0 0 0", "-7 -13 -18 -22 -25 -27 -28 -28 -28 -28 -28 -28 -28 -28 -28"),
    "fs": ("-7 -6 -5 -4 -3 -2 -1 0 2 3 4 8 9 12 13", "-7 -13 -18 -22 -25 -27 -28 -28 -26 -23 -19 -11 -2 10 23"),
    "a": ("0 0 0 -4 0 2 -1 0 0 3 0 0 0 0 0", "0 0 0 -4 -4 -2 -3 -3 -3 0 0 0 0 0 0"),
    "b": ("0 -6 -2 -4 1 -2 -1 0 5 3 0 0 11 7 0", "0 -6 -8 -12 -11 -13 -14 -14 -9 -6 -6 -6 5 12 12"),
}
"""Their RP and CRP in the paper."""
_FIGURES: Final = {
    "Figure 4": ("the first crossing, the balance point and ρ", ("CrossingRank", "BalancePoint", "Recovery")),
    "Figure 5": ("σ⁺, σ⁻ and σ", ("ForwardSpace", "BackwardSpace", "Space")),
    "Figure 6": ("τ", ("Twist",)),
}
"""What they bound, and the measures of it."""


@PAPER.item(
    "Definitions 1 to 6", "The example, and the bounds of the full-scale run", at=1,
    by="In the paper: 7 relevant documents of three grades, lists of 15. This is arithmetic and needs no runs.",
)  # fmt: skip
def example(_: Study) -> Iterator[Block]:
    """Calculate the vectors of the example, and look for the bounds of Propositions 1 to 3."""
    rows = [
        (run, name, printed, _vector(measure, run))
        for run, both in _PRINTED.items()
        for name, measure, printed in zip(("RP", "CRP"), (RP(), CRP()), both, strict=True)
    ]
    table = pl.DataFrame(rows, ["run", "vector", "the paper", "calculated"], orient="row")
    yield rounded_table("vectors", table, "The vectors of the example.", keys=2)
    late, right = Recovery(cutoff=3).of([0, 0, 1]), Recovery(crossing="definition").of([1], [1])
    above, full = (CRP(cutoff=15).of(run) for run in ([1, 1, *[0] * 8, 1, 2, 2, 3, 3], _LISTS["fs"][0]))
    yield Words.of(
        f"By proposition 2 no run's CRP is above {full:g}, the end of the full-scale run. The list 1 1 0 0 0 0 0 0 0 0 "
        f"1 2 2 3 3 ends at {above:g}. The bound holds where N is at least 3R - 1.",
        f"By proposition 3 the full-scale run recovers below one half where N is 3 times the recall base or more. With "
        f"one relevant document and N = 3 its ρ is {late:g}: definition 3 takes the rank before the curve is back at "
        "0, the proof the rank after.",
        "By definition 3 a run whose curve never comes back to 0 has ρ = 0. The list of one of two relevant documents "
        f"never comes back (CRP 0, -1, -1, ...), and by the letter of the definition has ρ = {right:g}, since it "
        f"starts at 0. As Figure 4 has it, ρ is {Recovery().of([1], [1]):g}, and so it is used below.",
    )


def _vector(measure: Measure, run: str) -> str:
    retrieved, missed = _LISTS[run]
    return " ".join(f"{(measure @ rank).of(retrieved, missed):g}" for rank in range(1, len(retrieved) + 1))


@PAPER.item(
    "Figures 1 and 2", "Relative position, the first crossing, and the space", at=2,
    by="In the paper: sketches of the example. Here a list of type A, the one of median Twist. " + TWO_KINDS,
    needs=(something_relevant,),
)  # fmt: skip
def figures_1_and_2(study: Study) -> Iterator[Block]:
    """Draw a typical list, and count those that the backward space ratio takes for the worst."""
    examples = study.experiment("archetypes")["examples"]
    typical = examples.filter(pl.col("archetype") == Archetype.TYPICAL_A.value)
    chosen = (typical if typical.height else examples).row(0, named=True)
    of_run = study.of_runs([chosen["run"]])
    for figure in ("relative-position", "crossing"):
        yield of_run.plot(figure, telling_apart(study, "CRP"), topic=chosen["topic"])
    values = by_ranking(study, ["BackwardSpace"])
    lost = values.filter(pl.col("BackwardSpace") == 0)
    others = lost.filter(~pl.col("archetype").is_in([Archetype.WORST.value, Archetype.FULL_SCALE.value]))
    yield Words.of(
        "By the paper the worst and the full-scale run are the only ones with a backward space ratio of exactly 0. By "
        "definition a list has it if, and only if, nothing relevant is within its first R ranks. Here "
        f"{lost.height:,} of {values.height:,} have it, {others.height:,} of which are neither."
    )


@PAPER.item(
    "Figures 3 to 6", "Archetypes, and their crossings, ρ, σ and τ", at=3,
    by="In the paper: made runs, and bounds for every archetype, which the definitions imply or refute. False bounds "
    "have an example on the page of claims; here each ranking is checked against its own bounds. The picture "
    "has the one of median Twist of each. " + TWO_KINDS,
    needs=(something_relevant,),
)  # fmt: skip
def figures_3_to_6(study: Study) -> Iterator[Block]:
    """Check every ranking against the bounds of its archetype."""
    found = study.experiment("archetypes")
    yield found.picture("archetypes")
    rows = found["figures"].with_columns(wrong=pl.col("rankings") - pl.col("as_said"))
    for figure, (what, quantities) in _FIGURES.items():
        tested = rows.filter(pl.col("quantity").is_in(quantities) & pl.col("as_said").is_not_null())
        exceptions = [
            f"{row['quantity']} of {row['archetype']} is not {row['paper']} for {row['wrong']:,} of "
            f"{row['rankings']:,} (the least is {row['least']:.3g}, the median {row['median']:.3g})"
            for row in tested.filter(pl.col("wrong") > 0).iter_rows(named=True)
        ]
        kinds = counted(tested["archetype"].n_unique(), "archetype")
        kept = "; ".join(exceptions) if exceptions else f"all rankings of the {kinds} found satisfy it"
        yield Words.of(f"{figure} bounds {what} of every archetype: {kept}.")
    grade = study.runs.judgments.grade
    lowest = float(grade[grade > 0].min(initial=np.inf)) if study.runs.grading.rel is None else study.runs.grading.rel
    binary = classify(study.runs.under(rel=lowest))
    excellent = binary.filter(pl.col("archetype") == Archetype.EXCELLENT.value).height
    yield Words.of(
        "By the paper excellent runs cannot happen in the case of binary relevance. One kind can: R - 1 relevant "
        f"documents, one that is not, and the last relevant one. With grades from {lowest:g} on merged, "
        f"{excellent:,} of {binary.height:,} rankings are so."
    )
    caption = "Values against the paper's figures. A missing crossing counts as N + 1."
    command = f"{found.command} --table figures"
    yield Folded("All bounds", (rounded_table("archetypes-figures", found["figures"], caption, command, keys=2),))
